"""The value of a sentence for a note, by its wording.

The weights are those of a log-linear model and of a logistic regression. `docs/how-it-works/observing.md` describes
their training data.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from remembrancer.language.cues import Marks
from remembrancer.language.sentences import LineForm
from remembrancer.language.terms import Term
from remembrancer.learn.observe.candidates import Candidate
from remembrancer.types.record import Message, Role


class SpeakerRole(StrEnum):
    """The role of a speaker: a person with a name, a user without one, or an assistant."""

    NAMED = "named"
    USER = "user"
    ASSISTANT = "assistant"


def speaker_role(message: Message) -> SpeakerRole:
    """Return the role of the speaker of a message."""
    if message.role is not Role.USER:
        return SpeakerRole.ASSISTANT
    return SpeakerRole.NAMED if message.speaker.strip() else SpeakerRole.USER


@dataclass(frozen=True, slots=True, kw_only=True)
class _Weights:
    """The weights of the features of a sentence for one role."""

    forms: Mapping[LineForm, float]
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
    forms={LineForm.PROSE: 0.0, LineForm.ITEM: 0.25, LineForm.HEADING: 0.1, LineForm.ROW: 0.0, LineForm.CODE: -0.5},
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
    forms={LineForm.PROSE: 0.0, LineForm.ITEM: -0.2, LineForm.HEADING: 0.0, LineForm.ROW: -0.3, LineForm.CODE: -0.4},
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
_WEIGHTS: Final = {SpeakerRole.NAMED: _PERSON, SpeakerRole.USER: _PERSON, SpeakerRole.ASSISTANT: _ASSISTANT}
_SPEAKER: Final = {SpeakerRole.NAMED: 0.0, SpeakerRole.USER: -0.4, SpeakerRole.ASSISTANT: 0.5}
_ASKS: Final = {SpeakerRole.NAMED: -0.6, SpeakerRole.USER: 0.15, SpeakerRole.ASSISTANT: 0.05}
_YOU: Final = {SpeakerRole.NAMED: -0.95, SpeakerRole.USER: -0.15, SpeakerRole.ASSISTANT: 0.15}
# A long message of a user is mostly pasted in, a long one of an assistant mostly general knowledge.
_MESSAGE_LENGTH: Final = {SpeakerRole.NAMED: 0.1, SpeakerRole.USER: -0.45, SpeakerRole.ASSISTANT: -0.4}
# Below this length a message is short; even shorter ones have no higher score for that.
_LEAST_LENGTH: Final = 30
_OPENS_REQUEST: Final = 0.2
_ANSWERS: Final = 0.55
_FOLLOWS_ANSWER: Final = 0.25
_FRAGMENT: Final = 5


def salience(piece: Candidate, spoken: SpeakerRole, message_tokens: int) -> float:
    """Return the logarithm of how much a token of the piece is worth, up to a constant."""
    score = _SPEAKER[spoken] + _MESSAGE_LENGTH[spoken] * math.log(max(_LEAST_LENGTH, message_tokens))
    score += _ASKS[spoken] * piece.marks.asks + _YOU[spoken] * piece.marks.has("you")
    score += _OPENS_REQUEST * (spoken is SpeakerRole.USER and not piece.place)
    if piece.follows_question and spoken is not SpeakerRole.ASSISTANT:
        score += _FOLLOWS_ANSWER if piece.place else _ANSWERS
    return score + _by_cues(piece, _WEIGHTS[spoken]) + _by_terms(piece, _WEIGHTS[spoken])


def _by_cues(piece: Candidate, weights: _Weights) -> float:
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


def _by_terms(piece: Candidate, weights: _Weights) -> float:
    kinds = [term.kind for term in dict.fromkeys(piece.terms)]
    count = max(1, len(kinds))
    names, numbers, common = (kinds.count(kind) for kind in ("name", "number", "common"))
    return (
        weights.name * min(names, 3)
        + weights.number * min(numbers, 3)
        + weights.density * (names + numbers + kinds.count("word")) / count
        + weights.common * common / count
    )


# The score from which a candidate is kept at any cost.
KEEP_THRESHOLD: Final = -2.0
_BIAS: Final = -6.1
_LENGTH_WEIGHT: Final = 1.7
_BY_ASSISTANT: Final = -0.5
_ASSISTANT_LENGTH: Final = -1.5
_QUESTION: Final = -0.5
_NAME: Final = 0.4
_NUMBER: Final = 0.5
_DENSITY: Final = 1.25
_DATED: Final = -1.05
_LEANS: Final = -0.6
_EXCLAIMS: Final = -0.5
_AFTER_QUESTION: Final = 0.3
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


def keep_score(piece: Candidate, message: Message) -> float:
    """Return the logarithm of the odds that a person would want a piece kept.

    Args:
        message: the one that it is of.
    """
    score = sentence_score(
        piece.text, piece.terms, piece.marks, piece.tokens, by_assistant=message.role is not Role.USER
    )
    return score + _DATED * bool(piece.refers_to) + _AFTER_QUESTION * piece.follows_question


def sentence_score(text: str, found: Sequence[Term], marked: Marks, tokens: int, *, by_assistant: bool) -> float:
    """Return the score of a sentence by itself.

    Args:
        found: its terms.
        tokens: its length.
    """
    length = math.log(max(2, tokens))
    kinds = [term.kind for term in dict.fromkeys(found)]
    names, numbers = kinds.count("name"), kinds.count("number")
    score = _BIAS + _LENGTH_WEIGHT * length + by_assistant * (_BY_ASSISTANT + _ASSISTANT_LENGTH * length)
    score += _NAME * min(_MOST_COUNTED, names) + _NUMBER * min(_MOST_COUNTED, numbers)
    score += _DENSITY * (kinds.count("word") + names + numbers) / max(1, len(kinds))
    score += _QUESTION * marked.asks + _LEANS * marked.leans + _EXCLAIMS * text.endswith("!")
    return score + sum(_CUES.get(cue, 0.0) for cue in marked.cues)
