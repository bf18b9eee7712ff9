"""Runs of messages that were observed, and the logs that they go into, of the exact scope."""

from collections.abc import Mapping
from typing import LiteralString

from remembrancer.errors import Conflict
from remembrancer.model.chunk import Chunk, Log
from remembrancer.stores.sqlite.rows import CHUNK_COLUMNS, chunk_from, stored
from remembrancer.stores.sqlite.shard import Shard
from remembrancer.stores.values import chunk_columns

_SELECT: LiteralString = "SELECT " + CHUNK_COLUMNS + " FROM chunks WHERE scope = :scope "
_ADVANCE: LiteralString = """
    UPDATE sessions SET observed = :last, observed_tokens = observed_tokens + :tokens
    WHERE scope = :scope AND id = :session AND observed = :first - 1 AND messages >= :last
"""
_INSERT: LiteralString = (
    "INSERT INTO chunks (scope, tenant, "
    + CHUNK_COLUMNS
    + """) VALUES (
        :scope, :tenant, :session, :first, :last, :state, :tokens, :noted, :place, :task, :suggestion, :engine, :model,
        :failure, :tries, :observed_at, :activated_at
    )"""
)
_UPDATE: LiteralString = """
    UPDATE chunks SET
        state = :state, noted = :noted, place = :place, task = :task, suggestion = :suggestion, engine = :engine,
        model = :model, failure = :failure, tries = :tries, observed_at = :observed_at, activated_at = :activated_at
    WHERE scope = :scope AND session = :session AND first = :first
"""


class SQLiteChunks:
    """See `ports.store.Chunks`."""

    def __init__(self, shard: Shard) -> None:
        self._shard = shard

    async def add(self, chunk: Chunk) -> None:
        """Store the run that follows the last one of its session, and move the session's cursor to its end."""
        shard = self._shard
        values = {"scope": shard.writable(), "tenant": shard.scope.tenant, **stored(chunk_columns(chunk))}

        def advance() -> None:
            if not shard.connection.run(_ADVANCE, values):
                raise Conflict(f"messages {chunk.first} to {chunk.last} are not those that are to be observed next")
            shard.connection.run(_INSERT, values)

        await shard.run(advance)

    async def put(self, chunk: Chunk) -> None:
        """Store a run as it now stands, over itself; its messages stay."""
        shard = self._shard
        values = {"scope": shard.exact, **stored(chunk_columns(chunk))}
        await shard.run(lambda: shard.connection.run(_UPDATE, values))

    async def find(self, session: str, first: int) -> Chunk | None:
        """The run that begins with a message, or `None`."""
        found = await self._many(
            _SELECT + "AND session = :session AND first = :first", {"session": session, "first": first}
        )
        return next(iter(found), None)

    async def failed(self, *, limit: int) -> list[Chunk]:
        """Those that a model could not observe, the latest first."""
        return await self._many(
            _SELECT + "AND failure <> '' ORDER BY observed_at DESC, session, first LIMIT :limit", {"limit": limit}
        )

    async def _many(self, statement: LiteralString, values: Mapping[str, object]) -> list[Chunk]:
        shard = self._shard
        rows = await shard.run(lambda: shard.connection.rows(statement, {"scope": shard.exact, **values}))
        return [chunk_from(row) for row in rows]

    async def list(self, session: str | None) -> list[Chunk]:
        """Those of a session, or of every one, by session and number."""
        return await self._many(
            _SELECT + "AND (:session IS NULL OR session = :session) ORDER BY session, first", {"session": session}
        )


class SQLiteLogs:
    """See `ports.store.Logs`."""

    def __init__(self, shard: Shard) -> None:
        self._shard = shard

    async def find(self, session: str) -> Log:
        """The log of a session, or of the whole scope under `""`; one with nothing in it where there is none."""
        shard = self._shard
        row = await shard.run(
            lambda: shard.connection.row(
                "SELECT session, places, tokens, fresh FROM logs WHERE scope = ? AND session = ?",
                (shard.exact, session),
            )
        )
        return Log(session=session) if row is None else Log(session=row[0], places=row[1], tokens=row[2], fresh=row[3])

    async def put(self, log: Log) -> None:
        """Store a log as it now stands."""
        shard = self._shard
        values = (shard.writable(), shard.scope.tenant, log.session, log.places, log.tokens, log.fresh)
        await shard.run(
            lambda: shard.connection.run(
                """
                INSERT INTO logs (scope, tenant, session, places, tokens, fresh) VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT (scope, session) DO UPDATE SET
                    places = excluded.places, tokens = excluded.tokens, fresh = excluded.fresh
                """,
                values,
            )
        )

    async def list(self, *, tokens: int, fresh: int) -> list[Log]:
        """Those that have so many tokens, and so many fresh ones."""
        shard = self._shard
        rows = await shard.run(
            lambda: shard.connection.rows(
                """
                SELECT session, places, tokens, fresh FROM logs
                WHERE scope = ? AND tokens >= ? AND fresh >= ? ORDER BY session
                """,
                (shard.exact, tokens, fresh),
            )
        )
        return [Log(session=row[0], places=row[1], tokens=row[2], fresh=row[3]) for row in rows]
