"""How words, meaning and structure are weighed, and how the newer comes first."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.language.intent import Intent, intent_of
from remembrancer.search.factor import Factor
from remembrancer.search.fusion import NO_ORDER, OF_NOW, OF_THE_LATEST, OTHERWISE, NewerFirst, newer_first, weights_of

SHARE = st.floats(0, 1, width=32)
DAY = 86_400.0


@given(intent=st.sampled_from(Intent), share=SHARE, of_self=st.booleans(), meaning=st.booleans())
def test_no_factor_speaks_against_a_memory_and_words_and_meaning_share_one(
    intent: Intent, share: float, of_self: bool, meaning: bool
) -> None:
    weights = weights_of(intent, share, of_self=of_self, meaning=meaning)
    assert min(weights.values()) >= 0
    assert weights[Factor.WORDS] + weights.get(Factor.MEANING, 0) == 1


@given(shares=st.tuples(SHARE, SHARE), intent=st.sampled_from(Intent))
def test_words_weigh_the_more_the_more_of_the_query_one_memory_holds(
    shares: tuple[float, float], intent: Intent
) -> None:
    less, more = (weights_of(intent, share, of_self=False, meaning=True)[Factor.WORDS] for share in sorted(shares))
    assert less <= more


def test_of_hits_that_are_about_equally_good_the_newest_leads_and_no_other_is_moved() -> None:
    scores = np.array([0.5, 0.45, 0.2], dtype=np.float32)
    occurred = np.array([0, 200 * DAY, 300 * DAY])
    every = np.ones(3, dtype=bool)
    moved = OTHERWISE.scores(scores, occurred, every)
    assert np.argsort(-moved).tolist() == [1, 0, 2]
    assert moved[2] * (1 + OTHERWISE.gain) == np.float32(0.2)
    assert np.argsort(-OTHERWISE.scores(scores, occurred, ~every)).tolist() == [0, 1, 2]


def test_what_was_saved_within_minutes_is_equally_new() -> None:
    scores = np.array([0.5, 0.49], dtype=np.float32)
    assert np.argsort(-OF_NOW.scores(scores, np.array([0.0, 60.0]), np.ones(2, dtype=bool))).tolist() == [0, 1]


@given(scores=st.lists(SHARE, max_size=6))
def test_scores_stay_scores(scores: list[float]) -> None:
    given_scores = np.array(scores, dtype=np.float32)
    moved = OF_NOW.scores(given_scores, np.arange(len(scores), dtype=np.float64), np.ones(len(scores), dtype=bool))
    assert moved.shape == given_scores.shape
    assert all(0 <= score <= 1 for score in moved)


@pytest.mark.parametrize(
    ("text", "prefers"),
    [
        ("Where do I live?", OF_NOW),
        ("Wie heißt mein Zahnarzt?", OF_NOW),
        ("Where do I live now?", OF_THE_LATEST),
        ("Wer ist derzeit mein Zahnarzt?", OF_THE_LATEST),
        ("Which film did I see most recently?", OF_THE_LATEST),
        ("Where did I live in May?", OTHERWISE),
        ("Wo war ich im Urlaub?", OTHERWISE),
        ("Recommend a restaurant for tonight.", OTHERWISE),
        ("How many pages of 'A Short History of Tea' have I read?", OF_NOW),
        ("In which order did I read the books?", NO_ORDER),
        ("Can you summarise how my training developed?", NO_ORDER),
        ("Fasse mir bitte unsere Reisen zusammen.", NO_ORDER),
        ("Wo habe ich früher gewohnt?", NO_ORDER),
        ("What was my previous job?", NO_ORDER),
        ("How many days passed between the two races?", NO_ORDER),
        ("Erinnere mich bitte an den Namen des Lokals.", NO_ORDER),
        ("¿Cuánto he gastado en total?", NO_ORDER),
        ("I finally slept well again.", NO_ORDER),
    ],
)
def test_the_newer_is_preferred_where_a_query_asks_how_things_are(text: str, prefers: NewerFirst) -> None:
    assert newer_first(intent_of(text), text) is prefers
