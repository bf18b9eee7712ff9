"""Runs of messages that were observed, and the logs that they go into; alike in every store."""

from typing import Any, LiteralString

from remembrancer.errors import Conflict
from remembrancer.storage.columns import COLUMNS, names
from remembrancer.storage.scoped_connection import ScopedConnection
from remembrancer.storage.tables import Table
from remembrancer.types.chunk import Chunk, ChunkState, Log
from remembrancer.types.classification import Classification

_COLUMNS = COLUMNS[Table.CHUNKS][2:]
_SETTLED = ("session", "first", "last", "tokens")
_CHANGES: LiteralString = ", ".join(
    f"{column.name} = :{column.name}" for column in _COLUMNS if column.name not in _SETTLED
)
# What was drawn from messages that are closed to the caller is not told.
_SELECT: LiteralString = (
    f"SELECT {names(_COLUMNS)}".replace("task, suggestion", "{open_task}, {open_suggestion}")
    + " FROM chunks WHERE scope = :scope AND "
)
_ADVANCE: LiteralString = """
    UPDATE sessions SET observed = :last, observed_tokens = observed_tokens + :tokens
    WHERE scope = :scope AND id = :session AND observed = :first - 1 AND messages >= :last
"""
_INSERT: LiteralString = (
    f"INSERT INTO chunks (scope, tenant, {names(_COLUMNS)}) VALUES (:scope, :tenant, {names(_COLUMNS, before=':')})"
)
_CHANGE: LiteralString = f"UPDATE chunks SET {_CHANGES} WHERE scope = :scope AND session = :session AND first = :first"


class SqlChunks:
    """Runs of messages of the exact scope that an observer came by."""

    def __init__(self, connection: ScopedConnection) -> None:
        self._connection = connection
        self._read = connection.dialect.reader(_COLUMNS)

    async def add(self, chunk: Chunk) -> None:
        """Store a run behind the last one of its session, whose cursor then moves to its end.

        Raises:
            Conflict: the cursor does not stand before its first message.
        """
        connection, values = self._connection, _values(chunk)

        def add() -> None:
            connection.writable()
            if not connection.run(_ADVANCE, values):
                raise Conflict(f"messages {chunk.first} to {chunk.last} are not those that are to be observed next")
            connection.run(_INSERT, values)

        await connection.in_thread(add)

    async def put(self, chunk: Chunk) -> None:
        """Store a run over the one that begins with the same message; its messages stay. Where none does, nothing."""
        connection, values = self._connection, _values(chunk)

        def put() -> None:
            connection.writable()
            connection.run(_CHANGE, values)

        await connection.in_thread(put)

    async def find(self, session: str, first: int) -> Chunk | None:
        """The run that begins with a message, or `None`."""
        found = await self._many("session = :session AND first = :first", session=session, first=first)
        return next(iter(found), None)

    async def over(self, session: str, number: int) -> Chunk | None:
        """The run that a message is in, or `None`."""
        found = await self._many(
            "session = :session AND first <= :number AND last >= :number ORDER BY first DESC LIMIT 1",
            session=session,
            number=number,
        )
        return next(iter(found), None)

    async def failed(self, *, limit: int) -> list[Chunk]:
        """Those that a model could not observe, the latest first."""
        return await self._many("failure <> '' ORDER BY observed_at DESC, session, first LIMIT :limit", limit=limit)

    async def _many(self, which: LiteralString, **values: object) -> list[Chunk]:
        return [_chunk(self._read(row)) for row in await self._connection.ask(_SELECT + which, values)]

    async def list(self, session: str | None) -> list[Chunk]:
        """Those of a session, or of every one, by session and number."""
        if session is None:
            return await self._many("TRUE ORDER BY session, first")
        return await self._many("session = :session ORDER BY first", session=session)


def _values(chunk: Chunk) -> dict[str, object]:
    values = {column.name: getattr(chunk, column.name) for column in _COLUMNS}
    return {**values, "state": chunk.state.value, "classification": chunk.classification.value}


def _chunk(row: list[Any]) -> Chunk:
    held: dict[str, Any] = {column.name: value for column, value in zip(_COLUMNS, row, strict=True)}
    held |= {"state": ChunkState(held["state"]), "classification": Classification(held["classification"])}
    return Chunk(**held)


class SqlLogs:
    """What an agent reads of its past, in numbers, in the exact scope."""

    def __init__(self, connection: ScopedConnection) -> None:
        self._connection = connection

    async def find(self, session: str) -> Log:
        """The log of a session, or of the whole scope under `""`; one with nothing in it where there is none."""
        return next(iter(await self._many("session = :session", session=session)), Log(session=session))

    async def put(self, log: Log) -> None:
        """Store a log as it now stands."""
        connection = self._connection

        def put() -> None:
            connection.writable()
            connection.run(
                """
                INSERT INTO logs (scope, tenant, session, places, tokens, fresh)
                VALUES (:scope, :tenant, :session, :places, :tokens, :fresh)
                ON CONFLICT (scope, session) DO UPDATE SET
                    places = excluded.places, tokens = excluded.tokens, fresh = excluded.fresh
                """,
                {"session": log.session, "places": log.places, "tokens": log.tokens, "fresh": log.fresh},
            )

        await connection.in_thread(put)

    async def _many(self, which: LiteralString, **values: object) -> list[Log]:
        sql: LiteralString = "SELECT session, places, tokens, fresh FROM logs WHERE scope = :scope AND "
        rows = await self._connection.ask(sql + which, values)
        return [Log(session=row[0], places=row[1], tokens=row[2], fresh=row[3]) for row in rows]

    async def list(self, *, tokens: int, fresh: int) -> list[Log]:
        """Those that have so many tokens, and so many fresh ones."""
        return await self._many("tokens >= :tokens AND fresh >= :fresh ORDER BY session", tokens=tokens, fresh=fresh)
