"""`classify` and `redactions`: how freely memories may be shown, and what is done with personal data."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from remembrancer.cli.output import print_json
from remembrancer.cli.refusing import Commands
from remembrancer.cli.target import Target, targeted

if TYPE_CHECKING:
    from remembrancer.doors.governance import Effective

_CLASSES = click.Choice(["public", "internal", "confidential", "restricted"])
_DATA = click.Choice(["card", "iban", "identity", "email", "phone", "ip"])


@click.command()
@click.argument("id")
@click.argument("classification", type=_CLASSES)
@click.option("--reason", required=True, help="Why; it stands in the audit log.")
@targeted
def classify(target: Target, id: str, classification: str, reason: str) -> None:
    """Put a memory in another class, also a lower one; what was drawn from it follows."""
    record = target.run(lambda memory: memory.governance.classify(id, classification, reason=reason))
    if target.json:
        print_json({"id": record.id, "classification": record.classification})
    else:
        click.echo(f"{record.id} is {record.classification} now")


@click.group(cls=Commands, no_args_is_help=True)
def redactions() -> None:
    """What is done with personal data that is written: list, set and unset it."""


@redactions.command("list")
@targeted
def list_(target: Target) -> None:
    """List what is done with each kind of personal data in a scope."""
    _print(target, target.run(lambda memory: memory.governance.redactions()))


@redactions.command("set")
@click.argument("datum", type=_DATA)
@click.argument("redaction", type=click.Choice(["off", "tag", "mask", "refuse"]))
@targeted
def set_(target: Target, datum: str, redaction: str) -> None:
    """Say what is done with a kind of personal data from now on, in a scope and under it.

    off: nothing; tag: it stays, and who may not see it reads a mark; mask: the mark alone is stored; refuse: the text
    is not taken.
    """
    _print(target, target.run(lambda memory: memory.governance.redact(datum, redaction), create=True))


@redactions.command()
@click.argument("datum", type=_DATA)
@targeted
def unset(target: Target, datum: str) -> None:
    """Let what was said for a scope hold no longer; wider scopes are then alone in saying it."""
    _print(target, target.run(lambda memory: memory.governance.unset_redaction(datum)))


def _print(target: Target, found: "Sequence[Effective]") -> None:
    if target.json:
        print_json([{"datum": one.datum, "redaction": one.redaction, "here": one.here} for one in found])
        return
    for one in found:
        click.echo(f"{one.datum:10}{one.redaction:8}{f'set here: {one.here}' if one.here else ''}".rstrip())
