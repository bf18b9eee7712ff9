"""Stores that hold something of everything, and what lies in them byte for byte."""

import random
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw
import numpy as np

from remembrancer import NewObservation, Scope, open_memory
from remembrancer.storage.sqlite.store import SQLiteStore
from remembrancer.types.access import Caller
from remembrancer.types.archive import Tombstone
from remembrancer.types.episode import Tier
from remembrancer.types.feedback import Rejection
from remembrancer.types.lifecycle import Status
from remembrancer.types.notes import ChunkState, Log
from remembrancer.types.policy import PersonalDataType, Redaction, RedactionPolicy
from remembrancer.types.record import Observation, Record
from remembrancer.types.text import hash_of
from tests.deleting import delete_or_erase
from tests.factories import (
    DAY,
    OTHER_SPACE,
    SETTLED,
    START,
    call,
    chunk,
    directions,
    episode,
    fact,
    injection,
    learned,
    move,
    night,
    observation,
    procedure,
    reading,
    served,
    signal,
    verdict,
)

SCOPES = (
    Scope(tenant="acme", project="apollo", agent="scribe", user="ada"),
    Scope(tenant="acme", project="apollo", user="bob"),
    Scope(tenant="acme"),
    Scope(tenant="Ünïcode & 'quotes'", user="ada"),
    Scope(tenant="rival", project="apollo", agent="scribe", user="ada"),
)
WORDS = ("quartz", "basalt", "granite", "marble", "slate", "Grüße", "日本語", "\U0001f5ff", "a\\b\n\tc", '"{}"')
# What half precision finds hard: both zeros, numbers below the normal ones, the largest.
EDGES = np.resize(np.array([0.0, -0.0, 6e-8, 6.1e-5, 65504.0, 1 / 3], np.float32), (1, OTHER_SPACE.dimension))
# Each store has its own; what counts rows is held against them by the doctor.
APART = ("migrations", "leases", "breakers", "counters", "sqlite_stat1", "sqlite_stat4")


async def fill(path: Path, *, seed: int = 1, steps: int = 60) -> None:
    """Something of everything, in an order that depends on the seed."""
    await act(path, seed=seed, steps=steps)
    await add_generation(path)
    await add_calls(path)
    await add_chunks(path)
    await add_behaviour(path)


async def act(path: Path, *, seed: int = 1, steps: int = 60) -> None:
    """Do as callers do, in an order that depends on the seed."""
    chance = random.Random(seed)
    async with open_memory(path, embedder="hash", background=False) as root:
        for step in range(steps):
            memory = root.within(chance.choice(SCOPES))
            text = " ".join(chance.choices(WORDS, k=chance.randint(1, 30))) + f" {step}"
            ids = [
                record.id
                for record in (await memory.timeline.between(limit=100)).records
                if record.scope == memory.scope
            ]
            match chance.randrange(8):
                case 0 | 1 | 2:
                    await memory.record(text, session=chance.choice(["monday", "tuesday"]), speaker="Ana")
                case 3 | 4:
                    await memory.save(
                        NewObservation(
                            text=text,
                            tags=chance.sample(["red", "blüe", "a,b"], 2),
                            metadata={"b": [1, 2.5, None], "a": {"ß": True}},
                            topic_key=chance.choice([None, "stone", "door"]),
                            evidence=chance.sample(ids, min(len(ids), 2)),
                            importance=chance.random(),
                            key=f"k{step}",
                        )
                    )
                case 5 if ids:
                    await delete_or_erase(memory, chance.choice(ids), erase=chance.random() < 0.3)
                case 6:
                    await memory.recall("quartz")
                case _:
                    await memory.sessions.start()
                    await memory.admin.keys.create("the agent's")
        await root.within(SCOPES[0]).sessions.end("monday") if "monday" in {
            session.id for session in await root.within(SCOPES[0]).sessions.list()
        } else None


