"""The group of commands: refusals that repeat no long argument and no password, and help on one screen."""

import re
import textwrap
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import Any

import click

from remembrancer.cli.target import INTERRUPTED, MEMORY_SECTION, CommandRefused

# A longer argument is repeated up to so many characters; a path is shorter, and repeated whole.
_LONGEST_ARGUMENT = 200
_REPEATED = 40
_LONGEST_MESSAGE = 2_000
_ARGUMENTS = "remembrancer.arguments"
_IS_SHORT_HELP = "remembrancer.is_short_help"
HELP_SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
"""Settings of a tree of commands: the names of the option for help, and the width of its lines."""
# The indent of a line and the room between its columns.
_BETWEEN_COLUMNS = 4
# The part between the user and the host of an address, or after the word in one that is written in parts.
_ADDRESS = re.compile(r"(?:postgres\w{0,8}:?/{0,2}|\w{1,32}://)[^:/@\s]{0,200}:(.+)@", re.DOTALL)
_PART = re.compile(r"\bpassword\s{0,8}=\s{0,8}(\S+)")
_KEYWORD = re.compile(r"\b(?:host|hostaddr|port|dbname|user)\s{0,8}=")
# A shorter one would be found in every word of a message.
_SHORTEST_PASSWORD = 3


class CommandGroup(click.Group):
    """Commands under one name."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Make the context as click does, and store the arguments for refusals."""
        arguments = tuple(args)
        with redacted_refusals(arguments):
            context = super().make_context(info_name, args, parent, **extra)
        context.meta.setdefault(_ARGUMENTS, arguments)
        return context

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that was named."""
        with redacted_refusals(ctx.meta[_ARGUMENTS]):
            return super().invoke(ctx)


class SectionedCommand(click.Command):
    """A command whose help lists its options by sections.

    `-h` prints a line for each option, and the options of the memory by name, since every command has them; `--help`
    prints everything.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse as click does, and remember which help was asked for."""
        ctx.meta[_IS_SHORT_HELP] = "--help" not in args
        return super().parse_args(ctx, args)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Name the full help after the short one."""
        if ctx.meta.get(_IS_SHORT_HELP):
            formatter.write_paragraph()
            formatter.write_text("--help prints this help in full.")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options under the headings of their sections."""
        is_short = ctx.meta.get(_IS_SHORT_HELP, False)
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for parameter in self.get_params(ctx):
            record = _help_record(parameter, ctx)
            if record is not None:
                section = "Arguments" if isinstance(parameter, click.Argument) else "Options"
                sections.setdefault(getattr(parameter, "section", section), []).append(record)
        memory = sections.pop(MEMORY_SECTION, None)
        for name, records in sections.items():
            if records:
                with formatter.section(name):
                    formatter.write_dl(_shortened_records(records, formatter.width) if is_short else records)
        if memory:
            with formatter.section(MEMORY_SECTION):
                if is_short:
                    formatter.write_text(" ".join(name.partition(" ")[0] for name, _ in memory))
                else:
                    formatter.write_dl(memory)


class DescribedArgument(click.Argument):
    """An argument with a help text.

    Args:
        help: the text.
    """

    def __init__(self, declarations: list[str], *, help: str, **attributes: Any) -> None:
        super().__init__(declarations, **attributes)
        self.description = help


def _help_record(parameter: click.Parameter, ctx: click.Context) -> tuple[str, str] | None:
    if not isinstance(parameter, click.Argument):
        return parameter.get_help_record(ctx)
    description = getattr(parameter, "description", "")
    return (parameter.human_readable_name.strip("[]"), description) if description else None


def _shortened_records(records: list[tuple[str, str]], width: int) -> list[tuple[str, str]]:
    """Return as much of each description as fits on its line."""
    left = width - max(len(name) for name, _ in records) - _BETWEEN_COLUMNS
    return [(name, textwrap.shorten(text, left, placeholder=" …")) for name, text in records]


@contextmanager
def redacted_refusals(arguments: tuple[str, ...]) -> Generator[None, None, None]:
    """Run a block; a refusal repeats no long argument and no password of the arguments."""
    try:
        yield
    except click.ClickException as refusal:
        setattr(refusal, "message", _redacted(refusal.message, arguments))  # noqa: B010 -- click declares it a constant
        raise
    except KeyboardInterrupt:
        raise CommandRefused("interrupted", INTERRUPTED) from None


def _redacted(message: str, arguments: Iterable[str]) -> str:
    """Return a message without the long and the secret parts of the arguments that it repeats."""
    parts = {part for argument in arguments for part in (argument, argument.partition("=")[2]) if part}
    for part in sorted(parts, key=len, reverse=True):
        for secret in _passwords(part):
            message = message.replace(part, part.replace(secret, "***"))
            message = message.replace(secret, "***") if len(secret) >= _SHORTEST_PASSWORD else message
        if (short := _shortened(part)) != part:
            message = message.replace(part, short).replace(repr(part)[1:-1], short)
    return message if len(message) <= _LONGEST_MESSAGE else message[: _LONGEST_MESSAGE - 1] + "…"


def _passwords(argument: str) -> list[str]:
    """Return the passwords in an address of a database, in each form in which it may be written."""
    address = _ADDRESS.match(argument)
    parts = [found[1] for found in _PART.finditer(argument)] if _KEYWORD.search(argument) else []
    return [*([address[1]] if address else []), *parts]


def _shortened(argument: str) -> str:
    return argument if len(argument) <= _LONGEST_ARGUMENT else argument[: _REPEATED - 1] + "…"
