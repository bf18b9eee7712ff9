"""Calls of models: purpose, usage, price, savings and circuit breakers."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum

from remembrancer.types.times import backoff


class CallPurpose(StrEnum):
    """Purposes of model calls.

    `answer`: a turn of a conversation. `ask`: a question to memory, whose answer has citations. `embed`: a call of an
    embedder, which is not in the ledger.
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
    """The tokens of a call.

    Args:
        prompt: tokens of the prompt, including cached ones.
        cached: prompt tokens read from the provider's cache.
        answer: tokens of the answer.
        written: prompt tokens written to the provider's cache, if it charges more for them.
    """

    prompt: int
    cached: int
    answer: int
    written: int = 0


# A provider may count hidden tokens, such as reasoning; more than this multiple is not plausible.
_MOST_TIMES = 10


def plausible_usage(reported: object, *, most: int) -> Usage | None:
    """Return the usage that a provider reported, or `None` if it is not plausible.

    Args:
        reported: the value in the place of a usage.
        most: the expected maximum of tokens, prompt and answer together.
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
    """Outcomes of a model call."""

    RESERVED = "reserved"
    OK = "ok"
    BAD_OUTPUT = "bad-output"
    UNAVAILABLE = "unavailable"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A model call in the ledger, written before the call with its maximum cost.

    Args:
        project, agent, session: the caller; the tenant is that of the ledger's scope.
        model: as `provider:name`.
        outcome: `reserved` while it runs, and permanently if its process ended.
        reserved_tokens: the maximum of tokens, prompt and answer together.
        reserved_cost: the maximum cost in millionths of a US dollar, or `None` if the price is unknown.
        usage: the tokens used; `None` if unknown, and the maximum counts as spent.
        cost: the cost in millionths of a US dollar; if unknown, the maximum counts as spent.
        request: the id of the request, or `""`.
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
    """The result of a model call; the fields are those of `Call`.

    Args:
        call: the id of the call.
    """

    call: str
    outcome: CallOutcome
    milliseconds: int
    usage: Usage | None
    cost: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerCost:
    """The cost of an answer over all its model calls, failed ones included.

    Args:
        tokens: tokens of prompts and answers; the maximum for calls with unknown usage.
        cost: in millionths of a US dollar; `None` if that of a call is unknown.
    """

    calls: int = 0
    tokens: int = 0
    cost: int | None = 0

    def plus(self, call: Call, result: CallResult) -> "AnswerCost":
        """Return the cost with one more model call."""
        used, cost = result.usage, result.cost
        return AnswerCost(
            calls=self.calls + 1,
            tokens=self.tokens + (call.reserved_tokens if used is None else used.prompt + used.answer),
            cost=None if self.cost is None or cost is None else self.cost + cost,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """The spending on model calls in a period, with reserved amounts of running calls.

    Args:
        unpriced: the number of calls with unknown cost, which is not in `cost`.
    """

    tokens: int
    cost: int
    unpriced: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CallTotal:
    """The sums of the calls of one purpose, model, project and agent.

    Args:
        calls: the number of calls without refused ones.
        refused: the number of calls that a budget refused.
        failed: the number of calls without a valid answer.
        cost: the cost, or the maximum cost where only that is known.
        unpriced: the number of calls with unknown cost, which is not in `cost`.
        milliseconds: the total duration.
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
    """Prices in US dollars for a million tokens.

    Args:
        prompt: prompt tokens that were not cached.
        cached: cached prompt tokens.
        answer: tokens of the answer, with reasoning.
    """

    prompt: Decimal
    cached: Decimal
    answer: Decimal

    def cost(self, *, prompt: int, cached: int, answer: int) -> int:
        """Return the cost of a call in millionths of a dollar, rounded up.

        Args:
            prompt: tokens of the prompt, including cached ones.
        """
        return math.ceil((prompt - cached) * self.prompt + cached * self.cached + answer * self.answer)


FREE = Price(prompt=Decimal(0), cached=Decimal(0), answer=Decimal(0))


def micros(dollars: Decimal) -> int:
    """Return an amount in millionths of a dollar, rounded up."""
    return math.ceil(dollars * MICROS)


def dollars(micros: int) -> Decimal:
    """Return an amount in dollars."""
    return Decimal(micros) / MICROS


