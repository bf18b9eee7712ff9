"""The audit log: one chain of entries for each tenant, names encrypted under the key of their scope.

Of names the tenant's alone is stored in clear: it isolates rows, and the database enforces that. Subjects and records
are stored as keyed fingerprints. Actors, records and reasons are encrypted with AES-256-GCM and a random nonce; the
key is derived from the one that signs the fingerprints, which erasure destroys.
"""

import hashlib
import hmac
import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, LiteralString, NamedTuple

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from remembrancer.errors import StoreError
from remembrancer.storage.scoped_connection import ScopedConnection
from remembrancer.storage.tables import columns, names
from remembrancer.storage.values import to_micros
from remembrancer.types.access import Caller
from remembrancer.types.audit import AuditEntry, AuditFilter, AuditRow
from remembrancer.types.scope import Scope

FIRST = "0" * 64


def subject_key(secret: bytes, own: bytes) -> bytes:
    """Return the key of a scope's fingerprints, derived from two keys.

    Destroying either of them leaves rows that identify no person.

    Args:
        secret: the store's key.
        own: the scope's.
    """
    return hmac.digest(secret, own, "sha256")


def subject_of(key: bytes, scope: Scope) -> str:
    """Return the fingerprint of a scope."""
    return _fingerprint(key, f"scope {scope}")


def chained(entries: Sequence[AuditEntry], *, caller: Caller, key: bytes, previous: str) -> list[dict[str, object]]:
    """Return rows of the log by column; times are microseconds.

    Args:
        caller: the actor.
        key: the scope's `subject_key`.
        previous: the hash of the tenant's last row, or `FIRST`.
    """
    rows: list[dict[str, object]] = []
    for entry in entries:
        row: dict[str, object] = {
            "tenant": caller.scope.tenant,
            "at": to_micros(entry.at),
            "origin": caller.origin,
            "actor": _fingerprint(key, f"actor {caller.actor}") if caller.actor else "",
            "action": entry.action,
            "kind": entry.kind,
            "subject": subject_of(key, caller.scope),
            "record": entry.record and _fingerprint(key, f"record {entry.record}"),
            "count": entry.count,
            "previous": previous,
        }
        kept = seal(_secret_fields(entry, caller), key=key)
        previous = hashlib.sha256(_canonical([*row.values(), kept.hex()])).hexdigest()
        rows.append({**row, "hash": previous, "sealed": kept})
    return rows


def _secret_fields(entry: AuditEntry, caller: Caller) -> dict[str, object]:
    """Return the fields of an entry that are encrypted."""
    fields = {"actor": caller.actor, "record": entry.record, "records": list(entry.records), "reason": entry.reason}
    return {name: value for name, value in fields.items() if value}


def follows(row: Sequence[Any], *, previous: str) -> bool:
    """Return True if a row of the log is unchanged and follows the row before it.

    Args:
        row: the values of its columns in the order of `chained`; the encrypted part is `None` in rows from before
            there was one.
        previous: the hash of the row before it, or `FIRST`.
    """
    *fields, own, encrypted = row
    if fields[-1] != previous:
        return False
    signed = fields if encrypted is None else [*fields, bytes(encrypted).hex()]
    return own == hashlib.sha256(_canonical(signed)).hexdigest()


def _canonical(row: list[Any]) -> bytes:
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode()


def _fingerprint(key: bytes, name: str) -> str:
    return hmac.new(key, name.encode(), "sha256").hexdigest()


_NONCE_BYTES = 12


def seal(fields: Mapping[str, object], *, key: bytes) -> bytes:
    """Encrypt fields, so that only the key opens them."""
    nonce = os.urandom(_NONCE_BYTES)
    text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()
    return nonce + _cipher(key).encrypt(nonce, text, None)


def unseal(text: bytes, *, key: bytes) -> Mapping[str, Any] | None:
    """Decrypt fields; return `None` if the key is another, or the text was changed."""
    try:
        return json.loads(_cipher(key).decrypt(text[:_NONCE_BYTES], text[_NONCE_BYTES:], None))
    except (InvalidTag, ValueError):
        return None


