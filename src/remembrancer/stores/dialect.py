"""What every dialect is to the stores that are written once: a connection, an exact scope, and how it keeps values."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, LiteralString, Protocol, TypeVar

from remembrancer.model.scope import Scope

T = TypeVar("T")


class Connection(Protocol):
    """A dialect's connection."""

    def rows(self, sql: LiteralString, values: Sequence[object], /) -> list[tuple[Any, ...]]:
        """Every row that a statement returns."""
        ...

    def run(self, sql: LiteralString, values: Sequence[object], /) -> int:
        """Run a statement; how many rows it changed."""
        ...

    def set_each(
        self,
        table: LiteralString,
        columns: Mapping[LiteralString, LiteralString],
        scope: int,
        rows: Sequence[Sequence[object]],
        /,
    ) -> None:
        """Set some columns in many rows of a scope.

        Args:
            columns: their types, by name.
            rows: of each its id, and what the columns become.
        """
        ...


class Shard(Protocol):
    """A dialect's exact scope."""

    @property
    def connection(self) -> Connection:
        """The transaction's own."""
        ...

    @property
    def scope(self) -> Scope:
        """Whose it is."""
        ...

    @property
    def exact(self) -> int:
        """The scope's number."""
        ...

    def writable(self) -> int:
        """The scope's number, which is made on the first write."""
        ...

    async def run(self, work: Callable[[], T]) -> T:
        """Do blocking work with the connection."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How a database takes values.

    Args:
        mark: its placeholder for a value.
        kept, told: how it keeps a time, and that back.
        truth: how it keeps a truth.
    """

    mark: LiteralString
    kept: Callable[[datetime], Any]
    told: Callable[[Any], datetime]
    truth: Callable[[bool], object]

    def marks(self, count: int) -> LiteralString:
        """Placeholders for so many values."""
        return ", ".join(self.mark for _ in range(count))
