"""Statements for indexed documents in SQLite: they name the indexes that its planner would not choose."""

from collections.abc import Sequence
from typing import ClassVar, LiteralString

from remembrancer.storage.dialect import Values
from remembrancer.storage.reading import COLUMNS
from remembrancer.storage.weights import WEIGHT
from remembrancer.storage.wordings import Wordings
from remembrancer.types.filter import Filter

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
_AT: LiteralString = (
    _HEADER
    + """
    CROSS JOIN json_each(wanted.value) AS numbers
    CROSS JOIN json_each(:visible) AS seen
    CROSS JOIN records INDEXED BY records_by_number
        ON records.scope = seen.value AND records.session = wanted.key AND records.number = numbers.value
    WHERE records.document IS NOT NULL{cleared}
"""
)


class SQLiteWordings(Wordings):
    """Indexed documents in a file."""

    _UPDATED_LAST: ClassVar[LiteralString] = (
        _TYPES
        + "SELECT found.value FROM types CROSS JOIN json_each(:few) AS few"
        + _FIRST.replace("{revised}", "= few.value")
    )
    _OFTEN_UPDATED: ClassVar[LiteralString] = (
        _TYPES + "SELECT found.value FROM types" + _FIRST.replace("{revised}", ">= :many")
    )
    _HEADERS: ClassVar[LiteralString] = _HEADER + "CROSS JOIN records ON records.document = wanted.value WHERE {seen}"
    _RECORDS: ClassVar[LiteralString] = (
        f"SELECT {COLUMNS}, records.document FROM json_each(:documents) AS wanted"
        " CROSS JOIN records ON records.document = wanted.value JOIN scopes ON scopes.id = records.scope"
        " WHERE {seen}"
    )

    def _index_for(self, filter: Filter, limit: int, /) -> LiteralString:
        is_by_time = filter.since or filter.until or limit
        return " INDEXED BY records_by_time" if is_by_time else " INDEXED BY records_by_kind"

    def _at(self, places: Sequence[tuple[str, int]], /) -> tuple[LiteralString, Values]:
        wanted: dict[str, list[int]] = {}
        for session, number in places:
            wanted.setdefault(session, []).append(number)
        return _AT, {"wanted": wanted}
