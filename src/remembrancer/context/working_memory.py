"""The live state of one run: in the process only, within a token limit."""

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
    """The outcomes of a run."""

    DONE = "done"
    FAILED = "failed"
    ROLLED_BACK = "rolled back"


class RunEntryKind(StrEnum):
    """The kinds of entries of a run."""

    STEP = "step"
    RESULT = "result"
    APPROVAL = "approval"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEntry:
    """An entry of a run.

    Args:
        approved: whether an approval was granted.
    """

    part: RunEntryKind
    text: str
    approved: bool = True


_REFUSAL: Final = "refused by a person"
# The labels of entries, in the order in which entries are shortened.
_LABELS: Final = {RunEntryKind.STEP.value: 0, RunEntryKind.APPROVAL.value: 1, RunEntryKind.RESULT.value: 2, _REFUSAL: 3}


def _label(entry: RunEntry) -> str:
    return entry.part.value if entry.approved else _REFUSAL


def _count_of(name: str, count: int) -> str:
    return f"{count} {name}{'' if count == 1 or name == _REFUSAL else 's'}"


class WorkingMemory:
    """The state of one run: its task, steps, results and approvals.

    Args:
        payload: the task of the run; it is never shortened.
        limit: the maximum number of tokens of `render`.
        count: counts the tokens of a text.

    Raises:
        InvalidInput: the payload alone has more tokens.
    """

    def __init__(self, payload: str, *, limit: int = WORKING_TOKENS, count: Callable[[str], int] = estimate) -> None:
        self._payload = payload
        self._limit = limit
        self._count = count
        self._entries: list[RunEntry] = []
        self._compressed: list[RunEntry] = []
        if (size := count(self._text())) > limit:
            raise InvalidInput(
                f"the payload has {size} tokens and working memory has room for {limit}: shorten the payload"
            )

    @property
    def entries(self) -> tuple[RunEntry, ...]:
        """The entries that are shown in full, in order."""
        return tuple(self._entries)

    @property
    def payload(self) -> str:
        """The task of the run."""
        return self._payload

    @property
    def all_entries(self) -> tuple[RunEntry, ...]:
        """All entries, in order."""
        return (*self._compressed, *self._entries)

    @property
    def compressed(self) -> int:
        """The number of the oldest entries that only a summary covers."""
        return len(self._compressed)

    def step(self, text: str) -> None:
        """Add a step."""
        self._entries.append(RunEntry(part=RunEntryKind.STEP, text=text))

    def result(self, text: str) -> None:
        """Add a result so far."""
        self._entries.append(RunEntry(part=RunEntryKind.RESULT, text=text))

    def approval(self, text: str, *, approved: bool = True) -> None:
        """Add an approval or a refusal by a person."""
        self._entries.append(RunEntry(part=RunEntryKind.APPROVAL, text=text, approved=approved))

    def render(self) -> str:
        """Return the state for an agent, with entries shortened if too long."""
        while self._entries and self._count(self._text()) > self._limit:
            self._compressed.append(self._entries.pop(self._next_to_shorten()))
        # A payload that fills the slot leaves room for the number of entries only, or for nothing.
        texts = [self._text(), self._text(quoting=False), indented(self._payload)]
        return next((text for text in texts if self._count(text) <= self._limit), texts[-1])

    def _text(self, *, quoting: bool = True) -> str:
        lines = [indented(self._payload)]
        if self._compressed:
            lines.append(self._summary(quoting=quoting))
        lines += [f"- {_label(entry)}: {indented(entry.text)}" for entry in self._entries]
        return "\n".join(lines)

    def _next_to_shorten(self) -> int:
        """Return the index of the next entry to shorten.

        Steps come before results, and refusals last.
        """
        return min(range(len(self._entries)), key=lambda index: (_LABELS[_label(self._entries[index])], index))

    def _summary(self, *, quoting: bool) -> str:
        """Return the shortened entries as one sentence of bounded length."""
        counted = Counter(_label(entry) for entry in self._compressed)
        counts = [_count_of(name, count) for name in _LABELS if (count := counted[name])]
        last = f", the last of them: {opening(self._compressed[-1].text)}" if quoting else ""
        return f"- before that: {', '.join(counts)}{last}"
