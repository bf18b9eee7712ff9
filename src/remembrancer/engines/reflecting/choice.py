"""Which statements of a log are worth their tokens: the most told for the budget, and little of it twice."""

import heapq
import math
from collections import Counter
from collections.abc import Sequence
from typing import Final

from remembrancer.engines.reflecting.standing import StandingStatement

# What a term is worth by its kind, and again where it was told already.
WORTH: Final = {"common": 0.15, "word": 1.0, "name": 1.5, "number": 1.5}
TOLD: Final = 0.6
# What a priority weighs; 0 is what nobody has judged.
PRIORITY: Final = {0: 1.0, 1: 0.3, 2: 0.6, 3: 1.0, 4: 1.5, 5: 2.2}
# How much more a rule or a decision of a person weighs.
RULE: Final = 3.0
# How much more the newest weighs than the oldest.
RECENCY: Final = 0.5
# How much more a statement weighs that was said e times.
REPETITION: Final = 0.25
# What a statement weighs that is about one thing at most: "Of course!", "Saturday."
HOLLOW: Final = 0.3
# Tokens beyond its own that a statement is rated by, so that short ones do not win by nothing.
OVERHEAD: Final = 8


def choose(
    entries: Sequence[StandingStatement],
    budget: int,
    *,
    first: Sequence[int],
    costs: Sequence[int],
    priorities: Sequence[int],
) -> set[int]:
    """Which of the statements are told, by their index.

    Args:
        budget: how many tokens they may cost together, those that are told anyhow among them.
        first: those that are told anyhow.
        costs: the tokens of each.
        priorities: of the observations, in the order of the log.
    """
    worth = worths(entries)
    factors = [_factor(entry, priorities) for entry in entries]
    told: Counter[str] = Counter()
    spent = sum(costs[at] for at in first)
    for at in first:
        told.update(stems_of(entries[at]))

    def gain(at: int) -> float:
        value = sum(worth[stem] * TOLD ** told[stem] for stem in stems_of(entries[at]))
        return value * factors[at] / (costs[at] + OVERHEAD)

    chosen = set(first)
    queue = [(-gain(at), at) for at in range(len(entries)) if at not in chosen]
    heapq.heapify(queue)
    while queue:
        _, at = heapq.heappop(queue)
        price = costs[at]
        if spent + price > budget:
            continue
        now = -gain(at)
        if queue and now > queue[0][0] + 1e-12:
            heapq.heappush(queue, (now, at))
            continue
        chosen.add(at)
        told.update(stems_of(entries[at]))
        spent += price
    return chosen


def stems_of(entry: StandingStatement) -> list[str]:
    """What a statement tells, each stem once, in order."""
    return list(dict.fromkeys(term.stem for term in entry.statement.terms))


def _factor(entry: StandingStatement, priorities: Sequence[int]) -> float:
    place = entry.statement.place
    recency = 1 + RECENCY * place / max(1, len(priorities) - 1)
    weight = PRIORITY[priorities[place]] * (HOLLOW if entry.statement.hollow else 1.0)
    weight *= RULE if entry.statement.rule else 1.0
    return weight * recency * (1 + REPETITION * math.log(entry.statement.times))


def worths(entries: Sequence[StandingStatement]) -> dict[str, float]:
    """What each stem is worth: by its kind, and more the fewer statements hold it."""
    holding = Counter(stem for entry in entries for stem in stems_of(entry))
    kinds = {term.stem: WORTH.get(term.kind, 1.0) for entry in entries for term in entry.statement.terms}
    most = math.log(1 + len(entries))
    return {stem: kinds[stem] * math.log(1 + len(entries) / count) / most for stem, count in holding.items()}
