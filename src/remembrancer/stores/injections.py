"""What was put before agents, alike in every store: each statement is one, with the dialect's own placeholder."""

# ruff: noqa: S608 -- joined from constants; that they are literals is checked by type (LiteralString)

from collections.abc import Sequence
from itertools import groupby
from typing import LiteralString

from remembrancer.model.injection import Injection, Ranks, Way
from remembrancer.stores.dialect import Dialect, Shard

_COLUMNS: LiteralString = "id, record, rank, session, way, state, at, weighted, unweighted"
_NUMBER_OF_COLUMNS = 9
_STATES = {True: "shown", False: "withheld"}


class StoredInjections:
    """See `ports.injections.Injections`."""

    def __init__(self, shard: Shard, dialect: Dialect) -> None:
        self._shard = shard
        self._dialect = dialect

    async def add(self, injections: Sequence[Injection]) -> None:
        """Write what was put before an agent; once, however often it is told."""
        marks = self._dialect.marks(_NUMBER_OF_COLUMNS + 2)
        sql = f"INSERT INTO injections (scope, tenant, {_COLUMNS}) VALUES ({marks}) ON CONFLICT DO NOTHING"
        shard = self._shard

        def write() -> None:
            scope, tenant = shard.writable(), shard.scope.tenant
            for one in injections:
                for rank, record in enumerate(dict.fromkeys(one.records), 1):
                    ranks = one.ranks.get(record)
                    told = (
                        one.id,
                        record,
                        rank,
                        one.session,
                        one.way.value,
                        _STATES[one.shown],
                        self._dialect.kept(one.at),
                        ranks and ranks.weighted,
                        ranks and ranks.unweighted,
                    )
                    shard.connection.run(sql, (scope, tenant, *told))

        await shard.run(write)

    async def list(self, session: str, *, limit: int) -> Sequence[Injection]:
        """What was put before an agent in a session, the latest first; so many memories at most."""
        mark = self._dialect.mark
        sql = (
            f"SELECT {_COLUMNS} FROM injections WHERE scope = {mark} AND session = {mark}"
            f" ORDER BY at DESC, id DESC, rank LIMIT {mark}"
        )
        shard = self._shard
        rows = await shard.run(lambda: shard.connection.rows(sql, (shard.exact, session, limit)))
        found = [list(group) for _, group in groupby(rows, key=lambda row: row[0])]
        return [
            Injection(
                id=group[0][0],
                session=group[0][3],
                way=Way(group[0][4]),
                shown=group[0][5] == _STATES[True],
                at=self._dialect.told(group[0][6]),
                records=tuple(row[1] for row in group),
                ranks={row[1]: Ranks(weighted=row[7], unweighted=row[8]) for row in group if row[7] is not None},
            )
            for group in found
        ]
