"""The text of a rule: a sentence, its numbers, and an order for an agent."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Final

import numpy as np

from remembrancer.language.calendar import weekday_names
from remembrancer.learn.detect.conclusions import DONE
from remembrancer.learn.detect.deeds import DRAFTS, TOOLS, ParsedDeed, shown
from remembrancer.learn.detect.grounds import WEEKDAYS
from remembrancer.learn.detect.order_phrases import ACTS, LANGUAGE, is_plain, order
from remembrancer.learn.detect.orders import (
    BOUND,
    DEGREES,
    MOMENT,
    MOSTLY,
    cut,
    instead,
    is_needed,
    is_sent_on,
    number,
    of_drafts,
    order_of,
    over,
    plain,
    sent_from,
    surface,
    thing_moved,
)
from remembrancer.learn.detect.ranges import CLOCK, bound
from remembrancer.learn.detect.rules import BehaviourRule, Named
from remembrancer.learn.detect.wording import PARTICIPLES, commonest, style_words, tool_words
from remembrancer.types.episode import CONTACT_TYPES
from remembrancer.types.pattern import (
    LEAST_EPISODES,
    MAX_EVIDENCE_WORDS,
    MAX_QUOTE_WORDS,
    MAX_RULE_WORDS,
    Category,
    Pattern,
)

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
    rule: BehaviourRule, named: Named, apart: Sequence[ParsedDeed], tongue: str, *, ended: bool = False
) -> Pattern:
    """Return a rule as a pattern with its names; without an order if there is no valid sentence for it."""
    matching = [known for known, mask in zip(apart, rule.matching, strict=True) if mask]
    against = [known for known, mask in zip(apart, rule.against, strict=True) if mask]
    # A habit without recent matches has no recent words.
    quote = _capital(_quote(rule, named, matching, tongue)) if matching else ""
    action = "" if ended else order_of(rule, named, matching, tongue)
    return Pattern(
        key=named.key,
        category=_category(rule, named, matching),
        quote=quote + "." if len(quote.split()) <= MAX_QUOTE_WORDS else _short(quote, MAX_QUOTE_WORDS) + ".",
        evidence=_short(
            _since(rule, apart) if ended or not matching else _evidence(rule, matching, against), MAX_EVIDENCE_WORDS
        ),
        episodes=tuple(known.deed.id for known in matching),
        against=tuple(known.deed.id for known in against),
        cases=rule.cases,
        ended=ended,
        rule=_capital(action) + "." if action and len(action.split()) <= MAX_RULE_WORDS else "",
    )


def _quote(rule: BehaviourRule, named: Named, matching: Sequence[ParsedDeed], tongue: str) -> str:
    """Return the observation in words, without capital and full stop."""
    if rule.turned:
        time = _time(named.grounds[0])
        if rule.conclusion.column == "says":
            return f"this happens {time}: {_wording(matching)}"
        about, _, thing = named.conclusion.partition("+")
        prefix = _ground(rule.conclusion.column, about, matching)
        if thing not in ("", DONE):
            prefix += f' and when it is about "{surface(thing, matching)}"'
        return f"{prefix}, things are done {time}"
    circumstances = [
        _ground(ground.column, name, matching)
        for ground, name in zip(rule.grounds, named.grounds, strict=True)
        if is_needed(ground, rule)
    ]
    return ", ".join(filter(None, (_joined(circumstances), _conclusion(rule, named.conclusion, matching, tongue))))


def _joined(circumstances: list[str]) -> str:
    one, *more = sorted(circumstances, key=lambda text: (text.startswith("when "), text)) or [""]
    return " and ".join([one, *more])


def _ground(column: str, name: str, matching: Sequence[ParsedDeed]) -> str:
    """Return a circumstance, as a sentence begins with it."""
    if column == "event":
        return _lower(_EVENTS.get(name.partition("=")[2], f"among {name.partition('=')[2]}"))
    if column == "says":
        return f'when it is about "{surface(name.partition("=")[2], matching)}"'
    if column == "when":
        return _time(name)
    if column.startswith("@"):
        return _value(name, matching)
    if bound := BOUND.fullmatch(name):
        sign = "above" if bound["sign"] == ">" else "at most"
        return f"when {_the(bound['name'])} {sign} {number(float(bound['number']))}"
    kind, _, value = name.partition("=")
    moment = MOMENT.fullmatch(name)
    if moment and kind not in CONTACT_TYPES:
        return f"when {_the(moment['name'])} {_time(name)}"
    who = cut(shown(matching, kind, value))
    return f"with {who}" if kind in CONTACT_TYPES else f"with {plain(kind)} {who}"


def _value(name: str, matching: Sequence[ParsedDeed]) -> str:
    attribute, _, value = name.partition("=")
    written = cut(shown(matching, attribute, value))
    if attribute in CONTACT_TYPES:
        return f"with {written}"
    if written in ("yes", "no"):
        return f'when "{plain(attribute)}" is {written}'
    return f"when {_the(attribute)} {written}"


def _the(attribute: str) -> str:
    """Return an attribute, as a circumstance begins with it: "the amount is", "the minutes are"."""
    name = plain(attribute)
    return f"the {name} {'are' if name.endswith('s') and not name.endswith('ss') else 'is'}"


def _time(name: str) -> str:
    """Return the time that a circumstance names, in words; `""` where it names none."""
    moment = MOMENT.fullmatch(name)
    if moment is None:
        return ""
    day, sign, clock = moment["day"], moment["sign"], moment["clock"]
    if moment["begin"]:
        return f"between {moment['begin']} and {moment['end']}"
    if day and sign == "<" and clock == "12:00":
        return f"on {_day(day)} mornings"
    hours = (
        f"{'before' if sign == '<' else 'from'} {clock}" + (" on" if sign == ">=" and not day else "") if sign else ""
    )
    return f"on {_day(day)}s {hours}".rstrip() if day else hours


def _conclusion(rule: BehaviourRule, name: str, matching: Sequence[ParsedDeed], tongue: str) -> str:
    """Return the consequence as a clause."""
    column, _, value = name.partition("=")
    if parts := bound(name):
        return _moved(parts, rule, matching)
    if rule.conclusion.column == "says":
        return _worded(value.split("+"), rule, matching, tongue)
    if rule.conclusion.column == "event":
        return f"{_ENDS[value]}{f', as in {_wording(matching)}' if value == 'rejected' else ''}"
    written = cut(shown(matching, column, value))
    if column == "to":
        first = sent_from(matching)
        if is_sent_on(matching) and written.casefold() not in DEGREES:
            return f"the user routes to {written}{f', not to {first}' if first else ''}"
        return f"the user chooses {written}{f', not {first}' if first else ''}"
    if column == "changed_to":
        was, written = instead(matching, value)
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


def _moved(parts: tuple[str, str, str], rule: BehaviourRule, matching: Sequence[ParsedDeed]) -> str:
    """Over which bound something is moved, and to which side of it."""
    thing = thing_moved(rule, matching)
    return f"{thing or f'what is parts as {_wording(matching)}'} {'are' if thing else 'is'} moved to {over(parts)}"


def _worded(tokens: list[str], rule: BehaviourRule, matching: Sequence[ParsedDeed], tongue: str) -> str:
    acts = [token for token in tokens if token.lstrip("!") in PARTICIPLES]
    things = [token for token in tokens if token not in acts]
    if len(acts) == 1 and not things and not acts[0].startswith("!"):
        subject = "drafts are" if of_drafts(matching) else "what comes is"
        return f"{subject} {PARTICIPLES[acts[0]]}, as in {_wording(matching)}"
    if not acts and rule.grounds and sum(known.end == "rejected" for known in matching) >= MOSTLY * len(matching):
        return f"{_ENDS['rejected']}, as in {_wording(matching)}"
    recurs = f"this recurs: {_wording(matching)}"
    if len(acts) != 1 or len(things) != 1 or acts[0].lstrip("!") == "use":
        return recurs
    thing, act = surface(things[0], matching), acts[0].lstrip("!")
    unsaid = act in ACTS and tongue == LANGUAGE and not order(act, things[0], matching)
    if unsaid or not all(is_plain(word) for word in thing.split()):
        # "Order number missing" removes no number.
        return recurs
    several = thing.endswith("s") and not thing.endswith("ss")
    drafts = sum(known.deed.event in DRAFTS for known in matching) * 2 > len(matching) and not thing.startswith("draft")
    place = f" {'from' if act == 'remove' else 'in'} drafts" if drafts else ""
    denied = "not " if acts[0].startswith("!") else ""
    return f"{thing if several else f'the {thing}'} {'are' if several else 'is'} {denied}{PARTICIPLES[act]}{place}"


def _wording(matching: Sequence[ParsedDeed]) -> str:
    """Return the most frequent text of the events, in quotation marks."""
    return f'"{cut(commonest([" ".join(known.deed.text.split()) for known in matching]), _MOST_QUOTED)}"'


def _evidence(rule: BehaviourRule, matching: Sequence[ParsedDeed], against: Sequence[ParsedDeed]) -> str:
    days = _between(matching[0].deed.at, matching[-1].deed.at)
    if rule.opposed:
        counter = f"the opposite {_times(len(against))}" if against else "never the opposite"
        return f"in {len(matching)} of {rule.cases} such cases {days}, {counter}"
    same, outside = rule.elsewhere
    rest = f"; elsewhere in {same} of {outside}" if outside else ""
    return f"in {len(matching)} of {rule.cases} such cases {days}{rest}"


def _since(rule: BehaviourRule, apart: Sequence[ParsedDeed]) -> str:
    """Return the recent count of a habit that has ended."""
    places = np.flatnonzero(rule.occasions)
    last = int(np.flatnonzero(rule.matching)[-1]) if rule.count else -1
    after = int((places > last).sum())
    if not rule.count:
        return f"in none of the last {len(places)} such cases"
    if after >= LEAST_EPISODES:
        return f"in none of the last {after} such cases, since {_date(apart[last].deed.at)}"
    return f"in {rule.count} of the last {len(places)} such cases"


def _day(short: str) -> str:
    return weekday_names()["english"][WEEKDAYS.index(short)]


def _date(at: datetime) -> str:
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


def _category(rule: BehaviourRule, named: Named, matching: Sequence[ParsedDeed]) -> Category:
    columns = {ground.column for ground in rule.grounds}
    attribute = named.conclusion.partition("=")[0]
    words = frozenset(re.findall(r"\w+", " ".join(_done(known) for known in matching).casefold()))
    if "when" in columns or (bound(named.conclusion) or ("",))[0] == CLOCK:
        return Category.RHYTHM
    if attribute == "to" or (attribute == "says" and "forward" in rule.conclusion.acts):
        return Category.PEOPLE
    if attribute in TOOLS or columns & {f"@{name}" for name in TOOLS}:
        return Category.TOOLS
    if attribute == "outcome":
        return Category.PEOPLE if columns & {*CONTACT_TYPES, "@contact"} else Category.DECISIONS
    drafts = sum(known.deed.event in DRAFTS for known in matching) * 2 > len(matching)
    if attribute in ("change", "part") or (attribute == "says" and drafts) or words & style_words():
        return Category.WRITING_STYLE
    if attribute == "changed_to" or (attribute == "says" and words & tool_words()):
        return Category.TOOLS
    if columns & {*CONTACT_TYPES, "@contact"}:
        return Category.PEOPLE
    return Category.DECISIONS


def _done(known: ParsedDeed) -> str:
    """Return the new value of a deed, in its own words."""
    return " ".join((known.deed.text, *(known.values.get(name, "") for name in ("did", "changed_to"))))


def _short(text: str, most: int) -> str:
    return " ".join(text.split()[:most])


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
