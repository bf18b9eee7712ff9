"""Phrases of time and what they mean: of a statement where it has one reading, of a question the likely one."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise
from typing import Final, TypeAlias

from remembrancer.language.calendar import counted_units, weekdays
from remembrancer.language.dates.reckoning import (
    DAY,
    Width,
    around,
    calendar,
    coming,
    day_of,
    latest,
    month_away,
    months_on,
    moved,
    same_week,
    third,
)
from remembrancer.language.dates.table import DateTable, table
from remembrancer.language.dates.tense import Constant, Tense, Tenses, is_habit
from remembrancer.language.numbers import counts
from remembrancer.language.words import stop_words

# Whether a day of a month without a year is the one of before or of after, is plain where the other one is as far.
_NEAR: Final = 60
# Of a day that is so near, and the other one more than twice as far, it is plain without a tense.
_SURELY: Final = 100
_MORNING: Final = 5
_MONTHS_AWAY: Final = 8
_FEW_MONTHS: Final = 4
_YEARS_AFAR: Final = 2
_LONG: Final = 400
# Years that are looked at for a day without a year; the next 29 February is in one of them, even across a century.
_YEARS: Final = range(-8, 9)


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """A phrase of time.

    Args:
        start, end: its place in the sentence.
        first: its first day.
        after: the day after its last.
        about: True if it means a day or so around that.
        relative: True if it has a date only together with the day of the message.
        joined: True if it has its month and year from the date that it is joined to.
    """

    start: int
    end: int
    first: date
    after: date
    width: Width
    about: bool = False
    relative: bool = True
    joined: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sentence:
    """A sentence with what its phrases depend on.

    Args:
        today: the local day of the message.
        asked: True for a question to a memory, in which a time is more often past than not.
        afar: True if it, or the text around it, is about years long before or after; then a date without a year has no
            known year.
    """

    text: str
    today: date
    its: DateTable
    tenses: Tenses | Constant
    asked: bool
    afar: bool

    def before(self, at: int) -> tuple[str, str]:
        """Return the last two words before a place, the nearer one first; empty after punctuation."""
        text = self.text[:at]
        if not text.strip() or text.rstrip()[-1] in ",.;:!?()–—":
            return "", ""
        found = _WORD_BEFORE.search(text)
        if found is None:
            return "", ""
        return (found[2], found[1]) if found[2] else (found[1], "")

    def adjoins(self, end: int) -> bool:
        """Return True if what follows a phrase makes another time of it."""
        owned = not self.asked and _OWNED.match(self.text, end)
        return bool(owned or self.its.behind.match(self.text, end))

    def month(self, name: str) -> int:
        """Return the number of a month by its name or its short name."""
        return self.its.months[name.casefold().rstrip(".")]

    def is_other_word(self, month: str) -> bool:
        """Return True if what looks like a month is another word, as "may" and "march"."""
        return month[0].islower() and month.rstrip(".") in self.its.month_words


# "Friday's meeting" may be any; of a question it is that of one Friday.
_OWNED: Final = re.compile("['’]s\\b")
_Finder: TypeAlias = Callable[[_Sentence, Sequence[Phrase]], Iterator[Phrase]]
# A quotation may be by another person, on another day; one without an end extends to the end of the text.
_QUOTED: Final = re.compile(r"[\"“«„][^\"”»“]*(?:[\"”»“]|$)|`[^`]*`|^[^\"”“]*(?:\"|”)$")
_WORD_BEFORE: Final = re.compile(r"([^\s,.;:!?()]+)(?:\s+([^\s,.;:!?()]+))?\s*$")


def phrases(sentence: str, *, day: date, hour: int, tongue: str, asked: bool = False, around: str = "") -> list[Phrase]:
    """Return the phrases of time of a sentence, in order; of a statement only the unambiguous ones.

    Args:
        day: the local day of the message.
        hour: of that day; late at night "today" may mean the day before.
        tongue: the language of the sentence.
        asked: True for a question to a memory: of two readings the earlier counts, unless it looks ahead.
        around: the text around the sentence.
    """
    quoted = [found.span() for found in _QUOTED.finditer(sentence)]
    of, found = _sentence(sentence, day, tongue, asked=asked, around=around), list[Phrase]()
    for find in _OF_QUESTIONS if asked else _OF_STATEMENTS:
        # Late at night "today" may mean the day before.
        if find is not _named_days or hour >= _MORNING or asked:
            found += (one for one in [*find(of, found)] if not _overlaps(one, found))
    own = [one for one in found if not any(start < one.end and one.start < end for start, end in quoted)]
    if not asked and (example := of.its.signs.example.search(sentence)):
        own = [one for one in own if one.start < example.start() or not one.relative]
    own = _with_shared_years(sorted(own, key=lambda phrase: phrase.start), of)
    return own if asked else _apart(own, of)


def dates(question: str, *, day: date, tongue: str) -> list[Phrase]:
    """Return the dates of a question with a named month, which may be in another language than the question."""
    of, found = _sentence(question, day, tongue, asked=True), list[Phrase]()
    for find in (_named, _month_years, _joined):
        found += (one for one in [*find(of, found)] if not _overlaps(one, found))
    return _with_shared_years(sorted(found, key=lambda phrase: phrase.start), of)


def _overlaps(phrase: Phrase, found: Sequence[Phrase]) -> bool:
    return any(phrase.start < other.end and other.start < phrase.end for other in found)


def _sentence(text: str, today: date, tongue: str, *, asked: bool, around: str = "") -> _Sentence:
    its = table(tongue)
    years = _YEAR.finditer(around or text)
    afar = not asked and (
        any(abs(int(year[0]) - today.year) > _YEARS_AFAR for year in years) or _is_article(around, its)
    )
    return _Sentence(text=text, today=today, its=its, tenses=_tenses(text, its, asked=asked), asked=asked, afar=afar)


def _tenses(sentence: str, its: DateTable, *, asked: bool) -> Tenses | Constant:
    if asked:
        return Constant(tense=Tense.AHEAD if its.asked.ahead.search(sentence) else Tense.PAST)
    return Tenses(_unquoted(sentence), its.tongue)


def _unquoted(sentence: str) -> str:
    return _QUOTED.sub(lambda quote: " " * len(quote[0]), sentence)


def _is_article(text: str, its: DateTable) -> bool:
    """Return True if a text is long and has no first or second person."""
    return len(text) > _LONG and its.signs.person.search(text) is None


# "Tomorrow morning (9 April)".
_EXPLAINS: Final = re.compile(r"(?:\s\w+)?\s?\(")


def _with_shared_years(found: list[Phrase], of: _Sentence) -> list[Phrase]:
    """Return the phrases, where each of two joined dates has the year of the other if it has none.

    In a statement, two that would be in the wrong order are left out.
    """
    wrong: list[Phrase] = []
    for place, (first, last) in enumerate(pairwise(found)):
        between = (of.text, first.end, last.start)
        joins = of.its.asked.to.fullmatch(*between) or of.its.asked.and_.fullmatch(*between)
        if first.relative or last.relative or first.joined or not joins:
            continue
        has, last_has = (_YEAR.search(of.text[one.start : one.end]) for one in (first, last))
        if has and not last_has:
            years = range(first.first.year - last.first.year, first.first.year - last.first.year + 2)
            found[place + 1] = next(one for step in years if (one := _years_on(last, step)).first >= first.first)
        elif not has and (last_has or of.asked):
            years = range(last.first.year - first.first.year, last.first.year - first.first.year - 2, -1)
            dated = next(one for step in years if (one := _years_on(first, step)).first <= last.first)
            found[place] = replace(dated, joined=True)
        elif not has and not last_has and first.first > last.first:
            wrong += (first, last)
    return [one for one in found if one not in wrong]


_YEAR: Final = re.compile(r"(?<![\w.,$€£])(?:1\d|20)\d\d(?![\w.,%]\d|\w)")


def _years_on(phrase: Phrase, years: int) -> Phrase:
    return replace(phrase, first=months_on(phrase.first, 12 * years), after=months_on(phrase.after, 12 * years))


def _apart(found: list[Phrase], of: _Sentence) -> list[Phrase]:
    """Without those that explain one another: what they mean together, neither means alone."""
    kept: list[Phrase] = []
    for phrase in found:
        before = kept[-1] if kept else None
        between = of.text[before.end : phrase.start] if before is not None else ""
        if before is not None and (len(between.strip(" ,")) <= 2 or _EXPLAINS.fullmatch(between)):
            if before.first != phrase.first and of.its.joint.search(between):
                kept.append(phrase)
            elif before.first != phrase.first:
                kept.pop()
            continue
        kept.append(phrase)
    return kept


# --- Dates that name their month or are in figures ------------------------------------------------------------------

_ISO: Final = re.compile(
    r"(?<![\w-])(?P<year>(?:19|20)\d\d)(?P<mark>[-/])(?P<month>\d\d)(?P=mark)(?P<day>\d\d)(?![\w/-])"
)
_NUMERIC: Final = re.compile(
    r"(?<![\w.,/])(?P<one>\d{1,2})(?P<mark>[./])(?P<two>\d{1,2})(?P=mark)(?P<year>(?:19|20)\d\d)(?![\w/])"
)


def _in_figures(of: _Sentence, _: Sequence[Phrase]) -> Iterator[Phrase]:
    for found in _ISO.finditer(of.text):
        yield from _whole_day(found, day_of(int(found["year"]), int(found["month"]), int(found["day"])))
    for found in _NUMERIC.finditer(of.text):
        one, two, year = int(found["one"]), int(found["two"]), int(found["year"])
        # In languages with the month first, only the numbers show which part of 3/14 is the day.
        if of.its.month_first and found["mark"] == "/" and one <= 12 and one != two:
            one, two = (two, one) if two > 12 else (0, 0)
        yield from _whole_day(found, day_of(year, two, one) if one else None)


def _whole_day(found: re.Match[str], first: date | None) -> Iterator[Phrase]:
    if first is not None:
        start, end = found.span()
        yield Phrase(start=start, end=end, first=first, after=first + DAY, width=Width.DAY, relative=False)


def _named(of: _Sentence, _: Sequence[Phrase]) -> Iterator[Phrase]:
    for found in of.its.month_date.finditer(of.text):
        groups = found.groupdict()
        name = groups["month"] or groups["month2"]
        month, day = of.month(name), int(groups["day"] or groups["day2"])
        year = groups["year"] or groups.get("year2")
        if not year and of.is_other_word(name):
            continue
        first = day_of(int(year), month, day) if year else _without_year(of, *found.span(), month, day)
        if first is None:
            continue
        last = day_of(first.year, month, int(groups.get("last") or day)) or first
        after = max(last, first) + DAY
        yield Phrase(start=found.start(), end=found.end(), first=first, after=after, width=Width.DAY, relative=False)


def _month_years(of: _Sentence, _: Sequence[Phrase]) -> Iterator[Phrase]:
    for found in of.its.month_year.finditer(of.text):
        # Of a day that no calendar has, the month is not meant either: "31 February 2023".
        if not of.its.day_before.search(of.text[: found.start()]):
            first, after = month_away(date(int(found["year"]), of.month(found["month"]), 1), 0)
            start, end = found.span()
            yield Phrase(start=start, end=end, first=first, after=after, width=Width.MONTH, relative=False)


def _without_year(of: _Sentence, start: int, end: int, month: int, day: int) -> date | None:
    """Return a day of a month by its weekday, or by the tense; `None` for what recurs every year."""
    if of.afar or (not of.asked and of.its.annual.search(of.text)):
        return None
    all_of = [day_of(of.today.year + step, month, day) for step in _YEARS]
    years = [one for one in all_of if one is not None]
    weekday = _adjacent_weekday(of, start, end)
    if weekday is not None:
        near = [one for one in years if abs((one - of.today).days) < 300 and one.weekday() == weekday]
        if not of.asked or len(near) == 1:
            return near[0] if len(near) == 1 else None
    return _nearer(of, years, start)


def _adjacent_weekday(of: _Sentence, start: int, end: int) -> int | None:
    """Return the weekday next to a date: "Sunday 12 April", "Mar 6, Mon"."""
    before = of.its.article_behind.sub("", of.text[:start]).rpartition(" ")[2]
    behind = _WORD_BEHIND.match(of.text, end)
    days = (of.its.weekday_numbers.get(word.casefold()) for word in (before, behind[1] if behind else ""))
    return next((day for day in days if day is not None), None)


_WORD_BEHIND: Final = re.compile(r"\.?,? \(?([^\W\d_]+)")


def _nearer(of: _Sentence, days: Sequence[date], start: int, when: Tense | None = None) -> date | None:
    """Return the meant one of days a year apart: by the tense, unless the other one is near."""
    when = when or of.tenses.at(start)
    if of.asked:
        earlier, later = ([one for one in days if (one > of.today) is is_later] for is_later in (False, True))
        return max(earlier, default=None) if when is Tense.PAST else min(later, default=None)
    before = max((one for one in days if one <= of.today), default=None)
    after = min((one for one in days if one >= of.today), default=None)
    if before is None or after is None or before == after:
        return before if before == after else None
    ago, ahead = (of.today - before).days, (after - of.today).days
    if when is Tense.PAST:
        return before if ahead > _NEAR and ago < 2 * _SURELY else None
    if when in (Tense.AHEAD, Tense.PRESENT):
        return after if ago > _SURELY else None
    near, far = sorted((ago, ahead))
    plain = far > 2 * near if when is Tense.UNSAID else near < _SURELY and far > 2 * _SURELY
    return (before if ago < ahead else after) if plain else None


def _joined(of: _Sentence, found: Sequence[Phrase]) -> Iterator[Phrase]:
    """Yield dates with the month or year of the date they are joined to: "20 to 26 April", "May to July 2023"."""
    for last in found:
        before = None if last.relative else of.its.joined.search(of.text[: last.start])
        if before is None:
            continue
        if before["day"] and last.width is Width.DAY:
            first = day_of(last.first.year, last.first.month, int(before["day"]))
            after = first and first + DAY
        elif before["month"] and last.width is Width.MONTH:
            first, after = month_away(date(last.first.year, of.month(before["month"]), 1), 0)
        else:
            continue
        if first is not None and after is not None and first < last.first:
            start, end = before.span("first")
            yield Phrase(start=start, end=end, first=first, after=after, width=last.width, relative=False, joined=True)


# --- Months and years alone -----------------------------------------------------------------------------------------


def _months(of: _Sentence, found: Sequence[Phrase]) -> Iterator[Phrase]:
    """Months without a year; the one that it is may be that of any year."""
    its, ends = of.its, {phrase.end for phrase in found}
    for one in (its.asked.month_alone if of.asked else its.month_alone).finditer(of.text):
        month, lead = of.month(one["month"]), (one["lead"] or "").casefold()
        which = lead + (one.groupdict().get("after") or "")
        if not which or of.is_other_word(one["month"]) or (of.asked and not _is_month(of, one, lead, ends)):
            continue
        if of.asked and its.which.search(which):
            first = _begun(of, which, month, one.start(), months=1)
        else:
            first = _month(of, month, one.start(), back=its.since.fullmatch(lead) is not None)
        if first is not None:
            start, end, after = one.start("month"), one.end(), months_on(first, 1)
            ends.add(end)
            yield Phrase(start=start, end=end, first=first, after=after, width=Width.MONTH, relative=False)


def _is_month(of: _Sentence, one: re.Match[str], lead: str, ends: set[int]) -> bool:
    """Return True if a name is the month and no person's: June is a friend, "in June" is not."""
    its = of.its.asked
    if _goes_on(of, one, ends):
        return True
    if its.opening.fullmatch(lead):
        return its.goes_on.match(of.text, one.end()) is not None
    is_name = one["month"].casefold() in its.names and not its.within.fullmatch(lead)
    return its.alone.fullmatch(lead) is not None and (not is_name or _ends_well(of, one.end()))


