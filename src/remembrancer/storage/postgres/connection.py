"""One connection to PostgreSQL for the length of a transaction, and its errors in our words."""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from threading import Timer
from time import monotonic
from typing import Any, ClassVar, LiteralString, TypeVar

import psycopg
from psycopg import errors, sql
from psycopg.abc import PQGen
from psycopg.conninfo import conninfo_to_dict
from psycopg.errors import Diagnostic
from psycopg_pool import PoolClosed, PoolTimeout

from remembrancer.errors import InvalidInput, StoreError, StoreUnavailable
from remembrancer.storage.connection import Arguments, SqlConnection

Row = tuple[Any, ...]
Statement = LiteralString | sql.Composed
T = TypeVar("T")

# Set for each transaction, not for the session: a pooler between us and the server may change sessions under us.
_BEGIN = sql.SQL("""
    BEGIN {mode};
    SELECT
        set_config('remembrancer.tenant', {tenant}, true),
        set_config('search_path', {path}, true),
        set_config('statement_timeout', {timeout}, true),
        set_config('timezone', 'UTC', true),
        set_config('jit', 'off', true),
        set_config('hnsw.iterative_scan', 'strict_order', true),
        set_config('hnsw.ef_search', '300', true)
""")
WRITE: LiteralString = "ISOLATION LEVEL READ COMMITTED"
READ: LiteralString = "ISOLATION LEVEL REPEATABLE READ READ ONLY"
# A tenant has a partition of the tables, if they are partitioned. One that has moved to another database is refused.
_PATH = sql.SQL("remembrancer_ops.admit({tenant}, {writes})")
_PATH_OF_ANY = sql.SQL("remembrancer_ops.path_of({tenant})")
_PATH_OF_NONE = sql.Literal("remembrancer, remembrancer_ops, public")
_ADDRESS = (
    "the database's address is none; it reads postgresql://USER:PASSWORD@HOST:PORT/DATABASE,"
    " with %40 for an @ in the password and %2F for a /"
)

# The errors of `admit`.
_LEFT, _ARRIVING = "RMB01", "RMB02"
TOO_LONG = "the database took too long to answer; try again, or raise statement_timeout"

CONNECT_SECONDS = 10
# The same where another server may answer instead.
SHORT_CONNECT_SECONDS = 2
# The limits after which a connection to a server that vanished without a word (power, network) breaks: while it is
# silent, and while it confirms nothing of what was sent.
NOTICED: dict[str, Any] = {
    "keepalives_idle": 4,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}


class Raw(psycopg.Connection[Row]):
    """A connection as the driver has it; it breaks where its server hangs, for instance because its disk does.

    The kernel of a server that hangs confirms what is sent, so no limit of TCP is reached. A wait of some seconds
    therefore asks if the server still answers new connections.

    Attributes:
        is_former: returns True once another server has replaced this one as the primary.
        silent_seconds: how long a wait lasts until the server is asked, and between two questions.
        hangs: whether the server did not answer.
    """

    silent_seconds: ClassVar[float] = 5.0
    is_former: Callable[[], bool] = staticmethod(lambda: False)
    hangs = False

    def wait(self, gen: PQGen[T], interval: float = 0.1, timeout: float | None = None) -> T:
        """Wait for the server.

        Raises:
            psycopg.errors.ConnectionTimeout: it answers no new connection within `connect_timeout` of the address.
            psycopg.OperationalError: it is the primary no more.
        """
        return super().wait(self._while_answering(gen), interval, timeout)

    def _while_answering(self, gen: PQGen[T]) -> PQGen[T]:
        answered_at = monotonic()
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted
                if ready:
                    answered_at = monotonic()
                else:
                    self.refuse_former()
                    if monotonic() - answered_at > self.silent_seconds:
                        self._ask()
                        answered_at = monotonic()
                wanted = gen.send(ready)
        except StopIteration as end:
            return end.value

    def _ask(self) -> None:
        try:
            # The password is not sent: its refusal is an answer.
            psycopg.connect(self.info.dsn).close()
        except errors.ConnectionTimeout:
            self.hangs = True
            self.close()
            raise errors.ConnectionTimeout("the server does not answer") from None
        except psycopg.Error:
            return

    def refuse_former(self) -> None:
        """Close the connection if its server is a former primary.

        Raises:
            psycopg.OperationalError: it is one.
        """
        if self.is_former():
            self.close()
            raise errors.OperationalError("the server is the primary no more; try again")


