"""Corrections that are repeated in the same way, which need no other circumstance."""

import math
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from remembrancer.learn.detect.conclusions import Conclusion
from remembrancer.learn.detect.deeds import PUT_RIGHT
from remembrancer.learn.detect.grounds import Ground, Mask, deeds_in
from remembrancer.learn.detect.rules import LEAST_CONSISTENCY, BehaviourRule, state
from remembrancer.learn.detect.statistics import log_repeated
from remembrancer.types.pattern import LEAST_EPISODES

# The largest share of a value by chance, as one of five.
_COMMON: Final = 0.2
# A value in this share of a group, and in half of all deeds at most, belongs to the group.
_MOSTLY: Final = 0.8
_HALF: Final = 0.5
# What is no circumstance unless it is significant by itself.
_NO_CIRCUMSTANCES: Final = frozenset({"event", "says", "when"})


class Repeated:
    """The values that corrections come to: what was changed, into what, where to, and why."""

    def __init__(self, conclusions: Sequence[Conclusion], grounds: Sequence[Ground], corrected: Mask) -> None:
        """Compare the conclusions with the grounds; `corrected` are the deeds that a person corrected."""
        self._values = [
            conclusion
            for conclusion in conclusions
            if conclusion.column.lstrip("@") in PUT_RIGHT and _mostly(conclusion.mask, corrected)
        ]
        self._grounds = grounds
        self._done = [ground for ground in grounds if ground.column == "@did"]
        self._size = len(corrected)

    def rules(self, among: Mask, log_alpha: float, log_share: float) -> list[BehaviourRule]:
        """Return rules for the values that corrections result in more often than chance.

        Args:
            among: the deeds that no other rule explains.
            log_alpha: the logarithm of the level of significance of the scope.
            log_share: that of the share of these rules.
        """
        tests = list(self._tests(among))
        all_of = sum(conclusion.weight for _, conclusion, _ in tests)
        found: dict[str, BehaviourRule] = {}
        for tail, conclusion, around in sorted(tests, key=lambda test: (not test[2], test[0], test[1].name)):
            strength = tail + math.log(max(1.0, all_of / conclusion.weight)) - log_share
            if strength <= log_alpha and conclusion.name not in found:
                rule = self._rule(conclusion, around or self._circumstance(conclusion), strength)
                if rule.consistency >= LEAST_CONSISTENCY:
                    found[conclusion.name] = rule
        return list(found.values())

    def instead_of(self, rule: BehaviourRule) -> BehaviourRule | None:
        """Return the rule of the value that nearly all deeds of a wording have, since wordings change; or `None`."""
        if rule.grounds or rule.conclusion.column != "says":
            return None
        rules = [self._of(conclusion, rule) for conclusion in self._values if _mostly(rule.matching, conclusion.mask)]
        good = [each for each in rules if each.count >= rule.count and each.consistency >= LEAST_CONSISTENCY]
        return min(good, key=lambda each: (each.rank, -each.count, each.key), default=None)

    def _of(self, conclusion: Conclusion, rule: BehaviourRule) -> BehaviourRule:
        done = [ground for ground in self._done if _mostly(conclusion.mask, ground.mask)]
        around = tuple(done[:1]) if conclusion.column == "@changed_to" else ()
        return self._rule(conclusion, around or self._circumstance(conclusion), rule.strength)

    def _tests(self, among: Mask) -> Iterator[tuple[float, Conclusion, tuple[Ground, ...]]]:
        """Yield the log p-value of each value's count: by itself, and among deeds with the same act."""
        for conclusion in self._values:
            for ground in (None, *self._done) if conclusion.column == "@changed_to" else (None,):
                there = conclusion.occasions & among
                if ground:
                    there = there & ground.mask
                count = deeds_in(there & conclusion.mask)
                if count >= LEAST_EPISODES:
                    tail = log_repeated(count, deeds_in(there), _COMMON)
                    yield tail, conclusion, (ground,) if ground else ()

    def _rule(self, conclusion: Conclusion, around: tuple[Ground, ...], strength: float) -> BehaviourRule:
        return state(conclusion, around, np.ones(self._size, dtype=np.bool_), strength)

    def _circumstance(self, conclusion: Conclusion) -> tuple[Ground, ...]:
        """Return the contact or topic of nearly all cases, if there is one."""
        close = [
            ground
            for ground in self._grounds
            if ground.column not in (*_NO_CIRCUMSTANCES, conclusion.column)
            and ground.rank == 0
            and not ground.tokens & conclusion.tokens
            and _mostly(conclusion.mask, ground.mask)
            and deeds_in(ground.mask) <= _HALF * self._size
        ]
        return tuple(sorted(close, key=lambda ground: (deeds_in(ground.mask), ground.name))[:1])


def _mostly(mask: Mask, other: Mask) -> bool:
    return deeds_in(mask & other) >= _MOSTLY * deeds_in(mask)
