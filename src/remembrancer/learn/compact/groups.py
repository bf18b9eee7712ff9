"""Which episodes with one contact are told together: those of a week, and those weeks of a month."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta, tzinfo
from itertools import groupby

from remembrancer.types.record import Episode

LEAST = 5
MOST = 15
# A week with fewer waits for those beside it, for so long as they make a month together.
MONTH = timedelta(days=31)
_WEEK = timedelta(days=7)
_THURSDAY = timedelta(days=3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Episodes that one record tells of, oldest first.

    Args:
        begins, ends: the days that it covers, both inclusive.
    """

    episodes: tuple[Episode, ...]
    begins: date
    ends: date


def by_week(episodes: Sequence[Episode], zone: tzinfo) -> tuple[list[Group], list[Episode]]:
    """Groups of 5 to 15 raw episodes with one contact, and those that are too few for one so far.

    A week with more is cut into even parts; one with fewer joins the weeks after it, within a month. That asks nothing
    of weeks still to come: night by night the groups are those of a single run over all.

    Args:
        episodes: oldest first, of whole weeks.
        zone: whose Monday a week begins with.
    """
    groups: list[Group] = []
    waiting: list[tuple[date, list[Episode]]] = []
    left: list[Episode] = []
    for monday, found in groupby(episodes, key=lambda episode: monday_of(episode.occurred_at.astimezone(zone).date())):
        waiting.append((monday, list(found)))
        while monday + _WEEK - waiting[0][0] > MONTH:
            left += waiting.pop(0)[1]
        together = [episode for _, week in waiting for episode in week]
        if len(together) >= LEAST:
            groups += _parts(together, waiting[0][0], monday + _WEEK - timedelta(days=1))
            waiting = []
    return groups, [*left, *(episode for _, week in waiting for episode in week)]


def by_month(weekly: Sequence[Episode], *, before: date) -> list[Group]:
    """The weekly records with one contact of each month that lies wholly before a day, in order.

    Args:
        weekly: oldest first.
    """
    ordered = sorted(weekly, key=lambda record: (record.details.begins or date.min, record.occurred_at, record.id))
    return [
        Group(episodes=tuple(found), begins=_begins(found), ends=_ends(found))
        for month, group in groupby(ordered, key=lambda record: month_of(record.details.begins or date.min))
        if (found := list(group)) and max(_last_day(month), _ends(found)) < before
    ]


def monday_of(day: date) -> date:
    """The first day of a day's week."""
    return day - timedelta(days=day.weekday())


def month_of(day: date) -> date:
    """The first day of the month that a day's week belongs to: that of its Thursday."""
    return (monday_of(day) + _THURSDAY).replace(day=1)


def _last_day(month: date) -> date:
    """The last day of the last week that belongs to a month."""
    following = (month + timedelta(days=32)).replace(day=1)
    last_thursday = following - timedelta(days=1 + (following - timedelta(days=1) - _THURSDAY).weekday())
    return monday_of(last_thursday) + _WEEK - timedelta(days=1)


def _parts(episodes: Sequence[Episode], begins: date, ends: date) -> Iterator[Group]:
    count = -(-len(episodes) // MOST)
    at = 0
    for part in range(count):
        size = (len(episodes) - at) // (count - part)
        yield Group(episodes=tuple(episodes[at : at + size]), begins=begins, ends=ends)
        at += size


def _begins(records: Sequence[Episode]) -> date:
    return min(record.details.begins or date.max for record in records)


def _ends(records: Sequence[Episode]) -> date:
    return max(record.details.ends or date.min for record in records)
