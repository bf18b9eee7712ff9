"""Whether two rules order different things for the same occasion, by the keys of what they were made of."""

from collections.abc import Sequence
from typing import NamedTuple

from remembrancer.learn.detect.acts import PARTICIPLES, opposed
from remembrancer.learn.detect.naming import BOUND, MOMENT
from remembrancer.learn.detect.ranges import bound
from remembrancer.learn.detect.values import REPLACED


class _Ordered(NamedTuple):
    """What a key stands for.

    Args:
        where: its circumstances.
        column, value: what is to come of it.
        before: instead of what.
    """

    where: Sequence[str]
    column: str
    value: str
    before: str


def contradict(one: str, other: str) -> bool:
    """Whether rules of two keys cannot both be followed where the circumstances of one are among those of the other.

    A rule for one contact and a rule for one topic are of different occasions, though they may meet.
    """
    first, second = _read(one), _read(other)
    return first.column == second.column and _at_once(first.where, second.where) and _against(first, second)


def _read(key: str) -> _Ordered:
    left, _, right = key.partition(" -> ")
    column, _, value = ("moved", "", right) if bound(right) else right.partition("=")
    circumstances = [name for name in left.split(" & ") if name != "*"]
    # What was there before says what is ordered ("not to Lea"), and is no occasion of its own.
    named = f"{REPLACED[column]}=" if column in REPLACED else " "
    was = next((name.removeprefix(named) for name in circumstances if name.startswith(named)), "")
    where = [name for name in circumstances if not name.startswith(named)]
    return _Ordered(where=where, column=column, value=value, before=was)


def _against(one: _Ordered, other: _Ordered) -> bool:
    """Whether what two rules order excludes each other."""
    if one.column == "says":
        return _undone(frozenset(one.value.split("+")), frozenset(other.value.split("+")))
    if one.column == "moved":
        return _apart(one.value, other.value)
    if one.column == "changed_to" and one.before != other.before:
        # "Kind regards, not Best" beside "Best, not Yours"; another thing that is replaced is another occasion.
        return one.value == other.before or other.value == one.before
    return one.value != other.value


def _undone(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether opposite acts are done to one thing, or one act to a thing and its opposite to all."""
    acts, others = ({token for token in tokens if token.lstrip("!") in PARTICIPLES} for tokens in (one, other))
    things, more = one - acts, other - others
    return (things <= more or more <= things) and any(
        act in opposed(another) or another in opposed(act) for act in acts for another in others
    )


def _apart(one: str, other: str) -> bool:
    """Whether nothing lies on the right side of both bounds."""
    first, second = bound(one), bound(other)
    if first is None or second is None or first[0] != second[0] or first[1] == second[1]:
        return False
    low, high = (first, second) if first[1] == ">=" else (second, first)
    return _number(high[2]) < _number(low[2])


def _number(value: str) -> float:
    hour, colon, minute = value.partition(":")
    return float(hour) * 60 + float(minute) if colon else float(value)


def _at_once(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether all that one rule asks of an occasion is asked by the other, or may be so as well."""
    less, more = sorted((one, other), key=len)
    columns = {_column(name): name for name in more}
    return all(_column(name) in columns and _may_meet(name, columns[_column(name)]) for name in less)


def _column(name: str) -> str:
    limit = BOUND.fullmatch(name)
    return limit["name"] if limit else name.partition("=")[0]


def _may_meet(one: str, other: str) -> bool:
    """Whether two circumstances of one column may hold at once."""
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
