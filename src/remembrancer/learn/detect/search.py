"""The search: which conclusions are tied to anything at all, and what ties each of them most plainly."""

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from remembrancer.learn.detect.conclusions import SUBJECT, Conclusion
from remembrancer.learn.detect.deeds import CHOSEN, CORRECTED, PUT_RIGHT, RESULTS
from remembrancer.learn.detect.grounds import Ground, Mask, deeds_in
from remembrancer.learn.detect.repeated import Repeated
from remembrancer.learn.detect.rules import LEAST_CONSISTENCY, BehaviourRule, recent, state
from remembrancer.learn.detect.statistics import log_tail, log_together, meet, packed
from remembrancer.learn.detect.wording import WRITING_ACTS
from remembrancer.types.pattern import LEAST_EPISODES

# The level of significance: how often a scope without any habits may have a rule.
ALPHA: Final = 1e-3
_LOG_ALPHA: Final = math.log(ALPHA)
# Of that, the share of each kind of habit.
_FAMILIES: Final = {"event": 0.12, "when": 0.52, "value": 0.17, "says": 0.12}
_REPEATED: Final = 1 - sum(_FAMILIES.values())
# The least logarithm that the best case of a ground must reach.
_LOG_TELLING: Final = math.log(3e-4)
# The level of an explanation by itself: among its column, and at all.
_LOG_COLUMN: Final = math.log(0.002)
_LOG_STATED: Final = math.log(1e-3)
_LOG_LIKELY: Final = math.log(0.02)
# Grounds within this factor of the best explain as well, and the plainest of them is used.
_LOG_AS_GOOD: Final = math.log(100)
# How many grounds of one conclusion are tried in pairs.
_PAIRED: Final = 14
# How many separate explanations of one conclusion are looked for.
_ROUNDS: Final = 4
# A conclusion with this share of cases in one circumstance belongs to that circumstance.
MOSTLY: Final = 0.8
# The least number of corrections without a circumstance.
_LEAST_ALONE: Final = 5
_WEAK: Final = frozenset({"when", "says"})
# A thing that explains this share of a conclusion replaces its hour as an explanation.
_MOST_OF_IT: Final = 0.7
# A second circumstance must keep this share, improve the confidence this much, and be this unlikely by chance.
_NEARLY_ALL: Final = 0.8
_BETTER: Final = 0.1
_LOG_REFINED: Final = math.log(0.01)
# A thing and its time are combined if most cases of the one have the other, and this seldom by chance.
_LOG_SHARED: Final = math.log(1e-4)
# A correction of fewer occasions is occasional, and no habit.
_LEAST_SHARE: Final = 0.12
# A wording has a time only if nearly all cases have it.
_LEAST_TIMED: Final = 0.8
# Words of these are their outcome, and explain nothing.
_OUTCOMES: Final = frozenset({"outcome=approved", "outcome=modified"})
# A usual result is only reported for deeds that no other rule explains: else it is the reverse of one.
_APPROVED: Final = "outcome=approved"
# The column that is expected to explain a conclusion of another most.
_LIKELY: Final = {"says": "event", "@changed_to": "@did", "@to": "contact"}
# The kinds of event that make a wording a correction.
_CORRECTIONS: Final = frozenset(f"event={event}" for event in (*CORRECTED, "corrected", "modified"))
_SHADOW: Final = 0.5
# Elsewhere the share must be half as large at most: with many deeds a small difference is significant too.
_HALF: Final = 0.5
_PLAIN_COLUMNS: Final = ("contact", "person", "organisation")

Reals = NDArray[np.float64]
Places = Sequence[int]


