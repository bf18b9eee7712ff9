"""What an agent is handed: the block, and an account of it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from remembrancer.context.assemble import Block
from remembrancer.context.formats import Format, chat, system, write
from remembrancer.context.slots import Slot
from remembrancer.search.query import Recalled
from remembrancer.types.record import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """An account of a block.

    Args:
        budget: the most tokens that it may have.
        tokens: those of the very text, by `tokenizer`; never more than the budget.
        exact: whether the model counts the same; else the count was raised by `margin`.
        slots: tokens by slot.
        caps: the most that each may take, by the names of the setting `slots`.
        cacheable: tokens of the prefix that a provider can keep.
        dropped: ids of what did not fit, by slot; what has none is `exchange 1` of the history, `task`, `working` or
            `today`.
        raw: tokens of messages that are served as they were said.
        noted: tokens of the log.
        covered: how many messages are told by what was noted of them.
        whole: tokens of the whole conversation, in whose place the block stands.
        notes: what was not as usual.
    """

    budget: int
    tokens: int
    tokenizer: str
    exact: bool
    margin: float
    slots: Mapping[str, int]
    caps: Mapping[str, int]
    dropped: Mapping[str, tuple[str, ...]]
    cacheable: int = 0
    raw: int = 0
    noted: int = 0
    covered: int = 0
    whole: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What an agent reads before it answers."""

    block: Block
    report: Report
    format: Format = Format.MARKDOWN

    @property
    def text(self) -> str:
        """The block as one text."""
        return write(self.block, self.format).text

    @property
    def tokens(self) -> int:
        """The tokens of the text."""
        return self.report.tokens

    @property
    def notes(self) -> tuple[str, ...]:
        """Deviations from the usual, such as an embedder that was too slow."""
        return self.report.notes

    @property
    def prefix(self) -> str:
        """The part of the text that seldom changes."""
        return write(self.block, self.format).prefix

    def messages(self, *, marks: bool = False) -> list[dict[str, Any]]:
        """The block as the messages of a chat; see `context.formats.chat`."""
        return chat(self.block, marks=marks)

    def system(self) -> list[dict[str, Any]]:
        """What is known, apart from `messages(marks=True)`; see `context.formats.system`."""
        return system(self.block)

    def noted(self) -> list[str]:
        """Ids of the memories that are told of, the messages of the conversation apart."""
        return [id for item in self.block.items if item.slot is not Slot.MESSAGES for id in item.ids]

    def recalled(self, found: Recalled | None) -> list[Record]:
        """Those of what was recalled that are told."""
        told = {id for item in self.block.items if item.slot is Slot.RECALLED for id in item.ids}
        return [hit.record for hit in found.hits if hit.record.id in told] if found else []

    def ids(self) -> tuple[str, ...]:
        """Of every memory that is told of, in the order of the block."""
        return tuple(id for item in self.block.items for id in item.ids)

    def without_text(self) -> Self:
        """Return the same context with an empty text, for a mode that is switched off; the ids stay."""
        items = tuple(replace(item, text="", tokens=0) for item in self.block.items)
        report = replace(self.report, tokens=0, slots={})
        return replace(self, block=replace(self.block, items=items), report=report)
