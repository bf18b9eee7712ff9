"""Detection of prompt injection: text of an untrusted source that instructs the agent.

It is no barrier: untrusted text is shown as quoted data in any case. Detection keeps away from the agent what plainly
addresses it: text that wants it to forget its instructions, to conceal something from its user, or to change its role.
The words of each language are in the files of `patterns/injection`.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final

from remembrancer.guard.patterns import load
from remembrancer.language.lookalikes import legible, plain

_TEMPLATES: Final = "templates"
# No other clause and nothing of code separates the two words of an instruction.
_NEAR: Final = r"[\w'’ -]{0,40}?"


def looks_like_injection(text: str) -> bool:
    """Return True if a text tries to instruct the agent that reads it.

    Letters of other scripts may imitate Latin ones, so the text is searched as it looks and in its own script.
    """
    looks = plain(text).text
    if any(piece in looks for piece in load("injection")[_TEMPLATES]["prefilter"]) and _marks().search(looks):
        return True
    return _latin().search(looks.lower()) is not None or (
        not text.isascii() and _others().search(legible(text).lower()) is not None
    )


@cache
def _marks() -> re.Pattern[str]:
    return re.compile("|".join(load("injection")[_TEMPLATES]["marks"]), re.IGNORECASE | re.MULTILINE)


@cache
def _latin() -> re.Pattern[str]:
    patterns = "|".join(_pattern(words, edge=r"\b") for words in _languages(latin=True))
    return re.compile(rf"(?<![\w-])(?:{patterns})\b")


@cache
def _others() -> re.Pattern[str]:
    return re.compile("|".join(_pattern(words, edge="") for words in _languages(latin=False)))


def _languages(*, latin: bool) -> Iterable[Mapping[str, Any]]:
    # Latin scripts are compared without accents, so their files are ASCII.
    tables = (words for name, words in load("injection").items() if name != _TEMPLATES)
    return [words for words in tables if "".join(words["ignore"]).isascii() is latin]


def _pattern(words: Mapping[str, Any], *, edge: str) -> str:
    pairs = [("ignore", "instructions"), ("conceal", "user")]
    if words.get("object_first", False):
        pairs += [(second, first) for first, second in pairs]
    near = [f"(?:{'|'.join(words[one])}){edge}{_NEAR}{edge}(?:{'|'.join(words[other])})" for one, other in pairs]
    return "|".join((*near, *words["alone"]))