def _goes_on(of: _Sentence, one: re.Match[str], ends: set[int]) -> bool:
    """Return True if a word joins it to the date before it: "in January and March"."""
    joined = one["lead"] and of.its.asked.joint.fullmatch(one["lead"])
    return bool(joined) and len(of.text[: one.start()].rstrip()) in ends


def _ends_well(of: _Sentence, end: int) -> bool:
    """Return True if the text after a number or a name continues the sentence and does not depend on it."""
    following = _NEXT_WORD.match(of.text, end)
    return following is None or following[1].casefold() in stop_words()[of.its.tongue]


_NEXT_WORD: Final = re.compile(r"(?:\s+|(?=['’]s))([^\W\d_]+|['’]s)")


def _month(of: _Sentence, month: int, at: int, *, back: bool = False) -> date | None:
    """Return the first day of the meant month: by the tense, or the nearer one if the other is far."""
    when = Tense.PAST if back else of.tenses.at(at)
    ahead, ago = (month - of.today.month) % 12, (of.today.month - month) % 12
    if of.asked:
        return month_away(of.today, -ago if when is Tense.PAST else ahead or 12)[0]
    if not ago or of.afar or is_habit(of.text, of.its.tongue):
        return None
    if when is Tense.OPEN:
        if min(ahead, ago) > _FEW_MONTHS:
            return None
        away = ahead if ahead < ago else -ago
    elif when is not Tense.PAST:
        # Without a sign of the future, a month that is nearer in the past may be meant.
        away = ahead if when is Tense.AHEAD or ahead <= ago else _MONTHS_AWAY + 1
    else:
        away = -ago
    # The other way round it is nearer: "I have raised it, starting in May".
    return None if abs(away) > _MONTHS_AWAY else month_away(of.today, away)[0]


