"""A log as the reflector sees it: what stands in it, what each statement costs, and what belongs together."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC

import numpy as np
from numpy.typing import NDArray

from remembrancer.learn.reflect.clusters import clusters
from remembrancer.learn.reflect.standing import StandingStatement, standing
from remembrancer.learn.reflect.statements import statements, tongue_of
from remembrancer.learn.reflect.wording import Phrases, phrases_of
from remembrancer.types.record import Observation

# A statement that was said so often is told with its number.
COUNTED = 3
_HEADER = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadLog:
    """Observations, and what was read of them.

    Args:
        entries: the statements that stand, in the order in which they were last said.
        whole: how many entries stand for one observation alone, where all of its statements do, by its place.
        groups: places of what belongs together.
        costs: the tokens that telling each entry takes.
    """

    observations: Sequence[Observation]
    wording: Phrases
    entries: Sequence[StandingStatement]
    whole: Mapping[int, int]
    groups: Sequence[Sequence[int]]
    costs: Sequence[int]


def read(
    observations: Sequence[Observation],
    *,
    count: Callable[[str], int],
    with_before: Callable[[int], bool],
    vectors: Mapping[str, NDArray[np.float32]],
    random_cosine: float,
) -> ReadLog:
    """A log, read once for whatever is to be told of it.

    Args:
        with_before: whether of an observation of a priority it is told how a value was before.
    """
    wording = phrases_of(tongue_of(observations))
    found = statements(observations, count)
    entries = [_told(entry, observations, with_before) for entry in standing(found, wording)]
    said, alone = Counter(statement.place for statement in found), Counter(_alone(entries))
    content: list[set[str]] = [set() for _ in observations]
    for statement in found:
        content[statement.place] |= statement.content
    return ReadLog(
        observations=observations,
        wording=wording,
        entries=entries,
        whole={place: number for place, number in alone.items() if number == said[place]},
        groups=clusters(
            [frozenset(stems) for stems in content],
            [f"{observation.occurred_at.astimezone(UTC):%Y-%m-%d}" for observation in observations],
            [vectors.get(observation.id) for observation in observations],
            random_cosine,
        ),
        costs=[_cost(entry, count) for entry in entries],
    )


def _alone(entries: Sequence[StandingStatement]) -> list[int]:
    """The places of entries that stand for one observation alone."""
    return [entry.sources[0] for entry in entries if len(entry.sources) == 1]


def _told(
    entry: StandingStatement, observations: Sequence[Observation], with_before: Callable[[int], bool]
) -> StandingStatement:
    return entry if with_before(observations[entry.statement.place].priority) else entry.without_before()


def _cost(entry: StandingStatement, count: Callable[[str], int]) -> int:
    statement = entry.statement
    header = _HEADER if statement.times >= COUNTED else 0
    return statement.tokens + header + (count(statement.before) if statement.before else 0)
