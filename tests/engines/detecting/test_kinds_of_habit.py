"""Habits of time, values without circumstances, rules that turn round, other sides, and how they are told."""

from datetime import timedelta
from random import Random

import pytest
from planted import START, Habit, amounts, deed, noise, repeated, semicolons, some_time, spreadsheet
from planted_more import bursts, payroll, signals, telephone, turned_round

from remembrancer.learn.detect.deeds import parse_deeds, sittings
from remembrancer.learn.detect.detect import detect
from remembrancer.types.pattern import Category, Pattern


def found(habit: Habit, seed: int, *, holds: float = 0.9) -> list[Pattern]:
    random = Random(seed)
    return detect([*noise(random, 100), *signals(random, 24), *repeated(habit, random, 12, holds=holds)], limit=20)


def test_a_topic_that_has_its_time_is_found_as_a_rhythm_and_is_no_rule_of_action() -> None:
    patterns = [pattern for seed in range(6) for pattern in found(payroll, seed) if "payroll" in pattern.key]
    assert len(patterns) >= 5
    assert {pattern.category for pattern in patterns} == {Category.RHYTHM}
    assert {pattern.rule for pattern in patterns} == {""}


def test_a_tool_chosen_instead_of_another_is_found_whoever_it_concerns() -> None:
    patterns = [pattern for seed in range(6) for pattern in found(telephone, seed) if "phone call" in pattern.key]
    assert len(patterns) >= 3
    assert {pattern.category for pattern in patterns} == {Category.TOOLS}


def test_a_rule_that_turns_round_is_found_while_the_old_one_is_in_the_window() -> None:
    hits = 0
    for seed in range(6):
        random = Random(seed)
        patterns = detect([*noise(random, 120), *turned_round(random, 8, 8)], limit=20)
        assert not any(pattern.key == "contact=quinn -> to=manager" for pattern in patterns)
        new = [pattern for pattern in patterns if pattern.key.endswith("to=director")]
        assert all(pattern.occurrences == 8 for pattern in new)
        hits += bool(new)
    assert hits >= 3


def test_what_is_usual_is_not_told_as_the_other_side_of_a_rule() -> None:
    for seed in range(6):
        random = Random(seed)
        small = [
            deed(f"m{number}", "approval_approved", "wrote an offer", at=some_time(random), amount=100.0 * number)
            for number in range(40)
        ]
        patterns = detect([*noise(random, 60), *small, *repeated(amounts, random, 12)], limit=20)
        assert any("rejected" in pattern.key for pattern in patterns)
        assert not any(pattern.key.endswith("outcome=approved") for pattern in patterns)


def test_a_value_that_is_usual_is_not_told_as_the_other_side_of_a_bound() -> None:
    for seed in range(6):
        random = Random(seed)
        calls = [
            deed(
                f"c{number}",
                "action_completed",
                "made a call",
                at=some_time(random),
                minutes=(minutes := random.choice((5, 8, 15, 20, 30, 45, 60))),
                priority=random.choice(
                    ("high", "high", "high", "high", "high", "normal")
                    if minutes <= 10
                    else ("normal", "normal", "normal", "low")
                ),
            )
            for number in range(120)
        ]
        patterns = detect([*noise(random, 60), *calls], limit=20)
        assert any(pattern.key.endswith("priority=high") for pattern in patterns)
        assert not any(pattern.key.endswith("priority=normal") for pattern in patterns)


def test_deeds_of_one_sitting_are_one_occasion_of_a_time() -> None:
    random = Random(1)
    one = bursts(random, 1, 6)
    apart, _ = parse_deeds(one)
    assert sum(sittings(apart)) == 1
    later = deed("z", "action_completed", at=apart[-1].deed.at + timedelta(hours=1), contact="Ferreira")
    assert sum(sittings(parse_deeds([*one, later])[0])) == 2
    for seed in range(6):
        random = Random(seed)
        patterns = detect([*noise(random, 100), *bursts(random, 2, 6)], limit=20)
        assert not any(pattern.category is Category.RHYTHM for pattern in patterns)


def test_a_rejected_pattern_does_not_come_back_because_it_holds_less_often() -> None:
    random = Random(2)
    deeds = [*noise(random, 70), *repeated(spreadsheet, random, 14)]
    (first,) = detect(deeds)
    more = [
        deed(f"q{number}", "user_correction", at=START, topic="costs", did="web form", changed_to="pdf")
        for number in range(8)
    ]
    again = detect([*deeds, *more], known=[first.key], limit=20)
    assert not any(set(pattern.episodes) & set(first.episodes) and pattern.key != first.key for pattern in again)


def test_what_was_done_and_what_it_became_are_told_from_where_they_differ() -> None:
    random = Random(3)
    pairs = [
        deed(
            f"h{number}",
            "correction",
            at=some_time(random),
            contact="Lara",
            did="close with kind regards",
            changed_to="close with best wishes",
        )
        for number in range(10)
    ]
    patterns = detect([*noise(random, 90), *signals(random, 24), *pairs], limit=20)
    (pattern,) = [pattern for pattern in patterns if set(pattern.episodes) & {each.id for each in pairs}]
    assert "close with close" not in pattern.quote
    assert "to close with" not in pattern.quote


@pytest.mark.parametrize("contact", ["Kim", "Sun", "Mon"])
def test_a_short_name_is_no_weekday(contact: str) -> None:
    random = Random(4)
    about = [
        deed(f"h{number}", "approval_modified", "removed a footnote", at=some_time(random), contact=contact)
        for number in range(12)
    ]
    patterns = detect([*noise(random, 80), *about])
    assert any(f"With {contact}" in pattern.quote for pattern in patterns)


def test_plain_deeds_that_recur_give_no_rule() -> None:
    random = Random(5)
    plain = [
        deed(f"h{number}", "action_completed", "booked the ferry ticket", at=some_time(random), contact="Ferreira")
        for number in range(12)
    ]
    patterns = [pattern for pattern in detect([*noise(random, 80), *plain]) if "h1" in pattern.episodes]
    assert patterns
    assert {pattern.rule for pattern in patterns} == {""}


def test_nothing_is_found_in_noise_with_signals() -> None:
    for seed in range(20):
        random = Random(seed)
        assert detect([*noise(random, 100), *signals(random, 30)]) == []


def test_a_habit_without_circumstance_is_found_among_other_corrections() -> None:
    hits = sum(any("semicolon" in pattern.key for pattern in found(semicolons, seed)) for seed in range(6))
    assert hits >= 3
