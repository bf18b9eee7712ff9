"""What a few words of behaviour say: an act and what it is done to, whichever words are chosen for it."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, Self

from remembrancer.language.detection import language_of
from remembrancer.language.stems import stem
from remembrancer.language.words import stop_words
from remembrancer.learn.detect.acts import acts, negations, opposed, phrases, place_words

_WORD: Final = re.compile(r"[^\W\d_]+")
# "No, I do it myself" takes nothing away.
_ANSWER: Final = re.compile(r"\bno\s*[,.;:!]")
_CONTRACTED: Final = re.compile(r"n['’]t\b")
_NEGATED_WITHIN: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a text says.

    Args:
        tokens: its acts and the stems of what else it names; `!` before an act that was not done.
        surfaces: how each token is written in it.
    """

    tokens: frozenset[str]
    surfaces: tuple[tuple[str, str], ...]
    acts: frozenset[str]

    def without(self, token: str | None) -> Self:
        """The same, less one token."""
        if token not in self.tokens:
            return self
        surfaces = tuple(pair for pair in self.surfaces if pair[0] != token)
        return replace(self, tokens=self.tokens - {token}, surfaces=surfaces, acts=self.acts - {token})


def language(texts: Iterable[str]) -> str:
    """The language that texts of one scope are in."""
    return language_of([word for text in texts for word in _WORD.findall(text.casefold())])


@lru_cache(maxsize=50_000)
def wording(text: str, tongue: str, *, leave: frozenset[str] = frozenset()) -> Reading:
    """What a text says, without the names in `leave`, which are counted for themselves."""
    known, common, places = acts(tongue), stop_words()[tongue], place_words()
    tokens: dict[str, str] = {}
    done: set[str] = set()
    negated = 0
    for word in _words(text):
        if word in negations():
            negated = _NEGATED_WITHIN
            continue
        act = known.get(word) or (None if word in common else known.get(_stem(word, tongue)))
        if act is None and (word in common or word in places or word in leave or len(word) < 2):
            continue
        token = act or _stem(word, tongue)
        if act and negated:
            token, negated = f"!{token}", 0
        negated = max(0, negated - 1)
        if act and done & opposed(token):
            # "Restored the archived mail": what is done is said first.
            continue
        tokens.setdefault(token, word)
        if act:
            done.add(token)
    return Reading(tokens=frozenset(tokens), surfaces=tuple(tokens.items()), acts=frozenset(done))


def _words(text: str) -> list[str]:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return list(_split(folded))


@lru_cache(maxsize=50_000)
def _split(folded: str) -> tuple[str, ...]:
    plain = _CONTRACTED.sub(" not", _ANSWER.sub(" ", folded))
    for pattern, instead in phrases():
        plain = pattern.sub(instead, plain)
    return tuple(_WORD.findall(plain))


@lru_cache(maxsize=100_000)
def _stem(word: str, tongue: str) -> str:
    return stem(word, tongue)


def stems(text: str, tongue: str) -> frozenset[str]:
    """The stems and acts of a name or a value."""
    return wording(text, tongue).tokens


def commonest(surfaces: Sequence[str]) -> str:
    """The spelling used most often; of several the shortest, then the first by letters."""
    return min(set(surfaces), key=lambda word: (-surfaces.count(word), len(word), word)) if surfaces else ""
