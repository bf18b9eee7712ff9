"""The embedded store: one file in WAL mode, one writer at a time over all processes, a few readers.

Each transaction has one connection to itself and does its blocking work in threads.
"""

import json
import os
import secrets
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext, suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from time import monotonic, sleep
from typing import Any, LiteralString, TypeVar

import anyio

from remembrancer.errors import Conflict, InvalidInput, SchemaMismatch, StoreError, StoreUnavailable
from remembrancer.storage import access, breakers
from remembrancer.storage.migrations import WORDS, Migration, migrations, pending, unwritten
from remembrancer.storage.moments import to_micros
from remembrancer.storage.secret import (
    adopt_secret,
    fingerprint,
    foreign_key,
    keep_secret,
    known_by,
    load_secret,
    of_key,
    own_key,
    stage_secret,
    staged_secret,
)
from remembrancer.storage.shard import Shard
from remembrancer.storage.sqlite.connection import CLOSED, PATIENCE_SECONDS, Connection, Row
from remembrancer.storage.sqlite.dialect import DIALECT
from remembrancer.storage.sqlite.tallies import count_rows
from remembrancer.storage.sqlite.texts import SQLiteIndex, SQLiteTexts
from remembrancer.storage.sqlite.vectors import Matrices, SQLiteVectors
from remembrancer.storage.sqlite.wordings import SQLiteWordings
from remembrancer.storage.threads import in_thread, in_thread_surely
from remembrancer.storage.tx import Indexes, Tx
from remembrancer.storage.values import DAMAGED, generation_of, scope_of
from remembrancer.storage.whole import finished
from remembrancer.types.access import AccessKey
from remembrancer.types.breaker import Breaker
from remembrancer.types.call import CallPurpose
from remembrancer.types.caller import Caller
from remembrancer.types.due import Due, Purpose, Thresholds
from remembrancer.types.fault import Fault, Finding
from remembrancer.types.job import Job
from remembrancer.types.scope import Scope
from remembrancer.types.space import Generation, Space, SpaceState

IN_MEMORY = ":memory:"
_READERS = 4
_SCRUB_SECONDS = 1.0
_MAKING_SECONDS = 1.0
_CHECKPOINTS_APART = 0.5
# A lease that lasts longer was written while the clock ran ahead.
_LONGEST_LEASE: LiteralString = "86400000000"
_NOW: LiteralString = "CAST(unixepoch('subsec') * 1000000 AS INTEGER)"
_GENERATION: LiteralString = (
    "SELECT number, name, model_version, dimension, random_cosine, random_spread, state FROM generations "
)
# The numbers of the log have no gaps, and the last one that was given is kept beside it.
_LACKS_ITS_END: LiteralString = """
    SELECT 1 FROM sqlite_sequence WHERE name = 'audit' AND seq > (SELECT COALESCE(MAX(sequence), 0) FROM audit)
"""
T = TypeVar("T")


# The scopes that have something waiting.
_WAITING: Mapping[Purpose, LiteralString] = {
    Purpose.NIGHTLY: """
        SELECT id FROM scopes WHERE :night <> '' AND NOT EXISTS (
            SELECT 1 FROM nights WHERE nights.scope = scopes.id AND day = :night AND ended_at IS NOT NULL
        )
    """,
    Purpose.EMBED: """
        SELECT scope FROM records INDEXED BY records_unembedded WHERE document IS NOT NULL AND generation IS NULL
    """,
    Purpose.STALE_SESSIONS: """
        SELECT scope FROM sessions WHERE status = 'active' AND last_activity_at < :stale_before
    """,
    Purpose.OBSERVE: """
        SELECT scope FROM sessions
        WHERE tokens > observed_tokens AND tokens - observed_tokens >= CASE WHEN :by_scope THEN 1 ELSE :chunk_tokens END
        GROUP BY scope, CASE WHEN :by_scope THEN '' ELSE id END
        HAVING SUM(tokens - observed_tokens) >= :chunk_tokens
    """,
    Purpose.REFLECT: "SELECT scope FROM logs WHERE tokens >= :log_tokens AND fresh >= :fresh_tokens",
}


