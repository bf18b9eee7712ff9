"""What a reflector may not do to a log, whoever made the answer: a model, or the engine itself."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from remembrancer.errors import BadModelOutput, quoted
from remembrancer.types.notes import HIGHEST_PRIORITY, LOWEST_PRIORITY, MAX_OBSERVATION_BYTES, ConsolidatedLog, Insight
from remembrancer.types.record import Observation

# What has a priority up to this may be dropped with nothing in its place; not 0, which nobody has judged.
DROPPED_UP_TO = 2


def check(
    reflected: ConsolidatedLog,
    observations: Sequence[Observation],
    *,
    count: Callable[[str], int],
    types: Mapping[str, float],
) -> ConsolidatedLog:
    """The answer, with whatever it forgot to place or may not drop kept, and all of it in the order of the log.

    Args:
        observations: the log that was reflected on, in its order.
        count: the tokens of a text.
        types: the observation types of the deployment.

    Raises:
        BadModelOutput: it names what is not in the log, keeps something twice, rests an insight on nothing, lets it
            replace what it does not rest on, gives it a type or priority that does not exist or a text that no store
            takes, or is no shorter than the log. The message repeats no memory.
    """
    known = {observation.id for observation in observations}
    named = chain(reflected.kept, reflected.dropped, *(insight.sources for insight in reflected.insights))
    _refuse_invented(known, named)
    _refuse_twice("keeps", reflected.kept)
    refuse_unkept(insight.text for insight in reflected.insights)
    for insight in reflected.insights:
        _refuse_unsound(insight, types)
    mended = _placed(reflected, observations)
    before, after = size(observations, count), size_of(mended, observations, count)
    if after >= before:
        raise BadModelOutput(f"the answer is not shorter than the log: {after} tokens after {before}")
    return mended


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


def size_of(reflected: ConsolidatedLog, observations: Sequence[Observation], count: Callable[[str], int]) -> int:
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
    if not set(insight.replaces) <= set(insight.sources):
        raise BadModelOutput("an insight of the answer replaces what it does not rest on")
    if insight.type not in types:
        raise BadModelOutput(f"no observation type {quoted(insight.type)}; allowed are {', '.join(types)}")
    if not LOWEST_PRIORITY <= insight.priority <= HIGHEST_PRIORITY:
        raise BadModelOutput(f"an insight has priority {insight.priority}; allowed are 1 to 5")


def _placed(reflected: ConsolidatedLog, observations: Sequence[Observation]) -> ConsolidatedLog:
    """The answer with what it did not place or may not drop kept, everything in the order of the log."""
    kept = frozenset(reflected.kept)
    taken = {source for insight in reflected.insights for source in insight.sources}
    trifles = {observation.id for observation in observations if 0 < observation.priority <= DROPPED_UP_TO}
    dropped = (frozenset(reflected.dropped) & trifles) - taken - kept
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
        kept=tuple(id for id in places if id in kept or id not in taken | dropped),
        dropped=tuple(id for id in places if id in dropped),
    )


def with_the_gravest(reflected: ConsolidatedLog, observations: Sequence[Observation]) -> ConsolidatedLog:
    """The answer with what must not be forgotten kept.

    It leaves the log only for an insight that must not be forgotten either, or that says how it is now.
    """
    outlasting = {
        source
        for insight in reflected.insights
        for source in (insight.sources if insight.priority == HIGHEST_PRIORITY else insight.replaces)
    }
    grave = {one.id for one in observations if one.priority == HIGHEST_PRIORITY} - outlasting
    kept = (*reflected.kept, *(id for id in sorted(grave) if id not in reflected.kept))
    return replace(reflected, kept=kept)
