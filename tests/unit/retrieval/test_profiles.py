"""What makes a score, and that it stays one."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from remembrancer.errors import InvalidInput
from remembrancer.search.factor import Factor
from remembrancer.search.profiles import BEHAVIOURAL, DEFAULT, PROFILES, SEARCH, SESSION, Profile, profile_named
from tests.rows import each_row

SHARE = st.floats(0, 1, width=32)
FACTORS = st.dictionaries(st.sampled_from(Factor), SHARE, min_size=1)


def column(value: float) -> NDArray[np.float32]:
    return np.array([value], dtype=np.float32)


def score(profile: Profile, factors: dict[Factor, float]) -> float:
    return float(profile.score({factor: column(value) for factor, value in factors.items()})[0])


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
@given(factors=FACTORS)
def test_every_score_lies_between_zero_and_one(profile: Profile, factors: dict[Factor, float]) -> None:
    assert 0 <= score(profile, factors) <= 1


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
@given(factors=FACTORS, factor=st.sampled_from(Factor), more=SHARE)
def test_a_higher_factor_never_lowers_a_score(
    profile: Profile, factors: dict[Factor, float], factor: Factor, more: float
) -> None:
    raised = {**factors, factor: max(more, factors.get(factor, 0.0))}
    assert score(profile, raised) >= score(profile, factors) - 1e-6


@each_row("profile", PROFILES)
def test_the_best_factors_make_one_and_the_worst_zero(profile: Profile) -> None:
    assert score(profile, dict.fromkeys(Factor, 1.0)) == pytest.approx(1)
    assert score(profile, dict.fromkeys(Factor, 0.0)) == pytest.approx(0, abs=1e-6)


def test_a_boost_moves_a_score_by_no_more_than_its_share() -> None:
    plain = {Factor.MEANING: 0.6, Factor.WORDS: 0.4, Factor.RECENCY: 0.5}
    low, middle, high = (score(DEFAULT, {**plain, Factor.IMPORTANCE: value}) for value in (0.0, 0.5, 1.0))
    assert (low / middle, high / middle) == (pytest.approx(0.8), pytest.approx(1.2))


def test_a_product_of_zero_leaves_nothing() -> None:
    assert score(BEHAVIOURAL, {Factor.SEMANTIC: 1.0, Factor.LEXICAL: 1.0, Factor.FRESHNESS: 0.0}) == 0


@pytest.mark.parametrize(
    ("profile", "factors", "expected"),
    [
        (SEARCH, {Factor.LEXICAL: 1.0, Factor.UPDATED: 0.5}, 0.725),
        (SESSION, {Factor.UPDATED: 1.0, Factor.REVISION: 0.5, Factor.TYPE: 0.5}, 0.75),
        (BEHAVIOURAL, {Factor.SEMANTIC: 0.5, Factor.LEXICAL: 0.5, Factor.FRESHNESS: 0.5, Factor.TIER: 0.8}, 0.2),
    ],
)
def test_a_score_is_that_of_the_formula(profile: Profile, factors: dict[Factor, float], expected: float) -> None:
    assert score(profile, factors) == pytest.approx(expected)


@given(rows=st.lists(st.tuples(SHARE, SHARE), min_size=1, max_size=6))
def test_each_memory_is_scored_as_if_it_were_alone(rows: list[tuple[float, float]]) -> None:
    values = np.array(rows, dtype=np.float32)
    together = DEFAULT.score({Factor.MEANING: values[:, 0], Factor.WORDS: values[:, 1]})
    alone = [score(DEFAULT, {Factor.MEANING: semantic, Factor.WORDS: lexical}) for semantic, lexical in rows]
    assert together.tolist() == pytest.approx(alone, abs=1e-6)


def test_no_memories_have_no_scores() -> None:
    assert DEFAULT.score({Factor.MEANING: np.empty(0, dtype=np.float32)}).shape == (0,)


def test_a_profile_is_found_by_its_name_alone() -> None:
    assert [profile_named(name).name for name in PROFILES] == list(PROFILES)
    with pytest.raises(InvalidInput, match="allowed are default, behavioural, search, session"):
        profile_named("Default")


def test_feedback_moves_the_default_by_a_fifth_and_can_be_left_out() -> None:
    found = {Factor.MEANING: 0.5, Factor.WORDS: 0.5, Factor.FEEDBACK: 1.0}
    distrusted = {**found, Factor.FEEDBACK: 0.0}
    assert score(DEFAULT, distrusted) == pytest.approx(score(DEFAULT, found) * 0.8 / 1.2)
    bare = DEFAULT.without(Factor.FEEDBACK)
    assert Factor.FEEDBACK not in bare.factors
    assert score(bare, distrusted) == score(bare, found)


def test_a_scale_makes_scores_of_two_queries_comparable() -> None:
    found = {Factor.WORDS: 1.0, Factor.MEANING: 1.0}
    assert score(replace(DEFAULT, scale=0.5), found) == pytest.approx(score(DEFAULT, found) / 2)
