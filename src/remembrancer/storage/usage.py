"""Usage: the ledger of model calls, the savings of served blocks, and what was injected into prompts."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any, LiteralString

from remembrancer.storage.scoped_connection import ScopedConnection
from remembrancer.storage.tables import COLUMNS, StoreTable, names
from remembrancer.storage.versions import Row
from remembrancer.types.calls import (
    Call,
    CallOutcome,
    CallPurpose,
    CallResult,
    CallTotal,
    CostComparison,
    PromptCost,
    Savings,
    ServedBlock,
    Spending,
    Usage,
)
from remembrancer.types.session import Injection, InjectionMode, Ranks

_CALL = COLUMNS[StoreTable.CALLS][2:]
_INSERT_CALL: LiteralString = (
    f"INSERT INTO calls (scope, tenant, {names(_CALL)})"
    f" VALUES (:scope, :tenant, {names(_CALL, before=':')}) ON CONFLICT (scope, id) DO NOTHING"
)
_SETTLE: LiteralString = """
    UPDATE calls SET
        outcome = :outcome, milliseconds = :milliseconds, prompt_tokens = :prompt_tokens,
        cached_tokens = :cached_tokens, answer_tokens = :answer_tokens, cost = :cost
    WHERE scope = :scope AND id = :id AND outcome = 'reserved'
