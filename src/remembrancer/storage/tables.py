"""All that a store holds, as rows that are alike in every database: for copying one store into another.

A row is a tuple of its table's columns. Times are whole microseconds since 1970, metadata is its JSON text, and a
vector its numbers in half precision as little-endian bytes.
"""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from enum import StrEnum
from typing import Any, Protocol

Row = tuple[Any, ...]


class Table(StrEnum):
    """The tables of a store that are copied, in an order in which no row names one that comes later."""

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
    READINGS = "readings"
    TOMBSTONES = "tombstones"
    CALLS = "calls"
    BLOCKS = "blocks"
    INJECTIONS = "injections"
    NIGHTS = "nights"
    VERDICTS = "verdicts"
    REJECTIONS = "rejections"
    WEIGHTS = "weights"
    AUDIT = "audit"
    ACCESS_KEYS = "access_keys"
    POLICIES = "policies"


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
        """Read every table of the store as of one moment.

        Raises:
            StoreUnavailable: the store is busy for too long, or gone.
        """
        ...

    async def write(self, table: Table, tenant: str, rows: Sequence[Row]) -> None:
        """Add rows of one tenant as they are, ids and numbers with them, in one transaction.

        What the store numbers afterwards goes on behind them.
        """
        ...
