"""What a rule is: circumstances and what follows of them, with the deeds in which it held and in which it did not."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Final

import numpy as np

from remembrancer.learn.detect.chance import log_repeated, log_tail
from remembrancer.learn.detect.conclusions import Conclusion
from remembrancer.learn.detect.grounds import Ground, Mask, deeds_in

LEAST_CONSISTENCY: Final = 0.7
# The rank of a rule that tells when something is done, and of one that tells a reason for its subject.
_TIMED: Final = 2
_REASON: Final = 5
# How unlikely a run of occasions without it may be before a habit has stopped.
_STOPPED: Final = 0.01
_LEAST_EXCEPTIONS: Final = 0.1
# In how many of its occasions anything may be put right now and then; how unlikely it is that a habit is that.
NOW_AND_THEN: Final = 0.1
LOG_HABIT: Final = math.log(0.005)
# A habit that holds in less than half of so many occasions has turned.
TURNED: Final = 0.5
OCCASIONS: Final = 5
# How unlikely it must be that a rule held so seldom first and so often later by chance, or the other way round.
_LOG_BEGUN: Final = math.log(0.01)


@dataclass(frozen=True, slots=True, kw_only=True)
class BehaviourRule:
    """Circumstances and what follows of them.

    Args:
        grounds: none, one or two.
        turned: whether it is the first ground that follows: a thing has its time.
        opposed: whether only the opposite of it counts against it, and not that nothing was done.
        strength: the logarithm of how likely it is to be chance, all that was looked at included.
        elsewhere: in how many deeds it holds where the circumstances do not, and how many those are.
    """

    grounds: tuple[Ground, ...]
    conclusion: Conclusion
    turned: bool = False
    opposed: bool = False
    held: Mask
    against: Mask
    strength: float
    elsewhere: tuple[int, int]

    @property
    def count(self) -> int:
        """In how many deeds it holds."""
        return deeds_in(self.held)

    @property
    def rank(self) -> int:
        """How well it tells a behaviour; 0 is best."""
        worded = self.conclusion.column == "event" and any(ground.column == "says" for ground in self.grounds)
        if worded and not self.against.any():
            # A word that stands nowhere else is the reason rather than what it was about.
            return _REASON
        return _TIMED if self.turned else self.conclusion.rank

    @property
    def consistency(self) -> float:
        """The share of its occasions in which it holds."""
        return self.count / max(1, self.count + deeds_in(self.against))

    @property
    def chances(self) -> int:
        """In how many deeds it might have held since it first did."""
        return deeds_in(self._at_all[int(self.held.argmax()) :])

    @property
    def occasions(self) -> Mask:
        """The deeds in which it might have held."""
        return self._at_all if self.opposed else self.held | self.against

    @property
    def _at_all(self) -> Mask:
        occasions = self.conclusion.occasions | self.held
        for ground in self.grounds:
            occasions = occasions & (ground.holds | self.held)
        return occasions

    @property
    def cases(self) -> int:
        """In how many deeds it might have held, as is told."""
        return self.chances if self.opposed else deeds_in(self.occasions)

    @property
    def share(self) -> float:
        """The share of those deeds in which it held; of a thing that has its time, the consistency."""
        return self.consistency if self.turned else self.count / max(1, self.chances)

    @property
    def is_habit(self) -> bool:
        """Whether it holds so often among all its occasions that it is not what merely happens now and then."""
        if not self.opposed:
            return True
        return log_repeated(self.count, self.chances, NOW_AND_THEN) <= LOG_HABIT

    def named(self) -> Iterator["Named"]:
        """The names it may go by: the first are its own, the others are those of circumstances of the same deeds."""
        for conclusion in self.conclusion.names:
            for grounds in product(*(ground.names for ground in self.grounds)):
                yield Named(grounds=grounds, conclusion=conclusion, turned=self.turned)

    @property
    def key(self) -> str:
        """What it goes by."""
        return next(self.named()).key


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A rule by the names of its circumstances and of what follows."""

    grounds: tuple[str, ...]
    conclusion: str
    turned: bool

    @property
    def key(self) -> str:
        """Canonical, whatever the wording and the window."""
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
    """A rule with its deeds counted."""
    within = conclusion.occasions & among
    inside = within.copy()
    for ground in grounds:
        inside &= ground.holds
    if opposed:
        held, against, outside = conclusion.holds & inside, conclusion.opposed & inside, within & ~inside
    elif turned:
        held = conclusion.holds & inside
        against = conclusion.holds & among & grounds[0].within & ~inside
        outside = grounds[0].within & among & ~conclusion.holds
    else:
        held, against, outside = inside & conclusion.holds, inside & ~conclusion.holds, within & ~inside
    same = (grounds[0].holds if turned else conclusion.holds) & outside
    return BehaviourRule(
        grounds=grounds,
        conclusion=conclusion,
        turned=turned,
        opposed=opposed,
        held=held,
        against=against,
        strength=strength,
        elsewhere=(deeds_in(same), deeds_in(outside)),
    )


