"""Times with their zones, local days, and waits that grow."""

from datetime import UTC, datetime, tzinfo

from remembrancer.errors import InvalidInput


def utc(when: datetime, *, what: str) -> datetime:
    """Return a time in UTC.

    Raises:
        InvalidInput: it names no zone, or lies outside of the years 1 to 9999 in UTC.
    """
    if when.utcoffset() is None:
        raise InvalidInput(f"{what} {when.isoformat()} names no time zone; add one, such as +00:00")
    try:
        return when.astimezone(UTC)
    except OverflowError as error:
        raise InvalidInput(f"{what} {when.isoformat()} is out of range") from error


def optional_utc(when: datetime | None, *, what: str) -> datetime | None:
    """Return a time in UTC, or `None` for `None`.

    Raises:
        InvalidInput: as for `utc`.
    """
    return None if when is None else utc(when, what=what)


def day(when: datetime, zone: tzinfo) -> str:
    """Return the day of a record or a message."""
    return f"{when.astimezone(zone):%Y-%m-%d}"


def minute(when: datetime, zone: tzinfo) -> str:
    """Return the day and the minute of a record or a message."""
    return f"{when.astimezone(zone):%Y-%m-%d %H:%M}"


def zoned_minute(when: datetime, zone: tzinfo) -> str:
    """Return the day and the minute of a record with the name of the zone, for what is read elsewhere."""
    return f"{minute(when, zone)} {zone}"


_GROWTH = 3.0
_FIRST_SECONDS = 0.5
_LONGEST_SECONDS = 30.0


def backoff(
    attempt: int,
    *,
    wait: float = 0.0,
    chance: float = 0.5,
    first: float = _FIRST_SECONDS,
    longest: float = _LONGEST_SECONDS,
) -> float:
    """Seconds that a worker waits after a failed attempt: longer each time, and not the same for all who wait.

    Args:
        attempt: how many have failed, 1 or more.
        wait: seconds that the other side asked for; `longest` is waited at most.
        chance: in [0, 1), which spreads those who failed together over half of the time.
        first: seconds after the first failure, before chance takes its part.
        longest: seconds, however many have failed.
    """
    grown = min(first * _GROWTH ** min(attempt - 1, 10), longest)
    return min(max(grown * (0.5 + chance / 2), wait), longest)