async def add_behaviour(path: Path) -> None:
    """What was done, observed, promoted and known; what people said of it; a night that was begun."""
    async with SQLiteStore.open(path) as store:
        for place, scope in enumerate(await store.scopes()):
            async with store.begin(Caller(scope=scope)) as tx:
                made: list[Record] = [
                    make(f"{make.__name__} {place}", scope=scope) for make in (signal, fact, procedure, learned)
                ]
                done = [episode(f"{tier} {place}", tier=tier, contact="", scope=scope) for tier in Tier]
                made += [replace(one, status=Status.CONTRADICTED) for one in done]
                found = [replace(one, hash=hash_of(one.text)) for one in made]
                aside = [replace(one, status=Status.MERGED) if isinstance(one, Observation) else one for one in found]
                await tx.records.add(aside, [None] * len(aside))
                await tx.maintenance_runs.put(night(observed=3))
                await tx.imports.put(reading(place=f"place {place}"))
                await tx.imports.add_tombstone(Tombstone(mark=f"mark {place}"))
                await tx.policies.put(
                    RedactionPolicy(data_type=PersonalDataType.CARD, redaction=Redaction.MASK, set_at=START)
                )
                await tx.verdicts.put(verdict(made[3].id, person="Zoë"))
                await tx.rejections.add(Rejection(words=f"words {place}", record=made[3].id))
                await tx.weights.add(move(made[3].id))


async def add_generation(path: Path) -> None:
    """Begin a second generation of vectors, with gaps in what is numbered before it."""
    async with SQLiteStore.open(path) as store:
        dropped = await store.start_generation(OTHER_SPACE)
        await store.drop_generation(dropped.number)
        made = await store.start_generation(OTHER_SPACE)
        for place, scope in enumerate(await store.scopes()):
            async with store.begin(Caller(scope=scope)) as tx:
                found = await tx.vectors.missing(generation=made.number, limit=5)
                await tx.vectors.add(
                    {item.document: directions(2, seed=place) for item in found}, generation=made.number
                )
                await tx.vectors.add(
                    {item.document: EDGES for item in found[:1]},
                    generation=made.number,
                )


async def add_chunks(path: Path) -> None:
    """Runs of messages that were observed and shown, wait, or could not be observed; notes of them, and a log."""
    states = (ChunkState.ACTIVE, ChunkState.BUFFERED, ChunkState.DEAD)
    async with SQLiteStore.open(path) as store:
        for scope in await store.scopes():
            async with store.begin(Caller(scope=scope)) as tx:
                for found in await tx.sessions.list(limit=9):
                    for number, state in zip(range(found.observed + 1, found.messages + 1), states, strict=False):
                        shown = START + DAY if state is ChunkState.ACTIVE else None
                        run = replace(chunk(found.id, number, number), state=state, activated_at=shown)
                        await tx.chunks.add(replace(run, task="to cöpy", failure="'"))
                    note = replace(observation(f"note of {scope} {found.id}", scope=scope), session=found.id, first=1)
                    waits = replace(note, last=3, place=1, priority=4, refers_to="2026-05", engine="e 1", tokens=5)
                    await tx.records.add([replace(waits, status=Status.BUFFERED, hash=hash_of(waits.text))], [None])
                    await tx.logs.put(Log(session=found.id, places=3, tokens=50, fresh=7))
                    await tx.injections.add([injection("one", "another", session=found.id)])
                    prices = {"priced": 3, "unpriced": None}
                    await tx.blocks.add([served(f"{found.id} {id}", price=price) for id, price in prices.items()])


async def add_calls(path: Path) -> None:
    """Calls of models by every tenant, settled and not, of known cost and not."""
    async with SQLiteStore.open(path) as store:
        for tenant in {scope.tenant for scope in SCOPES}:
            async with store.begin(Caller(scope=Scope(tenant=tenant))) as tx:
                for place in range(5):
                    await tx.calls.add(
                        call(f"call {place}", at=START + place // 2 * DAY, project=("", None)[place % 2])
                    )
                await tx.calls.add(call("call é", reserved_cost=None))
                await tx.calls.settle(replace(SETTLED, call="call 3"))


def drop_invented(path: Path) -> None:
    """Take out what was shown of memories that never were: `fill` invents it, and no store keeps it."""
    with closing(apsw.Connection(str(path))) as connection:
        loosely: Any = connection
        loosely.execute("DELETE FROM injections WHERE record NOT IN (SELECT id FROM records)")


def held(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table of a file, in the order of its first columns."""
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
        loosely: Any = connection
        names = [
            row[0]
            for row in loosely.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
            if row[0] not in APART
        ]
        return {name: sorted(loosely.execute(f"SELECT * FROM {name}"), key=repr) for name in names}
