"""Patterns found before, counted anew by their keys: they need not stand out against chance a second time."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

import numpy as np

from remembrancer.learn.detect.conclusions import Conclusion
from remembrancer.learn.detect.grounds import WEEKDAYS, Ground, Mask, event_names
from remembrancer.learn.detect.rules import LEAST_CONSISTENCY, BehaviourRule, Named, recent, state
from remembrancer.learn.detect.values import REPLACED, Known

_BOUND: Final = re.compile(r"(?P<name>.+?)(?P<sign>>|<=)(?P<number>-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)")
_MOMENT: Final = re.compile(
    r"(?P<name>.+?)=(?P<day>mon|tue|wed|thu|fri|sat|sun)?"
    r"(?:(?P<sign><|>=)(?P<clock>\d\d:\d\d)|(?P<begin>\d\d:\d\d)-(?P<end>\d\d:\d\d))?"
)


def counted_anew(
    keys: Collection[str], apart: Sequence[Known], conclusions: Sequence[Conclusion]
) -> list[tuple[BehaviourRule, Named]]:
    """The rules of those keys, most often first, whether or not they still hold.

    Args:
        conclusions: those that are `concluded` by these keys among them.
    """
    by_name = {name: conclusion for conclusion in conclusions for name in conclusion.names}
    found = [rule for key in sorted(set(keys)) if (rule := _counted(key, apart, by_name))]
    return sorted(found, key=lambda pair: (-pair[0].count, pair[1].key))


def concluded(keys: Collection[str]) -> frozenset[str]:
    """The names of what may follow by those keys."""
    return frozenset(side for key in keys for side in key.split(" -> "))


def _counted(key: str, apart: Sequence[Known], by_name: Mapping[str, Conclusion]) -> tuple[BehaviourRule, Named] | None:
    left, _, right = key.partition(" -> ")
    # What follows may be told no more; only a time follows of a thing.
    turned = right not in by_name and _read(right)[0] == "when"
    conclusion = by_name.get(left if turned else right)
    if conclusion is None:
        return None
    names = (right,) if turned else () if left == "*" else tuple(left.split(" & "))
    grounds = tuple(_ground(name, apart) for name in names)
    everything = np.ones(len(apart), dtype=np.bool_)
    named = Named(grounds=names, conclusion=right if not turned else left, turned=turned)
    # Only of what is said the opposite may be said; without circumstances nothing else counts against it.
    said = conclusion.column == "says" and not turned
    ways = (False, True) if said and grounds else (said,)
    undone = _undone(conclusion, apart)
    found: list[BehaviourRule] = []
    for opposed in ways:
        rule = state(conclusion, grounds, everything, 0.0, turned=turned, opposed=opposed)
        found.append(recent(replace(rule, against=rule.against | undone & ~rule.held)))
    best = next((rule for rule in found if rule.consistency >= LEAST_CONSISTENCY), found[0])
    return (best, named) if best.held.any() or best.against.any() else None


def _undone(conclusion: Conclusion, apart: Sequence[Known]) -> Mask:
    """The deeds in which the very value was replaced that is said to be chosen: "Best" became "Yours", then "Best"."""
    column, _, value = conclusion.name.partition("=")
    before = REPLACED.get(column, "")
    return _mask(apart, lambda known: bool(before) and known.values.get(before) == value)


def _ground(name: str, apart: Sequence[Known]) -> Ground:
    """The circumstance of a name, whether or not anything lies on its other side."""
    column, holds, within = _read(name)
    return Ground(
        names=(name,),
        column=column,
        holds=_mask(apart, lambda known: within(known) and holds(known)),
        within=_mask(apart, within),
    )


Test = Callable[[Known], bool]


def _read(name: str) -> tuple[str, Test, Test]:
    """The column of a name, whether it holds in a deed, and whether anything is known of it there."""
    if bound := _BOUND.fullmatch(name):
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
    """The parts of a name that names a time."""
    moment = _MOMENT.fullmatch(name)
    return moment if moment and any(moment[part] for part in ("day", "clock", "begin")) else None


def _valued(known: Known, column: str, value: str) -> bool:
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


def _mask(apart: Sequence[Known], test: Test) -> Mask:
    return np.array([test(known) for known in apart], dtype=np.bool_)
