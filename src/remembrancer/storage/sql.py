"""The store of memories on SQL, as far as both databases do the same.

A subclass opens transactions, and does what belongs to its database: files, servers, journals, hints.
"""

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import asdict
from datetime import datetime
from typing import Any, Generic, LiteralString, TypeVar

from remembrancer.errors import Conflict, StoreError
from remembrancer.storage import access_keys, jobs
from remembrancer.storage.connection import SqlConnection
from remembrancer.storage.dialect import Dialect, Values
from remembrancer.storage.scoped_connection import SCOPE_WRITER, VISIBLE, PortableConnection, ScopedConnection
from remembrancer.storage.secret import fingerprint
from remembrancer.storage.tables import columns, names
from remembrancer.storage.threads import in_thread
from remembrancer.storage.tx import Indexes, Tx
from remembrancer.storage.values import generation_of, scope_columns, scope_of
from remembrancer.types.access import AccessKey, Caller
from remembrancer.types.calls import Breaker, CallPurpose
from remembrancer.types.index import Generation, Space, SpaceState
from remembrancer.types.jobs import DueWork, Job, Lease, Purpose, Thresholds
from remembrancer.types.placements import DatabaseState, Placement
from remembrancer.types.scope import Scope

T = TypeVar("T")
C = TypeVar("C", bound=SqlConnection)
SCOPES: LiteralString = 'SELECT tenant, project, agent, "user" FROM scopes '
DUE_SCOPES: Mapping[Purpose, LiteralString] = {
    Purpose.NIGHTLY: """
        SELECT id FROM scopes WHERE :night::text <> '' AND NOT EXISTS (
            SELECT 1 FROM maintenance_runs
            WHERE maintenance_runs.scope = scopes.id AND day = :night::text{bytewise} AND ended_at IS NOT NULL
        )
    """,
    Purpose.EMBED: "SELECT scope FROM records{by_unembedded} WHERE document IS NOT NULL AND generation IS NULL",
    Purpose.STALE_SESSIONS: """
        SELECT scope FROM sessions WHERE status = 'active' AND last_activity_at < :stale_before
    """,
    Purpose.OBSERVE: """
        SELECT scope FROM sessions
        WHERE tokens > observed_tokens
            AND tokens - observed_tokens >= CASE WHEN :by_scope THEN 1 ELSE :chunk_tokens::bigint END
        GROUP BY scope, CASE WHEN :by_scope THEN '' ELSE id END
        HAVING SUM(tokens - observed_tokens) >= :chunk_tokens::bigint
    """,
    Purpose.REFLECT: """
        SELECT scope FROM logs WHERE tokens >= :log_tokens::bigint AND fresh >= :fresh_tokens::bigint
    """,
}
"""The numbers of the scopes with due work, by purpose."""
_LEASE: LiteralString = """
    INSERT INTO leases (name, holder, until) VALUES (:name, :holder, {in_seconds})
    ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
    -- A lease of more than a day was written while the clock ran ahead.
    WHERE leases.holder = excluded.holder OR leases.until <= {now} OR leases.until > {tomorrow}
"""
_LEASE_COLUMNS = columns("name holder until:moment")
_LEASES: LiteralString = f"SELECT {names(_LEASE_COLUMNS)} FROM leases WHERE until > {{now}} ORDER BY name"
_RELEASE: LiteralString = "DELETE FROM leases WHERE name = :name AND holder = :holder"
_GENERATIONS: LiteralString = (
    "SELECT number, name, model_version, dimension, random_cosine, random_spread, state FROM generations "
)


