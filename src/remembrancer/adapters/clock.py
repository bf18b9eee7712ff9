"""The system clock and ids of records: the only module that reads either from the machine."""

import secrets
import uuid
from datetime import UTC, datetime
from threading import Lock


class SystemClock:
    """The clock of the machine."""

    def now(self) -> datetime:
        """Return the current time, aware, in UTC."""
        return datetime.now(UTC)


class TimeOrderedIds:
    """UUIDs of version 7: milliseconds, a counter within the millisecond, random bits (RFC 9562)."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._last = 0

    def new(self) -> str:
        """Return an id that sorts after all earlier ones of this object."""
        ticks = int(datetime.now(UTC).timestamp() * 1000) << 12
        with self._lock:
            self._last = max(ticks, self._last + 1)
            ticks = self._last
        high = (ticks >> 12) << 16 | 0x7000 | (ticks & 0xFFF)
        low = 0b10 << 62 | secrets.randbits(62)
        return str(uuid.UUID(int=high << 64 | low))
