"""What a model is to answer to a run of messages: mended where its form slips, held against what was said."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, tzinfo
from typing import Final

from remembrancer.engines.asking.grounds import Grounds, as_iso
from remembrancer.engines.asking.mending import faulty, priority_meant, type_meant
from remembrancer.engines.asking.repetition import repeats_endlessly
from remembrancer.engines.observing.moments import dated
from remembrancer.engines.observing.terms import language
from remembrancer.engines.prompting import Priority, Text
from remembrancer.engines.reflecting.check import refuse_unkept
from remembrancer.errors import BadModelOutput
from remembrancer.model.notes import LOWEST_PRIORITY, Note, Notes
from remembrancer.model.record import Message

# Fewer tokens than this may be told again at greater length.
SHORT: Final = 200
LONGEST_LINE: Final = 10_000
# A claim names the message that says it, and often speaks of what was said just before; of how something was before it
# speaks wherever that was said.
_BEFORE: Final = 6
_CHANGED: Final = re.compile(
    r"\b(?:before|instead|was|were|from|vorher|statt|bisher|war|antes|en vez|era|avant|au lieu|était|prima|invece)\b",
    re.IGNORECASE,
)
# So many of the observations must hold for the others to be left out.
_SOUND: Final = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedBlock:
    """One observation, as a model writes it down."""

    messages: tuple[int, ...]
    text: Text
    refers_to: Text = ""
    type: Text = ""
    priority: Priority = LOWEST_PRIORITY


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedAnswer:
    """All that a model writes down of a run of messages."""

    observations: tuple[ObservedBlock, ...]
    task: Text = ""
    suggestion: Text = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a model was asked to note.

    Args:
        messages: the run that it was asked about, one at least.
        context: what was noted before, as it was told.
        zone: whose days are meant.
        count: the tokens of a text.
        types: the observation types of the deployment.
    """

    messages: Sequence[Message]
    context: Sequence[str]
    zone: tzinfo
    count: Callable[[str], int]
    types: Mapping[str, float]


def notes_of(answer: ObservedAnswer, wanted: Wanted, *, lenient: bool = False) -> Notes:
    """The notes that an answer holds, in the order in which it was said.

    What only slips in form is mended: a type or a date that is written otherwise, a priority beyond the bounds, a
    message outside of the run among others, a "tomorrow" that has one reading.

    Args:
        lenient: whether observations that do not hold are left out, where half of them do; else one refuses all.

    Raises:
        BadModelOutput: it is empty, longer than what it tells of, a loop, or nothing that a store takes; or too many
            observations rest on no message, say nothing, or give a number or a date that nobody said. The message
            repeats no memory.
    """
    if not answer.observations:
        raise BadModelOutput("the answer has no observation")
    _refuse_misshapen(answer, wanted.messages, wanted.count)
    mended = [_mended(block, wanted) for block in answer.observations]
    faults = dict(_faults(mended, wanted))
    sound = [block for at, block in enumerate(mended) if at not in faults]
    if faults and not (lenient and len(sound) >= _SOUND * len(mended)):
        raise faulty(faults, "observation")
    sound.sort(key=lambda block: (block.messages[0], block.messages[-1]))
    said = {message.number: message for message in wanted.messages}
    return Notes(
        notes=tuple(_note(block, said) for block in sound),
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


def _mended(block: ObservedBlock, wanted: Wanted) -> ObservedBlock:
    """A block of which the form is as it should be, as far as there is one way to make it so."""
    numbers = {message.number: message for message in wanted.messages}
    messages = tuple(sorted({number for number in block.messages if number in numbers}))
    text, refers_to = block.text.strip(), as_iso(block.refers_to)
    if messages:
        # The last message may be days behind the first: then a "tomorrow" has more than one reading, and stays.
        days = {numbers[number].occurred_at.astimezone(wanted.zone).date() for number in messages}
        if len(days) == 1:
            said = numbers[messages[-1]].occurred_at
            found = dated(text, said=said, zone=wanted.zone, tongue=language(text))
            text, refers_to = found.text, refers_to or found.refers_to
    return replace(
        block,
        messages=messages,
        text=text,
        refers_to=refers_to,
        type=type_meant(block.type, wanted.types),
        priority=priority_meant(block.priority),
    )


def _faults(blocks: Sequence[ObservedBlock], wanted: Wanted) -> Iterator[tuple[int, str]]:
    """What is wrong with which block, where that cannot be mended."""
    first, last = wanted.messages[0].number, wanted.messages[-1].number
    known = Grounds([(wanted.messages[0].occurred_at, line) for line in wanted.context], wanted.zone)
    said = [
        (one.number, Grounds([(one.occurred_at, one.speaker), (one.occurred_at, one.text)], wanted.zone))
        for one in wanted.messages
    ]
    for at, block in enumerate(blocks):
        if not block.text:
            yield at, "says nothing"
        elif not block.messages:
            yield at, f"rests on no message of {first} to {last}"
        else:
            since = first if _CHANGED.search(block.text) else block.messages[0] - _BEFORE
            near = (held for number, held in said if since <= number <= block.messages[-1])
            if what := Grounds.joined([known, *near]).refuted(block.text, block.refers_to):
                yield at, f"gives {what} that is in none of its messages"


def _note(block: ObservedBlock, said: Mapping[int, Message]) -> Note:
    first, last = block.messages[0], block.messages[-1]
    return Note(
        text=block.text,
        type=block.type,
        priority=block.priority,
        observed_at=said[last].occurred_at.astimezone(UTC),
        refers_to=block.refers_to,
        first=first,
        last=last,
        messages=block.messages,
    )
