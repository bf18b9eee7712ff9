"""Whether a sentence speaks of what was or of what is to come, where nothing in it speaks against that."""

from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Final

from remembrancer.language.dates.table import table


class Tense(StrEnum):
    """The tense of a sentence."""

    PAST = "past"
    PRESENT = "present"
    AHEAD = "ahead"
    OPEN = "open"
    UNSAID = "unsaid"


def is_habit(sentence: str, tongue: str) -> bool:
    """Return True if a sentence is about a repeated event."""
    return bool(table(tongue).signs.habit.search(sentence))


def tense(sentence: str, tongue: str) -> Tense:
    """Return the tense of a sentence; open for contradicting signs and for habits."""
    signs, text = table(tongue).signs, sentence.replace("’", "'")
    if signs.habit.search(text):
        return Tense.OPEN
    past = any(not signs.settled.search(found[0]) for found in signs.past.finditer(text))
    ahead = bool(signs.ahead.search(text))
    if past and ahead:
        return Tense.OPEN
    if ahead:
        return Tense.AHEAD
    present = signs.present.search(signs.past.sub(" ", text) if past else text)
    if past:
        return Tense.OPEN if present else Tense.PAST
    return Tense.PRESENT if present else Tense.UNSAID


# A part with at most this many words dates the rest: "On Friday, after lunch, we met".
_FEW: Final = 3


class Tenses:
    """The tenses of the parts of a sentence; a short part without one has that of the sentence."""

    def __init__(self, sentence: str, tongue: str) -> None:
        self._whole = tense(sentence, tongue)
        edges = [0, *(found.end() for found in table(tongue).signs.clause.finditer(sentence)), len(sentence)]
        self._parts = [
            (end, tense(sentence[start:end], tongue), len(sentence[start:end].split()))
            for start, end in pairwise(edges)
        ]

    def at(self, place: int) -> Tense:
        """Return the tense of the part that a place is in."""
        found = next(((tense, words) for end, tense, words in self._parts if place < end), (self._whole, 0))
        return self._whole if found[0] is Tense.UNSAID and found[1] <= _FEW else found[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Constant:
    """One tense for the whole text, as for a question to a memory."""

    tense: Tense

    def at(self, _: int) -> Tense:
        """Return the tense, at any place."""
        return self.tense
