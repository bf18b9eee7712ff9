"""What a text states in numbers and dates, held against what it was drawn from: a model makes up neither.

Generous where a reader may have reckoned (a weekday, a clock of twelve hours, a number in words), so that what is
refuted is not there to be found.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from itertools import pairwise
from typing import Final

from remembrancer.engines.observing.sentences import sentences
from remembrancer.engines.observing.terms import language
from remembrancer.language.calendar import ANY_MONTH, MONTH_NUMBERS, WEEKDAYS
from remembrancer.language.dates.phrases import phrases
from remembrancer.language.numbers import COUNTS, NUMBERS
from remembrancer.language.spelling import folded
from remembrancer.retrieval.dates import spans

_COUNTED: Final = NUMBERS | COUNTS
_YEAR: Final = r"(?:,? (?:de |del )?(?P<year{0}>(?:19|20)\d\d)\b)?"
_DATES: Final = re.compile(
    r"(?<!\d)(?P<year1>(?:19|20)\d\d)-(?P<month1>[01]\d)(?:-(?P<day1>[0-3]\d))?(?!\d)"
    rf"|(?<![\d.,:])(?P<day2>[0-3]?\d)(?:st|nd|rd|th|er|\.|º|°)? ?(?:of |de )?(?P<month2>{ANY_MONTH})\b"
    rf"{_YEAR.format(2)}"
    rf"|\b(?P<month3>{ANY_MONTH}) (?P<day3>[0-3]?\d)(?:st|nd|rd|th)?(?![\d:]){_YEAR.format(3)}",
    re.IGNORECASE,
)
_TIME: Final = re.compile(r"(?<!\d)(?P<hour>[0-2]?\d)[:h](?P<minute>[0-5]\d)(?!\d)", re.IGNORECASE)
_NUMBER: Final = re.compile(r"\d+(?:[.,'’\u00a0\u202f ]\d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)*")
_GROUPED: Final = re.compile(r"(?<!\d)\d{1,3}(?:[.,'’\u00a0\u202f ]\d{3})+(?!\d)")
_THOUSANDS: Final = re.compile(r"(?<!\d)(\d+(?:[.,]\d+)?) ?k\b", re.IGNORECASE)
_WORD: Final = re.compile(r"[^\W\d_]+")
# Minutes that are said in words: "half past", "a quarter to".
_SAID_MINUTES: Final = frozenset({0, 15, 30, 45})
_HALF: Final = 30
# A stretch of time of so many days at most is taken day by day.
_STRETCH: Final = 14


@dataclass(frozen=True, slots=True, kw_only=True)
class _Day:
    """A date as far as a text gives it; 0 where it does not."""

    year: int
    month: int
    day: int


class Grounds:
    """What texts hold that others may be drawn from.

    Args:
        texts: each with the moment at which it was said.
        zone: whose days are meant.
    """

    def __init__(self, texts: Iterable[tuple[datetime, str]], zone: tzinfo) -> None:
        self._days: set[date] = set()
        self._months: set[int] = set()
        self._weekdays: set[int] = set()
        self._numbers: set[float] = set()
        for when, text in texts:
            self._read(when.astimezone(zone), text)

    @classmethod
    def joined(cls, several: Iterable["Grounds"]) -> "Grounds":
        """What any of several holds."""
        whole = cls((), UTC)
        for one in several:
            whole._days |= one._days
            whole._months |= one._months
            whole._weekdays |= one._weekdays
            whole._numbers |= one._numbers
        return whole

    def refuted(self, text: str, refers_to: str = "") -> str:
        """What in a text is not among these: "a number", "a date", or `""` for nothing.

        Args:
            refers_to: the day, month or year that the text is said to speak of, as ISO text, or `""`.
        """
        if not all(map(self._holds_day, _dates(f"{text} {refers_to}"))):
            return "a date"
        rest = _DATES.sub(" ", text)
        times = [(int(found["hour"]), int(found["minute"])) for found in _TIME.finditer(rest)]
        if not all(self._holds_time(*time) for time in times):
            return "a number"
        rest = _TIME.sub(" ", rest)
        held = all(any(self._holds(value) for value in _values(found[0])) for found in _NUMBER.finditer(rest))
        return "" if held else "a number"

    def _read(self, here: datetime, text: str) -> None:
        day = here.date()
        self._days.add(day)
        tongue = language(text)
        for sentence in sentences(text):
            self._days |= {phrase.first for phrase in phrases(sentence, said=day, hour=here.hour, tongue=tongue)}
        for span in spans(text, now=here):
            length = min((span.end - span.start).days, _STRETCH)
            self._days |= {span.start.astimezone(here.tzinfo).date() + timedelta(days=at) for at in range(length + 1)}
        for named in _dates(text):
            self._months.add(named.month)
            self._numbers |= {float(named.day), float(named.year)}
        words = [folded(word) for word in _WORD.findall(text)]
        self._weekdays |= {WEEKDAYS[word.removesuffix("s")] for word in words if word.removesuffix("s") in WEEKDAYS}
        self._weekdays |= {WEEKDAYS[word] for word in words if word in WEEKDAYS}
        self._months |= {MONTH_NUMBERS[word] for word in words if word in MONTH_NUMBERS}
        self._numbers |= set(_said(words))
        self._numbers |= {value for found in _NUMBER.finditer(text) for value in _values(found[0])}
        # A date or a time takes its numbers apart, an amount does not.
        self._numbers |= {float(digits) for digits in re.findall(r"\d+", _GROUPED.sub(" ", text))}
        self._numbers |= {1_000 * value for found in _THOUSANDS.finditer(text) for value in _values(found[1])}

    def _holds(self, value: float) -> bool:
        return value in self._numbers or any(value == day.year + off for day in self._days for off in (-1, 0, 1))

    def _holds_time(self, hour: int, minute: int) -> bool:
        # "A quarter to ten", "halb zehn": the hour that is said may be the one that follows.
        hours = {float((hour + off) % 24) for off in ((0, 12, 1, 13) if minute >= _HALF else (0, 12))}
        return bool(hours & self._numbers) and (minute in _SAID_MINUTES or float(minute) in self._numbers)

    def _holds_day(self, one: _Day) -> bool:
        if not one.day:
            return (
                not one.month
                or one.month in self._months
                or any(day.month == one.month and one.year in (0, day.year) for day in self._days)
            )
        # A day of a month that is named without its year is of one near.
        if float(one.day) in self._numbers and (not one.year or self._holds(one.year)):
            return True
        if any((day.month, day.day) == (one.month, one.day) and one.year in (0, day.year) for day in self._days):
            return True
        try:
            return bool(one.year) and date(one.year, one.month, one.day).weekday() in self._weekdays
        except ValueError:
            return False


def as_iso(text: str) -> str:
    """The day, month or year that a text of one date means, as ISO text; `""` where it means none, or has no year."""
    told = text.strip()
    if re.fullmatch(r"(?:19|20)\d\d", told):
        return told
    named = next(_dates(told), None)
    if named is None:
        alone = re.fullmatch(rf"(?P<month>{ANY_MONTH}) (?:de )?(?P<year>(?:19|20)\d\d)", told, re.IGNORECASE)
        if alone is None:
            return ""
        return f"{int(alone['year']):04}-{MONTH_NUMBERS[alone['month'].casefold()]:02}"
    if not named.year or not 1 <= named.month <= 12:
        return ""
    if not named.day:
        return f"{named.year:04}-{named.month:02}"
    try:
        return date(named.year, named.month, named.day).isoformat()
    except ValueError:
        return ""


def _dates(text: str) -> Iterator[_Day]:
    for found in _DATES.finditer(text):
        which = next(which for which in "123" if found[f"month{which}"])
        month = found[f"month{which}"]
        yield _Day(
            year=int(found[f"year{which}"] or 0),
            month=int(month) if month.isdecimal() else MONTH_NUMBERS[month.casefold()],
            day=int(found[f"day{which}"] or 0),
        )


def _values(number: str) -> set[float]:
    """What a number may mean: a point or a comma parts thousands in one language and decimals in another."""
    groups = re.split(r"\D", number)
    found = (
        {float("".join(groups))} if len(groups) == 1 or {len(group) for group in groups[1:]} == {3} else set[float]()
    )
    if len(groups) > 1:
        found.add(float(f"{''.join(groups[:-1])}.{groups[-1]}"))
    return found


def _said(words: list[str]) -> Iterator[float]:
    """The numbers that are said in words: each, and "twenty five"."""
    yield from (float(_COUNTED[word]) for word in words if word in _COUNTED)
    for one, other in pairwise(words):
        tens, units = _COUNTED.get(one, 0), _COUNTED.get(other, 0)
        if tens >= 20 and tens % 10 == 0 and 0 < units < 10:
            yield float(tens + units)
        elif units >= 100 and 0 < tens < 100:
            yield float(tens * units)
