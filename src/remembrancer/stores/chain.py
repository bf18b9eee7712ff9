"""The audit log's rows, alike in every store: each chained to the one before it; of names the tenant's alone in clear.

Subjects and records stand there as keyed fingerprints. The tenant is the wall that a row stands behind, and what a
database that knows tenants goes by to keep it there.
"""

import hashlib
import hmac
import json
from collections.abc import Sequence

from remembrancer.model.audit import AuditEntry
from remembrancer.model.scope import Scope
from remembrancer.stores.moments import to_micros

FIRST = "0" * 64


def subject_key(secret: bytes, own: bytes) -> bytes:
    """The key of a scope's fingerprints, of two keys: destroying either leaves rows that name nobody.

    Args:
        secret: the store's key.
        own: the scope's.
    """
    return hmac.digest(secret, own, "sha256")


def subject_of(key: bytes, scope: Scope) -> str:
    """How the log names a scope."""
    return _fingerprint(key, f"scope {scope}")


def chained(entries: Sequence[AuditEntry], *, scope: Scope, key: bytes, previous: str) -> list[list[object]]:
    """Rows of tenant, microseconds, door, action, kind, subject, record, count, previous hash, hash.

    Args:
        key: the scope's `subject_key`.
        previous: the hash of the tenant's last row, or `FIRST`.
    """
    rows: list[list[object]] = []
    for entry in entries:
        row: list[object] = [
            scope.tenant,
            to_micros(entry.at),
            entry.door,
            entry.action,
            entry.kind,
            subject_of(key, scope),
            entry.record and _fingerprint(key, f"record {entry.record}"),
            entry.count,
            previous,
        ]
        previous = hashlib.sha256(_canonical(row)).hexdigest()
        rows.append([*row, previous])
    return rows


def _canonical(row: list[object]) -> bytes:
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode()


def _fingerprint(key: bytes, name: str) -> str:
    return hmac.new(key, name.encode(), "sha256").hexdigest()
