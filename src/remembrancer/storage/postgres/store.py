"""The store for many processes: a pool of connections, one transaction on each, one writer at a time in a scope.

Blocking work is done in threads, so that it runs on either event loop. The serving role sees one tenant at a time,
which the database enforces; for what crosses tenants there are functions that show no content.
"""

from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict
from datetime import datetime
from functools import partial
from time import monotonic
from typing import Any, Generic, LiteralString, NamedTuple, TypeVar
from weakref import WeakValueDictionary

import anyio
import anyio.to_thread
from psycopg import errors

from remembrancer.errors import Conflict, InvalidInput, NotAllowed, SchemaMismatch, StoreUnavailable
from remembrancer.storage.migrations import WORDS, migrations, pending, unwritten
from remembrancer.storage.postgres.connection import READ, TOO_LONG, WRITE, PostgresConnection, Raw, translated
from remembrancer.storage.postgres.dialect import DIALECT
from remembrancer.storage.postgres.indexes import PostgresIndexedDocuments, PostgresTextIndex, PostgresTextIndexWriter
from remembrancer.storage.postgres.pool import SLICE_SECONDS, ServerPool
from remembrancer.storage.postgres.replicas import Replicas
from remembrancer.storage.postgres.turns import FairTurns
from remembrancer.storage.postgres.vectors import IndexSize, PostgresVectors
from remembrancer.storage.secret import foreign_key, load_secret, of_key, own_key
from remembrancer.storage.sql import SCOPES, SqlStore, generations_of
from remembrancer.storage.threads import in_thread, in_thread_surely
from remembrancer.storage.tx import Indexes, Tx
from remembrancer.storage.values import scope_of
from remembrancer.types.access import Caller
from remembrancer.types.calls import Breaker, CallPurpose
from remembrancer.types.index import Generation, Space, SpaceState
from remembrancer.types.jobs import DueWork, Finding, Purpose, Thresholds
from remembrancer.types.placements import MAIN, DatabaseState
from remembrancer.types.replicas import ReplicaState
from remembrancer.types.scope import Scope

POOL_SIZE = 10
STATEMENT_SECONDS = 30.0
# How long values are kept that each question needs and other processes seldom change.
KNOWN_SECONDS = 0.5
_ATTEMPTS = 3
_CHANNEL = "remembrancer_due"
_ADOPTING = 0x41444F50
_DUE: LiteralString = """
    SELECT tenant, purpose FROM due(
        %(stale_before)s, %(chunk_tokens)s, %(by_scope)s, %(log_tokens)s, %(fresh_tokens)s, %(night)s
    )
"""
_SIZE: LiteralString = """
    SELECT COALESCE(SUM(pg_total_relation_size(oid)), 0)::bigint FROM pg_class
    WHERE relkind = 'r' AND relnamespace IN (
        SELECT oid FROM pg_namespace WHERE nspname ~ '^remembrancer(_p[0-9]+)?$'
    )
"""
ADMISSION: LiteralString = """
    DELETE FROM remembrancer_ops.placements WHERE tenant = %s AND state = 'arriving' AND database = %s
"""
"""Admits a tenant that arrives from another database."""
_UNNAMED = "it has tenants, and REMEMBRANCER_DATABASES does not name it; add its address"
_PLACED: LiteralString = """
    SELECT tenant, state, database, since, receipt IS NOT NULL, tenant IN (SELECT tenants())
    FROM placements WHERE %(tenant)s::text IS NULL OR tenant = %(tenant)s
"""
T = TypeVar("T")


class PlacementRow(NamedTuple):
    """The state of a tenant in a database, and the other database.

    Args:
        is_emptied: whether a move from it has ended.
        has_rows: whether the database has rows of the tenant.
    """

    tenant: str
    state: str
    database: str
    since: datetime
    is_emptied: bool
    has_rows: bool

    @property
    def has_left_over(self) -> bool:
        """True if the database has rows of a tenant that is in another one."""
        return self.has_rows and self.state != "copying"


