"""The dates and ranges a question names, so that recall can lift what was said or done then.

Precision comes before recall: a wrong range hides the right memory, none costs nothing. Words are read
left to right with a bounded look ahead, so the work grows with the text and not with what it holds.
"""

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Literal, TypeAlias, TypeVar

from remembrancer.language.calendar import COUNTED_UNITS, MONTHS, UNITS, WEEKDAYS, Unit
from remembrancer.language.numbers import COUNTS


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A stretch of time a question asks about; start inclusive, end exclusive; both aware UTC."""

    start: datetime
    end: datetime
    phrase: str
    """The words of the question it was read from."""

    def contains(self, when: datetime) -> bool:
        """Whether `when` falls inside."""
        return self.start <= when < self.end

    def distance(self, when: datetime) -> timedelta:
        """How far `when` lies from the nearer edge; zero inside."""
        return max(self.start - when, when - self.end, timedelta())


def spans(question: str, *, now: datetime, zone: tzinfo = UTC) -> tuple[Span, ...]:
    """Every date or range that the question names, in order of appearance, not overlapping.

    Days, ISO weeks, months and years are those of `zone`. Something "three weeks ago" is one week wide and
    centred on that day, because people round.
    """
    text = _text(question, now=now.astimezone(zone))
    reads = _without_reported(text, _reads(text))
    found = (_span(text, read) for read in reads)
    return tuple(span for span in found if span.start < span.end)


# --- What the words mean ------------------------------------------------------------------------------------

_T = TypeVar("_T")
_Bound: TypeAlias = Literal["since", "until", "before", "after", "from", "between"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _alike(text: str, meaning: _T) -> dict[str, _T]:
    return dict.fromkeys(text.split(), meaning)


_ENGLISH_MONTHS = MONTHS["english"]
_GERMAN_MONTHS = MONTHS["german"]
_ROMANCE_MONTHS = MONTHS["spanish"] | MONTHS["french"] | MONTHS["italian"]
_ENGLISH_ABBREVIATIONS = {word[:3]: number for word, number in _ENGLISH_MONTHS.items() if word != "may"}
# No "ago", "set", "gen" or "mag": each is a commoner word in another language.
_ABBREVIATIONS = _ENGLISH_ABBREVIATIONS | {
    "sept": 9, "ene": 1, "abr": 4, "avr": 4, "juil": 7, "okt": 10, "ott": 10, "dez": 12, "dic": 12, "déc": 12,
}  # fmt: skip
_ALL_MONTHS = _ENGLISH_MONTHS | _GERMAN_MONTHS | _ROMANCE_MONTHS
_DATED_MONTHS = _ALL_MONTHS | _ABBREVIATIONS
_MONTH_FIRST = _words(" ".join((*_ENGLISH_MONTHS, *_ENGLISH_ABBREVIATIONS, "sept")))
_ALSO_WORDS = _words("may march mar sept")
_ALSO_NAMES = _words("april may june august")

_SEASONS = {
    **_alike("spring frühling frühjahr primavera printemps", 3),
    **_alike("summer sommer verano été estate", 6),
    **_alike("autumn fall herbst otoño automne autunno", 9),
    **_alike("winter invierno hiver inverno", 12),
}
_DAYS = {
    **_alike("vorgestern anteayer antier", -2),
    **_alike("yesterday gestern ayer hier ieri", -1),
    **_alike("today tonight heute hoy oggi", 0),
    **_alike("tomorrow morgen mañana demain domani", 1),
    **_alike("übermorgen dopodomani", 2),
}
_SHIFT_BEFORE = {
    **_alike(
        "last past letzte letzten letzter letztes letztem vergangene vergangenen vergangenes vorige "
        "vorigen voriges pasado pasada scorso scorsa",
        -1,
    ),
    **_alike("this diese diesen dieser dieses diesem este esta ce cet cette questo questa quest", 0),
    **_alike(
        "next nächste nächsten nächster nächstes nächstem kommende kommenden kommendes próximo "
        "próxima proximo proxima prossimo prossima",
        1,
    ),
}
_SHIFT_AFTER = {
    **_alike("pasado pasada dernier dernière derniere passé passée scorso scorsa", -1),
    **_alike("próximo próxima proximo proxima prochain prochaine prossimo prossima", 1),
}
_ROLLING = _words(
    "last past letzten vergangenen últimos últimas ultimos ultimas ultimi ultime derniers dernières dernieres"
)
_THIRDS = {
    **_alike("early beginning start anfang principios début inizio", 0),
    **_alike("mid middle mitte mediados mi metà", 1),
    **_alike("late end ende finales fin fine", 2),
}
_ORDINALS = {"first": 0, "second": 1, "third": 2, "fourth": 3, "last": -1}
_BOUNDS: dict[str, _Bound] = {
    **_alike("since seit ab desde depuis dal da", "since"),
    **_alike("until till bis hasta jusqu fino", "until"),
    **_alike("before vor antes avant prima", "before"),
    **_alike("after nach después despues après dopo", "after"),
    **_alike("from von vom de du del", "from"),
    **_alike("between zwischen entre tra fra", "between"),
}
_AND = _words("and und y e et &")
_TO = _words("to until till through thru bis hasta a al à au - – —")
# Without one of these, "last three days" may be what something does.
_BEFORE_LAST = _words("the these in over during within")
_DASHES = _words("- – —")
_APOSTROPHES = _words("' ’")
_ARTICLES = _words("the le la el il lo l dem den der zum ' ’")
_OF = _words("of de del di d dell du")
_IN_OR_OF = _OF | _words("in en nel")
_ORDINAL_ENDINGS = _words("st nd rd th er º ª ° .")
_POSSESSIVES = _words("my his her their our your its s whose mein meine meinem meinen mi mis mon ma mio mia")
_HABITS = _words("do does every each usually always typically typical jeden")
_HABIT_ENDED = _words("did was were remember know happened said told")
_REPORTING = _words("mentioned said told")
_PAST_MORNINGS = _words("heute gestern vorgestern am jeden guten diesen la esta cada una")
_MORNINGS = _words("morgen mañana")
_FRENCH = _words("qu que quoi qui est où j ai as avons avez ont je tu nous vous dit fait allé mangé")
_GERMAN = _words("was wer wie wo wann ich ist war der die das haben habe hat")

_STRONG_CUES = _words("in since during around throughout early late mid im seit en desde depuis nel dal jahr année año")
_WEAK_CUES = _words("of by before after until till prior vor nach bis antes avant después après dopo del prima fino")
_GERMANIC_CUES = _STRONG_CUES | _words(
    "of before after until till vor nach bis ab anfang mitte ende beginning end start"
)
_NAMED_PARTS = _words("month week weekend end start beginning middle half days rest most all")
_FRENCH_CUES = _words("en depuis avant après de d début fin mi jusqu")
_ROMANCE_CUES = _FRENCH_CUES | _words("""
    a ad da di in dal desde hasta antes después despues durante principios mediados finales inizio metà fine dopo prima
    fino fra tra entre
