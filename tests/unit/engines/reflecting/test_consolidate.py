"""How often a reflector is asked, at which levels, and which of its answers is taken."""

from collections.abc import Sequence

import pytest

from remembrancer.errors import BadModelOutput, BudgetExceeded, ProviderUnavailable
from remembrancer.learn.reflect.consolidate import consolidate, levels
from remembrancer.types.new import OBSERVATION_TYPES
from remembrancer.types.notes import ConsolidatedLog, Insight
from remembrancer.types.record import Observation
from tests.unit.engines.reflecting.logs import ids, log, words

LOG = log(*["one two three four five six seven eight nine ten"] * 10)


class Scripted:
    """A reflector that answers from a list, and keeps the levels that it was asked at."""

    def __init__(self, *answers: ConsolidatedLog | Exception) -> None:
        self.answers = list(answers)
        self.levels: list[int] = []

    async def __call__(self, observations: Sequence[Observation], level: int) -> ConsolidatedLog:
        self.levels.append(level)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def of_length(tokens: int) -> ConsolidatedLog:
    """A sound answer of so many tokens."""
    text = " ".join(["word"] * tokens)
    return ConsolidatedLog(insights=(Insight(text=text, type="pattern", priority=3, sources=ids(LOG)),), kept=())


UNSOUND = ConsolidatedLog(insights=(Insight(text="tea", type="pattern", priority=3, sources=("x",)),), kept=())


async def reflected(scripted: Scripted, enough: int = 60) -> ConsolidatedLog | None:
    """What comes of the log."""
    return await consolidate(LOG, think=scripted, count=words, types=OBSERVATION_TYPES, enough=enough)


@pytest.mark.anyio
async def test_an_answer_that_is_short_enough_is_taken_at_once() -> None:
    scripted = Scripted(of_length(60))
    assert await reflected(scripted) == of_length(60)
    assert scripted.levels == [1]


@pytest.mark.anyio
async def test_each_further_try_asks_for_more_compression() -> None:
    scripted = Scripted(UNSOUND, BadModelOutput("no"), of_length(67), of_length(59))
    assert await reflected(scripted) == of_length(59)
    assert scripted.levels == [1, 2, 3, 4]


@pytest.mark.anyio
async def test_an_answer_that_is_hardly_too_long_is_not_asked_for_again_at_half_its_length() -> None:
    scripted = Scripted(of_length(66), of_length(30))
    assert await reflected(scripted) == of_length(66)
    assert scripted.levels == [1]


@pytest.mark.anyio
async def test_of_several_that_are_too_long_the_shortest_is_taken() -> None:
    scripted = Scripted(of_length(90), of_length(70), of_length(80), UNSOUND)
    assert await reflected(scripted) == of_length(70)


@pytest.mark.anyio
async def test_nothing_changes_where_nothing_is_sound_after_four_tries() -> None:
    scripted = Scripted(UNSOUND, of_length(100), BadModelOutput("no"), UNSOUND, of_length(1))
    assert await reflected(scripted) is None
    assert len(scripted.answers) == 1


@pytest.mark.anyio
@pytest.mark.parametrize("error", [ProviderUnavailable("away"), BudgetExceeded("spent")])
async def test_a_model_that_cannot_be_asked_is_not_asked_again(error: Exception) -> None:
    scripted = Scripted(error, of_length(1))
    with pytest.raises(type(error)):
        await reflected(scripted)
    assert scripted.levels == [1]


def test_the_mildest_level_that_promises_enough_comes_first() -> None:
    assert levels(100, 80) == (0, 1, 2, 3)
    assert levels(100, 30) == (3, 4, 4, 4)
    assert levels(100, 1) == (4, 4, 4, 4)
