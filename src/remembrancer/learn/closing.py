"""A session's summary by rules: its decisions, requests, saves and open questions, quoted."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from remembrancer.language.cues import Marks, marks
from remembrancer.language.quoting import own_words
from remembrancer.language.sentences import LineForm, blocks, paragraphs, sentences
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
    """The summary of a session.

    Args:
        lines: each begins with its heading.
        quoted: the records whose words they quote.
    """

    lines: tuple[str, ...]
    quoted: tuple[Record, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sentence:
    """One sentence of a message."""

    message: Message
    text: str
    marks: Marks


def closing(messages: Sequence[Message], saved: Sequence[Observation]) -> Closing:
    """Summarise messages and the records saved with them.

    Args:
        messages: active ones, ordered by number; untrusted and quoted text is left out.
        saved: latest first.
    """
    trusted = [message for message in messages if message.role is not Role.TOOL and message.trust is Trust.TRUSTED]
    sentences = [one for message in trusted for one in _sentences(message)]
    wanted = [one for one in sentences if one.message.role is Role.USER and _lays_down(one)]
    asked = [one for one in sentences if one.message.role is Role.USER and _asks(one) and one not in wanted]
    answered = max((one.number for one in messages if one.role is Role.ASSISTANT), default=0)
    lines_by_heading: dict[str, list[_Sentence]] = {
        "Decided": [one for one in sentences if one.marks.has("decision") and not one.marks.asks],
        "Wanted from now on": wanted,
        "Asked": [one for one in asked if one.message.number < answered],
        "Left open": [one for one in asked if one.message.number > answered] + _awaited(sentences, messages),
    }
    if not saved and not any(lines_by_heading.values()):
        lines_by_heading["Said"] = sorted(sentences, key=lambda one: len(one.text))[-_MOST:]
    kept = {name: found[-_MOST:] for name, found in lines_by_heading.items() if found}
    lines = [f"{name}: {_joined([_quote(one) for one in found])}" for name, found in kept.items()]
    if saved:
        lines.append(f"Saved: {_joined([_clipped(one.text) for one in reversed(saved[:_MOST_SAVED])])}")
    quoted = {one.message.id: one.message for found in kept.values() for one in found}
    return Closing(lines=tuple(lines), quoted=(*quoted.values(), *saved[:_MOST_SAVED]))


def _asks(sentence: _Sentence) -> bool:
    return sentence.marks.asks or sentence.marks.has("request")


def _lays_down(sentence: _Sentence) -> bool:
    """Return True if a sentence lays down how to do something from then on."""
    return sentence.marks.has("instruction") and not sentence.marks.asks and not sentence.marks.has("decision")


def _awaited(sentences: Sequence[_Sentence], messages: Sequence[Message]) -> list[_Sentence]:
    """Return the last questions of an assistant that have no answer yet."""
    if not messages or messages[-1].role is not Role.ASSISTANT:
        return []
    return [one for one in sentences if one.message is messages[-1] and one.marks.asks]


def _sentences(message: Message) -> Iterator[_Sentence]:
    for block in paragraphs(blocks(own_words(message.text[:_LOOKED_AT]))):
        if block.form in (LineForm.PROSE, LineForm.ITEM):
            for text in sentences(block.text):
                yield _Sentence(message=message, text=text, marks=marks(text))


def _quote(sentence: _Sentence) -> str:
    return f"{speaker_of(sentence.message)}: “{_clipped(sentence.text)}”"


def _joined(parts: Sequence[str]) -> str:
    return "; ".join(part.rstrip(".;") for part in parts) + "."


def _clipped(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _QUOTED_CHARACTERS else line[:_QUOTED_CHARACTERS].rsplit(" ", 1)[0] + " …"
