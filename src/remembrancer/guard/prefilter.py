"""Which of many short pieces a text has in it: told in one pass, for what is looked for around them."""

from collections.abc import Collection
from typing import Final

import numpy as np
from numpy.typing import NDArray

# In a shorter text it is faster to look for each.
_SHORT: Final = 48
_WINDOW: Final = 3
_BITS: Final = 16
# Of the letters of five languages the commonest first: a piece is told by the three of its bytes that are rarest.
_COMMON: Final = b"eantirsoldhucmgpfbvwkjzyqx"


class Needles:
    """Pieces that are looked for in texts; each at least one character."""

    def __init__(self, pieces: Collection[str]) -> None:
        self._pieces = tuple(dict.fromkeys(pieces))
        # No table tells pieces of one or two bytes.
        self._brief = tuple(piece for piece in self._pieces if len(piece.encode()) < _WINDOW)
        self._table = np.zeros(1 << _BITS, dtype=np.bool_)
        self._behind: dict[int, list[str]] = {}
        for piece in self._pieces:
            if piece not in self._brief:
                place = int(_hashes(_rarest(piece.encode()))[0])
                self._table[place] = True
                self._behind.setdefault(place, []).append(piece)

    def within(self, text: str) -> set[str]:
        """Return the pieces that a text has in it."""
        if len(text) < _SHORT:
            return {piece for piece in self._pieces if piece in text}
        found = {piece for piece in self._brief if piece in text}
        hashes = _hashes(text.encode("utf-8", "surrogatepass"))
        for place in set(hashes[self._table[hashes]].tolist()):
            found.update([piece for piece in self._behind[place] if piece in text])
        return found


def _hashes(data: bytes) -> NDArray[np.uint32]:
    """Return `(len(data) - 2,)` numbers of 16 bits, one for each three bytes that follow each other."""
    # Four bytes are read at each place, of which the last one is dropped.
    windows = np.ndarray((len(data) - _WINDOW + 1,), dtype="<u4", buffer=data + b"\0", strides=(1,))
    return ((windows & np.uint32(0xFFFFFF)) * np.uint32(0x9E3779B1)) >> np.uint32(32 - _BITS)


def _rarest(piece: bytes) -> bytes:
    """The three bytes of a piece that follow each other and that fewest texts have."""
    windows = (piece[at : at + _WINDOW] for at in range(len(piece) - _WINDOW + 1))
    return max(windows, key=lambda window: sum(_COMMON.find(byte) % 100 for byte in window))
