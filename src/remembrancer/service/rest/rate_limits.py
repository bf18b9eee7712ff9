"""Rate limits of callers."""

from collections import OrderedDict
from time import monotonic

_MAX_CALLERS = 10_000
_BURST_SECONDS = 10.0


class RateLimiter:
    """A token bucket for each caller, with a burst of ten seconds."""

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._burst = max(1.0, rate * _BURST_SECONDS)
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allows(self, caller: str) -> bool:
        """Return True if one more request of a caller is allowed, and count it."""
        now = monotonic()
        left, since = self._left.pop(caller, (self._burst, now))
        left = min(self._burst, left + (now - since) * self._rate)
        self._left[caller] = (left - 1 if left >= 1 else left, now)
        if len(self._left) > _MAX_CALLERS:
            self._left.popitem(last=False)
        return left >= 1