def _years(of: _Sentence, found: Sequence[Phrase]) -> Iterator[Phrase]:
    """Yield years alone, with a word before them that excludes other numbers."""
    its, ends = of.its.asked, {phrase.end for phrase in found}
    for one in its.year.finditer(of.text):
        (start, end), lead = one.span("year"), one["lead"] or ""
        if its.within.fullmatch(lead):
            is_valid = not its.counted.match(of.text, end)
        elif its.alone.fullmatch(lead) or its.opening.fullmatch(lead):
            is_valid = _ends_well(of, end)
        else:
            is_valid = of.text.startswith(("'s", "’s"), end)
        if is_valid or _goes_on(of, one, ends):
            first = date(int(one["year"]), 1, 1)
            ends.add(end)
            after = months_on(first, 12)
            yield Phrase(start=start, end=end, first=first, after=after, width=Width.YEAR, relative=False)


# --- Weekdays -------------------------------------------------------------------------------------------------------


def _weekdays(of: _Sentence, _: Sequence[Phrase]) -> Iterator[Phrase]:
    its = of.its
    for found in its.weekday.finditer(of.text):
        start, end = found.span()
        day, behind = weekdays()[found["day"].casefold()], of.text[end:]
        if of.adjoins(end) or _with_plural(of, end) or its.day_behind.match(behind) or _counts_from(of, start):
            continue
        if tail := _tail(its, behind):
            begin, first, end = start, _by_tail(of, day, tail[0]), end + tail[1]
        else:
            begin, first = _by_lead(of, start, day) or (start, _bare(of, start, day, behind))
        if first is not None:
            yield Phrase(start=begin, end=end, first=first, after=first + DAY, width=Width.DAY)