class Search:
    """All the conclusions of a scope against all of its circumstances."""

    def __init__(
        self, grounds: Sequence[Ground], conclusions: Sequence[Conclusion], apart: Mask, corrected: Mask
    ) -> None:
        """Prepare the masks and their counts.

        Args:
            grounds: ordered by column.
            conclusions: in any order.
            apart: the deeds that are occasions of their own: of several soon after each other the first.
            corrected: the deeds that a person corrected.
        """
        self.grounds = grounds
        chosen = _chosen(conclusions, len(apart))
        self.conclusions = conclusions = [
            conclusion for conclusion in conclusions if conclusion.likely and not _repeats(conclusion, chosen)
        ]
        self._repeated = Repeated(conclusions, grounds, corrected)
        self._size = size = len(apart)
        timed = {ground.column: apart for ground in grounds if ground.column == "when"}
        everything = np.ones(size, dtype=np.bool_)
        self._holds = packed([ground.mask & timed.get(ground.column, everything) for ground in grounds], size)
        # Grounds are ordered by column, so that each column is a range of places.
        self._columns = list(dict.fromkeys(ground.column for ground in grounds))
        place = {column: at for at, column in enumerate(self._columns)}
        self._column = np.array([place[ground.column] for ground in grounds], dtype=np.int64)
        self._starts = np.searchsorted(self._column, np.arange(len(self._columns)))
        within = {ground.column: ground.within for ground in grounds}
        self._within = packed([within[column] & timed.get(column, everything) for column in self._columns], size)
        self._fits = _fitting(conclusions, grounds)
        self._tried = np.array([ground.tried for ground in grounds], dtype=np.bool_)
        self._counts = np.array([ground.counts for ground in grounds])
        self._likely = np.array([ground.likely for ground in grounds])
        self._log_likely = np.log(self._likely)
        self._weights = np.array([conclusion.weight for conclusion in conclusions])
        self._shares = np.zeros(len(conclusions))
        self._people = np.array([ground.column in _PLAIN_COLUMNS for ground in grounds], dtype=np.bool_)
        self._alike = np.array([_alike(g) for g in grounds], dtype=np.bool_)
        self._weekly = np.array([_is_weekly(ground) for ground in grounds], dtype=np.bool_)
        self._things = np.array([_is_thing(ground) for ground in grounds], dtype=np.bool_)

    def rules(self) -> list[BehaviourRule]:
        """Return one rule for each explained conclusion, and further ones for the rest of its deeds."""
        if not self.grounds or not self.conclusions:
            return []
        usual = [at for at, conclusion in enumerate(self.conclusions) if _is_usual(conclusion)]
        first = [at for at in range(len(self.conclusions)) if at not in usual]
        everything = np.ones(self._size, dtype=np.bool_)
        self._share_out(self._seen([(at, everything) for at in range(len(self.conclusions))]))
        found = self._in_rounds(first, [])
        found += [better for rule in found if (better := self._repeated.instead_of(rule))]
        found += self._repeated.rules(self._unexplained(found), _LOG_ALPHA, math.log(_REPEATED))
        return found + self._in_rounds(usual, found)

    def _in_rounds(self, places: Places, before: Sequence[BehaviourRule]) -> list[BehaviourRule]:
        """Return the rules of some conclusions, for what those `before` leave unexplained."""
        found: list[BehaviourRule] = []
        waiting = dict.fromkeys(places, self._unexplained(before))
        for _ in range(_ROUNDS):
            waiting = {
                at: among
                for at, among in waiting.items()
                if deeds_in(self.conclusions[at].mask & among) >= LEAST_EPISODES
            }
            new = self._round(waiting, self._seen(list(waiting.items()))) if waiting else {}
            if not new:
                break
            found += new.values()
            unexplained = self._unexplained(found)
            for at in list(waiting):
                rule = new.get(at)
                if rule and not rule.grounds:
                    del waiting[at]
                elif rule:
                    waiting[at] = waiting[at] & ~(rule.matching | rule.against)
                else:
                    waiting[at] = waiting[at] & unexplained
        return found

    def _unexplained(self, rules: Sequence[BehaviourRule]) -> Mask:
        explained = np.zeros(self._size, dtype=np.bool_)
        for rule in rules:
            explained |= rule.matching
        return ~explained

    def _share_out(self, seen: "_Seen") -> None:
        """Divide the level of significance among the conclusions that can have a rule."""
        able = seen.looked.any(axis=1)
        families = np.array([conclusion.family for conclusion in self.conclusions])
        weights = {family: float(self._weights[able & (families == family)].sum()) for family in _FAMILIES}
        present = sum((share for family, share in _FAMILIES.items() if weights[family]), _REPEATED)
        self._shares = np.full(len(families), math.inf)
        for family, weight in weights.items():
            if weight:
                own = families == family
                all_of = weight * present / _FAMILIES[family]
                self._shares[own] = np.log(np.maximum(all_of / self._weights[own], 1.0))

    def _round(self, waiting: Mapping[int, Mask], seen: "_Seen") -> dict[int, BehaviourRule]:
        found: dict[int, BehaviourRule] = {}
        # The product of the three best columns is the largest possible result.
        most = np.sort(seen.columns, axis=1)[:, :3].sum(axis=1) + self._shares[list(waiting)]
        for row, (at, among) in enumerate(waiting.items()):
            if most[row] > _LOG_ALPHA:
                continue
            strength = self._strength(seen, row, _LIKELY.get(self.conclusions[at].column)) + float(self._shares[at])
            if strength <= _LOG_ALPHA and (rule := self._stated(at, among, seen, row, strength)):
                whole = self._of_all(rule)
                if whole.consistency >= LEAST_CONSISTENCY:
                    found[at] = whole
        return found

    def _of_all(self, rule: BehaviourRule) -> BehaviourRule:
        """Return a rule counted in all deeds, since exceptions alone would look like habits."""
        everything = np.ones(self._size, dtype=np.bool_)
        return recent(
            state(rule.conclusion, rule.grounds, everything, rule.strength, turned=rule.turned, opposed=rule.opposed)
        )

    def _seen(self, open_: list[tuple[int, Mask]]) -> "_Seen":
        mask = packed([self.conclusions[at].mask & among for at, among in open_], self._size)
        within = packed([self.conclusions[at].within & among for at, among in open_], self._size)
        both, where = meet(mask, self._holds), meet(within, self._holds)
        concluded = meet(mask, self._within)[:, self._column]
        all_of = meet(within, self._within)[:, self._column]
        # Only tests that could be significant count.
        able = log_tail(np.minimum(where, concluded), where, concluded, all_of) <= _LOG_TELLING
        looked = self._fits[[at for at, _ in open_]] & self._tried & (where >= LEAST_EPISODES) & able
        likely = np.where(looked, self._likely, 0.0)
        number = np.maximum(
            np.add.reduceat(likely * self._counts, self._starts, axis=1),
            np.maximum.reduceat(likely, self._starts, axis=1),
        )
        tails = log_tail(both, where, concluded, all_of)
        best = np.minimum.reduceat(np.where(looked, tails - self._log_likely, 0.0), self._starts, axis=1)
        log_number = np.log(np.maximum(number, 1.0))
        return _Seen(
            both=both,
            where=where,
            concluded=concluded,
            all_of=all_of,
            looked=number > 0,
            columns=np.minimum(0.0, best + log_number),
            tails=tails,
            corrected=tails + log_number[:, self._column] - self._log_likely,
        )

    def _strength(self, seen: "_Seen", row: int, expected: str | None) -> float:
        """Return the logarithm of how likely it is that nothing ties a conclusion to anything."""
        columns = seen.columns[row]
        likely = float(columns[self._columns.index(expected)]) if expected in self._columns else None
        return log_together(columns[seen.looked[row]].tolist(), likely)

    def _stated(self, at: int, among: Mask, seen: "_Seen", row: int, strength: float) -> BehaviourRule | None:
        conclusion = self.conclusions[at]
        tails = seen.tails[row]
        able = self._fits[at] & (seen.both[row] >= LEAST_EPISODES)
        able &= (seen.corrected[row] <= _LOG_COLUMN) & (tails <= _LOG_STATED)
        # What explains far worse than the best is a shadow of it, though it may be more consistent.
        best = float(tails[able & ~self._alike].min(initial=0.0))
        able &= self._alike | (tails <= _SHADOW * best)
        worded = able & ~self._alike if conclusion.column == "says" else able
        rule = None
        if conclusion.rank < SUBJECT:
            share = self._share(conclusion, among)
            outside = (seen.concluded[row] - seen.both[row]) / np.maximum(seen.all_of[row] - seen.where[row], 1)
            remarkable = outside <= _HALF * share
            if _is_usual(conclusion):
                remarkable &= seen.where[row] <= seen.all_of[row] / 2
            steady = _places(worded & remarkable & (share >= LEAST_CONSISTENCY))
            rule = self._one(conclusion, among, steady, tails, strength)
            rule = rule or self._since(conclusion, among, _places(worded & remarkable), tails, strength)
            rule = rule or self._two(conclusion, among, able & ~self._alike, tails, strength)
            if rule and len(rule.grounds) == 1:
                rule = self._refined(rule, among, able & ~self._alike, tails)
            if rule and len(rule.grounds) == 1:
                rule = self._timed(rule, among, self._fits[at])
        if rule is None:
            timed = np.array([ground.column == "when" for ground in self.grounds], dtype=np.bool_)
            share = seen.both[row] / np.maximum(seen.concluded[row], 1)
            others = (seen.where[row] - seen.both[row]) / np.maximum(seen.all_of[row] - seen.concluded[row], 1)
            least = _LEAST_TIMED if conclusion.column == "says" else LEAST_CONSISTENCY
            chosen = _places(able & timed & (share >= least) & (others <= _HALF * share))
            rule = self._one(conclusion, among, chosen, tails, strength, turned=True)
        put_right = conclusion.rank == 1 or (conclusion.alone and not conclusion.acts)
        if rule is None and conclusion.column == "says" and put_right:
            # A contact with nearly all cases is reported, though that may be likely by itself.
            whom = self._fits[at] & self._people & (tails <= _LOG_LIKELY)
            mostly = _places(
                (worded | whom)
                & (seen.both[row] >= MOSTLY * seen.concluded[row])
                & (seen.where[row] <= seen.all_of[row] / 2)
            )
            rule = self._opposed(conclusion, among, mostly, tails, strength)
        return rule

    def _share(self, conclusion: Conclusion, among: Mask) -> Reals:
        rows = [conclusion.occasions & among, conclusion.occasions & conclusion.mask & among]
        occasions, matching = meet(packed(rows, self._size), self._holds)
        return matching / np.maximum(occasions, 1)

    def _one(
        self, conclusion: Conclusion, among: Mask, places: Places, tails: Reals, strength: float, *,
        turned: bool = False,
    ) -> BehaviourRule | None:  # fmt: skip
        if not len(places):
            return None
        return state(conclusion, (self._plainest(conclusion, among, places, tails),), among, strength, turned=turned)

    def _since(
        self, conclusion: Conclusion, among: Mask, places: Places, tails: Reals, strength: float
    ) -> BehaviourRule | None:
        """Return the rule of a habit that began within these events."""
        begun = [
            at
            for at in sorted(places, key=lambda at: (tails[at], self.grounds[at].name))[:_PAIRED]
            if recent(state(conclusion, (self.grounds[at],), among, strength)).consistency >= LEAST_CONSISTENCY
        ]
        return self._one(conclusion, among, begun, tails, strength)

    def _plainest(self, conclusion: Conclusion, among: Mask, places: Places, tails: Reals) -> Ground:
        # The thing precedes the hour and the word: if all that happens at one time, or in one word, is of one kind,
        # the rule is about the kind.
        matching = conclusion.mask & among
        if any(
            self.grounds[at].column not in _WEAK
            and deeds_in(self.grounds[at].mask & matching) >= _MOST_OF_IT * deeds_in(matching)
            for at in places
        ):
            places = [at for at in places if self.grounds[at].column not in _WEAK]
        good = [at for at in places if tails[at] <= min(float(tails[at]) for at in places) + _LOG_AS_GOOD]
        return self.grounds[min(good, key=lambda at: (*_plain(self.grounds[at]), tails[at], self.grounds[at].name))]

    def _two(
        self, conclusion: Conclusion, among: Mask, able: Mask, tails: Reals, strength: float
    ) -> BehaviourRule | None:
        places = sorted(_places(able), key=lambda at: (tails[at], self.grounds[at].name))[:_PAIRED]
        rules: list[tuple[float, BehaviourRule]] = []
        for one, two in combinations(places, 2):
            first, second = self.grounds[one], self.grounds[two]
            if first.column == second.column:
                continue
            rule = state(conclusion, (first, second), among, strength)
            if rule.count < LEAST_EPISODES or rule.consistency < LEAST_CONSISTENCY:
                continue
            gains = [_gain(conclusion, one, more, among) for one, more in ((first, second), (second, first))]
            if max(gains) <= _LOG_STATED:
                rules.append((_tail(rule.matching, first.mask & second.mask, conclusion, among), rule))
        if not rules:
            return None
        least = min(tail for tail, _ in rules) + _LOG_AS_GOOD
        return min((row for row in rules if row[0] <= least), key=lambda row: _order(*row))[1]

    def _refined(self, rule: BehaviourRule, among: Mask, able: Mask, tails: Reals) -> BehaviourRule:
        """Return a rule with the second circumstance that its exceptions lack, if there is one."""
        (first,) = rule.grounds
        best: tuple[float, BehaviourRule] | None = None
        for at in sorted(_places(able), key=lambda at: (tails[at], self.grounds[at].name))[:_PAIRED]:
            second = self.grounds[at]
            if second.column in (first.column, "says"):
                continue
            both = state(rule.conclusion, (first, second), among, rule.strength)
            if both.count < _NEARLY_ALL * rule.count or both.consistency < rule.consistency + _BETTER:
                continue
            gain = _gain(rule.conclusion, first, second, among)
            if gain <= _LOG_REFINED and (best is None or gain < best[0]):
                best = (gain, both)
        return best[1] if best else rule

    def _timed(self, rule: BehaviourRule, among: Mask, fits: Mask) -> BehaviourRule:
        """Return a rule of a thing with the weekly time of nearly all its cases, or the reverse."""
        (first,) = rule.grounds
        if rule.conclusion.column.lstrip("@") in CHOSEN:
            # A choice is made at any hour, so the time of its report means nothing.
            return rule
        best: tuple[float, BehaviourRule] | None = None
        for at in _places(fits & (self._things if first.column == "when" else self._weekly)):
            second = self.grounds[at]
            shared = _shared(rule, second, among)
            if shared > (_LOG_SHARED if best is None else best[0]):
                continue
            both = state(rule.conclusion, (first, second), among, rule.strength)
            if both.count >= _MOST_OF_IT * rule.count and both.consistency >= rule.consistency:
                best = (shared, both)
        return best[1] if best else rule

    def _opposed(
        self, conclusion: Conclusion, among: Mask, places: Places, tails: Reals, strength: float
    ) -> BehaviourRule | None:
        """Return the rule of a repeated correction; only the opposite correction counts against it."""
        grounds: tuple[Ground, ...] = ()
        if len(places):
            grounds = (self._plainest(conclusion, among, places, tails),)
        elif not (conclusion.alone and self._tied_to_correction(tails)):
            return None
        rule = state(conclusion, grounds, among, strength, opposed=True)
        least = LEAST_EPISODES if grounds else _LEAST_ALONE
        if rule.count < least or rule.consistency < LEAST_CONSISTENCY or rule.share < _LEAST_SHARE:
            return None
        return rule

    def _tied_to_correction(self, tails: Reals) -> bool:
        return bool((tails[self._alike] <= _LOG_STATED).any())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    """The test of each open conclusion (a row) with each ground: counts and log p-values.

    Args:
        both: the number of deeds with both.
        where: the number with the ground where the conclusion is known.
        concluded: the reverse.
        all_of: the number where both are known.
        looked: which tests could be significant.
        columns: the best of each column, corrected for the tests in it.
        tails: of each ground by itself.
        corrected: the same, corrected for the tests in its column.
    """

    both: Reals
    where: Reals
    concluded: Reals
    all_of: Reals
    looked: Mask
    columns: Reals
    tails: Reals
    corrected: Reals


