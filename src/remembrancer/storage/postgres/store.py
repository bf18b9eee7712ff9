"""The store for many processes: a pool of connections, one transaction on each, one writer at a time in a scope.

Blocking work is done in threads, so that it runs on either event loop. The serving role sees one tenant at a time,
which the database enforces; what crosses tenants is asked of functions that show no content.
"""

import logging
import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict
from datetime import datetime
from functools import partial
from threading import Event, Lock
from time import monotonic
from typing import Any, Generic, LiteralString, TypeVar
from weakref import WeakValueDictionary

import anyio
import anyio.to_thread
import psycopg
from psycopg import errors, sql
from psycopg_pool import ConnectionPool, PoolTimeout

from remembrancer.errors import Conflict, InvalidInput, NotAllowed, SchemaMismatch, StoreUnavailable
from remembrancer.storage import access, breakers
from remembrancer.storage.migrations import WORDS, migrations, pending, unwritten
from remembrancer.storage.postgres.connection import (
    CONNECT_SECONDS,
    CONNECTING,
    READ,
    TOO_LONG,
    WRITE,
    Connection,
    Raw,
    Row,
    connected,
    translated,
)
from remembrancer.storage.postgres.dialect import DIALECT, lock
from remembrancer.storage.postgres.texts import PostgresIndex, PostgresTexts
from remembrancer.storage.postgres.vectors import PostgresVectors, TableSize
from remembrancer.storage.postgres.wordings import PostgresWordings
from remembrancer.storage.secret import fingerprint, foreign_key, load_secret, of_key, own_key
from remembrancer.storage.shard import SCOPE_WRITER, Shard
from remembrancer.storage.threads import in_thread, in_thread_surely
from remembrancer.storage.tx import Indexes, Tx
from remembrancer.storage.values import generation_of, scope_of
from remembrancer.storage.whole import finished
from remembrancer.types.access import AccessKey
from remembrancer.types.breaker import Breaker
from remembrancer.types.call import CallPurpose
from remembrancer.types.caller import Caller
from remembrancer.types.due import Due, Purpose, Thresholds
from remembrancer.types.fault import Finding
from remembrancer.types.job import Job
from remembrancer.types.scope import Scope
from remembrancer.types.space import Generation, Space, SpaceState

# The pool warns of each try to reach a server that is away, which callers are told once, by an error.
logging.getLogger("psycopg.pool").addHandler(logging.NullHandler())
# So long a server may take to start again before it counts as away.
_PATIENCE_SECONDS = 5.0
POOL_SIZE = 10
STATEMENT_SECONDS = 30.0
# For how long what is asked for with each question and seldom changes is known, where another process may change it.
KNOWN_SECONDS = 0.5
_TRIES = 3
_SLICE_SECONDS = 0.5
_CHANNEL = "remembrancer_due"
_SCOPE: LiteralString = 'SELECT tenant, project, agent, "user" FROM scopes '
_GENERATION: LiteralString = (
    "SELECT number, name, model_version, dimension, random_cosine, random_spread, state FROM generations "
)
# The scopes that have something waiting.
_WAITING: Mapping[Purpose, LiteralString] = {
    Purpose.NIGHTLY: """
        SELECT id FROM scopes WHERE %(night)s::text <> '' AND NOT EXISTS (
            SELECT 1 FROM nights
            WHERE nights.scope = scopes.id AND day = %(night)s::text COLLATE "C" AND ended_at IS NOT NULL
        )
    """,
    Purpose.EMBED: "SELECT scope FROM records WHERE document IS NOT NULL AND generation IS NULL",
    Purpose.STALE_SESSIONS: """
        SELECT scope FROM sessions WHERE status = 'active' AND last_activity_at < %(stale_before)s
    """,
    Purpose.OBSERVE: """
        SELECT scope FROM sessions
        WHERE tokens > observed_tokens
            AND tokens - observed_tokens >= CASE WHEN %(by_scope)s THEN 1 ELSE %(chunk_tokens)s::bigint END
        GROUP BY scope, CASE WHEN %(by_scope)s THEN '' ELSE id END
        HAVING SUM(tokens - observed_tokens) >= %(chunk_tokens)s::bigint
    """,
    Purpose.REFLECT: """
        SELECT scope FROM logs WHERE tokens >= %(log_tokens)s::bigint AND fresh >= %(fresh_tokens)s::bigint
    """,
}
T = TypeVar("T")


