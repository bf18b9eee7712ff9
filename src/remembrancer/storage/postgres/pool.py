"""A pool of connections to one server, which fails at once while the server is away."""

import logging
from collections.abc import Callable
from contextlib import suppress
from threading import Event, Lock
from time import monotonic
from typing import LiteralString, TypeVar

import psycopg
from psycopg import sql
from psycopg_pool import ConnectionPool, PoolTimeout

from remembrancer.errors import StoreUnavailable
from remembrancer.storage.postgres.connection import (
    CONNECT_SECONDS,
    PostgresConnection,
    Raw,
    adapt,
    connecting,
    translated,
)
from remembrancer.storage.postgres.primary import Primary, connected
from remembrancer.storage.postgres.processor import PROCESSOR

# The pool logs a warning for each attempt to reach a server that is away; callers get one error.
logging.getLogger("psycopg.pool").addHandler(logging.NullHandler())
# A server that needs longer to start again counts as away.
_RECONNECT_SECONDS = 5.0
SLICE_SECONDS = 0.5
T = TypeVar("T")


class ServerPool(ConnectionPool[Raw]):
    """A pool that knows if its server is away: one caller then looks for it, and all others get an error at once.

    A pool of psycopg looks for its server less and less often, for five minutes, while each caller waits in full, and
    later callers wait behind them.

    Args:
        primary: the server; `None` for a replica at `url`.
        seconds: the longest wait for a connection.

    Attributes:
        is_pooled: whether the connections go through a pooler, which may assign a session to others in between.
    """

    def __init__(self, url: str, *, size: int, primary: Primary | None = None, seconds: int = CONNECT_SECONDS) -> None:
        self.is_pooled = False
        self.primary = primary
        self._away = Event()
        self._looking = Lock()
        super().__init__(
            url if primary is None else primary.address,
            min_size=0,
            max_size=size,
            open=False,
            timeout=seconds,
            reconnect_timeout=min(_RECONNECT_SECONDS, seconds),
            reconnect_failed=lambda _: self._away.set(),
            connection_class=Raw,
            kwargs=connecting(url, connect_timeout=seconds),
            configure=self._configure,
            name="remembrancer",
        )

    @classmethod
    def opened(cls, url: str, *, size: int) -> "ServerPool":
        """Open a pool; connect once, so that a wrong address fails at once and clearly. Blocking."""
        connected(url).close()
        pool = cls(url, size=size, primary=Primary(url))
        pool.open()
        return pool

    def _configure(self, raw: Raw) -> None:
        self.is_pooled = adapt(raw)
        if self.primary is not None:
            try:
                raw.is_former = self.primary.admit(raw)
            except BaseException:
                raw.close()
                raise

    def begin(self, mode: LiteralString, *, tenant: str | None, timeout: float) -> tuple[Raw, PostgresConnection]:
        """Begin a transaction on a connection; return both.

        Args:
            timeout: the limit for a statement, in seconds.
        """
        PROCESSOR.look()

        def begin(raw: Raw) -> PostgresConnection:
            connection = PostgresConnection(raw)
            connection.begin(mode, tenant=tenant, timeout=timeout)
            return connection

        return self._alive(begin)

    def use(self, work: Callable[[Raw], T]) -> T:
        """Return the result of work on a connection."""
        raw, result = self._alive(work)
        self.release(raw)
        return result

    def listen(self, channel: str) -> Raw:
        """Return a connection that listens to a channel."""

        def listen(raw: Raw) -> None:
            with translated():
                raw.execute(sql.SQL("LISTEN {}").format(sql.Identifier(channel)), prepare=False)

        return self._alive(listen)[0]

    def unlisten(self, raw: Raw) -> None:
        """Return a connection that listened to the pool."""
        with suppress(psycopg.Error):
            raw.execute("UNLISTEN *", prepare=False)
        self.release(raw)

    def release(self, raw: Raw) -> None:
        """Return a connection to the pool, in any state; the pool drops one that is broken."""
        if raw.hangs and not self._away.is_set():
            # So do the others, and callers would wait for each.
            self._away.set()
            self.drain()
        with suppress(psycopg.Error):
            if raw.info.transaction_status is not psycopg.pq.TransactionStatus.IDLE:
                raw.execute("ROLLBACK", prepare=False)
        self.putconn(raw)

    def _alive(self, use: Callable[[Raw], T]) -> tuple[Raw, T]:
        """Return a connection and the result of its first use; replace those that the server has dropped."""
        # After a restart all that waited in the pool are dead, and one more is fresh.
        for left in reversed(range(self.max_size + 1)):
            with translated():
                raw = self._connection()
            try:
                with translated():
                    raw.refuse_former()
                return raw, use(raw)
            except BaseException as error:
                self.release(raw)
                if not left or raw.hangs or not isinstance(error, StoreUnavailable):
                    raise
        raise AssertionError("the last attempt returns or raises")

    def _connection(self) -> Raw:
        """Return a connection; where the server was away a moment ago, within a second or not at all.

        Raises:
            PoolTimeout: there is none.
        """
        if self._away.is_set():
            if not self._looking.acquire(blocking=False):
                raise PoolTimeout("the server is away")
            try:
                raw = self.getconn(SLICE_SECONDS)
            finally:
                self._looking.release()
        else:
            raw = self._wait()
        self._away.clear()
        return raw

    def _wait(self) -> Raw:
        end = monotonic() + self.timeout
        while True:
            try:
                return self.getconn(SLICE_SECONDS)
            except PoolTimeout:
                # Another caller may have found meanwhile that the server is away.
                if self._away.is_set() or monotonic() > end:
                    raise
