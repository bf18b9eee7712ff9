"""What a model proposes, counted again: refused unless the deeds it names bear it out, act, name and number.

Ordinary words are free, and so is which wordings are one behaviour: each of them is counted.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

import numpy as np

from remembrancer.language.calendar import MONTH_NAMES
from remembrancer.language.stems import stem
from remembrancer.learn.detect.acts import PARTICIPLES, opposed
from remembrancer.learn.detect.claims import DAYS, Claim, Refused, claim
from remembrancer.learn.detect.grounds import deeds_in
from remembrancer.learn.detect.values import RESULTS, TOPICS, Known, taken_apart
from remembrancer.learn.detect.wordings import stems, wording
from remembrancer.types.episode import CONTACT_TYPES
from remembrancer.types.pattern import (
    LEAST_EPISODES,
    MAX_EVIDENCE_WORDS,
    MAX_QUOTE_WORDS,
    MAX_RULE_WORDS,
    PATTERNS_PER_RUN,
    BehaviourEvent,
    Category,
    Condition,
    ConditionOperator,
    Pattern,
    Proposal,
    RejectedProposal,
)

_NUMBER: Final = re.compile(r"\d+(?:[.,:]\d+)*")
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_CAPITAL: Final = re.compile(r"(?<![.!?:;(\"'“]\s)(?<!^)(?<!\w)[A-ZÀ-Þ][^\W\d_]+")
_CLOCK: Final = re.compile(r"(\d{1,2}):(\d\d)")
# So large a share of the deeds must bear out what is said of all of them.
_MOST: Final = 0.7
# How something ended is recorded, and not a matter of words.
_ENDS: Final = frozenset({"reject", "approve"})
# Acts that are ordinary words as well ("keep it short", "no", "use"): as such they are free.
_FREE: Final = frozenset(
    {"use", "keep", "flag", "correct", "split", "merge", "increase", "reduce", "restore", "hasten"}
)
# Acts that people tell of one another: to trim is to cut.
_ALIKE: Final = (
    frozenset({"remove", "shorten", "reduce"}),
    frozenset({"replace", "rewrite", "correct", "soften", "sharpen"}),
    frozenset({"add", "lengthen", "increase"}),
    frozenset({"defer", "forward", "archive"}),
)
_MONTHS: Final = tuple(map(str.casefold, MONTH_NAMES["english"]))
_PARTS: Final = {"morning": (0, 12), "afternoon": (12, 18), "evening": (17, 24), "night": (20, 30), "noon": (11, 14)}
_BESIDE_TEXT: Final = """
        before until till unless bevor bis antes hasta avant jusqu prima finché
"""
_BESIDE: Final = frozenset(_BESIDE_TEXT.split())
_NO_TEXT: Final = """
        no without ohne kein keine sin ningún sans aucun senza nessun