def _with_plural(of: _Sentence, end: int) -> bool:
    """Return True if it is joined to a following one of any week: "Tuesday and Thursday evenings"."""
    joined = of.its.joined_weekday.match(of.text, end)
    return joined is not None and of.its.behind.match(of.text, joined.end()) is not None


def _tail(its: DateTable, behind: str) -> tuple[int, int] | None:
    return next(((weeks, found.end()) for pattern, weeks in its.of_week if (found := pattern.match(behind))), None)


def _counts_from(of: _Sentence, start: int) -> bool:
    """Return True if a length of time is counted from the phrase that begins here."""
    return not of.asked and of.its.from_there.search(of.text[:start]) is not None


def _by_tail(of: _Sentence, day: int, weeks: int) -> date | None:
    """Return the weekday of the week that is named after it; 100 is the next such day, -100 the last."""
    if abs(weeks) == 100:
        return _beyond(of, day, 1 if weeks > 0 else -1)
    return _this_week(of, day) + 7 * weeks * DAY


def _this_week(of: _Sentence, day: int) -> date:
    return of.today + (day - of.today.weekday()) * DAY


def _beyond(of: _Sentence, day: int, way: int) -> date | None:
    """Return the day of "next Friday" or "last Friday" if its two readings agree."""
    first = coming(day, of.today) if way > 0 else latest(day, of.today)
    return first if of.asked or not same_week(first, of.today) else None


