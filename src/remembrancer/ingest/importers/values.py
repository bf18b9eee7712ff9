"""Values of foreign JSON: objects, texts and times."""

import re
from datetime import UTC, datetime, tzinfo
from typing import Any, TypeAlias, cast

JsonObject: TypeAlias = dict[str, Any]


def as_object(value: Any) -> JsonObject:
    """Return the value if it is a JSON object, else an empty one."""
    return cast(JsonObject, value) if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """Return the value if it is a JSON array, else an empty one."""
    return cast(list[Any], value) if isinstance(value, list) else []


def as_objects(value: Any) -> list[JsonObject]:
    """Return the objects in a JSON array, without its other items."""
    return [cast(JsonObject, item) for item in as_list(value) if isinstance(item, dict)]


def as_text(value: Any) -> str:
    """Return a string or a number as text; `""` for anything else."""
    if isinstance(value, bool):
        return ""
    return str(value) if isinstance(value, str | int | float) else ""


def first_text(fields: JsonObject, *names: str) -> str:
    """Return the first of these fields that contains text, or `""`."""
    for name in names:
        if text := as_text(fields.get(name)):
            return text
    return ""


_FORMATS = (
    "%B %d, %Y",
    "%d %B %Y",
    "%Y/%m/%d %H:%M",
    "%Y/%m/%d",
)
# Near the first and the last year a time zone may change the year; and some programs write the year 1 for "never".
_YEARS = range(2, 9_999)
_MILLISECONDS_FROM = 100_000_000_000  # as seconds this would be the year 5138
# Unix seconds or milliseconds as text; Slack adds a counter of six digits.
_NUMBER = re.compile(r"\d{9,13}(?:\.\d{1,9})?")


def parsed_time(value: Any, zone: tzinfo = UTC) -> datetime | None:
    """Return the time in a field, aware, or `None`.

    Args:
        zone: that of a time without one.
    """
    when = _parsed(value, zone)
    return when if when is not None and when.year in _YEARS else None


def has_local_clock(value: Any) -> bool:
    """Return True for text with a time of day and no time zone."""
    if not isinstance(value, str) or ":" not in value or _NUMBER.fullmatch(value.strip()):
        return False
    when = _from_iso(value.strip()) or _from_formats(value.strip())
    return when is not None and when.tzinfo is None


def _parsed(value: Any, zone: tzinfo) -> datetime | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return _from_epoch(float(value))
    if not isinstance(value, str) or not value.strip():
        return None
    if _NUMBER.fullmatch(value.strip()):
        return _from_epoch(float(value))
    when = _from_iso(value.strip()) or _from_formats(value.strip())
    return None if when is None else aware_time(when, zone)


def _from_epoch(seconds: float) -> datetime | None:
    try:
        return datetime.fromtimestamp(seconds / 1000 if abs(seconds) > _MILLISECONDS_FROM else seconds, UTC)
    except (OverflowError, OSError, ValueError):
        return None


def _from_iso(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        return None


def _from_formats(text: str) -> datetime | None:
    for form in _FORMATS:
        try:
            return datetime.strptime(text, form)  # noqa: DTZ007 -- made aware by the caller
        except ValueError:
            continue
    return None


def aware_time(when: datetime, zone: tzinfo) -> datetime | None:
    """Return a time in UTC; `None` outside of the years that have one.

    Args:
        zone: that of a time without one.
    """
    try:
        return (when.replace(tzinfo=zone) if when.tzinfo is None else when).astimezone(UTC)
    except OverflowError:
        return None
