"""Sessions of the exact scope."""

from datetime import datetime
from typing import LiteralString

from remembrancer.model.session import Session
from remembrancer.stores.moments import to_micros
from remembrancer.stores.sqlite.rows import SESSION_COLUMNS, maybe_micros, session_from
from remembrancer.stores.sqlite.shard import Shard


class SQLiteSessions:
    """See `ports.sessions.Sessions`."""

    def __init__(self, shard: Shard) -> None:
        self._shard = shard

    async def find(self, id: str) -> Session | None:
        """The session, or `None`."""
        return await self._one("SELECT " + SESSION_COLUMNS + " FROM sessions WHERE scope = ? AND id = ?", id)

    async def unnamed(self) -> Session | None:
        """The scope's one active session that nobody named, or `None`."""
        return await self._one(
            "SELECT " + SESSION_COLUMNS + " FROM sessions WHERE scope = ? AND status = 'active' AND named = 0"
        )

    async def put(self, session: Session) -> None:
        """Store a session as it now stands, its count of messages apart: new, or over the old one."""
        values = (
            session.id,
            session.status.value,
            int(session.named),
            int(session.record),
            to_micros(session.started_at),
            to_micros(session.last_activity_at),
            maybe_micros(session.ended_at),
        )
        await self._shard.run(lambda: self._put(values))

    def _put(self, values: tuple[object, ...]) -> None:
        self._shard.connection.run(
            """
            INSERT INTO sessions
                (scope, tenant, messages, id, status, named, record, started_at, last_activity_at, ended_at)
            VALUES (?, ?, 0, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (scope, id) DO UPDATE SET
                status = excluded.status,
                named = excluded.named,
                record = excluded.record,
                last_activity_at = excluded.last_activity_at,
                ended_at = excluded.ended_at
            """,
            (self._shard.writable(), self._shard.scope.tenant, *values),
        )

    async def take_numbers(self, id: str, count: int, *, tokens: int) -> int:
        """The first of `count` fresh message numbers, which nobody else will get."""

        def take() -> int:
            last: int = self._shard.connection.value(
                """
                UPDATE sessions SET messages = messages + ?, tokens = tokens + ? WHERE scope = ? AND id = ?
                RETURNING messages
                """,
                (count, tokens, self._shard.writable(), id),
            )
            return last - count + 1

        return await self._shard.run(take)

    async def unobserved(self, *, tokens: int) -> list[Session]:
        """Those that have so many tokens or more behind their cursor, the one that waits longest first."""
        return await self._many(
            "SELECT "
            + SESSION_COLUMNS
            + " FROM sessions WHERE scope = ? AND tokens > observed_tokens AND tokens - observed_tokens >= ?"
            + " ORDER BY last_activity_at, id",
            tokens,
        )

    async def stale(self, *, before: datetime) -> list[Session]:
        """Active ones without activity since a time."""
        return await self._many(
            "SELECT "
            + SESSION_COLUMNS
            + " FROM sessions WHERE scope = ? AND status = 'active' AND last_activity_at < ?",
            to_micros(before),
        )

    async def _many(self, sql: LiteralString, *values: object) -> list[Session]:
        shard = self._shard
        rows = await shard.run(lambda: shard.connection.rows(sql, (shard.exact, *values)))
        return [session_from(row, shard.scope) for row in rows]

    async def _one(self, sql: LiteralString, *values: object) -> Session | None:
        return next(iter(await self._many(sql, *values)), None)

    async def list(self, *, limit: int) -> list[Session]:
        """The latest active first."""
        return await self._many(
            "SELECT " + SESSION_COLUMNS + " FROM sessions WHERE scope = ? ORDER BY last_activity_at DESC, id LIMIT ?",
            limit,
        )
