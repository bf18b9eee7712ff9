"""Files that leave a store or enter it: `export`, and the commands of `governance archives`."""

import os
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from remembrancer.cli.foreign_export import FOLDERS, MV2, NOTES, TEXTS, as_text, is_claim, write_memvid, write_notes
from remembrancer.cli.governance_text import archive_lines
from remembrancer.cli.group import SectionedCommand
from remembrancer.cli.output import moment, numbered, on_terminal, print_json
from remembrancer.cli.paths import FilePath, TextFile
from remembrancer.cli.progress import Reporter, embed_missing
from remembrancer.cli.records import scope_line
from remembrancer.cli.target import Target, targeted
from remembrancer.resources.json_values import dump
from remembrancer.types.archive import ExportFormat
from remembrancer.types.arguments import path_of
from remembrancer.types.lifecycle import EXPORTED, Status

if TYPE_CHECKING:
    from remembrancer.memory import Memory
    from remembrancer.types.archive import ArchiveSummary, ImportResult

PASSPHRASE = "REMEMBRANCER_PASSPHRASE"  # noqa: S105 -- the name of the variable
_CONFLICTS_SHOWN = 20
_OUTPUT = click.option("-o", "--output", type=TextFile("w", lazy=True, atomic=True), default="-", metavar="FILE",
                       help="A new file; standard output by default.")  # fmt: skip
ARCHIVE_REASONS = {
    "differs": "were changed on both sides; the later wording is current, the other is kept as a version",
    "renumbered": "messages have another number here: that of the archive was used",
    "elsewhere": "belong to another scope here, and were not imported",
    "erased": "were erased here, or rest on what was, and were not imported",
    "rejected": "say what people have rejected here, and were not imported",
    "legal-hold": "were deleted there, and are under a legal hold here",
    "redacted": "have personal data that is masked or refused here, and were not imported",
}


