"""Certainty of a clause: denied, unsure, bounded, conditional or asked, in English and German.

In other languages only plain negations are known. Unknown wording is treated as a plain statement.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final

from remembrancer.language.tables import PatternTable


class Bound(StrEnum):
    """A limit of a statement that a retelling must not lose."""

    NEVER = "never"
    ALWAYS = "always"
    ONLY = "only"
    LEAST = "at least"
    MOST = "at most"


_CUES: Final = PatternTable("assertion")
_BOUNDS: Final = PatternTable("assertion", "bounds")
_BOUNDS_BROADLY: Final = PatternTable("assertion", "bounds_broadly")
_ASKED: Final = re.compile(r"[?？]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Assertion:
    """The certainty of a clause: each property by plain words, and broadly by all words that may express it.

    Args:
        no: True for a negation; `no_broadly` counts "instead", "avoids" and the like.
    """

    no: bool
    no_broadly: bool
    unsure: bool
    unsure_broadly: bool
    bounds: frozenset[Bound]
    bounds_broadly: frozenset[Bound]


@lru_cache(maxsize=20_000)
def assertion(clause: str) -> Assertion:
    """Return how firmly a clause states what it states."""
    plain = _CUES["idioms"].sub(" ", clause)
    no, unsure = bool(_CUES["no"].search(plain)), bool(_CUES["unsure"].search(plain))
    return Assertion(
        no=no,
        no_broadly=no or bool(_CUES["no_broadly"].search(plain)),
        unsure=unsure,
        unsure_broadly=unsure or bool(_CUES["unsure_broadly"].search(plain)),
        bounds=frozenset(bound for bound in Bound if _BOUNDS[bound.name.lower()].search(plain)),
        bounds_broadly=frozenset(bound for bound in Bound if _BOUNDS_BROADLY[bound.name.lower()].search(plain)),
    )


@lru_cache(maxsize=20_000)
def without_frame(text: str) -> str:
    """Return a text without the words of indirect speech: "wants", "asked", "maybe"."""
    for name in ("frames", "wishes", "reports", "unsure", "unsure_broadly", "asked_broadly"):
        text = _CUES[name].sub(" ", text)
    return text


def is_conditional(sentence: str, *, broadly: bool = False) -> bool:
    """Return True if a sentence is conditional; broadly, if a word of it may express a condition."""
    plain = _CUES["idioms"].sub(" ", sentence)
    return bool(_CUES["if"].search(plain) or (broadly and _CUES["if_broadly"].search(plain)))


def is_question(sentence: str) -> bool:
    """Return True if a sentence is a question; a request is a statement of a wish."""
    return bool(_ASKED.search(sentence)) and not _CUES["requests"].search(sentence)


def reports_question(text: str) -> bool:
    """Return True if a text reports a question or an open issue."""
    return bool(_ASKED.search(text) or _CUES["asked_broadly"].search(text))


def agrees(text: str) -> bool:
    """Return whether an answer begins with a yes."""
    return bool(_CUES["agrees"].match(text))


def answers(text: str) -> bool:
    """Return whether a text begins with a yes or a no."""
    return bool(_CUES["agrees"].match(text) or _CUES["refuses"].match(text))


def is_about(before: str) -> bool:
    """Return whether the words before a number make it a rough one or a limit."""
    return bool(_CUES["about"].search(before))


def wishes(clause: str) -> bool:
    """Return True if a clause reports a wish, a preference or a decision."""
    return bool(_CUES["wishes"].search(clause))


def reports(clause: str) -> bool:
    """Return True if a clause reports speech."""
    return bool(_CUES["reports"].search(clause))


def names_source(text: str) -> bool:
    """Return whether a text names something that is read, as a mail or a page, or quotes."""
    return bool(_CUES["outside"].search(text)) or any(mark in text for mark in '"“”„«»')
