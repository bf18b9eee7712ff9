"""The encrypted container of an archive: a header of 32 bytes, then chunks under AES-256-GCM, the last one marked.

The key is derived from a passphrase by scrypt and never stored. The nonce of a chunk is its number with a last byte
that marks the last chunk (the STREAM construction of Hoang et al., 2015), and all chunks are bound to the header: a
file that was cut, changed, extended or reordered does not decrypt. `docs/reference/archive.md` describes the format
byte by byte.
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
_HEADER: Final = struct.Struct(">8sBBBBI16s")
HEADER_BYTES: Final = _HEADER.size
_SALT_BYTES, _KEY_BYTES, _TAG_BYTES, _COUNTER_BYTES = 16, 32, 16, 11
# 32 MiB and three passes: as expensive to guess as 128 MiB and one (OWASP, password storage).
_LOG2_N, _R, _P = 15, 8, 3
# A header above these limits is refused: decryption would use too much memory.
_MAX_LOG2_N, _MAX_R, _MAX_P = 16, 8, 16
_MIN_CHUNK, _MAX_CHUNK = 1_024, 1_048_576
MIN_PASSPHRASE: Final = 8
_NOT_DECRYPTED: Final = (
    "the archive cannot be decrypted: the passphrase is wrong, or the file was changed or cut; nothing was imported"
)

Read = Callable[[int], bytes]
"""A function that returns the next bytes of a file, at most as many as its argument, none at the end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveHeader:
    """The unencrypted header of an archive.

    Args:
        log2_n, r, p: cost parameters of scrypt (RFC 7914).
        chunk: bytes of text in each chunk except the last.
    """

    log2_n: int = _LOG2_N
    r: int = _R
    p: int = _P
    chunk: int = CHUNK_BYTES
    salt: bytes

    @property
    def packed(self) -> bytes:
        """Return the header as 32 bytes."""
        return _HEADER.pack(_MAGIC, VERSION, self.log2_n, self.r, self.p, self.chunk, self.salt)


def new_header() -> ArchiveHeader:
    """Return a header with a new salt."""
    return ArchiveHeader(salt=os.urandom(_SALT_BYTES))


def check_passphrase(passphrase: str) -> None:
    """Check the length of a passphrase.

    Raises:
        InvalidInput: it is too short.
    """
    if len(passphrase) < MIN_PASSPHRASE:
        raise InvalidInput(f"the passphrase must have at least {MIN_PASSPHRASE} characters; nothing else protects it")


class ArchiveEncryptor:
    """An encryptor of a stream of text into chunks.

    Raises:
        InvalidInput: the passphrase is too short.
    """

    def __init__(self, header: ArchiveHeader, passphrase: str) -> None:
        check_passphrase(passphrase)
        self._header = header
        self._cipher = AESGCM(_key(header, passphrase))
        self._buffer = bytearray()
        self._number = 0

    def add(self, text: bytes) -> Generator[bytes]:
        """Add text and yield the chunks that are full."""
        self._buffer += text
        # The last chunk is marked, so a full one waits until more text comes.
        while len(self._buffer) > self._header.chunk:
            yield self._chunk(bytes(self._buffer[: self._header.chunk]), is_last=False)
            del self._buffer[: self._header.chunk]

    def end(self) -> bytes:
        """Return the last chunk."""
        return self._chunk(bytes(self._buffer), is_last=True)

    def _chunk(self, text: bytes, *, is_last: bool) -> bytes:
        self._number += 1
        return self._cipher.encrypt(_nonce(self._number - 1, is_last=is_last), text, self._header.packed)


def decrypt(read: Read, passphrase: str) -> Generator[bytes]:
    """Yield the text of an archive chunk by chunk; it is complete only if no error is raised up to the end.

    Raises:
        InvalidInput: it is not an archive, of a later version, or cannot be decrypted.
    """
    header = parse_header(read(_HEADER.size))
    cipher = AESGCM(_key(header, passphrase))
    size = header.chunk + _TAG_BYTES
    chunk, number = _read_exactly(read, size), 0
    while True:
        following = _read_exactly(read, size) if len(chunk) == size else b""
        try:
            text = cipher.decrypt(_nonce(number, is_last=not following), chunk, header.packed)
        except InvalidTag:
            raise InvalidInput(_NOT_DECRYPTED) from None
        yield text
        if not following:
            return
        chunk, number = following, number + 1


def parse_header(data: bytes) -> ArchiveHeader:
    """Return the header of an archive.

    Raises:
        InvalidInput: it is invalid, of another version, or its parameters are out of range.
    """
    if data[: len(_MAGIC)] != _MAGIC:
        raise InvalidInput("the file is not an archive of memories: its first bytes differ")
    if len(data) < _HEADER.size:
        raise InvalidInput("the archive ends within its header; nothing was imported")
    _, version, log2_n, r, p, chunk, salt = _HEADER.unpack(data)
    if version != VERSION:
        raise InvalidInput(f"the archive has version {version}, and this release reads version {VERSION}; update it")
    if (
        not (1 <= log2_n <= _MAX_LOG2_N and 1 <= r <= _MAX_R and 1 <= p <= _MAX_P)
        or not _MIN_CHUNK <= chunk <= _MAX_CHUNK
    ):
        raise InvalidInput("the parameters in the header of the archive are out of range; the file was changed")
    return ArchiveHeader(log2_n=log2_n, r=r, p=p, chunk=chunk, salt=salt)


def _key(header: ArchiveHeader, passphrase: str) -> bytes:
    return hashlib.scrypt(
        passphrase.encode(),
        salt=header.salt,
        n=1 << header.log2_n,
        r=header.r,
        p=header.p,
        # OpenSSL's limit includes some overhead.
        maxmem=2 * 128 * header.r * (1 << header.log2_n),
        dklen=_KEY_BYTES,
    )


def _nonce(number: int, *, is_last: bool) -> bytes:
    return number.to_bytes(_COUNTER_BYTES, "big") + bytes([is_last])


def _read_exactly(read: Read, size: int) -> bytes:
    """Read `size` bytes, fewer only at the end."""
    data = bytearray()
    while len(data) < size and (part := read(size - len(data))):
        data += part
    return bytes(data)
