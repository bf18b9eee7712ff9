"""Requests that are done once, of the exact scope; alike in every store."""

from remembrancer.storage.columns import columns, names
from remembrancer.storage.scoped_connection import ScopedConnection
from remembrancer.types.requested import KEPT_FOR, Requested

_COLUMNS = columns("key request status body at:moment")


class SqlRequests:
    """Requests to the exact scope that came with an idempotency key, for a day."""

    def __init__(self, connection: ScopedConnection) -> None:
        self._connection = connection

    async def find(self, key: str) -> Requested | None:
        """The request of an idempotency key, or `None`."""
        rows = await self._connection.ask(
            f"SELECT {names(_COLUMNS)} FROM requests WHERE scope = :scope AND key = :key",
            {"key": key},
        )
        read = self._connection.dialect.reader(_COLUMNS)
        for told in map(read, rows):
            return Requested(key=told[0], request=told[1], status=told[2], body=told[3], at=told[4])
        return None

    async def put(self, requested: Requested) -> None:
        """Store a request, or how it was answered; those of more than a day ago are forgotten."""
        values = {
            "key": requested.key,
            "request": requested.request,
            "status": requested.status,
            "body": requested.body,
            "at": requested.at,
            "before": requested.at - KEPT_FOR,
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