""")
_WEEKDAY_CUES = _words(
    "on am el since before after until till seit vor nach bis desde hasta depuis avant après da dopo"
)
_NOUNS_COUNTED = _words("""
    people dollars euros pounds steps miles words pages square km kilometers metres meters feet calories points hours
    minutes seconds days weeks months years times items % € $
""")
_FOLLOWERS = _words("""
    and or but did do does was were is are am be been have has had will would could can should i my me we our he his she
    her they their it you your the a an what when who how which where why with for to at on in about until till through
    thru as than if that because so und oder y o e et ou bis hasta al à au
""")
_LISTS = _AND | _words(", or oder o ou")
_SENTENCE_ENDS = _words(". ! ? : ;") | {""}

_TOKEN = re.compile(
    r"(?<![\w./-])(?:19|20)[0-9]{2}(?P<mark>[-/])[0-9]{2}(?P=mark)[0-9]{2}"
    r"(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?(?![\w/-]|[.:][0-9])"
    r"|(?<![\w./-])[0-9]{1,2}(?P<sign>[./])[0-9]{1,2}(?P=sign)(?:19|20)[0-9]{2}(?![\w/-]|[.,][0-9])"
    r"|[0-9]+|[^\W\d_]+|\S"
)
_STARTERS = frozenset[str]().union(
    *(_DATED_MONTHS, WEEKDAYS, _SEASONS, _DAYS, COUNTS, COUNTED_UNITS, _SHIFT_BEFORE, _ROLLING, _THIRDS, _BOUNDS),
    *(_ORDINALS, _words("il hace altro aujourd prior the couple")),
)
_AFTER_NUMBERS = frozenset[str]().union(
    *(_DATED_MONTHS, COUNTED_UNITS, _ROLLING, _AND, _TO, _OF, _ORDINAL_ENDINGS),
)
# Every lookup a few words past either end meets an empty word instead of an error.
_MARGIN = 32
# The length of the shortest date in figures alone: 8.5.2023.
_NUMERIC = 8
_BEGINNING = datetime(1900, 1, 1, tzinfo=UTC)


# --- The question as words ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Text:
    """A question cut into words, with the moment (in the zone of the asker) it is asked."""

    question: str
    words: list[str]
    edges: list[tuple[int, int]]
    now: datetime
    today: datetime
    tongue_is_french: bool
    asks_habit: bool
    looks_ahead: bool

    def capital(self, at: int) -> bool:
        return self.question[self.edges[at][0]].isupper()

    def opens(self, at: int) -> bool:
        return self.words[at - 1] in _SENTENCE_ENDS

    def touches(self, at: int) -> bool:
        """Whether no space stands between this word and the next."""
        return self.edges[at][1] == self.edges[at + 1][0]


@dataclass(frozen=True, slots=True)
class _Read:
    """A stretch of time read from the words `first` to `stop`."""

    start: datetime
    end: datetime
    first: int
    stop: int
    relative: bool = True


@dataclass(frozen=True, slots=True)
class _Named:
    """A date as written, of which the year, or all but the year, may be missing."""

    stop: int
    year: int | None = None
    month: int | None = None
    day: int | None = None


def _text(question: str, *, now: datetime) -> _Text:
    words: list[str] = []
    edges: list[tuple[int, int]] = []
    for match in _TOKEN.finditer(question):
        words.append(match[0].lower())
        edges.append(match.span())
    known = frozenset(words)
    return _Text(
        question=question,
        words=words + [""] * _MARGIN,
        edges=edges + [(-1, -1)] * _MARGIN,
        now=now,
        today=now.replace(hour=0, minute=0, second=0, microsecond=0, fold=0),
        tongue_is_french=not _FRENCH.isdisjoint(known) and _GERMAN.isdisjoint(known),
        asks_habit=not _HABITS.isdisjoint(known) and _HABIT_ENDED.isdisjoint(known),
        looks_ahead=_looks_ahead(question, words, edges),
    )


def _looks_ahead(question: str, words: list[str], edges: list[tuple[int, int]]) -> bool:
    """Whether the question is about what is to come; "Will" inside a sentence is a friend."""
    if "shall" in words or "upcoming" in words:
        return True
    return "will" in words and ((at := words.index("will")) == 0 or question[edges[at][0]] == "w")


def _reads(text: _Text) -> list[_Read]:
    found: list[_Read] = []
    at, count = 0, len(text.words) - _MARGIN
    while at < count:
        read = None
        word = text.words[at]
        if word in _STARTERS or _leads(text, at):
            read = _range(text, at) or _plain_pair(text, at) or _point(text, at, listed=_listed(text, at, found))
        if read is not None:
            found.append(read)
        at = read.stop if read is not None else _past_impossible(text, at)
    return found


def _leads(text: _Text, at: int) -> bool:
    """Whether a number can be the start of a date, by its length or by what follows it."""
    word = text.words[at]
    return "0" <= word[0] <= "9" and (len(word) > 3 or text.words[at + 1] in _AFTER_NUMBERS)


def _past_impossible(text: _Text, at: int) -> int:
    """The next word to look at, past the whole of a date that no calendar has: "31 February 2023"."""
    named = _named(text, at) if _leads(text, at) else None
    return named.stop if named is not None else at + 1


def _listed(text: _Text, at: int, found: list[_Read]) -> bool:
    """Whether a date was just read, and this word goes on with it: "in January and March"."""
    return bool(found) and found[-1].stop == at - 1 and text.words[at - 1] in _LISTS


def _without_reported(text: _Text, reads: list[_Read]) -> list[_Read]:
    """Drop what is relative to the day something was said, as in "last week, as mentioned on 6 November"."""
    reported = any(
        not read.relative and text.words[read.first - 1] == "on" and text.words[read.first - 2] in _REPORTING
        for read in reads
    )
    return [read for read in reads if not (reported and read.relative)]


def _span(text: _Text, read: _Read) -> Span:
    phrase = text.question[text.edges[read.first][0] : text.edges[read.stop - 1][1]]
    return Span(start=read.start.astimezone(UTC), end=read.end.astimezone(UTC), phrase=phrase)


# --- Ranges -------------------------------------------------------------------------------------------------


def _range(text: _Text, at: int) -> _Read | None:
    """A range opened by a word: since, until, before, after, from ... to, between ... and."""
    if (opened := _opening(text, at)) is None:
        return None
    bound, start = opened
    if bound in ("from", "since", "between"):
        joins = _AND if bound == "between" else _TO
        pair = _pair(text, _past_articles(text, start), joins)
        if pair is not None:
            return replace(pair, first=at)
    if bound in ("from", "between") or (_ago(text, at) is not None):
        return None
    read = _point(text, _past_articles(text, start), cued=_opens_firmly(text, at))
    return _bounded(text, bound, replace(read, first=at)) if read is not None else None


def _opening(text: _Text, at: int) -> tuple[_Bound, int] | None:
    word = text.words[at]
    if word == "prior" and text.words[at + 1] == "to":
        return "before", at + 2
    if word not in _BOUNDS:
        return None
    stop = at + 1
    if word in ("antes", "prima", "después", "despues", "dopo") and text.words[stop] in _OF:
        stop += 1
    elif word == "jusqu" and text.words[stop] in _APOSTROPHES:
        stop += 2
    elif word == "fino" and text.words[stop] in ("a", "al", "ad"):
        stop += 1
    return _BOUNDS[word], stop


def _opens_firmly(text: _Text, at: int) -> bool:
    """Whether the word that opens a range already makes a date of a foreign month after it."""
    return text.words[at] in ("jusqu", "fino", "prima", "antes", "después", "despues")


def _bounded(text: _Text, bound: _Bound, read: _Read) -> _Read:
    edges = {
        "since": (read.start, text.now),
        "after": (read.end, text.now),
        "before": (_BEGINNING, read.start),
        "until": (_BEGINNING, read.end),
    }
    start, end = edges[bound]
    # An empty one, as "since 2099", keeps its words from being read as the date alone; `spans` drops it.
    return replace(read, start=start, end=max(start, end), relative=False)


def _plain_pair(text: _Text, at: int) -> _Read | None:
    """Two dates joined by a dash or by "to", with no word before them."""
    word = text.words[at]
    if word[0].isdigit() or word in _DATED_MONTHS:
        return _pair(text, at, _TO, plain=True)
    return None


def _pair(text: _Text, at: int, joins: frozenset[str], *, plain: bool = False) -> _Read | None:
    """Two dates of one kind and all the time between them."""
    named = _two_days_before_month(text, at, joins) or _two_days_after_month(text, at, joins, plain=plain)
    named = named or _two_named(text, at, joins, plain=plain)
    if named is not None:
        return _resolved_pair(text, at, *named)
    return None if plain and len(text.words[at]) < _NUMERIC else _two_points(text, at, joins)


def _two_days_before_month(text: _Text, at: int, joins: frozenset[str]) -> tuple[_Named, _Named] | None:
    """Two days of one month, as "3 and 10 June 2023"."""
    day = _day(text, at)
    if day is None or text.words[day[1]] not in joins:
        return None
    last = _named(text, _past_articles(text, day[1] + 1))
    if last is None or last.day is None or last.month is None:
        return None
    return replace(last, day=day[0]), last


def _two_days_after_month(text: _Text, at: int, joins: frozenset[str], *, plain: bool) -> tuple[_Named, _Named] | None:
    """Two days of one month, as "June 3 to 10, 2023"."""
    first = _named(text, at)
    if first is None or first.day is None or first.year is not None or text.words[at] not in _MONTH_FIRST:
        return None
    join = text.words[first.stop]
    day = _day(text, first.stop + 1) if join in joins else None
    if day is None or text.words[day[1]] in _DATED_MONTHS:
        return None
    year, stop = _year_after(text, day[1])
    if plain and year is None and join not in _DASHES:
        return None
    return replace(first, year=year), replace(first, year=year, day=day[0], stop=stop)


def _two_named(text: _Text, at: int, joins: frozenset[str], *, plain: bool) -> tuple[_Named, _Named] | None:
    """Two dates written alike, as "May to July 2023", "2019 - 2021", "28 May to 3 June"."""
    first = _named(text, at) or _bare_month(text, at, cued=True)
    first = first or _bare_year(text, at, cued=not plain)
    if first is None or text.words[first.stop] not in joins:
        return None
    start = _past_articles(text, first.stop + 1)
    last = _named(text, start) or _bare_month(text, start, cued=True)
    last = last or _bare_year(text, start, cued=True)
    if last is None or (first.month is None) != (last.month is None):
        return None
    # "I introduced April to June" is about two friends.
    friends = plain and text.words[first.stop] not in _DASHES and not (first.day or first.year or last.day or last.year)
    return None if friends and not _month_cue(text, at) else (first, last)


def _resolved_pair(text: _Text, at: int, first: _Named, last: _Named) -> _Read | None:
    """The time from one date to the other, each lending the other the year it lacks."""
    backwards = (first.month or 0, first.day or 0) > (last.month or 0, last.day or 0)
    if last.year is None and first.year is not None:
        last = replace(last, year=first.year + backwards)
    elif last.year is None and (end := _resolve(text, at, last)) is not None:
        last = replace(last, year=end.start.year)
    if first.year is None and last.year is not None:
        first = replace(first, year=last.year - backwards)
    start, end = _resolve(text, at, first), _resolve(text, at, last)
    if start is None or end is None or start.start >= end.end:
        return None
    return replace(end, start=start.start)


def _two_points(text: _Text, at: int, joins: frozenset[str]) -> _Read | None:
    first = _point(text, at, cued=True)
    if first is None or text.words[first.stop] not in joins:
        return None
    last = _point(text, _past_articles(text, first.stop + 1), cued=True)
    if last is None:
        return None
    # On a Wednesday "from Monday to Wednesday" is about the week before.
    early = _days(first.start, -7) if text.words[at] in WEEKDAYS and first.start >= last.end else first.start
    return replace(last, start=early, first=at) if early < last.end else None


# --- Single dates -------------------------------------------------------------------------------------------


def _point(text: _Text, at: int, *, cued: bool = False, listed: bool = False) -> _Read | None:
    """A date, or a calendar stretch such as a week or a summer."""
    return _from_date(text, at) or _simple(text, at, cued=cued, listed=listed)


def _simple(text: _Text, at: int, *, cued: bool = False, listed: bool = False) -> _Read | None:
    return (
        _written(text, at, cued=cued or listed)
        or _relative_day(text, at)
        or _ago(text, at)
        or _rolling(text, at)
        or _shifted(text, at)
        or _part(text, at)
        or _season_of_year(text, at)
        or _weekday(text, at, cued=cued)
    )


def _written(text: _Text, at: int, *, cued: bool) -> _Read | None:
    if len(text.words[at]) >= _NUMERIC and text.words[at][0].isdigit():
        return _numeric(text, at)
    if (named := _named(text, at) or _bare_month(text, at, cued=cued) or _bare_year(text, at)) is not None:
        return _resolve(text, at, named)
    return None


def _numeric(text: _Text, at: int) -> _Read | None:
    word = text.words[at]
    if word[4] in "-/" and word[:4].isdecimal():
        return _iso(text, at)
    parts = re.split(r"[./]", word)
    if len(parts) != 3 or (named := _slashed(parts, dotted="." in word)) is None:
        return None
    return _resolve(text, at, replace(named, stop=at + 1))


def _iso(text: _Text, at: int) -> _Read | None:
    try:
        start = datetime.fromisoformat(text.words[at].upper().replace("/", "-"))
    except ValueError:
        return None
    width = timedelta(minutes=1) if ":" in text.words[at] else timedelta(days=1)
    if start.tzinfo is None:
        start = start.replace(tzinfo=text.now.tzinfo)
    return _Read(start, start + width, at, at + 1, relative=False)


def _slashed(parts: list[str], *, dotted: bool) -> _Named | None:
    """A numeric date of which it is plain what is the day and what the month."""
    one, two, year = (int(part) for part in parts)
    if dotted or one > 12 or one == two:
        return _Named(0, year, two, one)
    return _Named(0, year, one, two) if two > 12 else None


def _named(text: _Text, at: int) -> _Named | None:
    """A date with a month and at least a day or a year."""
    word = text.words[at]
    if word in _DATED_MONTHS:
        return _month_first(text, at)
    day = _day(text, at) or _spelled_day(text, at)
    if day is None:
        return None
    month_at = day[1] + 1 if text.words[day[1]] in _OF else day[1]
    if text.words[month_at] in _APOSTROPHES:
        month_at += 1
    month = _DATED_MONTHS.get(text.words[month_at])
    if month is None:
        return None
    year, stop = _year_after(text, _past_abbreviation(text, month_at))
    stop = stop if year is not None else month_at + 1
    return _Named(stop, year, month, day[0]) if year is not None or _firm(text, month_at) else None


def _month_first(text: _Text, at: int) -> _Named | None:
    month = _DATED_MONTHS[text.words[at]]
    after = _past_abbreviation(text, at)
    year, stop = _year_after(text, after)
    if year is not None:
        return _Named(stop, year, month)
    day = _day(text, after) if text.words[at] in _MONTH_FIRST else None
    if day is None or text.words[day[1]] in ("am", "pm", "issue", "edition"):
        return None
    year, stop = _year_after(text, day[1])
    plain = _firm(text, at) and not (text.words[at] in _ALSO_WORDS and text.opens(at))
    return _Named(stop, year, month, day[0]) if year is not None or plain else None


def _firm(text: _Text, at: int) -> bool:
    """Whether this spelling of a month, without a year, can only be the month."""
    if text.words[at] == "mars":
        return not text.capital(at)
    return text.words[at] not in _ALSO_WORDS or text.capital(at)


def _bare_month(text: _Text, at: int, *, cued: bool = False) -> _Named | None:
    """A month alone, which counts after a word that says so: June is a friend, "in June" is not."""
    word = text.words[at]
    if word not in _ALL_MONTHS or not _firm(text, at) or (word in _ALSO_NAMES and text.words[at + 2] == "s"):
        return None
    if not cued and text.words[at + 1] not in _SHIFT_AFTER and not _month_cue(text, at):
        return None
    return _Named(at + 1, month=_ALL_MONTHS[word])


def _month_cue(text: _Text, at: int) -> bool:
    word, cue_at = text.words[at], at - 1
    if text.words[cue_at] in _APOSTROPHES or text.words[cue_at] == "-":
        cue_at -= 1
    cue = text.words[cue_at]
    if word in _ROMANCE_MONTHS and not text.capital(at):
        cues = _FRENCH_CUES if word in ("mars", "mai") else _ROMANCE_CUES
        return cue in cues or (word == "mai" and cue in _GERMANIC_CUES)
    if word not in _ENGLISH_MONTHS and word not in _GERMAN_MONTHS:
        return False
    if cue == "of":
        return text.words[cue_at - 1] in _NAMED_PARTS
    if cue in ("before", "after") and word in _ALSO_NAMES and not _ends_well(text, at + 1):
        return False
    return cue in _GERMANIC_CUES


def _bare_year(text: _Text, at: int, *, cued: bool = False) -> _Named | None:
    year = _year(text, at)
    if year is None:
        return None
    cue, named = text.words[at - 1], _Named(at + 1, year=year)
    if text.words[at + 1] in _APOSTROPHES and text.words[at + 2] == "s" and text.touches(at):
        return named
    if cued or cue in _WEAK_CUES:
        return named if _ends_well(text, at + 1) else None
    return named if cue in _STRONG_CUES else None


def _ends_well(text: _Text, at: int) -> bool:
    """Whether what follows a number or a name goes on with the sentence and is not counted or done by it."""
    word = text.words[at]
    return not word.isalpha() or word in _FOLLOWERS


def _year(text: _Text, at: int) -> int | None:
    word = text.words[at]
    if len(word) != 4 or word[:2] not in ("19", "20") or not _whole(text, at):
        return None
    if text.words[at + 1].isalpha() and text.touches(at):
        return None
    return None if text.words[at + 1] in _NOUNS_COUNTED else int(word)


def _year_after(text: _Text, at: int) -> tuple[int | None, int]:
    """The year that completes a date, and where the date then ends."""
    place = at
    if text.words[place] == "," or text.words[place] in _OF:
        place += 1
    if text.words[place] in _APOSTROPHES:
        place += 1
    year = _year(text, place)
    return (year, place + 1) if year is not None else (None, at)


def _day(text: _Text, at: int) -> tuple[int, int] | None:
    """A day of the month and where it ends, with the ordinal ending it may carry."""
    word = text.words[at]
    if not 1 <= len(word) <= 2 or not word.isdecimal() or not _whole(text, at):
        return None
    stop = at + 1
    if text.words[stop] in _ORDINAL_ENDINGS and text.touches(at):
        stop += 1
    return int(word), stop


def _spelled_day(text: _Text, at: int) -> tuple[int, int] | None:
    """A day in words, as "cinco de mayo"."""
    number = COUNTS.get(text.words[at])
    return (number, at + 1) if number is not None and text.words[at + 1] == "de" else None


def _whole(text: _Text, at: int) -> bool:
    """Whether a number stands alone and is no piece of a decimal, a sum, a time or a code."""
    before, after = text.words[at - 1], text.words[at + 1]
    if before in ("$", "€", "£", "#") or after in ("%", "$", "€", "£"):
        return False
    if at > 0 and before in (".", ",", ":", "/") and text.touches(at - 1) and text.touches(at - 2):
        return before == "," and text.words[at - 2].isdecimal() and len(text.words[at]) == 4
    if after in (".", ",", ":", "/") and text.touches(at) and text.touches(at + 1):
        return not text.words[at + 2].isdecimal() or (after == "," and len(text.words[at + 2]) == 4)
    return True


def _past_abbreviation(text: _Text, at: int) -> int:
    dotted = text.words[at + 1] == "." and text.words[at] in _ABBREVIATIONS
    return at + 2 if dotted else at + 1


def _past_articles(text: _Text, at: int) -> int:
    for _ in range(2):
        at += text.words[at] in _ARTICLES
    return at


# --- Relative to now ----------------------------------------------------------------------------------------


def _relative_day(text: _Text, at: int) -> _Read | None:
    word, following = text.words[at], text.words[at + 1]
    if word == "last" and following == "night" and not _in_title(text, at):
        return _Read(_days(text.today, -1), text.today + timedelta(hours=6), at, at + 2)
    if word == "this" and following in ("morning", "afternoon", "evening") and not _in_title(text, at):
        return _whole_day(text, at, 0, stop=at + 2)
    if word == "aujourd" and text.words[at + 2] == "hui":
        return _whole_day(text, at, 0, stop=at + 3)
    if word in ("avant", "après") and following == "-" and text.words[at + 2] in ("hier", "demain"):
        return _whole_day(text, at, -2 if word == "avant" else 2, stop=at + 3)
    if word == "altro" and following == "ieri":
        return _whole_day(text, at, -2, stop=at + 2)
    if word not in _DAYS or _in_title(text, at) or not _means_day(text, at):
        return None
    return _whole_day(text, at, _DAYS[word], stop=at + 1)


def _whole_day(text: _Text, at: int, shift: int, *, stop: int) -> _Read:
    return _Read(_days(text.today, shift), _days(text.today, shift + 1), at, stop)


def _means_day(text: _Text, at: int) -> bool:
    """Whether a word that names a day here is not its namesake: a morning, a German "here", "today's youth"."""
    word = text.words[at]
    if word == "hier":
        return text.tongue_is_french
    if word in _MORNINGS:
        return text.words[at - 1] not in _PAST_MORNINGS
    return word != "today" or text.words[at + 1] not in _APOSTROPHES


def _in_title(text: _Text, at: int) -> bool:
    return text.capital(at) and not text.opens(at)


def _number(text: _Text, at: int) -> tuple[int, int] | None:
    """A count and where it ends."""
    word = text.words[at]
    if word in ("a", "the") and text.words[at + 1] == "couple":
        return 2, at + 3 if text.words[at + 2] == "of" else at + 2
    if word == "couple":
        return 2, at + 2 if text.words[at + 1] == "of" else at + 1
    if word in COUNTS:
        return COUNTS[word], at + 1
    if word.isdecimal() and word.isascii() and len(word) <= 3 and int(word) > 0 and _whole(text, at):
        return int(word), at + 1
    return None


def _counted(text: _Text, at: int) -> tuple[int, Unit, int] | None:
    """A number of units, as "three weeks", with where it ends."""
    number = _number(text, at)
    if number is None or (unit := COUNTED_UNITS.get(text.words[number[1]])) is None:
        return None
    return number[0], unit, number[1] + 1


def _ago(text: _Text, at: int) -> _Read | None:
    """What "three weeks ago" means: one week wide, centred on that day."""
    start = _ago_opening(text, at)
    counted = _counted(text, at if start is None else start)
    if counted is None or _is_rough(text, at):
        return None
    number, unit, stop = counted
    if start is None:
        if text.words[stop] not in ("ago", "fa"):
            return None
        stop += 1
    elif text.words[stop] in ("que", "qu"):
        return None
    return _around(_moved(text.today, unit, -number), unit, at, stop)


def _ago_opening(text: _Text, at: int) -> int | None:
    words = text.words
    if words[at] in ("vor", "hace"):
        return at + 1
    return at + 3 if words[at] == "il" and words[at + 1] == "y" and words[at + 2] == "a" else None


def _is_rough(text: _Text, at: int) -> bool:
    """Whether the count before which this stands is a bound or a guess: "over a year", "two or three weeks"."""
    before = text.words[at - 1]
    if before in ("than", "over") or (before in ("and", ",") and text.words[at - 2] in COUNTED_UNITS):
        return True
    return before in ("or", "to", "and", "oder", "o", "ou", "-", "–") and _number(text, at - 2) is not None


def _around(centre: datetime, unit: Unit, first: int, stop: int) -> _Read:
    if unit == "year":
        return _Read(_months(centre, -6), _months(centre, 6), first, stop)
    before, width = {"week": (3, 7), "weekend": (3, 7), "month": (15, 31), "quarter": (45, 91)}.get(unit, (0, 1))
    return _Read(_days(centre, -before), _days(centre, width - before), first, stop)


def _rolling(text: _Text, at: int) -> _Read | None:
    """The time up to now: "the last three months", and in English "the last month"."""
    word = text.words[at]
    if word in _ROLLING and not _in_title(text, at):
        lasting = word == "last" and text.words[at - 1] not in _BEFORE_LAST
        counted = None if lasting else _counted(text, at + 1) or _counted_once(text, at)
    else:
        counted = _counted_romance(text, at)
    if counted is None or text.words[at - 1] in _POSSESSIVES or not _stands(text, counted[2]):
        return None
    number, unit, stop = counted
    return _Read(_moved(text.now, unit, -number), text.now, at, stop)


def _counted_once(text: _Text, at: int) -> tuple[int, Unit, int] | None:
    word, unit = text.words[at], text.words[at + 1]
    if unit not in ("week", "month", "quarter", "year") or not (word == "past" or text.words[at - 1] == "the"):
        return None
    return (1, UNITS[unit], at + 2) if word in ("past", "last") else None


def _counted_romance(text: _Text, at: int) -> tuple[int, Unit, int] | None:
    """The number before the adjective, as "trois derniers mois"."""
    number = _number(text, at)
    if number is None or text.words[number[1]] not in _ROLLING or text.words[number[1]] in ("last", "past"):
        return None
    unit = COUNTED_UNITS.get(text.words[number[1] + 1])
    return (number[0], unit, number[1] + 2) if unit is not None else None


def _shifted(text: _Text, at: int) -> _Read | None:
    """Last, this or next week, month, Monday, May or summer; the adjective follows in Romance languages."""
    word = text.words[at]
    if word in _SHIFT_BEFORE and not _in_title(text, at) and text.words[at - 1] not in _POSSESSIVES:
        return _shifted_after(text, at)
    thing = _thing(text, at)
    if thing is None or (shift := _SHIFT_AFTER.get(text.words[thing])) is None:
        return None
    read = _stretch(text, at, shift)
    return replace(read, stop=thing + 1) if read is not None else None


def _shifted_after(text: _Text, at: int) -> _Read | None:
    word, start = text.words[at], at + 1
    # "The next week" belongs to a story, not to today; "quest'anno" is one word in two.
    if (word == "next" and text.words[at - 1] == "the") or (word == "quest" and text.words[start] not in _APOSTROPHES):
        return None
    read = _stretch(text, start + (word == "quest"), _SHIFT_BEFORE[word])
    return replace(read, first=at) if read is not None and _stands(text, read.stop) else None


def _stands(text: _Text, stop: int) -> bool:
    """Whether a week or month is that of the calendar and not one of something: "the last week of school"."""
    following = text.words[stop]
    return following not in ("of", "at", "before") and not (following == "in" and text.words[stop + 1] in _ALL_MONTHS)


def _thing(text: _Text, at: int) -> int | None:
    """Where the name of a week, month, weekday or season that starts here ends."""
    if (unit := _unit(text, at)) is not None:
        return unit[1]
    word = text.words[at]
    return at + 1 if word in WEEKDAYS or word in _SEASONS or word in _ALL_MONTHS else None


def _unit(text: _Text, at: int) -> tuple[Unit, int] | None:
    three = tuple(text.words[at : at + 3])
    if three in (("fin", "de", "semana"), ("week", "-", "end")):
        return "weekend", at + 3
    if three[:2] == ("fine", "settimana"):
        return "weekend", at + 2
    unit = UNITS.get(three[0])
    return (unit, at + 1) if unit is not None and unit != "day" else None


def _stretch(text: _Text, at: int, shift: int) -> _Read | None:
    word = text.words[at]
    if (unit := _unit(text, at)) is not None:
        start, end = _calendar(text.today, unit[0], shift)
        return _Read(start, end, at, unit[1])
    if word in WEEKDAYS:
        return _shifted_weekday(text, at, shift)
    if word in _SEASONS and not (word == "été" and text.words[at - 1] not in _APOSTROPHES | {"cet"}):
        return _shifted_months(text, at, shift, first=_SEASONS[word], count=3)
    if word in _ALL_MONTHS and _firm(text, at) and not text.words[at + 1].isdecimal():
        return _shifted_months(text, at, shift, first=_ALL_MONTHS[word], count=1)
    return None


def _shifted_weekday(text: _Text, at: int, shift: int) -> _Read:
    """The last or the next such day that is not today, or the one of this week."""
    ahead = WEEKDAYS[text.words[at]] - text.today.weekday()
    if shift:
        ahead = (ahead - 1) % 7 + 1 if shift > 0 else ahead % 7 - 7
    return _whole_day(text, at, ahead, stop=at + 1)


def _shifted_months(text: _Text, at: int, shift: int, *, first: int, count: int) -> _Read | None:
    """The last such season or month that is over, the next to begin, or the nearest."""
    found: list[_Read] = []
    for year in range(text.now.year - 2, text.now.year + 3):
        start = text.today.replace(year=year, month=first, day=1)
        found.append(_Read(start, _months(start, count), at, at + 1))
    if shift < 0:
        return max((read for read in found if read.end <= text.now), key=lambda read: read.start)
    if shift > 0:
        return min((read for read in found if read.start > text.now), key=lambda read: read.start)
    return min(found, key=lambda read: max(read.start - text.now, text.now - read.end))


def _season_of_year(text: _Text, at: int) -> _Read | None:
    word = text.words[at]
    if word not in _SEASONS:
        return None
    # "été" is also "been" and "estate" also an English word.
    if word in ("été", "estate") and text.words[at - 1] not in _APOSTROPHES | {"en", "cet"}:
        return None
    year, stop = _year_after(text, at + 1)
    if year is None:
        return None
    start = text.today.replace(year=year, month=_SEASONS[word], day=1)
    if word in ("winter", "invierno", "hiver", "inverno") and start > text.now:
        start = start.replace(year=year - 1)
    return _Read(start, _months(start, 3), at, stop, relative=False)


def _weekday(text: _Text, at: int, *, cued: bool) -> _Read | None:
    """What "on Monday" means: the last one, unless the question asks about a habit or goes on to name the date."""
    word = text.words[at]
    if word not in WEEKDAYS:
        return None
    after = at + 2 if text.words[at + 1] == "," else at + 1
    dated = _named(text, _past_articles(text, after))
    if dated is not None and dated.day is not None:
        return _resolve(text, at, dated)
    if not cued and text.words[at - 1] not in _WEEKDAY_CUES:
        return None
    if text.words[at + 1] in _SHIFT_BEFORE or text.words[at + 1] in _IN_OR_OF or _counted(text, at + 1) is not None:
        return None
    if not text.words[at + 1].isascii() or text.words[at + 1] in (
        "mornings",
        "afternoons",
        "evenings",
        "nights",
    ):
        return None
    if text.asks_habit:
        return None
    return _shifted_weekday(text, at, 1 if text.looks_ahead else -1)


# --- A stretch beside or inside another date ---------------------------------------------------------------


def _from_date(text: _Text, at: int) -> _Read | None:
    """A stretch counted from a date: "two weeks before 11 August", "last weekend before April 10"."""
    counted = _counted(text, at)
    if counted is None:
        start = at + 1 if text.words[at] == "last" else at
        unit = COUNTED_UNITS.get(text.words[start])
        counted = (0, unit, start + 1) if unit is not None else None
    if counted is None or (opened := _opening(text, counted[2])) is None or opened[0] not in ("before", "after"):
        return None
    number, unit, stop = counted
    if unit == "week" and text.words[stop : stop + 2] == ["before", "last"] and _unit(text, stop + 2) is None:
        start, end = _calendar(text.today, "week", -2)
        return _Read(start, end, at, stop + 2)
    return _beside(text, at, number, unit, opened)


def _beside(text: _Text, at: int, number: int, unit: Unit, opened: tuple[_Bound, int]) -> _Read | None:
    anchor = _simple(text, _past_articles(text, opened[1]))
    if anchor is None:
        return None
    # "How many days before 3 May ..." asks for the distance and names the date alone.
    if not number and text.words[at] != "last" and text.words[at] not in UNITS:
        return anchor
    ahead = 1 if opened[0] == "after" else -1
    if number:
        edge = anchor.start if ahead < 0 or unit != "day" else _days(anchor.end, -1)
        return replace(_around(_moved(edge, unit, ahead * number), unit, at, anchor.stop), relative=anchor.relative)
    start, end = _next_to(anchor, unit, ahead)
    return _Read(start, end, at, anchor.stop, relative=anchor.relative)


def _next_to(anchor: _Read, unit: Unit, ahead: int) -> tuple[datetime, datetime]:
    """The one unit that ends where the date begins, or begins where it ends."""
    if unit == "weekend":
        monday = _days(anchor.start, -anchor.start.weekday())
        saturday = _days(monday, 5 if ahead > 0 and anchor.start.weekday() < 5 else 12 if ahead > 0 else -2)
        return saturday, _days(saturday, 2)
    if ahead > 0:
        return anchor.end, _moved(anchor.end, unit, 1)
    return _moved(anchor.start, unit, -1), anchor.start


def _part(text: _Text, at: int) -> _Read | None:
    """A piece of a month, season or year: "late May 2023", "the end of 2022", "the first week of June"."""
    word = text.words[at]
    if word in _ORDINALS and text.words[at + 1] == "week" and text.words[at + 2] in ("of", "in"):
        whole = _inside(text, at + 3)
        return _week_of(whole, at, _ORDINALS[word]) if whole is not None else None
    if word not in _THIRDS:
        return None
    start = at + 1
    start += text.words[start] == "-"
    start += text.words[start] in _OF
    whole = _inside(text, start)
    return _third(whole, at, _THIRDS[word]) if whole is not None else None


def _inside(text: _Text, at: int) -> _Read | None:
    """A month, season or year of which a part can be meant."""
    if text.words[at] in ("the", "this") and text.words[at + 1] == "year":
        start, end = _calendar(text.today, "year", 0)
        return _Read(start, end, at, at + 2)
    named = _named(text, at) or _bare_month(text, at, cued=True) or _bare_year(text, at, cued=True)
    if named is not None:
        return _resolve(text, at, named) if named.day is None else None
    return _season_of_year(text, at) or _shifted(text, at)


def _third(whole: _Read, first: int, part: int) -> _Read:
    days = (whole.end - whole.start).days
    start, end = (_days(whole.start, days * cut // 3) for cut in (part, part + 1))
    return replace(whole, start=start, end=whole.end if part == 2 else end, first=first)


def _week_of(month: _Read, first: int, number: int) -> _Read:
    start = _days(month.end, -7) if number < 0 else _days(month.start, 7 * number)
    return replace(month, start=start, end=_days(start, 7), first=first)


# --- The calendar -------------------------------------------------------------------------------------------


def _resolve(text: _Text, first: int, named: _Named) -> _Read | None:
    """When a written date was; without a year the latest such day or month that has begun."""
    if named.year is not None:
        return _made(text, first, named, named.year)
    ahead = text.looks_ahead
    shift = _SHIFT_AFTER.get(text.words[named.stop])
    if named.day is None and shift is not None and named.month is not None:
        read = _shifted_months(text, first, shift, first=named.month, count=1)
        return replace(read, stop=named.stop + 1) if read is not None else None
    # Eight years reach the next 29 February even across a century.
    for distance in range(-1, 9):
        read = _made(text, first, named, text.now.year + (distance if ahead else -distance))
        if read is not None and (read.start > text.now if ahead else read.start <= text.now):
            return read
    return None


def _made(text: _Text, first: int, named: _Named, year: int) -> _Read | None:
    try:
        start = text.today.replace(year=year, month=named.month or 1, day=named.day or 1)
    except ValueError:
        return None
    end = _days(start, 1) if named.day else _months(start, 1 if named.month else 12)
    return _Read(start, end, first, named.stop, relative=False)


def _calendar(today: datetime, unit: Unit, shift: int) -> tuple[datetime, datetime]:
    """The calendar week, weekend, month, quarter or year so many away from the current one."""
    monday = _days(today, 7 * shift - today.weekday())
    if unit == "weekend":
        return _days(monday, 5), _days(monday, 7)
    if unit in ("day", "week"):
        return monday, _days(monday, 7)
    length = {"month": 1, "quarter": 3, "year": 12}[unit]
    first = today.replace(day=1, month=(today.month - 1) // length * length + 1)
    return _months(first, shift * length), _months(first, (shift + 1) * length)


def _moved(when: datetime, unit: Unit, number: int) -> datetime:
    if unit in ("day", "week", "weekend"):
        return _days(when, number if unit == "day" else 7 * number)
    return _months(when, number * {"month": 1, "quarter": 3, "year": 12}[unit])


def _days(when: datetime, number: int) -> datetime:
    return when + timedelta(days=number)


def _months(when: datetime, number: int) -> datetime:
    """The same day so many months on, or the last of a month that is too short for it."""
    years, month = divmod(when.month - 1 + number, 12)
    first = when.replace(year=when.year + years, month=month + 1, day=1)
    after = (first + timedelta(days=31)).replace(day=1)
    return min(_days(first, when.day - 1), _days(after, -1))
