"""What counts as found, by a made-up learner that knows the truth, and by one that talks nonsense."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from bench.behaviour.judging import Finding, common, faulty, judge
from bench.behaviour.nights import ELIGIBLE, Scene, live
from bench.behaviour.year import Kind, Planned, Rule, episodes, judged, rules
from remembrancer.types.pattern import BehaviourEvent, Category, Pattern

USERS, DAYS = 2, 75
Look = Callable[[Sequence[BehaviourEvent]], list[Pattern]]


def pattern(cited: Sequence[BehaviourEvent | Planned], key: str = "k", *, against: Sequence[Planned] = ()) -> Pattern:
    return Pattern(
        key=key,
        category=Category.DECISIONS,
        quote="It is always so.",
        evidence=f"{len(cited)} times",
        episodes=tuple(one.id for one in cited),
        against=tuple(one.id for one in against),
    )


class Made:
    """A learner that says what it was made to say, each key once."""

    def __init__(self, look: Look) -> None:
        self.look = look
        self.known: set[str] = set()
        self.denied: set[str] = set()

    def night(self, deeds: Sequence[BehaviourEvent]) -> list[Pattern]:
        new = [one for one in self.look(deeds) if one.key not in self.known]
        self.known |= {one.key for one in new}
        return new

    def wrong(self, pattern: Pattern) -> None:
        self.denied.add(pattern.key)

    def believes(self, deeds: Sequence[BehaviourEvent]) -> list[Pattern]:
        return [one for one in self.look(deeds) if one.key not in self.denied]


@pytest.fixture(scope="module")
def scenes() -> list[Scene]:
    by_scope: defaultdict[object, list[Planned]] = defaultdict(list)
    for one in episodes(3, USERS, DAYS):
        by_scope[one.scope].append(one)
    planted = rules(3, USERS, DAYS)
    return [
        Scene.of(happened, [rule for rule in planted if rule.scope == scope]) for scope, happened in by_scope.items()
    ]


def knowing(scene: Scene) -> Look:
    """What says every rule with three occurrences in the window."""
    truth = {one.id: one for one in scene.happened}

    def look(deeds: Sequence[BehaviourEvent]) -> list[Pattern]:
        held: defaultdict[str, list[Planned]] = defaultdict(list)
        for deed in deeds:
            if truth[deed.id].held:
                held[truth[deed.id].rule].append(truth[deed.id])
        return [pattern(cited, rule) for rule, cited in held.items() if len(cited) >= 3]

    return look


def test_who_knows_the_truth_finds_every_rule_at_once_and_says_nothing_false(scenes: list[Scene]) -> None:
    for scene in scenes:
        stay = live(scene, Made(knowing(scene)), seed=0)
        assert [one for one in stay.said if one.verdict.finding is not Finding.TRUE or one.faults] == []
        eligible = [course for course in stay.courses.values() if course.eligible]
        assert all(course.within(5) and course.within(ELIGIBLE) and course.returns == 0 for course in eligible)
        assert all(course.persists is not False for course in eligible)


def renaming(scene: Scene) -> Look:
    """What says each rule under a new name now and then."""
    look = knowing(scene)

    def again(deeds: Sequence[BehaviourEvent]) -> list[Pattern]:
        return [replace(one, key=f"{one.key} {one.occurrences // 8}") for one in look(deeds)]

    return again


def test_who_says_a_rule_again_under_another_name_after_it_was_called_wrong_is_counted(scenes: list[Scene]) -> None:
    stays = [live(scene, Made(renaming(scene)), seed=0) for scene in scenes]
    courses = [course for stay in stays for course in stay.courses.values()]
    assert any(course.returns for course in courses if course.denied)
    assert not any(course.returns for course in courses if not course.denied)


def test_a_rule_that_ended_lingers_until_it_is_no_longer_believed(scenes: list[Scene]) -> None:
    ended = [
        course
        for seed in range(3)
        for scene in scenes
        for course in live(scene, Made(knowing(scene)), seed=seed).courses.values()
        if course.rule.end is not None and not course.denied and course.found is not None
    ]
    assert any(course.lingers for course in ended)
    assert all(0 <= course.lingers <= 30 for course in ended if course.lingers is not None)


def held(scene: Scene) -> tuple[Rule, list[Planned]]:
    rule = max(scene.planted.values(), key=lambda rule: sum(one.held and one.rule == rule.id for one in scene.happened))
    return rule, [one for one in scene.happened if one.held and one.rule == rule.id]


def test_a_pattern_is_true_from_six_in_ten_on(scenes: list[Scene]) -> None:
    scene = scenes[0]
    rule, occurrences = held(scene)
    other = [one for one in scene.happened if not one.rule]
    enough = judge(pattern([*occurrences[:6], *other[:4]]), scene.happened, scene.planted)
    assert (enough.finding, enough.rule) == (Finding.TRUE, rule.id)
    assert judge(pattern([*occurrences[:5], *other[:5]]), scene.happened, scene.planted).finding is Finding.FALSE


def test_a_pattern_of_those_in_which_the_rule_did_not_hold_is_false(scenes: list[Scene]) -> None:
    broken = next(
        [one for one in scene.happened if one.rule == rule and not one.held]
        for scene in scenes
        for rule in scene.planted
        if sum(one.rule == rule and not one.held for one in scene.happened) >= 3
    )
    scene = next(scene for scene in scenes if broken[0] in scene.happened)
    verdict = judge(pattern(broken), scene.happened, scene.planted)
    assert (verdict.finding, verdict.kind) == (Finding.FALSE, "not held")


def test_that_all_is_well_where_a_rule_does_not_apply_is_false_and_called_its_mirror(scenes: list[Scene]) -> None:
    scene, occurrences = next((scene, told) for scene in scenes for _, told in [held(scene)] if judged(told[0].event))
    usual = [one for one in scene.happened if one.kind is Kind.USUAL and one.event == "approval_approved"]
    verdict = judge(pattern(usual), [*usual, *occurrences], scene.planted)
    assert (verdict.finding, verdict.kind) == (Finding.FALSE, "mirror")


def test_what_is_wrong_with_a_pattern_is_read_from_the_deeds(scenes: list[Scene]) -> None:
    scene = scenes[0]
    _, occurrences = held(scene)
    assert faulty(pattern(occurrences), scene.deeds) == []
    assert common(pattern(occurrences), scene.deeds)
    twice = pattern([occurrences[0], occurrences[0], occurrences[1]], against=occurrences[1:2])
    assert set(faulty(twice, scene.deeds)) >= {"one episode twice", "for and against at once", "fewer than three"}
    elsewhere = next(other for other in scenes if other is not scene)
    assert "an episode that is not there" in faulty(pattern(occurrences), elsewhere.deeds)
