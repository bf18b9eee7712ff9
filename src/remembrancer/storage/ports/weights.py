"""Where the moves of feedback weights are kept."""

from typing import Protocol

from remembrancer.types.verdict import Move
from remembrancer.types.weighed import Weighed


class Weights(Protocol):
    """How outcomes of sessions have moved the weights of memories of the exact scope."""

    async def add(self, move: Move) -> None:
        """Note that the feedback weight of a memory was moved, and move it: of a wider scope, for this one alone."""
        ...

    async def start(self, weighed: Weighed) -> None:
        """Give a memory of the exact scope the feedback weight from which outcomes move it."""
        ...

    async def now(self, record: str) -> float:
        """The feedback weight of a memory for the exact scope, in [0, 1]; 1 of one that is not here."""
        ...

    async def of(self, record: str) -> list[Move]:
        """The moves of a memory, the earliest first."""
        ...

    async def within(self, session: str) -> list[Move]:
        """The moves by the outcome of a session."""
        ...
