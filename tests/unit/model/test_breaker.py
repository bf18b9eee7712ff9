"""When a model is left alone, for how long, and by whom it is tried again."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from remembrancer.types.calls import (
    LONGEST_SECONDS,
    OPENS,
    Breaker,
    CallPurpose,
    FailureKind,
    record_failure,
    start_trial,
)
from tests.behaviour.requirements import requirement

NOW = datetime(2026, 5, 4, 9, 30, tzinfo=UTC)
failings = st.sampled_from(FailureKind)
chances = st.floats(0, 1, exclude_max=True)


def fails(
    known: Breaker | None,
    *,
    failing: FailureKind = FailureKind.AWAY,
    now: datetime = NOW,
    trial: bool = False,
    wait: float = 0.0,
    chance: float = 0.5,
) -> Breaker:
    """A breaker after one more question that came to nothing."""
    return record_failure(
        known,
        model="openai:small",
        purpose=CallPurpose.OBSERVE,
        failing=failing,
        trial=trial,
        now=now,
        wait=wait,
        chance=chance,
    )


@requirement("observing.breaker")
@given(failing=failings, chance=chances)
def test_it_opens_after_so_many_failures_in_a_row_and_no_sooner(failing: FailureKind, chance: float) -> None:
    known = None
    for _ in range(OPENS[failing] - 1):
        known = fails(known, failing=failing, chance=chance)
        assert not known.is_open(NOW)
    known = fails(known, failing=failing, chance=chance)
    assert (known.is_open(NOW), known.opened, known.failures) == (True, 1, OPENS[failing])


@requirement("observing.breaker")
@given(failing=st.lists(failings, min_size=8, max_size=12), chance=st.lists(chances, min_size=8, max_size=8))
def test_each_trial_that_fails_is_waited_for_no_less_long_up_to_an_hour(
    failing: list[FailureKind], chance: list[float]
) -> None:
    now, known = NOW, None
    for one in failing:
        known = fails(known, failing=one)
    assert known is not None
    for part in chance:
        assert known.until is not None
        now = known.until
        assert not known.is_open(now)
        known = fails(start_trial(known, now=now, seconds=125), now=now, trial=True, chance=part)
        waits = (known.until or now) - now
        most = min(LONGEST_SECONDS, 60.0 * 3.0 ** (known.opened - 1))
        assert timedelta(seconds=most / 2) <= waits <= timedelta(seconds=most)
        assert known.is_open(now)


@requirement("observing.breaker")
def test_what_a_provider_asks_for_is_waited_for_and_never_more_than_an_hour() -> None:
    twice = fails(fails(None))
    assert fails(twice, wait=900.0).until == NOW + timedelta(seconds=900)
    assert fails(twice, wait=1e9).until == NOW + timedelta(seconds=LONGEST_SECONDS)


@requirement("observing.breaker")
def test_who_asked_before_it_opened_and_fails_later_makes_nothing_longer() -> None:
    opened = fails(fails(fails(None)))
    late = fails(opened, now=NOW + timedelta(seconds=5))
    assert (late.until, late.opened, late.failures) == (opened.until, 1, 4)


@requirement("observing.breaker")
def test_while_one_tries_the_others_leave_it_alone_but_not_for_ever() -> None:
    opened = fails(fails(fails(None)))
    assert opened.until is not None
    trying = start_trial(opened, now=opened.until, seconds=125)
    assert trying.is_open(opened.until)
    assert not trying.is_open(opened.until + timedelta(seconds=125))


@requirement("observing.breaker")
def test_what_a_clock_that_ran_ahead_has_written_leaves_nobody_alone() -> None:
    opened = fails(fails(fails(None, now=NOW + timedelta(days=365)), now=NOW + timedelta(days=365)))
    ahead = fails(opened, now=NOW + timedelta(days=365))
    assert ahead.is_open(NOW + timedelta(days=365))
    assert not ahead.is_open(NOW)


def test_what_a_person_is_told_names_the_model_the_reason_and_the_time() -> None:
    assert str(fails(fails(fails(None)))) == (
        "openai:small did not answer when asked to observe, 3 times in a row,"
        " and is not called until 2026-05-04 09:30:45 UTC"
    )
    assert str(fails(None, failing=FailureKind.UNUSABLE)) == (
        "openai:small gave answers that cannot be used when asked to observe, once"
    )
