"""Detection of the patterns of one scope: rules, their wording, and one for each behaviour."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from remembrancer.learn.detect.conclusions import conclusions
from remembrancer.learn.detect.deeds import JUDGED, parse_deeds, sittings
from remembrancer.learn.detect.grounds import Mask, deeds_in, grounds
from remembrancer.learn.detect.keys import concluded, recounted
from remembrancer.learn.detect.patterns import pattern_of
from remembrancer.learn.detect.ranges import ranges
from remembrancer.learn.detect.rules import LEAST_CONSISTENCY, OCCASIONS, BehaviourRule, Named, stopped, turned
from remembrancer.learn.detect.search import Search
from remembrancer.types.pattern import LEAST_EPISODES, PATTERNS_PER_RUN, BehaviourEvent, Pattern

# Two rules of which one has more than this share of its deeds from the other are one behaviour.
_SAME: Final = 0.5
# Of the rules that match nearly the most deeds, the plainest is used.
_NEARLY: Final = 0.7
_FAR_LESS: Final = 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class Detected:
    """The patterns of a scope.

    Args:
        patterns: new ones, the strongest first, then known ones that are still valid.
        lapsed: known ones that match too seldom, recounted; `ended` marks those whose habit is over.
    """

    patterns: Sequence[Pattern]
    lapsed: Sequence[Pattern] = ()


def detect(
    deeds: Sequence[BehaviourEvent], *, known: Collection[str] = (), limit: int = PATTERNS_PER_RUN
) -> list[Pattern]:
    """Return the habits of one scope: new ones, the strongest first, then known ones.

    Args:
        deeds: of one exact scope, in any order.
        known: keys of earlier patterns, also of rejected ones. They are recounted, and returned beyond the limit if
            they are still valid; their deeds support no new pattern.
        limit: the largest number of new ones.
    """
    return list(detect_all(deeds, known=known, limit=limit).patterns)


def detect_all(deeds: Sequence[BehaviourEvent], *, known: Collection[str], limit: int = PATTERNS_PER_RUN) -> Detected:
    """Detect patterns, and recount the known ones, valid or not; see `detect`."""
    apart, tongue = parse_deeds(deeds)
    if len(apart) < LEAST_EPISODES:
        return Detected(patterns=[])
    wanted = concluded(known)
    bounds, moved = ranges(apart, wanted=wanted)
    possible = [*conclusions(apart, tongue, wanted=wanted), *bounds]
    judged = np.array([each.corrected or each.end in JUDGED for each in apart], dtype=np.bool_)
    counted = recounted(known, apart, possible)
    corrected = np.array([each.corrected for each in apart], dtype=np.bool_)
    often = [conclusion for conclusion in possible if deeds_in(conclusion.mask) >= LEAST_EPISODES]
    search = Search(grounds(apart, tongue), often, np.array(sittings(apart), dtype=np.bool_), corrected)
    rules = [rule for rule in (*search.rules(), *moved) if not stopped(rule, judged)]
    old = [rule.matching for rule, _ in counted if rule.count >= LEAST_EPISODES]
    new = [rule for rule in rules if not any(_share(rule.matching, matching) > _SAME for matching in old)]
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
    """Return one rule for each behaviour, the strongest first."""
    groups: list[list[BehaviourRule]] = []
    for rule in sorted(rules, key=lambda rule: (rule.conclusion.broad, rule.strength, -rule.count, rule.key)):
        same = [group for group in groups if any(_share(rule.matching, other.matching) > _SAME for other in group)]
        if not same:
            groups.append([rule])
        elif not rule.conclusion.broad or _explains(rule, same):
            same[0].append(rule)
    groups.sort(key=lambda group: min((rule.strength, rule.key) for rule in group))
    return [_best(group) for group in groups]


def _explains(rule: BehaviourRule, same: list[list[BehaviourRule]]) -> bool:
    """Return True if a broad rule covers far more of one behaviour than any other, and nothing of a second one."""
    return len(same) == 1 and max(other.count for other in same[0]) < _FAR_LESS * rule.count


def _best(group: list[BehaviourRule]) -> tuple[BehaviourRule, Named]:
    near = [rule for rule in group if rule.count >= _NEARLY * max(_count(other, since=rule) for other in group)]
    best = min(near, key=lambda rule: (rule.rank, -len(rule.conclusion.tokens), -rule.count, rule.key))
    return best, next(best.named())


def _count(rule: BehaviourRule, *, since: BehaviourRule) -> int:
    """Return how many deeds match a rule from the beginning of another on."""
    return deeds_in(rule.matching[int(since.matching.argmax()) :])


def _share(one: Mask, other: Mask) -> float:
    return deeds_in(one & other) / max(1, min(deeds_in(one), deeds_in(other)))