def _is_usual(conclusion: Conclusion) -> bool:
    """Return True for a usual result: that drafts are approved, that a priority is normal."""
    if conclusion.name == _APPROVED:
        return True
    if conclusion.family != "value" or conclusion.column.lstrip("@") in PUT_RIGHT:
        return False
    return 2 * deeds_in(conclusion.mask) > deeds_in(conclusion.within)


def _chosen(conclusions: Sequence[Conclusion], size: int) -> Mask:
    """Return the events with an attribute for a choice or a destination."""
    occasions = np.zeros(size, dtype=np.bool_)
    for conclusion in conclusions:
        if conclusion.column.lstrip("@") in CHOSEN:
            occasions |= conclusion.occasions
    return occasions


def _frame(conclusion: Conclusion, grounds: Sequence[Ground]) -> Mask:
    """Return the words that nearly all of a column has, and nothing else: "handed on" explains no route."""
    occasions = conclusion.occasions
    return np.array(
        [
            ground.column == "says"
            and deeds_in(ground.mask & occasions) >= MOSTLY * max(deeds_in(occasions), deeds_in(ground.mask))
            for ground in grounds
        ],
        dtype=np.bool_,
    )


def _repeats(conclusion: Conclusion, chosen: Mask) -> bool:
    """Return True if its words only accompany an attribute with the same meaning."""
    return conclusion.column == "says" and deeds_in(conclusion.mask & chosen) >= MOSTLY * deeds_in(conclusion.mask)


