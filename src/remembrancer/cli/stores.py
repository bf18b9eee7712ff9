"""Commands on a whole store: prepare a database, copy it, back it up, and change its key."""

import secrets
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from remembrancer.cli.group import CommandGroup, SectionedCommand
from remembrancer.cli.output import print_json
from remembrancer.cli.paths import FilePath, TextFile
from remembrancer.cli.progress import StageReporter
from remembrancer.cli.target import USAGE_ERROR, CommandRefused, finished
from remembrancer.types.arguments import path_of

if TYPE_CHECKING:
    from remembrancer.storage.copying import ComparedTable, CopyStage

_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_DB = click.option("--db", envvar="REMEMBRANCER_DB", required=True, metavar="FILE|URL", help="The store.")


@click.command("init-db", cls=SectionedCommand, short_help="Prepare or upgrade a PostgreSQL database.")
@click.argument("url")
@click.option("--role", default="remembrancer_app", show_default=True, help="The role to serve as, created if missing.")
@click.option(
    "--password-file", type=TextFile(), metavar="FILE", help="Its password, on one line; - reads standard input."
)
@click.option(
    "--partitions",
    type=click.IntRange(1, 256),
    metavar="NUMBER",
    help="Partition the tables by tenant, from 1 to 256; existing rows are moved. By default they stay as they are.",
)
@_JSON
def init_db(url: str, role: str, password_file: TextIO | None, partitions: int | None, as_json: bool) -> None:
    """Prepare a PostgreSQL database, or bring it up to date.

    URL is an administrator's: postgresql://postgres:PASSWORD@HOST/DATABASE. The database itself exists already, such
    as by `createdb`. Missing roles, the extension pgvector, schemas and tables are created; run it again after each
    upgrade.
    """
    from remembrancer.assembly.administration import init_database

    password = _first_line(password_file, "--password-file", "the password") if password_file else ""
    fresh = "" if password else secrets.token_urlsafe(18)
    made = finished(
        partial(init_database, url, role=role, password=password, fresh_password=fresh, partitions=partitions)
    )
    printed = fresh if made.made_role and fresh else ""
    if as_json:
        prepared = {"applied": list(made.applied), "role": role, "made_role": made.made_role, "password": printed}
        print_json({**prepared, "partitions": made.partitions})
        return
    click.echo(f"migrations applied: {', '.join(made.applied) or 'none, all were there'}")
    if made.partitions:
        click.echo(f"partitions of each table: {made.partitions}")
    if printed:
        click.echo(f"role {role} made; its password, shown this once: {printed}")
    click.echo(f"serve as {role}: --db postgresql://{role}:PASSWORD@HOST/DATABASE, with REMEMBRANCER_SECRET_KEY set")


@click.command("rotate-secret", cls=SectionedCommand)
@click.argument("db")
@click.option(
    "--new-key-file", type=TextFile(), metavar="FILE", help="The new key, on one line; - reads standard input."
)
@_JSON
def rotate_secret(db: str, new_key_file: TextIO | None, as_json: bool) -> None:
    """Replace the secret key that opens a store.

    DB is a file, or an administrator's postgresql://postgres:PASSWORD@HOST/DATABASE. For a file whose key is in DB.key
    a new one is made. Otherwise REMEMBRANCER_SECRET_KEY is the key until now, and the new one is read from a file.
    Processes that have the store open go on.
    """
    from remembrancer.assembly.administration import rotate_secret as do_rotate

    key = _first_line(new_key_file, "--new-key-file", "the key") if new_key_file else None
    file = finished(partial(do_rotate, db, new=key))
    if as_json:
        print_json({"kept_in": file})
    elif file:
        click.echo(f"the new key opens the store; it is in {file}")
    else:
        click.echo("the new key opens the store; set REMEMBRANCER_SECRET_KEY to it on every machine that opens it")


