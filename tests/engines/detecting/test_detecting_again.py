"""Night after night: keys that stay, habits that stop, and what is said of the opposite."""

from dataclasses import replace
from datetime import timedelta
from random import Random

import pytest
from planted import (
    Habit,
    deed,
    exclamations,
    fridays,
    inbox,
    manager,
    noise,
    repeated,
    semicolons,
    some_time,
    spreadsheet,
)

from remembrancer.learn.detect.conclusions import conclusions
from remembrancer.learn.detect.deeds import parse_deeds
from remembrancer.learn.detect.detect import detect, detect_all
from remembrancer.learn.detect.grounds import grounds
from remembrancer.types.episode import Attributes, Entity
from remembrancer.types.pattern import BehaviourEvent
from tests.rows import each_row


def with_habit(habit: Habit, seed: int, times: int = 14) -> list[BehaviourEvent]:
    random = Random(seed)
    return [*noise(random, 70), *repeated(habit, random, times)]


@pytest.mark.parametrize("habit", [exclamations, inbox, manager, fridays])
def test_a_known_pattern_keeps_its_key_when_more_comes(habit: Habit) -> None:
    first = with_habit(habit, 5)
    (found,) = detect(first)
    random = Random(50)
    more = [replace(one, id=f"x{one.id}") for one in [*noise(random, 20), *repeated(habit, random, 4)]]
    again = [pattern for pattern in detect([*first, *more], known=[found.key]) if pattern.key == found.key]
    assert len(again) == 1
    assert again[0].occurrences >= found.occurrences + 3
    assert len(detect([*first, *more], known=[found.key])) == 1


@pytest.mark.parametrize("habit", [exclamations, inbox, fridays])
def test_the_same_habit_mostly_has_the_same_key(habit: Habit) -> None:
    keys = [pattern.key.partition(" -> ") for seed in range(6) for pattern in detect(with_habit(habit, seed))]
    assert len(keys) >= 5
    assert len({said for _, _, said in keys}) == 1


def test_known_patterns_do_not_count_towards_the_limit() -> None:
    random = Random(8)
    deeds = [*noise(random, 80), *repeated(inbox, random, 12), *repeated(exclamations, random, 12, prefix="e")]
    found = detect(deeds)
    assert len(found) == 2
    (first,) = detect(deeds, limit=1)
    both = detect(deeds, known=[first.key], limit=1)
    assert {pattern.key for pattern in both} == {pattern.key for pattern in found}
    assert detect(deeds, known=[pattern.key for pattern in found], limit=0) != []


@each_row("key", ["", "* -> ", "nothing", "contact=lara -> says=x", "a>1 -> outcome=approved", "a -> b"])
def test_a_known_key_that_no_longer_fits_brings_nothing(key: str) -> None:
    assert detect(noise(Random(1), 60), known=[key]) == []


@pytest.mark.parametrize("habit", [inbox, manager, exclamations])
def test_a_known_key_whose_conclusion_is_gone_and_that_says_no_time_brings_nothing(habit: Habit) -> None:
    deeds = with_habit(habit, 3)
    for pattern in detect(deeds, limit=20):
        left, _, right = pattern.key.partition(" -> ")
        assert f"{right} -> {left}" not in {one.key for one in detect(deeds, known=[f"{right} -> {left}"])}


def test_any_key_of_names_that_were_ever_told_is_counted_or_brings_nothing() -> None:
    """What one of them names may be gone, or may be a conclusion where it was a circumstance."""
    random = Random(9)
    deeds = [*noise(random, 80), *repeated(inbox, random, 12), *repeated(semicolons, random, 12, prefix="s")]
    apart, tongue = parse_deeds([with_odd_names(one, at) for at, one in enumerate(deeds)])
    circumstances = [ground.name for ground in grounds(apart, tongue)]
    told = [one.name for one in conclusions(apart, tongue)]
    deeds = [each.deed for each in apart]
    for _ in range(20):
        lefts, rights = random.choices(circumstances + told, k=40), random.choices(circumstances + told, k=40)
        keys = [f"{left} -> {right}" for left, right in zip(lefts, rights, strict=True)]
        for pattern in detect(deeds, known=[*keys, *(f"{key} & {key} -> {key}" for key in told[:3])]):
            assert pattern.quote


