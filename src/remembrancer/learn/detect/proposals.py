"""The proposals of a model, counted again: refused unless the events that they name confirm act, name and number.

Ordinary words are free, and so is which wordings are one behaviour: each of them is counted.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import Final

import numpy as np

from remembrancer.language.calendar import month_names, weekday_names
from remembrancer.language.stems import stem
from remembrancer.language.tables import word_list
from remembrancer.learn.detect.deeds import JUDGED, RESULTS, TOPICS, ParsedDeed, parse_deeds
from remembrancer.learn.detect.grounds import Mask, deeds_in, event_names
from remembrancer.learn.detect.rules import LEAST_CONSISTENCY, LOG_HABIT, NOW_AND_THEN
from remembrancer.learn.detect.statistics import log_repeated
from remembrancer.learn.detect.wording import PARTICIPLES, opposed, stems, wording
from remembrancer.types.episode import CONTACT_TYPES, folded_name
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

_CLOCK: Final = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")
_MOSTLY: Final = 0.8
_Test = Callable[[ParsedDeed], bool]


@cache
def day_names() -> tuple[str, ...]:
    """Return the English names of weekdays in small letters."""
    return tuple(map(str.casefold, weekday_names()["english"]))


class ProposalRefused(Exception):
    """Why a proposal is refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedProposal:
    """A proposal with counts.

    Args:
        matching: the deeds of its circumstances with its result.
        against: those without it, though it was possible.
        occasions: all of its circumstances in which it was possible.
        key: the counted rule, independent of the wording.
    """

    matching: Mask
    against: Mask
    occasions: Mask
    key: str


def count_proposal(proposal: Proposal, apart: Sequence[ParsedDeed], tongue: str) -> CountedProposal:
    """Return a proposal with its deeds counted.

    Raises:
        ProposalRefused: no deed has its field or value, it has no result, or it matches too seldom.
    """
    inside = _all(apart, [_test(condition, apart, tongue) for condition in proposal.where])
    if proposal.result is None and not proposal.wordings:
        raise ProposalRefused("it has neither a result nor wordings; add one of them")
    result, within = _result(proposal, apart, tongue)
    worded, opposite = _with_wording(proposal.wordings, apart, tongue)
    matching = inside & result & worded
    occasions = (inside & within & (_like(matching, apart) if proposal.wordings else True)) | matching
    against = occasions & ~matching
    if proposal.wordings and not _is_steady(matching, against) and _is_habit(matching, occasions):
        # A repeated correction is compared with its opposite: not every draft has the thing to correct.
        against = occasions & opposite & ~matching
    if not _is_steady(matching, against):
        raise ProposalRefused(
            f"it matched in {deeds_in(matching)} of {deeds_in(occasions)} such cases, which is too few"
        )
    return CountedProposal(matching=matching, against=against, occasions=occasions, key=_key(proposal, tongue))


def _is_steady(matching: Mask, against: Mask) -> bool:
    return deeds_in(matching) >= LEAST_CONSISTENCY * max(1, deeds_in(matching) + deeds_in(against))


def _is_habit(matching: Mask, occasions: Mask) -> bool:
    since = occasions[int(matching.argmax()) :]
    return log_repeated(deeds_in(matching), deeds_in(since), NOW_AND_THEN) <= LOG_HABIT


def _all(apart: Sequence[ParsedDeed], tests: Sequence[_Test]) -> Mask:
    return np.array([all(test(known) for test in tests) for known in apart], dtype=np.bool_)


def _result(proposal: Proposal, apart: Sequence[ParsedDeed], tongue: str) -> tuple[Mask, Mask]:
    """Return the deeds with the result, and those in which it is possible."""
    everywhere = np.ones(len(apart), dtype=np.bool_)
    condition = proposal.result
    if condition is None:
        return everywhere, everywhere
    mask = _all(apart, [_test(condition, apart, tongue)])
    if condition.field == "outcome":
        within = [known.end in JUDGED or not known.deed.outcome or known.end == condition.value for known in apart]
    elif condition.field in ("event", "text", "weekday", "time"):
        return mask, everywhere
    else:
        within = [_has(known, condition.field) for known in apart]
    return mask, np.array(within, dtype=np.bool_)


