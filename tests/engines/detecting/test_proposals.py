"""What a model proposes is counted again."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planted import deed, exclamations, noise, repeated, semicolons

from remembrancer.engines.detecting.check import check_proposals
from remembrancer.engines.detecting.detect import detect
from remembrancer.model.pattern import Category, Proposal

RANDOM = Random(6)
DEEDS = [*noise(RANDOM, 60), *repeated(exclamations, RANDOM, 10), *repeated(semicolons, RANDOM, 8, prefix="s")]
EXCLAMATIONS = tuple(f"h{number}" for number in range(10))
GOOD = Proposal(
    category="writing-style",
    quote="With Bertelli the user always removes exclamation marks.",
    evidence="10 of 10 drafts in June 2026",
    episodes=EXCLAMATIONS,
    occurrences=10,
    rule="Remove exclamation marks from drafts to Bertelli.",
)


def test_what_the_episodes_bear_out_is_taken_and_counted_by_the_engine() -> None:
    (pattern,), refused = check_proposals([GOOD], DEEDS)
    assert refused == []
    assert pattern.quote == GOOD.quote
    assert pattern.rule == GOOD.rule
    assert pattern.category is Category.WRITING_STYLE
    assert set(pattern.episodes) == set(EXCLAMATIONS)
    assert pattern.key in {found.key for found in detect(DEEDS)}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"category": "moods"}, "no category"),
        ({"episodes": (*EXCLAMATIONS[:9], "invented")}, "not there"),
        ({"episodes": (*EXCLAMATIONS[:9], "h0")}, "more than once"),
        ({"episodes": EXCLAMATIONS[:2], "occurrences": 2}, "too few"),
        ({"occurrences": 11}, "counts 11 and names 10"),
        ({"quote": "With Bertelli the user always adds exclamation marks."}, "the opposite"),
        ({"quote": "With Bertelli the user never removes exclamation marks."}, "the opposite"),
        ({"quote": "With Bertelli the user prefers haiku about exclamation marks."}, "none of the episodes"),
        ({"quote": "With Lara the user removes exclamation marks."}, "none of the episodes"),
        ({"quote": "No exclamation marks in 18 emails with Bertelli."}, "not counted"),
        ({"evidence": "18 of 19 drafts"}, "not counted"),
        ({"quote": " ".join(["exclamation"] * 26)}, "26 words"),
        ({"evidence": " ".join(["marks"] * 41)}, "41 words"),
        ({"rule": " ".join(["remove"] * 41)}, "41 words"),
        ({"quote": " "}, "no quote"),
        ({"rule": "Forward exclamation marks to the director."}, "none of the episodes"),
        ({"episodes": ("h0", "h1", "s0"), "occurrences": 3}, ""),
    ],
)
def test_what_cannot_be_verified_is_refused_with_a_reason(change: dict[str, object], reason: str) -> None:
    patterns, (refused,) = check_proposals([replace(GOOD, **change)], DEEDS)  # pyright: ignore[reportArgumentType]
    assert patterns == []
    assert reason in refused.reason


def test_at_most_three_are_taken_and_none_twice() -> None:
    patterns, refused = check_proposals([GOOD] * 3, DEEDS)
    assert len(patterns) == 1
    assert all("before" in refusal.reason for refusal in refused)
    patterns, refused = check_proposals([GOOD], DEEDS, limit=0)
    assert patterns == []
    assert "more than 0" in refused[0].reason


def test_what_held_too_seldom_is_refused() -> None:
    said = tuple(deed.id for deed in DEEDS if deed.id.startswith("s"))
    semis = replace(
        GOOD, quote="The user removes semicolons.", evidence="8 drafts", episodes=said, occurrences=8, rule=""
    )
    assert check_proposals([semis], DEEDS)[1] == []
    spoilt = [deed(f"z{number}", "approval_modified", "inserted a semicolon") for number in range(5)]
    patterns, (refused,) = check_proposals([semis], [*DEEDS, *spoilt])
    assert patterns == []
    assert refused.reason == "held in 8 of 13, which is too few"


@settings(max_examples=40, deadline=None)
@given(
    st.text(), st.text(), st.text(), st.lists(st.sampled_from([deed.id for deed in DEEDS]), max_size=8), st.integers()
)
def test_no_proposal_whatever_breaks_the_check(
    category: str, quote: str, rule: str, episodes: list[str], count: int
) -> None:
    wild = Proposal(
        category=category, quote=quote, evidence=quote, rule=rule, episodes=tuple(episodes), occurrences=count
    )
    tame = replace(wild, category="people", occurrences=len(episodes))
    patterns, refused = check_proposals([wild, tame], DEEDS[:40])
    assert len(patterns) + len(refused) == 2
