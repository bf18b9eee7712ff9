"""What was said, by its numbers."""

from collections.abc import Sequence
from typing import Protocol

from remembrancer.types.line import Line
from remembrancer.types.record import Message


class Messages(Protocol):
    """Messages of the exact scope."""

    async def by_number(self, session: str, first: int, last: int) -> list[Message]:
        """Messages of a session of the exact scope, by their numbers, both inclusive; oldest first."""
        ...

    async def lines(self, session: str, spans: Sequence[tuple[int, int]]) -> list[Line]:
        """The active messages of a session of the exact scope within spans of numbers, in order.

        Args:
            spans: first and last number of each, both inclusive, in order and apart.
        """
        ...