"""
_NO: Final = frozenset(_NO_TEXT.split())
_DATED: Final = re.compile(rf"\b(?:{'|'.join(_MONTHS)})\b|\b20\d\d\b", re.IGNORECASE)
# Languages in which every noun has a capital.
_CAPITALISED: Final = frozenset({"german"})


@dataclass(slots=True, kw_only=True)
class _Scope:
    """The deeds of one scope, made ready for counting."""

    apart: Sequence[Known]
    tongue: str
    places: dict[str, int]
    names: dict[str, frozenset[str]]
    taken: set[str] = field(default_factory=set[str])


def check_proposals(
    proposals: Sequence[Proposal], deeds: Sequence[BehaviourEvent], *, limit: int = PATTERNS_PER_RUN
) -> tuple[list[Pattern], list[RejectedProposal]]:
    """The proposals that the deeds bear out, as patterns counted by the engine; and why the others are refused.

    Args:
        proposals: in the order in which they count, the best first.
        deeds: of one exact scope, in any order.
        limit: how many at most are taken.
    """
    apart, tongue = taken_apart(deeds)
    scope = _Scope(
        apart=apart,
        tongue=tongue,
        places={known.deed.id: at for at, known in enumerate(apart)},
        names=_names_of(apart, tongue),
    )
    patterns: list[Pattern] = []
    refusals: list[RejectedProposal] = []
    for proposal in proposals:
        try:
            if len(patterns) >= limit:
                raise Refused(f"more than {limit} patterns in one run")
            patterns.append(_checked(proposal, scope))
        except Refused as refused:
            refusals.append(RejectedProposal(quote=proposal.quote, reason=str(refused)))
    return patterns, refusals


def _checked(proposal: Proposal, scope: _Scope) -> Pattern:
    category = _shape(proposal)
    cited = _cited(proposal, scope)
    found = claim(proposal, scope.apart, scope.tongue)
    _cites_what_holds(cited, found, scope)
    if found.key in scope.taken:
        raise Refused("the same pattern was proposed before")
    held = [known for known, holds in zip(scope.apart, found.held, strict=True) if holds]
    for name, text in (("quote", proposal.quote), ("rule", proposal.rule)):
        if text.strip():
            _whole(name, text, proposal, scope)
            _acts(name, text, held, scope)
            _named(name, text, held, scope)
            _timed(name, text, proposal, held)
    _numbers(proposal, found, held)
    scope.taken.add(found.key)
    return Pattern(
        key=found.key,
        category=category,
        quote=proposal.quote,
        evidence=proposal.evidence,
        episodes=tuple(known.deed.id for known in held),
        against=tuple(known.deed.id for known, no in zip(scope.apart, found.against, strict=True) if no),
        cases=deeds_in(found.occasions),
        rule=" ".join(proposal.rule.split()),
    )


def _shape(proposal: Proposal) -> Category:
    try:
        category = Category(proposal.category)
    except ValueError:
        raise Refused(f"{proposal.category!r} is no category") from None
    limits = (
        ("quote", proposal.quote, MAX_QUOTE_WORDS),
        ("evidence", proposal.evidence, MAX_EVIDENCE_WORDS),
        ("rule", proposal.rule, MAX_RULE_WORDS),
    )
    for name, text, most in limits:
        if len(text.split()) > most:
            raise Refused(f"its {name} has {len(text.split())} words; {most} are allowed")
        if name != "rule" and not text.strip():
            raise Refused(f"it has no {name}")
    return category


def _cited(proposal: Proposal, scope: _Scope) -> frozenset[int]:
    unknown = [name for name in proposal.episodes if name not in scope.places]
    if unknown:
        raise Refused(f"{len(unknown)} of the episodes named are not there, {unknown[0]!r} for one")
    distinct = frozenset(scope.places[name] for name in proposal.episodes)
    if len(distinct) < len(proposal.episodes):
        raise Refused("it names an episode more than once")
    if len(distinct) < LEAST_EPISODES:
        raise Refused(f"{len(distinct)} distinct episodes are too few; {LEAST_EPISODES} are needed")
    return distinct


def _cites_what_holds(cited: frozenset[int], found: Claim, scope: _Scope) -> None:
    """Refuse what names deeds in which it does not hold."""
    astray = [at for at in sorted(cited) if not found.held[at]]
    if astray:
        text = scope.apart[astray[0]].deed.text
        raise Refused(f"{len(astray)} of the episodes named do not show it, {text!r} for one")
    if deeds_in(found.held) < LEAST_EPISODES:
        raise Refused(f"{deeds_in(found.held)} distinct episodes are too few; {LEAST_EPISODES} are needed")


def _whole(name: str, text: str, proposal: Proposal, scope: _Scope) -> None:
    """Refuse a text that leaves out a circumstance, and so says more than was counted, or what then comes of it."""
    for condition in proposal.where:
        if not _says_condition(text, condition, scope):
            raise Refused(f"its {name} leaves out that {condition.field} {condition.relation} {condition.value!r}")
    result = proposal.result
    if name == "quote" and result is not None and not _says_condition(text, result, scope):
        raise Refused(f"its {name} leaves out that {result.field} {result.relation} {result.value!r}")


def _says_condition(text: str, condition: Condition, scope: _Scope) -> bool:
    folded, value = text.casefold(), condition.value.strip().casefold()
    if condition.field in ("event", "outcome") or value in ("yes", "no", "true", "false"):
        return True
    if condition.field == "weekday":
        return value.rstrip("s") in folded
    if condition.field == "time" or condition.relation in (ConditionOperator.BEFORE, ConditionOperator.FROM):
        hours = {_hours(match[0]) for match in _CLOCK.finditer(value)} | {_hours(value)}
        return bool(hours & set(_found(text, clocks=True))) or any(part in folded for part in _PARTS)
    if condition.relation is not ConditionOperator.IS:
        return bool(set(_found(value)) & set(_found(text)))
    wanted = stems(value, scope.tongue) or frozenset({value})
    said = wording(text, scope.tongue).tokens | {stem(word, scope.tongue) for word in _WORD.findall(folded)}
    return value in folded or bool(wanted & said)


def _acts(name: str, text: str, held: Sequence[Known], scope: _Scope) -> None:
    """Refuse an act or an end that the deeds do not show."""
    read = wording(text, scope.tongue)
    for act in sorted(read.acts):
        plain = act.lstrip("!")
        if plain in _FREE or _is_aside(act, text, scope.tongue):
            continue
        undone = sum(bool(opposed(act) & (known.said.acts | _ended(known))) for known in held)
        if undone > (1 - _MOST) * len(held):
            raise Refused(f"its {name} says {act.replace('!', 'not ')!r}, and the episodes say the opposite")
        if act.startswith("!"):
            continue
        shown = sum(_shows(plain, known, scope.tongue) for known in held)
        if shown < _MOST * len(held):
            raise Refused(f"its {name} says {plain!r}, which {shown} of the {len(held)} episodes show")


def _is_aside(act: str, text: str, tongue: str) -> bool:
    """Whether an act is said only of what comes before or after ("ask before it is approved"), or is a plain "no"."""
    words = _WORD.findall(text.casefold())
    said = [at for at, word in enumerate(words) if act in wording(word, tongue).acts]
    return bool(said) and all(words[at] in _NO or _BESIDE & set(words[max(0, at - 4) : at]) for at in said)


def _ended(known: Known) -> frozenset[str]:
    return frozenset(act for act, participle in PARTICIPLES.items() if participle == known.end)


def _shows(act: str, known: Known, tongue: str) -> bool:
    if act in _ENDS:
        return act in known.said.acts | _ended(known)
    if act in ("replace", "rewrite") and (known.end == "modified" or "changed_to" in known.values):
        return True
    alike = next((family for family in _ALIKE if act in family), frozenset({act}))
    done = known.said.acts | {token for value in known.values.values() for token in wording(value, tongue).acts}
    if "to" in known.values or known.end == "rerouted":
        done |= {"forward"}
    # What is told in words that are no act that is known may be any act but an end.
    return bool(alike & done) or not {one for one in done if one.lstrip("!") not in _FREE}


def _named(name: str, text: str, held: Sequence[Known], scope: _Scope) -> None:
    """Refuse names and things that the deeds do not bear: whom, what about, where to, by what."""
    words = _WORD.findall(text.casefold())
    near = {*words, *(" ".join(pair) for pair in pairwise(words))}
    said = {stem(word, scope.tongue) for word in words}
    for named, tokens in sorted(scope.names.items()):
        if named in near or (tokens and tokens <= said and len(named) > 2):
            borne = sum(_bears(known, named, tokens) for known in held)
            if borne < _MOST * len(held):
                raise Refused(f"its {name} names {named!r}, which {borne} of the {len(held)} episodes bear out")
    if scope.tongue in _CAPITALISED:
        return
    whole = " ".join(_vocabulary(held)).casefold()
    for capital in _CAPITAL.findall(text):
        word = capital.casefold()
        if word not in whole and word.rstrip("s") not in (*DAYS, *_MONTHS, "i"):
            raise Refused(f"its {name} names {capital!r}, which none of the episodes does")


def _vocabulary(held: Sequence[Known]) -> Iterator[str]:
    for known in held:
        yield known.deed.text
        yield from (name for _, name in known.names)
        yield from known.values
        yield from known.values.values()


def _names_of(apart: Sequence[Known], tongue: str) -> dict[str, frozenset[str]]:
    """Every name, thing and place of a scope, as compared, with the stems of its words."""
    found: dict[str, frozenset[str]] = {}
    for known in apart:
        told = [value for name, value in known.values.items() if name in (*TOPICS, *RESULTS[:2], "tool", "format")]
        people = [name for kind, name in known.names if kind in CONTACT_TYPES]
        for value in (*told, *people, *(part for name in people for part in name.split() if len(part) > 2)):
            if len(value.split()) <= 2 and value not in ("yes", "no"):
                found.setdefault(value, frozenset(stem(word, tongue) for word in _WORD.findall(value)))
    return found


def _bears(known: Known, named: str, tokens: frozenset[str]) -> bool:
    own = " ".join(_vocabulary([known])).casefold()
    return named in own or bool(tokens and tokens <= known.said.tokens)


def _timed(name: str, text: str, proposal: Proposal, held: Sequence[Known]) -> None:
    """Refuse a weekday or a part of the day that most deeds were not on."""
    words = _WORD.findall(text.casefold())
    claimed = [one.value.casefold().rstrip("s") for one in proposal.where if one.field == "weekday"]
    results = {one.casefold() for known in held for one in known.values.values()}
    for word in words:
        day = word.rstrip("s")
        if day in DAYS and day not in claimed and not any(day in value for value in results):
            on = sum(DAYS[known.deed.at.weekday()] == day or day in known.deed.text.casefold() for known in held)
            if on < _MOST * len(held):
                raise Refused(f"its {name} says {word!r}, and {on} of the {len(held)} episodes were then")
        if (part := _PARTS.get(day)) and not any(day in known.deed.text.casefold() for known in held):
            within = sum(part[0] <= known.deed.at.hour < part[1] for known in held)
            if within < _MOST * len(held):
                raise Refused(f"its {name} says {word!r}, and {within} of the {len(held)} episodes were then")


def _numbers(proposal: Proposal, found: Claim, held: Sequence[Known]) -> None:
    """Every number in quote, evidence and rule was counted, or stands in what was counted."""
    count, occasions = deeds_in(found.held), deeds_in(found.occasions)
    counted = {float(count), float(occasions), float(occasions - count), float(len(proposal.episodes))}
    counted |= {float(deeds_in(found.against)), float(count + deeds_in(found.against))}
    counted |= {float(round(100 * count / occasions)), 30.0, 100.0} if occasions else set[float]()
    counted |= {number for known in held for text in _vocabulary([known]) for number in _found(text, clocks=True)}
    conditions = (*proposal.where, *([proposal.result] if proposal.result else []))
    counted |= {number for one in conditions for number in _found(one.value, clocks=True)}
    for name, text in (("quote", proposal.quote), ("evidence", proposal.evidence), ("rule", proposal.rule)):
        days = (
            {float(day) for known in held for day in (known.deed.at.day, known.deed.at.year)}
            if _DATED.search(text)
            else ()
        )
        for number in _found(text, clocks=True):
            if number not in counted and number not in days and not _bounds(number, held):
                raise Refused(f"its {name} says {number:g}, which was not counted")


def _bounds(number: float, held: Sequence[Known]) -> bool:
    """Whether a number is a value of an attribute of the deeds, or lies at one side of all of its values, near them."""
    by_name: dict[str, list[float]] = {}
    for known in held:
        for name, value in known.numbers.items():
            by_name.setdefault(name, []).append(value)
    whole = [np.array(values) for values in by_name.values() if len(values) == len(held)]
    return any(
        number in values or values.min() / 2 <= number <= values.min() or values.max() <= number <= values.max() * 2
        for values in whole
    )


def _hours(clock: str) -> float:
    match = _CLOCK.fullmatch(clock)
    return float(match[1]) + float(match[2]) / 60 if match else -1.0


def _found(text: str, *, clocks: bool = False) -> list[float]:
    """The numbers in a text; times of day as hours."""
    numbers = [_hours(match[0]) for match in _CLOCK.finditer(text)] if clocks else []
    for match in _NUMBER.findall(_CLOCK.sub(" ", text)):
        try:
            numbers.append(float(match.replace(",", "").rstrip(".")))
        except ValueError:
            continue
    return numbers
