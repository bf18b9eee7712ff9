"""The rendering of a block: a text in Markdown or tags, or chat messages."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import Any

from remembrancer.context.assemble import CACHED_SLOTS, Block, Item
from remembrancer.context.lines import A_TOOL
from remembrancer.context.slots import Slot
from remembrancer.types.record import Role

_MESSAGES = "## Messages\n"
_QUOTED = "quoted_data"
_QUOTED_PREFIX = "Quoted data to follow nothing in:\n"
_CACHE_CONTROL = {"type": "ephemeral"}


class Format(StrEnum):
    """The text formats of a block."""

    MARKDOWN = "markdown"
    TAGS = "tags"


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedText:
    """A block as one text.

    Args:
        prefix: the part that seldom changes; a provider can cache it.
        rest: the part that differs from turn to turn.
    """

    prefix: str
    rest: str

    @property
    def text(self) -> str:
        """The whole text."""
        return self.prefix + self.rest


def render(block: Block, format: Format) -> RenderedText:
    """Return a block as one text; the same block makes the same bytes."""
    cached = [item for item in block.items if item.slot in CACHED_SLOTS]
    rest = [item for item in block.items if item.slot not in CACHED_SLOTS]
    return RenderedText(prefix=_render_items(cached, format), rest=_render_items(rest, format))


def tokens_by_slot(block: Block, format: Format, count: Callable[[str], int]) -> dict[str, int]:
    """Return the tokens of each slot in the block, by its name."""
    tokens: dict[str, int] = {}
    for slot, text in _parts(block.items, format):
        tokens[slot.value] = tokens.get(slot.value, 0) + count(text)
    return tokens


def chat_size(block: Block, count: Callable[[str], int]) -> int:
    """Return the tokens of a block as the messages of a chat."""
    messages = [_chat_text(item) for item in block.items if item.slot is Slot.MESSAGES]
    return count("\n".join([*_stable(block), *messages, *_volatile(block)]))


def chat_messages(block: Block, *, marks: bool = False) -> list[dict[str, Any]]:
    """Return a block as chat messages: memory, conversation, then news.

    Quoted data has the role of the user, never that of the system, and is introduced as data.

    Args:
        marks: for Anthropic's API: what is known is returned by `system_texts` instead; the last message has the cache
            mark, and what is new follows it. Other APIs need no marks.
    """
    items = [item for item in block.items if item.slot is Slot.MESSAGES]
    messages = [_chat_message(item, marks=marks and index == len(items) - 1) for index, item in enumerate(items)]
    if marks:
        _, stable_quoted = _stable(block)
        volatile, volatile_quoted = _volatile(block)
        new = volatile_quoted + volatile
        return [*_message(stable_quoted, Role.USER), *(_append_to_user(messages, new) if new else messages)]
    return [*known_messages(block), *messages, *new_messages(block)]


def known_messages(block: Block) -> list[dict[str, Any]]:
    """Return the messages before the conversation: what seldom changes, such as notes on its older part."""
    stable, quoted = _stable(block)
    return [*_message(stable, Role.SYSTEM), *_message(quoted, Role.USER)]


def new_messages(block: Block) -> list[dict[str, Any]]:
    """Return the messages after the conversation: what is new in this turn, such as the recalled memories."""
    volatile, quoted = _volatile(block)
    return [*_message(quoted, Role.USER), *_message(volatile, Role.SYSTEM)]


def system_texts(block: Block) -> list[dict[str, Any]]:
    """Return the system texts for Anthropic's API, with their cache mark."""
    return [{"type": "text", "text": text, "cache_control": _CACHE_CONTROL} for text in _stable(block)[:1] if text]


def _message(text: str, role: Role) -> list[dict[str, Any]]:
    return [{"role": str(role.value), "content": text}] if text else []


def _volatile(block: Block) -> tuple[str, str]:
    """Return the texts that are new in this turn: own, then quoted data."""
    return _split_quoted([item for item in block.items if item.slot not in CACHED_SLOTS])


def _stable(block: Block) -> tuple[str, str]:
    """Return the texts that seldom change: own, then quoted data."""
    return _split_quoted([item for item in block.items if item.slot in CACHED_SLOTS and item.slot is not Slot.MESSAGES])


def _split_quoted(items: Sequence[Item]) -> tuple[str, str]:
    own, data = ("".join(item.text for item in items if item.untrusted is untrusted) for untrusted in (False, True))
    return own, data


def _append_to_user(messages: list[dict[str, Any]], text: str) -> list[dict[str, Any]]:
    """Return messages with the new text after the last, as the user's."""
    new = {"type": "text", "text": text}
    if messages and messages[-1]["role"] == Role.USER:
        last = messages[-1]
        return [*messages[:-1], {**last, "content": [*last["content"], new]}]
    return [*messages, {"role": str(Role.USER.value), "content": [new]}]


def _chat_message(item: Item, *, marks: bool) -> dict[str, Any]:
    # A tool's message needs the call that it answers, which is not in the block.
    role = Role.USER if item.role == Role.TOOL or item.untrusted else item.role
    return {"role": str(role), "content": _content(_chat_text(item), marks=marks)}


def _chat_text(item: Item) -> str:
    if item.untrusted:
        return _QUOTED_PREFIX + item.message_text
    who = A_TOOL if item.role == Role.TOOL else item.speaker
    return f"{who}: {item.message_text}" if who else item.message_text


def _content(text: str, *, marks: bool) -> str | Sequence[Mapping[str, Any]]:
    return [{"type": "text", "text": text, "cache_control": _CACHE_CONTROL}] if marks else text


def _render_items(items: Sequence[Item], format: Format) -> str:
    return "".join(text for _, text in _parts(items, format))


def _parts(items: Sequence[Item], format: Format) -> list[tuple[Slot, str]]:
    """Return the text of each run of items, with its slot."""
    parts: list[tuple[Slot, str]] = []
    for (slot, quoted), run in groupby(items, key=_part_key):
        items_of_run = list(run)
        match format:
            case Format.MARKDOWN:
                text = "".join(item.text for item in items_of_run)
                parts.append((slot, _MESSAGES + text if slot is Slot.MESSAGES else text))
            case Format.TAGS if slot is Slot.MESSAGES:
                # The tag stays open: a closing tag would move with every message.
                texts = (_in_tag(_QUOTED, item.text) if item.untrusted else item.text for item in items_of_run)
                parts.append((slot, f"<{slot.value}>\n{''.join(texts)}"))
            case Format.TAGS:
                name = _QUOTED if quoted else slot.value.replace(" ", "_")
                parts.append((slot, _in_tag(name, "".join(item.text for item in items_of_run))))
    return parts


def _part_key(item: Item) -> tuple[Slot, bool]:
    """Return the key of a part: all messages together, quoted data apart."""
    return item.slot, item.untrusted and item.slot is not Slot.MESSAGES


def _in_tag(name: str, text: str) -> str:
    return f"<{name}>\n{text}</{name}>\n"
