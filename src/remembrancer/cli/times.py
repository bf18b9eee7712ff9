"""Times that a command prints and reads: in the time zone of the memory, which is printed with them."""

import re
from datetime import UTC, datetime, tzinfo
from typing import Final
from zoneinfo import ZoneInfo

import click

_ZONE: Final = "remembrancer.zone"
_AGENT: Final = "remembrancer.agent"
_EXACT: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?[+-]\d\d:\d\d")


def use_agent(agent: str | None) -> None:
    """Set the agent whose settings name the zone: an agent may have its own."""
    click.get_current_context().meta[_AGENT] = agent


def zone() -> tzinfo:
    """Return the time zone of the settings of this command; UTC outside of one."""
    context = click.get_current_context(silent=True)
    if context is None:
        return UTC
    if _ZONE not in context.meta:
        from remembrancer.settings import load_settings

        context.meta[_ZONE] = ZoneInfo(load_settings(agent=context.meta.get(_AGENT)).time_zone)
    return context.meta[_ZONE]


def day(when: datetime) -> str:
    """Return the day of a record, with its zone."""
    return f"{when.astimezone(zone()):%Y-%m-%d %Z}"


def minute(when: datetime) -> str:
    """Return the day and the minute of a record, with their zone."""
    return f"{when.astimezone(zone()):%Y-%m-%d %H:%M %Z}"


def second(when: datetime) -> str:
    """Return the day and the second of an entry of a log, with their zone."""
    return f"{when.astimezone(zone()):%Y-%m-%d %H:%M:%S %Z}"


def exact(text: str) -> str:
    """Return a text that is an exact time with the offset of the zone, any other text unchanged."""
    return datetime.fromisoformat(text).astimezone(zone()).isoformat() if _EXACT.fullmatch(text) else text