def _with_wording(wordings: Sequence[str], apart: Sequence[ParsedDeed], tongue: str) -> tuple[Mask, Mask]:
    """Return the deeds with one of the wordings, and those with the opposite of its acts."""
    everywhere = np.ones(len(apart), dtype=np.bool_)
    if not wordings:
        return everywhere, ~everywhere
    found = np.zeros(len(apart), dtype=np.bool_)
    undone = frozenset[str]()
    for phrase in wordings:
        named = [_has_words(known, phrase, tongue) for known in apart]
        if not any(named):
            raise ProposalRefused(f"none of the episodes contains {phrase!r}")
        found |= np.array(named, dtype=np.bool_)
    acts = [known.parsed.acts for known, mask in zip(apart, found, strict=True) if mask]
    for act in frozenset[str]().union(*acts):
        if sum(act in own for own in acts) * 2 > len(acts):
            undone |= opposed(act)
    things = [known.words - known.parsed.acts for known, mask in zip(apart, found, strict=True) if mask]
    common = {word for word in frozenset[str]().union(*things) if sum(word in own for own in things) * 2 > len(things)}
    return found, np.array(
        [bool(undone & known.parsed.acts) and (not common or bool(common & known.words)) for known in apart],
        dtype=np.bool_,
    )


def _like(matching: Mask, apart: Sequence[ParsedDeed]) -> Mask:
    """Return the deeds of the same kind: drafts, others, or all."""
    drafted = np.array([known.drafted for known in apart], dtype=np.bool_)
    share = float(drafted[matching].mean()) if matching.any() else 0.5
    return drafted if share >= _MOSTLY else ~drafted if share <= 1 - _MOSTLY else np.ones_like(drafted)


def _has_words(known: ParsedDeed, words: str, tongue: str) -> bool:
    """Return True if a deed has all significant words, or the very text."""
    wanted = stems(words, tongue)
    if wanted:
        return wanted <= known.words
    return bool(words.strip()) and " ".join(words.casefold().split()) in " ".join(known.deed.text.casefold().split())


def _test(condition: Condition, apart: Sequence[ParsedDeed], tongue: str) -> _Test:
    """Return the test of a condition for a deed."""
    field, relation, value = condition.field.strip(), condition.relation, condition.value.strip()
    if field == "weekday":
        if value.casefold().rstrip("s") not in day_names() or relation is not ConditionOperator.IS:
            raise ProposalRefused(f"{relation} {value!r} is no weekday")
        return lambda known: day_names()[known.deed.at.weekday()] == value.casefold().rstrip("s")
    if field == "time":
        return lambda known: _by_clock(relation, f"{known.deed.at:%H:%M}", value)
    if field == "text":
        return lambda known: _has_words(known, value, tongue)
    if field == "event":
        return _known_value(field, value, apart, lambda known: value in event_names(known))
    if field == "outcome":
        return _known_value(field, value, apart, lambda known: known.end == value)
    if not any(_has(known, field) for known in apart):
        raise ProposalRefused(f"no episode has {field!r}")
    if relation is ConditionOperator.IS:
        return _known_value(field, value, apart, lambda known: _is(known, field, value))
    if relation in (ConditionOperator.BEFORE, ConditionOperator.FROM):
        return lambda known: field in known.times and _by_clock(relation, f"{known.times[field]:%H:%M}", value)
    bound = _number(value)
    return lambda known: (
        field in known.numbers and (known.numbers[field] > bound) is (relation is ConditionOperator.ABOVE)
    )


def _known_value(field: str, value: str, apart: Sequence[ParsedDeed], test: _Test) -> _Test:
    if not any(test(known) for known in apart):
        raise ProposalRefused(f"no episode has {value!r} as its {field}")
    return test


def _has(known: ParsedDeed, field: str) -> bool:
    own = {kind for kind, _ in known.names}
    if field in CONTACT_TYPES:
        own |= {field} if own & set(CONTACT_TYPES) else set()
    return field in own or field in known.values or field in known.numbers or field in known.times


def _is(known: ParsedDeed, field: str, value: str) -> bool:
    wanted = folded_name(value)
    if field in known.numbers:
        try:
            return known.numbers[field] == float(value.replace(",", ""))
        except ValueError:
            return False
    actual = known.values.get(field)
    if actual is not None:
        return actual == (wanted if actual not in ("yes", "no") else {"true": "yes", "false": "no"}.get(wanted, wanted))
    kinds = CONTACT_TYPES if field in CONTACT_TYPES else (field,)
    return any(kind in kinds and name == wanted for kind, name in known.names)


