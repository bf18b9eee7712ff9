"""The graph after any changes is the one that is built anew from the memories that are left."""

import hashlib
import random
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from remembrancer import ChatFile, Filter, Memory, NewMessage, NewObservation, open_memory
from remembrancer.assembly.administration import copy_store

from .opener import Opener
from .requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.both_stores]
PEOPLE = ("Ana Silva", "Ben Kron", "Clara Voss", "Dora Ross", "Emil Hart")
FIRMS = ("Acme", "Globex", "Initech", "Hooli")
TOWNS = ("Rome", "Lima", "Bonn", "Oslo")


async def graph_hash(memory: Memory) -> str:
    """A hash of all relations, and of each entity with its names."""
    relations = sorted(
        (one.subject, one.predicate, one.object, one.since.isoformat(), str(one.until), *one.evidence)
        for one in await memory.graph.relations(limit=10_000)
    )
    entities = [(one.name, one.memories) for one in await memory.graph.entities(limit=1_000)]
    pages = [await memory.graph.entity(name) for name, _ in entities]
    known = sorted((page.name, page.type.value, page.memories, repr(page.aliases)) for page in pages)
    return hashlib.sha256(repr((relations, sorted(entities), known)).encode()).hexdigest()


async def exported(memory: Memory) -> ChatFile:
    text = "".join([piece async for piece in memory.governance.archives.export()])
    return ChatFile.of(BytesIO(text.encode()), name="export.jsonl")


async def change(memory: Memory, chance: random.Random) -> None:
    """Say, save, edit, reject, delete, restore, erase, merge and split at random."""
    ids: list[str] = []
    for number in range(40):
        one, other = chance.sample(PEOPLE, 2)
        text = chance.choice(
            (
                f"{one} works at {chance.choice(FIRMS)}.", f"{one} lives in {chance.choice(TOWNS)}.",
                f"{one} no longer works at {chance.choice(FIRMS)}.", f"{one} reports to {other}.",
                f"{one.split()[0]} met {other} on day {number}.",
            )
        )  # fmt: skip
        if chance.random() < 0.3:
            ids.append((await memory.record(NewMessage(text=text, speaker=one, session="s"))).record.id)
        else:
            ids.append((await memory.save(NewObservation(text=text))).record.id)
    for id in chance.sample(ids[10:], 4):
        await memory.delete(id)
        if chance.random() < 0.5:
            await memory.restore(id)
    claims = [one.id for one in (await memory.list(Filter(kinds=["observation"]), limit=100)).records]
    for id in chance.sample([id for id in claims if id in ids[10:]], 4):
        await memory.feedback(id, "wrong")
        if chance.random() < 0.5:
            await memory.feedback(id, "undo")
    await memory.governance.erasure.erase(memories=chance.sample(ids[:10], 3), reason="a test")
    for one, other in (("Ana Silva", "Clara Voss"), ("Ben Kron", "Dora Ross")):
        if await _has(memory, one) and await _has(memory, other):
            await memory.graph.merge(one, other)
            if chance.random() < 0.5:
                await memory.graph.split(one, other)


async def _has(memory: Memory, name: str) -> bool:
    return any(one.name == name.casefold() for one in await memory.graph.entities(name))


@requirement("graph.walls", "graph.relations")
@pytest.mark.parametrize("seed", [0, *(pytest.param(more, marks=pytest.mark.slow) for more in range(1, 20))])
async def test_the_graph_equals_one_that_is_built_anew(opener: Opener, tmp_path: Path, seed: int) -> None:
    memory = await opener(embedder="none")
    await change(memory, random.Random(seed))
    before = await graph_hash(memory)
    await memory.admin.index.rebuild()
    assert await graph_hash(memory) == before, "the index is built anew"
    async with open_memory(tmp_path / "new.db", embedder="none", background=False) as new:
        await new.messages.import_file(await exported(memory))
        assert await graph_hash(new) == before, "imported into a new store"


@requirement("graph.walls")
async def test_the_graph_of_a_copy_is_that_of_its_source(opener: Opener, where: dict[str, Any], tmp_path: Path) -> None:
    memory = await opener(embedder="none")
    await change(memory, random.Random(99))
    before = await graph_hash(memory)
    await copy_store(where["db"], str(tmp_path / "copy.db"), secret_key=where.get("secret_key"))
    async with open_memory(tmp_path / "copy.db", embedder="none", background=False) as copied:
        assert await graph_hash(copied) == before
