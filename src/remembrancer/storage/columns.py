"""The columns of every table, each with how its values stand in a row: the one list that all statements are made of."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import LiteralString

from remembrancer.storage.tables import Table


class Form(StrEnum):
    """How a value stands in a row; databases differ in all of these but `PLAIN`."""

    PLAIN = ""
    TRUTH = "truth"
    MOMENT = "moment"
    TAGS = "tags"
    JSON = "json"
    VECTOR = "vector"


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column by its name, quoted where a database asks for that."""

    name: LiteralString
    form: Form


def columns(*told: LiteralString) -> tuple[Column, ...]:
    """Columns from their names, each with its form after a colon."""
    parts = [each.partition(":") for line in told for each in line.split()]
    return tuple(Column(name=name, form=Form(form)) for name, _, form in parts)


def names(of: tuple[Column, ...], *, before: LiteralString = "") -> LiteralString:
    """The names of columns, as a statement lists them.

    Args:
        before: what stands before each, such as a table with its dot.
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

COLUMNS: Mapping[Table, tuple[Column, ...]] = {
    Table.SCOPES: columns('id tenant project agent "user" last_document documents words audit_key'),
    Table.GENERATIONS: columns("number name model_version dimension random_cosine random_spread state"),
    Table.SESSIONS: columns("scope tenant erased") + SESSION,
    Table.CHUNKS: columns(
        "scope tenant session first last state tokens noted place classification task suggestion engine model",
        "failure tries observed_at:moment activated_at:moment",
    ),
    Table.LOGS: columns("scope tenant session places tokens fresh"),
    Table.RECORDS: columns('"row" scope tenant')
    + RECORD
    + columns("version document generation weight rating boost pinned:truth relevance standing decayed_on"),
    Table.VERSIONS: columns("scope tenant id version since:moment until:moment") + KEPT,
    Table.EVIDENCE: columns("scope tenant id source"),
    Table.KEYS: columns("scope tenant key request outcome record at:moment"),
    Table.WORDINGS: columns("document scope tenant length terms"),
    Table.POSTINGS: columns("scope tenant term block count entries"),
    Table.VECTORS: columns("sequence scope tenant generation document vector:vector"),
    Table.READINGS: columns("scope tenant source session opening digest messages lacking elsewhere left_out"),
    Table.TOMBSTONES: columns("scope tenant mark"),
    Table.CALLS: columns(
        "scope tenant id project agent session purpose provider model prompt_version started_at:moment milliseconds",
        "outcome reserved_tokens reserved_cost prompt_tokens cached_tokens answer_tokens cost request",
    ),
    Table.BLOCKS: columns(
        "scope tenant id session at:moment tokens prefix uncached cached",
        "whole_tokens whole_prefix whole_uncached whole_cached",
    ),
    Table.INJECTIONS: columns("scope tenant id record rank session way state at:moment weighted unweighted"),
    Table.NIGHTS: columns("scope tenant day step counts started_at:moment ended_at:moment"),
    Table.VERDICTS: columns("scope tenant record person verdict at:moment"),
    Table.REJECTIONS: columns("scope tenant words record"),
    Table.WEIGHTS: columns("scope tenant session record outcome alpha before after at:moment"),
    Table.AUDIT: columns("sequence tenant at:moment door actor action kind subject record count previous hash sealed"),
    Table.ACCESS_KEYS: columns(
        'id tenant project agent "user" name clearance rights digest made_at:moment expires_at:moment',
        "revoked_at:moment last_seen_at:moment tenants",
    ),
    Table.POLICIES: columns("scope id tenant kind details:json set_at:moment"),
}
