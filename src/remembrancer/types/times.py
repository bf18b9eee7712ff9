"""Times with time zones, local days, and retry delays."""

from datetime import UTC, datetime, tzinfo

from remembrancer.errors import InvalidInput


def utc(when: datetime, *, what: str) -> datetime:
    """Return a time in UTC.

    Raises:
        InvalidInput: it has no time zone, or is outside the years 1 to 9999 in UTC.
    """
    if when.utcoffset() is None:
        raise InvalidInput(f"{what} {when.isoformat()} has no time zone; add one, such as +00:00")
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
    """Return the local day of a time, as `2026-05-03`."""
    return f"{when.astimezone(zone):%Y-%m-%d}"


def minute(when: datetime, zone: tzinfo) -> str:
    """Return the local day and minute of a time, as `2026-05-03 14:00`."""
    return f"{when.astimezone(zone):%Y-%m-%d %H:%M}"


def zoned_minute(when: datetime, zone: tzinfo) -> str:
    """Return the local day and minute of a time with the name of the zone."""
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
    """Return the seconds to wait after a failed attempt: exponential backoff with jitter.

    Args:
        attempt: the number of failed attempts, 1 or more.
        wait: seconds that the other side asked for; limited to `longest`.
        chance: a random number in [0, 1); it spreads the retries over half of the delay.
        first: seconds after the first failure, before jitter.
        longest: the maximum, in seconds.
    """
    grown = min(first * _GROWTH ** min(attempt - 1, 10), longest)
    return min(max(grown * (0.5 + chance / 2), wait), longest)
