"""Blocking work in threads, with cancellation.

A task that asyncio cancels continues at once, although a thread still does its work: a connection would have two
users, and nothing would end a transaction that begins late.
"""

from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from threading import Event
from typing import TypeVar

import anyio
import anyio.from_thread
import anyio.lowlevel
import anyio.to_thread

T = TypeVar("T")
_abandoned: ContextVar[Event | None] = ContextVar("abandoned", default=None)


def unwanted() -> bool:
    """Return True if the caller of this thread's work was cancelled: the work may fail."""
    event = _abandoned.get()
    if event is None or event.is_set():
        return event is not None
    try:
        anyio.from_thread.check_cancelled()
    except RuntimeError:
        return False
    except BaseException:
        # The exception of cancelled tasks is another one in each event loop.
        event.set()
        return True
    return False


async def in_thread(work: Callable[[], T]) -> T:
    """Do blocking work; a caller that is cancelled meanwhile waits for its end, or it never begins."""
    unclaimed, ended, abandoned = [work], Event(), Event()

    def claimed() -> T:
        mine = unclaimed.pop()
        _abandoned.set(abandoned)
        try:
            return mine()
        finally:
            ended.set()

    cancelled = anyio.get_cancelled_exc_class()
    try:
        return await anyio.to_thread.run_sync(claimed)
    except cancelled:
        abandoned.set()
        with suppress(IndexError):
            unclaimed.pop()
            ended.set()
        while not ended.is_set():
            with anyio.CancelScope(shield=True), suppress(cancelled):
                await anyio.to_thread.run_sync(ended.wait)
        raise
    except Exception:
        if abandoned.is_set():
            # It failed because it was abandoned: the caller gets the cancellation.
            await anyio.lowlevel.checkpoint_if_cancelled()
        raise


async def in_thread_surely(work: Callable[[], object]) -> None:
    """Do blocking work that releases something; a caller that is cancelled, before or meanwhile, waits for its end."""
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
