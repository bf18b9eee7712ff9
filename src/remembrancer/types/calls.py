"""Calls of models: their purpose, usage, price, savings and breakers."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum

from remembrancer.types.times import backoff


class CallPurpose(StrEnum):
    """What a language model is asked for.

    `answer` is its turn in a conversation, `ask` a question to memory, whose answer must cite; `embed` is what
    embedders are asked for, of which the ledger has nothing.
    """

    OBSERVE = "observe"
    REFLECT = "reflect"
    DETECT = "detect"
    SUMMARISE = "summarise"
    ANSWER = "answer"
    ASK = "ask"
    EMBED = "embed"
    RERANK = "rerank"


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens that a call took.

    Args:
        prompt: of the prompt, the cached ones included.
        cached: those of them that the provider had cached.
        answer: of the answer.
        written: those of the prompt that the provider put into its cache, where it asks more for that.
    """

    prompt: int
    cached: int
    answer: int
    written: int = 0


# A provider may count what we do not see, such as a model's thoughts; a count beyond that is none.
_MOST_TIMES = 10


def plausible_usage(reported: object, *, most: int) -> Usage | None:
    """What a provider says that a call of a model took, or `None` where it says nothing that can be.

    Args:
        reported: whatever stands where a usage should.
        most: tokens that the call was expected to take at most, prompt and answer together.
    """
    if not isinstance(reported, Usage):
        return None
    counts = (reported.prompt, reported.cached, reported.answer, reported.written)
    if any(type(count) is not int or count < 0 for count in counts) or reported.prompt == 0:
        return None
    if reported.cached + reported.written > reported.prompt:
        return None
    return reported if reported.prompt + reported.answer <= _MOST_TIMES * most else None


