"""Idempotency keys of the exact scope."""

from datetime import datetime

from remembrancer.model.saved import Outcome, Remembered
from remembrancer.stores.postgres.shard import Shard


class PostgresKeys:
    """See `ports.keys.Keys`."""

    def __init__(self, shard: Shard) -> None:
        self._shard = shard

    async def find(self, key: str) -> Remembered | None:
        """What a key stands for, or `None`."""
        shard = self._shard
        row = await shard.run(
            lambda: shard.connection.row(
                "SELECT request, outcome, record FROM keys WHERE scope = %s AND key = %s", (shard.exact, key)
            )
        )
        return Remembered(request=row[0], outcome=Outcome(row[1]), record=row[2]) if row else None

    async def add(self, key: str, remembered: Remembered, *, at: datetime) -> None:
        """Remember what a key stood for."""
        shard = self._shard
        await shard.run(
            lambda: shard.connection.run(
                """
                INSERT INTO keys (scope, tenant, key, request, outcome, record, at)
                VALUES (%s, %s, %s, %s, %s, %s, %s)
                """,
                (
                    shard.writable(),
                    shard.scope.tenant,
                    key,
                    remembered.request,
                    remembered.outcome.value,
                    remembered.record,
                    at,
                ),
            )
        )
