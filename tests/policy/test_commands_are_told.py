"""Every command has help and stands in the reference."""

import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import click

import remembrancer

PAGE = Path(remembrancer.__file__).parents[2] / "docs/reference/cli.md"


def program() -> click.Group:
    app = importlib.import_module("remembrancer.cli.app").app
    assert isinstance(app, click.Group)
    return app


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    """Every command by its path, groups among them."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield " ".join((*path, name)), command
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))


def test_every_command_has_help() -> None:
    found = dict(commands(program()))
    assert found
    assert [path for path, command in found.items() if not (command.help or "").strip()] == []


def test_every_command_stands_in_the_reference() -> None:
    page = PAGE.read_text(encoding="utf-8")
    missing = [
        path
        for path, command in commands(program())
        if not command.hidden and not re.search(rf"remembrancer {re.escape(path)}(?![\w-])", page)
    ]
    assert missing == []
