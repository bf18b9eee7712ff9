"""What of a conversation is kept in some lines, and what they state that is false."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from bench.keeping.conversations import Changed, Conversation, holds, says

_MONTHS = """
january february march april may june july august september october november december
januar februar märz april mai juni juli august september oktober november dezember
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
janvier février mars avril mai juin juillet août septembre octobre novembre décembre
gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
""".split()  # noqa: SIM905 -- a table
_NUMBER = {name: place % 12 + 1 for place, name in enumerate(_MONTHS)} | {"jänner": 1, "feber": 2}
_FULL = re.compile(rf"(?:(\d{{1,2}})(?:\.|er|°)?(?: de)? )?({'|'.join(_NUMBER)})(?: de)? (20\d\d)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What is kept of some messages.

    Args:
        first, last: places of those messages in the conversation, both inclusive.
        refers_to: the day, month or year that it is said to speak of, or `""`.
    """

    text: str
    first: int
    last: int
    refers_to: str = ""


@dataclass(slots=True)
class Kept:
    """How much is kept, by kind, and what is false."""

    asked: Counter[str] = field(default_factory=Counter[str])
    kept: Counter[str] = field(default_factory=Counter[str])
    lost: list[str] = field(default_factory=list[str])
    false: list[str] = field(default_factory=list[str])
    stale: list[str] = field(default_factory=list[str])
    resolved: int = 0
    resolvable: int = 0


def judged(found: Conversation, lines: Sequence[Line]) -> Kept:
    """What some lines keep of a conversation."""
    kept = Kept()
    for fact in found.facts:
        _count(kept, fact.kind, fact.what, any(holds(line.text, fact.needs) for line in lines))
    for change in found.changes:
        newest = any(holds(line.text, change.about) and says(line.text, change.values[-1]) for line in lines)
        _count(kept, "changed", change.what, newest)
        kept.stale += [f"{change.what}: {line.text}" for line in lines if _stale(change, line)]
    for line in lines:
        kept.false += [f"{date}: {line.text}" for date in _dates(line) if not _is_true(date, line, found)]
        if (name := line.text.split(":", 1)[0]) and ":" in line.text and not _spoke(name, line, found):
            kept.false.append(f"{name} did not say so: {line.text}")
    told = {date for line in lines for date in _dates(line)}
    for day in found.days:
        kept.resolvable += bool(day.means)
        kept.resolved += any(one in told for one in day.means)
    return kept


def _count(kept: Kept, kind: str, what: str, is_kept: bool) -> None:
    kept.asked[kind] += 1
    kept.kept[kind] += is_kept
    if not is_kept:
        kept.lost.append(f"{kind}: {what}")


def _stale(change: Changed, line: Line) -> bool:
    """Whether a line states a value that was replaced, and not the last one beside it."""
    old = any(says(line.text, value) for value in change.values[:-1])
    return old and holds(line.text, change.about) and not says(line.text, change.values[-1])


def _dates(line: Line) -> list[str]:
    """The dates that a line states with their year, as ISO text."""
    found = [line.refers_to] if line.refers_to else []
    for day, month, year in _FULL.findall(line.text):
        number = _NUMBER[month.lower()]
        found.append(f"{year}-{number:02}-{int(day):02}" if day else f"{year}-{number:02}")
    return list(dict.fromkeys(found))


def _is_true(date: str, line: Line, found: Conversation) -> bool:
    """Whether a date is one that the messages behind a line mean, or say in full."""
    near = [day for day in found.days if line.first <= day.place <= line.last]
    meant = {one for day in near for one in day.means}
    if any(date == one or one.startswith(date) or date.startswith(one) for one in meant):
        return True
    said = " ".join(message.text for message in found.messages[line.first : line.last + 1])
    return date in said or date in _dates(Line(text=said, first=0, last=0)) or (len(date) == 4 and date in said)


def _spoke(name: str, line: Line, found: Conversation) -> bool:
    speakers = {message.speaker for message in found.messages}
    if name not in speakers:
        return True
    return any(message.speaker == name for message in found.messages[line.first : line.last + 1])
