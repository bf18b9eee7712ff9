"""The one insight that a task may leave: a task, its answer and what was read for it in, a claim with sources out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from functools import partial
from typing import Final

from remembrancer.errors import BadModelOutput
from remembrancer.learn.llm.checks import priority_meant, repeats_endlessly, type_meant
from remembrancer.learn.llm.figures import SourceFigures
from remembrancer.learn.reflect.consolidate import refuse_unkept
from remembrancer.llm.language_model import AskModel, Prompt
from remembrancer.llm.numbered_lines import day, line, type_lines
from remembrancer.llm.prompts import Priority, Text, template_named
from remembrancer.types.notes import LOWEST_PRIORITY, Insight
from remembrancer.types.record import Record, kind_of, speaker_of
from remembrancer.types.scope import Trust

# Read when this is imported, not on an event loop.
TEMPLATE: Final = template_named("conclude")
LONGEST: Final = 1_000
"""Characters of an insight."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConcludedAnswer:
    """A model's lesson; its sources are numbers of lines, and an empty text means none."""

    text: Text = ""
    type: Text = ""
    priority: Priority = LOWEST_PRIORITY
    sources: tuple[int, ...] = ()


async def conclude_asking(
    read: Sequence[Record], task: Record, answer: Record, *, ask: AskModel, zone: tzinfo, types: Mapping[str, float]
) -> Insight | None:
    """Return a model's insight from a task; `None` for none.

    Args:
        read: the memories recalled for it, ordered by time.
        ask: calls a model; its exceptions are raised.
        zone: of the days.
        types: the observation types of the deployment.

    Raises:
        BadModelOutput: the insight is invalid, or has no sources. The message repeats no memory.
    """
    records = [*read, task, answer]
    prompt = concluding_prompt(records, zone=zone, types=types)
    return await ask(prompt, ConcludedAnswer, partial(insight_of, records=records, zone=zone, types=types))


def concluding_prompt(records: Sequence[Record], *, zone: tzinfo, types: Mapping[str, float]) -> Prompt:
    """Return the prompt."""
    return TEMPLATE.render(
        types=type_lines(types),
        lines="\n".join(
            line(
                n=number,
                at=day(one.occurred_at, zone),
                by=speaker_of(one) or kind_of(one).value,
                trust=one.trust.value if one.trust is Trust.UNTRUSTED else "",
                text=one.text,
            )
            for number, one in enumerate(records, start=1)
        ),
    )


def insight_of(
    answer: ConcludedAnswer, *, records: Sequence[Record], zone: tzinfo, types: Mapping[str, float]
) -> Insight | None:
    """Return the insight in an answer, with the ids of its sources; `None` for none.

    Faults of form are repaired: a type, a priority, an unknown number.

    Args:
        records: the lines of the prompt, the last of which is the agent's own answer.

    Raises:
        BadModelOutput: it is invalid, has no source but the agent's own words, or has a number or a date that is in
            none of the lines.
    """
    text = answer.text.strip()
    sources = tuple(dict.fromkeys(number for number in answer.sources if 1 <= number <= len(records)))
    if not text:
        return None
    refuse_unkept([text])
    if len(text) > LONGEST or repeats_endlessly(text):
        raise BadModelOutput(f"the insight has {len(text)} characters, or repeats itself endlessly")
    if not set(sources) - {len(records)}:
        raise BadModelOutput("the insight rests on nothing but the agent's own answer")
    if what := SourceFigures([(one.occurred_at, one.text) for one in records], zone).refuted(text):
        raise BadModelOutput(f"the insight has {what} that is in none of the lines")
    return Insight(
        text=text,
        type=type_meant(answer.type, types),
        priority=priority_meant(answer.priority),
        sources=tuple(records[number - 1].id for number in sorted(sources)),
    )
