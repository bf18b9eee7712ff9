"""Phrases of time in a statement and what they mean, where a careful reader has one reading and no other."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from typing import Final

from remembrancer.engines.observing.tense import Tense, is_habit, tense
from remembrancer.engines.observing.words import words
from remembrancer.language.calendar import MONTH_NUMBERS, MONTHS, WEEKDAY_NAMES, WEEKDAYS
from remembrancer.language.numbers import COUNTS
from remembrancer.language.spelling import spellings

_DAY: Final = timedelta(days=1)
# Whether a day of a month without a year is the one of before or of after, is plain where the other one is as far.
_NEAR: Final = 60
_MORNING: Final = 5
_MONTHS_AWAY: Final = 8


class Width(StrEnum):
    """How long the time is that a phrase means."""

    DAY = "day"
    WEEK = "week"
    WEEKEND = "weekend"
    MONTH = "month"
    YEAR = "year"


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """A phrase of time.

    Args:
        start, end: where it stands in the sentence.
        first: the first day of what it means.
        about: whether it means a day or so around that.
        relative: whether it tells its time only to who knows when it was said.
    """

    start: int
    end: int
    first: date
    width: Width
    about: bool = False
    relative: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tongue:
    """The phrases of one language.

    Args:
        days: what names a day by its distance from today.
        untrue: before or behind which those mean no day.
        last, next_, coming, this: what stands before a weekday, or behind it.
        bare: what may stand before a weekday that is meant by the tense; `""` for nothing, at the beginning.
        since: which of them look back.
        of_week: what stands behind a weekday and names its week, by the distance from this one.
        units: weeks, months, years and weekends by name, by their distance.
        ago, ahead: a count and a unit.
        loose: before which a count is not meant as it is.
    """

    days: Mapping[str, int]
    untrue: str
    last: str
    next_: str
    coming: str
    this: str
    bare: str
    since: str
    of_week: Mapping[str, int]
    units: Mapping[tuple[Width, int], str]
    ago: str
    ahead: str
    surely_ahead: bool
    loose: str
    annual: str


_NOTHING: Final = r"(?!)"
_COUNT: Final = rf"(?P<count>\d{{1,2}}|{'|'.join(sorted(COUNTS, key=len, reverse=True))})"
_UNITS: Final = {
    "english": {"day": 1, "week": 7, "month": 30, "year": 365},
    "german": {"tag": 1, "woche": 7, "monat": 30, "jahr": 365},
    "spanish": {"día": 1, "dia": 1, "semana": 7, "mes": 30, "año": 365},
    "french": {"jour": 1, "semaine": 7, "mois": 30, "an": 365, "année": 365},
    "italian": {
        "giorno": 1,
        "giorni": 1,
        "settimana": 7,
        "settimane": 7,
        "mese": 30,
        "mesi": 30,
        "anno": 365,
        "anni": 365,
    },
}


def _unit(tongue: str) -> str:
    names = "|".join(sorted(_UNITS[tongue], key=len, reverse=True))
    return rf"(?P<unit>{names})(?:s|es|e|n|en)?"


_TONGUES: Final = {
    "english": _Tongue(
        days={
            "the day before yesterday": -2,
            "day before yesterday": -2,
            "the day after tomorrow": 2,
            "day after tomorrow": 2,
            "yesterday": -1,
            "today": 0,
            "tonight": 0,
            "this morning": 0,
            "this afternoon": 0,
            "this evening": 0,
            "last night": -1,
            "tomorrow": 1,
        },
        untrue=r"born |no |like |kids |people |children |students |teenagers |world |of |'s |’s |'S ",
        last=r"last|this past|past",
        next_=r"next",
        coming=r"this coming|coming|this upcoming|upcoming",
        this=r"this",
        bare=r"|on|by|until|till|before|since|from|after|for|and|or|but|do|you|it|me|him|her|them|us|come|comes|here"
        r"|there|home"
        r"|back|out|off|early|late|again|only|not|maybe|perhaps|around|about|meet|met|leave|leaves|left|arrive"
        r"|arrives|arrived"
        r"|to|through|in|up|over|down|due|starting|is|are|was|call|called|at",
        since=r"since",
        of_week={
            r"(?:of |in )?next week": 1,
            r"(?:of |in )?last week": -1,
            r"(?:of |in )?this week": 0,
        },
        units={
            (Width.WEEK, -1): "last week",
            (Width.WEEK, 0): "this week",
            (Width.WEEK, 1): "next week",
            (Width.MONTH, -1): "last month",
            (Width.MONTH, 0): "this month",
            (Width.MONTH, 1): "next month",
            (Width.YEAR, -1): "last year",
            (Width.YEAR, 0): "this year",
            (Width.YEAR, 1): "next year",
            (Width.WEEKEND, -1): "last weekend",
            (Width.WEEKEND, 0): "this weekend",
            (Width.WEEKEND, 1): "next weekend",
        },
        ago=rf"{_COUNT} {_unit('english')} ago",
        ahead=rf"in {_COUNT} {_unit('english')}(?: time|['’] time)?",
        surely_ahead=False,
        loose=r"(?:more|less|over|under|about|around|almost|nearly|roughly|at least|or|to|than|every|within|just|-|–"
        r"|half|exactly) ",
        annual=r"birthday|born|anniversary|every year|each year|annual|holiday|christmas|new year",
    ),
    "german": _Tongue(
        days={
            "vorgestern": -2,
            "übermorgen": 2,
            "gestern": -1,
            "heute": 0,
            "morgen früh": 1,
            "morgen": 1,
        },
        untrue=r"am |jeden |guten |eines |dieser |von |diesen |den |der |des |ab |von |nicht von |jeder |gegen "
        r"|montag|dienstag"
        r"|mittwoch|donnerstag|freitag|samstag|sonntag|jugend |noch ",
        last=r"letzten|letzter|letztem|vergangenen|vorigen",
        next_=r"nächsten|nächster|nächstem",
        coming=r"kommenden|diesen kommenden",
        this=r"diesen",
        bare=r"am|bis|bis zum|ab|seit|vor|nach|zum|für|vom|und|oder|bis spätestens|spätestens|erst|schon",
        since=r"seit",
        of_week={
            r"(?:der )?(?:nächster|nächste|nächsten|kommender|kommende|kommenden) woche": 1,
            r"(?:der )?(?:letzter|letzte|letzten|vergangener|voriger) woche": -1,
            r"(?:dieser|diese) woche": 0,
        },
        units={
            (Width.WEEK, -1): "(?:letzte|vorige|vergangene) woche",
            (Width.WEEK, 0): "diese woche",
            (Width.WEEK, 1): "(?:nächste|kommende) woche",
            (Width.MONTH, -1): "(?:letzten|vorigen|vergangenen) monat",
            (Width.MONTH, 0): "diesen monat",
            (Width.MONTH, 1): "(?:nächsten|kommenden) monat",
            (Width.YEAR, -1): "(?:letztes|voriges|vergangenes) jahr",
            (Width.YEAR, 0): "dieses jahr",
            (Width.YEAR, 1): "(?:nächstes|kommendes) jahr",
            (Width.WEEKEND, -1): "(?:letztes|vergangenes) wochenende",
            (Width.WEEKEND, 0): "dieses wochenende",
            (Width.WEEKEND, 1): "(?:nächstes|kommendes) wochenende",
        },
        ago=rf"vor {_COUNT} {_unit('german')}",
        ahead=rf"in {_COUNT} {_unit('german')}",
        surely_ahead=False,
        loose=r"(?:mehr als|über|fast|ungefähr|etwa|rund|knapp|gut|circa|ca\.|mindestens|oder|alle|innerhalb von"
        r"|binnen|als|seit|bis|-|–"
        r"|schon|erst|genau) ",
        annual=r"geburtstag|geboren|jahrestag|jubiläum|jedes jahr|weihnachten",
    ),
    "spanish": _Tongue(
        days={
            "antes de ayer": -2,
            "anteayer": -2,
            "antier": -2,
            "pasado mañana": 2,
            "ayer": -1,
            "anoche": -1,
            "hoy": 0,
            "esta mañana": 0,
            "esta tarde": 0,
            "esta noche": 0,
            "mañana por la mañana": 1,
            "mañana por la tarde": 1,
            "mañana por la noche": 1,
            "mañana": 1,
        },
        untrue=r"la |un |una |cada |por la |de |esta |en la |las |a la |desde la |toda la |media |lunes |martes "
        r"|miércoles |jueves |viernes "
        r"|sábado |domingo |jóvenes |hasta el día de |noche y |tarde y |ayer ",
        last=r"el pasado|pasado|este pasado",
        next_=r"el próximo|próximo",
        coming=r"este próximo",
        this=r"este",
        bare=r"el|hasta el|para el|desde el|del|al|antes del|y el|o el|a partir del|después del",
        since=r"desde el",
        of_week={
            r"de la (?:semana que viene|próxima semana|semana próxima)": 1,
            r"de la (?:semana pasada|pasada semana)": -1,
            r"de esta semana": 0,
            r"que viene": 100,
            r"próximo": 100,
            r"pasado": -100,
        },
        units={
            (Width.WEEK, -1): "la (?:semana pasada|pasada semana)",
            (Width.WEEK, 0): "esta semana",
            (Width.WEEK, 1): "la (?:semana que viene|próxima semana|semana próxima)",
            (Width.MONTH, -1): "el (?:mes pasado|pasado mes)",
            (Width.MONTH, 0): "este mes",
            (Width.MONTH, 1): "el (?:mes que viene|próximo mes|mes próximo)",
            (Width.YEAR, -1): "el (?:año pasado|pasado año)",
            (Width.YEAR, 0): "este año",
            (Width.YEAR, 1): "el (?:año que viene|próximo año|año próximo)",
            (Width.WEEKEND, -1): "el (?:fin de semana pasado|pasado fin de semana)",
            (Width.WEEKEND, 0): "este fin de semana",
            (Width.WEEKEND, 1): "el (?:próximo fin de semana|fin de semana que viene)",
        },
        ago=rf"hace {_COUNT} {_unit('spanish')}(?! que)(?! ya que)",
        ahead=rf"(?:dentro de|en) {_COUNT} {_unit('spanish')}",
        surely_ahead=False,
        loose=r"(?:más de|menos de|casi|unos|unas|alrededor de|desde|o|cada|un par de|al menos|-|–|aproximadamente"
        r"|justo|apenas) ",
        annual=r"cumpleaños|nac(?:í|ió|imos)|aniversario|cada año|navidad|cumple",
    ),
    "french": _Tongue(
        days={
            "avant-hier": -2,
            "après-demain": 2,
            "hier soir": -1,
            "hier": -1,
            "aujourd'hui": 0,
            "aujourd’hui": 0,
            "ce matin": 0,
            "cet après-midi": 0,
            "ce soir": 0,
            "demain matin": 1,
            "demain soir": 1,
            "demain": 1,
        },
        untrue=r"d'|d’|de |né |jeunes |monde |les |à |sans |lundi |mardi |mercredi |jeudi |vendredi |samedi |dimanche ",
        last=_NOTHING,
        next_=_NOTHING,
        coming=_NOTHING,
        this=r"ce",
        bare=r"|avant|d'ici|d’ici|jusqu'à|jusqu’à|depuis|pour|dès|à|et|ou|voit|rentre|pars|part|partons|arrive"
        r"|arrivent|reviens|revient"
        r"|vient|viens|ferme|ouvre|après|est|c'est|c’est|que|faire|livrer|rendre|envoyer|partir",
        since=r"depuis",
        of_week={
            r"de la semaine prochaine": 1,
            r"de la semaine dernière": -1,
            r"de cette semaine": 0,
            r"prochain": 100,
            r"dernier": -100,
        },
        units={
            (Width.WEEK, -1): "la semaine (?:dernière|passée)",
            (Width.WEEK, 0): "cette semaine",
            (Width.WEEK, 1): "la semaine prochaine",
            (Width.MONTH, -1): "le mois (?:dernier|passé)",
            (Width.MONTH, 0): "ce mois-ci",
            (Width.MONTH, 1): "le mois prochain",
            (Width.YEAR, -1): "l['’](?:an|année) (?:derni(?:er|ère)|passée?)",
            (Width.YEAR, 0): "cette année",
            (Width.YEAR, 1): "l['’](?:an|année) prochaine?",
            (Width.WEEKEND, -1): "le week-?end dernier",
            (Width.WEEKEND, 0): "ce week-?end",
            (Width.WEEKEND, 1): "le week-?end prochain",
        },
        ago=rf"il y a {_COUNT} {_unit('french')}(?! que)",
        ahead=rf"dans {_COUNT} {_unit('french')}",
        surely_ahead=True,
        loose=r"(?:plus de?|moins de?|presque|environ|à peu près|près de|ou|depuis|tous les|d'ici|au moins|-|–|juste"
        r"|à peine|quelques) ",
        annual=r"anniversaire|née?s? le|chaque année|noël",
    ),
    "italian": _Tongue(
        days={
            "l'altro ieri": -2,
            "l’altro ieri": -2,
            "dopodomani": 2,
            "ieri sera": -1,
            "ieri": -1,
            "oggi": 0,
            "stamattina": 0,
            "stasera": 0,
            "questa mattina": 0,
            "questo pomeriggio": 0,
            "questa sera": 0,
            "domani mattina": 1,
            "domani sera": 1,
            "domani": 1,
        },
        untrue=r"di |d'|nato |giovani |mondo |il |al giorno d'|un |lunedì |martedì |mercoledì |giovedì |venerdì "
        r"|sabato |domenica |l'altro |l’altro ",
        last=r"lo scorso|la scorsa|scorso|scorsa",
        next_=r"il prossimo|la prossima|prossimo|prossima",
        coming=_NOTHING,
        this=r"questo|questa",
        bare=r"|entro|fino a|da|per|a|prima di|dopo|e|o|vediamo|parto|parte|partiamo|arriva|arrivano|torno|torna"
        r"|chiude|apre|scade|è"
        r"|consegna|consegno|vengo|viene|da lunedì a",
        since=_NOTHING,
        of_week={
            r"della (?:settimana prossima|prossima settimana)": 1,
            r"della (?:settimana scorsa|scorsa settimana)": -1,
            r"di questa settimana": 0,
            r"prossim[oa]": 100,
            r"scors[oa]": -100,
        },
        units={
            (Width.WEEK, -1): "la (?:settimana scorsa|scorsa settimana)",
            (Width.WEEK, 0): "questa settimana",
            (Width.WEEK, 1): "la (?:settimana prossima|prossima settimana)",
            (Width.MONTH, -1): "(?:il mese scorso|lo scorso mese)",
            (Width.MONTH, 0): "questo mese",
            (Width.MONTH, 1): "il (?:mese prossimo|prossimo mese)",
            (Width.YEAR, -1): "(?:l['’]anno scorso|lo scorso anno)",
            (Width.YEAR, 0): "quest['’]anno",
            (Width.YEAR, 1): "(?:l['’]anno prossimo|il prossimo anno)",
            (Width.WEEKEND, -1): "(?:lo scorso (?:weekend|fine settimana)|il (?:weekend|fine settimana) scorso)",
            (Width.WEEKEND, 0): "questo (?:weekend|fine settimana)",
            (Width.WEEKEND, 1): "il (?:prossimo (?:weekend|fine settimana)|(?:weekend|fine settimana) prossimo)",
        },
        ago=rf"{_COUNT} {_unit('italian')} fa",
        ahead=rf"(?:tra|fra) {_COUNT} {_unit('italian')}",
        surely_ahead=True,
        loose=r"(?:più di|meno di|quasi|circa|oltre|o|ogni|almeno|-|–|un paio di|appena|da) ",
        annual=r"compleanno|nat[oa] il|anniversario|ogni anno|natale",
    ),
}
# Counts of days that stand for a week or two as often as for themselves.
_IDIOMS: Final = {"german": {8}, "spanish": {8, 15}, "french": {8, 15}, "italian": {8, 15}, "english": set[int]()}
_BESIDE: Final = re.compile(r"^(?:'|’)s\b|^\s+(?:week|or so|after next|before last|en huit|en quinze)\b", re.IGNORECASE)
_FROM_THERE: Final = re.compile(
    r"(?:days?|weeks?|months?|fortnight|tage?|wochen?|monate?|días?|semanas?|mes(?:es)?|jours?|semaines?|mois"
    r"|giorn[oi]|settiman[ae]|mes[ei])"
    r"\s+(?:before|after|from|later than|vor|nach|antes d\w+|después d\w+|avant|après|prima d\w+|dopo)\s+(?:the\s+"
    r"|le\s+|la\s+|el\s+|il\s+)?$",
    re.IGNORECASE,
)
_SINCE_THEN: Final = re.compile(r"\s+(?:today|on|or so|heute)\b", re.IGNORECASE)
_QUOTE: Final = re.compile(r"[\"“”«»„]")
_WORD_BEFORE: Final = re.compile(r"([^\s,.;:!?()]+)(?:\s+([^\s,.;:!?()]+))?\s*$")
_NAME_BEFORE: Final = re.compile(r"[^\W\d_]\w*$")


def phrases(sentence: str, *, said: date, hour: int, tongue: str) -> list[Phrase]:
    """The phrases of time of a sentence that have one reading, in their order.

    Args:
        said: the day on which it was said, where it was said.
        hour: of that day; what is said at night may mean the day before by "today".
        tongue: the language of the sentence.
    """
    if _QUOTE.search(sentence):
        return []
    when = tense(sentence, tongue)
    found = [*_explicit(sentence, said, tongue, when)]
    # What is said at night may mean the day before by "today".
    named_days = () if hour < _MORNING else (_named_days,)
    for find in (_weekdays, _named_units, _counted, *named_days, _months):
        for phrase in find(sentence, said, tongue, when):
            if not any(phrase.start < other.end and other.start < phrase.end for other in found):
                found.append(phrase)
    return _apart(sorted(found, key=lambda phrase: phrase.start), sentence)


def _apart(found: list[Phrase], sentence: str) -> list[Phrase]:
    """Without those that explain one another: what they mean together, neither means alone."""
    kept: list[Phrase] = []
    for phrase in found:
        before = kept[-1] if kept else None
        if before is not None and len(sentence[before.end : phrase.start].strip(" ,")) <= 2:
            if before.first != phrase.first:
                kept.pop()
            continue
        kept.append(phrase)
    return kept


def _before(sentence: str, at: int) -> tuple[str, str]:
    """The last word before a place, and the one before that; nothing behind a mark or at the beginning."""
    if not sentence[:at].strip() or sentence[:at].rstrip()[-1] in ",.;:!?()–—":
        return "", ""
    found = _WORD_BEFORE.search(sentence[:at])
    if found is None:
        return "", ""
    return (found[2], found[1]) if found[2] else (found[1], "")


def _led_by(pattern: str, sentence: str, at: int) -> re.Match[str] | None:
    """What stands directly before a place, if it is one of some words."""
    if pattern == _NOTHING:
        return None
    return re.search(rf"(?<![\w'’-])(?:{pattern})\s+$", sentence[:at], re.IGNORECASE)


def _weekday_names(tongue: str) -> str:
    """A pattern for the weekdays of a language, in every spelling."""
    names = (*WEEKDAY_NAMES[tongue], *(("Sonnabend",) if tongue == "german" else ()))
    return "|".join(sorted({spelt for name in names for spelt in spellings(name)}, key=len, reverse=True))


_WEEKDAY_NAMES: Final = {tongue: _weekday_names(tongue) for tongue in WEEKDAY_NAMES}
_WEEKDAY_OF: Final = {
    tongue: re.compile(
        rf"(?<![\w'’-])(?P<day>{names})"
        + (r"(?P<part>abend|nachmittag|vormittag|morgen|mittag|nacht)?" if tongue == "german" else "")
        + r"(?![\w-])",
        re.IGNORECASE,
    )
    for tongue, names in _WEEKDAY_NAMES.items()
}
# Behind a weekday: a day of the month or a month, which say more than it does.
_DAY_BEHIND: Final = re.compile(
    r"^[\s,]*(?:the |den |dem |der |el |le |il |, )?\d{1,2}(?:st|nd|rd|th|\.|er)?(?!\s?(?:am|pm|a\.m|p\.m|uhr|h\b|:|\d"
    r"|o'clock))(?![\d:])"
    rf"|^\s+(?:in|of|im|en|de|di|à) (?:{'|'.join(MONTH_NUMBERS)})\b",
    re.IGNORECASE,
)


def _weekdays(sentence: str, said: date, tongue: str, when: Tense) -> Iterator[Phrase]:
    its = _TONGUES[tongue]
    for found in _WEEKDAY_OF[tongue].finditer(sentence):
        start, end = found.span()
        day = WEEKDAYS[found["day"].casefold()]
        behind = sentence[end:]
        if _BESIDE.match(behind) or _DAY_BEHIND.match(behind) or _FROM_THERE.search(sentence[:start]):
            continue
        this_week = said + (day - said.weekday()) * _DAY
        if tail := _tail(its, behind):
            weeks, length = tail
            if (first := _by_tail(weeks, day, said, this_week)) is not None:
                lead = _led_by(its.bare.removeprefix("|"), sentence, start) if tongue in ("spanish",) else None
                begin = lead.start() if lead and lead[0].strip().casefold() == "el" else start
                yield Phrase(start=begin, end=end + length, first=first, width=Width.DAY)
            continue
        meaning = _meaning(sentence, start, day, said, this_week, its, when, behind, tongue)
        if meaning is not None:
            begin, first = meaning
            yield Phrase(start=begin, end=end, first=first, width=Width.DAY)


def _tail(its: _Tongue, behind: str) -> tuple[int, int] | None:
    for pattern, weeks in its.of_week.items():
        if found := re.match(rf"\s+(?:{pattern})(?![\w-])", behind, re.IGNORECASE):
            return weeks, found.end()
    return None


def _by_tail(weeks: int, day: int, said: date, this_week: date) -> date | None:
    if weeks == 100:
        return _next(day, said)
    if weeks == -100:
        return _last(day, said)
    return this_week + 7 * weeks * _DAY


def _coming(day: int, said: date) -> date:
    return said + ((day - said.weekday() - 1) % 7 + 1) * _DAY


def _latest(day: int, said: date) -> date:
    return said - ((said.weekday() - day - 1) % 7 + 1) * _DAY


def _next(day: int, said: date) -> date | None:
    """What both readings of "next Friday" mean: the one to come, and the one of the week to come."""
    first = _coming(day, said)
    return first if first.isocalendar()[:2] != said.isocalendar()[:2] else None


def _last(day: int, said: date) -> date | None:
    """What both readings of "last Friday" mean: the one before, and the one of the week before."""
    first = _latest(day, said)
    return first if first.isocalendar()[:2] != said.isocalendar()[:2] else None


def _meaning(
    sentence: str,
    start: int,
    day: int,
    said: date,
    this_week: date,
    its: _Tongue,
    when: Tense,
    behind: str,
    tongue: str,
) -> tuple[int, date] | None:
    """Where the phrase of a weekday begins, and its day."""
    same = day == said.weekday()
    for pattern, find in _LEADS:
        if lead := _led_by(pattern(its), sentence, start):
            if _before(sentence, lead.start())[0].casefold() in _INDEFINITE or (
                tongue == "english" and same and find is _this
            ):
                return None
            first = find(day, said, this_week, when)
            return None if first is None else (lead.start(), first)
    before, further = (word.casefold() for word in _before(sentence, start))
    if before in _INDEFINITE or same or when is Tense.OPEN:
        return None
    if not before and "" not in its.bare.split("|"):
        return None
    adverb = tongue in _ADVERBIAL and sentence[start].islower()
    if before and not adverb and not _led_by(its.bare.removeprefix("|"), sentence, start):
        return None
    # "Friday is my favourite day", "Friday works": it is spoken of, and not told when something is.
    if not before and re.match(r"\s+(?:is|are|was|works|suits|est|è|es|ist|mi|mattina)\b", behind, re.IGNORECASE):
        return None
    if further in _INDEFINITE and not adverb:
        return None
    looks_back = bool(_led_by(its.since, sentence, start))
    if looks_back:
        return start, _latest(day, said)
    return (start, _latest(day, said)) if when is Tense.PAST else (start, _coming(day, said))


def _this(day: int, said: date, this_week: date, when: Tense) -> date | None:
    """What "this Friday" means: the one to come in this week, where nothing speaks of before."""
    if this_week > said:
        return None if when is Tense.PAST else this_week
    return None


_LEADS: Final[tuple[tuple[Callable[[_Tongue], str], Callable[[int, date, date, Tense], date | None]], ...]] = (
    (lambda its: its.coming, lambda day, said, _, __: _coming(day, said) if day != said.weekday() else None),
    (lambda its: its.last, lambda day, said, _, __: _last(day, said)),
    (lambda its: its.next_, lambda day, said, _, __: _next(day, said)),
    (lambda its: its.this, _this),
)
_INDEFINITE: Final = words(
    "a an the every each any some most per another first second third fourth fifth other no alternate two three"
    " four all one good black ash cyber casual super holy easter blue palm manic of both many jeden jeder jedem"
    " einem ein einen eines kein keinen manchen ersten zweiten dritten vierten alle der den dem die zwei drei un"
    " una cada ningún todos los las primer primero segundo tercer otro otros dos tres algún santo le les chaque"
    " tous aucun premier deuxième troisième autre du au deux trois quelques il la ogni tutti nessun primo terzo"
    " quarto altro di dei del al due tre i lo santa"
)
# Languages in which a weekday without an article tells when: "on a vu le médecin mardi".
_ADVERBIAL: Final = frozenset({"french", "italian"})
# Before a length of time: not that one, but so long.
_AS_LONG_AS: Final = words("the la le il der das den el every each jede after before")
_NO_DAY_BEHIND: Final = re.compile(
    r"^(?:['’]s)?\s+(?:week|news|world|standards|youth|fortnight|in (?:a|one|two|einer|zwei)|vor (?:einer|zwei)"
    r"|en (?:huit|quinze|ocho))\b",
    re.IGNORECASE,
)


def _named_days(sentence: str, said: date, tongue: str, when: Tense) -> Iterator[Phrase]:
    its = _TONGUES[tongue]
    names = "|".join(re.escape(name) for name in sorted(its.days, key=len, reverse=True))
    for found in re.finditer(rf"(?<![\w'’-])(?:{names})(?![\w-])", sentence, re.IGNORECASE):
        start, end = found.span()
        name = found[0].casefold()
        # Written with a capital in the middle of a sentence it is a name; German writes only the noun so.
        if start and found[0][0].isupper() and sentence[:start].rstrip()[-1:] not in ".!?:":
            continue
        if re.search(rf"(?:{its.untrue})$", sentence[:start], re.IGNORECASE) or _FROM_THERE.search(sentence[:start]):
            continue
        if _NO_DAY_BEHIND.match(sentence[end:]):
            continue
        offset = its.days.get(name)
        if offset is None or _contradicts(offset, when) or (offset > 0 and is_habit(sentence, tongue)):
            continue
        yield Phrase(start=start, end=end, first=said + offset * _DAY, width=Width.DAY)


def _contradicts(offset: int, when: Tense) -> bool:
    """Whether a day cannot be meant by the tense: "tomorrow" of another day, told of what was."""
    return offset > 0 and when is Tense.PAST


def _named_units(sentence: str, said: date, tongue: str, _: Tense) -> Iterator[Phrase]:
    for (width, distance), pattern in _TONGUES[tongue].units.items():
        for found in re.finditer(rf"(?<![\w'’-])(?:{pattern})(?![\w-])", sentence, re.IGNORECASE):
            # "In the last week" is as long as a week, and not that week.
            before = _before(sentence, found.start())[0].casefold()
            if before in _AS_LONG_AS:
                continue
            if _BESIDE.match(sentence[found.end() :]) or _FROM_THERE.search(sentence[: found.start()]):
                continue
            first = _unit_start(width, distance, said)
            if first is not None:
                yield Phrase(start=found.start(), end=found.end(), first=first, width=width)


def _unit_start(width: Width, distance: int, said: date) -> date | None:
    monday = said - said.weekday() * _DAY
    match width:
        case Width.WEEK:
            return monday + 7 * distance * _DAY
        case Width.MONTH:
            return _month_away(said, distance)
        case Width.YEAR:
            return date(said.year + distance, 1, 1)
        case Width.WEEKEND:
            return _weekend(distance, said, monday)
        case Width.DAY:
            return None


def _month_away(said: date, months: int) -> date:
    """The first of the month that is so many away."""
    years, month = divmod(said.month - 1 + months, 12)
    return date(said.year + years, month + 1, 1)


def _weekend(distance: int, said: date, monday: date) -> date | None:
    """The Saturday of a weekend: that of this week; the next or the last one only where it is the same for all."""
    is_on = said.weekday() >= 5
    if distance == 0:
        return monday + 5 * _DAY
    if distance > 0:
        return monday + 12 * _DAY if is_on else None
    return monday - 2 * _DAY if not is_on else None


def _counted(sentence: str, said: date, tongue: str, when: Tense) -> Iterator[Phrase]:
    its = _TONGUES[tongue]
    for sign, pattern in ((-1, its.ago), (1, its.ahead)):
        for found in re.finditer(rf"(?<![\w'’-]){pattern}(?![\w-])", sentence, re.IGNORECASE):
            if re.search(rf"(?<![\w-]){its.loose}$", sentence[: found.start()], re.IGNORECASE):
                continue
            if sign > 0 and not (when is Tense.AHEAD or (its.surely_ahead and when is not Tense.PAST)):
                continue
            if _BESIDE.match(sentence[found.end() :]) or _SINCE_THEN.match(sentence[found.end() :]):
                continue
            written = found["count"].casefold()
            count = COUNTS.get(written) or int(written)
            length = _UNITS[tongue][_singular(found["unit"], tongue)]
            if length == 1 and count in _IDIOMS[tongue]:
                continue
            if (phrase := _distant(found, sign * count, length, said)) is not None:
                yield phrase


def _singular(unit: str, tongue: str) -> str:
    return unit.casefold() if unit.casefold() in _UNITS[tongue] else next(iter(_UNITS[tongue]))


def _distant(found: re.Match[str], count: int, length: int, said: date) -> Phrase | None:
    start, end = found.span()
    if length == 365:
        return (
            Phrase(start=start, end=end, first=date(said.year + count, 1, 1), width=Width.YEAR)
            if abs(count) > 1
            else None
        )
    if length == 30:
        return Phrase(start=start, end=end, first=_month_away(said, count), width=Width.MONTH)
    return Phrase(start=start, end=end, first=said + count * length * _DAY, width=Width.DAY, about=length > 1)


# --- Dates that name their month ------------------------------------------------------------------------------------


def _month_date(tongue: str) -> re.Pattern[str]:
    names = "|".join(sorted((name for name in MONTHS[tongue] if len(name) > 2), key=len, reverse=True))
    day = r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|°)?" if tongue != "german" else r"(?P<day>\d{1,2})\."
    of = {"english": r"(?: of)? ", "spanish": r" de ", "french": " ", "italian": " ", "german": r"\s?"}[tongue]
    year = r"(?:,?(?: de)? (?P<year>(?:19|20)\d\d)(?![\w-]))?"
    forward = rf"(?<![\w.,:/-]){day}{of}(?P<month>{names})(?![\w-]){year}"
    if tongue != "english":
        return re.compile(forward, re.IGNORECASE)
    backward = (
        rf"(?<![\w-])(?P<month2>{names}) (?:the )?(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?(?![\w:%-]|[.,]\d)"
        r"(?:,? (?P<year2>(?:19|20)\d\d)(?![\w-]))?"
    )
    return re.compile(f"{forward}|{backward}", re.IGNORECASE)


_MONTH_DATES: Final = {tongue: _month_date(tongue) for tongue in _TONGUES}
_MONTHS_ALONE: Final = {
    tongue: re.compile(
        rf"(?<![\w-])(?:{before}) (?P<month>{'|'.join(name for name in MONTHS[tongue] if len(name) > 2)})(?![\w-])"
        r"(?!,? (?:de )?\d)",
        re.IGNORECASE,
    )
    for tongue, before in {
        "english": "in",
        "german": "im",
        "spanish": "en",
        "french": "en|au mois de|au mois d",
        "italian": "a|in|nel mese di",
    }.items()
}
_ISO: Final = re.compile(r"(?<![\w-])(?P<year>(?:19|20)\d\d)-(?P<month>\d\d)-(?P<day>\d\d)(?![\w-])")
_DOTTED: Final = re.compile(r"(?<![\w.,])(?P<day>\d{1,2})[./](?P<month>\d{1,2})[./](?P<year>(?:19|20)\d\d)(?![\w])")


def _explicit(sentence: str, said: date, tongue: str, when: Tense) -> Iterator[Phrase]:
    numeric = [_ISO.finditer(sentence)] + ([] if tongue == "english" else [_DOTTED.finditer(sentence)])
    for matches in numeric:
        for found in matches:
            if (first := _day_of(int(found["year"]), int(found["month"]), int(found["day"]))) is not None:
                yield Phrase(start=found.start(), end=found.end(), first=first, width=Width.DAY, relative=False)
    for found in _MONTH_DATES[tongue].finditer(sentence):
        told = found.groupdict()
        month = MONTH_NUMBERS[(told["month"] or told["month2"]).casefold()]
        day, year = int(told["day"] or told["day2"]), told["year"] or told.get("year2")
        # "May" may be what may be, "march" what one does.
        if tongue == "english" and (told["month"] or told["month2"])[0].islower():
            continue
        if year:
            first = _day_of(int(year), month, day)
        else:
            first = _without_year(sentence, found, month, day, said, tongue, when)
        if first is not None:
            yield Phrase(start=found.start(), end=found.end(), first=first, width=Width.DAY, relative=False)


def _months(sentence: str, said: date, tongue: str, when: Tense) -> Iterator[Phrase]:
    """Months without a year, by the tense; the one that it is may be that of any year."""
    for found in _MONTHS_ALONE[tongue].finditer(sentence):
        month = MONTH_NUMBERS[found["month"].casefold()]
        if month == said.month or when is Tense.OPEN or (tongue == "english" and found["month"][0].islower()):
            continue
        away = (month - said.month) % 12 if when is not Tense.PAST else -((said.month - month) % 12)
        # The other way round it is nearer: "I have raised it, starting in May".
        if abs(away) > _MONTHS_AWAY:
            continue
        year = said.year + (said.month - 1 + away) // 12
        yield Phrase(
            start=found.start(), end=found.end(), first=date(year, month, 1), width=Width.MONTH, relative=False
        )


def _day_of(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _without_year(
    sentence: str, found: re.Match[str], month: int, day: int, said: date, tongue: str, when: Tense
) -> date | None:
    """A day of a month by its weekday, or by the tense; nothing for what comes back every year."""
    if re.search(rf"(?<!\w)(?:{_TONGUES[tongue].annual})", sentence, re.IGNORECASE):
        return None
    all_of = [_day_of(said.year + step, month, day) for step in (-1, 0, 1)]
    years = [one for one in all_of if one is not None]
    named = re.search(
        rf"(?<!\w)({_WEEKDAY_NAMES[tongue]})[\s,]*(?:the |den |el |le |il |dem )?$",
        sentence[: found.start()],
        re.IGNORECASE,
    )
    if named:
        fitting = [one for one in years if one.weekday() == WEEKDAYS[named[1].casefold()]]
        return fitting[0] if len(fitting) == 1 and abs((fitting[0] - said).days) < 300 else None
    before = max((one for one in years if one <= said), default=None)
    after = min((one for one in years if one >= said), default=None)
    if before is None or after is None or when is Tense.OPEN:
        return None
    if when is Tense.PAST:
        return before if (after - said).days > _NEAR or before == after else None
    return after if (said - before).days > _NEAR or before == after else None
