"""`audit`: who did and who was told what, and whether the log of that is whole."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from remembrancer.cli import times
from remembrancer.cli.output import moment, print_json, scope_line, shown
from remembrancer.cli.paths import TextFile
from remembrancer.cli.refusing import Commands
from remembrancer.cli.target import Target, targeted
from remembrancer.errors import InvalidInput
from remembrancer.resources.json_values import dump, load

if TYPE_CHECKING:
    from remembrancer.types.audit import AuditRow, Checkpoint

_IDS_SHOWN = 5


@click.group(cls=Commands, no_args_is_help=True)
def audit() -> None:
    """Who did and who was told what, and whether the log of that is whole."""


@audit.command("list")
@click.option("--since", metavar="DATE", help="Done on this day or later.")
@click.option("--until", metavar="DATE", help="Done on this day or before.")
@click.option("--action", help="What was done, such as created, erased or read.")
@click.option("--kind", help="To what, such as observation; of a read, the method, such as recall.")
@click.option("--door", help="Through which door, such as library, rest or cli.")
@click.option("--by", metavar="NAME", help="By whom.")
@click.option("--memory", "id", metavar="ID", help="To which memory, or of which somebody was told.")
@click.option("--before", type=int, help="Go on before the entry of this number.")
@click.option("--limit", type=click.IntRange(1, 1_000), default=100, show_default=True, help="At most so many.")
@targeted
def list_(
    target: Target,
    since: str | None,
    until: str | None,
    action: str | None,
    kind: str | None,
    door: str | None,
    by: str | None,
    id: str | None,
    before: int | None,
    limit: int,
) -> None:
    """List what was done in a scope and in those under it, the latest first."""
    first, last = moment(since), moment(until, end=True)
    found = target.run(
        lambda memory: memory.audit.list(
            since=first,
            until=last,
            action=action,
            kind=kind,
            door=door,
            actor=by,
            memory=id,
            before=before,
            limit=limit,
        )
    )
    if target.json:
        print_json(dump(found))
        return
    for row in found:
        click.echo(_line(row))
    click.echo(_entries(len(found)))
    if not found:
        _hint(target.run(lambda memory: memory.audit.list(limit=1_000)), action, kind, door, by, id)


@audit.command()
@click.option("--against", type=TextFile(), help="A checkpoint that was kept elsewhere.")
@targeted
def verify(target: Target, against: IO[str] | None) -> None:
    """Tell whether an entry of the log of a tenant was changed, moved or removed.

    What was cut off its end is told for sure only by a checkpoint. The exit code is 1 where anything is wrong.
    """
    held = None if against is None else _checkpoint(against)
    found = target.run(lambda memory: memory.audit.verify(held))
    if target.json:
        print_json(dump(found) | {"sound": found.sound})
    else:
        click.echo(_entries(found.entries))
        for number in found.broken:
            click.echo(f"entry {number} does not follow: it, or the one before, was changed, moved or removed")
        if found.lost:
            click.echo(f"at least {_entries(found.lost)} gone that had been counted")
        if found.against:
            click.echo(found.against)
        if found.sound:
            told = "" if held is None else f", and as the checkpoint of {times.minute(held.at)} has it"
            click.echo(f"each follows from the one before{told}")
    if not found.sound:
        raise SystemExit(1)


@audit.command()
@targeted
def checkpoint(target: Target) -> None:
    """Print how far the log of a tenant has come, signed: to be kept where nobody who writes the store can go."""
    print_json(dump(target.run(lambda memory: memory.audit.checkpoint())))


def _checkpoint(file: IO[str]) -> "Checkpoint":
    from remembrancer.types.audit import Checkpoint

    name = shown(Path(file.name).name)
    try:
        told: Any = json.load(file)
        return load(Checkpoint, told)
    except (ValueError, KeyError, TypeError, AttributeError, InvalidInput) as error:
        raise click.UsageError(f"{name} is no checkpoint; give what `remembrancer audit checkpoint` printed") from error


def _hint(
    latest: Sequence["AuditRow"],
    action: str | None,
    kind: str | None,
    door: str | None,
    by: str | None,
    id: str | None,
) -> None:
    """Say what there is, where nothing of what was asked for was found."""
    if not latest:
        click.echo("the log has nothing of this scope: is it spelt as it is kept?", err=True)
        return
    told = [
        (action, "actions", {row.action for row in latest}),
        (kind, "kinds", {row.kind for row in latest}),
        (door, "doors", {row.door for row in latest}),
        (by, "names", {row.actor for row in latest if row.actor}),
    ]
    there = [f"the {what} {', '.join(sorted(map(shown, names))) or '(none)'}" for given, what, names in told if given]
    if there:
        click.echo(f"the latest entries have {'; '.join(there)}", err=True)
    if id:
        click.echo("an id is given whole, as `list` and `erasures named` print it", err=True)


def _line(row: "AuditRow") -> str:
    ids = [row.record] if row.record else list(row.records)
    named = " ".join(ids[:_IDS_SHOWN]) + (" …" if len(ids) > _IDS_SHOWN else "")
    who = shown(row.actor) if row.actor else "somebody"
    whose = scope_line(row.scope) if row.scope else "of nobody any more"
    told = (
        f"{row.sequence}",
        times.second(row.at),
        f"{who} by {row.door}",
        f"{row.action} {row.kind}" + (f" {row.count}" if row.count != 1 else ""),
        whose,
        named,
        f"because: {shown(row.reason)}" if row.reason else "",
    )
    return "  ".join(part for part in told if part)


def _entries(count: int) -> str:
    return f"{count:,} {'entry' if count == 1 else 'entries'}"
