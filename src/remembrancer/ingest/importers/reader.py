"""The reader of a file of chats.

It normalises fields, and counts those that it cannot read as they are.
"""

import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from enum import StrEnum
from typing import Any

from remembrancer.errors import InvalidInput
from remembrancer.ingest.importers.values import as_text, has_local_clock, parsed_time

_SHOWN_CHARACTERS = 40
_ROLES = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "bot": "assistant",
    "gpt": "assistant",
    "chatgpt": "assistant",
    "model": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
}


class Gap(StrEnum):
    """Kinds of content that an import changes or leaves out."""

    TIME = "unreadable-time"
    ROLE = "unknown-role"
    NO_TIME = "missing-time"
    ZONE = "assumed-zone"
    CONTENT = "missing-content"
    CUT = "cut-off"
    EVENT = "no-message"
    THINKING = "thinking"
    ATTACHED = "not-text"
    FIELD = "unread-field"
    HARNESS = "harness"
    EVIDENCE = "missing-evidence"
    SCOPE = "other-scope"
    CLASS = "raised-class"
    CHANGED = "changed-content"
    KEY = "taken-key"
    NUMBER = "taken-number"
    REJECTED = "rejected"
    TRANSFERRED = "lent"


GAP_HANDLING = {
    Gap.TIME: "stored with the nearest known time: that of the chat, the file or the import",
    Gap.NO_TIME: "stored with the nearest known time: that of the chat, the file or the import",
    Gap.ZONE: "read as UTC; --time-zone names another zone",
    Gap.ROLE: "stored as user",
    Gap.CONTENT: "stored without text",
    Gap.CUT: "left out: the file ends in the middle of its last line",
    Gap.EVENT: "left out: it is no message",
    Gap.THINKING: "left out",
    Gap.ATTACHED: "stored by kind, name and address, without content",
    Gap.FIELD: "left out: it is no message",
    Gap.HARNESS: "left out: the program around the agent inserted it into the message of the user",
    Gap.EVIDENCE: "stored with the rest of its evidence",
    Gap.SCOPE: "stored in the importing scope",
    Gap.CLASS: "classified by its content and its evidence",
    Gap.CHANGED: "stored as this scope allows: private content and personal data masked, injections quarantined",
    Gap.KEY: "not stored, since a later or an active memory has its key or its text here",
    Gap.NUMBER: "stored as the next message of its session",
    Gap.REJECTED: "not stored, since a person has rejected its content here",
    Gap.TRANSFERRED: "not stored, since it was transferred from another project",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadField:
    """The gaps of one kind in a chat: their number and the first of them."""

    gap: Gap
    count: int
    example: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedItem:
    """An entry of a file that was not imported, with the reason.

    The place is such as `line 3`.
    """

    where: str
    reason: str


class Reader:
    """The reading of one file.

    Args:
        name: the name of the file, for messages.
        skip_bad: skip invalid entries instead of refusing the file.
        zone: the time zone of times without one; by default they are read as UTC, and counted.
    """

    def __init__(self, name: str = "", *, skip_bad: bool = False, zone: tzinfo | None = None) -> None:
        self.name = name
        self.zone = zone
        self._skip_bad = skip_bad
        self._unread: dict[tuple[Gap, str], UnreadField] = {}
        self._left_out: dict[str, SkippedItem] = {}

    @property
    def unread(self) -> list[UnreadField]:
        """The gaps so far, in the order of their first occurrence."""
        return list(self._unread.values())

    @property
    def left_out(self) -> list[SkippedItem]:
        """The entries that were skipped so far."""
        return list(self._left_out.values())

    def time(self, *values: Any) -> datetime | None:
        """Return the first time in some fields, or `None`.

        Text that is no time counts as a gap, and so does a time without a zone.
        """
        filled = [value for value in values if value is not None and str(value).strip()]
        for value in filled:
            if when := parsed_time(value, self.zone or UTC):
                if self.zone is None and has_local_clock(value):
                    self.count(Gap.ZONE, _shown(value))
                return when
        if filled:
            self.count(Gap.TIME, _shown(filled[0]))
        return None

    def role(self, value: Any) -> str:
        """Return the role in a field.

        An unknown one counts as a gap, and as `user`.
        """
        role = known_role(value)
        if role is None:
            self.count(Gap.ROLE, _shown(value))
        return role or "user"

    def without_content(self, where: str) -> None:
        """Count a message without content."""
        self.count(Gap.CONTENT, where)

    def no_message(self, kind: str) -> None:
        """Count an entry that is no message, by its kind, such as `queue-operation`."""
        self.count(Gap.EVENT, kind)

    def skip(self, where: str, reason: str) -> None:
        """Skip an invalid entry.

        Raises:
            InvalidInput: entries must not be skipped.
        """
        if not self._skip_bad:
            raise InvalidInput(f"{self.at(where)}: {reason}; fix it, or skip such entries (--skip-bad, skip_bad)")
        self._left_out.setdefault(where, SkippedItem(where=where, reason=reason))

    def at(self, where: str) -> str:
        """Return a place in the file, with the name of the file."""
        return f"{self.name}, {where}" if where else self.name

    def count(self, gap: Gap, example: str) -> None:
        """Count a gap."""
        # Each field is listed by its name, and each kind of event.
        key = gap, example if gap in (Gap.FIELD, Gap.EVENT) else ""
        counted = self._unread.get(key, UnreadField(gap=gap, count=0, example=example))
        self._unread[key] = replace(counted, count=counted.count + 1)


def known_role(value: Any) -> str | None:
    """Return the role in a field, or `None` for an unknown one."""
    return _ROLES.get(as_text(value).lower())


def _shown(value: Any) -> str:
    if not isinstance(value, str):
        return _cut(json.dumps(value))
    return repr(_cut(value))


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 1] + "…"
