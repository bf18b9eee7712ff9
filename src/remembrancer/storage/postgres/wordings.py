"""Statements for indexed documents in PostgreSQL."""

from collections.abc import Sequence
from typing import ClassVar, LiteralString

import numpy as np

from remembrancer.storage.dialect import Values
from remembrancer.storage.reading import COLUMNS
from remembrancer.storage.weights import WEIGHT
from remembrancer.storage.wordings import Wordings
from remembrancer.types.filter import Filter

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
_AT: LiteralString = (
    _HEADER
    + """
    JOIN unnest(:sessions::text[], :numbers::bigint[]) AS wanted (session, number)
        ON records.session = wanted.session AND records.number = wanted.number
    WHERE records.document IS NOT NULL AND {seen} ORDER BY records.document
"""
)


class PostgresWordings(Wordings):
    """Indexed documents on a server."""

    _UPDATED_LAST: ClassVar[LiteralString] = (
        _TYPES
        + "SELECT found.document FROM types CROSS JOIN unnest(:few::integer[]) AS few (revisions)"
        + _FIRST.replace("{revised}", "= few.revisions")
    )
    _OFTEN_UPDATED: ClassVar[LiteralString] = (
        _TYPES + "SELECT found.document FROM types" + _FIRST.replace("{revised}", ">= :many")
    )
    _HEADERS: ClassVar[LiteralString] = (
        _HEADER + "WHERE records.document = ANY(:wanted::bigint[]) AND {seen} ORDER BY records.document"
    )
    _RECORDS: ClassVar[LiteralString] = (
        f"SELECT {COLUMNS}, records.document FROM records JOIN scopes ON scopes.id = records.scope"
        " WHERE records.document = ANY(:documents::bigint[]) AND {seen}"
    )

    def _index_for(self, filter: Filter, limit: int, /) -> LiteralString:
        return ""

    def _at(self, places: Sequence[tuple[str, int]], /) -> tuple[LiteralString, Values]:
        numbers = np.array([number for _, number in places], dtype=np.int64)
        return _AT, {"sessions": [session for session, _ in places], "numbers": numbers}
