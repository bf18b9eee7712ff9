"""`classify` and `redactions`: how freely memories may be shown, and what is done with personal data."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from remembrancer.cli import times
from remembrancer.cli.output import hold_line, numbered, print_json, scope_line, shown
from remembrancer.cli.refusing import Commands
from remembrancer.cli.target import Target, targeted
from remembrancer.resources.json_values import dump

if TYPE_CHECKING:
    from remembrancer.resources.governance import Effective

_CLASSES = click.Choice(["public", "internal", "confidential", "restricted"])
_DATA = click.Choice(["card", "iban", "identity", "email", "phone", "ip", "person", "place"])


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


@click.command()
@targeted
def overview(target: Target) -> None:
    """Tell what there is in a scope and under it, what is due, and how the log stands."""
    found = target.run(lambda memory: memory.governance.overview())
    if target.json:
        print_json(dump(found))
        return
    for one in found.usage:
        kinds = ", ".join(numbered(count, kind) for kind, count in one.kinds.items())
        classes = ", ".join(f"{count:,} {name}" for name, count in one.classifications.items())
        where = "no project" if one.project is None else f"project {shown(one.project)}"
        click.echo(f"{where}, {numbered(one.users, 'user')}: {kinds} ({classes})")
    if not found.usage:
        click.echo("no memory is kept in this scope or under it")
    click.echo(f"{found.due:,} due to be deleted, {found.deleted:,} deleted that can be restored still")
    click.echo("legal holds:" if found.holds else "legal holds: none")
    for hold in found.holds:
        click.echo(f"  {hold_line(hold)}")
    none = "none" if found.erasures is not None else "not told to who does not see every class"
    click.echo("erasures:" if found.erasures else f"erasures: {none}")
    for gone in found.erasures or ():
        stands = "" if gone.finished_at else "; not finished: the same command goes on with it"
        at = times.minute(gone.finished_at or gone.begun_at)
        click.echo(f"  {at}  {gone.id}  {gone.subject}, {numbered(gone.rows, 'row')}{stands}")
    whole = "is whole" if found.audit_is_whole else "IS NOT WHOLE; see `remembrancer audit verify`"
    entries = "" if found.audit_entries is None else f" has {found.audit_entries:,} entries, and"
    click.echo(f"the audit log{entries} {whole}")
    for budget in found.budgets:
        whose = "the tenant's" if budget.project is None else f"project {shown(budget.project)}'s"
        click.echo(
            f"{whose} budget of {budget.unit} for the {budget.period}: {budget.spent:,} of {budget.limit:,} spent,"
            f" {budget.projected:,} at its end as it goes; {budget.state}"
        )
    for read in found.most_read:
        click.echo(f"read {numbered(read.uses, 'time')}: {read.id}  {read.kind} of {scope_line(read.scope)}")


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
