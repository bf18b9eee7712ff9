"""Relative dates of a sentence with the absolute date written beside them: "yesterday (11 February 2026)"."""

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from typing import Final

from remembrancer.language.calendar import MONTH_NAMES
from remembrancer.language.dates.phrases import Phrase, phrases
from remembrancer.language.dates.table import Width

# More dates than this in one sentence are no talk, and would make it longer than it was.
MOST_DATES: Final = 4
_LIKENED = re.compile(r"\b(?:like|wie|como|comme|come)\s+$", re.IGNORECASE)
_OWNED = re.compile(r"['’]s\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Dated:
    """A sentence with absolute dates, and the day, month or year that it speaks of first, as ISO text or `""`."""

    text: str
    refers_to: str


def dated(sentence: str, *, said: datetime, zone: tzinfo, tongue: str) -> Dated:
    """The sentence with its dates as of the time it was said; what has two readings stays as it is.

    Every word stays. A relative date has the absolute one beside it, a date without a year its year behind it.
    """
    here = said.astimezone(zone)
    try:
        found = phrases(sentence, said=here.date(), hour=here.hour, tongue=tongue)[:MOST_DATES]
    except (OverflowError, ValueError):
        return Dated(text=sentence, refers_to="")
    parts, start, refers_to = list[str](), 0, ""
    for phrase in found:
        if _LIKENED.search(sentence[: phrase.start]):
            continue
        refers_to = refers_to or _iso(phrase)
        owned = _OWNED.match(sentence, phrase.end)
        end = owned.end() if owned else phrase.end
        parts += [sentence[start:end], _beside(phrase, sentence, tongue)]
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

_ABOUT: Final = {
    "english": "around ",
    "german": "um den ",
    "spanish": "hacia el ",
    "french": "vers le ",
    "italian": "verso il ",
}
_FROM: Final = {
    "english": "from ",
    "german": "ab ",
    "spanish": "desde el ",
    "french": "à partir du ",
    "italian": "dal ",
}


def _beside(phrase: Phrase, sentence: str, tongue: str) -> str:
    """What stands behind a phrase: the date that it means, or the year that it lacks."""
    if phrase.relative:
        return f" ({_absolute(phrase, tongue)})"
    if phrase.joined:
        return ""
    year = str(phrase.first.year)
    if year in sentence[phrase.start : phrase.end]:
        return ""
    return f" de {year}" if tongue == "spanish" else f", {year}" if sentence[phrase.end - 1].isdigit() else f" {year}"


def _absolute(phrase: Phrase, tongue: str) -> str:
    day = _day(phrase.first, tongue)
    match phrase.width:
        case Width.DAY:
            return f"{_ABOUT[tongue]}{day}" if phrase.about else day
        case Width.WEEK | Width.WEEKEND:
            return f"{_FROM[tongue]}{day}"
        case Width.MONTH:
            return _month(phrase.first, tongue)
        case Width.YEAR:
            return str(phrase.first.year)


def _day(when: date, tongue: str) -> str:
    month = MONTH_NAMES[tongue][when.month - 1]
    if tongue == "spanish":
        return f"{when.day} de {month} de {when.year}"
    mark = "." if tongue == "german" else "er" if tongue == "french" and when.day == 1 else ""
    return f"{when.day}{mark} {month} {when.year}"


def _month(when: date, tongue: str) -> str:
    return f"{MONTH_NAMES[tongue][when.month - 1]}{' de' if tongue == 'spanish' else ''} {when.year}"
