"""The numbers and dates of a text, compared with those of its sources: a model makes up neither.

Generous where a reader may have converted (a weekday, a clock of twelve hours, a number in words), so that nothing true
is refused.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import cache
from itertools import pairwise
from typing import Final

from remembrancer.language.dates.phrases import phrases
from remembrancer.language.dates.questions import spans
from remembrancer.language.dates.written import (
    PartialDate,
    named_months,
    named_weekdays,
    partial_dates,
    weekdays_agree,
    without_dates,
    written_dates,
)
from remembrancer.language.numbers import counts, number_words, numbers
from remembrancer.language.sentences import sentences
from remembrancer.language.spelling import folded
from remembrancer.language.tables import PatternTable, table
from remembrancer.language.terms import language

_CUES: Final = PatternTable("claims")
_MINUTES: Final = PatternTable("claims", "minutes")
_TIME: Final = re.compile(r"(?<!\d)(?P<hour>[0-2]?\d)[:h](?P<minute>[0-5]\d)(?!\d)", re.IGNORECASE)
_NUMBER: Final = re.compile(r"\d+(?:[.,'’\u00a0\u202f ]\d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)*")
_GROUPED: Final = re.compile(r"(?<!\d)\d{1,3}(?:[.,'’\u00a0\u202f ]\d{3})+(?!\d)")
_THOUSANDS: Final = re.compile(r"(?<!\d)(\d+(?:[.,]\d+)?) ?k\b", re.IGNORECASE)
_WORD: Final = re.compile(r"[^\W\d_]+")
_AMOUNT: Final = re.compile(
    rf"(?P<sign>[€$£])?\s?(?P<number>{_NUMBER.pattern})(?:(?:\s|-)?(?P<unit>[€$£%]|[^\W\d_]+))?", re.IGNORECASE
)
_HALF: Final = 30
# A longer period is not compared day by day.
_STRETCH: Final = 8
# A weekday is one of so many days before or after, that of the next or the last week one of twice as many; a day of
# the month one of so many.
_WEEKDAYS_AWAY: Final = 7
_DAYS_AWAY: Final = 62


@cache
def _counted() -> Mapping[str, int]:
    return {**numbers(), **counts()}


@cache
def _units() -> Mapping[str, str]:
    return {word: unit for unit, words in table("claims")["units"].items() for word in words.split()}


class SourceFigures:
    """Numbers and dates in source texts.

    Args:
        texts: each with its time.
        zone: of the days.

    Attributes:
        dated: True if they have a day, a month or a year.
    """

    def __init__(self, texts: Iterable[tuple[datetime, str]], zone: tzinfo) -> None:
        self._days: set[date] = set()
        self._source_days: set[date] = set()
        self._named: set[tuple[int, int]] = set()
        self._months: set[int] = set()
        self._weekdays: set[date] = set()
        self._month_days: set[int] = set()
        self._numbers: set[float] = set()
        self._minutes = {0}
        self.dated = False
        self._amounts: dict[float, set[str]] = {}
        for when, text in texts:
            self._read(when.astimezone(zone), text)

    @classmethod
    def joined(cls, several: Iterable["SourceFigures"]) -> "SourceFigures":
        """Return the union of several."""
        whole = cls((), UTC)
        for one in several:
            whole._days |= one._days
            whole._source_days |= one._source_days
            whole._named |= one._named
            whole._months |= one._months
            whole._weekdays |= one._weekdays
            whole._month_days |= one._month_days
            whole._numbers |= one._numbers
            whole._minutes |= one._minutes
            for value, units in one._amounts.items():
                whole._amounts.setdefault(value, set()).update(units)
        return whole

    def refuted(self, text: str, refers_to: str = "") -> str:
        """Return the kind of figure in a text that the sources lack: "a number", "a date", or `""`.

        Args:
            refers_to: the claimed day, month or year of the text as ISO text, or `""`.
        """
        if not all(map(self._holds_day, partial_dates(f"{text} {refers_to}"))) or not weekdays_agree(text):
            return "a date"
        rest = without_dates(text)
        times = [(int(found["hour"]), int(found["minute"])) for found in _TIME.finditer(rest)]
        if not all(self._holds_time(*time) for time in times):
            return "a number"
        rest = _TIME.sub(" ", _in_figures(rest))
        return "" if all(map(self._holds_amount, _AMOUNT.finditer(rest))) else "a number"

    def _read(self, here: datetime, text: str) -> None:
        day = here.date()
        self._source_days.add(day)
        self._days.add(day)
        tongue = language(text)
        for sentence in sentences(text):
            found = phrases(sentence, day=day, hour=here.hour, tongue=tongue)
            self.dated |= bool(found)
            self._days |= {phrase.first for phrase in found}
            # A weekday that has one reading has no other.
            known = {phrase.first.weekday() for phrase in found}
            away = _WEEKDAYS_AWAY * (2 if _CUES["other_week"].search(sentence) else 1)
            self._weekdays |= {one for one in _near(day, away) if one.weekday() in named_weekdays(sentence) - known}
        for span in spans(text, now=here, zone=here.tzinfo or UTC):
            if (length := (span.end - span.start).days) <= _STRETCH:
                first = span.start.astimezone(here.tzinfo).date()
                self._days |= {first + timedelta(days=at) for at in range(max(length, 1))}
        for named in partial_dates(text):
            self._months.add(named.month)
            self._named.add((named.month, named.day))
            self._numbers |= {float(named.day), float(named.year)}
        words = [folded(word) for word in _WORD.findall(text)]
        self._months |= named_months(text)
        self._numbers |= set(_worded_numbers(words))
        self._numbers |= {value for found in _NUMBER.finditer(text) for value in _values(found[0])}
        # A date or a time is read as several numbers, an amount as one.
        self._numbers |= {float(digits) for digits in re.findall(r"\d+", _GROUPED.sub(" ", text))}
        self._numbers |= {1_000 * value for found in _THOUSANDS.finditer(text) for value in _values(found[1])}
        self._minutes |= {int(minute) for minute in _MINUTES.names() if _MINUTES[minute].search(text)}
        loose = _GROUPED.sub(" ", without_dates(text))
        self._month_days |= {int(digits) for digits in re.findall(r"(?<![\d:])\d{1,2}(?![\d:])", loose)}
        self._month_days |= {int(value) for value in _worded_numbers(words)}
        for found in _AMOUNT.finditer(_TIME.sub(" ", _in_figures(without_dates(text)))):
            for value in _values(found["number"]):
                self._amounts.setdefault(value, set()).add(_unit(found))

    def _holds(self, value: float) -> bool:
        return value in self._numbers or any(value == day.year + off for day in self._days for off in (-1, 0, 1))

    def _holds_time(self, hour: int, minute: int) -> bool:
        # "A quarter to ten", "halb zehn": the named hour may be the following one.
        hours = {float((hour + off) % 24) for off in ((0, 12, 1, 13) if minute >= _HALF else (0, 12))}
        return bool(hours & self._numbers) and (minute in self._minutes or float(minute) in self._numbers)

    def _holds_amount(self, found: re.Match[str]) -> bool:
        """Return True if a number is among these, and in the unit that it has here."""
        unit, values = _unit(found), _values(found["number"])
        if not any(map(self._holds, values)):
            return False
        units = set[str]().union(*(self._amounts.get(value, set()) for value in values))
        anywhere = unit in set[str]().union(*self._amounts.values())
        return not unit or not units or unit in units or ("" in units and anywhere)

    def _holds_day(self, one: PartialDate) -> bool:
        if not one.day:
            return (
                not one.month
                or one.month in self._months
                or any(day.month == one.month and one.year in (0, day.year) for day in self._days)
            )
        if any((day.month, day.day) == (one.month, one.day) and one.year in (0, day.year) for day in self._days):
            return True
        if (one.month, one.day) in self._named:
            return not one.year or self._holds(one.year)
        try:
            # A day that is named without its year is of one near.
            days = [date(one.year or day.year, one.month, one.day) for day in self._source_days]
        except ValueError:
            return False
        near = any(abs((one - day).days) <= _DAYS_AWAY for one in days for day in self._source_days)
        return (one.day in self._month_days and near) or not self._weekdays.isdisjoint(days)


def _near(day: date, away: int) -> Iterator[date]:
    """Return the days around one."""
    return (day + timedelta(days=off) for off in range(-away, away + 1))


def _unit(found: re.Match[str]) -> str:
    """Return the unit of an amount, by one name; `""` where it has none that is known."""
    named = (found["sign"] or found["unit"] or "").casefold()
    return _units().get(named, _units().get(folded(named), ""))


def _in_figures(text: str) -> str:
    """Return a text with what it counts in words in figures: "four hundred" as 400."""
    counted = number_words()[language(text)]
    parts, value, end = list[str](), 0, 0
    for word in _WORD.finditer(text):
        number = counted.get(folded(word[0]))
        if number is None:
            continue
        if parts and value and not text[end : word.start()].strip(" -") and (more := _together(value, number)):
            value = more
            parts[-1] = str(value)
        else:
            parts += [text[end : word.start()], str(number)]
            value = number
        end = word.end()
    return "".join([*parts, text[end:]])


def _together(value: int, number: int) -> int:
    """Return the value of two numerals in a row; 0 if they are two numbers."""
    if number >= 100 and value < number:
        return value * number
    room = 100 if value % 100 == 0 else 10 if value % 10 == 0 and value >= 20 else 0
    return value + number if number < room else 0


def stated(text: str) -> list[str]:
    """Return the dates, times and numbers of a text, as they are written."""
    rest = without_dates(text)
    times = [one[0] for one in _TIME.finditer(rest)]
    return [*written_dates(text), *times, *(one[0] for one in _NUMBER.finditer(_TIME.sub(" ", _in_figures(rest))))]


def _values(number: str) -> set[float]:
    """Return the possible values of a number: a point or a comma separates thousands or decimals."""
    groups = re.split(r"\D", number)
    found = (
        {float("".join(groups))} if len(groups) == 1 or {len(group) for group in groups[1:]} == {3} else set[float]()
    )
    if len(groups) > 1:
        found.add(float(f"{''.join(groups[:-1])}.{groups[-1]}"))
    return found


def _worded_numbers(words: list[str]) -> Iterator[float]:
    """Yield the numbers in words: each, and "twenty five"."""
    yield from (float(_counted()[word]) for word in words if word in _counted())
    for one, other in pairwise(words):
        tens, units = _counted().get(one, 0), _counted().get(other, 0)
        if tens >= 20 and tens % 10 == 0 and 0 < units < 10:
            yield float(tens + units)
        elif units >= 100 and 0 < tens < 100:
            yield float(tens * units)
