"""`retention`: how long memories are kept, what is due, and what was deleted and can still be restored."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from remembrancer.cli import times
from remembrancer.cli.output import numbered, print_json, scope_line, shown
from remembrancer.cli.refusing import Commands
from remembrancer.cli.target import Target, targeted
from remembrancer.resources.json_values import dump

if TYPE_CHECKING:
    from remembrancer.memory import Memory
    from remembrancer.resources.retention import Expired
    from remembrancer.types.policy import RetentionPolicy

_LIMIT = click.option("--limit", type=click.IntRange(1, 1_000), default=100, show_default=True, help="At most so many.")
_REASON = click.option("--reason", required=True, help="Why; it stands in the audit log.")


@click.group(cls=Commands, no_args_is_help=True)
def retention() -> None:
    """How long memories are kept; without a policy, for good."""


@retention.command("set")
@click.argument("name")
@click.option("--days", type=click.IntRange(1, 36_500), required=True, help="For so many days.")
@click.option("--kind", "kinds", multiple=True, help="Of this kind alone; repeat it for several.")
@click.option("--classification", "classifications", multiple=True, help="Of this class alone; repeat it for several.")
@targeted
def set_(target: Target, name: str, days: int, kinds: tuple[str, ...], classifications: tuple[str, ...]) -> None:
    """Keep memories of a scope, and of those under it, for so many days; of several policies the shortest holds."""
    _print(
        target,
        target.run(
            lambda memory: memory.retention.set(name, keep_days=days, kinds=kinds, classifications=classifications),
            create=True,
        ),
    )


@retention.command()
@click.argument("name")
@targeted
def unset(target: Target, name: str) -> None:
    """Let a policy of a scope hold no longer."""
    _print(target, target.run(lambda memory: memory.retention.unset(name)))


@retention.command()
@targeted
def policies(target: Target) -> None:
    """List the policies that are on a scope, and on those under it."""
    _print(target, target.run(lambda memory: memory.retention.policies()))


@retention.command()
@_LIMIT
@targeted
def expired(target: Target, limit: int) -> None:
    """List what the next night deletes; nothing is done."""

    async def work(memory: "Memory") -> "tuple[Sequence[Expired], int]":
        found = await memory.retention.find_expired(limit=limit)
        # JSON tells of what is due alone.
        return found, 0 if target.json else (await memory.retention.run(dry=True)).on_hold

    found, held = target.run(work)
    if target.json:
        print_json(dump(found))
        return
    for one in found:
        click.echo(
            f"{one.id}  {one.kind}, {one.classification}, of {times.day(one.since)}  by {shown(one.policy)}"
            f"  {scope_line(one.scope)}\n    {shown(one.text)}"
        )
    click.echo(f"{len(found):,} due{_held(held)}")


@retention.command()
@_LIMIT
@targeted
def deleted(target: Target, limit: int) -> None:
    """List what was deleted and can be restored."""
    found = target.run(lambda memory: memory.retention.list_soft_deleted(limit=limit))
    if target.json:
        print_json(dump(found))
        return
    for one in found:
        click.echo(
            f"{one.id}  {one.kind}  deleted {times.day(one.deleted_at)}, until {times.day(one.until)}"
            f"  {scope_line(one.scope)}\n    {shown(one.text)}"
        )
    click.echo(f"{len(found):,} deleted")


@retention.command()
@click.argument("ids", nargs=-1, required=True)
@_REASON
@targeted
def delete(target: Target, ids: tuple[str, ...], reason: str) -> None:
    """Delete memories without what rests on them, to be restored for thirty days."""
    _print_count(target, target.run(lambda memory: memory.retention.soft_delete(ids, reason=reason)), "deleted")


@retention.command()
@click.argument("ids", nargs=-1, required=True)
@_REASON
@targeted
def purge(target: Target, ids: tuple[str, ...], reason: str) -> None:
    """Remove deleted memories for good, before their thirty days are over."""
    _print_count(target, target.run(lambda memory: memory.retention.hard_delete(ids, reason=reason)), "purged")


@retention.command()
@click.option("--dry", is_flag=True, help="Only count.")
@targeted
def run(target: Target, dry: bool) -> None:
    """Do now what the night does: delete what is due, and remove for good what is over its thirty days."""
    done = target.run(lambda memory: memory.retention.run(dry=dry))
    if target.json:
        print_json(dump(done))
    else:
        click.echo(
            f"{'would delete' if dry else 'deleted'} {done.expired:,}, {'purge' if dry else 'purged'} {done.purged:,}"
            f"{_held(done.on_hold)}"
        )


def _held(count: int) -> str:
    return f"; {count:,} more by their time, which a legal hold keeps" if count else ""


def _print(target: Target, found: "Sequence[RetentionPolicy]") -> None:
    if target.json:
        print_json(dump(found))
        return
    for one in found:
        of = ", ".join((*(kind.value for kind in one.kinds), *(each.value for each in one.classifications)))
        where = f"  of {scope_line(one.scope)}" if one.scope else ""
        click.echo(f"{shown(one.name)}  {of or 'all'}  {numbered(one.keep_days, 'day')}{where}")
    click.echo(f"{len(found):,} {'policy' if len(found) == 1 else 'policies'}")


def _print_count(target: Target, count: int, done: str) -> None:
    if target.json:
        print_json({done: count})
    else:
        click.echo(f"{count:,} {done}")
