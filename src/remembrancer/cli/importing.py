"""The command that imports chats."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

import click

from remembrancer.cli.errors import INTERRUPTED
from remembrancer.cli.output import numbered, print_json, shown
from remembrancer.cli.progress import Reporter, embed_with_bar
from remembrancer.cli.target import CommandRefused, Target, targeted
from remembrancer.cli.typed import STANDARD_INPUT, bytes_typed
from remembrancer.errors import InvalidInput
from remembrancer.types.paths import path_of

if TYPE_CHECKING:
    from remembrancer.ingest.chats import Differing, ImportedFile
    from remembrancer.ingest.importers.files import ChatFile
    from remembrancer.ingest.importers.reader import LeftOut, Unread
    from remembrancer.memory import Memory

SOMETHING_LOST = 11
_SHOWN_OF_A_FILE = 20
_UNITS = ("bytes", "KB", "MB", "GB")


@dataclass(slots=True, kw_only=True)
class _Course:
    """How far an import has come.

    Attributes:
        dealt: how many messages were dealt with.
        kinds: how many memories of each kind came from exports of ours.
        skipped: files that were passed over, with the reason.
        unread: what could not be read as it stands, by file; `left_out` what was not taken, and `differing` the
            conversations that are not what was imported from their place before.
    """

    created: int = 0
    deduped: int = 0
    erased: int = 0
    dealt: int = 0
    kinds: Counter[str] = field(default_factory=Counter[str])
    skipped: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    unread: "list[tuple[str, Unread]]" = field(default_factory=list)
    left_out: "list[tuple[str, LeftOut]]" = field(default_factory=list)
    differing: "list[tuple[str, Differing]]" = field(default_factory=list)

    @property
    def lost(self) -> bool:
        """Whether anything was not taken."""
        return bool(self.skipped or self.left_out)

    def take(self, name: str, done: "ImportedFile") -> None:
        """A file is done."""
        self.created += done.created
        self.deduped += done.deduped
        self.erased += done.erased
        self.kinds.update(done.kinds)
        self.unread += [(name, one) for one in done.unread]
        self.left_out += [(name, one) for one in done.left_out]
        self.differing += [(name, one) for one in done.differing]


class _NothingImported(Exception):
    """All that was read was left out: a store that was made for it goes again."""


@click.command("import")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--skip-bad", is_flag=True, help="Leave out what cannot be taken, and say where it stands and why.")
@click.option("--vectors", is_flag=True, help="Make the vectors too; else `reindex` or an open memory makes them.")
@targeted
def import_(target: Target, paths: tuple[str, ...], skip_bad: bool, vectors: bool) -> None:
    """Import chats, or exports of our own, from files, folders, pipes, or standard input (-).

    Reads JSONL (a message a line), arrays of messages, objects that hold messages, exports of ChatGPT and Claude, logs
    of agents. Of `export`, in JSON lines, JSON-LD or CSV, every memory comes back as it was, into the scope that is
    named. Run again, or after an interruption, it imports what is new and nothing twice. A file is checked before
    any of it is imported; what is not taken is told with file, line and reason, and the exit code is 11.
    """
    if "" in paths:
        raise click.UsageError("a path is empty; name a file, a folder, or - for standard input")
    course = _Course()

    async def work(memory: "Memory") -> int:
        unembedded = await _import(memory, paths, course, skip_bad=skip_bad, vectors=vectors)
        if not (course.created or course.deduped or course.erased):
            raise _NothingImported
        return unembedded

    unembedded = 0
    try:
        unembedded = target.run(work, create=True)
    except _NothingImported:
        pass
    except CommandRefused as refused:
        if refused.exit_code != INTERRUPTED:
            raise
        so_far = f"{numbered(course.dealt, 'message')} dealt with so far, which stay"
        raise CommandRefused(f"interrupted; {so_far}; the same command goes on from there", INTERRUPTED) from None
    if target.json:
        print_json(_as_json(course, unembedded))
    else:
        _print(course, unembedded)
    if course.lost:
        click.get_current_context().exit(SOMETHING_LOST)


def _as_json(course: _Course, unembedded: int) -> dict[str, object]:
    return {
        "created": course.created,
        "deduped": course.deduped,
        "erased": course.erased,
        "kinds": dict(course.kinds),
        "unembedded": unembedded,
        "skipped": course.skipped,
        **{
            name: [{"file": file, **asdict(one)} for file, one in told]
            for name, told in (
                ("unread", course.unread),
                ("left_out", course.left_out),
                ("differing", course.differing),
            )
        },
    }


def _print(course: _Course, unembedded: int) -> None:
    for line in (*_told_of_loss(course), *_told_of_reading(course)):
        click.echo(shown(line), err=True)
    there = "1 was there already" if course.deduped == 1 else f"{course.deduped:,} were there already"
    noun = "memory" if course.kinds else "message"
    erased = f"; {numbered(course.erased, noun)} erased before stayed away" if course.erased else ""
    of = f" ({', '.join(f'{count:,} {kind}' for kind, count in course.kinds.items())})" if course.kinds else ""
    click.echo(f"{numbered(course.created, noun)} imported{of}, {there}{erased}")
    if unembedded:
        wordings = "1 wording has" if unembedded == 1 else f"{unembedded:,} wordings have"
        click.echo(f"{wordings} no vectors yet; `remembrancer reindex` makes them")


def _told_of_loss(course: _Course) -> Iterator[str]:
    for name, reason in course.skipped:
        yield f"skipped {name}: {reason}"
    by_file: dict[str, list[LeftOut]] = {}
    for name, one in course.left_out:
        by_file.setdefault(name, []).append(one)
    for name, left in by_file.items():
        for one in left[:_SHOWN_OF_A_FILE]:
            place = ", ".join(filter(None, (name, one.where)))
            yield f"left out {place}: {one.reason}"
        if len(left) > _SHOWN_OF_A_FILE:
            yield f"left out {name}: {len(left) - _SHOWN_OF_A_FILE:,} more, which --json tells"


def _told_of_reading(course: _Course) -> Iterator[str]:
    from remembrancer.ingest.importers.reader import INSTEAD

    for name, one in course.differing:
        if one.apart:
            taken = f"taken as a new conversation, session {one.session!r}"
            yield f"{name} is not what was imported from there before: {taken}"
        else:
            gone = f"{numbered(one.missing, 'message')} that was imported stands in it no more, and stays"
            if one.missing != 1:
                gone = f"{one.missing:,} messages that were imported stand in it no more, and stay"
            yield f"{name} was changed since it was imported: {one.new:,} new in session {one.session!r}; {gone}"
    for name, unread in course.unread:
        yield f"{name}: {unread.gap} ({unread.count}), such as {unread.example}: {INSTEAD[unread.gap]}"


async def _import(memory: "Memory", paths: tuple[str, ...], course: _Course, *, skip_bad: bool, vectors: bool) -> int:
    """Import every file, and say how many wordings have no vectors."""
    from anyio.to_thread import run_sync

    files = await run_sync(lambda: list(_files(paths, course)))
    _tell_sizes(files)
    reporter = Reporter("imported", len(files))

    def told(count: int) -> None:
        course.dealt += count
        reporter.add(count)

    for file in files:
        try:
            course.take(file.name, await memory.messages.import_file(file, skip_bad=skip_bad, progress=told))
        except InvalidInput as error:
            if len(files) == 1 and not course.skipped:
                raise
            course.skipped.append((file.name, str(error)))
        reporter.next_file()
    reporter.end()
    if not (course.created or course.deduped or course.erased or course.lost):
        raise InvalidInput(f"no messages in {', '.join(repr(path) for path in paths[:3])}: nothing was imported")
    if vectors and memory.upkeep.has_embedder:
        await embed_with_bar(memory)
    return await memory.upkeep.unembedded() if memory.upkeep.has_embedder else 0


def _files(paths: tuple[str, ...], course: _Course) -> "Iterator[ChatFile]":
    """Standard input, where it is named, and every file; those that cannot be opened are passed over.

    Raises:
        InvalidInput: the one file that is named cannot be opened, or a path is not there.
    """
    from remembrancer.ingest.importers.files import ChatFile, chat_files

    if STANDARD_INPUT in paths:
        yield ChatFile.of(bytes_typed(), name="standard input")
    found = [file for path in paths if path != STANDARD_INPUT for file in chat_files(path_of(path))]
    for file in found:
        try:
            yield ChatFile.at(file)
        except InvalidInput as error:
            if len(found) == 1:
                raise
            course.skipped.append((str(file), str(error)))


def _tell_sizes(files: "Sequence[ChatFile]") -> None:
    """Say beforehand how much there is to read, where it is more than one file."""
    if len(files) > 1:
        click.echo(f"{len(files):,} files, {_size(sum(file.size for file in files))}", err=True)


def _size(count: float) -> str:
    for unit in _UNITS[:-1]:
        if count < 1_000:
            return f"{count:.0f} {unit}"
        count /= 1_000
    return f"{count:,.1f} {_UNITS[-1]}"
