"""Commands that remember aloud: context, chat."""

import json
import sys
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from threading import Timer
from typing import TYPE_CHECKING, TextIO, cast

import click

from remembrancer.cli import shapes
from remembrancer.cli.errors import exit_code
from remembrancer.cli.output import moment, on_terminal, print_json, print_left_out, shown
from remembrancer.cli.paths import TextFile
from remembrancer.cli.target import CommandRefused, Target, targeted
from remembrancer.cli.typed import bytes_typed
from remembrancer.errors import BudgetExceeded, ProviderError, RemembrancerError
from remembrancer.language.private import leaves_open

if TYPE_CHECKING:
    from remembrancer.context.report import Context, Report
    from remembrancer.memory import Memory
    from remembrancer.sync import SyncMemory

_SLOW_SECONDS = 2.0
_HOW_TO_CONFIGURE = (
    "no model is configured, so this shows what one would read; set REMEMBRANCER_MODEL to one, such as"
    " openai:gpt-5-nano, with its key, or ollama:NAME for one on this machine"
)


@click.command()
@click.argument("session", required=False)
@click.option("--question", default="", help="What is asked now; else the last message of a user recalls.")
@click.option("--task", default="", help="What is to be done, for a context without a session.")
@click.option("--history", type=TextFile(), help="Exchanges with tools: a JSON list of texts; or -.")
@click.option("--working", default="", metavar="TEXT", help="The state of the run.")
@click.option(
    "--work-type", metavar="TYPE", help="For coding: bug_fix, refactor, feature, chore or unknown; bounds the memory."
)
@click.option(
    "--slots", multiple=True, metavar="NAME=TOKENS", help="The cap of a slot, as --report names them; may be repeated."
)
@click.option("--contact", metavar="NAME", help="Whom it concerns: what was done is then that with this contact.")
@click.option(
    "--window",
    type=int,
    help="Tokens of the model's window; else the setting context_window. What has no room in it is told by notes,"
    " from then on.",
)
@click.option("--format", "format_", default="markdown", show_default=True, metavar="FORMAT", help="markdown or tags.")
@click.option("--marks", is_flag=True, help="With --json: messages with the cache marks that Anthropic wants.")
@click.option("--no-recall", is_flag=True, help="Leave out what the question recalls.")
@click.option("--no-trace", is_flag=True, help="Do not count this reading.")
@click.option("--as-of", metavar="TIME", help="The block as it could have been made then; leaves no trace.")
@click.option("--report", is_flag=True, help="Tell on standard error what the tokens are spent on.")
@targeted
def context(
    target: Target,
    session: str | None,
    question: str,
    task: str,
    history: TextIO | None,
    working: str,
    work_type: str | None,
    slots: tuple[str, ...],
    contact: str | None,
    window: int | None,
    format_: str,
    marks: bool,
    no_recall: bool,
    no_trace: bool,
    as_of: str | None,
    report: bool,
) -> None:
    """Print what an agent is to read before it answers.

    With a session it is the conversation within its window: older messages by what was noted of them, newer ones as
    they were said. Where too many wait, they are observed first. Without one it is what a task recalls.
    """
    exchanges, caps, then = _exchanges(history), _caps(slots), moment(as_of, end=True)

    async def work(memory: "Memory") -> "Context":
        with _told_when_slow("observing what was said since the last time; it may take a while"):
            return await memory.context(
                session,
                question=question,
                task=task,
                history=exchanges,
                working=working,
                work_type=work_type,
                slots=caps,
                contact=contact,
                window=window,
                format=format_,
                recall=not no_recall,
                touch=not no_trace,
                as_of=then,
            )

    found = target.run(work)
    if target.json:
        print_json(shapes.context(found, marks=marks))
    else:
        _print_block(found)
    if report:
        _print_report(found.report)
    elif not target.json:
        _print_left_out(found.report)


@click.command()
@click.argument("session", required=False)
@click.option("--speaker", default="", help="The name of who is typing.")
@click.option("--instructions", default="", help="What the model is told beside memory, in each turn the same.")
@click.option("--key", help="An idempotency key: the same input again under it is recorded once.")
@targeted
def chat(target: Target, session: str | None, speaker: str, instructions: str, key: str | None) -> None:
    """Talk with the configured model, with memory on; each line is a message.

    A line that opens a private region goes on until the region is closed.
    Both sides are recorded. It ends with the input, or with Ctrl-C. Without a model it shows what one would read.
    """

    def work(memory: "SyncMemory") -> int:
        name = memory.sessions.start(session).session.id
        answers = memory.contexts.has_model
        if not answers:
            click.echo(f"note: {_HOW_TO_CONFIGURE}", err=True)
        code = 0
        for number, text in enumerate(_said(_lines()), 1):
            one = None if key is None else f"{key} {number}"
            try:
                if answers:
                    _answer(target, memory, name, text, speaker=speaker, instructions=instructions, key=one)
                else:
                    _show(target, memory, name, text, speaker=speaker, key=one)
            except (ProviderError, BudgetExceeded) as error:
                # What was said is kept, and the next answer may well come.
                code = _told(error)
        click.echo(f"all of it is kept in session {shown(name)}", err=True)
        return code

    if code := target.wait(work, create=True):
        raise SystemExit(code)


