"""One run's live state: in the process alone, never longer than its slot, gone when the run ends."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from remembrancer.context.lines import indented
from remembrancer.context.overflow import opening
from remembrancer.errors import InvalidInput
from remembrancer.types.text import estimate

WORKING_TOKENS = 4_000


class RunEnd(StrEnum):
    """How a run came to its end."""

    DONE = "done"
    FAILED = "failed"
    ROLLED_BACK = "rolled back"


class Part(StrEnum):
    """What is noted of a run."""

    STEP = "step"
    RESULT = "result"
    APPROVAL = "approval"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Something that was noted of a run.

    Args:
        approved: of an approval, whether it was given.
    """

    part: Part
    text: str
    approved: bool = True


_REFUSAL: Final = "refused by a person"
# What an entry is called, in the order in which entries are told in short.
_ORDER: Final = {Part.STEP.value: 0, Part.APPROVAL.value: 1, Part.RESULT.value: 2, _REFUSAL: 3}


def _named(entry: Entry) -> str:
    return entry.part.value if entry.approved else _REFUSAL


def _counted(name: str, count: int) -> str:
    return f"{count} {name}{'' if count == 1 or name == _REFUSAL else 's'}"


class WorkingMemory:
    """The state of one run: what it is for, its steps, partial results, and what was approved.

    Args:
        payload: what the run is for; it is never shortened.
        limit: the most tokens that `render` gives.
        count: the tokens of a text.

    Raises:
        InvalidInput: the payload alone takes more.
    """

    def __init__(self, payload: str, *, limit: int = WORKING_TOKENS, count: Callable[[str], int] = estimate) -> None:
        self._payload = payload
        self._limit = limit
        self._count = count
        self._entries: list[Entry] = []
        self._compressed: list[Entry] = []
        if (size := count(self._told())) > limit:
            raise InvalidInput(f"the payload takes {size} tokens and working memory has {limit}; shorten it")

    @property
    def entries(self) -> tuple[Entry, ...]:
        """What stands whole, in order."""
        return tuple(self._entries)

    @property
    def payload(self) -> str:
        """What the run is for."""
        return self._payload

    @property
    def all_entries(self) -> tuple[Entry, ...]:
        """Everything that was noted, in order."""
        return (*self._compressed, *self._entries)

    @property
    def compressed(self) -> int:
        """How many of the oldest entries are told by their summary alone."""
        return len(self._compressed)

    def step(self, text: str) -> None:
        """Note what was done."""
        self._entries.append(Entry(part=Part.STEP, text=text))

    def result(self, text: str) -> None:
        """Note what came of it so far."""
        self._entries.append(Entry(part=Part.RESULT, text=text))

    def approval(self, text: str, *, approved: bool = True) -> None:
        """Note what a person has approved of, or refused."""
        self._entries.append(Entry(part=Part.APPROVAL, text=text, approved=approved))

    def render(self) -> str:
        """The state as an agent reads it before a model is called: the oldest entries in short where it is too long."""
        while self._entries and self._count(self._told()) > self._limit:
            self._compressed.append(self._entries.pop(self._least()))
        # A payload that fills the slot leaves no room for more than a count, or none at all.
        told = [self._told(), self._told(quoting=False), indented(self._payload)]
        return next((text for text in told if self._count(text) <= self._limit), told[-1])

    def _told(self, *, quoting: bool = True) -> str:
        lines = [indented(self._payload)]
        if self._compressed:
            lines.append(self._summary(quoting=quoting))
        lines += [f"- {_named(entry)}: {indented(entry.text)}" for entry in self._entries]
        return "\n".join(lines)

    def _least(self) -> int:
        """The place of the entry to be told in short next: steps before what came of them, and a refusal last."""
        return min(range(len(self._entries)), key=lambda at: (_ORDER[_named(self._entries[at])], at))

    def _summary(self, *, quoting: bool) -> str:
        """The oldest entries in a sentence, of a length that does not grow with them."""
        counted = Counter(_named(entry) for entry in self._compressed)
        counts = [_counted(name, count) for name in _ORDER if (count := counted[name])]
        last = f", the last of them: {opening(self._compressed[-1].text)}" if quoting else ""
        return f"- before that: {', '.join(counts)}{last}"
