"""Dates in a question, so that recall can boost memories of that time.

`language/dates` finds the phrases; this module makes ranges of them. Precision is more important than recall: a wrong
range hides the right memory, and a missing one has no cost.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Final

from remembrancer.language.calendar import counted_units, units, weekdays
from remembrancer.language.dates.phrases import Phrase, dates, phrases
from remembrancer.language.dates.reckoning import DAY, Width, around, calendar, moved
from remembrancer.language.dates.table import TONGUES, QuestionPhrases, table
from remembrancer.language.numbers import counts
from remembrancer.language.words import stop_words


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A stretch of time a question asks about; start inclusive, end exclusive; both aware UTC."""

    start: datetime
    end: datetime
    phrase: str
    """The words of the question it was read from."""

    def contains(self, when: datetime) -> bool:
        """Return True if `when` falls inside."""
        return self.start <= when < self.end

    def distance(self, when: datetime) -> timedelta:
        """Return the distance of `when` from the nearer edge; zero inside."""
        return max(self.start - when, when - self.end, timedelta())


def spans(question: str, *, now: datetime, zone: tzinfo = UTC) -> tuple[Span, ...]:
    """Return every date or range that the question names, in order of appearance, not overlapping.

    Days, ISO weeks, months and years are those of `zone`. "Three weeks ago" is one week wide and centred on that day,
    because people round.
    """
    here = now.astimezone(zone)
    tongues = _tongues(question)
    return tuple(span for sentence in _SENTENCE.finditer(question) for span in _spans(sentence[0], here, tongues))


