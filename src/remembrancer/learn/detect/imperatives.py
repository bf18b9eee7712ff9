"""The order that follows of a rule: its occasion, its act and its bound, in the language of its deeds.

What cannot be said so that a person would sign it gives none, and stays an observation.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from remembrancer.language.calendar import WEEKDAY_NAMES
from remembrancer.language.calendar import WEEKDAYS as WEEKDAYS_SAID
from remembrancer.learn.detect import german
from remembrancer.learn.detect.acts import PARTICIPLES, WRITING_ACTS, WRITING_WORDS, acts
from remembrancer.learn.detect.grounds import WEEKDAYS, Ground
from remembrancer.learn.detect.naming import (
    BOUND,
    DEGREES,
    MOMENT,
    MOSTLY,
    instead,
    is_sent_on,
    is_told,
    number,
    of_drafts,
    only,
    over,
    plain,
    sent_from,
    thing_moved,
)
from remembrancer.learn.detect.orders import LANGUAGE, SPEAKERS, STYLES, is_plain, is_whole, order, style
from remembrancer.learn.detect.ranges import bound
from remembrancer.learn.detect.rules import BehaviourRule, Named
from remembrancer.learn.detect.values import DRAFTS, TOOLS, Known, shown
from remembrancer.types.episode import CONTACT_TYPES
from remembrancer.types.pattern import HIGH_CONSISTENCY

# What was seen on one day alone is no order for all days.
_LEAST_DAYS: Final = 2
_LEFT_TO_USER: Final = frozenset({"reject", "rewrite"})
_FLAGS: Final = frozenset({"yes", "no"})
# Values that merely say what was put right, and how.
_REMARKS: Final = frozenset({"change", "part", "reason"})
_PREPOSITIONS: Final = {"remove": "from", "add": "to"}
_LONGEST_VALUE: Final = 4
_ENGLISH: Final[Mapping[str, str]] = {
    "with": "with {who}",
    "of": "with {kind} {who}",
    "topic": "when the {name} is {value}",
    "flag": 'when "{name}" is {value}',
    ">": "when the {name} {verb} above {value}",
    "<=": "when the {name} {verb} at most {value}",
    "between": "between {begin} and {end}",
    "mornings": "on {day} mornings",
    "day": "on {day}s",
    "before": "before {clock}",
    "from": "from {clock}",
    "route": "route to {value}",
    "route, not": "route to {value}, not to {other}",
    "choose": "choose {value}",
    "choose, not": "choose {value}, not {other}",
    "day of, not": "put it on {value}, not on {other}",
    "use, not": "use {value}, not {other}",
    "part": "as the {part}, use {value}, not {other}",
    "instead": "instead of {other}, use {value}",
    "use": "use {value}",
    "set": "set the {name} to {value}",
    "ask": "ask the user before drafting",
    "wait": "show no drafts",
    "leave": "leave drafts to the user",
    "moved": "put {thing} at {value}",
}
# Notes to oneself have no verb in front in German; so nothing depends on the gender of a word.
_GERMAN: Final[Mapping[str, str]] = {
    "with": "bei {who}",
    "of": "bei {kind} {who}",
    "topic": "wenn „{name}“ {value} ist",
    "the topic": "beim Thema {value}",
    ">": "wenn „{name}“ über {value} liegt",
    "<=": "wenn „{name}“ höchstens {value} beträgt",
    "between": "zwischen {begin} und {end} Uhr",
    "mornings": "{day}s vormittags",
    "day": "{day}s",
    "before": "vor {clock} Uhr",
    "from": "ab {clock} Uhr",
    "route": "an {value} weiterleiten",
    "route, not": "an {value} weiterleiten, nicht an {other}",
    "choose": "{value} wählen",
    "choose, not": "{value} wählen, nicht {other}",
    "day of, not": "auf {value} legen, nicht auf {other}",
    "use, not": "{value} verwenden, nicht {other}",
    "instead": "{value} statt {other} verwenden",
    "use": "{value} verwenden",
    "set": "„{name}“ auf {value} setzen",
    "ask": "vor dem Entwurf nachfragen",
    "wait": "keine Entwürfe vorlegen",
    "moved": "{thing} auf {value} legen",
}
_SAID: Final[Mapping[str, Mapping[str, str]]] = {LANGUAGE: _ENGLISH, "german": _GERMAN}


def order_of(rule: BehaviourRule, named: Named, held: Sequence[Known], tongue: str) -> str:
    """What an agent is to do, with neither a capital nor a full stop; `""` where no order can be signed.

    Args:
        named: the names by which the rule is told.
        held: the deeds in which it held, oldest first.
        tongue: the language of the deeds.
    """
    if tongue not in _SAID or rule.turned or len({known.deed.at.date() for known in held}) < _LEAST_DAYS:
        return ""
    told = [pair for pair in zip(rule.grounds, named.grounds, strict=True) if is_told(pair[0], rule)]
    if any(ground.column in ("says", "event") for ground, _ in told):
        # A word of a remark, or how something is recorded, is no occasion that an agent would know again.
        return ""
    where = [_Occasion(ground, name, held, tongue).told() for ground, name in told]
    act = _act(rule, named.conclusion, held, tongue)
    if not act or "" in where:
        return ""
    occasion = ", ".join(sorted(where, key=_by_kind))
    if tongue == "german":
        return f"{occasion}: {act[:1].upper()}{act[1:]}" if occasion else act
    return f"{occasion}, {act}" if occasion else act


def _by_kind(occasion: str) -> tuple[bool, str]:
    """Times and people before what something is about."""
    return (occasion.startswith(("when ", "wenn ")), occasion)


class _Occasion:
    """A circumstance in words, as an order begins with it."""

    def __init__(self, ground: Ground, name: str, held: Sequence[Known], tongue: str) -> None:
        self._ground = ground
        self._name = name
        self._held = held
        self._tongue = tongue
        self._said = _SAID[tongue]

    def told(self) -> str:
        """It, or `""` where it cannot be said."""
        name, said = self._name, self._said
        if limit := BOUND.fullmatch(name):
            return said[limit["sign"]].format(
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
            return said["with"].format(who=written)
        if not self._ground.column.startswith("@"):
            return said["of"].format(kind=plain(kind), who=written)
        if written in _FLAGS:
            return said["flag"].format(name=plain(kind), value=written) if "flag" in said else ""
        key = "the topic" if kind == "topic" and "the topic" in said else "topic"
        return said[key].format(name=plain(kind), value=_quoted(written, self._tongue))

    def _number(self, value: str) -> str:
        written = number(float(value))
        return written.translate(str.maketrans(",.", ".,")) if self._tongue == "german" else written

    def _time(self, moment: re.Match[str]) -> str:
        said = self._said
        if moment["begin"]:
            return said["between"].format(begin=moment["begin"], end=moment["end"])
        sign, clock = moment["sign"], moment["clock"]
        day = WEEKDAY_NAMES[self._tongue][list(WEEKDAYS).index(moment["day"])] if moment["day"] else ""
        day = day.lower() if self._tongue == "german" else day
        if day and sign == "<" and clock == "12:00":
            return said["mornings"].format(day=day)
        hours = said["before" if sign == "<" else "from"].format(clock=clock) if sign else ""
        hours += " on" if sign == ">=" and not day and self._tongue == LANGUAGE else ""
        return " ".join(filter(None, (said["day"].format(day=day) if day else "", hours)))


def _verb(attribute: str) -> str:
    name = plain(attribute)
    return "are" if name.endswith("s") and not name.endswith("ss") else "is"


def _act(rule: BehaviourRule, name: str, held: Sequence[Known], tongue: str) -> str:
    """What is to be done, or `""`."""
    column, _, value = name.partition("=")
    if told := bound(name):
        if not told[0]:
            # Nobody knows 60 of what is meant.
            return ""
        thing = thing_moved(rule, held, tongue)
        return _SAID[tongue]["moved"].format(thing=thing, value=over(told, tongue)) if thing else ""
    if rule.conclusion.column == "says":
        return _done(value.split("+"), rule, held, tongue)
    if rule.opposed and rule.share < HIGH_CONSISTENCY:
        return ""
    if rule.conclusion.column == "event":
        if value != "rejected" or not rule.grounds:
            return ""
        # At some hour it is no answer to the user to be asked.
        return _SAID[tongue]["wait" if all(ground.column == "when" for ground in rule.grounds) else "ask"]
    return _chosen(rule, column, value, held, tongue)


def _chosen(rule: BehaviourRule, column: str, value: str, held: Sequence[Known], tongue: str) -> str:
    """What is to be chosen, used or set, by an attribute that says what was."""
    said, written = _SAID[tongue], _written(held, column, value)
    # At some hour alone nobody knows for what something is to be chosen.
    about = any(is_told(ground, rule) and ground.column != "when" for ground in rule.grounds)
    if not written or column in _REMARKS:
        return ""
    if column == "to":
        if not about or written.casefold() in DEGREES:
            return ""
        return _sent(written, held, tongue)
    if column == "changed_to":
        was, now = instead(held, value)
        if not _alike(was, now, tongue):
            return ""
        marks = "„{}“" if tongue == "german" else '"{}"'
        words = {"value": marks.format(now), "other": marks.format(was)}
        part = only("part", held) if tongue == LANGUAGE and not about else ""
        if part and all(is_plain(word) for word in part.split()):
            return said["part"].format(part=part, **words)
        return said["use, not" if about else "instead"].format(**words)
    if not about or written in _FLAGS:
        return ""
    if column in TOOLS:
        return said["use"].format(value=_quoted(written, tongue))
    if sum(known.corrected for known in held) < MOSTLY * len(held):
        return ""
    return said["set"].format(name=plain(column), value=_quoted(written, tongue))


def _sent(written: str, held: Sequence[Known], tongue: str) -> str:
    """Whom something is to be sent to, or what is to be chosen."""
    said, first = _SAID[tongue], sent_from(held)
    other = _quoted(first, tongue) if first and _written(held, "from", first.casefold()) else ""
    named = written[:1].isupper() and written.casefold() not in WEEKDAYS_SAID
    if named and (tongue == LANGUAGE or is_sent_on(held)):
        # German writes all nouns as names are written: there it must be said that something was sent on.
        return said["route, not" if other else "route"].format(
            value=written, other=first if tongue != LANGUAGE else other
        )
    if other and {written.casefold(), first.casefold()} <= set(WEEKDAYS_SAID):
        return said["day of, not"].format(value=written, other=first)
    return said["choose, not" if other else "choose"].format(value=_quoted(written, tongue), other=other)


def _done(tokens: Sequence[str], rule: BehaviourRule, held: Sequence[Known], tongue: str) -> str:
    """What is to be done to a draft or to a thing of it, in the words in which people say that they did it."""
    done = [token for token in tokens if token.lstrip("!") in PARTICIPLES]
    things = [token for token in tokens if token not in done]
    if len(done) != 1 or len(things) > 1 or not rule.is_habit or all(known.plain for known in held):
        return ""
    if tongue == "german":
        return german.order(done[0], things, held)
    denied, act = ("do not " if done[0].startswith("!") else ""), done[0].lstrip("!")
    if not things or (act in STYLES and is_whole(things[0])):
        if denied or not of_drafts(held) or (rule.opposed and rule.share < HIGH_CONSISTENCY):
            return ""
        return (_ENGLISH["leave"] if rule.grounds else "") if act in _LEFT_TO_USER else style(act, held)
    told = order(act, things[0], held)
    if not told:
        return ""
    drafts = sum(known.deed.event in DRAFTS for known in held) * 2 > len(held)
    place = ""
    if (drafts or WRITING_WORDS.intersection(told.split())) and "draft" not in told and act in WRITING_ACTS:
        place = f" {_PREPOSITIONS.get(act, 'in')} drafts"
    return f"{denied}{told}{place}" if place or rule.grounds else ""


def _written(held: Sequence[Known], name: str, value: str) -> str:
    """A value as its deeds write it; `""` where it is too long to be a name, or names who speaks."""
    written = shown(held, name, value)
    long = len(written.split()) > _LONGEST_VALUE or len(written) > _LONGEST_VALUE * 12
    return "" if long or written.casefold() in SPEAKERS else written


def _alike(was: str, now: str, tongue: str) -> bool:
    """Whether one value may stand in the place of another: both are short names of one form, and no act."""
    if not was or not now or max(len(was.split()), len(now.split())) > _LONGEST_VALUE:
        return False
    if {was.casefold(), now.casefold()} & SPEAKERS or was[0].isupper() is not now[0].isupper():
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
