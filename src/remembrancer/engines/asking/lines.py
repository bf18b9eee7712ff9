"""What others have said, as lines of a prompt that nothing in it can end or add to."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, tzinfo

from remembrancer.model.record import Message

# What the types that every deployment has mean; others speak for themselves.
_MEANINGS: Mapping[str, str] = {
    "profile": "who or what somebody or something is",
    "preference": "what somebody likes, wants or avoids",
    "decision": "what was decided, promised or planned",
    "pattern": "what comes again and again",
    "discovery": "what was found out, done or happened",
}
# Line ends that JSON leaves as they are, and halves of characters that no request can carry.
_UNSAFE = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff]")
CONTEXT_TOKENS = 2_000


def line(**fields: object) -> str:
    """One JSON object on one line, in which no tag of the prompt can be closed; empty texts are left out."""
    written = json.dumps({name: value for name, value in fields.items() if value != ""}, ensure_ascii=False)
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", written.replace("</", "<\\/"))


def minute(when: datetime, zone: tzinfo) -> str:
    """A moment to the minute, in a zone."""
    return f"{when.astimezone(zone):%Y-%m-%dT%H:%M}"


def day(when: datetime, zone: tzinfo) -> str:
    """The day of a moment, in a zone."""
    return f"{when.astimezone(zone):%Y-%m-%d}"


def message_lines(messages: Iterable[Message], zone: tzinfo) -> str:
    """Messages, one a line."""
    return "\n".join(
        line(
            n=message.number,
            at=minute(message.occurred_at, zone),
            role=message.role.value,
            by=message.speaker.strip(),
            text=message.text,
        )
        for message in messages
    )


def newest(lines: Sequence[str], count: Callable[[str], int]) -> tuple[str, ...]:
    """The last lines of the record that fit into the context."""
    room = CONTEXT_TOKENS
    for at in range(len(lines) - 1, -1, -1):
        room -= count(lines[at])
        if room < 0:
            return tuple(lines[at + 1 :])
    return tuple(lines)


def noted_line(when: datetime, text: str, zone: tzinfo) -> str:
    """One line of the record so far."""
    return line(at=minute(when, zone), text=text)


def type_lines(types: Iterable[str]) -> str:
    """The observation types, one a line."""
    return "\n".join(f"- {name}: {_MEANINGS[name]}" if name in _MEANINGS else f"- {name}" for name in types)


def refusal_lines(reason: str) -> str:
    """What is said of the answer before, where it was refused."""
    return f"\nYour last answer was refused: {reason}. Answer again, in full and without that fault." if reason else ""
