"""Small talk: greetings, thanks, assent and farewells, which need no recall."""

import re
from collections.abc import Sequence
from enum import IntEnum
from functools import cache
from typing import Final

from remembrancer.language.spelling import bare
from remembrancer.language.tables import table, word_list
from remembrancer.language.words import stop_words

_LONGEST: Final = 160
# Pictures of things: not the faces, hands, hearts and signs with which people react.
_PICTURE: Final = re.compile(
    "[\U0001f300-\U0001f384\U0001f392-\U0001f43f\U0001f4a1-\U0001f4ae\U0001f4b0-\U0001f5ff\U0001f680-\U0001f8ff\U0001f950-\U0001f96f]"
)
# A doubled last letter of a short word belongs to it: "Bonn".
_STRETCHED: Final = re.compile(r"(\w)\1{2,}|(?<=\w{4})(\w)\2$")
_LAUGHTER: Final = re.compile(r"(?:a?(?:ha|he|hi|ah|eh|ja|je|ji)+[hj]?|lo+l|r?ofl|lmf?ao|x+d+|(?:pt|m)dr+|k{2,}|w{2,})")
_SIGNS: Final = re.compile(r"[^\w'’\s-]+")
_ASKS: Final = re.compile(r"[?？]")
_WORD: Final = re.compile(r"[\w'-]+")


class Talk(IntEnum):
    """The degree to which a text is small talk."""

    NONE = 0
    PARTLY = 1
    ALL = 2


def small_talk(text: str) -> Talk:
    """Return how much of a text is greetings, thanks, assent and the like.

    All of it: nothing but such, perhaps with a name behind one of them. Partly: it begins or reacts so, and goes on
    with something that asks for nothing.
    """
    if not text.strip() or len(text) > _LONGEST or any(letter.isdigit() for letter in text):
        return Talk.NONE
    parts = [_WORD.findall(part) for part in _SIGNS.split(text.replace("’", "'"))]
    spoken = [word for part in parts for word in part]
    if not spoken:
        # Signs alone: a face, a thumb, or dots; another picture is looked for.
        return Talk.NONE if any(letter.isalnum() for letter in text) or _PICTURE.search(text) else Talk.ALL
    left = [word for part in parts for word in _left(part)]
    plain = {_plain(word) for word in spoken}
    reacts = not plain - {_plain(word) for word in left} <= _plainly("weak") or not plain.isdisjoint(
        _plainly("reactions")
    )
    cries = any(_plain(word) in _plainly("crying") for word in left)
    asks = bool(_ASKS.search(text))
    if reacts and not (asks and (cries or not plain.isdisjoint(_plainly("about")))):
        # Words between phrases, as long as they ask for nothing.
        between = [word for word in left if _plain(word) not in _fillers()]
        left = between if not (asks and between) else left
    if not left or (len(left) == 1 and left[0][:1].isupper() and spoken[0] != left[0] and not cries):
        return Talk.ALL
    return Talk.PARTLY if reacts and not asks and plain.isdisjoint(_plainly("asking")) else Talk.NONE


def _plain(word: str) -> str:
    """Return a word as it is compared: without accents, and with no letter drawn out."""
    return _STRETCHED.sub(r"\1\2", bare(word.casefold()))


def _left(spoken: Sequence[str]) -> list[str]:
    """Return the words that are left after as many as possible are matched as phrases."""
    phrases, most = _known()
    folded = [_plain(word) for word in spoken]
    least: list[list[str]] = [[]]
    for end in range(1, len(spoken) + 1):
        ways = [[*least[end - 1], spoken[end - 1]]]
        ways += [least[start] for start in range(max(0, end - most), end) if " ".join(folded[start:end]) in phrases]
        if _LAUGHTER.fullmatch(folded[end - 1]):
            ways.append(least[end - 1])
        least.append(min(ways, key=len))
    return least[-1]


@cache
def _fillers() -> frozenset[str]:
    """Return the words of all phrases, and stop words, but for those that ask."""
    common = {_plain(word) for some in stop_words().values() for word in some}
    spoken = {word for phrase in _known()[0] for word in phrase.split()}
    return frozenset((common | spoken | _plainly("accompanying") | _plainly("reactions")) - _plainly("asking"))


@cache
def _plainly(name: str) -> frozenset[str]:
    return frozenset(map(_plain, word_list("smalltalk", name)))


@cache
def _known() -> tuple[frozenset[str], int]:
    """Return every phrase without accents, and how many words the longest has."""
    phrases = {
        " ".join(map(_plain, _WORD.findall(phrase)))
        for some in table("smalltalk")["phrases"].values()
        for phrase in some.split("|")
    }
    return frozenset(phrases), max(len(phrase.split()) for phrase in phrases)
