"""Commands made of operations: one a public method, with its parameters as arguments and options.

An operation that needs more than its call and a print of its result has a function here under `behaviour`, in
`reading`, `governance` or `maintenance`.
"""

import re
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click

from remembrancer.cli.group import SectionedCommand
from remembrancer.cli.options import parameters_of, values_of
from remembrancer.cli.progress import Reporter
from remembrancer.cli.results import print_result
from remembrancer.cli.target import Target, ended, targeted
from remembrancer.docstrings import body, summary
from remembrancer.memory import Memory
from remembrancer.operations import OPERATIONS, Operation

_LIST_WIDTH = 62
_MORE_HELP: Mapping[str, str] = {"restore": "\n\n`list --status soft-deleted` prints the deleted memories."}
_OF_PYTHON = ("The arguments are the fields of ", "The arguments are fields of ")
CREATES_DATABASE = frozenset(
    {
        "record", "save", "sessions.start", "sessions.execute", "episodes.record", "episodes.signal", "facts.set",
        "rules.add", "admin.keys.create", "governance.redactions.set", "governance.holds.place",
        "governance.retention.set",
    }
)  # fmt: skip
"""Operations for which a missing database is created; for any other its name is an error."""
_EMBEDS = frozenset({"record", "save", "edit", "episodes.record"})
_PROGRESS: Mapping[str, str] = {"admin.index.embed": "vectors made:", "admin.index.reembed": "vectors made:",
                                "admin.index.rebuild": "reindexed"}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationCall:
    """An operation with the arguments of a command line.

    Args:
        values: those that were typed, by the names of the options of the operation.
    """

    target: Target
    operation: Operation
    values: Mapping[str, Any]

    def run(self, work: Callable[[Memory], Coroutine[Any, Any, Any]] | None = None, **options: Any) -> Any:
        """Open the memory and do the operation, or other work in its place."""
        create = self.operation.name in CREATES_DATABASE
        return self.target.run(work or self.on, create=create, **options)

    async def on(self, memory: Memory) -> Any:
        """Do the operation on an open memory."""
        name = self.operation.name
        arguments = self.arguments
        if name in _PROGRESS:
            reporter = Reporter(_PROGRESS[name])
            result = await self.operation.bound(memory)(**arguments, progress=reporter.add)
            reporter.end()
            return result
        result = await self.operation.bound(memory)(**arguments)
        if name in _EMBEDS:
            await memory.admin.index.embed_soon()
        return result

    @property
    def arguments(self) -> dict[str, Any]:
        """Return the arguments of the method."""
        return self.operation.call_arguments(self.values)


Behaviour = Callable[..., None]
_BEHAVIOURS: dict[str, tuple[Behaviour, Sequence[click.Option]]] = {}


def behaviour(name: str, *options: click.Option) -> Callable[[Behaviour], Behaviour]:
    """Make a function the body of the command of an operation, with options of its own."""

    def register(function: Behaviour) -> Behaviour:
        _BEHAVIOURS[name] = function, options
        return function

    return register


def behaviours() -> Mapping[str, Behaviour]:
    """Return the bodies of commands by the names of their operations."""
    return {name: function for name, (function, _) in _BEHAVIOURS.items()}


def flag(name: str, help: str) -> click.Option:
    """Return an option without a value."""
    return click.Option([name], is_flag=True, help=help)


def command_of(name: str) -> click.Command:
    """Return the command of an operation."""
    operation = OPERATIONS[name]
    run, own = _BEHAVIOURS.get(name, (_print, ()))

    def callback(target: Target, /, **typed: Any) -> None:
        extras = {option.name: typed.pop(option.name) for option in own if option.name}
        values = ended(lambda: values_of(operation, typed))
        run(OperationCall(target=target, operation=operation, values=values), **extras)

    parsed = targeted(callback)
    memory_options: list[click.Parameter] = list(reversed(parsed.__click_params__))  # pyright: ignore[reportFunctionMemberAccess] -- set by click
    return SectionedCommand(
        name.rpartition(".")[2].replace("_", "-"),
        callback=parsed,
        params=[*parameters_of(operation), *own, *memory_options],
        help=_as_command(body(operation.method)) + _MORE_HELP.get(name, ""),
        short_help=_short(_as_command(summary(operation.method))),
    )


def _print(call: OperationCall) -> None:
    print_result(call.target, call.run(), name=call.operation.name)


def _as_command(docstring: str) -> str:
    """Return the docstring of a method as the help of its command: a command prints what a method returns."""
    paragraphs = [one for one in docstring.replace("`", "").split("\n\n") if not one.startswith(_OF_PYTHON)]
    text = re.sub(r"\bReturn (?=\w)", "Print ", "\n\n".join(paragraphs))
    return re.sub(r"\b(and|or) return (?=\w)", r"\1 print ", text)


def _short(help: str) -> str:
    """Return as many clauses of a first sentence as fit on a line of a list of commands."""
    sentence = re.split(r"(?<=[^.])\.(?:\s|$)", help)[0]
    ends = [match.start() for match in re.finditer(r"[;:,] |$", sentence) if match.start() <= _LIST_WIDTH]
    return f"{sentence[: ends[-1]] if ends else sentence}."
