"""What is judged on a set was learnt without its family."""

import numpy as np
import pytest

from bench.abstaining import Seen, curves_of
from bench.families import SETS, family_of
from bench.transfer import paired
from remembrancer.search.confidence import ABSTAIN_BELOW, Features, QueryKind


def seen(name: str, kind: str, nearness: float) -> Seen:
    features = Features(coverage=0.3, anywhere=0.5, nearness=nearness)
    return Seen(set=name, kind=kind, question="?", asked=QueryKind.QUESTION, values=features)


def made(name: str, own: float, foreign: float) -> list[Seen]:
    return [
        seen(name, kind, value + step / 20)
        for kind, value in (("own", own), ("foreign", foreign))
        for step in range(20)
    ]


def test_a_family_is_left_out_whole() -> None:
    assert {family_of(name) for name in ("prefnote", "prefsaid")} == {"preferences"}
    assert family_of("locomoplus") == family_of("locomo")
    assert {family_of(name) for name in SETS if name.startswith(("xquad", "german", "chinese"))} == {"xquad"}


def test_curves_part_what_they_were_taught_and_ignore_the_family_that_is_left_out() -> None:
    taught = made("qmsum", 2.0, -1.0) + made("irc", 2.0, -1.0)
    curves = curves_of([*taught, *made("locomo", -5.0, 5.0)], leave_out="locomo", words_alone=False)
    assert curves == curves_of(taught, leave_out="", words_alone=False)
    assert seen("locomo", "own", 2.5).chance(curves) > ABSTAIN_BELOW > seen("locomo", "foreign", -1.0).chance(curves)


@pytest.mark.parametrize("words_alone", [True, False])
def test_a_better_match_never_makes_an_answer_less_likely(words_alone: bool) -> None:
    curves = curves_of(made("qmsum", -1.0, 2.0) + made("irc", 2.0, -1.0), leave_out="", words_alone=words_alone)
    assert all(min(curve.coverage, curve.anywhere, curve.nearness) >= 0 for curve in curves.values())


def test_two_arms_that_do_the_same_differ_by_nothing() -> None:
    hits = np.array([True, False, True])
    assert paired(["a", "b", "c"], hits, hits) == (0.0, 0.0)
