"""Reading and writing whole tables, alike in every store: each statement is one, with the dialect's own placeholder.

A page goes through the scopes of a tenant one by one, each in the order of an index that begins with the scope.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import LiteralString

from remembrancer.storage.columns import COLUMNS, Column
from remembrancer.storage.postings import document_number
from remembrancer.storage.tables import Row, Table

Ask = Callable[[LiteralString, Sequence[object]], list[Row]]

# What tells a row from the others of its scope, or of its tenant where it has none.
KEYS: Mapping[Table, tuple[LiteralString, ...]] = {
    Table.SCOPES: ("id",),
    Table.GENERATIONS: ("number",),
    Table.SESSIONS: ("id",),
    Table.CHUNKS: ("session", "first"),
    Table.LOGS: ("session",),
    Table.RECORDS: ("occurred_at", "id"),
    Table.VERSIONS: ("until", "since", "id", "version"),
    Table.EVIDENCE: ("id", "source"),
    Table.KEYS: ("key",),
    Table.WORDINGS: ("document",),
    Table.POSTINGS: ("term", "block"),
    Table.VECTORS: ("document", "generation", "sequence"),
    Table.READINGS: ("session", "source"),
    Table.TOMBSTONES: ("mark",),
    Table.CALLS: ("started_at", "id"),
    Table.BLOCKS: ("id",),
    Table.INJECTIONS: ("id", "record"),
    Table.NIGHTS: ("day",),
    Table.VERDICTS: ("record", "person"),
    Table.REJECTIONS: ("words", "record"),
    Table.WEIGHTS: ("session", "record"),
    Table.AUDIT: ("sequence",),
    Table.ACCESS_KEYS: ("id",),
    Table.POLICIES: ("id",),
}
_BY_DOCUMENT = (Table.WORDINGS, Table.VECTORS)


def name_of(table: Table) -> LiteralString:
    """What a table is called in statements."""
    return _NAMES[table]


def scopes(ask: Ask, tenant: str, *, mark: LiteralString) -> list[int]:
    """The numbers of a tenant's exact scopes, in order."""
    return [row[0] for row in ask("SELECT id FROM scopes WHERE tenant = " + mark + " ORDER BY id", (tenant,))]


def count(ask: Ask, table: Table, tenant: str, *, mark: LiteralString) -> int:
    """How many rows a tenant has in a table."""
    name: LiteralString = _NAMES[table]
    found: LiteralString = "SELECT COUNT(*) FROM " + name
    if table is Table.GENERATIONS:
        return ask(found, ())[0][0]
    if _is_scoped(table):
        return ask(found + " WHERE scope IN (SELECT id FROM scopes WHERE tenant = " + mark + ")", (tenant,))[0][0]
    return ask(found + " WHERE tenant = " + mark, (tenant,))[0][0]


def page(
    ask: Ask,
    table: Table,
    *,
    select: LiteralString,
    mark: LiteralString,
    tenant: str,
    scopes: Sequence[int],
    after: Row | None,
    limit: int,
) -> list[Row]:
    """The next rows of a tenant.

    Args:
        select: the table's columns, as expressions of the dialect.
        mark: the dialect's placeholder for a value.
        scopes: all those of the tenant, in order.
        after: the last row of the page before, its values as the dialect takes them.
    """
    key = None if after is None else [after[_place(table, name)] for name in KEYS[table]]
    if table is Table.GENERATIONS:
        return ask(_statement(table, select, "TRUE", mark, key), [*(key or ()), limit])
    if not _is_scoped(table):
        return ask(_statement(table, select, "tenant = " + mark, mark, key), [tenant, *(key or ()), limit])
    current = None if after is None else after[_place(table, "scope")]
    found: list[Row] = []
    for scope in scopes:
        if len(found) < limit and (current is None or scope >= current):
            begun = key if scope == current else None
            within, values = _within(table, scope, mark)
            found += ask(_statement(table, select, within, mark, begun), [*values, *(begun or ()), limit - len(found)])
    return found


def insertion(table: Table, values: LiteralString, *, how: LiteralString = "") -> LiteralString:
    """The statement that adds a row.

    Args:
        values: the placeholders, one a column.
        how: what the dialect says between columns and values.
    """
    names = ", ".join(column.name for column in COLUMNS[table])
    return "INSERT INTO " + _NAMES[table] + " (" + names + ") " + how + " VALUES (" + values + ")"


def converted(table: Table, row: Row, convert: Callable[[Column, object], object]) -> Row:
    """A row with each value that is one, converted."""
    return tuple(
        value if value is None else convert(column, value) for column, value in zip(COLUMNS[table], row, strict=True)
    )


def _statement(
    table: Table, select: LiteralString, within: LiteralString, mark: LiteralString, key: Sequence[object] | None
) -> LiteralString:
    names = ", ".join(KEYS[table])
    marks = ", ".join(mark for _ in KEYS[table])
    further: LiteralString = "" if key is None else " AND (" + names + ") > (" + marks + ")"
    return (
        "SELECT " + select + " FROM " + _NAMES[table] + " WHERE " + within + further
        + " ORDER BY " + names + " LIMIT " + mark
    )  # fmt: skip


def _within(table: Table, scope: int, mark: LiteralString) -> tuple[LiteralString, list[object]]:
    """The condition that a row is of a scope, and its values."""
    if table not in _BY_DOCUMENT:
        return "scope = " + mark, [scope]
    # The plus keeps the index of scopes out of it: the one of documents has the order that is asked for.
    within: LiteralString = "+scope = " + mark + " AND document >= " + mark + " AND document < " + mark
    return within, [scope, document_number(scope, 0), document_number(scope + 1, 0)]


def _is_scoped(table: Table) -> bool:
    return any(column.name == "scope" for column in COLUMNS[table])


def _place(table: Table, name: str) -> int:
    return next(place for place, column in enumerate(COLUMNS[table]) if column.name == name)


_NAMES: Mapping[Table, LiteralString] = {
    Table.SCOPES: "scopes",
    Table.GENERATIONS: "generations",
    Table.SESSIONS: "sessions",
    Table.CHUNKS: "chunks",
    Table.LOGS: "logs",
    Table.RECORDS: "records",
    Table.VERSIONS: "versions",
    Table.EVIDENCE: "evidence",
    Table.KEYS: "keys",
    Table.WORDINGS: "wordings",
    Table.POSTINGS: "postings",
    Table.VECTORS: "vectors",
    Table.READINGS: "readings",
    Table.TOMBSTONES: "tombstones",
    Table.CALLS: "calls",
    Table.BLOCKS: "blocks",
    Table.INJECTIONS: "injections",
    Table.NIGHTS: "nights",
    Table.VERDICTS: "verdicts",
    Table.REJECTIONS: "rejections",
    Table.WEIGHTS: "weights",
    Table.AUDIT: "audit",
    Table.ACCESS_KEYS: "access_keys",
    Table.POLICIES: "policies",
}
