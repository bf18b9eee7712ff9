"""How outcomes of sessions have moved weights; alike in every store."""

from typing import LiteralString

from remembrancer.storage.scoped_connection import ScopedConnection
from remembrancer.types.verdict import Move, SessionOutcome
from remembrancer.types.weighed import Weighed

WEIGHT: LiteralString = """CASE
    WHEN records.scope = :scope THEN records.weight
    ELSE COALESCE((
        SELECT after FROM weights WHERE weights.scope = :scope AND weights.record = records.id
        ORDER BY at DESC, session DESC LIMIT 1
    ), records.weight)
END"""
"""The weight of a record for the exact scope: what a wider one shares has moved for each scope by itself."""
_MOVE: LiteralString = "session, record, outcome, alpha, before, after, at"


class SqlWeights:
    """How outcomes of sessions have moved the weights of memories of the exact scope."""

    def __init__(self, connection: ScopedConnection) -> None:
        self._connection = connection

    async def add(self, move: Move) -> None:
        """Note that a weight was moved, and move it; a record of a wider scope stays as it is for others."""
        connection = self._connection
        values = {
            "session": move.session,
            "record": move.record,
            "outcome": move.outcome.value,
            "alpha": move.alpha,
            "before": move.before,
            "after": move.after,
            "at": move.at,
        }

        def add() -> None:
            connection.writable()
            connection.run(
                f"INSERT INTO weights (scope, tenant, {_MOVE})"
                " VALUES (:scope, :tenant, :session, :record, :outcome, :alpha, :before, :after, :at)",
                values,
            )
            connection.run("UPDATE records SET weight = :after WHERE scope = :scope AND id = :record", values)

        await connection.in_thread(add)

    async def start(self, weighed: Weighed) -> None:
        """Give a memory of the exact scope the feedback weight from which outcomes move it."""

        def start() -> None:
            self._connection.writable()
            self._connection.run(
                "UPDATE records SET weight = :weight WHERE scope = :scope AND id = :record",
                {"weight": weighed.weight, "record": weighed.record},
            )

        await self._connection.in_thread(start)

    async def now(self, record: str) -> float:
        """The feedback weight of a memory for the exact scope, in [0, 1]; 1 of one that is not here."""
        rows = await self._connection.ask(
            f"SELECT {WEIGHT} FROM records WHERE tenant = :tenant AND id = :record", {"record": record}
        )
        return float(rows[0][0]) if rows else 1.0

    async def of(self, record: str) -> list[Move]:
        """The moves of a memory, the earliest first."""
        return await self._many("record = :record AND {record_open} ORDER BY at, session", record=record)

    async def within(self, session: str) -> list[Move]:
        """The moves by the outcome of a session."""
        return await self._many("session = :session AND {record_open} ORDER BY record", session=session)

    async def _many(self, which: LiteralString, **values: object) -> list[Move]:
        rows = await self._connection.ask(f"SELECT {_MOVE} FROM weights WHERE scope = :scope AND {which}", values)
        return [
            Move(
                session=row[0],
                record=row[1],
                outcome=SessionOutcome(row[2]),
                alpha=row[3],
                before=row[4],
                after=row[5],
                at=self._connection.dialect.moment(row[6]),
            )
            for row in rows
        ]