def _by_clock(relation: ConditionOperator, clock: str, value: str) -> bool:
    match = _CLOCK.fullmatch(value)
    if match is None or relation not in (ConditionOperator.BEFORE, ConditionOperator.FROM):
        raise ProposalRefused(f"{relation} {value!r} is no time of day; write 'before' or 'from' and a time as 14:30")
    bound = f"{int(match[1]):02}:{match[2]}"
    return clock < bound if relation is ConditionOperator.BEFORE else clock >= bound


def _number(value: str) -> float:
    try:
        return float(value.replace(",", ""))
    except ValueError:
        raise ProposalRefused(f"{value!r} is no number") from None


def _key(proposal: Proposal, tongue: str) -> str:
    """Return the key of a proposal; the engine's own key if it counts the same."""
    circumstances = " & ".join(sorted(_name(condition) for condition in proposal.where)) or "*"
    wordings = "+".join(sorted({token for wording in proposal.wordings for token in stems(wording, tongue)}))
    result = _name(proposal.result) if proposal.result else ""
    return f"{circumstances} -> {' & '.join(part for part in (result, f'told={wordings}' if wordings else '') if part)}"


def _name(condition: Condition) -> str:
    value = condition.value.strip()
    match condition.field, condition.relation:
        case "weekday", _:
            return f"when={value.casefold()[:3]}"
        case "time", ConditionOperator.BEFORE:
            return f"when=<{value.rjust(5, '0')}"
        case "time", _:
            return f"when=>={value.rjust(5, '0')}"
        case field, ConditionOperator.ABOVE:
            return f"{field}>{_number(value):.15g}"
        case field, ConditionOperator.AT_MOST:
            return f"{field}<={_number(value):.15g}"
        case field, ConditionOperator.BEFORE:
            return f"{field}=<{value}"
        case field, ConditionOperator.FROM:
            return f"{field}=>={value}"
        case field, _:
            return f"{field}={folded_name(value)}"


_NUMBER: Final = re.compile(r"\d+(?:[.,:]\d+)*")
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_CAPITAL: Final = re.compile(r"(?<![.!?:;(\"'“]\s)(?<!^)(?<!\w)[A-ZÀ-Þ][^\W\d_]+")
_CLOCK_IN_TEXT: Final = re.compile(r"(\d{1,2}):(\d\d)")
# The share of deeds that must confirm a general statement.
_MOST: Final = 0.7
# How something ended is recorded, and not a matter of words.
_ENDS: Final = frozenset({"reject", "approve"})
# Acts that are ordinary words as well ("keep it short", "no", "use"): as such they are free.
_FREE: Final = frozenset(
    {"use", "keep", "flag", "correct", "split", "merge", "increase", "reduce", "restore", "hasten"}
)
# Acts with the same meaning: to trim is to cut.
_ALIKE: Final = (
    frozenset({"remove", "shorten", "reduce"}),
    frozenset({"replace", "rewrite", "correct", "soften", "sharpen"}),
    frozenset({"add", "lengthen", "increase"}),
    frozenset({"defer", "forward", "archive"}),
)
_PARTS: Final = {"morning": (0, 12), "afternoon": (12, 18), "evening": (17, 24), "night": (20, 30), "noon": (11, 14)}
# Languages in which every noun has a capital.
_CAPITALISED: Final = frozenset({"german"})


@dataclass(slots=True, kw_only=True)
class _Scope:
    """The deeds of one scope, made ready for counting."""

    apart: Sequence[ParsedDeed]
    tongue: str
    places: dict[str, int]
    names: dict[str, frozenset[str]]
    used: set[str] = field(default_factory=set[str])


@cache
def _months() -> tuple[str, ...]:
    return tuple(map(str.casefold, month_names()["english"]))


@cache
def _date_pattern() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(_months())})\b|\b20\d\d\b", re.IGNORECASE)


def check_proposals(
    proposals: Sequence[Proposal], deeds: Sequence[BehaviourEvent], *, limit: int = PATTERNS_PER_RUN
) -> tuple[list[Pattern], list[RejectedProposal]]:
    """Return the proposals that the deeds confirm, counted by the engine, and the refusals.

    Args:
        proposals: the best first.
        deeds: of one exact scope, in any order.
        limit: the largest number of accepted ones.
    """
    apart, tongue = parse_deeds(deeds)
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
                raise ProposalRefused(f"more than {limit} patterns in one run")
            patterns.append(_checked(proposal, scope))
        except ProposalRefused as refused:
            refusals.append(RejectedProposal(quote=proposal.quote, reason=str(refused)))
    return patterns, refusals