def connecting(url: str, **settings: Any) -> dict[str, Any]:
    """Return the settings of our connections that differ from libpq's defaults; an address may have its own.

    Args:
        settings: others.
    """
    ours, own = {"connect_timeout": CONNECT_SECONDS, **NOTICED, **settings}, conninfo_to_dict(url)
    return {"autocommit": True, **{name: value for name, value in ours.items() if name not in own}}


def adapt(raw: Raw) -> bool:
    """Prepare no statements on a connection through a pooler; return whether it is one.

    A pooler such as PgBouncer may change the server's process between transactions, and a prepared statement is of one
    process. It shows clients numbers of its own for the process.
    """
    row = raw.execute("SELECT pg_backend_pid()", prepare=False).fetchone()
    is_pooled = row is not None and row[0] != raw.info.backend_pid
    if is_pooled:
        raw.prepare_threshold = None
    return is_pooled


class TenantElsewhere(StoreError):
    """A tenant is in another database.

    Args:
        database: the name of the other one.
        has_left: whether it was in this database before; otherwise its rows are on their way.
    """

    def __init__(self, database: str, *, has_left: bool) -> None:
        super().__init__(
            f"the tenant is in the database {database!r}; name its address in REMEMBRANCER_DATABASES, the same for all"
            " processes"
        )
        self.database = database
        self.has_left = has_left


class PostgresConnection(SqlConnection):
    """Statements in one transaction. Blocking; used by one thread at a time."""

    has_locks: ClassVar[bool] = True

    def __init__(self, raw: Raw) -> None:
        self._raw = raw
        self._timeout = float(CONNECT_SECONDS)

    def begin(self, mode: LiteralString, *, tenant: str | None, timeout: float, moves: bool = False) -> None:
        """Open a transaction that sees one tenant, or none.

        Args:
            timeout: the limit for a statement, in seconds; 0 is none.
            moves: whether the tenant may be on its way to another database, or in it.

        Raises:
            TenantElsewhere: the tenant is in another database.
        """
        self._timeout = timeout
        with translated():
            self._raw.execute(_begin(mode, tenant or "", round(timeout * 1000), moves), prepare=False)

    def commit(self) -> None:
        """Commit the transaction.

        Raises:
            StoreUnavailable: no synchronous replica confirmed it in time. The server has no limit for that, and reports
                a cancelled wait as a warning.
        """
        warnings: list[str] = []

        def note(diagnostic: Diagnostic) -> None:
            if diagnostic.severity_nonlocalized == "WARNING":
                warnings.append(diagnostic.message_primary or "")

        limit = Timer(self._timeout or CONNECT_SECONDS, self._raw.cancel_safe)
        limit.daemon = True
        self._raw.add_notice_handler(note)
        limit.start()
        try:
            with translated():
                self._raw.execute("COMMIT", prepare=False)
        finally:
            limit.cancel()
            self._raw.remove_notice_handler(note)
        if warnings:
            raise StoreUnavailable(f"the commit is not confirmed by a replica ({warnings[0]}); try again")

    def rows(self, statement: Statement, values: Arguments = (), *, replan: bool = False) -> list[Row]:
        """Return every row of a statement.

        Args:
            replan: for statements whose best plan depends on their values: no plan is kept for the next time.
        """
        with translated(), self._raw.cursor(binary=True) as cursor:
            cursor.execute(statement, values, prepare=False if replan else None)
            return cursor.fetchall() if cursor.pgresult and cursor.pgresult.nfields else []

    def run(self, statement: Statement, values: Arguments = ()) -> int:
        """Run a statement; return the number of rows that it changed."""
        with translated(), self._raw.cursor() as cursor:
            return cursor.execute(statement, values).rowcount

    def run_many(self, statement: Statement, values: Sequence[Arguments]) -> None:
        """Run a statement once for each set of values, without waiting between them."""
        if len(values) == 1:
            # A pipeline needs longer than one answer.
            self.run(statement, values[0])
        elif values:
            with translated(), self._raw.cursor() as cursor:
                cursor.executemany(statement, values)

    def lock(self, kind: int, name: str) -> None:
        """Wait for an advisory lock; its second number is a hash of the name."""
        self.rows("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", (kind, name))

    def set_each(
        self,
        table: LiteralString,
        columns: Mapping[LiteralString, LiteralString],
        scope: int,
        rows: Sequence[Sequence[object]],
    ) -> None:
        """Set some columns in many rows of a scope; each row begins with its id.

        In one statement: 248 rows needed 10 ms, and one statement for each 65.
        """
        if rows:
            changes = ", ".join(f"{column} = new.{column}" for column in columns)
            arrays = ", ".join(f"%s::{type}[]" for type in ("text", *columns.values()))
            sql: LiteralString = (
                f"UPDATE {table} SET {changes} FROM unnest({arrays}) AS new (id, {', '.join(columns)})"
                f" WHERE {table}.scope = %s AND {table}.id = new.id"
            )
            self.run(sql, [*(list(column) for column in zip(*rows, strict=True)), scope])

    def insert_each(
        self, table: LiteralString, columns: Mapping[LiteralString, LiteralString], rows: Sequence[Sequence[object]]
    ) -> None:
        """Insert many rows; an existing one stays.

        In one statement: 40 rows needed .4 ms of the server, and one statement for each 1.8.
        """
        if rows:
            arrays = ", ".join(f"%s::{type}[]" for type in columns.values())
            sql: LiteralString = (
                f"INSERT INTO {table} ({', '.join(columns)}) SELECT * FROM unnest({arrays}) ON CONFLICT DO NOTHING"
            )
            self.run(sql, [list(column) for column in zip(*rows, strict=True)])


