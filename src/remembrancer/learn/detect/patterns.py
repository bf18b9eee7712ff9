"""How a rule is told: as a sentence, with its numbers, and as what an agent is to do."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Final

import numpy as np

from remembrancer.language.calendar import WEEKDAY_NAMES
from remembrancer.learn.detect.acts import PARTICIPLES, TOOL_WORDS, WRITING_WORDS
from remembrancer.learn.detect.conclusions import DONE
from remembrancer.learn.detect.grounds import WEEKDAYS
from remembrancer.learn.detect.imperatives import order_of
from remembrancer.learn.detect.naming import (
    BOUND,
    DEGREES,
    MOMENT,
    MOSTLY,
    cut,
    instead,
    is_sent_on,
    is_told,
    number,
    of_drafts,
    over,
    plain,
    sent_from,
    surface,
    thing_moved,
)
from remembrancer.learn.detect.orders import ACTS, LANGUAGE, is_plain, order
from remembrancer.learn.detect.ranges import CLOCK, bound
from remembrancer.learn.detect.rules import BehaviourRule, Named
from remembrancer.learn.detect.values import DRAFTS, TOOLS, Known, shown
from remembrancer.learn.detect.wordings import commonest
from remembrancer.types.episode import CONTACT_TYPES
from remembrancer.types.pattern import (
    LEAST_EPISODES,
    MAX_EVIDENCE_WORDS,
    MAX_QUOTE_WORDS,
    MAX_RULE_WORDS,
    Category,
    Pattern,
)

_DAYS: Final = dict(zip(WEEKDAYS, WEEKDAY_NAMES["english"], strict=True))
_EVENTS: Final = {
    "action_completed": "Among actions completed",
    "approval_approved": "Among drafts approved",
    "approval_rejected": "Among drafts rejected",
    "approval_modified": "Among drafts modified",
    "draft_modified": "Among drafts modified",
    "exception_raised": "Among exceptions",
    "exception_surfaced": "Among exceptions",
    "user_correction": "Among corrections",
    "correction": "Among corrections",
    "routed_differently": "Among things rerouted",
}
_ENDS: Final = {
    "approved": "drafts are approved as they stand",
    "modified": "drafts are modified",
    "rejected": "drafts are rejected",
    "exception": "exceptions arise",
}
_MOST_QUOTED: Final = 10


def pattern_of(
    rule: BehaviourRule, named: Named, apart: Sequence[Known], tongue: str, *, ended: bool = False
) -> Pattern:
    """A rule as a pattern, by the names it goes by; without an order where no sentence of one can be signed."""
    held = [known for known, holds in zip(apart, rule.held, strict=True) if holds]
    against = [known for known, holds in zip(apart, rule.against, strict=True) if holds]
    # Of what never held of late no words are left.
    quote = _capital(_quote(rule, named, held, tongue)) if held else ""
    action = "" if ended else order_of(rule, named, held, tongue)
    return Pattern(
        key=named.key,
        category=_category(rule, named, held),
        quote=quote + "." if len(quote.split()) <= MAX_QUOTE_WORDS else _short(quote, MAX_QUOTE_WORDS) + ".",
        evidence=_short(
            _since(rule, apart) if ended or not held else _evidence(rule, held, against), MAX_EVIDENCE_WORDS
        ),
        episodes=tuple(known.deed.id for known in held),
        against=tuple(known.deed.id for known in against),
        cases=rule.cases,
        ended=ended,
        rule=_capital(action) + "." if action and len(action.split()) <= MAX_RULE_WORDS else "",
    )


def _quote(rule: BehaviourRule, named: Named, held: Sequence[Known], tongue: str) -> str:
    """What is observed, with neither a capital nor a full stop."""
    if rule.turned:
        time = _time(named.grounds[0])
        if rule.conclusion.column == "says":
            return f"this happens {time}: {_wording(held)}"
        about, _, thing = named.conclusion.partition("+")
        prefix = _ground(rule.conclusion.column, about, held)
        if thing not in ("", DONE):
            prefix += f' and when it is about "{surface(thing, held)}"'
        return f"{prefix}, things are done {time}"
    told = [
        _ground(ground.column, name, held)
        for ground, name in zip(rule.grounds, named.grounds, strict=True)
        if is_told(ground, rule)
    ]
    return ", ".join(filter(None, (_joined(told), _conclusion(rule, named.conclusion, held, tongue))))


def _joined(circumstances: list[str]) -> str:
    one, *more = sorted(circumstances, key=lambda text: (text.startswith("when "), text)) or [""]
    return " and ".join([one, *more])


def _ground(column: str, name: str, held: Sequence[Known]) -> str:
    """A circumstance, as a sentence begins with it."""
    if column == "event":
        return _lower(_EVENTS.get(name.partition("=")[2], f"among {name.partition('=')[2]}"))
    if column == "says":
        return f'when it is about "{surface(name.partition("=")[2], held)}"'
    if column == "when":
        return _time(name)
    if column.startswith("@"):
        return _value(name, held)
    if bound := BOUND.fullmatch(name):
        sign = "above" if bound["sign"] == ">" else "at most"
        return f"when {_the(bound['name'])} {sign} {number(float(bound['number']))}"
    kind, _, value = name.partition("=")
    moment = MOMENT.fullmatch(name)
    if moment and kind not in CONTACT_TYPES:
        return f"when {_the(moment['name'])} {_time(name)}"
    who = cut(shown(held, kind, value))
    return f"with {who}" if kind in CONTACT_TYPES else f"with {plain(kind)} {who}"


def _value(name: str, held: Sequence[Known]) -> str:
    attribute, _, value = name.partition("=")
    written = cut(shown(held, attribute, value))
    if attribute in CONTACT_TYPES:
        return f"with {written}"
    if written in ("yes", "no"):
        return f'when "{plain(attribute)}" is {written}'
    return f"when {_the(attribute)} {written}"


def _the(attribute: str) -> str:
    """An attribute, as a circumstance begins with it: "the amount is", "the minutes are"."""
    name = plain(attribute)
    return f"the {name} {'are' if name.endswith('s') and not name.endswith('ss') else 'is'}"


def _time(name: str) -> str:
    """The time that a circumstance names, in words; `""` where it names none."""
    moment = MOMENT.fullmatch(name)
    if moment is None:
        return ""
    day, sign, clock = moment["day"], moment["sign"], moment["clock"]
    if moment["begin"]:
        return f"between {moment['begin']} and {moment['end']}"
    if day and sign == "<" and clock == "12:00":
        return f"on {_DAYS[day]} mornings"
    hours = (
        f"{'before' if sign == '<' else 'from'} {clock}" + (" on" if sign == ">=" and not day else "") if sign else ""
    )
    return f"on {_DAYS[day]}s {hours}".rstrip() if day else hours


def _conclusion(rule: BehaviourRule, name: str, held: Sequence[Known], tongue: str) -> str:
    """What follows, as a clause."""
    column, _, value = name.partition("=")
    if told := bound(name):
        return _moved(told, rule, held)
    if rule.conclusion.column == "says":
        return _said(value.split("+"), rule, held, tongue)
    if rule.conclusion.column == "event":
        return f"{_ENDS[value]}{f', as in {_wording(held)}' if value == 'rejected' else ''}"
    written = cut(shown(held, column, value))
    if column == "to":
        first = sent_from(held)
        if is_sent_on(held) and written.casefold() not in DEGREES:
            return f"the user routes to {written}{f', not to {first}' if first else ''}"
        return f"the user chooses {written}{f', not {first}' if first else ''}"
    if column == "changed_to":
        was, written = instead(held, value)
        return f"the user changes {was} to {written}" if was else f"the user changes to {written}"
    if column in TOOLS:
        return f"{written} is used"
    if column == "change":
        return f'the change made is "{written}"'
    if column == "part":
        return f"the user changes the {written}"
    if column == "reason":
        return f'the reason given is "{written}"'
    return f"{_the(column)} {written}"


def _moved(told: tuple[str, str, str], rule: BehaviourRule, held: Sequence[Known]) -> str:
    """Over which bound something is moved, and to which side of it."""
    thing = thing_moved(rule, held)
    return f"{thing or f'what is told as {_wording(held)}'} {'are' if thing else 'is'} moved to {over(told)}"


def _said(tokens: list[str], rule: BehaviourRule, held: Sequence[Known], tongue: str) -> str:
    acts = [token for token in tokens if token.lstrip("!") in PARTICIPLES]
    things = [token for token in tokens if token not in acts]
    if len(acts) == 1 and not things and not acts[0].startswith("!"):
        return f"{'drafts are' if of_drafts(held) else 'what comes is'} {PARTICIPLES[acts[0]]}, as in {_wording(held)}"
    if not acts and rule.grounds and sum(known.end == "rejected" for known in held) >= MOSTLY * len(held):
        return f"{_ENDS['rejected']}, as in {_wording(held)}"
    recurs = f"this recurs: {_wording(held)}"
    if len(acts) != 1 or len(things) != 1 or acts[0].lstrip("!") == "use":
        return recurs
    thing, act = surface(things[0], held), acts[0].lstrip("!")
    unsaid = act in ACTS and tongue == LANGUAGE and not order(act, things[0], held)
    if unsaid or not all(is_plain(word) for word in thing.split()):
        # "Order number missing" takes no number away.
        return recurs
    several = thing.endswith("s") and not thing.endswith("ss")
    drafts = sum(known.deed.event in DRAFTS for known in held) * 2 > len(held) and not thing.startswith("draft")
    place = f" {'from' if act == 'remove' else 'in'} drafts" if drafts else ""
    denied = "not " if acts[0].startswith("!") else ""
    return f"{thing if several else f'the {thing}'} {'are' if several else 'is'} {denied}{PARTICIPLES[act]}{place}"


def _wording(held: Sequence[Known]) -> str:
    """What is said of most of the deeds, in quotation marks."""
    return f'"{cut(commonest([" ".join(known.deed.text.split()) for known in held]), _MOST_QUOTED)}"'


def _evidence(rule: BehaviourRule, held: Sequence[Known], against: Sequence[Known]) -> str:
    days = _between(held[0].deed.at, held[-1].deed.at)
    if rule.opposed:
        counter = f"the opposite {_times(len(against))}" if against else "never the opposite"
        return f"in {len(held)} of {rule.cases} such cases {days}, {counter}"
    same, outside = rule.elsewhere
    rest = f"; elsewhere in {same} of {outside}" if outside else ""
    return f"in {len(held)} of {rule.cases} such cases {days}{rest}"


def _since(rule: BehaviourRule, apart: Sequence[Known]) -> str:
    """How seldom it held of late."""
    places = np.flatnonzero(rule.occasions)
    last = int(np.flatnonzero(rule.held)[-1]) if rule.count else -1
    after = int((places > last).sum())
    if not rule.count:
        return f"in none of the last {len(places)} such cases"
    if after >= LEAST_EPISODES:
        return f"in none of the last {after} such cases, since {_day(apart[last].deed.at)}"
    return f"in {rule.count} of the last {len(places)} such cases"


def _day(at: datetime) -> str:
    return f"{at.day} {at:%B %Y}"


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def _between(first: datetime, last: datetime) -> str:
    if first.date() == last.date():
        return f"on {last.day} {last:%B} {last.year}"
    if (first.year, first.month) == (last.year, last.month):
        return f"between {first.day} and {last.day} {last:%B} {last.year}"
    year = f" {first.year}" if first.year != last.year else ""
    return f"between {first.day} {first:%B}{year} and {last.day} {last:%B} {last.year}"


def _category(rule: BehaviourRule, named: Named, held: Sequence[Known]) -> Category:
    columns = {ground.column for ground in rule.grounds}
    attribute = named.conclusion.partition("=")[0]
    words = frozenset(re.findall(r"\w+", " ".join(_done(known) for known in held).casefold()))
    if "when" in columns or (bound(named.conclusion) or ("",))[0] == CLOCK:
        return Category.RHYTHM
    if attribute == "to" or (attribute == "says" and "forward" in rule.conclusion.acts):
        return Category.PEOPLE
    if attribute in TOOLS or columns & {f"@{name}" for name in TOOLS}:
        return Category.TOOLS
    if attribute == "outcome":
        return Category.PEOPLE if columns & {*CONTACT_TYPES, "@contact"} else Category.DECISIONS
    drafts = sum(known.deed.event in DRAFTS for known in held) * 2 > len(held)
    if attribute in ("change", "part") or (attribute == "says" and drafts) or words & WRITING_WORDS:
        return Category.WRITING_STYLE
    if attribute == "changed_to" or (attribute == "says" and words & TOOL_WORDS):
        return Category.TOOLS
    if columns & {*CONTACT_TYPES, "@contact"}:
        return Category.PEOPLE
    return Category.DECISIONS


def _done(known: Known) -> str:
    """In what words a deed says what it was changed to."""
    return " ".join((known.deed.text, *(known.values.get(name, "") for name in ("did", "changed_to"))))


def _short(text: str, most: int) -> str:
    return " ".join(text.split()[:most])


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
