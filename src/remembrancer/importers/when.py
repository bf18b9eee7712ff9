"""Reading the time stamps that chat formats use."""

from datetime import UTC, datetime
from typing import Any

_FORMATS = (
    "%B %d, %Y",
    "%d %B %Y",
    "%Y/%m/%d %H:%M",
    "%Y/%m/%d",
)
_MILLISECONDS_FROM = 100_000_000_000  # as seconds this would be the year 5138


def moment(value: Any) -> datetime | None:
    """The time that a field states, aware (UTC where no zone is given), or `None` if it states none."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return _from_epoch(float(value))
    if not isinstance(value, str) or not value.strip():
        return None
    return _from_iso(value.strip()) or _from_formats(value.strip())


def _from_epoch(seconds: float) -> datetime | None:
    try:
        return datetime.fromtimestamp(seconds / 1000 if abs(seconds) > _MILLISECONDS_FROM else seconds, UTC)
    except (OverflowError, OSError, ValueError):
        return None


def _from_iso(text: str) -> datetime | None:
    try:
        return _aware(datetime.fromisoformat(text))
    except (ValueError, OverflowError):
        return None


def _from_formats(text: str) -> datetime | None:
    for form in _FORMATS:
        try:
            return _aware(datetime.strptime(text, form))  # noqa: DTZ007 -- made aware in the same expression
        except ValueError:
            continue
    return None


def _aware(when: datetime) -> datetime:
    return when.replace(tzinfo=UTC) if when.tzinfo is None else when.astimezone(UTC)
