"""Where it is kept what served blocks spared."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from remembrancer.types.savings import Savings, Served


class Blocks(Protocol):
    """How long the blocks were that were served in the exact scope, and what they spared; no text."""

    async def add(self, blocks: Sequence[Served]) -> None:
        """Write down blocks that were served; each once, however often it is told."""
        ...

    async def by_session(self, *, since: datetime, limit: int) -> Sequence[Savings]:
        """What was spared in sessions of the exact scope since a time, the last served first; so many sessions."""
        ...

    async def by_agent(
        self, *, since: datetime, project: str | None = None, agent: str | None = None
    ) -> Sequence[Savings]:
        """What was spared since a time in all scopes of the tenant, by project and agent, in that order."""
        ...
