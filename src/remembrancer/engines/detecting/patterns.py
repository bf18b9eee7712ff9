"""How a rule is told: as a sentence, with its numbers, and as what an agent is to do."""

import re
from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise
from typing import Final

from remembrancer.engines.detecting.acts import PARTICIPLES, TOOL_WORDS, WRITING_WORDS
from remembrancer.engines.detecting.conclusions import DONE
from remembrancer.engines.detecting.grounds import WEEKDAYS, Ground
from remembrancer.engines.detecting.orders import ACTS, LANGUAGE, SPEAKERS, is_plain, order, style
from remembrancer.engines.detecting.ranges import CLOCK, bound
from remembrancer.engines.detecting.rules import Named, Rule
from remembrancer.engines.detecting.values import DRAFTS, TOOLS, TOPICS, Known, shown
from remembrancer.engines.detecting.wordings import commonest, stems
from remembrancer.language.calendar import WEEKDAY_NAMES
from remembrancer.model.episode import CONTACT_TYPES
from remembrancer.model.pattern import MAX_EVIDENCE_WORDS, MAX_QUOTE_WORDS, MAX_RULE_WORDS, Category, Pattern

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
_END_RULES: Final = {"rejected": "ask the user before drafting", "exception": "ask the user before going on"}
_LEFT_TO_USER: Final = frozenset({"reject", "rewrite"})
# What was seen on one day alone is no order for all days.
_LEAST_DAYS: Final = 2
# What says how much of something and not of what: "high" may be a priority or a price.
_DEGREES: Final = frozenset({"high", "low", "normal", "medium", "urgent", "none", "other", "default"})
# A circumstance that the conclusion says already: "route to Tom, not to Lea".
_INSTEAD: Final = frozenset({("@from", "@to"), ("@did", "@changed_to"), ("says", "moved")})
_SIDES: Final = {(True, ">="): "later", (True, "<="): "earlier", (False, ">="): "more", (False, "<="): "less"}
_MOST_WORDS: Final = 7
_MOST_QUOTED: Final = 10
# A word that mostly follows a thing belongs to its name.
_MOSTLY: Final = 0.7
_WORD: Final = re.compile(r"[^\W\d_]+")
_BOUND: Final = re.compile(r"(?P<name>.*?)(?P<sign>>|<=)(?P<number>-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)")
_MOMENT: Final = re.compile(
    r"(?P<name>.*?)=(?P<day>mon|tue|wed|thu|fri|sat|sun)?"
    r"(?:(?P<sign><|>=)(?P<clock>\d\d:\d\d)|(?P<begin>\d\d:\d\d)-(?P<end>\d\d:\d\d))?"
)


def pattern_of(rule: Rule, named: Named, apart: Sequence[Known], tongue: str) -> Pattern:
    """A rule as a pattern, by the names it goes by; without an order where no sentence of one can be signed."""
    held = [known for known, holds in zip(apart, rule.held, strict=True) if holds]
    against = [known for known, holds in zip(apart, rule.against, strict=True) if holds]
    quote, action = _words(rule, named, held, tongue)
    recurs = rule.conclusion.column == "says" and not rule.turned and all(known.plain for known in held)
    if not all(_is_signable(ground, held, apart, tongue) for ground in rule.grounds if _is_told(ground, rule)):
        action = ""
    if len({known.deed.at.date() for known in held}) < _LEAST_DAYS:
        action = ""
    if recurs or not rule.is_habit or (rule.conclusion.column == "says" and tongue != LANGUAGE):
        action = ""
    return Pattern(
        key=named.key,
        category=_category(rule, named, held),
        quote=_capital(quote) + "." if len(quote.split()) <= MAX_QUOTE_WORDS else _short(quote, MAX_QUOTE_WORDS) + ".",
        evidence=_short(_evidence(rule, held, against), MAX_EVIDENCE_WORDS),
        episodes=tuple(known.deed.id for known in held),
        against=tuple(known.deed.id for known in against),
        rule=_capital(action) + "." if action and len(action.split()) <= MAX_RULE_WORDS else "",
    )


