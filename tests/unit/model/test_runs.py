"""Where a run of messages may be cut."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from remembrancer.types.notes import can_split_between, middle_split
from remembrancer.types.record import Message
from tests.unit.engines.observing.messages import said

CALLS = {"tool_calls": [{"id": "1", "function": {"name": "look", "arguments": "{}"}}]}


def calling(message: Message) -> Message:
    """A message that calls a tool."""
    return replace(message, metadata=CALLS)


def test_a_call_stays_with_its_results_and_with_what_is_said_in_between() -> None:
    user, call, first, second, answer = said(
        ("user", "look"), ("assistant", ""), ("tool", "a"), ("tool", "b"), ("assistant", "done")
    )
    call = calling(call)
    assert can_split_between(user, call)
    assert not can_split_between(call, first)
    assert not can_split_between(first, second)
    assert can_split_between(second, answer)
    assert not can_split_between(call, user)
    assert not can_split_between(user, first)


def test_a_run_may_end_where_no_message_follows_unless_a_call_is_unanswered() -> None:
    (message,) = said(("assistant", "done"))
    assert can_split_between(message, None)
    assert not can_split_between(calling(message), None)
    assert can_split_between(replace(message, metadata={"tool_calls": []}), None)


def test_a_run_is_halved_at_the_cut_nearest_to_its_middle() -> None:
    messages = said(*[("user", "a")] * 5, ("tool", "b"), ("tool", "c"), ("user", "d"))
    assert middle_split(messages) == 4
    assert middle_split(messages[4:7]) is None
    assert middle_split(messages[:1]) is None
    assert middle_split([]) is None


@given(st.lists(st.sampled_from(["user", "assistant", "tool"]), max_size=12))
def test_the_half_of_a_run_is_a_cut_that_is_allowed(roles: list[str]) -> None:
    messages = said(*((role, "x") for role in roles))
    at = middle_split(messages)
    allowed = [at for at in range(1, len(messages)) if can_split_between(messages[at - 1], messages[at])]
    assert (at in allowed) if allowed else at is None
