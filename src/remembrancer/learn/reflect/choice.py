"""Which statements of a log are told again: what people laid down, then the notes that hold most for their tokens."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from remembrancer.learn.reflect.standing import StandingStatement

# What a priority weighs; 0 is what nobody has judged.
PRIORITY: Final = {0: 1.0, 1: 0.3, 2: 0.6, 3: 1.0, 4: 1.5, 5: 2.2}
# How much more a rule of a person weighs.
RULE: Final = 3.0
# How much more the newest weighs than the oldest.
RECENCY: Final = 0.5
# How much more a statement weighs that was said e times.
REPETITION: Final = 0.25
# Tokens beyond its own that a note is rated by, so that short ones do not win by nothing.
OVERHEAD: Final = 8


def choose(
    entries: Sequence[StandingStatement],
    budget: int,
    *,
    first: Iterable[int],
    whole: Mapping[int, int],
    costs: Sequence[int],
    priorities: Sequence[int],
) -> set[int]:
    """Which of the statements are told, by their index: those of a note together, as they lean on each other.

    Args:
        budget: how many tokens they may cost together, those that are told anyhow among them.
        first: those that are told anyhow.
        whole: places of the observations of which each statement stands for itself.
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


def _units(entries: Sequence[StandingStatement], whole: Mapping[int, int]) -> list[list[int]]:
    together: defaultdict[int, list[int]] = defaultdict(list)
    singly: list[list[int]] = []
    for at, entry in enumerate(entries):
        if len(entry.sources) == 1 and entry.sources[0] in whole:
            together[entry.sources[0]].append(at)
        else:
            singly.append([at])
    return [*together.values(), *singly]


def _value(entry: StandingStatement, priorities: Sequence[int]) -> float:
    """How likely it is that a person would want a statement told again, weighed."""
    statement = entry.statement
    recency = 1 + RECENCY * statement.place / max(1, len(priorities) - 1)
    weight = PRIORITY[priorities[statement.place]] * (RULE if statement.rule else 1.0)
    return weight * recency * (1 + REPETITION * math.log(statement.times)) / (1 + math.exp(-statement.worth))
