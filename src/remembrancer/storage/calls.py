"""The ledger of model calls; alike in every store."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, LiteralString

from remembrancer.storage.columns import COLUMNS, names
from remembrancer.storage.ports.tables import Table
from remembrancer.storage.shard import Shard
from remembrancer.storage.values import Row
from remembrancer.types.call import Call, CallOutcome, CallPurpose, CallUsage, Spent, Total, Usage

_COLUMNS = COLUMNS[Table.CALLS][2:]
_INSERT: LiteralString = (
    f"INSERT INTO calls (scope, tenant, {names(_COLUMNS)})"
    f" VALUES (:scope, :tenant, {names(_COLUMNS, before=':')}) ON CONFLICT (scope, id) DO NOTHING"
)
_SETTLE: LiteralString = """
    UPDATE calls SET
        outcome = :outcome, milliseconds = :milliseconds, prompt_tokens = :prompt_tokens,
        cached_tokens = :cached_tokens, answer_tokens = :answer_tokens, cost = :cost
    WHERE scope = :scope AND id = :id AND outcome = 'reserved'
"""
# What is not known counts as the most that it can be; so does what cannot be, for nothing gives back what was spent.
_CHARGED: LiteralString = "COALESCE(CASE WHEN cost >= 0 THEN cost END, reserved_cost)"
_TAKEN: LiteralString = "CASE WHEN prompt_tokens >= 0 AND answer_tokens >= 0 THEN prompt_tokens + answer_tokens END"
_COST: LiteralString = f"COALESCE(SUM({_CHARGED}), 0)"
_UNPRICED: LiteralString = f"COUNT(CASE WHEN {_CHARGED} IS NULL THEN 1 END)"
_TOKENS: LiteralString = f"COALESCE(SUM(COALESCE({_TAKEN}, reserved_tokens)), 0)"


class StoredCalls:
    """See `ports.calls.Calls`."""

    def __init__(self, shard: Shard) -> None:
        self._shard = shard

    async def add(self, call: Call) -> bool:
        """Write a call; `False`, and nothing is changed, where there is one of its id."""
        provider, _, name = call.model.partition(":")
        values = {
            "id": call.id,
            "project": call.project,
            "agent": call.agent,
            "session": call.session,
            "purpose": call.purpose.value,
            "provider": provider,
            "model": name,
            "prompt_version": call.prompt_version,
            "started_at": call.started_at,
            "reserved_tokens": call.reserved_tokens,
            "reserved_cost": call.reserved_cost,
            "request": call.request,
            **_settled(call),
        }

        def add() -> bool:
            self._shard.writable()
            return self._shard.run(_INSERT, values) > 0

        return await self._shard.in_thread(add)

    async def settle(self, settlement: CallUsage) -> None:
        """Say how a reserved call ended; one that was settled before stays as it was."""
        await self._shard.in_thread(lambda: self._shard.run(_SETTLE, {"id": settlement.call, **_settled(settlement)}))

    async def list(self, *, limit: int) -> list[Call]:
        """The latest begun first."""
        sql: LiteralString = f"SELECT {names(_COLUMNS)} FROM calls WHERE scope = :scope"
        rows = await self._shard.ask(sql + " ORDER BY started_at DESC, id DESC LIMIT :limit", {"limit": limit})
        read = self._shard.dialect.reader(_COLUMNS)
        return [_call(read(row)) for row in rows]

    async def spent(self, *, since: datetime, until: datetime, project: str | None = None) -> Spent:
        """What was spent from a time on and before another, by one project where one is named."""
        one: LiteralString = "" if project is None else " AND project = :project"
        (row,) = await self._shard.ask(
            f"SELECT {_TOKENS}, {_COST}, {_UNPRICED} FROM calls"
            f" WHERE scope = :scope AND started_at >= :since AND started_at < :until{one}",
            {"since": since, "until": until, "project": project},
        )
        return Spent(tokens=int(row[0]), cost=int(row[1]), unpriced=int(row[2]))

    async def totals(
        self, *, since: datetime, until: datetime, project: str | None = None, agent: str | None = None
    ) -> Sequence[Total]:
        """Calls from a time on and before another, by purpose, model, project and agent, in that order."""
        of: LiteralString = ("" if project is None else " AND project = :project") + (
            "" if agent is None else " AND agent = :agent"
        )
        rows = await self._shard.ask(
            "SELECT purpose, provider, model, project, agent, COUNT(CASE WHEN outcome <> 'refused' THEN 1 END),"
            " COUNT(CASE WHEN outcome = 'refused' THEN 1 END),"
            " COUNT(CASE WHEN outcome IN ('bad-output', 'unavailable') THEN 1 END),"
            " COALESCE(SUM(prompt_tokens), 0), COALESCE(SUM(cached_tokens), 0), COALESCE(SUM(answer_tokens), 0),"
            f" {_COST}, {_UNPRICED}, COALESCE(SUM(milliseconds), 0) FROM calls"
            f" WHERE scope = :scope AND started_at >= :since AND started_at < :until{of}"
            " GROUP BY purpose, provider, model, project, agent",
            {"since": since, "until": until, "project": project, "agent": agent},
        )
        # Sorted here: databases differ in where they put what is blank.
        return sorted(
            map(_total, rows), key=lambda total: (total.purpose, total.model, total.project or "", total.agent or "")
        )


def _settled(of: Call | CallUsage) -> Mapping[str, object]:
    """How a call ended, as far as it did."""
    usage = of.usage
    return {
        "outcome": of.outcome.value,
        "milliseconds": of.milliseconds,
        "prompt_tokens": usage and usage.prompt,
        "cached_tokens": usage and usage.cached,
        "answer_tokens": usage and usage.answer,
        "cost": of.cost,
    }


def _call(row: list[Any]) -> Call:
    held = {column.name: value for column, value in zip(_COLUMNS, row, strict=True)}
    tokens = held["prompt_tokens"], held["cached_tokens"], held["answer_tokens"]
    return Call(
        id=held["id"],
        project=held["project"],
        agent=held["agent"],
        session=held["session"],
        purpose=CallPurpose(held["purpose"]),
        model=f"{held['provider']}:{held['model']}",
        prompt_version=held["prompt_version"],
        started_at=held["started_at"],
        milliseconds=held["milliseconds"],
        outcome=CallOutcome(held["outcome"]),
        reserved_tokens=held["reserved_tokens"],
        reserved_cost=held["reserved_cost"],
        usage=None if tokens[0] is None else Usage(prompt=tokens[0], cached=tokens[1], answer=tokens[2]),
        cost=held["cost"],
        request=held["request"],
    )


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
