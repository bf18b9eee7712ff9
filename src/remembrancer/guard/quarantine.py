"""Telling text of an untrusted source that speaks to the agent as if it were its master.

The words stand in `orders`, a language each. They are looked for twice: in the text as it looks, where letters of other
scripts stand for Latin ones, and in its own script.
"""

import re
from functools import cache

from remembrancer.guard.injection import LATIN, MARKS, OTHERS, Words
from remembrancer.language.lookalikes import legible, plain

_MARKS = re.compile("|".join(MARKS), re.IGNORECASE | re.MULTILINE)
_SIGNS = ("<", "[", "#", "Human:")
# What may stand between two words of an order: no other clause, and nothing of code.
_NEAR = r"[\w'’ -]{0,40}?"


def reads_as_order(text: str) -> bool:
    """Whether a text tries to instruct the agent that reads it."""
    looks = plain(text).text
    if any(sign in looks for sign in _SIGNS) and _MARKS.search(looks) is not None:
        return True
    latin, others = _patterns()
    return latin.search(looks.lower()) is not None or (
        not text.isascii() and others.search(legible(text).lower()) is not None
    )


# Compiling takes a while, and many a process never meets an untrusted text.
@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    latin = "|".join(_pattern(words, edge=r"\b") for words in LATIN.values())
    others = "|".join(_pattern(words, edge="") for words in OTHERS.values())
    return re.compile(rf"(?<![\w-])(?:{latin})\b"), re.compile(others)


def _pattern(words: Words, *, edge: str) -> str:
    pairs = [(words.drop, words.told), (words.hide, words.user)]
    pairs += [(second, first) for first, second in pairs if words.turned]
    return "|".join([*(f"(?:{first}){edge}{_NEAR}{edge}(?:{second})" for first, second in pairs), words.alone])
