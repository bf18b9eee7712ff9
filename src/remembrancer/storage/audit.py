"""The audit log, one chain a tenant, alike in every store; see `stores.chain`."""

from collections.abc import Mapping, Sequence
from typing import Any, LiteralString, NamedTuple

from remembrancer.errors import StoreError
from remembrancer.storage.chain import FIRST, chained, follows, subject_key, subject_of
from remembrancer.storage.columns import columns, names
from remembrancer.storage.moments import to_micros
from remembrancer.storage.scoped_connection import ScopedConnection
from remembrancer.storage.sealing import unsealed
from remembrancer.types.audit import AuditEntry, AuditFilter, AuditRow
from remembrancer.types.scope import Scope

_PAGE = 10_000
_LISTED_AT_ONCE = 1_000
_SCOPES: LiteralString = """
    SELECT scopes.tenant, scopes.project, scopes.agent, scopes."user", scopes.audit_key, COALESCE(tallies.count, 0)
    FROM scopes LEFT JOIN tallies ON tallies.scope = scopes.id AND tallies.name = 'audit'
    WHERE scopes.tenant = :tenant
"""
_FURTHER: LiteralString = """
    SELECT sequence, tenant, at, door, actor, action, kind, subject, record, count, previous, hash, sealed FROM audit
    WHERE tenant = :tenant AND sequence > :after ORDER BY sequence LIMIT :limit
"""
_ROW = columns("sequence at:moment door action kind subject count sealed")
_LISTED: LiteralString = "SELECT " + names(_ROW) + " FROM audit WHERE tenant = :tenant"
_ASKED: Mapping[str, LiteralString] = {
    "since": " AND at >= :since",
    "until": " AND at <= :until",
    "action": " AND action = :action",
    "kind": " AND kind = :kind",
    "origin": " AND door = :origin",
    "before": " AND sequence < :before",
}


class _Known(NamedTuple):
    """A scope, the key of its names, and how many entries it was counted to have."""

    scope: Scope
    key: bytes
    counted: int


