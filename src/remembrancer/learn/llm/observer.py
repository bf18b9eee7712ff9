"""The observer by a language model: runs of messages in, checked notes out."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, tzinfo
from functools import partial
from typing import Final

from remembrancer.errors import BadModelOutput
from remembrancer.language.dates.absolute import dated
from remembrancer.language.dates.written import as_iso
from remembrancer.language.names import named
from remembrancer.language.tables import PatternTable
from remembrancer.language.terms import language
from remembrancer.learn.llm.checks import priority_meant, refuse_faulty, repeats_endlessly, type_meant
from remembrancer.learn.llm.claims import ClaimFault, Claims, of_message
from remembrancer.learn.reflect.consolidate import refuse_unkept
from remembrancer.llm.language_model import AskModel, Prompt
from remembrancer.llm.numbered_lines import Noted, message_lines, newest, noted_lines, refusal_lines, type_lines
from remembrancer.llm.prompts import Priority, Text, template_named
from remembrancer.types.notes import LOWEST_PRIORITY, ChunkNotes, Note, middle_split
from remembrancer.types.record import Message, Observation

# A shorter run may have longer notes.
SHORT: Final = 200
LONGEST_LINE: Final = 10_000
# A claim cites its message, and often includes what came just before; an earlier value may come from any message.
_BEFORE: Final = 6
_CUES: Final = PatternTable("claims")
_PREDICATE: Final = re.compile(r"[a-z]+(?:_[a-z]+){0,4}")
_MOST_RELATIONS: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedRelation:
    """A relation of two named things in an observation, as a model writes it down."""

    subject: Text = ""
    predicate: Text = ""
    object: Text = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedBlock:
    """One observation, as a model writes it down."""

    messages: tuple[int, ...]
    text: Text
    refers_to: Text = ""
    type: Text = ""
    priority: Priority = LOWEST_PRIORITY
    relations: tuple[ObservedRelation, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedAnswer:
    """All that a model writes down of a run of messages."""

    observations: tuple[ObservedBlock, ...]
    task: Text = ""
    suggestion: Text = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ObserverRequest:
    """The input of an observing model.

    Args:
        messages: the run, not empty.
        context: the earlier notes in the prompt.
        zone: of the days.
        count: the tokens of a text.
        types: the observation types of the deployment.
    """

    messages: Sequence[Message]
    context: Sequence[str]
    zone: tzinfo
    count: Callable[[str], int]
    types: Mapping[str, float]


def notes_of(answer: ObservedAnswer, wanted: ObserverRequest, *, refused: Counter[str]) -> ChunkNotes:
    """Return the notes in an answer, in the order of the messages.

    Faults of form are repaired: the spelling of a type or a date, a priority out of range, a message outside of the run
    among others, an unambiguous "tomorrow". An observation without confirmation is dropped, the others are kept.

    Args:
        refused: counts the dropped ones, by reason.

    Raises:
        BadModelOutput: it is empty, longer than the messages, a loop, or cannot be stored; or more than half of its
            observations are dropped. The message repeats no memory.
    """
    if not answer.observations:
        raise BadModelOutput("the answer has no observation")
    _refuse_misshapen(answer, wanted.messages, wanted.count)
    blocks = [_repaired(block, wanted) for block in answer.observations]
    claims = Claims([of_message(message) for message in wanted.messages], wanted.zone, known=wanted.context)
    faults = {at: fault for at, block in enumerate(blocks) if (fault := _fault(block, claims, wanted))}
    refused.update(faults.values())
    refuse_faulty(faults, "observation", of=len(blocks))
    sound = [block for at, block in enumerate(blocks) if at not in faults]
    sound.sort(key=lambda block: (block.messages[0], block.messages[-1]))
    messages_by_number = {message.number: message for message in wanted.messages}
    return ChunkNotes(
        notes=tuple(_note(block, messages_by_number) for block in sound),
        task=_confirmed(answer.task, claims, messages_by_number, refused),
        suggestion=_confirmed(answer.suggestion, claims, messages_by_number, refused),
        uncovered=tuple(sorted({number for at in faults for number in blocks[at].messages})),
    )


def _refuse_misshapen(answer: ObservedAnswer, messages: Sequence[Message], count: Callable[[str], int]) -> None:
    texts = [*(block.text for block in answer.observations), answer.task, answer.suggestion]
    refuse_unkept(texts)
    if any(len(line) > LONGEST_LINE for text in texts for line in text.splitlines()):
        raise BadModelOutput(f"the answer has a line of more than {LONGEST_LINE} characters")
    whole = "\n".join(texts)
    # Messages that repeat themselves may have such notes.
    if repeats_endlessly(whole) and not repeats_endlessly("\n".join(message.text for message in messages)):
        raise BadModelOutput("the answer repeats itself endlessly")
    before, after = sum(count(message.text) for message in messages), sum(map(count, texts))
    if before >= SHORT and after > before:
        raise BadModelOutput(f"the answer is longer than the messages: {after} tokens of {before}")


def _repaired(block: ObservedBlock, wanted: ObserverRequest) -> ObservedBlock:
    """Return a block with its faults of form repaired, where the repair is unambiguous."""
    numbers = {message.number: message for message in wanted.messages}
    messages = tuple(sorted({number for number in block.messages if number in numbers}))
    text, refers_to = block.text.strip(), as_iso(block.refers_to)
    if messages:
        # The last message may be days behind the first: then a "tomorrow" has more than one reading, and stays.
        days = {numbers[number].occurred_at.astimezone(wanted.zone).date() for number in messages}
        if len(days) == 1:
            at = numbers[messages[-1]].occurred_at
            found = dated(text, at=at, zone=wanted.zone, tongue=language(text))
            text, refers_to = found.text, refers_to or found.refers_to
    return replace(
        block,
        messages=messages,
        text=text,
        refers_to=refers_to,
        type=type_meant(block.type, wanted.types),
        priority=priority_meant(block.priority),
    )


def _fault(block: ObservedBlock, claims: Claims, wanted: ObserverRequest) -> ClaimFault | None:
    """Return why a block is dropped, or `None`."""
    first = wanted.messages[0].number
    since = first if _CUES["changed"].search(block.text) or not block.messages else block.messages[0] - _BEFORE
    return claims.fault(block.text, block.refers_to, cited=block.messages, since=since)


def _confirmed(text: str, claims: Claims, messages_by_number: Mapping[int, Message], refused: Counter[str]) -> str:
    """Return the task or the suggestion of a run; `""` if the run does not confirm it."""
    kept = text.strip()
    if kept and (fault := claims.fault(kept, cited=messages_by_number.keys())):
        refused[fault] += 1
        return ""
    return kept


def _note(block: ObservedBlock, messages_by_number: Mapping[int, Message]) -> Note:
    first, last = block.messages[0], block.messages[-1]
    return Note(
        text=block.text,
        type=block.type,
        priority=block.priority,
        observed_at=messages_by_number[last].occurred_at.astimezone(UTC),
        refers_to=block.refers_to,
        first=first,
        last=last,
        messages=block.messages,
        relations=_relations(block),
    )


def _relations(block: ObservedBlock) -> tuple[tuple[str, str, str], ...]:
    """Return the relations of a block whose names its text has, which is compared with the messages."""
    text = f" {named(block.text)} "
    found: dict[tuple[str, str, str], None] = {}
    for one in block.relations:
        predicate = "_".join(one.predicate.casefold().split())
        ends = [f" {named(end)} " for end in (one.subject, one.object)]
        if _PREDICATE.fullmatch(predicate) and all(end.strip() and end in text for end in ends):
            found[one.subject.strip(), predicate, one.object.strip()] = None
    return tuple(found)[:_MOST_RELATIONS]


TRIES: Final = 3
# The target and the limit of the notes, as shares of the run's tokens; a run of a few words may be kept whole.
AIM: Final = 0.2
MOST: Final = 0.5
LEAST_TOKENS: Final = 60
# A model that answers nothing but nonsense is not paid for once for every message.
MOST_CALLS: Final = 64
# Read when this is imported, not on an event loop.
TEMPLATE: Final = template_named("observe")


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedRun:
    """The result of a run of messages.

    Args:
        first, last: numbers of its first and its last message, both inclusive.
        notes: `None` if no answer was usable.
        reason: why; it repeats no memory.
        by_words: the notes of the deterministic observer for messages with dropped claims.
    """

    first: int
    last: int
    notes: ChunkNotes | None
    reason: str = ""
    by_words: ChunkNotes | None = None


async def observe_asking(
    messages: Sequence[Message],
    *,
    ask: AskModel,
    zone: tzinfo,
    count: Callable[[str], int],
    types: Mapping[str, float],
    log: Sequence[Observation] = (),
    refused: Counter[str] | None = None,
) -> list[ObservedRun]:
    """Return a model's notes of a run of messages of one session, in consecutive runs that together are the whole.

    A run is sent three times, each time with the fault of the last answer; then its halves are sent, down to
    indivisible ones. After `MOST_CALLS` calls the rest is left out.

    Args:
        messages: in the order of their numbers, without gaps.
        ask: calls a model.
        zone: of words like "yesterday".
        count: the tokens of a text.
        types: the observation types of the deployment.
        log: the earlier notes, in order; the prompt has the last of them.
        refused: counts the dropped parts of answers, by reason.

    Raises:
        ProviderUnavailable: no model answered; no notes are kept.
        BudgetExceeded: the budget is used up; likewise.
    """
    dropped = Counter[str]() if refused is None else refused
    asking = _Observation(ask=ask, zone=zone, count=count, types=types, refused=dropped)
    noted = [Noted(at=observation.occurred_at, text=observation.text) for observation in log]
    return await _observed(messages, asking, noted) if messages else []


def observing_prompt(
    messages: Sequence[Message],
    *,
    zone: tzinfo,
    count: Callable[[str], int],
    types: Mapping[str, float],
    context: Sequence[Noted] = (),
    refusal: str = "",
) -> Prompt:
    """Return the prompt; it depends on the run alone, not on the day.

    Args:
        count: the tokens of a text.
        context: the earlier notes.
        refusal: the fault of the last answer, or `""`.
    """
    size = sum(count(message.text) for message in messages)
    return TEMPLATE.render(
        zone=str(zone),
        types=type_lines(types),
        context=noted_lines(context, zone),
        messages=message_lines(messages, zone),
        aim=str(max(LEAST_TOKENS, round(AIM * size))),
        most=str(max(LEAST_TOKENS, round(MOST * size))),
        refusal=refusal_lines(refusal),
    )


@dataclass(slots=True, kw_only=True)
class _Observation:
    """One observation of a whole run: what every call of it shares, and how many were made."""

    ask: AskModel
    zone: tzinfo
    count: Callable[[str], int]
    types: Mapping[str, float]
    refused: Counter[str]
    calls: int = 0


async def _observed(messages: Sequence[Message], asking: _Observation, noted: Sequence[Noted]) -> list[ObservedRun]:
    notes, reason = await _tried(messages, asking, noted)
    at = middle_split(messages) if notes is None and asking.calls < MOST_CALLS else None
    if at is None:
        return [ObservedRun(first=messages[0].number, last=messages[-1].number, notes=notes, reason=reason)]
    head = await _observed(messages[:at], asking, noted)
    earlier = [Noted(at=note.observed_at, text=note.text) for run in head if run.notes for note in run.notes.notes]
    return head + await _observed(messages[at:], asking, [*noted, *earlier])


async def _tried(
    messages: Sequence[Message], asking: _Observation, noted: Sequence[Noted]
) -> tuple[ChunkNotes | None, str]:
    """Return the notes, or why there are none."""
    context, refusal = newest(noted, asking.count), ""
    wanted = ObserverRequest(
        messages=messages,
        context=[one.text for one in context],
        zone=asking.zone,
        count=asking.count,
        types=asking.types,
    )
    for _ in range(TRIES):
        if asking.calls >= MOST_CALLS:
            return None, refusal or f"no answer could be used in {MOST_CALLS} calls"
        asking.calls += 1
        prompt = observing_prompt(
            messages, zone=asking.zone, count=asking.count, types=asking.types, context=context, refusal=refusal
        )
        take = partial(notes_of, wanted=wanted, refused=asking.refused)
        try:
            return await asking.ask(prompt, ObservedAnswer, take), ""
        except BadModelOutput as error:
            refusal = str(error)
    return None, refusal
