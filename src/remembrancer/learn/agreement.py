"""Whether two short texts make the same statement, and so may be merged.

No embedding tells "always archive" from "never archive", and no list of words tells what a paraphrase leaves out. So
only the same words in the same order are the same statement: however they are written, with a phrase moved from one
end to the other, with or without "please". `docs/how-it-works/reflecting.md` has the alternatives measured.
"""

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from remembrancer.language.numbers import numbers
from remembrancer.language.spelling import folded
from remembrancer.language.tables import word_list

_CONTRACTED: Final = (
    (re.compile(r"\b(?:can't|cannot|cant)\b"), "can not"),
    (re.compile(r"\bwon't\b"), "will not"),
    (re.compile(r"\bshan't\b"), "shall not"),
    (re.compile(r"\b(?:do|does|did)(?:n't| not)\b"), "not"),
    (re.compile(r"n't\b"), " not"),
)
_APOSTROPHES: Final = str.maketrans(dict.fromkeys("’‘´`ʼ", "'"))
# Words, numbers with what stands within them, and every other sign that is no punctuation.
_WORD: Final = re.compile(r"(?:(?<!\S)-)?\d+(?:[.,:/-]\d+)*|[^\W\d_]+|[^\s.,;:!¡\"'“”„«»()…–—-]")


class Relation(StrEnum):
    """How two statements stand to each other."""

    SAME = "same"
    OPPOSITE = "opposite"
    DIFFERENT = "different"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    words: tuple[str, ...]
    asks: bool

    @property
    def denies(self) -> bool:
        return any(word in word_list("agreement", "negations") for word in self.words)

    @property
    def plain(self) -> tuple[str, ...]:
        """The words without those that say no."""
        return tuple(word for word in self.words if word not in word_list("agreement", "negations"))


def agreement(a: str, b: str) -> Relation:
    """Whether `a` and `b` say the same, contradict each other by a plain "not", or speak of different things."""
    one, other = _read(a), _read(b)
    if one.asks != other.asks:
        return Relation.DIFFERENT
    if one.words == other.words or _turned(one.words, other.words):
        return Relation.SAME
    return Relation.OPPOSITE if one.denies != other.denies and one.plain == other.plain else Relation.DIFFERENT


def denies(text: str) -> bool:
    """Whether a statement says no of something."""
    return _read(text).denies


def _turned(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether only a phrase changed ends ("every Monday"), and no word whose place tells what it is said of."""
    if len(one) != len(other) or not (
        word_list("agreement", "negations") | word_list("agreement", "limits")
    ).isdisjoint(one):
        return False
    return any(other[at:] + other[:at] == one for at, word in enumerate(other) if word == one[0])


def _read(text: str) -> _Reading:
    plain = unicodedata.normalize("NFKC", text).casefold().translate(_APOSTROPHES)
    for pattern, spelled in _CONTRACTED:
        plain = pattern.sub(spelled, plain)
    words = (str(numbers().get(folded(word), folded(word))) for word in _WORD.findall(plain))
    return _Reading(
        words=tuple(word for word in words if word not in word_list("agreement", "polite")), asks="?" in text
    )
