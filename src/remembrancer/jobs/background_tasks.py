"""Tasks that run in the background of a block of code."""

from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import anyio


@asynccontextmanager
async def run_in_background(*functions: Callable[[], Coroutine[Any, Any, object]]) -> AsyncGenerator[None, None]:
    """Run functions while a block runs, and cancel them when it ends.

    An error of the block is raised as it is.
    """
    failure: BaseException | None = None
    async with anyio.create_task_group() as tasks:
        for function in functions:
            tasks.start_soon(function)
        try:
            yield
        except (Exception, KeyboardInterrupt, SystemExit) as error:
            # Raised within the group it would reach the caller wrapped in an ExceptionGroup.
            failure = error
        tasks.cancel_scope.cancel()
    if failure is not None:
        raise failure
