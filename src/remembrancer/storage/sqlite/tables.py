"""The tables of a store in SQLite, for copying."""

import os
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import LiteralString, TypeVar

from remembrancer.storage import tables
from remembrancer.storage.sqlite.connection import SQLiteConnection
from remembrancer.storage.sqlite.dialect import tags
from remembrancer.storage.sqlite.file import count_rows
from remembrancer.storage.tables import COLUMNS, Column, Row, StoreTable, ValueForm
from remembrancer.storage.threads import in_thread, in_thread_surely
from remembrancer.storage.values import to_json

_MARK: LiteralString = "?"
T = TypeVar("T")


def known_key(path: str) -> str | None:
    """Return a file's record of its keys, see `known_by`; `None` if there is no file, or no key yet."""
    if not (Path(path).is_file() and Path(path).stat().st_size):
        return None
    connection = SQLiteConnection(path, read_only=True)
    try:
        if connection.value("SELECT 1 FROM sqlite_schema WHERE name = 'store'") is None:
            return None
        return connection.value("SELECT fingerprint FROM store")
    finally:
        connection.close()


class SQLiteSnapshot:
    """All that the store contains, as of one moment; see `Snapshot`."""

    def __init__(self, connection: SQLiteConnection) -> None:
        self._connection = connection
        self._scopes: tuple[str, list[int]] = ("", [])

    async def tenants(self) -> list[str]:
        """Return the tenants of the store."""
        rows = await _run(lambda: self._connection.rows("SELECT DISTINCT tenant FROM scopes"))
        return sorted(row[0] for row in rows)

    async def count(self, table: StoreTable, tenant: str) -> int:
        """Return the number of rows of a tenant in a table."""
        return await _run(lambda: tables.count(self._connection.rows, table, tenant, mark=_MARK))

    async def page(self, table: StoreTable, tenant: str, *, after: Row | None, limit: int) -> list[Row]:
        """Return the next rows of a tenant, in an order that is the same in every store."""
        return await _run(lambda: self._page(table, tenant, after, limit))

    def _page(self, table: StoreTable, tenant: str, after: Row | None, limit: int) -> list[Row]:
        if self._scopes[0] != tenant:
            self._scopes = (tenant, tables.scopes(self._connection.rows, tenant, mark=_MARK))
        rows = tables.page(
            self._connection.rows,
            table,
            select=", ".join(column.name for column in COLUMNS[table]),
            mark=_MARK,
            tenant=tenant,
            scopes=self._scopes[1],
            after=None if after is None else tables.converted(table, after, _stored),
            limit=limit,
        )
        return [tables.converted(table, row, _neutral) for row in rows]


class SQLiteTables:
    """The tables of a store; see `Tables`. Open it with `SQLiteTables.open`, on a file that a store has created."""

    def __init__(self, path: str, writer: SQLiteConnection, identity: str) -> None:
        self._path = path
        self._writer = writer
        self.identity = identity

    @classmethod
    @asynccontextmanager
    async def open(cls, path: str, *, durable: bool = False) -> AsyncGenerator["SQLiteTables", None]:
        """Open a file that exists and is up to date."""

        def opened() -> tuple[SQLiteConnection, str]:
            found = os.stat(path)
            connection = SQLiteConnection(path, durable=durable)
            count_rows(connection)
            return connection, f"file {found.st_dev}/{found.st_ino}"

        writer, identity = await _run(opened)
        try:
            yield cls(path, writer, identity)
        finally:
            await in_thread_surely(writer.close)

    @asynccontextmanager
    async def snapshot(self) -> AsyncGenerator[SQLiteSnapshot, None]:
        """Read everything as of one moment."""

        def begun() -> SQLiteConnection:
            reader = SQLiteConnection(self._path, read_only=True)
            reader.run("BEGIN")
            # The moment is that of the first read.
            reader.rows("SELECT 1 FROM scopes LIMIT 1")
            return reader

        reader = await _run(begun)
        try:
            yield SQLiteSnapshot(reader)
        finally:
            await in_thread_surely(reader.close)

    async def write(self, table: StoreTable, tenant: str, rows: Sequence[Row]) -> None:
        """Add rows of one tenant unchanged, in one transaction."""
        await _run(lambda: self._write(table, rows))

    def _write(self, table: StoreTable, rows: Sequence[Row]) -> None:
        marks = ", ".join(_MARK for _ in COLUMNS[table])
        self._writer.run("BEGIN IMMEDIATE")
        try:
            self._writer.run_many(
                tables.insertion(table, marks), [tables.converted(table, row, _stored) for row in rows]
            )
            self._writer.run("COMMIT")
        except BaseException:
            if self._writer.in_transaction:
                self._writer.run("ROLLBACK")
            raise


def _neutral(column: Column, value: object) -> object:
    match column.form:
        case ValueForm.TRUTH:
            return bool(value)
        case ValueForm.TAGS:
            return list(tags(str(value)))
        case _:
            return value


def _stored(column: Column, value: object) -> object:
    match column.form:
        case ValueForm.TRUTH:
            return int(bool(value))
        case ValueForm.TAGS:
            return to_json(value)
        case _:
            return value


async def _run(work: Callable[[], T]) -> T:
    return await in_thread(work)
