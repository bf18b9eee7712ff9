"""Where all that is kept of the memories of one exact scope is read whole, and put whole, for archives."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from remembrancer.types.archive import Bundle, Present, Row, Sitting
from remembrancer.types.record import Kind, Record
from remembrancer.types.terms import Terms


class Archiving(Protocol):
    """The memories of one exact scope with all that is kept under them, whatever their status."""

    async def bundles(self, kind: Kind, tier: str, *, after: tuple[str, str] | None, limit: int) -> list[Bundle]:
        """The next memories of a kind, by when they were said and their ids.

        Args:
            tier: of episodes; `""` for other kinds.
            after: both of the last one of the page before; `None` begins.
        """
        ...

    async def sittings(self, *, after: str, limit: int) -> list[Sitting]:
        """The next sessions, by their ids."""
        ...

    async def sitting(self, id: str) -> Sitting | None:
        """A session, or `None`."""
        ...

    async def logs(self) -> list[Row]:
        """What agents read of their past, in numbers; under `""` that of the whole scope."""
        ...

    async def beside(self, table: str, *, after: tuple[str, str] | None, limit: int) -> list[Row]:
        """The next rows of `injections` or `weights`, by their keys."""
        ...

    def record(self, bundle: Bundle) -> Record:
        """The memory of a bundle, in the exact scope.

        Raises:
            InvalidInput: a column is missing, unknown, or of another form.
        """
        ...

    async def present(self, ids: Sequence[str]) -> dict[str, Present]:
        """Those of these memories that the tenant has, by id."""
        ...

    async def buried(self, marks: Sequence[str]) -> set[str]:
        """Those of these marks that are tombstones of the tenant."""
        ...

    async def numbered(self, session: str, numbers: Sequence[int]) -> set[int]:
        """Those of these numbers that messages of a session have."""
        ...

    async def put(self, bundles: Sequence[Bundle], terms: Sequence[Terms | None]) -> None:
        """Store memories as they are, in place of what the exact scope has under their ids."""
        ...

    async def put_sitting(self, sitting: Sitting) -> None:
        """Store a session as it is, its runs in place of those it has.

        Where messages of it did not come, those that are there are counted anew.
        """
        ...

    async def put_log(self, log: Row) -> None:
        """Store a log as it is."""
        ...

    async def put_beside(self, table: str, rows: Sequence[Row]) -> None:
        """Store those rows of `injections` or `weights` that are not there, of memories that are."""
        ...

    async def prune(self, ids: Sequence[str]) -> Mapping[str, int]:
        """Let memories rest on nothing that is not there; how many sources each has left."""
        ...
