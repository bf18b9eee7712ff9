"""The audit log's rows, alike in every store: each chained to the one before it; of names the tenant's alone in clear.

Subjects and records stand there as keyed fingerprints. The tenant is the wall that a row stands behind, and what a
database that knows tenants goes by to keep it there.
"""

import hashlib
import hmac
import json
from collections.abc import Sequence
from typing import Any

from remembrancer.storage.moments import to_micros
from remembrancer.storage.sealing import sealed
from remembrancer.types.audit import AuditEntry
from remembrancer.types.caller import Caller
from remembrancer.types.scope import Scope

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
            "door": caller.origin,
            "actor": _fingerprint(key, f"actor {caller.actor}") if caller.actor else "",
            "action": entry.action,
            "kind": entry.kind,
            "subject": subject_of(key, caller.scope),
            "record": entry.record and _fingerprint(key, f"record {entry.record}"),
            "count": entry.count,
            "previous": previous,
        }
        kept = sealed(_told(entry, caller), key=key)
        previous = hashlib.sha256(_canonical([*row.values(), kept.hex()])).hexdigest()
        rows.append({**row, "hash": previous, "sealed": kept})
    return rows


def _told(entry: AuditEntry, caller: Caller) -> dict[str, object]:
    """What is told of an entry to who has the key of its scope."""
    told = {"actor": caller.actor, "record": entry.record, "records": list(entry.records), "reason": entry.reason}
    return {name: value for name, value in told.items() if value}


def follows(row: Sequence[Any], *, previous: str) -> bool:
    """Whether a row of the log is as it was written, and behind the one that it was written behind.

    Args:
        row: the values of its columns as `chained` has them, in that order; what is sealed is `None` in rows that were
            written before anything was.
        previous: the hash of the row before it, or `FIRST`.
    """
    *told, own, kept = row
    if told[-1] != previous:
        return False
    whole = told if kept is None else [*told, bytes(kept).hex()]
    return own == hashlib.sha256(_canonical(whole)).hexdigest()


def _canonical(row: list[Any]) -> bytes:
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode()


def _fingerprint(key: bytes, name: str) -> str:
    return hmac.new(key, name.encode(), "sha256").hexdigest()
