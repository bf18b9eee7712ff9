"""Reads on replicas: a replica answers where it has every change of the scopes that the caller sees.

Each write of a scope counts up the scope's changes. A read asks the primary for the counts of the visible scopes, and a
replica for the same in the snapshot that it then reads. So a replica never answers with less than the primary had when
the read began: not for the caller's own writes, nor for those of others, erasures and verdicts among them.
"""

from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from itertools import count
from time import monotonic, sleep
from typing import Any, LiteralString, NamedTuple, TypeVar

import anyio
from psycopg.conninfo import conninfo_to_dict

from remembrancer.errors import InvalidInput, StoreError
from remembrancer.storage.postgres.connection import (
    READ,
    SHORT_CONNECT_SECONDS,
    PostgresConnection,
    TenantElsewhere,
    check_address,
    query_once,
)
from remembrancer.storage.postgres.dialect import DIALECT
from remembrancer.storage.postgres.pool import ServerPool
from remembrancer.storage.postgres.primary import connected
from remembrancer.storage.postgres.turns import FairTurns
from remembrancer.storage.scoped_connection import VISIBLE
from remembrancer.storage.threads import in_thread
from remembrancer.storage.values import scope_columns
from remembrancer.types.replicas import ReplicaState, ReplicaStatus
from remembrancer.types.scope import Scope

WAIT_SECONDS = 0.05
WATCH_SECONDS = 1.0
MAX_LAG_SECONDS = 10.0
_PAUSE_SECONDS = 0.004
# A replica that is so much further behind than another one is not asked.
_MUCH_SECONDS = 1.0
# After a wait in vain, how long reads do not wait for this replica.
_NO_WAIT_SECONDS = 1.0
_COUNTS: LiteralString = DIALECT.sql(
    """
    SELECT id, COALESCE((SELECT count FROM counters WHERE counters.scope = scopes.id AND name = 'changes'), 0)
    FROM scopes WHERE
    """
    + VISIBLE
)
_STATE: LiteralString = """
    SELECT
        pg_is_in_recovery(),
        CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END - '0/0'::pg_lsn,
        (SELECT system_identifier FROM pg_control_system()),
        current_user,
        current_database(),
        pg_postmaster_start_time()
"""
T = TypeVar("T")
Counts = dict[int, int]


class Replica:
    """One replica, with its pool and its state.

    Attributes:
        refusal: why the server accepts no connection, asked once each time.
    """

    def __init__(self, url: str, *, size: int) -> None:
        self.url = url
        self.name = _name_of(url)
        self.pool = ServerPool(url, size=size, seconds=SHORT_CONNECT_SECONDS)
        self.refusal = ""
        self.connections = FairTurns(size)
        self.lag_seconds: float | None = None
        self.reads = self.missed = 0
        self.no_wait_until = 0.0
        self.set_status(ReplicaStatus.UNREACHABLE, "it was not asked yet")

    def set_status(self, status: ReplicaStatus, reason: str = "") -> None:
        """Set whether it is asked, and the reason if it is not."""
        self.status, self.reason = status, reason

    @property
    def state(self) -> ReplicaState:
        """Its state, for reports."""
        return ReplicaState(
            name=self.name,
            status=self.status,
            lag_seconds=self.lag_seconds,
            reason=self.reason,
            reads=self.reads,
            missed=self.missed,
        )


