"""Whether a piece is something that a person would want kept, by how it is said.

The weights are those of a logistic regression; `docs/how-it-works/observing.md` says what they were fitted to.
"""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Final

from remembrancer.language.marks import Marks
from remembrancer.language.terms import Term
from remembrancer.learn.observe.pieces import Piece
from remembrancer.types.record import Message, Role

# From here on a piece is kept whatever it costs.
KEPT: Final = -2.0
_BIAS: Final = -6.1
_LENGTH: Final = 1.7
_ASSISTANT: Final = -0.5
_ASSISTANT_LENGTH: Final = -1.5
_ASKS: Final = -0.5
_NAME: Final = 0.4
_NUMBER: Final = 0.5
_DENSITY: Final = 1.25
_DATED: Final = -1.05
_LEANS: Final = -0.6
_EXCLAIMS: Final = -0.5
_ANSWERS: Final = 0.3
_SMILES: Final = -0.4
_CUES: Final[Mapping[str, float]] = {
    "instruction": 0.55,
    "choice": 1.05,
    "commitment": 0.65,
    "change": 0.3,
    "relation": 0.6,
    "liking": 1.35,
    "outcome": 1.0,
    "reaction": -0.65,
    "past": -0.6,
}
_MOST_COUNTED: Final = 3
_PICTURE: Final = re.compile("[←-⯿\U0001f000-\U0001faff]")


def worth(piece: Piece, message: Message) -> float:
    """The logarithm of the odds that a person would want a piece kept.

    Args:
        message: the one that it is of.
    """
    score = worth_of(piece.text, piece.terms, piece.marks, piece.tokens, by_assistant=message.role is not Role.USER)
    score += _DATED * bool(piece.refers_to) + _ANSWERS * piece.follows_question
    return score + _SMILES * bool(_PICTURE.search(message.text))


def worth_of(text: str, held: Sequence[Term], marked: Marks, tokens: int, *, by_assistant: bool) -> float:
    """The same of a sentence by itself.

    Args:
        held: its terms.
        tokens: how long it is.
    """
    length = math.log(max(2, tokens))
    kinds = [term.kind for term in dict.fromkeys(held)]
    names, numbers = kinds.count("name"), kinds.count("number")
    score = _BIAS + _LENGTH * length + by_assistant * (_ASSISTANT + _ASSISTANT_LENGTH * length)
    score += _NAME * min(_MOST_COUNTED, names) + _NUMBER * min(_MOST_COUNTED, numbers)
    score += _DENSITY * (kinds.count("word") + names + numbers) / max(1, len(kinds))
    score += _ASKS * marked.asks + _LEANS * marked.leans + _EXCLAIMS * text.endswith("!")
    return score + sum(_CUES.get(cue, 0.0) for cue in marked.cues)
