"""Rules: circumstances and a conclusion, with the deeds for and against them."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Final

import numpy as np

from remembrancer.learn.detect.conclusions import Conclusion
from remembrancer.learn.detect.grounds import Ground, Mask, deeds_in
from remembrancer.learn.detect.statistics import log_repeated, log_tail

LEAST_CONSISTENCY: Final = 0.7
# The rank of a rule about a time, and of one with a reason for its subject.
_TIMED: Final = 2
_REASON: Final = 5
# How unlikely a run of occasions without it may be before a habit has stopped.
_STOPPED: Final = 0.01
_LEAST_EXCEPTIONS: Final = 0.1
# The share of occasions with an occasional correction; the level at which a habit differs from that.
NOW_AND_THEN: Final = 0.1
LOG_HABIT: Final = math.log(0.005)
# A habit that matches less than half of this many occasions has turned.
TURNED: Final = 0.5
OCCASIONS: Final = 5
# The level at which a rule matched more seldom first and more often later, or the reverse.
_LOG_BEGUN: Final = math.log(0.01)


@dataclass(frozen=True, slots=True, kw_only=True)
class BehaviourRule:
    """Circumstances and a conclusion from them.

    Args:
        grounds: none, one or two.
        turned: True if the first ground is the result: a thing has its time.
        opposed: True if only the opposite counts against it, and not that nothing was done.
        strength: the corrected log p-value.
        elsewhere: how many deeds outside the circumstances have the conclusion, and how many there are.
    """

    grounds: tuple[Ground, ...]
    conclusion: Conclusion
    turned: bool = False
    opposed: bool = False
    matching: Mask
    against: Mask
    strength: float
    elsewhere: tuple[int, int]

    @property
    def count(self) -> int:
        """The number of deeds that match it."""
        return deeds_in(self.matching)

    @property
    def rank(self) -> int:
        """The quality of its description of a behaviour; 0 is best."""
        worded = self.conclusion.column == "event" and any(ground.column == "says" for ground in self.grounds)
        if worded and not self.against.any():
            # A word without any other use is the reason rather than the subject.
            return _REASON
        return _TIMED if self.turned else self.conclusion.rank

    @property
    def consistency(self) -> float:
        """The share of its occasions that match it."""
        return self.count / max(1, self.count + deeds_in(self.against))

    @property
    def chances(self) -> int:
        """The number of deeds since its first match in which it was possible."""
        return deeds_in(self._at_all[int(self.matching.argmax()) :])

    @property
    def occasions(self) -> Mask:
        """The deeds in which it was possible."""
        return self._at_all if self.opposed else self.matching | self.against

    @property
    def _at_all(self) -> Mask:
        occasions = self.conclusion.occasions | self.matching
        for ground in self.grounds:
            occasions = occasions & (ground.mask | self.matching)
        return occasions

    @property
    def cases(self) -> int:
        """The number of deeds in which it was possible, as shown to people."""
        return self.chances if self.opposed else deeds_in(self.occasions)

    @property
    def share(self) -> float:
        """The share of those deeds that match it; of a thing with a time, the consistency."""
        return self.consistency if self.turned else self.count / max(1, self.chances)

    @property
    def is_habit(self) -> bool:
        """True if too many of its occasions match it for something occasional."""
        if not self.opposed:
            return True
        return log_repeated(self.count, self.chances, NOW_AND_THEN) <= LOG_HABIT

    def named(self) -> Iterator["Named"]:
        """Yield its possible names: its own first, then those of circumstances of the same events."""
        for conclusion in self.conclusion.names:
            for grounds in product(*(ground.names for ground in self.grounds)):
                yield Named(grounds=grounds, conclusion=conclusion, turned=self.turned)

    @property
    def key(self) -> str:
        """The key of its first name."""
        return next(self.named()).key


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A rule by the names of its circumstances and of what follows."""

    grounds: tuple[str, ...]
    conclusion: str
    turned: bool

    @property
    def key(self) -> str:
        """The canonical key, independent of the wording and the window."""
        circumstances = " & ".join(sorted(self.grounds)) or "*"
        return f"{self.conclusion} -> {circumstances}" if self.turned else f"{circumstances} -> {self.conclusion}"


