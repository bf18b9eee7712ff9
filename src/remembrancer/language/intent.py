"""What a query wants: a fact, something to be done or advised, or nothing that it says.

Decided by words alone, in five languages; a text in another one is a question where it has a question mark.
"""

import re
from enum import StrEnum
from functools import lru_cache
from typing import Final

from remembrancer.language.spelling import bare
from remembrancer.language.tables import PatternTable, words_by_language
from remembrancer.language.words import language_of, stop_words


class Intent(StrEnum):
    """The kinds of query.

    Args:
        QUESTION: asks for a fact; a few bare words do so, too.
        REQUEST: wants something done or advised, which preferences and instructions should shape.
        REMARK: states something, which may call for what was said long ago.
    """

    QUESTION = "question"
    REQUEST = "request"
    REMARK = "remark"


# A text of so few words that is no sentence is a search for them.
_FEW_WORDS: Final = 5
_WORD: Final = re.compile(r"[^\W_]+")
_SENTENCE: Final = re.compile(
    r"[.!?;\n…。！？]+\s*|\s+[-–—]\s+|,\s+(?=(?:can|could|would|please|what|how)\b)", re.IGNORECASE
)
_MARK: Final = re.compile(r"[?？¿]")


_CUES: Final = PatternTable("intent", flags=re.NOFLAG)


def speaks_of_self(text: str) -> bool:
    """Return whether whoever says it speaks of themselves: "I", "my", "our"."""
    said = _WORD.findall(text.casefold())
    return not words_by_language("words", "self")[language_of(said)].isdisjoint(map(bare, said))


def asks_of_past(text: str) -> bool:
    """Return whether a question asks for how things were, in English or German."""
    return bool(_CUES["asks_of_past"].search(_spelled(text)))


def asks_of_now(text: str) -> bool:
    """Return whether a query says that it wants the latest: "now", "currently"."""
    return bool(_CUES["asks_of_now"].search(_spelled(text)))


def asks_of_course(text: str) -> bool:
    """Return whether a query asks how things went or were: for a summary, an order, a span, what was before."""
    return bool(_CUES["asks_of_course"].search(_spelled(text)))


@lru_cache(maxsize=1_000)
def intent_of(text: str) -> Intent:
    """Return what a query wants, by its words in the language that it seems to be in."""
    said = _WORD.findall(text.casefold())
    language = language_of(said)
    sentences = [_spelled(part) for part in _SENTENCE.split(text)]
    first, anywhere, asks, of_the_past = (
        _CUES[f"{cue}.{language}"] for cue in ("request_first", "request", "question", "past")
    )
    if any(_CUES["reminds"].search(sentence) for sentence in sentences):
        return Intent.QUESTION
    for sentence in sentences:
        if first.search(sentence):
            return Intent.REQUEST
        if anywhere.search(sentence) and not (asks.search(sentence) and of_the_past.search(sentence)):
            return Intent.REQUEST
    if _MARK.search(text) or any(asks.search(sentence) for sentence in sentences):
        return Intent.QUESTION
    words = [bare(word) for word in said]
    common = stop_words()[language]
    few = (
        len(words) <= _FEW_WORDS
        and not speaks_of_self(text)
        and sum(word in common for word in words) <= len(words) // 2
    )
    return Intent.QUESTION if few or not any(letter.isalpha() for letter in text) else Intent.REMARK


@lru_cache(maxsize=1_000)
def _spelled(text: str) -> str:
    """Return the words of a text in small letters without accents, with a space between."""
    return " ".join(map(bare, _WORD.findall(text.casefold())))
