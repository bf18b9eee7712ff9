"""The same statement said twice is one statement, which reaches from the first time to the last."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from remembrancer.language.sentences import Form
from remembrancer.language.terms import Term
from remembrancer.learn.observe.candidates import Candidate

# Two statements that share so much of what the one says are about the same.
_ALIKE: Final = 0.5
# So many statements back it is looked for one that was said in between.
_LOOKED_AT: Final = 200

Stems = tuple[str, ...]


def stems(found: Sequence[Term]) -> Stems:
    """Return the key by which statements are compared."""
    return tuple(term.stem for term in found)


def without_repeats(
    candidates: Sequence[Candidate], *, noted: Sequence[Stems] = ()
) -> tuple[list[Candidate], list[tuple[int, int]]]:
    """Return the candidates, each statement once: where it was said first, reaching to the message that says it last.

    One that comes back after something else was said of the same is told again: it is the newest that was said. Beside
    them which statement that was noted before is said again, by its place, and in which message.

    Args:
        noted: the stems of what was noted before, the oldest first, which is not noted again.
    """
    said, last = list(noted), {one: at for at, one in enumerate(noted)}
    places: dict[int, int] = {}
    kept: list[Candidate] = []
    again: list[tuple[int, int]] = []
    for piece in candidates:
        # The same heading may stand above something else.
        one = () if piece.form is Form.HEADING else stems(piece.terms)
        at = last.get(one) if one else None
        if at is not None and not any(_is_alike(one, other) for other in said[max(at + 1, len(said) - _LOOKED_AT) :]):
            if (place := places.get(at)) is not None:
                kept[place] = replace(kept[place], last=max(kept[place].last, piece.message))
            else:
                again.append((at, piece.message))
            continue
        last[one] = len(said)
        places[len(said)] = len(kept)
        said.append(one)
        kept.append(piece)
    return kept, again


def _is_alike(one: Stems, other: Stems) -> bool:
    held = set(one)
    return one != other and len(held.intersection(other)) >= _ALIKE * len(held)
