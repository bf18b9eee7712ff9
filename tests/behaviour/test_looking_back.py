"""The block as of a time: what an agent would have read then, whatever became of it since."""

import random
from datetime import UTC, datetime

import pytest

from bench.replaying import caught_up
from remembrancer import ContextRequest, InvalidInput, Memory
from remembrancer.context.slots import Slot

from .opener import Opener
from .requirements import requirement

pytestmark = pytest.mark.anyio

SAYINGS = (
    "I decided to take the job at Siemens in {0}.",
    "My sister Anna{0} visits us on {1} June 2026.",
    "We agreed that the budget is {0} euros.",
    "ok, thanks!",
)
NOTES = (Slot.OBSERVATIONS, Slot.REFLECTIONS)


async def read(memory: Memory, as_of: datetime | None = None) -> str:
    context = await memory.context(ContextRequest(session="talk", recall=False, record_access=False, as_of=as_of))
    return context.text


@requirement("blocks.as-of")
@pytest.mark.parametrize("by", ["session", "scope"])
async def test_a_block_as_of_a_time_is_the_one_that_was_served_then(opener: Opener, by: str) -> None:
    memory = await opener(observe_tokens=200, reflect_tokens=150, observe_scope=by)
    chance = random.Random(by)
    served: list[tuple[datetime, str]] = []
    for turn in range(30):
        text = chance.choice(SAYINGS).format(chance.randint(1, 99), chance.randint(1, 28))
        await memory.record(text, session="talk", role=chance.choice(("user", "assistant")))
        if turn % 4 == 0:
            await memory.facts.set(f"contact/anna/{turn % 3}", turn, category="contact")
        if turn in (5, 23):
            await memory.facts.end("contact/anna/1")
        if turn == 12:
            await memory.rules.add("Answer in German.")
        if turn == 20:
            (rule,) = await memory.rules.list()
            await memory.rules.edit(rule.id, "Answer in English.")
        if chance.random() < 0.5:
            await caught_up(memory)
        if turn % 11 == 10 and (log := await memory.notes.log("talk")):
            await memory.feedback(log[0].id, "wrong")
        text = await read(memory)
        served.append((datetime.now(UTC), text))
    assert len({text for _, text in served}) == len(served)
    for at, text in served:
        assert await read(memory, at) == text


@requirement("blocks.as-of")
async def test_a_block_as_of_a_time_recalls_what_was_known_then_and_leaves_no_trace(opener: Opener) -> None:
    memory = await opener()
    await memory.save("The wetsuits hang in the cellar", topic_key="wetsuits")
    await memory.record("Where do the wetsuits go?", session="talk")
    then = datetime.now(UTC)
    await memory.save("The wetsuits hang in the attic", topic_key="wetsuits")
    await memory.record("And where are the boots?", session="talk")
    await memory.record("The boots are in the car", session="elsewhere")

    past = await memory.context("talk", as_of=then)
    assert "cellar" in past.text
    assert "attic" not in past.text
    assert "boots" not in past.text
    assert "attic" in (await memory.context("talk", question="Where do the wetsuits go?")).text
    assert await memory.sessions.injections("talk") != []
    before = len(await memory.sessions.injections("talk"))
    await memory.context("talk", as_of=then)
    assert len(await memory.sessions.injections("talk")) == before


@requirement("blocks.as-of")
async def test_what_answered_later_stands_beside_no_question_of_the_past(opener: Opener) -> None:
    memory = await opener()
    await memory.record("Where is the green kayak stored?", session="first")
    then = datetime.now(UTC)
    await memory.record("In the boathouse.", session="first", role="assistant")

    past = await memory.context("second", question="green kayak stored", as_of=then)
    assert "green kayak" in past.text
    assert "boathouse" not in past.text
    assert "boathouse" in (await memory.context("second", question="green kayak stored")).text


@requirement("blocks.as-of")
async def test_what_is_deleted_since_is_in_no_past(opener: Opener) -> None:
    memory = await opener()
    said = (await memory.record("The safe opens with the birthday", session="talk")).record
    await memory.facts.set("safe", "in the study")
    then = datetime.now(UTC)
    await memory.delete(said.id)
    for fact in await memory.facts.list():
        await memory.governance.erasure.erase(memories=[fact.id], reason="a test")
    text = await read(memory, then)
    assert "birthday" not in text
    assert "study" not in text


@requirement("blocks.as-of")
async def test_a_time_needs_its_zone(opener: Opener) -> None:
    memory = await opener()
    with pytest.raises(InvalidInput, match="as_of"):
        await memory.context("talk", as_of=datetime(2026, 1, 1))  # noqa: DTZ001 -- what is refused
