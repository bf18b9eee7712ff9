"""Tables and columns of both databases, and statements that read and write a table whole.

A page goes through the scopes of a tenant one by one, each in the order of an index that begins with the scope.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, LiteralString

from remembrancer.storage.documents import document_number

Row = tuple[Any, ...]


class StoreTable(StrEnum):
    """The tables of a store that are copied, in an order in which no row names one that comes later."""

    SCOPES = "scopes"
    GENERATIONS = "generations"
    SESSIONS = "sessions"
    CHUNKS = "chunks"
    LOGS = "logs"
    RECORDS = "records"
    VERSIONS = "versions"
    EVIDENCE = "evidence"
    IDEMPOTENCY_KEYS = "idempotency_keys"
    DOCUMENT_TERMS = "document_terms"
    POSTINGS = "postings"
    VECTORS = "vectors"
    IMPORTS = "imports"
    TOMBSTONES = "tombstones"
    CALLS = "calls"
    BLOCKS = "blocks"
    INJECTIONS = "injections"
    MAINTENANCE_RUNS = "maintenance_runs"
    VERDICTS = "verdicts"
    REJECTIONS = "rejections"
    WEIGHTS = "weights"
    AUDIT = "audit"
    ACCESS_KEYS = "access_keys"
    POLICIES = "policies"


class ValueForm(StrEnum):
    """The form of a value in a row; databases differ in all of these but `PLAIN`."""

    PLAIN = ""
    TRUTH = "truth"
    MOMENT = "moment"
    TAGS = "tags"
    JSON = "json"
    VECTOR = "vector"


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column by its name, quoted where a database needs that."""

    name: LiteralString
    form: ValueForm


def columns(*lines: LiteralString) -> tuple[Column, ...]:
    """Return columns from their names, each with its form after a colon."""
    parts = [each.partition(":") for line in lines for each in line.split()]
    return tuple(Column(name=name, form=ValueForm(form)) for name, _, form in parts)


def names(of: tuple[Column, ...], *, before: LiteralString = "") -> LiteralString:
    """Return the names of columns, as a statement lists them.

    Args:
        before: a prefix of each, such as a table with its dot.
    """
    return ", ".join(before + column.name for column in of)


