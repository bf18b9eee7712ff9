"""Talks written for this bench, each with honest notes of it, and with lies by the way in which they lie.

A file is one JSON object: `messages` are times in `zone`, speakers, roles and texts; `honest` are the numbers of the
messages that a note names, from 1, and the note; `lies` are the same behind the name of the way.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

FOLDER = Path(__file__).parent
FOLDERS = ("worked_on", "set_aside", "fresh")
WAYS = (
    "invented name",
    "swapped names",
    "changed number",
    "changed unit",
    "changed price",
    "wrong date",
    "dropped negation",
    "added negation",
    "dropped hedge",
    "dropped condition",
    "question as fact",
    "quoted words",
    "weaker instruction",
    "merged persons",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A message of a talk."""

    at: datetime
    speaker: str
    role: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted:
    """A note of a talk, and the way in which it lies; `""` for an honest one."""

    way: str
    messages: tuple[int, ...]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """A talk, and notes of it."""

    name: str
    zone: ZoneInfo
    messages: tuple[Said, ...]
    notes: tuple[Noted, ...]


def talks(folder: str) -> Sequence[Talk]:
    """The talks of a folder."""
    return [_talk(json.loads(file.read_text(encoding="utf-8"))) for file in sorted((FOLDER / folder).glob("*.json"))]


def _talk(found: dict[str, Any]) -> Talk:
    zone = ZoneInfo(found["zone"])
    return Talk(
        name=found["name"],
        zone=zone,
        messages=tuple(
            Said(at=datetime.fromisoformat(at).replace(tzinfo=zone), speaker=speaker, role=role, text=text)
            for at, speaker, role, text in found["messages"]
        ),
        notes=(
            *(Noted(way="", messages=tuple(numbers), text=text) for numbers, text in found["honest"]),
            *(Noted(way=way, messages=tuple(numbers), text=text) for way, numbers, text in found["lies"]),
        ),
    )
