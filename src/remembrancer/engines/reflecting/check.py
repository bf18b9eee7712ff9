"""What a reflector may not do to a log, whoever made the answer: a model, or the engine itself."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from remembrancer.errors import BadModelOutput, quoted
from remembrancer.model.insights import Insight, Reflected
from remembrancer.model.notes import HIGHEST_PRIORITY, LOWEST_PRIORITY, MAX_OBSERVATION_BYTES
from remembrancer.model.record import Observation


def check(
    reflected: Reflected,
    observations: Sequence[Observation],
    *,
    count: Callable[[str], int],
    types: Mapping[str, float],
) -> Reflected:
    """The answer, with whatever it forgot to place kept, and all that is kept in the order of the log.

    Args:
        observations: the log that was reflected on, in its order.
        count: the tokens of a text.
        types: the observation types of the deployment.

    Raises:
        BadModelOutput: it names what is not in the log, keeps something twice, rests an insight on nothing, gives it a
            type or priority that does not exist or a text that no store takes, or is no shorter than the log. The
            message repeats no memory.
    """
    known = {observation.id for observation in observations}
    _refuse_invented(known, chain(reflected.kept, *(insight.sources for insight in reflected.insights)))
    _refuse_twice("keeps", reflected.kept)
    refuse_unkept(insight.text for insight in reflected.insights)
    for insight in reflected.insights:
        _refuse_unsound(insight, types)
    mended = _with_forgotten(reflected, observations)
    before, after = size(observations, count), size_of(mended, observations, count)
    if after >= before:
        raise BadModelOutput(f"the answer is not shorter than the log: {after} tokens after {before}")
    return mended


def refuse_unfounded(superseded: Sequence[str], reflected: Reflected) -> None:
    """Refuse an answer that drops what no insight of it takes up.

    Raises:
        BadModelOutput: something is superseded that is no insight's source, or that is also kept.
    """
    sources = {source for insight in reflected.insights for source in insight.sources}
    kept = frozenset(reflected.kept)
    for id in superseded:
        if id not in sources:
            raise BadModelOutput(f"the answer drops {quoted(id)}, which no insight takes up")
        if id in kept:
            raise BadModelOutput(f"the answer both keeps and supersedes {quoted(id)}")


def refuse_unkept(texts: Iterable[str]) -> None:
    """Refuse texts that no store takes as observations.

    Raises:
        BadModelOutput: one of them holds a NUL character, or is too long.
    """
    for text in texts:
        if "\0" in text:
            raise BadModelOutput("the answer holds a NUL character")
        if len(text.encode()) > MAX_OBSERVATION_BYTES:
            raise BadModelOutput(f"the answer has a text of more than {MAX_OBSERVATION_BYTES} bytes")


def size(observations: Iterable[Observation], count: Callable[[str], int]) -> int:
    """The tokens of a log."""
    return sum(count(observation.text) for observation in observations)


def size_of(reflected: Reflected, observations: Sequence[Observation], count: Callable[[str], int]) -> int:
    """The tokens of the log that would be left."""
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
        raise BadModelOutput("an insight of the answer says nothing")
    if not insight.sources:
        raise BadModelOutput("an insight of the answer rests on nothing")
    _refuse_twice("rests an insight on", insight.sources)
    if insight.type not in types:
        raise BadModelOutput(f"no observation type {quoted(insight.type)}; allowed are {', '.join(types)}")
    if not LOWEST_PRIORITY <= insight.priority <= HIGHEST_PRIORITY:
        raise BadModelOutput(f"an insight has priority {insight.priority}; allowed are 1 to 5")


def _with_forgotten(reflected: Reflected, observations: Sequence[Observation]) -> Reflected:
    """The answer with what it did not place kept, everything in the order of the log."""
    sources = {source for insight in reflected.insights for source in insight.sources}
    kept = frozenset(reflected.kept)
    places = {observation.id: place for place, observation in enumerate(observations)}
    stays = tuple(id for id in places if id in kept or id not in sources)
    insights = tuple(
        replace(insight, sources=tuple(sorted(insight.sources, key=places.__getitem__)))
        for insight in reflected.insights
    )
    return Reflected(insights=insights, kept=stays)
