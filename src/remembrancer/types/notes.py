"""Notes on conversations: chunks of messages, what was noted of them, and insights over notes."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from remembrancer.types.record import Message, Role
from remembrancer.types.scope import Classification

LOWEST_PRIORITY = 1
HIGHEST_PRIORITY = 5
MAX_OBSERVATION_BYTES = 32 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One claim, with the messages that it was drawn from.

    Args:
        text: whole sentences that name who said it; dates in it are absolute, never "yesterday".
        type: one of the deployment's observation types.
        priority: 1 to 5; 5 is what must not be forgotten.
        observed_at: when it was said (aware, UTC): within the time of its messages.
        refers_to: the day, month or year that it speaks of, as ISO text (`2026-05-03`, `2026-05`, `2026`), or `""`. It
            may lie in the future.
        first, last: numbers of the first and the last of its messages in their session, both inclusive.
        messages: the numbers of those between them that it rests on; none where it rests on all.
        quoted: whether it tells what somebody else wrote than who sent its messages.
    """

    text: str
    type: str
    priority: int
    observed_at: datetime
    refers_to: str = ""
    first: int
    last: int
    messages: tuple[int, ...] = ()
    quoted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkNotes:
    """All that was noted of one run of messages, in the order it was said.

    Args:
        task: what is being worked on at its end, and how far it is; or `""`.
        suggestion: what the agent should keep in mind next; or `""`.
        again: what was noted before and is said again, by its place among what was given as noted, and the number of
            the message that says it.
        uncovered: the numbers of messages of which a claim was dropped, so that it may be lost.
    """

    notes: tuple[Note, ...]
    task: str = ""
    suggestion: str = ""
    again: tuple[tuple[int, int], ...] = ()
    uncovered: tuple[int, ...] = ()


class ChunkState(StrEnum):
    """Whether an agent reads a run of messages raw, or what was noted of it.

    Raw: `buffered` until it is activated with others, `held` until a person has approved of it, `dead` where the model
    could not observe it. Noted: `active`.
    """

    BUFFERED = "buffered"
    HELD = "held"
    ACTIVE = "active"
    DEAD = "dead"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """Consecutive messages of one session, which an observer came by. Those of a session follow without gaps.

    Args:
        first, last: numbers of its messages, both inclusive.
        tokens: how many its messages had.
        noted: how many the observations of it have together.
        place: its place in the order of activation in its scope, from 1; `None` while it is served raw.
        classification: the highest of its messages when they were observed.
        task: what was being worked on at its end, or `""`.
        suggestion: what the agent should keep in mind, or `""`.
        engine: which observer took it, with its version.
        model: the language model that was asked, or `""`.
        failure: why a model could not observe it, or `""`; it stays when the deterministic observer takes it.
        tries: how often it was observed.
        observed_at: when its notes were written.
        activated_at: when it was activated; `None` while it is served raw.
    """

    session: str
    first: int
    last: int
    state: ChunkState
    tokens: int
    noted: int
    place: int | None = None
    classification: Classification = Classification.INTERNAL
    task: str = ""
    suggestion: str = ""
    engine: str
    model: str = ""
    failure: str = ""
    tries: int = 1
    observed_at: datetime
    activated_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """What an agent reads of its past, in one session or, under `""`, in a whole scope; in numbers.

    Args:
        places: the last place that was given away; a new observation gets the next.
        tokens: of the active observations and reflections in it.
        fresh: how many of the tokens came since it was last reflected on.
    """

    session: str
    places: int = 0
    tokens: int = 0
    fresh: int = 0


TOOL_CALLS = "tool_calls"


def can_split_between(before: Message, after: Message | None) -> bool:
    """Whether a run of messages may end with `before`.

    Args:
        before: the last message before the cut.
        after: the one that follows it in the session, or `None` where none has come yet.
    """
    answers = after is not None and after.role is Role.TOOL
    return not answers and not before.metadata.get(TOOL_CALLS)


def calls_are_answered(messages: Sequence[Message]) -> bool:
    """Whether every call of a tool at the end of some messages has its result; two may be called at once."""
    for results, message in enumerate(reversed(messages)):
        if message.role is not Role.TOOL:
            calls = message.metadata.get(TOOL_CALLS)
            return results >= (len(calls) if isinstance(calls, list | tuple) else int(bool(calls)))
    return True


def middle_split(messages: Sequence[Message]) -> int | None:
    """How many of the messages come before the cut that is nearest to their middle; `None` where none is allowed."""
    cuts = (at for at in range(1, len(messages)) if can_split_between(messages[at - 1], messages[at]))
    return min(cuts, key=lambda at: (abs(2 * at - len(messages)), at), default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Insight:
    """One claim over several observations.

    Args:
        text: whole sentences, dates absolute.
        type: one of the deployment's observation types.
        priority: 1 to 5; 5 is what must not be forgotten.
        sources: ids of the observations that it rests on, in the order of the log; one at least.
        replaces: those of its sources that no longer hold.
        refers_to: the day, month or year that it speaks of, as ISO text, or `""`.
    """

    text: str
    type: str
    priority: int
    sources: tuple[str, ...]
    replaces: tuple[str, ...] = ()
    refers_to: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsolidatedLog:
    """A log, consolidated. What is no longer in it was taken up by an insight, or dropped.

    Args:
        kept: ids of the observations that stay in the log as they stand, in its order.
        dropped: ids of those that leave it with nothing in their place, in its order.
    """

    insights: tuple[Insight, ...]
    kept: tuple[str, ...]
    dropped: tuple[str, ...] = ()
