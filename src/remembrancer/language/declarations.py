"""Sentences that declare something: an instruction, a preference, who somebody is, an open decision.

Instructions, profiles and open decisions are recognised in English and German, preferences in five languages. The
weights of an instruction are those of a logistic regression; `docs/context.md` has what they were fitted to.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from remembrancer.language.tables import PatternTable

_INSTRUCTIONS: Final = PatternTable("directives", flags=re.NOFLAG)
_INSTRUCTION_CUES: Final = PatternTable("directives", "cue", flags=re.NOFLAG)
_QUESTION: Final = re.compile(r"\?[\"'”»)]*$")
# Words.
_LONG_SENTENCE: Final = 40
_SHORT_SENTENCE: Final = 5
# The threshold from which a sentence is an instruction.
LAID_DOWN: Final = -0.5
_BIAS: Final = -2.25
_WEIGHTS: Final[Mapping[str, float]] = {
    "ever": 1.0,
    "from": 1.2,
    "condition": 1.3,
    "prefer": 1.5,
    "forbid": 1.6,
    "authority": 1.95,
    "limit": 1.85,
    "medium": 1.1,
    "wording": 1.45,
    "routine": 1.2,
    "ours": 0.95,
    "you": 0.95,
    "again": -0.4,
    "once": -1.5,
    "past": -0.3,
    "asks": -0.8,
    "exclaims": -0.6,
    "short": -1.7,
    "long": 2.55,
}


@lru_cache(maxsize=8_192)
def directive(sentence: str) -> float:
    """Return the log odds that a sentence lays down how to do things in future."""
    return _BIAS + sum(_WEIGHTS[name] * value for name, value in features(sentence).items())


def features(sentence: str) -> dict[str, float]:
    """Return the features of a sentence's wording, by name."""
    words, small = len(sentence.split()), sentence.lower()
    found = {name: 1.0 for name in _INSTRUCTION_CUES.names() if _INSTRUCTION_CUES[name].search(small)}
    found |= {"asks": 1.0} if _QUESTION.search(sentence) else {}
    found |= {"exclaims": 1.0} if sentence.endswith("!") else {}
    return found | {"short": float(words < _SHORT_SENTENCE), "long": min(1.0, words / _LONG_SENTENCE)}


def withdraws(text: str) -> bool:
    """Return True if a text withdraws an instruction."""
    return bool(_INSTRUCTIONS["withdraws"].search(text.lower()))


def only_withdraws(sentence: str) -> bool:
    """Return True if a sentence only asks to forget something."""
    return bool(_INSTRUCTIONS["only_withdraws"].search(sentence.lower()))


def changes(text: str) -> bool:
    """Return True if a text reports a change from then on."""
    return bool(_INSTRUCTIONS["changes"].search(text.lower()))


_DECLARED: Final = PatternTable("profile", flags=re.NOFLAG)
# Characters that `re.IGNORECASE` lowers and `str.lower` does not.
_POSING: Final = str.maketrans("\u0130\u0131\u017f", "iis")
# A longer text is about something else.
_LONGEST_PREFERENCE = 250


def states_preference(text: str) -> bool:
    """Return True if a text states a preference or a general instruction of its speaker."""
    if len(text) > _LONGEST_PREFERENCE:
        return False
    return bool(_DECLARED["preference"].search(text.lower() if text.isascii() else text.translate(_POSING).lower()))


def states_profile(sentence: str) -> bool:
    """Return whether a sentence states who somebody is, or what of them seldom changes."""
    return not sentence.endswith("?") and bool(_DECLARED["profile"].search(sentence))


def undecided(sentence: str) -> bool:
    """Return True if a sentence leaves a decision open."""
    return bool(_DECLARED["undecided"].search(sentence))
