"""The text of a note: who said it, then what was said, then sentences made of what was only named."""

from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import Final

from remembrancer.learn.observe.pieces import Piece

# Stands where sentences are left out.
GAP: Final = "[…]"


def worded(group: Sequence[Piece], speakers: Sequence[str]) -> str:
    """Pieces as a text that stands alone, a line for each who speaks: `Ana: I moved.`, `The assistant listed: tents.`.

    Args:
        speakers: who said each message of the run.
    """
    turns = groupby(group, key=lambda piece: speakers[piece.message])
    return "\n".join(_turn(speaker, list(said)) for speaker, said in turns)


def _turn(speaker: str, said: Sequence[Piece]) -> str:
    parts: list[str] = []
    for listed, run in groupby(said, key=lambda piece: piece.listed):
        told = _with_gaps(list(run))
        parts.append(f"Listed: {'; '.join(told)}." if listed else " ".join(told))
    if said[0].listed:
        return " ".join((speaker, parts[0][0].lower() + parts[0][1:], *parts[1:]))
    return f"{speaker}: {' '.join(parts)}"


def _with_gaps(said: Sequence[Piece]) -> list[str]:
    """What is told, with a mark where something of the same message is left out between."""
    told = [said[0].text]
    for before, piece in pairwise(said):
        if before.message == piece.message and piece.place > before.place + 1:
            told.append(GAP)
        told.append(piece.text)
    return told
