"""Memories as a user opens them, by settings alone."""

from contextlib import AsyncExitStack
from typing import Any

from remembrancer import Memory, open_memory

from .far import maybe_far


class Opener:
    """Opens memories over one database, one after the other."""

    def __init__(self, where: dict[str, Any], stack: AsyncExitStack) -> None:
        self._where = where
        self._stack = stack

    async def __call__(self, **settings: Any) -> Memory:
        given: dict[str, Any] = {"embedder": "none", "background": False, **self._where, **settings}
        return await maybe_far(await self._stack.enter_async_context(open_memory(**given)), self._stack)
