"""Putting marks in place of pieces of a text."""

from collections.abc import Iterable


def marked(text: str, marks: Iterable[tuple[int, int, str]]) -> str:
    """Return a text with a mark in place of each piece.

    Args:
        marks: where a piece starts and ends, and what stands there instead; in order and without overlap.
    """
    pieces: list[str] = []
    shown = 0
    for start, end, mark in marks:
        pieces += (text[shown:start], mark)
        shown = end
    return "".join(pieces) + text[shown:]