def _words(rule: Rule, named: Named, held: Sequence[Known], tongue: str) -> tuple[str, str]:
    """The quote and the rule, neither with a capital nor a full stop."""
    if rule.turned:
        time = _time(named.grounds[0])
        if rule.conclusion.column == "says":
            return f"this happens {time}: {_wording(held)}", ""
        about, _, thing = named.conclusion.partition("+")
        prefix = _ground(rule.conclusion.column, about, held)
        if thing not in ("", DONE):
            prefix += f' and when it is about "{_surface(thing, held)}"'
        return f"{prefix}, things are done {time}", ""
    clause, action = _conclusion(rule, named.conclusion, held, tongue)
    told = [
        _ground(ground.column, name, held)
        for ground, name in zip(rule.grounds, named.grounds, strict=True)
        if _is_told(ground, rule)
    ]
    prefix = _joined(told)
    if not prefix:
        return clause, action
    return f"{prefix}, {clause}", f"{prefix}, {action}" if action else ""


def _is_told(ground: Ground, rule: Rule) -> bool:
    """Whether the conclusion does not say a circumstance already."""
    return (ground.column, rule.conclusion.column) not in _INSTEAD


def _is_signable(ground: Ground, held: Sequence[Known], apart: Sequence[Known], tongue: str) -> bool:
    """Whether a circumstance may stand in an order: a word only where it names what something is about."""
    if ground.column == "event":
        return False
    if ground.column != "says":
        return True
    token = ground.name.partition("=")[2]
    # Where topics are told, what something is about is one of them, and any other word a word of the remark.
    topics = {value for known in apart for name, value in known.values.items() if name in TOPICS}
    about = not topics or any(stems(value, tongue) == frozenset({token}) for value in topics)
    return about and is_plain(_surface(token, held))


def _joined(circumstances: list[str]) -> str:
    one, *more = sorted(circumstances, key=lambda text: (text.startswith("when "), text)) or [""]
    return " and ".join([one, *more])


def _ground(column: str, name: str, held: Sequence[Known]) -> str:
    """A circumstance, as a sentence begins with it."""
    if column == "event":
        return _lower(_EVENTS.get(name.partition("=")[2], f"among {name.partition('=')[2]}"))
    if column == "says":
        return f'when it is about "{_surface(name.partition("=")[2], held)}"'
    if column == "when":
        return _time(name)
    if column.startswith("@"):
        return _value(name, held)
    if bound := _BOUND.fullmatch(name):
        sign = "above" if bound["sign"] == ">" else "at most"
        return f"when {_the(bound['name'])} {sign} {_number(float(bound['number']))}"
    kind, _, value = name.partition("=")
    moment = _MOMENT.fullmatch(name)
    if moment and kind not in CONTACT_TYPES:
        return f"when {_the(moment['name'])} {_time(name)}"
    who = _cut(shown(held, kind, value))
    return f"with {who}" if kind in CONTACT_TYPES else f"with {_plain(kind)} {who}"


def _value(name: str, held: Sequence[Known]) -> str:
    attribute, _, value = name.partition("=")
    written = _cut(shown(held, attribute, value))
    if attribute in CONTACT_TYPES:
        return f"with {written}"
    if written in ("yes", "no"):
        return f'when "{_plain(attribute)}" is {written}'
    return f"when {_the(attribute)} {written}"


def _the(attribute: str) -> str:
    """An attribute, as a circumstance begins with it: "the amount is", "the minutes are"."""
    name = _plain(attribute)
    return f"the {name} {'are' if name.endswith('s') and not name.endswith('ss') else 'is'}"


def _time(name: str) -> str:
    """The time that a circumstance names, in words; `""` where it names none."""
    moment = _MOMENT.fullmatch(name)
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


