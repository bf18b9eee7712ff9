"""Night after night over one scope: what is newly said, when, and whether it is so."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import Protocol

from bench.behaviour.judging import ENOUGH, Finding, Verdict, faulty, judge
from bench.behaviour.year import Planned, Rule
from remembrancer.types.pattern import PATTERNS_PER_RUN, BehaviourEvent, Pattern

WINDOW = timedelta(days=30)
HOUR = 2
ELIGIBLE = 10
MILESTONES = (5, 8, 10, 15)
WATCHED = 60
"""Nights during which what was called wrong must not come back."""
AFTER_THE_END = 45
PROBED_EVERY = 3
DENIED = 0.5


class Learner(Protocol):
    """What learns from one scope; the detector by itself, or the product around it."""

    def night(self, deeds: Sequence[BehaviourEvent]) -> list[Pattern]:
        """Look at what happened in the window, and answer what is new."""
        ...

    def wrong(self, pattern: Pattern) -> None:
        """Hear that a pattern is not so."""
        ...

    def believes(self, deeds: Sequence[BehaviourEvent]) -> list[Pattern]:
        """All that the window shows, said before or not, except what was called wrong."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One new pattern.

    Args:
        night: the number of the night.
        faults: what its form or its counts have wrong.
        again: whether it says in other words what was called wrong in the nights before.
    """

    night: int
    pattern: Pattern
    verdict: Verdict
    faults: Sequence[str]
    again: bool = False


@dataclass(slots=True, kw_only=True)
class Course:
    """How it went with one rule.

    Args:
        reached: the first night on which the window had so many occurrences, by number.
        found: the first night on which a true pattern told of it.
        occurrences: of the rule until then.
        days: from its first occurrence until then.
        denied: whether the pattern was called wrong.
        returns: how often it came back in other words in the nights after.
        persists: whether it was still believed on the last night, where it was accepted and goes on.
        lingers: days after its end for which it was still counted; `None` where it did not end or was not believed.
    """

    rule: Rule
    reached: dict[int, int] = field(default_factory=dict[int, int])
    found: int | None = None
    occurrences: int = 0
    days: int = 0
    denied: bool = False
    returns: int = 0
    persists: bool | None = None
    lingers: int | None = None

    @property
    def eligible(self) -> bool:
        """Whether it was to be found at all."""
        return ELIGIBLE in self.reached

    def within(self, occurrences: int) -> bool:
        """Whether it was found by the night after so many occurrences in the window."""
        return self.found is not None and occurrences in self.reached and self.found <= self.reached[occurrences]


@dataclass(slots=True, kw_only=True)
class Stay:
    """All that was said of one scope."""

    said: list[Said] = field(default_factory=list[Said])
    courses: dict[str, Course] = field(default_factory=dict[str, Course])
    nights: int = 0
    over_limit: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One scope: all that happens in it, and what is planted there."""

    happened: Sequence[Planned]
    planted: Mapping[str, Rule]
    times: Sequence[datetime]
    deeds: Sequence[BehaviourEvent]

    @classmethod
    def of(cls, happened: Sequence[Planned], planted: Sequence[Rule]) -> "Scene":
        """The scene of what happened, oldest first."""
        return cls(
            happened=happened,
            planted={rule.id: rule for rule in planted},
            times=[one.at for one in happened],
            deeds=[one.deed() for one in happened],
        )

    def nights(self) -> Iterator[tuple[int, slice]]:
        """The nights after days on which something happened, counted from the first day, and their windows."""
        first = self.times[0].replace(hour=HOUR, minute=0, second=0)
        for number in range(1, (self.times[-1] - first).days + 3):
            window = self.window(first + timedelta(days=number))
            if self.times[window][-1:] and self.times[window][-1] >= first + timedelta(days=number - 1):
                yield number, window

    def window(self, night: datetime) -> slice:
        """The last 30 days, as places in the lists."""
        return slice(bisect_left(self.times, night - WINDOW), bisect_left(self.times, night))