def _checked(proposal: Proposal, scope: _Scope) -> Pattern:
    category = _shape(proposal)
    cited = _cited(proposal, scope)
    found = count_proposal(proposal, scope.apart, scope.tongue)
    _cites_what_holds(cited, found, scope)
    if found.key in scope.used:
        raise ProposalRefused("the same pattern was proposed before")
    matching = [known for known, mask in zip(scope.apart, found.matching, strict=True) if mask]
    for name, text in (("quote", proposal.quote), ("rule", proposal.rule)):
        if text.strip():
            _whole(name, text, proposal, scope)
            _acts(name, text, matching, scope)
            _named(name, text, matching, scope)
            _timed(name, text, proposal, matching)
    _check_numbers(proposal, found, matching)
    scope.used.add(found.key)
    return Pattern(
        key=found.key,
        category=category,
        quote=proposal.quote,
        evidence=proposal.evidence,
        episodes=tuple(known.deed.id for known in matching),
        against=tuple(known.deed.id for known, no in zip(scope.apart, found.against, strict=True) if no),
        cases=deeds_in(found.occasions),
        rule=" ".join(proposal.rule.split()),
    )


def _shape(proposal: Proposal) -> Category:
    try:
        category = Category(proposal.category)
    except ValueError:
        raise ProposalRefused(f"{proposal.category!r} is no category") from None
    limits = (
        ("quote", proposal.quote, MAX_QUOTE_WORDS),
        ("evidence", proposal.evidence, MAX_EVIDENCE_WORDS),
        ("rule", proposal.rule, MAX_RULE_WORDS),
    )
    for name, text, most in limits:
        if len(text.split()) > most:
            raise ProposalRefused(f"its {name} has {len(text.split())} words; {most} are allowed")
        if name != "rule" and not text.strip():
            raise ProposalRefused(f"it has no {name}")
    return category


def _cited(proposal: Proposal, scope: _Scope) -> frozenset[int]:
    unknown = [name for name in proposal.episodes if name not in scope.places]
    if unknown:
        raise ProposalRefused(f"{len(unknown)} of the episodes named are not there, {unknown[0]!r} for one")
    distinct = frozenset(scope.places[name] for name in proposal.episodes)
    if len(distinct) < len(proposal.episodes):
        raise ProposalRefused("it names an episode more than once")
    if len(distinct) < LEAST_EPISODES:
        raise ProposalRefused(f"{len(distinct)} distinct episodes are too few; {LEAST_EPISODES} are needed")
    return distinct


def _cites_what_holds(cited: frozenset[int], found: CountedProposal, scope: _Scope) -> None:
    """Refuse citations of deeds that do not match."""
    astray = [at for at in sorted(cited) if not found.matching[at]]
    if astray:
        text = scope.apart[astray[0]].deed.text
        raise ProposalRefused(f"{len(astray)} of the episodes named do not show it, {text!r} for one")
    if deeds_in(found.matching) < LEAST_EPISODES:
        raise ProposalRefused(f"{deeds_in(found.matching)} distinct episodes are too few; {LEAST_EPISODES} are needed")


def _whole(name: str, text: str, proposal: Proposal, scope: _Scope) -> None:
    """Refuse a text that omits a circumstance or the result, and so claims more than was counted."""
    for condition in proposal.where:
        if not _has_condition(text, condition, scope):
            raise ProposalRefused(
                f"its {name} leaves out that {condition.field} {condition.relation} {condition.value!r}"
            )
    result = proposal.result
    if name == "quote" and result is not None and not _has_condition(text, result, scope):
        raise ProposalRefused(f"its {name} leaves out that {result.field} {result.relation} {result.value!r}")


