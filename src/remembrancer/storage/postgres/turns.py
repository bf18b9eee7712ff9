"""Turns at the connections of a pool, fair between tenants."""

from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio


class FairTurns:
    """A number of turns at a time; tenants that wait get one each in rotation, however many of a tenant's callers wait.

    Used by one event loop.

    Args:
        size: turns at a time, 1 or more.
    """

    def __init__(self, size: int) -> None:
        self._left = size
        # In the order of their next turns. Each has one waiting caller or more, in order.
        self._waiting: dict[str | None, deque[anyio.Event]] = {}

    @asynccontextmanager
    async def turn(self, tenant: str | None) -> AsyncGenerator[None, None]:
        """Wait for a turn, and return it when the block ends.

        Args:
            tenant: `None` for work of no tenant.
        """
        await self._begin(tenant)
        try:
            yield
        finally:
            self._end()

    async def _begin(self, tenant: str | None) -> None:
        if self._left:
            self._left -= 1
            return
        turn = anyio.Event()
        self._waiting.setdefault(tenant, deque()).append(turn)
        try:
            await turn.wait()
        except BaseException:
            if turn.is_set():
                self._end()
            else:
                self._leave(tenant, turn)
            raise

    def _end(self) -> None:
        if not self._waiting:
            self._left += 1
            return
        tenant = next(iter(self._waiting))
        callers = self._waiting.pop(tenant)
        callers.popleft().set()
        if callers:
            self._waiting[tenant] = callers

    def _leave(self, tenant: str | None, turn: anyio.Event) -> None:
        callers = self._waiting[tenant]
        callers.remove(turn)
        if not callers:
            del self._waiting[tenant]
