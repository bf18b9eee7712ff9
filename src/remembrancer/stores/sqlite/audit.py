"""The audit log: each row chained to the one before it; subjects and records only as keyed fingerprints."""

import hashlib
import hmac
from collections.abc import Sequence

from remembrancer.model.scope import Scope
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
        tenant, key = shard.scope.tenant, self._subject_key(shard.writable())
        assert key is not None
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
                _subject(key, shard.scope),
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
        """How many entries the exact scope has."""
        return await self._shard.run(self._count)

    def _count(self) -> int:
        shard = self._shard
        key = self._subject_key(shard.exact)
        if key is None:
            return 0
        return shard.connection.value("SELECT COUNT(*) FROM audit WHERE subject = ?", (_subject(key, shard.scope),))

    def _subject_key(self, scope: int) -> bytes | None:
        """The key of an exact scope's fingerprints; `None` where nothing was ever written to it."""
        own: bytes | None = self._shard.connection.value("SELECT audit_key FROM scopes WHERE id = ?", (scope,))
        return None if own is None else hmac.digest(self._secret, own, "sha256")


def _subject(key: bytes, scope: Scope) -> str:
    return _fingerprint(key, f"scope {scope}")


def _fingerprint(key: bytes, name: str) -> str:
    return hmac.new(key, name.encode(), "sha256").hexdigest()
