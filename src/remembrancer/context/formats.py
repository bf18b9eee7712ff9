"""A block as a model takes it: one text, in Markdown or in tags, or the messages of a chat."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import Any

from remembrancer.context.assemble import CACHED, Block, Item
from remembrancer.context.lines import UNTRUSTED
from remembrancer.context.slots import Slot
from remembrancer.model.record import Role

_MESSAGES = "## Messages\n"
_MARK = {"type": "ephemeral"}


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


def by_slot(block: Block, form: Format, count: Callable[[str], int]) -> dict[str, int]:
    """The tokens of each slot that has any, by its name."""
    return {slot.value: count(text) for slot, text in _parts(block.items, form)}


def chat_size(block: Block, count: Callable[[str], int]) -> int:
    """The tokens of what a block says as the messages of a chat."""
    said = [_in_chat(item) for item in block.items if item.slot is Slot.MESSAGES]
    return count("\n".join([_known(block), *said, _rest(block)]))


def chat(block: Block, *, marks: bool = False) -> list[dict[str, Any]]:
    """A block as the messages of a chat: what is known first, then what was said as it was said, then what is new now.

    Args:
        marks: as Anthropic's interface wants it: what is known stands apart, in `system`; the last message has the mark
            behind which nothing is kept, and what is new now stands behind it. Others need no marks.
    """
    said = [item for item in block.items if item.slot is Slot.MESSAGES]
    messages = [_said(item, marks=marks and place == len(said) - 1) for place, item in enumerate(said)]
    rest = _rest(block)
    if marks:
        return _followed(messages, rest) if rest else messages
    known = [{"role": "system", "content": text} for text in [_known(block)] if text]
    return [*known, *messages, *([{"role": "system", "content": rest}] if rest else [])]


def system(block: Block) -> list[dict[str, Any]]:
    """What is known, as the system texts that Anthropic's interface takes apart from the messages, with their mark."""
    return [{"type": "text", "text": text, "cache_control": _MARK} for text in [_known(block)] if text]


def _rest(block: Block) -> str:
    return "".join(item.text for item in block.items if item.slot not in CACHED)


def _known(block: Block) -> str:
    return "".join(item.text for item in block.items if item.slot in CACHED and item.slot is not Slot.MESSAGES)


def _followed(messages: list[dict[str, Any]], rest: str) -> list[dict[str, Any]]:
    """Messages with what is new now behind the last one, in the voice of the user."""
    new = {"type": "text", "text": rest}
    if messages and messages[-1]["role"] == Role.USER:
        last = messages[-1]
        return [*messages[:-1], {**last, "content": [*last["content"], new]}]
    return [*messages, {"role": str(Role.USER.value), "content": [new]}]


def _said(item: Item, *, marks: bool) -> dict[str, Any]:
    # A tool's words have no call beside them that a chat could tie them to.
    role = Role.USER if item.role == Role.TOOL else item.role
    return {"role": str(role), "content": _content(_in_chat(item), marks=marks)}


def _in_chat(item: Item) -> str:
    if item.role == Role.TOOL:
        content = f"A tool answered: {item.said}"
    else:
        content = f"{item.speaker}: {item.said}" if item.speaker else item.said
    return f"{UNTRUSTED}{content}" if item.untrusted else content


def _content(text: str, *, marks: bool) -> str | Sequence[Mapping[str, Any]]:
    return [{"type": "text", "text": text, "cache_control": _MARK}] if marks else text


def _text(items: Sequence[Item], form: Format) -> str:
    return "".join(text for _, text in _parts(items, form))


def _parts(items: Sequence[Item], form: Format) -> list[tuple[Slot, str]]:
    """What stands in each slot, with what stands around it."""
    parts: list[tuple[Slot, str]] = []
    for slot, found in groupby(items, key=lambda item: item.slot):
        text = "".join(item.text for item in found)
        match form:
            case Format.MARKDOWN:
                parts.append((slot, _MESSAGES + text if slot is Slot.MESSAGES else text))
            case Format.TAGS:
                # What is open stays open: a tag that closes would move with every message.
                name = slot.value.replace(" ", "_")
                parts.append((slot, f"<{name}>\n{text}" + ("" if slot is Slot.MESSAGES else f"</{name}>\n")))
    return parts
