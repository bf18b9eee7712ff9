"""Turns at the connections of a pool, fair between tenants."""

from collections import Counter, deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import islice
from time import monotonic
from typing import Final

import anyio

_ACTIVE_SECONDS: Final = 1.0
# A task that resumes later than this waits for a busy processor; see docs/decisions/0033.
_BUSY_SECONDS: Final = 0.001
_IDLE_SECONDS: Final = 0.0003


@dataclass(slots=True, eq=False)
class _Wait:
    granted: anyio.Event = field(default_factory=anyio.Event)
    granted_at: float = 0.0


class FairTurns:
    """A number of turns at a time; tenants that wait get one each in rotation, however many of a tenant's callers wait.

    While several tenants are active and the processor is busy, each has few turns at a time: more would not be faster,
    and the callers of another tenant would share the processor with all of them. How busy it is shows in how late a
    task resumes. Used by one event loop.

    Args:
        size: turns at a time, 1 or more.
    """

    def __init__(self, size: int) -> None:
        self._size = self._left = size
        self._limit = float(size)
        self._running = Counter[str]()
        # The two tenants that were active last, and when; the latest last.
        self._active: dict[str, float] = {}
        # In the order of their next turns. Each has one waiting caller or more, in order.
        self._waiting: dict[str | None, deque[_Wait]] = {}

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
            self._end(tenant)

    async def _begin(self, tenant: str | None) -> None:
        self._note_active(tenant)
        if tenant not in self._waiting and self._is_allowed(tenant):
            self._count(tenant, 1)
            return
        wait = _Wait()
        self._waiting.setdefault(tenant, deque()).append(wait)
        try:
            await wait.granted.wait()
        except BaseException:
            if wait.granted.is_set():
                self._end(tenant)
            else:
                self._leave(tenant, wait)
            raise
        self._adapt(monotonic() - wait.granted_at)

    def _end(self, tenant: str | None) -> None:
        self._count(tenant, -1)
        while self._left and (allowed := list(islice(filter(self._is_allowed, self._waiting), 1))):
            self._grant(allowed[0])

    def _grant(self, tenant: str | None) -> None:
        callers = self._waiting.pop(tenant)
        wait = callers.popleft()
        wait.granted_at = monotonic()
        wait.granted.set()
        self._count(tenant, 1)
        if callers:
            self._waiting[tenant] = callers

    def _count(self, tenant: str | None, turns: int) -> None:
        self._left -= turns
        if tenant is not None:
            self._running[tenant] += turns
            if not self._running[tenant]:
                del self._running[tenant]

    def _is_allowed(self, tenant: str | None) -> bool:
        """Return True if a tenant may have one more turn now."""
        if not self._left:
            return False
        if tenant is None or self._running[tenant] < self._limit:
            return True
        return not self._has_other(tenant)

    def _has_other(self, tenant: str) -> bool:
        """Return True if another tenant is active."""
        if len(self._running) > (tenant in self._running):
            return True
        if len(self._waiting) > (tenant in self._waiting) + (None in self._waiting):
            return True
        since = monotonic() - _ACTIVE_SECONDS
        return any(other != tenant and at > since for other, at in self._active.items())

    def _note_active(self, tenant: str | None) -> None:
        if tenant is not None:
            self._active.pop(tenant, None)
            self._active[tenant] = monotonic()
            if len(self._active) > 2:
                del self._active[next(iter(self._active))]

    def _adapt(self, seconds: float) -> None:
        """Adapt the turns of a tenant to the time after which a task resumed."""
        if seconds > _BUSY_SECONDS:
            self._limit = max(1.0, 0.8 * self._limit)
        elif seconds < _IDLE_SECONDS:
            self._limit = min(float(self._size), self._limit + 0.1)

    def _leave(self, tenant: str | None, wait: _Wait) -> None:
        callers = self._waiting[tenant]
        callers.remove(wait)
        if not callers:
            del self._waiting[tenant]
