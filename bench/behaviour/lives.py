"""The product around the detector: lives in which habits turn, with a real night after each day, and its rules."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from bench.behaviour.turns import DAYS, FIRST, Phase, Turning
from remembrancer import Memory, Scope
from remembrancer.testing import FakeClock
from remembrancer.types.pattern import confidence
from remembrancer.types.record import Observation
from tests.conversing import opened
from tests.learning import life_over

# So many nights after its habit has ended or turned a rule may still be active.
GRACE = 10
ANA = Scope(tenant="acme", agent="clerk", user="ana")
_SHARE = re.compile(r"in (\d+) of (\d+) such cases")
_MOSTLY = 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class Promoted:
    """A rule, of which phase of a habit it was made, and what became of it.

    Args:
        told: some of the episodes that it rests on.
    """

    text: str
    phase: Phase | None
    since: int
    until: int | None
    reason: str
    evidence: str
    told: Sequence[str]

    @property
    def lingered(self) -> int:
        """For how many nights it was active after its habit had ended."""
        ended = DAYS if self.phase is None else self.phase.last
        return max(0, (DAYS if self.until is None else self.until) - max(ended, self.since))


@dataclass(slots=True, kw_only=True)
class Life:
    """What a life came to.

    Args:
        contradictions: rules that were active in one night and contradict each other.
        unsure: what is shown surer than its numbers are.
    """

    tongue: str
    phases: Sequence[Phase]
    rules: list[Promoted] = field(default_factory=list[Promoted])
    contradictions: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    unsure: set[str] = field(default_factory=set[str])


async def live_with_nights(seed: int) -> Life:
    """All days of one seed."""
    async with opened(":memory:") as store:
        clock = FakeClock(FIRST)
        memory, world = life_over(store, clock=clock).of(ANA), Turning(seed)
        life = Life(tongue=world.tongue, phases=world.phases)
        why: dict[str, Phase | None] = {}
        began: dict[str, int] = {}
        ended: dict[str, int] = {}
        for number in range(DAYS):
            happened = world.day(number)
            clock.move(FIRST + timedelta(days=number + 1, hours=3) - clock.now())
            saved = await memory.episodes.record_many([one for one, _ in happened]) if happened else []
            why |= {one.record.id: phase for one, (_, phase) in zip(saved, happened, strict=True)}
            await memory.admin.maintenance.run()
            active = {one.id: one for one in await memory.rules.list()}
            began |= {id: number for id in active if id not in began}
            ended |= {id: number for id in began if id not in active and id not in ended}
            for id in active:
                ended.pop(id, None)
            learned = {one.id: one for one in await memory.patterns.list()}
            phases = {one.text: _phase(learned.get(one.evidence[0]), why) for one in active.values()}
            life.contradictions |= _contradicting(phases)
            life.unsure |= {told for one in learned.values() if (told := _too_sure(one))}
        await _tell(life, memory, why, began, ended)
        return life


async def _tell(
    life: Life, memory: Memory, why: dict[str, Phase | None], began: dict[str, int], ended: dict[str, int]
) -> None:
    for rule in await memory.rules.list(all=True):
        source = await memory.get(rule.evidence[0])
        assert isinstance(source, Observation)
        assert source.learned
        texts = [(await memory.get(id)).text for id in source.evidence[:4]]
        life.rules.append(
            Promoted(
                text=rule.text, phase=_phase(source, why), since=began.get(rule.id, DAYS), until=ended.get(rule.id),
                reason=rule.details.reason, evidence=source.learned.evidence, told=texts,
            )
        )  # fmt: skip


def _phase(source: Observation | None, why: dict[str, Phase | None]) -> Phase | None:
    """The phase of which most of an observation's episodes come."""
    if source is None:
        return None
    phases = [phase for id in source.evidence if (phase := why.get(id))]
    most = max(phases, key=phases.count, default=None)
    return most if most and phases.count(most) >= _MOSTLY * len(source.evidence) else None


def _contradicting(phases: dict[str, Phase | None]) -> set[tuple[str, str]]:
    """Rules of one habit before and after it turned."""
    return {
        (min(one, other), max(one, other))
        for one, first in phases.items()
        for other, second in phases.items()
        if first and second and first.habit == second.habit and first.how != second.how and one != other
    }


def _too_sure(one: Observation) -> str:
    """An observation whose confidence is more than its numbers, as shown, allow."""
    found = _SHARE.search(one.learned.evidence) if one.learned else None
    if not one.learned or not found:
        return ""
    allowed = confidence(one.learned.occurrences, int(found[1]) / int(found[2]))
    over = one.learned.confidence.rank > allowed.rank
    return f"{one.text} {found[0]}: {one.learned.confidence}" if over else ""


def told_of(lives: Sequence[Life]) -> dict[str, object]:
    """The figures of all lives."""
    rules = [rule for life in lives for rule in life.rules]
    turned = [rule for rule in rules if rule.phase and rule.phase.last < DAYS]
    going = [phase for life in lives for phase in life.phases if phase.how != "ended"]
    return {
        "worlds": len(lives),
        "habits": len(going),
        "rules": len(rules),
        "of no habit": sum(rule.phase is None for rule in rules),
        "by language": dict(Counter(life.tongue for life in lives for _ in life.rules)),
        "contradictory": sum(len(life.contradictions) for life in lives),
        "whose habit ended or turned": len(turned),
        f"active {GRACE} nights later": sum(rule.lingered > GRACE for rule in turned),
        "nights until demoted": _spread([rule.lingered for rule in turned]),
        "demoted with a reason": sum(rule.until is not None and bool(rule.reason) for rule in turned),
        "demoted while it held": sum(
            rule.until is not None and bool(rule.phase) and not rule.lingered for rule in rules
        ),
        "shown too sure": sum(len(life.unsure) for life in lives),
    }


def _spread(numbers: Sequence[int]) -> str:
    ordered = sorted(numbers)
    return f"{ordered[len(ordered) // 2]} in the middle, {ordered[-1]} at most" if ordered else ""
