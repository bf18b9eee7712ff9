"""What carries due work to workers on several machines. It may lose what it holds: all of it is derived again."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from remembrancer.types.due import Due


class Queue(Protocol):
    """Work for any number of workers, each piece for one of them."""

    async def run(
        self, *, due: Callable[[], Awaitable[list[Due]]], do: Callable[[Due], Awaitable[None]], concurrency: int
    ) -> None:
        """Put in what is due, once, and do what others or this worker put in, until cancelled.

        Args:
            due: asked from time to time, and on hints.
            do: may raise; it is then called again, after longer and longer waits.
            concurrency: how many pieces this worker does at a time, 1 or more.
        """
        ...
