"""The reflector by a language model: a log and a level in, what is left of the log out."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from functools import partial
from typing import Final

from remembrancer.errors import BadModelOutput
from remembrancer.language.dates.written import as_iso
from remembrancer.learn.llm.checks import priority_meant, refuse_faulty, repeats_endlessly, type_meant
from remembrancer.learn.llm.claims import Claims, of_observation
from remembrancer.learn.reflect.consolidate import DETAIL, Think, check, size, with_the_gravest
from remembrancer.llm.language_model import AskModel, Prompt
from remembrancer.llm.numbered_lines import by_day, refusal_lines, type_lines
from remembrancer.llm.prompts import Priority, Text, template_named
from remembrancer.types.notes import ConsolidatedLog, Insight
from remembrancer.types.record import Observation

# Read when this is imported, not on an event loop.
TEMPLATE: Final = template_named("reflect")
UNJUDGED: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class InsightBlock:
    """One insight, as a model writes it down; its sources are numbers of the prompt's lines."""

    text: Text
    sources: tuple[int, ...]
    replaces: tuple[int, ...] = ()
    refers_to: Text = ""
    type: Text = ""
    priority: Priority = UNJUDGED


@dataclass(frozen=True, slots=True, kw_only=True)
class ReflectedAnswer:
    """A model's version of a log."""

    insights: tuple[InsightBlock, ...]
    keep: tuple[int, ...] = ()
    drop: tuple[int, ...] = ()


def reflecting_by_asking(
    ask: AskModel,
    *,
    zone: tzinfo,
    count: Callable[[str], int],
    types: Mapping[str, float],
    refused: Counter[str] | None = None,
) -> Think:
    """Return a reflector that asks a model, and sends it the fault of its last answer.

    Args:
        ask: calls a model; its exceptions are raised.
        zone: of the days.
        count: the tokens of a text.
        types: the observation types of the deployment.
        refused: counts the dropped insights, by reason.
    """
    refusal = ""
    dropped = Counter[str]() if refused is None else refused

    async def think(observations: Sequence[Observation], level: int, /) -> ConsolidatedLog:
        nonlocal refusal
        prompt = reflecting_prompt(observations, level=level, zone=zone, count=count, types=types, refusal=refusal)
        try:
            take = partial(
                reflected_of,
                observations=observations,
                zone=zone,
                count=count,
                types=types,
                refused=dropped,
            )
            return await ask(prompt, ReflectedAnswer, take)
        except BadModelOutput as error:
            refusal = str(error)
            raise

    return think


def reflecting_prompt(
    observations: Sequence[Observation],
    *,
    level: int,
    zone: tzinfo,
    count: Callable[[str], int],
    types: Mapping[str, float],
    refusal: str = "",
) -> Prompt:
    """Return the prompt at a level; it depends on the log alone, not on the day."""
    return TEMPLATE.render(
        types=type_lines(types),
        tenths=str(round(DETAIL[level] * 10)),
        tokens=str(int(DETAIL[level] * size(observations, count))),
        observations=_lines(observations, zone),
        refusal=refusal_lines(refusal),
    )


def reflected_of(
    answer: ReflectedAnswer,
    observations: Sequence[Observation],
    *,
    zone: tzinfo,
    count: Callable[[str], int],
    types: Mapping[str, float],
    refused: Counter[str],
) -> ConsolidatedLog:
    """Return the log of an answer, checked against the one that was reflected on.

    Faults of form are repaired, as in notes: a type, a priority, a date, an unknown number. An insight without
    confirmation is dropped, and its sources are kept.

    Args:
        refused: counts the dropped ones, by reason.

    Raises:
        BadModelOutput: it is a loop, more than half of its insights are dropped, or `check` refuses it. The message
            repeats no memory.
    """
    if repeats_endlessly("\n".join(insight.text for insight in answer.insights)):
        raise BadModelOutput("the answer repeats itself endlessly")
    insights = [_insight(block, observations, types) for block in answer.insights]
    faults = _faults(insights, observations, zone)
    refused.update(faults.values())
    refuse_faulty(faults, "insight", of=len(insights))
    reflected = ConsolidatedLog(
        insights=tuple(insight for at, insight in enumerate(insights) if at not in faults),
        kept=_ids(answer.keep, observations),
        dropped=_ids(answer.drop, observations),
    )
    return check(with_the_gravest(reflected, observations), observations, count=count, types=types)


def _insight(block: InsightBlock, observations: Sequence[Observation], types: Mapping[str, float]) -> Insight:
    sources = _ids(block.sources, observations)
    return Insight(
        text=block.text.strip(),
        type=type_meant(block.type, types),
        priority=priority_meant(block.priority),
        sources=sources,
        replaces=tuple(id for id in _ids(block.replaces, observations) if id in sources),
        refers_to=as_iso(block.refers_to),
    )


def _faults(insights: Sequence[Insight], observations: Sequence[Observation], zone: tzinfo) -> dict[int, str]:
    """Why which insight is dropped, by its place."""
    numbers = {one.id: number for number, one in enumerate(observations, start=1)}
    cited = [[numbers[id] for id in insight.sources] for insight in insights]
    claims = Claims([of_observation(one, numbers[one.id]) for one in observations], zone)
    found = (claims.fault(one.text, one.refers_to, cited=its) for one, its in zip(insights, cited, strict=True))
    return {at: fault for at, fault in enumerate(found) if fault}


def _ids(numbers: Sequence[int], observations: Sequence[Observation]) -> tuple[str, ...]:
    """Return the ids of observations by their numbers, each once, without unknown numbers."""
    found = (observations[number - 1].id for number in numbers if 1 <= number <= len(observations))
    return tuple(dict.fromkeys(found))


def _lines(observations: Sequence[Observation], zone: tzinfo) -> str:
    return by_day(
        (
            (one.occurred_at, (number, one.priority, one.type, one.refers_to, one.text))
            for number, one in enumerate(observations, start=1)
        ),
        zone,
    )
