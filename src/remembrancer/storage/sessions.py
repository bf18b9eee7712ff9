"""Sessions, their observed chunks of messages, and the logs of what agents read of them."""

from datetime import datetime
from typing import Any, LiteralString

from remembrancer.errors import Conflict
from remembrancer.storage.scoped_connection import ScopedConnection
from remembrancer.storage.tables import COLUMNS, SESSION, StoreTable, names
from remembrancer.storage.values import scope_of, session_of
from remembrancer.types.notes import Chunk, ChunkState, Log
from remembrancer.types.scope import Classification
from remembrancer.types.session import Session

_SESSIONS: LiteralString = f"SELECT {names(SESSION)} FROM sessions WHERE scope = :scope "
_UNTIL: LiteralString = "(:until::timestamptz IS NULL OR sessions.last_activity_at <= :until)"
# What is of every scope that a caller of all scopes reads.
_SESSIONS_OF_ALL: LiteralString = (
    f'SELECT {names(SESSION, before="sessions.")}, scopes.tenant, scopes.project, scopes.agent, scopes."user"'
    f" FROM sessions JOIN scopes ON scopes.id = sessions.scope WHERE sessions.scope = ANY(:visible) AND {_UNTIL}"
    " ORDER BY sessions.last_activity_at DESC, sessions.id, sessions.scope LIMIT :limit"
)


class SqlSessions:
    """Sessions of the exact scope; `list` has those of all scopes for a caller who reads them."""

    def __init__(self, connection: ScopedConnection) -> None:
        self._connection = connection

    async def find(self, id: str) -> Session | None:
        """Return the session, or `None`."""
        return next(iter(await self._many("AND id = :id", id=id)), None)

    async def unnamed(self) -> Session | None:
        """Return the scope's one active session without a name, or `None`."""
        return next(iter(await self._many("AND status = 'active' AND named = :named", named=False)), None)

    async def current(self) -> Session | None:
        """Return the last used active session of the scope; the last used one if none is active."""
        # By the index on status and activity, one row of each.
        active = await self._many("AND status = 'active' ORDER BY last_activity_at DESC, id LIMIT 1")
        over = active or await self._many("AND status = 'completed' ORDER BY last_activity_at DESC, id LIMIT 1")
        return next(iter(over), None)

    async def put(self, session: Session) -> None:
        """Store a session, new or changed, without its count of messages.

        A new one counts the messages that exist: another program may have deleted its row alone.
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

        await self._connection.write(
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

    async def reserve_numbers(self, id: str, count: int, *, tokens: int) -> int:
        """Reserve `count` message numbers; return the first.

        Args:
            tokens: of all those messages, which the session counts.
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
        """Return sessions with at least so many unobserved tokens, by their last activity."""
        return await self._many(
            "AND tokens > observed_tokens AND tokens - observed_tokens >= :tokens ORDER BY last_activity_at, id",
            tokens=tokens,
        )

    async def stale(self, *, before: datetime) -> list[Session]:
        """Return active sessions without activity since a time."""
        return await self._many("AND status = 'active' AND last_activity_at < :before", before=before)

    async def _many(self, which: LiteralString, **values: object) -> list[Session]:
        connection = self._connection
        read = connection.dialect.reader(SESSION)
        return [session_of(read(row), connection.scope) for row in await connection.ask(_SESSIONS + which, values)]

    async def list(self, *, limit: int, until: datetime | None = None) -> list[Session]:
        """Return sessions, the latest active first.

        Args:
            until: only those whose last activity is not later.
        """
        values = {"limit": limit, "until": until}
        if self._connection.caller.all_scopes:
            read, own = self._connection.dialect.reader(SESSION), len(SESSION)
            rows = await self._connection.ask(_SESSIONS_OF_ALL, values)
            return [session_of(read(row[:own]), scope_of(row[own:])) for row in rows]
        return await self._many(f"AND {_UNTIL} ORDER BY last_activity_at DESC, id LIMIT :limit", **values)


_CHUNK = COLUMNS[StoreTable.CHUNKS][2:]
_SETTLED = ("session", "first", "last", "tokens")
_CHANGES: LiteralString = ", ".join(
    f"{column.name} = :{column.name}" for column in _CHUNK if column.name not in _SETTLED
)
# Descriptions from messages that are closed to the caller are left out.
_CHUNKS: LiteralString = (
    f"SELECT {names(_CHUNK)}".replace("task, suggestion", "{open_task}, {open_suggestion}")
    + " FROM chunks WHERE scope = :scope AND "
)
_ADVANCE_CURSOR: LiteralString = """
    UPDATE sessions SET observed = :last, observed_tokens = observed_tokens + :tokens
    WHERE scope = :scope AND id = :session AND observed = :first - 1 AND messages >= :last
"""
_INSERT_CHUNK: LiteralString = (
    f"INSERT INTO chunks (scope, tenant, {names(_CHUNK)}) VALUES (:scope, :tenant, {names(_CHUNK, before=':')})"
)
_CHANGE_CHUNK: LiteralString = (
    f"UPDATE chunks SET {_CHANGES} WHERE scope = :scope AND session = :session AND first = :first"
)


