"""Stores and adapters of the settings."""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import anyio
from anyio.to_thread import run_sync

from remembrancer.errors import InvalidInput, StoreError
from remembrancer.settings import Settings
from remembrancer.storage.base import Store
from remembrancer.storage.copying import Tables
from remembrancer.storage.secret import load_secret
from remembrancer.storage.sqlite.file import IN_MEMORY, discard_unused, key_file
from remembrancer.storage.sqlite.store import SQLiteStore
from remembrancer.storage.sqlite.tables import SQLiteTables, known_key
from remembrancer.types.placements import MAIN

if TYPE_CHECKING:
    from remembrancer.storage.postgres.databases import Opening

    RequestSpan: TypeAlias = Callable[
        [Mapping[str, str]], AbstractContextManager[Callable[[str, Mapping[str, str | int], bool], None]]
    ]


def import_extra(extra: str, module: str) -> Any:
    """Import a module that needs an extra.

    Raises:
        StoreError: the extra is not installed.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise StoreError(
            f"this needs the extra {extra!r} ({error.name} is missing): pip install 'remembrancer[{extra}]'"
        ) from error


@asynccontextmanager
async def open_store(
    settings: Settings,
    create: bool,
    *,
    keep_key: bool = False,
    known: str | None = None,
) -> AsyncGenerator[Store, None]:
    """Open the store of the settings: a server or a file."""
    secret = settings.secret_key.get_secret_value() if settings.secret_key else None
    match settings.db.partition("://"):
        case ("postgresql" | "postgres", "://", _):
            async with _server(settings, secret, known) as server:
                yield server
        case (scheme, "://", _):
            raise no_store(scheme)
        case _ if settings.replicas or settings.databases:
            named = {"REMEMBRANCER_REPLICAS": settings.replicas, "REMEMBRANCER_DATABASES": settings.databases}
            raise InvalidInput(
                "a file has neither replicas nor further databases; unset"
                f" {' and '.join(name for name, value in named.items() if value)}, or name a PostgreSQL server as db"
            )
        case _:
            new_file = _NewFile(settings.db) if create and settings.db != IN_MEMORY else None
            is_new = new_file is not None and await run_sync(new_file.is_missing)
            try:
                async with SQLiteStore.open(
                    settings.db,
                    secret=secret,
                    durable=settings.durable,
                    create=create,
                    keep_key=keep_key,
                    known=known,
                    patience=settings.busy_timeout,
                ) as file:
                    yield file
            except BaseException:
                if is_new and new_file is not None:
                    with anyio.CancelScope(shield=True):
                        await run_sync(new_file.discard)
                raise


def _server(settings: Settings, secret: str | None, known: str | None) -> "AbstractAsyncContextManager[Store]":
    """Return the opening of a server's database, or of several.

    Raises:
        InvalidInput: the settings name several databases and Qdrant, or a replica of a database without a name.
    """
    postgres = import_extra("postgres", "remembrancer.storage.postgres.store")

    def opening(address: str, replicas: Sequence[str] = ()) -> "Opening":
        return lambda known: postgres.PostgresStore.open(
            address,
            secret=secret,
            pool_size=settings.pool_size,
            statement_seconds=settings.statement_timeout,
            replicas=replicas,
            known=known,
        )

    replicas = {name: list[str]() for name in (MAIN, *settings.databases)}
    for named in settings.replicas:
        name, address = _named(named)
        if name not in replicas:
            raise InvalidInput(f"replicas names the database {name!r}, which databases does not; add its address there")
        replicas[name].append(address)
    main = opening(settings.db, replicas[MAIN])
    if not settings.databases:
        return main(known)
    if settings.qdrant_url:
        raise InvalidInput(
            "vectors of several databases have the same numbers, so they cannot be in one Qdrant; unset"
            " REMEMBRANCER_QDRANT_URL or REMEMBRANCER_DATABASES"
        )
    databases = import_extra("postgres", "remembrancer.storage.postgres.databases")
    others = {name: opening(address.get_secret_value(), replicas[name]) for name, address in settings.databases.items()}
    return databases.ManyDatabases.open(main, others)


def _named(replica: str) -> tuple[str, str]:
    """Return the name of a replica's database, and its address."""
    name, separator, address = replica.partition("=postgres")
    return (name, f"postgres{address}") if separator and "/" not in name else (MAIN, replica)


class _NewFile:
    """A new file of a store.

    It is deleted if the opening fails before anything is written.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._key: Path | None = None

    def is_missing(self) -> bool:
        """Return True if the file does not exist."""
        try:
            key = key_file(self._path)
            self._key = None if key.exists() else key
            return not Path(self._path).exists()
        except (OSError, ValueError):
            # An invalid name is refused at the opening.
            return False

    def discard(self) -> None:
        """Delete the file with its new key file."""
        if Path(self._path).exists():
            discard_unused(self._path, self._key)


def no_store(scheme: str) -> InvalidInput:
    """Return the error for an address of another database."""
    return InvalidInput(f"no store for {scheme}:// addresses; use the name of a file or postgresql://…")


@asynccontextmanager
async def open_tables(settings: Settings) -> AsyncGenerator[Tables, None]:
    """Open the tables of an existing store."""
    if "://" in settings.db:
        postgres = await run_sync(import_extra, "postgres", "remembrancer.storage.postgres.tables")
        async with postgres.PostgresTables.open(settings.db, statement_seconds=settings.statement_timeout) as server:
            yield server
    else:
        async with SQLiteTables.open(settings.db, durable=settings.durable) as file:
            yield file


def known_key_of(settings: Settings) -> str | None:
    """Return the identity of the key of a database; `None` for a new one."""
    match settings.db.partition("://"):
        case ("postgresql" | "postgres", "://", _):
            return import_extra("postgres", "remembrancer.storage.postgres.tables").known_key(settings.db)
        case (_, "://", _):
            return None
        case _:
            return known_key(settings.db)


def key_of(settings: Settings) -> bytes:
    """Return the key that opens an existing store."""
    secret = settings.secret_key.get_secret_value() if settings.secret_key else None
    return load_secret(secret, key_file(settings.db), make=False)
