"""Commands of operations on memories that need more than a call and a print of its result."""

from collections.abc import AsyncIterable, Generator
from contextlib import aclosing, contextmanager
from dataclasses import replace
from threading import Timer
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from remembrancer.cli import model_text
from remembrancer.cli.commands import OperationCall, behaviour, flag
from remembrancer.cli.group import SectionedCommand
from remembrancer.cli.output import on_terminal, print_json, print_left_out, print_notes
from remembrancer.cli.records import line, scope_line
from remembrancer.cli.results import as_json, page_lines, print_result, recalled_lines, session_line
from remembrancer.cli.target import Target, targeted
from remembrancer.operations import OPERATIONS
from remembrancer.types.results import scope_form
from remembrancer.types.text import shown

if TYPE_CHECKING:
    from remembrancer.context.citations import Answer
    from remembrancer.context.report import Context, Report
    from remembrancer.memory import Memory
    from remembrancer.types.session import Session

R = TypeVar("R")
_SLOW_SECONDS = 2.0
_NO_MODEL = (
    "no model is configured, so nothing was done, and this shows what the task recalls; set REMEMBRANCER_MODEL to one,"
    " such as openai:gpt-5-nano"
)


def size_option(default: str = "compact") -> click.Option:
    """Return the option of a command for the size of the records that it prints."""
    sizes = ["compact", "full", "public"] if default == "full" else ["compact", "public"]
    help = "compact, about 100 tokens each, or public, which is all but the hash."
    return click.Option(
        ["--size"], type=click.Choice(sizes), default=default, show_default=True, metavar="SIZE", help=help
    )


_STREAM = flag("--stream", "Print the answer as it comes; whether it is supported is printed at its end.")


@behaviour("record")
def record(call: OperationCall) -> None:
    """Record a message; one without text has content in parts or calls of tools."""
    values = call.values
    if "text" not in values and not values.keys() & {"content", "tool_calls"}:
        raise click.UsageError("pass a TEXT, --content or --tool-calls")
    call = replace(call, values={"text": "", **values})
    print_result(call.target, call.run(), name=call.operation.name)


@behaviour("edit", flag("--no-tags", "Remove all tags."))
def edit(call: OperationCall, *, no_tags: bool) -> None:
    """Edit an observation."""
    call = replace(call, values={**call.values, "tags": []}) if no_tags else call
    print_result(call.target, call.run(), name=call.operation.name)


@behaviour("get", size_option("full"))
def get(call: OperationCall, *, size: str) -> None:
    """Print one memory."""
    print_result(call.target, call.run(), name=call.operation.name, size=size)


@behaviour("list", size_option())
def list_(call: OperationCall, *, size: str) -> None:
    """Print a page of memories; each with its scope, if they are of many."""
    page, scopes = call.run(), call.values.get("all_scopes", False)
    if not call.target.json:
        _print_lines(page_lines(page, size=size, scopes=scopes))
        return
    records = [
        {**as_json(one, size=size), **({"scope": scope_form(one.scope)} if scopes else {})} for one in page.records
    ]
    print_json({"records": records, "cursor": page.cursor})


@behaviour("sessions.list")
def list_sessions(call: OperationCall) -> None:
    """Print sessions; each with its scope, if they are of many."""
    sessions: list[Session] = call.run()
    if call.target.json:
        print_json(as_json(sessions))
        return
    for session in sessions:
        click.echo(session_line(session))
        if call.values.get("all_scopes"):
            click.echo(f"          {scope_line(session.scope)}")


@behaviour("sessions.start")
def start(call: OperationCall) -> None:
    """Start a session, and name the memories that its brief has no room for."""
    started = call.run()
    print_result(call.target, started, name=call.operation.name)
    if not call.target.json:
        print_left_out("memories", started.dropped)


@behaviour("recall", flag("--factors", "Show the factors of the rank of each hit."), size_option())
def recall(call: OperationCall, *, factors: bool, size: str) -> None:
    """Print the hits, best first."""
    recalled = call.run()
    if call.target.json:
        print_json(as_json(recalled, size=size))
        return
    print_notes(recalled.notes)
    _print_lines(recalled_lines(recalled, factors=factors, size=size))


@behaviour("ask", _STREAM)
def ask(call: OperationCall, *, stream: bool) -> None:
    """Print an answer with its citations."""
    answer: Answer = call.run(lambda memory: _streamed(call, memory) if stream else call.on(memory))
    if call.target.json:
        print_json(as_json(answer))
        return
    print_notes(answer.notes)
    _print_answer(answer, streamed=stream)


