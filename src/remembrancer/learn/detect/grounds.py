"""The circumstances of deeds, which may explain results; each is a set of deeds."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from remembrancer.learn.detect.deeds import DRAFTS, RESULTS, ParsedDeed
from remembrancer.learn.detect.wording import ENDINGS, stems
from remembrancer.types.pattern import LEAST_EPISODES

Mask = NDArray[np.bool_]
T = TypeVar("T")
# The plainest bounds: of numbers 1, 2, 2.5 and 5 with any zeros; of hours a few, before and from which.
_TRIED: Final = 1
_HOURS_TRIED: Final = {
    True: (frozenset[int](), frozenset({28, 32})),
    False: (frozenset({18, 20}), frozenset({32, 34, 36})),
}
# How long, in half hours, a part of any day is that something may happen in.
_LENGTHS: Final = (3, 4, 6)
# How much likelier a whole weekday or the plainest bound is to explain something than other times and bounds.
_WHOLE_DAY: Final = 5.0
_PLAINEST: Final = 3.0
# The number of independent tests that a time or a bound counts as. They overlap: by chance there are 0.2 to 0.45 of
# the results that the number of times allows, and 0.15 to 0.7 of that of numbers, at levels from 0.3 to 0.001.
_COUNTS: Final = 0.4
_FIXED: Final = frozenset({"event", "when"})
_NOTHING: Final = frozenset[str]()
WEEKDAYS: Final[tuple[str, ...]] = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
# So many values of one column are looked at: the commonest.
_MOST_VALUES: Final = 300
_STEPS: Final = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 7.5, 8.0, 9.0)
# Steps by plainness: 10,000 before 25,000 before 15,000 before 70,000.
_PLAIN: Final = {1.0: 0, 5.0: 0, 2.0: 1, 2.5: 1, 3.0: 2, 1.5: 2, 4.0: 3, 6.0: 3, 8.0: 3, 7.5: 3, 7.0: 4, 9.0: 4}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """A circumstance that may explain a conclusion.

    Args:
        names: it, and others of the same deeds, the plainest first.
        column: the attribute, with one value at a time.
        mask: the deeds with it.
        within: the deeds with a known value in the column.
        rank: plainness; 0 is plainest.
        likely: how much likelier it explains anything than another of its column.
        counts: the number of tests that it counts as: bounds that are close together are nearly the same test.
        tried: True if conclusions are tested by it; finer bounds are only used to find where it begins.
    """

    names: tuple[str, ...]
    column: str
    mask: Mask
    within: Mask
    rank: int = 0
    likely: float = 1.0
    counts: float = 1.0
    tried: bool = True
    tokens: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The plainest of its names."""
        return self.names[0]


def deeds_in(mask: Mask) -> int:
    """Return the number of deeds in a mask."""
    return int(np.count_nonzero(mask))


def grounds(deeds: Sequence[ParsedDeed], tongue: str) -> list[Ground]:
    """Return all circumstances of at least three deeds and not of all."""
    found: list[Ground] = []
    size = len(deeds)
    everywhere = np.ones(size, dtype=np.bool_)
    for column, matching in _categories(deeds).items():
        within = everywhere
        if column.startswith("@"):
            within = np.zeros(size, dtype=np.bool_)
            within[[at for places in matching.values() for at in places]] = True
        common = sorted(matching.items(), key=lambda pair: (-len(pair[1]), pair[0]))[:_MOST_VALUES]
        rows = [
            (f"{column.lstrip('@')}={value}", 0, mask_of(places, size))
            for value, places in common
            if len(places) >= LEAST_EPISODES
        ]
        found += _distinct(column, rows, within, tongue, bounds=False)
    for column, numbers in _numbers(deeds).items():
        found += _distinct(
            column, list(_cuts(column, numbers, size)), mask_of(list(numbers), size), tongue, bounds=True
        )
    for column, times in _times(deeds).items():
        found += _distinct(column, list(_moments(column, times, size)), mask_of(list(times), size), tongue, bounds=True)
    return _by_column(found)


def _by_column(found: Sequence[Ground]) -> list[Ground]:
    """Return the grounds ordered by column; an attribute with values of several types has one column."""
    columns: dict[str, list[Ground]] = {}
    for ground in found:
        columns.setdefault(ground.column, []).append(ground)
    within = {column: np.logical_or.reduce([one.within for one in rows]) for column, rows in columns.items()}
    return [replace(one, within=within[column]) for column, rows in columns.items() for one in rows]


def event_names(known: ParsedDeed) -> tuple[str, ...]:
    """Return the event of a deed, and the kinds of event it is one of."""
    modified = ("modified",) if known.deed.event in DRAFTS else ()
    return (known.deed.event, *modified, *(("corrected",) if known.corrected else ()))


def _categories(deeds: Sequence[ParsedDeed]) -> dict[str, dict[str, list[int]]]:
    """Return deeds by column and value; a column that begins with @ is an optional attribute."""
    columns: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for at, known in enumerate(deeds):
        for name in event_names(known):
            columns["event"][name].append(at)
        for kind, name in known.names:
            columns[kind][name].append(at)
        for name, value in known.values.items():
            if name not in RESULTS:
                columns[f"@{name}"][value].append(at)
        for token in known.words - ENDINGS:
            columns["says"][token].append(at)
    return {column: dict(matching) for column, matching in sorted(columns.items())}


