"""The table of commands in the reference, made of the commands: `python -m tests.policy.command_table` writes it."""

import re
from collections.abc import Iterator
from pathlib import Path

import click

import remembrancer
from remembrancer.cli.app import app

PAGE = Path(remembrancer.__file__).parents[2] / "docs/reference/cli.md"
BEGIN, END = "<!-- commands -->\n", "<!-- end of commands -->\n"


def table() -> str:
    """Return the table of all commands, by sections."""
    parts: list[str] = []
    for title, names in sections():
        rows = [row for name in names for row in _rows(app.commands[name], (name,))]
        parts += [f"### {title}\n", "| command | does |\n|---|---|\n" + "".join(rows)]
    return "\n".join(parts)


def page() -> str:
    """Return the reference with the table as it is now."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    return f"{before}{BEGIN}\n{table()}\n{END}{rest.partition(END)[2]}"


def sections() -> Iterator[tuple[str, list[str]]]:
    """Yield the commands at the top, and then each group."""
    groups = [name for name, command in app.commands.items() if isinstance(command, click.Group)]
    yield "At the top", [name for name, command in app.commands.items() if name not in groups and not command.hidden]
    for name in groups:
        yield f"`{name}`", [name]


def _rows(command: click.Command, path: tuple[str, ...]) -> Iterator[str]:
    context = click.Context(command, info_name=" ".join(("remembrancer", *path)))
    usage = "" if isinstance(command, click.Group) else " ".join(_pieces(command, context))
    text = " ".join((command.help or "").split("\n\n")[0].split()).replace("|", "\\|")
    yield f"| `{' '.join(('remembrancer', *path, usage)).strip()}` | {text} |\n"
    if isinstance(command, click.Group):
        for name, one in sorted(command.commands.items()):
            yield from _rows(one, (*path, name))


def _pieces(command: click.Command, context: click.Context) -> Iterator[str]:
    for parameter in command.params:
        if isinstance(parameter, click.Argument):
            yield re.sub(r"\.{3,}(\]?)\.*$", r"…\1", parameter.make_metavar(context))
        elif parameter.required:
            yield f"{parameter.opts[0]} {parameter.make_metavar(context)}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
