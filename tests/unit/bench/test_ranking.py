"""How the weights of the ranking are learnt, on questions whose answer is known."""

import numpy as np

from bench.ranking import TERMS, Asked, crossed, found, learnt, told
from remembrancer.retrieval.factor import Factor
from remembrancer.retrieval.learnt import Situation

RNG = np.random.default_rng(0)
TELLING = TERMS.index((Situation.ALWAYS, Factor.LEXICAL))
EVERY = np.ones(len(TERMS), dtype=bool)


def asked(cluster: str, *, telling: int = TELLING, set: str = "locomo") -> Asked:
    """A question whose answer is the one of thirty that has most of one factor; the others are chance."""
    values = RNG.random((30, len(TERMS))).astype(np.float32)
    gold = np.zeros(30, dtype=bool)
    gold[np.argmax(values[:, telling])] = True
    return Asked(set=set, type="1", cluster=cluster, values=values, groups=np.arange(30), gold=gold)


QUESTIONS = [asked(f"dialogue {number % 10}") for number in range(200)]


def test_the_factor_that_tells_is_found_and_the_others_count_for_little() -> None:
    weights = learnt(QUESTIONS, EVERY, 1e-4)
    assert int(np.argmax(weights)) == TELLING
    assert np.abs(np.delete(weights, TELLING)).max() < weights[TELLING] / 5


def test_a_term_that_is_left_out_weighs_nothing() -> None:
    terms = EVERY.copy()
    terms[TELLING] = False
    assert learnt(QUESTIONS, terms, 1e-4)[TELLING] == 0


def test_what_was_learnt_on_some_dialogues_finds_the_answers_in_others() -> None:
    assert np.mean(crossed(QUESTIONS, EVERY)) > 0.95


def test_what_no_weights_find_counts_as_missed() -> None:
    lost = Asked(
        set="locomo",
        type="1",
        cluster="x",
        values=np.ones((3, len(TERMS)), dtype=np.float32),
        groups=np.arange(3),
        gold=np.zeros(3, dtype=bool),
    )
    assert not found(lost, np.zeros(3, dtype=np.float32))
    assert len(crossed([*QUESTIONS, lost], EVERY)) == len(QUESTIONS) + 1


def test_a_session_counts_once_however_many_of_its_turns_are_found() -> None:
    values = np.zeros((12, len(TERMS)), dtype=np.float32)
    groups = np.array([0, 0, 0, 0, 0, 0, 1, 1, 2, 3, 4, 5])
    one = Asked(set="realmem", type="q", cluster="p", values=values, groups=groups, gold=groups == 4)
    assert found(one, -np.arange(12, dtype=np.float32))
    assert not found(one, np.where(groups == 4, -1, 0).astype(np.float32))


def test_the_file_says_what_every_term_weighs() -> None:
    weights = np.zeros(len(TERMS), dtype=np.float32)
    weights[TELLING] = 4
    weights[TERMS.index((Situation.SELF, Factor.USER))] = -1
    assert told(weights) == {"always": {"lexical": 4.0}, "self": {"user": -1.0}}
