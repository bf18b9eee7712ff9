"""The order to an agent that follows from a rule: its occasion, its act and its bound, in the language of the events.

A rule that makes no order that a person would sign has none, and stays an observation.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

from remembrancer.language.calendar import weekday_names, weekdays
from remembrancer.language.tables import table
from remembrancer.learn.detect.deeds import DRAFTS, TOOLS, ParsedDeed, shown
from remembrancer.learn.detect.grounds import WEEKDAYS, Ground
from remembrancer.learn.detect.order_phrases import (
    LANGUAGE,
    german_bound,
    german_noun,
    german_order,
    is_plain,
    is_whole,
    order,
    speakers,
    style,
    styles,
)
from remembrancer.learn.detect.ranges import CLOCK, bound
from remembrancer.learn.detect.rules import BehaviourRule, Named
from remembrancer.learn.detect.wording import PARTICIPLES, WRITING_ACTS, acts, commonest, style_words
from remembrancer.types.episode import CONTACT_TYPES
from remembrancer.types.pattern import HIGH_CONSISTENCY

# A circumstance that the conclusion includes already: "route to Tom, not to Lea".
_INSTEAD: Final = frozenset({("@from", "@to"), ("@did", "@changed_to"), ("says", "moved")})
_SIDES: Final = {(True, ">="): "later", (True, "<="): "earlier", (False, ">="): "more", (False, "<="): "less"}
# Words for a degree without a subject: "high" may be a priority or a price.
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


def surface(token: str, matching: Sequence[ParsedDeed]) -> str:
    """Return the most frequent spelling of a token, in the plural if it occurs so."""
    written = [word for known in matching for stemmed, word in known.parsed.surfaces if stemmed == token]
    follower = _follower(frozenset(written), matching)
    if follower:
        return f"{commonest(written)} {follower}"
    return commonest(_several(written) or written) or token


def _follower(written: frozenset[str], matching: Sequence[ParsedDeed]) -> str:
    """Return the word that mostly follows another, as in "exclamation mark"; or `""`."""
    after: dict[str, list[str]] = {}
    times = 0
    for known in matching:
        stems = {word: stemmed for stemmed, word in known.parsed.surfaces if stemmed not in known.parsed.acts}
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


def only(name: str, matching: Sequence[ParsedDeed]) -> str:
    """Return the value of an attribute that all deeds have alike, as it is written; or `""`."""
    values = {known.values.get(name, "") for known in matching}
    return shown(matching, name, *values) if len(values) == 1 and "" not in values else ""


def without_common_start(did: str, changed_to: str) -> tuple[str, str]:
    """Return a value and its replacement, without the words with which both begin."""
    one, other = did.split(), changed_to.split()
    while len(one) > 1 and len(other) > 1 and one[0].casefold() == other[0].casefold():
        one, other = one[1:], other[1:]
    return " ".join(one), " ".join(other)


def plain(name: str) -> str:
    """Return an attribute's name in words."""
    return " ".join(name.replace("_", " ").replace("-", " ").split())


def number(value: float) -> str:
    """Return a number as it is written in English."""
    return f"{value:,.15g}" if abs(value) < 1e15 else f"{value:g}"


def cut(text: str, most: int = _MOST_WORDS) -> str:
    """Return the first words of a text."""
    words = text.replace('"', "'").split()
    return " ".join(words) if len(words) <= most else " ".join(words[:most]) + " …"


def of_drafts(matching: Sequence[ParsedDeed]) -> bool:
    """Return True if most of the deeds were drafts that a person judged."""
    return sum(known.drafted for known in matching) * 2 > len(matching)


def is_needed(ground: Ground, rule: BehaviourRule) -> bool:
    """Return True if a rule's conclusion does not include a circumstance already."""
    return (ground.column, rule.conclusion.column) not in _INSTEAD


