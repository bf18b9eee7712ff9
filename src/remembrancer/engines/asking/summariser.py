"""What a session came to, by a language model: its messages and what was saved beside them in, a few sentences out."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo
from functools import partial
from typing import Final

from remembrancer.engines.asking.ask import Ask
from remembrancer.engines.asking.grounds import Grounds
from remembrancer.engines.asking.lines import line, message_lines
from remembrancer.engines.asking.repetition import repeats_endlessly
from remembrancer.engines.prompting import Text, template_named
from remembrancer.engines.reflecting.check import refuse_unkept
from remembrancer.errors import BadModelOutput
from remembrancer.model.record import Message, Observation
from remembrancer.ports.language_model import Prompt

# Read when this is imported, not on an event loop.
TEMPLATE: Final = template_named("summarise")
LONGEST: Final = 1_500
"""Characters of a summary."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SummarisedAnswer:
    """What a model says that a session came to; its messages are numbers of the prompt's lines."""

    text: Text = ""
    messages: tuple[int, ...] = ()


async def summarise_asking(
    messages: Sequence[Message], saved: Sequence[Observation], *, ask: Ask, zone: tzinfo
) -> tuple[str, tuple[str, ...]]:
    """What a session came to, and the ids of the messages that this rests on; `""` where it came to nothing.

    Args:
        messages: of people and assistants, in the order of their numbers.
        saved: beside them, latest first.
        ask: puts a prompt to a model; what it raises comes through.
        zone: whose days are meant.

    Raises:
        BadModelOutput: it is too long, a loop, or gives a number or a date that nobody said. The message repeats no
            memory.
    """
    take = partial(_summary_of, messages=messages, saved=saved, zone=zone)
    return await ask(summarising_prompt(messages, saved, zone=zone), SummarisedAnswer, take)


def summarising_prompt(messages: Sequence[Message], saved: Sequence[Observation], *, zone: tzinfo) -> Prompt:
    """What a model is asked; the same session gives the same prompt on any day."""
    return TEMPLATE.render(
        zone=str(zone),
        messages=message_lines(messages, zone),
        saved="\n".join(line(text=one.text) for one in reversed(saved)),
    )


def _summary_of(
    answer: SummarisedAnswer, *, messages: Sequence[Message], saved: Sequence[Observation], zone: tzinfo
) -> tuple[str, tuple[str, ...]]:
    text = answer.text.strip()
    refuse_unkept([text])
    if len(text) > LONGEST or repeats_endlessly(text):
        raise BadModelOutput(f"the summary has {len(text)} characters, or says the same over and over")
    said = [(one.occurred_at, words) for one in messages for words in (one.speaker, one.text)]
    if what := Grounds([*said, *((one.occurred_at, one.text) for one in saved)], zone).refuted(text):
        raise BadModelOutput(f"the summary gives {what} that nobody said")
    ids = {message.number: message.id for message in messages}
    named = tuple(dict.fromkeys(ids[number] for number in answer.messages if number in ids))
    # One that names none rests on all.
    return text, named or tuple(ids.values())
