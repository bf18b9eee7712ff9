"""What holds, by key."""

from collections.abc import Sequence
from typing import Protocol

from remembrancer.types.lifecycle import Status
from remembrancer.types.record import Fact


class Facts(Protocol):
    """Facts: read by key and in full, never searched."""

    async def by_key(self, key: str) -> list[Fact]:
        """Every fact of the exact scope under a key that is not deleted, by when it was recorded."""
        ...

    async def in_status(self, statuses: Sequence[Status]) -> list[Fact]:
        """All facts that the scope sees in these statuses, oldest first."""
        ...