"""
# An unknown cost counts as the most that it can be; so does a negative one, since no call refunds anything.
_CHARGED: LiteralString = "COALESCE(CASE WHEN cost >= 0 THEN cost END, reserved_cost)"
_USED: LiteralString = "CASE WHEN prompt_tokens >= 0 AND answer_tokens >= 0 THEN prompt_tokens + answer_tokens END"
_COST: LiteralString = f"COALESCE(SUM({_CHARGED}), 0)"
_UNPRICED: LiteralString = f"COUNT(CASE WHEN {_CHARGED} IS NULL THEN 1 END)"
_TOKENS: LiteralString = f"COALESCE(SUM(COALESCE({_USED}, reserved_tokens)), 0)"


class SqlCalls:
    """The ledger of the exact scope; that of a whole tenant is in the scope without project, agent and user."""

    def __init__(self, connection: ScopedConnection) -> None:
        self._connection = connection

    async def add(self, call: Call) -> bool:
        """Store a call; return False if there is one of its id, which stays."""
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

        return await self._connection.write(_INSERT_CALL, values) > 0

    async def settle(self, settlement: CallResult) -> None:
        """Store the outcome of a reserved call; one that was settled before stays."""
        await self._connection.in_thread(
            lambda: self._connection.run(_SETTLE, {"id": settlement.call, **_settled(settlement)})
        )

    async def list(self, *, limit: int) -> list[Call]:
        """Return model calls, the latest begun first."""
        sql: LiteralString = f"SELECT {names(_CALL)} FROM calls WHERE scope = :scope"
        rows = await self._connection.ask(sql + " ORDER BY started_at DESC, id DESC LIMIT :limit", {"limit": limit})
        read = self._connection.dialect.reader(_CALL)
        return [_call(read(row)) for row in rows]

    async def spent(self, *, since: datetime, until: datetime, project: str | None = None) -> Spending:
        """Return the spending in a period that includes its start and not its end; of one project if it is named."""
        one: LiteralString = "" if project is None else " AND project = :project"
        (row,) = await self._connection.ask(
            f"SELECT {_TOKENS}, {_COST}, {_UNPRICED} FROM calls"
            f" WHERE scope = :scope AND started_at >= :since AND started_at < :until{one}",
            {"since": since, "until": until, "project": project},
        )
        return Spending(tokens=int(row[0]), cost=int(row[1]), unpriced=int(row[2]))

    async def totals(
        self, *, since: datetime, until: datetime, project: str | None = None, agent: str | None = None
    ) -> Sequence[CallTotal]:
        """Return totals of calls in a period, by purpose, model, project and agent, in that order."""
        of: LiteralString = ("" if project is None else " AND project = :project") + (
            "" if agent is None else " AND agent = :agent"
        )
        rows = await self._connection.ask(
            "SELECT purpose, provider, model, project, agent, COUNT(CASE WHEN outcome <> 'refused' THEN 1 END),"
            " COUNT(CASE WHEN outcome = 'refused' THEN 1 END),"
            " COUNT(CASE WHEN outcome IN ('bad-output', 'unavailable') THEN 1 END),"
            " COALESCE(SUM(prompt_tokens), 0), COALESCE(SUM(cached_tokens), 0), COALESCE(SUM(answer_tokens), 0),"
            f" {_COST}, {_UNPRICED}, COALESCE(SUM(milliseconds), 0) FROM calls"
            f" WHERE scope = :scope AND started_at >= :since AND started_at < :until{of}"
            " GROUP BY purpose, provider, model, project, agent",
            {"since": since, "until": until, "project": project, "agent": agent},
        )
        # Sorted here: databases differ in the place of NULL.
        return sorted(
            map(_total, rows), key=lambda total: (total.purpose, total.model, total.project or "", total.agent or "")
        )


def _settled(of: Call | CallResult) -> Mapping[str, object]:
    """Return the columns of the outcome of a call, as far as it is known."""
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
    values = {column.name: value for column, value in zip(_CALL, row, strict=True)}
    tokens = values["prompt_tokens"], values["cached_tokens"], values["answer_tokens"]
    return Call(
        id=values["id"],
        project=values["project"],
        agent=values["agent"],
        session=values["session"],
        purpose=CallPurpose(values["purpose"]),
        model=f"{values['provider']}:{values['model']}",
        prompt_version=values["prompt_version"],
        started_at=values["started_at"],
        milliseconds=values["milliseconds"],
        outcome=CallOutcome(values["outcome"]),
        reserved_tokens=values["reserved_tokens"],
        reserved_cost=values["reserved_cost"],
        usage=None if tokens[0] is None else Usage(prompt=tokens[0], cached=tokens[1], answer=tokens[2]),
        cost=values["cost"],
        request=values["request"],
    )


def _total(row: Row) -> CallTotal:
    return CallTotal(
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


_BLOCK = COLUMNS[StoreTable.BLOCKS][2:]
_SUMS: LiteralString = (
    "COUNT(*), COUNT(CASE WHEN uncached IS NULL THEN 1 END), SUM(tokens), SUM(prefix), COALESCE(SUM(uncached), 0),"
    " COALESCE(SUM(cached), 0), SUM(whole_tokens), SUM(whole_prefix), COALESCE(SUM(whole_uncached), 0),"
    " COALESCE(SUM(whole_cached), 0)"
)
_INSERT_BLOCK: LiteralString = (
    f"INSERT INTO blocks (scope, tenant, {names(_BLOCK)})"
    f" VALUES (:scope, :tenant, {names(_BLOCK, before=':')}) ON CONFLICT DO NOTHING"
)


class SqlBlocks:
    """Lengths and savings of served blocks of the exact scope, without text."""

    def __init__(self, connection: ScopedConnection) -> None:
        self._connection = connection

    async def add(self, blocks: Sequence[ServedBlock]) -> None:
        """Store served blocks; one that is stored stays."""
        connection = self._connection

        def write() -> None:
            connection.writable()
            connection.run_many(_INSERT_BLOCK, [_block_values(one) for one in blocks])

        await connection.in_thread(write)

    async def by_session(self, *, since: datetime, limit: int) -> Sequence[Savings]:
        """Return the savings of sessions of the exact scope since a time, the last served first."""
        rows = await self._connection.ask(
            f"SELECT session, {_SUMS} FROM blocks WHERE scope = :scope AND at >= :since"
            " GROUP BY session ORDER BY MAX(at) DESC, session LIMIT :limit",
            {"since": since, "limit": limit},
        )
        scope = self._connection.scope
        return [_savings(row[1:], project=scope.project, agent=scope.agent, session=row[0]) for row in rows]

    async def total(
        self, *, since: datetime, until: datetime, project: str | None = None, agent: str | None = None
    ) -> Savings | None:
        """Return the savings in a period in all scopes of the tenant; `None` if no block was served.

        The period includes its start and not its end.
        """
        of: LiteralString = ("" if project is None else " AND scopes.project = :project") + (
            "" if agent is None else " AND scopes.agent = :agent"
        )
        (row,) = await self._connection.ask(
            f"SELECT {_SUMS} FROM scopes JOIN blocks ON blocks.scope = scopes.id"
            f" WHERE scopes.tenant = :tenant AND blocks.at >= :since AND blocks.at < :until{of}",
            {"since": since, "until": until, "project": project, "agent": agent},
        )
        return _savings(row, project=project, agent=agent) if row[0] else None

    async def by_agent(
        self, *, since: datetime, project: str | None = None, agent: str | None = None
    ) -> Sequence[Savings]:
        """Return the savings since a time in all scopes of the tenant, by project and agent, in that order."""
        of: LiteralString = ("" if project is None else " AND scopes.project = :project") + (
            "" if agent is None else " AND scopes.agent = :agent"
        )
        rows = await self._connection.ask(
            f"SELECT scopes.project, scopes.agent, {_SUMS} FROM scopes JOIN blocks ON blocks.scope = scopes.id"
            f" WHERE scopes.tenant = :tenant AND blocks.at >= :since{of} GROUP BY scopes.project, scopes.agent",
            {"since": since, "project": project, "agent": agent},
        )
        found = [_savings(row[2:], project=row[0], agent=row[1]) for row in rows]
        # Sorted here: databases differ in the place of NULL.
        return sorted(found, key=lambda savings: (savings.project or "", savings.agent or ""))


def _block_values(one: ServedBlock) -> dict[str, object]:
    cost = one.cost
    return {
        "id": one.id,
        "session": one.session,
        "at": one.at,
        "tokens": one.block.tokens,
        "prefix": one.block.prefix,
        "uncached": cost and cost.served.uncached,
        "cached": cost and cost.served.cached,
        "whole_tokens": one.whole.tokens,
        "whole_prefix": one.whole.prefix,
        "whole_uncached": cost and cost.whole.uncached,
        "whole_cached": cost and cost.whole.cached,
    }


def _savings(row: Row, *, project: str | None, agent: str | None, session: str | None = None) -> Savings:
    blocks, unpriced, *rest = map(int, row)
    return Savings(
        project=project,
        agent=agent,
        session=session,
        blocks=blocks,
        unpriced=unpriced,
        saving=CostComparison(served=_expense(rest[:4]), whole=_expense(rest[4:])),
    )


def _expense(numbers: Sequence[int]) -> PromptCost:
    tokens, prefix, uncached, cached = numbers
    return PromptCost(tokens=tokens, prefix=prefix, uncached=uncached, cached=cached)


_INJECTION = COLUMNS[StoreTable.INJECTIONS][2:]
_TYPES: Mapping[LiteralString, LiteralString] = {
    "scope": "bigint", "tenant": "text", "id": "text", "record": "text", "rank": "bigint", "session": "text",
    "mode": "text", "state": "text", "at": "timestamptz", "weighted": "bigint", "unweighted": "bigint",
}  # fmt: skip
_STATES = {True: "shown", False: "withheld"}


class SqlInjections:
    """Memories that were injected into prompts in the exact scope."""

    def __init__(self, connection: ScopedConnection) -> None:
        self._connection = connection

    async def add(self, injections: Sequence[Injection]) -> None:
        """Store injections; one that is stored stays."""
        connection = self._connection

        def write() -> None:
            whose = (connection.writable(), connection.scope.tenant)
            rows = [
                (*whose, *row)
                for one in injections
                for row in _injection_rows(one, connection.dialect.converted(one.at))
            ]
            connection.raw.insert_each("injections", _TYPES, rows)

        await connection.in_thread(write)

    async def list(self, session: str, *, limit: int) -> Sequence[Injection]:
        """Return the injections of a session, the latest first, up to so many memories."""
        sql: LiteralString = f"SELECT {names(_INJECTION)} FROM injections WHERE scope = :scope AND session = :session"
        rows = await self._connection.ask(
            sql + " AND {record_open} ORDER BY at DESC, id DESC, rank LIMIT :limit",
            {"session": session, "limit": limit},
        )
        found = [list(group) for _, group in groupby(rows, key=lambda row: row[0])]
        return [
            Injection(
                id=group[0][0],
                session=group[0][3],
                mode=InjectionMode(group[0][4]),
                shown=group[0][5] == _STATES[True],
                at=self._connection.dialect.moment(group[0][6]),
                records=tuple(row[1] for row in group),
                ranks={row[1]: Ranks(weighted=row[7], unweighted=row[8]) for row in group if row[7] is not None},
            )
            for group in found
        ]


def _injection_rows(one: Injection, at: object) -> list[tuple[object, ...]]:
    """Return a row for each memory of an injection, without its scope."""
    alike = (one.session, one.mode.value, _STATES[one.shown], at)
    ranks = ((record, one.ranks.get(record)) for record in dict.fromkeys(one.records))
    return [
        (one.id, record, number, *alike, rank and rank.weighted, rank and rank.unweighted)
        for number, (record, rank) in enumerate(ranks, 1)
    ]
