"""What is found, and what is not."""

from random import Random

import pytest
from planted import (
    Habit,
    amounts,
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

from remembrancer.engines.detecting.detect import detect
from remembrancer.model.pattern import (
    MAX_EVIDENCE_WORDS,
    MAX_QUOTE_WORDS,
    MAX_RULE_WORDS,
    Category,
    Pattern,
)

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


@pytest.mark.parametrize(("habit", "category"), HABITS)
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