def _indexes(matrices: Matrices) -> Indexes:
    return Indexes(
        writer=SQLiteIndex,
        texts=SQLiteTexts,
        vectors=partial(SQLiteVectors, matrices=matrices),
        wordings=SQLiteWordings,
    )


class SQLiteStore:
    """A database of memories in one file; open it with `SQLiteStore.open`."""

    def __init__(self, path: str, writer: Connection, secret: bytes, *, patience: float) -> None:
        self._path = path
        self._writer = writer
        self._secret = secret
        self._writing = anyio.Lock()
        self._readers: list[Connection] = []
        self._reading = anyio.Semaphore(_READERS)
        self._matrices = Matrices()
        self._closed = False
        self._patience = patience
        # Set where the journal may hold what the main file lacks.
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
            secret: the store's key; else the file `PATH.key` holds it, made with the store.
            durable: survive a power cut too, at a third of the speed; a killed process loses nothing either way.
            create: whether a file that is not there is made.
            keep_key: whether a store that is made now keeps the `secret` in the file `PATH.key`, as one without does.
            known: as what a store that is made now is to know its keys, for one that is a copy.
            patience: seconds for which another process that has locked the file is waited for.

        Raises:
            InvalidInput: the path is no file's, none is there and none is to be made, or the key is another store's.
            StoreUnavailable: the folder is missing, or the file cannot be opened.
            SchemaMismatch: the file was written by a newer version.
            StoreError: the key file is gone, or another store's.
        """
        name = os.fspath(path)
        writer, key = await in_thread(lambda: _opened(name, durable, secret, create, keep_key, known, patience))
        store = cls(name, writer, key, patience=patience)
        try:
            yield store
        finally:
            with anyio.CancelScope(shield=True):
                await store.close()

    async def close(self) -> None:
        """Let go of every connection once running transactions are over."""
        async with self._writing:
            self._closed = True
            connections = [*self._readers, self._writer]
            self._readers.clear()
            # Another process that has the file open keeps SQLite from doing so as the last connection closes.
            if self._journalled.is_set() and self._path != IN_MEMORY:
                with suppress(StoreError):
                    await self._run(lambda: _checkpointed(self._writer))
            await self._run(lambda: [connection.close() for connection in connections])

    @asynccontextmanager
    async def begin(self, caller: Caller, *, streaming: bool = False) -> AsyncGenerator[Tx, None]:
        """Open a transaction that reads what the caller may see and writes to its scope alone."""
        async with self._writing, self._keeping_little() if streaming else nullcontext():
            try:
                await self._run(lambda: self._writer.run("BEGIN IMMEDIATE"))
                # Vectors that a rollback takes back must not stay in the shared matrices.
                yield await self._tx(self._writer, caller, Matrices(), frozen=False)
                await self._run(lambda: self._writer.run("COMMIT"))
                self._journalled.set()
            except BaseException:
                await in_thread_surely(lambda: _roll_back(self._writer))
                raise

    @asynccontextmanager
    async def snapshot(self, caller: Caller, *, streaming: bool = False) -> AsyncGenerator[Tx, None]:
        """Open a transaction that reads what the caller may see, as of one moment, and cannot write."""
        if self._path == IN_MEMORY:
            async with self._writing, self._read_only():
                yield await self._tx(self._writer, caller, self._matrices)
            return
        if streaming:
            reader = await self._run(lambda: self._open_reader(streaming=True))
            try:
                await self._run(lambda: reader.run("BEGIN"))
                yield await self._tx(reader, caller, self._matrices)
            finally:
                await in_thread_surely(reader.close)
            return
        async with self._reading:
            reader = self._readers.pop() if self._readers else await self._run(self._open_reader)
            try:
                await self._run(lambda: reader.run("BEGIN"))
                yield await self._tx(reader, caller, self._matrices)
            finally:
                await in_thread_surely(lambda: _roll_back(reader))
                self._readers.append(reader)

    async def read(self, caller: Caller, work: Callable[[Tx], Coroutine[Any, Any, T]]) -> T:
        """What a piece of work makes of a snapshot; it runs whole in one worker thread.

        Raises:
            StoreError: the work waited for something else than its transaction.
        """

        def whole(connection: Connection) -> T:
            connection.run("BEGIN")
            try:
                shard = _shard(connection, caller, in_thread=True)
                return finished(work(Tx(shard, _indexes(self._matrices), self._secret)))
            finally:
                _roll_back(connection)

        return await self._read(whole)

    async def write(self, caller: Caller, work: Callable[[Tx], Coroutine[Any, Any, T]]) -> T:
        """What a piece of work makes of a transaction as `begin` opens it; it runs whole in one worker thread.

        Raises:
            StoreError: the work waited for something else than its transaction.
        """

        def whole(connection: Connection) -> T:
            shard = _shard(connection, caller, frozen=False, in_thread=True)
            # Vectors that a rollback takes back must not stay in the shared matrices.
            return finished(work(Tx(shard, _indexes(Matrices()), self._secret)))

        return await self._write(whole)

    @asynccontextmanager
    async def _keeping_little(self) -> AsyncGenerator[None, None]:
        """Keep the writer from holding many pages in memory."""
        await self._run(self._writer.keep_little)
        try:
            yield
        finally:
            await in_thread_surely(self._writer.keep_usual)

    @asynccontextmanager
    async def _read_only(self) -> AsyncGenerator[None, None]:
        """Keep the one connection of a store in memory from writing."""
        await self._run(lambda: self._writer.run("PRAGMA query_only = ON"))
        try:
            yield
        finally:
            await in_thread_surely(lambda: self._writer.run("PRAGMA query_only = OFF"))

    async def scopes(self) -> list[Scope]:
        """Every exact scope that holds anything; for upkeep, never for callers."""
        return await self._scopes("SELECT tenant, project, agent, user FROM scopes ORDER BY id")

    async def due(self, limits: Thresholds) -> list[Due]:
        """What every tenant has waiting, by tenant and purpose."""
        statement = " UNION ".join(
            "SELECT DISTINCT scopes.tenant, '" + purpose.value + "' FROM scopes WHERE id IN (" + waiting + ")"
            for purpose, waiting in _WAITING.items()
        )
        rows = await self._read(lambda connection: connection.rows(statement + " ORDER BY 1, 2", _limits(limits)))
        return [Due(tenant=row[0], purpose=Purpose(row[1])) for row in rows]

    async def waiting(self, due: Due, limits: Thresholds) -> list[Scope]:
        """A tenant's exact scopes that have something of a purpose waiting; for upkeep."""
        return await self._scopes(
            "SELECT tenant, project, agent, user FROM scopes WHERE tenant = :tenant AND id IN ("
            + _WAITING[due.purpose]
            + ") ORDER BY id",
            {"tenant": due.tenant, **_limits(limits)},
        )

    async def lease(self, name: str, *, holder: str, seconds: float) -> bool:
        """Take or renew a lease by this machine's clock; `False` while another holder's has not run out."""
        taken = await self._write(
            lambda connection: connection.run(
                f"""
                INSERT INTO leases (name, holder, until) VALUES (:name, :holder, {_NOW} + :length)
                ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
                WHERE leases.holder = excluded.holder OR leases.until <= {_NOW}
                    OR leases.until > {_NOW} + {_LONGEST_LEASE}
                """,
                {"name": name, "holder": holder, "length": round(seconds * 1_000_000)},
            )
        )
        return taken > 0

    async def release(self, name: str, *, holder: str) -> None:
        """Give a lease back before it runs out."""
        await self._write(
            lambda connection: connection.run("DELETE FROM leases WHERE name = ? AND holder = ?", (name, holder))
        )

    async def breakers(self) -> list[Breaker]:
        """The breakers of models that have failed since they last answered well, by model and purpose."""
        return await self._read(lambda connection: breakers.listed(connection, DIALECT))

    async def put_breaker(self, breaker: Breaker) -> bool:
        """Store a breaker; `False`, and nothing is stored, where another one of its change is there."""
        return await self._write(lambda connection: breakers.put(connection, DIALECT, breaker))

    async def drop_breaker(self, model: str, purpose: CallPurpose) -> None:
        """Forget the breaker of a model that answers well."""
        await self._write(lambda connection: breakers.drop(connection, DIALECT, model, purpose))

    @property
    def is_durable(self) -> bool:
        """Whether what the store holds outlives its process."""
        return self._path != IN_MEMORY

    async def access_keys(self, tenant: str) -> list[AccessKey]:
        """The access keys that open a tenant, the oldest first; 10,000 at most."""
        return await self._read(lambda connection: access.keys(connection, DIALECT, tenant))

    async def access_key(self, id: str) -> AccessKey | None:
        """The access key of an id, whoever's it is, or `None`."""
        return await self._read(lambda connection: access.key(connection, DIALECT, id))

    async def has_access_keys(self) -> bool:
        """Whether any access key was ever made."""
        return await self._read(lambda connection: access.has_keys(connection, DIALECT))

    async def put_access_key(self, key: AccessKey) -> None:
        """Store an access key, or what has changed of it."""
        await self._write(lambda connection: access.put_key(connection, DIALECT, key))

    async def saw_access_key(self, id: str, at: datetime) -> None:
        """Say when an access key was last used."""
        await self._write(lambda connection: access.seen(connection, DIALECT, id, at))

    async def jobs(self, tenant: str, *, limit: int) -> list[Job]:
        """A tenant's jobs, the latest begun first."""
        return await self._read(lambda connection: access.jobs(connection, DIALECT, tenant, limit))

    async def job(self, tenant: str, id: str) -> Job | None:
        """A tenant's job of an id, or `None`."""
        return await self._read(lambda connection: access.job(connection, DIALECT, tenant, id))

    async def put_job(self, job: Job) -> None:
        """Store how a job stands."""
        await self._write(lambda connection: access.put_job(connection, DIALECT, job))

    async def cancel_job(self, tenant: str, id: str) -> None:
        """Ask for the end of a job."""
        await self._write(lambda connection: access.cancel_job(connection, DIALECT, tenant, id))

    async def forget_jobs(self, tenant: str, *, before: datetime) -> None:
        """Forget a tenant's jobs that were begun before a time."""
        await self._write(lambda connection: access.forget_jobs(connection, DIALECT, tenant, before))

    async def hint(self) -> None:
        """Processes that share a file look for themselves."""

    async def hinted(self, seconds: float) -> None:
        """No hints here: wait."""
        await anyio.sleep(seconds)

    async def generations(self) -> list[Generation]:
        """The generations of vectors, oldest first."""
        rows = await self._read(lambda connection: connection.rows(_GENERATION + "ORDER BY number"))
        return [generation_of(row) for row in rows]

    async def serving_generation(self, space: Space) -> Generation:
        """The active generation; in a store without any, one of this space is made and active at once."""

        def ensure(connection: Connection) -> Row:
            if connection.value("SELECT 1 FROM generations WHERE state = 'active'") is None:
                _insert_generation(connection, space, SpaceState.ACTIVE)
            return connection.only(_GENERATION + "WHERE state = 'active'")

        return generation_of(await self._write(ensure))

    async def start_generation(self, space: Space) -> Generation:
        """Begin a generation beside the one that serves."""

        def start(connection: Connection) -> Row:
            number = _insert_generation(connection, space, SpaceState.BUILDING)
            return connection.only(_GENERATION + "WHERE number = ?", (number,))

        return generation_of(await self._write(start))

    async def switch_generation(self, number: int) -> None:
        """Make a generation the active one and remove the others with their vectors."""

        def switch(connection: Connection) -> None:
            if connection.value("SELECT 1 FROM generations WHERE number = ?", (number,)) is None:
                raise Conflict(f"there is no generation {number} of vectors any more")
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

        await self._write(switch)
        self._matrices.clear()

    async def drop_generation(self, number: int) -> None:
        """Remove a generation that is not active, with its vectors."""

        def drop(connection: Connection) -> None:
            connection.run(
                "DELETE FROM vectors WHERE generation = ?"
                " AND generation IN (SELECT number FROM generations WHERE state = 'building')",
                (number,),
            )
            connection.run("DELETE FROM generations WHERE number = ? AND state = 'building'", (number,))

        await self._write(drop)

    async def scrub(self) -> bool:
        """Remove what was erased from journals too; `False` where another process still reads them."""
        async with self._writing:
            row = await self._run(lambda: _truncated(self._writer))
        return row is None or row[0] == 0

    async def checkpoint(self) -> None:
        """Copy what was committed from the journal to the main file, as far as no reader needs it there.

        A connection of its own does that, and no writer waits for it. Where nothing was written since, it does nothing.
        """
        if self._path == IN_MEMORY or not self._journalled.is_set():
            return
        self._journalled = anyio.Event()
        is_whole = False
        try:
            is_whole = await self._run(lambda: _checkpointed_beside(self._path))
        finally:
            if not is_whole:
                self._journalled.set()

    async def checkpointing(self) -> None:
        """Copy what is committed to the main file soon after, until cancelled; what fails is tried again."""
        if self._path == IN_MEMORY:
            return
        while True:
            await self._journalled.wait()
            await anyio.sleep(_CHECKPOINTS_APART)
            with suppress(StoreError):
                await self.checkpoint()

    async def compact(self) -> bool:
        """Write the file anew, so that no page keeps a byte of what is gone; `False` where another process writes."""
        async with self._writing:
            try:
                await self._run(lambda: self._writer.run("VACUUM"))
            except StoreUnavailable:
                return False
        return True

    async def forget(self, scope: Scope, *, at: datetime) -> None:
        """Remove the jobs of an exact scope, and revoke its access keys, which name nobody from then on."""
        await self._write(lambda connection: access.forget(connection, DIALECT, scope, at))

    async def damage(self) -> list[str]:
        """What the database itself finds wrong with its file; empty for a sound one."""
        rows = await self._read(lambda connection: connection.rows("PRAGMA quick_check(20)"))
        return [row[0] for row in rows if row[0] != "ok"]

    async def faults(self) -> list[Finding]:
        """Texts that are no UTF-8, rows whose scope or record is gone, and whether the audit log lost its end."""
        return await self._read(_faults)

    async def mend(self) -> None:
        """Put U+FFFD for bytes that are no text, where the tables take it: the row can be read again, and judged."""
        await self._write(lambda connection: [connection.mend(damage) for damage in connection.damaged()])

    async def size(self) -> int:
        """Bytes on disk, or in memory."""
        pages = await self._read(
            lambda connection: connection.value("PRAGMA page_count") * connection.value("PRAGMA page_size")
        )
        return pages if self._path == IN_MEMORY else await self._run(lambda: _bytes_on_disk(self._path))

    async def analyser(self) -> str:
        """By which analyser the words of the text index were made; `""` where nobody has said."""
        return await self._read(lambda connection: connection.value("SELECT analyser FROM store")) or ""

    async def analysed_by(self, analyser: str) -> None:
        """Say by which analyser the words of the text index are made from now on."""
        await self._write(lambda connection: connection.run("UPDATE store SET analyser = ?", (analyser,)))

    async def known_key(self) -> str:
        """As what the store knows its keys; see `stores.secret.known_by`."""
        return await self._read(lambda connection: connection.value("SELECT fingerprint FROM store"))

    def sign(self, text: str) -> str:
        """A keyed fingerprint of a text, hex, which only this store can make."""
        return fingerprint(self._secret, text)

    async def _scopes(
        self, statement: LiteralString, values: Sequence[object] | Mapping[str, object] = ()
    ) -> list[Scope]:
        rows = await self._read(lambda connection: connection.rows(statement, values))
        return [scope_of(row) for row in rows]

    async def _tx(self, connection: Connection, caller: Caller, matrices: Matrices, *, frozen: bool = True) -> Tx:
        shard = await self._run(lambda: _shard(connection, caller, frozen=frozen))
        return Tx(shard, _indexes(matrices), self._secret)

    async def _read(self, work: Callable[[Connection], T]) -> T:
        if self._path == IN_MEMORY:
            async with self._writing:
                return await self._run(lambda: work(self._writer))
        async with self._reading:
            reader = self._readers.pop() if self._readers else await self._run(self._open_reader)
            try:
                return await self._run(lambda: work(reader))
            finally:
                self._readers.append(reader)

    async def _write(self, work: Callable[[Connection], T]) -> T:
        def transaction() -> T:
            self._writer.run("BEGIN IMMEDIATE")
            try:
                result = work(self._writer)
                self._writer.run("COMMIT")
            except BaseException:
                _roll_back(self._writer)
                raise
            return result

        async with self._writing:
            try:
                return await self._run(transaction)
            finally:
                self._journalled.set()

    def _run(self, work: Callable[[], T]) -> Awaitable[T]:
        return in_thread(work)

    def _open_reader(self, *, streaming: bool = False) -> Connection:
        if self._closed:
            raise StoreError(CLOSED)
        return Connection(self._path, read_only=True, streaming=streaming, patience=self._patience)