def _distinct(
    column: str, rows: list[tuple[str, int, Mask]], within: Mask, tongue: str, *, bounds: bool
) -> Iterator[Ground]:
    """Yield the grounds of one column; those of the same deeds are one."""
    same: dict[bytes, list[tuple[int, str, Mask]]] = defaultdict(list)
    for name, rank, mask in rows:
        if LEAST_EPISODES <= deeds_in(mask) < len(mask):
            same[mask.tobytes()].append((rank, name, mask))
    for group in same.values():
        group.sort(key=lambda row: row[:2])
        rank, name, mask = group[0]
        value = name.partition("=")[2]
        tokens = frozenset({value}) if column == "says" else stems(value, tongue) if column not in _FIXED else _NOTHING
        yield Ground(
            names=tuple(row[1] for row in group),
            column=column,
            mask=mask,
            within=within,
            rank=rank,
            likely=_likely(value, rank) if bounds else 1.0,
            counts=_COUNTS if bounds else 1.0,
            tried=rank <= _TRIED,
            tokens=tokens,
        )


def _likely(value: str, rank: int) -> float:
    """Return the prior odds of a time or a bound, relative to the least likely of its column."""
    if value in WEEKDAYS:
        return _WHOLE_DAY
    return _PLAINEST if rank == 0 or value.startswith(("<", ">")) else 1.0


def mask_of(places: Sequence[int], size: int) -> Mask:
    """Return the mask of some places among so many."""
    mask = np.zeros(size, dtype=np.bool_)
    mask[list(places)] = True
    return mask


def _numbers(deeds: Sequence[ParsedDeed]) -> dict[str, dict[int, float]]:
    return _by_name(deeds, lambda known: known.numbers)


def _times(deeds: Sequence[ParsedDeed]) -> dict[str, dict[int, datetime]]:
    when = {"when": {at: known.deed.at for at, known in enumerate(deeds)}}
    return when | _by_name(deeds, lambda known: known.times)


def _by_name(deeds: Sequence[ParsedDeed], of: Callable[[ParsedDeed], dict[str, T]]) -> dict[str, dict[int, T]]:
    found: dict[str, dict[int, T]] = defaultdict(dict)
    for at, known in enumerate(deeds):
        for name, value in of(known).items():
            found[name][at] = value
    return dict(sorted(found.items()))


def _cuts(column: str, numbers: dict[int, float], size: int) -> Iterator[tuple[str, int, Mask]]:
    """Above and up to each plain number that lies between two of those there are."""
    values = sorted(set(numbers.values()))
    places = np.array(list(numbers))
    matching = np.array(list(numbers.values()))
    for rank, bound in _plain_numbers(values):
        above = matching > bound
        for sign, inside in ((">", above), ("<=", ~above)):
            yield f"{column}{sign}{bound:.15g}", rank, mask_of(places[inside].tolist(), size)


def _plain_numbers(values: list[float]) -> Iterator[tuple[int, float]]:
    """Yield plain numbers from the least to the greatest value, with those between the same two values."""
    least, greatest = values[0], values[-1]
    bounds: dict[float, int] = {0.0: 0}
    for sign in (1.0, -1.0):
        for power in range(-4, 13):
            for step in _STEPS:
                bounds[sign * float(f"{step}e{power}")] = _PLAIN[step]
    for bound in sorted(bounds):
        if least <= bound < greatest:
            yield bounds[bound], bound


def _moments(column: str, times: dict[int, datetime], size: int) -> Iterator[tuple[str, int, Mask]]:
    """Yield weekdays, hours of one weekday, and hours and parts of any day; bounds are half hours that occur."""
    days: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for at, time in times.items():
        minute = time.hour * 60 + time.minute
        days[WEEKDAYS[time.weekday()]].append((minute, at))
        days[""].append((minute, at))
    for day, moments in sorted(days.items()):
        moments.sort()
        minutes = [minute for minute, _ in moments]
        if day:
            yield f"{column}={day}", 0, mask_of([at for _, at in moments], size)
        for half in range(1, 48):
            split = bisect_left(minutes, half * 30)
            if 0 < split < len(moments):
                plain = 0 if half == 24 else 2 + half % 2
                early, late = (1 if half in tried else plain for tried in _HOURS_TRIED[bool(day)])
                yield f"{column}={day}<{_clock(half)}", early, mask_of([at for _, at in moments[:split]], size)
                yield f"{column}={day}>={_clock(half)}", late, mask_of([at for _, at in moments[split:]], size)
    yield from _parts_of_a_day(column, days[""], size)


def _parts_of_a_day(column: str, moments: list[tuple[int, int]], size: int) -> Iterator[tuple[str, int, Mask]]:
    splits = [bisect_left(moments, (half * 30,)) for half in range(49)]
    for length in _LENGTHS:
        for half in range(49 - length):
            begin, end = splits[half], splits[half + length]
            if 0 < begin < end < len(moments):
                name = f"{column}={_clock(half)}-{_clock(half + length)}"
                yield name, _TRIED, mask_of([at for _, at in moments[begin:end]], size)


def _clock(half: int) -> str:
    return f"{half // 2:02}:{half % 2 * 30:02}"
