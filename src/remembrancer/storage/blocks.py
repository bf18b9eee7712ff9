"""What served blocks spared; alike in every store."""

from collections.abc import Sequence
from datetime import datetime
from typing import LiteralString

from remembrancer.storage.columns import COLUMNS, names
from remembrancer.storage.scoped_connection import ScopedConnection
from remembrancer.storage.tables import Table
from remembrancer.storage.values import Row
from remembrancer.types.savings import Expense, Saving, Savings, Served

_COLUMNS = COLUMNS[Table.BLOCKS][2:]
_SUMS: LiteralString = (
    "COUNT(*), COUNT(CASE WHEN uncached IS NULL THEN 1 END), SUM(tokens), SUM(prefix), COALESCE(SUM(uncached), 0),"
    " COALESCE(SUM(cached), 0), SUM(whole_tokens), SUM(whole_prefix), COALESCE(SUM(whole_uncached), 0),"
    " COALESCE(SUM(whole_cached), 0)"
)
_INSERT: LiteralString = (
    f"INSERT INTO blocks (scope, tenant, {names(_COLUMNS)})"
    f" VALUES (:scope, :tenant, {names(_COLUMNS, before=':')}) ON CONFLICT DO NOTHING"
)


class SqlBlocks:
    """How long the blocks were that were served in the exact scope, and what they spared; no text."""

    def __init__(self, connection: ScopedConnection) -> None:
        self._connection = connection

    async def add(self, blocks: Sequence[Served]) -> None:
        """Write down blocks that were served; each once, however often it is told."""
        connection = self._connection

        def write() -> None:
            connection.writable()
            connection.run_many(_INSERT, [_values(one) for one in blocks])

        await connection.in_thread(write)

    async def by_session(self, *, since: datetime, limit: int) -> Sequence[Savings]:
        """What was spared in sessions of the exact scope since a time, the last served first; so many sessions."""
        rows = await self._connection.ask(
            f"SELECT session, {_SUMS} FROM blocks WHERE scope = :scope AND at >= :since"
            " GROUP BY session ORDER BY MAX(at) DESC, session LIMIT :limit",
            {"since": since, "limit": limit},
        )
        scope = self._connection.scope
        return [_savings(row[1:], project=scope.project, agent=scope.agent, session=row[0]) for row in rows]

    async def by_agent(
        self, *, since: datetime, project: str | None = None, agent: str | None = None
    ) -> Sequence[Savings]:
        """What was spared since a time in all scopes of the tenant, by project and agent, in that order."""
        of: LiteralString = ("" if project is None else " AND scopes.project = :project") + (
            "" if agent is None else " AND scopes.agent = :agent"
        )
        rows = await self._connection.ask(
            f"SELECT scopes.project, scopes.agent, {_SUMS} FROM scopes JOIN blocks ON blocks.scope = scopes.id"
            f" WHERE scopes.tenant = :tenant AND blocks.at >= :since{of} GROUP BY scopes.project, scopes.agent",
            {"since": since, "project": project, "agent": agent},
        )
        found = [_savings(row[2:], project=row[0], agent=row[1]) for row in rows]
        # Sorted here: databases differ in where they put what is blank.
        return sorted(found, key=lambda savings: (savings.project or "", savings.agent or ""))


def _values(one: Served) -> dict[str, object]:
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
        saving=Saving(served=_expense(rest[:4]), whole=_expense(rest[4:])),
    )


def _expense(numbers: Sequence[int]) -> Expense:
    tokens, prefix, uncached, cached = numbers
    return Expense(tokens=tokens, prefix=prefix, uncached=uncached, cached=cached)
