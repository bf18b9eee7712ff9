"""Every command has help and stands in the reference."""

import importlib
import re
from collections.abc import Iterator

import click

from remembrancer.search.profiles import PROFILES
from remembrancer.types.details import FactCategory
from remembrancer.types.episode import EpisodeOutcome, Event, SignalType, Tier
from remembrancer.types.feedback import SessionOutcome
from remembrancer.types.lifecycle import Status
from remembrancer.types.new import OBSERVATION_TYPES, SUMMARY
from remembrancer.types.record import Kind, Role
from tests.policy.command_table import PAGE, page
from tests.rows import each_row


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


def test_the_table_of_commands_is_current() -> None:
    assert page() == PAGE.read_text(encoding="utf-8"), "run python -m tests.policy.command_table"


def helped(path: str) -> str:
    """What a command says of itself, on one line."""
    command = dict(commands(program()))[path]
    return " ".join(command.get_help(click.Context(command)).split())


# The names stand there as written, since the help of a command must not wait for the modules that define them.
@each_row(
    "path, named",
    [
        ("list", [*Status, *Kind, *OBSERVATION_TYPES, SUMMARY]),
        ("restore", [Status.DELETED]),
        ("delete", [Status.DELETED]),
        ("recall", [*PROFILES, *Kind, *OBSERVATION_TYPES, SUMMARY]),
        ("save", list(OBSERVATION_TYPES)),
        ("edit", list(OBSERVATION_TYPES)),
        ("record", list(Role)),
        ("episodes list", list(Tier)),
        ("episodes record", [*(event for event in Event if event is not Event.COMPACT), *EpisodeOutcome]),
        ("episodes signal", [type for type in SignalType if type is not SignalType.OBSERVATION_REJECTED]),
        ("facts list", list(FactCategory)),
        ("facts set", list(FactCategory)),
        ("sessions set-outcome", list(SessionOutcome)),
    ],
)
def test_the_help_of_a_command_names_what_it_takes(path: str, named: list[str]) -> None:
    assert [name for name in named if not re.search(rf"\b{name}\b", helped(path))] == []
