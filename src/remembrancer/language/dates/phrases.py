"""Phrases of time in a statement and what they mean, where a careful reader has one reading and no other."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from remembrancer.language.calendar import MONTH_NUMBERS, MONTHS, WEEKDAYS
from remembrancer.language.dates.table import Feast, Table, Width, table
from remembrancer.language.dates.tense import Tense, Tenses, is_habit
from remembrancer.language.numbers import COUNTS

_DAY: Final = timedelta(days=1)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Whether a day of a month without a year is the one of before or of after, is plain where the other one is as far.
_NEAR: Final = 60
# Of a day that is so near, and the other one more than twice as far, it is plain without a tense.
_SURELY: Final = 100
_MORNING: Final = 5
_MONTHS_AWAY: Final = 8
_FEW_MONTHS: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """A phrase of time.

    Args:
        start, end: where it stands in the sentence.
        first: the first day of what it means.
        about: whether it means a day or so around that.
        relative: whether it tells its time only to who knows when it was said.
        joined: whether it has its month and year of the date that it is joined to.
    """

    start: int
    end: int
    first: date
    width: Width
    about: bool = False
    relative: bool = True
    joined: bool = False


_BESIDE: Final = re.compile(r"^(?:'|’)s\b|^\s+(?:week|or so|after next|before last|en huit|en quinze)\b", re.IGNORECASE)
_FROM_THERE: Final = re.compile(
    r"(?:days?|weeks?|months?|fortnight|tage?|wochen?|monate?|días?|semanas?|mes(?:es)?|jours?|semaines?|mois"
    r"|giorn[oi]|settiman[ae]|mes[ei])"
    r"\s+(?:before|after|from|later than|vor|nach|antes d\w+|después d\w+|avant|après|prima d\w+|dopo)\s+(?:the\s+"
    r"|le\s+|la\s+|el\s+|il\s+)?$",
    re.IGNORECASE,
)
_SINCE_THEN: Final = re.compile(r"\s+(?:today|on|or so|heute)\b", re.IGNORECASE)
# What stands in quotes may have been said by somebody else, on another day; one that does not end goes to the end.
_QUOTED: Final = re.compile(r"[\"“«„][^\"”»“]*(?:[\"”»“]|$)")
_WORD_BEFORE: Final = re.compile(r"([^\s,.;:!?()]+)(?:\s+([^\s,.;:!?()]+))?\s*$")


def phrases(sentence: str, *, said: date, hour: int, tongue: str) -> list[Phrase]:
    """The phrases of time of a sentence that have one reading, in their order.

    Args:
        said: the day on which it was said, where it was said.
        hour: of that day; what is said at night may mean the day before by "today".
        tongue: the language of the sentence.
    """
    quoted = [found.span() for found in _QUOTED.finditer(sentence)]
    tenses = Tenses(_QUOTED.sub(lambda quote: " " * len(quote[0]), sentence), tongue)
    explicit = [*_explicit(sentence, said, tongue, tenses)]
    found = [*explicit, *_joined(sentence, explicit)]
    # What is said at night may mean the day before by "today".
    named_days = () if hour < _MORNING else (_named_days,)
    for find in (
        *(_edges, _weeks_on, _days_of_month, _weekdays, _named_units, _counted),
        *named_days,
        *(_months, _holidays, _seasons, _weekends),
    ):
        for phrase in find(sentence, said, tongue, tenses):
            if not any(phrase.start < other.end and other.start < phrase.end for other in found):
                found.append(phrase)
    own = [one for one in found if not any(start < one.end and one.start < end for start, end in quoted)]
    return _apart(sorted(own, key=lambda phrase: phrase.start), sentence)


_JOINT: Final = re.compile(
    r"(?<!\w)(?:bis|zum|to|till|and|or|und|al|au|a|y|e|et|o|ou|all['’])(?!\w)|[–,-]", re.IGNORECASE
)


def _apart(found: list[Phrase], sentence: str) -> list[Phrase]:
    """Without those that explain one another: what they mean together, neither means alone."""
    kept: list[Phrase] = []
    for phrase in found:
        before = kept[-1] if kept else None
        between = sentence[before.end : phrase.start] if before is not None else ""
        if before is not None and len(between.strip(" ,")) <= 2:
            if before.first != phrase.first and _JOINT.search(between):
                kept.append(phrase)
            elif before.first != phrase.first:
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


# Behind a weekday: a day of the month or a month, which say more than it does.
_DAY_BEHIND: Final = re.compile(
    r"^[\s,]*(?:the |den |dem |der |el |le |il |, )?\d{1,2}(?:st|nd|rd|th|\.|er)?(?!\s?(?:am|pm|a\.m|p\.m|uhr|h\b|:|\d"
    r"|o'clock))(?![\d:])"
    rf"|^\s+(?:in|of|im|en|de|di|à) (?:{'|'.join(MONTH_NUMBERS)})\b|^,?\s+(?:{'|'.join(MONTHS['english'])}) \d",
    re.IGNORECASE,
)


def _weekdays(sentence: str, said: date, tongue: str, tenses: Tenses) -> Iterator[Phrase]:
    its = table(tongue)
    for found in its.weekday.finditer(sentence):
        start, end = found.span()
        day = WEEKDAYS[found["day"].casefold()]
        behind = sentence[end:]
        if _BESIDE.match(behind) or _DAY_BEHIND.match(behind) or _FROM_THERE.search(sentence[:start]):
            continue
        this_week, when = said + (day - said.weekday()) * _DAY, tenses.at(start)
        if tail := _tail(its, behind):
            weeks, length = tail
            if (first := _by_tail(weeks, day, said, this_week)) is not None:
                lead = its.bare.search(sentence[:start]) if tongue in ("spanish",) else None
                begin = lead.start() if lead and lead[0].strip().casefold() == "el" else start
                yield Phrase(start=begin, end=end + length, first=first, width=Width.DAY)
            continue
        meaning = _meaning(sentence, start, day, said, this_week, its, when, behind, tongue)
        if meaning is not None:
            begin, first = meaning
            yield Phrase(start=begin, end=end, first=first, width=Width.DAY)


def _tail(its: Table, behind: str) -> tuple[int, int] | None:
    for pattern, weeks in its.of_week:
        if found := pattern.match(behind):
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
    its: Table,
    when: Tense,
    behind: str,
    tongue: str,
) -> tuple[int, date] | None:
    """Where the phrase of a weekday begins, and its day."""
    same = day == said.weekday()
    for lead_of, find in _LEADS:
        if lead := lead_of(its).search(sentence[:start]):
            if _before(sentence, lead.start())[0].casefold() in _INDEFINITE or (
                tongue == "english" and same and find is _this
            ):
                return None
            first = find(day, said, this_week, when)
            return None if first is None else (lead.start(), first)
    before, further = (word.casefold() for word in _before(sentence, start))
    if before in _INDEFINITE or same:
        return None
    if when is Tense.OPEN:
        back = its.since.search(sentence[:start])
        return (start, _latest(day, said)) if back else None
    if when is Tense.UNSAID and not _is_told(sentence, start, its, behind):
        return None
    if not before and not its.opens:
        return None
    adverb = tongue in _ADVERBIAL and sentence[start].islower()
    if before and not adverb and not its.bare.search(sentence[:start]):
        return None
    # "Friday is my favourite day", "Friday works": it is spoken of, and not told when something is.
    if not before and re.match(r"\s+(?:is|are|was|works|suits|est|è|es|ist|mi|mattina)\b", behind, re.IGNORECASE):
        return None
    if further in _INDEFINITE and not adverb:
        return None
    looks_back = bool(its.since.search(sentence[:start]))
    if looks_back:
        return start, _latest(day, said)
    return (start, _latest(day, said)) if when is Tense.PAST else (start, _coming(day, said))


def _is_told(sentence: str, start: int, its: Table, behind: str) -> bool:
    """Whether a sentence without a sign of its tense tells of a day or only names it: "Et Maud, vendredi ?"."""
    if its.bare.search(sentence[:start]):
        return True
    if not sentence[:start].strip():
        return len(behind.split()) > 2
    return sentence[:start].rstrip()[-1] not in ",:;–—-(" and len(sentence[:start].split()) > 2


def _this(day: int, said: date, this_week: date, when: Tense) -> date | None:
    """What "this Friday" means: the one to come in this week, where nothing speaks of before."""
    if this_week > said:
        return None if when is Tense.PAST else this_week
    return None


_LEADS: Final[
    tuple[tuple[Callable[[Table], "re.Pattern[str]"], Callable[[int, date, date, Tense], date | None]], ...]
] = (
    (lambda its: its.coming, lambda day, said, _, __: _coming(day, said) if day != said.weekday() else None),
    (lambda its: its.last, lambda day, said, _, __: _last(day, said)),
    (lambda its: its.next_, lambda day, said, _, __: _next(day, said)),
    (lambda its: its.this, _this),
)
_INDEFINITE: Final = _words(
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
_AS_LONG_AS: Final = _words("the la le il der das den el every each jede after before")
_NO_DAY_BEHIND: Final = re.compile(
    r"^(?:['’]s)?\s+(?:week|news|world|standards|youth|fortnight|in (?:a|one|two|einer|zwei)|vor (?:einer|zwei)"
    r"|en (?:huit|quinze|ocho))\b",
    re.IGNORECASE,
)


_OF_BEFORE: Final = re.compile(r"(?<![\w'’])(?:of|von|de|d['’]|di) ?$", re.IGNORECASE)


def _named_days(sentence: str, said: date, tongue: str, tenses: Tenses) -> Iterator[Phrase]:
    its = table(tongue)
    for found in its.day.finditer(sentence):
        start, end = found.span()
        name = found[0].casefold()
        # Written with a capital in the middle of a sentence it is a name; German writes only the noun so.
        if start and found[0][0].isupper() and sentence[:start].rstrip()[-1:] not in ".!?:":
            continue
        offset = its.days.get(name)
        # "The youth of today" is of no day, "the exam of yesterday" is.
        owned = offset is not None and offset < 0 and _OF_BEFORE.search(sentence[:start])
        untrue = not owned and its.untrue.search(sentence[:start])
        if untrue or _FROM_THERE.search(sentence[:start]):
            continue
        if _NO_DAY_BEHIND.match(sentence[end:]):
            continue
        if offset is None or _contradicts(offset, tenses.at(start)) or (offset > 0 and is_habit(sentence, tongue)):
            continue
        yield Phrase(start=start, end=end, first=said + offset * _DAY, width=Width.DAY)


def _contradicts(offset: int, when: Tense) -> bool:
    """Whether a day cannot be meant by the tense: "tomorrow" of another day, told of what was."""
    return offset > 0 and when is Tense.PAST


def _named_units(sentence: str, said: date, tongue: str, _: Tenses) -> Iterator[Phrase]:
    for pattern, width, distance in table(tongue).units:
        for found in pattern.finditer(sentence):
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


def _counted(sentence: str, said: date, tongue: str, tenses: Tenses) -> Iterator[Phrase]:
    its = table(tongue)
    for sign, pattern in ((-1, its.ago), (1, its.ahead)):
        for found in pattern.finditer(sentence):
            if its.loose.search(sentence[: found.start()]):
                continue
            when = tenses.at(found.start())
            if sign > 0 and not (when is Tense.AHEAD or (its.surely_ahead and when is not Tense.PAST)):
                continue
            if _BESIDE.match(sentence[found.end() :]) or _SINCE_THEN.match(sentence[found.end() :]):
                continue
            written = found["count"].casefold()
            count = COUNTS.get(written) or int(written)
            length = its.lengths[found["unit"].casefold()]
            if length == 1 and count in its.idioms:
                continue
            if (phrase := _distant(found, sign * count, length, said)) is not None:
                yield phrase


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

_ISO: Final = re.compile(r"(?<![\w-])(?P<year>(?:19|20)\d\d)-(?P<month>\d\d)-(?P<day>\d\d)(?![\w-])")
_DOTTED: Final = re.compile(r"(?<![\w.,])(?P<day>\d{1,2})[./](?P<month>\d{1,2})[./](?P<year>(?:19|20)\d\d)(?![\w])")


def _explicit(sentence: str, said: date, tongue: str, tenses: Tenses) -> Iterator[Phrase]:
    numeric = [_ISO.finditer(sentence)] + ([] if tongue == "english" else [_DOTTED.finditer(sentence)])
    for matches in numeric:
        for found in matches:
            if (first := _day_of(int(found["year"]), int(found["month"]), int(found["day"]))) is not None:
                yield Phrase(start=found.start(), end=found.end(), first=first, width=Width.DAY, relative=False)
    for found in table(tongue).month_date.finditer(sentence):
        told = found.groupdict()
        month = MONTH_NUMBERS[(told["month"] or told["month2"]).casefold()]
        day, year = int(told["day"] or told["day2"]), told["year"] or told.get("year2")
        # "May" may be what may be, "march" what one does.
        if tongue == "english" and (told["month"] or told["month2"])[0].islower():
            continue
        if year:
            first = _day_of(int(year), month, day)
        else:
            first = _without_year(sentence, found, month, day, said, tongue, tenses.at(found.start()))
        if first is not None:
            yield Phrase(start=found.start(), end=found.end(), first=first, width=Width.DAY, relative=False)


def _months(sentence: str, said: date, tongue: str, tenses: Tenses) -> Iterator[Phrase]:
    """Months without a year; the one that it is may be that of any year."""
    for found in table(tongue).month_alone.finditer(sentence):
        month = MONTH_NUMBERS[found["month"].casefold()]
        if month == said.month or (tongue == "english" and found["month"][0].islower()):
            continue
        back = found["lead"].casefold() in _SINCE
        if (first := _month_nearer(month, said, Tense.PAST if back else tenses.at(found.start()))) is not None:
            yield Phrase(start=found.start("month"), end=found.end(), first=first, width=Width.MONTH, relative=False)


_SINCE: Final = _words("since seit desde depuis")


def _month_nearer(month: int, said: date, when: Tense) -> date | None:
    """The first of a month that is meant, by the tense; without one, of the nearer of two of which the other is far."""
    ahead, ago = (month - said.month) % 12, (said.month - month) % 12
    if when is Tense.OPEN:
        if min(ahead, ago) > _FEW_MONTHS:
            return None
        away = ahead if ahead < ago else -ago
    else:
        away = -ago if when is Tense.PAST else ahead
    # The other way round it is nearer: "I have raised it, starting in May".
    return None if abs(away) > _MONTHS_AWAY else _month_away(said, away)


def _day_of(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


# Between a weekday and its day of the month.
_ARTICLE_BEHIND: Final = re.compile(r"[\s,]+(?:(?:the|den|el|le|il|dem)\s+)?$", re.IGNORECASE)


def _without_year(
    sentence: str, found: re.Match[str], month: int, day: int, said: date, tongue: str, when: Tense
) -> date | None:
    """A day of a month by its weekday, or by the tense; nothing for what comes back every year."""
    if table(tongue).annual.search(sentence):
        return None
    all_of = [_day_of(said.year + step, month, day) for step in (-1, 0, 1)]
    years = [one for one in all_of if one is not None]
    named = _ARTICLE_BEHIND.sub("", sentence[: found.start()]).rpartition(" ")[2].casefold()
    if named in WEEKDAYS:
        fitting = [one for one in years if one.weekday() == WEEKDAYS[named]]
        return fitting[0] if len(fitting) == 1 and abs((fitting[0] - said).days) < 300 else None
    return _nearer(years, said, when)


def _nearer(days: Sequence[date], said: date, when: Tense) -> date | None:
    """The one that is meant of days a year apart: by the tense, where the other one is not near, else the near one."""
    before = max((one for one in days if one <= said), default=None)
    after = min((one for one in days if one >= said), default=None)
    if before is None or after is None or before == after:
        return before if before == after else None
    ago, ahead = (said - before).days, (after - said).days
    if when is Tense.PAST:
        return before if ahead > _NEAR and ago < 2 * _SURELY else None
    if when in (Tense.AHEAD, Tense.PRESENT, Tense.UNSAID):
        return after if ago > _NEAR else before if when is Tense.UNSAID and ago < _SURELY else None
    near, far = sorted((ago, ahead))
    return (before if ago < ahead else after) if near < _SURELY and far > 2 * _SURELY else None


# --- Days of a month by their number, and dates that are joined -------------------------------------------------------

_JOINED: Final = re.compile(
    r"(?<![\w.,:])(?P<day>\d{1,2})(?:st|nd|rd|th|\.|er)?\s*(?:to|until|till|and|or|bis(?: zum)?|und|oder|al|all['’]|au"
    r"|a|y|e|et|ou|–|-|\+)\s*(?:the |den |dem |el |le |il |l['’])?$",
    re.IGNORECASE,
)


def _joined(sentence: str, explicit: Sequence[Phrase]) -> Iterator[Phrase]:
    """The first of two days of one month: "20 to 26 April"."""
    for last in explicit:
        before = _JOINED.search(sentence[: last.start])
        if before is None or any(before.start("day") < one.end and one.start < before.end("day") for one in explicit):
            continue
        first = _day_of(last.first.year, last.first.month, int(before["day"]))
        if first is not None and first < last.first:
            yield Phrase(
                start=before.start("day"),
                end=before.end("day"),
                first=first,
                width=Width.DAY,
                relative=False,
                joined=True,
            )


_THAT_OF: Final = re.compile(r"(?<!\w)(?:lo|en|quello|celui|das)\s+$", re.IGNORECASE)
_REACH: Final = 45


def _days_of_month(sentence: str, said: date, tongue: str, tenses: Tenses) -> Iterator[Phrase]:
    """Days told by their number alone, or by it and the weekday."""
    for found in table(tongue).weekday_number.finditer(sentence):
        day, weekday = int(found["day"]), WEEKDAYS[found["name"].casefold()]
        near = [
            one
            for one in (said + step * _DAY for step in range(-_REACH, _REACH + 1))
            if (one.day, one.weekday()) == (day, weekday)
        ]
        when = tenses.at(found.start())
        if first := next((one for one in near if (one < said) == (when is Tense.PAST)), None):
            yield Phrase(start=found.start(), end=found.end(), first=first, width=Width.DAY)
    for found in table(tongue).day_number.finditer(sentence):
        lead = (found["lead"] or "").casefold()
        # As what is spoken of, it may be of any month: "Le 12 ne m'arrange pas", "¿Y lo del 15?"
        before = sentence[: found.start()]
        if _THAT_OF.search(before) or (not before.strip() and lead in ("le", "il", "el")):
            continue
        when = tenses.at(found.start())
        back = when is Tense.PAST or lead.split(" ")[0] in _SINCE
        if not 1 <= int(found["day"]) <= 31 or int(found["day"]) == said.day or (when is Tense.OPEN and not back):
            continue
        step = -_DAY if back else _DAY
        first = said + step
        while first.day != int(found["day"]) and abs((first - said).days) < _REACH:
            first += step
        if first.day == int(found["day"]):
            yield Phrase(start=found.start("day"), end=found.end(), first=first, width=Width.DAY)


# --- Parts of weeks, months and years; seasons and feasts -------------------------------------------------------------

# "Fin de semana" is no end of a week.
_WEEKEND_UNITS: Final = _words("semana semaine settimana")
_EDGE_LEAD: Final = re.compile(
    r"(?<![\w-])(?:by|until|till|before|bis|bis zum|spätestens|vor|antes del?|hasta|para|avant|d['’]ici(?: à)?"
    r"|jusqu['’]à|pour|entro|fino a|prima di|prima della)"
    r"\s+(?:the |el |la |le |l['’])?$",
    re.IGNORECASE,
)
_UNIT_OF: Final = {
    **dict.fromkeys(_words("week woche semana semaine settimana"), Width.WEEK),
    **dict.fromkeys(_words("month monat monats mes mois mese"), Width.MONTH),
    **dict.fromkeys(_words("quarter quartals trimestre"), None),
    **dict.fromkeys(_words("year jahr jahres año année anno"), Width.YEAR),
}


def _edges(sentence: str, said: date, tongue: str, tenses: Tenses) -> Iterator[Phrase]:
    """The beginning, the middle or the end of a week, month, quarter or year."""
    for found in table(tongue).edge.finditer(sentence):
        (start, end), when = found.span(), tenses.at(found.start())
        if found["month"]:
            month = MONTH_NUMBERS[found["month"].casefold()]
            if month == said.month or (tongue == "english" and found["month"][0].islower()):
                first = said.replace(day=1) if month == said.month and when is not Tense.PAST else None
            else:
                first = _month_nearer(month, said, when)
            if first is not None:
                yield Phrase(start=start, end=end, first=first, width=Width.MONTH, relative=False)
            continue
        if found["end"] and found["unit"].casefold() in _WEEKEND_UNITS:
            continue
        if when is Tense.OPEN:
            continue
        unit, away = _UNIT_OF[found["unit"].casefold()], 1 if found["next"] or found["behind"] else 0
        last_day = bool(found["end"] and _EDGE_LEAD.search(sentence[:start]))
        yield _edge(start, end, unit, away, said, last_day=last_day)


def _edge(start: int, end: int, unit: Width | None, away: int, said: date, *, last_day: bool) -> Phrase:
    monday = said - said.weekday() * _DAY
    match unit:
        case Width.WEEK:
            first, after, width = monday + 7 * away * _DAY, monday + 7 * (away + 1) * _DAY, Width.WEEK
        case Width.YEAR:
            first, after, width = date(said.year + away, 1, 1), date(said.year + away + 1, 1, 1), Width.YEAR
        case Width.MONTH:
            first, after, width = _month_away(said, away), _month_away(said, away + 1), Width.MONTH
        case _:
            quarter = _month_away(said, 2 - (said.month - 1) % 3 + 3 * away)
            first, after, width = quarter, _month_away(quarter, 1), Width.MONTH
    if last_day:
        return Phrase(start=start, end=end, first=after - _DAY, width=Width.DAY)
    return Phrase(start=start, end=end, first=first, width=width)


def _weeks_on(sentence: str, said: date, tongue: str, _: Tenses) -> Iterator[Phrase]:
    """A day told by the week behind it: "Saturday week"."""
    for pattern, kind, number in table(tongue).weeks_on:
        for found in pattern.finditer(sentence):
            start, end = found.span()
            if kind == "week":
                monday = said - said.weekday() * _DAY
                yield Phrase(start=start, end=end, first=monday + 7 * number * _DAY, width=Width.WEEK)
            elif kind == "day":
                yield Phrase(start=start, end=end, first=said + number * _DAY, width=Width.DAY)
            else:
                coming = _coming(WEEKDAYS[found["day"].casefold()], said)
                if kind != "over" or coming.isocalendar()[:2] != said.isocalendar()[:2]:
                    yield Phrase(start=start, end=end, first=coming + number * _DAY, width=Width.DAY)


def _weekends(sentence: str, said: date, tongue: str, tenses: Tenses) -> Iterator[Phrase]:
    """The weekend before or to come, by the tense."""
    for found in table(tongue).weekend.finditer(sentence):
        when = tenses.at(found.start())
        if when in (Tense.OPEN, Tense.UNSAID) or said.weekday() >= 5 or _BESIDE.match(sentence[found.end() :]):
            continue
        if re.match(
            r" (?:after|before|of|des|vom|vor|nach|del|de|du|d'|di|in)\b", sentence[found.end() :], re.IGNORECASE
        ):
            continue
        saturday = said + (5 - said.weekday()) * _DAY
        first = saturday - 7 * _DAY if when is Tense.PAST else saturday
        yield Phrase(start=found.start(), end=found.end(), first=first, width=Width.WEEKEND)


def _easter(year: int) -> date:
    """The Sunday of Easter: the algorithm of Meeus, Jones and Butcher for the Gregorian calendar."""
    golden, century, rest = year % 19, year // 100, year % 100
    moon = (19 * golden + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    back = (32 + 2 * (century % 4) + 2 * (rest // 4) - moon - rest % 4) % 7
    late = (golden + 11 * moon + 22 * back) // 451
    month, day = divmod(moon + back - 7 * late + 114, 31)
    return date(year, month, day + 1)


_FEAST_LEAD: Final = re.compile(
    r"(?<![\w-])(?:at|by|until|till|til|before|after|since|for|over|this|zu|bis|vor|nach|seit|über|an|para|hasta"
    r"|antes de|después de|desde"
    r"|en|por|à|a|avant|après|depuis"
    r"|pour|d['’]ici|entro|fino a|prima di|dopo|per|da)\s+$",
    re.IGNORECASE,
)


def _holidays(sentence: str, said: date, tongue: str, tenses: Tenses) -> Iterator[Phrase]:
    """Feasts of the year."""
    for feast in table(tongue).feasts:
        for found in feast.name.finditer(sentence):
            lead = _FEAST_LEAD.search(sentence[: found.start()])
            if not lead and sentence[: found.start()].strip():
                continue
            years = [_of_year(feast, said.year + step) for step in (-1, 0, 1)]
            since = bool(lead) and lead[0].strip().casefold() in _SINCE
            first = _nearer(years, said, Tense.PAST if since else tenses.at(found.start()))
            if first is not None and first != said:
                yield Phrase(start=found.start(), end=found.end(), first=first, width=feast.width)


def _of_year(feast: Feast, year: int) -> date:
    """When a feast is in a year; the first of its month where that is all that is known."""
    if feast.easter is None:
        return date(year, feast.month, feast.day)
    day = _easter(year) + feast.easter * _DAY
    return day.replace(day=1) if feast.width is Width.MONTH else day


_SEASON_MONTH: Final = {
    **dict.fromkeys(_words("spring frühling frühjahr primavera printemps"), 3),
    **dict.fromkeys(_words("summer sommer verano été estate"), 6),
    **dict.fromkeys(_words("autumn fall herbst otoño automne autunno"), 9),
}
_LAST_ONE: Final = re.compile(r"last|letzten|vorigen|pasad|derni|scors", re.IGNORECASE)
_NEXT_ONE: Final = re.compile(r"next|nächsten|kommenden|próxim|que viene|prochain|prossim", re.IGNORECASE)


def _seasons(sentence: str, said: date, tongue: str, tenses: Tenses) -> Iterator[Phrase]:
    """Seasons but winter, which is of two years, by the year that they are of."""
    for found in table(tongue).season.finditer(sentence):
        told = found["lead"] + (found.groupdict().get("after") or "")
        month, when = _SEASON_MONTH[found["name"].casefold()], tenses.at(found.start())
        if found["lead"].casefold() in ("el", "la", "le", "l'", "l’") and not found.groupdict().get("after"):
            continue
        if _LAST_ONE.search(told):
            year = said.year if month + 2 < said.month else said.year - 1
        elif _NEXT_ONE.search(told):
            year = said.year if month > said.month else said.year + 1
        elif when in (Tense.AHEAD, Tense.PRESENT, Tense.UNSAID):
            year = said.year if month + 2 >= said.month else said.year + 1
        elif when is Tense.PAST:
            year = said.year if month <= said.month else said.year - 1
        else:
            continue
        yield Phrase(start=found.start(), end=found.end(), first=date(year, 1, 1), width=Width.YEAR)
