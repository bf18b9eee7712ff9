"""Runs of messages for the tests of the observer."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from remembrancer.types.record import Message, Role, Source
from remembrancer.types.scope import Scope

MONDAY = datetime(2026, 5, 4, 9, 30, tzinfo=UTC)


def said(*lines: tuple[str, str], at: datetime = MONDAY, step: timedelta = timedelta(minutes=1)) -> list[Message]:
    """Messages of a session, a minute apart: `user`, `assistant`, `tool` or a person's name, and the text."""
    return [_message(who, text, number, at + number * step) for number, (who, text) in enumerate(lines, start=1)]


def _message(who: str, text: str, number: int, when: datetime) -> Message:
    named = who not in set(Role)
    return Message(
        id=str(number),
        scope=Scope(tenant="local"),
        session="s",
        text=text,
        hash="",
        author="test",
        source=Source.USER,
        occurred_at=when,
        recorded_at=when,
        updated_at=when,
        number=number,
        role=Role.USER if named else Role(who),
        speaker=who if named else "",
    )


def texts(notes: Sequence[object]) -> str:
    """The texts of notes, a line each."""
    return "\n".join(str(getattr(note, "text", "")) for note in notes)
