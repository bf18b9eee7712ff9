"""What a conversation costs with the memory that is served, against sending all of it each time."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

CostOf = Callable[[int, int], int]
"""The cost of a prompt by its tokens, and how many of them the provider had cached."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """A prompt that was sent.

    Args:
        tokens: all of it.
        prefix: those at its beginning that stood at the beginning of the one before, byte for byte.
    """

    tokens: int
    prefix: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Expense:
    """What prompts cost together, in tokens and in money.

    Args:
        uncached: at the price of a provider that keeps nothing, in millionths of a dollar.
        cached: where each prefix costs what cached tokens do.
    """

    tokens: int
    prefix: int
    uncached: int
    cached: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Saving:
    """Two ways to hold one conversation."""

    served: Expense
    whole: Expense

    @property
    def cached_ratio(self) -> float | None:
        """How many times dearer the whole history is where prefixes are cached; `None` where memory costs nothing."""
        return self.whole.cached / self.served.cached if self.served.cached else None

    @property
    def uncached_ratio(self) -> float | None:
        """How many times dearer the whole history is where nothing of a prompt is cached; `None` as before."""
        return self.whole.uncached / self.served.uncached if self.served.uncached else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A block that was served in a conversation, and the whole history in whose place it stood.

    Args:
        cost: of both at the price of the model that answers; `None` where that is not known.
    """

    id: str
    session: str
    at: datetime
    block: Sent
    whole: Sent
    cost: Saving | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Savings:
    """What blocks spared together.

    Args:
        session: `None` for all of a project's and an agent's.
        unpriced: blocks of unknown cost, which are not among the money.
    """

    project: str | None
    agent: str | None
    session: str | None
    blocks: int
    unpriced: int
    saving: Saving

    @property
    def known(self) -> bool:
        """Whether the price of the tokens of any block is known."""
        return self.unpriced < self.blocks


def expense(prompts: Iterable[Sent], cost: CostOf) -> Expense:
    """What prompts cost a model, one after the other."""
    sent = list(prompts)
    return Expense(
        tokens=sum(prompt.tokens for prompt in sent),
        prefix=sum(prompt.prefix for prompt in sent),
        uncached=sum(cost(prompt.tokens, 0) for prompt in sent),
        cached=sum(cost(prompt.tokens, prompt.prefix) for prompt in sent),
    )


def saving(served: Iterable[Sent], whole: Iterable[Sent], cost: CostOf) -> Saving:
    """What was spared by serving memory instead of the whole history."""
    return Saving(served=expense(served, cost), whole=expense(whole, cost))


def whole_history(system: int, turns: Sequence[int]) -> list[Sent]:
    """The prompts of a conversation that is sent whole each time: all that was said before stays its prefix.

    Args:
        system: tokens that stand before it all.
        turns: tokens that each prompt adds to the one before, what the model answered in between included.
    """
    sent: list[Sent] = []
    total = system
    for turn in turns:
        before = sent[-1].tokens if sent else 0
        total += turn
        sent.append(Sent(tokens=total, prefix=before))
    return sent