def is_sent_on(matching: Sequence[ParsedDeed]) -> bool:
    """Return True if most deeds forwarded something to a person or place, rather than chose it."""
    return sum(known.end == "rerouted" or "forward" in known.parsed.acts for known in matching) >= MOSTLY * len(
        matching
    )


def sent_from(matching: Sequence[ParsedDeed]) -> str:
    """Return the original destination of rerouted things; `""` if it differs, or is the speaker."""
    first = cut(only("from", matching))
    return "" if first.casefold() in speakers() else first


def instead(matching: Sequence[ParsedDeed], changed_to: str) -> tuple[str, str]:
    """Return a value, or `""`, and its replacement."""
    was, written = without_common_start(only("did", matching), shown(matching, "changed_to", changed_to))
    return cut(was), cut(written)


def thing_moved(rule: BehaviourRule, matching: Sequence[ParsedDeed], tongue: str = LANGUAGE) -> str:
    """Return the name of the things that are moved over a bound, in English in the plural; or `""`."""
    token = rule.grounds[0].name.partition("=")[2] if rule.grounds else ""
    if tongue != LANGUAGE:
        return german_noun(token, matching)
    thing = surface(token, matching) if token else "things"
    return f"{thing.removesuffix('s')}s" if token and all(is_plain(word) for word in thing.split()) else ""


def over(parts: tuple[str, str, str], tongue: str = LANGUAGE) -> str:
    """Return the bound of a move: "10:00 or later"."""
    unit, side, value = parts
    if tongue != LANGUAGE:
        return german_bound(unit, side, value)
    return f"{value}{'' if unit in ('', CLOCK) else f' {unit}'} or {_SIDES[unit == CLOCK, side]}"


# What was seen on one day alone is no order for all days.
_LEAST_DAYS: Final = 2
_LEFT_TO_USER: Final = frozenset({"reject", "rewrite"})
_FLAGS: Final = frozenset({"yes", "no"})
# Values that only describe the object and the kind of a correction.
_REMARKS: Final = frozenset({"change", "part", "reason"})
_PREPOSITIONS: Final = {"remove": "from", "add": "to"}
_LONGEST_VALUE: Final = 4


def _templates(tongue: str) -> Mapping[str, str]:
    """Return the parts of orders in a language; none where orders are not worded in it."""
    return table("orders")["templates"].get(tongue, {})


def order_of(rule: BehaviourRule, named: Named, matching: Sequence[ParsedDeed], tongue: str) -> str:
    """Return the order to an agent, without capital and full stop; `""` without a valid sentence.

    Args:
        named: the names in the rule's text.
        matching: its deeds, oldest first.
        tongue: the language of the deeds.
    """
    if not _templates(tongue) or rule.turned or len({known.deed.at.date() for known in matching}) < _LEAST_DAYS:
        return ""
    shown = [pair for pair in zip(rule.grounds, named.grounds, strict=True) if is_needed(pair[0], rule)]
    if any(ground.column in ("says", "event") for ground, _ in shown):
        # A word of a remark, or how something is recorded, is no occasion that an agent would know again.
        return ""
    where = [_Circumstance(ground, name, matching, tongue).text() for ground, name in shown]
    act = _act(rule, named.conclusion, matching, tongue)
    if not act or "" in where:
        return ""
    circumstances = ", ".join(sorted(where, key=_by_kind))
    if tongue == "german":
        return f"{circumstances}: {act[:1].upper()}{act[1:]}" if circumstances else act
    return f"{circumstances}, {act}" if circumstances else act


def _by_kind(circumstance: str) -> tuple[bool, str]:
    """Return the sort key of an occasion: times and people before topics."""
    return (circumstance.startswith(("when ", "wenn ")), circumstance)


