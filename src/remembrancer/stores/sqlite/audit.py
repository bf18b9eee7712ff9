"""The audit log: each row chained to the one before it; subjects and records only as keyed fingerprints."""

import hashlib
import hmac
from collections.abc import Sequence

from remembrancer.ports.store import AuditEntry
from remembrancer.stores.sqlite.rows import to_json, to_micros
from remembrancer.stores.sqlite.shard import Shard

_FIRST = "0" * 64


class SQLiteAudit:
    """See `ports.store.Audit`.

    Args:
        secret: the store's key; with a scope's own key it makes that scope's fingerprints, so that destroying the
            latter leaves rows that name nobody.
    """

    def __init__(self, shard: Shard, secret: bytes) -> None:
        self._shard = shard
        self._secret = secret

    async def add(self, entries: Sequence[AuditEntry]) -> None:
        """Append entries in order."""
        await self._shard.run(lambda: self._add(entries))

    def _add(self, entries: Sequence[AuditEntry]) -> None:
        shard, connection = self._shard, self._shard.connection
        tenant, key = shard.scope.tenant, self._subject_key()
        previous: str = (
            connection.value("SELECT hash FROM audit WHERE tenant = ? ORDER BY sequence DESC LIMIT 1", (tenant,))
            or _FIRST
        )
        for entry in entries:
            row = [
                tenant,
                to_micros(entry.at),
                entry.door,
                entry.action,
                entry.kind,
                _fingerprint(key, f"scope {shard.scope}"),
                entry.record and _fingerprint(key, f"record {entry.record}"),
                entry.count,
                previous,
            ]
            previous = hashlib.sha256(to_json(row).encode()).hexdigest()
            connection.run(
                """
                INSERT INTO audit (tenant, at, door, action, kind, subject, record, count, previous, hash)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                (*row, previous),
            )

    async def count(self) -> int:
        """How many entries the tenant has."""
        shard = self._shard
        sql = "SELECT COUNT(*) FROM audit WHERE tenant = ?"
        return await shard.run(lambda: shard.connection.value(sql, (shard.scope.tenant,)))

    def _subject_key(self) -> bytes:
        scope = self._shard.writable()
        own: bytes = self._shard.connection.value("SELECT audit_key FROM scopes WHERE id = ?", (scope,))
        return hmac.digest(self._secret, own, "sha256")


def _fingerprint(key: bytes, name: str) -> str:
    return hmac.new(key, name.encode(), "sha256").hexdigest()
