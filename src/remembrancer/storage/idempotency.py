"""Idempotency keys of the exact scope, and the requests that came with one."""

from datetime import datetime

from remembrancer.storage.scoped_connection import ScopedConnection
from remembrancer.storage.tables import columns, names
from remembrancer.types.jobs import RESPONSE_LIFETIME, IdempotentRequest
from remembrancer.types.results import IdempotentWrite, Outcome


class SqlKeys:
    """Idempotency keys of the exact scope."""

    def __init__(self, connection: ScopedConnection) -> None:
        self._connection = connection

    async def find(self, key: str) -> IdempotentWrite | None:
        """Return the result stored under a key, or `None`."""
        rows = await self._connection.ask(
            "SELECT request, outcome, record FROM idempotency_keys WHERE scope = :scope AND key = :key", {"key": key}
        )
        return next(
            (IdempotentWrite(key=key, request=row[0], outcome=Outcome(row[1]), record=row[2]) for row in rows), None
        )

    async def add(self, remembered: IdempotentWrite, *, at: datetime) -> None:
        """Store the result of a key."""
        values = {
            "key": remembered.key,
            "request": remembered.request,
            "outcome": remembered.outcome.value,
            "record": remembered.record,
            "at": at,
        }

        await self._connection.write(
            """
                INSERT INTO idempotency_keys (scope, tenant, key, request, outcome, record, at)
                VALUES (:scope, :tenant, :key, :request, :outcome, :record, :at)
                """,
            values,
        )


_REQUEST = columns("key request status body at:moment")


class SqlRequests:
    """Requests to the exact scope with an idempotency key, kept for a day."""

    def __init__(self, connection: ScopedConnection) -> None:
        self._connection = connection

    async def find(self, key: str) -> IdempotentRequest | None:
        """Return the request of an idempotency key, or `None`."""
        rows = await self._connection.ask(
            f"SELECT {names(_REQUEST)} FROM requests WHERE scope = :scope AND key = :key",
            {"key": key},
        )
        read = self._connection.dialect.reader(_REQUEST)
        for row in map(read, rows):
            return IdempotentRequest(key=row[0], request=row[1], status=row[2], body=row[3], at=row[4])
        return None

    async def put(self, requested: IdempotentRequest) -> None:
        """Store a request or its response; delete those of more than a day ago."""
        values = {
            "key": requested.key,
            "request": requested.request,
            "status": requested.status,
            "body": requested.body,
            "at": requested.at,
            "before": requested.at - RESPONSE_LIFETIME,
        }

        def put() -> None:
            self._connection.writable()
            self._connection.run(
                """
                INSERT INTO requests (scope, tenant, key, request, status, body, at)
                VALUES (:scope, :tenant, :key, :request, :status, :body, :at)
                ON CONFLICT (scope, key) DO UPDATE SET
                    request = excluded.request, status = excluded.status, body = excluded.body, at = excluded.at
                """,
                values,
            )
            self._connection.run("DELETE FROM requests WHERE scope = :scope AND at < :before", values)

        await self._connection.in_thread(put)
