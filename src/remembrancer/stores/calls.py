"""The ledger of model calls, alike in every store: each statement is one, with the dialect's own placeholder."""

# ruff: noqa: S608 -- joined from constants; that they are literals is checked by type (LiteralString)

from collections.abc import Sequence
from datetime import datetime
from typing import LiteralString

from remembrancer.model.call import Call, CallOutcome, CallPurpose, Settlement, Spent, Total, Usage
from remembrancer.stores.dialect import Dialect, Shard
from remembrancer.stores.values import Row

_COLUMNS: LiteralString = (
    "id, project, agent, session, purpose, provider, model, prompt_version, started_at, milliseconds, outcome,"
    " reserved_tokens, reserved_cost, prompt_tokens, cached_tokens, answer_tokens, cost"
)
_NUMBER_OF_COLUMNS = 17
# What is not known counts as the most that it can be.
_COST: LiteralString = "COALESCE(SUM(COALESCE(cost, reserved_cost)), 0)"
_UNPRICED: LiteralString = "COUNT(CASE WHEN COALESCE(cost, reserved_cost) IS NULL THEN 1 END)"
_TOKENS: LiteralString = "COALESCE(SUM(COALESCE(prompt_tokens + answer_tokens, reserved_tokens)), 0)"


class StoredCalls:
    """See `ports.calls.Calls`."""

    def __init__(self, shard: Shard, dialect: Dialect) -> None:
        self._shard = shard
        self._dialect = dialect

    async def add(self, call: Call) -> bool:
        """Write a call; `False`, and nothing is changed, where there is one of its id."""
        marks = self._dialect.marks(_NUMBER_OF_COLUMNS + 2)
        sql = f"INSERT INTO calls (scope, tenant, {_COLUMNS}) VALUES ({marks}) ON CONFLICT (scope, id) DO NOTHING"
        provider, _, name = call.model.partition(":")
        values = (
            *(call.id, call.project, call.agent, call.session, call.purpose.value, provider, name),
            *(call.prompt_version, self._dialect.kept(call.started_at), call.milliseconds, call.outcome.value),
            *(call.reserved_tokens, call.reserved_cost, *_tokens(call.usage), call.cost),
        )
        shard = self._shard
        return await shard.run(
            lambda: shard.connection.run(sql, (shard.writable(), shard.scope.tenant, *values)) > 0,
        )

    async def settle(self, id: str, settlement: Settlement) -> None:
        """Say how a reserved call ended; one that was settled before stays as it was."""
        mark = self._dialect.mark
        sql = (
            f"UPDATE calls SET outcome = {mark}, milliseconds = {mark}, prompt_tokens = {mark},"
            f" cached_tokens = {mark}, answer_tokens = {mark}, cost = {mark}"
            f" WHERE scope = {mark} AND id = {mark} AND outcome = 'reserved'"
        )
        ended = (settlement.outcome.value, settlement.milliseconds, *_tokens(settlement.usage), settlement.cost)
        shard = self._shard
        await shard.run(lambda: shard.connection.run(sql, (*ended, shard.exact, id)))

    async def list(self, *, limit: int) -> list[Call]:
        """The latest begun first."""
        mark = self._dialect.mark
        sql = f"SELECT {_COLUMNS} FROM calls WHERE scope = {mark} ORDER BY started_at DESC, id DESC LIMIT {mark}"
        return [self._call(row) for row in await self._rows(sql, limit)]

    async def spent(self, *, since: datetime, project: str | None = None) -> Spent:
        """What was spent since a time, by one project where one is named."""
        mark = self._dialect.mark
        one: LiteralString = "" if project is None else " AND project = " + mark
        sql = f"SELECT {_TOKENS}, {_COST}, {_UNPRICED} FROM calls WHERE scope = {mark} AND started_at >= {mark}{one}"
        (row,) = await self._rows(sql, self._dialect.kept(since), *([] if project is None else [project]))
        return Spent(tokens=int(row[0]), cost=int(row[1]), unpriced=int(row[2]))

    async def totals(
        self, *, since: datetime, until: datetime, project: str | None = None, agent: str | None = None
    ) -> Sequence[Total]:
        """Calls from a time on and before another, by purpose, model, project and agent, in that order."""
        mark = self._dialect.mark
        of: LiteralString = ("" if project is None else " AND project = " + mark) + (
            "" if agent is None else " AND agent = " + mark
        )
        sql = (
            "SELECT purpose, provider, model, project, agent, COUNT(CASE WHEN outcome <> 'refused' THEN 1 END),"
            " COUNT(CASE WHEN outcome = 'refused' THEN 1 END),"
            " COUNT(CASE WHEN outcome IN ('bad-output', 'unavailable') THEN 1 END),"
            " COALESCE(SUM(prompt_tokens), 0), COALESCE(SUM(cached_tokens), 0), COALESCE(SUM(answer_tokens), 0),"
            f" {_COST}, {_UNPRICED}, COALESCE(SUM(milliseconds), 0) FROM calls"
            f" WHERE scope = {mark} AND started_at >= {mark} AND started_at < {mark}{of}"
            " GROUP BY purpose, provider, model, project, agent"
        )
        named = [name for name in (project, agent) if name is not None]
        rows = await self._rows(sql, self._dialect.kept(since), self._dialect.kept(until), *named)
        # Sorted here: databases differ in where they put what is blank.
        return sorted(
            map(_total, rows), key=lambda total: (total.purpose, total.model, total.project or "", total.agent or "")
        )

    async def _rows(self, sql: LiteralString, *values: object) -> Sequence[Row]:
        shard = self._shard
        return await shard.run(lambda: shard.connection.rows(sql, (shard.exact, *values)))

    def _call(self, row: Row) -> Call:
        return Call(
            id=row[0],
            project=row[1],
            agent=row[2],
            session=row[3],
            purpose=CallPurpose(row[4]),
            model=f"{row[5]}:{row[6]}",
            prompt_version=row[7],
            started_at=self._dialect.told(row[8]),
            milliseconds=row[9],
            outcome=CallOutcome(row[10]),
            reserved_tokens=row[11],
            reserved_cost=row[12],
            usage=None if row[13] is None else Usage(prompt=row[13], cached=row[14], answer=row[15]),
            cost=row[16],
        )


def _tokens(usage: Usage | None) -> tuple[int | None, int | None, int | None]:
    return (None, None, None) if usage is None else (usage.prompt, usage.cached, usage.answer)


def _total(row: Row) -> Total:
    return Total(
        purpose=CallPurpose(row[0]),
        model=f"{row[1]}:{row[2]}",
        project=row[3],
        agent=row[4],
        calls=int(row[5]),
        refused=int(row[6]),
        failed=int(row[7]),
        prompt_tokens=int(row[8]),
        cached_tokens=int(row[9]),
        answer_tokens=int(row[10]),
        cost=int(row[11]),
        unpriced=int(row[12]),
        milliseconds=int(row[13]),
    )
