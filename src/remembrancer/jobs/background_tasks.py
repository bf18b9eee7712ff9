"""Work that runs while a block does."""

from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import anyio


@asynccontextmanager
async def beside(*works: Callable[[], Coroutine[Any, Any, object]]) -> AsyncGenerator[None, None]:
    """A block beside which some work runs; it is cancelled when the block ends, whose errors come out as they are."""
    failure: BaseException | None = None
    async with anyio.create_task_group() as tasks:
        for work in works:
            tasks.start_soon(work)
        try:
            yield
        except (Exception, KeyboardInterrupt, SystemExit) as error:
            # Raised within the group it would reach the caller wrapped in an ExceptionGroup.
            failure = error
        tasks.cancel_scope.cancel()
    if failure is not None:
        raise failure
