"""Commands on tenants in several databases."""

from functools import partial
from typing import TYPE_CHECKING

import click

from remembrancer.cli.group import CommandGroup, SectionedCommand
from remembrancer.cli.output import print_json
from remembrancer.cli.progress import StageReporter
from remembrancer.cli.target import INCOMPLETE, finished

if TYPE_CHECKING:
    from collections.abc import Sequence

    from remembrancer.storage.postgres.moving import MoveStage
    from remembrancer.types.placements import DatabaseState, Placement

_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group(cls=CommandGroup, no_args_is_help=True)
def tenants() -> None:
    """Tenants in several PostgreSQL databases.

    REMEMBRANCER_DATABASES names the databases other than that of REMEMBRANCER_DB, which is called main.
    """


@tenants.command("list", cls=SectionedCommand)
@_JSON
def list_(as_json: bool) -> None:
    """Print the database of each tenant, and the databases that do not answer."""
    from remembrancer.assembly.placements import tenant_placements
    from remembrancer.resources.json_values import dump

    placements, databases = finished(tenant_placements)
    if as_json:
        answering = [{**dump(one), "answers": one.answers} for one in databases]
        print_json({"tenants": dump(placements), "databases": answering})
    else:
        _print_placements(placements, databases)
    if any(not one.answers for one in databases):
        raise click.exceptions.Exit(INCOMPLETE)


def _print_placements(placements: "Sequence[Placement]", databases: "Sequence[DatabaseState]") -> None:
    width = max([len(one.tenant) for one in placements], default=0)
    for one in placements:
        since = f"since {one.since:%Y-%m-%d %H:%M}" if one.since else ""
        moving = f"moving to {one.moving_to}" if one.moving_to else ""
        rows = f"rows of an unfinished move in {', '.join(one.left_over)}" if one.left_over else ""
        notes = ", ".join(note for note in (moving or since, rows) if note)
        click.echo(f"{one.tenant:<{width}}  {one.database}  {notes}".rstrip())
    for database in databases:
        count = sum(one.database == database.name for one in placements)
        click.echo(f"{database.name}: {database.reason or ('1 tenant' if count == 1 else f'{count} tenants')}")


@tenants.command(cls=SectionedCommand)
@click.argument("tenant")
@click.option("--on", "database", required=True, metavar="NAME", help="The database.")
@_JSON
def place(tenant: str, database: str, as_json: bool) -> None:
    """Decide the database of a new TENANT, which has no memories yet."""
    from remembrancer.assembly.placements import place_tenant

    finished(partial(place_tenant, tenant, database))
    if as_json:
        print_json({"tenant": tenant, "database": database})
    else:
        click.echo(f"{tenant} is in {database}")


@tenants.command(cls=SectionedCommand)
@click.argument("tenant")
@click.option("--to", "database", required=True, metavar="NAME", help="The database to move to.")
@_JSON
def move(tenant: str, database: str, as_json: bool) -> None:
    """Move a TENANT to another database while it is in use.

    The rows are copied and compared, then what changed meanwhile. At the end writes wait for two seconds at most. Then
    the former database is emptied. Run an interrupted move again: it begins from the start, or does the rest.
    """
    from remembrancer.assembly.placements import move_tenant
    from remembrancer.resources.json_values import dump

    reporter = StageReporter()

    def progress(stage: "MoveStage", rows: int) -> None:
        reporter.add(stage, f"rows {stage}:", rows)

    try:
        receipt = finished(partial(move_tenant, tenant, database, progress=progress), kept="the tenant is in use")
    finally:
        reporter.end()
    if as_json:
        print_json(dump(receipt))
        return
    for name, table in receipt.tables.items():
        click.echo(f"{name:<18}{table.rows:>10} rows  SHA-256 {table.sha256}")
    rows = sum(table.rows for name, table in receipt.tables.items() if name not in receipt.kept)
    compared = "compared with" if receipt.is_compared else "copied to"
    waited = "" if receipt.waited_seconds is None else f"; writes waited {receipt.waited_seconds:g} s"
    click.echo(
        f"{tenant} is in {receipt.database} since {receipt.at:%Y-%m-%d %H:%M:%S}; {rows} rows were {compared}"
        f" {receipt.database} and deleted in {receipt.former}{waited}"
    )
    if kept := [name for name in receipt.kept if name in receipt.tables]:
        click.echo(f"entries are only added to {', '.join(kept)}, so they are in {receipt.former} too")
    click.echo(f"receipt, signed: {receipt.signature}")


@tenants.command(cls=SectionedCommand)
@click.argument("tenant")
@click.option("--target-is-lost", is_flag=True, help="The other database will not answer again; delete nothing there.")
@_JSON
def cancel(tenant: str, target_is_lost: bool, as_json: bool) -> None:
    """Abandon the interrupted move of a TENANT, which stays where it is.

    What was copied to the other database is deleted there, except for entries of the audit log.
    """
    from remembrancer.assembly.placements import cancel_move

    placed, rows = finished(partial(cancel_move, tenant, is_target_lost=target_is_lost))
    if as_json:
        print_json({"tenant": tenant, "database": placed.database, "deleted": rows})
    else:
        other = placed.moving_to or placed.left_over[0]
        click.echo(f"{tenant} stays in {placed.database}; {rows} rows were deleted in {other}")
