"""What is kept only as long as a key is: names and reasons of the audit log, encrypted under the key of their scope.

AES-256-GCM with a random nonce of 12 bytes before each text; the key is derived from the one that also signs the
pseudonyms, which erasure destroys.
"""

import hmac
import json
import os
from collections.abc import Mapping
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_NONCE_BYTES = 12


def sealed(told: Mapping[str, object], *, key: bytes) -> bytes:
    """What is told, so that only who has the key can read it."""
    nonce = os.urandom(_NONCE_BYTES)
    text = json.dumps(told, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()
    return nonce + _cipher(key).encrypt(nonce, text, None)


def unsealed(text: bytes, *, key: bytes) -> Mapping[str, Any] | None:
    """What was told; `None` where the key is another, or the text was changed."""
    try:
        return json.loads(_cipher(key).decrypt(text[:_NONCE_BYTES], text[_NONCE_BYTES:], None))
    except (InvalidTag, ValueError):
        return None


def _cipher(key: bytes) -> AESGCM:
    return AESGCM(hmac.digest(key, b"seal", "sha256"))
