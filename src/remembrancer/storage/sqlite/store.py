"""The embedded store: one file in WAL mode, one writer at a time over all processes, a few readers.

Each transaction has a connection of its own and does its blocking work in threads.
"""

import os
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, nullcontext, suppress
from dataclasses import asdict
from functools import partial
from typing import LiteralString, TypeVar

import anyio

from remembrancer.errors import StoreError, StoreUnavailable
from remembrancer.storage.sql import DUE_SCOPES, SCOPES, SqlStore
from remembrancer.storage.sqlite.connection import CLOSED, PATIENCE_SECONDS, SQLiteConnection
from remembrancer.storage.sqlite.dialect import DIALECT
from remembrancer.storage.sqlite.file import IN_MEMORY, FileOptions, bytes_on_disk, open_file
from remembrancer.storage.sqlite.indexes import SQLiteIndexedDocuments, SQLiteTextIndex, SQLiteTextIndexWriter
from remembrancer.storage.sqlite.vectors import Matrices, SQLiteVectors
from remembrancer.storage.threads import in_thread, in_thread_surely
from remembrancer.storage.tx import Indexes
from remembrancer.storage.values import scope_of
from remembrancer.types.index import Space, SpaceState
from remembrancer.types.jobs import DueWork, Finding, Purpose, StoreFault, Thresholds
from remembrancer.types.replicas import ReplicaState
from remembrancer.types.scope import Scope

_READERS = 4
_SCRUB_SECONDS = 1.0
_CHECKPOINT_SECONDS = 0.5
_DUE: LiteralString = " UNION ".join(
    "SELECT DISTINCT scopes.tenant, '" + purpose.value + "' FROM scopes WHERE id IN (" + scopes + ")"
    for purpose, scopes in DUE_SCOPES.items()
)
# The numbers of the log have no gaps, and SQLite keeps the last one that it assigned.
_LACKS_ITS_END: LiteralString = """
    SELECT 1 FROM sqlite_sequence WHERE name = 'audit' AND seq > (SELECT COALESCE(MAX(sequence), 0) FROM audit)
"""
T = TypeVar("T")


