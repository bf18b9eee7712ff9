"""Command lines of tests: where the options of the memory go behind the names of a command."""

import click

from remembrancer.cli.app import app


def with_options(arguments: tuple[str, ...], *options: str) -> list[str]:
    """Return a command line with options behind the names of its command, before its own arguments."""
    found: click.Command = app
    count = 0
    while isinstance(found, click.Group) and count < len(arguments) and arguments[count] in found.commands:
        found = found.commands[arguments[count]]
        count += 1
    return [*arguments[:count], *options, *arguments[count:]]
