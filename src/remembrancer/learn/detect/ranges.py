"""What is moved again and again to one side of a bound: meetings to no earlier than 10:00, discounts to 10 at most."""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from remembrancer.learn.detect.conclusions import Conclusion
from remembrancer.learn.detect.deeds import ParsedDeed
from remembrancer.learn.detect.grounds import Ground, mask_of
from remembrancer.learn.detect.rules import BehaviourRule, state
from remembrancer.types.pattern import LEAST_EPISODES

# So many moves, of which so large a share goes over the bound, are no accident.
_LEAST: Final = 5
_STEADY: Final = 0.85
_HALF_HOUR: Final = 30
_VALUE: Final = r"(\d{1,2}[:.h]\d\d|\d[\d.,]*)(?: ?(am|pm|%|€|\$|[a-z]{1,3}))?"
_FROM_TO: Final = re.compile(
    rf"\b(?:from|von|vom|de|des|desde|da|dalle|dall|du)\s+{_VALUE}\s+(?:to|until|till|auf|nach|zu|a|à|al|alle|hasta|las)"
    rf"(?:\s+(?:las|the))?\s+{_VALUE}(?!\w)",
    re.IGNORECASE,
)
_WHOLE: Final = re.compile(rf"\s*{_VALUE}\s*", re.IGNORECASE)
_CLOCK: Final = re.compile(r"(\d{1,2})[:.h](\d\d)")
_PAIRS: Final = (("from", "to"), ("did", "changed_to"))
CLOCK: Final = "clock"


def ranges(
    apart: Sequence[ParsedDeed], *, wanted: Collection[str] = ()
) -> tuple[list[Conclusion], list[BehaviourRule]]:
    """Return the bounds over which things are moved, as conclusions, and the rule of each kind of thing.

    Args:
        wanted: names of bounds that are counted even if they are rare.
    """
    moves = {at: move for at, known in enumerate(apart) if (move := _move(known))}
    found: list[Conclusion] = []
    rules: list[BehaviourRule] = []
    for unit in sorted({unit for unit, _, _ in moves.values()}):
        own = {at: (before, after) for at, (of, before, after) in moves.items() if of == unit}
        if len(own) >= LEAST_EPISODES:
            possible = list(_conclusions(unit, own, len(apart), wanted))
            found += possible
            rules += _rules(possible, apart, own)
    return found, rules


def bound(name: str) -> tuple[str, str, str] | None:
    """Return the unit, side (`>=` or `<=`) and bound in the name of such a conclusion."""
    match = re.fullmatch(r"moved (\S*?)(>=|<=)(\S+)", name)
    return (match[1], match[2], match[3]) if match else None


def _move(known: ParsedDeed) -> tuple[str, float, float] | None:
    """Return the unit and the values from which and to which something was moved."""
    found = _FROM_TO.search(known.deed.text)
    if found:
        return _pair(_read(found[1], found[2]), _read(found[3], found[4]))
    for before, after in _PAIRS:
        if before in known.numbers and after in known.numbers:
            return "", known.numbers[before], known.numbers[after]
        one, other = (_WHOLE.fullmatch(known.values.get(name, "")) for name in (before, after))
        if one and other:
            return _pair(_read(one[1], one[2]), _read(other[1], other[2]))
    return None


def _pair(before: tuple[str, float] | None, after: tuple[str, float] | None) -> tuple[str, float, float] | None:
    if before is None or after is None or before[1] == after[1]:
        return None
    if before[0] != after[0] and "" not in (before[0], after[0]):
        return None
    return after[0] or before[0], before[1], after[1]


def _read(written: str, unit: str | None) -> tuple[str, float] | None:
    unit = (unit or "").casefold()
    if unit in ("am", "pm") or _CLOCK.fullmatch(written):
        hour, _, minute = written.replace(".", ":").replace("h", ":").partition(":")
        minutes = int(hour) * 60 + int(minute or 0)
        if unit in ("am", "pm"):
            minutes = minutes % 720 + (720 if unit == "pm" else 0)
        return (CLOCK, float(minutes)) if minutes < 24 * 60 else None
    try:
        return unit, float(written.replace(",", ""))
    except ValueError:
        return None


def _conclusions(
    unit: str, moves: dict[int, tuple[float, float]], size: int, wanted: Collection[str]
) -> Iterator[Conclusion]:
    within = mask_of(list(moves), size)
    for value in _bounds(unit, moves):
        for side, over in ((">=", 1), ("<=", -1)):
            at = [at for at, (before, after) in moves.items() if over * before < over * value <= over * after]
            name = f"moved {unit}{side}{_clock(value) if unit == CLOCK else f'{value:.15g}'}"
            if len(at) >= LEAST_EPISODES or name in wanted:
                yield Conclusion(
                    names=(name,),
                    column="moved",
                    mask=mask_of(at, size),
                    within=within,
                    occasions=within,
                    opposed=np.zeros(size, dtype=np.bool_),
                    rank=0,
                    likely=0.0,
                )


def _bounds(unit: str, moves: dict[int, tuple[float, float]]) -> list[float]:
    """Return the plain bounds: half hours for clocks, for other numbers those that things were moved to."""
    if unit == CLOCK:
        return [float(half * _HALF_HOUR) for half in range(1, 48)]
    return sorted({after for _, after in moves.values()})


def _rules(
    possible: Sequence[Conclusion], apart: Sequence[ParsedDeed], moves: dict[int, tuple[float, float]]
) -> list[BehaviourRule]:
    """Return the rule of the commonest word of moves: the plainest bound over which most of them go."""
    everything = np.ones(len(apart), dtype=np.bool_)
    words = Counter(token for at in moves for token in apart[at].words - apart[at].parsed.acts)
    best: tuple[tuple[float, ...], BehaviourRule] | None = None
    for thing in ("", *(word for word, times in sorted(words.items()) if times >= _LEAST)):
        ground = _ground(thing, apart) if thing else ()
        for conclusion in possible:
            rule = state(conclusion, ground, everything, 0.0)
            parts = bound(conclusion.name)
            if rule.count < _LEAST or rule.consistency < _STEADY or parts is None:
                continue
            nearest = min(abs(_value(parts[2]) - after) for at, (_, after) in moves.items() if rule.matching[at])
            # A rule without a name is about no thing: a name comes first if it loses no deed.
            order = (
                -float(rule.count),
                float(not thing),
                float(not parts[2].endswith(":00") and ":" in parts[2]),
                nearest,
            )
            if best is None or order < best[0]:
                best = (order, rule)
    return [_certain(best[1])] if best else []


def _certain(rule: BehaviourRule) -> BehaviourRule:
    """Return the rule with its log p-value for moves over one bound, one in four each."""
    return replace(rule, strength=-rule.count * math.log(4))


def _value(bound_text: str) -> float:
    hour, colon, minute = bound_text.partition(":")
    return float(hour) * 60 + float(minute) if colon else float(bound_text)


def _clock(minutes: float) -> str:
    return f"{int(minutes) // 60:02}:{int(minutes) % 60:02}"


def _ground(thing: str, apart: Sequence[ParsedDeed]) -> tuple[Ground, ...]:
    mask = np.array([thing in known.words for known in apart], dtype=np.bool_)
    everywhere = np.ones(len(apart), dtype=np.bool_)
    return (Ground(names=(f"says={thing}",), column="says", mask=mask, within=everywhere, tokens=frozenset({thing})),)
