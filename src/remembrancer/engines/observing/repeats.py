"""The same statement said twice is one statement, which reaches from the first time to the last."""

from collections.abc import Sequence
from dataclasses import replace

from remembrancer.engines.observing.pieces import Piece


def without_repeats(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces, each statement once: where it was said first, reaching to the message that says it last."""
    first: dict[tuple[str, ...], int] = {}
    kept: list[Piece] = []
    for piece in pieces:
        said = tuple(term.stem for term in piece.terms)
        if not said or said not in first:
            first[said] = len(kept)
            kept.append(piece)
        else:
            at = first[said]
            kept[at] = replace(kept[at], last=max(kept[at].last, piece.message))
    return kept