class PostgresStore(SqlStore[PostgresConnection]):
    """A database of memories on a server; open it with `PostgresStore.open`."""

    def __init__(self, pool: ServerPool, secret: bytes, replicas: Replicas, *, pool_size: int) -> None:
        super().__init__(DIALECT, secret)
        self._pool = pool
        self._replicas = replicas
        self._statement_seconds = replicas.statement_seconds
        self._indexes = Indexes(
            writer=PostgresTextIndexWriter,
            text_index=PostgresTextIndex,
            vectors=partial(PostgresVectors, size=IndexSize()),
            documents=PostgresIndexedDocuments,
        )
        self._known_generations = _Known[Generation]()
        self._known_breakers = _Known[Breaker]()
        # Callers wait here, not in one of the few threads.
        self._connections = FairTurns(pool_size)
        self._turns = WeakValueDictionary[Scope, anyio.Lock]()

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        url: str,
        *,
        secret: str | None = None,
        pool_size: int = POOL_SIZE,
        statement_seconds: float = STATEMENT_SECONDS,
        replicas: Sequence[str] = (),
        known: str | None = None,
    ) -> AsyncGenerator["PostgresStore", None]:
        """Connect to a database that `init-db` has prepared, as its serving role.

        Args:
            url: `postgresql://USER:PASSWORD@HOST:PORT/DATABASE`, as libpq reads it.
            secret: the store's key, the same on every machine.
            pool_size: the limit of connections of this process, 1 or more.
            statement_seconds: the limit for a statement, in seconds.
            replicas: addresses of streaming replicas of the server, as the same role; they need not be reachable.
            known: as what a store that is made now is to know its keys, for one that is a copy.

        Raises:
            InvalidInput: the address is wrong, or there is no secret key.
            NotAllowed: the role could step over row-level security.
            SchemaMismatch: the database has no schema, or that of another version.
            StoreUnavailable: the server cannot be reached.
        """
        if secret is None:
            raise InvalidInput(
                "a PostgreSQL store needs a secret key: set REMEMBRANCER_SECRET_KEY to 16 characters or more,"
                " the same on every machine"
            )
        key = load_secret(secret, None)
        pool = await anyio.to_thread.run_sync(lambda: ServerPool.opened(url, size=pool_size))
        try:
            copies = Replicas.at(replicas, primary=pool, size=pool_size, statement_seconds=statement_seconds)
            store = cls(pool, key, copies, pool_size=pool_size)
            await store._check(secret, known)
            await anyio.to_thread.run_sync(copies.open)
            try:
                yield store
            finally:
                with anyio.CancelScope(shield=True):
                    await anyio.to_thread.run_sync(copies.close)
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(pool.close)

    @property
    def is_durable(self) -> bool:
        return True

    async def read(self, caller: Caller, work: Callable[[Tx], Coroutine[Any, Any, T]]) -> T:
        replica = self._replicas.choose() if caller.reads_replicas and not caller.all_scopes else None
        if replica is not None:
            async with self._connections.turn(caller.scope.tenant):
                counts = await in_thread(lambda: self._replicas.counts(caller.scope))
            if answered := await self._replicas.read(replica, caller.scope, counts, self._reading_as(caller, work)):
                return answered[0]
        return await super().read(caller, work)

    async def replicas(self, *, look: bool = False) -> list[ReplicaState]:
        if look:
            await in_thread(self._replicas.look)
        return [replica.state for replica in self._replicas.all]

    async def scopes(self, tenant: str | None = None) -> list[Scope]:
        tenants = await self.tenants() if tenant is None else [tenant]
        return [scope_of(row) for one in tenants for row in await self._rows(SCOPES + "ORDER BY id", tenant=one)]

    async def tenants(self) -> list[str]:
        rows = await self._read(lambda connection: connection.rows("SELECT tenants()"))
        return sorted(row[0] for row in rows)

    async def due(self, limits: Thresholds) -> list[DueWork]:
        rows = await self._read(lambda connection: connection.rows(_DUE, asdict(limits)))
        return [DueWork(tenant=row[0], purpose=Purpose(row[1])) for row in rows]

    async def ping(self) -> None:
        """Check that the database answers."""
        await self._read(lambda connection: connection.rows("SELECT 1"))

    async def databases(self) -> list[DatabaseState]:
        """Return the databases to which tenants have left, although the settings name none."""
        rows = await self._read(
            lambda connection: connection.rows(
                "SELECT DISTINCT database FROM placements WHERE state = 'left' AND database <> %s ORDER BY 1", (MAIN,)
            )
        )
        return [DatabaseState(name=name, reason=_UNNAMED) for (name,) in rows]

    async def placed(self, tenant: str | None = None) -> list[PlacementRow]:
        """Return what is recorded of tenants in other databases, or of one of them."""
        rows = await self._read(lambda connection: connection.rows(_PLACED, {"tenant": tenant}))
        return [PlacementRow(*row) for row in rows]

    async def admit(self, tenant: str, *, coming_from: str) -> None:
        """Admit a tenant after a move that was killed when the tenant had left the other database."""
        await self._write(lambda connection: connection.rows(ADMISSION, (tenant, coming_from)))

    async def adopt_generations(self, generations: Sequence[Generation]) -> None:
        """Create the generations of vectors of another database under their numbers, unless they exist.

        A database that serves already what the other one is building was switched first, and is left as it is.

        Raises:
            Conflict: this one serves another generation.
        """

        def adopt(connection: PostgresConnection) -> bool:
            # Of two that adopt them at once, one waits.
            connection.rows("SELECT pg_advisory_xact_lock(%s)", (_ADOPTING,))
            existing = {one.number: one for one in generations_of(connection)}
            serving = next((one for one in existing.values() if one.state is SpaceState.ACTIVE), None)
            there = next((one for one in generations if serving and one.number == serving.number), None)
            if serving and (there is None or there.space != serving.space):
                return not generations
            for one in generations if there is None or there.state is SpaceState.ACTIVE else ():
                if one.number not in existing:
                    values = (one.space.name, one.space.version, one.space.dimension)
                    random = (one.space.random_cosine, one.space.random_spread)
                    connection.rows(
                        "SELECT copy_generation(%s, %s, %s, %s, %s, %s, %s)",
                        (one.number, *values, *random, one.state.value),
                    )
            return True

        if not await self._change_generations(adopt):
            raise Conflict(
                "two databases have vectors of different generations; run `remembrancer admin index reembed` on the"
                " other one alone, with the embedder of the main one, or name an empty database"
            )

    async def breakers(self) -> list[Breaker]:
        known = self._known_breakers.get()
        if known is None:
            known = await super().breakers()
            self._known_breakers.set(known)
        return known

    async def put_breaker(self, breaker: Breaker) -> bool:
        try:
            return await super().put_breaker(breaker)
        finally:
            self._known_breakers.set(None)

    async def drop_breaker(self, model: str, purpose: CallPurpose) -> None:
        try:
            await super().drop_breaker(model, purpose)
        finally:
            self._known_breakers.set(None)

    async def hint(self) -> None:
        await self._write(lambda connection: connection.rows("SELECT pg_notify(%s, '')", (_CHANNEL,)))

    async def wait_for_hint(self, seconds: float) -> None:
        if self._pool.is_pooled:
            # A pooler assigns the session that listens to others.
            await anyio.sleep(seconds)
            return
        async with self._connections.turn(None):
            listening: list[Raw] = []
            try:
                await in_thread(lambda: listening.append(self._pool.listen(_CHANNEL)))
                with anyio.move_on_after(seconds):
                    # In slices, so that the caller can be cancelled: a thread cannot.
                    while not await in_thread(lambda: _has_hint(listening[0], SLICE_SECONDS)):
                        pass
            finally:
                await in_thread_surely(lambda: [self._pool.unlisten(raw) for raw in listening])

    async def generations(self) -> list[Generation]:
        known = self._known_generations.get()
        if known is None:
            known = await super().generations()
            self._known_generations.set(known)
        return known

    async def scrub(self) -> bool:
        # Erased rows leave the tables at once, and the journals are the server's.
        return True

    async def tend(self) -> None:
        await self._replicas.watch()

    async def compact(self) -> bool:
        # The pages of deleted rows are the owner's; see `roles.rewrite`.
        return True

    async def damage(self) -> list[str]:
        # The server checks its own files.
        return []

    async def faults(self) -> list[Finding]:
        # The server stores no text that is not UTF-8, and no row of a scope that does not exist.
        return []

    async def repair(self) -> None:
        pass

    async def size(self) -> int:
        return await self._read(lambda connection: connection.value(_SIZE))

    async def _check(self, secret: str, copied: str | None) -> None:
        """Refuse a role that row-level security does not bind, a foreign schema, and a foreign key."""
        await self._read(_check_role)
        await self._read(_check_schema)
        opening = self._secret
        known = await self._write(lambda connection: _stored_fingerprint(connection, copied or of_key(opening)))
        own = own_key(opening, known)
        if own is None:
            raise foreign_key(secret, None)
        self._secret = own

    @asynccontextmanager
    async def _writing(self, scope: Scope, *, streaming: bool) -> AsyncGenerator[PostgresConnection, None]:
        async with self._turn(scope), self._transaction(WRITE, scope.tenant) as connection:
            yield connection
            await in_thread(connection.commit)

    @asynccontextmanager
    async def _reading(self, tenant: str, *, streaming: bool) -> AsyncGenerator[PostgresConnection, None]:
        async with self._transaction(READ, tenant) as connection:
            yield connection

    async def _read(self, work: Callable[[PostgresConnection], T], *, tenant: str | None = None) -> T:
        return await self._in_thread(READ, tenant, work)

    async def _write(self, work: Callable[[PostgresConnection], T], *, scope: Scope | None = None) -> T:
        if scope is None:
            return await self._in_thread(WRITE, None, work)
        async with self._turn(scope):
            return await self._in_thread(WRITE, scope.tenant, work)

    def _indexes_for(self, *, is_snapshot: bool) -> Indexes:
        return self._indexes

    def _insert_generation(self, connection: PostgresConnection, space: Space, state: SpaceState, /) -> int | None:
        return connection.value(
            "SELECT start_generation(%s, %s, %s, %s, %s, %s)",
            (space.name, space.version, space.dimension, space.random_cosine, space.random_spread, state.value),
        )

    def _switch_generation(self, connection: PostgresConnection, number: int, /) -> bool:
        return bool(connection.value("SELECT switch_generation(%s)", (number,)))

    def _drop_generation(self, connection: PostgresConnection, number: int, /) -> None:
        connection.rows("SELECT drop_generation(%s)", (number,))

    async def _change_generations(self, work: Callable[[PostgresConnection], T]) -> T:
        try:
            return await super()._change_generations(work)
        finally:
            self._known_generations.set(None)

    @asynccontextmanager
    async def _turn(self, scope: Scope) -> AsyncGenerator[None, None]:
        """Wait for the turn of one of a scope's writers in this process, without a connection.

        Raises:
            StoreUnavailable: it lasts longer than a statement may.
        """
        lock = self._turns.get(scope)
        if lock is None:
            lock = self._turns[scope] = anyio.Lock()
        with anyio.move_on_after(self._statement_seconds) as waiting:
            await lock.acquire()
        if waiting.cancelled_caught:
            raise StoreUnavailable(TOO_LONG)
        try:
            yield
        finally:
            lock.release()

    @asynccontextmanager
    async def _transaction(self, mode: LiteralString, tenant: str | None) -> AsyncGenerator[PostgresConnection, None]:
        """Open a transaction over several calls; roll it back unless it was committed."""
        async with self._connections.turn(tenant):
            # A caller that is cancelled meanwhile does not get the connection, but returns it.
            begun: list[tuple[Raw, PostgresConnection]] = []
            try:
                await in_thread(lambda: begun.append(self._begin(mode, tenant)))
                yield begun[0][1]
            finally:
                await in_thread_surely(lambda: [self._pool.release(raw) for raw, _ in begun])

    async def _in_thread(self, mode: LiteralString, tenant: str | None, work: Callable[[PostgresConnection], T]) -> T:
        """Do blocking work in a transaction; repeat it where another writer came first."""

        def attempt() -> T:
            raw, connection = self._begin(mode, tenant)
            try:
                result = work(connection)
                if mode == WRITE:
                    connection.commit()
                return result
            finally:
                self._pool.release(raw)

        def repeat() -> T:
            for _ in range(_ATTEMPTS - 1):
                try:
                    return attempt()
                except StoreUnavailable as error:
                    if not isinstance(error.__cause__, errors.SerializationFailure | errors.DeadlockDetected):
                        raise
            return attempt()

        async with self._connections.turn(tenant):
            return await in_thread(repeat)

    def _begin(self, mode: LiteralString, tenant: str | None) -> tuple[Raw, PostgresConnection]:
        return self._pool.begin(mode, tenant=tenant, timeout=self._statement_seconds)


