"""The audit log, one chain a tenant; see `stores.chain`."""

from collections.abc import Sequence

from remembrancer.model.audit import AuditEntry
from remembrancer.stores.chain import FIRST, chained, subject_key, subject_of
from remembrancer.stores.sqlite.shard import Shard


class SQLiteAudit:
    """See `ports.audit.Audit`."""

    def __init__(self, shard: Shard, secret: bytes) -> None:
        self._shard = shard
        self._secret = secret

    async def add(self, entries: Sequence[AuditEntry]) -> None:
        """Append entries in order."""
        await self._shard.run(lambda: self._add(entries))

    def _add(self, entries: Sequence[AuditEntry]) -> None:
        shard, connection = self._shard, self._shard.connection
        key = self._subject_key(shard.writable())
        assert key is not None
        last: str | None = connection.value(
            "SELECT hash FROM audit WHERE tenant = ? ORDER BY sequence DESC LIMIT 1", (shard.scope.tenant,)
        )
        connection.run_many(
            """
            INSERT INTO audit (tenant, at, door, action, kind, subject, record, count, previous, hash)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            chained(entries, scope=shard.scope, key=key, previous=last or FIRST),
        )

    async def count(self) -> int:
        """How many entries the exact scope has."""
        return await self._shard.run(self._count)

    def _count(self) -> int:
        shard = self._shard
        key = self._subject_key(shard.exact)
        if key is None:
            return 0
        return shard.connection.value("SELECT COUNT(*) FROM audit WHERE subject = ?", (subject_of(key, shard.scope),))

    def _subject_key(self, scope: int) -> bytes | None:
        """The key of an exact scope's fingerprints; `None` where nothing was ever written to it."""
        own: bytes | None = self._shard.connection.value("SELECT audit_key FROM scopes WHERE id = ?", (scope,))
        return None if own is None else subject_key(self._secret, own)