def with_odd_names(one: BehaviourEvent, at: int) -> BehaviourEvent:
    """A deed with attributes that are called as what the detector itself speaks of."""
    kinds: tuple[Attributes, ...] = (
        {"when": at % 7, "says": at % 5, "event": at % 3},
        {"when": "10:30", "says": "monday", "event": "2026-06-01T10:30:00Z"},
        {"when": "soon", "says": "yes", "event": "party"},
        {"outcome": "approved", "moved": at % 11, "@topic": "x"},
        {"topic": "v>1.2.3", "tool": "a<=1e5+", "part": "10:00-11:00", "=": "=", "priority": "->"},
    )
    types = ("when", "says", "event", "contact", "company")
    entities = (*one.entities, Entity(type=types[at % 5], name=f"Kim {at % 3}"))
    return replace(one, attributes={**one.attributes, **kinds[at % len(kinds)]}, entities=entities)


def test_a_habit_that_stops_is_no_longer_told() -> None:
    deeds = with_habit(exclamations, 2)
    (found,) = detect(deeds)
    late = max(deed.at for deed in deeds) + timedelta(hours=1)
    quiet = [
        replace(exclamations(Random(number), f"q{number}", False), at=late + timedelta(hours=number))
        for number in range(4)
    ]
    assert detect([*deeds, *quiet]) == []
    assert detect([*deeds, *quiet], known=[found.key]) == []


def test_a_habit_that_turns_round_is_no_longer_told() -> None:
    deeds = with_habit(semicolons, 3, times=16)
    (found,) = detect(deeds)
    late = max(deed.at for deed in deeds)
    turned = [
        deed(f"t{number}", "approval_modified", "added a semicolon", at=late + timedelta(hours=number + 1))
        for number in range(5)
    ]
    assert found.key not in {pattern.key for pattern in detect([*deeds, *turned], known=[found.key])}


@pytest.mark.parametrize("habit", [semicolons, spreadsheet, manager, inbox])
def test_a_habit_of_which_nothing_is_left_is_counted_as_ended(habit: Habit) -> None:
    deeds = with_habit(habit, 3, times=16)
    keys = [one.key for one in detect(deeds, limit=20) if sum(id.startswith("h") for id in one.episodes) > 9]
    assert keys
    assert not detect_all(deeds, known=keys).lapsed
    late = max(each.at for each in deeds)
    since = [replace(habit(Random(at), f"q{at}", False), at=late + timedelta(hours=at + 1)) for at in range(40)]
    for left in ([one for one in deeds if one.id.startswith("h")][-1:], []):
        # However few of its cases are still in the window.
        found = detect_all([*left, *noise(Random(1), 20), *since], known=keys)
        assert not {one.key for one in found.patterns} & set(keys)
        ended = [one for one in found.lapsed if one.key in keys]
        assert all(one.ended and one.rule == "" and "in none of the last" in one.evidence for one in ended)
        # Of words of which none is left nobody knows where they might have been said.
        assert ended or habit is semicolons or (habit is inbox and not left)


def test_the_opposite_counts_against() -> None:
    random = Random(12)
    deeds = with_habit(semicolons, 12, times=16)
    middle = [
        deed(f"t{number}", "approval_modified", "inserted a semicolon", at=some_time(random, until=12))
        for number in range(2)
    ]
    (before,) = detect(deeds)
    (after,) = detect([*deeds, *middle])
    assert before.key == after.key
    assert before.against == ()
    assert set(after.against) == {"t0", "t1"}
    assert not set(after.episodes) & {"t0", "t1"}


def test_exceptions_lower_the_consistency() -> None:
    random = Random(9)
    deeds = [*noise(random, 60), *repeated(inbox, random, 16)]
    (whole,) = detect(deeds)
    spoilt = [replace(inbox(random, f"s{number}", False), at=deeds[-2].at - timedelta(days=1)) for number in range(3)]
    (less,) = detect([*deeds, *spoilt])
    assert less.consistency < whole.consistency


def test_a_person_who_denies_an_act_does_not_do_it() -> None:
    random = Random(4)
    denied = [
        deed(f"h{number}", "user_correction", "did not archive the mail", at=some_time(random), contact="Lara")
        for number in range(12)
    ]
    (found,) = detect([*noise(random, 70), *denied])
    assert "!archive" in found.key
    assert "not" in found.quote.split()
    assert found.rule.endswith("do not archive the mail.")


def test_the_exceptions_of_a_habit_are_no_habit() -> None:
    for seed in range(6):
        random = Random(seed)
        deeds = [*noise(random, 60), *repeated(spreadsheet, random, 14, holds=0.75)]
        assert not any("pdf" in pattern.key for pattern in detect(deeds, limit=20))
