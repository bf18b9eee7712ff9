"""All of the library is on the command line: each method has a command, each argument an option, or a reason."""

from collections.abc import Mapping

import click

from remembrancer import Memory
from remembrancer.cli.commands import behaviours
from remembrancer.cli.options import has_option, is_positional, option_name
from remembrancer.cli.tree import WITHOUT_COMMAND
from remembrancer.operations import OPERATIONS, Argument, Operation
from tests.policy.test_commands_are_told import commands, program
from tests.walking import methods_of

# Methods without a route, which are no operations.
WRITTEN: Mapping[str, str] = {
    "messages.import_file": "import",
    "governance.archives.export": "export",
    "governance.archives.report": "governance archives report",
    "governance.archives.create": "governance archives create",
    "governance.archives.check": "governance archives check",
    "governance.archives.import_archive": "governance archives import",
}
WITHOUT: Mapping[str, str] = {
    "governance.archives.stream": "`governance archives create`, which writes it into a file",
    "within": "a scope, a clearance and an actor are options of every command",
    "conversation": "the session is an argument",
}
ELSEWHERE: Mapping[str, str] = {"sessions.execute": "execute"}
SUBJECT = "the arguments SUBJECT and NAMES"
WITHOUT_OPTION: Mapping[str, str] = {
    "recall.vector": "for a program that has an embedder",
    "recall.space": "for a program that has an embedder",
    "ask.vector": "for a program that has an embedder",
    "ask.space": "for a program that has an embedder",
    "explain.vector": "for a program that has an embedder",
    "explain.space": "for a program that has an embedder",
    "trace.vector": "for a program that has an embedder",
    "trace.space": "for a program that has an embedder",
    **{
        f"governance.erasure.{verb}.{subject}": SUBJECT
        for verb in ("plan", "erase")
        for subject in ("user", "agent", "project", "tenant", "session", "memories")
    },
    **{
        f"admin.keys.{verb}.{name}": "an option of every command"
        for verb in ("create", "list", "rotate", "revoke")
        for name in ("project", "agent", "user", "clearance", "tenant")
        if verb == "create" or name == "tenant"
    },
}


def path_of(name: str) -> str:
    """The command of an operation."""
    return ELSEWHERE.get(name, name.replace(".", " ").replace("_", "-"))


def arguments() -> Mapping[str, tuple[Operation, Argument]]:
    """Each argument of an operation that has a command, such as `recall.limit`."""
    return {
        f"{name}.{argument.name}": (operation, argument)
        for name, operation in OPERATIONS.items()
        if name not in WITHOUT_COMMAND
        for argument in operation.options.values()
    }


def test_every_operation_has_a_command_or_a_reason_for_none() -> None:
    known = {path for path, _ in commands(program())}
    assert [name for name in OPERATIONS if path_of(name) not in known and name not in WITHOUT_COMMAND] == []
    assert [name for name in WITHOUT_COMMAND if path_of(name) in known] == []
    assert set(WITHOUT_COMMAND) <= set(OPERATIONS)


def test_every_method_without_a_route_has_a_command_or_a_reason_for_none() -> None:
    known = {path for path, _ in commands(program())}
    assert set(methods_of(Memory)) - set(OPERATIONS) == {*WRITTEN, *WITHOUT}
    assert {path for path in WRITTEN.values() if path not in known} == set()


def test_every_argument_has_an_option_or_a_reason_for_none() -> None:
    known = dict(commands(program()))
    missing: set[str] = set()
    for name, (operation, argument) in arguments().items():
        command = known[path_of(operation.name)]
        words = {word.strip("-_") for one in command.params for word in (*one.opts, one.name or "")}
        names = {argument.name, f"{argument.name}s", option_name(operation, argument)}
        is_missing = not names & words or not has_option(operation, argument)
        missing |= {name} if is_missing and not (is_positional(argument) and argument.name in words) else set()
    assert missing == set(WITHOUT_OPTION)


def test_every_behaviour_is_that_of_a_command() -> None:
    assert [name for name in behaviours() if name not in OPERATIONS or name in WITHOUT_COMMAND] == []


def test_the_help_of_the_program_and_of_each_group_fits_one_screen() -> None:
    groups = {"": program(), **{path: one for path, one in commands(program()) if hasattr(one, "commands")}}
    lines = {path: len(help_of(one, path).splitlines()) for path, one in groups.items()}
    assert {path: count for path, count in lines.items() if count > 40} == {}
    assert len([path for path in groups if path and " " not in path]) <= 14


def help_of(group: object, path: str) -> str:
    assert isinstance(group, click.Group)
    return group.get_help(click.Context(group, info_name=f"remembrancer {path}".strip()))
