"""Times that a caller passes in, as the engine compares them."""

from datetime import UTC, datetime

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
