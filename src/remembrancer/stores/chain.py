"""The audit log's rows, alike in every store: each chained to the one before it; of names the tenant's alone in clear.

Subjects and records stand there as keyed fingerprints. The tenant is the wall that a row stands behind, and what a
database that knows tenants goes by to keep it there.
"""

import hashlib
import hmac
import json
from collections.abc import Sequence

from remembrancer.model.audit import AuditEntry
from remembrancer.model.caller import Caller
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


def chained(entries: Sequence[AuditEntry], *, caller: Caller, key: bytes, previous: str) -> list[dict[str, object]]:
    """Rows of the log by column; times are microseconds.

    Args:
        caller: who did it.
        key: the scope's `subject_key`.
        previous: the hash of the tenant's last row, or `FIRST`.
    """
    rows: list[dict[str, object]] = []
    for entry in entries:
        row: dict[str, object] = {
            "tenant": caller.scope.tenant,
            "at": to_micros(entry.at),
            "door": caller.door,
            "actor": _fingerprint(key, f"actor {caller.actor}") if caller.actor else "",
            "action": entry.action,
            "kind": entry.kind,
            "subject": subject_of(key, caller.scope),
            "record": entry.record and _fingerprint(key, f"record {entry.record}"),
            "count": entry.count,
            "previous": previous,
        }
        previous = hashlib.sha256(_canonical([*row.values()])).hexdigest()
        rows.append({**row, "hash": previous})
    return rows


def follows(row: Sequence[object], *, previous: str) -> bool:
    """Whether a row of the log is as it was written, and behind the one that it was written behind.

    Args:
        row: the values of its columns as `chained` has them, in that order.
        previous: the hash of the row before it, or `FIRST`.
    """
    *told, own = row
    return told[-1] == previous and own == hashlib.sha256(_canonical(told)).hexdigest()


def _canonical(row: list[object]) -> bytes:
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode()


def _fingerprint(key: bytes, name: str) -> str:
    return hmac.new(key, name.encode(), "sha256").hexdigest()