def _has_condition(text: str, condition: Condition, scope: _Scope) -> bool:
    folded, value = text.casefold(), condition.value.strip().casefold()
    if condition.field in ("event", "outcome") or value in ("yes", "no", "true", "false"):
        return True
    if condition.field == "weekday":
        return value.rstrip("s") in folded
    if condition.field == "time" or condition.relation in (ConditionOperator.BEFORE, ConditionOperator.FROM):
        hours = {_hours(match[0]) for match in _CLOCK_IN_TEXT.finditer(value)} | {_hours(value)}
        return bool(hours & set(_found(text, clocks=True))) or any(part in folded for part in _PARTS)
    if condition.relation is not ConditionOperator.IS:
        return bool(set(_found(value)) & set(_found(text)))
    wanted = stems(value, scope.tongue) or frozenset({value})
    tokens = wording(text, scope.tongue).tokens | {stem(word, scope.tongue) for word in _WORD.findall(folded)}
    return value in folded or bool(wanted & tokens)


def _acts(name: str, text: str, matching: Sequence[ParsedDeed], scope: _Scope) -> None:
    """Refuse an act or an end that the deeds do not show."""
    read = wording(text, scope.tongue)
    for act in sorted(read.acts):
        plain = act.lstrip("!")
        if plain in _FREE or _is_aside(act, text, scope.tongue):
            continue
        undone = sum(bool(opposed(act) & (known.parsed.acts | _ended(known))) for known in matching)
        if undone > (1 - _MOST) * len(matching):
            raise ProposalRefused(
                f"its {name} contains {act.replace('!', 'not ')!r}, and the episodes contain the opposite"
            )
        if act.startswith("!"):
            continue
        shown = sum(_shows(plain, known, scope.tongue) for known in matching)
        if shown < _MOST * len(matching):
            raise ProposalRefused(f"its {name} contains {plain!r}, which {shown} of the {len(matching)} episodes show")


def _is_aside(act: str, text: str, tongue: str) -> bool:
    """Return True if an act only dates another one ("ask before it is approved"), or is a plain "no"."""
    words = _WORD.findall(text.casefold())
    places = [at for at, word in enumerate(words) if act in wording(word, tongue).acts]
    return bool(places) and all(
        words[at] in word_list("acts", "other", "absent")
        or word_list("acts", "other", "before") & set(words[max(0, at - 4) : at])
        for at in places
    )


def _ended(known: ParsedDeed) -> frozenset[str]:
    return frozenset(act for act, participle in PARTICIPLES.items() if participle == known.end)


def _shows(act: str, known: ParsedDeed, tongue: str) -> bool:
    if act in _ENDS:
        return act in known.parsed.acts | _ended(known)
    if act in ("replace", "rewrite") and (known.end == "modified" or "changed_to" in known.values):
        return True
    alike = next((family for family in _ALIKE if act in family), frozenset({act}))
    done = known.parsed.acts | {token for value in known.values.values() for token in wording(value, tongue).acts}
    if "to" in known.values or known.end == "rerouted":
        done |= {"forward"}
    # Words without a known act may mean any act but an end.
    return bool(alike & done) or not {one for one in done if one.lstrip("!") not in _FREE}


def _named(name: str, text: str, matching: Sequence[ParsedDeed], scope: _Scope) -> None:
    """Refuse names and things that the deeds do not bear: whom, what about, where to, by what."""
    words = _WORD.findall(text.casefold())
    near = {*words, *(" ".join(pair) for pair in pairwise(words))}
    stems_of_words = {stem(word, scope.tongue) for word in words}
    for named, tokens in sorted(scope.names.items()):
        if named in near or (tokens and tokens <= stems_of_words and len(named) > 2):
            borne = sum(_bears(known, named, tokens) for known in matching)
            if borne < _MOST * len(matching):
                raise ProposalRefused(
                    f"its {name} names {named!r}, which {borne} of the {len(matching)} episodes bear out"
                )
    if scope.tongue in _CAPITALISED:
        return
    whole = " ".join(_vocabulary(matching)).casefold()
    for capital in _CAPITAL.findall(text):
        word = capital.casefold()
        if word not in whole and word.rstrip("s") not in (*day_names(), *_months(), "i"):
            raise ProposalRefused(f"its {name} names {capital!r}, which none of the episodes does")


def _vocabulary(matching: Sequence[ParsedDeed]) -> Iterator[str]:
    for known in matching:
        yield known.deed.text
        yield from (name for _, name in known.names)
        yield from known.values
        yield from known.values.values()