def _conclusion(rule: Rule, name: str, held: Sequence[Known], tongue: str) -> tuple[str, str]:
    """What follows, as a clause, and what an agent is to do of it."""
    column, _, value = name.partition("=")
    if told := bound(name):
        return _moved(told, rule, held)
    if rule.conclusion.column == "says":
        return _said(value.split("+"), rule, held, tongue)
    if rule.conclusion.column == "event":
        reasons = f", as in {_wording(held)}" if value == "rejected" else ""
        return f"{_ENDS[value]}{reasons}", _asking_first(value, held)
    written = _cut(shown(held, column, value))
    if column == "to":
        first = _only("from", held)
        instead = f", not to {first}" if first and first.casefold() not in SPEAKERS else ""
        about = any(ground.column != "@from" for ground in rule.grounds)
        if written.casefold() in _DEGREES:
            return f"the user chooses {written}{instead}", ""
        if instead and sum(_sent_on(known) for known in held) < _MOSTLY * len(held):
            other = instead.replace(", not to ", ", not ")
            return f"the user chooses {written}{other}", f"choose {written}{other}" if about else ""
        return f"the user routes to {written}{instead}", f"route to {written}{instead}" if about else ""
    if column == "changed_to":
        did = _only("did", held)
        was, written = (_cut(text) for text in _apart(did, shown(held, column, value)))
        if not was:
            return f"the user changes to {written}", ""
        unclear = {was.casefold(), written.casefold()} & SPEAKERS
        # "Yours" and "Best" by themselves do not tell of what they are.
        about = any(ground.column != "@did" for ground in rule.grounds)
        said = "" if about else f"; it was said: {_wording(held)}"
        return f"the user changes {was} to {written}", "" if unclear else f"choose {written}, not {was}{said}"
    if column in TOOLS:
        return f"{written} is used", f"use {written}"
    if column == "change":
        return f'the change made is "{written}"', ""
    if column == "part":
        return f"the user changes the {written}", ""
    if column == "reason":
        return f'the reason given is "{written}"', ""
    flag = written in ("yes", "no")
    return f"{_the(column)} {written}", "" if flag else f"set the {_plain(column)} to {written}"


def _moved(told: tuple[str, str, str], rule: Rule, held: Sequence[Known]) -> tuple[str, str]:
    """Over which bound something is moved, and on which side of it an agent is to put it."""
    unit, side, value = told
    where = f"{value}{'' if unit in ('', CLOCK) else f' {unit}'} or {_SIDES[unit == CLOCK, side]}"
    token = rule.grounds[0].name.partition("=")[2] if rule.grounds else ""
    thing = _surface(token, held) if token else "things"
    plain = all(is_plain(word) for word in thing.split()) and bool(token)
    several = thing if thing.endswith("s") else f"{thing}s"
    if not plain:
        return f"what is told as {_wording(held)} is moved to {where}", ""
    return f"{several} are moved to {where}", f"put {several} at {where}"


def _only(name: str, held: Sequence[Known]) -> str:
    """The value of an attribute that all deeds have alike, as it is written; or `""`."""
    values = {known.values.get(name, "") for known in held}
    return shown(held, name, *values) if len(values) == 1 and "" not in values else ""


def _apart(did: str, changed_to: str) -> tuple[str, str]:
    """What was done and what it was changed to, without the words with which both begin."""
    one, other = did.split(), changed_to.split()
    while len(one) > 1 and len(other) > 1 and one[0].casefold() == other[0].casefold():
        one, other = one[1:], other[1:]
    return " ".join(one), " ".join(other)


