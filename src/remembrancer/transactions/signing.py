"""Signatures that hold without the store: Ed25519, by a key that is derived from the store's own.

Who has the public key can check them anywhere; who has the store's key alone can make them (RFC 8032).
"""

import json
from collections.abc import Mapping

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from remembrancer.transactions.sealed_blocks import Sign


def public_key(sign: Sign) -> str:
    """The public key of a store's signatures, 64 hex digits."""
    return _private(sign).public_key().public_bytes_raw().hex()


def signature_of(said: Mapping[str, object], *, sign: Sign) -> str:
    """The signature of what is said, 128 hex digits; the order of the names is of no account."""
    return _private(sign).sign(_canonical(said)).hex()


def is_signed(said: Mapping[str, object], *, signature: str, key: str) -> bool:
    """Whether what is said was signed by the owner of a public key, and was not changed since."""
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(key)).verify(bytes.fromhex(signature), _canonical(said))
    except (InvalidSignature, ValueError):
        return False
    return True


def _private(sign: Sign) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(bytes.fromhex(sign("signing key"))[:32])


def _canonical(said: Mapping[str, object]) -> bytes:
    return json.dumps(said, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()