def _names_of(apart: Sequence[ParsedDeed], tongue: str) -> dict[str, frozenset[str]]:
    """Return every name, thing and place of a scope, as compared, with the stems of its words."""
    found: dict[str, frozenset[str]] = {}
    for known in apart:
        values = [value for name, value in known.values.items() if name in (*TOPICS, *RESULTS[:2], "tool", "format")]
        people = [name for kind, name in known.names if kind in CONTACT_TYPES]
        for value in (*values, *people, *(part for name in people for part in name.split() if len(part) > 2)):
            if len(value.split()) <= 2 and value not in ("yes", "no"):
                found.setdefault(value, frozenset(stem(word, tongue) for word in _WORD.findall(value)))
    return found


def _bears(known: ParsedDeed, named: str, tokens: frozenset[str]) -> bool:
    own = " ".join(_vocabulary([known])).casefold()
    return named in own or bool(tokens and tokens <= known.parsed.tokens)


def _timed(name: str, text: str, proposal: Proposal, matching: Sequence[ParsedDeed]) -> None:
    """Refuse a weekday or a part of the day that most deeds were not on."""
    words = _WORD.findall(text.casefold())
    claimed = [one.value.casefold().rstrip("s") for one in proposal.where if one.field == "weekday"]
    results = {one.casefold() for known in matching for one in known.values.values()}
    for word in words:
        day = word.rstrip("s")
        if day in day_names() and day not in claimed and not any(day in value for value in results):
            on = sum(
                day_names()[known.deed.at.weekday()] == day or day in known.deed.text.casefold() for known in matching
            )
            if on < _MOST * len(matching):
                raise ProposalRefused(
                    f"its {name} contains {word!r}, and {on} of the {len(matching)} episodes were then"
                )
        if (part := _PARTS.get(day)) and not any(day in known.deed.text.casefold() for known in matching):
            within = sum(part[0] <= known.deed.at.hour < part[1] for known in matching)
            if within < _MOST * len(matching):
                raise ProposalRefused(
                    f"its {name} contains {word!r}, and {within} of the {len(matching)} episodes were then"
                )


def _check_numbers(proposal: Proposal, found: CountedProposal, matching: Sequence[ParsedDeed]) -> None:
    """Refuse numbers in quote, evidence and rule that were neither counted nor part of an event."""
    count, occasions = deeds_in(found.matching), deeds_in(found.occasions)
    counted = {float(count), float(occasions), float(occasions - count), float(len(proposal.episodes))}
    counted |= {float(deeds_in(found.against)), float(count + deeds_in(found.against))}
    counted |= {float(round(100 * count / occasions)), 30.0, 100.0} if occasions else set[float]()
    counted |= {number for known in matching for text in _vocabulary([known]) for number in _found(text, clocks=True)}
    conditions = (*proposal.where, *([proposal.result] if proposal.result else []))
    counted |= {number for one in conditions for number in _found(one.value, clocks=True)}
    for name, text in (("quote", proposal.quote), ("evidence", proposal.evidence), ("rule", proposal.rule)):
        days = (
            {float(day) for known in matching for day in (known.deed.at.day, known.deed.at.year)}
            if _date_pattern().search(text)
            else ()
        )
        for number in _found(text, clocks=True):
            if number not in counted and number not in days and not _bounds(number, matching):
                raise ProposalRefused(f"its {name} contains {number:g}, which was not counted")


def _bounds(number: float, matching: Sequence[ParsedDeed]) -> bool:
    """Return True if a number is a value of an attribute of the deeds, or a near bound of all its values."""
    by_name: dict[str, list[float]] = {}
    for known in matching:
        for name, value in known.numbers.items():
            by_name.setdefault(name, []).append(value)
    whole = [np.array(values) for values in by_name.values() if len(values) == len(matching)]
    return any(
        number in values or values.min() / 2 <= number <= values.min() or values.max() <= number <= values.max() * 2
        for values in whole
    )


def _hours(clock: str) -> float:
    match = _CLOCK_IN_TEXT.fullmatch(clock)
    return float(match[1]) + float(match[2]) / 60 if match else -1.0


def _found(text: str, *, clocks: bool = False) -> list[float]:
    """Return the numbers in a text; times of day as hours."""
    numbers = [_hours(match[0]) for match in _CLOCK_IN_TEXT.finditer(text)] if clocks else []
    for match in _NUMBER.findall(_CLOCK_IN_TEXT.sub(" ", text)):
        try:
            numbers.append(float(match.replace(",", "").rstrip(".")))
        except ValueError:
            continue
    return numbers
