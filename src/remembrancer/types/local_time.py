"""Days and times of a record as people read them, in a time zone."""

from datetime import datetime, tzinfo


def day(when: datetime, zone: tzinfo) -> str:
    """Return the day of a record or a message."""
    return f"{when.astimezone(zone):%Y-%m-%d}"


def minute(when: datetime, zone: tzinfo) -> str:
    """Return the day and the minute of a record or a message."""
    return f"{when.astimezone(zone):%Y-%m-%d %H:%M}"


def zoned_minute(when: datetime, zone: tzinfo) -> str:
    """Return the day and the minute of a record with the name of the zone, for what is read elsewhere."""
    return f"{minute(when, zone)} {zone}"
