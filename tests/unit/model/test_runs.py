"""Where a run of messages may be cut."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from remembrancer.types.notes import may_part, middle
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
    assert may_part(user, call)
    assert not may_part(call, first)
    assert not may_part(first, second)
    assert may_part(second, answer)
    assert not may_part(call, user)
    assert not may_part(user, first)


def test_a_run_may_end_where_no_message_follows_unless_a_call_is_unanswered() -> None:
    (message,) = said(("assistant", "done"))
    assert may_part(message, None)
    assert not may_part(calling(message), None)
    assert may_part(replace(message, metadata={"tool_calls": []}), None)


def test_a_run_is_halved_at_the_cut_nearest_to_its_middle() -> None:
    messages = said(*[("user", "a")] * 5, ("tool", "b"), ("tool", "c"), ("user", "d"))
    assert middle(messages) == 4
    assert middle(messages[4:7]) is None
    assert middle(messages[:1]) is None
    assert middle([]) is None


@given(st.lists(st.sampled_from(["user", "assistant", "tool"]), max_size=12))
def test_the_half_of_a_run_is_a_cut_that_is_allowed(roles: list[str]) -> None:
    messages = said(*((role, "x") for role in roles))
    at = middle(messages)
    allowed = [at for at in range(1, len(messages)) if may_part(messages[at - 1], messages[at])]
    assert (at in allowed) if allowed else at is None