class _Known(Generic[T]):
    """Values that were read from the store, for `KNOWN_SECONDS`.

    That there are none is not remembered: another process may make the first one.
    """

    def __init__(self) -> None:
        self._values: list[T] | None = None
        self._read_at = 0.0

    def get(self) -> list[T] | None:
        """Return the values; `None` if they are too old, or were changed by this process."""
        return self._values if monotonic() - self._read_at < KNOWN_SECONDS else None

    def set(self, values: list[T] | None) -> None:
        """Remember values that were read just now, or forget them."""
        self._values, self._read_at = values or None, monotonic()


def _has_hint(raw: Raw, seconds: float) -> bool:
    with translated():
        return any(True for _ in raw.notifies(timeout=seconds, stop_after=1))


def _check_role(connection: PostgresConnection) -> None:
    name, *powers = connection.only(
        """
        SELECT
            current_user, rolsuper, rolbypassrls,
            EXISTS (
                SELECT 1 FROM pg_class
                WHERE relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname = 'remembrancer')
                    AND pg_has_role(current_user, relowner, 'MEMBER')
            ),
            EXISTS (
                SELECT 1 FROM pg_roles AS sweeping
                WHERE sweeping.rolname = 'remembrancer_sweeping' AND pg_has_role(current_user, sweeping.oid, 'MEMBER')
            )
        FROM pg_roles WHERE rolname = current_user
        """
    )
    reasons = ("is a superuser", "has BYPASSRLS", "owns the tables", "belongs to remembrancer_sweeping")
    if found := [words for words, holds in zip(reasons, powers, strict=True) if holds]:
        raise NotAllowed(
            f"the role {name!r} {found[0]}, so that row-level security would not bind it; make a serving role with"
            " `remembrancer init-db` and connect as that"
        )


