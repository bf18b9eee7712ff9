"""Work on a conversation that is broken off at any step: a later process goes on, and nothing is lost or done twice."""

import os
from collections.abc import Awaitable, Callable, Generator
from itertools import count, product
from pathlib import Path

import pytest

from bench.invariant import Watch
from remembrancer import NotFound, Scope
from remembrancer.governance.admit import Rules
from remembrancer.stores.sqlite.store import SQLiteStore
from remembrancer.testing import CountingIds, FakeClock
from tests.conversing import SESSION, WINDOW, QuickObserving, faults_at_the_end
from tests.engine import Engine, engine_of
from tests.steps import Steps, on_the_loop

from .requirements import requirement

pytestmark = pytest.mark.anyio

# Every step at full size, every so many in the gate.
APART = 1 if os.environ.get("REMEMBRANCER_SOAK") == "1" else 61

Work = Callable[[Engine], Awaitable[object]]


async def observing(engine: Engine) -> None:
    await engine.distilling.observing.observe(engine.memory.scope, SESSION)


async def activating(engine: Engine) -> None:
    await engine.memory.context(SESSION, recall=False, touch=False)


async def forcing(engine: Engine) -> None:
    await engine.memory.observe_now(SESSION)


async def reflecting(engine: Engine) -> None:
    await engine.memory.observe_now(SESSION)
    await engine.memory.reflect_now(SESSION)


async def retrying(engine: Engine) -> None:
    await engine.memory.observe_now(SESSION)
    await engine.memory.retry(SESSION, 1)


def breaks() -> Generator[tuple[bool, bool]]:
    """Whether the step at which work breaks off is still done, and whether it is cancelled rather than failing."""
    yield from product((False, True), (False, True))


async def broken_off(path: Path, ids: CountingIds, name: str, work: Work, steps: Steps) -> list[str]:
    """What is wrong where work has broken off at a step, and another process has gone on."""
    scope, watch = Scope(tenant=name), Watch(SESSION)
    async with SQLiteStore.open(path) as store:
        await _begun(engine_over(store, ids, scope), watch, work, steps)
    async with SQLiteStore.open(path) as store:
        with on_the_loop(Steps()):
            return await faults_at_the_end(engine_over(store, ids, scope).memory, watch)


def engine_over(store: SQLiteStore, ids: CountingIds, scope: Scope) -> Engine:
    rules = Rules(clock=FakeClock(), ids=ids, sign=store.sign)
    return engine_of(store, rules, scope, window=WINDOW, observing=QuickObserving)


async def _begun(engine: Engine, watch: Watch, work: Work, steps: Steps) -> None:
    """A conversation, and the work on it as far as it comes."""
    with on_the_loop(Steps()):
        for number in range(10):
            text = f"message {number} of this conversation " + "word " * (number % 4)
            watch.heard((await engine.memory.record(text, session=SESSION)).record)
    with on_the_loop(steps):
        await steps.run(lambda: work(engine))


@requirement("observing.told-once", "observing.nothing-stranded")
@pytest.mark.parametrize("work", [observing, activating, forcing, reflecting, retrying])
async def test_work_that_breaks_off_at_any_step_is_gone_on_with(tmp_path: Path, work: Work) -> None:
    wrong: dict[str, list[str]] = {}
    ids, tried = CountingIds(), 0
    for after, cancel in breaks():
        for at in count(1, APART):
            steps = Steps(at=at, after=after, cancel=cancel)
            name = f"{after} {cancel} {at}"
            if faults := await broken_off(tmp_path / "m.db", ids, name, work, steps):
                wrong[name] = faults
            tried += 1
            if steps.count < at:
                break
    assert wrong == {}
    assert tried > 8


@requirement("observing.nothing-stranded")
async def test_a_run_that_is_not_there_is_not_retried() -> None:
    async with SQLiteStore.open(":memory:") as store:
        rules = Rules(clock=FakeClock(), ids=CountingIds(), sign=store.sign)
        with pytest.raises(NotFound):
            await engine_of(store, rules, Scope(tenant="a")).memory.retry(SESSION, 1)