def _by_lead(of: _Sentence, start: int, day: int) -> tuple[int, date | None] | None:
    """Return the start and the day of a weekday that follows a word such as "next"."""
    its, same = of.its, day == of.today.weekday()
    for lead_of, find in (
        (its.coming, lambda: None if same else coming(day, of.today)),
        (its.last, lambda: _beyond(of, day, -1)),
        (its.next_, lambda: _beyond(of, day, 1)),
        (its.this, lambda: _this(of, start, day)),
    ):
        if lead := lead_of.search(of.text[:start]):
            indefinite = of.before(lead.start())[0].casefold() in its.indefinite
            return lead.start(), None if indefinite else find()
    return None


def _this(of: _Sentence, start: int, day: int) -> date | None:
    """Return the day of "this Friday": the coming one of this week, unless the tense is past."""
    first = _this_week(of, day)
    return first if of.asked or (first > of.today and of.tenses.at(start) is not Tense.PAST) else None


def _bare(of: _Sentence, start: int, day: int, behind: str) -> date | None:
    """Return the day of a weekday without a qualifier, by the tense; `None` if it is only mentioned."""
    its, today, when = of.its, of.today, of.tenses.at(start)
    before, further = (word.casefold() for word in of.before(start))
    if before in its.indefinite or (day == today.weekday() and not of.asked):
        return None
    looks_back = its.since_before.search(of.text[:start]) is not None
    if when is Tense.OPEN:
        return latest(day, today) if looks_back else None
    if not of.asked and _may_be_any(of, start, behind, when):
        return None
    if of.asked and its.asked.habit.search(of.text) and not its.asked.once.search(of.text):
        return None
    if (when is Tense.UNSAID and not _dates_event(of, start, behind)) or (not before and not its.opens):
        return None
    adverb = its.adverb and of.text[start].islower()
    if before and not adverb and (further in its.indefinite or not its.bare.search(of.text[:start])):
        return None
    # "Friday is my favourite day", "Friday works": it is the topic, and dates nothing.
    if not before and its.spoken_of.match(behind):
        return None
    return latest(day, today) if looks_back or when is Tense.PAST else coming(day, today)


def _may_be_any(of: _Sentence, start: int, behind: str, when: Tense) -> bool:
    """Return True if a weekday may be any such day: planned, a heading of a plan, or joined to one."""
    text = of.text[:start]
    if when in (Tense.PAST, Tense.PRESENT) and of.its.forward.search(text):
        return True
    if text.rstrip()[-1:] in (":", ";", "–", "—", "-", "(") or of.its.number_is.search(text):
        return True
    return (not text.strip() and _HEADS.match(behind) is not None) or _goes_with_any(of, start)


_HEADS: Final = re.compile(r"(?:\s\w+){0,3}\s?[:(/&|–—-]")


def _goes_with_any(of: _Sentence, start: int) -> bool:
    """Return True if a weekday is joined to one before it that is any such day: "on a Saturday or Sunday"."""
    joined = of.its.weekday_joined.search(of.text[:start])
    if joined is None:
        return False
    before, day = of.text[joined.end("day") :], weekdays()[joined["day"].casefold()]
    return (_by_lead(of, joined.start(), day) or (0, _bare(of, joined.start(), day, before)))[1] is None


def _dates_event(of: _Sentence, start: int, behind: str) -> bool:
    """Return True if a sentence without a tense dates an event, unlike "Et Maud, vendredi ?"."""
    text = of.text[:start]
    if of.its.bare.search(text):
        return True
    if not text.strip():
        return len(behind.split()) > 2 and behind[0] != "," and not of.its.weekday.search(behind[:20])
    return text.rstrip()[-1] not in ",:;–—-(" and len(text.split()) > 2


# --- Days, weeks, months and years counted from this one -------------------------------------------------------------


