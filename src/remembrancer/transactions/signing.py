"""Signatures that are verified without the store.

They are Ed25519 (RFC 8032), with a key derived from the store's own. Anyone with the public key can verify them; only
the store's key can make them.
"""

import json
from collections.abc import Mapping

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from remembrancer.transactions.sealed_blocks import Sign


def public_key(sign: Sign) -> str:
    """Return the public key of a store's signatures, 64 hex digits."""
    return _private_key(sign).public_key().public_bytes_raw().hex()


def sign_document(document: Mapping[str, object], *, sign: Sign) -> str:
    """Return the signature of a document, 128 hex digits.

    The order of its fields does not matter.
    """
    return _private_key(sign).sign(_canonical(document)).hex()


def is_signed(document: Mapping[str, object], *, signature: str, key: str) -> bool:
    """Return True if a document has a valid signature of a key."""
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(key)).verify(bytes.fromhex(signature), _canonical(document))
    except (InvalidSignature, ValueError):
        return False
    return True


def _private_key(sign: Sign) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(bytes.fromhex(sign("signing key"))[:32])


def _canonical(document: Mapping[str, object]) -> bytes:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()
