"""Commands that change what is remembered: import, save, record, edit, delete, restore."""

import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from remembrancer.cli.output import line, moment, print_json
from remembrancer.cli.target import Target, targeted
from remembrancer.errors import InvalidInput

if TYPE_CHECKING:
    from remembrancer.importers.turns import Turn
    from remembrancer.memory import Memory
    from remembrancer.model.record import Message, Observation, Record
    from remembrancer.model.saved import Saved

STANDARD_INPUT = "-"
SECONDS_BETWEEN_REPORTS = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What an import did."""

    created: int
    deduped: int
    unembedded: int
    skipped: list[tuple[str, str]]


@click.command("import")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--vectors", is_flag=True, help="Make the vectors too; else `reindex` or an open memory makes them.")
@targeted
def import_(target: Target, paths: tuple[str, ...], vectors: bool) -> None:
    """Import chats from files, folders, or standard input (-).

    Reads JSONL (a message a line), arrays of messages, {"messages": [...]}, and the shapes of LoCoMo, LongMemEval, BEAM
    and RealMem. Run again, or after an interruption, it imports what is new and nothing twice.
    """
    report = target.run(lambda memory: _import(memory, paths, vectors), create=True)
    if target.json:
        print_json(asdict(report))
        return
    for name, reason in report.skipped:
        click.echo(f"skipped {name}: {reason}", err=True)
    click.echo(f"{report.created} turns imported, {report.deduped} were there already")
    if report.unembedded:
        click.echo(f"{report.unembedded} wordings have no vectors yet; `remembrancer reindex` makes them")


async def _import(memory: "Memory", paths: tuple[str, ...], vectors: bool) -> Report:
    from anyio.to_thread import run_sync

    from remembrancer.importers.files import chat_files, read_file, read_stream

    named = [Path(path) for path in paths if path != STANDARD_INPUT]
    files = await run_sync(lambda: [file for path in named for file in chat_files(path)])
    skipped: list[tuple[str, str]] = []
    reporter = Reporter("imported", len(files))
    counts: list[tuple[int, int]] = []
    if STANDARD_INPUT in paths:
        counts.append(await _turns(memory, read_stream(sys.stdin, name="standard input"), reporter))
    for file in files:
        try:
            counts.append(await _turns(memory, read_file(file), reporter))
        except InvalidInput as error:
            if len(files) == 1:
                raise
            skipped.append((str(file), str(error)))
        reporter.next_file()
    reporter.end()
    if vectors and memory.has_embedder:
        await embed_with_bar(memory)
    return Report(
        created=sum(created for created, _ in counts),
        deduped=sum(deduped for _, deduped in counts),
        unembedded=await memory.unembedded() if memory.has_embedder else 0,
        skipped=skipped,
    )


async def _turns(memory: "Memory", turns: "Iterator[Turn]", reporter: "Reporter") -> tuple[int, int]:
    from anyio.to_thread import run_sync

    from remembrancer.workers.importing import import_batches

    created = deduped = 0
    batches = import_batches(turns)
    # A chat is read and parsed while its next piece is asked for: off the event loop.
    while batch := await run_sync(lambda: next(batches, None)):
        imported = await memory.import_turns(batch)
        created, deduped = created + imported.created, deduped + imported.deduped
        reporter.add(len(batch))
    return created, deduped


@click.command()
@click.argument("text")
@click.option(
    "--type", "type_", default="discovery", metavar="TYPE", help="profile, preference, decision, pattern or discovery."
)
@click.option("--title", default="", help="A short title; else the text's first line.")
@click.option("--topic-key", help="A stable name: a later save under it replaces this one.")
@click.option("--session", help="The session it belongs to.")
@click.option("--tag", "tags", multiple=True, help="A tag; may be repeated.")
@click.option("--evidence", multiple=True, metavar="ID", help="A memory it rests on; may be repeated.")
@click.option("--key", help="An idempotency key: the same key again writes nothing.")
@targeted
def save(
    target: Target,
    text: str,
    type_: str,
    title: str,
    topic_key: str | None,
    session: str | None,
    tags: tuple[str, ...],
    evidence: tuple[str, ...],
    key: str | None,
) -> None:
    """Save a claim; - reads the text from standard input."""

    async def work(memory: "Memory") -> "Saved[Observation]":
        saved = await memory.save(
            _text(text),
            type=type_,
            title=title,
            topic_key=topic_key,
            session=session,
            tags=tags,
            evidence=evidence,
            source="user",
            key=key,
        )
        await memory.embed_soon()
        return saved

    _print_saved(target, target.run(work, create=True))


@click.command()
@click.argument("text")
@click.option("--role", default="user", metavar="ROLE", help="user, assistant, system or tool.")
@click.option("--speaker", default="", help="The name of who said it.")
@click.option("--session", help="The session; else the unnamed one that is active.")
@click.option("--at", metavar="TIME", help="When it was said; now, if not given.")
@click.option("--key", help="An idempotency key: the same key again writes nothing.")
@targeted
def record(
    target: Target, text: str, role: str, speaker: str, session: str | None, at: str | None, key: str | None
) -> None:
    """Record what was said; - reads the text from standard input."""
    when = moment(at)

    async def work(memory: "Memory") -> "Saved[Message]":
        saved = await memory.record(
            _text(text), role=role, speaker=speaker, session=session, occurred_at=when, source="user", key=key
        )
        await memory.embed_soon()
        return saved

    _print_saved(target, target.run(work, create=True))


@click.command()
@click.argument("id")
@click.option("--text", help="The new wording; - reads it from standard input.")
@click.option("--title")
@click.option("--type", "type_", metavar="TYPE")
@click.option("--tag", "tags", multiple=True, help="Replaces the tags; may be repeated.")
@targeted
def edit(
    target: Target, id: str, text: str | None, title: str | None, type_: str | None, tags: tuple[str, ...]
) -> None:
    """Change an observation; the earlier wording is kept."""

    async def work(memory: "Memory") -> "Saved[Observation]":
        new = None if text is None else _text(text)
        saved = await memory.edit(id, text=new, title=title, type=type_, tags=tags or None)
        await memory.embed_soon()
        return saved

    _print_saved(target, target.run(work))


@click.command()
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--now", "erase", is_flag=True, help="For good: nothing of it stays, and it cannot be restored.")
@targeted
def delete(target: Target, ids: tuple[str, ...], erase: bool) -> None:
    """Take memories out of every read; `restore` brings them back."""

    async def work(memory: "Memory") -> None:
        for id in ids:
            await memory.delete(id, erase=erase)

    target.run(work)
    if target.json:
        print_json({"deleted": list(ids), "erased": erase})
    else:
        click.echo(f"{'erased' if erase else 'deleted'} {', '.join(ids)}")


@click.command()
@click.argument("id")
@targeted
def restore(target: Target, id: str) -> None:
    """Bring a deleted memory back."""
    found = target.run(lambda memory: memory.restore(id))
    _print_record(target, found)


async def embed_with_bar(memory: "Memory") -> int:
    """Make the missing vectors, with a bar on a terminal and a line now and then elsewhere."""
    missing = await memory.unembedded()
    if not missing:
        return 0
    reporter = Reporter(f"vectors made, of {missing}:", 1)
    made = await memory.embed(progress=reporter.add)
    reporter.end()
    return made


def _text(text: str) -> str:
    return sys.stdin.read().strip() if text == STANDARD_INPUT else text


def _print_saved(target: Target, saved: "Saved[Message] | Saved[Observation]") -> None:
    from remembrancer.model.forms import compact

    if target.json:
        print_json({"outcome": saved.outcome.value, **compact(saved.record)})
    else:
        click.echo(f"{saved.outcome.value}  {line(saved.record)}")


def _print_record(target: Target, found: "Record") -> None:
    from remembrancer.model.forms import compact

    if target.json:
        print_json(compact(found))
    else:
        click.echo(line(found))


class Reporter:
    """A line of progress on standard error, kept up to date on a terminal, repeated now and then elsewhere."""

    def __init__(self, verb: str, files: int) -> None:
        self._verb = verb
        self._files = files
        self._done = 0
        self._file = 1
        self._last = time.monotonic()
        self._live = sys.stderr.isatty()

    def add(self, count: int) -> None:
        """Some more are done."""
        self._done += count
        if self._live or time.monotonic() - self._last > SECONDS_BETWEEN_REPORTS:
            self._last = time.monotonic()
            of = f", file {self._file} of {self._files}" if self._files > 1 else ""
            start = "\r" if self._live else ""
            click.echo(f"{start}{self._verb} {self._done}{of}", err=True, nl=not self._live)

    def next_file(self) -> None:
        """Another file begins."""
        self._file += 1

    def end(self) -> None:
        """No more comes."""
        if self._live and self._done:
            click.echo("", err=True)
