"""What a model proposes, counted again: refused unless the deeds it names bear it out, word and number."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from remembrancer.engines.detecting.acts import PARTICIPLES, acts, opposed
from remembrancer.engines.detecting.conclusions import Conclusion, conclusions
from remembrancer.engines.detecting.grounds import Ground, Mask, deeds_in, grounds
from remembrancer.engines.detecting.patterns import pattern_of
from remembrancer.engines.detecting.rules import LEAST_CONSISTENCY, Rule, state
from remembrancer.engines.detecting.search import MOSTLY
from remembrancer.engines.detecting.values import Known, taken_apart
from remembrancer.engines.detecting.wordings import stems
from remembrancer.language.calendar import MONTH_NAMES, WEEKDAY_NAMES
from remembrancer.model.pattern import (
    LEAST_EPISODES,
    MAX_EVIDENCE_WORDS,
    MAX_QUOTE_WORDS,
    MAX_RULE_WORDS,
    PATTERNS_PER_RUN,
    Category,
    Deed,
    Pattern,
    Proposal,
    Refusal,
)

_NUMBER: Final = re.compile(r"\d+(?:[.,:]\d+)*")
_CLOCK: Final = re.compile(r"\d{1,2}:\d\d")
# So large a share of the deeds named must bear a word out, and so many of the words must be borne out.
_MOST: Final = 0.7
_ENOUGH: Final = 0.5
# Words with which any pattern is told.
_FRAME_TEXT: Final = """
        email emails mail mails message messages text texts
        always never usually often user users draft drafts every each time times case cases whenever agent
        consistently pattern habit rule episode episodes occurrence occurrences observed occasion occasions deed
        deeds between percent prefer prefers like likes want wants tend tends make makes made do done handle
        handled treat treated get gets are is were was has have been day days week weeks month months year years
        after before above below over under least most morning mornings afternoon afternoons evening evenings
        today consistent again correction corrections behaviour behavior contact contacts thing things kind out
