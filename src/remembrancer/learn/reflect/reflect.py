"""The deterministic reflector: a log in, a shorter one out, without a language model.

A repeated statement is counted; of a changed value the newest is kept, with the older one. All instructions of people
are kept, then the notes with the most value per token. An observation that is kept whole stays; the rest becomes one
insight for each group.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from remembrancer.learn.reflect.consolidate import DETAIL, size, size_of
from remembrancer.learn.reflect.current import CurrentStatement
from remembrancer.learn.reflect.insights import insights_of
from remembrancer.learn.reflect.log import ReadLog, read
from remembrancer.types.new import OBSERVATION_TYPES
from remembrancer.types.notes import ConsolidatedLog
from remembrancer.types.record import Observation

# The weight of a priority; 0 is unrated.
PRIORITY: Final = {0: 1.0, 1: 0.3, 2: 0.6, 3: 1.0, 4: 1.5, 5: 2.2}
# How much more a rule of a person weighs.
RULE: Final = 3.0
# How much more the newest weighs than the oldest.
RECENCY: Final = 0.5
# The weight of a statement with e repetitions.
REPETITION: Final = 0.25
# Tokens beyond its own that a note is rated by, so that short ones do not win by nothing.
OVERHEAD: Final = 8


def choose(
    entries: Sequence[CurrentStatement],
    budget: int,
    *,
    first: Iterable[int],
    whole: Mapping[int, int],
    costs: Sequence[int],
    priorities: Sequence[int],
) -> set[int]:
    """Return the indexes of the selected statements; those of a note are selected together.

    Args:
        budget: the tokens of the selected ones, with those in `first`.
        first: those that are selected in any case.
        whole: places of the observations of which each statement is an entry of its own.
        costs: the tokens of each.
        priorities: of the observations, in the order of the log.
    """
    values = [_value(entry, priorities) for entry in entries]
    units = _units(entries, whole)
    chosen = set(first)
    left = budget - sum(costs[at] for at in chosen)
    rates = [sum(values[at] for at in unit) / (sum(costs[at] for at in unit) + OVERHEAD) for unit in units]
    for number in sorted(range(len(units)), key=lambda number: (-rates[number], number)):
        price = sum(costs[at] for at in units[number] if at not in chosen)
        if price <= left:
            chosen.update(units[number])
            left -= price
    return chosen


def _units(entries: Sequence[CurrentStatement], whole: Mapping[int, int]) -> list[list[int]]:
    together: defaultdict[int, list[int]] = defaultdict(list)
    singly: list[list[int]] = []
    for at, entry in enumerate(entries):
        if len(entry.sources) == 1 and entry.sources[0] in whole:
            together[entry.sources[0]].append(at)
        else:
            singly.append([at])
    return [*together.values(), *singly]


def _value(entry: CurrentStatement, priorities: Sequence[int]) -> float:
    """Return the weighted likelihood that a person wants a statement kept."""
    statement = entry.statement
    recency = 1 + RECENCY * statement.place / max(1, len(priorities) - 1)
    weight = PRIORITY[priorities[statement.place]] * (RULE if statement.rule else 1.0)
    return weight * recency * (1 + REPETITION * math.log(statement.times)) / (1 + math.exp(-statement.keep_score))


# The share of the budget for the newest statements of any value.
RECENT_SHARE: Final = 0.1
# Up to this level the earlier value is shown with each change; above it only with important ones.
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
    """Return the shorter log; one that cannot be shortened is unchanged.

    The result depends on the log alone, to the byte.

    Args:
        observations: the log, in its order.
        level: the degree of compression, an index of `DETAIL`.
        count: the tokens of a text.
        vectors: unit vectors of the observations by id, if there are any; they decide about topics, never about
            equality.
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
    # The tokens of a text apart from its statements are known only when it is written.
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
    """Return the first entries within a budget; one that alone exceeds it is skipped."""
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
