"""The ledger of model calls."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from remembrancer.types.call import Call, CallUsage, Spent, Total


class Calls(Protocol):
    """The ledger of the exact scope: that of a whole tenant is kept in the one without project, agent and user."""

    async def add(self, call: Call) -> bool:
        """Write a call; `False`, and nothing is changed, where there is one of its id."""
        ...

    async def settle(self, settlement: CallUsage) -> None:
        """Settle a reserved call of a model: how it ended; one that was settled before stays as it was."""
        ...

    async def list(self, *, limit: int) -> Sequence[Call]:
        """Calls of models, the latest begun first."""
        ...

    async def spent(self, *, since: datetime, until: datetime, project: str | None = None) -> Spent:
        """What was spent from a time on and before another, by one project where one is named."""
        ...

    async def totals(
        self, *, since: datetime, until: datetime, project: str | None = None, agent: str | None = None
    ) -> Sequence[Total]:
        """Calls from a time on and before another, by purpose, model, project and agent, in that order."""
        ...
