"""Conversations written for this bench, each with what a person would want kept of it, and the truth to judge by.

    python -m bench.keeping.conversations FILE ...

reads each file and says what is wrong with it, or counts what it holds. A file is one JSON object:

    {"name": "en-cutover", "language": "en", "zone": "Europe/London", "about": "work",
     "messages": [["2026-02-02T09:00", "Priya", "user", "Good morning! ..."], ...],
     "facts": [{"kind": "instruction", "from": 12, "what": "no migration step on a Friday",
                "needs": [["never", "no"], ["migration"], ["friday", "fridays"]]}, ...],
     "changes": [{"what": "time of the cutover", "about": [["cutover"]],
                  "values": [{"from": 30, "is": ["05:00", "5 am"]}, {"from": 75, "is": ["06:00", "6 am"]}]}, ...],
     "dates": [{"from": 4, "said": "next Thursday", "is": "2026-02-12"}, {"from": 9, "said": "by Friday", "is": null}]}

Times are those of `zone`; a message is named by its place, from 0. `from` of a fact is a place or a list of places.

- *needs*: one note must have a word of each list: a spelling that counts, at the beginning of a word, whatever its case
  and accents. "friday" is met by "Fridays"; "no" is not met by "now" but by "no", as two letters are taken whole.
- *changes*: a value that was replaced, once or oftener; the last is what must be kept, and no note may state one of the
  earlier ones of what it is about without the last beside it.
- *dates*: each phrase that is reckoned from the day it was said, and the one day (`2026-02-12`), month (`2026-02`) or
  year that it means, or a list where several are right; `null` where a careful reader would not say which.
"""

import json
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

KINDS = ("instruction", "decision", "preference", "changed", "commitment", "date", "number", "other")
FOLDER = Path(__file__).parent
LEAST_MESSAGES, LEAST_FACTS = 100, 40
_SHORT = 3

Needs = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A message."""

    at: datetime
    speaker: str
    role: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """Something that a person would want kept."""

    kind: str
    places: tuple[int, ...]
    what: str
    needs: Needs


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """A value that was replaced: what it is of, and its values in order."""

    what: str
    about: Needs
    places: tuple[int, ...]
    values: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """A phrase of time and what it means; nothing where that is not certain."""

    place: int
    said: str
    means: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A conversation with the truth beside it."""

    name: str
    language: str
    zone: ZoneInfo
    about: str
    messages: tuple[Said, ...]
    facts: tuple[Fact, ...]
    changes: tuple[Changed, ...]
    days: tuple[Day, ...]


def read(path: Path) -> Conversation:
    """A conversation from its file."""
    told = json.loads(path.read_text(encoding="utf-8"))
    zone = ZoneInfo(told["zone"])
    return Conversation(
        name=told["name"],
        language=told["language"],
        zone=zone,
        about=told["about"],
        messages=tuple(
            Said(at=datetime.fromisoformat(at).replace(tzinfo=zone), speaker=speaker, role=role, text=text)
            for at, speaker, role, text in told["messages"]
        ),
        facts=tuple(
            Fact(kind=one["kind"], places=_places(one["from"]), what=one["what"], needs=_needs(one["needs"]))
            for one in told["facts"]
        ),
        changes=tuple(
            Changed(
                what=one["what"],
                about=_needs(one["about"]),
                places=tuple(value["from"] for value in one["values"]),
                values=tuple(tuple(value["is"]) for value in one["values"]),
            )
            for one in told["changes"]
        ),
        days=tuple(
            Day(
                place=one["from"],
                said=one["said"],
                means=tuple([one["is"]] if isinstance(one["is"], str) else one["is"] or ()),
            )
            for one in told["dates"]
        ),
    )


def folded(text: str) -> str:
    """A text as wordings are compared: no case, no accents, one space between words."""
    apart = unicodedata.normalize("NFKD", text.casefold().replace("ß", "ss"))
    return " ".join("".join(sign for sign in apart if not unicodedata.combining(sign)).replace("’", "'").split())


