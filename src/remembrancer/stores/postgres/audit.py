"""The audit log, one chain a tenant; see `stores.chain`."""

from collections.abc import Sequence

from remembrancer.model.audit import AuditEntry
from remembrancer.stores.chain import FIRST, chained, subject_key, subject_of
from remembrancer.stores.postgres.shard import Shard

# The first of two numbers that name an advisory lock; a transaction's own is taken before this one.
TENANT_CHAIN = 2


class PostgresAudit:
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
        tenant = shard.scope.tenant
        # Until this transaction ends nobody else appends to the tenant's chain.
        connection.rows("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", (TENANT_CHAIN, tenant))
        last: str | None = connection.value(
            "SELECT hash FROM audit WHERE tenant = %s ORDER BY sequence DESC LIMIT 1", (tenant,)
        )
        rows = chained(entries, scope=shard.scope, key=key, previous=last or FIRST)
        connection.run_many(
            """
            INSERT INTO audit (tenant, at, door, action, kind, subject, record, count, previous, hash)
            VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
            """,
            [[row[0], entry.at, *row[2:]] for row, entry in zip(rows, entries, strict=True)],
        )

    async def count(self) -> int:
        """How many entries the exact scope has."""
        return await self._shard.run(self._count)

    def _count(self) -> int:
        shard = self._shard
        key = self._subject_key(shard.exact)
        if key is None:
            return 0
        return shard.connection.value(
            "SELECT COUNT(*) FROM audit WHERE tenant = %s AND subject = %s",
            (shard.scope.tenant, subject_of(key, shard.scope)),
        )

    def _subject_key(self, scope: int) -> bytes | None:
        """The key of an exact scope's fingerprints; `None` where nothing was ever written to it."""
        own: bytes | None = self._shard.connection.value("SELECT audit_key FROM scopes WHERE id = %s", (scope,))
        return None if own is None else subject_key(self._secret, own)
