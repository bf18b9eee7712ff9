"""Search of a text for many short substrings in one pass, before slower patterns are tried around them."""

from collections.abc import Collection
from typing import Final

import numpy as np
from numpy.typing import NDArray

# In a shorter text it is faster to search for each.
_SHORT: Final = 48
_WINDOW: Final = 3
_BITS: Final = 16
# The letters of five languages, the commonest first: a substring is found by the three of its bytes that are rarest.
_COMMON: Final = b"eantirsoldhucmgpfbvwkjzyqx"


class Prefilter:
    """Substrings to search for, each at least one character long."""

    def __init__(self, substrings: Collection[str]) -> None:
        self._substrings = tuple(dict.fromkeys(substrings))
        # Substrings of one or two bytes are not in the table.
        self._short = tuple(piece for piece in self._substrings if len(piece.encode()) < _WINDOW)
        self._table = np.zeros(1 << _BITS, dtype=np.bool_)
        self._by_hash: dict[int, list[str]] = {}
        for piece in self._substrings:
            if piece not in self._short:
                place = int(_hashes(_rarest(piece.encode()))[0])
                self._table[place] = True
                self._by_hash.setdefault(place, []).append(piece)

    def within(self, text: str) -> set[str]:
        """Return the substrings that a text contains."""
        if len(text) < _SHORT:
            return {piece for piece in self._substrings if piece in text}
        found = {piece for piece in self._short if piece in text}
        hashes = _hashes(text.encode("utf-8", "surrogatepass"))
        for place in set(hashes[self._table[hashes]].tolist()):
            found.update([piece for piece in self._by_hash[place] if piece in text])
        return found


def _hashes(data: bytes) -> NDArray[np.uint32]:
    """Return `(len(data) - 2,)` numbers of 16 bits, one for each three bytes that follow each other."""
    # Four bytes are read at each place, of which the last one is dropped.
    windows = np.ndarray((len(data) - _WINDOW + 1,), dtype="<u4", buffer=data + b"\0", strides=(1,))
    return ((windows & np.uint32(0xFFFFFF)) * np.uint32(0x9E3779B1)) >> np.uint32(32 - _BITS)


def _rarest(substring: bytes) -> bytes:
    """Return the three bytes in a row of a substring that fewest texts contain."""
    windows = (substring[at : at + _WINDOW] for at in range(len(substring) - _WINDOW + 1))
    return max(windows, key=lambda window: sum(_COMMON.find(byte) % 100 for byte in window))
