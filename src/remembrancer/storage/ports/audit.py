"""Where it is kept who did what."""

from collections.abc import Sequence
from typing import Protocol

from remembrancer.types.audit import AuditEntry, AuditFilter, AuditRow


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

    async def lost_beneath(self) -> int:
        """How many entries of the exact scope and of those under it are gone."""
        ...

    async def broken(self) -> list[int]:
        """Entries of the tenant's audit log, by number, that do not follow from the one before."""
        ...

    async def entries(self, filter: AuditFilter, *, limit: int) -> list[AuditRow]:
        """Entries of the exact scope and of those under it, the latest first."""
        ...

    async def tip(self) -> tuple[int, str, int]:
        """Number and hash of the tenant's last entry, and how many there are; 0, the first hash and 0 where none is."""
        ...

    async def up_to(self, sequence: int) -> tuple[str | None, int]:
        """The hash of the tenant's entry of a number, `None` where it is gone, and how many there are up to it."""
        ...
