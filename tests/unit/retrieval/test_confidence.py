"""How sure recall may be."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.language.intent import Intent
from remembrancer.search.candidates import Candidates
from remembrancer.search.confidence import ABSTAIN_BELOW, confidence
from remembrancer.search.fusion import NO_BONUS
from remembrancer.search.profiles import SEARCH
from remembrancer.search.query_language import LanguageMatch
from remembrancer.storage.documents import headers_from
from remembrancer.types.index import Space

SPACE = Space(name="a", version="1", dimension=2, random_cosine=0.8, random_spread=0.02)
COSINE = st.floats(-1, 1, width=32)
SHARE = st.floats(0, 1, width=32)


def candidates(
    *found: tuple[float, float],
    intent: Intent = Intent.QUESTION,
    language: LanguageMatch = LanguageMatch.SAME,
    background: float = math.nan,
) -> Candidates:
    """Candidates by cosine and coverage."""
    values = np.array(found, dtype=np.float32).reshape(len(found), 2)
    headers = [
        (n, str(n), "observation", "", 0, "", "", "discovery", 1, 0.0, 0.0, None, 1, 0.5, "", 1.0)
        for n in range(len(found))
    ]
    return Candidates(
        headers=headers_from(headers),
        factors={},
        formula=SEARCH,
        intent=intent,
        recency_bonus=NO_BONUS,
        of_self=False,
        language=language,
        cosine=values[:, 0],
        background=background,
        anywhere=float(values[:, 1].max(initial=0.0)),
        coverage=values[:, 1],
        by_retriever={},
        past={},
    )


@given(found=st.lists(st.tuples(COSINE | st.just(float("nan")), SHARE), max_size=4), vectors=st.booleans())
def test_confidence_lies_between_zero_and_one(found: list[tuple[float, float]], vectors: bool) -> None:
    assert 0 <= confidence(candidates(*found), SPACE if vectors else None) <= 1


@given(cosine=COSINE, coverage=SHARE, nearer=COSINE, wider=SHARE, vectors=st.booleans())
def test_a_nearer_or_fuller_candidate_never_makes_it_less_sure(
    cosine: float, coverage: float, nearer: float, wider: float, vectors: bool
) -> None:
    space = SPACE if vectors else None
    less = confidence(candidates((cosine, coverage)), space)
    assert confidence(candidates((max(cosine, nearer), max(coverage, wider))), space) >= less
    assert confidence(candidates((cosine, coverage), (nearer, wider)), space) >= less


def test_nothing_found_is_no_confidence_at_all() -> None:
    assert confidence(candidates(), SPACE) == 0
    assert confidence(candidates(), None) == 0


@pytest.mark.parametrize("space", [SPACE, None])
def test_all_the_words_are_enough_and_none_of_them_with_unrelated_vectors_are_not(space: Space | None) -> None:
    assert confidence(candidates((0.88, 1.0)), space) > ABSTAIN_BELOW
    assert confidence(candidates((0.80, 0.0)), space) < ABSTAIN_BELOW


def test_a_near_vector_is_enough_without_a_shared_word() -> None:
    assert confidence(candidates((0.98, 0.0)), SPACE) > ABSTAIN_BELOW


def test_candidates_without_vectors_are_judged_by_words_alone() -> None:
    nan = float("nan")
    assert confidence(candidates((nan, 0.6)), SPACE) == confidence(candidates((nan, 0.6)), None)


def test_one_vector_among_candidates_without_is_heeded() -> None:
    nan = float("nan")
    assert confidence(candidates((nan, 0.2), (0.95, 0.0)), SPACE) > confidence(candidates((nan, 0.2)), SPACE)


def test_a_space_with_a_tiny_spread_does_not_overflow() -> None:
    narrow = replace(SPACE, random_cosine=0.9, random_spread=0.001)
    assert confidence(candidates((-1.0, 0.0)), narrow) == pytest.approx(0)
    assert confidence(candidates((1.0, 0.0)), narrow) == pytest.approx(1)