@click.command(cls=SectionedCommand)
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@_JSON
def copy(source: str, target: str, as_json: bool) -> None:
    """Copy everything from one database into another, and compare both.

    FROM and TO are each a file or postgresql://USER:PASSWORD@HOST:PORT/DATABASE. TO is empty, or the remains of an
    interrupted copy, which the same command continues. Both have the same key: a new file keeps it in TO.key; for a
    PostgreSQL database that was copied from a file, REMEMBRANCER_SECRET_KEY is the content of FROM.key.
    """
    from remembrancer.assembly.administration import copy_store

    tables = _copied(partial(copy_store, source, target), kept="what was copied is kept")
    if as_json:
        print_json({"tables": [_table_json(table) for table in tables]})
        return
    for table in tables:
        click.echo(f"{table.table:<18}{table.rows:>10} rows  SHA-256 {table.sha256}")
    click.echo(f"{sum(table.copied for table in tables)} rows copied; both sides are the same")
    key = path_of(f"{source}.key")
    if "://" in target and "://" not in source and key.exists() and key.read_text().strip() != _secret_key():
        click.echo(f"to open the copy, set REMEMBRANCER_SECRET_KEY to the content of {source}.key")


def _secret_key() -> str:
    """Return the key of the settings, `""` if there is none."""
    from remembrancer.settings import load_settings

    key = load_settings().secret_key
    return key.get_secret_value() if key else ""


@click.group(cls=CommandGroup, no_args_is_help=True)
def backup() -> None:
    """Backups of the whole store in one file."""


@backup.command("make", cls=SectionedCommand)
@click.argument("file", type=FilePath())
@_DB
@_JSON
def make_backup(file: Path, db: str, as_json: bool) -> None:
    """Write the store, with all tenants, into a new FILE as of one moment, and compare both.

    The store may be in use. FILE opens as any store does. Its key is in FILE.key: keep both, and apart from one
    another.
    """
    from remembrancer.assembly.administration import backup_store

    _print_copied(partial(backup_store, db, str(file)), f"in {file}, its key in {file}.key", as_json)


@backup.command("restore", cls=SectionedCommand)
@click.argument("file", type=FilePath(exists=True))
@_DB
@_JSON
def restore_backup(file: Path, db: str, as_json: bool) -> None:
    """Write the contents of FILE into an empty store, and compare both.

    This restores what was erased since the backup was made: erase it again. The receipts name it.
    """
    from remembrancer.assembly.administration import copy_store

    _print_copied(partial(copy_store, str(file), db), f"back in {db.partition('@')[2] or db}", as_json)


def _print_copied(work: "Callable[..., Awaitable[Sequence[ComparedTable]]]", where: str, as_json: bool) -> None:
    tables = _copied(work, kept="nothing was half-written")
    if as_json:
        print_json({"tables": [_table_json(table) for table in tables]})
        return
    click.echo(f"{sum(table.rows for table in tables):,} rows are {where}; both sides are the same")


def _copied(work: "Callable[..., Awaitable[Sequence[ComparedTable]]]", *, kept: str) -> "Sequence[ComparedTable]":
    """Copy a store, with a line of progress for each stage."""
    reporter = StageReporter()

    def progress(stage: "CopyStage", rows: int, of: int) -> None:
        reporter.add(stage, f"rows {stage}, of {of}:", rows)

    try:
        return finished(partial(work, progress=progress), kept=kept)
    finally:
        reporter.end()


def _table_json(table: "ComparedTable") -> dict[str, object]:
    return {"table": table.table, "rows": table.rows, "copied": table.copied, "sha256": table.sha256}


def _first_line(file: TextIO, option: str, what: str) -> str:
    """Return the first line of a file.

    Raises:
        CommandRefused: the file is not text, or its first line is empty.
    """
    try:
        line = file.readline().rstrip("\n")
    except UnicodeDecodeError:
        line = ""
    if not line or not line.isprintable():
        raise CommandRefused(f"{option} must have {what} as text on its first line", USAGE_ERROR)
    return line
