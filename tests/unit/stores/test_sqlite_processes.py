"""One file, several processes: each sees what the others wrote, and a killed one loses nothing it was told is kept."""

import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import numpy as np
import pytest
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream

from remembrancer.storage.base import Store
from remembrancer.storage.sqlite.store import SQLiteStore
from remembrancer.types.access import Caller
from remembrancer.types.filter import Filter
from tests.factories import DIMENSION, HOME, PATIENCE, SPACE, directions, embed, observation, put

pytestmark = pytest.mark.anyio
KILLS = 3
ASKED = 60
# Starting Python on a machine with much else to do is no part of what is observed.
STARTING = 30.0

# Obeys one line at a time, and answers each when it is done.
OBEDIENT = """
import sys
import anyio
from remembrancer.types.access import Caller
from remembrancer.storage.sqlite.store import SQLiteStore
from tests.factories import HOME, directions, embed, observation, put

async def main() -> None:
    async with SQLiteStore.open(sys.argv[1]) as store:
        print("ready", flush=True)
        for line in sys.stdin:
            verb, id = line.split()
            if verb == "write":
                documents = await put(store, observation(id))
                await embed(store, HOME, documents, directions(1))
                print("done", flush=True)
            else:
                async with store.snapshot(Caller(scope=HOME)) as tx:
                    print("seen" if await tx.records.find(id) else "absent", flush=True)

anyio.run(main)
"""


class Other:
    """Another process on the same file."""

    def __init__(self, process: Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.process = process
        self._told = process.stdin
        self._answers = BufferedByteReceiveStream(process.stdout)

    async def tell(self, *lines: str) -> None:
        await self._told.send("".join(f"{line}\n" for line in lines).encode())

    async def answer(self) -> str:
        return (await self._answers.receive_until(b"\n", 100)).decode()

    async def ask(self, line: str) -> str:
        await self.tell(line)
        with anyio.fail_after(PATIENCE):
            return await self.answer()

    async def answers_left(self) -> list[str]:
        found: list[str] = []
        with anyio.fail_after(PATIENCE):
            while True:
                try:
                    found.append(await self.answer())
                except (anyio.EndOfStream, anyio.IncompleteRead):
                    return found


@asynccontextmanager
async def other(path: Path) -> AsyncGenerator[Other, None]:
    async with await anyio.open_process([sys.executable, "-c", OBEDIENT, str(path)], stderr=None) as process:
        try:
            started = Other(process)
            with anyio.fail_after(STARTING):
                assert await started.answer() == "ready"
            yield started
        finally:
            if process.returncode is None:
                process.kill()


async def near(store: Store) -> list[int]:
    generation = (await store.serving_generation(SPACE)).number
    async with store.snapshot(Caller(scope=HOME)) as tx:
        found = await tx.vectors.nearest(directions(1)[0], generation=generation, limit=99, among=None)
        documents = (await tx.documents.matching(Filter())).tolist()
    assert sorted(found.documents.tolist()) == documents
    return documents


async def test_two_processes_on_one_file_each_see_what_the_other_wrote(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    async with SQLiteStore.open(path) as store, other(path) as them:
        assert await them.ask("read theirs") == "absent"
        assert await them.ask("write theirs") == "done"
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.records.find("theirs") == observation("theirs")
        assert len(await near(store)) == 1
        mine = await put(store, observation("mine"))
        await embed(store, HOME, mine, directions(1))
        assert await them.ask("read mine") == "seen"
        assert await them.ask("write more") == "done"
        assert len(await near(store)) == 3


async def test_two_processes_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    async with SQLiteStore.open(path) as store, other(path) as them:
        await them.tell(*(f"write theirs{index}" for index in range(20)))
        for index in range(20):
            await put(store, observation(f"mine{index}"))
        with anyio.fail_after(PATIENCE):
            assert [await them.answer() for _ in range(20)] == ["done"] * 20
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.records.counts() == {"observation/active": 40}
            assert [shard.documents for shard in await tx.text_index.statistics()] == [40]
            assert await tx.upkeep.faults() == []
        assert await store.scopes() == [HOME]


async def test_a_writer_that_is_killed_loses_nothing_that_it_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    acknowledged: list[str] = []
    for kill in range(KILLS):
        async with other(path) as them:
            await them.tell(*(f"write o{kill}.{index}" for index in range(ASKED)))
            with anyio.fail_after(PATIENCE):
                answers = [await them.answer() for _ in range(3 + 4 * kill)]
            them.process.kill()
            answers += await them.answers_left()
        acknowledged += [f"o{kill}.{index}" for index in range(len(answers))]
        async with SQLiteStore.open(path) as store, store.snapshot(Caller(scope=HOME)) as tx:
            kept = await tx.records.list(Filter(), limit=1_000, cursor=None)
            ids = {record.id for record in kept.records}
            # What was on its way when the process died may be there, whole, or not.
            assert set(acknowledged) <= ids
            assert len(ids) <= len(acknowledged) + kill + 1
            assert [shard.documents for shard in await tx.text_index.statistics()] == [len(ids)]
            assert await tx.upkeep.faults() == []
            cosines = await tx.vectors.cosines(
                np.ones(DIMENSION, dtype=np.float32), await tx.documents.matching(Filter()), generation=1
            )
            assert int(np.isnan(cosines.best).sum()) <= kill + 1
