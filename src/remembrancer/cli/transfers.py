"""`transfers`: what one project lends to another."""

from typing import TYPE_CHECKING

import click

from remembrancer.cli import times
from remembrancer.cli.output import numbered, print_json, shown
from remembrancer.cli.refusing import Commands
from remembrancer.cli.target import Target, targeted
from remembrancer.resources.json_values import dump

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from remembrancer.resources.transfers import Granted


def _between(command: "Callable[..., None]") -> "Callable[..., None]":
    """Give a command the two projects, and why it is done."""
    reason = click.option("--reason", required=True, help="Why; it stands in the audit log of both projects.")
    return click.argument("lender")(click.argument("reader")(reason(command)))


@click.group(cls=Commands, no_args_is_help=True)
def transfers() -> None:
    """What one project of a tenant lends to another: its public and internal observations, at half the weight."""


@transfers.command("list")
@targeted
def list_(target: Target) -> None:
    """List the transfers that are granted in a tenant."""
    _print(target, target.run(lambda memory: memory.transfers.list()))


@transfers.command()
@_between
@targeted
def grant(target: Target, lender: str, reader: str, reason: str) -> None:
    """Let project LENDER lend its observations to project READER, and copy what there is; what is new, each night."""
    _print(target, target.run(lambda memory: memory.transfers.grant(lender, reader, reason=reason)))


@transfers.command()
@_between
@targeted
def revoke(target: Target, lender: str, reader: str, reason: str) -> None:
    """End a transfer, and erase what was copied by it."""
    _print(target, target.run(lambda memory: memory.transfers.revoke(lender, reader, reason=reason)))


def _print(target: Target, found: "Sequence[Granted]") -> None:
    if target.json:
        print_json(dump(found))
        return
    for one in found:
        copied = f"{numbered(one.observations, 'observation')} there"
        state = "revoked; what a legal hold is on is kept, out of every read" if one.revoked else copied
        click.echo(
            f"{shown(one.lender)} to {shown(one.reader)}  {state}  since {times.day(one.granted_at)}"
            f"  {shown(one.reason)}"
        )
    click.echo(numbered(len(found), "transfer"))
