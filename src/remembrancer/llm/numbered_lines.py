"""Untrusted texts as lines of a prompt, which their contents cannot end or extend."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from remembrancer.types.record import Message

# What the types that every deployment has mean; others speak for themselves.
_MEANINGS: Mapping[str, str] = {
    "profile": "who or what somebody or something is",
    "preference": "what somebody likes, wants or avoids",
    "decision": "what was decided, promised or planned",
    "pattern": "what comes again and again",
    "discovery": "what was found out, done or happened",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted:
    """One claim of the record so far, and when it was noted."""

    at: datetime
    text: str


# Line ends that JSON leaves as they are, and halves of characters that no request can carry.
_UNSAFE = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff]")
CONTEXT_TOKENS = 2_000


def line(**fields: object) -> str:
    """Return one JSON object on one line that cannot close a tag of the prompt, without empty texts."""
    return written({name: value for name, value in fields.items() if value != ""})


def written(value: object) -> str:
    """Return a value as JSON on one line, in which no tag of the prompt can be closed."""
    text = json.dumps(value, ensure_ascii=False)
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text.replace("</", "<\\/"))


def day(when: datetime, zone: tzinfo) -> str:
    """Return the day of a moment, in a zone."""
    return f"{when.astimezone(zone):%Y-%m-%d}"


def message_lines(messages: Iterable[Message], zone: tzinfo) -> str:
    """Messages, one a line, under their days."""
    rows = (
        (
            message.occurred_at,
            (
                message.number,
                clock(message.occurred_at, zone),
                message.role.value,
                message.speaker.strip(),
                message.text,
            ),
        )
        for message in messages
    )
    return by_day(rows, zone)


def newest(noted: Sequence[Noted], count: Callable[[str], int]) -> Sequence[Noted]:
    """Return the end of the record so far, as much as fits into the context."""
    room = CONTEXT_TOKENS
    for at in range(len(noted) - 1, -1, -1):
        room -= count(noted[at].text)
        if room < 0:
            return noted[at + 1 :]
    return noted


def noted_lines(noted: Iterable[Noted], zone: tzinfo) -> str:
    """Return the record so far, one claim a line, under their days."""
    return by_day(((one.at, (clock(one.at, zone), one.text)) for one in noted), zone)


def by_day(rows: Iterable[tuple[datetime, Sequence[object]]], zone: tzinfo) -> str:
    """Return rows as one JSON array a line, with a heading for each day."""
    lines: list[str] = []
    last = ""
    for when, fields in rows:
        if (heading := f"## {when.astimezone(zone):%A %Y-%m-%d}") != last:
            lines.append(heading)
            last = heading
        lines.append(written(fields))
    return "\n".join(lines)


def clock(when: datetime, zone: tzinfo) -> str:
    """Return the time of a moment to the minute, in a zone."""
    return f"{when.astimezone(zone):%H:%M}"


def type_lines(types: Iterable[str]) -> str:
    """Return the observation types, one a line."""
    return "\n".join(f"- {name}: {_MEANINGS[name]}" if name in _MEANINGS else f"- {name}" for name in types)


def refusal_lines(reason: str) -> str:
    """Return the part of a prompt on the answer that was refused before."""
    return f"\nYour last answer was refused: {reason}. Answer again, in full and without that fault." if reason else ""
