"""The rows of a SQLite database of another program, as JSON lines."""

import json
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from typing import IO, Final, LiteralString

import apsw

from remembrancer.errors import InvalidInput
from remembrancer.storage.sqlite.connection import Row

_HEADER: Final = b"SQLite format 3\0"


def is_sqlite(head: bytes) -> bool:
    """Return True for the first bytes of a SQLite database."""
    return head.startswith(_HEADER)


def tables_of(path: str) -> set[str]:
    """Return the names of the tables of a database.

    Raises:
        InvalidInput: it cannot be read.
    """
    with _opened(path) as connection:
        rows: Iterable[Row] = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")  # pyright: ignore[reportUnknownMemberType] -- apsw's stubs
        return {str(name) for (name,) in rows}


def write_rows(
    path: str,
    queries: Mapping[str, LiteralString],
    stream: IO[bytes],
    *,
    table: str,
    unpack: Callable[[bytes], object],
) -> None:
    """Write the rows of queries, each as a JSON object on a line. The database is only read.

    Args:
        queries: by the name of the table that the rows have.
        table: the field for that name.
        unpack: returns the value of bytes that are no text, or `None`.

    Raises:
        InvalidInput: the database cannot be read.
    """
    with _opened(path) as connection:
        for name, query in queries.items():
            cursor: apsw.Cursor = connection.execute(query)  # pyright: ignore[reportUnknownMemberType] -- apsw's stubs
            columns = list[str]()
            for values in cursor:
                columns = columns or [column for column, *_ in cursor.get_description()]
                row = {name: _value(value, unpack) for name, value in zip(columns, values, strict=True)}
                stream.write(json.dumps({table: name, **row}, default=str).encode() + b"\n")


def _value(value: object, unpack: Callable[[bytes], object]) -> object:
    if not isinstance(value, bytes):
        return value
    try:
        return value.decode()
    except UnicodeDecodeError:
        return unpack(value) or f"[{len(value)} bytes]"


@contextmanager
def _opened(path: str) -> Generator[apsw.Connection]:
    """Return a block with a connection that only reads, and whose errors name the file."""
    try:
        connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
        try:
            yield connection
        finally:
            connection.close()
    except apsw.Error as error:
        raise InvalidInput(f"{path}: cannot be read as a SQLite database: {error}") from error
