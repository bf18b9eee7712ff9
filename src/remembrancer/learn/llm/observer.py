"""The observer by a language model: a run of messages in, its notes out, asked again where an answer is refused."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from functools import partial
from typing import Final

from remembrancer.errors import BadModelOutput
from remembrancer.learn.llm.observed import ObservedAnswer, Wanted, notes_of
from remembrancer.llm.language_model import Prompt
from remembrancer.llm.numbered_lines import Noted, message_lines, newest, noted_lines, refusal_lines, type_lines
from remembrancer.llm.prompts import template_named
from remembrancer.llm.structured import Ask
from remembrancer.types.notes import ChunkNotes, middle_split
from remembrancer.types.record import Message, Observation

TRIES: Final = 3
# How long the notes of a run are to be, of its own tokens: about, and at most; a run of a few words may be told whole.
AIM: Final = 0.2
MOST: Final = 0.5
LEAST_TOKENS: Final = 60
# A model that answers nothing but nonsense is not paid for once for every message.
MOST_CALLS: Final = 64
# Read when this is imported, not on an event loop.
TEMPLATE: Final = template_named("observe")


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedRun:
    """What became of a run of messages.

    Args:
        first, last: numbers of its first and its last message, both inclusive.
        notes: what was noted of it; `None` where no answer could be used.
        reason: why none could; it repeats no memory.
        by_words: what the deterministic observer notes of the messages of which a claim was dropped.
    """

    first: int
    last: int
    notes: ChunkNotes | None
    reason: str = ""
    by_words: ChunkNotes | None = None


async def observe_asking(
    messages: Sequence[Message],
    *,
    ask: Ask,
    zone: tzinfo,
    count: Callable[[str], int],
    types: Mapping[str, float],
    log: Sequence[Observation] = (),
    refused: Counter[str] | None = None,
) -> list[ObservedRun]:
    """What a model notes of a run of messages of one session: runs that follow one another and together are the whole.

    A run is asked about three times, each time with what was wrong with the answer before; then its halves are asked
    about, down to what cannot be parted. After `MOST_CALLS` calls the rest is given up.

    Args:
        messages: in the order of their numbers, without gaps.
        ask: puts a prompt to a model.
        zone: whose "yesterday" is meant.
        count: the tokens of a text.
        types: the observation types of the deployment.
        log: what was noted before, in its order; its end is told to the model.
        refused: counts what is dropped of the answers, by its reason.

    Raises:
        ProviderUnavailable: no model answered; nothing is kept of what was noted.
        BudgetExceeded: nothing more may be spent; likewise.
    """
    dropped = Counter[str]() if refused is None else refused
    asking = _Asking(ask=ask, zone=zone, count=count, types=types, refused=dropped)
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
    """What a model is asked to note of a run of messages; the same run gives the same prompt on any day.

    Args:
        count: the tokens of a text.
        context: what was noted before.
        refusal: what was wrong with its last answer, or `""`.
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
class _Asking:
    """One observation of a whole run: what every call of it shares, and how many were made."""

    ask: Ask
    zone: tzinfo
    count: Callable[[str], int]
    types: Mapping[str, float]
    refused: Counter[str]
    calls: int = 0


async def _observed(messages: Sequence[Message], asking: _Asking, noted: Sequence[Noted]) -> list[ObservedRun]:
    notes, reason = await _tried(messages, asking, noted)
    at = middle_split(messages) if notes is None and asking.calls < MOST_CALLS else None
    if at is None:
        return [ObservedRun(first=messages[0].number, last=messages[-1].number, notes=notes, reason=reason)]
    head = await _observed(messages[:at], asking, noted)
    told = [Noted(at=note.observed_at, text=note.text) for run in head if run.notes for note in run.notes.notes]
    return head + await _observed(messages[at:], asking, [*noted, *told])


async def _tried(messages: Sequence[Message], asking: _Asking, noted: Sequence[Noted]) -> tuple[ChunkNotes | None, str]:
    """The notes, or why there are none."""
    context, refusal = newest(noted, asking.count), ""
    wanted = Wanted(
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
