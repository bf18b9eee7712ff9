"""Relative dates of a sentence with the absolute date added: "yesterday (11 February 2026)"."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from typing import Final

from remembrancer.language.dates.phrases import Phrase, phrases
from remembrancer.language.dates.reckoning import Width
from remembrancer.language.dates.table import DateFormat, table

# More dates than this in one sentence are no talk, and would make it longer than it was.
MOST_DATES: Final = 4
_OWNED = re.compile(r"['’]s\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Dated:
    """A sentence with absolute dates, and its first day, month or year as ISO text or `""`."""

    text: str
    refers_to: str


def dated(sentence: str, *, at: datetime, zone: tzinfo, tongue: str, around: str = "") -> Dated:
    """Return the sentence with absolute dates; ambiguous dates are unchanged.

    No word is removed. An absolute date follows a relative one, and a year follows a date without one.

    Args:
        at: the time of the message.
        around: the text around the sentence; if it is about years long ago, no year is added.
    """
    here = at.astimezone(zone)
    try:
        found = phrases(sentence, day=here.date(), hour=here.hour, tongue=tongue, around=around)[:MOST_DATES]
    except (OverflowError, ValueError):
        return Dated(text=sentence, refers_to="")
    written = table(tongue).written
    parts, start, refers_to = list[str](), 0, ""
    for phrase in found:
        if written.likened.search(sentence[: phrase.start]):
            continue
        refers_to = refers_to or _iso(phrase)
        owned = _OWNED.match(sentence, phrase.end)
        end = owned.end() if owned else phrase.end
        parts += [sentence[start:end], _addition(phrase, sentence, written)]
        start = end
    return Dated(text="".join([*parts, sentence[start:]]), refers_to=refers_to)


def _iso(phrase: Phrase) -> str:
    if phrase.width is Width.YEAR:
        return f"{phrase.first.year:04}"
    if phrase.width is Width.DAY and not phrase.about:
        return phrase.first.isoformat()
    middle = phrase.first + (timedelta(days=3) if phrase.width is Width.WEEK else timedelta())
    return f"{middle.year:04}-{middle.month:02}"


# --- Writing a date in the language of its sentence -----------------------------------------------------------------


def _addition(phrase: Phrase, sentence: str, written: DateFormat) -> str:
    """Return the text that follows a phrase: its date, or its missing year."""
    if phrase.relative:
        return f" ({_absolute(phrase, written)})"
    year = str(phrase.first.year)
    if phrase.joined or year in sentence[phrase.start : phrase.end]:
        return ""
    return f"{',' if sentence[phrase.end - 1].isdigit() else ''} {written.year.format(year=year)}"


def _absolute(phrase: Phrase, written: DateFormat) -> str:
    match phrase.width:
        case Width.DAY:
            day = written.on(phrase.first)
            return written.about.format(day) if phrase.about else day
        case Width.WEEK | Width.WEEKEND:
            return written.from_.format(written.on(phrase.first))
        case Width.MONTH | Width.QUARTER:
            return written.month.format(month=written.months[phrase.first.month - 1], year=phrase.first.year)
        case Width.YEAR:
            return str(phrase.first.year)