def _named_days(of: _Sentence, _: Sequence[Phrase]) -> Iterator[Phrase]:
    its = of.its
    for found in its.day.finditer(of.text):
        start, end = found.span()
        offset, text, when = its.days.get(found[0].casefold()), of.text[:start], of.tenses.at(start)
        # Written with a capital in the middle of a sentence it is a name; German writes only the noun so.
        if offset is None or (start and found[0][0].isupper() and text.rstrip()[-1:] not in ".!?:"):
            continue
        # "The youth of today" is of no day, "the exam of yesterday" is.
        untrue = its.untrue.search(text) and not (offset < 0 and its.of_before.search(text))
        if untrue or its.untrue_behind.match(of.text, end) or _counts_from(of, start):
            continue
        # "Today" may be these days, as in "the most successful artists today"; "tomorrow's leaders" are of no day.
        indefinite = found[0].casefold() in its.nowadays and not its.signs.person.search(_unquoted(of.text))
        if not of.asked and (indefinite or (text.strip() and _OWNED.match(of.text, end))):
            continue
        # "Tomorrow" of another day, in a story of the past; "we need it yesterday".
        if offset < 0 and not of.asked and when is Tense.AHEAD:
            continue
        if offset > 0 and not of.asked and (when is Tense.PAST or is_habit(of.text, its.tongue)):
            continue
        first = of.today + offset * DAY
        yield Phrase(start=start, end=end, first=first, after=first + DAY, width=Width.DAY)


def _named_units(of: _Sentence, _: Sequence[Phrase]) -> Iterator[Phrase]:
    for pattern, width, away in of.its.units:
        if width is Width.QUARTER and not of.asked:
            continue
        for found in pattern.finditer(of.text):
            # "In the last week" is as long as a week, and not that week.
            if of.before(found.start())[0].casefold() in of.its.length_before:
                continue
            if of.adjoins(found.end()) or _counts_from(of, found.start()):
                continue
            # "This week 1" is the first one of a plan.
            is_counted = _NUMBER_BEHIND.match(of.text, found.end()) is not None
            is_any = is_counted or is_habit(of.text, of.its.tongue)
            if not of.asked and (is_any or _people_differ(of, width, away, found.start())):
                continue
            first, after = calendar(width, away, of.today)
            yield Phrase(start=found.start(), end=found.end(), first=first, after=after, width=width)


_NUMBER_BEHIND: Final = re.compile(r"\s\d+(?![\w:.,])")


def _people_differ(of: _Sentence, width: Width, away: int, at: int) -> bool:
    """Return True if a week or weekend has two readings: on a Sunday, or "next weekend" on a weekday."""
    weekday = of.today.weekday()
    if width is Width.WEEK:
        return weekday == 6 and away <= 0
    if width is not Width.WEEKEND:
        return False
    if not away:
        return weekday == 6 or (weekday < 5 and of.tenses.at(at) is Tense.PAST)
    return (away > 0) is not (weekday >= 5)


def _counted(of: _Sentence, _: Sequence[Phrase]) -> Iterator[Phrase]:
    its = of.its
    for sign, pattern in ((-1, its.ago), (1, its.ahead)):
        for found in pattern.finditer(of.text):
            start, end = found.span()
            when, loose = of.tenses.at(start), its.asked.loose if of.asked else its.loose
            if loose.search(of.text[:start]) or (found["couple"] and not of.asked):
                continue
            if sign > 0 and not (when is Tense.AHEAD or (its.surely_ahead and when is not Tense.PAST)):
                continue
            if of.adjoins(end) or its.counted_behind.match(of.text[end:]):
                continue
            count, width = sign * _count(found), its.lengths[found["unit"].casefold()]
            if of.asked:
                first, after = around(of.today, width, count)
                yield Phrase(start=start, end=end, first=first, after=after, width=width)
            elif not (width is Width.DAY and abs(count) in its.idioms) and not (width is Width.YEAR and abs(count) < 2):
                yield _distant(start, end, width, count, of.today)


def _count(found: re.Match[str]) -> int:
    groups = found.groupdict()
    number = groups.get("count")
    return 2 if groups.get("couple") else counts().get(number.casefold()) or int(number) if number else 1


def _distant(start: int, end: int, width: Width, count: int, today: date) -> Phrase:
    """Return a count of lengths from now, as exact as the length that it is in."""
    about = width is Width.WEEK
    first, after = calendar(Width.DAY, 7 * count, today) if about else calendar(width, count, today)
    return Phrase(start=start, end=end, first=first, after=after, width=Width.DAY if about else width, about=about)


def _rolling(of: _Sentence, _: Sequence[Phrase]) -> Iterator[Phrase]:
    """Yield the time up to now: "the last three months"."""
    for pattern in of.its.asked.rolling:
        for found in pattern.finditer(of.text):
            (start, end), width = found.span(), Width(counted_units()[found["unit"].casefold()])
            first = moved(of.today, width, -_count(found))
            yield Phrase(start=start, end=end, first=first, after=of.today, width=width)