def _cipher(key: bytes) -> AESGCM:
    return AESGCM(hmac.digest(key, b"seal", "sha256"))


_PAGE = 10_000
_LISTED_AT_ONCE = 1_000
_SCOPES: LiteralString = """
    SELECT scopes.tenant, scopes.project, scopes.agent, scopes."user", scopes.audit_key, COALESCE(counters.count, 0)
    FROM scopes LEFT JOIN counters ON counters.scope = scopes.id AND counters.name = 'audit'
    WHERE scopes.tenant = :tenant
"""
_FURTHER: LiteralString = """
    SELECT sequence, tenant, at, origin, actor, action, kind, subject, record, count, previous, hash, sealed FROM audit
    WHERE tenant = :tenant AND sequence > :after ORDER BY sequence LIMIT :limit
"""
_ROW = columns("sequence at:moment origin action kind subject count sealed")
_LISTED: LiteralString = "SELECT " + names(_ROW) + " FROM audit WHERE tenant = :tenant"
_ASKED: Mapping[str, LiteralString] = {
    "since": " AND at >= :since",
    "until": " AND at <= :until",
    "action": " AND action = :action",
    "kind": " AND kind = :kind",
    "origin": " AND origin = :origin",
    "before": " AND sequence < :before",
    "without_reads": " AND (action <> 'read') = :without_reads",
}


class _Known(NamedTuple):
    """A scope, the key of its names, and the number of entries that it was counted to have."""

    scope: Scope
    key: bytes
    counted: int