def _places(mask: Mask) -> list[int]:
    return [int(at) for at in np.flatnonzero(mask)]


def _gain(conclusion: Conclusion, first: Ground, more: Ground, among: Mask) -> float:
    """Return the log p-value that `more` adds nothing among the deeds of `first`."""
    among = among & first.mask & more.within
    return _tail(conclusion.mask & more.mask & among, more.mask, conclusion, among)


def _shared(rule: BehaviourRule, more: Ground, among: Mask) -> float:
    """Return the log p-value that the cases of a rule have `more` by chance, of all deeds."""
    within = more.within & among
    return _meeting(rule.matching & more.mask & within, more.mask & within, rule.matching & within, within)


def _tail(both: Mask, where: Mask, conclusion: Conclusion, among: Mask) -> float:
    within = conclusion.within & among
    return _meeting(both & within, where & within, conclusion.mask & among, within)


def _meeting(*masks: Mask) -> float:
    """`log_tail` of how many deeds are in each of its four."""
    return float(log_tail(*(np.array([float(deeds_in(mask))]) for mask in masks))[0])


def _order(tail: float, rule: BehaviourRule) -> tuple[int, int, float, str]:
    plain = [_plain(ground) for ground in rule.grounds]
    return (sum(row[0] for row in plain), sum(row[1] for row in plain), tail, rule.key)


