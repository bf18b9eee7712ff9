"""The real clock and ids: the only module that asks the machine for either."""

import secrets
import uuid
from datetime import UTC, datetime
from threading import Lock


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """The time now; aware, UTC."""
        return datetime.now(UTC)


class TimeOrderedIds:
    """UUIDs of version 7: milliseconds first, then a counter within the millisecond, then chance (RFC 9562)."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._last = 0

    def new(self) -> str:
        """An id that sorts after every one that this object made before."""
        ticks = int(datetime.now(UTC).timestamp() * 1000) << 12
        with self._lock:
            self._last = max(ticks, self._last + 1)
            ticks = self._last
        high = (ticks >> 12) << 16 | 0x7000 | (ticks & 0xFFF)
        low = 0b10 << 62 | secrets.randbits(62)
        return str(uuid.UUID(int=high << 64 | low))
