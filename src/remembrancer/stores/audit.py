"""The audit log, one chain a tenant, alike in every store; see `stores.chain`."""

from collections.abc import Sequence
from typing import LiteralString

from remembrancer.model.audit import AuditEntry
from remembrancer.stores.chain import FIRST, chained, follows, subject_key, subject_of
from remembrancer.stores.moments import to_micros
from remembrancer.stores.shard import Shard

_PAGE = 10_000
_FURTHER: LiteralString = """
    SELECT sequence, tenant, at, door, actor, action, kind, subject, record, count, previous, hash FROM audit
    WHERE tenant = :tenant AND sequence > :after ORDER BY sequence LIMIT :limit
"""


class StoredAudit:
    """See `ports.audit.Audit`."""

    def __init__(self, shard: Shard, secret: bytes) -> None:
        self._shard = shard
        self._secret = secret

    async def add(self, entries: Sequence[AuditEntry]) -> None:
        """Append entries in order, by who asks and through which door."""
        await self._shard.in_thread(lambda: self._add(entries))

    def _add(self, entries: Sequence[AuditEntry]) -> None:
        shard = self._shard
        key = self._subject_key(shard.writable())
        assert key is not None
        # Until this transaction ends nobody else appends to the tenant's chain.
        shard.lock_chain()
        last: str | None = shard.value("SELECT hash FROM audit WHERE tenant = :tenant ORDER BY sequence DESC LIMIT 1")
        rows = chained(entries, caller=shard.caller, key=key, previous=last or FIRST)
        shard.run_many(
            """
            INSERT INTO audit
                (tenant, at, door, actor, action, kind, subject, record, count, previous, hash)
            VALUES
                (:tenant, :at, :door, :actor, :action, :kind, :subject, :record, :count, :previous, :hash)
            """,
            [{**row, "at": entry.at} for row, entry in zip(rows, entries, strict=True)],
        )
        # The chain tells of what is gone from its middle; the count also of what is gone from its end.
        counted = self._counted()
        more = {"more": len(entries), "count": self._count() if counted is None else counted + len(entries)}
        shard.run(
            "INSERT INTO tallies (scope, tenant, name, count) VALUES (:scope, :tenant, 'audit', :count)"
            " ON CONFLICT (scope, name) DO UPDATE SET count = tallies.count + :more",
            more,
        )

    async def count(self) -> int:
        """How many entries the exact scope has."""
        return await self._shard.in_thread(self._count)

    def _count(self) -> int:
        shard = self._shard
        key = self._subject_key(shard.exact)
        if key is None:
            return 0
        return shard.value(
            "SELECT COUNT(*) FROM audit WHERE subject = :subject",
            {"subject": subject_of(key, shard.scope)},
        )

    async def lost(self) -> int:
        """How many entries of the exact scope are gone: those that were counted and are not there."""
        return await self._shard.in_thread(lambda: max(0, (self._counted() or 0) - self._count()))

    def _counted(self) -> int | None:
        """How many entries were written; `None` where that was not counted yet."""
        return self._shard.value("SELECT count FROM tallies WHERE scope = :scope AND name = 'audit'")

    async def broken(self) -> list[int]:
        """Entries of the tenant's log, by number, that do not follow from the one before."""
        return await self._shard.in_thread(self._broken)

    def _broken(self) -> list[int]:
        shard, found, previous, after = self._shard, list[int](), FIRST, -1
        while rows := shard.rows(_FURTHER, {"after": after, "limit": _PAGE}):
            for after, tenant, at, *told in rows:
                if not follows([tenant, to_micros(shard.dialect.moment(at)), *told], previous=previous):
                    found.append(after)
                previous = told[-1]
        return found

    def _subject_key(self, scope: int) -> bytes | None:
        """The key of an exact scope's fingerprints; `None` where nothing was ever written to it."""
        own: bytes | None = self._shard.value("SELECT audit_key FROM scopes WHERE id = :id", {"id": scope})
        return None if own is None else subject_key(self._secret, own)
