"""Turns at the connections of a pool, fair between tenants."""

from collections import defaultdict, deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import islice
from time import monotonic
from typing import Final

import anyio

from remembrancer.storage.postgres.processor import PROCESSOR, Processor

# So long after its last call a tenant is active. An older turn waits for something, and does not count as computing.
_ACTIVE_SECONDS: Final = 1.0


@dataclass(slots=True, eq=False)
class _Wait:
    granted: anyio.Event = field(default_factory=anyio.Event)
    began: float = 0.0


class FairTurns:
    """A number of turns at a time; tenants that wait get one each in rotation, however many of a tenant's callers wait.

    While several tenants are active and the processor is busy, each has few turns at a time: more would not be faster,
    and the callers of another tenant would share the processor with all of them. Used by one event loop.

    Args:
        size: turns at a time, 1 or more.
        processor: who works in a turn looks at it.
    """

    def __init__(self, size: int, *, processor: Processor = PROCESSOR) -> None:
        self._size = self._left = size
        self._limit = float(size)
        self._processor = processor
        self._looks = processor.looks
        # When the running turns of each tenant began.
        self._running = defaultdict[str | None, list[float]](list)
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
        began = await self._begin(tenant)
        try:
            yield
        finally:
            self._end(tenant, began)

    async def _begin(self, tenant: str | None) -> float:
        """Wait for a turn; return the time at which it began."""
        if tenant not in self._waiting and self._is_allowed(tenant):
            return self._start(tenant)
        wait = _Wait()
        self._note_active(tenant)
        self._waiting.setdefault(tenant, deque()).append(wait)
        try:
            while not wait.granted.is_set():
                # Since the last turn ended, others may have become inactive.
                self._grant_all()
                with anyio.move_on_after(_ACTIVE_SECONDS):
                    await wait.granted.wait()
        except BaseException:
            if wait.granted.is_set():
                self._end(tenant, wait.began)
            else:
                self._leave(tenant, wait)
            raise
        return wait.began

    def _start(self, tenant: str | None) -> float:
        self._left -= 1
        self._note_active(tenant)
        began = monotonic()
        self._running[tenant].append(began)
        return began

    def _end(self, tenant: str | None, began: float) -> None:
        self._left += 1
        self._running[tenant].remove(began)
        if not self._running[tenant]:
            del self._running[tenant]
        self._grant_all()

    def _grant_all(self) -> None:
        """Grant each turn that may begin now."""
        self._adapt()
        while self._left and (allowed := list(islice(filter(self._is_allowed, self._waiting), 1))):
            (tenant,) = allowed
            callers = self._waiting.pop(tenant)
            wait = callers.popleft()
            wait.began = self._start(tenant)
            wait.granted.set()
            if callers:
                self._waiting[tenant] = callers

    def _is_allowed(self, tenant: str | None) -> bool:
        """Return True if a tenant may have one more turn now."""
        if not self._left:
            return False
        since = monotonic() - _ACTIVE_SECONDS
        if tenant is None or sum(began > since for began in self._running.get(tenant, ())) < self._limit:
            return True
        has_waiting = len(self._waiting) > (tenant in self._waiting) + (None in self._waiting)
        return not (has_waiting or any(other != tenant and at > since for other, at in self._active.items()))

    def _note_active(self, tenant: str | None) -> None:
        if tenant is not None:
            self._active.pop(tenant, None)
            self._active[tenant] = monotonic()
            if len(self._active) > 2:
                del self._active[next(iter(self._active))]

    def _adapt(self) -> None:
        """Adapt the turns of a tenant to the last look at the processor."""
        if self._looks != self._processor.looks:
            self._looks = self._processor.looks
            is_busy = self._processor.is_busy
            self._limit = max(1.0, 0.5 * self._limit) if is_busy else min(float(self._size), self._limit + 1.0)

    def _leave(self, tenant: str | None, wait: _Wait) -> None:
        callers = self._waiting[tenant]
        callers.remove(wait)
        if not callers:
            del self._waiting[tenant]
