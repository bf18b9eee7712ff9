"""A cache in the memory of its process."""

from collections import OrderedDict
from collections.abc import Callable

import anyio


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

    def _let_go(self, key: str) -> None:
        value, _ = self._values.pop(key, (None, 0.0))
        if value is not None:
            self._size -= len(key) + len(value)
