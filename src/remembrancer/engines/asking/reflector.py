"""The reflector by a language model: a log and a level in, what is left of the log out."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from functools import partial
from typing import Final

from remembrancer.engines.asking.ask import Ask
from remembrancer.engines.asking.lines import day, line, refusal_lines, type_lines
from remembrancer.engines.asking.repetition import repeats_endlessly
from remembrancer.engines.prompting import template_named
from remembrancer.engines.reflecting.check import check, refuse_unfounded, size
from remembrancer.engines.reflecting.consolidate import DETAIL, Think
from remembrancer.errors import BadModelOutput
from remembrancer.model.insights import Insight, Reflected
from remembrancer.model.record import Observation
from remembrancer.ports.language_model import Prompt

# Read when this is imported, not on an event loop.
TEMPLATE: Final = template_named("reflect")


@dataclass(frozen=True, slots=True, kw_only=True)
class InsightBlock:
    """One insight, as a model writes it down; its sources are numbers of the prompt's lines."""

    text: str
    type: str
    priority: int
    sources: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReflectedAnswer:
    """What a model makes of a log."""

    insights: tuple[InsightBlock, ...]
    keep: tuple[int, ...] = ()
    superseded: tuple[int, ...] = ()


def reflecting_by_asking(ask: Ask, *, zone: tzinfo, count: Callable[[str], int], types: Mapping[str, float]) -> Think:
    """A reflector that asks a model, and tells it what was wrong with its answer before.

    Args:
        ask: puts a prompt to a model; what it raises comes through.
        zone: whose days are meant.
        count: the tokens of a text.
        types: the observation types of the deployment.
    """
    refusal = ""

    async def think(observations: Sequence[Observation], level: int, /) -> Reflected:
        nonlocal refusal
        prompt = reflecting_prompt(observations, level=level, zone=zone, count=count, types=types, refusal=refusal)
        try:
            return await ask(
                prompt, ReflectedAnswer, partial(reflected_of, observations=observations, count=count, types=types)
            )
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
    """What a model is asked to make of a log at a level; the same log gives the same prompt on any day."""
    return TEMPLATE.render(
        types=type_lines(types),
        tenths=str(round(DETAIL[level] * 10)),
        tokens=str(int(DETAIL[level] * size(observations, count))),
        observations="\n".join(
            _line(number, observation, zone) for number, observation in enumerate(observations, start=1)
        ),
        refusal=refusal_lines(refusal),
    )


def reflected_of(
    answer: ReflectedAnswer,
    observations: Sequence[Observation],
    *,
    count: Callable[[str], int],
    types: Mapping[str, float],
) -> Reflected:
    """The log that an answer leaves, checked against the one that was reflected on.

    Raises:
        BadModelOutput: it runs in a loop, drops what no insight takes up, or does what `check` refuses. The message
            names observations by the numbers that the model knows.
    """
    if repeats_endlessly("\n".join(insight.text for insight in answer.insights)):
        raise BadModelOutput("the answer says the same over and over")
    numbered = [replace(observation, id=str(number)) for number, observation in enumerate(observations, start=1)]
    reflected = Reflected(
        insights=tuple(_insight(block) for block in answer.insights), kept=tuple(map(str, answer.keep))
    )
    sound = check(reflected, numbered, count=count, types=types)
    refuse_unfounded([str(number) for number in answer.superseded], reflected)
    return Reflected(
        insights=tuple(replace(insight, sources=_ids(insight.sources, observations)) for insight in sound.insights),
        kept=_ids(sound.kept, observations),
    )


def _insight(block: InsightBlock) -> Insight:
    return Insight(
        text=block.text.strip(), type=block.type, priority=block.priority, sources=tuple(map(str, block.sources))
    )


def _ids(numbers: Sequence[str], observations: Sequence[Observation]) -> tuple[str, ...]:
    return tuple(observations[int(number) - 1].id for number in numbers)


def _line(number: int, observation: Observation, zone: tzinfo) -> str:
    return line(
        n=number,
        at=day(observation.occurred_at, zone),
        about=observation.refers_to,
        priority=observation.priority or "",
        type=observation.type,
        text=observation.text,
    )
