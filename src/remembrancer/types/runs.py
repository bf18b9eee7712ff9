"""Where a run of messages may be cut: never between a tool call and its result."""

from collections.abc import Sequence

from remembrancer.types.record import Message, Role

TOOL_CALLS = "tool_calls"


def may_part(before: Message, after: Message | None) -> bool:
    """Whether a run of messages may end with `before`.

    Args:
        before: the last message before the cut.
        after: the one that follows it in the session, or `None` where none has come yet.
    """
    answers = after is not None and after.role is Role.TOOL
    return not answers and not before.metadata.get(TOOL_CALLS)


def answered(messages: Sequence[Message]) -> bool:
    """Whether every call of a tool at the end of some messages has its result; two may be called at once."""
    for results, message in enumerate(reversed(messages)):
        if message.role is not Role.TOOL:
            calls = message.metadata.get(TOOL_CALLS)
            return results >= (len(calls) if isinstance(calls, list | tuple) else int(bool(calls)))
    return True


def middle(messages: Sequence[Message]) -> int | None:
    """How many of the messages come before the cut that is nearest to their middle; `None` where none is allowed."""
    cuts = (at for at in range(1, len(messages)) if may_part(messages[at - 1], messages[at]))
    return min(cuts, key=lambda at: (abs(2 * at - len(messages)), at), default=None)