def _shard(connection: Connection, caller: Caller, *, frozen: bool = True, in_thread: bool = False) -> Shard:
    """The exact scope and those it sees, as they now stand in the file."""
    fresh_key = partial(secrets.token_bytes, 32)
    return Shard(connection, DIALECT, caller, fresh_key=fresh_key, frozen=frozen, in_thread=in_thread)


def _opened(
    path: str, durable: bool, secret: str | None, create: bool, keep_key: bool, known: str | None, patience: float
) -> tuple[Connection, bytes]:
    if path != IN_MEMORY:
        _check_path(Path(path), create=create)
        if _lacks_journal(path):
            raise _without_tables(path)
        _make_private(path)
    connection = Connection(path, durable=durable, patience=patience)
    try:
        if path != IN_MEMORY and not create and connection.value("SELECT COUNT(*) FROM sqlite_schema") == 0:
            raise _without_tables(path)
        is_upgraded = _migrate(connection)
        _write_words(connection)
        if is_upgraded:
            # Else a new store is a bare header for as long as its journal is small.
            _checkpointed(connection)
        count_rows(connection)
        file = None if path == IN_MEMORY else key_file(path)
        return connection, _key(connection, secret, file, keep=keep_key, copied=known)
    except BaseException:
        connection.close()
        raise


