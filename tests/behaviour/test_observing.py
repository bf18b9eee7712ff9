"""A conversation of any length: each message is told once, raw or by what was noted of it, whatever happens to it."""

import random
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from bench.invariant import Watch, recorded
from bench.replaying import caught_up
from remembrancer import Conflict, ContextRequest, Memory, Observation
from remembrancer.context.slots import Slot
from remembrancer.errors import ProviderUnavailable
from remembrancer.llm.providers.tokenizer import tokenizer_named
from remembrancer.open import open_memory
from remembrancer.testing import ScriptedModel
from remembrancer.types.lifecycle import Status
from remembrancer.types.notes import ChunkState
from remembrancer.types.record import Record
from tests.deleting import delete_or_erase

from .opener import Opener
from .requirements import requirement

pytestmark = pytest.mark.anyio

SETTINGS: tuple[dict[str, Any], ...] = (
    {},
    {"observe_tokens": 200, "reflect_tokens": 150},
    {"observe_tokens": 300, "reflect_tokens": 200, "share_token_budget": True},
    {"observe_tokens": 200, "reflect_tokens": 150, "observe_kept": 0.0, "observe_chunk": 1.0},
    {"context_window": 11_500},
)
SAID = "I decided to move to Berlin on 3 May 2026."
FACTS = (
    "I decided to take the job at Siemens in {0}.",
    "My sister Anna{0} visits us on {1} June 2026.",
    "The build {0} failed with error {1}.",
    "ok, thanks!",
    "We agreed that the budget is {0} euros.",
    "I prefer tea over coffee, number {0}.\n- one\n- two {1}",
    "What about {0}?",
)


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncGenerator[Memory, None]:
    async with open_memory(
        str(tmp_path / "m.db"), embedder="none", background=False, observe_tokens=200, reflect_tokens=100_000
    ) as memory:
        yield memory


async def said(memory: Memory, watch: Watch, chance: random.Random, session: str) -> list[str]:
    """Something is said: mostly a sentence, now and then much, or a call of tools with its results."""
    kind = chance.random()
    text = chance.choice(FACTS).format(chance.randint(1, 99), chance.randint(1, 28))
    turns: list[tuple[str, str, dict[str, Any]]] = [(text, chance.choice(("user", "assistant")), {})]
    if kind < 0.05:
        turns = [(text + " It goes on and on." * chance.randint(50, 300), "user", {})]
    elif kind < 0.2:
        calls = chance.randint(1, 3)
        turns = [("looking it up", "assistant", {"tool_calls": [str(call) for call in range(calls)]})]
        turns += [(f"result {call}: {text}", "tool", {}) for call in range(calls)]
    ids: list[str] = []
    for words, role, metadata in turns:
        saved = await memory.record(words, role=role, session=session, metadata=metadata)
        watch.heard(saved.record)
        ids.append(saved.record.id)
    return ids


@requirement("observing.told-once", "observing.within-budget")
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
async def test_each_message_is_told_once_at_every_turn(opener: Opener, settings: dict[str, Any]) -> None:
    memory = await opener(**settings)
    chance, watch, counter = random.Random(str(settings)), Watch("talk"), tokenizer_named("auto", model="")
    ids: list[str] = []
    for turn in range(40):
        ids += await said(memory, watch, chance, "talk")
        if turn % 10 == 7:
            gone = ids.pop(chance.randrange(len(ids)))
            await delete_or_erase(memory, gone, erase=chance.random() < 0.5)
            watch.lost(gone)
        if turn % 13 == 12:
            await memory.sessions.end("talk")
            await memory.sessions.start("talk")
        if chance.random() < 0.5:
            await caught_up(memory)
        context = await memory.context(ContextRequest(session="talk", record_access=False))
        assert await watch.look(memory, context) == []
        if turn % 8 == 0:
            assert await watch.look_within(memory, context, counter) == []
    if "observe_tokens" in settings:
        assert len(watch.activations) >= 3


@requirement("observing.told-once")
async def test_all_sessions_of_a_scope_may_be_one_conversation(opener: Opener) -> None:
    memory = await opener(observe_scope="scope", observe_tokens=150, reflect_tokens=150)
    chance, watch = random.Random(5), Watch("monday", "tuesday")
    for turn in range(40):
        await said(memory, watch, chance, chance.choice(watch.sessions))
        if turn % 3 == 0:
            await caught_up(memory)
        context = await memory.context(ContextRequest(session=chance.choice(watch.sessions), record_access=False))
        if {session.id for session in await memory.sessions.list()} == set(watch.sessions):
            assert await watch.look(memory, context) == []
    assert len(watch.activations) >= 2


