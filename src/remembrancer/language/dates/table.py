"""How each language tells time: the tables that lie beside this module, compiled."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Any, Final, TypeAlias

from remembrancer.language.calendar import MONTHS, WEEKDAY_NAMES
from remembrancer.language.numbers import COUNTS
from remembrancer.language.spelling import spellings

Pattern: TypeAlias = "re.Pattern[str]"
TONGUES: Final = tuple(WEEKDAY_NAMES)
"""The languages that have a table."""
COUNT: Final = rf"(?P<count>\d{{1,2}}|{'|'.join(sorted(COUNTS, key=len, reverse=True))})"
_NEVER: Final = r"(?!)"
# A phrase is no part of a longer word.
_BEFORE, _BEHIND = r"(?<![\w'’-])", r"(?![\w-])"


class Width(StrEnum):
    """How long the time is that a phrase means."""

    DAY = "day"
    WEEK = "week"
    WEEKEND = "weekend"
    MONTH = "month"
    YEAR = "year"


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """Signs of where in time a sentence stands; see the tables."""

    past: Pattern
    ahead: Pattern
    present: Pattern
    habit: Pattern
    settled: Pattern


@dataclass(frozen=True, slots=True, kw_only=True)
class Feast:
    """A feast: a day of a month, a whole month, or a day reckoned from Easter."""

    name: Pattern
    month: int
    day: int
    easter: int | None
    width: Width


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The phrases of time of one language, as patterns.

    Args:
        day: what names a day; `days` has its distance from today. Behind `untrue` it means none.
        weekday: a weekday; what stands directly before it is `last`, `next_`, `coming`, `this`, `since` or `bare`.
        opens: whether a weekday that the tense tells may begin a sentence.
        of_week: what stands behind a weekday, by the week that it tells.
        units: weeks, months, years and weekends by their distance from this one.
        lengths: days that a unit of `ago` and `ahead` has.
        idioms: numbers of days that stand for weeks as often.
        weeks_on: days that are told by the week behind them, by their kind and a number of days or weeks.
    """

    tongue: str
    signs: Signs
    day: Pattern
    days: Mapping[str, int]
    untrue: Pattern
    weekday: Pattern
    last: Pattern
    next_: Pattern
    coming: Pattern
    this: Pattern
    bare: Pattern
    since: Pattern
    opens: bool
    of_week: tuple[tuple[Pattern, int], ...]
    units: tuple[tuple[Pattern, Width, int], ...]
    ago: Pattern
    ahead: Pattern
    surely_ahead: bool
    loose: Pattern
    lengths: Mapping[str, int]
    idioms: frozenset[int]
    edge: Pattern
    weeks_on: tuple[tuple[Pattern, str, int], ...]
    month_date: Pattern
    month_alone: Pattern
    day_number: Pattern
    weekday_number: Pattern
    weekend: Pattern
    season: Pattern
    annual: Pattern
    feasts: tuple[Feast, ...]


# Read when this is imported, since an event loop may not wait for a file; compiled when it is asked for.
_TOLD: Final[Mapping[str, Any]] = {
    tongue: tomllib.loads((files("remembrancer.language.dates") / f"{tongue}.toml").read_text(encoding="utf-8"))
    for tongue in TONGUES
}


@cache
def table(tongue: str) -> Table:
    """The table of a language."""
    told = _TOLD[tongue]
    count, weekday, other = told["count"], told["weekday"], told["other"]
    days = {name: int(offset) for offset, names in told["days"].items() if offset != "untrue" for name in names}
    leads = {name: _led(weekday[name]) for name in ("last", "next", "coming", "this", "bare", "since")}
    unit = rf"(?P<unit>{_any(sorted(count['units'], key=len, reverse=True))})(?:s|es|e|n|en)?"
    names = _weekday_names(tongue)
    day = {"day": f"(?P<day>{names})"}
    part = "(?:abend|nachmittag|vormittag|morgen|mittag|nacht)?" if tongue == "german" else ""
    return Table(
        tongue=tongue,
        signs=_signs(told["tense"]),
        day=_whole(_any(map(re.escape, sorted(days, key=len, reverse=True)))),
        days=days,
        untrue=_compiled(rf"(?:{_any(told['days']['untrue'])})$"),
        weekday=_whole(f"(?P<day>{names}){part}"),
        last=leads["last"],
        next_=leads["next"],
        coming=leads["coming"],
        this=leads["this"],
        bare=leads["bare"],
        since=leads["since"],
        opens="" in weekday["bare"],
        of_week=tuple(
            (_compiled(rf"\s+(?:{pattern}){_BEHIND}"), weeks) for pattern, weeks in weekday["of_week"].items()
        ),
        units=tuple(
            (_whole(pattern), Width(width), int(distance))
            for width in ("week", "month", "year", "weekend")
            for distance, pattern in told[width].items()
        ),
        ago=_whole(count["ago"].replace("{count}", COUNT).replace("{unit}", unit)),
        ahead=_whole(count["ahead"].replace("{count}", COUNT).replace("{unit}", unit)),
        surely_ahead=count["surely_ahead"],
        loose=_compiled(rf"(?<![\w-])(?:{_any(count['loose'])}) $"),
        lengths=count["units"],
        idioms=frozenset(count["idioms"]),
        edge=_edge(told["edge"], tongue),
        weeks_on=tuple(
            (_whole(pattern.replace("{day}", day["day"])), kind, number)
            for kind, patterns in told["week_on"].items()
            for pattern, number in patterns.items()
        ),
        month_date=_month_date(tongue),
        month_alone=_compiled(
            rf"(?<![\w-])(?P<lead>{_any(other['month_after'])}) ?(?:the )?(?P<month>{_months(tongue)}){_BEHIND}"
            r"(?!,? (?:de )?\d)"
        ),
        day_number=_compiled(rf"(?<![\w'’.,:-]){other['day_by_number']}(?! (?:{_months(tongue)})\b)"),
        weekday_number=_compiled(
            rf"{_BEFORE}(?P<name>{names})[\s,]+(?:the |den |dem |der |el |le |il )?"
            r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.|er)?(?![\w:%]|[.,]\d)"
            rf"(?! (?:de |di |d['’])?(?:{_months(tongue)})\b)(?! ?(?:am|pm|uhr|h|bis \d+ uhr|o'clock)\b)"
        ),
        weekend=_whole(other["weekend"]),
        season=_compiled(rf"{_BEFORE}{other['season']}{_BEHIND}(?! (?:of |de |del )?\d)"),
        annual=_compiled(rf"(?<!\w)(?:{_any(other['annual'])})"),
        feasts=tuple(_feast(name, found) for name, found in told["feast"].items()),
    )


