"""The context that an agent reads, and its report."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from remembrancer.context.assemble import Block
from remembrancer.context.formats import (
    Format,
    chat_messages,
    known_messages,
    new_messages,
    render,
    system_texts,
)
from remembrancer.context.slots import Slot
from remembrancer.search.query import RecallResult
from remembrancer.types.record import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The token counts of a block, and what was left out of it.

    Args:
        budget: the maximum number of tokens of the block.
        tokens: the tokens of the text, as `tokenizer` counts them; at most the budget.
        exact: whether the model counts the same; if not, the count was raised by `margin`.
        slots: tokens by slot.
        caps: the maximum of each slot, by the names of the setting `slots`.
        cacheable: tokens of the prefix that a provider can cache.
        dropped: ids of what did not fit, by slot; items without an id are named `exchange 1` (of the history), `task`,
            `working` or `today`.
        raw: tokens of the messages that are shown verbatim.
        noted: tokens of the notes on the conversation.
        covered: the number of messages that are replaced by notes.
        whole: tokens of the whole conversation, which the block represents.
        notes: deviations from the usual.
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
    """The text that an agent reads before it answers, and its report."""

    block: Block
    report: Report
    format: Format = Format.MARKDOWN

    @property
    def text(self) -> str:
        """The block as one text."""
        return render(self.block, self.format).text

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
        return render(self.block, self.format).prefix

    def messages(self, *, marks: bool = False) -> list[dict[str, Any]]:
        """Return the block as messages of a chat.

        See `context.formats.chat_messages`.
        """
        return chat_messages(self.block, marks=marks)

    def known(self) -> list[dict[str, Any]]:
        """Return the messages before the conversation, for a program that keeps the conversation itself."""
        return known_messages(self.block)

    def new(self) -> list[dict[str, Any]]:
        """Return the messages after the conversation, for a program that keeps the conversation itself."""
        return new_messages(self.block)

    def system(self) -> list[dict[str, Any]]:
        """Return the system texts for `messages(marks=True)`.

        See `context.formats.system_texts`.
        """
        return system_texts(self.block)

    def memory_ids(self) -> list[str]:
        """Return the ids of the memories, without the conversation's messages."""
        return [id for item in self.block.items if item.slot is not Slot.MESSAGES for id in item.ids]

    def recalled_records(self, result: RecallResult | None) -> list[Record]:
        """Return the recalled memories that the block includes."""
        shown = {id for item in self.block.items if item.slot is Slot.RECALLED for id in item.ids}
        return [hit.record for hit in result.hits if hit.record.id in shown] if result else []

    def ids(self) -> tuple[str, ...]:
        """Return the ids of all memories in the block, in its order."""
        return tuple(id for item in self.block.items for id in item.ids)

    def without_text(self) -> Self:
        """Return the context with an empty text; the ids stay.

        It is the result of a mode that is switched off.
        """
        items = tuple(replace(item, text="", tokens=0) for item in self.block.items)
        report = replace(self.report, tokens=0, slots={})
        return replace(self, block=replace(self.block, items=items), report=report)
