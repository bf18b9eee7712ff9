"""The lives are consistent, and their judge counts what is told, missing, withdrawn and told twice."""

import pytest

from bench.lives.__main__ import lived
from bench.lives.judging import judged
from bench.lives.years import DAYS, Life, lives

WORKED_ON = lives("worked_on")
DAY = 150


@pytest.mark.parametrize("life", [*WORKED_ON, *lives("set_aside")], ids=lambda life: life.name)
def test_a_life_has_enough_of_each_kind_and_says_all_that_it_asks_for(life: Life) -> None:
    assert 60 <= len(life.sessions) <= 110
    kinds = [mark.kind for mark in life.marks]
    assert kinds.count("instruction") >= 18
    assert kinds.count("constant") >= 6
    assert 5 <= sum(mark.last < DAYS for mark in life.marks if mark.kind != "ahead") <= 7
    for mark in life.marks:
        assert any(mark.meets(line) for line in mark.source.splitlines()), mark.what


def test_the_judge_counts_what_holds_what_was_withdrawn_and_what_stands_twice() -> None:
    life = next(one for one in WORKED_ON if one.name == "en-designer")
    text = (
        "## Instructions\n- Two spaces in every file we have.\n- it's two spaces in every file\n"
        "- we don't deploy on Fridays, I've ruined too many weekends\n- Sam fell asleep."
    )
    found = judged(life, DAY, text, 40)
    assert [mark.id for mark in found.told["instruction"]] == ["indent"]
    assert [mark.id for mark, _ in found.withdrawn] == ["fridays"]
    assert [mark.id for mark, _ in found.twice] == ["indent"]
    assert found.unmarked == ["- Sam fell asleep."]
    assert not found.last
    again = judged(life, DAY, "- one-click rollbacks: Friday deploys are fine again", 9)
    assert (again.withdrawn, again.unmarked) == ([], [])


@pytest.mark.slow
@pytest.mark.anyio
async def test_a_short_life_is_lived_and_looked_at() -> None:
    (life,) = [one for one in lives("worked_on", days=12) if one.name == "en-designer"]
    (ways,) = (await lived(life, days=12)).values()
    assert set(ways) == {"brief", "plain newest", "plain cues"}
    text, found = ways["brief"]
    assert found.tokens <= 1_500
    assert found.last
    assert "## " in text
