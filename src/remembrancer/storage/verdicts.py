"""What people say of memories; alike in every store."""

from collections.abc import Sequence
from datetime import datetime

from remembrancer.storage.scoped_connection import ScopedConnection
from remembrancer.types.verdict import Said, Verdict


class SqlVerdicts:
    """What people have said of memories of the exact scope."""

    def __init__(self, connection: ScopedConnection) -> None:
        self._connection = connection

    async def of(self, record: str) -> list[Said]:
        """What was said of a memory, the earliest first."""
        rows = await self._connection.ask(
            """
            SELECT record, person, verdict, at FROM verdicts
            WHERE scope = :scope AND record = :record AND {record_open} ORDER BY at, person
            """,
            {"record": record},
        )
        moment = self._connection.dialect.moment
        return [Said(record=row[0], person=row[1], verdict=Verdict(row[2]), at=moment(row[3])) for row in rows]

    async def confirmed(self, records: Sequence[str]) -> dict[str, datetime]:
        """When each of some memories was last said to be right, in any scope that is seen; those that were."""
        if not records:
            return {}
        rows = await self._connection.ask(
            """
            SELECT record, MAX(at) FROM verdicts
            WHERE scope = ANY(:visible) AND record = ANY(:records) AND verdict = :verdict AND {record_open}
            GROUP BY record
            """,
            {"records": list(records), "verdict": Verdict.RIGHT.value},
        )
        return {row[0]: self._connection.dialect.moment(row[1]) for row in rows}

    async def put(self, said: Said) -> None:
        """Store the last word of a person on a memory."""
        connection = self._connection

        def put() -> None:
            connection.writable()
            connection.run(
                """
                INSERT INTO verdicts (scope, tenant, record, person, verdict, at)
                VALUES (:scope, :tenant, :record, :person, :verdict, :at)
                ON CONFLICT (scope, record, person) DO UPDATE SET verdict = excluded.verdict, at = excluded.at
                """,
                {"record": said.record, "person": said.person, "verdict": said.verdict.value, "at": said.at},
            )

        await connection.in_thread(put)

    async def withdraw(self, record: str, verdicts: Sequence[Verdict]) -> None:
        """Forget what was said of a memory in these words."""
        connection, words = self._connection, [verdict.value for verdict in verdicts]
        await connection.in_thread(
            lambda: connection.run(
                "DELETE FROM verdicts WHERE scope = :scope AND record = :record AND verdict = ANY(:verdicts)",
                {"record": record, "verdicts": words},
            )
        )
