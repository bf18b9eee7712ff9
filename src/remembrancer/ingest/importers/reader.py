"""Reading the fields of foreign messages, and keeping count of what could not be read as it stands."""

import json
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from remembrancer.errors import InvalidInput
from remembrancer.ingest.importers.values import as_text, moment

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
    """What of a chat may not be readable, and is taken or passed over all the same."""

    TIME = "unreadable-time"
    ROLE = "unknown-role"
    CONTENT = "missing-content"
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
    LENT = "lent"


INSTEAD = {
    Gap.TIME: "stored with the nearest time known: the chat's, the file's or the import's",
    Gap.ROLE: "stored as user",
    Gap.CONTENT: "stored without text",
    Gap.EVENT: "passed over, since it says by its type that it is something else",
    Gap.THINKING: "left out",
    Gap.ATTACHED: "stored by kind, name and address, without content",
    Gap.FIELD: "left out: it stands beside the messages",
    Gap.HARNESS: "left out: the program around the agent put it into what the user said",
    Gap.EVIDENCE: "rests without it on what came",
    Gap.SCOPE: "stored in the scope that imports",
    Gap.CLASS: "classified by what it holds and what it rests on",
    Gap.CHANGED: "stored as this scope allows: secrets, private regions and personal data masked, orders quarantined",
    Gap.KEY: "not stored, since a later memory, or one that is not paused, has its key or its words here",
    Gap.NUMBER: "stored as the next message of its session",
    Gap.REJECTED: "not stored, since a person has rejected here what it says",
    Gap.LENT: "not stored, since another project has lent it",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """The gaps of one kind in a chat: how many, and the first of them."""

    gap: Gap
    count: int
    example: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """Something of a file that was not taken: its place, such as `line 3`, and why."""

    where: str
    reason: str


class Reader:
    """Reads one file.

    Args:
        name: of the file, for what is told of it.
        skip_bad: leave out what cannot be taken, instead of refusing the file.
    """

    def __init__(self, name: str = "", *, skip_bad: bool = False) -> None:
        self.name = name
        self._skip_bad = skip_bad
        self._unread: dict[tuple[Gap, str], Unread] = {}
        self._left_out: dict[str, LeftOut] = {}

    @property
    def unread(self) -> list[Unread]:
        """What could not be read so far, in the order in which it was met."""
        return list(self._unread.values())

    @property
    def left_out(self) -> list[LeftOut]:
        """What was not taken so far."""
        return list(self._left_out.values())

    def moment(self, *values: Any) -> datetime | None:
        """The first time that some fields state, or `None`; a gap where they state something else."""
        stated = [value for value in values if value is not None and str(value).strip()]
        found = next((when for value in stated if (when := moment(value))), None)
        if stated and found is None:
            self.note(Gap.TIME, _shown(stated[0]))
        return found

    def role(self, value: Any) -> str:
        """The role of ours that a field names; `user`, and a gap, where it names none."""
        role = role_of(value)
        if role is None:
            self.note(Gap.ROLE, _shown(value))
        return role or "user"

    def without_content(self, where: str) -> None:
        """Count a message that has nothing where its text would be."""
        self.note(Gap.CONTENT, where)

    def no_message(self, where: str) -> None:
        """Count what says by its type that it is no message."""
        self.note(Gap.EVENT, where)

    def leave_out(self, where: str, reason: str) -> None:
        """Leave out what cannot be taken.

        Raises:
            InvalidInput: nothing is to be left out.
        """
        if not self._skip_bad:
            raise InvalidInput(
                f"{self.at(where)}: {reason}; mend it, or have such lines left out (--skip-bad, skip_bad)"
            )
        self._left_out.setdefault(where, LeftOut(where=where, reason=reason))

    def at(self, where: str) -> str:
        """A place in the file, with the file's name."""
        return f"{self.name}, {where}" if where else self.name

    def note(self, gap: Gap, example: str) -> None:
        """Count a gap."""
        # Of fields each is named.
        key = gap, example if gap is Gap.FIELD else ""
        noted = self._unread.get(key, Unread(gap=gap, count=0, example=example))
        self._unread[key] = replace(noted, count=noted.count + 1)


def role_of(value: Any) -> str | None:
    """The role of ours that a field names, or `None`."""
    return _ROLES.get(as_text(value).lower())


def _shown(value: Any) -> str:
    if not isinstance(value, str):
        return _cut(json.dumps(value))
    return repr(_cut(value))


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 1] + "…"