@requirement("observing.review")
async def test_what_waits_for_a_person_is_told_raw_until_it_is_approved(opener: Opener) -> None:
    memory = await opener(observe_review=True, observe_tokens=200)
    chance, watch = random.Random(6), Watch("talk")
    for _ in range(15):
        await said(memory, watch, chance, "talk")
        context = await memory.context(ContextRequest(session="talk", record_access=False))
        assert await watch.look(memory, context) == []
    chunks = await memory.notes.chunks("talk")
    assert chunks
    assert {chunk.state for chunk in chunks} == {ChunkState.IN_REVIEW}
    for chunk in chunks:
        await memory.notes.approve("talk", chunk.first)
    context = await memory.context(ContextRequest(session="talk", record_access=False))
    assert await watch.look(memory, context) == []
    assert watch.activations
    with pytest.raises(Conflict):
        await memory.notes.approve("talk", chunks[0].first)


@requirement("observing.stable-prefix")
async def test_between_activations_a_prefix_only_grows_at_its_end(memory: Memory) -> None:
    chance, watch, before, grown = random.Random(7), Watch("talk"), "", 0
    for turn in range(60):
        await said(memory, watch, chance, "talk")
        if turn % 2:
            await caught_up(memory)
        activated, reflected = len(watch.activations), watch.reflections
        context = await memory.context(ContextRequest(session="talk", record_access=False))
        assert await watch.look(memory, context) == []
        if (activated, reflected) == (len(watch.activations), watch.reflections):
            assert context.prefix.startswith(before)
            grown += 1
        before = context.prefix
    assert grown >= 20


@requirement("observing.nothing-stranded")
async def test_what_is_said_again_before_it_was_shown_is_shown_with_the_rest(memory: Memory) -> None:
    watch = Watch("talk")
    for _ in range(12):
        watch.heard((await memory.record(SAID, session="talk")).record)
        await caught_up(memory)
    await memory.notes.observe("talk")

    context = await memory.context(ContextRequest(session="talk", recall=False))

    assert await watch.look(memory, context) == []
    assert await watch.look_within(memory, context, tokenizer_named("auto", model="")) == []
    assert "move to Berlin" in context.text


@requirement("observing.nothing-stranded")
async def test_what_is_said_in_two_sessions_is_told_in_both(memory: Memory) -> None:
    for session in ("one", "other"):
        await memory.record(SAID, session=session)
        await memory.notes.observe(session)
    told = [
        (await memory.context(ContextRequest(session=session, recall=False))).prefix for session in ("one", "other")
    ]
    assert all("Berlin" in prefix for prefix in told)


@requirement("observing.nothing-stranded")
async def test_what_is_said_again_is_noted_once_and_rests_on_both(memory: Memory) -> None:
    messages: list[Record] = []
    for text in (SAID, "The heron is back at the weir.", SAID):
        messages.append((await memory.record(text, session="talk")).record)
        await memory.notes.observe("talk")
    (note, *_) = await memory.notes.log("talk")
    assert (await memory.context(ContextRequest(session="talk", recall=False))).prefix.count("Berlin") == 1
    assert {messages[0].id, messages[2].id} <= set(note.evidence)


@requirement("observing.nothing-stranded")
async def test_a_claim_that_a_person_saves_too_is_still_told_where_it_was_noted(memory: Memory) -> None:
    for _ in range(3):
        await memory.record(SAID, session="talk")
    await caught_up(memory)
    (note,) = await recorded(memory, "talk")
    await memory.save(note.text, session="another", tags=["mine"])
    await memory.notes.observe("talk")

    context = await memory.context(ContextRequest(session="talk", recall=False))

    assert "move to Berlin" in context.text


@requirement("observing.nothing-stranded")
async def test_what_was_deleted_before_it_was_shown_is_told_once_it_is_restored(memory: Memory) -> None:
    first = (await memory.record(SAID, session="talk")).record
    for number in range(6):
        await memory.record(f"We agreed that the budget is {100 * number + 7} euros.", session="talk")
    await caught_up(memory)
    await memory.delete(first.id)
    await memory.notes.observe("talk")
    await memory.restore(first.id)

    context = await memory.context(ContextRequest(session="talk", recall=False))

    assert "move to Berlin" in context.text
    assert [note.status for note in await recorded(memory, "talk") if note.status is Status.BUFFERED] == []


ANSWERS = (
    "",
    "{",
    "no JSON at all",
    '{"blocks": [{"obs',
    "{}",
    "[]",
    "null",
    "x " * 5_000,
    '{"a": ' + "1" * 9_000 + "}",
)


