"""Sessions of the exact scope."""

from datetime import datetime
from typing import LiteralString

from remembrancer.model.session import Session
from remembrancer.stores.postgres.rows import SESSION_COLUMNS
from remembrancer.stores.postgres.shard import Shard
from remembrancer.stores.values import session_of

_SELECT: LiteralString = "SELECT " + SESSION_COLUMNS + " FROM sessions "


class PostgresSessions:
    """See `ports.sessions.Sessions`."""

    def __init__(self, shard: Shard) -> None:
        self._shard = shard

    async def find(self, id: str) -> Session | None:
        """The session, or `None`."""
        return await self._one(_SELECT + "WHERE scope = %s AND id = %s", id)

    async def unnamed(self) -> Session | None:
        """The scope's one active session that nobody named, or `None`."""
        return await self._one(_SELECT + "WHERE scope = %s AND status = 'active' AND NOT named")

    async def put(self, session: Session) -> None:
        """Store a session as it now stands, its count of messages apart: new, or over the old one."""
        shard = self._shard
        values = (
            session.id,
            session.status.value,
            session.named,
            session.record,
            session.started_at,
            session.last_activity_at,
            session.ended_at,
        )
        await shard.run(
            lambda: shard.connection.run(
                """
                INSERT INTO sessions
                    (scope, tenant, messages, id, status, named, record, started_at, last_activity_at, ended_at)
                VALUES (%s, %s, 0, %s, %s, %s, %s, %s, %s, %s)
                ON CONFLICT (scope, id) DO UPDATE SET
                    status = excluded.status,
                    named = excluded.named,
                    record = excluded.record,
                    last_activity_at = excluded.last_activity_at,
                    ended_at = excluded.ended_at
                """,
                (shard.writable(), shard.scope.tenant, *values),
            )
        )

    async def take_numbers(self, id: str, count: int, *, tokens: int) -> int:
        """The first of `count` fresh message numbers, which nobody else will get."""
        shard = self._shard
        last: int = await shard.run(
            lambda: shard.connection.value(
                """
                UPDATE sessions SET messages = messages + %s, tokens = tokens + %s WHERE scope = %s AND id = %s
                RETURNING messages
                """,
                (count, tokens, shard.writable(), id),
            )
        )
        return last - count + 1

    async def unobserved(self, *, tokens: int) -> list[Session]:
        """Those that have so many tokens or more behind their cursor, the one that waits longest first."""
        return await self._many(
            _SELECT + "WHERE scope = %s AND tokens > observed_tokens AND tokens - observed_tokens >= %s"
            " ORDER BY last_activity_at, id",
            tokens,
        )

    async def stale(self, *, before: datetime) -> list[Session]:
        """Active ones without activity since a time."""
        return await self._many(_SELECT + "WHERE scope = %s AND status = 'active' AND last_activity_at < %s", before)

    async def _many(self, statement: LiteralString, *values: object) -> list[Session]:
        shard = self._shard
        rows = await shard.run(lambda: shard.connection.rows(statement, (shard.exact, *values)))
        return [session_of(row, shard.scope) for row in rows]

    async def _one(self, statement: LiteralString, *values: object) -> Session | None:
        return next(iter(await self._many(statement, *values)), None)

    async def list(self, *, limit: int) -> list[Session]:
        """The latest active first."""
        return await self._many(_SELECT + "WHERE scope = %s ORDER BY last_activity_at DESC, id LIMIT %s", limit)
