"""What was put before agents; alike in every store."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import LiteralString

from remembrancer.storage.columns import COLUMNS, names
from remembrancer.storage.scoped_connection import ScopedConnection
from remembrancer.storage.tables import Table
from remembrancer.types.injection import Injection, Ranks, Way

_COLUMNS = COLUMNS[Table.INJECTIONS][2:]
_TYPES: Mapping[LiteralString, LiteralString] = {
    "scope": "bigint", "tenant": "text", "id": "text", "record": "text", "rank": "bigint", "session": "text",
    "way": "text", "state": "text", "at": "timestamptz", "weighted": "bigint", "unweighted": "bigint",
}  # fmt: skip
_STATES = {True: "shown", False: "withheld"}


class SqlInjections:
    """What was put before agents in the exact scope."""

    def __init__(self, connection: ScopedConnection) -> None:
        self._connection = connection

    async def add(self, injections: Sequence[Injection]) -> None:
        """Write what was put before an agent; once, however often it is told."""
        connection = self._connection

        def write() -> None:
            whose = (connection.writable(), connection.scope.tenant)
            rows = [(*whose, *row) for one in injections for row in _rows(one, connection.dialect.kept(one.at))]
            connection.raw.insert_each("injections", _TYPES, rows)

        await connection.in_thread(write)

    async def list(self, session: str, *, limit: int) -> Sequence[Injection]:
        """What was put before an agent in a session, the latest first; so many memories at most."""
        sql: LiteralString = f"SELECT {names(_COLUMNS)} FROM injections WHERE scope = :scope AND session = :session"
        rows = await self._connection.ask(
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
                at=self._connection.dialect.moment(group[0][6]),
                records=tuple(row[1] for row in group),
                ranks={row[1]: Ranks(weighted=row[7], unweighted=row[8]) for row in group if row[7] is not None},
            )
            for group in found
        ]


def _rows(one: Injection, at: object) -> list[tuple[object, ...]]:
    """A row for each memory of it, without whose it is."""
    alike = (one.session, one.way.value, _STATES[one.shown], at)
    ranks = ((record, one.ranks.get(record)) for record in dict.fromkeys(one.records))
    return [
        (one.id, record, number, *alike, rank and rank.weighted, rank and rank.unweighted)
        for number, (record, rank) in enumerate(ranks, 1)
    ]
