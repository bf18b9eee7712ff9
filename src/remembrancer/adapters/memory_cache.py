"""A cache in the memory of a process."""

from collections import OrderedDict
from collections.abc import Callable
from math import inf

import anyio

_CLEANUP_SECONDS = 10.0


class ProcessCache:
    """A cache that evicts the least recently used values.

    Args:
        max_bytes: maximum size of all keys and values.
        clock: monotonic seconds.
    """

    def __init__(self, max_bytes: int, *, clock: Callable[[], float] = anyio.current_time) -> None:
        self._max_bytes = max_bytes
        self._clock = clock
        self._values: OrderedDict[str, tuple[bytes, float]] = OrderedDict()
        self._size = 0
        self._cleaned_at = -inf

    @property
    def size(self) -> int:
        """Return the size of all keys and values in bytes."""
        return self._size

    async def get(self, key: str) -> bytes | None:
        """Return the value of a key, `None` if it is missing or expired."""
        value, expires_at = self._values.get(key, (None, 0.0))
        if value is None:
            return None
        if self._clock() >= expires_at:
            self._remove(key)
            return None
        self._values.move_to_end(key)
        return value

    async def put(self, key: str, value: bytes, *, seconds: float) -> None:
        """Store a value for at most `seconds`; a value larger than the cache is not stored."""
        self._remove(key)
        self._remove_expired()
        if len(key) + len(value) > self._max_bytes:
            return
        self._values[key] = (value, self._clock() + seconds)
        self._size += len(key) + len(value)
        while self._size > self._max_bytes:
            self._remove(next(iter(self._values)))

    async def drop(self, prefix: str) -> bool:
        """Remove every value whose key has a prefix."""
        for key in [key for key in self._values if key.startswith(prefix)]:
            self._remove(key)
        return True

    async def close(self) -> None:
        """Remove all values."""
        self._values.clear()
        self._size = 0

    def _remove_expired(self) -> None:
        """Remove all expired values, since they may contain data that was erased elsewhere."""
        now = self._clock()
        if now - self._cleaned_at < _CLEANUP_SECONDS:
            return
        self._cleaned_at = now
        for key in [key for key, (_, expires_at) in self._values.items() if now >= expires_at]:
            self._remove(key)

    def _remove(self, key: str) -> None:
        value, _ = self._values.pop(key, (None, 0.0))
        if value is not None:
            self._size -= len(key) + len(value)
