"""What a session came to, said by a real model server: what holds is kept, and else the words say it."""

import json
from typing import Any

import pytest

from remembrancer import Filter, Memory, Observation
from remembrancer.testing import FakeClock
from tests.answers import MODEL, Answers

from .opener import Opener
from .requirements import requirement
from .world import DAY, SECOND

pytestmark = pytest.mark.anyio
TEXT = "Ann decided to take the slate roof by 12 June 2026. Left open: what Ben wants for it."


def summary(text: str | None = TEXT, messages: tuple[int, ...] = (1, 2)) -> str:
    """An answer of the agreed shape."""
    return json.dumps({"text": text, "messages": messages})


@pytest.fixture
async def memory(opener: Opener, model: Answers, clock: FakeClock) -> Memory:
    return await opener(**model.settings, answer_model="none", reflect_model="none")


async def talked(memory: Memory) -> None:
    """A session in which something was said, by a tool as well."""
    await memory.record("I decided to take the slate roof, by 12 June 2026.", session="talk", speaker="Ann")
    await memory.record("What does Ben want for it?", session="talk", role="assistant")
    await memory.record("quokka: 99", session="talk", role="tool")


async def summaries(memory: Memory) -> list[Observation]:
    found = await memory.list(Filter(kinds=["observation"], types=["summary"]))
    return [one for one in found.records if isinstance(one, Observation)]


@requirement("sessions.summed-up-by-a-model")
async def test_a_model_says_what_a_session_came_to_and_what_it_rests_on(memory: Memory, model: Answers) -> None:
    await talked(memory)
    model.script = [summary()]
    await memory.sessions.end("talk")
    (made,) = await summaries(memory)
    assert made.text.splitlines()[-1] == TEXT
    assert made.metadata == {"auto_generated": True, "model": MODEL, "prompt": "summarise-2"}
    assert len(made.evidence) == 2
    assert "quokka" not in json.dumps(model.endpoint.asked)
    assert {total.purpose for total in (await memory.admin.costs(days=1)).totals} == {"summarise"}
    await memory.sessions.end("talk")
    assert len(model.endpoint.asked) == 1, "ending twice changes nothing"


@requirement("sessions.summed-up-by-a-model")
async def test_a_session_that_nobody_ended_is_summed_up_by_the_model_too(
    memory: Memory, model: Answers, clock: FakeClock
) -> None:
    await talked(memory)
    clock.move(DAY + SECOND)
    model.script = [summary()]
    await memory._engine.worker.run_once()  # pyright: ignore[reportPrivateUsage] -- it would come by at its own time
    (made,) = await summaries(memory)
    assert made.text.endswith(TEXT)


@requirement("sessions.summed-up-by-a-model")
@pytest.mark.parametrize(
    "answers",
    [
        [summary("Ann takes the slate roof for 77 pounds.")],
        [summary("Ann takes the slate roof by 13 June 2027.")],
        [summary("on and on " * 200)],
        [summary(None)],
        ["no JSON"] * 2,
    ],
)
async def test_what_does_not_hold_is_said_by_the_words(memory: Memory, model: Answers, answers: list[Any]) -> None:
    await talked(memory)
    model.script = answers
    await memory.sessions.end("talk")
    (made,) = await summaries(memory)
    assert "Decided: Ann: “I decided to take the slate roof, by 12 June 2026" in made.text
    assert made.metadata == {"auto_generated": True}
