"""How circumstances, things and values are named where a rule is told."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from remembrancer.learn.detect import german
from remembrancer.learn.detect.grounds import Ground
from remembrancer.learn.detect.orders import LANGUAGE, SPEAKERS, is_plain
from remembrancer.learn.detect.ranges import CLOCK
from remembrancer.learn.detect.rules import BehaviourRule
from remembrancer.learn.detect.values import Known, shown
from remembrancer.learn.detect.wordings import commonest

# A circumstance that the conclusion says already: "route to Tom, not to Lea".
_INSTEAD: Final = frozenset({("@from", "@to"), ("@did", "@changed_to"), ("says", "moved")})
_SIDES: Final = {(True, ">="): "later", (True, "<="): "earlier", (False, ">="): "more", (False, "<="): "less"}
# What says how much of something and not of what: "high" may be a priority or a price.
DEGREES: Final = frozenset({"high", "low", "normal", "medium", "urgent", "none", "other", "default"})
_MOST_WORDS: Final = 7
# A word that mostly follows a thing belongs to its name.
MOSTLY: Final = 0.7
_WORD: Final = re.compile(r"[^\W\d_]+")
BOUND: Final = re.compile(r"(?P<name>.*?)(?P<sign>>|<=)(?P<number>-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)")
MOMENT: Final = re.compile(
    r"(?P<name>.*?)=(?P<day>mon|tue|wed|thu|fri|sat|sun)?"
    r"(?:(?P<sign><|>=)(?P<clock>\d\d:\d\d)|(?P<begin>\d\d:\d\d)-(?P<end>\d\d:\d\d))?"
)


def surface(token: str, held: Sequence[Known]) -> str:
    """How a token is mostly written, in the plural where it is written so at all."""
    written = [word for known in held for stemmed, word in known.said.surfaces if stemmed == token]
    follower = _follower(frozenset(written), held)
    if follower:
        return f"{commonest(written)} {follower}"
    return commonest(_several(written) or written) or token


def _follower(written: frozenset[str], held: Sequence[Known]) -> str:
    """The word that mostly follows another where that stands, as in "exclamation mark"; or `""`."""
    after: dict[str, list[str]] = {}
    times = 0
    for known in held:
        stems = {word: stemmed for stemmed, word in known.said.surfaces if stemmed not in known.said.acts}
        words = _WORD.findall(known.deed.text.casefold())
        times += not written.isdisjoint(words)
        for word, following in pairwise(words):
            if word in written and following in stems and following not in written:
                after.setdefault(stems[following], []).append(following)
    for stemmed in sorted(after):
        if len(after[stemmed]) >= MOSTLY * times:
            return commonest(_several(after[stemmed]) or after[stemmed])
    return ""


def _several(words: Sequence[str]) -> list[str]:
    return [word for word in words if word.endswith("s") and not word.endswith("ss")]


def only(name: str, held: Sequence[Known]) -> str:
    """The value of an attribute that all deeds have alike, as it is written; or `""`."""
    values = {known.values.get(name, "") for known in held}
    return shown(held, name, *values) if len(values) == 1 and "" not in values else ""


def apart(did: str, changed_to: str) -> tuple[str, str]:
    """What was done and what it was changed to, without the words with which both begin."""
    one, other = did.split(), changed_to.split()
    while len(one) > 1 and len(other) > 1 and one[0].casefold() == other[0].casefold():
        one, other = one[1:], other[1:]
    return " ".join(one), " ".join(other)


def plain(name: str) -> str:
    """An attribute's name in words."""
    return " ".join(name.replace("_", " ").replace("-", " ").split())


def number(value: float) -> str:
    """A number as it is written in English."""
    return f"{value:,.15g}" if abs(value) < 1e15 else f"{value:g}"


def cut(text: str, most: int = _MOST_WORDS) -> str:
    """The first words of a text."""
    words = text.replace('"', "'").split()
    return " ".join(words) if len(words) <= most else " ".join(words[:most]) + " …"


def of_drafts(held: Sequence[Known]) -> bool:
    """Whether most of the deeds were drafts that a person judged."""
    return sum(known.drafted for known in held) * 2 > len(held)


def is_told(ground: Ground, rule: BehaviourRule) -> bool:
    """Whether the conclusion does not say a circumstance already."""
    return (ground.column, rule.conclusion.column) not in _INSTEAD


def is_sent_on(held: Sequence[Known]) -> bool:
    """Whether most of the deeds sent something on to somebody or somewhere, rather than chose it."""
    return sum(known.end == "rerouted" or "forward" in known.said.acts for known in held) >= MOSTLY * len(held)


def sent_from(held: Sequence[Known]) -> str:
    """Where something would have gone that was sent elsewhere; `""` where that differs, or is the speaker."""
    first = cut(only("from", held))
    return "" if first.casefold() in SPEAKERS else first


def instead(held: Sequence[Known], changed_to: str) -> tuple[str, str]:
    """What was done, or `""`, and what it was changed to."""
    was, written = apart(only("did", held), shown(held, "changed_to", changed_to))
    return cut(was), cut(written)


def thing_moved(rule: BehaviourRule, held: Sequence[Known], tongue: str = LANGUAGE) -> str:
    """What is moved over a bound, in English in the plural; `""` where it has no name."""
    token = rule.grounds[0].name.partition("=")[2] if rule.grounds else ""
    if tongue != LANGUAGE:
        return german.noun(token, held)
    thing = surface(token, held) if token else "things"
    return f"{thing.removesuffix('s')}s" if token and all(is_plain(word) for word in thing.split()) else ""


def over(told: tuple[str, str, str], tongue: str = LANGUAGE) -> str:
    """Where something is moved to: "10:00 or later"."""
    unit, side, value = told
    if tongue != LANGUAGE:
        return german.over(unit, side, value)
    return f"{value}{'' if unit in ('', CLOCK) else f' {unit}'} or {_SIDES[unit == CLOCK, side]}"
