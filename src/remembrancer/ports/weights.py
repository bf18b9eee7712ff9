"""Where the moves of feedback weights are kept."""

from typing import Protocol

from remembrancer.model.verdict import Move


class Weights(Protocol):
    """How outcomes of sessions have moved the weights of memories of the exact scope."""

    async def add(self, move: Move) -> None:
        """Note that the feedback weight of a memory was moved, and move it: of a wider scope, for this one alone."""
        ...

    async def of(self, record: str) -> list[Move]:
        """The moves of a memory, the earliest first."""
        ...

    async def within(self, session: str) -> list[Move]:
        """The moves by the outcome of a session."""
        ...
