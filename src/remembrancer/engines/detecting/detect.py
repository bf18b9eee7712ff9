"""The patterns of one scope: rules found, told in words, one for each behaviour."""

from collections.abc import Collection, Sequence
from typing import Final

import numpy as np

from remembrancer.engines.detecting.conclusions import conclusions
from remembrancer.engines.detecting.grounds import Mask, deeds_in, grounds
from remembrancer.engines.detecting.known import counted_anew
from remembrancer.engines.detecting.patterns import pattern_of
from remembrancer.engines.detecting.ranges import ranges
from remembrancer.engines.detecting.rules import LEAST_CONSISTENCY, Named, Rule, stopped
from remembrancer.engines.detecting.search import Search
from remembrancer.engines.detecting.values import JUDGED, sittings, taken_apart
from remembrancer.model.pattern import LEAST_EPISODES, PATTERNS_PER_RUN, Deed, Pattern

# Two rules of which one has more than this share of its deeds from the other are one behaviour.
_SAME: Final = 0.5
# The one that is said is the best told of those that hold in nearly as many deeds as any.
_NEARLY: Final = 0.7
_FAR_LESS: Final = 0.6


def detect(deeds: Sequence[Deed], *, known: Collection[str] = (), limit: int = PATTERNS_PER_RUN) -> list[Pattern]:
    """What is done again and again in one scope: what is new, the strongest first, then what is known.

    Args:
        deeds: of one exact scope, in any order.
        known: keys of patterns found before, rejected ones among them. They are counted anew and come back beyond the
            limit where they still hold; nothing new is told of their deeds.
        limit: how many new ones at most.
    """
    apart, tongue = taken_apart(deeds)
    if len(apart) < LEAST_EPISODES:
        return []
    bounds, moved = ranges(apart)
    possible = [*conclusions(apart, tongue), *bounds]
    judged = np.array([each.corrected or each.end in JUDGED for each in apart], dtype=np.bool_)
    counted = counted_anew(known, apart, possible)
    before = [pair for pair in counted if pair[0].consistency >= LEAST_CONSISTENCY and not stopped(pair[0], judged)]
    corrected = np.array([each.corrected for each in apart], dtype=np.bool_)
    search = Search(grounds(apart, tongue), possible, np.array(sittings(apart), dtype=np.bool_), corrected)
    rules = [rule for rule in (*search.rules(), *moved) if not stopped(rule, judged)]
    new = [rule for rule in rules if not any(_share(rule.held, old.held) > _SAME for old, _ in counted)]
    chosen = [pair for pair in _one_each(new) if pair[1].key not in known][:limit]
    return [pattern_of(rule, named, apart, tongue) for rule, named in (*chosen, *before)]


def _one_each(rules: Sequence[Rule]) -> list[tuple[Rule, Named]]:
    """One rule for each behaviour, the strongest first."""
    groups: list[list[Rule]] = []
    for rule in sorted(rules, key=lambda rule: (rule.conclusion.broad, rule.strength, -rule.count, rule.key)):
        same = [group for group in groups if any(_share(rule.held, other.held) > _SAME for other in group)]
        if not same:
            groups.append([rule])
        elif not rule.conclusion.broad or _explains(rule, same):
            same[0].append(rule)
    groups.sort(key=lambda group: min((rule.strength, rule.key) for rule in group))
    return [_best(group) for group in groups]


def _explains(rule: Rule, same: list[list[Rule]]) -> bool:
    """Whether a broad rule tells far more of one behaviour than any other does, and nothing of a second one."""
    return len(same) == 1 and max(other.count for other in same[0]) < _FAR_LESS * rule.count


def _best(group: list[Rule]) -> tuple[Rule, Named]:
    near = [rule for rule in group if rule.count >= _NEARLY * max(_count(other, since=rule) for other in group)]
    best = min(near, key=lambda rule: (rule.rank, -len(rule.conclusion.tokens), -rule.count, rule.key))
    return best, next(best.named())


def _count(rule: Rule, *, since: Rule) -> int:
    """In how many deeds a rule holds from where another begins to."""
    return deeds_in(rule.held[int(since.held.argmax()) :])


def _share(one: Mask, other: Mask) -> float:
    return deeds_in(one & other) / max(1, min(deeds_in(one), deeds_in(other)))