def query_once(
    raw: Raw, statement: LiteralString, values: Mapping[str, object], *, tenant: str | None, timeout: float
) -> list[Row]:
    """Return the rows of a statement in a transaction of its own, in one round trip.

    Args:
        timeout: the limit for the statement, in seconds.
    """
    with translated():
        begin = _begin(READ, tenant or "", round(timeout * 1000))
        # Several statements have no parameters: the values are written into the text.
        query = psycopg.ClientCursor(raw).mogrify(statement, values).encode()
        cursor = raw.execute(begin + b";" + query + b"; COMMIT", prepare=False)
        # The results of BEGIN and of the settings come first.
        cursor.nextset()
        cursor.nextset()
        return cursor.fetchall()


@lru_cache(maxsize=1_024)
def _begin(mode: LiteralString, tenant: str, milliseconds: int, moves: bool = False) -> bytes:
    """Return the statements that open a transaction."""
    path = _PATH_OF_NONE
    if tenant:
        path = _PATH_OF_ANY.format(tenant=tenant) if moves else _PATH.format(tenant=tenant, writes=mode == WRITE)
    return _BEGIN.format(mode=sql.SQL(mode), tenant=tenant, path=path, timeout=f"{milliseconds}ms").as_bytes(None)


def check_address(url: str) -> None:
    """Refuse an address that would be misread, and a password that would appear as a host or a port.

    Raises:
        InvalidInput: it is malformed, or its password needs escaping.
    """
    try:
        parts = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        # libpq quotes what it cannot read.
        raise InvalidInput(_ADDRESS) from None
    host, ports = str(parts.get("host", "")), str(parts.get("port", ""))
    if "@" in host[1:] or not all(port.isdigit() for port in ports.split(",") if port):
        raise InvalidInput(_ADDRESS)
    if ports.count(",") not in (0, host.count(",")):
        raise InvalidInput("the database's address has several hosts; name one port for all, or one for each")


@contextmanager
def translated() -> Generator[None, None, None]:
    """Translate the server's errors, without what the server quotes of a row."""
    try:
        yield
    except (PoolTimeout, PoolClosed) as error:
        raise StoreUnavailable(
            "no connection to the database could be opened in time; check that the server runs"
        ) from error
    except errors.QueryCanceled as error:
        raise StoreUnavailable(TOO_LONG) from error
    except (errors.SerializationFailure, errors.DeadlockDetected) as error:
        raise StoreUnavailable("another writer came first; try again") from error
    except errors.InsufficientPrivilege as error:
        raise StoreError(f"the database role may not do this: {_message(error)}; run `remembrancer init-db`") from error
    except (errors.DiskFull, errors.OutOfMemory, errors.TooManyConnections) as error:
        raise StoreUnavailable(f"the database is out of room: {_message(error)}") from error
    except (psycopg.OperationalError, psycopg.InterfaceError) as error:
        raise StoreUnavailable(f"the database cannot be reached: {_message(error)}") from error
    except psycopg.Error as error:
        if error.sqlstate in (_LEFT, _ARRIVING):
            raise TenantElsewhere(error.diag.message_primary or "", has_left=error.sqlstate == _LEFT) from error
        raise StoreError(f"the database refused a statement: {_message(error)}") from error


def _message(error: psycopg.Error) -> str:
    """Return the first line of the server's message, without the rows that it may quote further down."""
    return error.diag.message_primary or next(iter(str(error).splitlines()), type(error).__name__)
