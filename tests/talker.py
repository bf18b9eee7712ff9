"""A process that holds a conversation and works on it, and kills itself at one of its steps.

What was acknowledged, and which runs were observed, stands in its log before it goes on. A step is just before or just
behind a commit, or before what was thought goes to be written: between two of these nothing lasts.
"""

import json
import multiprocessing
import os
import signal
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any, LiteralString, TypeVar

import anyio
import anyio.to_thread
import pytest

from remembrancer import Conflict, ContextRequest, Scope
from remembrancer.adapters.clock import SystemClock, TimeOrderedIds
from remembrancer.storage.base import Store
from remembrancer.storage.connection import Arguments
from remembrancer.storage.postgres import connection as postgres
from remembrancer.storage.sqlite import connection as sqlite
from remembrancer.transactions.dependencies import Dependencies
from tests.conversing import SESSION, WINDOW, QuickObserver, opened
from tests.engine import Engine, engine_of

# Enough for four runs, three times that messages give way, and two reflections.
MESSAGES = 8
PATIENCE = 60.0
# Forked from one that has imported everything: a process of Python's own takes a second or two to do that.
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["tests.talker", "tests.sleeper"])
T = TypeVar("T")
Told = Callable[[dict[str, object]], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Talker:
    """One of those who hold a conversation.

    Args:
        db: a file, or the address of a database.
        at: the step to die at, from 1; 0 for none.
    """

    db: str
    tenant: str
    name: str
    log: Path
    at: int = 0


@dataclass(kw_only=True)
class Log:
    """What a talker was told, and what it saw."""

    acknowledged: set[str] = field(default_factory=set[str])
    runs: set[tuple[int, int]] = field(default_factory=set[tuple[int, int]])

    @classmethod
    def of(cls, path: Path) -> "Log":
        """What stands in a file."""
        log = cls()
        for line in path.read_text().splitlines():
            entry = json.loads(line)
            log.acknowledged |= set(entry.get("acknowledged", ()))
            log.runs |= {(first, last) for first, last in entry.get("runs", ())}
        return log


def ended(*talkers: Talker) -> list[int | None]:
    """How processes end that all begin at once: 0 for one that has said everything, -9 for one that was killed."""
    return in_processes(talkers[0].db, live, talkers)


def in_processes(db: str, work: Callable[[T, Barrier], None], parts: Sequence[T]) -> list[int | None]:
    """How processes end of which each does its part of some work on a store, once it has waited for the others."""
    # The store is there before them, so that nobody is killed while it is made.
    anyio.run(_made, db)
    together = PROCESSES.Barrier(len(parts))
    processes = [PROCESSES.Process(target=work, args=(part, together)) for part in parts]
    try:
        for process in processes:
            process.start()
        for process in processes:
            process.join(PATIENCE)
        return [process.exitcode for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.join()


async def _made(db: str) -> None:
    async with opened(db):
        pass


def live(talker: Talker, together: Barrier) -> None:
    """Be a process of a conversation."""
    anyio.run(_live, talker, together)


async def _live(talker: Talker, together: Barrier) -> None:
    written = os.open(talker.log, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    async with opened(talker.db) as store:
        engine = talking_over(store, talker.tenant)
        await anyio.to_thread.run_sync(together.wait, PATIENCE)
        with mortal(talker.at):
            await talk(engine, talker.name, lambda entry: os.write(written, json.dumps(entry).encode() + b"\n"))


def talking_over(store: Store, tenant: str) -> Engine:
    """What a talker works with."""
    rules = Dependencies(clock=SystemClock(), ids=TimeOrderedIds(), sign=store.sign)
    return engine_of(store, rules, Scope(tenant=tenant), window=WINDOW, observing=QuickObserver)


async def talk(engine: Engine, name: str, told: Told) -> None:
    """Say everything, observe ahead, read what an agent reads, reflect; who says it all again says it once."""
    memory, distilling = engine.memory, engine.conversations
    for number in range(MESSAGES):
        text = f"{name} says number {number} of this conversation " + "word " * (number % 4)
        saved = await memory.record(text, session=SESSION, key=f"{name} {number}")
        told({"acknowledged": [saved.record.id]})
        if number % 2:
            await distilling.observe_waiting(memory.scope)
        await memory.context(ContextRequest(session=SESSION, recall=False))
        told({"runs": [(chunk.first, chunk.last) for chunk in await memory.notes.chunks(SESSION)]})
        if number % 4 == 3:
            # Somebody else may be at it.
            with suppress(Conflict):
                await distilling.reflect(memory.scope)
    await memory.notes.observe(SESSION)
    with suppress(Conflict):
        await memory.notes.reflect(SESSION)


@contextmanager
def mortal(at: int) -> Generator[None]:
    """A block of which this process does not live to see the end, where it has so many steps."""
    count = 0

    def step() -> None:
        nonlocal count
        count += 1
        if count == at:
            os.kill(os.getpid(), signal.SIGKILL)

    def between_steps(work: Callable[[], T]) -> T:
        step()
        result = work()
        step()
        return result

    commit, run, run_sync = postgres.PostgresConnection.commit, sqlite.SQLiteConnection.run, anyio.to_thread.run_sync

    def commit_on_server(self: postgres.PostgresConnection) -> None:
        between_steps(lambda: commit(self))

    def run_or_commit(self: sqlite.SQLiteConnection, sql: LiteralString, values: Arguments = ()) -> int:
        return between_steps(lambda: run(self, sql, values)) if sql == "COMMIT" else run(self, sql, values)

    async def think(work: Callable[..., T], *arguments: Any) -> T:
        thought = await run_sync(work, *arguments)
        step()
        return thought

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(postgres.PostgresConnection, "commit", commit_on_server)
        patch.setattr(sqlite.SQLiteConnection, "run", run_or_commit)
        for module in ("learn.observer", "learn.reflector", "jobs.maintenance.patterns"):
            patch.setattr(f"remembrancer.{module}.run_sync", think)
        yield
