"""Work in threads, of which the caller is cancelled as asyncio does it."""

import asyncio
from collections.abc import Awaitable, Callable
from threading import Event
from typing import Any

import anyio
import pytest

from remembrancer.storage.threads import in_thread, in_thread_surely

pytestmark = pytest.mark.anyio
# Of the event loop, until a task that was cancelled has gone on as far as it can.
TURNS = 20


async def turns() -> None:
    for _ in range(TURNS):
        await asyncio.sleep(0)


@pytest.mark.parametrize("way", [in_thread, in_thread_surely])
async def test_who_is_cancelled_while_work_is_done_waits_for_its_end(
    way: Callable[[Callable[[], object]], Awaitable[Any]],
) -> None:
    begun, may_end, done = Event(), Event(), list[str]()

    def work() -> None:
        begun.set()
        may_end.wait(5)
        done.append("done")

    async def wait() -> None:
        await way(work)

    task = asyncio.create_task(wait())
    with anyio.fail_after(5):
        await anyio.to_thread.run_sync(begun.wait)
        for _ in range(2):
            task.cancel()
            await turns()
            assert not task.done()
        may_end.set()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert done == ["done"]


async def test_who_is_cancelled_before_gives_back_all_the_same() -> None:
    done: list[str] = []

    async def give_back() -> None:
        await in_thread_surely(lambda: done.append("done"))

    task = asyncio.create_task(give_back())
    # It has begun to wait, for a thread or for its turn.
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert done == ["done"]


async def test_what_goes_wrong_in_a_thread_goes_wrong_for_the_caller() -> None:
    def fail() -> None:
        raise ValueError("so")

    for way in (in_thread, in_thread_surely):
        with pytest.raises(ValueError, match="so"):
            await way(fail)
