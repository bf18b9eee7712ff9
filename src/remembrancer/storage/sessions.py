"""Sessions of the exact scope; alike in every store."""

from datetime import datetime
from typing import LiteralString

from remembrancer.storage.columns import SESSION, names
from remembrancer.storage.scoped_connection import ScopedConnection
from remembrancer.storage.values import scope_of, session_of
from remembrancer.types.session import Session

_SELECT: LiteralString = f"SELECT {names(SESSION)} FROM sessions WHERE scope = :scope "
# What is of every scope that a caller of all scopes reads.
_OF_ALL: LiteralString = (
    f'SELECT {names(SESSION, before="sessions.")}, scopes.tenant, scopes.project, scopes.agent, scopes."user"'
    " FROM sessions JOIN scopes ON scopes.id = sessions.scope WHERE sessions.scope = ANY(:visible)"
    " ORDER BY sessions.last_activity_at DESC, sessions.id, sessions.scope LIMIT :limit"
)


class SqlSessions:
    """Sessions of the exact scope; `list` has those of all scopes for a caller who reads them."""

    def __init__(self, connection: ScopedConnection) -> None:
        self._connection = connection

    async def find(self, id: str) -> Session | None:
        """The session, or `None`."""
        return next(iter(await self._many("AND id = :id", id=id)), None)

    async def unnamed(self) -> Session | None:
        """The scope's one active session that nobody named, or `None`."""
        return next(iter(await self._many("AND status = 'active' AND named = :named", named=False)), None)

    async def current(self) -> Session | None:
        """The active session of the scope that was used last; where none is active, the one that was used last."""
        # By the index on status and activity, one row of each.
        active = await self._many("AND status = 'active' ORDER BY last_activity_at DESC, id LIMIT 1")
        over = active or await self._many("AND status = 'completed' ORDER BY last_activity_at DESC, id LIMIT 1")
        return next(iter(over), None)

    async def put(self, session: Session) -> None:
        """Store a session as it now stands, its count of messages apart: new, or over the old one.

        A new one goes on behind the messages that are there: another program may have removed its row alone.
        """
        values = {
            "id": session.id,
            "status": session.status.value,
            "named": session.named,
            "record": session.record,
            "started_at": session.started_at,
            "last_activity_at": session.last_activity_at,
            "ended_at": session.ended_at,
        }

        def put() -> None:
            self._connection.writable()
            self._connection.run(
                """
                INSERT INTO sessions (
                    scope, tenant, messages, observed, id, status, named, record, started_at, last_activity_at, ended_at
                ) VALUES (
                    :scope, :tenant,
                    (SELECT COALESCE(MAX(number), 0) FROM records
                     WHERE scope = :scope AND session = :id AND number IS NOT NULL),
                    (SELECT COALESCE(MAX(last), 0) FROM chunks WHERE scope = :scope AND session = :id),
                    :id, :status, :named, :record, :started_at, :last_activity_at, :ended_at
                )
                ON CONFLICT (scope, id) DO UPDATE SET
                    status = excluded.status,
                    named = excluded.named,
                    record = excluded.record,
                    last_activity_at = excluded.last_activity_at,
                    ended_at = excluded.ended_at
                """,
                values,
            )

        await self._connection.in_thread(put)

    async def take_numbers(self, id: str, count: int, *, tokens: int) -> int:
        """The first of `count` fresh message numbers, which nobody else will get.

        Args:
            tokens: of all those messages; the session counts them.
        """
        rows = await self._connection.ask(
            """
            UPDATE sessions SET messages = messages + :count, tokens = tokens + :tokens
            WHERE scope = :scope AND id = :id
            RETURNING messages
            """,
            {"id": id, "count": count, "tokens": tokens},
        )
        last: int = rows[0][0]
        return last - count + 1

    async def unobserved(self, *, tokens: int) -> list[Session]:
        """Those that have so many tokens or more behind their cursor, the one that waits longest first."""
        return await self._many(
            "AND tokens > observed_tokens AND tokens - observed_tokens >= :tokens ORDER BY last_activity_at, id",
            tokens=tokens,
        )

    async def stale(self, *, before: datetime) -> list[Session]:
        """Active ones without activity since a time."""
        return await self._many("AND status = 'active' AND last_activity_at < :before", before=before)

    async def _many(self, which: LiteralString, **values: object) -> list[Session]:
        connection = self._connection
        read = connection.dialect.reader(SESSION)
        return [session_of(read(row), connection.scope) for row in await connection.ask(_SELECT + which, values)]

    async def list(self, *, limit: int) -> list[Session]:
        """Sessions, the latest active first."""
        if self._connection.caller.all_scopes:
            read, own = self._connection.dialect.reader(SESSION), len(SESSION)
            rows = await self._connection.ask(_OF_ALL, {"limit": limit})
            return [session_of(read(row[:own]), scope_of(row[own:])) for row in rows]
        return await self._many("ORDER BY last_activity_at DESC, id LIMIT :limit", limit=limit)
