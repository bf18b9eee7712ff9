"""`chat`: a conversation with the configured model, with memory."""

import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import click

from remembrancer.cli.group import SectionedCommand
from remembrancer.cli.output import print_json
from remembrancer.cli.reading import print_context, print_report
from remembrancer.cli.results import as_json
from remembrancer.cli.standard_input import binary_input
from remembrancer.cli.target import USAGE_ERROR, CommandRefused, Target, targeted
from remembrancer.errors import BudgetExceeded, ProviderError
from remembrancer.language.private import leaves_open
from remembrancer.problems import error_type
from remembrancer.types.new import NewMessage
from remembrancer.types.text import shown

if TYPE_CHECKING:
    from remembrancer.sync import SyncMemory

_HOW_TO_CONFIGURE = (
    "no model is configured, so this shows what one would read; set REMEMBRANCER_MODEL to one, such as"
    " openai:gpt-5-nano, with its key, or ollama:NAME for one on this machine"
)


@click.command(cls=SectionedCommand, short_help="Talk with the configured model, with memory.")
@click.argument("session", required=False)
@click.option("--speaker", default="", metavar="NAME", help="The name of the person who types.")
@click.option("--instructions", default="", metavar="TEXT", help="Instructions to the model, the same in each turn.")
@click.option("--key", metavar="NAME", help="An idempotency key: the same input again under it is recorded once.")
@targeted
def chat(target: Target, session: str | None, speaker: str, instructions: str, key: str | None) -> None:
    """Talk with the configured model, with memory; each line is a message.

    A line that opens a private region goes on until the region is closed.
    Both sides are recorded. It ends with the input, or with Ctrl-C. Without a model it prints what one would read.
    """

    def work(memory: "SyncMemory") -> int:
        name = memory.sessions.start(session).session.id
        answers = memory.sessions.has_model
        if not answers:
            click.echo(f"note: {_HOW_TO_CONFIGURE}", err=True)
        code = 0
        for number, text in enumerate(_messages(_lines()), 1):
            message = NewMessage(
                text=text,
                session=name,
                speaker=speaker,
                source="user",
                key=None if key is None else f"{key} {number}",
            )
            try:
                if answers:
                    _answer(target, memory, message, instructions)
                else:
                    _show(target, memory, message)
            except (ProviderError, BudgetExceeded) as error:
                # The message is kept, and the next answer may well come.
                code = error_type(error).exit_code
                CommandRefused(str(error), code).show()
        click.echo(f"all of it is kept in session {shown(name)}", err=True)
        return code

    if code := target.run_in_thread(work, create=True):
        raise SystemExit(code)


def _answer(target: Target, memory: "SyncMemory", message: NewMessage, instructions: str) -> None:
    reply = memory.sessions.reply(
        message.session or "",
        message.text,
        speaker=message.speaker,
        instructions=instructions,
        key=message.key,
    )
    if target.json:
        print_json(as_json(reply))
    else:
        click.echo(shown(reply.text))


def _show(target: Target, memory: "SyncMemory", message: NewMessage) -> None:
    memory.record(message)
    context = memory.context(message.session, question=message.text)
    if target.json:
        print_json(as_json(context))
    else:
        print_context(context)
        print_report(context.report)


def _messages(lines: Iterable[str]) -> Iterator[str]:
    """Yield messages: a line each, or the lines up to the one that closes a private region."""
    pending: list[str] = []
    for line in lines:
        pending.append(line)
        if not leaves_open("\n".join(pending)):
            yield "\n".join(pending)
            pending = []
    if pending:
        yield "\n".join(pending)


def _lines() -> Iterator[str]:
    """Yield the lines that are typed, up to the end of the input or an interrupt."""
    binary_input()
    while True:
        try:
            line = input("> ") + "\n" if sys.stdin.isatty() else sys.stdin.readline()
        except UnicodeDecodeError:
            raise CommandRefused(f"standard input is not text in {sys.stdin.encoding}", USAGE_ERROR) from None
        except (EOFError, KeyboardInterrupt):
            click.echo("", err=True)
            return
        if not line:
            return
        if text := line.strip():
            yield text