class _Circumstance:
    """A circumstance in words, as an order begins with it."""

    def __init__(self, ground: Ground, name: str, matching: Sequence[ParsedDeed], tongue: str) -> None:
        self._ground = ground
        self._name = name
        self._held = matching
        self._tongue = tongue
        self._templates = _templates(tongue)

    def text(self) -> str:
        """Return the circumstance in words; `""` without any."""
        name, templates = self._name, self._templates
        if limit := BOUND.fullmatch(name):
            return templates[limit["sign"]].format(
                name=plain(limit["name"]), verb=_verb(limit["name"]), value=self._number(limit["number"])
            )
        kind, _, value = name.partition("=")
        moment = MOMENT.fullmatch(name)
        if moment and any(moment[part] for part in ("day", "clock", "begin")):
            return self._time(moment) if kind == "when" else ""
        written = _written(self._held, kind, value)
        if not written:
            return ""
        if kind in CONTACT_TYPES:
            return templates["with"].format(who=written)
        if not self._ground.column.startswith("@"):
            return templates["of"].format(kind=plain(kind), who=written)
        if written in _FLAGS:
            return templates["flag"].format(name=plain(kind), value=written) if "flag" in templates else ""
        key = "the topic" if kind == "topic" and "the topic" in templates else "topic"
        return templates[key].format(name=plain(kind), value=_quoted(written, self._tongue))

    def _number(self, value: str) -> str:
        written = number(float(value))
        return written.translate(str.maketrans(",.", ".,")) if self._tongue == "german" else written

    def _time(self, moment: re.Match[str]) -> str:
        templates = self._templates
        if moment["begin"]:
            return templates["between"].format(begin=moment["begin"], end=moment["end"])
        sign, clock = moment["sign"], moment["clock"]
        day = weekday_names()[self._tongue][list(WEEKDAYS).index(moment["day"])] if moment["day"] else ""
        day = day.lower() if self._tongue == "german" else day
        if day and sign == "<" and clock == "12:00":
            return templates["mornings"].format(day=day)
        hours = templates["before" if sign == "<" else "from"].format(clock=clock) if sign else ""
        hours += " on" if sign == ">=" and not day and self._tongue == LANGUAGE else ""
        return " ".join(filter(None, (templates["day"].format(day=day) if day else "", hours)))


def _verb(attribute: str) -> str:
    name = plain(attribute)
    return "are" if name.endswith("s") and not name.endswith("ss") else "is"


def _act(rule: BehaviourRule, name: str, matching: Sequence[ParsedDeed], tongue: str) -> str:
    """Return the act of an order, or `""`."""
    column, _, value = name.partition("=")
    if parts := bound(name):
        if not parts[0]:
            # A bare 60 has no unit.
            return ""
        thing = thing_moved(rule, matching, tongue)
        return _templates(tongue)["moved"].format(thing=thing, value=over(parts, tongue)) if thing else ""
    if rule.conclusion.column == "says":
        return _done(value.split("+"), rule, matching, tongue)
    if rule.opposed and rule.share < HIGH_CONSISTENCY:
        return ""
    if rule.conclusion.column == "event":
        if value != "rejected" or not rule.grounds:
            return ""
        # At some hour it is no answer to the user to be asked.
        return _templates(tongue)["wait" if all(ground.column == "when" for ground in rule.grounds) else "ask"]
    return _chosen(rule, column, value, matching, tongue)


def _chosen(rule: BehaviourRule, column: str, value: str, matching: Sequence[ParsedDeed], tongue: str) -> str:
    """Return an order to choose, use or set the value of an attribute."""
    templates, written = _templates(tongue), _written(matching, column, value)
    # An hour alone does not show for what something is chosen.
    about = any(is_needed(ground, rule) and ground.column != "when" for ground in rule.grounds)
    if not written or column in _REMARKS:
        return ""
    if column == "to":
        if not about or written.casefold() in DEGREES:
            return ""
        return _sent(written, matching, tongue)
    if column == "changed_to":
        was, now = instead(matching, value)
        if not _alike(was, now, tongue):
            return ""
        marks = "„{}“" if tongue == "german" else '"{}"'
        words = {"value": marks.format(now), "other": marks.format(was)}
        part = only("part", matching) if tongue == LANGUAGE and not about else ""
        if part and all(is_plain(word) for word in part.split()):
            return templates["part"].format(part=part, **words)
        return templates["use, not" if about else "instead"].format(**words)
    if not about or written in _FLAGS:
        return ""
    if column in TOOLS:
        return templates["use"].format(value=_quoted(written, tongue))
    if sum(known.corrected for known in matching) < MOSTLY * len(matching):
        return ""
    return templates["set"].format(name=plain(column), value=_quoted(written, tongue))


