"""Dates as they are written, read without a reference day: each as far as it is written."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Final

from remembrancer.language.calendar import any_month, any_weekday, month_numbers, short_months, weekdays
from remembrancer.language.spelling import folded
from remembrancer.language.tables import PatternTable

_WORD: Final = re.compile(r"[^\W\d_]+")


def _names() -> dict[str, str]:
    return {"month": any_month(), "weekday": any_weekday()}


_NAMED: Final = PatternTable("written_dates", flags=re.NOFLAG, fill=_names)
DATE_VALUES: Final = PatternTable("written_dates", "values", fill=_names)
"""The patterns of a date and of a weekday."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartialDate:
    """A date as far as a text has it; 0 for what is missing."""

    year: int
    month: int
    day: int


def names_day(sentence: str) -> bool:
    """Return True if a sentence names a day, of this week or of a month."""
    return bool(_NAMED["named_day"].search(sentence))


def without_dates(text: str) -> str:
    """Return a text with a blank for each of its dates."""
    return _date_pattern().sub(" ", text)


def written_dates(text: str) -> Sequence[str]:
    """Return the dates of a text as they are written."""
    return [found[0] for found in _date_pattern().finditer(text)]


def named_weekdays(text: str) -> set[int]:
    """Return the numbers of the weekdays that a text names; Monday is 0."""
    words = [folded(word) for word in _WORD.findall(text)]
    return {weekdays()[name] for word in words for name in (word, word.removesuffix("s")) if name in weekdays()}


def named_months(text: str) -> set[int]:
    """Return the numbers of the months that a text names."""
    return {month_numbers()[name] for word in _WORD.findall(text) if (name := folded(word)) in month_numbers()}


def weekdays_agree(text: str) -> bool:
    """Return True if each date has the weekday that is written before it."""
    for weekday in _weekday_pattern().finditer(text):
        found = _date_pattern().match(text, weekday.end())
        one = _day(found) if found is not None else None
        if one is None or not (one.year and one.day):
            continue
        try:
            if date(one.year, one.month, one.day).weekday() != weekdays()[folded(weekday["day"])]:
                return False
        except ValueError:
            return False
    return True


def as_iso(text: str) -> str:
    """Return the day, month or year of a text of one date as ISO text; `""` for no date, or one without a year."""
    written = text.strip()
    if re.fullmatch(r"(?:19|20)\d\d", written):
        return written
    named = next(partial_dates(written), None)
    if named is None:
        alone = re.fullmatch(rf"(?P<month>{any_month()}) (?:de )?(?P<year>(?:19|20)\d\d)", written, re.IGNORECASE)
        if alone is None:
            return ""
        return f"{int(alone['year']):04}-{month_numbers()[alone['month'].casefold()]:02}"
    if not named.year or not 1 <= named.month <= 12:
        return ""
    if not named.day:
        return f"{named.year:04}-{named.month:02}"
    try:
        return date(named.year, named.month, named.day).isoformat()
    except ValueError:
        return ""


def partial_dates(text: str) -> Iterator[PartialDate]:
    """Yield the dates of a text."""
    return map(_day, _date_pattern().finditer(text))


def _day(found: re.Match[str]) -> PartialDate:
    which = next(which for which in "123" if found[f"month{which}"])
    month = found[f"month{which}"]
    return PartialDate(
        year=int(found[f"year{which}"] or 0),
        month=int(month) if month.isdecimal() else {**month_numbers(), **short_months()}[month.casefold().rstrip(".")],
        day=int(found[f"day{which}"] or 0),
    )


@cache
def _any_month() -> str:
    return rf"(?:{any_month()}|(?:{'|'.join(sorted(short_months(), key=len, reverse=True))})\b\.?)"


@cache
def _date_pattern() -> re.Pattern[str]:
    month, year = _any_month(), r"(?:,? (?:de |del )?(?P<year{0}>(?:19|20)\d\d)\b)?"
    return re.compile(
        r"(?<!\d)(?P<year1>(?:19|20)\d\d)-(?P<month1>[01]\d)(?:-(?P<day1>[0-3]\d))?(?!\d)"
        rf"|(?<![\d.,:])(?P<day2>[0-3]?\d)(?:st|nd|rd|th|er|\.|º|°)? ?(?:of |de )?(?P<month2>{month})(?!\w)"
        rf"{year.format(2)}"
        rf"|\b(?P<month3>{month}) (?P<day3>[0-3]?\d)(?:st|nd|rd|th)?(?![\d:]){year.format(3)}",
        re.IGNORECASE,
    )


@cache
def _weekday_pattern() -> re.Pattern[str]:
    return re.compile(
        rf"\b(?P<day>{any_weekday()})(?:,? |, (?:the |den |dem |der )?| ?\()(?=\d|(?:{_any_month()}) \d)", re.IGNORECASE
    )
