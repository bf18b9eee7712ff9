"""What a session came to that nobody has summed up: what was decided, asked, saved and left open, as it was said."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from remembrancer.language.marks import Marks, marks
from remembrancer.language.quoting import own_words
from remembrancer.language.sentences import Form, blocks, paragraphs, sentences
from remembrancer.types.record import Message, Observation, Record, Role, speaker_of
from remembrancer.types.scope import Trust

# Of each: the latest.
_MOST = 3
_MOST_SAVED = 5
_QUOTED_CHARACTERS = 160
# Of a message that is longer the rest is mostly pasted in.
_LOOKED_AT = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Closing:
    """What a session came to.

    Args:
        lines: each begins with what it tells of.
        quoted: the records whose words stand in them.
    """

    lines: tuple[str, ...]
    quoted: tuple[Record, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """One sentence of a message."""

    message: Message
    text: str
    marks: Marks


def closing(messages: Sequence[Message], saved: Sequence[Observation]) -> Closing:
    """What messages and what was saved beside them came to.

    Args:
        messages: that stand, in the order of their numbers; what is untrusted or quotes others is left out.
        saved: latest first.
    """
    trusted = [message for message in messages if message.role is not Role.TOOL and message.trust is Trust.TRUSTED]
    said = [one for message in trusted for one in _sentences(message)]
    wanted = [one for one in said if one.message.role is Role.USER and _lays_down(one)]
    asked = [one for one in said if one.message.role is Role.USER and _asks(one) and one not in wanted]
    answered = max((one.number for one in messages if one.role is Role.ASSISTANT), default=0)
    told: dict[str, list[_Said]] = {
        "Decided": [one for one in said if one.marks.has("decision") and not one.marks.asks],
        "Wanted from now on": wanted,
        "Asked": [one for one in asked if one.message.number < answered],
        "Left open": [one for one in asked if one.message.number > answered] + _awaited(said, messages),
    }
    if not saved and not any(told.values()):
        told["Said"] = sorted(said, key=lambda one: len(one.text))[-_MOST:]
    kept = {name: found[-_MOST:] for name, found in told.items() if found}
    lines = [f"{name}: {_joined([_quote(one) for one in found])}" for name, found in kept.items()]
    if saved:
        lines.append(f"Saved: {_joined([_clipped(one.text) for one in reversed(saved[:_MOST_SAVED])])}")
    quoted = {one.message.id: one.message for found in kept.values() for one in found}
    return Closing(lines=tuple(lines), quoted=(*quoted.values(), *saved[:_MOST_SAVED]))


def _asks(said: _Said) -> bool:
    return said.marks.asks or said.marks.has("request")


def _lays_down(said: _Said) -> bool:
    """Whether a sentence says how something is to be done from then on."""
    return said.marks.has("instruction") and not said.marks.asks and not said.marks.has("decision")


def _awaited(said: Sequence[_Said], messages: Sequence[Message]) -> list[_Said]:
    """What an assistant asked last, where nobody has answered."""
    if not messages or messages[-1].role is not Role.ASSISTANT:
        return []
    return [one for one in said if one.message is messages[-1] and one.marks.asks]


def _sentences(message: Message) -> Iterator[_Said]:
    for block in paragraphs(blocks(own_words(message.text[:_LOOKED_AT]))):
        if block.form in (Form.PROSE, Form.ITEM):
            for text in sentences(block.text):
                yield _Said(message=message, text=text, marks=marks(text))


def _quote(said: _Said) -> str:
    return f"{speaker_of(said.message)}: “{_clipped(said.text)}”"


def _joined(parts: Sequence[str]) -> str:
    return "; ".join(part.rstrip(".;") for part in parts) + "."


def _clipped(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _QUOTED_CHARACTERS else line[:_QUOTED_CHARACTERS].rsplit(" ", 1)[0] + " …"