RECORD = columns(
    "id kind session text hash identity author source tags:tags metadata:json",
    "occurred_at:moment recorded_at:moment updated_at:moment",
    "revision status classification trust importance echo:truth usage_count last_accessed_at:moment",
    "number role speaker tokens type title topic_key",
    "tokenizer priority refers_to first_message last_message place engine model details:json tier contact",
    "valid_until:moment",
)
"""What a record says of itself."""
_KEPT: LiteralString = (
    "session text hash author source occurred_at tags metadata revision status classification trust importance"
    " type title details valid_until"
)
KEPT = tuple(column for column in RECORD if column.name in _KEPT.split())
"""What of a record a version keeps."""
SESSION = columns(
    "id status named:truth record:truth messages started_at:moment last_activity_at:moment ended_at:moment",
    "tokens observed observed_tokens",
)
COLUMNS: Mapping[StoreTable, tuple[Column, ...]] = {
    StoreTable.SCOPES: columns('id tenant project agent "user" last_document documents words audit_key'),
    StoreTable.GENERATIONS: columns("number name model_version dimension random_cosine random_spread state"),
    StoreTable.SESSIONS: columns("scope tenant erased") + SESSION,
    StoreTable.CHUNKS: columns(
        "scope tenant session first last state tokens noted place classification task suggestion engine model",
        "failure tries observed_at:moment activated_at:moment",
    ),
    StoreTable.LOGS: columns("scope tenant session places tokens fresh"),
    StoreTable.RECORDS: columns('"row" scope tenant')
    + RECORD
    + columns("version document generation weight rating boost pinned:truth relevance score decayed_on"),
    StoreTable.VERSIONS: columns("scope tenant id version since:moment until:moment") + KEPT,
    StoreTable.EVIDENCE: columns("scope tenant id source"),
    StoreTable.IDEMPOTENCY_KEYS: columns("scope tenant key request outcome record at:moment"),
    StoreTable.DOCUMENT_TERMS: columns("document scope tenant length terms"),
    StoreTable.POSTINGS: columns("scope tenant term block count entries"),
    StoreTable.VECTORS: columns("sequence scope tenant generation document vector:vector"),
    StoreTable.IMPORTS: columns(
        "scope tenant source session first_message digest messages missing from_others skipped"
    ),
    StoreTable.TOMBSTONES: columns("scope tenant mark"),
    StoreTable.CALLS: columns(
        "scope tenant id project agent session purpose provider model prompt_version started_at:moment milliseconds",
        "outcome reserved_tokens reserved_cost prompt_tokens cached_tokens answer_tokens cost request",
    ),
    StoreTable.BLOCKS: columns(
        "scope tenant id session at:moment tokens prefix uncached cached",
        "whole_tokens whole_prefix whole_uncached whole_cached",
    ),
    StoreTable.INJECTIONS: columns("scope tenant id record rank session mode state at:moment weighted unweighted"),
    StoreTable.MAINTENANCE_RUNS: columns("scope tenant day step counts started_at:moment ended_at:moment"),
    StoreTable.VERDICTS: columns("scope tenant record person verdict at:moment"),
    StoreTable.REJECTIONS: columns("scope tenant words record"),
    StoreTable.WEIGHTS: columns("scope tenant session record outcome alpha before after at:moment"),
    StoreTable.AUDIT: columns(
        "sequence tenant at:moment origin actor action kind subject record count previous hash sealed"
    ),
    StoreTable.ACCESS_KEYS: columns(
        'id tenant project agent "user" name clearance rights digest created_at:moment expires_at:moment',
        "revoked_at:moment last_seen_at:moment tenants",
    ),
    StoreTable.POLICIES: columns("scope id tenant kind details:json set_at:moment"),
}
Ask = Callable[[LiteralString, Sequence[object]], list[Row]]
# The columns that identify a row within its scope, or within its tenant if it has no scope.
KEYS: Mapping[StoreTable, tuple[LiteralString, ...]] = {
    StoreTable.SCOPES: ("id",),
    StoreTable.GENERATIONS: ("number",),
    StoreTable.SESSIONS: ("id",),
    StoreTable.CHUNKS: ("session", "first"),
    StoreTable.LOGS: ("session",),
    StoreTable.RECORDS: ("occurred_at", "id"),
    StoreTable.VERSIONS: ("until", "since", "id", "version"),
    StoreTable.EVIDENCE: ("id", "source"),
    StoreTable.IDEMPOTENCY_KEYS: ("key",),
    StoreTable.DOCUMENT_TERMS: ("document",),
    StoreTable.POSTINGS: ("term", "block"),
    StoreTable.VECTORS: ("document", "generation", "sequence"),
    StoreTable.IMPORTS: ("session", "source"),
    StoreTable.TOMBSTONES: ("mark",),
    StoreTable.CALLS: ("started_at", "id"),
    StoreTable.BLOCKS: ("id",),
    StoreTable.INJECTIONS: ("id", "record"),
    StoreTable.MAINTENANCE_RUNS: ("day",),
    StoreTable.VERDICTS: ("record", "person"),
    StoreTable.REJECTIONS: ("words", "record"),
    StoreTable.WEIGHTS: ("session", "record"),
    StoreTable.AUDIT: ("sequence",),
    StoreTable.ACCESS_KEYS: ("id",),
    StoreTable.POLICIES: ("id",),
}
_BY_DOCUMENT = (StoreTable.DOCUMENT_TERMS, StoreTable.VECTORS)


def name_of(table: StoreTable) -> LiteralString:
    """Return the name of a table in statements."""
    return _NAMES[table]


def scopes(ask: Ask, tenant: str, *, mark: LiteralString) -> list[int]:
    """Return the numbers of a tenant's exact scopes, in order."""
    return [row[0] for row in ask("SELECT id FROM scopes WHERE tenant = " + mark + " ORDER BY id", (tenant,))]


def count(ask: Ask, table: StoreTable, tenant: str, *, mark: LiteralString) -> int:
    """Return the number of rows of a tenant in a table."""
    name: LiteralString = _NAMES[table]
    found: LiteralString = "SELECT COUNT(*) FROM " + name
    if table is StoreTable.GENERATIONS:
        return ask(found, ())[0][0]
    if _is_scoped(table):
        return ask(found + " WHERE scope IN (SELECT id FROM scopes WHERE tenant = " + mark + ")", (tenant,))[0][0]
    return ask(found + " WHERE tenant = " + mark, (tenant,))[0][0]


