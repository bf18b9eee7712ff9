"""Reading the fields of foreign messages, and keeping count of what could not be read as it stands."""

import json
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from remembrancer.errors import InvalidInput
from remembrancer.importers.json_values import as_text
from remembrancer.importers.when import moment

_SHOWN_CHARACTERS = 40
_ROLES = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "bot": "assistant",
    "model": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
}


class Gap(StrEnum):
    """What of a chat may not be readable."""

    TIME = "unreadable-time"
    ROLE = "unknown-role"
    CONTENT = "missing-content"
    LINE = "bad-line"


INSTEAD = {
    Gap.TIME: "stored with the nearest time known: the chat's, the file's or the import's",
    Gap.ROLE: "stored as user",
    Gap.CONTENT: "stored without text",
    Gap.LINE: "left out",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """The gaps of one kind in a chat: how many, and the first of them."""

    gap: Gap
    count: int
    example: str


class Reader:
    """Reads one chat.

    Args:
        skip_bad: leave out lines that are not JSON, instead of refusing the chat.
    """

    def __init__(self, *, skip_bad: bool = False) -> None:
        self._skip_bad = skip_bad
        self._unread: dict[Gap, Unread] = {}

    @property
    def unread(self) -> list[Unread]:
        """What could not be read so far, in the order in which it was met."""
        return list(self._unread.values())

    def moment(self, *values: Any) -> datetime | None:
        """The first time that some fields state, or `None`; a gap where they state something else."""
        stated = [value for value in values if value is not None and str(value).strip()]
        found = next((when for value in stated if (when := moment(value))), None)
        if stated and found is None:
            self._note(Gap.TIME, _shown(stated[0]))
        return found

    def role(self, value: Any) -> str:
        """The role of ours that a field names; `user`, and a gap, where it names none."""
        role = _ROLES.get(as_text(value).lower())
        if role is None:
            self._note(Gap.ROLE, _shown(value))
        return role or "user"

    def content(self, value: Any, *, message: int) -> str:
        """The text of a field; a gap where it holds something else.

        Args:
            message: which message of its conversation it is of, counted from 1.
        """
        if not isinstance(value, str | int | float) or isinstance(value, bool):
            self._note(Gap.CONTENT, f"message {message}")
        return as_text(value)

    def bad_line(self, number: int, error: InvalidInput) -> None:
        """Leave out a line that cannot be read.

        Raises:
            InvalidInput: no line is to be left out.
        """
        if not self._skip_bad:
            raise InvalidInput(f"{error}; mend the line, or leave such lines out with --skip-bad") from error
        self._note(Gap.LINE, f"line {number}")

    def _note(self, gap: Gap, example: str) -> None:
        noted = self._unread.get(gap, Unread(gap=gap, count=0, example=example))
        self._unread[gap] = replace(noted, count=noted.count + 1)


def _shown(value: Any) -> str:
    if not isinstance(value, str):
        return _cut(json.dumps(value))
    return repr(_cut(value))


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 1] + "…"
