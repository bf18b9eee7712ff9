"""Where it is kept how far messages were observed."""

from typing import Protocol

from remembrancer.types.chunk import Chunk


class Chunks(Protocol):
    """Runs of messages of the exact scope that an observer came by."""

    async def add(self, chunk: Chunk) -> None:
        """Store a run behind the last one of its session, whose cursor then moves to its end.

        Raises:
            Conflict: the cursor does not stand before its first message.
        """
        ...

    async def put(self, chunk: Chunk) -> None:
        """Store a run over the one that begins with the same message; its messages stay. Where none does, nothing."""
        ...

    async def find(self, session: str, first: int) -> Chunk | None:
        """The run that begins with a message, or `None`."""
        ...

    async def over(self, session: str, number: int) -> Chunk | None:
        """The run that a message is in, or `None`."""
        ...

    async def failed(self, *, limit: int) -> list[Chunk]:
        """Those that a model could not observe, the latest first."""
        ...

    async def list(self, session: str | None) -> list[Chunk]:
        """Those of a session, or of every one, by session and number."""
        ...
