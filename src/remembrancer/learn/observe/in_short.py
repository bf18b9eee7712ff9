"""Texts that nobody recorded, in short: by the observer that also takes the messages of a conversation."""

from collections.abc import Sequence
from datetime import datetime, tzinfo

from remembrancer.learn.observe.observe import observe, speaker
from remembrancer.types.record import Message, Role, Source
from remembrancer.types.scope import Scope
from remembrancer.types.text import estimate

# Of about so many tokens: three sentences.
SHORT = 120


def in_short(texts: Sequence[str], *, now: datetime, zone: tzinfo) -> str:
    """What is worth a note in some texts, in their order; `""` of nothing.

    Args:
        now: when they were said, for what they say of yesterday.
        zone: whose days are meant.
    """
    messages = [_said(text, number, now) for number, text in enumerate(texts, 1) if text.strip()]
    if not messages:
        return ""
    size = sum(estimate(message.text) for message in messages)
    notes = observe(messages, zone=zone, target=max(1.0, size / SHORT)).notes
    return " ".join(" ".join(note.text.removeprefix(f"{speaker(messages[0])}: ").split()) for note in notes)


def _said(text: str, number: int, now: datetime) -> Message:
    return Message(
        id=str(number),
        scope=Scope(),
        session=None,
        text=text,
        hash="",
        author="",
        source=Source.TOOL,
        occurred_at=now,
        recorded_at=now,
        updated_at=now,
        number=number,
        role=Role.ASSISTANT,
    )
