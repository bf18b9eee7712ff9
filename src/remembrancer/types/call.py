"""What a model was asked for, and what that cost.

Costs are whole millionths of a US dollar; `None` is unknown.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


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


def believable(reported: object, *, most: int) -> Usage | None:
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
class CallUsage:
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
class Paid:
    """What an answer took: all the calls of models that were made for it, those that brought nothing among them.

    Args:
        tokens: of prompts and answers; of a call of which nobody knows, the most that it can have taken.
        cost: in millionths of a US dollar; `None` where that of some call is not known.
    """

    calls: int = 0
    tokens: int = 0
    cost: int | None = 0

    def plus(self, call: Call, settled: CallUsage) -> "Paid":
        """With one call of a model more."""
        used, cost = settled.usage, settled.cost
        return Paid(
            calls=self.calls + 1,
            tokens=self.tokens + (call.reserved_tokens if used is None else used.prompt + used.answer),
            cost=None if self.cost is None or cost is None else self.cost + cost,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What calls of models have spent in a stretch of time, with what is reserved and not yet settled.

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
