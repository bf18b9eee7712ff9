"""All that a store holds, as rows that are alike in every database: for copying one store into another.

A row is a tuple of its table's columns. Times are whole microseconds since 1970, metadata is its JSON text, and a
vector its numbers in half precision as little-endian bytes.
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, LiteralString, Protocol

Row = tuple[Any, ...]


class Table(StrEnum):
    """What is copied, in an order in which no row names one that comes later."""

    SCOPES = "scopes"
    GENERATIONS = "generations"
    SESSIONS = "sessions"
    CHUNKS = "chunks"
    LOGS = "logs"
    RECORDS = "records"
    VERSIONS = "versions"
    EVIDENCE = "evidence"
    KEYS = "keys"
    WORDINGS = "wordings"
    POSTINGS = "postings"
    VECTORS = "vectors"
    CALLS = "calls"
    BLOCKS = "blocks"
    INJECTIONS = "injections"
    NIGHTS = "nights"
    VERDICTS = "verdicts"
    WEIGHTS = "weights"
    AUDIT = "audit"


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


def _columns(*told: LiteralString) -> tuple[Column, ...]:
    """Columns from their names, each with its form after a colon."""
    parts = [each.partition(":") for line in told for each in line.split()]
    return tuple(Column(name=name, form=Form(form)) for name, _, form in parts)


COLUMNS: Mapping[Table, tuple[Column, ...]] = {
    Table.SCOPES: _columns('id tenant project agent "user" last_document documents words audit_key'),
    Table.GENERATIONS: _columns("number name model_version dimension random_cosine random_spread state"),
    Table.SESSIONS: _columns(
        "scope tenant id status named:truth record:truth messages erased tokens observed observed_tokens",
        "started_at:moment last_activity_at:moment ended_at:moment",
    ),
    Table.CHUNKS: _columns(
        "scope tenant session first last state tokens noted place task suggestion engine model failure tries",
        "observed_at:moment activated_at:moment",
    ),
    Table.LOGS: _columns("scope tenant session places tokens fresh"),
    Table.RECORDS: _columns(
        '"row" scope tenant id kind session text hash author source tags:tags metadata:json',
        "occurred_at:moment recorded_at:moment updated_at:moment",
        "revision version status classification trust importance echo:truth usage_count last_accessed_at:moment",
        "document generation number role speaker tokens type title topic_key",
        "tokenizer priority refers_to first_message last_message place engine model details:json tier contact",
        "weight rating boost pinned:truth relevance standing decayed_on",
    ),
    Table.VERSIONS: _columns(
        "scope tenant id version since:moment until:moment session text hash tags:tags metadata:json",
        "revision status classification trust importance type title details:json",
    ),
    Table.EVIDENCE: _columns("scope tenant id source"),
    Table.KEYS: _columns("scope tenant key request outcome record at:moment"),
    Table.WORDINGS: _columns("document scope tenant length terms"),
    Table.POSTINGS: _columns("scope tenant term block count entries"),
    Table.VECTORS: _columns("sequence scope tenant generation document vector:vector"),
    Table.CALLS: _columns(
        "scope tenant id project agent session purpose provider model prompt_version started_at:moment milliseconds",
        "outcome reserved_tokens reserved_cost prompt_tokens cached_tokens answer_tokens cost",
    ),
    Table.BLOCKS: _columns(
        "scope tenant id session at:moment tokens prefix uncached cached",
        "whole_tokens whole_prefix whole_uncached whole_cached",
    ),
    Table.INJECTIONS: _columns("scope tenant id record rank session way state at:moment weighted unweighted"),
    Table.NIGHTS: _columns("scope tenant day step counts started_at:moment ended_at:moment"),
    Table.VERDICTS: _columns("scope tenant record person verdict at:moment"),
    Table.WEIGHTS: _columns("scope tenant session record outcome alpha before after at:moment"),
    Table.AUDIT: _columns("sequence tenant at:moment door action kind subject record count previous hash"),
}


class Snapshot(Protocol):
    """All that a store holds, as of one moment."""

    async def tenants(self) -> list[str]:
        """Whose memories the store holds."""
        ...

    async def count(self, table: Table, tenant: str) -> int:
        """How many rows a tenant has in a table."""
        ...

    async def page(self, table: Table, tenant: str, *, after: Row | None, limit: int) -> list[Row]:
        """The next rows of a tenant, in an order that is the same in every store.

        Args:
            tenant: of no account for `generations`, which are the whole store's.
            after: the last row of the page before; `None` begins.
            limit: how many rows, 1 or more; fewer mean that no more come.
        """
        ...


class Tables(Protocol):
    """A store from underneath, without the rules that its memories live by."""

    @property
    def identity(self) -> str:
        """Which database this is: the same for two addresses of one."""
        ...

    def snapshot(self) -> AbstractAsyncContextManager[Snapshot]:
        """Read everything as of one moment.

        Raises:
            StoreUnavailable: the store is busy for too long, or gone.
        """
        ...

    async def write(self, table: Table, tenant: str, rows: Sequence[Row]) -> None:
        """Add rows of one tenant as they are, ids and numbers with them, in one transaction.

        What the store numbers afterwards goes on behind them.
        """
        ...
