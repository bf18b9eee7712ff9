"""Confidence, weights, decay and the hour of the night: small rules over all that they may be given."""

from datetime import UTC, date, datetime, timedelta
from itertools import product
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.learn.outcomes import moved
from remembrancer.types.feedback import ScoreParts, SessionOutcome, decayed_importance, score_of
from remembrancer.types.jobs import due_day, maintenance_start
from remembrancer.types.pattern import Confidence, confidence
from remembrancer.types.record import Kind
from tests.rows import each_row

ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Africa/Cairo", "Australia/Lord_Howe", "Asia/Kathmandu",
         "Pacific/Apia", "America/Sao_Paulo", "Antarctica/Troll", "Pacific/Kiritimati")  # fmt: skip
NOW = datetime(2026, 3, 1, tzinfo=UTC)
shares = st.floats(0, 1)


def test_confidence_has_its_steps_without_holes_or_overlaps() -> None:
    for n, per_mille in product(range(3, 60), range(1_001)):
        c = per_mille / 1_000
        expected = (
            Confidence.VERY_HIGH
            if n >= 8 and c > 0.9
            else Confidence.HIGH
            if n >= 5 and c >= 0.8
            else Confidence.MEDIUM
            if n >= 4 and c >= 0.7
            else Confidence.LOW
        )
        assert confidence(n, c) is expected


@given(st.integers(3, 1_000), shares, st.integers(0, 20), st.integers(0, 100), shares, st.integers(0, 20))
def test_confidence_grows_with_all_that_it_rests_on(
    n: int, c: float, boosts: int, more: int, better: float, others: int
) -> None:
    rank = confidence(n, c, boosts=boosts).rank
    assert confidence(n + more, c, boosts=boosts).rank >= rank
    assert confidence(n, max(c, better), boosts=boosts).rank >= rank
    assert confidence(n, c, boosts=boosts + others).rank >= rank
    assert confidence(n, c, boosts=boosts, contradicted=True).rank <= Confidence.HIGH.rank


@given(st.integers(3, 1_000), shares, st.integers(0, 20))
def test_only_counting_reaches_the_top(n: int, c: float, boosts: int) -> None:
    counted = confidence(n, c)
    assert (confidence(n, c, boosts=boosts) is Confidence.VERY_HIGH) == (counted is Confidence.VERY_HIGH)
    assert confidence(n, c, boosts=boosts).rank <= max(counted.rank + boosts, counted.rank)


@given(shares, st.integers(1, 40), st.booleans())
def test_weights_follow_their_closed_form_and_stay_in_bounds(start: float, times: int, misleading: bool) -> None:
    for outcome, alpha, towards in (
        (SessionOutcome.ACCEPTED, 0.1, 1.0),
        (SessionOutcome.REJECTED, 0.15, 0.0),
        (SessionOutcome.REWORK, 0.15, 0.0),
    ):
        weight, share = start, alpha * (2 if misleading else 1)
        for _ in range(times):
            weight, by = moved(weight, outcome, misleading=misleading)
            assert by == share
            assert 0 <= weight <= 1
        assert weight == pytest.approx(towards + (start - towards) * (1 - share) ** times)


@given(st.floats(0.01, 1), st.floats(0, 1), st.integers(1, 60))
def test_importance_decays_by_its_closed_form_down_to_the_floor(start: float, rate: float, days: int) -> None:
    for unread, pace in ((0.0, 0.5), (7.0, 0.5), (8.0, 1.0), (30.0, 1.0), (60.0, 3.0)):
        importance = start
        for _ in range(days):
            importance = decayed_importance(importance, rate=rate, days_unread=unread)
            assert 0.01 <= importance <= start
        closed = start * max(0.0, 1 - rate * pace) ** days
        assert importance == pytest.approx(max(0.01, closed))
        assert decayed_importance(start, rate=rate, days_unread=unread, by_access=False) == max(
            0.01, start * (1 - rate)
        )


@given(shares, shares, shares, st.integers(0, 10_000), st.one_of(st.none(), st.integers(0, 400)), st.sampled_from(Kind))
def test_standing_lies_between_nothing_and_one(
    rating: float, boost: float, relevance: float, uses: int, read: int | None, kind: Kind
) -> None:
    of = ScoreParts(
        id="a", kind=kind, importance=0.5, occurred_at=NOW, recorded_at=NOW, uses=uses,
        accessed=None if read is None else NOW - timedelta(days=read), rating=rating, boost=boost, pinned=False,
        relevance=relevance, decayed_on=None, score=None,
    )  # fmt: skip
    assert 0 <= score_of(of, NOW, relevance=of.relevance) <= 1


@each_row("name", ZONES)
def test_each_local_day_has_one_night_that_begins_once(name: str) -> None:
    zone = ZoneInfo(name)
    first = date(2011, 12, 1)
    earlier: datetime | None = None
    for place in range(15 * 366):
        day = first + timedelta(days=place)
        at = maintenance_start(day, zone).astimezone(UTC)
        assert earlier is None or at >= earlier
        # A day that a zone leaves out has no night of its own.
        if at.astimezone(zone).date() == day:
            assert due_day(at, zone) == day
            assert due_day(at - timedelta(microseconds=1), zone) < day
            local = at.astimezone(zone)
            assert (local.hour, local.minute) >= (2, 14)
            assert local.hour < 4
        earlier = at


@pytest.mark.parametrize(
    ("zone", "day", "expected"),
    [
        ("Europe/Berlin", date(2026, 3, 29), datetime(2026, 3, 29, 1, 0, tzinfo=UTC)),
        ("America/New_York", date(2026, 3, 8), datetime(2026, 3, 8, 7, 0, tzinfo=UTC)),
        ("Europe/Berlin", date(2026, 10, 25), datetime(2026, 10, 25, 0, 14, tzinfo=UTC)),
        ("Australia/Lord_Howe", date(2026, 10, 4), datetime(2026, 10, 3, 15, 30, tzinfo=UTC)),
        ("UTC", date(2026, 1, 1), datetime(2026, 1, 1, 2, 14, tzinfo=UTC)),
    ],
)
def test_where_the_hour_is_left_out_or_comes_twice(zone: str, day: date, expected: datetime) -> None:
    assert maintenance_start(day, ZoneInfo(zone)).astimezone(UTC) == expected
