"""Nightly runs, verdicts and moves of weights, alike in every store."""

# ruff: noqa: S608 -- joined from constants; that they are literals is checked by type (LiteralString)

import json
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any, LiteralString

from remembrancer.model.night import Night, Step
from remembrancer.model.verdict import Move, Said, SessionOutcome, Verdict
from remembrancer.stores.dialect import Dialect, Shard

_NIGHT: LiteralString = "day, step, counts, started_at, ended_at"
_SAID: LiteralString = "record, person, verdict, at"
_MOVE: LiteralString = "session, record, outcome, alpha, before, after, at"


class _Rows:
    """What the three have in common."""

    def __init__(self, shard: Shard, dialect: Dialect) -> None:
        self._shard = shard
        self._dialect = dialect

    async def _read(self, columns: LiteralString, table: LiteralString, which: LiteralString, *values: object) -> Any:
        shard = self._shard
        sql = f"SELECT {columns} FROM {table} WHERE scope = {self._dialect.mark} AND {which}"
        return await shard.run(lambda: shard.connection.rows(sql, (shard.exact, *values)))

    async def _write(self, sql: LiteralString, *values: object) -> None:
        shard = self._shard
        await shard.run(lambda: shard.connection.run(sql, (shard.writable(), shard.scope.tenant, *values)))


class StoredNights(_Rows):
    """See `ports.nights.Nights`."""

    async def find(self, day: date) -> Night | None:
        """The run for a day, or `None`."""
        rows = await self._read(_NIGHT, "nights", f"day = {self._dialect.mark}", day.isoformat())
        return next(map(self._night, rows), None)

    async def latest(self, *, before: date | None = None) -> Night | None:
        """The run for the latest day, or for the latest before a day; `None` where there is none."""
        which = f"day < {self._dialect.mark} ORDER BY day DESC LIMIT 1"
        rows = await self._read(_NIGHT, "nights", which, (before or date.max).isoformat())
        return next(map(self._night, rows), None)

    async def deeds_since(self, at: datetime, *, until: datetime) -> bool:
        """Whether an episode or a signal from before `until` has occurred, come or changed since a time."""
        mark, since = self._dialect.mark, self._dialect.kept(at)
        which = (
            f"kind IN ('episode', 'signal') AND occurred_at < {mark}"
            f" AND (updated_at >= {mark} OR occurred_at >= {mark}) LIMIT 1"
        )
        return bool(await self._read("1", "records", which, self._dialect.kept(until), since, since))

    async def put(self, night: Night) -> None:
        """Store a run as it now stands."""
        sql = (
            f"INSERT INTO nights (scope, tenant, {_NIGHT}) VALUES ({self._dialect.marks(7)})"
            " ON CONFLICT (scope, day) DO UPDATE SET"
            " step = excluded.step, counts = excluded.counts, ended_at = excluded.ended_at"
        )
        kept = self._dialect.kept
        told = json.dumps({"counts": dict(night.counts), "notes": night.notes}, sort_keys=True)
        ended = None if night.ended_at is None else kept(night.ended_at)
        await self._write(sql, night.day.isoformat(), night.step or "", told, kept(night.started_at), ended)

    def _night(self, row: Sequence[Any]) -> Night:
        told = self._dialect.told
        held: Mapping[str, Any] = json.loads(row[2])
        return Night(
            day=date.fromisoformat(row[0]),
            step=Step(row[1]) if row[1] else None,
            counts=held["counts"],
            notes=tuple(held["notes"]),
            started_at=told(row[3]),
            ended_at=None if row[4] is None else told(row[4]),
        )


class StoredVerdicts(_Rows):
    """See `ports.verdicts.Verdicts`."""

    async def of(self, record: str) -> list[Said]:
        """What was said of a memory, the earliest first."""
        rows = await self._read(_SAID, "verdicts", f"record = {self._dialect.mark} ORDER BY at, person", record)
        told = self._dialect.told
        return [Said(record=row[0], person=row[1], verdict=Verdict(row[2]), at=told(row[3])) for row in rows]

    async def put(self, said: Said) -> None:
        """Store the last word of a person on a memory."""
        sql = (
            f"INSERT INTO verdicts (scope, tenant, {_SAID}) VALUES ({self._dialect.marks(6)})"
            " ON CONFLICT (scope, record, person) DO UPDATE SET verdict = excluded.verdict, at = excluded.at"
        )
        await self._write(sql, said.record, said.person, said.verdict.value, self._dialect.kept(said.at))

    async def withdraw(self, record: str, verdicts: Sequence[Verdict]) -> None:
        """Forget what was said of a memory in these words."""
        shard, mark = self._shard, self._dialect.mark
        sql = f"DELETE FROM verdicts WHERE scope = {mark} AND record = {mark} AND verdict = {mark}"
        for verdict in verdicts:
            values = (shard.exact, record, verdict.value)
            await shard.run(lambda values=values: shard.connection.run(sql, values))


class StoredWeights(_Rows):
    """See `ports.weights.Weights`."""

    async def add(self, move: Move) -> None:
        """Note that a weight was moved, and move it."""
        shard, mark = self._shard, self._dialect.mark
        sql = f"INSERT INTO weights (scope, tenant, {_MOVE}) VALUES ({self._dialect.marks(9)})"
        values = (move.session, move.record, move.outcome.value, move.alpha, move.before, move.after)
        await self._write(sql, *values, self._dialect.kept(move.at))
        weigh = f"UPDATE records SET weight = {mark} WHERE scope = {mark} AND id = {mark}"
        await shard.run(lambda: shard.connection.run(weigh, (move.after, shard.exact, move.record)))

    async def of(self, record: str) -> list[Move]:
        """The moves of a memory, the earliest first."""
        return await self._many(f"record = {self._dialect.mark} ORDER BY at, session", record)

    async def within(self, session: str) -> list[Move]:
        """The moves by the outcome of a session."""
        return await self._many(f"session = {self._dialect.mark} ORDER BY record", session)

    async def _many(self, which: LiteralString, value: str) -> list[Move]:
        rows = await self._read(_MOVE, "weights", which, value)
        return [
            Move(
                session=row[0],
                record=row[1],
                outcome=SessionOutcome(row[2]),
                alpha=row[3],
                before=row[4],
                after=row[5],
                at=self._dialect.told(row[6]),
            )
            for row in rows
        ]
