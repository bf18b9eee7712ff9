"""Learning: what the detector finds of planted habits, night after night, in noise alone, and in real runs of an agent.

    python -m bench.learning [--seeds A:B] [--users N] [--days N] [--noise-episodes N] [--offices A:B] [--tau PATH]
                             [--lives A:B] [--show] [--rules] [--json]

A seed is some users with five agents each and two or three habits for each agent, out of 53 templates
(`bench/behaviour/templates.py`), told in wordings that no detector code or test reads; over a third of all is noise.
Seeds below 1000 are for development; 1000 and above are for final figures and are run when nothing is tuned any more.

A pattern is *true* when 60 % of what it cites are occurrences of one planted rule in which that rule held, *general*
when they are so of several rules with one kind of act, and else *false*. *Precision*: those not false, of all new ones.
*Recall*: of the rules with ten occurrences in some 30 days, those told of by a true pattern by the night after the
tenth in the window; beside it the same for other numbers, of the rules that reached them. A *narrow* pattern cites less
than half of the occurrences that were there. What people call wrong is every false pattern, and of half the rules the
first true one; what tells of the same within 60 nights has come back in other words.

*Offices* (`bench/behaviour/offices.py`), looked at every five days: corrections that are incidental, of which no rule
may come, and habits that a thing explains and an hour seems to.

*Lives* (`bench/behaviour/lives.py`) go through the product, with a night after each day and its rules: habits end, turn
into their opposite, or come to another person, tool or value half-way. Counted are pairs of active rules from before
and after a turn, rules that are active ten nights after their habit ended, and what is shown surer than its numbers.

*Noise alone*: scopes of 30 days in which nothing depends on anything, of 15 to 400 episodes, each looked at `--looks`
times. *Real runs* have no truth: what is found is printed for a person to judge, with every count taken again.
"""

import argparse
import json
import math
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter
from typing import cast

import anyio

from bench.behaviour import trajectories
from bench.behaviour.chance import noise
from bench.behaviour.judging import Finding, common, faulty
from bench.behaviour.lives import Life, live_with_nights, told_of
from bench.behaviour.nights import HOUR, MILESTONES, Course, Learner, Said, Scene, Stay, live
from bench.behaviour.offices import office, reason
from bench.behaviour.world import AGENTS, world
from bench.behaviour.year import FIRST, Planned, episodes, rules
from remembrancer.learn.detect.detect import detect
from remembrancer.types.episode import Entity
from remembrancer.types.pattern import BehaviourEvent, Category, Pattern
from remembrancer.types.scope import Scope
from tests.steps import Steps, in_steps

SEEDS = "0:2"
USERS = 2
DAYS = 60
NOISE_EPISODES = 5_000
NOISE_DAYS = 30
OFFICE_LOOKS = 5
SMALLEST, LARGEST = 15, 400
FINAL = 1000
ALL = 1000


class Detecting:
    """The detector by itself: what was said, and what was called wrong, is known by its key."""

    def __init__(self) -> None:
        self._said: set[str] = set()
        self._denied: set[str] = set()

    def night(self, deeds: Sequence[BehaviourEvent]) -> list[Pattern]:
        """New patterns, 3 at most."""
        found = [one for one in detect(deeds, known=frozenset(self._said)) if one.key not in self._said]
        self._said |= {one.key for one in found}
        return found

    def wrong(self, pattern: Pattern) -> None:
        """Remember the key."""
        self._denied.add(pattern.key)

    def believes(self, deeds: Sequence[BehaviourEvent]) -> list[Pattern]:
        """What is found with nothing known."""
        return [one for one in detect(deeds, limit=ALL) if one.key not in self._denied]


@dataclass(slots=True, kw_only=True)
class Totals:
    """What was seen in all scopes so far."""

    stays: list[Stay] = field(default_factory=list[Stay])
    deeds: int = 0
    noise: int = 0

    @property
    def said(self) -> list[Said]:
        """Every new pattern."""
        return [said for stay in self.stays for said in stay.said]

    @property
    def courses(self) -> list[Course]:
        """How it went with every rule."""
        return [course for stay in self.stays for course in stay.courses.values()]


