"""Times as whole microseconds, the finest that both databases keep."""

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


def to_micros(when: datetime) -> int:
    """Microseconds since 1970 in UTC."""
    return (when - _EPOCH) // MICROSECOND


def from_micros(micros: int) -> datetime:
    """The time that `to_micros` stored."""
    return _EPOCH + micros * MICROSECOND
