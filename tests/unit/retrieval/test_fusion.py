"""How words, meaning and structure are weighed, and how the newer comes first."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.language.intent import Intent, intent_of
from remembrancer.search.factor import Factor
from remembrancer.search.fusion import (
    CURRENT_BONUS,
    LATEST_BONUS,
    NO_BONUS,
    OTHER_BONUS,
    RecencyBonus,
    factor_weights,
    recency_bonus,
)
from tests.rows import each_row

SHARE = st.floats(0, 1, width=32)
DAY = 86_400.0


@given(intent=st.sampled_from(Intent), share=SHARE, of_self=st.booleans(), meaning=st.booleans())
def test_no_factor_speaks_against_a_memory_and_words_and_meaning_share_one(
    intent: Intent, share: float, of_self: bool, meaning: bool
) -> None:
    weights = factor_weights(intent, share, of_self=of_self, meaning=meaning)
    assert min(weights.values()) >= 0
    assert weights[Factor.WORDS] + weights.get(Factor.MEANING, 0) == 1


@given(shares=st.tuples(SHARE, SHARE), intent=st.sampled_from(Intent))
def test_words_weigh_the_more_the_more_of_the_query_one_memory_holds(
    shares: tuple[float, float], intent: Intent
) -> None:
    less, more = (factor_weights(intent, share, of_self=False, meaning=True)[Factor.WORDS] for share in sorted(shares))
    assert less <= more


def test_of_hits_that_are_about_equally_good_the_newest_leads_and_no_other_is_moved() -> None:
    scores = np.array([0.5, 0.45, 0.2], dtype=np.float32)
    occurred = np.array([0, 200 * DAY, 300 * DAY])
    every = np.ones(3, dtype=bool)
    moved = OTHER_BONUS.scores(scores, occurred, every)
    assert np.argsort(-moved).tolist() == [1, 0, 2]
    assert moved[2] * (1 + OTHER_BONUS.gain) == np.float32(0.2)
    assert np.argsort(-OTHER_BONUS.scores(scores, occurred, ~every)).tolist() == [0, 1, 2]


def test_what_was_saved_within_minutes_is_equally_new() -> None:
    scores = np.array([0.5, 0.49], dtype=np.float32)
    assert np.argsort(-CURRENT_BONUS.scores(scores, np.array([0.0, 60.0]), np.ones(2, dtype=bool))).tolist() == [0, 1]


@given(scores=st.lists(SHARE, max_size=6))
def test_scores_stay_scores(scores: list[float]) -> None:
    given_scores = np.array(scores, dtype=np.float32)
    moved = CURRENT_BONUS.scores(
        given_scores, np.arange(len(scores), dtype=np.float64), np.ones(len(scores), dtype=bool)
    )
    assert moved.shape == given_scores.shape
    assert all(0 <= score <= 1 for score in moved)


@each_row(
    "text, prefers",
    [
        ("Where do I live?", CURRENT_BONUS),
        ("Wie heißt mein Zahnarzt?", CURRENT_BONUS),
        ("Where do I live now?", LATEST_BONUS),
        ("Wer ist derzeit mein Zahnarzt?", LATEST_BONUS),
        ("Which film did I see most recently?", LATEST_BONUS),
        ("Where did I live in May?", OTHER_BONUS),
        ("Wo war ich im Urlaub?", OTHER_BONUS),
        ("Recommend a restaurant for tonight.", OTHER_BONUS),
        ("How many pages of 'A Short History of Tea' have I read?", CURRENT_BONUS),
        ("In which order did I read the books?", NO_BONUS),
        ("Can you summarise how my training developed?", NO_BONUS),
        ("Fasse mir bitte unsere Reisen zusammen.", NO_BONUS),
        ("Wo habe ich früher gewohnt?", NO_BONUS),
        ("What was my previous job?", NO_BONUS),
        ("How many days passed between the two races?", NO_BONUS),
        ("Erinnere mich bitte an den Namen des Lokals.", NO_BONUS),
        ("¿Cuánto he gastado en total?", NO_BONUS),
        ("I finally slept well again.", NO_BONUS),
    ],
)
def test_the_newer_is_preferred_where_a_query_asks_how_things_are(text: str, prefers: RecencyBonus) -> None:
    assert recency_bonus(intent_of(text), text) is prefers
