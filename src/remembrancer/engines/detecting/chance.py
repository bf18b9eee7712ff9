"""How likely values that have nothing to do with each other meet so often: Fisher's exact test, in logarithms.

After Hämäläinen and Webb, "A tutorial on statistically sound pattern discovery" (2018), and Tarone: what could not be
significant however it fell is not counted among the things looked at.
"""

import math
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
# So many of the columns at most speak for a conclusion together.
_TOGETHER: Final = 3


def log_tail(both: Floats, first: Floats, second: Floats, all_of: Floats) -> Floats:
    """The logarithm of a bound on P(as many or more meet), where `first` and `second` of `all_of` fall at random.

    0 where no more meet than are to be expected. The bound is that of a geometric series, and near where it is small.
    """
    both, first, second, all_of = np.broadcast_arrays(both, first, second, all_of)
    rest = all_of - first - second + both
    likely = (both * all_of <= first * second) | (both <= 0)
    fact = _factorials(int(all_of.max(initial=0)) + 2)

    def choose(n: Floats, k: Floats) -> Floats:
        n_, k_ = n.astype(np.int64), k.astype(np.int64)
        return fact[n_] - fact[k_] - fact[np.maximum(n_ - k_, 0)]

    point = choose(first, both) + choose(all_of - first, second - both) - choose(all_of, second)
    ratio = (first - both) * (second - both) / ((both + 1.0) * (rest + 1.0))
    safe = np.where(ratio < 1, ratio, 0.0)
    tail = np.minimum(0.0, point - np.log1p(-safe))
    return np.where(likely | (ratio >= 1), 0.0, tail)


def log_together(columns: list[float], likely: float | None = None) -> float:
    """The logarithm of the chance that independent columns hold such p-values: the best one, two or three, corrected.

    Args:
        columns: the logarithms of the p-values of all the columns.
        likely: that of the one column that is expected to tell most, if there is one; it is among them.
    """
    ordered = sorted(columns)
    best, product = 0.0, 0.0
    for taken in range(1, min(_TOGETHER, len(ordered)) + 1):
        product += ordered[taken - 1]
        series = math.log(math.fsum((-product) ** i / math.factorial(i) for i in range(taken)))
        best = min(best, product + series + math.log(math.comb(len(ordered), taken)))
    # So many ways to be found: by one, two or three columns, or by the likely one.
    ways = min(_TOGETHER, len(ordered)) + (likely is not None)
    return min(0.0, min(best, likely or 0.0) + math.log(max(1, ways)))


def _factorials(size: int) -> Floats:
    return _table(1 << max(10, size.bit_length()))


@lru_cache(maxsize=4)
def _table(size: int) -> Floats:
    return np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, size, dtype=np.float64)))))
