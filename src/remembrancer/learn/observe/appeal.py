"""How likely a piece is to be asked for later, by how it is said.

The weights are those of a log-linear model; `docs/how-it-works/observing.md` says what they were fitted to.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from remembrancer.language.sentences import Form
from remembrancer.learn.observe.pieces import Piece
from remembrancer.types.record import Message, Role


class Voice(StrEnum):
    """Who speaks: a person with a name, a user without one, or an assistant."""

    NAMED = "named"
    USER = "user"
    ASSISTANT = "assistant"


def voice(message: Message) -> Voice:
    """Whose voice a message is in."""
    if message.role is not Role.USER:
        return Voice.ASSISTANT
    return Voice.NAMED if message.speaker.strip() else Voice.USER


@dataclass(frozen=True, slots=True, kw_only=True)
class _Weights:
    """What the ways of saying a thing are worth in one kind of voice."""

    forms: Mapping[Form, float]
    cues: Mapping[str, float]
    first_person: float
    opens_with_me: float
    past: float
    exclaims: float
    leans: float
    fragment: float
    dated: float
    name: float
    number: float
    density: float
    common: float
    length: float


_PERSON: Final = _Weights(
    forms={Form.PROSE: 0.0, Form.ITEM: 0.25, Form.HEADING: 0.1, Form.ROW: 0.0, Form.CODE: -0.5},
    cues={"must": 0.8, "pattern": 0.45, "preference": 0.3, "decision": 0.3, "error": 0.3, "request": 0.15},
    first_person=0.45,
    opens_with_me=0.2,
    past=0.2,
    exclaims=-0.2,
    leans=-0.35,
    fragment=-0.9,
    dated=0.2,
    name=0.2,
    number=0.4,
    density=2.0,
    common=-0.3,
    length=-0.25,
)
_ASSISTANT: Final = _Weights(
    forms={Form.PROSE: 0.0, Form.ITEM: -0.2, Form.HEADING: 0.0, Form.ROW: -0.3, Form.CODE: -0.4},
    cues={"pattern": 0.2, "decision": 0.1, "error": 0.15, "request": 0.15, "preference": 0.1},
    first_person=0.0,
    opens_with_me=-0.1,
    past=0.0,
    exclaims=-0.25,
    leans=-0.1,
    fragment=-0.2,
    dated=0.0,
    name=0.15,
    number=0.25,
    density=0.8,
    common=0.0,
    length=-0.2,
)
_WEIGHTS: Final = {Voice.NAMED: _PERSON, Voice.USER: _PERSON, Voice.ASSISTANT: _ASSISTANT}
_VOICE: Final = {Voice.NAMED: 0.0, Voice.USER: -0.4, Voice.ASSISTANT: 0.5}
_ASKS: Final = {Voice.NAMED: -0.6, Voice.USER: 0.15, Voice.ASSISTANT: 0.05}
_YOU: Final = {Voice.NAMED: -0.95, Voice.USER: -0.15, Voice.ASSISTANT: 0.15}
# A long message of a user is mostly pasted in, a long one of an assistant mostly general knowledge.
_MESSAGE_LENGTH: Final = {Voice.NAMED: 0.1, Voice.USER: -0.45, Voice.ASSISTANT: -0.4}
# Below this a message is short, and no shorter one tells more for that.
_LEAST_LENGTH: Final = 30
_OPENS_REQUEST: Final = 0.2
_ANSWERS: Final = 0.55
_FOLLOWS_ANSWER: Final = 0.25
_FRAGMENT: Final = 5


def appeal(piece: Piece, spoken: Voice, message_tokens: int) -> float:
    """The logarithm of how much a token of the piece is worth, up to a constant."""
    score = _VOICE[spoken] + _MESSAGE_LENGTH[spoken] * math.log(max(_LEAST_LENGTH, message_tokens))
    score += _ASKS[spoken] * piece.marks.asks + _YOU[spoken] * piece.marks.has("you")
    score += _OPENS_REQUEST * (spoken is Voice.USER and not piece.place)
    if piece.follows_question and spoken is not Voice.ASSISTANT:
        score += _FOLLOWS_ANSWER if piece.place else _ANSWERS
    return score + _said(piece, _WEIGHTS[spoken]) + _held(piece, _WEIGHTS[spoken])


def _said(piece: Piece, weights: _Weights) -> float:
    marked = piece.marks
    return (
        weights.forms[piece.form]
        + sum(weights.cues.get(cue, 0.0) for cue in marked.cues)
        + weights.first_person * marked.first_person
        + weights.opens_with_me * marked.opens_with_me
        + weights.past * marked.has("past")
        + weights.exclaims * piece.text.endswith("!")
        + weights.leans * marked.leans
        + weights.fragment * (piece.tokens < _FRAGMENT)
        + weights.dated * bool(piece.refers_to)
        + weights.length * math.log(max(2, piece.tokens))
    )


def _held(piece: Piece, weights: _Weights) -> float:
    kinds = [term.kind for term in dict.fromkeys(piece.terms)]
    count = max(1, len(kinds))
    names, numbers, common = (kinds.count(kind) for kind in ("name", "number", "common"))
    return (
        weights.name * min(names, 3)
        + weights.number * min(numbers, 3)
        + weights.density * (names + numbers + kinds.count("word")) / count
        + weights.common * common / count
    )