def _without_tables(path: str) -> StoreError:
    return StoreError(
        f"the database {path!r} holds no tables: it was probably copied while it was open, without its journal"
        f" ({path}-wal); copy both, or make a copy with `remembrancer backup make`"
    )


def _lacks_journal(path: str) -> bool:
    """Whether a file is the header of a database alone, whose journal is not there and does not come."""
    # Another process may be about to make the store: its journal follows at once.
    until = monotonic() + _MAKING_SECONDS
    while _is_bare_header(Path(path)):
        if monotonic() >= until:
            return True
        sleep(_MAKING_SECONDS / 50)
    return False


def _is_bare_header(path: Path) -> bool:
    """Whether a file is of one page, without a schema, written ahead to a journal that is not there."""
    if os.path.exists(f"{path}-wal") or not path.is_file():
        return False
    with path.open("rb") as file:
        header = file.read(100)
    return (
        len(header) == 100
        and header.startswith(b"SQLite format 3\0")
        and header[18:20] == b"\x02\x02"
        and header[40:44] == bytes(4)
    )


def _faults(connection: Connection) -> list[Finding]:
    orphans = Counter((row[0], row[2]) for row in connection.rows("PRAGMA foreign_key_check"))
    found = {
        Fault.DAMAGED_TEXT: tuple(map(str, connection.damaged())),
        Fault.ORPHAN_ROWS: tuple(f"{table} {count} without {parent}" for (table, parent), count in orphans.items()),
        Fault.BROKEN_CHAIN: tuple("the end" for _ in connection.rows(_LACKS_ITS_END)),
    }
    return [Finding(fault=fault, where=where) for fault, where in found.items() if where]


