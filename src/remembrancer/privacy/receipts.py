"""Erasing all that is of somebody: what that takes, doing it step by step, looking for what is left, and the receipt.

What was begun is kept in the tenant's own scope until it is done: killed at any step, it goes on there.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, replace
from datetime import datetime
from difflib import get_close_matches
from typing import cast

from remembrancer.errors import InvalidInput
from remembrancer.transactions.echo import Sign
from remembrancer.transactions.signing import is_signed, public_key, signature_of
from remembrancer.types.erasure import Receipt, Subject
from remembrancer.types.policy import Erasure
from remembrancer.types.scope import Scope

_KEY = re.compile(r"[0-9a-f]{64}")
_SIGNED = "erasure receipt 1"
_LETTERS_APART = 3
_MOST_COMPARED = 5_000


def targets_of(subject: Subject, name: str, known: Sequence[Scope], *, within: Scope) -> list[Scope]:
    """The exact scopes that an erasure empties, the narrowest first.

    Args:
        known: every scope that holds anything.
        within: the caller's: what lies elsewhere is none of its business.
    """
    found = [scope for scope in known if within.holds(scope) and getattr(scope, subject.value) == name]
    return sorted(found, key=lambda scope: (-_narrowness(scope), str(scope)))


def near(subject: Subject, name: str, known: Sequence[Scope]) -> list[str]:
    """Names of the same kind that differ in few letters, the nearest first: one of them may have been meant."""
    told = {value.casefold(): value for scope in known if (value := getattr(scope, subject.value))}
    # Of very many only those that are about as long.
    names = [one for one in told if abs(len(one) - len(name)) <= _LETTERS_APART][:_MOST_COMPARED]
    return [told[found] for found in get_close_matches(name.casefold(), names)]


def fingerprint(subject: Subject, name: str, *, within: Scope, sign: Sign) -> str:
    """Whose memory an erasure takes, as nobody can read it who has not the store's key."""
    return sign(f"erasure of {subject} {name} in {within}")


def place_of(scope: Scope, *, sign: Sign) -> str:
    """In which scope an erasure was asked for, as nobody can read it who has not the store's key."""
    return sign(f"erasure asked for in {scope}")


def asked_within(done: Sequence[Erasure], scope: Scope, known: Sequence[Scope], *, sign: Sign) -> list[Erasure]:
    """Those of a tenant's erasures that were asked for in a scope, or in one under it."""
    if scope == Scope(tenant=scope.tenant):
        return list(done)
    places = {place_of(one, sign=sign) for one in (scope, *known) if scope.holds(one)}
    return [one for one in done if one.asked in places]


def signed(receipt: Receipt, *, sign: Sign) -> Receipt:
    """A receipt with its hash and its signature."""
    with_key = replace(receipt, key=public_key(sign))
    with_hash = replace(with_key, hash=_hash(with_key))
    return replace(with_hash, signature=signature_of(_said(with_hash), sign=sign))


def check_receipt(told: object, *, key: str | None = None) -> str:
    """What is wrong with a receipt, as it was handed out; `""` for nothing. It takes no store.

    Args:
        told: what was printed, read from its JSON.
        key: the public key of the store that it is said to be of; without one it is only told that whoever holds the
            key that is in it has signed it.
    """
    needed = {field.name for field in fields(Receipt)}
    if not isinstance(told, Mapping):
        return "it is no receipt of an erasure"
    told = cast("Mapping[str, object]", told)
    if set(told) != needed:
        odd = sorted(needed ^ set(told))
        return (
            f"it is no receipt of an erasure: {', '.join(odd)} {'is' if len(odd) == 1 else 'are'} missing or too much"
        )
    said = {name: value for name, value in told.items() if name not in ("hash", "signature")}
    if _hash_of(said) != told["hash"]:
        return "it was changed since it was signed: its hash is another"
    if key is not None and not _KEY.fullmatch(key):
        return "the key is none: a store's public key is 64 hexadecimal digits, and stands in each of its receipts"
    if key is not None and key != told["key"]:
        return f"it was signed by another key, {told['key']}"
    if not is_signed({"what": _SIGNED, "hash": told["hash"]}, signature=str(told["signature"]), key=str(told["key"])):
        return "it was not signed by the key that it names"
    return ""


def as_json(receipt: Receipt) -> dict[str, object]:
    """A receipt as it is handed out."""
    return {
        **asdict(receipt),
        "subject": receipt.subject.value,
        "beyond": list(receipt.beyond),
        "rows": dict(sorted(receipt.rows.items())),
        "started_at": receipt.started_at.isoformat(),
        "finished_at": receipt.finished_at.isoformat(),
    }


def from_json(told: Mapping[str, object]) -> Receipt:
    """The receipt that was handed out so.

    Raises:
        InvalidInput: it is none.
    """
    try:
        values = dict(told)
        values["subject"] = Subject(str(values["subject"]))
        for name in ("started_at", "finished_at"):
            values[name] = datetime.fromisoformat(str(values[name]))
        values["beyond"] = tuple(cast("Sequence[str]", values["beyond"]))
        return Receipt(**values)  # pyright: ignore[reportArgumentType] -- read back from what `as_json` has made
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidInput("this is no receipt of an erasure") from error


def added(counts: Mapping[str, int], more: Mapping[str, int]) -> dict[str, int]:
    """Two counts by table together."""
    return {name: counts.get(name, 0) + more.get(name, 0) for name in sorted({*counts, *more})}


def receipt_of(erasure: Erasure, *, looked: int, found: int, at: datetime, sign: Sign) -> Receipt:
    """The receipt of an erasure that is done."""
    made = Receipt(
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
    )
    return signed(made, sign=sign)


def _narrowness(scope: Scope) -> int:
    return sum(part is not None for part in (scope.project, scope.agent, scope.user))


def _hash(receipt: Receipt) -> str:
    told = as_json(receipt)
    return _hash_of({name: value for name, value in told.items() if name not in ("hash", "signature")})


def _hash_of(said: Mapping[str, object]) -> str:
    return hashlib.sha256(
        json.dumps(said, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()
    ).hexdigest()


def _said(receipt: Receipt) -> dict[str, object]:
    return {"what": _SIGNED, "hash": receipt.hash}
