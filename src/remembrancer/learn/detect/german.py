"""Orders in German of what people did to a thing: notes to oneself, in which nothing depends on a word's gender."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from remembrancer.language.stems import stem
from remembrancer.language.tables import table, word_list
from remembrancer.learn.detect.acts import acts
from remembrancer.learn.detect.orders import styles
from remembrancer.learn.detect.ranges import CLOCK
from remembrancer.learn.detect.values import DRAFTS, Known

_LANGUAGE: Final = "german"
# Of the deeds, so many must name the thing right before or after the act.
_MOST: Final = 0.6
_SIDES: Final = {(True, ">="): "später", (True, "<="): "früher", (False, ">="): "mehr", (False, "<="): "weniger"}
_WORD: Final = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


def order(act: str, things: Sequence[str], held: Sequence[Known]) -> str:
    """What to do to a thing, or to a whole draft; `""` where most deeds do not say so in so many words."""
    orders: Mapping[str, str] = table("orders")["orders"][_LANGUAGE]
    if act not in orders:
        return ""
    said = [noun for known in held if (noun := _beside(act, known.deed.text))]
    of_drafts = sum(known.deed.event in DRAFTS for known in held) * 2 > len(held)
    if not of_drafts or len(said) < _MOST * len(held):
        return ""
    if act in styles(_LANGUAGE) and sum(noun in word_list("orders", "german_wholes") for noun in said) >= _MOST * len(
        held
    ):
        return styles(_LANGUAGE)[act]
    same = [noun for noun in said if things and stem(noun.casefold(), _LANGUAGE) == things[0]]
    if len(same) < _MOST * len(held):
        return ""
    return f"in Entwürfen {Counter(sorted(same)).most_common(1)[0][0]} {orders[act]}"


def noun(token: str, held: Sequence[Known]) -> str:
    """A thing as it is mostly written; `""` where that is no noun."""
    same = Counter(
        word for known in held for word in _WORD.findall(known.deed.text) if stem(word.casefold(), _LANGUAGE) == token
    )
    commonest = same.most_common(1)[0][0] if token and same else ""
    return commonest if commonest[:1].isupper() else ""


def over(unit: str, side: str, value: str) -> str:
    """Where something is moved to: "10:00 Uhr oder später"."""
    of = " Uhr" if unit == CLOCK else f" {unit}" if unit else ""
    return f"{value}{of} oder {_SIDES[unit == CLOCK, side]}"


def _beside(act: str, text: str) -> str:
    """The noun that stands right before or after an act."""
    known, written = acts(_LANGUAGE), _WORD.findall(text)
    for at, word in enumerate(written):
        if known.get(word.casefold()) == act:
            for noun in (*written[max(0, at - 1) : at], *written[at + 1 : at + 2]):
                if noun[0].isupper() and noun.casefold() not in known:
                    return noun
    return ""
