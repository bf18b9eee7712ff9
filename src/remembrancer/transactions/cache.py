"""Where answers are kept for a while that could be made again at any time: the memory of a process, or Redis."""

from typing import Protocol


class Cache(Protocol):
    """Values by key. It never fails: where it cannot be reached nothing is found in it, and what is put is lost."""

    async def get(self, key: str) -> bytes | None:
        """The value of a key of the cache, while it is kept; `None` where there is none."""
        ...

    async def put(self, key: str, value: bytes, *, seconds: float) -> None:
        """Keep a value in the cache, for so long at most."""
        ...

    async def drop(self, prefix: str) -> bool:
        """Let go of every value of the cache whose key begins so; `False` where that could not be done."""
        ...

    async def close(self) -> None:
        """Let go of the connections of the cache."""
        ...
