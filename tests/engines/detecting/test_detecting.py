"""What is found, and what is not."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planted import (
    START,
    Habit,
    amounts,
    deed,
    exclamations,
    fridays,
    inbox,
    manager,
    mondays,
    noise,
    repeated,
    semicolons,
    spreadsheet,
)

from remembrancer.learn.detect.detect import detect
from remembrancer.types.pattern import (
    MAX_EVIDENCE_WORDS,
    MAX_QUOTE_WORDS,
    MAX_RULE_WORDS,
    BehaviourEvent,
    Category,
    Pattern,
)
from tests.rows import each_row

HABITS = [
    (semicolons, Category.WRITING_STYLE),
    (exclamations, Category.WRITING_STYLE),
    (fridays, Category.RHYTHM),
    (mondays, Category.RHYTHM),
    (inbox, Category.PEOPLE),
    (manager, Category.PEOPLE),
    (spreadsheet, Category.TOOLS),
    (amounts, Category.DECISIONS),
]


def of_habit(patterns: list[Pattern]) -> list[Pattern]:
    return [
        pattern
        for pattern in patterns
        if sum(id.startswith("h") for id in pattern.episodes) >= 0.7 * pattern.occurrences
    ]


@each_row("habit, category", HABITS)
def test_a_habit_is_found_in_its_category_once(habit: Habit, category: Category) -> None:
    found = 0
    for seed in range(6):
        random = Random(seed)
        deeds = [*noise(random, 60), *repeated(habit, random, 14, holds=0.9)]
        patterns = detect(deeds)
        assert len(of_habit(patterns)) == len(patterns) <= 1
        found += sum(pattern.category is category for pattern in patterns)
        for pattern in patterns:
            assert pattern.occurrences >= 8
            assert pattern.consistency >= 0.7
            assert not set(pattern.episodes) & set(pattern.against)
            assert pattern.quote.endswith(".")
            assert len(pattern.quote.split()) <= MAX_QUOTE_WORDS
            assert 0 < len(pattern.evidence.split()) <= MAX_EVIDENCE_WORDS
            assert len(pattern.rule.split()) <= MAX_RULE_WORDS
    assert found >= 5


def test_the_order_of_deeds_does_not_matter() -> None:
    random = Random(3)
    deeds = [*noise(random, 50), *repeated(inbox, random, 10), *repeated(fridays, random, 10, prefix="f")]
    first = detect(deeds)
    assert first
    for seed in range(3):
        Random(seed).shuffle(deeds)
        assert detect(deeds) == first


@pytest.mark.parametrize("skew", [0, 0.5, 1, 1.5, 2])
def test_nothing_is_found_in_noise(skew: float) -> None:
    for seed in range(20):
        assert detect(noise(Random(seed), 100, skew=skew)) == []


def test_nothing_is_found_in_next_to_nothing() -> None:
    assert detect([]) == []
    assert detect(noise(Random(1), 2)) == []
    assert detect(repeated(inbox, Random(1), 10)) == []


def test_the_same_id_counts_once() -> None:
    random = Random(4)
    background = noise(random, 80)
    twice = repeated(inbox, random, 2)
    assert detect([*background, *twice * 10]) == []


EVENTS = ("approval_modified", "approval_approved", "approval_rejected", "action_completed", "correction", "made_up")
TEXTS = ("", "removed the semicolon", "filed", "Grüße geändert", "12 %", "sent it to Lara at 9:00", "文書を直した")
VALUES = st.one_of(st.sampled_from(["pdf", "", "2026-01-05T10:00:00+00:00"]), st.booleans(), st.integers(-5, 10**12))


@st.composite
def some_deed(draw: st.DrawFn) -> BehaviourEvent:
    """Something done, of a few kinds."""
    named = st.dictionaries(st.sampled_from(["tool", "topic", "amount", "changed_to", "due"]), VALUES, max_size=3)
    return deed(
        "",
        draw(st.sampled_from(EVENTS)),
        draw(st.sampled_from(TEXTS)),
        at=START + timedelta(hours=draw(st.integers(0, 400))),
        contact=draw(st.sampled_from(["", "Lara", "Adler"])),
        **draw(named),
    )


def test_an_attribute_may_have_values_of_several_types() -> None:
    at = datetime(2026, 6, 1, tzinfo=UTC)
    attributes: list[dict[str, str | int]] = [
        *({} for _ in range(5)),
        {"topic": "mail"},
        {"tool": "pdf", "topic": 1},
        {"tool": "2026-01-05T10:00:00+00:00", "topic": 0},
    ]
    deeds = [
        BehaviourEvent(
            id=f"d{number}",
            at=at + timedelta(hours=number % 8),
            event="approval_modified",
            outcome="modified",
            text="",
            attributes=attributes[number % 8],
        )
        for number in range(24)
    ]
    detect(deeds)


@settings(max_examples=30)
@given(st.lists(some_deed(), max_size=14), st.integers(1, 12))
def test_whatever_was_done_is_counted_without_a_fault(deeds: list[BehaviourEvent], times: int) -> None:
    # A few kinds of deeds, each some times: most of what a new user has.
    named = [replace(one, id=f"d{number}") for number, one in enumerate(deeds * times)]
    ids = {one.id for one in named}
    for pattern in detect(named):
        assert ids >= {*pattern.episodes, *pattern.against}
        assert not set(pattern.episodes) & set(pattern.against)
