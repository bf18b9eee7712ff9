"""Commands for sessions: start, end, summary, list."""

from typing import TYPE_CHECKING

import click

from remembrancer.cli import shapes, times
from remembrancer.cli.describing import AT, KEY, METADATA, mapping_given
from remembrancer.cli.output import line, moment, numbered, print_json, print_left_out, print_record, scope_line
from remembrancer.cli.target import ALL_SCOPES, Target, targeted

if TYPE_CHECKING:
    from remembrancer.types.session import Session


@click.group()
def session() -> None:
    """Start, end, summarise and list sessions."""


@session.command()
@click.argument("id", required=False)
@click.option("--no-record", is_flag=True, help="Recall, and store nothing.")
@click.option("--max-tokens", type=int, help="What is told has at most so many; else the setting start_tokens.")
@click.option("--no-trace", is_flag=True, help="Do not count this reading.")
@targeted
def start(target: Target, id: str | None, no_record: bool, max_tokens: int | None, no_trace: bool) -> None:
    """Open a session, or resume it; without an id, the unnamed one."""
    started = target.run(
        lambda memory: memory.sessions.start(id, record=not no_record, max_tokens=max_tokens, touch=not no_trace),
        create=True,
    )
    if target.json:
        print_json(shapes.started(started))
        return
    click.echo(f"{'started' if started.is_new else 'resumed'} {started.session.id}")
    for summary in started.summaries:
        click.echo(f"  earlier: {line(summary)}")
    for memory in started.memories:
        click.echo(f"  known:   {line(memory)}")
    print_left_out("memories", started.dropped)


@session.command()
@click.argument("id")
@targeted
def end(target: Target, id: str) -> None:
    """Close a session."""
    _print_session(target, target.run(lambda memory: memory.sessions.end(id)))


@session.command()
@click.argument("id")
@click.argument("text")
@click.option("--title", default="")
@AT
@METADATA
@KEY
@targeted
def summary(
    target: Target, id: str, text: str, title: str, at: str | None, metadata: str | None, key: str | None
) -> None:
    """Store a summary of a session."""
    when, told = moment(at), mapping_given(metadata)
    found = target.run(
        lambda memory: memory.sessions.summarise(id, text, title=title, occurred_at=when, metadata=told, key=key)
    )
    print_record(target, found)


@session.command("list")
@click.option("--limit", default=20, show_default=True)
@ALL_SCOPES
@targeted
def list_(target: Target, limit: int, all_scopes: bool) -> None:
    """List sessions, the latest active first."""
    found = target.run(lambda memory: memory.sessions.list(limit=limit, all_scopes=all_scopes))
    if target.json:
        print_json([shapes.session(session) for session in found])
        return
    for session in found:
        _print_session(target, session)
        if all_scopes:
            click.echo(f"          {scope_line(session.scope)}")


def _print_session(target: Target, session: "Session") -> None:
    if target.json:
        print_json(shapes.session(session))
    else:
        when = times.minute(session.last_activity_at)
        click.echo(f"{session.id}  {session.status.value}  {numbered(session.messages, 'message')}  {when}")
