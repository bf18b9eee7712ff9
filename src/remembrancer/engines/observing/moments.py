"""Relative dates of a sentence made absolute: "yesterday" is the day before it was said."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo

from remembrancer.engines.observing.words import AHEAD, MONTH_NAMES
from remembrancer.retrieval.dates import Span, spans

_RELATIVE = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|last|next|this|past|ago|previous|coming|\w+day|vorgestern"
    r"|gestern|heute|morgen"
    r"|übermorgen|vor|letzte\w*|nächste\w*|diese\w*|vorige\w*|vergangene\w*|kommende\w*|\w+tag"
    r"|mittwoch|anteayer|ayer|hoy|mañana"
    r"|hace|pasad[oa]|próxim[oa]|proxim[oa]|est[ea]|lunes|martes|miércoles|jueves|viernes|sábado"
    r"|domingo|hier|aujourd|demain|il y a"
    r"|derni[eè]re?|prochaine?|cett?e|ce|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|ieri"
    r"|oggi|domani|dopodomani|fa"
    r"|scors[oa]|prossim[oa]|quest[oa]|lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica)\b",
    re.IGNORECASE,
)
_MONTH = re.compile(
    r"\b(?:" + "|".join(sorted({name.casefold() for names in MONTH_NAMES.values() for name in names})) + r")\b",
    re.IGNORECASE,
)
_WEEKDAY_ALONE = re.compile(r"\w+", re.IGNORECASE)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_TODAY = re.compile(
    r"today|tonight|this (?:morning|afternoon|evening)|heute|hoy|esta (?:mañana|tarde|noche)|aujourd"
    r"|ce (?:matin|soir)|oggi|stamattina",
    re.IGNORECASE,
)
_DAY = timedelta(days=1)
_ABOUT = {"english": "around", "german": "um den", "spanish": "hacia el", "french": "vers le", "italian": "verso il"}
_WEEK = {
    "english": "the week of",
    "german": "der Woche ab",
    "spanish": "la semana del",
    "french": "la semaine du",
    "italian": "la settimana del",
}
_ON = {"english": "on ", "german": "am ", "spanish": "el ", "french": "le ", "italian": "il "}
_IN = {"english": "in ", "german": "", "spanish": "en ", "french": "en ", "italian": "nel "}
_ROUGH = re.compile(r"\b(?:ago|vor|hace|il y a|fa)\b", re.IGNORECASE)
_HEADED = re.compile(
    r"\b(?:on|in|since|until|by|before|after|from|for|of|am|im|seit|bis|ab|vor|nach|el|la|en|desde"
    r"|hasta|le|depuis|avant|après|il|nel|dal|da|di|du|de)\s+(?:the\s+)?$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Dated:
    """A sentence with absolute dates, and the day, month or year that it speaks of first, as ISO text or `""`."""

    text: str
    refers_to: str


def dated(sentence: str, *, said: datetime, zone: tzinfo, tongue: str) -> Dated:
    """The sentence with its relative dates resolved against the time it was said at."""
    if not _RELATIVE.search(sentence) and not _YEAR.search(sentence):
        return Dated(sentence, "")
    ahead = not AHEAD.isdisjoint(re.findall(r"'?\w+", sentence.casefold()))
    try:
        found = spans(f"upcoming: {sentence}" if ahead else sentence, now=said, zone=zone)
    except OverflowError:
        return Dated(sentence, "")
    text, at, refers_to = sentence, 0, ""
    for span in found:
        place = text.find(span.phrase, at)
        if place < 0:
            continue
        start, end = span.start.astimezone(zone), span.end.astimezone(zone)
        refers_to = refers_to or _iso(start, end)
        if not _needs_date(span):
            at = place + len(span.phrase)
            continue
        text, at = _written(text, place, span.phrase, _absolute(start, end, span.phrase, tongue), tongue)
    return Dated(text, refers_to)


def _needs_date(span: Span) -> bool:
    return bool(_RELATIVE.search(span.phrase)) and not _YEAR.search(span.phrase) and not _MONTH.search(span.phrase)


def _iso(start: datetime, end: datetime) -> str:
    if end - start <= 2 * _DAY:
        return start.date().isoformat()
    if end - start <= 31 * _DAY:
        return f"{start:%Y-%m}"
    return f"{start:%Y}" if end - start <= 366 * _DAY else ""


def _absolute(start: datetime, end: datetime, phrase: str, tongue: str) -> tuple[str, str]:
    """The preposition and the date that stand for a stretch of time."""
    days = (end - start) / _DAY
    if _ROUGH.search(phrase) and days > 2:
        middle = start + (end - start) / 2
        if days <= 8:
            return f"{_ABOUT[tongue]} ", _day(middle, tongue)
        return _IN[tongue], _month(middle, tongue) if days <= 40 else str(middle.year)
    if days <= 2:
        return _ON[tongue], _day(start, tongue)
    if days <= 8:
        return _IN[tongue] or "in ", f"{_WEEK[tongue]} {_day(start, tongue)}"
    if days <= 31:
        return _IN[tongue] or "im ", _month(start, tongue)
    if days <= 190:
        last = end - _DAY
        return "", f"{_month(start, tongue)}–{_month(last, tongue)}"
    return _IN[tongue], str(start.year)


def _day(when: datetime, tongue: str) -> str:
    month = MONTH_NAMES[tongue][when.month - 1]
    mark, of = ("." if tongue == "german" else ""), (" de" if tongue == "spanish" else "")
    return f"{when.day}{mark}{of} {month}{of} {when.year}"


def _month(when: datetime, tongue: str) -> str:
    of = " de" if tongue == "spanish" else ""
    return f"{MONTH_NAMES[tongue][when.month - 1]}{of} {when.year}"


def _written(text: str, place: int, phrase: str, absolute: tuple[str, str], tongue: str) -> tuple[str, int]:
    preposition, date = absolute
    if tongue == "english" and phrase.casefold().startswith(("this morning", "tonight", "last night")):
        date = f"{date}"
    head = text[:place]
    if _HEADED.search(head) and tongue != "french":
        preposition = ""
        head = re.sub(r"\b(the|el|la|il|le)\s+$", "", head, flags=re.IGNORECASE) if tongue == "english" else head
    else:
        head = re.sub(r"\b(?:the|la|le|el)\s+$", "", head, flags=re.IGNORECASE)
    put = preposition + date
    if not head:
        put = put[0].upper() + put[1:]
    return head + put + text[place + len(phrase) :], len(head) + len(put)
