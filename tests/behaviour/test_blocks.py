"""Blocks: never above their budget, counted by their very text, and honest about what was left out."""

import os
import random
import re
import threading
from collections.abc import Awaitable, Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from remembrancer import (
    Budget,
    Context,
    ContextRequest,
    Filter,
    InvalidInput,
    Memory,
    NewMessage,
    NewObservation,
    SyncMemory,
    open_memory,
)
from remembrancer.context.builder import RenderedBlock
from remembrancer.llm.providers.tokenizer import tokenizer_named
from remembrancer.resources.retrieval import Retrieval
from remembrancer.storage.sqlite.connection import SQLiteConnection
from remembrancer.testing import HashEmbedder
from remembrancer.types.record import Message, Record, type_of
from remembrancer.types.session import InjectionSettings
from tests.learning import DAY, Life
from tests.sealing import ids_in, left_out_of, sealed

from .opener import Opener
from .requirements import requirement
from .world import opened

SOAK = os.environ.get("REMEMBRANCER_SOAK") == "1"
SEEDS = 200 if SOAK else 2
TOKENIZERS = ("o200k_base", "estimate", "qwen3.5")
WORDS = {
    "english": "the shed roof leaks again and Otto wants it mended before the heron comes back to the pond on Friday",
    "german": "die Hütte braucht ein neues Dach weil es im Oktober über größere Flächen hineinregnet sagt Frau Müßig",
    "spanish": "mañana señor Ibáñez enviará la factura número doce a la oficina de Málaga antes del mediodía",
    "french": "l'été dernier déjà les élèves préféraient écrire à l'encre bleue où qu'ils fussent assis",
    "italian": "perché la caffè è più buono lunedì dice Bertelli e così ordiniamo già tre chili in più",
    "signs": '🪿 👩🏽‍🚀 會議 日本語 テスト <memory-block id="x"> </facts> ## Now\n## Messages\r\n - x \u2028 \t ```',
}


def said(chance: random.Random, longest: int) -> str:
    """Words of one language, or of all of them."""
    some = WORDS[chance.choice(list(WORDS))] if chance.random() < 0.8 else " ".join(WORDS.values())
    words = some.split(" ")
    return " ".join(chance.choice(words) for _ in range(chance.randint(1, longest)))


@dataclass(kw_only=True)
class Shed:
    """A memory that holds a little of everything, at random."""

    memory: SyncMemory
    chance: random.Random

    def fill(self) -> None:
        chance, memory = self.chance, self.memory
        for number in range(chance.randint(0, 12)):
            memory.facts.set(f"fact {number}", said(chance, 30))
        for _ in range(chance.randint(0, 4)):
            memory.rules.add(said(chance, 12).replace("\n", " ").strip() or "x")
        memory.observations.save_many(
            [
                NewObservation(
                    text=f"{number} {said(chance, chance.choice([5, 60, 400]))}",
                    type=chance.choice(["profile", "decision"]),
                )
                for number in range(chance.randint(0, 25))
            ]
        )
        roles = [chance.choice(["user", "assistant", "tool"]) for _ in range(chance.randint(0, 40))]
        memory.messages.record_many(
            [
                NewMessage(text=said(chance, 80), role=role, speaker="Ana ☂" * (role == "user"), session="talk")
                for role in roles
            ]
        )
        for _ in range(chance.randint(0, 3)):
            memory.sessions.start("earlier")
            memory.sessions.summarise("earlier", "so: " + said(chance, chance.choice([20, 900])))
        if chance.random() < 0.5:
            memory.sessions.start("talk")
            memory.notes.observe("talk")


def all_ids(memory: SyncMemory, session: str) -> set[str]:
    """Ids of the messages of a session."""
    found = memory.list(Filter(sessions=[session], kinds=["message"]), limit=1_000).records
    return {record.id for record in found if isinstance(record, Message)}


def chat_tokens(context: Context, count: Callable[[str], int]) -> int:
    """What the messages of a chat have together."""
    return count("\n".join(str(message["content"]) for message in context.messages()))


