"""Heavy work of a transaction, off the event loop."""

from collections.abc import Callable
from typing import TypeVar

import anyio
from anyio.to_thread import run_sync

T = TypeVar("T")


async def off_loop(work: Callable[[], T]) -> T:
    """Run blocking work in a thread; in a transaction that runs in a thread already, run it there."""
    try:
        anyio.get_current_task()
    except RuntimeError:
        return work()
    return await run_sync(work)
