"""Which pieces are kept: the most told per token, until the budget is spent, and little of it twice."""

import heapq
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from remembrancer.engines.observing.pieces import Piece
from remembrancer.engines.observing.sentences import Form
from remembrancer.engines.observing.terms import Term

# What a term is worth by its kind.
WORTH: Final = {"stop": 0.0, "common": 0.15, "word": 1.0, "name": 1.3, "number": 1.2}
# What a term that was told already is worth again.
TOLD: Final = 0.35
# A message of which so many tokens are kept counts half for more of it.
SATURATION: Final = 60.0
FORMS: Final = {Form.PROSE: 1.0, Form.ITEM: 0.8, Form.HEADING: 0.3, Form.ROW: 0.6, Form.CODE: 0.4}
ASSISTANT: Final = 0.5
QUESTION: Final = 0.4
ANSWER: Final = 1.15
CUES: Final = {
    "decision": 1.2,
    "preference": 1.2,
    "profile": 1.3,
    "error": 1.2,
    "must": 1.3,
    "pattern": 1.1,
    "request": 0.8,
}
FIRST_PERSON: Final = 1.15
DATED: Final = 1.3
# Tokens beyond its own that a piece costs, so that short ones do not win by nothing.
OVERHEAD: Final = 2


@dataclass(slots=True, kw_only=True)
class _Chosen:
    kept: list[int] = field(default_factory=list[int])
    told: Counter[str] = field(default_factory=Counter[str])
    of_message: Counter[int] = field(default_factory=Counter[int])
    spent: int = 0


def chosen(pieces: Sequence[Piece], budget: int, *, prefixes: Sequence[int], assistants: Sequence[bool]) -> list[Piece]:
    """The pieces to keep, in the order they were said.

    Args:
        pieces: all there are, in order.
        budget: how many tokens they may cost together.
        prefixes: what naming the speaker costs, by message.
        assistants: whether a message is an assistant's, by message.
    """
    worths = _worths(pieces)
    factors = [_factor(piece, assistant=assistants[piece.message]) for piece in pieces]
    state = _Chosen()

    def gain(at: int) -> float:
        piece = pieces[at]
        value = sum(worths.get(term.stem, 0.0) * TOLD ** state.told[term.stem] for term in _distinct(piece))
        crowd = 1 / (1 + state.of_message[piece.message] / SATURATION)
        return value * factors[at] * crowd / (piece.tokens + OVERHEAD)

    queue = [(-gain(at), at) for at in range(len(pieces))]
    heapq.heapify(queue)
    while queue:
        _, at = heapq.heappop(queue)
        piece = pieces[at]
        cost = piece.tokens + (0 if state.of_message[piece.message] else prefixes[piece.message])
        if state.spent + cost > budget:
            continue
        now = -gain(at)
        if queue and now > queue[0][0] + 1e-12:
            heapq.heappush(queue, (now, at))
            continue
        if now >= 0:
            break
        state.kept.append(at)
        state.told.update(term.stem for term in _distinct(piece))
        state.of_message[piece.message] += piece.tokens
        state.spent += cost
    return [pieces[at] for at in sorted(state.kept)]


def _distinct(piece: Piece) -> dict[Term, None]:
    return dict.fromkeys(piece.terms)


def _worths(pieces: Sequence[Piece]) -> dict[str, float]:
    """What each term is worth: by its kind, and more the fewer messages hold it."""
    holding: Counter[str] = Counter()
    kinds: dict[str, str] = {}
    seen: set[tuple[int, str]] = set()
    for piece in pieces:
        for term in piece.terms:
            if (piece.message, term.stem) not in seen:
                seen.add((piece.message, term.stem))
                holding[term.stem] += 1
            if WORTH[term.kind] > WORTH.get(kinds.get(term.stem, ""), -1.0):
                kinds[term.stem] = term.kind
    count = 1 + max((piece.message for piece in pieces), default=0)
    return {
        stem: WORTH[kind] * math.log(1 + count / holding[stem]) / math.log(1 + count) for stem, kind in kinds.items()
    }


def _factor(piece: Piece, *, assistant: bool) -> float:
    factor = FORMS[piece.form] * (ASSISTANT if assistant else 1.0)
    factor *= QUESTION if piece.marks.asks else 1.0
    factor *= FIRST_PERSON if piece.marks.first_person else 1.0
    factor *= ANSWER if piece.follows_question and not piece.place else 1.0
    factor *= DATED if piece.refers_to else 1.0
    for cue in piece.marks.cues:
        factor *= CUES[cue]
    return factor
