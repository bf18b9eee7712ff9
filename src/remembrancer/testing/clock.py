"""A clock that a test sets."""

from datetime import UTC, datetime, timedelta


class FakeClock:
    """A clock that moves only when a test moves it."""

    def __init__(self, start: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        self._now = start

    def now(self) -> datetime:
        """Return the current time of this clock."""
        return self._now

    def move(self, step: timedelta) -> datetime:
        """Move the clock by `step` and return its new time."""
        self._now += step
        return self._now
