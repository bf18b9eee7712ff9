"""Where it is kept who did what."""

from collections.abc import Sequence
from typing import Protocol

from remembrancer.model.audit import AuditEntry


class Audit(Protocol):
    """The record of who did what; append-only and chained by hash."""

    async def add(self, entries: Sequence[AuditEntry]) -> None:
        """Append entries of the audit log, in order."""
        ...

    async def count(self) -> int:
        """How many entries the exact scope has."""
        ...

    async def lost(self) -> int:
        """How many entries of the exact scope are gone: those that were counted and are not there."""
        ...

    async def broken(self) -> list[int]:
        """Entries of the tenant's audit log, by number, that do not follow from the one before."""
        ...