def _indexes(size: TableSize) -> Indexes:
    return Indexes(
        writer=PostgresIndex,
        texts=PostgresTexts,
        vectors=partial(PostgresVectors, size=size),
        wordings=PostgresWordings,
    )


class PostgresStore:
    """A database of memories on a server; open it with `PostgresStore.open`."""

    def __init__(self, pool: "_Pool", secret: bytes, *, pool_size: int, statement_seconds: float) -> None:
        self._pool = pool
        self._secret = secret
        self._statement_seconds = statement_seconds
        self._indexes = _indexes(TableSize())
        self._known_generations = _Known[Generation]()
        self._known_breakers = _Known[Breaker]()
        # Callers wait here, not in a thread of the few that there are.
        self._free = anyio.Semaphore(pool_size)
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
        known: str | None = None,
    ) -> AsyncGenerator["PostgresStore", None]:
        """Connect to a database that `init-db` has prepared, as its serving role.

        Args:
            url: `postgresql://USER:PASSWORD@HOST:PORT/DATABASE`, as libpq reads it.
            secret: the store's key, the same on every machine.
            pool_size: connections that this process may hold, 1 or more.
            statement_seconds: how long a statement may take.
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
        pool = await anyio.to_thread.run_sync(_opened, url, pool_size)
        store = cls(pool, key, pool_size=pool_size, statement_seconds=statement_seconds)
        try:
            await store._check(secret, known)
            yield store
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(pool.close)

    @asynccontextmanager
    async def begin(self, caller: Caller, *, streaming: bool = False) -> AsyncGenerator[Tx, None]:
        """Open a transaction that reads what the caller may see and writes to its scope alone.

        Writers of one exact scope take turns, those of others go on beside them.
        """
        async with self._turn(caller.scope), self._transaction(WRITE, caller.scope.tenant) as connection:
            shard = await self._run(lambda: _locked(connection, caller))
            yield Tx(shard, self._indexes, self._secret)
            await self._run(connection.commit)

    @asynccontextmanager
    async def snapshot(self, caller: Caller, *, streaming: bool = False) -> AsyncGenerator[Tx, None]:
        """Open a transaction that reads what the caller may see, as of one moment, and cannot write."""
        async with self._transaction(READ, caller.scope.tenant) as connection:
            shard = await self._run(lambda: _shard(connection, caller))
            yield Tx(shard, self._indexes, self._secret)

    async def read(self, caller: Caller, work: Callable[[Tx], Coroutine[Any, Any, T]]) -> T:
        """What a piece of work makes of a snapshot; it runs whole in one worker thread.

        Raises:
            StoreError: the work waited for something else than its transaction.
        """

        def whole(connection: Connection) -> T:
            shard = _shard(connection, caller, in_thread=True)
            return finished(work(Tx(shard, self._indexes, self._secret)))

        return await self._whole(READ, caller.scope.tenant, whole)

    async def write(self, caller: Caller, work: Callable[[Tx], Coroutine[Any, Any, T]]) -> T:
        """What a piece of work makes of a transaction as `begin` opens it; it runs whole in one worker thread.

        Raises:
            StoreError: the work waited for something else than its transaction.
        """

        def whole(connection: Connection) -> T:
            shard = _locked(connection, caller, in_thread=True)
            return finished(work(Tx(shard, self._indexes, self._secret)))

        async with self._turn(caller.scope):
            return await self._whole(WRITE, caller.scope.tenant, whole)

    async def scopes(self) -> list[Scope]:
        """Every exact scope that holds anything; for upkeep, never for callers."""
        rows = await self._whole(READ, None, lambda connection: connection.rows("SELECT tenants()"))
        found: list[Scope] = []
        for (tenant,) in rows:
            found += await self._scopes(tenant, _SCOPE + "ORDER BY id")
        return found

    async def due(self, limits: Thresholds) -> list[Due]:
        """What every tenant has waiting, by tenant and purpose."""
        rows = await self._whole(
            READ,
            None,
            lambda connection: connection.rows(
                """
                SELECT tenant, purpose FROM due(
                    %(stale_before)s, %(chunk_tokens)s, %(by_scope)s, %(log_tokens)s, %(fresh_tokens)s,
                    %(night)s
                )
                """,
                asdict(limits),
            ),
        )
        return [Due(tenant=row[0], purpose=Purpose(row[1])) for row in rows]

    async def waiting(self, due: Due, limits: Thresholds) -> list[Scope]:
        """A tenant's exact scopes that have something of a purpose waiting; for upkeep."""
        return await self._scopes(
            due.tenant, _SCOPE + "WHERE id IN (" + _WAITING[due.purpose] + ") ORDER BY id", asdict(limits)
        )

    async def lease(self, name: str, *, holder: str, seconds: float) -> bool:
        """Take or renew a lease by the server's clock; `False` while another holder's has not run out."""
        taken = await self._write(
            lambda connection: connection.run(
                """
                INSERT INTO leases (name, holder, until)
                VALUES (%(name)s, %(holder)s, clock_timestamp() + make_interval(secs => %(seconds)s))
                ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
                WHERE leases.holder = excluded.holder OR leases.until <= clock_timestamp()
                    -- One that lasts longer was written while the clock ran ahead.
                    OR leases.until > clock_timestamp() + interval '1 day'
                """,
                {"name": name, "holder": holder, "seconds": seconds},
            )
        )
        return taken > 0

    async def release(self, name: str, *, holder: str) -> None:
        """Give a lease back before it runs out."""
        await self._write(
            lambda connection: connection.run("DELETE FROM leases WHERE name = %s AND holder = %s", (name, holder))
        )

    async def breakers(self) -> list[Breaker]:
        """The breakers of models that have failed since they last answered well, by model and purpose."""
        known = self._known_breakers.get()
        if known is None:
            known = await self._whole(READ, None, lambda connection: breakers.listed(connection, DIALECT))
            self._known_breakers.set(known)
        return known

    async def put_breaker(self, breaker: Breaker) -> bool:
        """Store a breaker; `False`, and nothing is stored, where another one of its change is there."""
        try:
            return await self._write(lambda connection: breakers.put(connection, DIALECT, breaker))
        finally:
            self._known_breakers.set(None)

    async def drop_breaker(self, model: str, purpose: CallPurpose) -> None:
        """Forget the breaker of a model that answers well."""
        try:
            await self._write(lambda connection: breakers.drop(connection, DIALECT, model, purpose))
        finally:
            self._known_breakers.set(None)

    @property
    def is_durable(self) -> bool:
        """Whether what the store holds outlives its process."""
        return True

    async def access_keys(self, tenant: str) -> list[AccessKey]:
        """The access keys that open a tenant, the oldest first; 10,000 at most."""
        return await self._whole(READ, None, lambda connection: access.keys(connection, DIALECT, tenant))

    async def access_key(self, id: str) -> AccessKey | None:
        """The access key of an id, whoever's it is, or `None`."""
        return await self._whole(READ, None, lambda connection: access.key(connection, DIALECT, id))

    async def has_access_keys(self) -> bool:
        """Whether any access key was ever made."""
        return await self._whole(READ, None, lambda connection: access.has_keys(connection, DIALECT))

    async def put_access_key(self, key: AccessKey) -> None:
        """Store an access key, or what has changed of it."""
        await self._write(lambda connection: access.put_key(connection, DIALECT, key))

    async def saw_access_key(self, id: str, at: datetime) -> None:
        """Say when an access key was last used."""
        await self._write(lambda connection: access.seen(connection, DIALECT, id, at))

    async def jobs(self, tenant: str, *, limit: int) -> list[Job]:
        """A tenant's jobs, the latest begun first."""
        return await self._whole(READ, None, lambda connection: access.jobs(connection, DIALECT, tenant, limit))

    async def job(self, tenant: str, id: str) -> Job | None:
        """A tenant's job of an id, or `None`."""
        return await self._whole(READ, None, lambda connection: access.job(connection, DIALECT, tenant, id))

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
        """Tell other processes that something is due, by NOTIFY."""
        await self._write(lambda connection: connection.rows("SELECT pg_notify(%s, '')", (_CHANNEL,)))

    async def hinted(self, seconds: float) -> None:
        """Wait for a hint of another process, for so long at most.

        Through a pooler that hands out a session a transaction no hint comes, and the whole time is waited.
        """
        async with self._free:
            listening: list[Raw] = []
            try:
                await self._run(lambda: listening.append(self._listening()))
                with anyio.move_on_after(seconds):
                    # In slices, so that who waits can be cancelled: a thread cannot.
                    while not await self._run(lambda: _heard(listening[0], _SLICE_SECONDS)):
                        pass
            finally:
                await in_thread_surely(lambda: [self._unlisten(raw) for raw in listening])

    async def generations(self) -> list[Generation]:
        """The generations of vectors, oldest first."""
        known = self._known_generations.get()
        if known is None:
            rows = await self._whole(READ, None, lambda connection: connection.rows(_GENERATION + "ORDER BY number"))
            known = [generation_of(row) for row in rows]
            self._known_generations.set(known)
        return known

    async def serving_generation(self, space: Space) -> Generation:
        """The active generation; in a store without any, one of this space is made and active at once."""

        def ensure(connection: Connection) -> Row:
            _start(connection, space, SpaceState.ACTIVE)
            return connection.only(_GENERATION + "WHERE state = 'active'")

        return generation_of(await self._change_generations(ensure))

    async def start_generation(self, space: Space) -> Generation:
        """Begin a generation beside the one that serves."""

        def start(connection: Connection) -> Row:
            return connection.only(_GENERATION + "WHERE number = %s", (_start(connection, space, SpaceState.BUILDING),))

        return generation_of(await self._change_generations(start))

    async def switch_generation(self, number: int) -> None:
        """Make a generation the active one and remove the others with their vectors."""
        if not await self._change_generations(
            lambda connection: connection.value("SELECT switch_generation(%s)", (number,))
        ):
            raise Conflict(f"there is no generation {number} of vectors any more")

    async def drop_generation(self, number: int) -> None:
        """Remove a generation that is not active, with its vectors."""
        await self._change_generations(lambda connection: connection.rows("SELECT drop_generation(%s)", (number,)))

    async def scrub(self) -> bool:
        """Nothing to do here: what is erased leaves the tables at once, and the journals are the server's."""
        return True

    async def checkpointing(self) -> None:
        """Nothing to do here: the server has checkpoints of its own."""

    async def compact(self) -> bool:
        """Nothing to do here: the pages of rows that are gone are the owner's; see `roles.rewrite`."""
        return True

    async def forget(self, scope: Scope, *, at: datetime) -> None:
        """Remove the jobs of an exact scope, and revoke its access keys, which name nobody from then on."""
        await self._write(lambda connection: access.forget(connection, DIALECT, scope, at))

    async def damage(self) -> list[str]:
        """The server checks its own files; nothing is found from here."""
        return []

    async def faults(self) -> list[Finding]:
        """None: the server keeps no text that is none, and no row of a scope that is gone."""
        return []

    async def mend(self) -> None:
        """Nothing to do here."""

    async def size(self) -> int:
        """Bytes of the tables with their indexes."""
        return await self._whole(
            READ,
            None,
            lambda connection: connection.value(
                """
                SELECT COALESCE(SUM(pg_total_relation_size(oid)), 0)::bigint FROM pg_class
                WHERE relkind = 'r' AND relnamespace = 'remembrancer'::regnamespace
                """
            ),
        )

    async def analyser(self) -> str:
        """By which analyser the words of the text index were made; `""` where nobody has said."""
        return await self._whole(READ, None, lambda connection: connection.value("SELECT analyser FROM store")) or ""

    async def analysed_by(self, analyser: str) -> None:
        """Say by which analyser the words of the text index are made from now on."""
        await self._write(lambda connection: connection.run("UPDATE store SET analyser = %s", (analyser,)))

    async def known_key(self) -> str:
        """As what the store knows its keys; see `stores.secret.known_by`."""
        return await self._whole(READ, None, lambda connection: connection.value("SELECT fingerprint FROM store"))

    def sign(self, text: str) -> str:
        """A keyed fingerprint of a text, hex, which only this store can make."""
        return fingerprint(self._secret, text)

    async def _check(self, secret: str, copied: str | None) -> None:
        """Refuse a role that row-level security does not bind, a foreign schema, and a foreign key."""
        await self._whole(READ, None, _check_role)
        await self._whole(READ, None, _check_schema)
        opening = self._secret
        known = await self._write(lambda connection: _fingerprint_kept(connection, copied or of_key(opening)))
        own = own_key(opening, known)
        if own is None:
            raise foreign_key(secret, None)
        self._secret = own

    async def _scopes(
        self, tenant: str, statement: LiteralString, values: Sequence[object] | Mapping[str, object] = ()
    ) -> list[Scope]:
        rows = await self._whole(READ, tenant, lambda connection: connection.rows(statement, values))
        return [scope_of(row) for row in rows]

    @asynccontextmanager
    async def _turn(self, scope: Scope) -> AsyncGenerator[None, None]:
        """The turn of one of a scope's writers in this process; who waits for it holds no connection.

        Raises:
            StoreUnavailable: it did not come for as long as a statement may take.
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
    async def _transaction(self, mode: LiteralString, tenant: str | None) -> AsyncGenerator[Connection, None]:
        """A transaction over several calls; rolled back unless it was committed."""
        async with self._free:
            # Who is cancelled meanwhile never hears of it, but gives it back.
            begun: list[tuple[Raw, Connection]] = []
            try:
                await self._run(lambda: begun.append(self._begun(mode, tenant)))
                yield begun[0][1]
            finally:
                await in_thread_surely(lambda: [self._let_go(raw) for raw, _ in begun])

    async def _whole(self, mode: LiteralString, tenant: str | None, work: Callable[[Connection], T]) -> T:
        """A transaction within one thread, tried again where another writer came first."""

        def attempt() -> T:
            raw, connection = self._begun(mode, tenant)
            try:
                result = work(connection)
                if mode == WRITE:
                    connection.commit()
                return result
            finally:
                self._let_go(raw)

        def tried() -> T:
            for _ in range(_TRIES - 1):
                try:
                    return attempt()
                except StoreUnavailable as error:
                    if not isinstance(error.__cause__, errors.SerializationFailure | errors.DeadlockDetected):
                        raise
            return attempt()

        async with self._free:
            return await self._run(tried)

    async def _write(self, work: Callable[[Connection], T]) -> T:
        return await self._whole(WRITE, None, work)

    async def _change_generations(self, work: Callable[[Connection], T]) -> T:
        try:
            return await self._write(work)
        finally:
            self._known_generations.set(None)

    def _begun(self, mode: LiteralString, tenant: str | None) -> tuple[Raw, Connection]:
        """A connection with a transaction."""

        def begun(raw: Raw) -> Connection:
            connection = Connection(raw)
            connection.begin(mode, tenant=tenant, timeout=self._statement_seconds)
            return connection

        return self._living(begun)

    def _listening(self) -> Raw:
        def listen(raw: Raw) -> None:
            with translated():
                raw.execute(sql.SQL("LISTEN {}").format(sql.Identifier(_CHANNEL)), prepare=False)

        return self._living(listen)[0]

    def _living(self, use: Callable[[Raw], T]) -> tuple[Raw, T]:
        """A connection and its first use; those that the server has dropped meanwhile are replaced by another."""
        # After a restart all that waited in the pool are dead, and one more is fresh.
        for left in reversed(range(self._pool.max_size + 1)):
            with translated():
                raw = self._pool.taken()
            try:
                return raw, use(raw)
            except BaseException as error:
                self._let_go(raw)
                if not left or not isinstance(error, StoreUnavailable):
                    raise
        raise AssertionError("the last try returns or raises")

    def _unlisten(self, raw: Raw) -> None:
        with suppress(psycopg.Error):
            raw.execute("UNLISTEN *", prepare=False)
        self._let_go(raw)

    def _let_go(self, raw: Raw) -> None:
        """Give a connection back, whatever state it is in; the pool drops one that is broken."""
        with suppress(psycopg.Error):
            if raw.info.transaction_status is not psycopg.pq.TransactionStatus.IDLE:
                raw.execute("ROLLBACK", prepare=False)
        self._pool.putconn(raw)

    def _run(self, work: Callable[[], T]) -> Awaitable[T]:
        return in_thread(work)


class _Known(Generic[T]):
    """What was read of the store, for `KNOWN_SECONDS`."""

    def __init__(self) -> None:
        self._found: list[T] | None = None
        self._read_at = 0.0

    def get(self) -> list[T] | None:
        """What was read; `None` where that is too long ago, or was changed by this process."""
        return self._found if monotonic() - self._read_at < KNOWN_SECONDS else None

    def set(self, found: list[T] | None) -> None:
        """Remember what was read just now, or forget it."""
        self._found, self._read_at = found, monotonic()


class _Pool(ConnectionPool[Raw]):
    """A pool that knows whether its server is away: then one caller looks for it, and all others are told at once.

    Left to itself a pool looks for its server less and less often, for five minutes, while each caller waits in full,
    and whoever comes later behind them.
    """

    def __init__(self, url: str, *, size: int) -> None:
        self._away = Event()
        self._looking = Lock()
        super().__init__(
            url,
            min_size=0,
            max_size=size,
            open=False,
            timeout=CONNECT_SECONDS,
            reconnect_timeout=_PATIENCE_SECONDS,
            reconnect_failed=lambda _: self._away.set(),
            kwargs=CONNECTING,
            name="remembrancer",
        )

    def taken(self) -> Raw:
        """A connection; where the server was away a moment ago, within a second or not at all.

        Raises:
            PoolTimeout: there is none.
        """
        if self._away.is_set():
            if not self._looking.acquire(blocking=False):
                raise PoolTimeout("the server is away")
            try:
                raw = self.getconn(_SLICE_SECONDS)
            finally:
                self._looking.release()
        else:
            raw = self._waited_for()
        self._away.clear()
        return raw

    def _waited_for(self) -> Raw:
        ends = monotonic() + CONNECT_SECONDS
        while True:
            try:
                return self.getconn(_SLICE_SECONDS)
            except PoolTimeout:
                # It was found meanwhile that nothing is to be waited for.
                if self._away.is_set() or monotonic() > ends:
                    raise


def _opened(url: str, pool_size: int) -> _Pool:
    """A pool whose first connection stands, so that a wrong address is told at once and clearly."""
    connected(url).close()
    pool = _Pool(url, size=pool_size)
    pool.open()
    return pool


def _heard(raw: Raw, seconds: float) -> bool:
    with translated():
        return any(True for _ in raw.notifies(timeout=seconds, stop_after=1))


def _shard(connection: Connection, caller: Caller, *, frozen: bool = True, in_thread: bool = False) -> Shard:
    fresh_key = partial(secrets.token_bytes, 32)
    return Shard(connection, DIALECT, caller, fresh_key=fresh_key, frozen=frozen, in_thread=in_thread)


def _locked(connection: Connection, caller: Caller, *, in_thread: bool = False) -> Shard:
    """The exact scope and those it sees, once nobody else writes to it."""
    lock(connection, SCOPE_WRITER, repr(caller.scope))
    return _shard(connection, caller, frozen=False, in_thread=in_thread)


def _check_role(connection: Connection) -> None:
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
    said = ("is a superuser", "has BYPASSRLS", "owns the tables", "belongs to remembrancer_sweeping")
    if found := [words for words, holds in zip(said, powers, strict=True) if holds]:
        raise NotAllowed(
            f"the role {name!r} {found[0]}, so that row-level security would not bind it; make a serving role with"
            " `remembrancer init-db` and connect as that"
        )


def _check_schema(connection: Connection) -> None:
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


def _fingerprint_kept(connection: Connection, fresh: str) -> str:
    """The fingerprint of the store's key; a new store takes that of the one it is opened with."""
    statement: LiteralString = "SELECT fingerprint FROM store"
    known: str | None = connection.value(statement)
    if known is None:
        connection.run('INSERT INTO store ("only", fingerprint) VALUES (1, %s) ON CONFLICT DO NOTHING', (fresh,))
        known = connection.value(statement)
    return known or ""


def _start(connection: Connection, space: Space, state: SpaceState) -> int | None:
    return connection.value(
        "SELECT start_generation(%s, %s, %s, %s, %s, %s)",
        (space.name, space.version, space.dimension, space.random_cosine, space.random_spread, state.value),
    )