class SqlAudit:
    """The record of who did what; append-only and chained by hash."""

    def __init__(self, connection: ScopedConnection, secret: bytes) -> None:
        self._connection = connection
        self._secret = secret

    async def add(self, entries: Sequence[AuditEntry]) -> None:
        """Append entries in order, by who asks and through which door."""
        await self._connection.in_thread(lambda: self._add(entries))

    def _add(self, entries: Sequence[AuditEntry]) -> None:
        connection = self._connection
        key = self._subject_key(connection.writable())
        if key is None:
            raise StoreError("the scope was erased meanwhile; nothing of this was written, try again")
        # Until this transaction ends nobody else appends to the tenant's chain.
        connection.lock_chain()
        last: str | None = connection.value(
            "SELECT hash FROM audit WHERE tenant = :tenant ORDER BY sequence DESC LIMIT 1"
        )
        rows = chained(entries, caller=connection.caller, key=key, previous=last or FIRST)
        connection.run_many(
            """
            INSERT INTO audit
                (tenant, at, door, actor, action, kind, subject, record, count, previous, hash, sealed)
            VALUES
                (:tenant, :at, :door, :actor, :action, :kind, :subject, :record, :count, :previous, :hash, :sealed)
            """,
            [{**row, "at": entry.at} for row, entry in zip(rows, entries, strict=True)],
        )
        # The chain tells of what is gone from its middle; the count also of what is gone from its end.
        counted = self._counted()
        more = {"more": len(entries), "count": self._count() if counted is None else counted + len(entries)}
        connection.run(
            "INSERT INTO tallies (scope, tenant, name, count) VALUES (:scope, :tenant, 'audit', :count)"
            " ON CONFLICT (scope, name) DO UPDATE SET count = tallies.count + :more",
            more,
        )

    async def count(self) -> int:
        """How many entries the exact scope has."""
        return await self._connection.in_thread(self._count)

    def _count(self) -> int:
        connection = self._connection
        key = self._subject_key(connection.exact)
        if key is None:
            return 0
        return connection.value(
            "SELECT COUNT(*) FROM audit WHERE subject = :subject",
            {"subject": subject_of(key, connection.scope)},
        )

    async def lost(self) -> int:
        """How many entries of the exact scope are gone: those that were counted and are not there."""
        return await self._connection.in_thread(lambda: max(0, (self._counted() or 0) - self._count()))

    async def lost_beneath(self) -> int:
        """How many entries of the exact scope and of those under it are gone."""
        return await self._connection.in_thread(self._lost_beneath)

    def _lost_beneath(self) -> int:
        held = dict(
            self._connection.rows("SELECT subject, COUNT(*) FROM audit WHERE tenant = :tenant GROUP BY subject")
        )
        return sum(max(0, one.counted - held.get(subject, 0)) for subject, one in self._known().items())

    def _counted(self) -> int | None:
        """How many entries were written; `None` where that was not counted yet."""
        return self._connection.value("SELECT count FROM tallies WHERE scope = :scope AND name = 'audit'")

    async def broken(self) -> list[int]:
        """Entries of the tenant's audit log, by number, that do not follow from the one before."""
        return await self._connection.in_thread(self._broken)

    def _broken(self) -> list[int]:
        connection, found, previous, after = self._connection, list[int](), FIRST, -1
        while rows := connection.rows(_FURTHER, {"after": after, "limit": _PAGE}):
            for after, tenant, at, *told in rows:
                if not follows([tenant, to_micros(connection.dialect.moment(at)), *told], previous=previous):
                    found.append(after)
                previous = told[-2]
        return found

    async def entries(self, filter: AuditFilter, *, limit: int) -> list[AuditRow]:
        """Entries of the exact scope and of those under it, the latest first."""
        return await self._connection.in_thread(lambda: self._entries(filter, limit))

    def _entries(self, filter: AuditFilter, limit: int) -> list[AuditRow]:
        connection = self._connection
        known = self._known()
        asked = {name: value for name in _ASKED if (value := getattr(filter, name)) is not None}
        # What is of nobody any more is told to who sees the whole tenant.
        within: LiteralString = (
            "" if connection.scope == Scope(tenant=connection.scope.tenant) else " AND subject = ANY(:subjects)"
        )
        subjects = {"subjects": list(known)} if within else {}
        read, found = connection.dialect.reader(_ROW), list[AuditRow]()
        while True:
            further: LiteralString = within + "".join(_ASKED[name] for name in asked)
            rows = connection.rows(
                _LISTED + further + " ORDER BY sequence DESC LIMIT :limit",
                {**asked, **subjects, "limit": _LISTED_AT_ONCE},
            )
            for row in rows:
                told = _row(read(row), known)
                if filter.passes(told):
                    found.append(told)
                if len(found) == limit:
                    return found
            if len(rows) < _LISTED_AT_ONCE:
                return found
            asked["before"] = rows[-1][0]

    def _known(self) -> dict[str, _Known]:
        """The scopes of the tenant that lie within this one, by their pseudonyms."""
        found: dict[str, _Known] = {}
        for tenant, project, agent, user, own, counted in self._connection.rows(_SCOPES):
            scope = Scope(tenant=tenant, project=project, agent=agent, user=user)
            if self._connection.scope.holds(scope):
                key = subject_key(self._secret, bytes(own))
                found[subject_of(key, scope)] = _Known(scope, key, counted)
        return found

    async def tip(self) -> tuple[int, str, int]:
        """Number and hash of the tenant's last entry, and how many there are; 0, the first hash and 0 where none is."""

        def tip() -> tuple[int, str, int]:
            row = self._connection.row(
                "SELECT sequence, hash FROM audit WHERE tenant = :tenant ORDER BY sequence DESC LIMIT 1"
            )
            count = self._connection.value("SELECT COUNT(*) FROM audit WHERE tenant = :tenant")
            return (row[0], row[1], count) if row else (0, FIRST, 0)

        return await self._connection.in_thread(tip)

    async def up_to(self, sequence: int) -> tuple[str | None, int]:
        """The hash of the tenant's entry of a number, `None` where it is gone, and how many there are up to it."""

        def up_to() -> tuple[str | None, int]:
            values = {"sequence": sequence}
            own = self._connection.value(
                "SELECT hash FROM audit WHERE tenant = :tenant AND sequence = :sequence", values
            )
            count = self._connection.value(
                "SELECT COUNT(*) FROM audit WHERE tenant = :tenant AND sequence <= :sequence", values
            )
            return own, count

        return await self._connection.in_thread(up_to)

    def _subject_key(self, scope: int) -> bytes | None:
        """The key of an exact scope's fingerprints; `None` where nothing was ever written to it."""
        own: bytes | None = self._connection.value("SELECT audit_key FROM scopes WHERE id = :id", {"id": scope})
        return None if own is None else subject_key(self._secret, own)


def _row(row: Sequence[Any], known: Mapping[str, _Known]) -> AuditRow:
    """An entry as it is told, with the names that its scope's key opens."""
    sequence, at, door, action, kind, subject, count, kept = row
    scope, key, _ = known.get(subject, (None, b"", 0))
    told = (unsealed(bytes(kept), key=key) if scope and kept is not None else None) or {}
    return AuditRow(
        sequence=sequence,
        at=at,
        door=door,
        action=action,
        kind=kind,
        count=count,
        subject=subject,
        scope=scope,
        actor=told.get("actor", ""),
        record=told.get("record"),
        records=tuple(told.get("records", ())),
        reason=told.get("reason", ""),
    )
