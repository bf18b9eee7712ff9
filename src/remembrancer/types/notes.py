"""Notes on conversations: chunks of messages, their notes, and insights over notes."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from remembrancer.types.record import Message, Role
from remembrancer.types.scope import Classification

LOWEST_PRIORITY = 1
HIGHEST_PRIORITY = 5
MAX_OBSERVATION_BYTES = 32 * 1024
# The highest number of a message in a session.
MOST_MESSAGES = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A claim with the messages that support it.

    Args:
        text: whole sentences that name the speaker; dates are absolute, never "yesterday".
        type: one of the deployment's observation types.
        priority: 1 to 5; 5 must not be forgotten.
        observed_at: the time of its messages (aware, UTC).
        refers_to: the day, month or year that the claim is about, as `2026-05-03`, `2026-05` or `2026`, or `""`. It
            may be in the future.
        first, last: numbers of the first and last message in the session, inclusive.
        messages: the numbers of the supporting messages between them; empty for all.
        quoted: whether it reports the words of a third person.
        relations: what it states of named things, each as subject, predicate and object.
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
    relations: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkNotes:
    """The notes on one chunk of messages, in order of time.

    Args:
        task: the task at the end of the chunk and its progress, or `""`.
        suggestion: a hint for the next turn of the agent, or `""`.
        again: repeated claims: the position among the earlier notes, and the number of the repeating message.
        uncovered: the numbers of messages with a dropped claim, which may be lost.
    """

    notes: tuple[Note, ...]
    task: str = ""
    suggestion: str = ""
    again: tuple[tuple[int, int], ...] = ()
    uncovered: tuple[int, ...] = ()


class ChunkState(StrEnum):
    """States of a chunk.

    An `active` chunk is shown by its notes. All others are shown verbatim: `buffered` until its activation, `in-review`
    until a person approves the notes, `dead` if the model could not observe it.
    """

    BUFFERED = "buffered"
    IN_REVIEW = "in-review"
    ACTIVE = "active"
    DEAD = "dead"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """Consecutive messages of a session that an observer processed. The chunks of a session have no gaps.

    Args:
        first, last: numbers of the messages, inclusive.
        tokens: the tokens of the messages.
        noted: the tokens of the notes.
        place: the position in the order of activation in the scope, from 1; `None` while it is shown verbatim.
        classification: the highest class of the messages.
        task: the task at the end of the chunk, or `""`.
        suggestion: a hint for the next turn of the agent, or `""`.
        engine: the observer with its version.
        model: the language model, or `""`.
        failure: the error of the model, or `""`; it is kept if the rule-based observer writes the notes.
        tries: the number of attempts.
        observed_at: the time of the notes.
        activated_at: the time of activation; `None` while it is shown verbatim.
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
    """The state of the log of a session, or of a whole scope if `session` is `""`.

    Args:
        places: the last position in use; a new observation gets the next.
        tokens: the tokens of its active observations and reflections.
        fresh: the tokens added since the last reflection.
    """

    session: str
    places: int = 0
    tokens: int = 0
    fresh: int = 0


TOOL_CALLS = "tool_calls"


def can_split_between(before: Message, after: Message | None) -> bool:
    """Return True if a chunk may end with `before`: tool calls stay together with their results.

    Args:
        before: the last message of the chunk.
        after: the next message of the session, or `None`.
    """
    answers = after is not None and after.role is Role.TOOL
    return not answers and not before.metadata.get(TOOL_CALLS)


def calls_are_answered(messages: Sequence[Message]) -> bool:
    """Return True if every tool call at the end of some messages has its result; one message may have several calls."""
    for results, message in enumerate(reversed(messages)):
        if message.role is not Role.TOOL:
            calls = message.metadata.get(TOOL_CALLS)
            return results >= (len(calls) if isinstance(calls, list | tuple) else int(bool(calls)))
    return True


def middle_split(messages: Sequence[Message]) -> int | None:
    """Return the number of messages before the allowed split nearest to the middle; `None` for no allowed split."""
    cuts = (at for at in range(1, len(messages)) if can_split_between(messages[at - 1], messages[at]))
    return min(cuts, key=lambda at: (abs(2 * at - len(messages)), at), default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Insight:
    """A claim over several observations.

    Args:
        text: whole sentences with absolute dates.
        type: one of the deployment's observation types.
        priority: 1 to 5; 5 must not be forgotten.
        sources: ids of the supporting observations in the order of the log; at least one.
        replaces: the sources that are no longer valid.
        refers_to: the day, month or year that the claim is about, as an ISO string, or `""`.
    """

    text: str
    type: str
    priority: int
    sources: tuple[str, ...]
    replaces: tuple[str, ...] = ()
    refers_to: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsolidatedLog:
    """A consolidated log. Every other observation is part of an insight.

    Args:
        kept: ids of the unchanged observations, in the order of the log.
        dropped: ids of the observations removed without replacement, in the order of the log.
    """

    insights: tuple[Insight, ...]
    kept: tuple[str, ...]
    dropped: tuple[str, ...] = ()
