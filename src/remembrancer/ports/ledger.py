"""What models were asked for, and what that cost. Costs are whole millionths of a US dollar; `None` is unknown."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from remembrancer.model.savings import Savings, Served
from remembrancer.ports.language_model import CallPurpose, Usage


class CallOutcome(StrEnum):
    """What became of a call."""

    RESERVED = "reserved"
    OK = "ok"
    BAD_OUTPUT = "bad-output"
    UNAVAILABLE = "unavailable"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One attempt to ask a model; written before it is made, with the most that it can cost.

    Args:
        project, agent, session: whose call it was; the tenant is that of the scope which holds the ledger.
        model: as `provider:name`.
        outcome: `reserved` while it runs, and for good where its process died.
        reserved_tokens: the most that it can take, prompt and answer together.
        reserved_cost: the most that it can cost.
        usage: what it took; `None` where nobody knows, in which case the most counts as spent.
        cost: what it cost; where that is not known, the most counts as spent.
    """

    id: str
    project: str | None
    agent: str | None
    session: str | None
    purpose: CallPurpose
    model: str
    prompt_version: str
    started_at: datetime
    reserved_tokens: int
    reserved_cost: int | None
    outcome: CallOutcome = CallOutcome.RESERVED
    milliseconds: int | None = None
    usage: Usage | None = None
    cost: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settlement:
    """How a call ended; its fields are those of `Call`."""

    outcome: CallOutcome
    milliseconds: int
    usage: Usage | None
    cost: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What was spent in a stretch of time, with what is reserved and not yet settled.

    Args:
        unpriced: calls whose cost is not known and not among `cost`.
    """

    tokens: int
    cost: int
    unpriced: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Total:
    """Calls of one purpose, model, project and agent, added up.

    Args:
        calls: all of them, the refused apart.
        refused: those that a budget did not let through.
        failed: those that brought no answer, or none of the agreed shape.
        cost: of those whose cost is known, or at least the most that it can be.
        unpriced: calls whose cost is not known and not among `cost`.
        milliseconds: how long the models took.
    """

    purpose: CallPurpose
    model: str
    project: str | None
    agent: str | None
    calls: int
    refused: int
    failed: int
    prompt_tokens: int
    cached_tokens: int
    answer_tokens: int
    cost: int
    unpriced: int
    milliseconds: int


class Calls(Protocol):
    """The ledger of the exact scope: that of a whole tenant is kept in the one without project, agent and user."""

    async def add(self, call: Call) -> bool:
        """Write a call; `False`, and nothing is changed, where there is one of its id."""
        ...

    async def settle(self, id: str, settlement: Settlement) -> None:
        """Say how a reserved call ended; one that was settled before stays as it was."""
        ...

    async def list(self, *, limit: int) -> Sequence[Call]:
        """The latest begun first."""
        ...

    async def spent(self, *, since: datetime, project: str | None = None) -> Spent:
        """What was spent since a time, by one project where one is named."""
        ...

    async def totals(
        self, *, since: datetime, until: datetime, project: str | None = None, agent: str | None = None
    ) -> Sequence[Total]:
        """Calls from a time on and before another, by purpose, model, project and agent, in that order."""
        ...


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
