"""Idempotency keys of the exact scope; alike in every store."""

from datetime import datetime

from remembrancer.storage.scoped_connection import ScopedConnection
from remembrancer.types.saved import Outcome, Remembered


class SqlKeys:
    """Idempotency keys of the exact scope."""

    def __init__(self, connection: ScopedConnection) -> None:
        self._connection = connection

    async def find(self, key: str) -> Remembered | None:
        """What a key stands for, or `None`."""
        rows = await self._connection.ask(
            "SELECT request, outcome, record FROM keys WHERE scope = :scope AND key = :key", {"key": key}
        )
        return next((Remembered(key=key, request=row[0], outcome=Outcome(row[1]), record=row[2]) for row in rows), None)

    async def add(self, remembered: Remembered, *, at: datetime) -> None:
        """Remember what a key stood for."""
        values = {
            "key": remembered.key,
            "request": remembered.request,
            "outcome": remembered.outcome.value,
            "record": remembered.record,
            "at": at,
        }

        def add() -> None:
            self._connection.writable()
            self._connection.run(
                """
                INSERT INTO keys (scope, tenant, key, request, outcome, record, at)
                VALUES (:scope, :tenant, :key, :request, :outcome, :record, :at)
                """,
                values,
            )

        await self._connection.in_thread(add)