"""
_FRAME: Final = frozenset(_FRAME_TEXT.split())
_WEEKDAYS: Final = tuple(map(str.lower, WEEKDAY_NAMES["english"]))
_MONTHS: Final = tuple(map(str.lower, MONTH_NAMES["english"]))


@dataclass(slots=True, kw_only=True)
class _Scope:
    """The deeds of one scope, made ready for counting."""

    apart: Sequence[Known]
    tongue: str
    places: dict[str, int]
    grounds: Sequence[Ground]
    conclusions: Sequence[Conclusion]
    taken: set[str] = field(default_factory=set[str])


class _Refused(Exception):
    """Why a proposal is refused."""


def check_proposals(
    proposals: Sequence[Proposal], deeds: Sequence[Deed], *, limit: int = PATTERNS_PER_RUN
) -> tuple[list[Pattern], list[Refusal]]:
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
        grounds=grounds(apart, tongue) if apart else [],
        conclusions=conclusions(apart, tongue) if apart else [],
    )
    patterns: list[Pattern] = []
    refusals: list[Refusal] = []
    for proposal in proposals:
        try:
            if len(patterns) >= limit:
                raise _Refused(f"more than {limit} patterns in one run")
            patterns.append(_checked(proposal, scope))
        except _Refused as refused:
            refusals.append(Refusal(quote=proposal.quote, reason=str(refused)))
    return patterns, refusals


def _checked(proposal: Proposal, scope: _Scope) -> Pattern:
    category = _shape(proposal)
    cited = _cited(proposal, scope)
    held = [scope.apart[at] for at in sorted(cited)]
    _borne_out(proposal, held, scope)
    rule = _common(cited, proposal.quote, scope)
    if rule is None:
        raise _Refused("the episodes named have nothing in common that the quote says")
    if rule.consistency < LEAST_CONSISTENCY:
        raise _Refused(f"held in {rule.count} of {rule.count + deeds_in(rule.against)}, which is too few")
    if rule.key in scope.taken:
        raise _Refused("the same pattern was proposed before")
    _numbers(proposal, rule, held)
    scope.taken.add(rule.key)
    counted = pattern_of(rule, next(rule.named()), scope.apart, scope.tongue)
    return replace(
        counted,
        category=category,
        quote=proposal.quote,
        evidence=proposal.evidence,
        rule=" ".join(proposal.rule.split()),
    )


def _shape(proposal: Proposal) -> Category:
    try:
        category = Category(proposal.category)
    except ValueError:
        raise _Refused(f"{proposal.category!r} is no category") from None
    limits = (
        ("quote", proposal.quote, MAX_QUOTE_WORDS),
        ("evidence", proposal.evidence, MAX_EVIDENCE_WORDS),
        ("rule", proposal.rule, MAX_RULE_WORDS),
    )
    for name, text, most in limits:
        if len(text.split()) > most:
            raise _Refused(f"its {name} has {len(text.split())} words; {most} are allowed")
        if name != "rule" and not text.strip():
            raise _Refused(f"it has no {name}")
    return category


def _cited(proposal: Proposal, scope: _Scope) -> frozenset[int]:
    unknown = [name for name in proposal.episodes if name not in scope.places]
    if unknown:
        raise _Refused(f"{len(unknown)} of the episodes named are not there, {unknown[0]!r} for one")
    distinct = frozenset(scope.places[name] for name in proposal.episodes)
    if len(distinct) < len(proposal.episodes):
        raise _Refused("it names an episode more than once")
    if len(distinct) < LEAST_EPISODES:
        raise _Refused(f"{len(distinct)} distinct episodes are too few; {LEAST_EPISODES} are needed")
    if proposal.occurrences != len(distinct):
        raise _Refused(f"it counts {proposal.occurrences} and names {len(distinct)}")
    return distinct


def _borne_out(proposal: Proposal, held: Sequence[Known], scope: _Scope) -> None:
    """Each text of a proposal says what most of the deeds named say, and nothing that they do not."""
    vocabularies = [_vocabulary(known, scope.tongue) for known in held]
    known_acts = frozenset(acts(scope.tongue).values())
    for name, text in (("quote", proposal.quote), ("rule", proposal.rule)):
        said = [token for token in stems(text, scope.tongue) if token.lstrip("!") not in _frame(scope.tongue)]
        borne = 0
        for token in sorted(said):
            share = sum(token in vocabulary for vocabulary in vocabularies) / len(held)
            if token in known_acts or token.startswith("!"):
                against = sum(bool(opposed(token) & known.said.acts) for known in held)
                if against > (1 - _MOST) * len(held) and share < _MOST:
                    raise _Refused(f"its {name} says {token.replace('!', 'not ')!r}, and the episodes say the opposite")
            borne += share >= _MOST
            if not any(token in vocabulary for vocabulary in vocabularies) and token not in known_acts:
                raise _Refused(f"its {name} says {token!r}, which none of the episodes does")
        if said and borne < _ENOUGH * len(said):
            raise _Refused(f"most of the words of its {name} are not borne out by the episodes")


def _frame(tongue: str) -> frozenset[str]:
    return _FRAME | stems(" ".join(sorted(_FRAME)), tongue) | {"use"}


def _vocabulary(known: Known, tongue: str) -> frozenset[str]:
    deed = known.deed
    months = (_WEEKDAYS[deed.at.weekday()], _MONTHS[deed.at.month - 1])
    texts = [
        *(name for _, name in known.names),
        *(kind for kind, _ in known.names),
        *known.values.values(),
        *(name.replace("_", " ") for name in deed.attributes),
        deed.event.replace("_", " "),
        known.end,
        *months,
        *(f"{name}s" for name in months),
    ]
    return known.said.tokens | stems(" . ".join(texts), tongue) | _ends_as(known.end)


def _ends_as(end: str) -> frozenset[str]:
    """The act that an end is."""
    return frozenset(act for act, participle in PARTICIPLES.items() if participle == end)


def _common(cited: frozenset[int], quote: str, scope: _Scope) -> Rule | None:
    """What most of the deeds named have in common and the quote says, with where it might have held and did not."""
    everything = np.ones(len(scope.apart), dtype=np.bool_)
    named = np.zeros(len(scope.apart), dtype=np.bool_)
    named[list(cited)] = True
    words = stems(quote, scope.tongue)
    best: tuple[tuple[float, ...], str, Rule] | None = None
    for conclusion in scope.conclusions:
        if not _all(conclusion.holds, named) or not _said(conclusion, words):
            continue
        explaining = _explaining(scope.grounds, conclusion, named)
        for ground in (*(ground for ground in explaining if _told(ground, words, quote)), None):
            if ground is None and conclusion.column != "says":
                continue
            for turned, opposite in _ways(conclusion, ground):
                rule = state(
                    conclusion,
                    () if ground is None else (ground,),
                    everything,
                    0.0,
                    turned=turned,
                    opposed=opposite,
                )
                rule = _of_those_named(rule, named)
                if rule.count < LEAST_EPISODES or rule.count < len(cited):
                    continue
                order = (-_heard(conclusion, ground, words), -round(rule.consistency, 6), float(conclusion.rank))
                if best is None or (order, rule.key) < best[:2]:
                    best = (order, rule.key, rule)
    return best[2] if best else None


def _ways(conclusion: Conclusion, ground: Ground | None) -> Iterator[tuple[bool, bool]]:
    """The ways in which a conclusion may be counted: turned round, and against its opposite only."""
    if ground is None:
        yield False, True
        return
    yield False, False
    if ground.column == "when":
        yield True, False
    mostly = (conclusion.holds & ground.holds).sum() >= MOSTLY * conclusion.holds.sum()
    if conclusion.column == "says" and conclusion.rank == 1 and mostly:
        yield False, True


def _explaining(found: Sequence[Ground], conclusion: Conclusion, named: Mask) -> Iterator[Ground]:
    for ground in found:
        same = conclusion.tokens & ground.tokens or conclusion.column == ground.column
        if ground.column != "event" and not same and _all(ground.holds, named):
            yield ground


def _all(holds: Mask, named: Mask) -> bool:
    return bool((holds & named).sum() == named.sum())


def _of_those_named(rule: Rule, named: Mask) -> Rule:
    """A rule that holds only in the deeds named; the others that hold are neither for nor against it."""
    return replace(rule, held=rule.held & named, against=rule.against & ~named)


def _said(conclusion: Conclusion, words: frozenset[str]) -> bool:
    """Whether the quote says what is concluded."""
    return bool(conclusion.tokens & words)


def _told(ground: Ground, words: frozenset[str], quote: str) -> bool:
    """Whether the quote names a circumstance: its value, its number, its day or its hour."""
    if ground.tokens:
        return bool(ground.tokens & words)
    folded = quote.casefold()
    numbers = set(_found(quote))
    for name in ground.names:
        day = next((day for day in _WEEKDAYS if name.partition("=")[2].startswith(day[:3])), None)
        said = bool(numbers & set(_found(name))) or (name.endswith("<12:00") and "morning" in folded)
        if day and day in folded and (said or not _found(name)):
            return True
        if not day and said:
            return True
    return False


def _heard(conclusion: Conclusion, ground: Ground | None, words: frozenset[str]) -> float:
    tokens = conclusion.tokens | (ground.tokens if ground else frozenset[str]())
    return len(tokens & words)


def _numbers(proposal: Proposal, rule: Rule, held: Sequence[Known]) -> None:
    """Every number in quote, evidence and rule was counted, or stands in what was counted."""
    against = deeds_in(rule.against)
    counted = {float(number) for number in (rule.count, against, rule.count + against)}
    counted |= {float(round(100 * rule.consistency))}
    counted |= {float(part) for known in held for part in (known.deed.at.day, known.deed.at.year)}
    for ground in rule.grounds:
        counted |= {number for name in ground.names for number in _found(name)}
    counted |= {number for known in held for text in _texts(known) for number in _found(text)}
    for name, text in (("quote", proposal.quote), ("evidence", proposal.evidence), ("rule", proposal.rule)):
        for number in _found(text):
            if number not in counted and not _bounds(number, rule, held):
                raise _Refused(f"its {name} says {number:g}, which was not counted")


def _bounds(number: float, rule: Rule, held: Sequence[Known]) -> bool:
    """Whether a number is a bound that lies at one side of all the numbers of an attribute of the deeds named."""
    by_name: dict[str, list[float]] = {}
    for known in held:
        for name, value in known.numbers.items():
            by_name.setdefault(name, []).append(value)
    whole = [values for values in by_name.values() if len(values) == len(held)]
    return any(number <= min(values) or number >= max(values) for values in whole) and number > len(held)


def _texts(known: Known) -> Iterator[str]:
    yield known.deed.text
    yield from (str(value) for value in known.deed.attributes.values())
    yield from (name for _, name in known.names)


def _found(text: str) -> list[float]:
    numbers: list[float] = []
    plain = _CLOCK.sub(lambda match: match[0].replace(":", " "), text)
    for match in _NUMBER.findall(plain):
        try:
            numbers.append(float(match.replace(",", "").rstrip(".")))
        except ValueError:
            continue
    return numbers