def _check_schema(connection: PostgresConnection) -> None:
    if not connection.value("SELECT to_regclass('remembrancer_ops.migrations') IS NOT NULL"):
        raise SchemaMismatch("the database has no schema of ours yet; run `remembrancer init-db` on it")
    try:
        rows = connection.rows("SELECT number, sha256 FROM migrations")
    except Exception as error:
        if isinstance(error.__cause__, errors.InsufficientPrivilege):
            raise NotAllowed("the role may not read the schema; run `remembrancer init-db` for it") from error
        raise
    if missing := pending(migrations(__package__ or ""), {row[0]: row[1] for row in rows}):
        raise SchemaMismatch(f"the database lacks migration {missing[0].name}; run `remembrancer init-db` on it")
    for table in WORDS:
        if lacking := unwritten(table, [row[0] for row in connection.rows("SELECT name FROM " + table)]):
            raise SchemaMismatch(
                f"the database lacks {lacking[0]!r} among its {table}; run `remembrancer init-db` on it"
            )


def _stored_fingerprint(connection: PostgresConnection, fresh: str) -> str:
    """Return the fingerprint of the store's key; a new store gets that of the key that it is opened with."""
    statement: LiteralString = "SELECT fingerprint FROM store"
    known: str | None = connection.value(statement)
    if known is None:
        connection.run('INSERT INTO store ("only", fingerprint) VALUES (1, %s) ON CONFLICT DO NOTHING', (fresh,))
        known = connection.value(statement)
    return known or ""
