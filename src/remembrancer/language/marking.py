"""Replacement of pieces of a text by marks."""

from collections.abc import Iterable


def marked(text: str, marks: Iterable[tuple[int, int, str]]) -> str:
    """Return a text with a mark in place of each piece.

    Args:
        marks: the start and end of a piece, and its replacement; in order and without overlap.
    """
    pieces: list[str] = []
    shown = 0
    for start, end, mark in marks:
        pieces += (text[shown:start], mark)
        shown = end
    return "".join(pieces) + text[shown:]
