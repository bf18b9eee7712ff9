"""The store's own key: given, or kept beside the store where only its owner reads it, outside every export.

What a store signs, it signs by the key that it was made with. Once another one opens it, the store holds its own key
sealed under that: whoever opens it may change, and what was signed stands.
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


def load_secret(given: str | None, path: Path | None, *, make: bool = True) -> bytes:
    """The key that was given, else that of the file, which is made (mode 0600) where it is missing.

    Args:
        given: any text; one of 64 hexadecimal digits, as a key file holds it, is the key as it stands.
        path: `None` for a store in memory, which gets a key of its own for as long as it lives.
        make: `False` for a store that has a key already: another one would not do.

    Raises:
        InvalidInput: the given key is shorter than 16 characters.
        StoreUnavailable: the file cannot be read or made.
        StoreError: what the file holds is no key, or it is missing and must not be made.
    """
    if given is not None:
        if len(given) < _SHORTEST:
            raise InvalidInput(f"the secret key has {len(given)} characters; give {_SHORTEST} or more")
        if _KEY.fullmatch(given):
            return bytes.fromhex(given)
        return hashlib.sha256(given.encode()).digest()
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
    """Put a key into a file (mode 0600), where it is not there yet.

    Raises:
        StoreUnavailable: the file cannot be read or made.
        StoreError: it holds another key.
    """
    try:
        kept = _read(path) or _make(path, key)
    except OSError as error:
        raise StoreUnavailable(f"the key file {str(path)!r} cannot be read or made: {error.strerror}") from error
    if kept != key:
        raise StoreError(f"the key file {str(path)!r} is another store's; move it away")


def fingerprint(secret: bytes, text: str) -> str:
    """A keyed SHA-256 of a text, hex."""
    return hmac.digest(secret, text.encode(), "sha256").hex()


def of_key(secret: bytes) -> str:
    """The fingerprint of a key itself, by which a store knows its own."""
    return fingerprint(secret, "the key of a store")


def known_by(opening: bytes, own: bytes) -> str:
    """As what a store knows its keys: the one that opens it by its fingerprint, with its own one sealed under that."""
    if opening == own:
        return of_key(own)
    nonce = secrets.token_bytes(_NONCE_BYTES)
    sealed = nonce + AESGCM(_sealing(opening)).encrypt(nonce, own, _SEALED_FOR)
    return f"{of_key(opening)} {sealed.hex()}"


def own_key(opening: bytes, known: str) -> bytes | None:
    """The own key of a store that a key opens; `None` where another one does.

    Args:
        known: see `known_by`; what of a fingerprint is damaged is not compared, while most of it can be read.

    Raises:
        StoreError: it is the key, and what is sealed under it is damaged.
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
        told = bytes.fromhex(sealed)
        return AESGCM(_sealing(opening)).decrypt(told[:_NONCE_BYTES], told[_NONCE_BYTES:], _SEALED_FOR)
    except (InvalidTag, ValueError):
        raise StoreError("what the store holds of its own key is damaged; restore a backup") from None


def stage_secret(key: bytes, path: Path) -> None:
    """Put a key beside the one of a file (mode 0600), whose place it takes with `adopt_secret`.

    Raises:
        StoreUnavailable: the file cannot be made.
    """
    staged = _staged(path)
    try:
        staged.unlink(missing_ok=True)
        _make(staged, key)
    except OSError as error:
        raise StoreUnavailable(f"the key file {str(staged)!r} cannot be made: {error.strerror}") from error


def staged_secret(path: Path) -> bytes | None:
    """The key that is to take the place of the one of a file: whoever staged it may have been killed before it did."""
    try:
        return _read(_staged(path))
    except (OSError, StoreError):
        return None


def adopt_secret(path: Path) -> None:
    """Let a staged key take its place; another process may have done that."""
    with suppress(FileNotFoundError):
        _staged(path).replace(path)


def foreign_key(given: str | None, path: Path | None) -> RemembrancerError:
    """What is wrong where the key that was given, or that of the file, is not the store's own."""
    if given is None:
        return StoreError(f"the key file {str(path)!r} is another store's; restore the one of this store")
    file = f", or none if {str(path)!r} holds it" if path and path.exists() else ""
    return InvalidInput(f"the secret key is not the one that this store was made with; give that one{file}")


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
    """Write whole under another name first: of two processes that start at once, both end with the same key."""
    # Not named by process: a killed one of the same number, as containers give, may have left its draft.
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
