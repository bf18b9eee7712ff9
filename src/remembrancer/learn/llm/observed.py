"""What a model is to answer to a run of messages: mended where its form slips, held against what was said."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, tzinfo
from typing import Final

from remembrancer.errors import BadModelOutput
from remembrancer.language.moments import dated
from remembrancer.language.terms import language
from remembrancer.learn.llm.claims import Claims, Fault, of_message
from remembrancer.learn.llm.grounds import as_iso
from remembrancer.learn.llm.mending import priority_meant, refuse_faulty, type_meant
from remembrancer.learn.llm.repetition import repeats_endlessly
from remembrancer.learn.reflect.check import refuse_unkept
from remembrancer.llm.prompts import Priority, Text
from remembrancer.types.notes import LOWEST_PRIORITY, ChunkNotes, Note
from remembrancer.types.record import Message

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


def notes_of(answer: ObservedAnswer, wanted: Wanted, *, refused: Counter[str]) -> ChunkNotes:
    """The notes that an answer holds, in the order in which it was said.

    What only slips in form is mended: a type or a date that is written otherwise, a priority beyond the bounds, a
    message outside of the run among others, a "tomorrow" that has one reading. An observation that does not stand in
    its messages is dropped, the others are kept.

    Args:
        refused: counts what is dropped, by its reason.

    Raises:
        BadModelOutput: it is empty, longer than what it tells of, a loop, or nothing that a store takes; or more than
            half of its observations are dropped. The message repeats no memory.
    """
    if not answer.observations:
        raise BadModelOutput("the answer has no observation")
    _refuse_misshapen(answer, wanted.messages, wanted.count)
    mended = [_mended(block, wanted) for block in answer.observations]
    claims = Claims([of_message(message) for message in wanted.messages], wanted.zone, known=wanted.context)
    faults = {at: fault for at, block in enumerate(mended) if (fault := _fault(block, claims, wanted))}
    refused.update(faults.values())
    refuse_faulty(faults, "observation", of=len(mended))
    sound = [block for at, block in enumerate(mended) if at not in faults]
    sound.sort(key=lambda block: (block.messages[0], block.messages[-1]))
    said = {message.number: message for message in wanted.messages}
    return ChunkNotes(
        notes=tuple(_note(block, said) for block in sound),
        task=_told(answer.task, claims, said, refused),
        suggestion=_told(answer.suggestion, claims, said, refused),
        uncovered=tuple(sorted({number for at in faults for number in mended[at].messages})),
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


def _fault(block: ObservedBlock, claims: Claims, wanted: Wanted) -> Fault | None:
    """Why a block is dropped, where it cannot be mended."""
    first = wanted.messages[0].number
    since = first if _CHANGED.search(block.text) or not block.messages else block.messages[0] - _BEFORE
    return claims.fault(block.text, block.refers_to, cited=block.messages, since=since)


def _told(text: str, claims: Claims, said: Mapping[int, Message], refused: Counter[str]) -> str:
    """What is said of the whole run; `""` where that does not stand in it."""
    told = text.strip()
    if told and (fault := claims.fault(told, cited=said.keys())):
        refused[fault] += 1
        return ""
    return told


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
