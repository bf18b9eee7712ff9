"""Wordings, found by filters, numbers and places."""

from collections.abc import Sequence
from typing import Any, LiteralString

import numpy as np

from remembrancer.storage.ports.wordings import Documents, Headers, headers_from
from remembrancer.storage.reading import COLUMNS, Reading
from remembrancer.storage.values import filter_columns, passing, undamaged
from remembrancer.storage.weights import WEIGHT
from remembrancer.types.filter import Filter
from remembrancer.types.record import Record

_HEADER: LiteralString = f"""
    SELECT
        records.document, records.id, records.kind, COALESCE(records.session, ''), COALESCE(records.number, 0),
        COALESCE(NULLIF(records.speaker, ''), records.role, ''), COALESCE(records.role, ''), COALESCE(records.type, ''),
        COALESCE((SELECT length FROM wordings WHERE wordings.document = records.document), 1),
        date_part('epoch', records.occurred_at), date_part('epoch', records.updated_at),
        date_part('epoch', records.last_accessed_at), records.revision, records.importance,
        COALESCE(records.tier, ''), {WEIGHT}
    FROM records
"""

# Each type is found by a step in the index, and of each the first rows are read, however many there are.
_TYPES: LiteralString = """
    WITH RECURSIVE types (scope, type) AS (
        SELECT seen.scope, (
            SELECT MIN(records.type) FROM records
            WHERE records.scope = seen.scope
                AND records.kind = 'observation' AND records.status = 'active' AND records.document IS NOT NULL
        )
        FROM unnest(:visible::bigint[]) AS seen (scope)
        UNION ALL
        SELECT types.scope, (
            SELECT MIN(records.type) FROM records
            WHERE records.scope = types.scope AND records.type > types.type
                AND records.kind = 'observation' AND records.status = 'active' AND records.document IS NOT NULL
        )
        FROM types WHERE types.type IS NOT NULL
    )
"""
_FIRST: LiteralString = """
    CROSS JOIN LATERAL (
        SELECT records.document FROM records
        WHERE records.scope = types.scope AND records.type = types.type AND records.revision {revised}
            AND records.kind = 'observation' AND records.status = 'active' AND records.document IS NOT NULL{cleared}
        ORDER BY records.updated_at DESC, records.id DESC LIMIT :limit
    ) AS found
    WHERE types.type <> ALL(:apart::text[])
"""
_UPDATED_LAST: LiteralString = (
    _TYPES
    + "SELECT found.document FROM types CROSS JOIN unnest(:few::integer[]) AS few (revisions)"
    + _FIRST.replace("{revised}", "= few.revisions")
)
_OFTEN_UPDATED: LiteralString = _TYPES + "SELECT found.document FROM types" + _FIRST.replace("{revised}", ">= :many")


class PostgresWordings(Reading):
    """See `ports.wordings.Wordings`."""

    async def passing(self, filter: Filter, *, limit: int = 0) -> Documents:
        """The indexed wordings that a filter lets through; the newest `limit` of them, where it is not 0."""
        asked = filter_columns(filter)
        rows = await self._shard.ask(
            "SELECT records.document FROM records WHERE records.document IS NOT NULL AND {seen} AND "
            + passing(asked)
            + (" ORDER BY records.occurred_at DESC LIMIT :limit" if limit else ""),
            {**asked, "limit": limit},
            plan_anew=True,
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
            _HEADER + "WHERE records.document = ANY(:wanted::bigint[]) AND {seen} ORDER BY records.document",
            {"wanted": np.array(documents, dtype=np.int64)},
        )
        return headers_from(rows)

    async def beside(self, places: Sequence[tuple[str, int]]) -> Headers:
        """The indexed messages at these (session, number) places."""
        rows: Any = await self._shard.ask(
            _HEADER
            + """JOIN unnest(:sessions::text[], :numbers::bigint[]) AS wanted (session, number)
                ON records.session = wanted.session AND records.number = wanted.number
            WHERE records.document IS NOT NULL AND {seen} ORDER BY records.document""",
            {
                "sessions": [place[0] for place in places],
                "numbers": np.array([place[1] for place in places], dtype=np.int64),
            },
        )
        return headers_from(rows)

    async def records(self, documents: Sequence[int]) -> dict[int, Record]:
        """The records of these wordings, those that stand."""
        rows = await self._shard.ask(
            f"SELECT {COLUMNS}, records.document FROM records JOIN scopes ON scopes.id = records.scope"
            " WHERE records.document = ANY(:documents::bigint[]) AND {seen}",
            {"documents": np.array(documents, dtype=np.int64)},
        )
        return dict(undamaged(rows, lambda row: (row[-1], self._record(row))))