def passphrase_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that name the passphrase of an archive."""
    file = click.option(
        "--passphrase-file", type=TextFile(), metavar="FILE", help="A file whose first line is the passphrase."
    )
    # Hidden: a list of processes shows the options of each.
    return file(click.option("--passphrase", envvar=PASSPHRASE, hidden=True)(command))


@click.command(cls=SectionedCommand, short_help="Export the memories of a scope as text.")
@click.option(
    "--form",
    type=click.Choice([*(one.value for one in ExportFormat), *TEXTS, *FOLDERS]),
    default="jsonl",
    show_default=True,
)
@click.option("--kind", "kinds", multiple=True, metavar="KIND", help="Only records of this kind. May be repeated.")
@click.option("--since", metavar="DATE", help="On this day or later.")
@click.option("--until", metavar="DATE", help="On this day or earlier.")
@click.option("--all-scopes", is_flag=True, help="Also of the scopes below this one.")
@_OUTPUT
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
    """Export the memories that a scope sees as text, the newest first.

    `import` restores the same memories from JSON lines, JSON-LD and CSV, with ratings, boosts, pins and pauses.
    Markdown is for reading, and cannot be imported. No form has earlier wordings, verdicts, or how far a session was
    observed, nor memories that are retired, merged, rejected, archived or deleted: `governance archives create` has
    all of it. How many memories of the scope have such a status is printed at the end, but not with --all-scopes.

    mem0 and langgraph are the claims for these programs; notes, a folder with a note in Markdown for each; mv2, a
    folder of files of Memvid, which `import` restores: one for each agent, shared.mv2, and system.mv2.
    """
    if form in FOLDERS and output.name in ("-", "<stdout>"):
        raise click.UsageError(f"{form} is a folder; name it with --output")
    if form == ExportFormat.MARKDOWN:
        click.echo("Markdown is for reading: it cannot be imported. jsonl, jsonld and csv can", err=True)
    first, last = moment(since), moment(until, end=True)

    async def write(memory: "Memory") -> tuple[list[bool], Mapping[str, int]]:
        own = form if form in tuple(ExportFormat) else ExportFormat.JSONL.value
        exported = memory.governance.archives.export(
            form=own, kinds=kinds, since=first, until=last, all_scopes=all_scopes
        )
        if own == form:
            pieces = await _write(exported, output)
        else:
            pieces = await _write_foreign(form, exported, output)
        return pieces, {} if all_scopes else (await memory.admin.stats()).records

    pieces, counts = target.run(write)
    # The first and the last are around the memories.
    if not any(pieces[1:-1]):
        click.echo(
            "no memory is in it: memories of narrower scopes need their --project, --agent and --user, or --all-scopes",
            err=True,
        )
    if left := _left_out(counts, kinds):
        listed = ", ".join(f"{count:,} {status}" for status, count in sorted(left.items()))
        all_of_it = "`remembrancer governance archives create` has all of them"
        click.echo(f"not in it, of this scope: {listed}; {all_of_it}", err=True)


@click.command(cls=SectionedCommand)
@click.argument("user_name", metavar="USER")
@click.option("--person", metavar="NAME", help="A name that is searched for in the memories of others, too.")
@click.option("--form", type=click.Choice(["markdown", "jsonl"]), default="markdown", show_default=True)
@_OUTPUT
@targeted
def report(target: Target, user_name: str, person: str | None, form: str, output: IO[str]) -> None:
    """Write all that is stored about one user, for that user: with its evidence, and the access to it."""
    target.run(lambda memory: _write(memory.governance.archives.report(user_name, person=person, form=form), output))


@click.command(cls=SectionedCommand)
@click.argument("file", type=FilePath())
@passphrase_options
@targeted
def create(target: Target, file: Path, passphrase: str | None, passphrase_file: IO[str] | None) -> None:
    """Write all of a scope, and of those below it, into a new FILE that is sealed with a passphrase.

    The passphrase is asked for, or read from REMEMBRANCER_PASSPHRASE or from a file. It is stored nowhere: without it
    the archive cannot be opened.
    """
    sealed = passphrase_of(passphrase, passphrase_file, again=True)
    reporter = Reporter("memories read:")
    archive = target.run(
        lambda memory: memory.governance.archives.create(file, passphrase=sealed, progress=reporter.add)
    )
    reporter.end()
    _print_archive(target, archive)


@click.command(cls=SectionedCommand)
@click.argument("file", type=FilePath())
@passphrase_options
@targeted
def check(target: Target, file: Path, passphrase: str | None, passphrase_file: IO[str] | None) -> None:
    """Read all of FILE, and print what is in it; nothing is imported."""
    sealed = passphrase_of(passphrase, passphrase_file)
    _print_archive(target, target.run(lambda memory: memory.governance.archives.check(file, passphrase=sealed)))


@click.command("import", cls=SectionedCommand)
@click.argument("file", type=FilePath())
@click.option("--reason", required=True, metavar="TEXT", help="The reason, for the audit log.")
@passphrase_options
@targeted
def import_archive(
    target: Target, file: Path, reason: str, passphrase: str | None, passphrase_file: IO[str] | None
) -> None:
    """Import FILE, all of it or nothing.

    New memories are added; of those that are here already the later wording is current. Erased memories are not
    restored.
    """
    sealed = passphrase_of(passphrase, passphrase_file)
    reporter = Reporter("lines read:")

    async def work(memory: "Memory") -> "ImportResult":
        imported = await memory.governance.archives.import_archive(
            file, passphrase=sealed, reason=reason, progress=reporter.add
        )
        reporter.end()
        await embed_missing(memory)
        return imported

    result = target.run(work, create=True)
    if target.json:
        print_json(dump(result))
        return
    click.echo(
        f"{result.created:,} added, {result.updated:,} newer there, {result.older:,} newer here,"
        f" {result.same:,} the same"
    )
    for kind, count in result.conflict_counts.items():
        click.echo(f"{count:,} {ARCHIVE_REASONS[kind]}")
    for conflict in result.conflicts[:_CONFLICTS_SHOWN]:
        click.echo(f"  {conflict.id}  {conflict.kind} of {scope_line(conflict.scope)}: {conflict.reason}")
    if len(result.conflicts) > _CONFLICTS_SHOWN:
        click.echo("  … the rest with --json")


def _left_out(counts: Mapping[str, int], kinds: Sequence[str]) -> Mapping[str, int]:
    """Return how many memories no export has, by their status, without those that are deleted.

    Args:
        counts: of memories, by `kind/status`.
        kinds: of these memories; of all, if empty.
    """
    left = Counter[str]()
    for name, count in counts.items():
        kind, _, status = name.partition("/")
        if status not in (*EXPORTED, Status.DELETED) and (not kinds or kind in kinds):
            left[status] += count
    return left


async def _write(pieces: AsyncGenerator[str, None], output: IO[str]) -> list[bool]:
    """Write the pieces of a text; return for each whether it is not empty."""
    from anyio.to_thread import run_sync

    if output.name != "<stdout>" and await run_sync(Path(output.name).exists):
        raise click.UsageError(f"{output.name} exists already; name another file")
    # Opened at the first piece, for the owner alone.
    mask, written = os.umask(0o077), list[bool]()
    try:
        async with aclosing(pieces) as each:
            async for piece in each:
                await run_sync(lambda text=piece: output.write(text))
                written.append(bool(piece))
    finally:
        os.umask(mask)
    return written


async def _write_foreign(form: str, exported: AsyncGenerator[str, None], output: IO[str]) -> list[bool]:
    """Write an export in the form of another program; return for each piece whether it is not empty."""
    from anyio.to_thread import run_sync

    lines = "".join([piece async for piece in exported]).splitlines()
    if form != MV2 and (others := sum(not is_claim(line) for line in lines)):
        click.echo(f"{numbered(others, 'memory')} left out: the form has no messages, episodes and rules", err=True)
    if form in TEXTS:

        async def pieces() -> AsyncGenerator[str, None]:
            for piece in as_text(form, lines):
                yield piece

        await _write(pieces(), output)
    else:
        folder = path_of(output.name)
        reporter = Reporter("memories written:")
        if form == NOTES:
            await run_sync(write_notes, folder, lines)
        else:
            await run_sync(lambda: write_memvid(folder, lines, progress=reporter.add))
            reporter.end()
    return [False, bool(lines), False]


def passphrase_of(passphrase: str | None, file: IO[str] | None, *, again: bool = False) -> str:
    """Return the passphrase, from a file, the environment or the terminal.

    Raises:
        UsageError: there is none, and no terminal to ask at.
    """
    if file is not None:
        return file.readline().rstrip("\r\n")
    if passphrase is not None:
        return passphrase
    if not on_terminal():
        raise click.UsageError(f"there is no passphrase: set {PASSPHRASE}, or name a file with --passphrase-file")
    return click.prompt("Passphrase", hide_input=True, confirmation_prompt=again, err=True)


def _print_archive(target: Target, archive: "ArchiveSummary") -> None:
    if target.json:
        print_json(dump(archive))
        return
    for line in archive_lines(archive):
        click.echo(line)
