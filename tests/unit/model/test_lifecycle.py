"""Which status may follow which, and that the table says so for all of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.errors import Conflict
from remembrancer.types.lifecycle import TRANSITIONS, Status, check_transition


def reachable(start: Status) -> set[Status]:
    found, fresh = {start}, {start}
    while fresh := {after for before in fresh for after in TRANSITIONS[before]} - found:
        found |= fresh
    return found


def test_the_table_knows_every_status_and_no_other() -> None:
    assert set(TRANSITIONS) == set(Status)
    assert {after for allowed in TRANSITIONS.values() for after in allowed} <= set(Status)


@pytest.mark.parametrize("status", Status)
def test_no_status_is_a_dead_end(status: Status) -> None:
    assert reachable(status) == set(Status)


@pytest.mark.parametrize("status", Status)
def test_no_status_follows_itself(status: Status) -> None:
    assert status not in TRANSITIONS[status]


@pytest.mark.parametrize("status", [status for status in Status if status is not Status.DELETED])
def test_whatever_can_be_deleted_can_be_restored_as_it_was(status: Status) -> None:
    check_transition(status, Status.DELETED)
    check_transition(Status.DELETED, status)


@given(before=st.sampled_from(Status), after=st.sampled_from(Status))
def test_a_transition_is_refused_exactly_when_it_is_not_in_the_table(before: Status, after: Status) -> None:
    if after in TRANSITIONS[before]:
        check_transition(before, after)
    else:
        with pytest.raises(Conflict, match=f"is {before} cannot become {after}"):
            check_transition(before, after)


def test_what_was_rejected_is_not_archived_and_so_brought_back_by_a_save() -> None:
    with pytest.raises(Conflict):
        check_transition(Status.REJECTED, Status.ARCHIVED)
