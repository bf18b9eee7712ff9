"""Days, weeks, months and years counted from a day."""

from datetime import date, timedelta
from enum import StrEnum
from typing import Final

DAY: Final = timedelta(days=1)


class Width(StrEnum):
    """A length of time of the calendar."""

    DAY = "day"
    WEEK = "week"
    WEEKEND = "weekend"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"


_MONTHS: Final = {Width.MONTH: 1, Width.QUARTER: 3, Width.YEAR: 12}


def calendar(width: Width, away: int, day: date) -> tuple[date, date]:
    """Return the day, week or month at a distance from a day: its first day, and the day after its last."""
    monday = day + (7 * away - day.weekday()) * DAY
    match width:
        case Width.DAY:
            return day + away * DAY, day + (away + 1) * DAY
        case Width.WEEK:
            return monday, monday + 7 * DAY
        case Width.WEEKEND:
            return monday + 5 * DAY, monday + 7 * DAY
        case Width.MONTH | Width.QUARTER | Width.YEAR:
            months = _MONTHS[width]
            first = day.replace(day=1, month=(day.month - 1) // months * months + 1)
            return months_on(first, away * months), months_on(first, (away + 1) * months)


def moved(when: date, width: Width, count: int) -> date:
    """Return the same day so many lengths on."""
    if width in _MONTHS:
        return months_on(when, count * _MONTHS[width])
    return when + count * (1 if width is Width.DAY else 7) * DAY


def around(when: date, width: Width, count: int) -> tuple[date, date]:
    """Return the time at a distance, one unit wide and centred on that day, because people round."""
    centre = moved(when, width, count)
    match width:
        case Width.DAY:
            return centre, centre + DAY
        case Width.WEEK | Width.WEEKEND:
            return centre - 3 * DAY, centre + 4 * DAY
        case Width.MONTH:
            return centre - 15 * DAY, centre + 16 * DAY
        case Width.QUARTER:
            return centre - 45 * DAY, centre + 46 * DAY
        case Width.YEAR:
            return months_on(centre, -6), months_on(centre, 6)


def months_on(when: date, months: int) -> date:
    """Return the same day so many months on, or the last of a month that is too short for it."""
    years, month = divmod(when.month - 1 + months, 12)
    first = date(when.year + years, month + 1, 1)
    after = (first + 31 * DAY).replace(day=1)
    return min(first + (when.day - 1) * DAY, after - DAY)


def month_away(day: date, months: int) -> tuple[date, date]:
    """Return the month that is so many away."""
    return calendar(Width.MONTH, months, day)


def third(whole: tuple[date, date], part: int) -> tuple[date, date]:
    """Return the beginning, the middle or the end of a time."""
    first, after = whole
    days = (after - first).days
    return first + days * part // 3 * DAY, after if part == 2 else first + days * (part + 1) // 3 * DAY


def day_of(year: int, month: int, day: int) -> date | None:
    """Return a day, where the calendar has it."""
    try:
        return date(year, month, day)
    except ValueError:
        return None


def coming(weekday: int, day: date) -> date:
    """Return the next such weekday that is not the day itself."""
    return day + ((weekday - day.weekday() - 1) % 7 + 1) * DAY


def latest(weekday: int, day: date) -> date:
    """Return the last such weekday that is not the day itself."""
    return day - ((day.weekday() - weekday - 1) % 7 + 1) * DAY


def same_week(one: date, other: date) -> bool:
    """Return True if two days are in one week."""
    return one.isocalendar()[:2] == other.isocalendar()[:2]


def easter(year: int) -> date:
    """Return Easter Sunday by the algorithm of Meeus, Jones and Butcher for the Gregorian calendar."""
    golden, century, rest = year % 19, year // 100, year % 100
    moon = (19 * golden + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    back = (32 + 2 * (century % 4) + 2 * (rest // 4) - moon - rest % 4) % 7
    late = (golden + 11 * moon + 22 * back) // 451
    month, day = divmod(moon + back - 7 * late + 114, 31)
    return date(year, month, day + 1)
