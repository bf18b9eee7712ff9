"""Texts of a memory for the text index and for an embedder; long texts in overlapping passages.

The text index gets the date and the speaker. An embedder gets the speaker's name alone, and a message of a chat with
the one before it, since one turn has little meaning alone. `docs/how-it-works/retrieval.md` has the measurements.
"""

import re
from datetime import datetime

PASSAGE_CHARACTERS = 800
# So much of the message before is embedded with a message.
BEFORE_CHARACTERS = 300
OVERLAP_CHARACTERS = 64
_BREAKS = (re.compile(r"\n\s*\n"), re.compile(r"\n"), re.compile(r"(?<=[.!?。！？])\s*"), re.compile(r"\s+"))


def heading(*, speaker: str, occurred_at: datetime) -> str:
    """Return the prefix of a text in the text index: `[8 May 2023] Ana: `."""
    date = f"{occurred_at.day} {occurred_at:%B %Y}"
    return f"[{date}] {speaker}: " if speaker else f"[{date}] "


def passages(text: str, *, name: str = "", before: str = "") -> list[str]:
    """Return the passages of a text for an embedder; together they cover the text.

    A passage has at most `PASSAGE_CHARACTERS` characters without its prefix, and repeats the end of the last one.

    Args:
        name: the speaker, a prefix of each passage; `""` for none.
        before: the previous message, a prefix of the first passage alone.
    """
    front = f"{name}: " if name else ""
    pieces: list[str] = []
    start = 0
    while len(text) - start > PASSAGE_CHARACTERS:
        end = _break(text, start + PASSAGE_CHARACTERS // 2, start + PASSAGE_CHARACTERS)
        pieces.append(text[start:end])
        start = _word_start(text, max(end - OVERLAP_CHARACTERS, start + 1), end)
    pieces.append(text[start:])
    found = [front + piece.strip() for piece in pieces if piece.strip()] or [front.strip()]
    return [f"{before}\n{found[0]}", *found[1:]] if before else found


def _break(text: str, low: int, high: int) -> int:
    """Return the best place to cut in a range: the last paragraph, line, sentence or word end; else its end."""
    for pattern in _BREAKS:
        if ends := [found.end() for found in pattern.finditer(text, low, high) if found.end() > low]:
            return ends[-1]
    return high


def _word_start(text: str, low: int, high: int) -> int:
    """Return the first word that begins in a stretch; its start where none does."""
    found = re.compile(r"(?<=\s)\S").search(text, low, high)
    return found.start() if found else low