def says(text: str, wordings: Sequence[str]) -> bool:
    """Whether a text has one of some wordings."""
    plain = folded(text)
    return any(re.search(_pattern(folded(one)), plain) for one in wordings)


def holds(text: str, needs: Needs) -> bool:
    """Whether a text has a wording of each list."""
    return all(says(text, wordings) for wordings in needs)


def _pattern(wording: str) -> str:
    begin = r"(?<!\w)" if wording[:1].isalnum() else ""
    # A number is not the beginning of a longer one, nor a short word that of any other.
    end = r"(?!\w|[.,:]\d)" if wording[-1:].isdigit() else r"(?!\w)" if len(wording) <= _SHORT else ""
    return begin + re.escape(wording) + end


def _places(told: int | list[int]) -> tuple[int, ...]:
    return (told,) if isinstance(told, int) else tuple(told)


def _needs(told: list[list[str]]) -> Needs:
    return tuple(tuple(wordings) for wordings in told)


def faults(found: Conversation) -> list[str]:
    """What is wrong with a conversation as a measure."""
    wrong: list[str] = []
    count = len(found.messages)
    if count < LEAST_MESSAGES:
        wrong.append(f"{count} messages; {LEAST_MESSAGES} at least")
    if len(found.facts) + len(found.changes) < LEAST_FACTS:
        wrong.append(f"{len(found.facts) + len(found.changes)} facts and changes; {LEAST_FACTS} at least")
    times = [message.at for message in found.messages]
    early = [place for place in range(1, count) if times[place] < times[place - 1]]
    wrong += [f"message {place} is before the one before it" for place in early]
    strange = [place for place, one in enumerate(found.messages) if one.role not in ("user", "assistant")]
    wrong += [f"message {place} is of neither a user nor the assistant" for place in strange]
    for fact in found.facts:
        if fact.kind not in KINDS or fact.kind == "changed":
            wrong.append(f"{fact.what}: no kind {fact.kind!r}; changed values stand in `changes`")
        if not all(0 <= place < count for place in fact.places):
            wrong.append(f"{fact.what}: there is no such message")
            continue
        said = " ".join(f"{found.messages[place].speaker}: {found.messages[place].text}" for place in fact.places)
        if not holds(said, fact.needs):
            missing = [list(wordings) for wordings in fact.needs if not says(said, wordings)]
            wrong.append(f"{fact.what}: its own messages {fact.places} have none of {missing}")
    for change in found.changes:
        if len(change.values) < 2 or list(change.places) != sorted(change.places):
            wrong.append(f"{change.what}: two values at least, in the order of their messages")
        for place, value in zip(change.places, change.values, strict=True):
            if not says(found.messages[place].text, value):
                wrong.append(f"{change.what}: message {place} has none of {list(value)}")
        spellings = [set(map(folded, value)) for value in change.values]
        if any(spellings[-1] & earlier for earlier in spellings[:-1]):
            wrong.append(f"{change.what}: the last value is one of the earlier ones, too")
    for day in found.days:
        if not 0 <= day.place < count or folded(day.said) not in folded(found.messages[day.place].text):
            wrong.append(f"message {day.place} does not say {day.said!r}")
        wrong += [f"{day.said}: {one!r} is no date" for one in day.means if not re.fullmatch(r"\d{4}(-\d\d){0,2}", one)]
    return wrong


def conversations(folder: str) -> list[Conversation]:
    """Those of a folder, `worked_on` or `set_aside`, by name."""
    return [read(path) for path in sorted((FOLDER / folder).glob("*.json"))]


def main() -> int:
    """Look at some files."""
    bad = 0
    for name in sys.argv[1:]:
        found = read(Path(name))
        wrong = faults(found)
        bad += bool(wrong)
        kinds = Counter(fact.kind for fact in found.facts) | Counter({"changed": len(found.changes)})
        uncertain = sum(not day.means for day in found.days)
        print(f"{found.name}: {len(found.messages)} messages, {dict(kinds)}, {len(found.days)} dates, {uncertain} open")
        for line in wrong:
            print(f"  {line}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