class SqlStore(ABC, Generic[C]):
    """A database of memories; see `Store`.

    Args:
        secret: the key by which the store signs.
    """

    def __init__(self, dialect: Dialect, secret: bytes) -> None:
        self._dialect = dialect
        self._secret = secret

    @asynccontextmanager
    async def begin(self, caller: Caller, *, streaming: bool = False) -> AsyncGenerator[Tx, None]:
        async with self._writing(caller.scope, streaming=streaming) as connection:
            yield await in_thread(lambda: self._tx(connection, caller, is_snapshot=False))

    @asynccontextmanager
    async def snapshot(self, caller: Caller, *, streaming: bool = False) -> AsyncGenerator[Tx, None]:
        async with self._reading(caller.scope.tenant, streaming=streaming) as connection:
            yield await in_thread(lambda: self._tx(connection, caller, is_snapshot=True))

    async def read(self, caller: Caller, work: Callable[[Tx], Coroutine[Any, Any, T]]) -> T:
        return await self._read(self._reading_as(caller, work), tenant=caller.scope.tenant)

    def _reading_as(self, caller: Caller, work: Callable[[Tx], Coroutine[Any, Any, T]]) -> Callable[[C], T]:
        """Return a caller's work as work on a connection, in one thread."""
        return lambda connection: _finished(work(self._tx(connection, caller, is_snapshot=True, in_thread=True)))

    async def write(self, caller: Caller, work: Callable[[Tx], Coroutine[Any, Any, T]]) -> T:
        def write(connection: C) -> T:
            return _finished(work(self._tx(connection, caller, is_snapshot=False, in_thread=True)))

        return await self._write(write, scope=caller.scope)

    async def visible_scopes(self, scope: Scope) -> list[Scope]:
        rows = await self._rows(SCOPES + "WHERE" + VISIBLE, scope_columns(scope), tenant=scope.tenant)
        return [scope_of(row) for row in rows]

    async def waiting(self, due: DueWork, limits: Thresholds) -> list[Scope]:
        statement: LiteralString = SCOPES + "WHERE tenant = :tenant AND id IN (" + DUE_SCOPES[due.purpose] + ")"
        rows = await self._rows(statement + " ORDER BY id", {"tenant": due.tenant, **asdict(limits)}, tenant=due.tenant)
        return [scope_of(row) for row in rows]

    async def lease(self, name: str, *, holder: str, seconds: float) -> bool:
        return await self._run(_LEASE, {"name": name, "holder": holder, "seconds": seconds}) > 0

    async def leases(self) -> list[Lease]:
        read = self._dialect.reader(_LEASE_COLUMNS)
        rows = await self._rows(_LEASES)
        return [Lease(name=name, holder=holder, until=until) for name, holder, until in map(read, rows)]

    async def release(self, name: str, *, holder: str) -> None:
        await self._run(_RELEASE, {"name": name, "holder": holder})

    async def breakers(self) -> list[Breaker]:
        return await self._ask(jobs.breakers)

    async def put_breaker(self, breaker: Breaker) -> bool:
        return await self._change(lambda connection: jobs.put_breaker(connection, breaker))

    async def drop_breaker(self, model: str, purpose: CallPurpose) -> None:
        await self._change(lambda connection: jobs.drop_breaker(connection, model, purpose))

    async def access_keys(self, tenant: str) -> list[AccessKey]:
        return await self._ask(lambda connection: access_keys.keys(connection, tenant))

    async def access_key(self, id: str) -> AccessKey | None:
        return await self._ask(lambda connection: access_keys.key(connection, id))

    async def has_access_keys(self) -> bool:
        return await self._ask(access_keys.has_keys)

    async def put_access_key(self, key: AccessKey) -> None:
        await self._change(lambda connection: access_keys.put_key(connection, key))

    async def touch_access_key(self, id: str, at: datetime) -> None:
        await self._change(lambda connection: access_keys.touch_key(connection, id, at))

    async def jobs(self, tenant: str, *, limit: int) -> list[Job]:
        return await self._ask(lambda connection: jobs.jobs(connection, tenant, limit))

    async def job(self, tenant: str, id: str) -> Job | None:
        return await self._ask(lambda connection: jobs.job(connection, tenant, id))

    async def put_job(self, job: Job) -> None:
        await self._change(lambda connection: jobs.put_job(connection, job))

    async def cancel_job(self, tenant: str, id: str) -> None:
        await self._change(lambda connection: jobs.cancel_job(connection, tenant, id))

    async def forget_jobs(self, tenant: str, *, before: datetime) -> None:
        await self._change(lambda connection: jobs.forget_jobs(connection, tenant, before))

    async def forget(self, scope: Scope, *, at: datetime) -> None:
        await self._change(lambda connection: access_keys.forget(connection, scope, at))

    async def databases(self) -> list[DatabaseState]:
        return []

    async def placements(self) -> list[Placement]:
        return []

    async def left_over(self, tenant: str) -> list[str]:
        return []

    async def generations(self) -> list[Generation]:
        return await self._read(generations_of)

    async def serving_generation(self, space: Space) -> Generation:
        def ensure(connection: C) -> Generation:
            self._insert_generation(connection, space, SpaceState.ACTIVE)
            return generation_of(connection.only(_GENERATIONS + "WHERE state = 'active'"))

        return await self._change_generations(ensure)

    async def start_generation(self, space: Space) -> Generation:
        def start(connection: C) -> Generation:
            number = self._insert_generation(connection, space, SpaceState.BUILDING)
            portable = PortableConnection(connection, self._dialect)
            return generation_of(portable.row(_GENERATIONS + "WHERE number = :number", {"number": number}))

        return await self._change_generations(start)

    async def switch_generation(self, number: int) -> None:
        if not await self._change_generations(lambda connection: self._switch_generation(connection, number)):
            raise Conflict(f"there is no generation {number} of vectors any more")

    async def drop_generation(self, number: int) -> None:
        await self._change_generations(lambda connection: self._drop_generation(connection, number))

    async def analyser(self) -> str:
        rows = await self._rows("SELECT analyser FROM store")
        return (rows[0][0] if rows else "") or ""

    async def set_analyser(self, analyser: str) -> None:
        await self._run("UPDATE store SET analyser = :analyser", {"analyser": analyser})

    async def known_key(self) -> str:
        return (await self._rows("SELECT fingerprint FROM store"))[0][0]

    def sign(self, text: str) -> str:
        return fingerprint(self._secret, text)

    @abstractmethod
    def _writing(self, scope: Scope, *, streaming: bool) -> AbstractAsyncContextManager[C]:
        """Open a transaction that writes to a scope; commit it when the block ends, roll it back when it raises."""

    @abstractmethod
    def _reading(self, tenant: str, *, streaming: bool) -> AbstractAsyncContextManager[C]:
        """Open a transaction that reads what a tenant has, as of one moment."""

    @abstractmethod
    async def _read(self, work: Callable[[C], T], *, tenant: str | None = None) -> T:
        """Do blocking work in a transaction that reads what a tenant has, or what no tenant owns, in one thread."""

    @abstractmethod
    async def _write(self, work: Callable[[C], T], *, scope: Scope | None = None) -> T:
        """Do blocking work in a transaction that writes to a scope, or what no tenant owns, in one thread."""

    @abstractmethod
    def _indexes_for(self, *, is_snapshot: bool) -> Indexes:
        """Return the indexes for a transaction."""

    @abstractmethod
    def _insert_generation(self, connection: C, space: Space, state: SpaceState, /) -> int | None:
        """Insert a generation; an active one only where none is. Return its number."""

    @abstractmethod
    def _switch_generation(self, connection: C, number: int, /) -> bool:
        """Activate a generation and remove the others; return False if there is none of this number."""

    @abstractmethod
    def _drop_generation(self, connection: C, number: int, /) -> None:
        """Remove a generation that is not active."""

    async def _change_generations(self, work: Callable[[C], T]) -> T:
        return await self._write(work)

    def _tx(self, connection: C, caller: Caller, *, is_snapshot: bool, in_thread: bool = False) -> Tx:
        """Return the transaction of a caller; wait until no other transaction writes to the scope."""
        if not is_snapshot:
            connection.lock(SCOPE_WRITER, repr(caller.scope))
        scoped = ScopedConnection(connection, self._dialect, caller, is_snapshot=is_snapshot, in_thread=in_thread)
        return Tx(scoped, self._indexes_for(is_snapshot=is_snapshot), self._secret)

    async def _ask(self, work: Callable[[PortableConnection], T], *, tenant: str | None = None) -> T:
        return await self._read(lambda connection: work(PortableConnection(connection, self._dialect)), tenant=tenant)

    async def _change(self, work: Callable[[PortableConnection], T]) -> T:
        return await self._write(lambda connection: work(PortableConnection(connection, self._dialect)))

    async def _rows(
        self, statement: LiteralString, values: Values | None = None, *, tenant: str | None = None
    ) -> list[Any]:
        return await self._ask(lambda connection: connection.rows(statement, values), tenant=tenant)

    async def _run(self, statement: LiteralString, values: Values) -> int:
        return await self._change(lambda connection: connection.run(statement, values))


def generations_of(connection: SqlConnection) -> list[Generation]:
    """Return the generations of vectors, oldest first. Blocking."""
    return [generation_of(row) for row in connection.rows(_GENERATIONS + "ORDER BY number")]


def _finished(work: Coroutine[Any, Any, T]) -> T:
    """Return the result of a coroutine that never has to wait.

    Raises:
        StoreError: it waited.
    """
    try:
        work.send(None)
    except StopIteration as done:
        return done.value
    work.close()
    raise StoreError("a piece of work in a transaction waited for something else than its transaction")
