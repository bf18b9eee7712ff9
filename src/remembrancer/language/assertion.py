"""How firmly a clause states what it states: denied, unsure, bounded, conditional, asked; English and German.

Of the other languages only the plain words that say no are known. What is not known says nothing, and refuses nothing.
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
    """How firmly a clause states something: each by the plain words for it, and by all that may stand for them.

    Args:
        no: whether it denies; `no_broadly` counts "instead", "avoids" and the like.
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
    """Return a text without the words by which a retelling frames what was said: "wants", "asked", "maybe"."""
    for name in ("frames", "wishes", "reports", "unsure", "unsure_broadly", "asked_broadly"):
        text = _CUES[name].sub(" ", text)
    return text


def is_conditional(sentence: str, *, broadly: bool = False) -> bool:
    """Return whether a sentence states something under a condition; broadly, whether any of its words may tell one."""
    plain = _CUES["idioms"].sub(" ", sentence)
    return bool(_CUES["if"].search(plain) or (broadly and _CUES["if_broadly"].search(plain)))


def is_question(sentence: str) -> bool:
    """Return whether a sentence asks for something that it does not state; a request states what it wants."""
    return bool(_ASKED.search(sentence)) and not _CUES["requests"].search(sentence)


def tells_question(text: str) -> bool:
    """Return whether a text tells that something was asked or is open."""
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
    """Return whether a clause tells what somebody wants, likes or has decided."""
    return bool(_CUES["wishes"].search(clause))


def reports(clause: str) -> bool:
    """Return whether a clause tells that somebody said something."""
    return bool(_CUES["reports"].search(clause))


def names_source(text: str) -> bool:
    """Return whether a text names something that is read, as a mail or a page, or quotes."""
    return bool(_CUES["outside"].search(text)) or any(mark in text for mark in '"“”„«»')
