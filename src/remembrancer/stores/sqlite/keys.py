"""Idempotency keys of the exact scope."""

from datetime import datetime

from remembrancer.model.saved import Outcome, Remembered
from remembrancer.stores.moments import to_micros
from remembrancer.stores.sqlite.shard import Shard


class SQLiteKeys:
    """See `ports.keys.Keys`."""

    def __init__(self, shard: Shard) -> None:
        self._shard = shard

    async def find(self, key: str) -> Remembered | None:
        """What a key stands for, or `None`."""
        shard = self._shard
        sql = "SELECT request, outcome, record FROM keys WHERE scope = ? AND key = ?"
        row = await shard.run(lambda: shard.connection.row(sql, (shard.exact, key)))
        return Remembered(request=row[0], outcome=Outcome(row[1]), record=row[2]) if row else None

    async def add(self, key: str, remembered: Remembered, *, at: datetime) -> None:
        """Remember what a key stood for."""
        shard = self._shard

        def insert() -> None:
            shard.connection.run(
                "INSERT INTO keys (scope, tenant, key, request, outcome, record, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    shard.writable(),
                    shard.scope.tenant,
                    key,
                    remembered.request,
                    remembered.outcome.value,
                    remembered.record,
                    to_micros(at),
                ),
            )

        await shard.run(insert)
