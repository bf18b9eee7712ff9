"""Work on a conversation that is broken off at any step: a later process goes on, and nothing is lost or done twice."""

import os
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from itertools import product

import pytest
from psycopg import Connection
from psycopg_pool import ConnectionPool

from bench.invariant import Watch
from remembrancer import ContextRequest, Memory, NewMessage, NotFound, Scope
from remembrancer.storage.base import Store
from remembrancer.storage.sqlite.store import SQLiteStore
from remembrancer.testing import FakeClock
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.types.record import Role
from tests.conversing import SESSION, WINDOW, QuickObserver, faults_at_the_end, opened
from tests.doubles import CountingIds
from tests.engine import Engine, engine_of
from tests.steps import Steps, in_steps

from .requirements import requirement

pytestmark = pytest.mark.anyio

SOAK = os.environ.get("REMEMBRANCER_SOAK") == "1"
# Every step at full size, every so many in the gate, where a server takes longer over each.
APART = 1 if SOAK else 97
APART_ON_A_SERVER = 97

Work = Callable[[Engine], Awaitable[object]]


async def observing(engine: Engine) -> None:
    await engine.conversations.observer.observe(engine.memory.scope, SESSION)


async def activating(engine: Engine) -> None:
    await engine.memory.context(ContextRequest(session=SESSION, recall=False, record_access=False))


async def forcing(engine: Engine) -> None:
    await engine.memory.notes.observe(SESSION)


async def reflecting(engine: Engine) -> None:
    await engine.memory.notes.observe(SESSION)
    await engine.memory.notes.reflect(SESSION)


async def retrying(engine: Engine) -> None:
    await engine.memory.notes.observe(SESSION)
    await engine.memory.notes.retry(SESSION, 1)


# How a step breaks work off: whether it is still done, and whether the work is cancelled there rather than failing.
BREAKS = list(product((False, True), (False, True)))


async def broken_off(db: str, later: Store, ids: CountingIds, name: str, work: Work, steps: Steps) -> list[str]:
    """What is wrong where work has broken off at a step, and another process goes on."""
    scope, watch = Scope(tenant=name), Watch(SESSION)
    threads = "://" in db
    async with opened(db) as store:
        engine = engine_over(store, ids, scope)
        with in_steps(Steps(), threads=threads):
            await _said(engine.memory, watch)
        with in_steps(steps, threads=threads), hung_up():
            await steps.run(lambda: work(engine))
    with in_steps(Steps(), threads=threads):
        return await faults_at_the_end(engine_over(later, ids, scope).memory, watch)


def engine_over(store: Store, ids: CountingIds, scope: Scope) -> Engine:
    rules = Dependencies(clock=FakeClock(), ids=ids, sign=store.sign)
    return engine_of(store, rules, scope, window=WINDOW, observing=QuickObserver)


async def _said(memory: Memory, watch: Watch) -> None:
    """A conversation of some length."""
    texts = [f"message {number} of this conversation " + "word " * (number % 4) for number in range(10)]
    drafts = [NewMessage(text=text, role=Role.USER, session=SESSION) for text in texts]
    for saved in await memory.messages.record_many(drafts):
        watch.heard(saved.record)


@contextmanager
def hung_up() -> Generator[None]:
    """A block with which the connections to a server end that were used in it, as they do with a process."""
    taken: list[Connection] = []
    getconn = ConnectionPool.getconn

    def take(self: ConnectionPool, timeout: float | None = None) -> Connection:
        taken.append(getconn(self, timeout))
        return taken[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ConnectionPool, "getconn", take)
        yield
    for connection in taken:
        connection.close()


@requirement("observing.told-once", "observing.nothing-stranded")
@pytest.mark.parametrize("work", [observing, activating, forcing, reflecting, retrying])
async def test_work_that_breaks_off_at_any_step_is_gone_on_with(db: str, work: Work) -> None:
    wrong: dict[str, list[str]] = {}
    ids, whole = CountingIds(), Steps()
    apart, breaks = (APART, BREAKS) if SOAK or "://" not in db else (APART_ON_A_SERVER, BREAKS[1:3])
    async with opened(db) as later:
        assert await broken_off(db, later, ids, "whole", work, whole) == []
        apart = apart if SOAK else max(apart, whole.count // 2)
        for (after, cancel), at in product(breaks, range(1 + apart // 2, whole.count + 1, apart)):
            steps = Steps(at=at, after=after, cancel=cancel)
            name = f"{after} {cancel} {at}"
            if faults := await broken_off(db, later, ids, name, work, steps):
                wrong[name] = faults
    assert wrong == {}
    assert whole.count > 50


@requirement("observing.nothing-stranded")
async def test_a_run_that_is_not_there_is_not_retried() -> None:
    async with SQLiteStore.open(":memory:") as store:
        rules = Dependencies(clock=FakeClock(), ids=CountingIds(), sign=store.sign)
        with pytest.raises(NotFound):
            await engine_of(store, rules, Scope(tenant="a")).memory.notes.retry(SESSION, 1)
