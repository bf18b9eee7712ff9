"""Commands of notes, maintenance and indexes that need more than a call and a print of its result."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from remembrancer.cli import times
from remembrancer.cli.commands import OperationCall, behaviour, flag
from remembrancer.cli.output import listed, numbered, print_json
from remembrancer.cli.progress import StageReporter, embed_missing
from remembrancer.cli.records import note_lines, scope_line
from remembrancer.cli.results import as_json, chunk_line, print_result, stats_lines
from remembrancer.cli.target import INCOMPLETE, CommandRefused
from remembrancer.types.jobs import ACCEPTABLE, FAILED, MOST_TRIES
from remembrancer.types.text import shown

if TYPE_CHECKING:
    from remembrancer.memory import Memory
    from remembrancer.types.jobs import MaintenanceRun, MaintenanceStep
    from remembrancer.types.notes import Chunk
    from remembrancer.types.record import Observation
    from remembrancer.types.scope import Scope


@behaviour("notes.observe")
def observe(call: OperationCall) -> None:
    """Observe a session, and print the notes."""
    session = call.values["session"]

    async def work(memory: "Memory") -> "tuple[Any, list[tuple[Chunk, Sequence[Observation]]]]":
        before = {chunk.first for chunk in await memory.notes.chunks(session)}
        await call.on(memory)
        fresh = [chunk for chunk in await memory.notes.chunks(session) if chunk.first not in before]
        noted = [(chunk, await memory.notes.of_chunk(session, chunk.first)) for chunk in fresh]
        return await memory.sessions.stats(session), noted

    stats, noted = call.run(work)
    if call.target.json:
        runs = [{**as_json(chunk), "notes": [_note_json(note) for note in notes]} for chunk, notes in noted]
        print_json({**as_json(stats), "observed": runs})
        return
    for chunk, notes in noted:
        click.echo(chunk_line(chunk))
        _print_notes(notes)
    if not noted:
        click.echo("no message is waiting to be observed")
    _print_stats(stats)


@behaviour("notes.log")
def log(call: OperationCall) -> None:
    """Print the log of a session, with its numbers."""

    async def work(memory: "Memory") -> "tuple[Sequence[Observation], Any]":
        return await call.on(memory), await memory.sessions.stats(call.values["session"])

    notes, stats = call.run(work)
    if call.target.json:
        print_json({**as_json(stats), "log": [_note_json(note) for note in notes]})
        return
    _print_notes(notes)
    _print_stats(stats)


@behaviour("notes.reflect")
def reflect(call: OperationCall) -> None:
    """Consolidate logs, and print how many tokens fewer they have."""
    session = call.values.get("session")

    async def work(memory: "Memory") -> tuple[int, Any]:
        return await call.on(memory), await memory.sessions.stats(session) if session else None

    fewer, stats = call.run(work)
    if call.target.json:
        numbers: dict[str, object] = as_json(stats) if stats else {}
        print_json({"fewer": fewer, **numbers})
        return
    click.echo(f"{fewer:,} tokens fewer" if fewer else "nothing could be consolidated")
    if stats:
        _print_stats(stats)


@behaviour("notes.failed", flag("--retry", "Observe all of them again."))
def failed(call: OperationCall, *, retry: bool) -> None:
    """Print the runs of messages that no model could observe, or observe them again."""

    async def work(memory: "Memory") -> "Sequence[Chunk]":
        found = await call.on(memory)
        return [await memory.notes.retry(chunk.session, chunk.first) for chunk in found] if retry else found

    _print_chunks(call, call.run(work), retried=retry)


@behaviour("notes.retry")
def retry(call: OperationCall) -> None:
    """Observe one run of messages again."""
    _print_chunks(call, [call.run()], retried=True)


@behaviour("admin.maintenance.run")
def run(call: OperationCall) -> None:
    """Do the maintenance of a scope; the exit code is 11 if a step failed."""

    async def work(memory: "Memory") -> "tuple[Scope, MaintenanceRun | None, MaintenanceRun]":
        maintenance, reporter = memory.admin.maintenance, StageReporter()

        def progress(_scope: "Scope", step: "MaintenanceStep", count: int) -> None:
            reporter.add(step.value, f"{step.value}:", count)

        before = await maintenance.latest()
        night = await maintenance.run(progress=progress)
        reporter.end()
        return memory.scope, before, night

    scope, before, night = call.run(work)
    is_new = before is None or before.day != night.day or before.ended_at is None
    if call.target.json:
        print_json({**as_json(night), "scope": as_json(scope), "is_new": is_new})
    else:
        _print_run(night, scope, is_new=is_new)
    if night.failures:
        raise CommandRefused(f"{_steps_failed(night)}; {_next_try(night)}", INCOMPLETE)


@behaviour("admin.maintenance.dry_run")
def dry_run(call: OperationCall) -> None:
    """Print the work of the maintenance that is due."""
    preview = call.run()
    if call.target.json:
        print_json(as_json(preview))
    elif not preview.left:
        click.echo(f"the maintenance for {preview.day} was done already")
    else:
        click.echo(f"the maintenance for {preview.day} would do this; nothing is changed")
        _print_counts(preview.counts, preview.notes)


@behaviour("admin.doctor")
def doctor(call: OperationCall) -> None:
    """Print the faults of the store; the exit code is 11 if some are left."""
    found = call.run()
    if call.target.json:
        print_json(as_json(found))
    else:
        _print_diagnoses(found)
    if left := sum(not diagnosis.repaired for diagnosis in found):
        raise CommandRefused(f"{numbered(left, 'kind')} of fault left", INCOMPLETE)


@behaviour("admin.index.rebuild")
def rebuild(call: OperationCall) -> None:
    """Rebuild the text index, and make the missing vectors."""

    async def work(memory: "Memory") -> tuple[int, int]:
        words = await call.on(memory)
        return words, await embed_missing(memory) if call.values.get("vectors", True) else 0

    words, vectors = call.run(work)
    if call.target.json:
        print_json({"wordings": words, "vectors": vectors})
    else:
        click.echo(f"{words} wordings indexed, vectors made for {vectors}")


@behaviour("admin.index.reembed")
def reembed(call: OperationCall) -> None:
    """Replace all vectors with those of the present embedder."""
    count = call.run()
    if call.target.json:
        print_json({"vectors": count})
    else:
        print_result(call.target, count, name=call.operation.name)


def _note_json(note: "Observation") -> dict[str, object]:
    return {
        **as_json(note),
        "text": note.text,
        "status": note.status.value,
        "priority": note.priority,
        "refers_to": note.refers_to or None,
        "messages": [note.first, note.last] if note.first else None,
        "tokens": note.tokens,
        "engine": note.engine,
        "model": note.model or None,
    }


def _print_notes(notes: "Sequence[Observation]") -> None:
    for note in notes:
        for one in note_lines(note):
            click.echo(one)


def _print_stats(stats: Any) -> None:
    for one in stats_lines(stats):
        click.echo(one)


def _print_chunks(call: OperationCall, chunks: "Sequence[Chunk]", *, retried: bool) -> None:
    if call.target.json:
        print_json(as_json(chunks))
    elif not chunks:
        click.echo("no run of messages failed")
    else:
        for chunk in chunks:
            click.echo(f"session {shown(chunk.session)}, {chunk_line(chunk)}")
    if retried and (dead := sum(chunk.state.value == "dead" for chunk in chunks)):
        raise CommandRefused(f"{dead} of {len(chunks)} could not be observed again", INCOMPLETE)


def _print_run(night: "MaintenanceRun", scope: "Scope", *, is_new: bool) -> None:
    state = "is done" if is_new else "was done already"
    click.echo(f"the maintenance for {night.day} {f'is not done: {_steps_failed(night)}' if night.failures else state}")
    _print_counts(night.counts, [note for note in night.notes if not note.startswith(FAILED)])
    for failure in night.failures:
        click.echo(f"failed   {failure}  {scope_line(scope)}")


def _steps_failed(night: "MaintenanceRun") -> str:
    count = len(night.failures)
    return f"{count} steps failed" if count > 1 else "a step failed"


def _next_try(night: "MaintenanceRun") -> str:
    """Return the time of the next try, as the background schedules it."""
    if night.next_try_at is None:
        return "the next night does the steps that are left"
    when = times.second(night.next_try_at)
    return f"try {night.tries} of {MOST_TRIES}, the next one at {when} in the background, or now with the same command"


def _print_counts(counts: Mapping[str, int], notes: Sequence[str]) -> None:
    for name, count in counts.items():
        click.echo(f"  {count:>7,}  {name}")
    if not counts:
        click.echo("  nothing was due")
    for note in notes:
        click.echo(f"note: {shown(note)}")


def _print_diagnoses(found: Sequence[Any]) -> None:
    if not found:
        click.echo("no faults found")
    for diagnosis in found:
        finding = diagnosis.finding
        fate = diagnosis.advice or ("accepted as it is" if finding.fault in ACCEPTABLE else "repaired")
        parts = [
            listed(finding.where, separator=", "),
            *([scope_line(diagnosis.scope)] if diagnosis.scope else []),
            fate,
        ]
        click.echo(f"{finding.fault.value} ({len(finding.where)}): {': '.join(parts)}")
