"""Where it is kept how far messages were observed."""

from typing import Protocol

from remembrancer.model.chunk import Chunk


class Chunks(Protocol):
    """Runs of messages of the exact scope that an observer came by."""

    async def add(self, chunk: Chunk) -> None:
        """Store the run that follows the last one of its session, and move the session's cursor to its end.

        Raises:
            Conflict: it does not begin where the cursor stands.
        """
        ...

    async def put(self, chunk: Chunk) -> None:
        """Store a run as it now stands, over itself; its messages stay."""
        ...

    async def find(self, session: str, first: int) -> Chunk | None:
        """The run that begins with a message, or `None`."""
        ...

    async def failed(self, *, limit: int) -> list[Chunk]:
        """Those that a model could not observe, the latest first."""
        ...

    async def list(self, session: str | None) -> list[Chunk]:
        """Those of a session, or of every one, by session and number."""
        ...