@behaviour("sessions.execute", _STREAM)
def execute(call: OperationCall, *, stream: bool) -> None:
    """Print the model's answer to a task, and on standard error the memories that it read and the price."""

    async def work(memory: "Memory") -> Any:
        if not memory.sessions.has_model:
            return await memory.recall(call.values["task"])
        return await (_streamed(call, memory) if stream else call.on(memory))

    found = call.run(work)
    if not call.target.json:
        print_notes(found.notes)
    if not hasattr(found, "session"):
        click.echo(f"note: {_NO_MODEL}", err=True)
        print_result(call.target, found, name="recall")
        return
    if call.target.json:
        print_json(as_json(found))
        return
    if not stream:
        click.echo(shown(found.text))
    if found.reflection:
        click.echo(f"reflected  {line(found.reflection)}", err=True)
    click.echo(f"read       {' '.join(found.memories) or 'no memory'}", err=True)
    click.echo(f"paid       {model_text.price_line(found)}", err=True)
    click.echo(f"all of it is kept in session {shown(found.session)}", err=True)


@behaviour(
    "context",
    flag("--marks", "With --json: messages with the cache marks that Anthropic wants."),
    flag("--report", "Print the tokens of each part on standard error."),
)
def context(call: OperationCall, *, marks: bool, report: bool) -> None:
    """Print a context as it goes into a prompt."""

    async def work(memory: "Memory") -> "Context":
        with _note_when_slow("observing the messages since the last time; it may be slow"):
            return await call.on(memory)

    found = call.run(work)
    if call.target.json:
        print_json({**as_json(found), **({"messages": found.messages(marks=True)} if marks else {})})
    else:
        print_context(found)
    if report:
        print_report(found.report)
    elif not call.target.json:
        _print_left_out(found.report)


@behaviour("restore")
def restore(call: OperationCall) -> None:
    """Restore a memory, and warn if a retention policy deletes it again."""

    async def work(memory: "Memory") -> tuple[Any, bool]:
        before = await _due(memory)
        return await call.on(memory), await _due(memory) > before

    record, is_due = call.run(work)
    print_result(call.target, record, name=call.operation.name)
    if is_due:
        click.echo(
            "note: its time by a retention policy is over: the next night deletes it again, unless it is under a legal"
            " hold or the policy is changed (`governance retention find-expired`)",
            err=True,
        )


@behaviour("observations.delete_many", flag("--yes", "Do not ask for confirmation."))
def delete_many(call: OperationCall, *, yes: bool) -> None:
    """Delete the memories that match a filter, after a confirmation."""
    is_dry = call.values.get("dry_run", False)
    if is_dry or not yes:
        plan = replace(call, values={**call.values, "dry_run": True})
        _print_deletion(call.target, plan.run(), "would delete", err=not is_dry)
        if is_dry:
            return
        confirm("delete them?")
    _print_deletion(call.target, call.run(), "deleted")


@behaviour("observations.restore_many")
def restore_many(call: OperationCall) -> None:
    """Restore the memories of one deletion."""
    found = call.run()
    if call.target.json:
        print_json({"restored": found.count, "refused": list(found.refused)})
        return
    click.echo(f"{found.count:,} restored")
    for id in found.refused:
        click.echo(f"{id} stays deleted: another memory has its place, or it was rejected", err=True)


@click.command(cls=SectionedCommand, short_help="Delete memories; `restore` brings them back.")
@click.argument("ids", nargs=-1, metavar="ID...")
@click.option("--topic-key", "keys", multiple=True, metavar="KEY", help="The topic key of a memory. May be repeated.")
@click.option("--revision", type=int, metavar="NUMBER", help="Only if it is still at this revision.")
@targeted
def delete(target: Target, ids: tuple[str, ...], keys: tuple[str, ...], revision: int | None) -> None:
    """Exclude memories from every read; `restore` brings them back.

    Until then their status is soft-deleted. `governance erasure erase` removes them permanently.
    """
    deleted: list[str] = []

    async def work(memory: "Memory") -> None:
        for id in ids:
            await memory.delete(id, revision=revision)
            deleted.append(id)
        for key in keys:
            await memory.delete(topic_key=key, revision=revision)
            deleted.append(key)

    if not ids and not keys:
        raise click.UsageError("name at least one memory, by its ID or by --topic-key")
    try:
        target.run(work)
    finally:
        # Also where the next one is refused.
        if target.json and deleted:
            print_json({"deleted": deleted})
        elif deleted:
            click.echo(f"deleted {', '.join(deleted)}")


