"""`import`: chats, and exports of our own."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING

import click

from remembrancer.cli.group import SectionedCommand
from remembrancer.cli.output import numbered, print_json
from remembrancer.cli.progress import Reporter, embed_missing, missing_vectors
from remembrancer.cli.standard_input import STANDARD_INPUT, binary_input
from remembrancer.cli.target import INCOMPLETE, INTERRUPTED, CommandRefused, Target, ended, targeted
from remembrancer.errors import InvalidInput
from remembrancer.types.arguments import path_of
from remembrancer.types.text import shown

if TYPE_CHECKING:
    from datetime import tzinfo

    from remembrancer.ingest.file_import import ChangedConversation, ImportedFile
    from remembrancer.ingest.importers.files import ChatFile
    from remembrancer.ingest.importers.reader import SkippedItem, UnreadField
    from remembrancer.memory import Memory

_SHOWN_OF_A_FILE = 20
_UNITS = ("bytes", "KB", "MB", "GB")


@dataclass(slots=True, kw_only=True)
class _ImportProgress:
    """The files that were imported so far.

    Attributes:
        messages: the number of messages that were read.
        kinds: the number of memories of each kind from exports of ours.
        skipped: files that were not read, with the reason.
        unread: parts that could not be read as they are, by file.
        left_out: lines that were not imported, by file.
        differing: conversations that differ from those that were imported from the same place before, by file.
    """

    created: int = 0
    deduped: int = 0
    erased: int = 0
    messages: int = 0
    kinds: Counter[str] = field(default_factory=Counter[str])
    skipped: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    unread: "list[tuple[str, UnreadField]]" = field(default_factory=list)
    left_out: "list[tuple[str, SkippedItem]]" = field(default_factory=list)
    differing: "list[tuple[str, ChangedConversation]]" = field(default_factory=list)

    @property
    def is_incomplete(self) -> bool:
        """Return True if something was not imported."""
        return bool(self.skipped or self.left_out)

    @property
    def is_empty(self) -> bool:
        """Return True if nothing was imported, and nothing was there already."""
        return not (self.created or self.deduped or self.erased)

    def add(self, name: str, imported: "ImportedFile") -> None:
        """Count a file that was imported."""
        self.created += imported.created
        self.deduped += imported.deduped
        self.erased += imported.erased
        self.kinds.update(imported.kinds)
        self.unread += [(name, one) for one in imported.unread]
        self.left_out += [(name, one) for one in imported.left_out]
        self.differing += [(name, one) for one in imported.differing]


class _NothingImported(Exception):
    """Everything was left out: a store that was made for it is removed again."""


@click.command("import", cls=SectionedCommand, short_help="Import chats, or exports of our own.")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--from", "form", default="auto", show_default=True, metavar="FORM", help="The form of the files.")
@click.option("--time-zone", metavar="NAME", help="The time zone of times without one, such as Europe/Berlin.")
@click.option(
    "--map", "pairs", multiple=True, metavar="FIELD=NAME", help="In CSV or JSON lines, the name of text, role, time, …"
)
@click.option("--dry-run", is_flag=True, help="Print what would be imported, and import nothing.")
@click.option("--skip-bad", is_flag=True, help="Leave out bad lines, and print where they are and why.")
@click.option(
    "--vectors", is_flag=True, help="Make the vectors too; by default `admin index embed` or an open memory does."
)
@targeted
def import_(
    target: Target,
    paths: tuple[str, ...],
    form: str,
    time_zone: str | None,
    pairs: tuple[str, ...],
    dry_run: bool,
    skip_bad: bool,
    vectors: bool,
) -> None:
    """Import chats and memories, of other programs or our own, from files, folders, archives, pipes, or - (input).

    The form is recognised by the content: exports of ChatGPT, Claude, WhatsApp, Telegram, Slack, Discord, mail; logs
    of coding agents; memories of Mem0, Letta, Graphiti, engram, LangGraph, MCP; notes in Markdown; tables; messages in
    JSON. SQLite files of such programs are read, and postgresql://… for LangGraph and Mem0. An `export` restores
    every memory, in the scope that is named. A second run, or one after an interruption, imports only what is new. A
    file is checked before any of it is imported; what is not imported is printed, and the exit code is 11.
    """
    if "" in paths:
        raise click.UsageError("a path is empty; name a file, a folder, or - for standard input")
    reading = _Reading(form=form, zone=_zone(time_zone), mapping=_mapping(pairs), skip_bad=skip_bad)
    progress = _ImportProgress()
    if dry_run:
        ended(lambda: _preview(target, paths, reading, progress))
        return

    async def work(memory: "Memory") -> int:
        missing = await _import(memory, paths, progress, reading, vectors=vectors)
        if progress.is_empty:
            raise _NothingImported
        return missing

    missing = 0
    try:
        missing = target.run(work, create=True)
    except _NothingImported:
        pass
    except CommandRefused as refusal:
        if refusal.exit_code != INTERRUPTED:
            raise
        so_far = f"{numbered(progress.messages, 'message')} processed so far, which stay"
        raise CommandRefused(f"interrupted; {so_far}; the same command goes on from there", INTERRUPTED) from None
    if target.json:
        print_json(_as_json(progress, missing))
    else:
        _print(progress, missing)
    if progress.is_incomplete:
        click.get_current_context().exit(INCOMPLETE)


def _as_json(progress: _ImportProgress, missing: int) -> dict[str, object]:
    by_file = {"unread": progress.unread, "left_out": progress.left_out, "differing": progress.differing}
    return {
        "created": progress.created,
        "deduped": progress.deduped,
        "erased": progress.erased,
        "kinds": dict(progress.kinds),
        "unembedded": missing,
        "skipped": progress.skipped,
        **{name: [{"file": file, **asdict(one)} for file, one in found] for name, found in by_file.items()},
    }


def _print(progress: _ImportProgress, missing: int) -> None:
    for line in (*_lost_lines(progress), *_reading_lines(progress)):
        click.echo(shown(line), err=True)
    there = "1 was there already" if progress.deduped == 1 else f"{progress.deduped:,} were there already"
    noun = "memory" if progress.kinds else "message"
    erased = f"; {numbered(progress.erased, noun)} erased before stayed away" if progress.erased else ""
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in progress.kinds.items())
    of = f" ({kinds})" if kinds else ""
    click.echo(f"{numbered(progress.created, noun)} imported{of}, {there}{erased}")
    if missing:
        click.echo(missing_vectors(missing))


def _lost_lines(progress: _ImportProgress) -> Iterator[str]:
    for name, reason in progress.skipped:
        yield f"skipped {name}: {reason}"
    by_file: dict[str, list[SkippedItem]] = {}
    for name, one in progress.left_out:
        by_file.setdefault(name, []).append(one)
    for name, left in by_file.items():
        for one in left[:_SHOWN_OF_A_FILE]:
            place = ", ".join(filter(None, (name, one.where)))
            yield f"left out {place}: {one.reason}"
        if len(left) > _SHOWN_OF_A_FILE:
            yield f"left out {name}: {len(left) - _SHOWN_OF_A_FILE:,} more, which --json lists"


def _reading_lines(progress: _ImportProgress) -> Iterator[str]:
    from remembrancer.ingest.importers.reader import GAP_HANDLING

    for name, one in progress.differing:
        if one.apart:
            new = f"imported as a new conversation, session {one.session!r}"
            yield f"{name} is not the file that was imported before: {new}"
        else:
            missing = "1 imported message is" if one.missing == 1 else f"{one.missing:,} imported messages are"
            new = f"{one.new:,} new in session {one.session!r}"
            stays = "stays" if one.missing == 1 else "stay"
            yield f"{name} was changed since it was imported: {new}; {missing} no longer in it, and {stays}"
    for name, unread in progress.unread:
        yield f"{name}: {unread.gap} ({unread.count}), such as {unread.example}: {GAP_HANDLING[unread.gap]}"


async def _import(
    memory: "Memory", paths: tuple[str, ...], progress: _ImportProgress, reading: "_Reading", *, vectors: bool
) -> int:
    """Import every file; return how many wordings have no vectors."""
    from anyio.to_thread import run_sync

    files = await run_sync(lambda: list(_files(paths, progress, reading)))
    _print_sizes(files)
    reporter = Reporter("imported", len(files))

    def count_messages(count: int) -> None:
        progress.messages += count
        reporter.add(count)

    for file in files:
        try:
            imported = await memory.messages.import_file(file, skip_bad=reading.skip_bad, progress=count_messages)
            progress.add(file.name, imported)
        except InvalidInput as error:
            if len(files) == 1 and not progress.skipped:
                raise
            progress.skipped.append((file.name, str(error)))
        reporter.next_file()
    reporter.end()
    if progress.is_empty and not progress.is_incomplete:
        kinds = [f"{one.gap} ({one.count}), such as {one.example}" for _, one in progress.unread[:3]]
        instead = f"; there is {'; '.join(kinds)}" if kinds else ""
        raise InvalidInput(
            f"no messages in {', '.join(repr(path) for path in paths[:3])}: nothing was imported{instead}"
        )
    if vectors:
        await embed_missing(memory)
    return await memory.admin.index.missing() if memory.admin.index.has_embedder else 0


def _files(paths: tuple[str, ...], progress: _ImportProgress, reading: "_Reading") -> "Iterator[ChatFile]":
    """Yield standard input, where it is named, and every file that can be opened; of an archive its members.

    Raises:
        InvalidInput: the only file cannot be opened, or a path does not exist.
    """
    from remembrancer.ingest.importers.files import ChatFile, chat_files
    from remembrancer.open import foreign_database, foreign_tables

    def read(file: ChatFile) -> list[ChatFile]:
        return [reading.of(one) for one in (file.members() if file.is_packed() else [file])]

    if STANDARD_INPUT in paths:
        yield from read(ChatFile.of(binary_input(), name="standard input"))
    for address in (path for path in paths if "://" in path):
        yield from map(reading.of, foreign_tables(address))
    places = [path for path in paths if path != STANDARD_INPUT and "://" not in path]
    found = [(file, path_of(path)) for path in places for file in chat_files(path_of(path))]
    for file, path in found:
        try:
            base = path if path != file else None
            yield from read(foreign_database(str(file)) or ChatFile.at(file, base=base))
        except InvalidInput as error:
            if len(found) == 1:
                raise
            progress.skipped.append((str(file), str(error)))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """The reading of the files.

    Args:
        form: of all of them, or `auto`.
        zone: of times without one.
        mapping: the name in the files of each field of a message.
    """

    form: str
    zone: "tzinfo | None"
    mapping: "Mapping[str, str]"
    skip_bad: bool

    def of(self, file: "ChatFile") -> "ChatFile":
        """Return a file that is read so."""
        return replace(file, form=self.form, zone=self.zone, mapping=self.mapping)


def _zone(name: str | None) -> "tzinfo | None":
    from remembrancer.ingest.importers.files import zone_named

    try:
        return None if name is None else zone_named(name)
    except InvalidInput as error:
        raise click.UsageError(str(error)) from None


def _mapping(pairs: tuple[str, ...]) -> dict[str, str]:
    from remembrancer.ingest.importers.files import FIELDS

    found: dict[str, str] = {}
    for pair in pairs:
        field, _, name = pair.partition("=")
        if field not in FIELDS or not name:
            raise click.UsageError(f"--map {pair!r}: write FIELD=NAME; the fields are {', '.join(FIELDS)}")
        found[field] = name
    return found


def _preview(target: Target, paths: tuple[str, ...], reading: "_Reading", progress: _ImportProgress) -> None:
    """Print what an import would read: by file its form, counts, what is left out, and a sample."""
    from remembrancer.ingest.preview import FilePreview, preview

    found = list[FilePreview]()
    for file in _files(paths, progress, reading):
        try:
            found.append(preview(file, skip_bad=reading.skip_bad))
        except InvalidInput as error:
            progress.skipped.append((file.name, str(error)))
    progress.unread = [(one.name, gap) for one in found for gap in one.unread]
    progress.left_out = [(one.name, left) for one in found for left in one.left_out]
    if target.json:
        print_json({"files": [asdict(one) for one in found], "skipped": progress.skipped})
    else:
        for line in (*_lost_lines(progress), *_reading_lines(progress)):
            click.echo(shown(line), err=True)
        for one in found:
            for line in one.lines():
                click.echo(shown(line))
        messages, memories = (sum(getattr(one, name) for one in found) for name in ("messages", "memories"))
        click.echo(
            f"{numbered(messages, 'message')} and {numbered(memories, 'memory')} would be read; nothing was imported"
        )
    if progress.is_incomplete:
        click.get_current_context().exit(INCOMPLETE)


def _print_sizes(files: "Sequence[ChatFile]") -> None:
    """Print beforehand how much there is to read, if it is more than one file."""
    if len(files) > 1:
        click.echo(f"{len(files):,} files, {_size(sum(file.size for file in files))}", err=True)


def _size(count: float) -> str:
    for unit in _UNITS[:-1]:
        if count < 1_000:
            return f"{count:.0f} {unit}"
        count /= 1_000
    return f"{count:,.1f} {_UNITS[-1]}"
