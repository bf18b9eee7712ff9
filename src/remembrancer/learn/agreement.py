"""Comparison of two short texts that may be merged because they make the same statement.

Embeddings do not distinguish "always archive" from "never archive", and word lists do not show what a paraphrase
leaves out. So two statements are the same only if they have the same words in the same order, apart from spelling, a
phrase moved from one end to the other, and "please". `docs/how-it-works/reflecting.md` has the alternatives measured.
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
# Words, numbers with their separators, and every other sign except punctuation.
_WORD: Final = re.compile(r"(?:(?<!\S)-)?\d+(?:[.,:/-]\d+)*|[^\W\d_]+|[^\s.,;:!¡\"'“”„«»()…–—-]")


class TextRelation(StrEnum):
    """The relation of two statements."""

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
        """Return the words without negations."""
        return tuple(word for word in self.words if word not in word_list("agreement", "negations"))


def agreement(a: str, b: str) -> TextRelation:
    """Return how two texts relate: equal, contradictory by a plain "not", or unrelated."""
    one, other = _read(a), _read(b)
    if one.asks != other.asks:
        return TextRelation.DIFFERENT
    if one.words == other.words or _turned(one.words, other.words):
        return TextRelation.SAME
    return TextRelation.OPPOSITE if one.denies != other.denies and one.plain == other.plain else TextRelation.DIFFERENT


def denies(text: str) -> bool:
    """Return True if a statement has a negation."""
    return _read(text).denies


def _turned(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Return True if only a phrase changed ends ("every Monday"), without a word whose place decides its meaning."""
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
