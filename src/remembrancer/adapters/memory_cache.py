"""A cache in the memory of its process."""

from collections import OrderedDict
from collections.abc import Callable
from math import inf

import anyio

# Seconds between two looks for what is over.
_LOOKED_APART = 10.0


class ProcessCache:
    """A cache of values in this process, the least lately used of which make room; see `ports.cache.Cache`.

    Args:
        most: the bytes that keys and values may have together.
        clock: seconds that only grow.
    """

    def __init__(self, most: int, *, clock: Callable[[], float] = anyio.current_time) -> None:
        self._most = most
        self._clock = clock
        self._values: OrderedDict[str, tuple[bytes, float]] = OrderedDict()
        self._size = 0
        self._looked_at = -inf

    @property
    def size(self) -> int:
        """Bytes of all keys and values."""
        return self._size

    async def get(self, key: str) -> bytes | None:
        """The value of a key, while it is kept; `None` where there is none."""
        value, until = self._values.get(key, (None, 0.0))
        if value is None:
            return None
        if self._clock() >= until:
            self._let_go(key)
            return None
        self._values.move_to_end(key)
        return value

    async def put(self, key: str, value: bytes, *, seconds: float) -> None:
        """Keep a value for so long at most; one that is larger than all that is kept is not kept."""
        self._let_go(key)
        self._let_go_of_the_old()
        if len(key) + len(value) > self._most:
            return
        self._values[key] = (value, self._clock() + seconds)
        self._size += len(key) + len(value)
        while self._size > self._most:
            self._let_go(next(iter(self._values)))

    async def drop(self, prefix: str) -> bool:
        """Let go of every value whose key begins so."""
        for key in [key for key in self._values if key.startswith(prefix)]:
            self._let_go(key)
        return True

    async def close(self) -> None:
        """Let go of everything in the cache."""
        self._values.clear()
        self._size = 0

    def _let_go_of_the_old(self) -> None:
        """What is over is not to stay until somebody asks for it: it may have been erased elsewhere."""
        now = self._clock()
        if now - self._looked_at < _LOOKED_APART:
            return
        self._looked_at = now
        for key in [key for key, (_, until) in self._values.items() if now >= until]:
            self._let_go(key)

    def _let_go(self, key: str) -> None:
        value, _ = self._values.pop(key, (None, 0.0))
        if value is not None:
            self._size -= len(key) + len(value)
