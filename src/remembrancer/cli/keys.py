"""`keys`: who may come in through the service."""

from typing import TYPE_CHECKING

import click

from remembrancer.cli import shapes, times
from remembrancer.cli.output import numbered, print_json, scope_line, shown
from remembrancer.cli.refusing import Commands
from remembrancer.cli.target import Target, targeted

if TYPE_CHECKING:
    from remembrancer.types.access import AccessKey, MadeKey

_RIGHTS = ("read", "write", "learn", "govern", "operate", "reveal")


@click.group(cls=Commands, no_args_is_help=True)
def keys() -> None:
    """Make, list, rotate and revoke the access keys of the service."""


@keys.command()
@click.argument("name")
@click.option(
    "--right",
    "rights",
    type=click.Choice(_RIGHTS),
    multiple=True,
    default=_RIGHTS[:3],
    show_default=True,
    help="What its holder may do; repeat it for several.",
)
@click.option("--days", type=float, help="After which it expires; never, if not given.")
@click.option("--other-tenant", "tenants", multiple=True, help="Another tenant that it opens; repeat it for several.")
@targeted
def create(target: Target, name: str, rights: tuple[str, ...], days: float | None, tenants: tuple[str, ...]) -> None:
    """Make an access key for a scope; its token is shown this once.

    NAME is what it is called in the audit log. Who holds it sees the scope given by --tenant, --project, --agent and
    --user up to --clearance, and may narrow what is left blank. A request names one of several tenants as X-Tenant-ID;
    without it that of --tenant is meant.
    """
    made = target.run(lambda memory: memory.keys.create(name, rights=rights, days=days, tenants=tenants), create=True)
    _print_made(target, made)


@keys.command("list")
@targeted
def list_(target: Target) -> None:
    """List the access keys within a scope, the oldest first."""
    found = target.run(lambda memory: memory.keys.list())
    if target.json:
        print_json([shapes.access_key(key) for key in found])
        return
    for key in found:
        click.echo(_line(key))
    click.echo(numbered(len(found), "access key"))


@keys.command()
@click.argument("id")
@targeted
def rotate(target: Target, id: str) -> None:
    """Give an access key a new secret; the old one opens nothing after a second."""
    _print_made(target, target.run(lambda memory: memory.keys.rotate(id)))


@keys.command()
@click.argument("id")
@targeted
def revoke(target: Target, id: str) -> None:
    """Let an access key open nothing any more."""
    key = target.run(lambda memory: memory.keys.revoke(id))
    if target.json:
        print_json(shapes.access_key(key))
    else:
        click.echo(f"revoked: {_line(key)}")


def _print_made(target: Target, made: "MadeKey") -> None:
    if target.json:
        print_json({**shapes.access_key(made.key), "token": made.token})
        return
    click.echo(_line(made.key))
    click.echo(f"its token, shown this once: {made.token}")


def _line(key: "AccessKey") -> str:
    of = scope_line(key.scope)
    ends = f"revoked {times.day(key.revoked_at)}" if key.revoked_at else ""
    ends = ends or (f"until {times.day(key.expires_at)}" if key.expires_at else "")
    seen = f"seen {times.minute(key.last_seen_at)}" if key.last_seen_at else "never seen"
    others = f"also of {', '.join(map(shown, key.tenants))}" if key.tenants else ""
    told = (key.id, shown(key.name), of, others, key.clearance.value, " ".join(key.rights), ends, seen)
    return "  ".join(filter(None, told))