def live(scene: Scene, learner: Learner, *, seed: object) -> Stay:
    """Go through all nights; a person calls false patterns wrong, and the first ones of half the rules too.

    Args:
        seed: of what that person calls wrong.
    """
    rng = Random(f"verdicts/{seed}")
    stay = Stay(courses={id: Course(rule=rule) for id, rule in scene.planted.items()})
    wrong: list[Said] = []
    for number, window in scene.nights():
        _count(stay, scene, number, window)
        new = learner.night(scene.deeds[window])
        stay.nights += 1
        stay.over_limit += len(new) > PATTERNS_PER_RUN
        for pattern in new:
            said = _heard(pattern, number, scene, window, wrong)
            stay.said.append(said)
            denied = _course(stay, said, scene, rng)
            if denied:
                learner.wrong(pattern)
                wrong.append(said)
        _probe(stay, learner, scene, number, window)
    _last(stay, learner, scene)
    return stay


def _count(stay: Stay, scene: Scene, number: int, window: slice) -> None:
    occurrences: dict[str, set[str]] = {}
    for one in scene.happened[window]:
        if one.held:
            occurrences.setdefault(one.rule, set()).add(one.occasion)
    for id, found in occurrences.items():
        for milestone in MILESTONES:
            if len(found) >= milestone:
                stay.courses[id].reached.setdefault(milestone, number)


def _heard(pattern: Pattern, night: int, scene: Scene, window: slice, wrong: Sequence[Said]) -> Said:
    verdict = judge(pattern, scene.happened[window], scene.planted)
    faults = faulty(pattern, scene.deeds[window])
    again = any(
        night - old.night <= WATCHED
        and ((verdict.rule and verdict.rule == old.verdict.rule) or _shared(pattern, old.pattern) >= ENOUGH)
        for old in wrong
    )
    return Said(night=night, pattern=pattern, verdict=verdict, faults=faults, again=again)


def _shared(new: Pattern, old: Pattern) -> float:
    """Of what the new one cites, the share that the old one cited."""
    return len(set(new.episodes) & set(old.episodes)) / max(1, len(set(new.episodes)))


def _course(stay: Stay, said: Said, scene: Scene, rng: Random) -> bool:
    """Write down what a pattern means for the rule it tells of; answer whether a person calls it wrong."""
    if said.verdict.finding is Finding.FALSE:
        return True
    course = stay.courses.get(said.verdict.rule)
    if course is None:
        return False
    if course.found is None:
        told = [one for one in scene.happened if one.rule == course.rule.id and one.held]
        until = scene.times[0].replace(hour=HOUR) + timedelta(days=said.night)
        course.found = said.night
        course.occurrences = len({one.occasion for one in told if one.at < until})
        course.days = (until - told[0].at).days
        course.denied = rng.random() < DENIED
    elif course.denied and said.again:
        course.returns += 1
    return course.denied


def _probe(stay: Stay, learner: Learner, scene: Scene, number: int, window: slice) -> None:
    """Look whether rules that are over are still believed."""
    if number % PROBED_EVERY:
        return
    today = scene.times[window][-1].date()
    over = {
        id: (today - course.rule.end).days
        for id, course in stay.courses.items()
        if course.rule.end is not None
        and course.found is not None
        and not course.denied
        and 0 <= (today - course.rule.end).days <= AFTER_THE_END
        and (course.lingers is None or (today - course.rule.end).days - course.lingers <= 2 * PROBED_EVERY)
    }
    if not over:
        return
    for id in _believed(learner, scene, window) & set(over):
        stay.courses[id].lingers = over[id]


def _last(stay: Stay, learner: Learner, scene: Scene) -> None:
    """Look on the last night what is still believed of what goes on."""
    window = scene.window(scene.times[-1] + timedelta(hours=12))
    believed = _believed(learner, scene, window)
    for id, course in stay.courses.items():
        going = {one.occasion for one in scene.happened[window] if one.held and one.rule == id}
        if course.found is not None and not course.denied and course.rule.end is None and len(going) >= ELIGIBLE:
            course.persists = id in believed


def _believed(learner: Learner, scene: Scene, window: slice) -> set[str]:
    happened = scene.happened[window]
    patterns = learner.believes(scene.deeds[window])
    return {judge(pattern, happened, scene.planted).rule for pattern in patterns} - {""}
