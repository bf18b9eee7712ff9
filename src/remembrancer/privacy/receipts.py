"""Receipts of erasures: signed statements of what was removed, which can be verified without the store."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, replace
from datetime import datetime
from typing import cast

from remembrancer.errors import InvalidInput
from remembrancer.transactions.sealed_blocks import Sign
from remembrancer.transactions.signing import is_signed, public_key, sign_document
from remembrancer.types.erasure import Receipt, Subject
from remembrancer.types.policy import Erasure
from remembrancer.types.scope import Scope

_KEY = re.compile(r"[0-9a-f]{64}")
_SIGNED = "erasure receipt 1"


def fingerprint(subject: Subject, name: str, *, within: Scope, sign: Sign) -> str:
    """Return a keyed hash of the subject of an erasure, so that a receipt contains no names."""
    return sign(f"erasure of {subject} {name} in {within}")


def scope_fingerprint(scope: Scope, *, sign: Sign) -> str:
    """Return a keyed hash of the scope in which an erasure was requested."""
    return sign(f"erasure asked for in {scope}")


def requested_within(
    erasures: Sequence[Erasure], scope: Scope, scopes: Sequence[Scope], *, sign: Sign
) -> list[Erasure]:
    """Return those of a tenant's erasures that were requested in a scope, or in one of `scopes` within it."""
    if scope == Scope(tenant=scope.tenant):
        return list(erasures)
    prints = {scope_fingerprint(one, sign=sign) for one in (scope, *scopes) if scope.contains(one)}
    return [one for one in erasures if one.asked in prints]


def check_receipt(receipt: object, *, key: str | None = None) -> str:
    """Return the fault of a receipt, `""` if it is valid; no store is needed.

    Args:
        receipt: as parsed JSON.
        key: the public key of the store that has issued it. Without it, the receipt is only known to be signed by the
            owner of the key in it.
    """
    names = {field.name for field in fields(Receipt)}
    if not isinstance(receipt, Mapping):
        return "not a receipt of an erasure"
    values = cast("Mapping[str, object]", receipt)
    if set(values) != names:
        missing, unknown = sorted(names - set(values)), sorted(set(values) - names)
        parts = [f"{label}: {', '.join(some)}" for label, some in (("missing", missing), ("unknown", unknown)) if some]
        return f"not a receipt of an erasure ({'; '.join(parts)})"
    if _hash_of(_content(values)) != values["hash"]:
        return "it was changed after it was signed: its hash differs"
    if key is not None and not _KEY.fullmatch(key):
        return "invalid key: the public key of a store has 64 hexadecimal digits, and is in each of its receipts"
    if key is not None and key != values["key"]:
        return f"it was signed by another key, {values['key']}"
    signed = {"what": _SIGNED, "hash": values["hash"]}
    if not is_signed(signed, signature=str(values["signature"]), key=str(values["key"])):
        return "it was not signed by its key"
    return ""


def as_json(receipt: Receipt) -> dict[str, object]:
    """Return a receipt as JSON values."""
    return {
        **asdict(receipt),
        "subject": receipt.subject.value,
        "beyond": list(receipt.beyond),
        "rows": dict(sorted(receipt.rows.items())),
        "started_at": receipt.started_at.isoformat(),
        "finished_at": receipt.finished_at.isoformat(),
    }


def from_json(json_values: Mapping[str, object]) -> Receipt:
    """Return the receipt of JSON values.

    Raises:
        InvalidInput: a value is missing or invalid.
    """
    try:
        values = dict(json_values)
        values["subject"] = Subject(str(values["subject"]))
        for name in ("started_at", "finished_at"):
            values[name] = datetime.fromisoformat(str(values[name]))
        values["beyond"] = tuple(cast("Sequence[str]", values["beyond"]))
        return Receipt(**values)  # pyright: ignore[reportArgumentType] -- read back from what `as_json` has made
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidInput("not a receipt of an erasure") from error


def receipt_of(
    erasure: Erasure, *, looked: int, found: int, beyond: Sequence[str], at: datetime, sign: Sign
) -> Receipt:
    """Return the signed receipt of a finished erasure."""
    unsigned = Receipt(
        id=erasure.number,
        subject=Subject(erasure.subject),
        name=erasure.name,
        store=sign("store")[:16],
        rows=erasure.rows,
        scopes=erasure.scopes,
        looked=looked,
        found=found,
        started_at=erasure.set_at,
        finished_at=at,
        beyond=beyond,
        key=public_key(sign),
    )
    receipt = replace(unsigned, hash=_hash_of(_content(as_json(unsigned))))
    return replace(receipt, signature=sign_document({"what": _SIGNED, "hash": receipt.hash}, sign=sign))


def _content(values: Mapping[str, object]) -> dict[str, object]:
    """Return the values of a receipt that its hash covers."""
    return {name: value for name, value in values.items() if name not in ("hash", "signature")}


def _hash_of(content: Mapping[str, object]) -> str:
    return hashlib.sha256(
        json.dumps(content, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()
    ).hexdigest()
