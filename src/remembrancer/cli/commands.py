"""Commands made of operations: one a public method, with its parameters as arguments and options.

An operation that needs more than its call and a print of its result has a function here under `behaviour`, in
`reading`, `governance` or `maintenance`.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import click

from remembrancer.cli.group import SectionedCommand
from remembrancer.cli.options import parameters_of, values_of
from remembrancer.cli.progress import Reporter
from remembrancer.cli.results import print_result
from remembrancer.cli.target import Target, ended, targeted
from remembrancer.docstrings import body, summary
from remembrancer.memory import Memory
from remembrancer.operations import OPERATIONS, Operation

R = TypeVar("R")
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

    def run(self, work: Callable[[Memory], Awaitable[R]] | None = None, **options: Any) -> Any:
        """Open the memory and do the operation, or other work in its place."""
        create = self.operation.name in CREATES_DATABASE
        return self.target.run(work or self.on, create=create, **options)  # pyright: ignore[reportArgumentType] -- a coroutine

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
        help=_help(operation),
        short_help=summary(operation.method),
    )


def _print(call: OperationCall) -> None:
    print_result(call.target, call.run(), name=call.operation.name)


def _help(operation: Operation) -> str:
    text = body(operation.method).replace("`", "")
    return text
