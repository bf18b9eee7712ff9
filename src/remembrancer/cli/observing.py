"""Commands for what is noted of conversations: observe, reflect, dead-letters."""

from typing import TYPE_CHECKING

import click

from remembrancer.cli import shapes, times
from remembrancer.cli.errors import EXIT_CODES
from remembrancer.cli.output import print_json, shown
from remembrancer.cli.target import CommandRefused, Target, targeted
from remembrancer.errors import BadModelOutput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from remembrancer.context.conversations import Distilled
    from remembrancer.memory import Memory
    from remembrancer.types.chunk import Chunk
    from remembrancer.types.record import Observation

MOST = 1_000


@click.command()
@click.argument("session")
@click.option("--approve", type=int, metavar="FIRST", help="Approve of the held run that begins with this message.")
@click.option("--log", is_flag=True, help="Show the whole log; observe nothing.")
@targeted
def observe(target: Target, session: str, approve: int | None, log: bool) -> None:
    """Observe all that waits in a session now, and say what was noted.

    Where the setting observe_review holds what is noted, it is shown and waits for --approve.
    """
    if log:
        _show_log(target, session)
    elif approve is not None:
        _approve(target, session, approve)
    else:
        _observe(target, session)


@click.command()
@click.argument("session", required=False)
@targeted
def reflect(target: Target, session: str | None) -> None:
    """Consolidate the log of a session now, or every log of the scope."""

    async def work(memory: "Memory") -> "tuple[int, Distilled | None]":
        fewer = await memory.sessions.reflect_now(session)
        return fewer, await memory.sessions.distilled(session) if session else None

    fewer, found = target.run(work)
    if target.json:
        print_json({"fewer": fewer, **(shapes.distilled(found) if found else {})})
        return
    click.echo(f"{fewer:,} tokens fewer" if fewer else "nothing could be told more shortly")
    if found:
        _print_distilled(found)


@click.command("dead-letters")
@click.option(
    "--retry", type=(str, int), metavar="SESSION FIRST", help="Observe the run that begins with this message again."
)
@click.option("--limit", default=MOST, show_default=True, help="At most so many.")
@click.option("--retry-all", is_flag=True, help="Observe all of them again.")
@targeted
def dead_letters(target: Target, retry: tuple[str, int] | None, limit: int, retry_all: bool) -> None:
    """List the runs of messages that no model could observe, or observe them again.

    Their messages are served all the same. Exit code 11 where one that was tried again is dead still.
    """

    async def work(memory: "Memory") -> "Sequence[Chunk]":
        if retry is not None:
            return [await memory.sessions.retry(*retry)]
        found = await memory.sessions.dead_letters(limit=limit)
        return [await memory.sessions.retry(chunk.session, chunk.first) for chunk in found] if retry_all else found

    found = target.run(work)
    if target.json:
        print_json([shapes.chunk(chunk) for chunk in found])
    elif not found:
        click.echo("no dead letters")
    else:
        for chunk in found:
            click.echo(f"session {shown(chunk.session)}, {_run(chunk)}")
    if (retry or retry_all) and (dead := sum(chunk.state.value == "dead" for chunk in found)):
        raise CommandRefused(f"{dead} of {len(found)} could not be observed again", EXIT_CODES[BadModelOutput])


def _observe(target: Target, session: str) -> None:
    async def work(memory: "Memory") -> "tuple[Distilled, list[tuple[Chunk, Sequence[Observation]]]]":
        before = {chunk.first for chunk in await memory.sessions.chunks(session)}
        await memory.sessions.observe_now(session)
        fresh = [chunk for chunk in await memory.sessions.chunks(session) if chunk.first not in before]
        noted = [(chunk, await memory.sessions.noted(session, chunk.first)) for chunk in fresh]
        return await memory.sessions.distilled(session), noted

    found, noted = target.run(work)
    if target.json:
        runs = [{**shapes.chunk(chunk), "notes": [shapes.note(note) for note in notes]} for chunk, notes in noted]
        print_json({**shapes.distilled(found), "observed": runs})
        return
    for chunk, notes in noted:
        click.echo(_run(chunk))
        _print_notes(notes)
    if not noted:
        click.echo("nothing waits to be observed")
    _print_distilled(found)


def _approve(target: Target, session: str, first: int) -> None:
    approved = target.run(lambda memory: memory.sessions.approve(session, first))
    if target.json:
        print_json(shapes.chunk(approved))
    else:
        click.echo(f"approved: {_run(approved)}")


def _show_log(target: Target, session: str) -> None:
    async def work(memory: "Memory") -> "tuple[Sequence[Observation], Distilled]":
        found = await memory.sessions.distilled(session)
        return await memory.sessions.log(session), found

    log, found = target.run(work)
    if target.json:
        print_json({**shapes.distilled(found), "log": [shapes.note(note) for note in log]})
        return
    _print_notes(log)
    _print_distilled(found)


def _print_notes(notes: "Sequence[Observation]") -> None:
    for note in notes:
        mark = "!" if note.priority == 5 else "-"
        told = "\n    ".join(shown(line) for line in note.text.splitlines())
        numbers = f" [{_numbers(note.first, note.last)}]" if note.first else ""
        click.echo(f"  {mark} {times.day(note.occurred_at)} {told}{numbers}")


def _print_distilled(found: "Distilled") -> None:
    told = f", {found.ratio:g} to 1" if found.ratio else ""
    click.echo(f"{found.covered:,} tokens are told in {found.noted:,}{told}; {found.raw:,} stay as they were said")
    if found.dead:
        click.echo(f"{found.dead} could not be observed by a model: see dead-letters")


def _run(chunk: "Chunk") -> str:
    """A run of messages on one line."""
    who = f", by {shown(chunk.model)}" if chunk.model else ""
    tries = f", {chunk.tries} tries" if chunk.tries > 1 else ""
    why = f": {shown(chunk.failure)}" if chunk.failure else ""
    numbers = _numbers(chunk.first, chunk.last)
    return f"messages {numbers}, {chunk.state.value}, {chunk.tokens:,} tokens to {chunk.noted:,}{who}{tries}{why}"


def _numbers(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}–{last}"
