"""The keys of rules: rules found before are counted again, and contradictions are found, by them."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final, NamedTuple

import numpy as np

from remembrancer.learn.detect.conclusions import Conclusion
from remembrancer.learn.detect.deeds import REPLACED, ParsedDeed
from remembrancer.learn.detect.grounds import WEEKDAYS, Ground, Mask, event_names
from remembrancer.learn.detect.orders import BOUND, MOMENT
from remembrancer.learn.detect.ranges import bound
from remembrancer.learn.detect.rules import LEAST_CONSISTENCY, BehaviourRule, Named, recent, state
from remembrancer.learn.detect.wording import PARTICIPLES, opposed

_KEY_BOUND: Final = re.compile(r"(?P<name>.+?)(?P<sign>>|<=)(?P<number>-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)")
_KEY_MOMENT: Final = re.compile(
    r"(?P<name>.+?)=(?P<day>mon|tue|wed|thu|fri|sat|sun)?"
    r"(?:(?P<sign><|>=)(?P<clock>\d\d:\d\d)|(?P<begin>\d\d:\d\d)-(?P<end>\d\d:\d\d))?"
)


def recounted(
    keys: Collection[str], apart: Sequence[ParsedDeed], conclusions: Sequence[Conclusion]
) -> list[tuple[BehaviourRule, Named]]:
    """Return the rules of known keys, valid or not, the most frequent first.

    Args:
        conclusions: they include those that are `concluded` by these keys.
    """
    by_name = {name: conclusion for conclusion in conclusions for name in conclusion.names}
    found = [rule for key in sorted(set(keys)) if (rule := _counted(key, apart, by_name))]
    return sorted(found, key=lambda pair: (-pair[0].count, pair[1].key))


def concluded(keys: Collection[str]) -> frozenset[str]:
    """Return the names of what may follow by those keys."""
    return frozenset(side for key in keys for side in key.split(" -> "))


def _counted(
    key: str, apart: Sequence[ParsedDeed], by_name: Mapping[str, Conclusion]
) -> tuple[BehaviourRule, Named] | None:
    left, _, right = key.partition(" -> ")
    # Its conclusion may be unused now; a thing has only a time.
    turned = right not in by_name and _circumstance(right)[0] == "when"
    conclusion = by_name.get(left if turned else right)
    if conclusion is None:
        return None
    names = (right,) if turned else () if left == "*" else tuple(left.split(" & "))
    grounds = tuple(_ground(name, apart) for name in names)
    everything = np.ones(len(apart), dtype=np.bool_)
    named = Named(grounds=names, conclusion=right if not turned else left, turned=turned)
    # Only words have an opposite; without circumstances nothing else counts against a rule.
    by_words = conclusion.column == "says" and not turned
    ways = (False, True) if by_words and grounds else (by_words,)
    undone = _undone(conclusion, apart)
    found: list[BehaviourRule] = []
    for by_opposite in ways:
        rule = state(conclusion, grounds, everything, 0.0, turned=turned, opposed=by_opposite)
        found.append(recent(replace(rule, against=rule.against | undone & ~rule.matching)))
    best = next((rule for rule in found if rule.consistency >= LEAST_CONSISTENCY), found[0])
    return (best, named) if best.matching.any() or best.against.any() else None


def _undone(conclusion: Conclusion, apart: Sequence[ParsedDeed]) -> Mask:
    """Return the deeds that replaced the chosen value itself: "Best" became "Yours", then "Best"."""
    column, _, value = conclusion.name.partition("=")
    before = REPLACED.get(column, "")
    return _mask(apart, lambda known: bool(before) and known.values.get(before) == value)


def _ground(name: str, apart: Sequence[ParsedDeed]) -> Ground:
    """Return the circumstance of a name, whether or not anything lies on its other side."""
    column, mask, within = _circumstance(name)
    return Ground(
        names=(name,),
        column=column,
        mask=_mask(apart, lambda known: within(known) and mask(known)),
        within=_mask(apart, within),
    )


Test = Callable[[ParsedDeed], bool]


def _circumstance(name: str) -> tuple[str, Test, Test]:
    """Return the column of a name, the test of it, and the test of a known value there."""
    if bound := _KEY_BOUND.fullmatch(name):
        column, number, above = bound["name"], float(bound["number"]), bound["sign"] == ">"
        return column, lambda known: (known.numbers[column] > number) is above, lambda known: column in known.numbers
    if moment := _moment(name):
        column = moment["name"]
        if column == "when":
            return column, lambda known: _at(moment, known.deed.at), lambda _: True
        return column, lambda known: _at(moment, known.times[column]), lambda known: column in known.times
    column, _, value = name.partition("=")
    if column == "says":
        return column, lambda known: value in known.words, lambda _: True
    if column == "event":
        return column, lambda known: value in event_names(known), lambda _: True
    return f"@{column}", lambda known: _valued(known, column, value), lambda _: True


def _moment(name: str) -> re.Match[str] | None:
    """Return the parts of a name that names a time."""
    moment = _KEY_MOMENT.fullmatch(name)
    return moment if moment and any(moment[part] for part in ("day", "clock", "begin")) else None


def _valued(known: ParsedDeed, column: str, value: str) -> bool:
    return known.values.get(column) == value or (column, value) in known.names


def _at(moment: re.Match[str], time: datetime) -> bool:
    if moment["day"] and WEEKDAYS[time.weekday()] != moment["day"]:
        return False
    clock = f"{time:%H:%M}"
    if moment["begin"]:
        return moment["begin"] <= clock < moment["end"]
    if not moment["clock"]:
        return True
    before = clock < moment["clock"]
    return before if moment["sign"] == "<" else not before


def _mask(apart: Sequence[ParsedDeed], test: Test) -> Mask:
    return np.array([test(known) for known in apart], dtype=np.bool_)


class _Ordered(NamedTuple):
    """The parts of a key.

    Args:
        where: its circumstances.
        column, value: the result.
        before: the replaced value.
    """

    where: Sequence[str]
    column: str
    value: str
    before: str


def contradict(one: str, other: str) -> bool:
    """Return True if two rules contradict each other on a common occasion.

    The circumstances of one must include those of the other. A rule for one contact and a rule for one topic have
    different occasions, though both may apply.
    """
    first, second = _ordered(one), _ordered(other)
    return first.column == second.column and _at_once(first.where, second.where) and _against(first, second)


def _ordered(key: str) -> _Ordered:
    left, _, right = key.partition(" -> ")
    column, _, value = ("moved", "", right) if bound(right) else right.partition("=")
    circumstances = [name for name in left.split(" & ") if name != "*"]
    # The earlier value is part of the order ("not to Lea"), and not an occasion.
    named = f"{REPLACED[column]}=" if column in REPLACED else " "
    was = next((name.removeprefix(named) for name in circumstances if name.startswith(named)), "")
    where = [name for name in circumstances if not name.startswith(named)]
    return _Ordered(where=where, column=column, value=value, before=was)


def _against(one: _Ordered, other: _Ordered) -> bool:
    """Return True if what two rules order excludes each other."""
    if one.column == "says":
        return _opposite_acts(frozenset(one.value.split("+")), frozenset(other.value.split("+")))
    if one.column == "moved":
        return _apart(one.value, other.value)
    if one.column == "changed_to" and one.before != other.before:
        # "Kind regards, not Best" and "Best, not Yours" differ; another replaced value is another occasion.
        return one.value == other.before or other.value == one.before
    return one.value != other.value


def _opposite_acts(one: frozenset[str], other: frozenset[str]) -> bool:
    """Return True if opposite acts are done to one thing, or one act to a thing and its opposite to all."""
    acts, others = ({token for token in tokens if token.lstrip("!") in PARTICIPLES} for tokens in (one, other))
    things, more = one - acts, other - others
    return (things <= more or more <= things) and any(
        act in opposed(another) or another in opposed(act) for act in acts for another in others
    )


def _apart(one: str, other: str) -> bool:
    """Return True if nothing lies on the right side of both bounds."""
    first, second = bound(one), bound(other)
    if first is None or second is None or first[0] != second[0] or first[1] == second[1]:
        return False
    low, high = (first, second) if first[1] == ">=" else (second, first)
    return _number(high[2]) < _number(low[2])


def _number(value: str) -> float:
    hour, colon, minute = value.partition(":")
    return float(hour) * 60 + float(minute) if colon else float(value)


def _at_once(one: Sequence[str], other: Sequence[str]) -> bool:
    """Return True if one rule requires only what the other allows."""
    less, more = sorted((one, other), key=len)
    columns = {_column(name): name for name in more}
    return all(_column(name) in columns and _may_meet(name, columns[_column(name)]) for name in less)


def _column(name: str) -> str:
    limit = BOUND.fullmatch(name)
    return limit["name"] if limit else name.partition("=")[0]


def _may_meet(one: str, other: str) -> bool:
    """Return True if two circumstances of one column may apply together."""
    limits = [BOUND.fullmatch(name) for name in (one, other)]
    if limits[0] and limits[1]:
        above = [float(limit["number"]) for limit in limits if limit and limit["sign"] == ">"]
        below = [float(limit["number"]) for limit in limits if limit and limit["sign"] == "<="]
        return not above or not below or max(above) < min(below)
    moments = [MOMENT.fullmatch(name) for name in (one, other)]
    if moments[0] and moments[1] and one.startswith("when="):
        days = [moment["day"] for moment in moments if moment]
        return None in days or days[0] == days[1]
    return one == other
