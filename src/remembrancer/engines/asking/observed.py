"""What a model is to answer to a run of messages, and what of such an answer is refused."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Final

from remembrancer.engines.asking.repetition import repeats_endlessly
from remembrancer.engines.reflecting.check import refuse_unkept
from remembrancer.errors import BadModelOutput, quoted
from remembrancer.model.notes import HIGHEST_PRIORITY, LOWEST_PRIORITY, Note, Notes
from remembrancer.model.record import Message

# Fewer tokens than this may be told again at greater length.
SHORT: Final = 200
LONGEST_LINE: Final = 10_000
_MINUTE: Final = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedBlock:
    """One observation, as a model writes it down."""

    first: int
    last: int
    observed_at: str
    priority: int
    type: str
    text: str
    refers_to: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedAnswer:
    """All that a model writes down of a run of messages."""

    observations: tuple[ObservedBlock, ...]
    task: str = ""
    suggestion: str = ""


def notes_of(
    answer: ObservedAnswer,
    messages: Sequence[Message],
    *,
    zone: tzinfo,
    count: Callable[[str], int],
    types: Mapping[str, float],
) -> Notes:
    """The notes that an answer holds, in the order in which it was said.

    Args:
        messages: the run that was asked about, one at least.
        zone: whose times are meant where a time names no zone.
        count: the tokens of a text.
        types: the observation types of the deployment.

    Raises:
        BadModelOutput: it is empty, longer than what it tells of, a loop, or nothing that a store takes; or a block has
            a number, a time, a type or a priority that cannot be. The message repeats no memory.
    """
    if not answer.observations:
        raise BadModelOutput("the answer has no observation")
    _refuse_misshapen(answer, messages, count)
    blocks = sorted(answer.observations, key=lambda block: (block.first, block.last))
    return Notes(
        notes=tuple(_note(block, messages, zone, types) for block in blocks),
        task=answer.task.strip(),
        suggestion=answer.suggestion.strip(),
    )


def _refuse_misshapen(answer: ObservedAnswer, messages: Sequence[Message], count: Callable[[str], int]) -> None:
    texts = [*(block.text for block in answer.observations), answer.task, answer.suggestion]
    refuse_unkept(texts)
    if any(len(line) > LONGEST_LINE for text in texts for line in text.splitlines()):
        raise BadModelOutput(f"the answer has a line of more than {LONGEST_LINE} characters")
    told = "\n".join(texts)
    # What was itself said over and over may be told as it was.
    if repeats_endlessly(told) and not repeats_endlessly("\n".join(message.text for message in messages)):
        raise BadModelOutput("the answer says the same over and over")
    before, after = sum(count(message.text) for message in messages), sum(map(count, texts))
    if before >= SHORT and after > before:
        raise BadModelOutput(f"the answer is longer than the messages: {after} tokens of {before}")


def _note(block: ObservedBlock, messages: Sequence[Message], zone: tzinfo, types: Mapping[str, float]) -> Note:
    if not block.text.strip():
        raise BadModelOutput("an observation says nothing")
    if block.type not in types:
        raise BadModelOutput(f"no observation type {quoted(block.type)}; allowed are {', '.join(types)}")
    if not LOWEST_PRIORITY <= block.priority <= HIGHEST_PRIORITY:
        raise BadModelOutput(f"an observation has priority {block.priority}; allowed are 1 to 5")
    return Note(
        text=block.text.strip(),
        type=block.type,
        priority=block.priority,
        observed_at=_observed_at(block, messages, zone),
        refers_to=_refers_to(block.refers_to.strip()),
        first=block.first,
        last=block.last,
    )


def _observed_at(block: ObservedBlock, messages: Sequence[Message], zone: tzinfo) -> datetime:
    """When it was said: inside the times of its own messages, which the store knows better than a model."""
    first, last = messages[0].number, messages[-1].number
    if not first <= block.first <= block.last <= last:
        raise BadModelOutput(f"messages {block.first} to {block.last} are none of {first} to {last}")
    run = [message.occurred_at.astimezone(UTC) for message in messages]
    readings = _moments(block.observed_at, zone)
    near = [when for when in readings if _floor(min(run)) <= when < _floor(max(run)) + _MINUTE]
    if not near:
        raise BadModelOutput(f"{quoted(block.observed_at)} is not within the time of the messages")
    own = [when for message, when in zip(messages, run, strict=True) if block.first <= message.number <= block.last]
    return min(max(near[0], min(own)), max(own))


def _moments(text: str, zone: tzinfo) -> list[datetime]:
    """What a time may mean: two moments in the hour that a clock set back runs through twice."""
    try:
        when = datetime.fromisoformat(text.strip())
        if when.tzinfo is None:
            return [when.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1)]
        return [when.astimezone(UTC)]
    except (ValueError, OverflowError):
        raise BadModelOutput(f"{quoted(text)} is no time as the messages have") from None


def _floor(when: datetime) -> datetime:
    return when.replace(second=0, microsecond=0)


def _refers_to(text: str) -> str:
    """The day, month or year of an ISO text; of a moment its day."""
    padded = {4: f"{text}-01-01", 7: f"{text}-01"}.get(len(text), text[:10])
    try:
        read = date.fromisoformat(padded).isoformat() if text else ""
    except ValueError:
        raise BadModelOutput(f"{quoted(text)} is no day, month or year") from None
    return read[: len(text)] if len(text) in (4, 7) else read
