"""The command that imports chats."""

import sys
from collections.abc import AsyncIterator, Iterator
from dataclasses import asdict, dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING

import click

from remembrancer.cli.output import print_json, shown
from remembrancer.cli.progress import Reporter, embed_with_bar
from remembrancer.cli.target import Target, targeted
from remembrancer.errors import InvalidInput

if TYPE_CHECKING:
    from remembrancer.importers.reader import Reader, Unread
    from remembrancer.importers.turns import Turn
    from remembrancer.memory import Memory

STANDARD_INPUT = "-"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """What an import did.

    Args:
        skipped: files that were passed over, in whole or from some line on, with the reason.
        unread: what could not be read as it stands, by file.
    """

    created: int
    deduped: int
    unembedded: int
    skipped: list[tuple[str, str]]
    unread: "list[tuple[str, Unread]]"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatFile:
    """A file, or standard input, that is being read."""

    name: str
    turns: "Iterator[Turn]"
    reader: "Reader"


@click.command("import")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--skip-bad", is_flag=True, help="Leave out and count lines of JSONL that cannot be read.")
@click.option("--vectors", is_flag=True, help="Make the vectors too; else `reindex` or an open memory makes them.")
@targeted
def import_(target: Target, paths: tuple[str, ...], skip_bad: bool, vectors: bool) -> None:
    """Import chats from files, folders, or standard input (-).

    Reads JSONL (a message a line), arrays of messages, {"messages": [...]} and trajectories of agents. Run again, or
    after an interruption, it imports what is new and nothing twice. Times, roles and texts that it cannot read are
    counted, with an example.
    """

    async def work(memory: "Memory") -> ImportReport:
        return await _import(memory, paths, skip_bad=skip_bad, vectors=vectors)

    report = target.run(work, create=True)
    if target.json:
        unread = [{"file": name, **asdict(unread)} for name, unread in report.unread]
        print_json({**asdict(report), "unread": unread})
    else:
        _print(report)


def _print(report: ImportReport) -> None:
    from remembrancer.importers.reader import INSTEAD

    for name, reason in report.skipped:
        click.echo(shown(f"skipped {name}: {reason}"), err=True)
    for name, unread in report.unread:
        found = f"{name}: {unread.gap} ({unread.count}), such as {unread.example}: {INSTEAD[unread.gap]}"
        click.echo(shown(found), err=True)
    click.echo(f"{report.created} turns imported, {report.deduped} were there already")
    if report.unembedded:
        click.echo(f"{report.unembedded} wordings have no vectors yet; `remembrancer reindex` makes them")


async def _import(memory: "Memory", paths: tuple[str, ...], *, skip_bad: bool, vectors: bool) -> ImportReport:
    from anyio.to_thread import run_sync

    from remembrancer.workers.importing import Imported

    chats = await run_sync(lambda: list(_chats(paths, skip_bad=skip_bad)))
    reporter, done = Reporter("imported", len(chats)), Imported()
    skipped: list[tuple[str, str]] = []
    for chat in chats:
        try:
            async for piece in _pieces(chat.turns):
                done += await memory.messages.import_turns(piece)
                reporter.add(len(piece))
        except InvalidInput as error:
            if len(chats) == 1:
                raise
            skipped.append((chat.name, str(error)))
        reporter.next_file()
    reporter.end()
    if vectors and memory.upkeep.has_embedder:
        await embed_with_bar(memory)
    return ImportReport(
        created=done.created,
        deduped=done.deduped,
        unembedded=await memory.upkeep.unembedded() if memory.upkeep.has_embedder else 0,
        skipped=skipped,
        unread=[(chat.name, unread) for chat in chats for unread in chat.reader.unread],
    )


def _chats(paths: tuple[str, ...], *, skip_bad: bool) -> Iterator[ChatFile]:
    """Standard input, where it is named, and every file; each is opened when its first turn is asked for."""
    from remembrancer.importers.files import chat_files, read_file, read_stream
    from remembrancer.importers.reader import Reader

    if STANDARD_INPUT in paths:
        reader, name = Reader(skip_bad=skip_bad), "standard input"
        # As files are read, whatever the encoding of the terminal.
        stream = TextIOWrapper(sys.stdin.buffer, encoding="utf-8-sig", errors="surrogateescape")
        yield ChatFile(name=name, turns=read_stream(stream, name=name, reader=reader), reader=reader)
    for file in (file for path in paths if path != STANDARD_INPUT for file in chat_files(Path(path))):
        reader = Reader(skip_bad=skip_bad)
        yield ChatFile(name=str(file), turns=read_file(file, reader=reader), reader=reader)


async def _pieces(turns: "Iterator[Turn]") -> "AsyncIterator[list[Turn]]":
    """The turns of a chat in the pieces that are written: each is read and parsed off the event loop."""
    from anyio.to_thread import run_sync

    from remembrancer.workers.importing import import_batches

    batches = import_batches(turns)
    while batch := await run_sync(lambda: next(batches, None)):
        yield batch
