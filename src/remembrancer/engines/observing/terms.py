"""What a sentence holds, as terms: stems, numbers and names; pairs of characters where no spaces are."""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

from snowballstemmer import stemmer as _untyped_stemmer  # pyright: ignore[reportUnknownVariableType]

from remembrancer.engines.observing.words import COMMON
from remembrancer.retrieval.analysis import language_of
from remembrancer.retrieval.stopwords import STOP_WORDS

_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
_WORD = re.compile(rf"[{_UNSPACED}]+|\d+(?:[.,:]\d+)*|[^\W\d_{_UNSPACED}]+|\d+")
_FIRST_UNSPACED = re.compile(rf"[{_UNSPACED}]")
_LONGEST = 64
_FOR_LANGUAGE = 400
_stemmer = cast(Callable[[str], Any], _untyped_stemmer)
_STEMMERS = {language: _stemmer(language) for language in STOP_WORDS}


@dataclass(frozen=True, slots=True)
class Term:
    """One term as it stands in a sentence.

    Args:
        kind: `stop`, `common`, `word`, `name` or `number`.
    """

    stem: str
    kind: str


def language(text: str) -> str:
    """The language that a text is in, of the five known; English where none stands out."""
    words = [word.casefold() for word in _WORD.findall(text[: _FOR_LANGUAGE * 8])[:_FOR_LANGUAGE]]
    return language_of(words)


def terms(sentence: str, tongue: str) -> tuple[Term, ...]:
    """The terms of a sentence, in order, with repeats."""
    found: list[Term] = []
    for match in _WORD.finditer(sentence):
        raw = match[0][:_LONGEST]
        if _FIRST_UNSPACED.match(raw):
            found += (Term(raw[at : at + 2], "word") for at in range(max(1, len(raw) - 1)))
        else:
            found.append(_term(raw, tongue, opens=match.start() == 0))
    return tuple(found)


@lru_cache(maxsize=100_000)
def _term(raw: str, tongue: str, *, opens: bool) -> Term:
    if raw[0].isdigit():
        return Term(raw, "number")
    word = unicodedata.normalize("NFKC", raw).casefold()
    if word in STOP_WORDS[tongue] or len(word) == 1:
        return Term(word, "stop")
    stem = str(_STEMMERS[tongue].stemWord(word)) or word
    if word in COMMON[tongue]:
        return Term(stem, "common")
    named = raw[0].isupper() and not opens and (tongue != "german" or raw.isupper())
    return Term(stem, "name" if named else "word")