class CallOutcome(StrEnum):
    """What became of a call of a model."""

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
        request: the id of the request for which it was made, or `""`.
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
    request: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallResult:
    """How a call of a model ended; its fields are those of `Call`.

    Args:
        call: its id.
    """

    call: str
    outcome: CallOutcome
    milliseconds: int
    usage: Usage | None
    cost: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerCost:
    """What an answer took: all the calls of models that were made for it, those that brought nothing among them.

    Args:
        tokens: of prompts and answers; of a call of which nobody knows, the most that it can have taken.
        cost: in millionths of a US dollar; `None` where that of some call is not known.
    """

    calls: int = 0
    tokens: int = 0
    cost: int | None = 0

    def plus(self, call: Call, settled: CallResult) -> "AnswerCost":
        """With one call of a model more."""
        used, cost = settled.usage, settled.cost
        return AnswerCost(
            calls=self.calls + 1,
            tokens=self.tokens + (call.reserved_tokens if used is None else used.prompt + used.answer),
            cost=None if self.cost is None or cost is None else self.cost + cost,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """What calls of models have spent in a stretch of time, with what is reserved and not yet settled.

    Args:
        unpriced: calls whose cost is not known and not among `cost`.
    """

    tokens: int
    cost: int
    unpriced: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CallTotal:
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


MICROS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """US dollars for a million tokens.

    Args:
        prompt: what the provider had not cached.
        cached: what it had.
        answer: what the model wrote, its thoughts among it.
    """

    prompt: Decimal
    cached: Decimal
    answer: Decimal

    def cost(self, *, prompt: int, cached: int, answer: int) -> int:
        """What a call of a model costs in millionths of a dollar, rounded up.

        Args:
            prompt: tokens of the prompt, the cached ones included.
        """
        return math.ceil((prompt - cached) * self.prompt + cached * self.cached + answer * self.answer)


FREE = Price(prompt=Decimal(0), cached=Decimal(0), answer=Decimal(0))


def micros(dollars: Decimal) -> int:
    """The price of a call of a model in millionths of a dollar, rounded up."""
    return math.ceil(dollars * MICROS)


def dollars(micros: int) -> Decimal:
    """The price of a call of a model as people read it."""
    return Decimal(micros) / MICROS


CostOf = Callable[[int, int], int]
"""The cost of a prompt by its tokens, and how many of them the provider had cached."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SentPrompt:
    """A prompt that was sent.

    Args:
        tokens: all of it.
        prefix: those at its beginning that stood at the beginning of the one before, byte for byte.
    """

    tokens: int
    prefix: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptCost:
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
class CostComparison:
    """Two ways to hold one conversation."""

    served: PromptCost
    whole: PromptCost

    @property
    def cached_ratio(self) -> float | None:
        """How many times dearer the whole history is where prefixes are cached; `None` where memory costs nothing."""
        return self.whole.cached / self.served.cached if self.served.cached else None

    @property
    def uncached_ratio(self) -> float | None:
        """How many times dearer the whole history is where nothing of a prompt is cached; `None` as before."""
        return self.whole.uncached / self.served.uncached if self.served.uncached else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedBlock:
    """A block that was served in a conversation, and the whole history in whose place it stood.

    Args:
        cost: of both at the price of the model that answers; `None` where that is not known.
    """

    id: str
    session: str
    at: datetime
    block: SentPrompt
    whole: SentPrompt
    cost: CostComparison | None = None


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
    saving: CostComparison

    @property
    def known(self) -> bool:
        """Whether the price of the tokens of any block is known."""
        return self.unpriced < self.blocks


def expense(prompts: Iterable[SentPrompt], cost: CostOf) -> PromptCost:
    """What prompts cost a model, one after the other."""
    sent = list(prompts)
    return PromptCost(
        tokens=sum(prompt.tokens for prompt in sent),
        prefix=sum(prompt.prefix for prompt in sent),
        uncached=sum(cost(prompt.tokens, 0) for prompt in sent),
        cached=sum(cost(prompt.tokens, prompt.prefix) for prompt in sent),
    )


def saving(served: Iterable[SentPrompt], whole: Iterable[SentPrompt], cost: CostOf) -> CostComparison:
    """What was spared by serving memory instead of the whole history."""
    return CostComparison(served=expense(served, cost), whole=expense(whole, cost))


def whole_history(system: int, turns: Sequence[int]) -> list[SentPrompt]:
    """The prompts of a conversation that is sent whole each time: all that was said before stays its prefix.

    Args:
        system: tokens that stand before it all.
        turns: tokens that each prompt adds to the one before, what the model answered in between included.
    """
    sent: list[SentPrompt] = []
    total = system
    for turn in turns:
        before = sent[-1].tokens if sent else 0
        total += turn
        sent.append(SentPrompt(tokens=total, prefix=before))
    return sent


FIRST_SECONDS = 60.0
LONGEST_SECONDS = 3_600.0


class FailureKind(StrEnum):
    """In which way a model fails, in words that a person reads."""

    REFUSED = "refused the request or the key"
    AWAY = "did not answer"
    UNUSABLE = "gave answers that cannot be used"


# So many questions in a row that came to nothing open a breaker. What cannot be used may be the fault of what was
# asked: a run of messages is asked about three times, and then its halves are.
OPENS = {FailureKind.REFUSED: 2, FailureKind.AWAY: 3, FailureKind.UNUSABLE: 8}


@dataclass(frozen=True, slots=True, kw_only=True)
class Breaker:
    """What is known of a model that has failed since it last answered well, for one purpose.

    Args:
        model: as `provider:name`.
        failures: questions in a row that came to nothing.
        opened: how often the breaker opened since the model last answered well.
        failing: how the model failed the last time.
        since: when it first failed.
        until: the model is left alone until then; `None` while the breaker has not opened.
        change: how often the breaker was written.
    """

    model: str
    purpose: CallPurpose
    failures: int
    opened: int
    failing: FailureKind
    since: datetime
    until: datetime | None
    change: int = 1

    def is_open(self, now: datetime) -> bool:
        """Whether the model is left alone. A time further away than any wait was written by a clock that ran ahead."""
        if self.until is None:
            return False
        return now < self.until <= now + timedelta(seconds=LONGEST_SECONDS)

    def __str__(self) -> str:
        """What a person is told of it."""
        times = "once" if self.failures == 1 else f"{self.failures} times in a row"
        waits = f", and is left alone until {self.until:%Y-%m-%d %H:%M:%S} UTC" if self.until else ""
        return f"{self.model} {self.failing} when asked to {self.purpose}, {times}{waits}"


def record_failure(
    known: Breaker | None,
    *,
    model: str,
    purpose: CallPurpose,
    failing: FailureKind,
    trial: bool,
    now: datetime,
    wait: float,
    chance: float,
) -> Breaker:
    """The breaker of a model after a question that came to nothing.

    Args:
        trial: whether it was the one question that tried the model again.
        wait: seconds that the provider asked to be left alone for.
        chance: in [0, 1), which keeps those who failed together from coming back together.
    """
    before = known or Breaker(
        model=model, purpose=purpose, failures=0, opened=0, failing=failing, since=now, until=None, change=0
    )
    after = replace(before, failures=before.failures + 1, failing=failing, change=before.change + 1)
    never = before.until is None and after.failures < OPENS[failing]
    # Who asked before it opened, and failed after that, has learnt nothing new.
    if never or (before.is_open(now) and not trial):
        return after
    seconds = backoff(after.opened + 1, wait=wait, chance=chance, first=FIRST_SECONDS, longest=LONGEST_SECONDS)
    return replace(after, opened=after.opened + 1, until=now + timedelta(seconds=seconds))


def start_trial(known: Breaker, *, now: datetime, seconds: float) -> Breaker:
    """A breaker whose time is over, while one question tries the model: the others go on leaving it alone.

    Args:
        seconds: how long that may take; whoever dies meanwhile holds nobody up for longer.
    """
    until = now + timedelta(seconds=min(seconds, LONGEST_SECONDS))
    return replace(known, until=until, change=known.change + 1)
