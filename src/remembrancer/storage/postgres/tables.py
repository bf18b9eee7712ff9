"""The tables of a store in PostgreSQL, for copying.

Row-level security applies here too: rows are read and written one tenant after the other.
"""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import datetime
from typing import LiteralString, TypeVar, cast

import numpy as np
import psycopg

from remembrancer.storage import tables
from remembrancer.storage.postgres.connection import READ, WRITE, PostgresConnection, Raw, translated
from remembrancer.storage.postgres.dialect import as_halfvec
from remembrancer.storage.postgres.primary import connected
from remembrancer.storage.tables import COLUMNS, Column, Row, StoreTable, ValueForm
from remembrancer.storage.threads import in_thread, in_thread_surely
from remembrancer.storage.values import from_micros, to_micros

_MARK: LiteralString = "%s"
# halfvec_send: the dimension and a reserved number, two bytes each, before the numbers.
_VECTOR_HEAD = 4
# Their first column is numbered by the database.
_NUMBERED = (StoreTable.SCOPES, StoreTable.RECORDS, StoreTable.VECTORS, StoreTable.AUDIT)
T = TypeVar("T")


def known_key(url: str) -> str | None:
    """Return a database's record of its keys, see `known_by`; `None` if there is none yet.

    Raises:
        StoreUnavailable: the server cannot be reached.
    """
    with translated(), connected(url) as raw:
        connection = PostgresConnection(raw)
        if connection.value("SELECT to_regclass('remembrancer_ops.store')") is None:
            return None
        return connection.value("SELECT fingerprint FROM remembrancer_ops.store")


class PostgresSnapshot:
    """All that the store contains, as of one moment; see `Snapshot`."""

    def __init__(self, connection: PostgresConnection) -> None:
        self._connection = connection
        self._tenant = ""
        self._scopes: list[int] = []

    async def tenants(self) -> list[str]:
        """Return the tenants of the store."""
        return sorted(row[0] for row in await _run(lambda: self._connection.rows("SELECT tenants()")))

    async def count(self, table: StoreTable, tenant: str) -> int:
        """Return the number of rows of a tenant in a table."""
        return await _run(lambda: tables.count(self._of(tenant), table, tenant, mark=_MARK))

    async def page(self, table: StoreTable, tenant: str, *, after: Row | None, limit: int) -> list[Row]:
        """Return the next rows of a tenant, in an order that is the same in every store."""
        return await _run(lambda: self._page(table, tenant, after, limit))

    def _page(self, table: StoreTable, tenant: str, after: Row | None, limit: int) -> list[Row]:
        rows = tables.page(
            self._of(tenant),
            table,
            select=", ".join(_selected(column) for column in COLUMNS[table]),
            mark=_MARK,
            tenant=tenant,
            scopes=self._scopes,
            after=None if after is None else tables.converted(table, after, _stored),
            limit=limit,
        )
        return [tables.converted(table, row, _neutral) for row in rows]

    def _of(self, tenant: str) -> tables.Ask:
        """Return the query function of the connection, which sees one tenant."""
        if self._tenant != tenant:
            self._connection.rows("SELECT set_config('remembrancer.tenant', %s, true)", (tenant,))
            self._tenant, self._scopes = tenant, tables.scopes(self._connection.rows, tenant, mark=_MARK)
        return self._connection.rows


class PostgresTables:
    """The tables of a store; see `Tables`. Open it with `PostgresTables.open`, on a database that a store accepts."""

    def __init__(self, url: str, writer: Raw, identity: str, statement_seconds: float) -> None:
        self._url = url
        self._writer = writer
        self._statement_seconds = statement_seconds
        self.identity = identity

    @classmethod
    @asynccontextmanager
    async def open(cls, url: str, *, statement_seconds: float) -> AsyncGenerator["PostgresTables", None]:
        """Connect as the serving role.

        Args:
            statement_seconds: the limit for a statement.
        """
        writer = await _run(lambda: connected(url))
        try:
            # Neither needs a privilege, and no two databases have both in common.
            identity: str = await _run(
                lambda: PostgresConnection(writer).value(
                    "SELECT 'server of ' || extract(epoch FROM pg_postmaster_start_time()) || ', database ' || oid"
                    " FROM pg_database WHERE datname = current_database()"
                )
            )
            yield cls(url, writer, identity, statement_seconds)
        finally:
            await in_thread_surely(writer.close)

    @asynccontextmanager
    async def snapshot(self) -> AsyncGenerator[PostgresSnapshot, None]:
        """Read everything as of one moment."""
        reader = await _run(lambda: connected(self._url))
        try:
            connection = PostgresConnection(reader)
            await _run(lambda: connection.begin(READ, tenant=None, timeout=self._statement_seconds))
            yield PostgresSnapshot(connection)
        finally:
            await in_thread_surely(reader.close)

    async def write(self, table: StoreTable, tenant: str, rows: Sequence[Row]) -> None:
        """Add rows of one tenant unchanged, in one transaction; numbers that are assigned later follow."""
        await _run(lambda: self._write(table, tenant, rows))

    def _write(self, table: StoreTable, tenant: str, rows: Sequence[Row]) -> None:
        connection = PostgresConnection(self._writer)
        connection.begin(WRITE, tenant=tenant, timeout=self._statement_seconds)
        try:
            values = [tables.converted(table, row, _stored) for row in rows]
            if table is StoreTable.GENERATIONS:
                connection.run_many("SELECT copy_generation(%s, %s, %s, %s, %s, %s, %s)", values)
            else:
                marks = ", ".join(_mark(column) for column in COLUMNS[table])
                connection.run_many(tables.insertion(table, marks, how="OVERRIDING SYSTEM VALUE"), values)
                if table in _NUMBERED:
                    connection.rows("SELECT number_after(%s, %s)", (table.value, max(row[0] for row in rows)))
            connection.commit()
        except BaseException:
            with suppress(psycopg.Error):
                self._writer.execute("ROLLBACK", prepare=False)
            raise


def _selected(column: Column) -> LiteralString:
    match column.form:
        case ValueForm.JSON:
            return column.name + "::text"
        case ValueForm.VECTOR:
            return "halfvec_send(" + column.name + ")"
        case _:
            return column.name


def _mark(column: Column) -> LiteralString:
    return "%s::halfvec" if column.form is ValueForm.VECTOR else _MARK


def _neutral(column: Column, value: object) -> object:
    match column.form:
        case ValueForm.MOMENT:
            return to_micros(cast(datetime, value))
        case ValueForm.VECTOR:
            return np.frombuffer(cast(bytes, value), dtype=">f2", offset=_VECTOR_HEAD).astype("<f2").tobytes()
        case _:
            return value


def _stored(column: Column, value: object) -> object:
    match column.form:
        case ValueForm.MOMENT:
            return from_micros(cast(int, value))
        case ValueForm.VECTOR:
            return as_halfvec(np.frombuffer(cast(bytes, value), dtype="<f2"))
        case _:
            return value


async def _run(work: Callable[[], T]) -> T:
    return await in_thread(work)
