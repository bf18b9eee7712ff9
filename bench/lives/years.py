"""Years of people written for this bench: what they said, what holds from when on, and until when.

A file is one JSON object:

    {"name": "en-designer", "language": "en", "zone": "Europe/London", "first": "2025-01-06", "person": "Maya",
     "idle": [[42, 46], ...],
     "entries": [{"day": 7, "say": ["a user's message", "> an assistant's", "! a tool's", "+ preference: a save"],
                  "holds": [{"id": "packages", "kind": "instruction", "what": "ask first",
                             "needs": [["ask"], ["package"]]}],
                  "ends": ["another id"],
                  "ahead": [{"what": "dentist", "due": "2025-04-09", "needs": [["dentist"]]}]}, ...],
     "chatter": [["a template with {slot}", "> an answer"], ...], "slots": {"slot": ["a", "b"]}}

Entries are written by hand, each once. The chatter of the day is filled by the seed, and nothing in it holds longer
than its day. Days count from `first`; nothing is said on idle ones. `needs` are as in `bench.keeping.conversations`:
one line must have a spelling of each list.
"""

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from bench.keeping.conversations import Needs, says

FOLDER = Path(__file__).parent
DAYS = 365
# Beside those on which something is said that holds.
_OTHER_DAYS = 45
_ROLES = {"> ": "assistant", "! ": "tool", "+ ": "save"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A message, or what an agent saves: then `role` is `save`, and `type` that of the observation."""

    at: datetime
    role: str
    text: str
    type: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """Something that is to be told while it holds.

    Args:
        kind: `instruction`, `constant` or `ahead`.
        first, last: the days from which and up to which it holds.
        source, ended: words of users: with which it was said, and with which it was withdrawn or replaced.
    """

    id: str
    kind: str
    what: str
    needs: Needs
    first: int
    last: int
    source: str
    ended: str = ""

    def holds(self, day: int) -> bool:
        """Whether it holds at the end of a day."""
        return self.first <= day < self.last

    def meets(self, line: str) -> bool:
        """Whether a line tells it."""
        return all(says(line, spellings) for spellings in self.needs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """What was said on a day."""

    day: int
    name: str
    messages: tuple[Said, ...]
    ends: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    """A year of a person."""

    name: str
    zone: ZoneInfo
    first: date
    sessions: tuple[Session, ...]
    marks: tuple[Mark, ...]

    def at(self, day: int, hour: float) -> datetime:
        """A time of a day of the year, where the person lives."""
        return datetime.combine(self.first + timedelta(days=day), time(), self.zone) + timedelta(hours=hour)


def lives(folder: str, *, seed: int = 0, days: int = DAYS) -> list[Life]:
    """The lives of a folder, `worked_on` or `set_aside`, up to a day."""
    return [_life(json.loads(path.read_text("utf-8")), seed, days) for path in sorted((FOLDER / folder).glob("*.json"))]


def _life(told: dict[str, Any], seed: int, days: int) -> Life:
    chance = random.Random(f"{told['name']} {seed}")
    zone, first = ZoneInfo(told["zone"]), date.fromisoformat(told["first"])
    entries = [entry for entry in told["entries"] if entry["day"] < days]
    idle = {day for begin, end in told["idle"] for day in range(begin, end + 1)}
    own = {entry["day"] for entry in entries}
    free = [day for day in range(DAYS) if day not in idle | own]
    others = {day for day in chance.sample(free, _OTHER_DAYS) if day < days}
    sessions = [
        _session(told, [entry for entry in entries if entry["day"] == day], day, chance, zone, first)
        for day in sorted(own | others)
    ]
    return Life(
        name=told["name"], zone=zone, first=first, sessions=tuple(sessions), marks=tuple(_marks(entries, first))
    )


def _session(
    told: dict[str, Any],
    entries: Sequence[dict[str, Any]],
    day: int,
    chance: random.Random,
    zone: ZoneInfo,
    first: date,
) -> Session:
    talks: list[Sequence[str]] = [
        [_filled(text, filling) for text in template]
        for template in chance.sample(told["chatter"], chance.randint(3, 7))
        for filling in [{slot: chance.choice(values) for slot, values in told["slots"].items()}]
    ]
    for entry in entries:
        talks.insert(chance.randint(0, len(talks)), entry["say"])
    at = datetime.combine(first + timedelta(days=day), time(), zone) + timedelta(minutes=chance.randint(480, 1_140))
    messages = list[Said]()
    for text in (text for talk in talks for text in talk):
        at += timedelta(seconds=chance.randint(20, 300))
        role = _ROLES.get(text[:2], "user")
        bare = text if role == "user" else text[2:]
        type, _, saved = bare.partition(": ")
        messages.append(Said(at=at, role=role, text=saved if role == "save" else bare, type=type if saved else ""))
    name = f"{first + timedelta(days=day):%Y-%m-%d}"
    return Session(day=day, name=name, messages=tuple(messages), ends=chance.random() < 0.8)


def _filled(text: str, filling: dict[str, str]) -> str:
    for slot, value in filling.items():
        text = text.replace(f"{{{slot}}}", value)
    return text


def _marks(entries: Sequence[dict[str, Any]], first: date) -> list[Mark]:
    ended = {id: entry for entry in entries for id in entry.get("ends", ())}
    found = list[Mark]()
    for entry in entries:
        source = _of_users(entry)
        for one in entry.get("holds", ()):
            end = ended.get(one["id"])
            found.append(
                Mark(
                    id=one["id"],
                    kind=one["kind"],
                    what=one["what"],
                    needs=_needs(one["needs"]),
                    first=entry["day"],
                    last=DAYS if end is None else end["day"],
                    source=source,
                    ended="" if end is None else _of_users(end),
                )
            )
        for one in entry.get("ahead", ()):
            due = (date.fromisoformat(one["due"]) - first).days
            what, needs = one["what"], _needs(one["needs"])
            found.append(
                Mark(id=what, kind="ahead", what=what, needs=needs, first=entry["day"], last=due, source=source)
            )
    return found


def _of_users(entry: dict[str, Any]) -> str:
    return "\n".join(text for text in entry["say"] if text[:2] not in _ROLES)


def _needs(given: Sequence[Sequence[str]]) -> Needs:
    return tuple(tuple(spellings) for spellings in given)
