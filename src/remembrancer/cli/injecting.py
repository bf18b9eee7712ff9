"""Commands that put memories before an agent: brief, inject, remind, and what was put before it: injections."""

import os
from collections.abc import Callable, Mapping
from functools import partial
from json import JSONDecodeError, loads
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from remembrancer.cli import shapes, times
from remembrancer.cli.output import print_json, print_left_out, print_notes
from remembrancer.cli.refusing import Commands
from remembrancer.cli.target import Target, ended, targeted
from remembrancer.cli.typed import STANDARD_INPUT, all_typed

if TYPE_CHECKING:
    from remembrancer.memory import Memory
    from remembrancer.settings import Settings
    from remembrancer.types.injection import Injected

R = TypeVar("R")
_SESSION = click.option("--session", metavar="ID", help="In which session; so that its outcome is learnt from.")
_MAX_TOKENS = click.option("--max-tokens", default=600, show_default=True, help="At most so many tokens.")
_NO_TRACE = click.option("--no-trace", is_flag=True, help="Do not count this reading.")
# Characters of a prompt.
_LOOKED_AT_FIRST = 1_000
# A process that takes longer is passed by.
_ANSWER_SECONDS = 5.0
# What an agent calls the text and the session, in the JSON that it gives a hook.
_TEXTS = ("prompt", "user_prompt", "question", "query", "message")
_SESSIONS = ("session_id", "sessionId", "conversation_id", "session")
_STRICT = "--strict"


class Hook(click.Command):
    """A command that an agent runs for each prompt: what it cannot do costs the agent nothing.

    An agent takes another exit code than 0 for an order to discard the prompt. What is no option of the command is the
    text, whatever it begins with.
    """

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """As click makes it; what cannot be read ends the command with 0."""
        strict = _STRICT in args
        context = _harmless(lambda: super(Hook, self).make_context(info_name, args, parent, **extra), strict=strict)
        context.meta[_STRICT] = strict
        return context

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Sort the options of the command from the words of the text."""
        takes_value = {
            name: not option.is_flag
            for option in self.get_params(ctx)
            if isinstance(option, click.Option)
            for name in option.opts
        }
        options: list[str] = []
        words: list[str] = []
        rest = iter(args)
        for one in rest:
            if one == "--":
                words += rest
            elif one.partition("=")[0] in takes_value:
                options.append(one)
                options += [value for value in [next(rest, None)] if value is not None] if takes_value.get(one) else []
            else:
                words.append(one)
        return super().parse_args(ctx, [*options, "--", *words])

    def invoke(self, ctx: click.Context) -> Any:
        """Run it; an error ends the command with 0."""
        return _harmless(lambda: super(Hook, self).invoke(ctx), strict=ctx.meta[_STRICT])


def _harmless(work: Callable[[], R], *, strict: bool) -> R:
    """The result of work; an error is told on standard error, and ends the command with 0."""
    try:
        return work()
    except click.exceptions.Exit:
        raise
    except Exception as error:
        if strict:
            raise
        said = error.format_message() if isinstance(error, click.ClickException) else f"{type(error).__name__}"
        click.echo(f"remembrancer: {' '.join(said.split())}", err=True)
        raise click.exceptions.Exit(0) from error


def _hook(command: Callable[..., None]) -> click.Command:
    strict = click.option(_STRICT, is_flag=True, expose_value=False, help="End with the code of an error, not with 0.")
    return click.command(cls=Hook)(strict(command))


def _asked(words: tuple[str, ...], session: str | None) -> tuple[str, str | None]:
    """The text that is asked about, and the session: the words, or standard input as text or as JSON of the agent."""
    if words and words != (STANDARD_INPUT,):
        return " ".join(words), session
    typed = all_typed()
    try:
        given: object = loads(typed)
    except (JSONDecodeError, RecursionError):
        given = None
    if not isinstance(given, Mapping):
        return typed, session
    fields = cast("Mapping[str, object]", given)
    named = next((one for name in _SESSIONS if isinstance(one := fields.get(name), str) and one.strip()), None)
    return next((one for name in _TEXTS if isinstance(one := fields.get(name), str)), ""), session or named


@_hook
@click.argument("words", metavar="[-]", nargs=-1)
@_SESSION
@click.option("--max-tokens", type=int, help="At most so many tokens; else the setting start_tokens.")
@_NO_TRACE
@targeted
def brief(target: Target, words: tuple[str, ...], session: str | None, max_tokens: int | None, no_trace: bool) -> None:
    """Print what an agent is to know when a session starts, as a sealed block.

    With `-` the session is read from standard input: the JSON that an agent gives a hook.
    """
    if words:
        _, session = _asked(words, session)
    _inject(target, "brief", {"session": session, "max_tokens": max_tokens, "touch": not no_trace})


@_hook
@click.argument("words", metavar="[PROMPT]", nargs=-1)
@_SESSION
@_MAX_TOKENS
@_NO_TRACE
@targeted
def inject(target: Target, words: tuple[str, ...], session: str | None, max_tokens: int, no_trace: bool) -> None:
    """Print what a prompt surely recalls, as a sealed block; nothing where nothing does.

    Without PROMPT, or with `-`, standard input is read: text, or the JSON that an agent gives a hook. An error is told
    on standard error, and the command ends with 0 unless --strict is given.

    A running `remembrancer serve` or `remembrancer mcp` of the same file answers, where there is one.
    """
    prompt, session = _asked(words, session)
    if not prompt.strip():
        return
    _inject(target, "inject", {"prompt": prompt, "session": session, "max_tokens": max_tokens, "touch": not no_trace})


@_hook
@click.argument("words", metavar="[QUESTION]", nargs=-1)
@_SESSION
@click.option("--limit", default=5, show_default=True, help="At most so many memories.")
@_MAX_TOKENS
@_NO_TRACE
@targeted
def remind(
    target: Target, words: tuple[str, ...], session: str | None, limit: int, max_tokens: int, no_trace: bool
) -> None:
    """Print what a question recalls, as a sealed block, for an agent that asks by itself; see `inject`."""
    question, session = _asked(words, session)
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
    from remembrancer.client.beside import ask, socket_beside
    from remembrancer.types.injection import Injected

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
        click.echo(f"{times.minute(one.at)}  {one.way.value}{not_shown}: {', '.join(one.records)}")


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
