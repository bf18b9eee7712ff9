"""Estimates of tokens, choices by name, classifications, observation types, stale sessions."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.errors import InvalidInput
from remembrancer.types.arguments import member
from remembrancer.types.new import OBSERVATION_TYPES, check_type, priority
from remembrancer.types.record import Kind, Role
from remembrancer.types.scope import Classification, Scope, Trust, least_trust, most_restrictive
from remembrancer.types.session import STALE_AFTER, Session, SessionStatus
from remembrancer.types.text import estimate

NOW = datetime(2026, 3, 1, tzinfo=UTC)


@given(text=st.text(), more=st.text())
def test_a_longer_text_never_has_fewer_tokens(text: str, more: str) -> None:
    assert estimate(text) <= estimate(text + more) <= estimate(text) + estimate(more)


@given(text=st.text(min_size=1))
def test_a_text_has_at_least_one_token_and_at_most_one_a_character(text: str) -> None:
    assert 1 <= estimate(text) <= len(text)


def test_no_text_has_no_tokens_and_every_wide_character_is_one() -> None:
    assert [estimate(text) for text in ("", "記憶の番人", "記憶 of it")] == [0, 5, 4]


@pytest.mark.parametrize("role", Role)
def test_a_member_is_found_by_its_name(role: Role) -> None:
    assert member(Role, role.value, "role") is role


@pytest.mark.parametrize("name", ["", "User", "users", "USER", " user"])
def test_an_unknown_name_is_refused_with_those_that_there_are(name: str) -> None:
    with pytest.raises(InvalidInput, match="use one of message, observation") as refusal:
        member(Kind, name, "kind")
    assert repr(name) in str(refusal.value)


@given(classes=st.lists(st.sampled_from(Classification)))
def test_the_most_restrictive_class_is_none_below_any_and_one_of_them(classes: list[Classification]) -> None:
    order = list(Classification)
    found = most_restrictive(classes)
    assert found in (classes or [Classification.INTERNAL])
    assert all(order.index(one) <= order.index(found) for one in classes)


@given(levels=st.lists(st.sampled_from(Trust)))
def test_one_untrusted_source_makes_the_whole_untrusted(levels: list[Trust]) -> None:
    assert least_trust(levels) == (Trust.UNTRUSTED if Trust.UNTRUSTED in levels else Trust.TRUSTED)


def test_every_type_of_observation_may_be_saved_but_a_summary() -> None:
    assert [check_type(name, OBSERVATION_TYPES) for name in OBSERVATION_TYPES] == list(OBSERVATION_TYPES)
    with pytest.raises(InvalidInput, match="reserved"):
        check_type("summary", {**OBSERVATION_TYPES, "summary": 1.0})
    with pytest.raises(InvalidInput, match="use one of profile, preference, decision, pattern, discovery"):
        check_type("opinion", OBSERVATION_TYPES)


def test_the_priority_of_a_type_is_that_of_the_specification() -> None:
    names = ("profile", "preference", "decision", "pattern", "discovery", "summary")
    assert [priority(name, OBSERVATION_TYPES) for name in names] == [1.0, 0.9, 0.7, 0.6, 0.5, 0.5]


@pytest.mark.parametrize(
    ("status", "age", "ended", "abandoned"),
    [
        (SessionStatus.COMPLETED, STALE_AFTER, STALE_AFTER, False),
        (SessionStatus.COMPLETED, STALE_AFTER * 2, STALE_AFTER * 2, True),
        (SessionStatus.COMPLETED, STALE_AFTER * 2, STALE_AFTER, False),
        (SessionStatus.ACTIVE, STALE_AFTER * 2, None, False),
    ],
)
def test_a_session_was_abandoned_if_it_was_closed_as_of_its_last_use_more_than_a_day_ago(
    status: SessionStatus, age: timedelta, ended: timedelta | None, abandoned: bool
) -> None:
    session = Session(
        id="s",
        scope=Scope(),
        status=status,
        named=True,
        record=True,
        messages=0,
        started_at=NOW - timedelta(days=9),
        last_activity_at=NOW - age,
        ended_at=None if ended is None else NOW - ended,
    )
    assert session.abandoned(NOW) is abandoned