def key_file(path: str) -> Path:
    """The file that holds the key of a store: next to the database itself, or next to a link to it."""
    beside_link = Path(f"{path}.key")
    return beside_link if beside_link.exists() else Path(f"{os.path.realpath(path)}.key")


def _make_private(path: str) -> None:
    """Make a new database file readable by its owner alone; its journals take over its mode."""
    with suppress(FileExistsError, OSError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


def _check_path(path: Path, *, create: bool) -> None:
    if "\0" in str(path):
        raise InvalidInput("the name of a database holds a NUL character; remove it")
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        pass
    except PermissionError as error:
        raise StoreUnavailable(f"the database {str(path)!r} cannot be reached: {error.strerror}") from error
    except OSError as error:
        raise InvalidInput(f"{str(path)!r} is no file's name: {error.strerror}; name another one") from error
    if path.is_dir():
        raise InvalidInput(f"{str(path)!r} is a folder; name a file in it")
    if path.exists() and not path.is_file():
        raise InvalidInput(f"{str(path)!r} is no file; name one")
    if not create and not (path.exists() and path.stat().st_size):
        raise InvalidInput(f"there is no database {str(path)!r}; correct its name, or make it by saving something")
    if not path.parent.is_dir():
        raise StoreUnavailable(f"the folder {str(path.parent)!r} does not exist; make it first")


def _key(
    connection: Connection, given: str | None, file: Path | None, *, keep: bool = False, copied: str | None = None
) -> bytes:
    """The store's own key; a new store is made with the one that it is opened with."""
    sql: LiteralString = "SELECT fingerprint FROM store"
    known: str | None = connection.value(sql)
    key = load_secret(given, file, make=known is None)
    if known is None:
        if keep and file is not None:
            keep_secret(key, file)
        connection.run("INSERT OR IGNORE INTO store (only, fingerprint) VALUES (1, ?)", (copied or of_key(key),))
        # Of two processes that made the store at once, the other one's key may stand there.
        known = connection.value(sql)
    if own := own_key(key, known or ""):
        return own
    if given is None and file is not None and (staged := staged_secret(file)) and (own := own_key(staged, known or "")):
        adopt_secret(file)
        return own
    raise foreign_key(given, file)


def rotate_key(path: str, *, given: str | None, new: bytes | None) -> None:
    """Have another key open a file from now on; it signs by its own one as before.

    Args:
        given: the key that opens it now; else the file `PATH.key` holds it, and holds the new one afterwards.
        new: one is made, if not given.

    Raises:
        InvalidInput: there is no such file, it holds no memories, or the key is not the one that opens it.
        StoreUnavailable: the key file cannot be written.
    """
    file, fresh = key_file(path), new or secrets.token_bytes(32)
    _check_path(Path(path), create=False)
    connection = Connection(path)
    try:
        if connection.value("SELECT 1 FROM sqlite_schema WHERE name = 'store'") is None:
            raise InvalidInput(f"the database {path!r} holds no memories; name another one")
        connection.run("BEGIN IMMEDIATE")
        own = _key(connection, given, file)
        if given is None:
            stage_secret(fresh, file)
        connection.run("UPDATE store SET fingerprint = ?", (known_by(fresh, own),))
        connection.run("COMMIT")
    finally:
        connection.close()
    if given is None:
        adopt_secret(file)


def _migrate(connection: Connection) -> bool:
    """Apply what is missing, under the write lock, so that two processes do not both try; whether anything was."""
    known = migrations(__package__ or "")
    if not pending(known, _applied(connection, known)):
        return False
    connection.run("BEGIN IMMEDIATE")
    try:
        connection.run(
            """
            CREATE TABLE IF NOT EXISTS migrations (
                number INTEGER PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL
            ) STRICT
            """
        )
        for migration in pending(known, _applied(connection, known)):
            _apply(connection, migration)
            connection.run(
                "INSERT INTO migrations VALUES (?, ?, ?)",
                (migration.number, migration.name, migration.sha256),
            )
        connection.run("COMMIT")
    except BaseException:
        _roll_back(connection)
        raise
    return True


def _apply(connection: Connection, migration: Migration) -> None:
    """Run a migration's statements.

    Raises:
        SchemaMismatch: the tables are not such as the one before it leaves behind.
    """
    try:
        connection.script(migration.sql)
    except StoreUnavailable:
        raise
    except StoreError as error:
        raise SchemaMismatch(
            f"migration {migration.name} cannot be applied ({error}): the note that it was may have been removed by"
            " another program; restore a backup"
        ) from error


def _write_words(connection: Connection) -> None:
    """Fill the tables of words with those that this version knows."""
    for table in WORDS:
        held = [row[0] for row in connection.rows("SELECT name FROM " + table)]
        lacking = unwritten(table, [word for word in held if DAMAGED not in word])
        if lacking:
            # In one statement, which is one commit.
            connection.run("INSERT OR IGNORE INTO " + table + " SELECT value FROM json_each(?)", (json.dumps(lacking),))


def _applied(connection: Connection, known: Sequence[Migration]) -> dict[int, str]:
    # In one statement: between two of them another process may make the tables.
    names = {row[0] for row in connection.rows("SELECT name FROM sqlite_master")}
    if "migrations" not in names:
        if names:
            raise StoreError("the file is another program's SQLite database; name another one")
        return {}
    # What a disk has damaged is the doctor's: it was not altered.
    rows = connection.rows("SELECT number, sha256 FROM migrations")
    whole = {migration.number: migration.sha256 for migration in known}
    return {row[0]: whole.get(row[0]) or row[1] if DAMAGED in row[1] else row[1] for row in rows}


def _roll_back(connection: Connection) -> None:
    """End a transaction without its changes; harmless where an error has ended it already."""
    if connection.in_transaction:
        connection.run("ROLLBACK")


def _checkpointed(connection: Connection) -> bool:
    """Copy the journal to the main file without waiting for anybody; whether all of it was copied."""
    # While another connection makes a checkpoint the counts are -1.
    is_busy, pages, copied = connection.only("PRAGMA wal_checkpoint(PASSIVE)")
    return not is_busy and pages == copied


def _checkpointed_beside(path: str) -> bool:
    """The same by a connection of its own."""
    connection = Connection(path, patience=_SCRUB_SECONDS)
    try:
        return _checkpointed(connection)
    finally:
        connection.close()


def _truncated(connection: Connection) -> Row | None:
    """What SQLite says of emptying the journal; while it waits for readers, nobody writes."""
    with connection.patience(_SCRUB_SECONDS):
        return connection.row("PRAGMA wal_checkpoint(TRUNCATE)")


def _bytes_on_disk(path: str) -> int:
    return sum(file.stat().st_size for suffix in ("", "-wal") if (file := Path(path + suffix)).exists())


def _insert_generation(connection: Connection, space: Space, state: SpaceState) -> int:
    return connection.value(
        """
        INSERT INTO generations (name, model_version, dimension, random_cosine, random_spread, state)
        VALUES (?, ?, ?, ?, ?, ?) RETURNING number
        """,
        (space.name, space.version, space.dimension, space.random_cosine, space.random_spread, state.value),
    )


def _limits(limits: Thresholds) -> dict[str, object]:
    return {
        "stale_before": to_micros(limits.stale_before),
        "chunk_tokens": limits.chunk_tokens,
        "by_scope": int(limits.by_scope),
        "log_tokens": limits.log_tokens,
        "fresh_tokens": limits.fresh_tokens,
        "night": limits.night,
    }
