"""Relative dates of a sentence made absolute: "yesterday" is the day before it was said."""

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from typing import Final

from remembrancer.engines.observing.phrases import Phrase, Width, phrases
from remembrancer.language.calendar import MONTH_NAMES, WEEKDAYS

# More dates than this in one sentence are no talk, and would make it longer than it was.
MOST_DATES: Final = 4
_WEEKDAY = re.compile(rf"\b(?:{'|'.join(WEEKDAYS)})\b", re.IGNORECASE)
# Behind one of these a date needs no preposition of its own.
_HEADED = re.compile(
    r"\b(?:on|in|since|until|till|by|before|after|from|for|of|am|im|seit|bis|ab|nach|vom|zum|el|la|en|desde|hasta|del|al|le"
    r"|depuis|avant|après|d'ici|jusqu'au?|pour|dès|il|nel|dal|dall'|da|di|du|de|entro|per|fino a)\s+$",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"\b(?:(?:the|el|la|il|le)\s+|l['’])$", re.IGNORECASE)
_LIKENED = re.compile(r"\b(?:like|wie|como|comme|come)\s+$", re.IGNORECASE)
# Behind a time that is spoken of, and not the time of what is told.
_IS_WHAT = re.compile(
    r"\s+(?:was|is|were|will|has|had|war|ist|wird|fue|es|será|était|est|sera|era|è|sarà|è stat[oa])\b", re.IGNORECASE
)
_PART_OF_DAY = re.compile(r"\s+(morning|afternoon|evening|night)\b")
_OWNED = re.compile(r"['’]s\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Dated:
    """A sentence with absolute dates, and the day, month or year that it speaks of first, as ISO text or `""`."""

    text: str
    refers_to: str


def dated(sentence: str, *, said: datetime, zone: tzinfo, tongue: str) -> Dated:
    """The sentence with its relative dates resolved against the time it was said at; what has two readings stays."""
    here = said.astimezone(zone)
    try:
        found = phrases(sentence, said=here.date(), hour=here.hour, tongue=tongue)[:MOST_DATES]
    except (OverflowError, ValueError):
        return Dated(text=sentence, refers_to="")
    text, moved, refers_to = sentence, 0, ""
    for phrase in found:
        if _LIKENED.search(sentence[: phrase.start]):
            continue
        refers_to = refers_to or _iso(phrase)
        if phrase.relative:
            written = _written(text, phrase.start + moved, phrase.end + moved, phrase, tongue)
            moved += len(written) - len(text)
            text = written
    return Dated(text=text, refers_to=refers_to)


def _iso(phrase: Phrase) -> str:
    if phrase.width is Width.YEAR:
        return f"{phrase.first.year:04}"
    if phrase.width is Width.DAY and not phrase.about:
        return phrase.first.isoformat()
    middle = phrase.first + (timedelta(days=3) if phrase.width is Width.WEEK else timedelta())
    return f"{middle.year:04}-{middle.month:02}"


# --- Writing a date in the language of its sentence -----------------------------------------------------------------

# Days of a month that begin with a vowel in Italian: otto, undici.
_WITH_VOWEL: Final = (8, 11)
_ON: Final = {"english": "on ", "german": "am ", "spanish": "el ", "french": "le ", "italian": "il "}
_IN: Final = {"english": "in ", "german": "im ", "spanish": "en ", "french": "en ", "italian": "nel "}
_ABOUT: Final = {
    "english": "around ",
    "german": "um den ",
    "spanish": "hacia el ",
    "french": "vers le ",
    "italian": "verso il ",
}
_WEEKEND: Final = {
    "english": "the weekend of ",
    "german": "Wochenende ab ",
    "spanish": "el fin de semana del ",
    "french": "le week-end du ",
    "italian": "fine settimana del ",
}
_WEEK: Final = {
    "english": ("in ", "the week of "),
    "german": ("in ", "der Woche ab "),
    "spanish": ("en ", "la semana del "),
    "french": ("dans ", "la semaine du "),
    "italian": ("nella ", "settimana del "),
}


def _written(text: str, start: int, end: int, phrase: Phrase, tongue: str) -> str:
    """The text with the date in place of the phrase."""
    preposition, date = _absolute(text[start:end], phrase, tongue)
    before, after = text[:start], text[end:]
    before = _ARTICLE.sub("", before)
    if tongue == "english" and (part := _PART_OF_DAY.match(after)):
        date, after = f"the {part[1]} of {date}", after[part.end() :]
        preposition = "on "
    if not before and phrase.width is not Width.DAY and tongue != "german" and _IS_WHAT.match(after):
        put = date
    elif tongue == "english" and (owned := _OWNED.match(after)):
        put, after = f"the {date.removeprefix('the ')}", after[owned.end() :]
    else:
        put = date if _HEADED.search(before) else preposition + date
    if not before:
        put = put[0].upper() + put[1:]
    return before + put + after


def _absolute(said: str, phrase: Phrase, tongue: str) -> tuple[str, str]:
    """The preposition and the date that stand for a phrase."""
    day = _day(phrase.first, tongue)
    match phrase.width:
        case Width.DAY if phrase.about:
            return _ABOUT[tongue], day
        case Width.DAY:
            named = _WEEKDAY.search(said)
            if tongue == "italian":
                return ("", f"{named[0]} {day}") if named else ("l'" if phrase.first.day in _WITH_VOWEL else "il ", day)
            return _ON[tongue], f"{named[0] + ' ' if named else ''}{day}"
        case Width.WEEK:
            preposition, week = _WEEK[tongue]
            return preposition, week + day
        case Width.WEEKEND:
            return _ON[tongue], _WEEKEND[tongue] + day
        case Width.MONTH:
            return _IN[tongue], _month(phrase.first, tongue)
        case Width.YEAR:
            return ("" if tongue == "german" else _IN[tongue]), str(phrase.first.year)


def _day(when: date, tongue: str) -> str:
    month = MONTH_NAMES[tongue][when.month - 1]
    if tongue == "spanish":
        return f"{when.day} de {month} de {when.year}"
    mark = "." if tongue == "german" else "er" if tongue == "french" and when.day == 1 else ""
    return f"{when.day}{mark} {month} {when.year}"


def _month(when: date, tongue: str) -> str:
    return f"{MONTH_NAMES[tongue][when.month - 1]}{' de' if tongue == 'spanish' else ''} {when.year}"