def _any(patterns: Iterable[str]) -> str:
    return "|".join(patterns)


def _compiled(pattern: str) -> Pattern:
    return re.compile(pattern, re.IGNORECASE)


def _whole(pattern: str) -> Pattern:
    return _compiled(rf"{_BEFORE}(?:{pattern}){_BEHIND}")


def _led(words: Iterable[str]) -> Pattern:
    """What stands directly before a place."""
    return _compiled(rf"{_BEFORE}(?:{_any(word for word in words if word) or _NEVER})\s+$")


def _signs(told: Mapping[str, Any]) -> Signs:
    def signs(name: str, *, ends: str = _NEVER) -> Pattern:
        """Whole words, and what is written at the end of another word."""
        return _compiled(rf"(?<![\w-])(?:{_any(told[name])})(?![\w-])|(?<=\w)(?:{ends})(?!\w)")

    return Signs(
        past=signs("past"),
        ahead=signs("ahead", ends="'ll"),
        present=signs("present", ends="'s|'re|'m"),
        habit=signs("habit"),
        settled=signs("settled"),
    )


def _weekday_names(tongue: str) -> str:
    """The weekdays of a language, in every spelling, the longest first."""
    names = (*WEEKDAY_NAMES[tongue], *(("Sonnabend",) if tongue == "german" else ()))
    return _any(sorted({spelt for name in names for spelt in spellings(name)}, key=len, reverse=True))


def _months(tongue: str) -> str:
    return _any(sorted((name for name in MONTHS[tongue] if len(name) > 2), key=len, reverse=True))


def _month_date(tongue: str) -> Pattern:
    """A day and a month, perhaps with a year."""
    day = r"(?P<day>\d{1,2})\." if tongue == "german" else r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|°)?"
    of = {"english": r"(?: of)? ", "spanish": r" de ", "german": r"\s?"}.get(tongue, " ")
    year = r"(?:,?(?: de)? (?P<year>(?:19|20)\d\d)(?![\w-]))?"
    forward = rf"(?<![\w.,:/-]){day}{of}(?P<month>{_months(tongue)}){_BEHIND}{year}"
    if tongue != "english":
        return _compiled(forward)
    return _compiled(
        rf"{forward}|(?<![\w-])(?P<month2>{_months(tongue)}) (?:the )?(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?"
        r"(?![\w:%-]|[.,]\d)(?:,? (?P<year2>(?:19|20)\d\d)(?![\w-]))?"
    )


def _edge(told: Mapping[str, Any], tongue: str) -> Pattern:
    """The beginning, the middle or the end of something."""
    edges = _any(f"(?P<{name}>{_any(told[name])})" for name in ("start", "middle", "end"))
    unit = rf"(?:(?P<next>{told['next']})|{told['this']})(?P<unit>{_any(told['units'])})(?P<behind>{told['behind']})?"
    return _compiled(
        rf"{_BEFORE}(?:{edges})\s?(?:{unit}|(?P<month>{_months(tongue)})){_BEHIND}"
        r"(?!,? (?:de )?\d{4})(?! (?:of|at|before)\b)"
    )


def _feast(name: str, told: Mapping[str, int | bool]) -> Feast:
    easter, month, day = told.get("easter"), int(told.get("month", 0)), int(told.get("day", 1))
    whole = "month" in told and "day" not in told
    return Feast(
        name=_compiled(rf"{_BEFORE}(?:{name})(?![\w'’-])"),
        month=month,
        day=day,
        easter=None if easter is None else int(easter),
        width=Width.MONTH if whole else Width.DAY,
    )
