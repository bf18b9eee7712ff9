"""Counts of events in common, and how likely chance explains them: Fisher's exact test, in logarithms.

After Hämäläinen and Webb, "A tutorial on statistically sound pattern discovery" (2018), and Tarone: what could not be
significant however it fell is not counted among the things looked at.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from remembrancer.learn.detect.grounds import Mask

Bits = NDArray[np.uint64]
# The numbers that are in memory together: they fit in the cache of one core.
_AT_ONCE: Final = 1 << 17


def packed(rows: Sequence[Mask], size: int) -> Bits:
    """Return masks as bits, 64 deeds to a number: `(rows, words)`."""
    words = -(-size // 64)
    bits = np.zeros((len(rows), words * 64), dtype=np.bool_)
    if rows:
        bits[:, :size] = rows
    return np.packbits(bits, axis=1).view(np.uint64)


def meet(rows: Bits, others: Bits) -> NDArray[np.float64]:
    """Return how many deeds each of `rows` shares with each of `others`.

    It counts bits, since a matrix product would start threads.
    """
    found = np.zeros((len(rows), len(others)))
    step = max(1, _AT_ONCE // max(1, others.size))
    for at in range(0, len(rows), step):
        met = np.bitwise_count(rows[at : at + step, None, :] & others)
        found[at : at + step] = met.sum(axis=2, dtype=np.int64) if met.shape[2] > 1 else met[:, :, 0]
    return found


Floats = NDArray[np.float64]
# How often one, two or three of the columns speak for a conclusion together.
_TOGETHER: Final = (0.5, 0.3, 0.2)


def log_tail(both: Floats, first: Floats, second: Floats, all_of: Floats) -> Floats:
    """Return the log of a bound on P(as many or more meet), if `first` and `second` of `all_of` are random.

    The result is 0 if no more meet than expected. The bound is that of a geometric series, and close if it is small.
    """
    both, first, second, all_of = np.broadcast_arrays(both, first, second, all_of)
    tails = np.zeros(both.shape)
    unlikely = (both * all_of > first * second) & (both > 0)
    tails[unlikely] = _unlikely(*(counts[unlikely] for counts in (both, first, second, all_of)))
    return tails


def _unlikely(both: Floats, first: Floats, second: Floats, all_of: Floats) -> Floats:
    """Return the same, where more meet than are to be expected."""
    rest = all_of - first - second + both
    fact = _factorials(int(all_of.max(initial=0)) + 2)

    def choose(n: Floats, k: Floats) -> Floats:
        n_, k_ = n.astype(np.int64), k.astype(np.int64)
        return fact[n_] - fact[k_] - fact[np.maximum(n_ - k_, 0)]

    point = choose(first, both) + choose(all_of - first, second - both) - choose(all_of, second)
    ratio = (first - both) * (second - both) / ((both + 1.0) * (rest + 1.0))
    safe = np.where(ratio < 1, ratio, 0.0)
    tail = np.minimum(0.0, point - np.log1p(-safe))
    return np.where(ratio >= 1, 0.0, tail)


def log_repeated(count: int, there: int, share: float) -> float:
    """Return the log of a bound on P(`count` or more of `there`), each with the chance `share`, in (0, 1).

    It is the binomial tail by a geometric series, and so close if it is small; 0 if the count is as expected.
    """
    ratio = (there - count) / (count + 1) * share / (1 - share)
    if count <= share * there or ratio >= 1:
        return 0.0
    choose = math.lgamma(there + 1) - math.lgamma(count + 1) - math.lgamma(there - count + 1)
    point = choose + count * math.log(share) + (there - count) * math.log1p(-share)
    return min(0.0, point - math.log1p(-ratio))


def log_together(columns: list[float], likely: float | None = None) -> float:
    """Return the corrected log p-value of the best one, two or three of independent columns.

    Args:
        columns: the logarithms of the p-values of all the columns.
        likely: that of the column that is expected to be the best, if there is one; it is in `columns`.
    """
    ordered = sorted(columns)
    best, product = 0.0, 0.0
    ways = _TOGETHER[: len(ordered)]
    for number, (tail, share) in enumerate(zip(ordered, ways, strict=False), start=1):
        product += tail
        series = math.log(math.fsum((-product) ** i / math.factorial(i) for i in range(number)))
        best = min(best, product + series + math.log(math.comb(len(ordered), number) / share * sum(ways)))
    # Where one column is likely, half of what may be found by chance is its own.
    return best if likely is None else min(0.0, min(best, likely) + math.log(2))


def _factorials(size: int) -> Floats:
    return _table(1 << max(10, size.bit_length()))


@lru_cache(maxsize=4)
def _table(size: int) -> Floats:
    return np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, size, dtype=np.float64)))))
