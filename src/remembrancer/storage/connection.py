"""A connection to a database of either kind, for statements of its own dialect."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, LiteralString

from remembrancer.errors import StoreError

Row = tuple[Any, ...]
Arguments = Sequence[object] | Mapping[str, object]
"""Values of a statement, by their order or by name."""


class SqlConnection(ABC):
    """A connection to a database. Blocking; used by one thread at a time.

    Attributes:
        has_locks: whether several writers may be in transactions at once, so that `lock` has to make some of them wait.
    """

    has_locks: ClassVar[bool] = False

    @abstractmethod
    def rows(self, statement: LiteralString, values: Arguments = (), *, replan: bool = False) -> list[Row]:
        """Return every row of a statement.

        Args:
            replan: for statements whose best plan depends on their values: no plan is kept for the next time.
        """

    def row(self, statement: LiteralString, values: Arguments = ()) -> Row | None:
        """Return the first row of a statement, or `None`."""
        return next(iter(self.rows(statement, values)), None)

    def only(self, statement: LiteralString, values: Arguments = ()) -> Row:
        """Return the first row of a statement that must return one.

        Raises:
            StoreError: it returns none.
        """
        row = self.row(statement, values)
        if row is None:
            raise StoreError("the database lacks a row that it must have; restore a backup")
        return row

    def value(self, statement: LiteralString, values: Arguments = ()) -> Any:
        """Return the first column of the first row, or `None`."""
        row = self.row(statement, values)
        return None if row is None else row[0]

    @abstractmethod
    def run(self, statement: LiteralString, values: Arguments = ()) -> int:
        """Run a statement; return the number of rows that it changed."""

    @abstractmethod
    def run_many(self, statement: LiteralString, values: Sequence[Arguments]) -> None:
        """Run a statement once for each set of values."""

    @abstractmethod
    def set_each(
        self,
        table: LiteralString,
        columns: Mapping[LiteralString, LiteralString],
        scope: int,
        rows: Sequence[Sequence[object]],
    ) -> None:
        """Set some columns in many rows of a scope.

        Args:
            columns: their types, by name.
            rows: of each its id, then the new values of the columns.
        """

    @abstractmethod
    def insert_each(
        self, table: LiteralString, columns: Mapping[LiteralString, LiteralString], rows: Sequence[Sequence[object]]
    ) -> None:
        """Insert many rows; one that exists stays as it is.

        Args:
            columns: their types, by name.
        """

    def lock(self, kind: int, name: str) -> None:  # noqa: B027 -- a database with one writer has no locks
        """Wait for the lock of a kind and a name, and keep it to the end of the transaction."""