def page(
    ask: Ask,
    table: StoreTable,
    *,
    select: LiteralString,
    mark: LiteralString,
    tenant: str,
    scopes: Sequence[int],
    after: Row | None,
    limit: int,
) -> list[Row]:
    """Return the next rows of a tenant.

    Args:
        select: the table's columns, as expressions of the dialect.
        mark: the dialect's placeholder for a value.
        scopes: all those of the tenant, in order.
        after: the last row of the previous page, its values in the form of the dialect.
    """
    key = None if after is None else [after[_place(table, name)] for name in KEYS[table]]
    if table is StoreTable.GENERATIONS:
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


def insertion(table: StoreTable, values: LiteralString, *, how: LiteralString = "") -> LiteralString:
    """Return the statement that inserts a row.

    Args:
        values: the placeholders, one a column.
        how: the dialect's text between columns and values.
    """
    names = ", ".join(column.name for column in COLUMNS[table])
    return "INSERT INTO " + _NAMES[table] + " (" + names + ") " + how + " VALUES (" + values + ")"


def converted(table: StoreTable, row: Row, convert: Callable[[Column, object], object]) -> Row:
    """Return a row with each value converted that is not `None`."""
    return tuple(
        value if value is None else convert(column, value) for column, value in zip(COLUMNS[table], row, strict=True)
    )


def _statement(
    table: StoreTable, select: LiteralString, within: LiteralString, mark: LiteralString, key: Sequence[object] | None
) -> LiteralString:
    names = ", ".join(KEYS[table])
    marks = ", ".join(mark for _ in KEYS[table])
    further: LiteralString = "" if key is None else " AND (" + names + ") > (" + marks + ")"
    return (
        "SELECT " + select + " FROM " + _NAMES[table] + " WHERE " + within + further
        + " ORDER BY " + names + " LIMIT " + mark
    )  # fmt: skip


def _within(table: StoreTable, scope: int, mark: LiteralString) -> tuple[LiteralString, list[object]]:
    """Return the condition that a row is of a scope, and its values."""
    if table not in _BY_DOCUMENT:
        return "scope = " + mark, [scope]
    # The plus keeps the index of scopes out of it: the one of documents has the order that is asked for.
    within: LiteralString = "+scope = " + mark + " AND document >= " + mark + " AND document < " + mark
    return within, [scope, document_number(scope, 0), document_number(scope + 1, 0)]


def _is_scoped(table: StoreTable) -> bool:
    return any(column.name == "scope" for column in COLUMNS[table])


def _place(table: StoreTable, name: str) -> int:
    return next(place for place, column in enumerate(COLUMNS[table]) if column.name == name)


_NAMES: Mapping[StoreTable, LiteralString] = {
    StoreTable.SCOPES: "scopes",
    StoreTable.GENERATIONS: "generations",
    StoreTable.SESSIONS: "sessions",
    StoreTable.CHUNKS: "chunks",
    StoreTable.LOGS: "logs",
    StoreTable.RECORDS: "records",
    StoreTable.VERSIONS: "versions",
    StoreTable.EVIDENCE: "evidence",
    StoreTable.IDEMPOTENCY_KEYS: "idempotency_keys",
    StoreTable.DOCUMENT_TERMS: "document_terms",
    StoreTable.POSTINGS: "postings",
    StoreTable.VECTORS: "vectors",
    StoreTable.IMPORTS: "imports",
    StoreTable.TOMBSTONES: "tombstones",
    StoreTable.CALLS: "calls",
    StoreTable.BLOCKS: "blocks",
    StoreTable.INJECTIONS: "injections",
    StoreTable.MAINTENANCE_RUNS: "maintenance_runs",
    StoreTable.VERDICTS: "verdicts",
    StoreTable.REJECTIONS: "rejections",
    StoreTable.WEIGHTS: "weights",
    StoreTable.AUDIT: "audit",
    StoreTable.ACCESS_KEYS: "access_keys",
    StoreTable.POLICIES: "policies",
}
