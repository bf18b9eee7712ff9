"""The plain searches that the bench compares with."""

import pytest

from bench.plain import PLAIN, ranked
from bench.sets import Dialogue, Question
from remembrancer.ingest.importers.turns import Turn
from remembrancer.testing import HashEmbedder

TEXTS = ("The boat is blue", "Ana drinks tea", "The boat has a red sail", "It rains")


def dialogue(**more: object) -> Dialogue:
    turns = [
        Turn(conversation="c", session=f"s/{place // 2}", position=place, role="user", text=text, reference=str(place))
        for place, text in enumerate(TEXTS)
    ]
    questions = (
        Question(text="What has a red sail?", type="1", gold=frozenset({"2"})),
        Question(text="What has a red sail?", type="1", gold=frozenset({"2"}), after=2),
    )
    return Dialogue(name="d", turns=tuple(turns), questions=questions, **more)  # pyright: ignore[reportArgumentType] -- named as there


@pytest.mark.parametrize("arm", PLAIN)
def test_all_that_was_said_before_a_question_is_ranked(arm: str) -> None:
    (_, whole), (_, before) = ranked(dialogue(), HashEmbedder(), arm)
    assert (whole[0], sorted(whole)) == ("2", ["0", "1", "2", "3"])
    assert sorted(before) == ["0", "1"]


def test_sessions_are_ranked_by_their_best_turn() -> None:
    (_, found), _ = ranked(dialogue(by_session=True), HashEmbedder(), "hybrid")
    assert found == ["1", "0"]