# --- Days of a month by their number --------------------------------------------------------------------------------

_REACH: Final = 45


def _days_of_month(of: _Sentence, _: Sequence[Phrase]) -> Iterator[Phrase]:
    """Yield days by their number alone, or by it and the weekday."""
    its, today = of.its, of.today
    for found in its.weekday_number.finditer(of.text):
        day, weekday = int(found["day"]), weekdays()[found["name"].casefold()]
        near = [
            one
            for one in (today + step * DAY for step in range(-_REACH, _REACH + 1))
            if (one.day, one.weekday()) == (day, weekday)
        ]
        when = of.tenses.at(found.start())
        if first := next((one for one in near if (one < today) == (when is Tense.PAST)), None):
            yield Phrase(start=found.start(), end=found.end(), first=first, after=first + DAY, width=Width.DAY)
    for found in its.day_number.finditer(of.text):
        lead, before = (found["lead"] or "").casefold(), of.text[: found.start()]
        # The topic decides its month, and not this sentence.
        if not of.asked and lead.replace("’", "'") not in its.deadline:
            continue
        # As what is spoken of, it may be of any month: "Le 12 ne m'arrange pas", "¿Y lo del 15?"
        if its.that_of.search(before) or (not before.strip() and its.article.fullmatch(lead)):
            continue
        when = of.tenses.at(found.start())
        back = when is Tense.PAST or its.since.fullmatch(lead.split(" ")[0]) is not None
        # Of a month that is named, a day by its number is no day of another one.
        if its.month_name.search(of.text):
            continue
        if not 1 <= int(found["day"]) <= 31 or int(found["day"]) == today.day or (when is Tense.OPEN and not back):
            continue
        step = -DAY if back else DAY
        days = (today + count * step for count in range(1, _REACH + 1))
        if first := next((one for one in days if one.day == int(found["day"])), None):
            yield Phrase(start=found.start("day"), end=found.end(), first=first, after=first + DAY, width=Width.DAY)


# --- Parts of weeks, months and years; seasons and feasts -------------------------------------------------------------

_PARTS: Final = ("start", "middle", "end")


def _edges(of: _Sentence, _: Sequence[Phrase]) -> Iterator[Phrase]:
    """Yield the beginning, the middle or the end of a week, month, quarter or year."""
    for found in of.its.edge.finditer(of.text):
        start, end = found.span()
        part = next(place for place, name in enumerate(_PARTS) if found[name])
        width, whole = _edged(of, found)
        if whole is None:
            continue
        relative = found["unit"] is not None
        if relative and found["end"] and of.its.edge_lead.search(of.text[:start]):
            first, after, width = whole[1] - DAY, whole[1], Width.DAY
        elif width is Width.QUARTER:
            (first, after), width = month_away(whole[0], part), Width.MONTH
        else:
            # A part of a week is not that precise.
            first, after = whole if width is Width.WEEK else third(whole, part)
        yield Phrase(start=start, end=end, first=first, after=after, width=width, relative=relative)


def _edged(of: _Sentence, found: re.Match[str]) -> tuple[Width, tuple[date, date] | None]:
    """Return the width and the time of the period whose beginning or end is named."""
    when = of.tenses.at(found.start())
    if found["unit"]:
        width = of.its.edge_units[found["unit"].casefold()]
        away = -1 if found["last"] else 1 if found["next"] or found["behind"] else 0
        return width, None if when is Tense.OPEN else calendar(width, away, of.today)
    year = found["year"] or found["alone"]
    if found["season"]:
        first = date(int(year), of.its.seasons[found["season"].casefold()], 1) if year else None
        return Width.YEAR, None if first is None else (first, months_on(first, 3))
    if not found["month"]:
        return Width.YEAR, calendar(Width.YEAR, 0, date(int(year), 1, 1))
    month = of.month(found["month"])
    if year:
        return Width.MONTH, month_away(date(int(year), month, 1), 0)
    if of.is_other_word(found["month"]):
        return Width.MONTH, None
    if month == of.today.month and not of.asked:
        return Width.MONTH, None if when is Tense.PAST else month_away(of.today, 0)
    first = _month(of, month, found.start())
    return Width.MONTH, None if first is None else month_away(first, 0)


def _weeks_of_month(of: _Sentence, _: Sequence[Phrase]) -> Iterator[Phrase]:
    """Weeks by their place in a month: "the first week of June"."""
    for found in of.its.asked.week_of.finditer(of.text):
        month, place = of.month(found["month"]), of.its.asked.ordinals[found["ordinal"].casefold()]
        start = date(int(found["year"]), month, 1) if found["year"] else _month(of, month, found.start())
        if start is not None:
            first = start + 7 * place * DAY if place >= 0 else months_on(start, 1) - 7 * DAY
            (begin, end), after = found.span(), first + 7 * DAY
            yield Phrase(start=begin, end=end, first=first, after=after, width=Width.WEEK, relative=False)


