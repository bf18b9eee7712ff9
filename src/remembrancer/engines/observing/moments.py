"""Relative dates of a sentence made absolute: "yesterday" is the day before it was said."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from typing import Final

from remembrancer.engines.observing.words import AHEAD, RELATIVE
from remembrancer.language.calendar import COUNTED_UNITS, MONTH_NAMES, MONTHS, WEEKDAYS
from remembrancer.language.numbers import COUNTS
from remembrancer.retrieval.dates import spans

# More dates than this in one sentence are no talk, and would make it longer than it was.
MOST_DATES: Final = 4
_RELATIVE = re.compile(rf"\b(?:{RELATIVE})\b", re.IGNORECASE)
_MONTH = re.compile(rf"\b(?:{'|'.join(name for names in MONTHS.values() for name in names)})\b", re.IGNORECASE)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_ROUGH = re.compile(r"\b(?:ago|vor|hace|il y a|fa)\b", re.IGNORECASE)
_WEEKDAY = re.compile(rf"\b(?:{'|'.join(WEEKDAYS)})\b", re.IGNORECASE)
_DAYS_A_UNIT: Final = {"day": 1, "week": 7, "month": 30, "year": 365}
_COUNTED = {word: _DAYS_A_UNIT[unit] for word, unit in COUNTED_UNITS.items() if unit in _DAYS_A_UNIT}
_AHEAD_BY = re.compile(
    rf"\b(?:in|dans|tra|fra|dentro de|en)\s+(?P<count>\d{{1,3}}|{'|'.join(COUNTS)})\s+"
    rf"(?P<unit>{'|'.join(_COUNTED)})\b",
    re.IGNORECASE,
)
_WORDS = re.compile(r"'?\w+")
# Behind one of these a date needs no preposition of its own.
_HEADED = re.compile(
    r"\b(?:on|in|since|until|till|by|before|after|from|for|of|am|im|seit|bis|ab|nach|el|la|en|desde|hasta|le|depuis|avant"
    r"|après|il|nel|dal|da|di|du|de)\s+$",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"\b(?:(?:the|el|la|il|le)\s+|l['’])$", re.IGNORECASE)
_LIKENED = re.compile(r"\b(?:like|wie|como|comme|come)\s+$", re.IGNORECASE)
_OWNED = re.compile(r"['’]s\b")
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dated:
    """A sentence with absolute dates, and the day, month or year that it speaks of first, as ISO text or `""`."""

    text: str
    refers_to: str


@dataclass(frozen=True, slots=True)
class _Stretch:
    phrase: str
    start: datetime
    end: datetime

    @property
    def days(self) -> float:
        return (self.end - self.start) / _DAY

    @property
    def rough(self) -> bool:
        return self.days > 2 and bool(_ROUGH.search(self.phrase))


def dated(sentence: str, *, said: datetime, zone: tzinfo, tongue: str) -> Dated:
    """The sentence with its relative dates resolved against the time it was said at."""
    if not _RELATIVE.search(sentence) and not _YEAR.search(sentence) and not _AHEAD_BY.search(sentence):
        return Dated(text=sentence, refers_to="")
    text, at, refers_to = sentence, 0, ""
    for stretch in _stretches(sentence, said, zone)[:MOST_DATES]:
        place = text.find(stretch.phrase, at)
        if place < 0 or _LIKENED.search(text[:place]):
            continue
        refers_to = refers_to or _iso(stretch)
        if _relative(stretch.phrase):
            text, at = _written(text, place, stretch, tongue)
        else:
            at = place + len(stretch.phrase)
    return Dated(text=text, refers_to=refers_to)


def _stretches(sentence: str, said: datetime, zone: tzinfo) -> list[_Stretch]:
    """The times that a sentence names, in order; a weekday alone is the next one where it speaks of what is to come."""
    ahead = not AHEAD.isdisjoint(_WORDS.findall(sentence.casefold()))
    try:
        named = spans(f"upcoming: {sentence}" if ahead else sentence, now=said, zone=zone)
        counted = _AHEAD_BY.search(sentence) if ahead else None
        found = [
            _Stretch(span.phrase, span.start.astimezone(zone), span.end.astimezone(zone))
            for span in named
            if span.phrase.strip()
        ]
        if counted is not None:
            found.append(_counted(counted, said.astimezone(zone)))
    except (OverflowError, ValueError):
        return []
    return sorted(found, key=lambda stretch: sentence.find(stretch.phrase))


def _counted(found: re.Match[str], now: datetime) -> _Stretch:
    count = COUNTS.get(found["count"].lower()) or int(found["count"])
    length = _COUNTED[found["unit"].lower()]
    day = now.replace(hour=0, minute=0, second=0, microsecond=0) + count * length * _DAY
    width = {1: 1, 7: 7, 30: 31, 365: 365}[length]
    return _Stretch(found[0], day - (width // 2) * _DAY, day + (width - width // 2) * _DAY)


def _relative(phrase: str) -> bool:
    if _YEAR.search(phrase) or _MONTH.search(phrase):
        return False
    return bool(_RELATIVE.search(phrase) or _AHEAD_BY.search(phrase))


def _iso(stretch: _Stretch) -> str:
    middle = stretch.start + (stretch.end - stretch.start) / 2
    if stretch.days <= 2:
        return stretch.start.date().isoformat()
    if stretch.days <= 40:
        return f"{middle.year:04}-{middle.month:02}"
    return f"{middle.year:04}" if stretch.days <= 366 else ""


# --- Writing a date in the language of its sentence -----------------------------------------------------------------

_ON: Final = {"english": "on ", "german": "am ", "spanish": "el ", "french": "le ", "italian": "il "}
_IN: Final = {"english": "in ", "german": "im ", "spanish": "en ", "french": "en ", "italian": "nel "}
_ABOUT: Final = {
    "english": "around ",
    "german": "um den ",
    "spanish": "hacia el ",
    "french": "vers le ",
    "italian": "verso il ",
}
_WEEK: Final = {
    "english": ("in ", "the week of "),
    "german": ("in ", "der Woche ab "),
    "spanish": ("en ", "la semana del "),
    "french": ("dans ", "la semaine du "),
    "italian": ("nella ", "settimana del "),
}


def _written(text: str, place: int, stretch: _Stretch, tongue: str) -> tuple[str, int]:
    """The text with the date in place of the phrase, and where the date ends."""
    preposition, date = _absolute(stretch, tongue)
    before, after = text[:place], text[place + len(stretch.phrase) :]
    before = _ARTICLE.sub("", before)
    if tongue == "english" and (owned := _OWNED.match(after)):
        put, after = f"the {date.removeprefix('the ')}", after[owned.end() :]
    else:
        put = date if _HEADED.search(before) else preposition + date
    if not before:
        put = put[0].upper() + put[1:]
    return before + put + after, len(before) + len(put)


def _absolute(stretch: _Stretch, tongue: str) -> tuple[str, str]:
    """The preposition and the date that stand for a stretch of time."""
    middle = stretch.start + (stretch.end - stretch.start) / 2
    if stretch.days <= 2:
        named = _WEEKDAY.search(stretch.phrase)
        return _ON[tongue], f"{named[0] + ' ' if named else ''}{_day(stretch.start, tongue)}"
    if stretch.days <= 8:
        if stretch.rough or _AHEAD_BY.search(stretch.phrase):
            return _ABOUT[tongue], _day(middle, tongue)
        preposition, week = _WEEK[tongue]
        return preposition, week + _day(stretch.start, tongue)
    if stretch.days <= 40:
        return _IN[tongue], _month(middle, tongue)
    if stretch.days <= 190:
        return _IN[tongue], f"{_month(stretch.start, tongue)} – {_month(stretch.end - _DAY, tongue)}"
    return ("" if tongue == "german" else _IN[tongue]), str(middle.year)


def _day(when: datetime, tongue: str) -> str:
    month = MONTH_NAMES[tongue][when.month - 1]
    if tongue == "spanish":
        return f"{when.day} de {month} de {when.year}"
    return f"{when.day}{'.' if tongue == 'german' else ''} {month} {when.year}"


def _month(when: datetime, tongue: str) -> str:
    return f"{MONTH_NAMES[tongue][when.month - 1]}{' de' if tongue == 'spanish' else ''} {when.year}"
