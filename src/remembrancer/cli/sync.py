"""`sync`: the exchange of memories between machines through a folder."""

import secrets
from dataclasses import asdict
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from remembrancer.cli.archives import ARCHIVE_REASONS, passphrase_of, passphrase_options
from remembrancer.cli.group import SectionedCommand
from remembrancer.cli.output import numbered, print_json
from remembrancer.cli.paths import FolderPath
from remembrancer.cli.progress import Reporter, missing_vectors
from remembrancer.cli.target import INCOMPLETE, Target, ended, refused, targeted

if TYPE_CHECKING:
    from remembrancer.memory import Memory
    from remembrancer.resources.folder_sync import FolderSynced


@click.command(cls=SectionedCommand, short_help="Exchange memories between machines through a folder.")
@click.argument("folder", type=FolderPath())
@click.option("--machine", metavar="NAME", help="The name of this machine in the folder; by default made once.")
@passphrase_options
@targeted
def sync(
    target: Target, folder: Path, machine: str | None, passphrase: str | None, passphrase_file: IO[str] | None
) -> None:
    """Exchange memories between machines through FOLDER, which another program copies between them.

    Each machine writes archives into a folder of its own, sealed with the same passphrase, and imports those of the
    others. Of a memory that was changed on both sides, the higher revision is current, then the later one; the other
    stays as a version. Run it on each machine in turn, or from time to time; after an interruption, run it again. An
    erasure is of one machine: erase on each.
    """
    sealed = passphrase_of(passphrase, passphrase_file)
    name = machine or ended(lambda: _machine(target))
    reporter = Reporter("memories exchanged:")

    async def work(memory: "Memory") -> "tuple[FolderSynced, int]":
        found = await memory.folder_sync.run(folder, machine=name, passphrase=sealed, progress=reporter.add)
        reporter.end()
        return found, await memory.admin.index.missing() if memory.admin.index.has_embedder else 0

    result, missing = target.run(work, create=True)
    if target.json:
        print_json({**asdict(result), "unembedded": missing})
    else:
        _print(result)
        if missing:
            click.echo(missing_vectors(missing))
    if result.failed:
        click.get_current_context().exit(INCOMPLETE)


def _machine(target: Target) -> str:
    """Return the name of this machine, which is kept next to the database.

    A copy of the database alone has another name, since two machines must not write one folder.
    """
    from remembrancer.settings import load_settings

    db = load_settings(**target.settings).db
    if "://" in db:
        raise refused("a database of a server has no file for the name of this machine; add --machine NAME")
    place = Path(f"{db}.machine")
    try:
        if place.exists():
            return place.read_text("utf-8").strip()
        place.parent.mkdir(parents=True, exist_ok=True)
        name = secrets.token_hex(6)
        place.write_text(f"{name}\n", "utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise refused(f"{place} cannot be read or written: {error}; add --machine NAME") from error
    return name


def _print(result: "FolderSynced") -> None:
    for name, reason in result.failed.items():
        click.echo(f"not read, and tried again next time: {name}: {reason}", err=True)
    for reason, count in result.conflicts.items():
        click.echo(f"{count:,} {ARCHIVE_REASONS.get(reason, reason)}")
    click.echo(
        f"{numbered(result.read, 'archive')} of others read: {result.created:,} added, {result.updated:,} newer there,"
        f" {result.older:,} newer here, {result.same:,} the same"
    )
    click.echo(f"{numbered(result.written, 'archive')} written as {result.machine}, {result.unchanged:,} read before")
