"""The patterns of one scope: rules found, told in words, one for each behaviour."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from remembrancer.learn.detect.conclusions import conclusions
from remembrancer.learn.detect.grounds import Mask, deeds_in, grounds
from remembrancer.learn.detect.known import concluded, counted_anew
from remembrancer.learn.detect.patterns import pattern_of
from remembrancer.learn.detect.ranges import ranges
from remembrancer.learn.detect.rules import LEAST_CONSISTENCY, OCCASIONS, BehaviourRule, Named, stopped, turned
from remembrancer.learn.detect.search import Search
from remembrancer.learn.detect.values import JUDGED, sittings, taken_apart
from remembrancer.types.pattern import LEAST_EPISODES, PATTERNS_PER_RUN, BehaviourEvent, Pattern

# Two rules of which one has more than this share of its deeds from the other are one behaviour.
_SAME: Final = 0.5
# The one that is said is the best told of those that hold in nearly as many deeds as any.
_NEARLY: Final = 0.7
_FAR_LESS: Final = 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class Detected:
    """What a scope has in common.

    Args:
        patterns: what is new, the strongest first, then what is known and still holds.
        lapsed: what is known and holds too seldom, counted anew; `ended` says of which the habit is over.
    """

    patterns: Sequence[Pattern]
    lapsed: Sequence[Pattern] = ()


def detect(
    deeds: Sequence[BehaviourEvent], *, known: Collection[str] = (), limit: int = PATTERNS_PER_RUN
) -> list[Pattern]:
    """What is done again and again in one scope: what is new, the strongest first, then what is known.

    Args:
        deeds: of one exact scope, in any order.
        known: keys of patterns found before, rejected ones among them. They are counted anew and come back beyond the
            limit where they still hold; nothing new is told of their deeds.
        limit: how many new ones at most.
    """
    return list(detect_anew(deeds, known=known, limit=limit).patterns)


def detect_anew(deeds: Sequence[BehaviourEvent], *, known: Collection[str], limit: int = PATTERNS_PER_RUN) -> Detected:
    """Detect patterns, and count those that are known whether or not they still hold; see `detect`."""
    apart, tongue = taken_apart(deeds)
    if len(apart) < LEAST_EPISODES:
        return Detected(patterns=[])
    wanted = concluded(known)
    bounds, moved = ranges(apart, wanted=wanted)
    possible = [*conclusions(apart, tongue, wanted=wanted), *bounds]
    judged = np.array([each.corrected or each.end in JUDGED for each in apart], dtype=np.bool_)
    counted = counted_anew(known, apart, possible)
    corrected = np.array([each.corrected for each in apart], dtype=np.bool_)
    often = [conclusion for conclusion in possible if deeds_in(conclusion.holds) >= LEAST_EPISODES]
    search = Search(grounds(apart, tongue), often, np.array(sittings(apart), dtype=np.bool_), corrected)
    rules = [rule for rule in (*search.rules(), *moved) if not stopped(rule, judged)]
    old = [rule.held for rule, _ in counted if rule.count >= LEAST_EPISODES]
    new = [rule for rule in rules if not any(_share(rule.held, held) > _SAME for held in old)]
    chosen = [pair for pair in _one_each(new) if pair[1].key not in known][:limit]
    holding = [pair for pair in counted if _holds(pair[0], judged)]
    lapsed = [(rule, named) for rule, named in counted if not _holds(rule, judged) and rule.cases >= OCCASIONS]
    return Detected(
        patterns=[pattern_of(rule, named, apart, tongue) for rule, named in (*chosen, *holding)],
        lapsed=[
            pattern_of(rule, named, apart, tongue, ended=turned(rule) or stopped(rule, judged))
            for rule, named in lapsed
        ],
    )


def _holds(rule: BehaviourRule, judged: Mask) -> bool:
    return rule.count >= LEAST_EPISODES and rule.consistency >= LEAST_CONSISTENCY and not stopped(rule, judged)


def _one_each(rules: Sequence[BehaviourRule]) -> list[tuple[BehaviourRule, Named]]:
    """One rule for each behaviour, the strongest first."""
    groups: list[list[BehaviourRule]] = []
    for rule in sorted(rules, key=lambda rule: (rule.conclusion.broad, rule.strength, -rule.count, rule.key)):
        same = [group for group in groups if any(_share(rule.held, other.held) > _SAME for other in group)]
        if not same:
            groups.append([rule])
        elif not rule.conclusion.broad or _explains(rule, same):
            same[0].append(rule)
    groups.sort(key=lambda group: min((rule.strength, rule.key) for rule in group))
    return [_best(group) for group in groups]


def _explains(rule: BehaviourRule, same: list[list[BehaviourRule]]) -> bool:
    """Whether a broad rule tells far more of one behaviour than any other does, and nothing of a second one."""
    return len(same) == 1 and max(other.count for other in same[0]) < _FAR_LESS * rule.count


def _best(group: list[BehaviourRule]) -> tuple[BehaviourRule, Named]:
    near = [rule for rule in group if rule.count >= _NEARLY * max(_count(other, since=rule) for other in group)]
    best = min(near, key=lambda rule: (rule.rank, -len(rule.conclusion.tokens), -rule.count, rule.key))
    return best, next(best.named())


def _count(rule: BehaviourRule, *, since: BehaviourRule) -> int:
    """In how many deeds a rule holds from where another begins to."""
    return deeds_in(rule.held[int(since.held.argmax()) :])


def _share(one: Mask, other: Mask) -> float:
    return deeds_in(one & other) / max(1, min(deeds_in(one), deeds_in(other)))