CostOf = Callable[[int, int], int]
"""The cost of a prompt for its number of tokens and its number of cached tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SentPrompt:
    """A sent prompt.

    Args:
        tokens: its tokens.
        prefix: the tokens of its longest common prefix with the prompt before.
    """

    tokens: int
    prefix: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptCost:
    """The cost of several prompts.

    Args:
        tokens: the sum of their tokens.
        prefix: the sum of their common prefixes.
        uncached: the cost without a prompt cache, in millionths of a dollar.
        cached: the cost with cached prefixes, in millionths of a dollar.
    """

    tokens: int
    prefix: int
    uncached: int
    cached: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CostComparison:
    """The cost of a conversation with memory and with its whole history.

    Args:
        served: the prompts with memory.
        whole: the prompts with the whole history.
    """

    served: PromptCost
    whole: PromptCost

    @property
    def cached_ratio(self) -> float | None:
        """The cost of the whole history relative to memory, with cached prefixes; `None` if memory costs nothing."""
        return self.whole.cached / self.served.cached if self.served.cached else None

    @property
    def uncached_ratio(self) -> float | None:
        """The cost of the whole history relative to memory, without a cache; `None` if memory costs nothing."""
        return self.whole.uncached / self.served.uncached if self.served.uncached else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedBlock:
    """A context of a conversation, and the whole history that it replaced.

    Args:
        block: the tokens of the context.
        whole: the tokens of the whole history.
        cost: the cost of both for the answering model; `None` if its price is unknown.
    """

    id: str
    session: str
    at: datetime
    block: SentPrompt
    whole: SentPrompt
    cost: CostComparison | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Savings:
    """The savings of contexts compared with whole histories.

    Args:
        session: `None` for all sessions of the project and agent.
        blocks: the number of contexts.
        unpriced: the number of contexts with unknown cost, which is not in `saving`.
    """

    project: str | None
    agent: str | None
    session: str | None
    blocks: int
    unpriced: int
    saving: CostComparison

    @property
    def known(self) -> bool:
        """True if the price of at least one context is known."""
        return self.unpriced < self.blocks


def expense(prompts: Iterable[SentPrompt], cost: CostOf) -> PromptCost:
    """Return the cost of consecutive prompts."""
    sent = list(prompts)
    return PromptCost(
        tokens=sum(prompt.tokens for prompt in sent),
        prefix=sum(prompt.prefix for prompt in sent),
        uncached=sum(cost(prompt.tokens, 0) for prompt in sent),
        cached=sum(cost(prompt.tokens, prompt.prefix) for prompt in sent),
    )


def saving(served: Iterable[SentPrompt], whole: Iterable[SentPrompt], cost: CostOf) -> CostComparison:
    """Return the cost with memory and with the whole history."""
    return CostComparison(served=expense(served, cost), whole=expense(whole, cost))


def whole_history(system: int, turns: Sequence[int]) -> list[SentPrompt]:
    """Return the prompts of a conversation whose whole history is sent in each turn.

    Args:
        system: tokens of the system prompt.
        turns: tokens that each prompt adds to the one before, with the answer in between.
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
    """Kinds of failures of a model, in words for people."""

    REFUSED = "refused the request or the key"
    AWAY = "did not answer"
    UNUSABLE = "gave answers that cannot be used"


# Failures in a row that open the breaker. An unusable answer may be the fault of the prompt: a chunk of messages is
# tried three times, and then its halves.
OPENS = {FailureKind.REFUSED: 2, FailureKind.AWAY: 3, FailureKind.UNUSABLE: 8}


@dataclass(frozen=True, slots=True, kw_only=True)
class Breaker:
    """The circuit breaker of a model for one purpose; it exists from the first failure to the next success.

    Args:
        model: as `provider:name`.
        failures: the number of failures in a row.
        opened: the number of times it opened in a row.
        failing: the kind of the last failure.
        since: the time of the first failure.
        until: no calls are made until then; `None` if it has not opened.
        change: the number of writes of the breaker.
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
        """Return True if no calls are made. A time beyond the longest wait is from a wrong clock, and is ignored."""
        if self.until is None:
            return False
        return now < self.until <= now + timedelta(seconds=LONGEST_SECONDS)

    def __str__(self) -> str:
        """Return the state of the breaker in words."""
        times = "once" if self.failures == 1 else f"{self.failures} times in a row"
        waits = f", and is not called until {self.until:%Y-%m-%d %H:%M:%S} UTC" if self.until else ""
        return f"{self.model} {self.failing} when asked to {self.purpose}, {times}{waits}"


def record_failure(
    current: Breaker | None,
    *,
    model: str,
    purpose: CallPurpose,
    failing: FailureKind,
    trial: bool,
    now: datetime,
    wait: float,
    chance: float,
) -> Breaker:
    """Return the breaker of a model after a failure.

    Args:
        trial: whether the call was the trial of an open breaker.
        wait: seconds that the provider asked to wait.
        chance: a random number in [0, 1), which spreads the trials of several processes.
    """
    before = current or Breaker(
        model=model, purpose=purpose, failures=0, opened=0, failing=failing, since=now, until=None, change=0
    )
    after = replace(before, failures=before.failures + 1, failing=failing, change=before.change + 1)
    stays_closed = before.until is None and after.failures < OPENS[failing]
    # A call that started before the breaker opened adds no information.
    if stays_closed or (before.is_open(now) and not trial):
        return after
    seconds = backoff(after.opened + 1, wait=wait, chance=chance, first=FIRST_SECONDS, longest=LONGEST_SECONDS)
    return replace(after, opened=after.opened + 1, until=now + timedelta(seconds=seconds))


def start_trial(current: Breaker, *, now: datetime, seconds: float) -> Breaker:
    """Return an expired breaker that stays open for other callers during one trial call.

    Args:
        seconds: the maximum duration of the trial; afterwards another caller may try.
    """
    until = now + timedelta(seconds=min(seconds, LONGEST_SECONDS))
    return replace(current, until=until, change=current.change + 1)