def recent(rule: BehaviourRule) -> BehaviourRule:
    """A rule that held too seldom, counted from where it began to hold, if it plainly did within these deeds."""
    if rule.opposed or rule.turned or rule.consistency >= LEAST_CONSISTENCY:
        return rule
    places = np.flatnonzero(rule.held | rule.against)
    held = rule.held[places].astype(np.float64)
    so_far = np.cumsum(held) - held
    number = np.arange(len(places), dtype=np.float64)
    after = held.sum() - so_far
    later = len(places) - number
    steady = (after >= LEAST_CONSISTENCY * later) & (so_far <= (1 - LEAST_CONSISTENCY) * number) & (held > 0)
    tails = np.where(steady, log_tail(after, np.array(held.sum()), later, np.array(float(len(places)))), 0.0)
    best = int(tails.argmin()) if len(places) else 0
    if not len(places) or tails[best] > _LOG_BEGUN:
        return rule
    since = np.arange(len(rule.held)) >= places[best]
    return replace(rule, held=rule.held & since, against=rule.against & since)


def turned(rule: BehaviourRule) -> bool:
    """Whether a habit holds in less than half of its occasions, of all or since it plainly changed."""
    held = rule.held[np.flatnonzero(rule.held | rule.against)]
    if len(held) >= OCCASIONS and rule.consistency < TURNED:
        return True
    for at in range(OCCASIONS, len(held) - OCCASIONS + 1):
        before, after = held[:at], held[at:]
        missed = len(after) - int(after.sum())
        if missed > (1 - TURNED) * len(after):
            usual = max(1 - float(before.mean()), _LEAST_EXCEPTIONS)
            if log_repeated(missed, len(after), usual) <= _LOG_BEGUN:
                return True
    return False


def stopped(rule: BehaviourRule, judged: Mask) -> bool:
    """Whether a habit has had so many occasions since it last held that it is one no longer.

    Args:
        rule: deeds are in the order of their times.
        judged: the deeds that a person judged or put right.
    """
    occasions = rule.held | rule.against
    if _over(rule, occasions):
        return True
    if not rule.opposed:
        return False
    occasions = rule.conclusion.occasions & judged
    for ground in rule.grounds:
        occasions = occasions & ground.holds
    return _over(rule, occasions | rule.held)


def _over(rule: BehaviourRule, occasions: Mask) -> bool:
    places = np.flatnonzero(rule.held)
    if not len(places):
        return deeds_in(occasions) >= OCCASIONS
    first, last = int(places[0]), int(places[-1])
    share = rule.count / deeds_in(occasions[first : last + 1])
    return max(1 - share, _LEAST_EXCEPTIONS) ** deeds_in(occasions[last + 1 :]) < _STOPPED
