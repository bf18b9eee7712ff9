"""The text of a note: who said it, then what was said, then sentences made of what was only named."""

from collections.abc import Sequence
from itertools import groupby

from remembrancer.engines.observing.pieces import Piece


def worded(speaker: str, group: Sequence[Piece]) -> str:
    """Pieces of one speaker as a text that stands alone: `Ana: I moved.`, `The assistant listed: tents; maps.`."""
    parts: list[str] = []
    for listed, run in groupby(group, key=lambda piece: piece.listed):
        texts = [piece.text for piece in run]
        parts.append(f"Listed: {'; '.join(texts)}." if listed else " ".join(texts))
    if group[0].listed:
        return " ".join((speaker, parts[0][0].lower() + parts[0][1:], *parts[1:]))
    return f"{speaker}: {' '.join(parts)}"
