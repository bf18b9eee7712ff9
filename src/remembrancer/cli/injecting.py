"""Commands that put memories before an agent: brief, inject, remind, and what was put before it: injections."""

import os
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from remembrancer.cli import shapes
from remembrancer.cli.output import print_json, print_left_out, print_notes
from remembrancer.cli.refusing import Commands
from remembrancer.cli.target import Target, ended, targeted

if TYPE_CHECKING:
    from remembrancer.memory import Memory
    from remembrancer.model.injection import Injected
    from remembrancer.settings import Settings

_SESSION = click.option("--session", metavar="ID", help="In which session; so that its outcome is learnt from.")
_MAX_TOKENS = click.option("--max-tokens", default=600, show_default=True, help="At most so many tokens.")
_NO_TRACE = click.option("--no-trace", is_flag=True, help="Do not count this reading.")
# Characters of a prompt.
_LOOKED_AT_FIRST = 1_000
# A process that takes longer is passed by.
_ANSWER_SECONDS = 5.0


@click.command()
@_SESSION
@click.option("--max-tokens", type=int, help="At most so many tokens; else the setting start_tokens.")
@_NO_TRACE
@targeted
def brief(target: Target, session: str | None, max_tokens: int | None, no_trace: bool) -> None:
    """Print what an agent is to know when a session starts, as a sealed block."""
    _inject(target, "brief", {"session": session, "max_tokens": max_tokens, "touch": not no_trace})


@click.command()
@click.argument("prompt")
@_SESSION
@_MAX_TOKENS
@_NO_TRACE
@targeted
def inject(target: Target, prompt: str, session: str | None, max_tokens: int, no_trace: bool) -> None:
    """Print what a prompt surely recalls, as a sealed block; nothing where nothing does.

    A running `remembrancer serve` or `remembrancer mcp` of the same file answers, where there is one.
    """
    _inject(target, "inject", {"prompt": prompt, "session": session, "max_tokens": max_tokens, "touch": not no_trace})


@click.command()
@click.argument("question")
@_SESSION
@click.option("--limit", default=5, show_default=True, help="At most so many memories.")
@_MAX_TOKENS
@_NO_TRACE
@targeted
def remind(target: Target, question: str, session: str | None, limit: int, max_tokens: int, no_trace: bool) -> None:
    """Print what a question recalls, as a sealed block, for an agent that asks by itself."""
    told = {"question": question, "session": session, "limit": limit, "max_tokens": max_tokens, "touch": not no_trace}
    _inject(target, "remind", told)


def _inject(target: Target, way: str, arguments: dict[str, Any]) -> None:
    """Print what is put before an agent: what a process answers that has the file open, else from the file itself."""
    from remembrancer.settings import load_settings

    settings = ended(partial(load_settings, **target.named))
    found = _answered(settings, way, arguments)
    if found is None:
        # To load the tables of an encoding takes longer than all else; the estimate is a little above the truth.
        tokenizer = "estimate" if settings.tokenizer == "auto" else settings.tokenizer
        found = target.run(partial(_opened, way=way, arguments=arguments), tokenizer=tokenizer)
    _print_injected(target, found)


def _answered(settings: "Settings", way: str, arguments: dict[str, Any]) -> "Injected | None":
    """What the process answers that has the file open; `None` where there is none, or it declines."""
    from remembrancer.model.injection import Injected
    from remembrancer.wire.beside import ask, socket_beside

    path = socket_beside(settings.db)
    if path is None or not os.path.exists(path):
        return None
    request = {
        "way": way,
        "arguments": arguments,
        "scope": {name: getattr(settings, name) for name in ("tenant", "project", "agent", "user")},
        "clearance": settings.clearance,
        "actor": settings.actor,
        "embedder": settings.embedder,
    }
    answer = ask(path, request, seconds=_ANSWER_SECONDS)
    if answer is None:
        return None
    lists = {name: tuple(answer[name]) for name in ("records", "dropped", "notes")}
    return Injected(text=answer["text"], tokens=answer["tokens"], **lists)


async def _opened(memory: "Memory", *, way: str, arguments: dict[str, Any]) -> "Injected":
    contexts = memory.contexts
    if way == "inject":
        # In a process for one prompt what looks and counts is loaded first, apart from the time to look.
        prompt = arguments["prompt"][:_LOOKED_AT_FIRST]
        memory.block(await memory.recall(prompt, limit=1, touch=False, rerank=False))
        return await contexts.inject(**arguments)
    return await (contexts.brief if way == "brief" else contexts.remind)(**arguments)


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


HOOKS = Commands("remembrancer", {command.name or "": command for command in (brief, inject, remind)})
"""What runs for each prompt of an agent, and so loads no other command."""
