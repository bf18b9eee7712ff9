"""What was put before agents; alike in every store."""

# ruff: noqa: S608 -- joined from constants; that they are literals is checked by type (LiteralString)

from collections.abc import Sequence
from itertools import groupby
from typing import LiteralString

from remembrancer.model.injection import Injection, Ranks, Way
from remembrancer.ports.tables import Table
from remembrancer.stores.columns import COLUMNS, names
from remembrancer.stores.shard import Shard

_COLUMNS = COLUMNS[Table.INJECTIONS][2:]
_STATES = {True: "shown", False: "withheld"}
_INSERT: LiteralString = (
    f"INSERT INTO injections (scope, tenant, {names(_COLUMNS)})"
    f" VALUES (:scope, :tenant, {names(_COLUMNS, before=':')}) ON CONFLICT DO NOTHING"
)


class StoredInjections:
    """See `ports.injections.Injections`."""

    def __init__(self, shard: Shard) -> None:
        self._shard = shard

    async def add(self, injections: Sequence[Injection]) -> None:
        """Write what was put before an agent; once, however often it is told."""
        shard = self._shard
        rows = [row for one in injections for row in _rows(one)]

        def write() -> None:
            shard.writable()
            shard.run_many(_INSERT, rows)

        await shard.in_thread(write)

    async def list(self, session: str, *, limit: int) -> Sequence[Injection]:
        """What was put before an agent in a session, the latest first; so many memories at most."""
        sql: LiteralString = f"SELECT {names(_COLUMNS)} FROM injections WHERE scope = :scope AND session = :session"
        rows = await self._shard.ask(
            sql + " AND {record_open} ORDER BY at DESC, id DESC, rank LIMIT :limit",
            {"session": session, "limit": limit},
        )
        found = [list(group) for _, group in groupby(rows, key=lambda row: row[0])]
        return [
            Injection(
                id=group[0][0],
                session=group[0][3],
                way=Way(group[0][4]),
                shown=group[0][5] == _STATES[True],
                at=self._shard.dialect.moment(group[0][6]),
                records=tuple(row[1] for row in group),
                ranks={row[1]: Ranks(weighted=row[7], unweighted=row[8]) for row in group if row[7] is not None},
            )
            for group in found
        ]


def _rows(one: Injection) -> list[dict[str, object]]:
    """A row for each memory of it."""
    return [
        {
            "id": one.id,
            "record": record,
            "rank": rank,
            "session": one.session,
            "way": one.way.value,
            "state": _STATES[one.shown],
            "at": one.at,
            "weighted": one.ranks[record].weighted if record in one.ranks else None,
            "unweighted": one.ranks[record].unweighted if record in one.ranks else None,
        }
        for rank, record in enumerate(dict.fromkeys(one.records), 1)
    ]
