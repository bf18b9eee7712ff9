"""Everybody at work on one conversation at once: in whatever order, each message is told once and noted once."""

import os
import random
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import pytest

from bench.invariant import Watch, recorded, told_in
from remembrancer import Conflict, ContextRequest, Memory, NewMessage, NotFound, Observation, Scope
from remembrancer.context.slots import Slot
from remembrancer.storage.base import Store
from remembrancer.testing import FakeClock
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.types.budget import Window
from remembrancer.types.lifecycle import Status
from remembrancer.types.record import Message, Role
from remembrancer.types.text import ESTIMATE
from tests.conversing import SESSION, QuickObserver, opened
from tests.databases import Database
from tests.deleting import delete_or_erase
from tests.doubles import CountingIds
from tests.engine import Engine, engine_of
from tests.steps import Steps, Turns, in_steps

SOAK = os.environ.get("REMEMBRANCER_SOAK") == "1"
SEEDS = 10_000 if SOAK else 15
SEEDS_OF_PROCESSES = 300 if SOAK else 2
WINDOW = Window(messages=80, observations=120, chunk=0.3)
MOST_ACTORS = 7
# Only of a seed that hangs; on a busy machine one takes a second or two.
PATIENCE = 30.0


@dataclass(kw_only=True)
class Talk:
    """One conversation, and those who are at work on it.

    Args:
        engines: as many processes over one store.
    """

    chance: random.Random
    turns: Turns
    engines: Sequence[Engine]
    scope: Scope
    watch: Watch = field(default_factory=lambda: Watch(SESSION))
    said: list[Message] = field(default_factory=list[Message])
    going: set[int] = field(default_factory=set[int])
    gone: set[int] = field(default_factory=set[int])

    def one(self) -> Engine:
        return self.chance.choice(self.engines)

    async def record(self) -> None:
        for _ in range(self.chance.randint(5, 10)):
            for message in await self.one().memory.messages.record_many(self._drafts()):
                self.said.append(message.record)
                self.watch.heard(message.record)

    def _drafts(self) -> list[NewMessage]:
        """One message, or a call of tools with its results."""
        if self.chance.random() < 0.2:
            calls = self.chance.randint(1, 2)
            call = NewMessage(
                text=self._text(), role=Role.ASSISTANT, session=SESSION, metadata={"tool_calls": ["x"] * calls}
            )
            return [call, *(NewMessage(text=self._text(), role=Role.TOOL, session=SESSION) for _ in range(calls))]
        return [NewMessage(text=self._text(), role=self.chance.choice((Role.USER, Role.ASSISTANT)), session=SESSION)]

    def _text(self) -> str:
        length = 60 if self.chance.random() < 0.1 else self.chance.randint(1, 12)
        return f"{self.chance.getrandbits(48):012x} " + "word " * length

    async def observe(self) -> None:
        engine = self.one()
        for _ in range(3):
            await engine.conversations.observe_waiting(self.scope)

    async def read(self) -> None:
        engine, covered = self.one(), set[int]()
        for _ in range(3):
            acknowledged, gone = {message.number for message in self.said}, set(self.gone)
            context = await engine.memory.context(ContextRequest(session=SESSION, recall=False, record_access=False))
            assert context.report.tokens <= context.report.budget
            raw = Counter(
                message.number
                for item in context.block.items
                if item.slot is Slot.MESSAGES
                for message in self.said
                if message.id in item.ids
            )
            noted = told_in(context)
            assert covered <= set(noted), "what was covered is raw again"
            covered = set(noted)
            for number in acknowledged:
                times = raw[number] + noted[number]
                assert times == 1 or (number in self.going and times == 0), f"message {number} was told {times} times"
                assert not (number in gone and raw[number]), f"message {number} is deleted, and told"

    async def reflect(self) -> None:
        await self._while()
        with suppress(Conflict):
            await self.one().conversations.reflector.reflect(self.scope, SESSION)

    async def force(self) -> None:
        with suppress(NotFound):
            await self.one().memory.notes.observe(SESSION)

    async def delete(self) -> None:
        await self._while()
        if self.said:
            message = self.chance.choice(self.said)
            self.going.add(message.number)
            await delete_or_erase(self.one().memory, message.id, erase=self.chance.random() < 0.5)
            self.gone.add(message.number)
            self.watch.lost(message.id)

    async def retry(self) -> None:
        await self._while()
        engine = self.one()
        for _ in range(3):
            chunks = [chunk.first for chunk in await engine.memory.notes.chunks(SESSION)]
            if chunks:
                with suppress(Conflict, NotFound):
                    await engine.memory.notes.retry(SESSION, self.chance.choice((chunks[0], chunks[-1])))

    async def _while(self) -> None:
        """Let the others do something first."""
        for _ in range(self.chance.randint(0, 30)):
            await self.turns.gate()

    def actors(self) -> list[Callable[[], Coroutine[Any, Any, None]]]:
        """The recorder, and some of the others."""
        others = [self.observe, self.read, self.reflect, self.force, self.delete, self.retry, self.retry]
        return [self.record, self.observe, self.read, *self.chance.sample(others, self.chance.randint(1, 4))]