class Replicas:
    """The replicas of one primary.

    Attributes:
        statement_seconds: the limit for a statement.
    """

    def __init__(self, primary: ServerPool, all: Sequence[Replica], *, statement_seconds: float) -> None:
        self._primary = primary
        self.all = all
        self.statement_seconds = statement_seconds
        self._turn = count()
        # The positions of the primary in its journal, with their times.
        self._positions = deque[tuple[float, int]](maxlen=600)

    @classmethod
    def at(cls, urls: Sequence[str], *, primary: ServerPool, size: int, statement_seconds: float) -> "Replicas":
        """Return the replicas at some addresses; they need not be reachable.

        Args:
            size: the limit of connections to each.

        Raises:
            InvalidInput: an address is malformed.
        """
        replicas: list[Replica] = []
        for url in urls:
            try:
                check_address(url)
            except InvalidInput as error:
                raise InvalidInput(f"REMEMBRANCER_REPLICAS: {error}") from error
            replicas.append(Replica(url, size=size))
        names = [replica.name for replica in replicas]
        if len(set(names)) < len(names):
            raise InvalidInput("replicas names the same server twice; name each once")
        return cls(primary, replicas, statement_seconds=statement_seconds)

    def open(self) -> None:
        """Open the pools. Blocking."""
        for replica in self.all:
            replica.pool.open()

    def close(self) -> None:
        """Close the pools. Blocking."""
        for replica in self.all:
            replica.pool.close()

    def choose(self) -> Replica | None:
        """Return the next replica in order of those that are least behind, or `None`."""
        lags = {one: one.lag_seconds or 0.0 for one in self.all if one.status is ReplicaStatus.READY}
        near = [one for one, lag in lags.items() if lag <= min(lags.values()) + _MUCH_SECONDS]
        return near[next(self._turn) % len(near)] if near else None

    def counts(self, scope: Scope) -> Counts:
        """Return the primary's counts of changes of the scopes that a scope sees. Blocking."""
        values = scope_columns(scope)
        return dict(
            self._primary.use(
                lambda raw: query_once(raw, _COUNTS, values, tenant=scope.tenant, timeout=self.statement_seconds)
            )
        )

    async def read(
        self, replica: Replica, scope: Scope, counts: Counts, work: Callable[[PostgresConnection], T]
    ) -> tuple[T] | None:
        """Return the result of work on a replica; `None` if it lacks a change, or failed."""
        async with replica.connections.turn(scope.tenant):
            try:
                return await in_thread(partial(self._read, replica, scope, counts, work))
            except TenantElsewhere:
                # The tenant has moved a moment ago.
                return None
            except StoreError as error:
                replica.set_status(ReplicaStatus.UNREACHABLE, str(error))
                return None

    def _read(
        self, replica: Replica, scope: Scope, counts: Counts, work: Callable[[PostgresConnection], T]
    ) -> tuple[T] | None:
        values, end = scope_columns(scope), monotonic() + WAIT_SECONDS
        while True:
            raw, connection = replica.pool.begin(READ, tenant=scope.tenant, timeout=self.statement_seconds)
            try:
                found: Counts = dict(connection.rows(_COUNTS, values))
                if _has_all(found, counts):
                    result = (work(connection),)
                    replica.reads += 1
                    return result
            finally:
                replica.pool.release(raw)
            now = monotonic()
            if now > end or now < replica.no_wait_until:
                replica.missed += 1
                replica.no_wait_until = max(replica.no_wait_until, now + _NO_WAIT_SECONDS if now > end else 0.0)
                return None
            sleep(_PAUSE_SECONDS)

    async def watch(self) -> None:
        """Look at all servers once a second, until cancelled.

        Replicas that lag or fail are left out until they are in order. A new primary is found even where the former one
        still answers, or hangs.
        """
        primary = self._primary.primary
        async with anyio.create_task_group() as tasks:
            if primary and primary.has_several_hosts:
                tasks.start_soon(_often, primary.look)
            if self.all:
                tasks.start_soon(_often, self._look_at_all)

    def look(self) -> None:
        """Look at all servers once. Blocking."""
        primary = self._primary.primary
        if primary and primary.has_several_hosts:
            primary.look()
        if self.all:
            self._look_at_all()

    def _look_at_all(self) -> None:
        with suppress(StoreError):
            now = monotonic()
            primary = self._state(self._primary)
            self._positions.append((now, primary.position))
            for replica in self.all:
                self._look_at(replica, primary)

    def _look_at(self, replica: Replica, primary: "_State") -> None:
        try:
            state = self._state(replica.pool)
        except StoreError as error:
            replica.set_status(ReplicaStatus.UNREACHABLE, replica.refusal or str(error))
            replica.lag_seconds = None
            # The pool does not know the reason.
            replica.reason = replica.refusal = replica.refusal or _refusal(replica.url) or str(error)
            return
        replica.refusal = ""
        if state.identity != primary.identity:
            replica.set_status(ReplicaStatus.WRONG, "it is no copy of this database's server")
        elif not state.in_recovery and state.started_at == primary.started_at:
            replica.set_status(ReplicaStatus.PRIMARY, "it is the primary now")
        elif not state.in_recovery:
            replica.set_status(ReplicaStatus.WRONG, "it follows no primary: it was promoted, or started as one")
        elif (state.role, state.database) != (primary.role, primary.database):
            # Row-level security is known to bind the role of the primary.
            replica.set_status(
                ReplicaStatus.WRONG,
                f"it reads as the role {state.role!r} in the database {state.database!r}; name {primary.role!r} and"
                f" {primary.database!r} in its address, as in that of the primary",
            )
        else:
            replica.lag_seconds = self._lag(state.position)
            if replica.lag_seconds > MAX_LAG_SECONDS:
                replica.set_status(
                    ReplicaStatus.LAGGING,
                    f"it is {replica.lag_seconds:.0f} s behind; check its connection and its load",
                )
            else:
                replica.set_status(ReplicaStatus.READY)

    def _lag(self, position: int) -> float:
        """Return since when a position is behind the primary's."""
        missing = [at for at, reached in self._positions if reached > position]
        return monotonic() - missing[0] if missing else 0.0

    def _state(self, pool: ServerPool) -> "_State":
        row: Any = pool.use(lambda raw: query_once(raw, _STATE, {}, tenant=None, timeout=self.statement_seconds))[0]
        return _State(row[0], int(row[1]), int(row[2]), *row[3:])


class _State(NamedTuple):
    """The state of a server: whether it follows another one, its position in the journal, and its identity.

    Args:
        role, database: of our connection.
        started_at: when the server started.
    """

    in_recovery: bool
    position: int
    identity: int
    role: str
    database: str
    started_at: datetime


async def _often(look: Callable[[], None]) -> None:
    while True:
        await in_thread(look)
        await anyio.sleep(WATCH_SECONDS)


def _refusal(url: str) -> str:
    """Return why a server accepts no connection, `""` if it does."""
    try:
        connected(url, seconds=SHORT_CONNECT_SECONDS).close()
    except StoreError as error:
        return str(error)
    return ""


def _has_all(found: Counts, counts: Counts) -> bool:
    """Return True if a replica has every change of some scopes.

    The count of a scope begins above all earlier ones, and ends with the erasure of the scope.
    """
    return found.keys() == counts.keys() and all(
        found[id] == changes or found[id] > changes > 0 for id, changes in counts.items()
    )


def _name_of(url: str) -> str:
    parts = conninfo_to_dict(url)
    return f"{parts.get('host', 'localhost')}:{parts.get('port', 5432)}"
