"""Hooks: the commands that print memories for a prompt, which an agent runs for each prompt: brief, inject, remind."""

import os
from collections.abc import Callable, Mapping
from functools import partial
from json import JSONDecodeError, loads
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from remembrancer.cli.group import HELP_SETTINGS, CommandGroup, SectionedCommand
from remembrancer.cli.output import print_json, print_left_out, print_notes
from remembrancer.cli.standard_input import STANDARD_INPUT, whole_input
from remembrancer.cli.target import Target, ended, targeted

if TYPE_CHECKING:
    from remembrancer.memory import Memory
    from remembrancer.settings import Settings

R = TypeVar("R")
_SESSION = click.option("--session", metavar="ID", help="The session, whose outcome later counts as feedback.")
_TOKENS = click.option("--tokens", default=600, show_default=True, help="The most tokens of the text.")
_NO_RECORD = click.option("--no-record-access", is_flag=True, help="Leave no trace of the reading.")
# Characters of a prompt.
_WARMED_UP_WITH = 1_000
# A slower process is not waited for.
_ANSWER_SECONDS = 5.0
# The names that agents use for the text and the session, in the JSON for a hook.
_TEXTS = ("prompt", "user_prompt", "question", "query", "message")
_SESSIONS = ("session_id", "sessionId", "conversation_id", "session")
_STRICT = "--strict"


