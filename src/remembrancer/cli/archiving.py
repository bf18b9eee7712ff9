"""`export`, `report`, `archive` and `backup`: what leaves a store, and comes into it from another."""

import os
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from remembrancer.cli import times
from remembrancer.cli.copying import Progress, table_json
from remembrancer.cli.output import moment, numbered, on_terminal, print_json, scope_line
from remembrancer.cli.paths import FilePath, TextFile
from remembrancer.cli.progress import Reporter, embed_with_bar
from remembrancer.cli.refusing import Commands
from remembrancer.cli.target import ALL_SCOPES, Target, finished, targeted
from remembrancer.resources.json_values import dump
from remembrancer.types.archive import Form
from remembrancer.types.lifecycle import EXPORTED, Status

if TYPE_CHECKING:
    from remembrancer.memory import Memory
    from remembrancer.storage.copying import ComparedTable
    from remembrancer.types.archive import Archived, Taken

PASSPHRASE = "REMEMBRANCER_PASSPHRASE"  # noqa: S105 -- where it stands, and not it
_CLASHES_SHOWN = 20
_TO = click.option("-o", "--output", type=TextFile("w", lazy=True, atomic=True), default="-",
                   help="A new file; standard output, without it.")  # fmt: skip


def _sealed(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command what says under which passphrase an archive is sealed."""
    file = click.option("--passphrase-file", type=TextFile(), help="A file whose first line is the passphrase.")
    # Not told of: who lists processes sees the options of each.
    return file(click.option("--passphrase", envvar=PASSPHRASE, hidden=True)(command))


@click.command()
@click.option("--form", type=click.Choice(["jsonl", "jsonld", "csv", "markdown"]), default="jsonl", show_default=True)
@click.option("--kind", "kinds", multiple=True, help="Only of this kind, such as observation; several may be named.")
@click.option("--since", metavar="TIME", help="Said or done no earlier.")
@click.option("--until", metavar="TIME", help="Said or done no later.")
@ALL_SCOPES
@_TO
@targeted
def export(
    target: Target,
    form: str,
    kinds: tuple[str, ...],
    since: str | None,
    until: str | None,
    all_scopes: bool,
    output: IO[str],
) -> None:
    """Write the memories that a scope sees as a text, the newest first: to be read, or loaded elsewhere.

    `import` makes the same memories of JSON lines, JSON-LD and CSV, with ratings, boosts, pins and pauses. Markdown is
    for reading, and not imported. No form has earlier wordings, verdicts, or how far a session was observed, nor
    memories that are retired, merged, rejected, archived or deleted: `archive make` has all of it. How many memories of
    the scope have such a status is printed at the end, but not with --all-scopes.
    """
    if form == Form.MARKDOWN:
        click.echo("Markdown is for reading: no import takes it. jsonl, jsonld and csv come back whole", err=True)
    begun, ended = moment(since), moment(until, end=True)

    async def write(memory: "Memory") -> tuple[list[bool], Mapping[str, int]]:
        exported = memory.archives.export(form=form, kinds=kinds, since=begun, until=ended, all_scopes=all_scopes)
        pieces = await _written(exported, output)
        return pieces, {} if all_scopes else (await memory.upkeep.stats()).records

    pieces, counts = target.run(write)
    # The first and the last stand around the memories.
    if not any(pieces[1:-1]):
        click.echo(
            "no memory is in it: what is of narrower scopes takes their --project, --agent and --user, or --all-scopes",
            err=True,
        )
    if left := _left_out(counts, kinds):
        told = ", ".join(f"{count:,} {status}" for status, count in sorted(left.items()))
        click.echo(f"not in it, of this scope: {told}; `remembrancer archive make` has all of them", err=True)


@click.command()
@click.argument("user_name", metavar="USER")
@click.option("--person", help="A name by which everybody else's memories are looked through, too.")
@click.option("--form", type=click.Choice(["markdown", "jsonl"]), default="markdown", show_default=True)
@_TO
@targeted
def report(target: Target, user_name: str, person: str | None, form: str, output: IO[str]) -> None:
    """Write all that is held about one user, for that user to read: with its evidence, and who was told of it."""
    target.run(lambda memory: _written(memory.archives.report(user_name, person=person, form=form), output))


@click.group(cls=Commands, no_args_is_help=True)
def archive() -> None:
    """Sealed archives: all of a scope in one file that nobody opens without the passphrase.

    The passphrase is asked for, or stands in REMEMBRANCER_PASSPHRASE or in a file. It is kept nowhere: who loses it
    has lost the archive.
    """


@archive.command()
@click.argument("file", type=FilePath())
@_sealed
@targeted
def make(target: Target, file: Path, passphrase: str | None, passphrase_file: IO[str] | None) -> None:
    """Write all of a scope, and of those under it, into a new FILE."""
    sealed = _passphrase(passphrase, passphrase_file, again=True)
    told = Reporter("memories read:", 1)
    found = target.run(lambda memory: memory.archives.make(file, passphrase=sealed, progress=told.add))
    told.end()
    _print_archive(target, found)


@archive.command()
@click.argument("file", type=FilePath())
@_sealed
@targeted
def check(target: Target, file: Path, passphrase: str | None, passphrase_file: IO[str] | None) -> None:
    """Tell what is in FILE, once all of it was read; nothing is taken."""
    sealed = _passphrase(passphrase, passphrase_file)
    _print_archive(target, target.run(lambda memory: memory.archives.check(file, passphrase=sealed)))


@archive.command()
@click.argument("file", type=FilePath())
@click.option("--reason", required=True, help="Why; it stands in the audit log.")
@_sealed
@targeted
def take(target: Target, file: Path, reason: str, passphrase: str | None, passphrase_file: IO[str] | None) -> None:
    """Take FILE in, all of it or nothing.

    What is not here comes; of what is here the later wording stands. What was erased here does not come back.
    """
    sealed = _passphrase(passphrase, passphrase_file)
    told = Reporter("lines taken:", 1)

    async def work(memory: "Memory") -> "Taken":
        found = await memory.archives.take(file, passphrase=sealed, reason=reason, progress=told.add)
        told.end()
        if memory.upkeep.has_embedder:
            await embed_with_bar(memory)
        return found

    found = target.run(work, create=True)
    if target.json:
        print_json(dump(found))
        return
    click.echo(
        f"{found.created:,} came, {found.updated:,} were newer there, {found.older:,} are newer here,"
        f" {found.same:,} are the same"
    )
    for reason_of, count in found.clashed.items():
        click.echo(f"{count:,} {_WHY[reason_of]}")
    for clash in found.clashes[:_CLASHES_SHOWN]:
        click.echo(f"  {clash.id}  {clash.kind} of {scope_line(clash.scope)}: {clash.reason}")
    if len(found.clashes) > _CLASHES_SHOWN:
        click.echo("  … the rest with --json")


_WHY = {
    "differs": "were changed on both sides; the later wording stands, the other is kept as a version",
    "renumbered": "messages have another number here: theirs was taken",
    "elsewhere": "are another scope's here, and did not come",
    "erased": "were erased here, or rest on what was, and did not come",
    "rejected": "say what people have said here is wrong, and did not come",
    "held": "were deleted there, and are under a legal hold here",
    "redacted": "hold personal data that is masked or refused here, and did not come",
}


@click.group(cls=Commands, no_args_is_help=True)
def backup() -> None:
    """Backups: the whole store in one file, of every tenant, with its log and its indexes; while it is served."""


@backup.command("make")
@click.argument("file", type=FilePath())
@click.option("--db", envvar="REMEMBRANCER_DB", required=True, metavar="FILE|URL", help="The store.")
@click.option("--json", "as_json", is_flag=True, help="Answer in JSON at the end.")
def make_backup(file: Path, db: str, as_json: bool) -> None:
    """Write the store into a new FILE, as it stands at one moment, and compare both.

    FILE opens as any store does. Its key stands in FILE.key: keep both, and apart from one another.
    """
    from remembrancer.open import backup_store

    _copied(partial(backup_store, db, str(file)), f"in {file}, its key in {file}.key", as_json)


@backup.command()
@click.argument("file", type=FilePath(exists=True))
@click.option("--db", envvar="REMEMBRANCER_DB", required=True, metavar="FILE|URL", help="An empty store.")
@click.option("--json", "as_json", is_flag=True, help="Answer in JSON at the end.")
def restore(file: Path, db: str, as_json: bool) -> None:
    """Write what is in FILE into an empty store, and compare both.

    What was erased since the backup was made comes back by this: erase it again. The receipts say what that was.
    """
    from remembrancer.open import copy_store

    _copied(partial(copy_store, str(file), db), f"back in {db.partition('@')[2] or db}", as_json)


def _copied(work: "Callable[..., Awaitable[Sequence[ComparedTable]]]", where: str, as_json: bool) -> None:
    progress = Progress()
    try:
        tables = finished(partial(work, told=progress.add), kept="nothing was half-written")
    finally:
        progress.end()
    if as_json:
        print_json({"tables": [table_json(table) for table in tables]})
        return
    click.echo(f"{sum(table.rows for table in tables):,} rows are {where}; both sides are the same")


def _left_out(counts: Mapping[str, int], kinds: Sequence[str]) -> Mapping[str, int]:
    """How many memories no export has, by their status; those that are deleted are not counted.

    Args:
        counts: of memories, by `kind/status`.
        kinds: of which memories; of all, where none is named.
    """
    left = Counter[str]()
    for name, count in counts.items():
        kind, _, status = name.partition("/")
        if status not in (*EXPORTED, Status.DELETED) and (not kinds or kind in kinds):
            left[status] += count
    return left


async def _written(pieces: AsyncGenerator[str, None], output: IO[str]) -> list[bool]:
    """Write pieces of a text; whether each of them says anything."""
    from anyio.to_thread import run_sync

    if output.name != "<stdout>" and await run_sync(Path(output.name).exists):
        raise click.UsageError(f"{output.name} is there already; name another file")
    # Opened at the first piece: what it will hold is for nobody else on this machine.
    before, told = os.umask(0o077), list[bool]()
    try:
        async with aclosing(pieces) as each:
            async for piece in each:
                await run_sync(lambda text=piece: output.write(text))
                told.append(bool(piece))
    finally:
        os.umask(before)
    return told


def _passphrase(given: str | None, file: IO[str] | None, *, again: bool = False) -> str:
    """The passphrase, from where it is given.

    Raises:
        UsageError: it is given nowhere, and nobody can be asked.
    """
    if file is not None:
        return file.readline().rstrip("\r\n")
    if given is not None:
        return given
    if not on_terminal():
        raise click.UsageError(f"there is no passphrase: set {PASSPHRASE}, or name a file with --passphrase-file")
    return click.prompt("Passphrase", hide_input=True, confirmation_prompt=again, err=True)


def _print_archive(target: Target, found: "Archived") -> None:
    if target.json:
        print_json(dump(found))
        return
    counts = ", ".join(numbered(count, kind) for kind, count in found.memories.items()) or "no memories"
    click.echo(
        f"{found.bytes:,} bytes of {times.minute(found.made_at)}: {counts}; {numbered(found.sessions, 'session')},"
        f" {numbered(len(found.scopes), 'scope')}"
    )
    for scope in found.scopes:
        click.echo(f"  {scope_line(scope)}")
