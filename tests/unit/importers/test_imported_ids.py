"""The ids of imported turns: derived, so that the same turn is imported once."""

import hashlib
import uuid
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.ingest.importers.turns import Turn
from remembrancer.ingest.turn_import import import_batches, imported_id, session_name
from remembrancer.testing import FakeClock
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.types.scope import MAX_NAME_CHARACTERS, Scope, check_name
from tests.doubles import CountingIds
from tests.rows import each_row

TURN = Turn(
    conversation="chat/a",
    session="1",
    position=0,
    role="user",
    text="hello",
    occurred_at=datetime(2023, 5, 8, 13, 56, tzinfo=UTC),
)
MOMENTS = st.integers(0, 10**14).map(lambda millis: datetime.fromtimestamp(0, UTC) + timedelta(milliseconds=millis))

RULES = Dependencies(clock=FakeClock(), ids=CountingIds(), sign=lambda text: hashlib.sha256(text.encode()).hexdigest())


def id_of(scope: Scope, turn: Turn) -> str:
    """The id of a turn in the store of these tests."""
    return imported_id(scope, turn, sign=RULES.sign)


def test_the_same_turn_has_the_same_id_in_one_store() -> None:
    assert id_of(Scope(), TURN) == id_of(Scope(), replace(TURN, text="reworded", speaker="Ana"))
    assert id_of(Scope(), TURN).startswith("0187fba5-cd80-8")


@pytest.mark.parametrize(
    "other", [replace(TURN, position=1), replace(TURN, conversation="chat/b"), replace(TURN, occurred_at=None)]
)
def test_another_turn_has_another_id(other: Turn) -> None:
    assert id_of(Scope(), TURN) != id_of(Scope(), other)


def test_the_same_turn_in_another_scope_has_another_id() -> None:
    scopes = [Scope(), Scope(tenant="a"), Scope(project="a"), Scope(agent="a"), Scope(user="a"), Scope(user="None")]
    assert len({id_of(scope, TURN) for scope in scopes}) == len(scopes)


@given(one=MOMENTS, other=MOMENTS)
def test_ids_are_in_the_order_of_time_to_the_millisecond(one: datetime, other: datetime) -> None:
    earlier, later = sorted((one, other))
    ids = [id_of(Scope(), replace(TURN, occurred_at=when)) for when in (earlier, later)]
    assert later == earlier or ids == sorted(ids)


@given(when=st.none() | st.datetimes(timezones=st.just(UTC)), position=st.integers(0, 10**9))
def test_every_id_is_a_uuid_of_version_eight(when: datetime | None, position: int) -> None:
    made = uuid.UUID(id_of(Scope(), replace(TURN, occurred_at=when, position=position)))
    assert (made.version, made.variant) == (8, uuid.RFC_4122)


@given(conversation=st.text(min_size=1, max_size=400), session=st.text(min_size=1, max_size=50))
def test_every_session_gets_a_name_that_may_be_one(conversation: str, session: str) -> None:
    name = session_name(f"{conversation}/{session}", RULES)
    assert check_name(name, what="session") == name


def test_two_long_names_with_the_same_beginning_stay_two() -> None:
    long = "x" * MAX_NAME_CHARACTERS
    assert session_name(f"{long}/1", RULES) != session_name(f"{long}/2", RULES)


@given(places=st.lists(st.integers(0, (1 << 20) - 1), min_size=2, max_size=5, unique=True))
def test_ids_of_what_was_said_at_one_time_are_in_its_order(places: list[int]) -> None:
    ids = [id_of(Scope(), replace(TURN, position=place)) for place in sorted(places)]
    assert ids == sorted(ids)


@each_row("count", [0, 1, 499, 500, 501, 1_000, 1_001])
def test_batches_hold_every_turn_once_in_order(count: int) -> None:
    turns = [replace(TURN, position=position) for position in range(count)]
    pieces = list(import_batches(turns))
    assert [turn for piece in pieces for turn in piece] == turns
    assert all(len(piece) == 500 for piece in pieces[:-1])
    assert all(0 < len(piece) <= 500 for piece in pieces[-1:])
