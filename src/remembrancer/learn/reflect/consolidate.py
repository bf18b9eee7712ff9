"""A reflector called at rising levels of compression, until its answer is sound and short enough."""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Final

from remembrancer.errors import BadModelOutput, quoted
from remembrancer.types.notes import HIGHEST_PRIORITY, LOWEST_PRIORITY, MAX_OBSERVATION_BYTES, ConsolidatedLog, Insight
from remembrancer.types.record import Observation

# Observations up to this priority may be dropped without an insight; 0 is unrated and excluded.
DROPPED_UP_TO = 2


def check(
    reflected: ConsolidatedLog,
    observations: Sequence[Observation],
    *,
    count: Callable[[str], int],
    types: Mapping[str, float],
) -> ConsolidatedLog:
    """Return the answer in the order of the log, with unplaced and protected observations kept.

    Args:
        observations: the log that was reflected on, in its order.
        count: the tokens of a text.
        types: the observation types of the deployment.

    Raises:
        BadModelOutput: it names ids outside the log, keeps one twice, has an insight without sources, replaces
            something that is not a source, has an unknown type or priority or an invalid text, or is not shorter than
            the log. The message repeats no memory.
    """
    known = {observation.id for observation in observations}
    named = chain(reflected.kept, reflected.dropped, *(insight.sources for insight in reflected.insights))
    _refuse_invented(known, named)
    _refuse_twice("keeps", reflected.kept)
    refuse_unkept(insight.text for insight in reflected.insights)
    for insight in reflected.insights:
        _refuse_unsound(insight, types)
    placed = _placed(reflected, observations)
    before, after = size(observations, count), size_of(placed, observations, count)
    if after >= before:
        raise BadModelOutput(f"the answer is not shorter than the log: {after} tokens after {before}")
    return placed


def refuse_unkept(texts: Iterable[str]) -> None:
    """Refuse texts that cannot be stored as observations.

    Raises:
        BadModelOutput: one of them has a NUL character, or is too long.
    """
    for text in texts:
        if "\0" in text:
            raise BadModelOutput("the answer contains a NUL character")
        if len(text.encode()) > MAX_OBSERVATION_BYTES:
            raise BadModelOutput(f"the answer has a text of more than {MAX_OBSERVATION_BYTES} bytes")


def size(observations: Iterable[Observation], count: Callable[[str], int]) -> int:
    """Return the tokens of a log."""
    return sum(count(observation.text) for observation in observations)


def size_of(reflected: ConsolidatedLog, observations: Sequence[Observation], count: Callable[[str], int]) -> int:
    """Return the tokens of the log that would be left."""
    kept = frozenset(reflected.kept)
    left = size((observation for observation in observations if observation.id in kept), count)
    return left + sum(count(insight.text) for insight in reflected.insights)


def _refuse_invented(known: set[str], named: Iterable[str]) -> None:
    for id in named:
        if id not in known:
            raise BadModelOutput(f"the answer names {quoted(id)}, which is not in the log")


def _refuse_twice(what: str, ids: Sequence[str]) -> None:
    for id, times in Counter(ids).items():
        if times > 1:
            raise BadModelOutput(f"the answer {what} {quoted(id)} {times} times")


def _refuse_unsound(insight: Insight, types: Mapping[str, float]) -> None:
    if not insight.text.strip():
        raise BadModelOutput("an insight of the answer is blank")
    if not insight.sources:
        raise BadModelOutput("an insight of the answer rests on nothing")
    _refuse_twice("rests an insight on", insight.sources)
    if not set(insight.replaces) <= set(insight.sources):
        raise BadModelOutput("an insight of the answer replaces what it does not rest on")
    if insight.type not in types:
        raise BadModelOutput(f"no observation type {quoted(insight.type)}; allowed are {', '.join(types)}")
    if not LOWEST_PRIORITY <= insight.priority <= HIGHEST_PRIORITY:
        raise BadModelOutput(f"an insight has priority {insight.priority}; allowed are 1 to 5")


def _placed(reflected: ConsolidatedLog, observations: Sequence[Observation]) -> ConsolidatedLog:
    """Return the answer in the order of the log, with unplaced and protected observations kept."""
    kept = frozenset(reflected.kept)
    sources = {source for insight in reflected.insights for source in insight.sources}
    trifles = {observation.id for observation in observations if 0 < observation.priority <= DROPPED_UP_TO}
    dropped = (frozenset(reflected.dropped) & trifles) - sources - kept
    places = {observation.id: place for place, observation in enumerate(observations)}
    return ConsolidatedLog(
        insights=tuple(
            replace(
                insight,
                sources=tuple(sorted(insight.sources, key=places.__getitem__)),
                replaces=tuple(sorted(insight.replaces, key=places.__getitem__)),
            )
            for insight in reflected.insights
        ),
        kept=tuple(id for id in places if id in kept or id not in sources | dropped),
        dropped=tuple(id for id in places if id in dropped),
    )


def with_the_gravest(reflected: ConsolidatedLog, observations: Sequence[Observation]) -> ConsolidatedLog:
    """Return the answer with the observations of the highest priority kept.

    They leave the log only for an insight of that priority, or one with the current value.
    """
    outlasting = {
        source
        for insight in reflected.insights
        for source in (insight.sources if insight.priority == HIGHEST_PRIORITY else insight.replaces)
    }
    grave = {one.id for one in observations if one.priority == HIGHEST_PRIORITY} - outlasting
    kept = (*reflected.kept, *(id for id in sorted(grave) if id not in reflected.kept))
    return replace(reflected, kept=kept)


# How much of a log's detail each level leaves, in tokens.
DETAIL: Final = (0.8, 0.6, 0.4, 0.2, 0.1)
TRIES: Final = 4
# An answer that is too long by no more than this is short enough: the next level would cost half of the memory.
SLACK: Final = 0.1


Think = Callable[[Sequence[Observation], int], Awaitable[ConsolidatedLog]]
"""A reflector: it returns the shorter log, at a level of `DETAIL`, or raises `BadModelOutput`."""


async def consolidate(
    observations: Sequence[Observation],
    *,
    think: Think,
    count: Callable[[str], int],
    types: Mapping[str, float],
    enough: int,
) -> ConsolidatedLog | None:
    """Return the shorter log; `None` without a valid result, so that nothing changes.

    The mildest level that promises enough is tried first, and the next after an answer that is invalid or too long. Of
    several valid answers that are too long the shortest is used. Any other exception of `think` is raised.

    Args:
        observations: the log, in its order.
        enough: the target in tokens; a tenth more is short enough as well.
    """
    best: tuple[int, ConsolidatedLog] | None = None
    for level in levels(size(observations, count), enough):
        try:
            sound = check(await think(observations, level), observations, count=count, types=types)
        except BadModelOutput:
            continue
        left = size_of(sound, observations, count)
        if best is None or left < best[0]:
            best = (left, sound)
        if left <= enough * (1 + SLACK):
            break
    return best[1] if best else None


def levels(tokens: int, enough: int) -> tuple[int, ...]:
    """Return the levels to try for a log of this many tokens; the hardest may be tried twice."""
    hardest = len(DETAIL) - 1
    first = next((level for level, share in enumerate(DETAIL) if share * tokens <= enough), hardest)
    return tuple(min(first + further, hardest) for further in range(TRIES))