class HookCommand(SectionedCommand):
    """A command that an agent runs for each prompt: its errors cost the agent nothing.

    An agent reads another exit code than 0 as an order to discard the prompt. Any argument that is not an option of the
    command is text, also one that begins with a dash.
    """

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Make the context as click does; wrong arguments end the command with 0."""
        strict = _STRICT in args
        context = _harmless(
            lambda: super(HookCommand, self).make_context(info_name, args, parent, **extra), strict=strict
        )
        context.meta[_STRICT] = strict
        return context

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Sort the options of the command from the words of the text."""
        has_value = {
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
            elif one.partition("=")[0] in has_value:
                options.append(one)
                options += [value for value in [next(rest, None)] if value is not None] if has_value.get(one) else []
            else:
                words.append(one)
        return super().parse_args(ctx, [*options, "--", *words])

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; an error ends it with 0."""
        return _harmless(lambda: super(HookCommand, self).invoke(ctx), strict=ctx.meta[_STRICT])


def _harmless(work: Callable[[], R], *, strict: bool) -> R:
    """Do work; an error is printed on standard error, and ends the command with 0."""
    try:
        return work()
    except click.exceptions.Exit:
        raise
    except Exception as error:
        if strict:
            raise
        message = error.format_message() if isinstance(error, click.ClickException) else f"{type(error).__name__}"
        click.echo(f"remembrancer: {' '.join(message.split())}", err=True)
        raise click.exceptions.Exit(0) from error


def _hook(short_help: str) -> Callable[[Callable[..., None]], click.Command]:
    strict = click.option(_STRICT, is_flag=True, expose_value=False, help="End with the exit code of an error.")
    return lambda command: click.command(cls=HookCommand, short_help=short_help)(strict(targeted(command)))


def _text_and_session(words: tuple[str, ...], session: str | None) -> tuple[str, str | None]:
    """Return the text and the session: of the words, or of standard input as text or as the JSON of an agent."""
    if words and words != (STANDARD_INPUT,):
        return " ".join(words), session
    text = whole_input()
    try:
        value: object = loads(text)
    except (JSONDecodeError, RecursionError):
        value = None
    if not isinstance(value, Mapping):
        return text, session
    fields = cast("Mapping[str, object]", value)
    named = next((one for name in _SESSIONS if isinstance(one := fields.get(name), str) and one.strip()), None)
    return next((one for name in _TEXTS if isinstance(one := fields.get(name), str)), ""), session or named


@_hook("Print memories for the start of a session.")
@click.argument("words", metavar="[-]", nargs=-1)
@_SESSION
@click.option("--tokens", type=int, help="The most tokens of the text; by default the setting start_tokens.")
@_NO_RECORD
def brief(
    target: Target, words: tuple[str, ...], session: str | None, tokens: int | None, no_record_access: bool
) -> None:
    """Print what an agent needs to know at the start of a session, as a sealed block.

    With `-` the session is read from standard input: the JSON that an agent passes to a hook.
    """
    if words == (STANDARD_INPUT,):
        _, session = _text_and_session(words, session)
    elif words:
        if click.get_current_context().meta[_STRICT]:
            raise click.UsageError(f"brief has no option {words[0]} and accepts no text")
        click.echo(f"note: ignored {' '.join(words)}: brief has no such option, and accepts no text", err=True)
    _print_context(target, mode="brief", session=session, tokens=tokens, record_access=not no_record_access)


@_hook("Print what a prompt recalls with high confidence.")
@click.argument("words", metavar="[PROMPT]", nargs=-1)
@_SESSION
@_TOKENS
@_NO_RECORD
def inject(target: Target, words: tuple[str, ...], session: str | None, tokens: int, no_record_access: bool) -> None:
    """Print what a prompt recalls with high confidence, as a sealed block; nothing without it.

    Without PROMPT, or with `-`, standard input is read: text, or the JSON that an agent passes to a hook. An error is
    printed on standard error, and the command ends with 0 unless there is --strict.

    A running `remembrancer serve` or `remembrancer mcp` of the same file answers, if there is one.
    """
    prompt, session = _text_and_session(words, session)
    if not prompt.strip():
        return
    access = not no_record_access
    _print_context(target, mode="prompt", question=prompt, session=session, tokens=tokens, record_access=access)


@_hook("Print what a question recalls.")
@click.argument("words", metavar="[QUESTION]", nargs=-1)
@_SESSION
@click.option("--limit", default=5, show_default=True, help="The most memories.")
@_TOKENS
@_NO_RECORD
def remind(
    target: Target, words: tuple[str, ...], session: str | None, limit: int, tokens: int, no_record_access: bool
) -> None:
    """Print what a question recalls, as a sealed block, for an agent that asks; see `inject`."""
    question, session = _text_and_session(words, session)
    access = not no_record_access
    options = {"question": question, "session": session, "limit": limit, "tokens": tokens, "record_access": access}
    _print_context(target, mode="search", **options)


def _print_context(target: Target, **values: Any) -> None:
    """Print a context: from a process that has the file open, or from the file itself."""
    from remembrancer.settings import load_settings

    settings = ended(partial(load_settings, **target.settings))
    found = _from_process(settings, values)
    if found is None:
        # The tables of an encoding load slower than all else; the estimate is a little above the truth.
        tokenizer = "estimate" if settings.tokenizer == "auto" else settings.tokenizer
        found = target.run(partial(_from_file, values=values), tokenizer=tokenizer)
    if target.json:
        print_json({name: found[name] for name in ("text", "ids", "tokens", "dropped", "notes")})
        return
    if found["text"]:
        click.echo(found["text"])
    print_notes(found["notes"])
    print_left_out("memories", found["dropped"])


def _from_process(settings: "Settings", values: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the answer of the process that has the file open; `None` if there is none, or it declines."""
    from remembrancer.client.local_socket import ask, socket_path

    path = socket_path(settings.db)
    if path is None or not os.path.exists(path):
        return None
    request = {
        "values": {name: value for name, value in values.items() if value is not None},
        "scope": {name: getattr(settings, name) for name in ("tenant", "project", "agent", "user")},
        "clearance": settings.clearance,
        "actor": settings.actor,
        "embedder": settings.embedder,
    }
    return ask(path, request, seconds=_ANSWER_SECONDS)


async def _from_file(memory: "Memory", *, values: Mapping[str, Any]) -> Mapping[str, Any]:
    from remembrancer.memory import ContextRequest
    from remembrancer.types.budget import Budget

    fields = {name: value for name, value in values.items() if value is not None and name != "tokens"}
    request = ContextRequest(**fields, budget=Budget(tokens=values["tokens"]))
    if values["mode"] == "prompt":
        # In a process for one prompt the search and the tokenizer are loaded first, outside of the time limit.
        question = values["question"][:_WARMED_UP_WITH]
        await memory.context(ContextRequest(question=question, mode="search", limit=1, record_access=False))
    found = await memory.context(request)
    dropped = [id for ids in found.report.dropped.values() for id in ids]
    return {
        "text": found.text,
        "ids": found.ids(),
        "tokens": found.tokens,
        "dropped": dropped,
        "notes": found.notes,
    }


HOOKS = CommandGroup(
    "remembrancer",
    {command.name or "": command for command in (brief, inject, remind)},
    context_settings=HELP_SETTINGS,
)
"""The commands that run for each prompt of an agent, and load no other."""
