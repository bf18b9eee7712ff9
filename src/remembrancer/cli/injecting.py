"""Commands that put memories before an agent: brief, inject, remind, and what was put before it: injections."""

from typing import TYPE_CHECKING

import click

from remembrancer.cli import shapes
from remembrancer.cli.output import print_json, print_left_out, print_notes
from remembrancer.cli.target import Target, targeted

if TYPE_CHECKING:
    from remembrancer.memory import Memory
    from remembrancer.model.injection import Injected

_SESSION = click.option("--session", metavar="ID", help="In which session; so that its outcome is learnt from.")
_MAX_TOKENS = click.option("--max-tokens", default=600, show_default=True, help="At most so many tokens.")
_NO_TRACE = click.option("--no-trace", is_flag=True, help="Do not count this reading.")
# Characters of a prompt.
_LOOKED_AT_FIRST = 1_000


@click.command()
@_SESSION
@click.option("--max-tokens", type=int, help="At most so many tokens; else the setting start_tokens.")
@_NO_TRACE
@targeted
def brief(target: Target, session: str | None, max_tokens: int | None, no_trace: bool) -> None:
    """Print what an agent is to know when a session starts, as a sealed block."""
    _print_injected(
        target,
        target.run(lambda memory: memory.contexts.brief(session, max_tokens=max_tokens, touch=not no_trace)),
    )


@click.command()
@click.argument("prompt")
@_SESSION
@_MAX_TOKENS
@_NO_TRACE
@targeted
def inject(target: Target, prompt: str, session: str | None, max_tokens: int, no_trace: bool) -> None:
    """Print what a prompt surely recalls, as a sealed block; nothing where nothing does."""

    async def work(memory: "Memory") -> "Injected":
        # In a process for one prompt what looks and counts is loaded first, apart from the time to look.
        memory.block(await memory.recall(prompt[:_LOOKED_AT_FIRST], limit=1, touch=False, rerank=False))
        return await memory.contexts.inject(prompt, session, max_tokens=max_tokens, touch=not no_trace)

    _print_injected(target, target.run(work))


@click.command()
@click.argument("question")
@_SESSION
@click.option("--limit", default=5, show_default=True, help="At most so many memories.")
@_MAX_TOKENS
@_NO_TRACE
@targeted
def remind(target: Target, question: str, session: str | None, limit: int, max_tokens: int, no_trace: bool) -> None:
    """Print what a question recalls, as a sealed block, for an agent that asks by itself."""
    _print_injected(
        target,
        target.run(
            lambda memory: memory.contexts.remind(
                question, session, limit=limit, max_tokens=max_tokens, touch=not no_trace
            )
        ),
    )


@click.command()
@click.argument("session")
@click.option("--limit", default=100, show_default=True, help="At most so many memories.")
@targeted
def injections(target: Target, session: str, limit: int) -> None:
    """List what was put before an agent in a session, or would have been, the latest first."""
    found = target.run(lambda memory: memory.contexts.injections(session, limit=limit))
    if target.json:
        print_json([shapes.injection(one) for one in found])
        return
    for one in found:
        not_shown = "" if one.shown else ", not shown"
        click.echo(f"{one.at:%Y-%m-%d %H:%M}  {one.way.value}{not_shown}: {', '.join(one.records)}")


def _print_injected(target: Target, found: "Injected") -> None:
    if target.json:
        print_json(shapes.injected(found))
    elif found.text:
        click.echo(found.text)
    print_notes(target, found.notes)
    if not target.json:
        print_left_out("memories", found.dropped)
