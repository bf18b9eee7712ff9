"""What commands print: text for people, or JSON."""

import json
import sys
from collections.abc import Mapping
from datetime import UTC, datetime, time
from typing import TYPE_CHECKING

import click

from remembrancer.cli import shapes
from remembrancer.cli.errors import exit_code
from remembrancer.cli.target import Refused, Target
from remembrancer.errors import InvalidInput

if TYPE_CHECKING:
    from remembrancer.model.record import Json, Record


def print_json(value: object) -> None:
    """One JSON value on one line."""
    click.echo(json.dumps(value, ensure_ascii=False, default=str))


def print_record(target: Target, record: "Record") -> None:
    """A record in short."""
    if target.json:
        print_json(shapes.record(record))
    else:
        click.echo(line(record))


def line(record: "Record") -> str:
    """A record on one line: id, date, who or what, and how it begins."""
    from remembrancer.model.forms import snippet
    from remembrancer.model.record import Observation, speaker_of

    label = record.type if isinstance(record, Observation) else speaker_of(record)
    return f"{record.id}  {record.occurred_at:%Y-%m-%d %H:%M}  {shown(label)}: {shown(snippet(record.text))}"


def shown(text: str) -> str:
    """A text as it may stand on a terminal: what would steer the terminal is replaced."""
    return "".join(character if character.isprintable() or character == "\n" else "\ufffd" for character in text)


def on_terminal() -> bool:
    """Whether a person looks at what is printed."""
    return sys.stdout.isatty()


def factors_line(factors: Mapping[str, float]) -> str:
    """The factors that say something, largest first."""
    told = sorted(((value, name) for name, value in factors.items() if value), reverse=True)
    return "  ".join(f"{name} {value:.2f}" for value, name in told)


def fields(values: "Mapping[str, Json]") -> None:
    """Names and values under one another; what is empty is left out."""
    width = max(len(name) for name in values)
    for name, value in values.items():
        if value not in (None, "", [], {}):
            click.echo(
                f"{name:>{width}}  {shown(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
            )


def moment(text: str | None, *, end: bool = False) -> datetime | None:
    """A date or a time as typed, in UTC where it names no zone.

    Args:
        end: whether a bare date means its last moment instead of its first.

    Raises:
        Refused: it is neither.
    """
    if text is None:
        return None
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        error = InvalidInput(f"{text!r} is no date; write one as 2026-05-31 or 2026-05-31T14:00+02:00")
        raise Refused(str(error), exit_code(error)) from None
    if len(text) <= len("2026-05-31") and end:
        when = datetime.combine(when, time.max)
    return when.replace(tzinfo=UTC) if when.tzinfo is None else when