class SQLiteStore(SqlStore[SQLiteConnection]):
    """A database of memories in one file; open it with `SQLiteStore.open`."""

    def __init__(self, path: str, writer: SQLiteConnection, secret: bytes, *, patience: float) -> None:
        super().__init__(DIALECT, secret)
        self._path = path
        self._writer = writer
        self._writing_turn = anyio.Lock()
        self._readers: list[SQLiteConnection] = []
        self._reading_turn = anyio.Semaphore(_READERS)
        self._matrices = Matrices()
        self._closed = False
        self._patience = patience
        # Set where the journal may contain what the main file lacks.
        self._journalled = anyio.Event()
        self._journalled.set()

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        path: str | os.PathLike[str],
        *,
        secret: str | None = None,
        durable: bool = False,
        create: bool = True,
        keep_key: bool = False,
        known: str | None = None,
        patience: float = PATIENCE_SECONDS,
    ) -> AsyncGenerator["SQLiteStore", None]:
        """Open or create the file, brought up to date.

        Args:
            path: a file, or `:memory:` for a trial that one process keeps.
            secret: the store's key; by default that of the file `PATH.key`, which is created with the store.
            durable: survive a power cut too, at a third of the speed; a killed process loses nothing either way.
            create: whether a missing file is created.
            keep_key: whether a store that is created now keeps the `secret` in the file `PATH.key`.
            known: the record of its keys for a store that is created now as a copy of another.
            patience: seconds to wait for another process that has locked the file.

        Raises:
            InvalidInput: the path is no file's, the file is missing and not to be created, or the key is another
                store's.
            StoreUnavailable: the folder is missing, or the file cannot be opened.
            SchemaMismatch: the file was written by a newer version.
            StoreError: the key file is missing, or another store's.
        """
        name = os.fspath(path)
        options = FileOptions(
            secret=secret, durable=durable, create=create, keep_key=keep_key, known=known, patience=patience
        )
        writer, key = await in_thread(lambda: open_file(name, options))
        store = cls(name, writer, key, patience=patience)
        try:
            yield store
        finally:
            with anyio.CancelScope(shield=True):
                await store.close()

    async def close(self) -> None:
        """Close every connection once running transactions are over."""
        async with self._writing_turn:
            self._closed = True
            connections = [*self._readers, self._writer]
            self._readers.clear()
            # Another process that has the file open keeps SQLite from doing so as the last connection closes.
            if self._journalled.is_set() and self._path != IN_MEMORY:
                with suppress(StoreError):
                    await in_thread(self._writer.checkpoint)
            await in_thread(lambda: [connection.close() for connection in connections])

    @property
    def is_durable(self) -> bool:
        return self._path != IN_MEMORY

    async def scopes(self, tenant: str | None = None) -> list[Scope]:
        chosen: LiteralString = "" if tenant is None else "WHERE tenant = :tenant "
        values = None if tenant is None else {"tenant": tenant}
        return [scope_of(row) for row in await self._rows(SCOPES + chosen + "ORDER BY id", values)]

    async def tenants(self) -> list[str]:
        return [row[0] for row in await self._rows("SELECT DISTINCT tenant FROM scopes ORDER BY tenant")]

    async def due(self, limits: Thresholds) -> list[DueWork]:
        rows = await self._rows(_DUE + " ORDER BY 1, 2", asdict(limits))
        return [DueWork(tenant=row[0], purpose=Purpose(row[1])) for row in rows]

    async def hint(self) -> None:
        # Processes that share a file look for themselves.
        pass

    async def wait_for_hint(self, seconds: float) -> None:
        await anyio.sleep(seconds)

    async def switch_generation(self, number: int) -> None:
        await super().switch_generation(number)
        self._matrices.clear()

    async def scrub(self) -> bool:
        async with self._writing_turn:
            return await in_thread(lambda: self._writer.truncate_journal(_SCRUB_SECONDS))

    async def checkpoint(self) -> None:
        """Copy what was committed from the journal to the main file, except for what readers need in the journal.

        A connection of its own does that, and no writer waits for it. Where nothing was written since, it does nothing.
        """
        if self._path == IN_MEMORY or not self._journalled.is_set():
            return
        self._journalled = anyio.Event()
        is_complete = False
        try:
            is_complete = await in_thread(lambda: _checkpoint_separately(self._path))
        finally:
            if not is_complete:
                self._journalled.set()

    async def replicas(self, *, look: bool = False) -> list[ReplicaState]:
        return []

    async def tend(self) -> None:
        if self._path == IN_MEMORY:
            return
        while True:
            await self._journalled.wait()
            await anyio.sleep(_CHECKPOINT_SECONDS)
            with suppress(StoreError):
                await self.checkpoint()

    async def compact(self) -> bool:
        async with self._writing_turn:
            try:
                await in_thread(lambda: self._writer.run("VACUUM"))
            except StoreUnavailable:
                return False
        return True

    async def damage(self) -> list[str]:
        rows = await self._read(lambda connection: connection.rows("PRAGMA quick_check(20)"))
        return [row[0] for row in rows if row[0] != "ok"]

    async def faults(self) -> list[Finding]:
        return await self._read(_faults)

    async def repair(self) -> None:
        # U+FFFD replaces bytes that are not UTF-8, where the tables accept it: the row can be read and judged again.
        await self._write(lambda connection: [connection.repair_text(damage) for damage in connection.damaged()])

    async def size(self) -> int:
        if self._path != IN_MEMORY:
            return await in_thread(lambda: bytes_on_disk(self._path))
        return await self._read(
            lambda connection: connection.value("PRAGMA page_count") * connection.value("PRAGMA page_size")
        )

    @asynccontextmanager
    async def _writing(self, scope: Scope, *, streaming: bool) -> AsyncGenerator[SQLiteConnection, None]:
        async with self._writing_turn, self._small_cache() if streaming else nullcontext():
            try:
                await in_thread(lambda: self._writer.run("BEGIN IMMEDIATE"))
                yield self._writer
                await in_thread(lambda: self._writer.run("COMMIT"))
                self._journalled.set()
            except BaseException:
                await in_thread_surely(self._writer.roll_back)
                raise

    @asynccontextmanager
    async def _reading(self, tenant: str, *, streaming: bool) -> AsyncGenerator[SQLiteConnection, None]:
        async with self._reader(streaming=streaming) as reader:
            try:
                await in_thread(lambda: reader.run("BEGIN"))
                yield reader
            finally:
                await in_thread_surely(reader.roll_back)

    async def _read(self, work: Callable[[SQLiteConnection], T], *, tenant: str | None = None) -> T:
        def transaction(reader: SQLiteConnection) -> T:
            reader.run("BEGIN")
            try:
                return work(reader)
            finally:
                reader.roll_back()

        async with self._reader() as reader:
            return await in_thread(lambda: transaction(reader))

    async def _write(self, work: Callable[[SQLiteConnection], T], *, scope: Scope | None = None) -> T:
        def transaction() -> T:
            self._writer.run("BEGIN IMMEDIATE")
            try:
                result = work(self._writer)
                self._writer.run("COMMIT")
            except BaseException:
                self._writer.roll_back()
                raise
            return result

        async with self._writing_turn:
            try:
                return await in_thread(transaction)
            finally:
                self._journalled.set()

    def _indexes_for(self, *, is_snapshot: bool) -> Indexes:
        # Vectors that a rollback removes must not stay in the shared matrices.
        matrices = self._matrices if is_snapshot else Matrices()
        return Indexes(
            writer=SQLiteTextIndexWriter,
            text_index=SQLiteTextIndex,
            vectors=partial(SQLiteVectors, matrices=matrices),
            documents=SQLiteIndexedDocuments,
        )

    def _insert_generation(self, connection: SQLiteConnection, space: Space, state: SpaceState, /) -> int | None:
        if (
            state is SpaceState.ACTIVE
            and connection.value("SELECT 1 FROM generations WHERE state = 'active'") is not None
        ):
            return None
        return connection.value(
            """
            INSERT INTO generations (name, model_version, dimension, random_cosine, random_spread, state)
            VALUES (?, ?, ?, ?, ?, ?) RETURNING number
            """,
            (space.name, space.version, space.dimension, space.random_cosine, space.random_spread, state.value),
        )

    def _switch_generation(self, connection: SQLiteConnection, number: int, /) -> bool:
        if connection.value("SELECT 1 FROM generations WHERE number = ?", (number,)) is None:
            return False
        connection.run("DELETE FROM vectors WHERE generation <> ?", (number,))
        connection.run("DELETE FROM generations WHERE number <> ?", (number,))
        connection.run("UPDATE generations SET state = 'active'")
        connection.run(
            """
            UPDATE records SET generation = CASE WHEN EXISTS (
                SELECT 1 FROM vectors WHERE vectors.document = records.document
            ) THEN ? END
            WHERE document IS NOT NULL
            """,
            (number,),
        )
        return True

    def _drop_generation(self, connection: SQLiteConnection, number: int, /) -> None:
        connection.run(
            "DELETE FROM vectors WHERE generation = ?"
            " AND generation IN (SELECT number FROM generations WHERE state = 'building')",
            (number,),
        )
        connection.run("DELETE FROM generations WHERE number = ? AND state = 'building'", (number,))

    @asynccontextmanager
    async def _reader(self, *, streaming: bool = False) -> AsyncGenerator[SQLiteConnection, None]:
        """Open a connection that cannot write, until the block ends."""
        if self._path == IN_MEMORY:
            async with self._writing_turn, self._query_only():
                yield self._writer
        elif streaming:
            reader = await in_thread(lambda: self._open_reader(streaming=True))
            try:
                yield reader
            finally:
                await in_thread_surely(reader.close)
        else:
            async with self._reading_turn:
                reader = self._readers.pop() if self._readers else await in_thread(self._open_reader)
                try:
                    yield reader
                finally:
                    self._readers.append(reader)

    @asynccontextmanager
    async def _small_cache(self) -> AsyncGenerator[None, None]:
        """Limit the writer to a few pages in memory."""
        await in_thread(self._writer.keep_little)
        try:
            yield
        finally:
            await in_thread_surely(self._writer.keep_usual)

    @asynccontextmanager
    async def _query_only(self) -> AsyncGenerator[None, None]:
        """Keep the one connection of a store in memory from writing."""
        await in_thread(lambda: self._writer.run("PRAGMA query_only = ON"))
        try:
            yield
        finally:
            await in_thread_surely(lambda: self._writer.run("PRAGMA query_only = OFF"))

    def _open_reader(self, *, streaming: bool = False) -> SQLiteConnection:
        if self._closed:
            raise StoreError(CLOSED)
        return SQLiteConnection(self._path, read_only=True, streaming=streaming, patience=self._patience)


def _checkpoint_separately(path: str) -> bool:
    """Copy the journal to the main file by another connection; return True if all of it was copied."""
    connection = SQLiteConnection(path, patience=_SCRUB_SECONDS)
    try:
        return connection.checkpoint()
    finally:
        connection.close()


def _faults(connection: SQLiteConnection) -> list[Finding]:
    orphans = Counter((row[0], row[2]) for row in connection.rows("PRAGMA foreign_key_check"))
    found = {
        StoreFault.DAMAGED_TEXT: tuple(map(str, connection.damaged())),
        StoreFault.ORPHAN_ROWS: tuple(
            f"{table} {count} without {parent}" for (table, parent), count in orphans.items()
        ),
        StoreFault.BROKEN_CHAIN: tuple("the end" for _ in connection.rows(_LACKS_ITS_END)),
    }
    return [Finding(fault=fault, where=where) for fault, where in found.items() if where]
