"""What served blocks spared, alike in every store: each statement is one, with the dialect's own placeholder."""

# ruff: noqa: S608 -- joined from constants; that they are literals is checked by type (LiteralString)

from collections.abc import Sequence
from datetime import datetime
from typing import LiteralString

from remembrancer.model.savings import Expense, Saving, Savings, Served
from remembrancer.stores.dialect import Dialect, Shard
from remembrancer.stores.values import Row

_COLUMNS: LiteralString = (
    "id, session, at, tokens, prefix, uncached, cached, whole_tokens, whole_prefix, whole_uncached, whole_cached"
)
_NUMBER_OF_COLUMNS = 11
_SUMS: LiteralString = (
    "COUNT(*), COUNT(CASE WHEN uncached IS NULL THEN 1 END), SUM(tokens), SUM(prefix), COALESCE(SUM(uncached), 0),"
    " COALESCE(SUM(cached), 0), SUM(whole_tokens), SUM(whole_prefix), COALESCE(SUM(whole_uncached), 0),"
    " COALESCE(SUM(whole_cached), 0)"
)


class StoredBlocks:
    """See `ports.blocks.Blocks`."""

    def __init__(self, shard: Shard, dialect: Dialect) -> None:
        self._shard = shard
        self._dialect = dialect

    async def add(self, blocks: Sequence[Served]) -> None:
        """Write down blocks that were served; each once, however often it is told."""
        marks = self._dialect.marks(_NUMBER_OF_COLUMNS + 2)
        sql = f"INSERT INTO blocks (scope, tenant, {_COLUMNS}) VALUES ({marks}) ON CONFLICT DO NOTHING"
        shard = self._shard

        def write() -> None:
            scope, tenant = shard.writable(), shard.scope.tenant
            for one in blocks:
                told = (one.id, one.session, self._dialect.kept(one.at))
                shard.connection.run(sql, (scope, tenant, *told, *_numbers(one)))

        await shard.run(write)

    async def by_session(self, *, since: datetime, limit: int) -> Sequence[Savings]:
        """What was spared in sessions of the exact scope since a time, the last served first; so many sessions."""
        mark = self._dialect.mark
        sql = (
            f"SELECT session, {_SUMS} FROM blocks WHERE scope = {mark} AND at >= {mark}"
            f" GROUP BY session ORDER BY MAX(at) DESC, session LIMIT {mark}"
        )
        shard, scope = self._shard, self._shard.scope
        values = (shard.exact, self._dialect.kept(since), limit)
        rows = await shard.run(lambda: shard.connection.rows(sql, values))
        return [_savings(row[1:], project=scope.project, agent=scope.agent, session=row[0]) for row in rows]

    async def by_agent(
        self, *, since: datetime, project: str | None = None, agent: str | None = None
    ) -> Sequence[Savings]:
        """What was spared since a time in all scopes of the tenant, by project and agent, in that order."""
        mark = self._dialect.mark
        of: LiteralString = ("" if project is None else " AND scopes.project = " + mark) + (
            "" if agent is None else " AND scopes.agent = " + mark
        )
        sql = (
            f"SELECT scopes.project, scopes.agent, {_SUMS} FROM scopes JOIN blocks ON blocks.scope = scopes.id"
            f" WHERE scopes.tenant = {mark} AND blocks.at >= {mark}{of} GROUP BY scopes.project, scopes.agent"
        )
        named = [name for name in (project, agent) if name is not None]
        shard = self._shard
        values = (shard.scope.tenant, self._dialect.kept(since), *named)
        rows = await shard.run(lambda: shard.connection.rows(sql, values))
        found = [_savings(row[2:], project=row[0], agent=row[1]) for row in rows]
        # Sorted here: databases differ in where they put what is blank.
        return sorted(found, key=lambda savings: (savings.project or "", savings.agent or ""))


def _numbers(one: Served) -> tuple[int | None, ...]:
    cost = one.cost
    served = (cost.served.uncached, cost.served.cached) if cost else (None, None)
    whole = (cost.whole.uncached, cost.whole.cached) if cost else (None, None)
    return (one.block.tokens, one.block.prefix, *served, one.whole.tokens, one.whole.prefix, *whole)


def _savings(row: Row, *, project: str | None, agent: str | None, session: str | None = None) -> Savings:
    blocks, unpriced, *rest = map(int, row)
    return Savings(
        project=project,
        agent=agent,
        session=session,
        blocks=blocks,
        unpriced=unpriced,
        saving=Saving(served=_expense(rest[:4]), whole=_expense(rest[4:])),
    )


def _expense(numbers: Sequence[int]) -> Expense:
    tokens, prefix, uncached, cached = numbers
    return Expense(tokens=tokens, prefix=prefix, uncached=uncached, cached=cached)
