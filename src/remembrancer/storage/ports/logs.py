"""Where it is kept how long the logs of conversations are."""

from typing import Protocol

from remembrancer.types.chunk import Log


class Logs(Protocol):
    """What an agent reads of its past, in numbers, in the exact scope."""

    async def find(self, session: str) -> Log:
        """The log of a session, or of the whole scope under `""`; one with nothing in it where there is none."""
        ...

    async def put(self, log: Log) -> None:
        """Store a log as it now stands."""
        ...

    async def list(self, *, tokens: int, fresh: int) -> list[Log]:
        """Those that have so many tokens, and so many fresh ones."""
        ...
