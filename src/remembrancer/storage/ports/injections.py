"""Where it is kept what was put before agents."""

from collections.abc import Sequence
from typing import Protocol

from remembrancer.types.injection import Injection


class Injections(Protocol):
    """What was put before agents in the exact scope."""

    async def add(self, injections: Sequence[Injection]) -> None:
        """Write what was put before an agent; once, however often it is told."""
        ...

    async def list(self, session: str, *, limit: int) -> Sequence[Injection]:
        """What was put before an agent in a session, the latest first; so many memories at most."""
        ...