def confirm(question: str) -> None:
    """Ask a question on the terminal; without a `yes` the command ends.

    Raises:
        UsageError: there is no terminal.
    """
    if not on_terminal():
        raise click.UsageError("there is no terminal to confirm on; pass --yes")
    click.confirm(question, abort=True, err=True)


def print_context(context: "Context") -> None:
    """Print the text of a context."""
    # Another program reads it byte for byte, or its seals would not match.
    click.echo(shown(context.text) if on_terminal() else context.text, nl=False)


def print_report(report: "Report") -> None:
    """Print the tokens of each part of a context on standard error."""
    exact = "" if report.exact else f", counted high by × {report.margin:g}"
    click.echo(f"tokens     {report.tokens:,} of {report.budget:,} ({report.tokenizer}{exact})", err=True)
    for slot, tokens in report.slots.items():
        click.echo(f"           {slot} {tokens:,}", err=True)
    part = f", {report.cacheable / report.tokens:.0%}" if report.tokens else ""
    click.echo(f"caps       {'  '.join(f'{name} {cap:,}' for name, cap in report.caps.items())}", err=True)
    click.echo(f"cacheable  {report.cacheable:,}{part}", err=True)
    covered = f"{report.covered:,} covered by {report.noted:,} tokens of notes"
    click.echo(f"messages   {report.raw:,} tokens raw; {covered}", err=True)
    _print_left_out(report)


def _print_left_out(report: "Report") -> None:
    for slot, ids in report.dropped.items():
        print_left_out(slot, ids)
    print_notes(report.notes)


def _print_lines(lines: Any) -> None:
    for one in lines:
        click.echo(one)


async def _streamed(call: OperationCall, memory: "Memory") -> Any:
    """Print the pieces of an answer as they come; return the last, which is the whole."""
    stream = OPERATIONS[f"{call.operation.name}_stream"].bound(memory)(**call.arguments)
    async with aclosing(stream) as pieces:
        return await _printed(call.target, pieces)


async def _printed(target: Target, pieces: "AsyncIterable[str | R]") -> R:
    is_begun, last = False, None
    try:
        async for piece in pieces:
            if not isinstance(piece, str):
                last = piece
            elif target.json:
                print_json({"piece": piece})
            else:
                click.echo(shown(piece), nl=False)
                is_begun = True
    finally:
        if is_begun:
            click.echo()
    return cast("R", last)


def _print_answer(answer: "Answer", *, streamed: bool) -> None:
    # Without a model the text is the lines that are cited; a streamed text is printed already, unless it is refused.
    is_answer = bool(answer.model) or not answer.citations
    if is_answer and not (streamed and (answer.known or not answer.model)):
        click.echo(shown(answer.text))
    for one in answer.citations:
        click.echo(f"[{one.label}] {one.id}  {shown(one.line)}")
    if answer.nearest:
        click.echo("the nearest misses:")
        for hit in answer.nearest:
            click.echo(f"    {hit.score:.3f}  {line(hit.record)}")
    if answer.model:
        click.echo(f"paid       {model_text.price_line(answer)}", err=True)


@contextmanager
def _note_when_slow(work: str) -> Generator[None, None, None]:
    """Print the kind of work on standard error if a block is slow."""
    timer = Timer(_SLOW_SECONDS, lambda: click.echo(f"note: {work} …", err=True))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


async def _due(memory: "Memory") -> int:
    """Return how many memories the next night deletes; 0 without a policy."""
    retention = memory.governance.retention
    return (await retention.run(dry_run=True)).expired if await retention.list() else 0


def _print_deletion(target: Target, deletion: Any, done: str, *, err: bool = False) -> None:
    at = None if deletion.deleted_at is None else deletion.deleted_at.isoformat()
    if target.json and not err:
        print_json(as_json(deletion))
        return
    for id in deletion.ids:
        click.echo(id, err=err)
    if deletion.count > len(deletion.ids):
        click.echo(f"and {deletion.count - len(deletion.ids):,} more", err=err)
    along = f"; {deletion.along:,} more that were drawn from these alone" if deletion.along else ""
    kept = f"; {deletion.held:,} more are under a legal hold" if deletion.held else ""
    click.echo(f"{done} {deletion.count:,}{along}{kept}", err=err)
    if at is not None:
        click.echo(f"to restore them: remembrancer observations restore-many {at}", err=err)
