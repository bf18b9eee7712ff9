"""A memory that was opened before a process forked: in the new process it says so at once, and harms nothing."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from remembrancer import Scope, StoreError, SyncMemory, open_memory
from remembrancer.storage.sqlite.connection import SQLiteConnection
from tests.databases import SECRET, Database

FORKED = "this memory was opened before the process forked; open it again in the new process"
OTHER = Scope(user="ana")
USES: dict[str, Callable[[SyncMemory], object]] = {
    "save": lambda memory: memory.save("The heron nests in April"),
    "recall": lambda memory: memory.recall("heron"),
    "stats": lambda memory: memory.admin.stats(),
    "within": lambda memory: memory.within(OTHER),
    "conversation": lambda memory: memory.conversation("s"),
}


def forked(work: Callable[[], object]) -> str:
    """What a piece of work returns or raises in a process forked from this one, which it may not hang."""
    reading, writer = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        try:
            told = str(work())
        except BaseException as error:
            told = f"{type(error).__name__}: {error}"
        os.write(writer, told.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reading, "rb") as pipe:
        told = pipe.read().decode()
    assert os.waitpid(child, 0)[1] == 0, "it hung"
    return told


@pytest.fixture(params=["sqlite", "postgres"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> SyncMemory:
    if request.param == "sqlite":
        return SyncMemory(tmp_path / "m.db", embedder="none", background=False)
    database: Database = request.getfixturevalue("database")
    return SyncMemory(database.serving_url, embedder="none", background=False, secret_key=SECRET)


def test_a_memory_says_in_a_forked_process_that_it_is_to_be_opened_there(memory: SyncMemory) -> None:
    with memory:
        memory.save("The otter hunts at dusk")
        other = memory.within(OTHER)
        for use in USES.values():
            assert forked(lambda use=use: use(memory)) == f"StoreError: {FORKED}"
            assert forked(lambda use=use: use(other)) == f"StoreError: {FORKED}"
        assert forked(memory.close) == "None"
        assert forked(lambda: memory.__exit__(None, None, None)) == "None"
        memory.save("The heron nests in April")
        assert len(memory.list().records) == 2


def test_what_a_forked_process_opens_for_itself_loses_nothing_when_the_first_one_closes(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    memory = SyncMemory(path, embedder="none", background=False)
    memory.save("The otter hunts at dusk")
    closed, close = os.pipe(), os.pipe()

    def talk() -> object:
        with SyncMemory(path, embedder="none", background=False) as own:
            own.save("The heron nests in April")
            os.write(close[1], b"!")
            os.read(closed[0], 1)
            own.save("The swift sleeps in flight")
            return len(own.list().records)

    child = os.fork()
    if child == 0:
        signal.alarm(20)
        os._exit(0 if talk() == 3 else 1)
    os.read(close[0], 1)
    memory.close()
    os.write(closed[1], b"!")
    assert os.waitpid(child, 0)[1] == 0
    with SyncMemory(path, embedder="none", background=False) as again:
        assert len(again.list().records) == 3


@pytest.mark.parametrize("where", ["sqlite", "postgres"])
def test_an_async_memory_says_so_too_and_its_block_ends(
    request: pytest.FixtureRequest, tmp_path: Path, where: str
) -> None:
    url = request.getfixturevalue("database").serving_url if where == "postgres" else tmp_path / "m.db"

    async def main() -> None:
        async with open_memory(url, embedder="none", secret_key=SECRET) as memory:
            await memory.save("The otter hunts at dusk")
            assert await anyio.to_thread.run_sync(forked, lambda: anyio.run(memory.recall, "otter")) == (
                f"StoreError: {FORKED}"
            )
            assert len((await memory.list()).records) == 1

    anyio.run(main)


def test_a_block_of_an_async_memory_ends_quietly_in_a_forked_process(tmp_path: Path) -> None:
    program = f"""
import os, anyio
from remembrancer import StoreError, open_memory
async def main():
    async with open_memory({str(tmp_path / "m.db")!r}, embedder="none") as memory:
        await memory.save("The otter hunts at dusk")
        child = os.fork()
        try:
            await memory.recall("otter")
        except StoreError as error:
            print(error, flush=True)
    if child == 0:
        os._exit(0)
    print(os.waitpid(child, 0)[1])
anyio.run(main)
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=False)
    assert (ran.stdout.splitlines(), ran.stderr) == ([FORKED, "0"], "")


def test_a_process_forked_amid_a_transaction_opens_nothing(tmp_path: Path) -> None:
    with pytest.raises(StoreError) as _kept:  # and with it the connection that did not open
        SQLiteConnection(str(tmp_path))

    async def main() -> None:
        async with open_memory(tmp_path / "m.db", embedder="none", background=False) as memory:
            await memory.save("The otter hunts at dusk")
            async with memory._engine.unit_of_work(memory.caller).write():  # pyright: ignore[reportPrivateUsage]
                told = await anyio.to_thread.run_sync(forked, lambda: SyncMemory(tmp_path / "n.db", embedder="none"))
                assert told == (
                    "StoreError: this process was forked while a memory was at work; start it by spawning instead"
                )
            await memory.save("The heron nests in April")
            assert len((await memory.list()).records) == 2

    anyio.run(main)
