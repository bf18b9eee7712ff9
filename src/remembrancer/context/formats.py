"""A block as a model takes it: one text, in Markdown or in tags, or the messages of a chat."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import Any

from remembrancer.context.assemble import CACHED, Block, Item
from remembrancer.context.slots import Slot
from remembrancer.model.record import Role

_MESSAGES = "## Messages\n"


class Format(StrEnum):
    """How a block is written down."""

    MARKDOWN = "markdown"
    TAGS = "tags"


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A block as one text.

    Args:
        prefix: what seldom changes; a provider can keep it in its cache.
        rest: what differs from turn to turn.
    """

    prefix: str
    rest: str

    @property
    def text(self) -> str:
        """All of it."""
        return self.prefix + self.rest


def write(block: Block, form: Format) -> Written:
    """A block as one text; the same block gives the same bytes."""
    cached = [item for item in block.items if item.slot in CACHED]
    rest = [item for item in block.items if item.slot not in CACHED]
    return Written(prefix=_text(cached, form), rest=_text(rest, form))


def chat(block: Block, *, marks: bool = False) -> list[dict[str, Any]]:
    """A block as the messages of a chat: what is known first, then what was said as it was said, then what is new now.

    Args:
        marks: whether what can be cached ends with the mark that Anthropic's interface wants; others need none.
    """
    messages: list[dict[str, Any]] = []
    known = "".join(item.text for item in block.items if item.slot in CACHED and item.slot is not Slot.MESSAGES)
    if known:
        messages.append({"role": "system", "content": _content(known, marks=marks)})
    said = [item for item in block.items if item.slot is Slot.MESSAGES]
    for place, item in enumerate(said):
        messages.append(_said(item, marks=marks and place == len(said) - 1))
    rest = "".join(item.text for item in block.items if item.slot not in CACHED)
    return [*messages, {"role": "system", "content": rest}] if rest else messages


def _said(item: Item, *, marks: bool) -> dict[str, Any]:
    # A tool's words have no call beside them that a chat could tie them to.
    role = Role.USER if item.role == Role.TOOL else item.role
    content = f"{item.speaker}: {item.said}" if item.speaker else item.said
    if item.role == Role.TOOL:
        content = f"A tool answered: {item.said}"
    return {"role": str(role), "content": _content(content, marks=marks)}


def _content(text: str, *, marks: bool) -> str | Sequence[Mapping[str, Any]]:
    return [{"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}] if marks else text


def _text(items: Sequence[Item], form: Format) -> str:
    parts: list[str] = []
    for slot, found in groupby(items, key=lambda item: item.slot):
        text = "".join(item.text for item in found)
        match form:
            case Format.MARKDOWN:
                parts.append(_MESSAGES + text if slot is Slot.MESSAGES else text)
            case Format.TAGS:
                # What is open stays open: a tag that closes would move with every message.
                name = slot.value.replace(" ", "_")
                parts.append(f"<{name}>\n{text}" + ("" if slot is Slot.MESSAGES else f"</{name}>\n"))
    return "".join(parts)