class SqlAudit:
    """The log of who did what; append-only and chained by hash."""

    def __init__(self, connection: ScopedConnection, secret: bytes) -> None:
        self._connection = connection
        self._secret = secret

    async def add(self, entries: Sequence[AuditEntry]) -> None:
        """Append entries in order, with the caller's actor and origin."""
        await self._connection.in_thread(lambda: self._add(entries))

    def _add(self, entries: Sequence[AuditEntry]) -> None:
        connection = self._connection
        key = self._subject_key(connection.writable())
        if key is None:
            raise StoreError("the scope was erased meanwhile; nothing of this was written, try again")
        # Until this transaction ends no other appends to the tenant's chain.
        connection.lock_chain()
        last: str | None = connection.value(
            "SELECT hash FROM audit WHERE tenant = :tenant ORDER BY sequence DESC LIMIT 1"
        )
        rows = chained(entries, caller=connection.caller, key=key, previous=last or FIRST)
        connection.run_many(
            """
            INSERT INTO audit
                (tenant, at, origin, actor, action, kind, subject, record, count, previous, hash, sealed)
            VALUES
                (:tenant, :at, :origin, :actor, :action, :kind, :subject, :record, :count, :previous, :hash, :sealed)
            """,
            [{**row, "at": entry.at} for row, entry in zip(rows, entries, strict=True)],
        )
        # The chain shows that entries are missing from its middle; the count also that they are missing from its end.
        counted = self._counted()
        more = {"more": len(entries), "count": self._count() if counted is None else counted + len(entries)}
        connection.run(
            "INSERT INTO counters (scope, tenant, name, count) VALUES (:scope, :tenant, 'audit', :count)"
            " ON CONFLICT (scope, name) DO UPDATE SET count = counters.count + :more",
            more,
        )

    async def count(self) -> int:
        """Return the number of entries of the exact scope."""
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

    async def missing_entries(self) -> int:
        """Return the number of entries of the exact scope that were counted and no longer exist."""
        return await self._connection.in_thread(lambda: max(0, (self._counted() or 0) - self._count()))

    async def missing_entries_below(self) -> int:
        """Return the number of missing entries of the exact scope and of those under it."""
        return await self._connection.in_thread(self._lost_beneath)

    def _lost_beneath(self) -> int:
        counts = dict(
            self._connection.rows("SELECT subject, COUNT(*) FROM audit WHERE tenant = :tenant GROUP BY subject")
        )
        return sum(max(0, one.counted - counts.get(subject, 0)) for subject, one in self._known().items())

    def _counted(self) -> int | None:
        """Return the number of entries that were written; `None` if it was not counted yet."""
        return self._connection.value("SELECT count FROM counters WHERE scope = :scope AND name = 'audit'")

    async def broken_entries(self) -> list[int]:
        """Return the numbers of the tenant's entries that do not follow from the one before."""
        return await self._connection.in_thread(self._broken)

    def _broken(self) -> list[int]:
        connection, found, previous, after = self._connection, list[int](), FIRST, -1
        while rows := connection.rows(_FURTHER, {"after": after, "limit": _PAGE}):
            for after, tenant, at, *fields in rows:
                if not follows([tenant, to_micros(connection.dialect.moment(at)), *fields], previous=previous):
                    found.append(after)
                previous = fields[-2]
        return found

    async def entries(self, filter: AuditFilter, *, limit: int) -> list[AuditRow]:
        """Return entries of the exact scope and of those under it, the latest first."""
        return await self._connection.in_thread(lambda: self._entries(filter, limit))

    def _entries(self, filter: AuditFilter, limit: int) -> list[AuditRow]:
        connection = self._connection
        known = self._known()
        asked = {name: value for name in _ASKED if (value := getattr(filter, name)) not in (None, False)}
        # Entries of erased scopes are listed for a caller who sees the whole tenant.
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
                entry = _row(read(row), known)
                if filter.passes(entry):
                    found.append(entry)
                if len(found) == limit:
                    return found
            if len(rows) < _LISTED_AT_ONCE:
                return found
            asked["before"] = rows[-1][0]

    def _known(self) -> dict[str, _Known]:
        """Return the scopes of the tenant within this one, by their fingerprints."""
        found: dict[str, _Known] = {}
        for tenant, project, agent, user, own, counted in self._connection.rows(_SCOPES):
            scope = Scope(tenant=tenant, project=project, agent=agent, user=user)
            if self._connection.scope.contains(scope):
                key = subject_key(self._secret, bytes(own))
                found[subject_of(key, scope)] = _Known(scope, key, counted)
        return found

    async def tip(self) -> tuple[int, str, int]:
        """Return number and hash of the tenant's last entry, and the count of all.

        They are 0, `FIRST` and 0 if there is none.
        """

        def tip() -> tuple[int, str, int]:
            row = self._connection.row(
                "SELECT sequence, hash FROM audit WHERE tenant = :tenant ORDER BY sequence DESC LIMIT 1"
            )
            count = self._connection.value("SELECT COUNT(*) FROM audit WHERE tenant = :tenant")
            return (row[0], row[1], count) if row else (0, FIRST, 0)

        return await self._connection.in_thread(tip)

    async def up_to(self, sequence: int) -> tuple[str | None, int]:
        """Return the hash of the tenant's entry of a number, and the count of entries up to it.

        The hash is `None` if the entry is missing.
        """

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
        """Return the key of an exact scope's fingerprints; `None` if nothing was ever written to the scope."""
        own: bytes | None = self._connection.value("SELECT audit_key FROM scopes WHERE id = :id", {"id": scope})
        return None if own is None else subject_key(self._secret, own)


def _row(row: Sequence[Any], known: Mapping[str, _Known]) -> AuditRow:
    """Return an entry, with the names that its scope's key decrypts."""
    sequence, at, origin, action, kind, subject, count, encrypted = row
    scope, key, _ = known.get(subject, (None, b"", 0))
    fields = (unseal(bytes(encrypted), key=key) if scope and encrypted is not None else None) or {}
    return AuditRow(
        sequence=sequence,
        at=at,
        origin=origin,
        action=action,
        kind=kind,
        count=count,
        subject=subject,
        scope=scope,
        actor=fields.get("actor", ""),
        record=fields.get("record"),
        records=tuple(fields.get("records", ())),
        reason=fields.get("reason", ""),
    )
