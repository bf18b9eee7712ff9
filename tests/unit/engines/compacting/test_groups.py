"""Which episodes are told together: 5 to 15, of a week or of weeks of a month, night by night as at once."""

from collections import Counter
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from remembrancer.learn.compact import Group, by_month, by_week, compacted, counted
from remembrancer.learn.compact.groups import LEAST, MONTH, MOST, monday_of, month_of
from remembrancer.types.details import EpisodeDetails
from remembrancer.types.episode import MAX_COMPACT_CHARACTERS, OUTCOME_OF, Entity, Event, Tier
from remembrancer.types.record import Episode, Source
from remembrancer.types.scope import Scope

MONDAY = datetime(2026, 1, 5, tzinfo=UTC)
DAY = timedelta(days=1)
WEEK = 7 * DAY
EVENTS = [event for event in Event if event is not Event.COMPACT]


def episode(number: int, at: datetime, *, text: str = "did it", event: Event = Event.ACTION_COMPLETED) -> Episode:
    details = EpisodeDetails(
        event=event, outcome=OUTCOME_OF[event], entities=(Entity(type="contact", name="Quinn"),), attributes={}
    )
    return Episode(
        id=f"{number:06d}",
        scope=Scope(tenant="acme"),
        session=None,
        text=text,
        hash=text,
        author="",
        source=Source.TOOL,
        occurred_at=at,
        recorded_at=at,
        updated_at=at,
        details=details,
    )


def weekly(number: int, begins: date) -> Episode:
    found = [episode(number * 10 + n, datetime(begins.year, begins.month, begins.day, n, tzinfo=UTC)) for n in range(5)]
    text, details = compacted(found, raw=found, tier=Tier.WEEKLY, begins=begins, ends=begins + 6 * DAY, agent=None)
    at = found[-1].occurred_at
    return Episode(
        id=f"w{number}", scope=Scope(tenant="acme"), session=None, text=text, hash=text, author="", source=Source.TOOL,
        occurred_at=at, recorded_at=at, updated_at=at, details=details,
    )  # fmt: skip


# How many episodes each of some weeks has.
lives = st.lists(st.one_of(st.integers(0, 6), st.integers(0, 50)), max_size=20)


def lived(weeks: list[int]) -> list[Episode]:
    times = [
        MONDAY + place * WEEK + timedelta(minutes=10_079 * number // max(1, count))
        for place, count in enumerate(weeks)
        for number in range(count)
    ]
    return [episode(number, at) for number, at in enumerate(times)]


@given(lives)
def test_groups_have_five_to_fifteen_of_whole_weeks_within_a_month_and_each_episode_once(weeks: list[int]) -> None:
    episodes = lived(weeks)
    groups, left = by_week(episodes, UTC)
    for group in groups:
        assert LEAST <= len(group.episodes) <= MOST
        assert group.begins.weekday() == 0
        assert group.ends.weekday() == 6
        assert group.ends - group.begins < MONTH
        assert all(group.begins <= one.occurred_at.date() <= group.ends for one in group.episodes)
    seen = Counter(one.id for one in [*left, *(one for group in groups for one in group.episodes)])
    assert seen == Counter(one.id for one in episodes)
    assert all(count < LEAST for count in Counter(monday_of(one.occurred_at.date()) for one in left).values())


@given(lives)
def test_night_by_night_the_groups_are_those_of_all_at_once(weeks: list[int]) -> None:
    episodes = lived(weeks)
    waiting: list[Episode] = []
    groups: list[Group] = []
    for place in range(len(weeks)):
        begins = MONDAY + place * WEEK
        waiting += [one for one in episodes if begins <= one.occurred_at < begins + WEEK]
        found, waiting = by_week(waiting, UTC)
        groups += found
        again, kept = by_week(waiting, UTC)
        assert (again, kept) == ([], waiting)
    assert (groups, waiting) == by_week(episodes, UTC)


def test_a_week_of_sixteen_is_two_of_eight_and_small_weeks_wait_for_each_other() -> None:
    assert [len(group.episodes) for group in by_week(lived([16]), UTC)[0]] == [8, 8]
    groups, left = by_week(lived([2, 2, 1, 4]), UTC)
    assert [(group.begins, group.ends) for group in groups] == [(MONDAY.date(), (MONDAY + 20 * DAY).date())]
    assert len(left) == 4
    # Five weeks are no month.
    assert by_week(lived([1, 1, 1, 1, 1]), UTC)[0] == []


def test_a_week_begins_with_the_monday_of_its_zone() -> None:
    at = MONDAY - timedelta(minutes=30)
    episodes = [episode(number, at) for number in range(5)]
    (there,), _ = by_week(episodes, ZoneInfo("Europe/Berlin"))
    (here,), _ = by_week(episodes, UTC)
    assert there.begins - here.begins == WEEK


@given(st.dates(date(2000, 1, 1), date(2100, 1, 1)))
def test_a_week_belongs_to_the_month_of_its_thursday(day: date) -> None:
    thursday = monday_of(day) + 3 * DAY
    assert month_of(day) == thursday.replace(day=1)


@given(st.sets(st.integers(0, 30)), st.integers(0, 300))
def test_months_are_told_once_they_are_over_and_a_lone_week_as_it_stands(places: set[int], until: int) -> None:
    records = [weekly(place, (MONDAY + place * WEEK).date()) for place in sorted(places)]
    before = (MONDAY + until * DAY).date()
    groups = by_month(records, before=before)
    for group in groups:
        assert len({month_of(one.details.begins or date.min) for one in group.episodes}) == 1
        assert group.ends < before
    counted_once = Counter(one.id for group in groups for one in group.episodes)
    assert set(counted_once.values()) <= {1}
    for group in groups:
        if len(group.episodes) == 1:
            text, details = compacted(
                group.episodes, raw=(), tier=Tier.MONTHLY, begins=group.begins, ends=group.ends, agent="mail"
            )
            assert (text, details.counts) == (group.episodes[0].text, group.episodes[0].details.counts)
            assert details.tier is Tier.MONTHLY


@given(
    st.lists(st.tuples(st.sampled_from(EVENTS), st.text(min_size=1, max_size=100)), min_size=1, max_size=40),
    st.text(max_size=150),
)
def test_a_record_counts_its_sources_and_is_short(done: list[tuple[Event, str]], agent: str) -> None:
    found = [episode(n, MONDAY + n * DAY / 24, text=text, event=event) for n, (event, text) in enumerate(done)]
    day = MONDAY.date()
    text, details = compacted(found, raw=found, tier=Tier.WEEKLY, begins=day, ends=day + 6 * DAY, agent=agent)
    assert len(text) <= MAX_COMPACT_CHARACTERS
    assert details.counts is not None
    assert details.counts == counted(found)
    assert details.counts.interactions == len(done) == sum(details.counts.outcomes.values())
    assert details.contact == "quinn"
