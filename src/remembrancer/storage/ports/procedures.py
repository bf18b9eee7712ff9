"""How to behave."""

from collections.abc import Sequence
from typing import Protocol

from remembrancer.types.lifecycle import Status
from remembrancer.types.record import Procedure


class Procedures(Protocol):
    """Procedures: read in full, never searched."""

    async def in_status(self, statuses: Sequence[Status]) -> list[Procedure]:
        """All procedures that the scope sees in these statuses, oldest first."""
        ...