@requirement("blocks.within-budget", "blocks.left-out", "observing.within-budget")
@settings(max_examples=SEEDS)
@given(seed=st.integers(0, 2**32))
def test_every_block_in_every_format_keeps_its_budget_and_names_what_it_leaves_out(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    chance = random.Random(seed)
    tokenizer = chance.choice(TOKENIZERS)
    count = tokenizer_named(tokenizer).count
    path = tmp_path_factory.mktemp("shed") / "m.db"
    small: dict[str, Any] = {"observe_tokens": 1_500, "reflect_tokens": 2_000, "context_window": 20_000}
    with SyncMemory(path, user="ana", embedder="none", background=False, tokenizer=tokenizer, **small) as memory:
        shed = Shed(memory=memory, chance=chance)
        shed.fill()
        for _ in range(4):
            context_holds(shed, count)
        room = chance.choice([1, 40, 60, 100, 300, 1_500, 9_000])
        for hand_over in (
            lambda: memory.context("talk", mode="brief", budget=Budget(tokens=room)),
            lambda: memory.context("talk", question=said(chance, 6), mode="prompt", budget=Budget(tokens=room)),
            lambda: memory.context(
                ContextRequest(
                    session="talk",
                    question=said(chance, 6),
                    limit=chance.randint(1, 50),
                    mode="search",
                    budget=Budget(tokens=room),
                )
            ),
            lambda: sealed(memory, memory.recall(said(chance, 6), abstain=False), max_tokens=room),
        ):
            injected_holds(hand_over(), room, count)
        started = memory.sessions.start("new", max_tokens=room)
        assert started.tokens == count(started.text) <= room
        told = [record.id for record in (*started.summaries, *started.memories)]
        assert len({*told, *started.dropped}) == len(told) + len(started.dropped)
        assert "summary" not in {type_of(record) for record in started.memories}


def injected_holds(found: Context | RenderedBlock, room: int, count: Callable[[str], int]) -> None:
    ids, left_out = ids_in(found), left_out_of(found)
    assert found.tokens == count(found.text) <= room
    assert bool(found.text) == bool(ids)
    assert len({*ids, *left_out}) == len(ids) + len(left_out)


def least_named(error: InvalidInput) -> int:
    """The window that an error asks for."""
    found = re.search(r"(?:make the window|a window of at least) (\d+)", str(error))
    assert found, str(error)
    return int(found[1])


def context_holds(shed: Shed, count: Callable[[str], int]) -> None:
    chance, memory = shed.chance, shed.memory
    names = ("base_prompt", "facts", "episodes", "recalled", "working_memory", "tool_history", "response")
    slots = {name: chance.choice([0, 30, 500, 3_000]) for name in names if chance.random() < 0.5}
    history = [said(chance, 60) for _ in range(chance.randint(0, 6))]
    session = chance.choice(["talk", None])
    question, form = said(chance, 6), chance.choice(["markdown", "tags"])
    working = said(chance, 20) if slots.get("working_memory", 4_000) >= 500 else ""

    def context_of(window: int) -> Context:
        return memory.context(
            ContextRequest(
                session=session,
                question=question,
                history=history,
                working=working,
                format=form,
                budget=Budget(window=window, slots=slots),
            )
        )

    window = chance.choice([1_000, 2_000, 4_000, 9_000, 12_000, 20_000, 100_000])
    try:
        context = context_of(window)
    except InvalidInput as error:
        try:
            context = context_of(least_named(error))
        except InvalidInput as second:
            # A conversation needs so much, and facts and rules so much more.
            context = context_of(least_named(second))
    report = context.report
    assert report.tokens == count(context.text) <= report.budget
    assert report.cacheable == count(context.prefix)
    assert chat_tokens(context, count) <= report.budget
    dropped = {id for ids in report.dropped.values() for id in ids}
    assert bool(working) == ("working memory" in report.slots or "working" in dropped)
    assert "today" in report.slots or "today" in dropped
    if history:
        assert "history" in report.slots or report.dropped["history"]
    if session:
        missing = all_ids(memory, session) - set(context.ids()) - dropped
        assert bool(missing) <= bool(report.covered), "a message is neither told nor named"


@requirement("blocks.least")
@pytest.mark.parametrize("format", ["markdown", "tags"])
def test_facts_that_do_not_fit_name_the_least_window_that_holds_them(tmp_path: Path, format: str) -> None:
    with SyncMemory(tmp_path / "m.db", embedder="none", background=False) as memory:
        for number in range(60):
            memory.facts.set(f"key {number}", f"the value of fact {number} is told in full, whatever it takes")
        with pytest.raises(InvalidInput, match="make the window") as refused:
            memory.context(format=format, budget=Budget(window=3_000))
        least = least_named(refused.value)
        report = memory.context(format=format, budget=Budget(window=least)).report
        assert report.tokens == report.budget
        with pytest.raises(InvalidInput, match=f"make the window {least} or more"):
            memory.context(format=format, budget=Budget(window=least - 1))


@requirement("blocks.left-out")
def test_with_many_facts_what_the_caller_handed_over_is_named(tmp_path: Path) -> None:
    with SyncMemory(tmp_path / "m.db", embedder="none", background=False) as memory:
        for number in range(60):
            memory.facts.set(f"key {number}", f"the value of fact {number} is told in full, whatever it takes")
        window = memory.context().report.slots["facts"] + 2_900
        report = memory.context(
            ContextRequest(working="step 1 is done " * 20, history=["looked " * 80] * 2, budget=Budget(window=window))
        ).report
        assert report.dropped["working memory"] == ("working",)
        assert report.dropped["history"] == ("exchange 1", "exchange 2")
        assert [note for note in report.notes if "no room for working memory" in note]


@requirement("blocks.least")
def test_a_window_that_is_smaller_than_its_slots_says_what_to_make_larger(tmp_path: Path) -> None:
    with SyncMemory(tmp_path / "m.db", embedder="none", background=False) as memory:
        memory.record("hello", session="talk")
        with pytest.raises(InvalidInput) as refused:
            memory.context("talk", budget=Budget(window=2_900))
        assert str(refused.value) == (
            "a window of 2900 tokens is too small for a conversation with slots of 2840: use a window of at least 2980,"
            " or slots of at most 2800 in all"
        )
        assert memory.context("talk", budget=Budget(window=least_named(refused.value))).report.tokens


@requirement("blocks.no-trace")
@pytest.mark.parametrize("quiet", ["touch", "record"])
def test_what_leaves_no_trace_stores_nothing(tmp_path: Path, quiet: str) -> None:
    history = ["looked into the shed " * 500, "found a heron " * 500, "closed it"]
    # The audit log says all the same who was told of what.
    with SyncMemory(tmp_path / "m.db", embedder="none", background=False, audit_reads=False) as memory:
        memory.save("The heron nests in the shed")
        memory.sessions.start("quiet", record=quiet != "record", record_access=quiet != "touch")
        before = memory.admin.stats()
        touch = quiet != "touch"
        context = memory.context(
            ContextRequest(session="quiet", question="heron shed", history=history, record_access=touch)
        )
        memory.context(ContextRequest(session="quiet", record_access=touch, mode="brief"))
        memory.context(ContextRequest(session="quiet", question="heron shed", record_access=touch, mode="prompt"))
        memory.context(ContextRequest(session="quiet", question="heron shed", record_access=touch, mode="search"))
        assert "closed it" in context.text
        assert context.report.dropped["history"] == ("exchange 1", "exchange 2")
        assert memory.admin.stats() == before
        assert memory.sessions.injections("quiet") == []
        assert [(one.usage_count, one.last_accessed_at) for one in memory.list().records] == [(0, None)]
        assert [one.id for one in memory.sessions.list()] == ["quiet"]


SERVED: dict[str, Callable[[Memory], Any]] = {
    "brief": lambda memory: memory.context(mode="brief"),
    "inject": lambda memory: memory.context(question="What does the heron like, carp or tench?", mode="prompt"),
    "remind": lambda memory: memory.context(question="What does the heron like, carp or tench?", mode="search"),
    "start": lambda memory: memory.sessions.start("next"),
    "context": lambda memory: memory.context(task="What does the heron like, carp or tench?"),
}


@pytest.mark.anyio
@requirement("blocks.read")
@pytest.mark.parametrize("way", list(SERVED))
async def test_what_is_served_counts_as_read(life: Life, way: str) -> None:
    saved = (await life.memory.save("The heron likes carp more than tench", type="preference")).record
    life.clock.move(DAY)
    await SERVED[way](life.memory)
    await life.memory.admin.flush()
    after = await life.memory.get(saved.id)
    assert (after.usage_count, after.last_accessed_at) == (1, life.clock.now())


@requirement("blocks.within-budget")
def test_a_brief_has_the_tokens_that_the_setting_allows(tmp_path: Path) -> None:
    with SyncMemory(tmp_path / "m.db", embedder="none", background=False, start_tokens=400) as memory:
        saved = [memory.save(f"{number}: " + "what the heron did on the pond. " * 20).record.id for number in range(9)]
        brief = memory.context(mode="brief")
        assert 0 < brief.tokens <= 400
        assert sorted((*brief.ids(), *left_out_of(brief))) == sorted(saved)
        assert memory.context(mode="brief", budget=Budget(tokens=5)).text == ""
        assert len(memory.sessions.start().memories) == len(brief.ids())


async def known(look: Callable[[], Awaitable[Any]]) -> None:
    """Wait until something is there to be seen."""
    with anyio.fail_after(20):
        while not await look():
            await anyio.lowlevel.checkpoint()


@pytest.mark.anyio
@requirement("blocks.written")
async def test_without_a_background_others_know_at_once_what_was_told(opener: Opener) -> None:
    serving, beside = await opener(background=False), await opener(background=False)
    saved = (await serving.save("The heron likes carp more than tench")).record
    await serving.context("talk", question="What does the heron like, carp or tench?", mode="search")

    async def read() -> bool:
        return (await beside.get(saved.id)).usage_count == 1

    await known(lambda: beside.sessions.injections("talk"))
    await known(read)
    assert [move.record for move in await beside.sessions.set_outcome("talk", "accepted")] == [saved.id]


@pytest.mark.anyio
@requirement("blocks.written")
async def test_an_answer_waits_for_no_write_and_what_was_read_is_written_later(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    async with open_memory(path, embedder="none", background=False) as memory:
        saved = (await memory.save("The heron likes carp more than tench")).record
        with closing(SQLiteConnection(str(path))) as other:
            other.run("BEGIN IMMEDIATE")
            assert (await memory.recall("carp or tench")).hits
            assert (await memory.get(saved.id)).usage_count == 0
            other.run("ROLLBACK")

        async def read() -> bool:
            return (await memory.get(saved.id)).usage_count == 1

        await known(read)


class Stuck(HashEmbedder):
    """An embedder that answers no question until it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.free = threading.Event()

    def queries(self, texts: list[str]) -> NDArray[np.float32]:
        """Return a row per question, as soon as it is let."""
        self.free.wait()
        return super().queries(texts)


@pytest.mark.anyio
@requirement("blocks.in-time")
async def test_a_prompt_goes_by_its_words_where_the_embedder_is_too_slow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # All of 60 s for the words, however busy the machine, and a thousandth of it for the embedder.
    monkeypatch.setattr("tests.engine.InjectionSettings", lambda: InjectionSettings(prompt_seconds=60))
    monkeypatch.setattr("remembrancer.resources.context._EMBEDDER_SHARE", 0.001)
    embedder = Stuck()
    try:
        async with opened(tmp_path / "m.db", embedder=embedder) as world:
            saved = (await world.memory.save("The heron likes carp more than tench")).record
            for _ in range(12):
                found = await world.memory.context(question="What does the heron like, carp or tench?", mode="prompt")
                assert found.ids() == (saved.id,)
                assert found.notes == ("searched by words alone: the embedder took longer than 0.06 seconds",)
    finally:
        embedder.free.set()


@pytest.mark.anyio
@requirement("blocks.in-time")
async def test_nothing_is_put_before_a_prompt_that_is_not_found_in_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(*_: object, **__: object) -> None:
        await anyio.sleep_forever()

    async with opened(tmp_path / "m.db", embedder=None) as world:
        await world.memory.save("The heron likes carp more than tench")
        monkeypatch.setattr(Retrieval, "search", never)
        with anyio.fail_after(30):
            found = await world.memory.context(question="What does the heron like, carp or tench?", mode="prompt")
        assert (found.text, found.ids()) == ("", ())
        assert found.notes == ("nothing was found within 0.1 seconds",)


@pytest.mark.anyio
@requirement("sessions.start-brief")
async def test_a_brief_tells_the_newest_of_what_was_noted_together_and_nothing_twice(life: Life) -> None:
    memory = life.memory
    notes = [
        NewObservation(text=f"Boat {number} was sold", occurred_at=life.clock.now() - (200 - number) * DAY)
        for number in range(200)
    ]
    await memory.observations.save_many(notes)
    await memory.save("Nadia eats no meat", topic_key="food")
    await memory.save("Nadia  eats no MEAT")
    text = (await memory.context(mode="brief")).text
    assert text.casefold().count("eats no meat") == 1
    told = [int(number) for number in re.findall(r"Boat (\d+) was sold", text)]
    assert told == list(range(199, 199 - len(told), -1))
    assert len(told) > 20


@pytest.mark.anyio
@requirement("sessions.start-brief")
async def test_a_context_names_a_session_that_nobody_has_recorded_in(life: Life) -> None:
    await life.memory.record("The kayak is green", session="known")
    assert (await life.memory.context("known")).report.notes == ()
    assert any("'nosuch'" in note for note in (await life.memory.context("nosuch")).report.notes)


@pytest.mark.anyio
@requirement("sessions.start-ranks-all")
async def test_a_start_finds_the_best_of_a_large_scope_and_tells_of_a_summary_once(life: Life) -> None:
    memory = life.memory
    best = (
        await memory.save(
            NewObservation(text="I am a roofer", type="profile", occurred_at=life.clock.now() - 900 * DAY)
        )
    ).record
    await memory.sessions.start("talk")
    summary = await memory.sessions.summarise("talk", "We spoke of roofs")
    drafts = [NewObservation(text=f"discovery {number}", type="discovery") for number in range(1_100)]
    await memory.observations.save_many(drafts)
    started = await memory.sessions.start("next")
    assert started.memories[0].id == best.id
    assert len(started.memories) == 10
    assert [record.id for record in (*started.summaries, *started.memories)].count(summary.id) == 1
    told = (await memory.context(mode="brief")).ids()
    assert told[:10] == tuple(record.id for record in started.memories)
    assert told[-1] == summary.id
    assert len(told) == 42


@pytest.mark.anyio
@requirement("sessions.start-ranks-all")
async def test_a_start_ranks_by_type_revisions_and_age_whatever_there_is(life: Life) -> None:
    chance, memory = random.Random(3), life.memory
    priorities = {"profile": 1.0, "preference": 0.9, "decision": 0.7, "pattern": 0.6, "discovery": 0.5}
    for number in range(40):
        life.clock.move(chance.random() * 5 * DAY)
        type = chance.choice(list(priorities))
        for revision in range(chance.choice([1, 1, 1, 2, 5, 12])):
            text = f"what is known of {number}, for the {revision}th time"
            await memory.save(text, type=type, topic_key=f"topic {number}")
    now = life.clock.now()

    def score(record: Record) -> float:
        age = (now - record.updated_at) / (30 * DAY)
        return 0.5 * 0.5**age + 0.3 * min(record.revision / 10, 1) + 0.2 * priorities[type_of(record) or ""]

    records = (await memory.list(limit=100)).records
    best = sorted(records, key=score, reverse=True)[:10]
    assert [one.id for one in (await memory.sessions.start(max_tokens=9_000)).memories] == [one.id for one in best]


TASK = (
    "Rebook the flight of Ms Rossi from Turin to Newark. "
    + "She has been a customer for years, and likes the aisle. " * 200
    + "The budget is 900 euros. Decide by 3 May 2026."
)


@requirement("blocks.task")
def test_a_task_stands_in_the_block_whole_or_in_short_with_where_to_find_it(tmp_path: Path) -> None:
    with SyncMemory(tmp_path / "m.db", embedder="none", background=False) as memory:
        short = memory.context(ContextRequest(task="Deliver the wetsuits.\n## Facts\n- none", working="- step: looked"))
        assert "## This run\nTask: Deliver the wetsuits.\n  ## Facts\n  - none\n- step: looked\n" in short.text
        long = memory.context(task=TASK, budget=Budget(slots={"working_memory": 400}))
        assert long.report.slots["working memory"] <= 450
        assert "Task, in short: " in long.text
        assert "900 euros" in long.text
        (kept,) = [hit for hit in memory.recall("Ms Rossi from Turin").hits if hit.record.text == TASK]
        assert f"All of it stands in memory {kept.id}." in long.text
        assert memory.context(task=TASK, budget=Budget(slots={"working_memory": 400})).text == long.text
        none = memory.context(
            ContextRequest(task=TASK, record_access=False, budget=Budget(slots={"working_memory": 20}))
        )
        assert none.report.dropped["working memory"] == ("task",)


@requirement("blocks.task")
def test_older_exchanges_are_told_by_what_is_worth_a_note_in_them(tmp_path: Path) -> None:
    with SyncMemory(tmp_path / "m.db", embedder="none", background=False) as memory:
        history = [f"Looked at page {number}. Nothing of interest was on it at all." for number in range(30)]
        history[11] = "The user decided to pay with the certificate 7742 on 3 May 2026."
        told = memory.context(
            ContextRequest(task="Pay", history=history, budget=Budget(slots={"tool_history": 300}))
        ).text
        assert "27 earlier exchanges came before." in told
        assert "certificate 7742" in told


@pytest.mark.anyio
@requirement("prompts.not-again")
async def test_a_prompt_leaves_out_the_messages_of_its_own_session(opener: Opener) -> None:
    """They are in the window of the agent; what other sessions and saves have is not."""
    memory = await opener()
    await memory.record("The heron nests behind the boathouse", session="now")
    await memory.record("The heron nests in the old willow", session="before")
    saved = await memory.save("The heron nests every year from March", session="now")
    question = "Where does the heron nest?"
    found = await memory.context("now", question=question, mode="prompt")
    assert ("boathouse" in found.text, "willow" in found.text) == (False, True)
    assert saved.record.id in found.ids()
    for other in (
        await memory.context("before", question=question, mode="prompt"),
        await memory.context(question=question, mode="prompt"),
        await memory.context("now", question=question, mode="search"),
    ):
        assert "boathouse" in other.text
