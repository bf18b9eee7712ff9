"""What counts as kept of an answer, and what the ways of shortening may spend."""

import pytest

from bench.shortening import head, keywords, rarities, summary, tail, vocabulary
from bench.survival import terms
from remembrancer.types.text import estimate
from tests.unit.engines.observing.messages import said

RUN = said(
    ("Ana", "Hello there! I rented a studio in Leipzig for 640 euros a month."),
    ("Ben", "Nice. My brother repairs violins in Leipzig, and he teaches on Tuesdays."),
    ("Ana", "I play the viola myself. Could he look at mine before the concert in October?"),
)


@pytest.mark.parametrize(
    ("kept", "wanted"),
    [
        ("She adopted two dogs.", {"adopt", "2", "dog"}),
        ("on 2026-05-07", {"7", "may", "2026"}),
        ("1,200 euros", {"1200", "euro"}),
        ("the and of", set[str]()),
    ],
)
def test_terms_are_stems_and_plain_numbers(kept: str, wanted: set[str]) -> None:
    assert terms(kept) == wanted


@pytest.mark.parametrize("budget", [0, 10, 25, 40])
def test_no_way_of_shortening_spends_more_than_it_has(budget: int) -> None:
    rarity = rarities([RUN])
    for made in (
        head(RUN, budget, estimate),
        tail(RUN, budget, estimate),
        summary(RUN, budget, estimate),
        keywords(RUN, budget, estimate, rarity),
        vocabulary(RUN, budget, estimate, rarity),
    ):
        assert sum(line.tokens for line in made) <= budget
        assert all(1 <= line.first <= line.last <= 3 for line in made)


def test_each_way_keeps_what_it_is_named_after() -> None:
    rarity = rarities([RUN])
    assert [line.text for line in head(RUN, 10, estimate)][:2] == ["Hello", "there!"]
    assert tail(RUN, 12, estimate)[0].text == "October?"
    assert all(line.text in RUN[line.first - 1].text for line in keywords(RUN, 30, estimate, rarity))
    assert len({line.text for line in vocabulary(RUN, 30, estimate, rarity)}) == len(
        vocabulary(RUN, 30, estimate, rarity)
    )
    assert all(line.text.endswith((".", "!", "?")) for line in summary(RUN, 40, estimate))
