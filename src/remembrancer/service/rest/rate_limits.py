"""How many requests a second are taken of each caller."""

from collections import OrderedDict
from time import monotonic

_KNOWN = 10_000
_AT_ONCE_SECONDS = 10.0


class RateLimiter:
    """A bucket of requests for each caller, which fills at a rate and holds ten seconds' worth."""

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._most = max(1.0, rate * _AT_ONCE_SECONDS)
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def takes(self, caller: str) -> bool:
        """Whether one more request of a caller is taken; it counts, if so."""
        now = monotonic()
        left, since = self._left.pop(caller, (self._most, now))
        left = min(self._most, left + (now - since) * self._rate)
        self._left[caller] = (left - 1 if left >= 1 else left, now)
        if len(self._left) > _KNOWN:
            self._left.popitem(last=False)
        return left >= 1
