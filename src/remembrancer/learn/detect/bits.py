"""Sets of deeds as bits, and in how many deeds they meet."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from remembrancer.learn.detect.grounds import Mask

Bits = NDArray[np.uint64]
# So many numbers are held at once: they stay in the cache of one core.
_AT_ONCE: Final = 1 << 17


def packed(rows: Sequence[Mask], size: int) -> Bits:
    """Masks as bits, 64 deeds to a number: `(rows, words)`."""
    words = -(-size // 64)
    bits = np.zeros((len(rows), words * 64), dtype=np.bool_)
    if rows:
        bits[:, :size] = rows
    return np.packbits(bits, axis=1).view(np.uint64)


def meet(rows: Bits, others: Bits) -> NDArray[np.float64]:
    """In how many deeds each of `rows` meets each of `others`. Counted by bits: a product would start threads."""
    found = np.zeros((len(rows), len(others)))
    step = max(1, _AT_ONCE // max(1, others.size))
    for at in range(0, len(rows), step):
        met = np.bitwise_count(rows[at : at + step, None, :] & others)
        found[at : at + step] = met.sum(axis=2, dtype=np.int64) if met.shape[2] > 1 else met[:, :, 0]
    return found