def _exchanges(file: TextIO | None) -> list[str]:
    """What was done with tools, oldest first."""
    try:
        found: object = json.load(file) if file else []
    except (ValueError, RecursionError) as error:
        raise CommandRefused("--history is no JSON; give a list of texts", 2) from error
    if not isinstance(found, list) or not all(isinstance(one, str) for one in cast(list[object], found)):
        raise CommandRefused("--history must be a JSON list of texts", 2)
    return cast(list[str], found)


def _caps(given: Iterable[str]) -> dict[str, int] | None:
    """The caps of slots, by name."""
    parts = [one.partition("=") for one in given]
    for name, _, tokens in parts:
        if not (name and tokens.isdecimal()):
            raise CommandRefused("--slots is no NAME=TOKENS; give a slot's name and a whole number", 2)
    return {name: int(tokens) for name, _, tokens in parts} or None


def _answer(
    target: Target,
    memory: "SyncMemory",
    session: str,
    text: str,
    *,
    speaker: str,
    instructions: str,
    key: str | None,
) -> None:
    reply = memory.reply(session, text, speaker=speaker, instructions=instructions, key=key)
    if target.json:
        print_json(shapes.reply(reply))
    else:
        click.echo(shown(reply.text))


def _show(target: Target, memory: "SyncMemory", session: str, text: str, *, speaker: str, key: str | None) -> None:
    memory.record(text, session=session, speaker=speaker, source="user", key=key)
    found = memory.context(session, question=text)
    if target.json:
        print_json(shapes.context(found))
    else:
        _print_block(found)
        _print_report(found.report)


def _told(error: RemembrancerError) -> int:
    CommandRefused(str(error), exit_code(error)).show()
    return exit_code(error)


def _said(lines: Iterable[str]) -> Iterator[str]:
    """Messages: a line each, or the lines up to the one that closes a private region."""
    held: list[str] = []
    for line in lines:
        held.append(line)
        if not leaves_open("\n".join(held)):
            yield "\n".join(held)
            held = []
    if held:
        yield "\n".join(held)


def _lines() -> Iterator[str]:
    """What is typed, line by line, up to its end or an interrupt."""
    bytes_typed()
    while True:
        try:
            line = input("> ") + "\n" if sys.stdin.isatty() else sys.stdin.readline()
        except UnicodeDecodeError:
            raise CommandRefused(f"standard input holds no text in {sys.stdin.encoding}", 2) from None
        except (EOFError, KeyboardInterrupt):
            click.echo("", err=True)
            return
        if not line:
            return
        if text := line.strip():
            yield text


@contextmanager
def _told_when_slow(what: str) -> Generator[None, None, None]:
    """Say on standard error what is being done, where it takes long."""
    saying = Timer(_SLOW_SECONDS, lambda: click.echo(f"{what} …", err=True))
    saying.daemon = True
    saying.start()
    try:
        yield
    finally:
        saying.cancel()


def _print_block(found: "Context") -> None:
    # To another program it goes byte for byte, or its seals would not hold.
    click.echo(shown(found.text) if on_terminal() else found.text, nl=False)


def _print_report(report: "Report") -> None:
    exact = "" if report.exact else f", counted high by × {report.margin:g}"
    click.echo(f"tokens     {report.tokens:,} of {report.budget:,} ({report.tokenizer}{exact})", err=True)
    for slot, tokens in report.slots.items():
        click.echo(f"           {slot} {tokens:,}", err=True)
    part = f", {report.cacheable / report.tokens:.0%}" if report.tokens else ""
    click.echo(f"caps       {'  '.join(f'{name} {cap:,}' for name, cap in report.caps.items())}", err=True)
    click.echo(f"cacheable  {report.cacheable:,}{part}", err=True)
    click.echo(f"messages   {report.raw:,} tokens raw; {report.covered:,} told by {report.noted:,} of notes", err=True)
    _print_left_out(report)


def _print_left_out(report: "Report") -> None:
    for slot, ids in report.dropped.items():
        print_left_out(slot, ids)
    for note in report.notes:
        click.echo(f"note: {note}", err=True)
