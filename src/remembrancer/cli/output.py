"""Printing: JSON, notes, and the few forms of text that many commands share."""

import codecs
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, time
from typing import Any, cast, overload

import click

from remembrancer.cli import times
from remembrancer.cli.target import refused
from remembrancer.types.text import shown

_IDS_SHOWN = 5


def print_json(value: object) -> None:
    """Print one JSON value on one line."""
    # Where the terminal's encoding is another one, escapes lose nothing.
    plain = codecs.lookup(getattr(sys.stdout, "encoding", None) or "utf-8").name != "utf-8"
    click.echo(json.dumps(value, ensure_ascii=plain, default=str))


def print_left_out(what: str, ids: "Sequence[str]") -> None:
    """Print the ids that a block has no room for on standard error; nothing if it has all."""
    if ids:
        click.echo(f"left out   {what} {len(ids)}: {listed(ids, separator=', ')}", err=True)


def print_notes(notes: "Sequence[str]") -> None:
    """Print notes on standard error."""
    for note in notes:
        click.echo(f"note: {note}", err=True)


def listed(names: Sequence[str], *, most: int = _IDS_SHOWN, separator: str = " ") -> str:
    """Return the first of some names on one line, with an ellipsis for the rest."""
    return separator.join(names[:most]) + (" …" if len(names) > most else "")


def each(
    lines: Callable[[Any], Iterable[str] | str], *, noun: str = "", total: str = "", empty: str = ""
) -> Callable[[Any], Iterator[str]]:
    """Return a function from a result, one item or a sequence, to the lines of each item.

    Args:
        noun: counted in a last line of a sequence.
        total: the word behind the number of items in a last line.
        empty: the line of an empty sequence.
    """

    def of_all(result: Any) -> Iterator[str]:
        is_many = isinstance(result, Sequence) and not isinstance(result, str)
        items = cast("Sequence[Any]", result if is_many else [result])
        for one in items:
            found = lines(one)
            yield from [found] if isinstance(found, str) else found
        if not items and empty:
            yield empty
        if is_many and (noun or total):
            yield numbered(len(items), noun) if noun else f"{len(items):,} {total}"

    return of_all


def numbered(count: int, noun: str) -> str:
    """Return a number with its noun."""
    many = f"{noun[:-1]}ies" if noun.endswith(("ry", "cy")) else f"{noun}s"
    return f"{count:,} {noun if count == 1 else many}"


def on_terminal() -> bool:
    """Return True if a person reads the output."""
    # A closed standard output is None.
    return bool(sys.stdout) and sys.stdout.isatty()


def fields(values: Mapping[str, object]) -> list[str]:
    """Return names and values under one another; empty ones are left out."""
    width = max(len(name) for name in values)
    lines: list[str] = []
    for name, value in values.items():
        if value not in (None, "", [], {}):
            text = json.dumps(value, ensure_ascii=False) if not isinstance(value, str) else times.exact(shown(value))
            lines.append(f"{name:>{width}}  {text}")
    return lines


@overload
def moment(text: str, *, end: bool = False) -> datetime: ...
@overload
def moment(text: str | None, *, end: bool = False) -> datetime | None: ...
def moment(text: str | None, *, end: bool = False) -> datetime | None:
    """Return a date or a time as typed, in the zone of the memory where it names none.

    Args:
        end: whether a bare date means its last moment instead of its first.

    Raises:
        CommandRefused: it is neither.
    """
    if text is None:
        return None
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        raise refused(f"{text!r} is no date; write one as 2026-05-31 or 2026-05-31T14:00+02:00") from None
    if len(text) <= len("2026-05-31") and end:
        when = datetime.combine(when, time.max)
    return when.replace(tzinfo=times.zone()) if when.tzinfo is None else when