@requirement("observing.model-may-fail")
@pytest.mark.parametrize("answer", [*ANSWERS, ProviderUnavailable("500", lasting=True)], ids=lambda one: str(one)[:12])
async def test_whatever_a_model_answers_the_conversation_goes_on(tmp_path: Path, answer: Any) -> None:
    sound = False
    model = ScriptedModel(lambda _: "" if sound else answer)
    given: dict[str, Any] = {"observe_tokens": 200, "background": False, "embedder": "none", "model_retries": 0}
    async with open_memory(str(tmp_path / "m.db"), model=model, **given) as memory:
        chance, watch = random.Random(8), Watch("talk")
        for _ in range(12):
            await said(memory, watch, chance, "talk")
            context = await memory.context(ContextRequest(session="talk", record_access=False))
            assert await watch.look(memory, context) == []
        assert 0 < len(model.asked) < 40, "it is left alone when it has failed often enough"
        letters = await memory.notes.failed()
        for letter in letters:
            again = await memory.notes.retry("talk", letter.first)
            assert again.tries == letter.tries + 1
            context = await memory.context(ContextRequest(session="talk", record_access=False))
            assert await watch.look(memory, context) == []


@requirement("observing.budget-degrades")
async def test_without_money_left_no_model_is_asked_and_the_words_observe(tmp_path: Path) -> None:
    model = ScriptedModel(lambda _: "{}")
    given: dict[str, Any] = {"observe_tokens": 200, "background": False, "embedder": "none", "budget_day_tokens": 1}
    async with open_memory(str(tmp_path / "m.db"), model=model, **given) as memory:
        chance, watch = random.Random(9), Watch("talk")
        for _ in range(15):
            await said(memory, watch, chance, "talk")
            context = await memory.context(ContextRequest(session="talk", record_access=False))
            assert await watch.look(memory, context) == []
        notes = [note for note in await recorded(memory, "talk") if isinstance(note, Observation)]
        assert model.asked == []
        assert {note.engine for note in notes} == {"words-observer 1"}
        costs = await memory.admin.costs(days=1)
        assert "refused" in repr(costs)


@requirement("observing.nothing-stranded")
async def test_what_is_said_again_is_told_again_where_it_was_said(opener: Opener) -> None:
    memory = await opener(observe_tokens=100, reflect_tokens=100_000)
    for text in ("I decided to move to Berlin on 3 May 2026.", "No, I decided to move to Rome on 3 May 2026.") * 2:
        await memory.record(text, session="talk", speaker="Ana")
        await memory.notes.observe("talk")
    log = await memory.notes.log("talk")
    assert [one.first for one in log] == [1, 2, 3, 4]
    assert (log[0].text, log[1].text) == (log[2].text, log[3].text), "the last is the newest that was said"
    text = (await memory.context(ContextRequest(session="talk", recall=False))).text
    assert "Nothing worth a note" not in text
    assert text.count("Berlin") == text.count("Rome") == 2


@requirement("observing.nothing-stranded", "observing.told-once")
async def test_what_a_wrong_note_was_drawn_from_is_told_raw_until_that_is_taken_back(opener: Opener) -> None:
    memory = await opener(observe_tokens=100, reflect_tokens=100_000)
    for number in range(6):
        await memory.record(f"I decided that room {number} is painted in colour {number * 7}.", session="talk")
    await memory.notes.observe("talk")
    before = await memory.context(ContextRequest(session="talk", recall=False))
    assert before.report.raw == 0
    wrong = next(one for one in await memory.notes.log("talk") if one.first == 3)

    await memory.feedback(wrong.id, "wrong")
    after = await memory.context(ContextRequest(session="talk", recall=False))
    (message,) = [item for item in after.block.items if item.slot is Slot.MESSAGES]
    assert "I decided that room 2 is painted in colour 14." in message.text
    assert after.report.raw == (await memory.sessions.stats("talk")).raw > 0
    for number in (0, 1, 3, 4, 5):
        assert after.text.count(f"room {number} is painted") == 1

    rest = [one.id for one in await memory.notes.log("talk")]
    for id in rest:
        await memory.feedback(id, "wrong")
    none = await memory.context(ContextRequest(session="talk", recall=False))
    assert "## What is known" not in none.text
    assert none.text.count("is painted in colour") == 6
    for id in rest:
        await memory.feedback(id, "undo")

    await memory.feedback(wrong.id, "undo")
    assert (await memory.context(ContextRequest(session="talk", recall=False))).text == before.text
