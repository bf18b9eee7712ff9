"""The bytes of an archive: a head of 32 bytes, then chunks under AES-256-GCM, each in its place, the last one marked.

The key comes from a passphrase by scrypt and lives in memory alone. A chunk's nonce is its number with a last byte that
says whether it is the last (the STREAM construction of Hoang et al., 2015), and all chunks are bound to the head: what
is cut, changed, added or put elsewhere does not open. `docs/reference/archive.md` has the format byte by byte.
"""

import hashlib
import os
import struct
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from remembrancer.errors import InvalidInput

VERSION: Final = 1
CHUNK_BYTES: Final = 65_536
_MAGIC: Final = b"RMBARCHV"
_HEAD: Final = struct.Struct(">8sBBBBI16s")
_SALT_BYTES, _KEY_BYTES, _TAG_BYTES, _COUNTER_BYTES = 16, 32, 16, 11
# 32 MiB and three passes: as dear to guess as 128 MiB and one (OWASP, password storage).
_LOG2_N, _R, _P = 15, 8, 3
# Beyond these a head is not believed: opening it would take more memory than an archive may ask for.
_MOST_LOG2_N, _MOST_R, _MOST_P = 16, 8, 16
_LEAST_CHUNK, _MOST_CHUNK = 1_024, 1_048_576
SHORTEST_PASSPHRASE: Final = 8
_UNOPENED: Final = (
    "the archive does not open: the passphrase is another, or the file was changed or cut; nothing was taken from it"
)

Read = Callable[[int], bytes]
"""The next bytes of a file, so many at most; none at its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """What stands in clear at the beginning of an archive.

    Args:
        log2_n, r, p: how dear the passphrase is to guess, as scrypt takes it (RFC 7914).
        chunk: bytes of text in a chunk, but for the last.
    """

    log2_n: int = _LOG2_N
    r: int = _R
    p: int = _P
    chunk: int = CHUNK_BYTES
    salt: bytes

    @property
    def packed(self) -> bytes:
        """The head as it stands in the file: 32 bytes."""
        return _HEAD.pack(_MAGIC, VERSION, self.log2_n, self.r, self.p, self.chunk, self.salt)


def fresh_head() -> Head:
    """The head of an archive that is made now."""
    return Head(salt=os.urandom(_SALT_BYTES))


def check_passphrase(passphrase: str) -> None:
    """Nothing, where a passphrase may seal an archive.

    Raises:
        InvalidInput: it is too short.
    """
    if len(passphrase) < SHORTEST_PASSPHRASE:
        raise InvalidInput(f"the passphrase must have {SHORTEST_PASSPHRASE} characters at least; it is all there is")


class Sealing:
    """A text that is sealed as it comes.

    Raises:
        InvalidInput: the passphrase is too short.
    """

    def __init__(self, head: Head, passphrase: str) -> None:
        check_passphrase(passphrase)
        self._head = head
        self._cipher = AESGCM(_key(head, passphrase))
        self._waiting = bytearray()
        self._number = 0

    def add(self, piece: bytes) -> Generator[bytes]:
        """Some more text; the chunks that are full by it."""
        self._waiting += piece
        # The last chunk is marked, so one is kept until it is known that more comes.
        while len(self._waiting) > self._head.chunk:
            yield self._chunk(bytes(self._waiting[: self._head.chunk]), is_last=False)
            del self._waiting[: self._head.chunk]

    def end(self) -> bytes:
        """The last chunk."""
        return self._chunk(bytes(self._waiting), is_last=True)

    def _chunk(self, text: bytes, *, is_last: bool) -> bytes:
        self._number += 1
        return self._cipher.encrypt(_nonce(self._number - 1, is_last=is_last), text, self._head.packed)


def opened(read: Read, passphrase: str) -> Generator[bytes]:
    """The text of an archive, chunk by chunk; what was given of it is true only once its end has come.

    Raises:
        InvalidInput: it is no archive, one of a later version, or it does not open.
    """
    head = head_of(read(_HEAD.size))
    cipher = AESGCM(_key(head, passphrase))
    size = head.chunk + _TAG_BYTES
    chunk, number = _whole(read, size), 0
    while True:
        following = _whole(read, size) if len(chunk) == size else b""
        try:
            text = cipher.decrypt(_nonce(number, is_last=not following), chunk, head.packed)
        except InvalidTag:
            raise InvalidInput(_UNOPENED) from None
        yield text
        if not following:
            return
        chunk, number = following, number + 1


def head_of(data: bytes) -> Head:
    """The head of an archive.

    Raises:
        InvalidInput: it is none, or one that is not believed.
    """
    if data[: len(_MAGIC)] != _MAGIC:
        raise InvalidInput("this is no archive of memories: it begins otherwise")
    if len(data) < _HEAD.size:
        raise InvalidInput("the archive is cut within its head; nothing was taken from it")
    _, version, log2_n, r, p, chunk, salt = _HEAD.unpack(data)
    if version != VERSION:
        raise InvalidInput(f"the archive is of version {version}, and this release reads version {VERSION}; update it")
    if (
        not (1 <= log2_n <= _MOST_LOG2_N and 1 <= r <= _MOST_R and 1 <= p <= _MOST_P)
        or not _LEAST_CHUNK <= chunk <= _MOST_CHUNK
    ):
        raise InvalidInput("the head of the archive asks for more than any archive needs; the file was changed")
    return Head(log2_n=log2_n, r=r, p=p, chunk=chunk, salt=salt)


def _key(head: Head, passphrase: str) -> bytes:
    return hashlib.scrypt(
        passphrase.encode(),
        salt=head.salt,
        n=1 << head.log2_n,
        r=head.r,
        p=head.p,
        # OpenSSL wants to be allowed what it takes, and a little more.
        maxmem=2 * 128 * head.r * (1 << head.log2_n),
        dklen=_KEY_BYTES,
    )


def _nonce(number: int, *, is_last: bool) -> bytes:
    return number.to_bytes(_COUNTER_BYTES, "big") + bytes([is_last])


def _whole(read: Read, size: int) -> bytes:
    """So many bytes, or all that are left."""
    found = bytearray()
    while len(found) < size and (piece := read(size - len(found))):
        found += piece
    return bytes(found)
