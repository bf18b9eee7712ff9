"""Telling text of an untrusted source that speaks to the agent as if it were its master.

What is looked for stands in `orders`, a language each. It is looked for twice: in the text as it looks, where letters
of other scripts stand for Latin ones, and in its own script.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from remembrancer.governance.orders import IN_LATIN, IN_OWN_SCRIPT, MARKS, SCRIPTS, Order
from remembrancer.language.lookalikes import legible, plain

_MARKS = re.compile("|".join(MARKS), re.IGNORECASE | re.MULTILINE)
_SIGNS = ("<", "[", "#", "Human:")
_WORD = re.compile(r"[a-z]+")
# By the beginnings of its words, up to so many letters, is told which patterns are worth trying on a text.
_STEM = 4


def reads_as_order(text: str) -> bool:
    """Whether a text tries to instruct the agent that reads it."""
    looks = plain(text).text
    if any(sign in looks for sign in _SIGNS) and _MARKS.search(looks) is not None:
        return True
    if _in_latin(looks.lower()):
        return True
    return not text.isascii() and _in_own_script(legible(text).lower())


@dataclass(frozen=True, slots=True)
class _Latin:
    needles: frozenset[str]
    beside: frozenset[str]
    pattern: re.Pattern[str]


# Compiling them all takes a while, and many a process never meets an untrusted text.
@cache
def _latin() -> tuple[_Latin, ...]:
    return tuple(
        _Latin(_stems(order.needles), _stems(order.beside), re.compile(order.pattern, re.MULTILINE))
        for orders in IN_LATIN.values()
        for order in orders
    )


def _stems(needles: str) -> frozenset[str]:
    first = (_WORD.search(needle) for needle in needles.split("|"))
    return frozenset(word[0][:_STEM] for word in first if word is not None)


@cache
def _by_stem() -> Mapping[str, Sequence[int]]:
    found: dict[str, list[int]] = {}
    for place, order in enumerate(_latin()):
        for stem in order.needles:
            found.setdefault(stem, []).append(place)
    return found


def _in_latin(text: str) -> bool:
    words = set(_WORD.findall(text))
    stems = {word[:length] for word in words for length in range(1, _STEM + 1)}
    known = _by_stem()
    worth = {place for stem in stems if stem in known for place in known[stem]}
    orders = _latin()
    return any(
        not (orders[place].beside and orders[place].beside.isdisjoint(stems))
        and orders[place].pattern.search(text) is not None
        for place in worth
    )


@cache
def _own() -> Mapping[re.Pattern[str], Sequence[tuple[Order, re.Pattern[str]]]]:
    return {
        re.compile(SCRIPTS[language]): [(order, re.compile(order.pattern)) for order in orders]
        for language, orders in IN_OWN_SCRIPT.items()
    }


def _in_own_script(text: str) -> bool:
    return any(
        any(needle in text for needle in order.needles.split("|"))
        and any(needle in text for needle in order.beside.split("|"))
        and pattern.search(text) is not None
        for script, sought in _own().items()
        if script.search(text)
        for order, pattern in sought
    )