def _sent(written: str, matching: Sequence[ParsedDeed], tongue: str) -> str:
    """Return an order to send something to a recipient, or to choose a value."""
    templates, first = _templates(tongue), sent_from(matching)
    other = _quoted(first, tongue) if first and _written(matching, "from", first.casefold()) else ""
    named = written[:1].isupper() and written.casefold() not in weekdays()
    if named and (tongue == LANGUAGE or is_sent_on(matching)):
        # German capitalises all nouns, so a word for forwarding is required.
        return templates["route, not" if other else "route"].format(
            value=written, other=first if tongue != LANGUAGE else other
        )
    if other and {written.casefold(), first.casefold()} <= set(weekdays()):
        return templates["day of, not"].format(value=written, other=first)
    return templates["choose, not" if other else "choose"].format(value=_quoted(written, tongue), other=other)


def _done(tokens: Sequence[str], rule: BehaviourRule, matching: Sequence[ParsedDeed], tongue: str) -> str:
    """Return an order on a draft or a part of it, in the words of the events."""
    done = [token for token in tokens if token.lstrip("!") in PARTICIPLES]
    things = [token for token in tokens if token not in done]
    if len(done) != 1 or len(things) > 1 or not rule.is_habit or all(known.plain for known in matching):
        return ""
    if tongue == "german":
        return german_order(done[0], things, matching)
    denied, act = ("do not " if done[0].startswith("!") else ""), done[0].lstrip("!")
    if not things or (act in styles() and is_whole(things[0])):
        if denied or not of_drafts(matching) or (rule.opposed and rule.share < HIGH_CONSISTENCY):
            return ""
        return (_templates(tongue)["leave"] if rule.grounds else "") if act in _LEFT_TO_USER else style(act, matching)
    phrase = order(act, things[0], matching)
    if not phrase:
        return ""
    drafts = sum(known.deed.event in DRAFTS for known in matching) * 2 > len(matching)
    place = ""
    if (drafts or style_words().intersection(phrase.split())) and "draft" not in phrase and act in WRITING_ACTS:
        place = f" {_PREPOSITIONS.get(act, 'in')} drafts"
    return f"{denied}{phrase}{place}" if place or rule.grounds else ""


def _written(matching: Sequence[ParsedDeed], name: str, value: str) -> str:
    """Return a value as its deeds write it; `""` if it is too long for a name, or names the speaker."""
    written = shown(matching, name, value)
    long = len(written.split()) > _LONGEST_VALUE or len(written) > _LONGEST_VALUE * 12
    return "" if long or written.casefold() in speakers() else written


def _alike(was: str, now: str, tongue: str) -> bool:
    """Return True if one value may replace another: both are short names of one form, and no act."""
    if not was or not now or max(len(was.split()), len(now.split())) > _LONGEST_VALUE:
        return False
    if {was.casefold(), now.casefold()} & speakers() or was[0].isupper() is not now[0].isupper():
        return False
    if not was[0].isupper() and len(was.split()) != len(now.split()):
        # "Bought flour" is no other "sugar".
        return False
    known = acts(tongue)
    return not any(word in known or word.endswith("ed") for word in f"{was} {now}".casefold().split())


def _quoted(value: str, tongue: str) -> str:
    if tongue == "german":
        return f"„{value}“"
    plain_value = value[:1].isupper() or value[:1].isdigit() or value.startswith(("the ", "a ", "an "))
    return value if plain_value else f'"{value}"'
