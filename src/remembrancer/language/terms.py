"""Terms of a sentence: stems, numbers and names; pairs of characters in scripts without spaces."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from remembrancer.language.spelling import UNSPACED
from remembrancer.language.stems import stem as stem_of
from remembrancer.language.words import ENGLISH, common_words, language_of, stop_words

_WORD = re.compile(rf"[{UNSPACED}]+|\d+(?:[.,:]\d+)*|[^\W\d_{UNSPACED}]+|\d+")
_FIRST_UNSPACED = re.compile(rf"[{UNSPACED}]")
_LONGEST = 64
_FOR_LANGUAGE = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A term of a sentence.

    Args:
        kind: `stop`, `common`, `word`, `name` or `number`.
    """

    stem: str
    kind: str


def language(text: str, *, otherwise: str = ENGLISH) -> str:
    """Return the language of a text, of the five known ones, by its commonest words.

    Args:
        otherwise: the language of an unclear text: short messages have that of their neighbours.
    """
    words = (word.casefold() for word in _WORD.findall(text[: _FOR_LANGUAGE * 8])[:_FOR_LANGUAGE])
    return language_of(words, otherwise=otherwise, beyond=1)


def terms(sentence: str, tongue: str, *, spoken_of: frozenset[str] = frozenset()) -> tuple[Term, ...]:
    """Return the terms of a sentence, in order, with repeats.

    Args:
        spoken_of: folded names without information here: those of the speakers.
    """
    found: list[Term] = []
    for match in _WORD.finditer(sentence):
        raw = match[0][:_LONGEST]
        if _FIRST_UNSPACED.match(raw):
            found += (Term(stem=raw[at : at + 2], kind="word") for at in range(max(1, len(raw) - 1)))
        else:
            term = _term(raw, tongue, opens=match.start() == 0)
            found.append(Term(stem=term.stem, kind="common") if raw.casefold() in spoken_of else term)
    return tuple(found)


def has_content(found: Iterable[Term]) -> bool:
    """Return True if there is anything among terms but common words."""
    return any(term.kind not in ("stop", "common") for term in found)


@lru_cache(maxsize=100_000)
def _term(raw: str, tongue: str, *, opens: bool) -> Term:
    if raw[0].isdigit():
        return Term(stem=raw, kind="number")
    word = unicodedata.normalize("NFKC", raw).casefold()
    if word in stop_words()[tongue] or len(word) == 1:
        return Term(stem=word, kind="stop")
    stem = stem_of(word, tongue) or word
    if word in common_words()[tongue]:
        return Term(stem=stem, kind="common")
    named = raw[0].isupper() and not opens and (tongue != "german" or raw.isupper())
    return Term(stem=stem, kind="name" if named else "word")
