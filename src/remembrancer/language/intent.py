"""The intent of a query: a question, a request or a remark.

It is decided by words alone, in five languages; in other languages a question mark makes a question.
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
        REMARK: states something, which may relate to old memories.
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
    """Return True if the speaker refers to themselves: "I", "my", "our"."""
    words = _WORD.findall(text.casefold())
    return not words_by_language("words", "self")[language_of(words)].isdisjoint(map(bare, words))


def asks_of_past(text: str) -> bool:
    """Return whether a question asks for how things were, in English or German."""
    return bool(_CUES["asks_of_past"].search(_spelled(text)))


def asks_of_now(text: str) -> bool:
    """Return True if a query asks for the latest state: "now", "currently"."""
    return bool(_CUES["asks_of_now"].search(_spelled(text)))


def asks_of_course(text: str) -> bool:
    """Return True if a query asks for a course of events: a summary, an order, a period, an earlier state."""
    return bool(_CUES["asks_of_course"].search(_spelled(text)))


@lru_cache(maxsize=1_000)
def intent_of(text: str) -> Intent:
    """Return what a query wants, by its words in the language that it seems to be in."""
    words = _WORD.findall(text.casefold())
    language = language_of(words)
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
    words = [bare(word) for word in words]
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
