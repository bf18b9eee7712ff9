"""What was recalled, as an agent reads it: who said it and when, in the order of time, each thing once."""

import re
from dataclasses import replace
from datetime import timedelta

import pytest

from remembrancer import Budget, Context, ContextRequest, NewMessage
from remembrancer.resources.context import belonging
from tests.learning import Life
from tests.sealing import left_out_of, sealed

from .opener import Opener
from .requirements import requirement

pytestmark = pytest.mark.anyio

HOUR = timedelta(hours=1)


def recalled(context: Context) -> list[str]:
    """The lines of what was recalled, without what stands around them."""
    text = next((item.text for item in context.block.items if item.slot == "recalled"), "")
    return [line for line in text.splitlines() if line.startswith("- ")]


async def said(life: Life, *texts: tuple[str, str], session: str = "talk") -> None:
    for speaker, text in texts:
        life.clock.move(HOUR)
        await life.memory.messages.record_many([NewMessage(text=text, speaker=speaker, session=session)])


@requirement("recalled.dated")
async def test_what_was_said_is_told_with_who_said_it_and_when_in_the_order_of_time(life: Life) -> None:
    await said(
        life,
        ("Calvin", "The guitar came back from the shop on Friday"),
        ("Calvin", "I play the guitar in the park now"),
    )
    life.clock.move(HOUR)
    await life.memory.save("Calvin's guitar is blue")
    lines = recalled(await life.memory.context(question="What about the guitar of Calvin?"))
    assert [re.sub(r"\d\d:\d\d|\(.*", "", line).strip() for line in lines] == [
        "- [2026-01-05 ] Calvin: The guitar came back from the shop on Friday",
        "- [2026-01-05 ] Calvin: I play the guitar in the park now",
        "- [2026-01-05 ] Calvin's guitar is blue",
    ]


@requirement("recalled.dated")
async def test_what_is_brought_to_a_prompt_has_the_same_form(life: Life) -> None:
    await said(life, ("Calvin", "The guitar came back from the shop"), ("Calvin", "I play the guitar in the park"))
    memory, question = life.memory, "What about the guitar of Calvin?"
    block = sealed(memory, await memory.recall(question))
    for found in (
        block,
        await memory.context(question=question, mode="prompt"),
        await memory.context(question=question, mode="search"),
    ):
        times = re.findall(r"^- \[(\d{4}-\d\d-\d\d \d\d:\d\d)\] Calvin: ", found.text, re.MULTILINE)
        assert len(times) == 2
        assert times == sorted(times)


@requirement("recalled.once")
async def test_what_says_the_same_is_told_once(life: Life) -> None:
    await said(
        life,
        ("Calvin", "The guitar came back from the shop on Friday."),
        ("Calvin", "The guitar came back from the shop, on Friday!"),
        ("Calvin", "The guitar is out of tune"),
    )
    question = "When did the guitar come back from the shop?"
    context = await life.memory.context(question=question)
    assert len(recalled(context)) == 2
    assert "recalled" not in context.report.dropped
    memory = life.memory
    block = sealed(memory, await memory.recall(question))
    for found in (
        block,
        await memory.context(question=question, mode="prompt"),
        await memory.context(question=question, mode="search"),
    ):
        assert (found.text.count("\n- "), left_out_of(found)) == (2, ())


@requirement("recalled.fits")
async def test_what_is_far_less_likely_than_the_best_is_not_told_unless_it_has_the_words(life: Life) -> None:
    await said(life, *((f"Speaker {number}", f"Kayak {number} lies in the shed") for number in range(3)))
    found = await life.memory.recall("Where does the kayak lie?")
    first, second, third = (
        replace(hit, relative=relative, factors={"coverage": coverage})
        for hit, relative, coverage in zip(found.hits, (1.0, 0.39, 0.39), (0.1, 0.49, 0.51), strict=True)
    )
    assert belonging(replace(found, hits=(first, second, third)), "").hits == (first, third)


@requirement("recalled.understood")
async def test_an_answer_comes_with_its_question_and_a_question_with_its_answer(life: Life) -> None:
    await said(
        life,
        ("Dave", "Which instrument would you take along?"),
        ("Calvin", "The ukulele, it weighs nothing."),
        ("Dave", "And who drives the lorry to Genoa?"),
        ("Calvin", "Berta does."),
    )
    lines = recalled(await life.memory.context(question="What of the ukulele?"))
    assert [line.partition(": ")[2] for line in lines][:2] == [
        "Which instrument would you take along?",
        "The ukulele, it weighs nothing.",
    ]
    question = "Who drives the lorry to Genoa?"
    lines = recalled(await life.memory.context(question=question))
    assert "Berta does." in lines[-1]
    reminded = await life.memory.context(ContextRequest(question=question, limit=1, mode="search"))
    assert "And who drives" in reminded.text
    assert "Berta does." in reminded.text


@requirement("recalled.fits")
async def test_as_much_is_told_as_fits_and_less_in_a_small_window(life: Life) -> None:
    for number in range(100):
        await life.memory.record(f"Walrus {number} of the harbour eats {number + 3} herrings at noon", session="zoo")
    question = "What do the walruses of the harbour eat at noon?"
    whole = await life.memory.context(question=question)
    small = await life.memory.context(question=question, budget=Budget(window=8_000))
    assert 1_200 < whole.report.slots["recalled"] <= 1_600
    assert 250 < small.report.slots["recalled"] <= 450
    assert whole.report.caps["recalled"] == 1_500
    assert small.report.caps["recalled"] == 375
    assert len(recalled(whole)) > 20
    given = await life.memory.context(question=question, budget=Budget(window=8_000, slots={"recalled": 900}))
    assert 600 < given.report.slots["recalled"] <= 1_000


@requirement("recalled.episodes")
async def test_an_episode_is_told_with_whom_it_was_and_what_became_of_it(life: Life) -> None:
    await life.memory.episodes.record("sent the quote for the boat", contact="Bertelli", outcome="rejected")
    text = (await life.memory.context(question="the quote for the boat")).text
    assert "- [2026-01-05 09:00] sent the quote for the boat (today · episode · with bertelli · rejected)" in text


@requirement("recalled.small-talk")
@pytest.mark.parametrize("text", ["ok", "Good morning!", "Danke schön!", "¿Qué tal?", "Merci beaucoup !", "Va bene"])
async def test_small_talk_recalls_nothing(life: Life, text: str) -> None:
    await said(life, ("Dave", "Good morning! Danke schön, qué tal, merci beaucoup, va bene, ok?"))
    found = await life.memory.recall(text)
    assert (found.hits, found.abstained) == ((), True)
    assert recalled(await life.memory.context(question=text)) == []
    assert (await life.memory.context(question=text, mode="prompt")).text == ""


@requirement("recall.abstains")
async def test_what_is_asked_in_a_conversation_is_no_answer_to_itself(opener: Opener) -> None:
    memory = await opener()
    for text in ("Where does the quokka sleep?", "I baked bread.", "The tram was late."):
        await memory.record(text, session="talk")
    await memory.record("The quokka sleeps under the acacia.", session="zoo")
    await memory.record("Which turbine did the obelisk weld?", session="talk")

    nonsense = await memory.context(ContextRequest(session="talk", record_access=False))
    assert "Recalled memories" not in nonsense.text
    await memory.record("Where does the quokka sleep?", session="talk")
    assert "under the acacia" in (await memory.context(ContextRequest(session="talk", record_access=False))).text
