"""What is being worked on at the end of a run, and what the agent should keep in mind."""

from collections.abc import Sequence

from remembrancer.learn.observe.pieces import Piece
from remembrancer.types.record import Message, Role
from remembrancer.types.scope import Trust

LONGEST = 300


def task_of(pieces: Sequence[Piece], messages: Sequence[Message], speakers: Sequence[str]) -> str:
    """The last question or request of a user, and whether anything was said to it; `""` where there is none."""
    wanted = (
        piece
        for piece in reversed(pieces)
        if _is_of_user(messages[piece.message]) and (piece.marks.asks or piece.marks.has("request"))
    )
    found = next(wanted, None)
    if found is None:
        return ""
    answered = any(message.role is Role.ASSISTANT for message in messages[found.message + 1 :])
    return f"{speakers[found.message]} asked: {found.text[:LONGEST]} ({'answered' if answered else 'still open'})"


def _is_of_user(message: Message) -> bool:
    """Whether a user says it, and does not quote it."""
    return message.role is Role.USER and message.trust is Trust.TRUSTED


def suggestion_of(pieces: Sequence[Piece], messages: Sequence[Message], speakers: Sequence[str]) -> str:
    """What an assistant asked last and has no answer to yet; `""` where it waits for none."""
    if not messages or messages[-1].role is not Role.ASSISTANT:
        return ""
    last = len(messages) - 1
    found = next((piece for piece in reversed(pieces) if piece.message == last and piece.marks.asks), None)
    return f"An answer to {speakers[last]} is awaited: {found.text[:LONGEST]}" if found is not None else ""
