"""Time and ids that a test decides."""

from datetime import UTC, datetime, timedelta


class FakeClock:
    """A clock that stands still until it is moved."""

    def __init__(self, start: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        self._now = start

    def now(self) -> datetime:
        """The time it shows."""
        return self._now

    def move(self, step: timedelta) -> datetime:
        """The time after moving it."""
        self._now += step
        return self._now


class CountingIds:
    """UUIDs that count from one, or from the one after a number that is taken."""

    def __init__(self, after: int = 0) -> None:
        self._last = after

    def new(self) -> str:
        """The next id."""
        self._last += 1
        return f"00000000-0000-7000-8000-{self._last:012d}"
