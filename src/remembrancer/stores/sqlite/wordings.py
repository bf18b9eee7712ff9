"""Wordings, found by filters, numbers and places: with the indexes named that SQLite's planner would not choose."""

from collections.abc import Sequence
from typing import Any, LiteralString

import numpy as np

from remembrancer.model.filter import Filter
from remembrancer.model.record import Record
from remembrancer.ports.wordings import Documents, Headers, headers_from
from remembrancer.stores.reading import COLUMNS, Reading
from remembrancer.stores.values import filter_columns, passing

# The wanted rows come first, and the index is named: the planner knows no statistics and would scan a scope instead.
_HEADER: LiteralString = """
    SELECT
        records.document, records.id, records.kind, COALESCE(records.session, ''), COALESCE(records.number, 0),
        COALESCE(NULLIF(records.speaker, ''), records.role, ''), COALESCE(records.type, ''),
        records.occurred_at / 1e6, records.updated_at / 1e6, records.last_accessed_at / 1e6, records.revision,
        records.importance, COALESCE(records.tier, ''), records.weight
    FROM json_each(:wanted) AS wanted
"""


class SQLiteWordings(Reading):
    """See `ports.wordings.Wordings`."""

    async def passing(self, filter: Filter, *, limit: int = 0) -> Documents:
        """The indexed wordings that a filter lets through; the newest `limit` of them, where it is not 0."""
        asked = filter_columns(filter)
        index: LiteralString = "records_by_time" if filter.since or filter.until or limit else "records_by_kind"
        rows = await self._shard.ask(
            f"SELECT records.document FROM records INDEXED BY {index}"
            " WHERE records.document IS NOT NULL AND {seen} AND "
            + passing(asked)
            + (" ORDER BY records.occurred_at DESC LIMIT :limit" if limit else ""),
            {**asked, "limit": limit},
        )
        return np.sort(np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows)))

    async def headers(self, documents: Sequence[int]) -> Headers:
        """What ranking needs of these wordings; those that no longer stand are left out."""
        rows: Any = await self._shard.ask(
            _HEADER + "CROSS JOIN records ON records.document = wanted.value WHERE {seen}",
            {"wanted": np.array(documents, dtype=np.int64)},
        )
        return headers_from(rows)

    async def beside(self, places: Sequence[tuple[str, int]]) -> Headers:
        """The indexed messages at these (session, number) places."""
        wanted: dict[str, list[int]] = {}
        for session, number in places:
            wanted.setdefault(session, []).append(number)
        rows: Any = await self._shard.ask(
            _HEADER
            + """
            CROSS JOIN json_each(wanted.value) AS numbers
            CROSS JOIN json_each(:visible) AS seen
            CROSS JOIN records INDEXED BY records_by_number
                ON records.scope = seen.value AND records.session = wanted.key AND records.number = numbers.value
            WHERE records.document IS NOT NULL{cleared}
            """,
            {"wanted": wanted},
        )
        return headers_from(rows)

    async def records(self, documents: Sequence[int]) -> dict[int, Record]:
        """The records of these wordings, those that stand."""
        rows = await self._shard.ask(
            f"SELECT {COLUMNS}, records.document FROM json_each(:documents) AS wanted"
            " CROSS JOIN records ON records.document = wanted.value JOIN scopes ON scopes.id = records.scope"
            " WHERE {seen}",
            {"documents": np.array(documents, dtype=np.int64)},
        )
        return {row[-1]: self._record(row) for row in rows}
