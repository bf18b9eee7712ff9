"""The order that a reranker makes of hits, and the part of a text that it is sent."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.search.excerpts import MAX_SEARCHED_CHARACTERS, excerpt
from remembrancer.search.query import Hit
from remembrancer.search.rerank_result import reorder_hits
from remembrancer.types.session import Ranks
from tests.unit.engines.observing.messages import said

MESSAGES = said(*[("Dana", f"Number {number}.") for number in range(12)])
HITS = [
    Hit(
        record=message,
        score=1 - place / 20,
        relative=1 / (1 + place),
        factors={"lexical": 0.5},
        ranks=Ranks(weighted=place, unweighted=place),
    )
    for place, message in enumerate(MESSAGES)
]


@given(st.dictionaries(st.integers(0, len(HITS) - 1), st.floats(-50, 50)))
def test_those_judged_change_places_among_themselves_and_scores_still_fall(scores: Mapping[int, float]) -> None:
    found = reorder_hits(HITS, scores)
    assert [(hit.score, hit.relative) for hit in found] == [(hit.score, hit.relative) for hit in HITS]
    assert {hit.id for hit in found} == {hit.id for hit in HITS}
    judged = [(place, hit) for place, hit in enumerate(found) if "rerank" in hit.factors]
    assert [place for place, _ in judged] == sorted(scores)
    kept = [hit for place, hit in enumerate(HITS) if place not in scores]
    assert [hit for hit in found if "rerank" not in hit.factors] == kept
    own = {hit.id: hit.score for hit in HITS}
    ranked = [(-hit.factors["rerank"], -own[hit.id]) for _, hit in judged]
    assert ranked == sorted(ranked, key=lambda one: one[0])
    assert all(hit.factors["unreranked"] == own[hit.id] for _, hit in judged)


def test_those_liked_as_much_stand_as_they_stood() -> None:
    assert [hit.id for hit in reorder_hits(HITS, dict.fromkeys(range(12), 0.5))] == [hit.id for hit in HITS]


def test_a_short_text_is_told_whole_and_a_long_one_from_its_beginning_where_no_word_stands_in_it() -> None:
    assert excerpt("Ana lives here.", ["lisbon"], characters=20) == "Ana lives here."
    assert excerpt("a b c d " * 9, ["lisbon"], characters=10) == "a b c d a "
    assert excerpt("a b c d " * 9, [], characters=10) == "a b c d a "


def test_the_stretch_with_most_of_the_words_is_told() -> None:
    text = "Ana. " + "x " * 500 + "Ana was in Lisbon in May. " + "y " * 500 + "Lisbon."
    found = excerpt(text, ["ana", "lisbon", "may"], characters=100)
    assert "Ana was in Lisbon in May." in found
    assert len(found) == 100


@given(st.text(max_size=400), st.lists(st.text(max_size=70), max_size=20), st.integers(1, 100))
def test_any_text_has_an_excerpt_that_is_a_part_of_it(text: str, words: list[str], characters: int) -> None:
    found = excerpt(text, words, characters=characters)
    assert found in text
    assert len(found) <= characters


@pytest.mark.parametrize("text", ["ana " * 50_000, "a" * 200_000, "\u0130" * 20_000])
def test_a_hostile_text_is_looked_through_to_a_bound(text: str) -> None:
    assert len(excerpt(text, ["ana", "a" * 64, "aa"], characters=1_000)) == 1_000
    assert len(text) > MAX_SEARCHED_CHARACTERS