class SqlChunks:
    """Chunks of messages of the exact scope that an observer has read."""

    def __init__(self, connection: ScopedConnection) -> None:
        self._connection = connection
        self._read = connection.dialect.reader(_CHUNK)

    async def add(self, chunk: Chunk) -> None:
        """Store a chunk after the last one of its session, and move the session's cursor to its end.

        Raises:
            Conflict: the cursor is not before its first message.
        """
        connection, values = self._connection, _values(chunk)

        def add() -> None:
            connection.writable()
            if not connection.run(_ADVANCE_CURSOR, values):
                raise Conflict(f"messages {chunk.first} to {chunk.last} are not those that are to be observed next")
            connection.run(_INSERT_CHUNK, values)

        await connection.in_thread(add)

    async def put(self, chunk: Chunk) -> None:
        """Replace the chunk that begins with the same message, if there is one."""
        values = _values(chunk)

        await self._connection.write(_CHANGE_CHUNK, values)

    async def find(self, session: str, first: int) -> Chunk | None:
        """Return the chunk that begins with a message, or `None`."""
        found = await self._many("session = :session AND first = :first", session=session, first=first)
        return next(iter(found), None)

    async def containing(self, session: str, number: int) -> Chunk | None:
        """Return the chunk that contains a message, or `None`."""
        found = await self._many(
            "session = :session AND first <= :number AND last >= :number ORDER BY first DESC LIMIT 1",
            session=session,
            number=number,
        )
        return next(iter(found), None)

    async def failed(self, *, limit: int) -> list[Chunk]:
        """Return chunks that a model could not observe, the latest first."""
        return await self._many("failure <> '' ORDER BY observed_at DESC, session, first LIMIT :limit", limit=limit)

    async def in_review(self, *, limit: int) -> list[Chunk]:
        """Return chunks that wait for the approval of a person, the latest first."""
        return await self._many(
            "state = 'in-review' ORDER BY observed_at DESC, session, first LIMIT :limit", limit=limit
        )

    async def _many(self, which: LiteralString, **values: object) -> list[Chunk]:
        return [_chunk(self._read(row)) for row in await self._connection.ask(_CHUNKS + which, values)]

    async def list(self, session: str | None) -> list[Chunk]:
        """Return the chunks of a session, or of every session, by session and number."""
        if session is None:
            return await self._many("TRUE ORDER BY session, first")
        return await self._many("session = :session ORDER BY first", session=session)


def _values(chunk: Chunk) -> dict[str, object]:
    values = {column.name: getattr(chunk, column.name) for column in _CHUNK}
    return {**values, "state": chunk.state.value, "classification": chunk.classification.value}


def _chunk(row: list[Any]) -> Chunk:
    values: dict[str, Any] = {column.name: value for column, value in zip(_CHUNK, row, strict=True)}
    values |= {"state": ChunkState(values["state"]), "classification": Classification(values["classification"])}
    return Chunk(**values)


class SqlLogs:
    """Headers of the logs of the exact scope."""

    def __init__(self, connection: ScopedConnection) -> None:
        self._connection = connection

    async def find(self, session: str) -> Log:
        """Return the header of the log of a session, or of the whole scope under `""`; an empty one by default."""
        return next(iter(await self._many("session = :session", session=session)), Log(session=session))

    async def put(self, log: Log) -> None:
        """Store the header of a log."""
        await self._connection.write(
            """
                INSERT INTO logs (scope, tenant, session, places, tokens, fresh)
                VALUES (:scope, :tenant, :session, :places, :tokens, :fresh)
                ON CONFLICT (scope, session) DO UPDATE SET
                    places = excluded.places, tokens = excluded.tokens, fresh = excluded.fresh
                """,
            {"session": log.session, "places": log.places, "tokens": log.tokens, "fresh": log.fresh},
        )

    async def _many(self, which: LiteralString, **values: object) -> list[Log]:
        sql: LiteralString = "SELECT session, places, tokens, fresh FROM logs WHERE scope = :scope AND "
        rows = await self._connection.ask(sql + which, values)
        return [Log(session=row[0], places=row[1], tokens=row[2], fresh=row[3]) for row in rows]

    async def list(self, *, tokens: int, fresh: int) -> list[Log]:
        """Return headers with at least so many tokens, and so many fresh ones."""
        return await self._many("tokens >= :tokens AND fresh >= :fresh ORDER BY session", tokens=tokens, fresh=fresh)