def simulate(seeds: range, *, users: int, days: int, learner: Callable[[Scope], Learner], totals: Totals) -> None:
    """Live through every scope of every seed, adding to the totals."""
    for seed in seeds:
        planted = rules(seed, users, days)
        scopes: defaultdict[Scope, list[Planned]] = defaultdict(list)
        for one in episodes(seed, users, days):
            scopes[one.scope].append(one)
        for number, (scope, happened) in enumerate(scopes.items(), start=1):
            print(f"\rseed {seed}: scope {number} of {len(scopes)} ", end="", file=sys.stderr, flush=True)
            scene = Scene.of(happened, [rule for rule in planted if rule.scope == scope])
            totals.stays.append(live(scene, learner(scope), seed=(seed, number)))
            totals.deeds += len(happened)
            totals.noise += sum(one.kind == "noise" for one in happened)
    print(file=sys.stderr)


def noise_alone(count: int, *, looks: int, first: int) -> dict[str, object]:
    """What is found where there is nothing."""
    seen = windows = 0
    found: Counter[Category] = Counter()
    while seen < count:
        deeds = list(_nothing(first + windows))
        known: set[str] = set()
        for look in range(1, looks + 1):
            until = deeds[0].at.replace(hour=HOUR) + timedelta(days=math.ceil(NOISE_DAYS * look / looks) + 1)
            new = [
                one for one in detect([deed for deed in deeds if deed.at < until], known=known) if one.key not in known
            ]
            known |= {one.key for one in new}
            found.update(one.category for one in new)
        seen += len(deeds)
        windows += 1
        if windows % 20 == 0:
            print(f"\rnoise: {seen} episodes, {found.total()} patterns ", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return {
        "episodes": seen,
        "windows": windows,
        "looks": looks,
        "patterns": found.total(),
        "per_10000": round(10_000 * found.total() / max(1, seen), 3),
        "categories": {category.value: found[category] for category in Category},
    }


def _nothing(seed: int) -> Iterator[BehaviourEvent]:
    """Thirty days of noise in one scope."""
    rng = Random(f"nothing/{seed}")
    own = world(rng, tenant="nothing", user=f"n{seed}")
    agent = rng.choice(AGENTS)
    size = round(math.exp(rng.uniform(math.log(SMALLEST), math.log(LARGEST))))
    days = [FIRST + timedelta(days=offset) for offset in range(NOISE_DAYS)]
    working = [day for day in days if day.weekday() < 5 or rng.random() < 0.2]
    times = sorted(own.time(rng.choice(working), rng) for _ in range(size))
    for number, when in enumerate(times):
        act, contact, attributes, text = noise(own, agent, rng)
        yield BehaviourEvent(
            id=f"n{seed}-{number}",
            at=when,
            event=act.event,
            outcome=act.outcome,
            text=text,
            entities=(Entity(type="contact", name=contact),),
            attributes=attributes,
        )


def in_offices(seeds: range, rules: list[str]) -> dict[str, object]:
    """What is told in offices, of each kind of thing planted there; every rule is added to `rules`."""
    counts: Counter[str] = Counter()
    for seed in seeds:
        found = office(seed)
        known: set[str] = set()
        told: list[Pattern] = []
        for day in range(OFFICE_LOOKS, NOISE_DAYS + OFFICE_LOOKS, OFFICE_LOOKS):
            until = found.deeds[0].at.replace(hour=HOUR) + timedelta(days=day)
            new = detect([deed for deed in found.deeds if deed.at < until], known=known)
            told += [one for one in new if one.key not in known]
            known |= {one.key for one in new}
        for one in told:
            kind = reason(one, found).partition(":")[0] or "mixed"
            counts[f"{kind} told"] += 1
            counts[f"{kind} rules"] += bool(one.rule)
            counts["twofold told by the hour"] += kind == "twofold" and "when" in one.key
            if one.rule:
                rules.append(f"{one.rule} | {one.quote} | {one.evidence}")
        for planted in sorted(set(found.why.values())):
            counts[f"{planted.partition(':')[0]} planted"] += 1
            counts[f"{planted.partition(':')[0]} found"] += any(reason(one, found) == planted for one in told)
    return dict(sorted(counts.items()))


def through_nights(seeds: range) -> Iterator[Life]:
    """Live through each seed with the product."""
    for seed in seeds:
        print(f"\rlife {seed} of {seeds.stop} ", end="", file=sys.stderr, flush=True)
        with in_steps(Steps()):
            yield anyio.run(live_with_nights, seed)
    print(file=sys.stderr)


def real_runs(path: Path) -> dict[str, object]:
    """What is found in real runs, and every count taken again."""
    deeds = trajectories.deeds(path)
    patterns = detect(deeds, limit=ALL)
    return {
        "deeds": len(deeds),
        "patterns": [
            {
                "category": one.category.value,
                "quote": one.quote,
                "evidence": one.evidence,
                "held": one.occurrences,
                "against": len(one.against),
                "in_common": common(one, deeds)[:8],
                "faults": faulty(one, deeds),
            }
            for one in patterns
        ],
    }


def report(totals: Totals) -> dict[str, object]:
    """The figures of the planted habits, shares in percent."""
    said, courses = totals.said, totals.courses
    findings = Counter(one.verdict.finding for one in said)
    false = [one for one in said if one.verdict.finding is Finding.FALSE]
    return {
        "deeds": totals.deeds,
        "noise": _share(totals.noise, totals.deeds),
        "nights": sum(stay.nights for stay in totals.stays),
        "patterns": len(said),
        **{finding.value: findings[finding] for finding in Finding},
        "narrow": sum(one.verdict.narrow for one in said),
        "precision": _share(len(said) - len(false), len(said)),
        "false_per_10000": round(10_000 * len(false) / max(1, totals.deeds), 2),
        "false_kinds": dict(Counter(one.verdict.kind for one in false)),
        "faults": dict(Counter(fault for one in said for fault in one.faults)),
        "nights_over_limit": sum(stay.over_limit for stay in totals.stays),
        "recall": _recall(courses),
        "turned": _recall([course for course in courses if course.rule.instead_of]),
        "rare_found": _share(*_found([course for course in courses if not course.eligible])),
        "stopped": _stopped(courses),
        "feedback": _feedback(courses, said),
        "categories": {category.value: _category(category, totals) for category in Category},
        "templates": _templates(totals),
    }


def _share(part: float, whole: float) -> float | None:
    return round(100 * part / whole, 1) if whole else None


def _found(courses: Sequence[Course]) -> tuple[int, int]:
    return sum(course.found is not None for course in courses), len(courses)


def _recall(courses: Sequence[Course]) -> dict[str, object]:
    eligible = [course for course in courses if course.eligible]
    found = [course for course in eligible if course.found is not None]
    recall = {
        f"within_{milestone}": _share(
            sum(course.within(milestone) for course in eligible),
            sum(milestone in course.reached for course in eligible),
        )
        for milestone in MILESTONES
    }
    return {
        "rules": len(eligible),
        **recall,
        "ever": _share(*_found(eligible)),
        "delay_occurrences": median([course.occurrences for course in found]) if found else None,
        "delay_days": median([course.days for course in found]) if found else None,
    }


def _stopped(courses: Sequence[Course]) -> dict[str, object]:
    lingering = [course.lingers for course in courses if course.lingers is not None]
    return {
        "rules": sum(course.rule.end is not None for course in courses),
        "still_counted_days": median(lingering) if lingering else None,
        "longest": max(lingering, default=None),
    }


def _feedback(courses: Sequence[Course], said: Sequence[Said]) -> dict[str, object]:
    denied = [course for course in courses if course.denied]
    going = [course.persists for course in courses if course.persists is not None]
    false = [one for one in said if one.verdict.finding is Finding.FALSE]
    return {
        "true_called_wrong": len(denied),
        "came_back": sum(course.returns > 0 for course in denied),
        "times": sum(course.returns for course in denied),
        "false_called_wrong": len(false),
        "false_again": sum(one.again for one in false),
        "right_persist": _share(sum(going), len(going)),
    }


def _category(category: Category, totals: Totals) -> dict[str, object]:
    own = [one for one in totals.said if one.pattern.category is category]
    true = [one for one in own if one.verdict.finding is not Finding.FALSE]
    return {
        "patterns": len(own),
        "precision": _share(len(true), len(own)),
        "false_per_10000": round(10_000 * (len(own) - len(true)) / max(1, totals.deeds), 2),
        **_recall([course for course in totals.courses if course.rule.template.category is category]),
    }


def _templates(totals: Totals) -> dict[str, dict[str, object]]:
    courses: defaultdict[str, list[Course]] = defaultdict(list)
    told: defaultdict[str, list[Said]] = defaultdict(list)
    for stay in totals.stays:
        for course in stay.courses.values():
            courses[course.rule.template.code].append(course)
        for said in stay.said:
            if said.verdict.rule:
                told[stay.courses[said.verdict.rule].rule.template.code].append(said)
    return {
        code: {
            **_recall(own),
            "patterns": len(told[code]),
            "narrow": sum(one.verdict.narrow for one in told[code]),
            "other_category": sum(one.pattern.category is not own[0].rule.template.category for one in told[code]),
        }
        for code, own in sorted(courses.items(), key=lambda item: (item[0][0], int(item[0][1:])))
    }


def show(totals: Totals) -> None:
    """Print every new pattern with what was thought of it."""
    for one in totals.said:
        about = one.verdict.rule or one.verdict.kind
        print(
            f"{one.verdict.finding:8} {about:24} {one.pattern.category:14} {one.pattern.quote} | {one.pattern.evidence}"
        )


def table(figures: Mapping[str, object], *, width: int = 24) -> None:
    """Print figures as text, what is nested a line each."""
    for name, value in figures.items():
        nested = cast("dict[str, object]", value) if isinstance(value, dict) else {}
        rows = cast("list[object]", value) if isinstance(value, list) else []
        if any(isinstance(inner, dict | list) for inner in nested.values()):
            print(f"{name:>{width}}")
            table(nested, width=width + 2)
        elif isinstance(value, dict):
            print(f"{name:>{width}}  {_line(nested)}")
        elif isinstance(value, list):
            print(f"{name:>{width}}  {len(rows)}")
            for row in rows:
                print(f"{'':>{width}}  {_line(cast('dict[str, object]', row)) if isinstance(row, dict) else row}")
        else:
            print(f"{name:>{width}}  {value}")


def _line(figures: Mapping[str, object]) -> str:
    return "  ".join(f"{name} {value}" for name, value in figures.items())


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.learning", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seeds", default=SEEDS, metavar="A:B", help=f"default {SEEDS}; final ones from {FINAL} up")
    parser.add_argument("--users", type=int, default=USERS, help="in each seed")
    parser.add_argument("--days", type=int, default=DAYS)
    parser.add_argument("--noise-episodes", type=int, default=NOISE_EPISODES, metavar="N")
    parser.add_argument("--looks", type=int, default=1, help="at each window of noise")
    parser.add_argument("--offices", default="", metavar="A:B", help="seeds of offices as well")
    parser.add_argument("--lives", default="", metavar="A:B", help="seeds of lives in which habits turn as well")
    parser.add_argument("--tau", type=Path, metavar="PATH", help="runs of tau-bench, such as airline.json")
    parser.add_argument("--show", action="store_true", help="every new pattern as well")
    parser.add_argument("--rules", action="store_true", help="every rule that was told, one a line")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def main() -> int:
    """Run and print; what was done until an interruption is printed too, and 130 answered."""
    arguments = _arguments()
    start, stop = (int(number) for number in arguments.seeds.split(":"))
    began = perf_counter()
    totals = Totals()
    rules: list[str] = []
    figures: dict[str, object] = {"seeds": arguments.seeds, "users": arguments.users, "days": arguments.days}
    status = 0
    try:
        simulate(
            range(start, stop),
            users=arguments.users,
            days=arguments.days,
            learner=lambda _: Detecting(),
            totals=totals,
        )
        figures["seconds_of_habits"] = round(perf_counter() - began, 1)
        if arguments.noise_episodes:
            figures["noise_alone"] = noise_alone(arguments.noise_episodes, looks=arguments.looks, first=start * 100_000)
        if arguments.offices:
            first, last = (int(number) for number in arguments.offices.split(":"))
            figures["offices"] = in_offices(range(first, last), rules)
        if arguments.lives:
            first, last = (int(number) for number in arguments.lives.split(":"))
            lives = list(through_nights(range(first, last)))
            figures["lives"] = told_of(lives)
            promoted = [rule for life in lives for rule in life.rules]
            rules += [f"{one.text} | {'; '.join(one.told)} | {one.evidence} | {one.reason}" for one in promoted]
        if arguments.tau:
            figures["real_runs"] = real_runs(arguments.tau)
    except KeyboardInterrupt:
        print("\ninterrupted: these are the figures so far", file=sys.stderr)
        status = 130
    if totals.stays:
        figures |= report(totals)
    figures["seconds"] = round(perf_counter() - began, 1)
    if arguments.show:
        show(totals)
    if arguments.rules:
        said = [one.pattern for one in totals.said if one.pattern.rule]
        print("\n".join([f"{one.rule} | {one.quote} | {one.evidence}" for one in said] + rules))
    if arguments.json:
        print(json.dumps(figures))
    else:
        table(figures)
    return status


if __name__ == "__main__":
    sys.exit(main())
