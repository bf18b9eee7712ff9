"""Phrases of time of each language, compiled from the tables in this folder."""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Any, Final, TypeAlias

from remembrancer.language.calendar import counted_units, month_names, months, weekday_names, weekdays
from remembrancer.language.dates.reckoning import DAY, Width, easter
from remembrancer.language.numbers import counts
from remembrancer.language.spelling import spellings
from remembrancer.language.tables import LANGUAGES

Pattern: TypeAlias = "re.Pattern[str]"
TONGUES: Final = LANGUAGES
"""The languages that have a table."""
_NEVER: Final = r"(?!)"
# A phrase is no part of a longer word or number.
_BEFORE, _BEHIND = r"(?<![\w'’-])(?<!\d[.,])", r"(?![\w-])"
_DASH: Final = "[-–—]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """The signs of tense in a sentence; see the tables."""

    past: Pattern
    ahead: Pattern
    present: Pattern
    habit: Pattern
    settled: Pattern
    clause: Pattern
    person: Pattern
    example: Pattern


@dataclass(frozen=True, slots=True, kw_only=True)
class Feast:
    """A feast: a day of a month, a whole month, or a day reckoned from Easter."""

    name: Pattern
    month: int
    day: int
    easter: int | None
    width: Width

    def day_in(self, year: int) -> date:
        """Return its day in a year; the first of its month if only the month is known."""
        if self.easter is None:
            return date(year, self.month, self.day)
        day = easter(year) + self.easter * DAY
        return day.replace(day=1) if self.width is Width.MONTH else day


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionPhrases:
    """The phrases of time that only questions to a memory have.

    Args:
        ahead: signs that it is about the future.
        habit, once: words that turn a weekday into any such day, and words that undo that.
        within: words before a month or a year that contains the time.
        alone: words before a month without any other date.
        opening, goes_on: words that open a time between two dates, and words after the first of them.
        joint: words that join a month or a year to the date before it.
        names: months that are first names, too.
        counted: words after a number that is no year.
        bound: words that bound a time, before a phrase; its name is that of the group.
        to, and_: words between two dates that make a range of them.
        from_date: a length of time that is counted from a date, before the word for that.
        reported: words before the day of a report.
    """

    ahead: Pattern
    habit: Pattern
    once: Pattern
    within: Pattern
    opening: Pattern
    goes_on: Pattern
    alone: Pattern
    joint: Pattern
    month_alone: Pattern
    names: frozenset[str]
    year: Pattern
    counted: Pattern
    rolling: tuple[Pattern, ...]
    loose: Pattern
    week_of: Pattern
    ordinals: Mapping[str, int]
    bound: Pattern
    to: Pattern
    and_: Pattern
    from_date: Pattern
    reported: Pattern


@dataclass(frozen=True, slots=True, kw_only=True)
class DateFormat:
    """The written form of a date that is added to a phrase."""

    about: str
    from_: str
    day: str
    first_day: str
    month: str
    year: str
    months: Sequence[str]
    likened: Pattern

    def on(self, day: date) -> str:
        """Return a day in words."""
        form = self.first_day if day.day == 1 else self.day
        return form.format(day=day.day, month=self.months[day.month - 1], year=day.year)


@dataclass(frozen=True, slots=True, kw_only=True)
class DateTable:
    """The phrases of time of one language, as patterns.

    Args:
        day: words for a day; `days` has its distance from today. Between `untrue` and `untrue_behind` it means none.
        weekday: a weekday; the word directly before it is `last`, `next_`, `coming`, `this`, `since` or `bare`.
        indefinite: words before a weekday that make it any such day.
        opens: True if a weekday with a tense may begin a sentence.
        adverb: True if it needs no word before it.
        of_week: words after a weekday, by their week.
        units: weeks, months, years and weekends by their distance from this one.
        length_before: words before such a unit that make it a length of time.
        lengths: the units of `ago` and `ahead`.
        idioms: numbers of days that mean weeks as often.
        weeks_on: days with the week after them, by their kind and a number of days or weeks.
        behind: words after a phrase that make it another time.
        from_there: a length of time that is counted from the following date.
        since: a word that looks back in any tense.
        joint: words between two times that both count.
        joined: a day or a month before the date that has its month or year.
        month_words: months that are spelt like other words.
    """

    tongue: str
    signs: Signs
    asked: QuestionPhrases
    written: DateFormat
    day: Pattern
    days: Mapping[str, int]
    nowadays: frozenset[str]
    untrue: Pattern
    untrue_behind: Pattern
    of_before: Pattern
    weekday: Pattern
    weekday_numbers: Mapping[str, int]
    last: Pattern
    next_: Pattern
    coming: Pattern
    this: Pattern
    bare: Pattern
    since_before: Pattern
    forward: Pattern
    indefinite: frozenset[str]
    spoken_of: Pattern
    number_is: Pattern
    day_behind: Pattern
    opens: bool
    adverb: bool
    of_week: tuple[tuple[Pattern, int], ...]
    units: tuple[tuple[Pattern, Width, int], ...]
    length_before: frozenset[str]
    ago: Pattern
    ahead: Pattern
    surely_ahead: bool
    loose: Pattern
    counted_behind: Pattern
    lengths: Mapping[str, Width]
    idioms: frozenset[int]
    edge: Pattern
    edge_units: Mapping[str, Width]
    edge_lead: Pattern
    weeks_on: tuple[tuple[Pattern, str, int], ...]
    behind: Pattern
    from_there: Pattern
    since: Pattern
    article: Pattern
    article_behind: Pattern
    joint: Pattern
    weekday_joined: Pattern
    joined_weekday: Pattern
    joined: Pattern
    months: Mapping[str, int]
    month_name: Pattern
    month_words: frozenset[str]
    month_first: bool
    month_date: Pattern
    month_year: Pattern
    month_alone: Pattern
    day_before: Pattern
    day_number: Pattern
    deadline: frozenset[str]
    weekday_number: Pattern
    that_of: Pattern
    weekend: Pattern
    seasons: Mapping[str, int]
    seasons_are_nouns: bool
    season: Pattern
    season_of_year: Pattern
    which: Pattern
    last_one: Pattern
    next_one: Pattern
    annual: Pattern
    feasts: tuple[Feast, ...]
    feast_lead: Pattern


# Read with this module, since an event loop may not wait for a file; parsed and compiled at first use.
_SOURCES: Final = {
    tongue: (files("remembrancer.language.dates") / f"{tongue}.toml").read_text(encoding="utf-8") for tongue in TONGUES
}


@cache
def table(tongue: str) -> DateTable:
    """Return the table of a language."""
    entries = tomllib.loads(_SOURCES[tongue])
    count, weekday, edge, season, other = (
        entries["count"],
        entries["weekday"],
        entries["edge"],
        entries["season"],
        entries["other"],
    )
    days = {
        name: int(offset) for offset, names in entries["days"].items() if offset.lstrip("-").isdigit() for name in names
    }
    numbers = {name: weekdays()[name] for day in weekday_names()[tongue] for name in spellings(day)}
    names, spelt_months = _spelt((*numbers, *weekday["also"])), _spelt(months()[tongue])
    all_months = {**months()[tongue]} | entries["months"]["short"]
    written = _any((spelt_months, *(rf"{name}\.?" for name in entries["months"]["short"])))
    number = rf"(?P<day>\d{{1,2}})(?:{entries['months']['mark']})?"
    articles, of = _any(other["articles"]), _any(other["of"])
    year = rf"(?:, ?|,? (?:(?:{of}) )?)(?P<year>(?:1\d|20)\d\d)(?![\w-])"
    to_and = _any((*entries["bound"]["to"], *entries["bound"]["and"], *other["or"]))
    lengths = {name: Width(width) for name, width in count["units"].items()}
    fill = {"{count}": _count(count), "{unit}": _unit(lengths), "{day}": f"(?P<day>{names})"}
    seasons = _spelt(season["names"])
    return DateTable(
        tongue=tongue,
        signs=_signs(entries["tense"]),
        asked=_asked(entries, tongue, all_months, fill | {"{year}": year}),
        written=_written(entries["written"], tongue),
        day=_whole(_any(map(re.escape, sorted(days, key=len, reverse=True)))),
        days=days,
        nowadays=frozenset(entries["days"]["nowadays"]),
        untrue=_compiled(rf"(?:{_any(entries['days']['untrue'])})$"),
        untrue_behind=_compiled(rf"(?:['’]s)?\s+(?:{_any(entries['days']['untrue_behind'])})\b"),
        of_before=_compiled(rf"(?<![\w'’])(?:{of}) ?$"),
        weekday=_whole(rf"(?P<day>{names})(?:{weekday['part'] or _NEVER})?"),
        weekday_numbers=numbers | {name[: weekday["short"]]: day for name, day in numbers.items() if weekday["short"]},
        last=_led(weekday["last"]),
        next_=_led(weekday["next"]),
        coming=_led(weekday["coming"]),
        this=_led(weekday["this"]),
        bare=_led(weekday["bare"]),
        since_before=_led(weekday["since"]),
        forward=_led(weekday["forward"]),
        indefinite=frozenset(weekday["indefinite"].split()),
        spoken_of=_compiled(rf"\s+(?:{_any(weekday['spoken_of'])})\b"),
        # "The 16th is a Saturday" is about the day of a date.
        number_is=_compiled(rf"\d\w{{0,2}}\s+(?:{_any(weekday['spoken_of'])})\s+$"),
        day_behind=_compiled(
            rf"^[\s,]*(?:(?:{articles}) )?\d{{1,2}}(?:{entries['months']['mark']})?"
            rf"(?!\s?(?:{_any(other['hours'])}|:|\d))(?![\d:])"
            rf"|^\s+(?:{of}|in|en|im|à) (?:{spelt_months})\b|^,?\s+(?:{spelt_months}) \d"
        ),
        opens="" in weekday["bare"],
        adverb=weekday["adverb"],
        of_week=tuple(
            (_compiled(rf"\s+(?:{pattern}){_BEHIND}"), weeks) for pattern, weeks in weekday["of_week"].items()
        ),
        units=tuple(
            (_whole(pattern), width, int(distance))
            for width in (Width.WEEK, Width.MONTH, Width.QUARTER, Width.YEAR, Width.WEEKEND)
            for distance, pattern in entries[width].items()
        ),
        length_before=frozenset(other["length_before"].split()),
        ago=_whole(_filled(count["ago"], fill)),
        ahead=_whole(_filled(count["ahead"], fill)),
        surely_ahead=count["surely_ahead"],
        loose=_compiled(rf"(?<![\w-])(?:{_any(count['loose'])}) $"),
        counted_behind=_compiled(rf"\s+(?:{_any(count['not_behind'])})\b"),
        lengths=lengths,
        idioms=frozenset(count["idioms"]),
        edge=_edge(edge, spelt_months, seasons, year),
        edge_units={name: Width(width) for name, width in edge["units"].items()},
        edge_lead=_compiled(rf"(?<![\w-])(?:{_any(edge['lead'])})\s+(?:(?:{articles})\s*)?$"),
        weeks_on=tuple(
            (_whole(_filled(pattern, fill)), kind, number)
            for kind, patterns in entries["week_on"].items()
            for pattern, number in patterns.items()
        ),
        behind=_compiled(rf"\s+(?:{_any(other['beside'])})\b"),
        from_there=_compiled(
            rf"(?:{_any(counted_units())})\s+(?:{_any(other['counted_from'])})\s+(?:(?:{articles})\s+)?$"
        ),
        since=_compiled(_any(other["since"])),
        article=_compiled(articles),
        article_behind=_compiled(rf"[\s,]+(?:(?:{articles})\s*)?$"),
        joint=_compiled(rf"(?<!\w)(?:{to_and})(?!\w)|[–,-]"),
        weekday_joined=_compiled(rf"(?P<day>{names})(?:,?\s*(?:{to_and})|\s*[/&–,-])\s*$"),
        joined_weekday=_compiled(rf"(?:,?\s*(?:{to_and})|\s*[/&–,-])\s*(?:{names})"),
        joined=_compiled(
            rf"(?<![\w.,:])(?P<first>{number}|(?P<month>{spelt_months}))\s*(?:{to_and}|–|-|\+)\s*(?:(?:{articles}) ?)?$"
        ),
        months=all_months,
        month_name=_whole(written),
        month_words=frozenset(entries["months"]["words"]),
        month_first=entries["months"]["first"],
        month_date=_month_date(entries["months"], written, number, year),
        month_year=_compiled(rf"(?<![\w-])(?P<month>{written}){year}"),
        month_alone=_compiled(
            rf"(?<![\w-])(?P<lead>{_any(other['month_after'])}) ?(?:the )?(?P<month>{spelt_months}){_BEHIND}"
            r"(?!,? (?:de )?\d)"
        ),
        day_before=_compiled(rf"\d(?:{entries['months']['mark']})?(?: (?:{of}))? ?$"),
        deadline=frozenset(other["deadline"]),
        day_number=_compiled(rf"(?<![\w'’.,:-]){other['day_by_number']}(?! (?:{spelt_months})\b)"),
        weekday_number=_compiled(
            rf"{_BEFORE}(?P<name>{names})[\s,]+(?:(?:{articles}) ?)?{number}(?![\w:%]|[.,]\d)"
            rf"(?! (?:(?:{of}) ?)?(?:{spelt_months})\b)(?! ?(?:{_any(other['hours'])})\b)"
        ),
        that_of=_compiled(rf"(?<!\w)(?:{_any(other['that_of'])})\s+$"),
        weekend=_whole(other["weekend"]),
        seasons={name.casefold(): month for name, month in season["names"].items()},
        # In languages with capital nouns, a capital does not show a name.
        seasons_are_nouns=all(name[0].isupper() for name in season["names"]),
        season=_compiled(
            rf"{_BEFORE}{season['pattern'].replace('{name}', f'(?P<name>{seasons})')}{_BEHIND}(?! (?:(?:{of}) )?\d)"
        ),
        season_of_year=_compiled(rf"{_BEFORE}(?P<name>{seasons}){year}"),
        which=_compiled(rf"{season['last']}|{season['next']}|{season['this']}"),
        last_one=_compiled(season["last"]),
        next_one=_compiled(season["next"]),
        annual=_compiled(rf"(?<!\w)(?:{_any(other['annual'])})"),
        feasts=tuple(_feast(name, found) for name, found in entries["feast"].items()),
        feast_lead=_compiled(rf"(?<![\w-])(?:{_any(other['feast_after'])})\s+$"),
    )


def _any(patterns: Iterable[str]) -> str:
    """Any of some patterns; of none, what matches nothing."""
    return "|".join(patterns) or _NEVER


def _compiled(pattern: str) -> Pattern:
    return re.compile(pattern, re.IGNORECASE)


def _whole(pattern: str) -> Pattern:
    return _compiled(rf"{_BEFORE}(?:{pattern}){_BEHIND}")


def _led(words: Iterable[str]) -> Pattern:
    """Return the pattern of a word directly before a position."""
    return _compiled(rf"{_BEFORE}(?:{_any(word for word in words if word)})\s+$")


def _words(words: Iterable[str]) -> Pattern:
    return _compiled(rf"(?<![\w'’-])(?:{_any(words)})(?![\w'’-])")


def _spelt(names: Iterable[str], behind: str = "") -> str:
    """Names, the longest first, so that none hides a longer one."""
    return _any(name + behind for name in sorted(names, key=len, reverse=True) if len(name) > 2)


def _filled(pattern: str, fill: Mapping[str, str]) -> str:
    for place, text in fill.items():
        pattern = pattern.replace(place, text)
    return pattern


def _signs(entries: Mapping[str, Any]) -> Signs:
    def signs(name: str, *, ends: str = _NEVER) -> Pattern:
        """Whole words, and what is written at the end of another word."""
        return _compiled(rf"(?<![\w-])(?:{_any(entries[name])})(?![\w-])|(?<=\w)(?:{ends})(?!\w)")

    return Signs(
        past=signs("past"),
        ahead=signs("ahead", ends="'ll"),
        present=signs("present", ends="'s|'re|'m"),
        habit=signs("habit"),
        settled=signs("settled"),
        person=signs("person", ends="'m|'ve"),
        example=signs("example"),
        clause=_compiled(rf"[,;:–—()!?.]\s|\s-\s|\s(?=(?:{_any(entries['clause'])})\s)"),
    )


def _written(entries: Mapping[str, str], tongue: str) -> DateFormat:
    return DateFormat(
        about=entries["about"],
        from_=entries["from"],
        day=entries["day"],
        first_day=entries.get("first_day", entries["day"]),
        month=entries["month"],
        year=entries["year"],
        months=month_names()[tongue],
        likened=_compiled(rf"\b(?:{entries['likened']})\s+$"),
    )


def _asked(
    entries: Mapping[str, Any], tongue: str, all_months: Mapping[str, int], fill: dict[str, str]
) -> QuestionPhrases:
    asked, bound, other = entries["asked"], entries["bound"], entries["other"]
    articles = _any(other["articles"])
    bounds = {name: _any(bound[name]) for name in ("since", "until", "before", "after", "from", "between")}
    unit = rf"(?P<unit>{_spelt(counted_units())})"
    joint = _any((*bound["to"], *bound["and"], *other["or"]))
    within, which = (
        _any(asked["within"]),
        f"{entries['season']['last']}|{entries['season']['next']}|{entries['season']['this']}",
    )
    leads = rf"(?P<lead>(?<![\w-])(?:{_any((within, which, *bounds.values(), joint))})|{_DASH}|,)"
    name = rf"(?P<month>{_spelt(months()[tongue])})"
    return QuestionPhrases(
        ahead=_words(asked["ahead"]),
        habit=_words(asked["habit"]),
        once=_words(asked["once"]),
        within=_compiled(within),
        opening=_compiled(rf"{bounds['from']}|{bounds['between']}"),
        goes_on=_compiled(rf"\s*(?:{_DASH}|(?:{_any((*bound['to'], *bound['and']))})(?!\w))"),
        alone=_compiled(_any((within, which, *(bounds[name] for name in ("since", "until", "before", "after"))))),
        joint=_compiled(rf"{joint}|{_DASH}|,"),
        month_alone=_compiled(
            rf"(?:{leads}\s?)?(?<!\w){name}(?P<after> (?:{asked['after'] or _NEVER}))?{_BEHIND}"
            r"(?!,? (?:de )?\d)"
        ),
        names=frozenset(asked["names"]),
        year=_compiled(
            rf"(?:{leads}\s?(?:(?:{articles})\s)?)?(?<![\w$€£#./:])(?P<year>(?:19|20)\d\d)"
            r"(?![\w%$€£/]|-\d?\d\b|-[^\W\d]|[.,:]\d)"
        ),
        counted=_compiled(rf"\s+(?:{_any(asked['counted'])})\b"),
        rolling=tuple(_whole(_filled(pattern, fill | {"{unit}": unit})) for pattern in asked["rolling"]),
        loose=_compiled(rf"(?<![\w-])(?:{_any(asked['loose'])}) $"),
        week_of=_compiled(
            rf"{_BEFORE}(?P<ordinal>{_any(asked['ordinals'])}) {asked['week_of']}"
            rf" (?P<month>{_spelt(all_months)})(?:{fill['{year}']})?{_BEHIND}"
        ),
        ordinals=asked["ordinals"],
        bound=_compiled(
            rf"{_BEFORE}(?:{_any(f'(?P<{name}>{words})' for name, words in bounds.items())})"
            rf"(?:\s+|(?<=['’]))(?:(?:{articles})\s*)?$"
        ),
        to=_compiled(rf"\s*(?:{_any((*bound['to'], _DASH))})\s*(?:(?:{articles})\s*)?"),
        and_=_compiled(rf"\s*(?:{_any(bound['and'])})\s*(?:(?:{articles})\s*)?"),
        from_date=_compiled(rf"{_BEFORE}(?:{fill['{count}']} |(?P<one>{asked['one']}) )?{unit}\s+$"),
        reported=_compiled(rf"(?:{_any(asked['reported'])})\s+$"),
    )


def _count(entries: Mapping[str, Any]) -> str:
    """Return the pattern of a number; "a couple of" is two, and only in statements."""
    number = "|".join(sorted(counts(), key=len, reverse=True))
    return rf"(?:(?P<couple>{entries['couple'] or _NEVER})|(?P<count>\d{{1,2}}|{number}))"


def _unit(lengths: Iterable[str]) -> str:
    return rf"(?P<unit>{_any(sorted(lengths, key=len, reverse=True))})(?:s|es|e|n|en)?"


def _month_date(entries: Mapping[str, Any], written: str, number: str, year: str) -> Pattern:
    """Return a day and a month, perhaps with a year; with the month first, perhaps a second day."""
    behind = rf"(?! (?:{_any(entries['not_behind'])})\b)"
    between = entries["between"]
    forward = rf"(?<![\w.,:/-]){entries['day'] or number}{between}(?P<month>{written}){_BEHIND}(?:{year})?"
    if not entries["first"]:
        return _compiled(forward)
    second = rf"(?P<month2>{written}) (?:the )?{number.replace('<day>', '<day2>')}"
    last = rf"(?:\s?[-–—]\s?{number.replace('<day>', '<last>')})?"
    return _compiled(
        rf"{forward}|(?<![\w-]){second}{last}(?:{year.replace('<year>', '<year2>')}|(?![\w%-]|[.,:]\d){behind})"
    )


def _edge(entries: Mapping[str, Any], months: str, seasons: str, year: str) -> Pattern:
    """Return the beginning, the middle or the end of something."""
    edges = _any(f"(?P<{name}>{_any(entries[name])})" for name in ("start", "middle", "end"))
    unit = (
        rf"(?:(?P<next>{entries['next']})|(?P<last>{entries['last']})|{entries['this']})(?P<unit>{_spelt(entries['units'])})"
        rf"(?P<behind>{entries['behind']})?"
    )
    return _compiled(
        rf"{_BEFORE}(?:{edges})\s?(?:{unit}|(?:(?P<month>{months})|(?P<season>{seasons}))(?:{year})?|(?P<alone>(?:19|20)\d\d)){_BEHIND}"
        r"(?!,? (?:de )?\d)(?! (?:of|at|before)\b)"
    )


def _feast(name: str, entries: Mapping[str, int | bool]) -> Feast:
    easter, month, day = entries.get("easter"), int(entries.get("month", 0)), int(entries.get("day", 1))
    whole = "month" in entries and "day" not in entries
    return Feast(
        name=_compiled(rf"{_BEFORE}(?:{name})(?![\w'’-])"),
        month=month,
        day=day,
        easter=None if easter is None else int(easter),
        width=Width.MONTH if whole else Width.DAY,
    )
