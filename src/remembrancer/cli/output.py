"""What commands print: text for people, or JSON."""

import codecs
import json
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime, time
from typing import TYPE_CHECKING, overload

import click

from remembrancer.cli import shapes, times
from remembrancer.cli.errors import exit_code
from remembrancer.cli.target import CommandRefused, Target
from remembrancer.errors import InvalidInput
from remembrancer.types.characters import shown as shown

if TYPE_CHECKING:
    from remembrancer.types.details import Learned
    from remembrancer.types.policy import LegalHold
    from remembrancer.types.record import Fact, Json, Record
    from remembrancer.types.saved import Saved
    from remembrancer.types.scope import Scope


def print_json(value: object) -> None:
    """One JSON value on one line."""
    # Where the terminal's encoding is another one, escapes lose nothing.
    plain = codecs.lookup(getattr(sys.stdout, "encoding", None) or "utf-8").name != "utf-8"
    click.echo(json.dumps(value, ensure_ascii=plain, default=str))


def print_left_out(what: str, ids: "Sequence[str]") -> None:
    """What a block has no room for, on standard error; nothing where it has all."""
    if ids:
        named = ", ".join(ids[:5]) + (" …" if len(ids) > 5 else "")
        click.echo(f"left out   {what} {len(ids)}: {named}", err=True)


def print_notes(target: Target, notes: "Sequence[str]") -> None:
    """What was not as usual, on standard error; JSON has it in itself."""
    if not target.json:
        for note in notes:
            click.echo(f"note: {note}", err=True)


def print_record(target: Target, record: "Record") -> None:
    """A record in short."""
    if target.json:
        print_json(shapes.record(record))
    else:
        click.echo(line(record))


def print_saved(target: Target, saved: "Saved[Record]") -> None:
    """What a write did, and the record as it stands now, in short."""
    if target.json:
        print_json(shapes.saved(saved))
    else:
        click.echo(f"{saved.outcome.value}  {line(saved.record)}")


def line(record: "Record") -> str:
    """A record on one line: id, date, who or what, and how it begins."""
    from remembrancer.types.forms import snippet
    from remembrancer.types.transfer import transferred_from

    source = transferred_from(record)
    label = ", ".join([*_labels(record), *([] if source is None else [f"from project {source}"])])
    return f"{record.id}  {times.minute(record.occurred_at)}  {shown(label)}: {shown(snippet(record.text))}"


def _labels(record: "Record") -> list[str]:
    """Who said it, or what it is."""
    from remembrancer.types.episode import Tier, contact_as_written
    from remembrancer.types.record import Episode, Fact, Kind, Observation, Procedure, Signal, speaker_of

    match record:
        case Episode():
            told = record.details
            what = told.event.value if told.tier is Tier.RAW else f"{told.tier.value} record"
            many = [numbered(told.counts.interactions, "interaction")] if told.counts else []
            return [*filter(None, (what, contact_as_written(told.entities))), *many]
        case Signal():
            return list(filter(None, (record.details.signal.value, contact_as_written(record.details.entities))))
        case Fact():
            return [f"{record.details.category.value} fact", *validity(record)]
        case Procedure():
            count = record.details.confirmations
            reason = record.details.reason
            return [
                Kind.PROCEDURE.value,
                *([numbered(count, "confirmation")] if count else []),
                *([f"demoted: {shown(reason)}"] if reason else []),
            ]
        case Observation() if record.learned is not None:
            return [record.learned.category.value, sureness(record.learned)]
        case Observation():
            return [record.type]
        case _:
            return [speaker_of(record)]


def sureness(learned: "Learned") -> str:
    """How sure what the detector observed is, in words."""
    sure = learned.confidence
    return f"{sure.value} confidence, {numbered(learned.occurrences, 'case')} in all"


def validity(fact: "Fact") -> list[str]:
    """Since when a fact holds, and until when where that is known."""
    until = fact.details.valid_to
    return [
        f"since {times.minute(fact.details.valid_from)}",
        *([f"until {times.minute(until)}"] if until else []),
    ]


def numbered(count: int, noun: str) -> str:
    """A number with its noun."""
    many = f"{noun[:-1]}ies" if noun.endswith("ry") else f"{noun}s"
    return f"{count:,} {noun if count == 1 else many}"


def hold_line(hold: "LegalHold") -> str:
    """A legal hold: what it is on, since when, and why."""
    where = "" if hold.scope is None else f" of {scope_line(hold.scope)}"
    return f"{shown(hold.name)}  {shown(hold.on)}{where}  since {times.day(hold.set_at)}  {shown(hold.reason)}"


def scope_line(scope: "Scope") -> str:
    """A scope, by the names that it has."""
    parts = (("tenant", scope.tenant), ("project", scope.project), ("agent", scope.agent), ("user", scope.user))
    return "  ".join(f"{part} {shown(name)}" for part, name in parts if name is not None)


def on_terminal() -> bool:
    """Whether a person looks at what is printed."""
    # Where standard output is closed, there is none.
    return bool(sys.stdout) and sys.stdout.isatty()


def factors_line(factors: Mapping[str, float]) -> str:
    """The factors that say something, largest first."""
    told = sorted(((value, name) for name, value in factors.items() if value), reverse=True)
    return "  ".join(f"{name} {value:.2f}" for value, name in told)


def fields(values: "Mapping[str, Json]") -> None:
    """Names and values under one another; what is empty is left out."""
    width = max(len(name) for name in values)
    for name, value in values.items():
        if value not in (None, "", [], {}):
            text = json.dumps(value, ensure_ascii=False) if not isinstance(value, str) else times.exact(shown(value))
            click.echo(f"{name:>{width}}  {text}")


@overload
def moment(text: str, *, end: bool = False) -> datetime: ...
@overload
def moment(text: str | None, *, end: bool = False) -> datetime | None: ...
def moment(text: str | None, *, end: bool = False) -> datetime | None:
    """A date or a time as typed, in the zone of the memory where it names none.

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
        error = InvalidInput(f"{text!r} is no date; write one as 2026-05-31 or 2026-05-31T14:00+02:00")
        raise CommandRefused(str(error), exit_code(error)) from None
    if len(text) <= len("2026-05-31") and end:
        when = datetime.combine(when, time.max)
    return when.replace(tzinfo=times.zone()) if when.tzinfo is None else when
