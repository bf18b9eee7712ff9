"""The store's own key: a parameter, or a file next to the store that only its owner reads, outside every export.

A store signs by the key that it was created with. Once another key opens it, the store contains its own key encrypted
under that one: the opening key may change, and signatures stay valid.
"""

import hashlib
import hmac
import os
import re
import secrets
from contextlib import suppress
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from remembrancer.errors import InvalidInput, RemembrancerError, StoreError, StoreUnavailable
from remembrancer.storage.values import DAMAGED

_SHORTEST = 16
_KEY = re.compile("[0-9a-f]{64}")
_NONCE_BYTES = 12
_SEALED_FOR = b"the own key of a store"


def load_secret(secret: str | None, path: Path | None, *, make: bool = True) -> bytes:
    """Return the key from the parameter, or from the file, which is created (mode 0600) if it is missing.

    Args:
        secret: any text; one of 64 hexadecimal digits, as in a key file, is the key itself.
        path: `None` for a store in memory, which gets a random key.
        make: `False` for a store that has a key already: another one would not open it.

    Raises:
        InvalidInput: the parameter is shorter than 16 characters.
        StoreUnavailable: the file cannot be read or created.
        StoreError: the file does not contain a key, or is missing and must not be created.
    """
    if secret is not None:
        if len(secret) < _SHORTEST:
            raise InvalidInput(f"the secret key has {len(secret)} characters; use {_SHORTEST} or more")
        if _KEY.fullmatch(secret):
            return bytes.fromhex(secret)
        return hashlib.sha256(secret.encode()).digest()
    if path is None:
        return secrets.token_bytes(32)
    if not make and not path.exists():
        raise StoreError(
            f"the key file {str(path)!r} is missing; restore it, or set REMEMBRANCER_SECRET_KEY to the key that this"
            " store was made with"
        )
    try:
        return _read(path) or _make(path, secrets.token_bytes(32))
    except OSError as error:
        raise StoreUnavailable(f"the key file {str(path)!r} cannot be read or made: {error.strerror}") from error


def keep_secret(key: bytes, path: Path) -> None:
    """Write a key to a file (mode 0600), unless it is there.

    Raises:
        StoreUnavailable: the file cannot be read or created.
        StoreError: it contains another key.
    """
    try:
        kept = _read(path) or _make(path, key)
    except OSError as error:
        raise StoreUnavailable(f"the key file {str(path)!r} cannot be read or made: {error.strerror}") from error
    if kept != key:
        raise StoreError(f"the key file {str(path)!r} is another store's; move it away")


def fingerprint(secret: bytes, text: str) -> str:
    """Return a keyed SHA-256 of a text, hex."""
    return hmac.digest(secret, text.encode(), "sha256").hex()


def of_key(secret: bytes) -> str:
    """Return the fingerprint of a key itself, by which a store recognises it."""
    return fingerprint(secret, "the key of a store")


def known_by(opening: bytes, own: bytes) -> str:
    """Return the record of a store's keys: the opening key's fingerprint, with its own key encrypted under that."""
    if opening == own:
        return of_key(own)
    nonce = secrets.token_bytes(_NONCE_BYTES)
    sealed = nonce + AESGCM(_sealing(opening)).encrypt(nonce, own, _SEALED_FOR)
    return f"{of_key(opening)} {sealed.hex()}"


def own_key(opening: bytes, known: str) -> bytes | None:
    """Return the own key of a store that a key opens; `None` if another key opens it.

    Args:
        known: see `known_by`; damaged characters of a fingerprint are not compared, while most of it is legible.

    Raises:
        StoreError: the key is right, and the encrypted one is damaged.
    """
    print_, _, sealed = known.partition(" ")
    expected = of_key(opening)
    legible = [(one, other) for one, other in zip(print_, expected, strict=False) if one != DAMAGED]
    if len(print_) != len(expected) or len(legible) <= len(expected) // 2:
        return None
    if any(one != other for one, other in legible):
        return None
    if not sealed:
        return opening
    try:
        encrypted = bytes.fromhex(sealed)
        return AESGCM(_sealing(opening)).decrypt(encrypted[:_NONCE_BYTES], encrypted[_NONCE_BYTES:], _SEALED_FOR)
    except (InvalidTag, ValueError):
        raise StoreError("the store's own key is damaged; restore a backup") from None


def stage_secret(key: bytes, path: Path) -> None:
    """Write a key next to that of a file (mode 0600), for `adopt_secret`.

    Raises:
        StoreUnavailable: the file cannot be created.
    """
    staged = _staged(path)
    try:
        staged.unlink(missing_ok=True)
        _make(staged, key)
    except OSError as error:
        raise StoreUnavailable(f"the key file {str(staged)!r} cannot be made: {error.strerror}") from error


def staged_secret(path: Path) -> bytes | None:
    """Return the key that is to replace that of a file, if a process was killed before it did."""
    try:
        return _read(_staged(path))
    except (OSError, StoreError):
        return None


def adopt_secret(path: Path) -> None:
    """Replace a key by the staged one; another process may have done that."""
    with suppress(FileNotFoundError):
        _staged(path).replace(path)


def foreign_key(secret: str | None, path: Path | None) -> RemembrancerError:
    """Return the error for a key that is not the store's own."""
    if secret is None:
        return StoreError(f"the key file {str(path)!r} is another store's; restore the one of this store")
    file = f", or none if {str(path)!r} holds it" if path and path.exists() else ""
    return InvalidInput(f"the secret key is not the one that this store was made with; use that one{file}")


def _sealing(opening: bytes) -> bytes:
    return bytes.fromhex(fingerprint(opening, "the key that seals the own key of a store"))


def _staged(path: Path) -> Path:
    return path.with_name(f"{path.name}.next")


def _read(path: Path) -> bytes | None:
    text = path.read_text(errors="replace").strip() if path.exists() else None
    if text is not None and not _KEY.fullmatch(text):
        raise StoreError(f"the key file {str(path)!r} is damaged; restore it from a backup")
    return bytes.fromhex(text) if text else None


def _make(path: Path, key: bytes) -> bytes:
    """Write the file whole under another name first: of two processes that start at once, both get the same key."""
    # Not named by process: a killed one of the same number, as in containers, may have left its draft.
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}.new")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(key.hex())
    try:
        os.link(draft, path)
    except FileExistsError:
        return bytes.fromhex(path.read_text())
    finally:
        draft.unlink()
    return key
