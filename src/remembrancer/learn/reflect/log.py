"""A log as the reflector reads it: its statements, their cost, and groups by shared rare words and near vectors."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC
from typing import Final

import numpy as np
from numpy.typing import NDArray

from remembrancer.learn.reflect.current import CurrentStatement, current_statements
from remembrancer.learn.reflect.statements import Phrases, phrases_of, statements, tongue_of
from remembrancer.types.record import Observation

# The most observations that one insight is made of.
LARGEST: Final = 16
# How near an observation is to those that it joins: the cosine of their words, or the calibrated one of their vectors.
LEAST_SHARED: Final = 0.18
LEAST_NEAR: Final = 0.6
# The bonus for observations of one day in a cluster.
SAME_DAY: Final = 1.3
# A word in more than this share of the log does not identify a topic.
_COMMONEST: Final = 0.125
_FEW: Final = 8


@dataclass(slots=True, kw_only=True)
class _Cluster:
    members: list[int] = field(default_factory=list[int])
    weights: defaultdict[str, float] = field(default_factory=lambda: defaultdict[str, float](float))
    length: float = 0.0

    def add(self, place: int, weights: Mapping[str, float]) -> None:
        self.members.append(place)
        for stem, weight in weights.items():
            self.length += 2 * self.weights[stem] * weight + weight * weight
            self.weights[stem] += weight


def clusters(
    stems: Sequence[frozenset[str]],
    days: Sequence[str],
    vectors: Sequence[NDArray[np.float32] | None],
    random_cosine: float,
) -> list[list[int]]:
    """Return the places of a log, each in one cluster; clusters by their first place, places in order.

    Args:
        stems: the topic of each observation.
        days: the day of each.
        vectors: the unit vector of each, if there is one.
        random_cosine: the cosine of two unrelated texts in the vectors' model.
    """
    rarity = _rarity(stems)
    middles = _Middles(vectors, random_cosine)
    found: list[_Cluster] = []
    holding: defaultdict[str, list[int]] = defaultdict(list)
    for place, (words, day, vector) in enumerate(zip(stems, days, vectors, strict=True)):
        weights = _unit({stem: rarity[stem] for stem in sorted(words) if stem in rarity})
        scores: defaultdict[int, float] = defaultdict(float)
        for stem, weight in weights.items():
            for at in holding[stem]:
                scores[at] += weight * found[at].weights[stem]
        rated = {at: score / math.sqrt(found[at].length) / LEAST_SHARED for at, score in scores.items()}
        for at, near in middles.near(vector):
            rated[at] = max(rated.get(at, 0.0), near / LEAST_NEAR)
        best = _best(rated, found, days, day)
        if best is None:
            best = len(found)
            found.append(_Cluster())
        for stem in weights.keys() - found[best].weights.keys():
            holding[stem].append(best)
        found[best].add(place, weights)
        middles.add(best, vector)
    return [cluster.members for cluster in found]


def _rarity(stems: Sequence[frozenset[str]]) -> dict[str, float]:
    counts = Counter(stem for words in stems for stem in words)
    most = max(_FEW, len(stems) * _COMMONEST)
    return {stem: math.log(1 + len(stems) / count) for stem, count in counts.items() if count <= most}


def _unit(weights: dict[str, float]) -> dict[str, float]:
    length = math.sqrt(sum(weight * weight for weight in weights.values()))
    return {stem: weight / length for stem, weight in weights.items()}


class _Middles:
    """The sums of the vectors of each cluster, in one array that is large enough for all."""

    def __init__(self, vectors: Sequence[NDArray[np.float32] | None], random_cosine: float) -> None:
        known = [vector for vector in vectors if vector is not None]
        self._sums = np.zeros((len(vectors) if known else 0, len(known[0]) if known else 0), np.float32)
        self._used = 0
        self._random = random_cosine

    def add(self, at: int, vector: NDArray[np.float32] | None) -> None:
        """Count a vector in with a cluster."""
        self._used = max(self._used, at + 1)
        if vector is not None:
            self._sums[at] += vector

    def near(self, vector: NDArray[np.float32] | None) -> list[tuple[int, float]]:
        """Return the clusters whose middle is near enough to a vector, with how near, calibrated."""
        if vector is None:
            return []
        rows = self._sums[: self._used]
        cosines = rows @ vector / np.maximum(np.linalg.norm(rows, axis=1), np.float32(1e-9))
        near = (cosines - self._random) / (1 - self._random)
        return [(int(at), float(near[at])) for at in np.flatnonzero(near >= LEAST_NEAR)]


def _best(rated: Mapping[int, float], found: Sequence[_Cluster], days: Sequence[str], day: str) -> int | None:
    """Return the cluster to join: the nearest that is near enough and not full."""
    near = {
        at: rate * (SAME_DAY if days[found[at].members[-1]] == day else 1.0)
        for at, rate in rated.items()
        if len(found[at].members) < LARGEST
    }
    best = max(near, key=lambda at: (near[at], -at), default=None)
    return best if best is not None and near[best] >= 1 else None


# A statement with this many repetitions is shown with their number.
COUNTED = 3
_HEADER = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadLog:
    """The statements of a log of observations.

    Args:
        entries: the current statements, ordered by their last repetition.
        whole: the number of entries of one observation alone, if all of its statements are such, by its place.
        groups: places with the same topic.
        costs: the tokens of each entry.
    """

    observations: Sequence[Observation]
    wording: Phrases
    entries: Sequence[CurrentStatement]
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
    """Return the statements of a log, read once for all levels.

    Args:
        with_before: returns True for the priorities of which the earlier value is shown.
    """
    wording = phrases_of(tongue_of(observations))
    found = statements(observations, count)
    entries = [_with_count(entry, observations, with_before) for entry in current_statements(found, wording)]
    counts, alone = Counter(statement.place for statement in found), Counter(_alone(entries))
    content: list[set[str]] = [set() for _ in observations]
    for statement in found:
        content[statement.place] |= statement.content
    return ReadLog(
        observations=observations,
        wording=wording,
        entries=entries,
        whole={place: number for place, number in alone.items() if number == counts[place]},
        groups=clusters(
            [frozenset(stems) for stems in content],
            [f"{observation.occurred_at.astimezone(UTC):%Y-%m-%d}" for observation in observations],
            [vectors.get(observation.id) for observation in observations],
            random_cosine,
        ),
        costs=[_cost(entry, count) for entry in entries],
    )


def _alone(entries: Sequence[CurrentStatement]) -> list[int]:
    """Return the places of entries of one observation alone."""
    return [entry.sources[0] for entry in entries if len(entry.sources) == 1]


def _with_count(
    entry: CurrentStatement, observations: Sequence[Observation], with_before: Callable[[int], bool]
) -> CurrentStatement:
    return entry if with_before(observations[entry.statement.place].priority) else entry.without_before()


def _cost(entry: CurrentStatement, count: Callable[[str], int]) -> int:
    statement = entry.statement
    header = _HEADER if statement.times >= COUNTED else 0
    return statement.tokens + header + (count(statement.before) if statement.before else 0)
