"""What a proposal claims, counted: in which deeds its circumstances hold, and in which of those its result does."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from remembrancer.language.calendar import WEEKDAY_NAMES
from remembrancer.learn.detect.acts import opposed
from remembrancer.learn.detect.chance import log_repeated
from remembrancer.learn.detect.grounds import Mask, deeds_in, event_names
from remembrancer.learn.detect.rules import LEAST_CONSISTENCY, LOG_HABIT, NOW_AND_THEN
from remembrancer.learn.detect.values import JUDGED, Known
from remembrancer.learn.detect.wordings import stems
from remembrancer.types.episode import CONTACT_TYPES, folded_name
from remembrancer.types.pattern import Condition, ConditionOperator, Proposal

_CLOCK: Final = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")
DAYS: Final = tuple(map(str.casefold, WEEKDAY_NAMES["english"]))
_MOSTLY: Final = 0.8
_Test = Callable[[Known], bool]


class Refused(Exception):
    """Why a proposal is refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A proposal, counted.

    Args:
        held: the deeds of its circumstances in which its result holds.
        against: those in which it might have held and did not.
        occasions: all of its circumstances in which it might have held.
        key: what was counted, whatever the wording.
    """

    held: Mask
    against: Mask
    occasions: Mask
    key: str


def claim(proposal: Proposal, apart: Sequence[Known], tongue: str) -> Claim:
    """What a proposal claims.

    Raises:
        Refused: it names a field or a value that no deed has, nothing comes of it, or it holds too seldom.
    """
    inside = _all(apart, [_test(condition, apart, tongue) for condition in proposal.where])
    if proposal.result is None and not proposal.wordings:
        raise Refused("it says neither what came of it nor by which words it is told")
    result, within = _result(proposal, apart, tongue)
    told, opposite = _told(proposal.wordings, apart, tongue)
    held = inside & result & told
    occasions = (inside & within & (_like(held, apart) if proposal.wordings else True)) | held
    against = occasions & ~held
    if proposal.wordings and not _is_steady(held, against) and _is_habit(held, occasions):
        # What is put right again and again is held against its opposite: not every draft has what is put right in it.
        against = occasions & opposite & ~held
    if not _is_steady(held, against):
        raise Refused(f"it held in {deeds_in(held)} of {deeds_in(occasions)} such cases, which is too few")
    return Claim(held=held, against=against, occasions=occasions, key=_key(proposal, tongue))


def _is_steady(held: Mask, against: Mask) -> bool:
    return deeds_in(held) >= LEAST_CONSISTENCY * max(1, deeds_in(held) + deeds_in(against))


def _is_habit(held: Mask, occasions: Mask) -> bool:
    since = occasions[int(held.argmax()) :]
    return log_repeated(deeds_in(held), deeds_in(since), NOW_AND_THEN) <= LOG_HABIT


def _all(apart: Sequence[Known], tests: Sequence[_Test]) -> Mask:
    return np.array([all(test(known) for test in tests) for known in apart], dtype=np.bool_)


def _result(proposal: Proposal, apart: Sequence[Known], tongue: str) -> tuple[Mask, Mask]:
    """In which deeds the result holds, and in which it might."""
    everywhere = np.ones(len(apart), dtype=np.bool_)
    condition = proposal.result
    if condition is None:
        return everywhere, everywhere
    holds = _all(apart, [_test(condition, apart, tongue)])
    if condition.field == "outcome":
        within = [known.end in JUDGED or not known.deed.outcome or known.end == condition.value for known in apart]
    elif condition.field in ("event", "text", "weekday", "time"):
        return holds, everywhere
    else:
        within = [_has(known, condition.field) for known in apart]
    return holds, np.array(within, dtype=np.bool_)


def _told(wordings: Sequence[str], apart: Sequence[Known], tongue: str) -> tuple[Mask, Mask]:
    """In which deeds one of the wordings is said, and in which the opposite of what they say was done."""
    everywhere = np.ones(len(apart), dtype=np.bool_)
    if not wordings:
        return everywhere, ~everywhere
    found = np.zeros(len(apart), dtype=np.bool_)
    undone = frozenset[str]()
    for wording in wordings:
        said = [_says(known, wording, tongue) for known in apart]
        if not any(said):
            raise Refused(f"none of the episodes says {wording!r}")
        found |= np.array(said, dtype=np.bool_)
    acts = [known.said.acts for known, holds in zip(apart, found, strict=True) if holds]
    for act in frozenset[str]().union(*acts):
        if sum(act in own for own in acts) * 2 > len(acts):
            undone |= opposed(act)
    things = [known.words - known.said.acts for known, holds in zip(apart, found, strict=True) if holds]
    common = {word for word in frozenset[str]().union(*things) if sum(word in own for own in things) * 2 > len(things)}
    return found, np.array(
        [bool(undone & known.said.acts) and (not common or bool(common & known.words)) for known in apart],
        dtype=np.bool_,
    )


def _like(held: Mask, apart: Sequence[Known]) -> Mask:
    """The deeds of the kind of those in which it held: drafts, or what was not drafted, or all."""
    drafted = np.array([known.drafted for known in apart], dtype=np.bool_)
    share = float(drafted[held].mean()) if held.any() else 0.5
    return drafted if share >= _MOSTLY else ~drafted if share <= 1 - _MOSTLY else np.ones_like(drafted)


def _says(known: Known, words: str, tongue: str) -> bool:
    """Whether a deed says all words that tell anything, or the very text."""
    wanted = stems(words, tongue)
    if wanted:
        return wanted <= known.words
    return bool(words.strip()) and " ".join(words.casefold().split()) in " ".join(known.deed.text.casefold().split())


def _test(condition: Condition, apart: Sequence[Known], tongue: str) -> _Test:
    """Whether a condition holds in a deed."""
    field, relation, value = condition.field.strip(), condition.relation, condition.value.strip()
    if field == "weekday":
        if value.casefold().rstrip("s") not in DAYS or relation is not ConditionOperator.IS:
            raise Refused(f"{relation} {value!r} is no weekday")
        return lambda known: DAYS[known.deed.at.weekday()] == value.casefold().rstrip("s")
    if field == "time":
        return lambda known: _by_clock(relation, f"{known.deed.at:%H:%M}", value)
    if field == "text":
        return lambda known: _says(known, value, tongue)
    if field == "event":
        return _known_value(field, value, apart, lambda known: value in event_names(known))
    if field == "outcome":
        return _known_value(field, value, apart, lambda known: known.end == value)
    if not any(_has(known, field) for known in apart):
        raise Refused(f"no episode has {field!r}")
    if relation is ConditionOperator.IS:
        return _known_value(field, value, apart, lambda known: _is(known, field, value))
    if relation in (ConditionOperator.BEFORE, ConditionOperator.FROM):
        return lambda known: field in known.times and _by_clock(relation, f"{known.times[field]:%H:%M}", value)
    bound = _number(value)
    return lambda known: (
        field in known.numbers and (known.numbers[field] > bound) is (relation is ConditionOperator.ABOVE)
    )


def _known_value(field: str, value: str, apart: Sequence[Known], test: _Test) -> _Test:
    if not any(test(known) for known in apart):
        raise Refused(f"no episode has {value!r} as its {field}")
    return test


def _has(known: Known, field: str) -> bool:
    own = {kind for kind, _ in known.names}
    if field in CONTACT_TYPES:
        own |= {field} if own & set(CONTACT_TYPES) else set()
    return field in own or field in known.values or field in known.numbers or field in known.times


def _is(known: Known, field: str, value: str) -> bool:
    wanted = folded_name(value)
    if field in known.numbers:
        try:
            return known.numbers[field] == float(value.replace(",", ""))
        except ValueError:
            return False
    told = known.values.get(field)
    if told is not None:
        return told == (wanted if told not in ("yes", "no") else {"true": "yes", "false": "no"}.get(wanted, wanted))
    kinds = CONTACT_TYPES if field in CONTACT_TYPES else (field,)
    return any(kind in kinds and name == wanted for kind, name in known.names)


def _by_clock(relation: ConditionOperator, clock: str, value: str) -> bool:
    match = _CLOCK.fullmatch(value)
    if match is None or relation not in (ConditionOperator.BEFORE, ConditionOperator.FROM):
        raise Refused(f"{relation} {value!r} is no time of day; write 'before' or 'from' and a time as 14:30")
    bound = f"{int(match[1]):02}:{match[2]}"
    return clock < bound if relation is ConditionOperator.BEFORE else clock >= bound


def _number(value: str) -> float:
    try:
        return float(value.replace(",", ""))
    except ValueError:
        raise Refused(f"{value!r} is no number") from None


def _key(proposal: Proposal, tongue: str) -> str:
    """What was counted, as the engine names it where it counts the same."""
    circumstances = " & ".join(sorted(_name(condition) for condition in proposal.where)) or "*"
    told = "+".join(sorted({token for wording in proposal.wordings for token in stems(wording, tongue)}))
    result = _name(proposal.result) if proposal.result else ""
    return f"{circumstances} -> {' & '.join(part for part in (result, f'told={told}' if told else '') if part)}"


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
