"""Blocking work in a thread that is never left alone.

A task that asyncio cancels goes on at once, although what it waits for is still being done in a thread: a connection
would have two users, and a transaction that begins late nobody who ends it.
"""

from collections.abc import Callable
from contextlib import suppress
from threading import Event
from typing import TypeVar

import anyio
import anyio.to_thread

T = TypeVar("T")


async def in_thread(work: Callable[[], T]) -> T:
    """Do blocking work; who is cancelled meanwhile waits until it is done, or will never be begun."""
    unclaimed, ended = [work], Event()

    def claimed() -> T:
        mine = unclaimed.pop()
        try:
            return mine()
        finally:
            ended.set()

    cancelled = anyio.get_cancelled_exc_class()
    try:
        return await anyio.to_thread.run_sync(claimed)
    except cancelled:
        with suppress(IndexError):
            unclaimed.pop()
            ended.set()
        while not ended.is_set():
            with anyio.CancelScope(shield=True), suppress(cancelled):
                await anyio.to_thread.run_sync(ended.wait)
        raise


async def in_thread_surely(work: Callable[[], object]) -> None:
    """Do blocking work that gives something back; who is cancelled, before or meanwhile, waits until it is done."""
    begun = False

    def noted() -> None:
        nonlocal begun
        begun = True
        work()

    cancelled = anyio.get_cancelled_exc_class()
    late: BaseException | None = None
    with anyio.CancelScope(shield=True):
        while not begun:
            try:
                await in_thread(noted)
            except cancelled as error:
                late = error
    if late is not None:
        raise late
