"""Where it is kept which conversations were imported."""

from collections.abc import Sequence
from typing import Protocol

from remembrancer.types.reading import Reading, Tombstone


class Readings(Protocol):
    """Conversations that were imported into the exact scope, and what of them was erased."""

    async def find(
        self,
        *,
        sources: Sequence[str] = (),
        digests: Sequence[str] = (),
        openings: Sequence[str] = (),
        sessions: Sequence[str] = (),
    ) -> list[Reading]:
        """Every reading that has one of these sources, digests, openings or sessions, by session and source."""
        ...

    async def put(self, reading: Reading) -> None:
        """Store a reading, new or over the old one; to the others of its session, what it adds came from elsewhere."""
        ...

    async def buried(self, marks: Sequence[str]) -> set[str]:
        """Those of these marks that stand for an erased message."""
        ...

    async def bury(self, tombstone: Tombstone) -> None:
        """Store that a message was erased."""
        ...