def _said(tokens: list[str], rule: Rule, held: Sequence[Known], tongue: str) -> tuple[str, str]:
    acts = [token for token in tokens if token.lstrip("!") in PARTICIPLES]
    things = [token for token in tokens if token not in acts]
    if len(acts) == 1 and not things and not acts[0].startswith("!"):
        (act,) = acts
        several = sum(known.drafted for known in held) * 2 > len(held)
        what = "drafts are" if several else "what comes is"
        clause = f"{what} {PARTICIPLES[act]}, as in {_wording(held)}"
        if act in _LEFT_TO_USER:
            return clause, f"leave {what.rpartition(' ')[0]} to the user"
        return clause, style(act, held) if several else ""
    if not acts and rule.grounds and sum(known.end == "rejected" for known in held) >= _MOSTLY * len(held):
        return f"{_ENDS['rejected']}, as in {_wording(held)}", _asking_first("rejected", held)
    if len(acts) != 1 or len(things) != 1 or acts[0].lstrip("!") == "use":
        return f"this recurs: {_wording(held)}", ""
    act, thing = acts[0], _surface(things[0], held)
    if not all(is_plain(word) for word in thing.split()):
        return f"this recurs: {_wording(held)}", ""
    several = thing.endswith("s") and not thing.endswith("ss")
    denied = "not " if act.startswith("!") else ""
    act = act.lstrip("!")
    drafts = sum(known.deed.event in DRAFTS for known in held) * 2 > len(held)
    place = "" if not drafts or thing.startswith("draft") else " from drafts" if act == "remove" else " in drafts"
    article = thing if several else f"the {thing}"
    clause = f"{article} {'are' if several else 'is'} {denied}{PARTICIPLES[act]}{place}"
    told = order(act, things[0], held)
    if not told and act in ACTS and tongue == LANGUAGE:
        # "Order number missing" takes no number away.
        return f"this recurs: {_wording(held)}", ""
    return clause, f"{'do not ' if denied else ''}{told}{place}" if told else ""


def _sent_on(known: Known) -> bool:
    """Whether something was sent on to somebody or somewhere, rather than chosen."""
    return known.end == "rerouted" or "forward" in known.said.acts


def _asking_first(end: str, held: Sequence[Known]) -> str:
    """What to do where things end so: ask, with what was said of it; of exceptions the texts tell what was done."""
    if end not in _END_RULES:
        return ""
    if end != "exception":
        return f"{_END_RULES[end]}; it was said: {_wording(held)}"
    reason = _only("reason", held) or _only("error", held)
    return f"{_END_RULES[end]}; the reason was: {reason}" if reason else _END_RULES[end]


def _wording(held: Sequence[Known]) -> str:
    """What is said of most of the deeds, in quotation marks."""
    return f'"{_cut(commonest([" ".join(known.deed.text.split()) for known in held]), _MOST_QUOTED)}"'


def _surface(token: str, held: Sequence[Known]) -> str:
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
        if len(after[stemmed]) >= _MOSTLY * times:
            return commonest(_several(after[stemmed]) or after[stemmed])
    return ""


def _several(words: Sequence[str]) -> list[str]:
    return [word for word in words if word.endswith("s") and not word.endswith("ss")]


def _evidence(rule: Rule, held: Sequence[Known], against: Sequence[Known]) -> str:
    days = _between(held[0].deed.at, held[-1].deed.at)
    if rule.opposed:
        counter = f"the opposite {_times(len(against))}" if against else "never the opposite"
        return f"in {len(held)} of {rule.chances} such cases {days}, {counter}"
    same, outside = rule.elsewhere
    rest = f"; elsewhere in {same} of {outside}" if outside else ""
    return f"in {len(held)} of {len(held) + len(against)} such cases {days}{rest}"


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def _between(first: datetime, last: datetime) -> str:
    if first.date() == last.date():
        return f"on {last.day} {last:%B} {last.year}"
    if (first.year, first.month) == (last.year, last.month):
        return f"between {first.day} and {last.day} {last:%B} {last.year}"
    year = f" {first.year}" if first.year != last.year else ""
    return f"between {first.day} {first:%B}{year} and {last.day} {last:%B} {last.year}"


def _category(rule: Rule, named: Named, held: Sequence[Known]) -> Category:
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


def _plain(name: str) -> str:
    return " ".join(name.replace("_", " ").replace("-", " ").split())


def _number(value: float) -> str:
    return f"{value:,.15g}" if abs(value) < 1e15 else f"{value:g}"


def _cut(text: str, most: int = _MOST_WORDS) -> str:
    words = text.replace('"', "'").split()
    return " ".join(words) if len(words) <= most else " ".join(words[:most]) + " …"


def _short(text: str, most: int) -> str:
    return " ".join(text.split()[:most])


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
