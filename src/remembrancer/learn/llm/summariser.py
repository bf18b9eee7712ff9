"""The summariser by a language model: a session's messages and saves in, a few sentences out."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo
from functools import partial
from typing import Final

from remembrancer.errors import BadModelOutput
from remembrancer.language.sentences import sentences
from remembrancer.learn.llm.checks import repeats_endlessly
from remembrancer.learn.llm.claims import Claims, of_message
from remembrancer.learn.reflect.consolidate import refuse_unkept
from remembrancer.llm.language_model import AskModel, Prompt
from remembrancer.llm.numbered_lines import line, message_lines
from remembrancer.llm.prompts import Text, template_named
from remembrancer.types.record import Message, Observation

# Read when this is imported, not on an event loop.
TEMPLATE: Final = template_named("summarise")
LONGEST: Final = 1_500
"""Characters of a summary."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SummarisedAnswer:
    """A model's summary of a session; `messages` are numbers of the prompt's lines."""

    text: Text = ""
    messages: tuple[int, ...] = ()


async def summarise_asking(
    messages: Sequence[Message],
    saved: Sequence[Observation],
    *,
    ask: AskModel,
    zone: tzinfo,
    refused: Counter[str] | None = None,
) -> tuple[str, tuple[str, ...]]:
    """Return the summary of a session and the ids of its messages; `""` for no summary.

    Args:
        messages: of people and assistants, in the order of their numbers.
        saved: further records, latest first.
        ask: calls a model; its exceptions are raised.
        zone: of the days.
        refused: counts the dropped sentences, by reason.

    Raises:
        BadModelOutput: it is too long, a loop, or none of its sentences is confirmed. The message repeats no memory.
    """
    dropped = Counter[str]() if refused is None else refused
    take = partial(_summary_of, messages=messages, saved=saved, zone=zone, refused=dropped)
    return await ask(summarising_prompt(messages, saved, zone=zone), SummarisedAnswer, take)


def summarising_prompt(messages: Sequence[Message], saved: Sequence[Observation], *, zone: tzinfo) -> Prompt:
    """Return the prompt; it depends on the session alone, not on the day."""
    return TEMPLATE.render(
        zone=str(zone),
        messages=message_lines(messages, zone),
        saved="\n".join(line(text=one.text) for one in reversed(saved)),
    )


def _summary_of(
    answer: SummarisedAnswer,
    *,
    messages: Sequence[Message],
    saved: Sequence[Observation],
    zone: tzinfo,
    refused: Counter[str],
) -> tuple[str, tuple[str, ...]]:
    text = answer.text.strip()
    refuse_unkept([text])
    if len(text) > LONGEST or repeats_endlessly(text):
        raise BadModelOutput(f"the summary has {len(text)} characters, or repeats itself endlessly")
    claims = Claims([of_message(one) for one in messages], zone, known=[one.text for one in saved])
    found = list(sentences(text))
    faults = [claims.fault(sentence, cited=[one.number for one in messages]) for sentence in found]
    refused.update(filter(None, faults))
    sound = [sentence for sentence, fault in zip(found, faults, strict=True) if fault is None]
    if found and not sound:
        raise BadModelOutput(f"the summary {faults[0]}")
    ids = {message.number: message.id for message in messages}
    named = tuple(dict.fromkeys(ids[number] for number in answer.messages if number in ids))
    # One that names none rests on all.
    return " ".join(sound), named or tuple(ids.values())