# Dates with a point behind the day do not end a sentence; what is longer is cut, so that the work grows with the text.
_SENTENCE: Final = re.compile(
    r"(?s:.{1,400}?)(?:[!?\n]+\s|[^\W\d]\.\s+(?=[A-ZÀ-Þ¿¡]))|(?s:.{1,400})(?:\s|\Z)|(?s:.{1,400})"
)
_MOMENT: Final = re.compile(
    r"(?<![\w./-])(?:19|20)\d\d([-/])\d\d\1\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:?\d\d)?"
    r"(?![\w/-]|[.:]\d)"
)
_BEGINNING: Final = date(1900, 1, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Window:
    """A range of days and the place of its words; without a last day it ends now."""

    start: int
    end: int
    first: date
    after: date | None
    relative: bool = False


def _tongues(question: str) -> tuple[str, ...]:
    """Return the languages that the question may be in: those of which it has most common words."""
    words = {word.lower() for word in re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*", question)}
    shared = {tongue: len(words & stop_words()[tongue]) for tongue in TONGUES}
    return tuple(tongue for tongue in TONGUES if shared[tongue] == max(shared.values()))


def _spans(sentence: str, here: datetime, tongues: Sequence[str]) -> Iterator[Span]:
    found = [(*one.span(), one[0]) for one in _MOMENT.finditer(sentence)]
    spans = {start: span for start, _, text in found if (span := _minute(text, here.tzinfo)) is not None}
    rest = _MOMENT.sub(lambda one: " " * len(one[0]), sentence)
    places = [(start, end) for start, end, _ in found]
    for tongue in (*tongues, *(one for one in TONGUES if one not in tongues)):
        read = phrases(rest, day=here.date(), hour=here.hour, tongue=tongue, asked=True) if tongue in tongues else None
        some = dates(rest, day=here.date(), tongue=tongue) if read is None else read
        for window in _windows(rest, some, here.date(), table(tongue).asked):
            if not any(window.start < end and start < window.end for start, end in places):
                places.append((window.start, window.end))
                start, end = (_midnight(day, here) for day in (window.first, window.after))
                spans[window.start] = Span(start=start, end=end, phrase=sentence[window.start : window.end])
    return (span for _, span in sorted(spans.items()) if span.start < span.end)


def _midnight(day: date | None, here: datetime) -> datetime:
    """Return the start of a day in the zone of the question; now for no day."""
    when = here if day is None else datetime(day.year, day.month, day.day, tzinfo=here.tzinfo)
    return when.astimezone(UTC)


def _minute(text: str, zone: tzinfo | None) -> Span | None:
    try:
        when = datetime.fromisoformat(text.upper().replace("/", "-"))
    except ValueError:
        return None
    start = (when if when.tzinfo else when.replace(tzinfo=zone)).astimezone(UTC)
    return Span(start=start, end=start + timedelta(minutes=1), phrase=text)


def _windows(sentence: str, found: Sequence[Phrase], today: date, its: QuestionPhrases) -> list[_Window]:
    windows: list[_Window] = []
    at = 0
    while at < len(found):
        first, last = found[at], found[at + 1] if at + 1 < len(found) else None
        bound = its.bound.search(sentence[: first.start])
        name = bound.lastgroup if bound else None
        if last is not None and (joined := _joined(sentence, first, last, name, its)):
            windows.append(replace(joined, start=bound.start()) if bound else joined)
            at += 2
            continue
        window = _Window(
            start=first.start, end=first.end, first=first.first, after=first.after, relative=first.relative
        )
        window = _bounded(sentence, window, bound, name, today, its) if bound and name else window
        # What is counted from a date is no time of its own: "last weekend before 10 April".
        windows = [*(one for one in windows if one.end <= window.start), window]
        at += 1
    is_reported = any(not one.relative and its.reported.search(sentence[: one.start]) for one in windows)
    return [one for one in windows if not (is_reported and one.relative)]


def _joined(sentence: str, first: Phrase, last: Phrase, name: str | None, its: QuestionPhrases) -> _Window | None:
    """Return the range between two dates, if the words before and between them express one."""
    joint = (its.and_ if name == "between" else its.to).fullmatch(sentence, first.end, last.start)
    if joint is None or name not in ("between", "from", "since", None):
        return None
    if name is None and (first.relative or last.relative):
        return None
    early, late, after = first.first, last.first, last.after
    if sentence[first.start : first.end].casefold() in weekdays() and early >= late:
        # On a Wednesday "from Monday to Wednesday" is about the week before.
        early -= 7 * DAY
    return _Window(start=first.start, end=last.end, first=early, after=after) if early < after else None


def _bounded(
    sentence: str, window: _Window, bound: re.Match[str], name: str, today: date, its: QuestionPhrases
) -> _Window:
    """Return a time with the word that bounds it; "from" and "between" alone bound none."""
    if name in ("before", "after") and (counted := its.from_date.search(sentence[: bound.start()])):
        return _from_date(window, counted, -1 if name == "before" else 1)
    whole = replace(window, start=bound.start(), relative=False)
    match name:
        case "since":
            return replace(whole, after=None)
        case "after":
            return replace(whole, first=window.after or today, after=None)
        case "before":
            return replace(whole, first=_BEGINNING, after=window.first)
        case "until":
            return replace(whole, first=_BEGINNING)
        case _:
            return window


def _from_date(window: _Window, counted: re.Match[str], way: int) -> _Window:
    """Return a period counted from a date: "two weeks before 11 August", "the week before 3 August"."""
    unit = counted["unit"].casefold()
    width, whole = Width(counted_units()[unit]), replace(window, start=counted.start())
    # A feast that is only known by its month has no day to count from.
    if window.relative and window.after and window.after - window.first > 7 * DAY:
        return window
    edge = window.after if way > 0 and window.after else window.first
    if counted["count"] or counted["couple"]:
        number = 2 if counted["couple"] else counts().get(counted["count"].casefold()) or int(counted["count"])
        edge -= DAY if way > 0 and width is Width.DAY else timedelta()
        first, after = around(edge, width, way * number)
    elif unit not in units():
        # "How many days before 3 May ..." asks for the distance and names the date alone.
        return window
    elif width is Width.WEEKEND:
        first, after = calendar(width, -1 if way < 0 else window.first.weekday() // 5, window.first)
    else:
        first, after = sorted((edge, moved(edge, width, way)))
    return replace(whole, first=first, after=after)