def _weeks_on(of: _Sentence, _: Sequence[Phrase]) -> Iterator[Phrase]:
    """Yield a day by the week after it: "Saturday week"."""
    for pattern, kind, number in of.its.weeks_on:
        for found in pattern.finditer(of.text):
            start, end = found.span()
            if kind in ("week", "day"):
                width = Width(kind)
                first, after = calendar(width, number, of.today)
                yield Phrase(start=start, end=end, first=first, after=after, width=width)
                continue
            nearest = coming(weekdays()[found["day"].casefold()], of.today)
            if kind != "over" or not same_week(nearest, of.today):
                first = nearest + number * DAY
                yield Phrase(start=start, end=end, first=first, after=first + DAY, width=Width.DAY)


def _weekends(of: _Sentence, _: Sequence[Phrase]) -> Iterator[Phrase]:
    """Yield the weekend before or to come, by the tense."""
    for found in of.its.weekend.finditer(of.text):
        start, end = found.span()
        when = of.tenses.at(start)
        if when in (Tense.OPEN, Tense.UNSAID) or of.today.weekday() >= 5 or of.adjoins(end):
            continue
        first, after = calendar(Width.WEEKEND, -1 if when is Tense.PAST else 0, of.today)
        yield Phrase(start=start, end=end, first=first, after=after, width=Width.WEEKEND)


def _feasts(of: _Sentence, _: Sequence[Phrase]) -> Iterator[Phrase]:
    """Feasts of the year."""
    for feast in of.its.feasts:
        for found in feast.name.finditer(of.text):
            before = of.text[: found.start()]
            lead = of.its.feast_lead.search(before)
            if of.afar or (not lead and before.strip()):
                continue
            since = lead is not None and of.its.since.fullmatch(lead[0].strip()) is not None
            years = [feast.day_in(of.today.year + step) for step in (-1, 0, 1)]
            first = _nearer(of, years, found.start(), Tense.PAST if since else None)
            if first is not None and first != of.today:
                after = months_on(first, 1) if feast.width is Width.MONTH else first + DAY
                yield Phrase(start=found.start(), end=found.end(), first=first, after=after, width=feast.width)


def _seasons(of: _Sentence, _: Sequence[Phrase]) -> Iterator[Phrase]:
    """Yield seasons with their year; a winter, which has two years, only in a question."""
    its = of.its
    for found in its.season_of_year.finditer(of.text):
        month, year = its.seasons[found["name"].casefold()], int(found["year"])
        if month != 12 or of.asked:
            before = month == 12 and date(year, month, 1) > of.today
            yield _season(*found.span(), date(year - before, month, 1), relative=False)
    for found in its.season.finditer(of.text):
        month, lead = its.seasons[found["name"].casefold()], found["lead"]
        which = lead + (found.groupdict().get("after") or "")
        # "Spring Forest Studio" is a name.
        named = found["name"][0].isupper() and not its.seasons_are_nouns and found.start("name") > 0
        if (month == 12 and not of.asked) or its.article.fullmatch(which) or (named and not of.asked):
            continue
        if (first := _begun(of, which, month, found.start(), months=3)) is not None:
            start = found.start() if its.which.search(lead) else found.start("name")
            yield _season(start, found.end(), first)


def _season(start: int, end: int, first: date, *, relative: bool = True) -> Phrase:
    after = months_on(first, 3)
    return Phrase(start=start, end=end, first=first, after=after, width=Width.YEAR, relative=relative)


def _begun(of: _Sentence, which: str, month: int, at: int, *, months: int) -> date | None:
    """Return the first day of the meant season or month: the last one that is over, the next one to begin."""
    its, when = of.its, of.tenses.at(at)
    starts = [date(of.today.year + step, month, 1) for step in range(-2, 3)]
    ends = {first: months_on(first, months) for first in starts}
    if its.last_one.search(which):
        return max(first for first in starts if ends[first] <= of.today)
    if its.next_one.search(which):
        return min(first for first in starts if first > of.today)
    if its.which.search(which) and not of.asked:
        return date(of.today.year, month, 1)
    if its.which.search(which):
        return min(starts, key=lambda first: max(first - of.today, of.today - ends[first]))
    if of.afar or when is Tense.OPEN:
        return None
    if when is Tense.PAST:
        return max(first for first in starts if first <= of.today)
    return min(first for first in starts if ends[first] > of.today)


_OF_STATEMENTS: Final[tuple[_Finder, ...]] = (
    *(_in_figures, _named, _edges, _month_years, _joined, _weeks_on, _days_of_month, _weekdays, _named_units),
    *(_counted, _named_days, _months, _feasts, _seasons, _weekends),
)
_OF_QUESTIONS: Final[tuple[_Finder, ...]] = (
    *(_in_figures, _named, _edges, _weeks_of_month, _month_years, _joined, _weeks_on, _weekdays, _rolling),
    *(_named_units, _counted, _named_days, _seasons, _months, _years, _feasts, _weekends),
)
