"""Runs of messages that were observed, and the logs that they go into, alike in every store."""

# ruff: noqa: S608 -- joined from constants; that they are literals is checked by type (LiteralString)

from collections.abc import Sequence
from typing import Any, LiteralString

from remembrancer.errors import Conflict
from remembrancer.model.chunk import Chunk, ChunkState, Log
from remembrancer.stores.dialect import Dialect, Shard

_PLACE: LiteralString = "session, first"
_SETTLED: LiteralString = "last, tokens"
_CHANGING: tuple[LiteralString, ...] = (
    "state", "noted", "place", "task", "suggestion", "engine", "model", "failure", "tries", "observed_at",
    "activated_at",
)  # fmt: skip
_COLUMNS: LiteralString = _PLACE + ", " + _SETTLED + ", " + ", ".join(_CHANGING)
_NUMBER_OF_COLUMNS = 4 + len(_CHANGING)


class StoredChunks:
    """See `ports.chunks.Chunks`."""

    def __init__(self, shard: Shard, dialect: Dialect) -> None:
        self._shard = shard
        self._dialect = dialect

    async def add(self, chunk: Chunk) -> None:
        """Store the run that follows the last one of its session, and move the session's cursor to its end."""
        shard, mark = self._shard, self._dialect.mark
        advance = (
            f"UPDATE sessions SET observed = {mark}, observed_tokens = observed_tokens + {mark}"
            f" WHERE scope = {mark} AND id = {mark} AND observed = {mark} AND messages >= {mark}"
        )
        insert = (
            f"INSERT INTO chunks (scope, tenant, {_COLUMNS}) VALUES ({self._dialect.marks(_NUMBER_OF_COLUMNS + 2)})"
        )

        def work() -> None:
            scope = shard.writable()
            cursor = (chunk.last, chunk.tokens, scope, chunk.session, chunk.first - 1, chunk.last)
            if not shard.connection.run(advance, cursor):
                raise Conflict(f"messages {chunk.first} to {chunk.last} are not those that are to be observed next")
            settled = (chunk.session, chunk.first, chunk.last, chunk.tokens)
            shard.connection.run(insert, (scope, shard.scope.tenant, *settled, *self._changing(chunk)))

        await shard.run(work)

    async def put(self, chunk: Chunk) -> None:
        """Store a run as it now stands, over itself; its messages stay."""
        shard, mark = self._shard, self._dialect.mark
        changes = ", ".join(name + " = " + mark for name in _CHANGING)
        sql = f"UPDATE chunks SET {changes} WHERE scope = {mark} AND session = {mark} AND first = {mark}"
        values = (*self._changing(chunk), shard.exact, chunk.session, chunk.first)
        await shard.run(lambda: shard.connection.run(sql, values))

    async def find(self, session: str, first: int) -> Chunk | None:
        """The run that begins with a message, or `None`."""
        mark = self._dialect.mark
        found = await self._many(f"session = {mark} AND first = {mark}", session, first)
        return next(iter(found), None)

    async def failed(self, *, limit: int) -> list[Chunk]:
        """Those that a model could not observe, the latest first."""
        mark = self._dialect.mark
        return await self._many(f"failure <> '' ORDER BY observed_at DESC, session, first LIMIT {mark}", limit)

    async def _many(self, which: LiteralString, *values: object) -> list[Chunk]:
        shard = self._shard
        sql = f"SELECT {_COLUMNS} FROM chunks WHERE scope = {self._dialect.mark} AND {which}"
        rows = await shard.run(lambda: shard.connection.rows(sql, (shard.exact, *values)))
        return [self._chunk(row) for row in rows]

    def _changing(self, chunk: Chunk) -> tuple[object, ...]:
        kept = self._dialect.kept
        return (
            *(chunk.state.value, chunk.noted, chunk.place, chunk.task, chunk.suggestion, chunk.engine, chunk.model),
            *(chunk.failure, chunk.tries, kept(chunk.observed_at)),
            None if chunk.activated_at is None else kept(chunk.activated_at),
        )

    def _chunk(self, row: Sequence[Any]) -> Chunk:
        told = self._dialect.told
        return Chunk(
            session=row[0],
            first=row[1],
            last=row[2],
            tokens=row[3],
            state=ChunkState(row[4]),
            noted=row[5],
            place=row[6],
            task=row[7],
            suggestion=row[8],
            engine=row[9],
            model=row[10],
            failure=row[11],
            tries=row[12],
            observed_at=told(row[13]),
            activated_at=None if row[14] is None else told(row[14]),
        )

    async def list(self, session: str | None) -> list[Chunk]:
        """Those of a session, or of every one, by session and number."""
        mark = self._dialect.mark
        if session is None:
            return await self._many("TRUE ORDER BY session, first")
        return await self._many(f"session = {mark} ORDER BY first", session)


class StoredLogs:
    """See `ports.logs.Logs`."""

    def __init__(self, shard: Shard, dialect: Dialect) -> None:
        self._shard = shard
        self._dialect = dialect

    async def find(self, session: str) -> Log:
        """The log of a session, or of the whole scope under `""`; one with nothing in it where there is none."""
        found = await self._many(f"session = {self._dialect.mark}", session)
        return next(iter(found), Log(session=session))

    async def put(self, log: Log) -> None:
        """Store a log as it now stands."""
        shard = self._shard
        sql = (
            f"INSERT INTO logs (scope, tenant, session, places, tokens, fresh) VALUES ({self._dialect.marks(6)})"
            " ON CONFLICT (scope, session) DO UPDATE SET"
            " places = excluded.places, tokens = excluded.tokens, fresh = excluded.fresh"
        )
        values = (log.session, log.places, log.tokens, log.fresh)
        await shard.run(lambda: shard.connection.run(sql, (shard.writable(), shard.scope.tenant, *values)))

    async def _many(self, which: LiteralString, *values: object) -> list[Log]:
        shard = self._shard
        sql = f"SELECT session, places, tokens, fresh FROM logs WHERE scope = {self._dialect.mark} AND {which}"
        rows = await shard.run(lambda: shard.connection.rows(sql, (shard.exact, *values)))
        return [Log(session=row[0], places=row[1], tokens=row[2], fresh=row[3]) for row in rows]

    async def list(self, *, tokens: int, fresh: int) -> list[Log]:
        """Those that have so many tokens, and so many fresh ones."""
        mark = self._dialect.mark
        return await self._many(f"tokens >= {mark} AND fresh >= {mark} ORDER BY session", tokens, fresh)
