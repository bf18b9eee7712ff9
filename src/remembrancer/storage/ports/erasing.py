"""Where all that is of one exact scope can be removed at once."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from remembrancer.types.scope import Scope


class Row(NamedTuple):
    """What a row tells.

    Args:
        texts: all that it holds.
        is_said: whether it is a memory that somebody brought in: not one that was concluded.
        at: since when it reads so, in microseconds; `None` where that is not known.
    """

    texts: Sequence[str]
    is_said: bool
    at: int | None


class Erasing(Protocol):
    """The whole of one exact scope, for its erasure."""

    async def rows(self) -> Mapping[str, int]:
        """How many rows the exact scope has in each table that has any."""
        ...

    async def kinds(self) -> Mapping[str, str]:
        """The kind of every record of the exact scope by its id, in whatever status."""
        ...

    async def said(self, ids: Sequence[str] | None = None) -> list[tuple[str, datetime]]:
        """Of records of the exact scope the hash of each wording that they had, and when that was said or done.

        A wording that is not in the form in which texts are compared has the hash of that form, too.

        Args:
            ids: of which records; of all, where none are given.
        """
        ...

    async def told(self, ids: Sequence[str] | None = None) -> list[tuple[str, int]]:
        """Every wording of records of the exact scope that people and agents brought in.

        Each with the time since when it was there, in microseconds.

        Args:
            ids: of which records; of all, where none are given.
        """
        ...

    async def resting_elsewhere(self) -> list[tuple[Scope, str]]:
        """Scopes and ids of the records of other scopes of the tenant that rest on records of the exact one."""
        ...

    async def session(self, id: str) -> Mapping[str, int]:
        """Remove all rows of a session of the exact scope but its memories; how many, by table."""
        ...

    async def all(self) -> Mapping[str, int]:
        """Remove every row of the exact scope and the scope itself, its key with it; how many, by table.

        What models cost stays in the tenant's ledger, of nobody.
        """
        ...

    async def bury(self, marks: Sequence[str]) -> None:
        """Store that what these marks stand for was erased."""
        ...

    async def marks(self) -> set[str]:
        """Every mark of the exact scope."""
        ...

    async def look(self, see: Callable[[Sequence[Row]], None]) -> int:
        """Show what the tenant's rows tell, some at a time; how many rows there are."""
        ...
