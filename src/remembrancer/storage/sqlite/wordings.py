"""Wordings, found by filters, numbers and places: with the indexes named that SQLite's planner would not choose."""

from collections.abc import Sequence
from typing import Any, LiteralString

import numpy as np

from remembrancer.storage.ports.wordings import Documents, Headers, headers_from
from remembrancer.storage.reading import COLUMNS, Reading
from remembrancer.storage.values import filter_columns, passing, undamaged
from remembrancer.storage.weights import WEIGHT
from remembrancer.types.filter import Filter
from remembrancer.types.record import Record

# The wanted rows come first, and the index is named: the planner knows no statistics and would scan a scope instead.
_HEADER: LiteralString = f"""
    SELECT
        records.document, records.id, records.kind, COALESCE(records.session, ''), COALESCE(records.number, 0),
        COALESCE(NULLIF(records.speaker, ''), records.role, ''), COALESCE(records.role, ''), COALESCE(records.type, ''),
        COALESCE((SELECT length FROM wordings WHERE wordings.document = records.document), 1),
        records.occurred_at / 1e6, records.updated_at / 1e6, records.last_accessed_at / 1e6, records.revision,
        records.importance, COALESCE(records.tier, ''), {WEIGHT}
    FROM json_each(:wanted) AS wanted
"""

# Each type is found by a step in the index, and of each the first rows are read, however many there are.
_TYPES: LiteralString = """
    WITH RECURSIVE types (scope, type) AS (
        SELECT seen.value, (
            SELECT MIN(records.type) FROM records INDEXED BY records_at_start
            WHERE records.scope = seen.value
                AND records.kind = 'observation' AND records.status = 'active' AND records.document IS NOT NULL
        )
        FROM json_each(:visible) AS seen
        UNION ALL
        SELECT types.scope, (
            SELECT MIN(records.type) FROM records INDEXED BY records_at_start
            WHERE records.scope = types.scope AND records.type > types.type
                AND records.kind = 'observation' AND records.status = 'active' AND records.document IS NOT NULL
        )
        FROM types WHERE types.type IS NOT NULL
    )
"""
_FIRST: LiteralString = """
    CROSS JOIN json_each((
        SELECT json_group_array(document) FROM (
            SELECT records.document FROM records INDEXED BY records_at_start
            WHERE records.scope = types.scope AND records.type = types.type AND records.revision {revised}
                AND records.kind = 'observation' AND records.status = 'active' AND records.document IS NOT NULL{cleared}
            ORDER BY records.updated_at DESC, records.id DESC LIMIT :limit
        )
    )) AS found
    WHERE types.type <> ALL(:apart)
"""
_UPDATED_LAST: LiteralString = (
    _TYPES
    + "SELECT found.value FROM types CROSS JOIN json_each(:few) AS few"
    + _FIRST.replace("{revised}", "= few.value")
)
_OFTEN_UPDATED: LiteralString = _TYPES + "SELECT found.value FROM types" + _FIRST.replace("{revised}", ">= :many")


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

    async def updated_last(self, *, apart: Sequence[str], revisions: int, limit: int) -> Documents:
        """Of active observations: of each type and each count of revisions the `limit` that were updated last."""
        asked = {"apart": list(apart), "few": list(range(1, revisions)), "many": revisions, "limit": limit}
        rows = [*await self._shard.ask(_UPDATED_LAST, asked), *await self._shard.ask(_OFTEN_UPDATED, asked)]
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
        return dict(undamaged(rows, lambda row: (row[-1], self._record(row))))
