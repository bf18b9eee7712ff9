"""Where a run of messages may be cut: never between a tool call and its result."""

from collections.abc import Sequence

from remembrancer.model.record import Message, Role

TOOL_CALLS = "tool_calls"


def may_part(before: Message, after: Message | None) -> bool:
    """Whether a run may end with `before`.

    Args:
        before: the last message before the cut.
        after: the one that follows it in the session, or `None` where none has come yet.
    """
    answers = after is not None and after.role is Role.TOOL
    return not answers and not before.metadata.get(TOOL_CALLS)


def middle(messages: Sequence[Message]) -> int | None:
    """How many of the messages come before the cut that is nearest to their middle; `None` where none is allowed."""
    cuts = (at for at in range(1, len(messages)) if may_part(messages[at - 1], messages[at]))
    return min(cuts, key=lambda at: (abs(2 * at - len(messages)), at), default=None)
