"""Where sessions are kept."""

from datetime import datetime
from typing import Protocol

from remembrancer.types.session import Session


class Sessions(Protocol):
    """Sessions of the exact scope; `list` has those of all scopes for a caller who reads them."""

    async def find(self, id: str) -> Session | None:
        """The session, or `None`."""
        ...

    async def unnamed(self) -> Session | None:
        """The scope's one active session that nobody named, or `None`."""
        ...

    async def current(self) -> Session | None:
        """The active session of the scope that was used last; where none is active, the one that was used last."""
        ...

    async def put(self, session: Session) -> None:
        """Store a session as it now stands, its count of messages apart: new, or over the old one."""
        ...

    async def take_numbers(self, id: str, count: int, *, tokens: int) -> int:
        """The first of `count` fresh message numbers, which nobody else will get.

        Args:
            tokens: of all those messages; the session counts them.
        """
        ...

    async def unobserved(self, *, tokens: int) -> list[Session]:
        """Those that have so many tokens or more behind their cursor, the one that waits longest first."""
        ...

    async def stale(self, *, before: datetime) -> list[Session]:
        """Active sessions without activity since a time."""
        ...

    async def list(self, *, limit: int) -> list[Session]:
        """Sessions, the latest active first."""
        ...
