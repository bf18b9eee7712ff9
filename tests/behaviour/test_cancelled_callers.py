"""Callers that asyncio cancels in the middle of a step, as a time-out does: the same process goes on, and so do others.

A cancelled task of asyncio goes on at once, although what it waited for is still being done in a thread.
"""

import asyncio
import os
from collections.abc import Callable, Coroutine, Generator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, TypeVar

import anyio
import anyio.to_thread
import pytest

from bench.invariant import Watch
from remembrancer import ContextRequest, Scope
from remembrancer.storage.base import Store
from remembrancer.testing import FakeClock
from remembrancer.transactions.dependencies import Dependencies
from tests.conversing import SESSION, WINDOW, QuickObserver, faults_at_the_end, opened
from tests.doubles import CountingIds
from tests.engine import Engine, engine_of

from .requirements import requirement

pytestmark = pytest.mark.anyio
SOAK = os.environ.get("REMEMBRANCER_SOAK") == "1"
# Every step at full size, every so many in the gate.
APART = 1 if SOAK else 61
PATIENCE = 20.0
# Of the event loop, until a task that was cancelled has gone on as far as it can.
TURNS = 20
T = TypeVar("T")


class Canceller:
    """Cancels a task that waits for a step, once that step has begun in its thread.

    Args:
        at: at which step, from 1; 0 for none.
        after: whether the step is done by then.
    """

    def __init__(self, at: int = 0, *, after: bool = False) -> None:
        self.count = 0
        self._at = at
        self._after = after

    async def cut_short(self, work: Callable[[], Coroutine[Any, Any, object]]) -> None:
        """Do some work, as far as it comes."""
        with self._counting():
            task = asyncio.create_task(work())
            with suppress(asyncio.CancelledError):
                await task

    @contextmanager
    def _counting(self) -> Generator[None]:
        in_thread = anyio.to_thread.run_sync

        async def run_sync(work: Callable[..., T], *arguments: object, **_: object) -> T:
            self.count += 1
            late = _while_cancelled(work, after=self._after) if self.count == self._at else work
            return await in_thread(late, *arguments)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(anyio.to_thread, "run_sync", run_sync)
            yield


def _while_cancelled(work: Callable[..., T], *, after: bool) -> Callable[..., T]:
    """A step during which the task that waits for it is cancelled, and goes on as far as it can."""
    loop, caller = asyncio.get_running_loop(), asyncio.current_task()
    assert caller is not None

    def cancel() -> None:
        loop.call_soon_threadsafe(caller.cancel)
        for _ in range(TURNS):
            asyncio.run_coroutine_threadsafe(asyncio.sleep(0), loop).result(PATIENCE)

    def step(*arguments: object) -> T:
        if after:
            result = work(*arguments)
            cancel()
            return result
        cancel()
        return work(*arguments)

    return step


async def work_on(engine: Engine, watch: Watch) -> None:
    """Everything that is done with a conversation."""
    memory = engine.memory
    for number in range(10):
        saved = await memory.record(f"message {number} of this conversation", session=SESSION, key=str(number))
        watch.heard(saved.record)
    await engine.conversations.observe_waiting(memory.scope)
    await memory.context(ContextRequest(session=SESSION, recall=False))
    await memory.notes.observe(SESSION)
    await memory.notes.reflect(SESSION)


def engine_over(store: Store, ids: CountingIds, tenant: str) -> Engine:
    rules = Dependencies(clock=FakeClock(), ids=ids, sign=store.sign)
    return engine_of(store, rules, Scope(tenant=tenant), window=WINDOW, observing=QuickObserver)


@requirement("observing.told-once", "observing.nothing-stranded")
@pytest.mark.parametrize("after", [False, True], ids=["before it is done", "once it is done"])
async def test_who_is_cancelled_at_any_step_goes_on_in_the_same_process(db: str, after: bool) -> None:
    wrong: dict[int, list[str]] = {}
    ids, whole = CountingIds(), Canceller()
    # One connection each: where it is not given back, that shows.
    async with opened(db, pool_size=1) as store, opened(db, pool_size=1) as other:
        await whole.cut_short(lambda: work_on(engine_over(store, ids, "whole"), Watch(SESSION)))
        for at in range(1, whole.count + 1, APART):
            tenant, watch = f"t{at}", Watch(SESSION)
            mine, theirs = engine_over(store, ids, tenant), engine_over(other, ids, tenant)
            with anyio.fail_after(PATIENCE):
                await Canceller(at, after=after).cut_short(partial(work_on, mine, Watch(SESSION)))
                await work_on(theirs, watch)
                await work_on(mine, watch)
                if faults := await faults_at_the_end(mine.memory, watch):
                    wrong[at] = faults
    assert wrong == {}
    assert whole.count > 100