async def played(stores: Sequence[Store], ids: CountingIds, seed: int) -> list[str]:
    """One interleaving, and what was wrong at its end."""
    turns = Turns(seed)
    scope = Scope(tenant=f"t{seed}")
    rules = Dependencies(clock=FakeClock(), ids=ids, sign=stores[0].sign)
    engines = [engine_of(store, rules, scope, window=WINDOW, observing=QuickObserver) for store in stores]
    talk = Talk(chance=turns.chance, turns=turns, engines=engines, scope=scope)
    with ExitStack() as gates:
        for store in dict.fromkeys(stores):
            # On a store in memory there is one connection: nobody could go on while a snapshot is open.
            gates.enter_context(turns.gates(store, within=len(set(stores)) > 1))
        await turns.play(talk.actors())
    memory = engine_of(stores[0], rules, scope, window=WINDOW, observing=QuickObserver).memory
    context = await memory.context(ContextRequest(session=SESSION, recall=False, record_access=False))
    faults = await talk.watch.look(memory, context) + await talk.watch.look_within(memory, context, ESTIMATE)
    return faults + await _noted_once(talk, memory)


async def _noted_once(talk: Talk, memory: Memory) -> list[str]:
    """What was noted of each message that an observer came by: once as it now stands, whatever was tried again."""
    notes = [note for note in await recorded(memory, SESSION) if isinstance(note, Observation) and note.engine]
    standing = Counter(note.first for note in notes if note.status in (Status.ACTIVE, Status.BUFFERED))
    reflected = Counter(note.first for note in notes if note.status is Status.RETIRED)
    observed = max((chunk.last for chunk in await memory.notes.chunks(SESSION)), default=0)
    faults: list[str] = []
    for message in talk.said:
        if message.number in talk.gone or message.number > observed:
            continue
        if standing[message.number] > 1:
            faults.append(f"message {message.number} is noted {standing[message.number]} times")
        if not standing[message.number] + reflected[message.number]:
            faults.append(f"message {message.number} was observed, and nothing is noted of it")
    return faults


async def fuzz(stores: Sequence[Store], seeds: Sequence[int], *, threads: bool = False) -> None:
    """Every seed is one interleaving; those that went wrong are told.

    Args:
        stores: as many processes over one database.
    """
    wrong: dict[int, str] = {}
    ids = CountingIds()
    with in_steps(Steps(), threads=threads):
        for seed in seeds:
            if faults := await _wrong_with(stores, ids, seed):
                wrong[seed] = "; ".join(faults[:3])
    assert not wrong, f"{len(wrong)} of {len(seeds)} went wrong: {dict(list(wrong.items())[:5])}"


async def _wrong_with(stores: Sequence[Store], ids: CountingIds, seed: int) -> list[str]:
    try:
        with anyio.fail_after(PATIENCE):
            return await played(stores, ids, seed)
    except Exception as error:
        return [repr(found) for found in getattr(error, "exceptions", [error])]


@pytest.mark.anyio
async def test_whatever_the_order_each_message_is_told_once_and_noted_once() -> None:
    async with opened(":memory:") as store:
        await fuzz([store, store], range(SEEDS))


@pytest.mark.anyio
async def test_two_processes_over_one_file_tell_and_note_each_message_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As many as may read at once: who waits for another to end stands at no gate.
    monkeypatch.setattr("remembrancer.storage.sqlite.store._READERS", MOST_ACTORS)
    async with opened(str(tmp_path / "m.db")) as one, opened(str(tmp_path / "m.db")) as other:
        await fuzz([one, other], range(SEEDS_OF_PROCESSES))


@pytest.mark.anyio
async def test_two_processes_over_one_server_tell_and_note_each_message_once(database: Database) -> None:
    async with opened(database.serving_url) as one, opened(database.serving_url) as other:
        await fuzz([one, other], range(SEEDS_OF_PROCESSES), threads=True)