def _plain(ground: Ground) -> tuple[int, int]:
    """Return the simplicity of an explanation: contacts, then values, then words, then kinds of events."""
    if ground.column in _PLAIN_COLUMNS:
        return 0, ground.rank
    late = {"says": 2, "event": 3}
    return late.get(ground.column, 1), ground.rank


def _is_weekly(ground: Ground) -> bool:
    """Return True if it is a time of one weekday."""
    return ground.column == "when" and ground.name.partition("=")[2][:1].isalpha()


def _is_thing(ground: Ground) -> bool:
    """Return True if it is whom or what something concerns, and no time, word, event or bound."""
    return ground.column not in ("when", "says", "event") and not re.search("[<>]", ground.name)


def _alike(ground: Ground) -> bool:
    return ground.column == "event"


def _fitting(conclusions: Sequence[Conclusion], grounds: Sequence[Ground]) -> Mask:
    """Return which grounds may explain which conclusions: not of the same column, nor the same in other words."""
    fits = np.ones((len(conclusions), len(grounds)), dtype=np.bool_)
    results = np.array([ground.column.lstrip("@") in RESULTS for ground in grounds], dtype=np.bool_)
    columns = np.array([ground.column for ground in grounds])
    when = columns == "when"
    corrections = np.array(
        [not _alike(each) or not _CORRECTIONS.isdisjoint(each.names) for each in grounds], dtype=np.bool_
    )
    saying: dict[str, list[int]] = defaultdict(list)
    for at, ground in enumerate(grounds):
        for token in ground.tokens:
            saying[token].append(at)
    frames: dict[str, Mask] = {}
    for row, conclusion in enumerate(conclusions):
        fits[row] = (columns != conclusion.column) & ~results
        if conclusion.rank == SUBJECT:
            fits[row] &= when
        if conclusion.column == "says":
            fits[row] &= corrections
        if conclusion.column.lstrip("@") in RESULTS:
            fits[row] &= columns != "event"
        if conclusion.column == "says" and conclusion.acts & WRITING_ACTS:
            fits[row] &= ~when
        if conclusion.column.lstrip("@") in CHOSEN:
            if conclusion.column not in frames:
                frames[conclusion.column] = _frame(conclusion, grounds)
            fits[row] &= ~frames[conclusion.column]
        if conclusion.column == "@changed_to":
            fits[row] &= columns != "says"
        if conclusion.name in _OUTCOMES:
            fits[row] &= columns != "says"
        for token in conclusion.tokens:
            fits[row, saying.get(token, [])] = False
    return fits
