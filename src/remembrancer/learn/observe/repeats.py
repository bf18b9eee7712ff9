"""Removal of repeated statements: each one spans from its first message to its last."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from remembrancer.language.sentences import LineForm
from remembrancer.language.terms import Term
from remembrancer.learn.observe.candidates import Candidate

# The share of words from which two statements have the same subject.
_ALIKE: Final = 0.5
# The number of earlier statements in which one with the same subject is searched.
_LOOKED_AT: Final = 200

Stems = tuple[str, ...]


def stems(found: Sequence[Term]) -> Stems:
    """Return the key by which statements are compared."""
    return tuple(term.stem for term in found)


def without_repeats(
    candidates: Sequence[Candidate], *, noted: Sequence[Stems] = ()
) -> tuple[list[Candidate], list[tuple[int, int]]]:
    """Return the candidates without repeats, and which earlier notes are repeated in which message.

    A repeated statement keeps its first place, and spans to its last message. One that is repeated after another on the
    same subject is noted again, since it is the latest.

    Args:
        noted: the stems of earlier notes, the oldest first, which are not noted again.
    """
    statements, last = list(noted), {one: at for at, one in enumerate(noted)}
    places: dict[int, int] = {}
    kept: list[Candidate] = []
    again: list[tuple[int, int]] = []
    for piece in candidates:
        # The same heading may be above other lines.
        one = () if piece.form is LineForm.HEADING else stems(piece.terms)
        at = last.get(one) if one else None
        if at is not None and not any(
            _is_alike(one, other) for other in statements[max(at + 1, len(statements) - _LOOKED_AT) :]
        ):
            if (place := places.get(at)) is not None:
                kept[place] = replace(kept[place], last=max(kept[place].last, piece.message))
            else:
                again.append((at, piece.message))
            continue
        last[one] = len(statements)
        places[len(statements)] = len(kept)
        statements.append(one)
        kept.append(piece)
    return kept, again


def _is_alike(one: Stems, other: Stems) -> bool:
    words = set(one)
    return one != other and len(words.intersection(other)) >= _ALIKE * len(words)