def state(
    conclusion: Conclusion,
    grounds: tuple[Ground, ...],
    among: Mask,
    strength: float,
    *,
    turned: bool = False,
    opposed: bool = False,
) -> BehaviourRule:
    """Return a rule with its deeds counted."""
    within = conclusion.occasions & among
    inside = within.copy()
    for ground in grounds:
        inside &= ground.mask
    if opposed:
        matching, against, outside = conclusion.mask & inside, conclusion.opposed & inside, within & ~inside
    elif turned:
        matching = conclusion.mask & inside
        against = conclusion.mask & among & grounds[0].within & ~inside
        outside = grounds[0].within & among & ~conclusion.mask
    else:
        matching, against, outside = inside & conclusion.mask, inside & ~conclusion.mask, within & ~inside
    same = (grounds[0].mask if turned else conclusion.mask) & outside
    return BehaviourRule(
        grounds=grounds,
        conclusion=conclusion,
        turned=turned,
        opposed=opposed,
        matching=matching,
        against=against,
        strength=strength,
        elsewhere=(deeds_in(same), deeds_in(outside)),
    )


def recent(rule: BehaviourRule) -> BehaviourRule:
    """Return a rare rule counted from its beginning, if it clearly began within these deeds."""
    if rule.opposed or rule.turned or rule.consistency >= LEAST_CONSISTENCY:
        return rule
    places = np.flatnonzero(rule.matching | rule.against)
    matching = rule.matching[places].astype(np.float64)
    so_far = np.cumsum(matching) - matching
    number = np.arange(len(places), dtype=np.float64)
    after = matching.sum() - so_far
    later = len(places) - number
    steady = (after >= LEAST_CONSISTENCY * later) & (so_far <= (1 - LEAST_CONSISTENCY) * number) & (matching > 0)
    tails = np.where(steady, log_tail(after, np.array(matching.sum()), later, np.array(float(len(places)))), 0.0)
    best = int(tails.argmin()) if len(places) else 0
    if not len(places) or tails[best] > _LOG_BEGUN:
        return rule
    since = np.arange(len(rule.matching)) >= places[best]
    return replace(rule, matching=rule.matching & since, against=rule.against & since)


def turned(rule: BehaviourRule) -> bool:
    """Return True if a habit matches less than half of its occasions, of all or since a clear change."""
    matching = rule.matching[np.flatnonzero(rule.matching | rule.against)]
    if len(matching) >= OCCASIONS and rule.consistency < TURNED:
        return True
    for at in range(OCCASIONS, len(matching) - OCCASIONS + 1):
        before, after = matching[:at], matching[at:]
        missed = len(after) - int(after.sum())
        if missed > (1 - TURNED) * len(after):
            usual = max(1 - float(before.mean()), _LEAST_EXCEPTIONS)
            if log_repeated(missed, len(after), usual) <= _LOG_BEGUN:
                return True
    return False


def stopped(rule: BehaviourRule, judged: Mask) -> bool:
    """Return True if a habit has had so many occasions without a match that it is over.

    Args:
        rule: its deeds are in the order of their times.
        judged: the deeds that a person reviewed or corrected.
    """
    occasions = rule.matching | rule.against
    if _over(rule, occasions):
        return True
    if not rule.opposed:
        return False
    occasions = rule.conclusion.occasions & judged
    for ground in rule.grounds:
        occasions = occasions & ground.mask
    return _over(rule, occasions | rule.matching)


def _over(rule: BehaviourRule, occasions: Mask) -> bool:
    places = np.flatnonzero(rule.matching)
    if not len(places):
        return deeds_in(occasions) >= OCCASIONS
    first, last = int(places[0]), int(places[-1])
    share = rule.count / deeds_in(occasions[first : last + 1])
    return max(1 - share, _LEAST_EXCEPTIONS) ** deeds_in(occasions[last + 1 :]) < _STOPPED
