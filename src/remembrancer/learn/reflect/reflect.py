"""The deterministic reflector: a log in, what is left of it out, without a language model.

Of a repeated statement one stands, counted; of a changed value the newest, with what it was before. Of these all that
people laid down is told, whatever the budget, and then the notes that hold most of what a person would want. An
observation that is told whole is kept; what is told of the others stands in one insight for those that belong together.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from remembrancer.learn.reflect.check import size, size_of
from remembrancer.learn.reflect.choice import choose
from remembrancer.learn.reflect.consolidate import DETAIL
from remembrancer.learn.reflect.insights import insights_of
from remembrancer.learn.reflect.log import ReadLog, read
from remembrancer.types.new import OBSERVATION_TYPES
from remembrancer.types.notes import ConsolidatedLog
from remembrancer.types.record import Observation

# What of the budget may go to the newest, whatever it is worth.
RECENT_SHARE: Final = 0.1
# Up to this level it is told how a changed value was before; further only of what is important.
LAST_LEVEL_WITH_BEFORE: Final = 2
IMPORTANT: Final = 4
_ROUNDS: Final = 8


def reflect(
    observations: Sequence[Observation],
    *,
    level: int,
    count: Callable[[str], int],
    vectors: Mapping[str, NDArray[np.float32]] | None = None,
    random_cosine: float = 0.0,
    types: Mapping[str, float] = OBSERVATION_TYPES,
) -> ConsolidatedLog:
    """What is left of a log; the same log gives the same, to the byte. A log that cannot be made shorter is kept.

    Args:
        observations: the log, in its order.
        level: how hard to compress, an index of `DETAIL`.
        count: the tokens of a text.
        vectors: unit vectors of the observations by id, where there are any; they tell what belongs together, and never
            what is the same.
        random_cosine: the cosine of two unrelated texts in the vectors' model.
        types: the observation types of the deployment, one at least.
    """
    best = ConsolidatedLog(insights=(), kept=tuple(observation.id for observation in observations))
    least = total = size(observations, count)
    log = read(
        observations,
        count=count,
        with_before=lambda priority: level <= LAST_LEVEL_WITH_BEFORE or priority >= IMPORTANT,
        vectors=vectors or {},
        random_cosine=random_cosine,
    )
    budget = goal = int(DETAIL[level] * total)
    # What a text costs beside its statements is known only when it is written.
    for _ in range(_ROUNDS):
        found = insights_of(log, _chosen(log, budget), types)
        left = size_of(found, observations, count)
        if left < least:
            best, least = found, left
        if left <= goal or not budget:
            break
        budget = max(0, budget - max(1, left - goal))
    return best


def _chosen(log: ReadLog, budget: int) -> set[int]:
    rules = [at for at, entry in enumerate(log.entries) if entry.statement.rule]
    newest = sorted(range(len(log.entries)), key=lambda at: (-log.entries[at].statement.place, at))
    return choose(
        log.entries,
        budget,
        first={*rules, *_within(log, newest, RECENT_SHARE * budget)},
        whole=log.whole,
        costs=log.costs,
        priorities=[observation.priority for observation in log.observations],
    )


def _within(log: ReadLog, entries: Iterable[int], budget: float) -> list[int]:
    """The first entries that a budget pays for; one that alone is too long for it is passed over."""
    found: list[int] = []
    left = budget
    for at in entries:
        if log.costs[at] > budget:
            continue
        left -= log.costs[at]
        if left < 0:
            break
        found.append(at)
    return found
