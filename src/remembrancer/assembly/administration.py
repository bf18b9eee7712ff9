"""Administration of whole stores: preparation, keys, backups and copies."""

import logging
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import anyio
from anyio.to_thread import run_sync

from remembrancer.assembly.engine import make_dependencies, make_units
from remembrancer.assembly.stores import import_extra, key_of, known_key_of, no_store, open_store, open_tables
from remembrancer.errors import Conflict, InvalidInput, StoreError, StoreUnavailable
from remembrancer.settings import Settings, load_settings
from remembrancer.storage import copying
from remembrancer.storage.secret import load_secret, own_key
from remembrancer.storage.sqlite.file import IN_MEMORY, rotate_key
from remembrancer.transactions.unit_of_work import UnitsOfWork
from remembrancer.transactions.write_transaction import ARCHIVED
from remembrancer.types.access import Caller
from remembrancer.types.arguments import path_of
from remembrancer.types.scope import Scope

if TYPE_CHECKING:
    from remembrancer.storage.postgres.roles import Prepared

    RequestSpan: TypeAlias = Callable[
        [Mapping[str, str]], AbstractContextManager[Callable[[str, Mapping[str, str | int], bool], None]]
    ]


_LOG = logging.getLogger("remembrancer")


async def init_database(
    url: str, *, role: str, password: str = "", fresh_password: str = "", partitions: int | None = None
) -> "Prepared":
    """Create or update the schema and the role of a PostgreSQL database.

    Args:
        url: the address, as an administrator.
        role: the role of the service, created if it does not exist.
        password: of the role; if empty, an existing role keeps its password.
        fresh_password: for a new role if `password` is empty.
        partitions: of each table, by tenant, 1 to 256; by default existing tables stay as they are.

    Raises:
        StoreUnavailable: the server cannot be reached.
        InvalidInput: the number of partitions is not possible.
        StoreError: the server is too old, or lacks pgvector.
        NotAllowed: the administrator may not do this, or row-level security would not bind the role.
    """
    roles = import_extra("postgres", "remembrancer.storage.postgres.roles")
    return await run_sync(
        lambda: roles.prepare(url, role=role, password=password, fresh_password=fresh_password, partitions=partitions)
    )


async def rewrite_database(url: str) -> int:
    """Rewrite all tables of a database, and return their number.

    Then no page contains erased data.

    Args:
        url: the address, as an administrator.

    Raises:
        StoreUnavailable: the server cannot be reached.
        InvalidInput: the database was not prepared.
        NotAllowed: the administrator may not do this.
    """
    roles = import_extra("postgres", "remembrancer.storage.postgres.roles")
    return await run_sync(lambda: roles.rewrite(url))


async def backup_store(
    source: str, file: str, *, progress: copying.Progress = copying.ignore_progress, **settings: object
) -> list[copying.ComparedTable]:
    """Copy a store into a new file, as of the beginning of the copy.

    The store may be in use. The file gets its name when it is complete and was compared with the source. The audit log
    of each tenant records the backup before that.

    Raises:
        InvalidInput: there is no such source, or the file is the address of a database.
        Conflict: the file exists already.
        StoreError: the file differs from the source, or cannot be written.
    """
    if file == IN_MEMORY or "://" in file:
        raise InvalidInput(f"a backup is a file, and {file!r} is not; use `copy` to write into a database")
    path, partial_path = path_of(file), path_of(f"{file}.partial")
    if await run_sync(path.exists):
        raise Conflict(f"{path} exists already; name another file")
    # Left by an interrupted backup.
    await run_sync(_remove, partial_path)
    await run_sync(_check_writable, partial_path)
    try:
        compared = await copy_store(source, str(partial_path), progress=progress, is_written=True, **settings)
        await _audit_backup(await run_sync(lambda: load_settings(**{**settings, "db": source})))
        await run_sync(_rename, partial_path, path)
    finally:
        with anyio.CancelScope(shield=True):
            await run_sync(_remove, partial_path)
    return compared


async def _audit_backup(settings: Settings) -> None:
    """Record the backup in the audit log of each tenant.

    A store whose disk is full is backed up without these entries.
    """
    async with open_store(settings, create=False) as store:
        units = make_units(store, make_dependencies(settings, store), None)
        try:
            for tenant in await store.tenants():
                await audit_command(units, tenant, ARCHIVED, "backup", actor=settings.actor)
        except StoreError as error:
            _LOG.warning("the audit log could not record the backup: %s", error)


async def audit_command(units: UnitsOfWork, tenant: str, action: str, kind: str, *, actor: str) -> None:
    """Record what a command on a whole store did, in the audit log of a tenant.

    Args:
        kind: of what the command concerns, such as `backup`.
    """
    caller = Caller(scope=Scope(tenant=tenant), actor=actor, origin="cli")
    async with units(caller.scope).on_behalf(caller).write() as writer:
        await writer.audit(action, kind, "")


def _check_writable(path: Path) -> None:
    """Check that a file can be created.

    Raises:
        StoreUnavailable: it cannot; the message names the folder and the cause.
    """
    try:
        path.touch(exist_ok=False)
    except OSError as error:
        raise StoreUnavailable(
            f"the folder {str(path.absolute().parent)!r} cannot be written to: {error.strerror}; name another one"
        ) from error
    path.unlink()


def _remove(path: Path) -> None:
    for end in ("", "-wal", "-shm", "-journal", ".key"):
        Path(f"{path}{end}").unlink(missing_ok=True)


def _rename(partial_path: Path, path: Path) -> None:
    """Rename a file and its key.

    The key first, since a file without its key cannot be opened.
    """
    Path(f"{partial_path}.key").rename(f"{path}.key")
    partial_path.rename(path)


async def rotate_secret(db: str, *, new: str | None = None) -> str:
    """Replace the key that opens a store.

    Its signatures and tombstones stay valid.

    Args:
        db: a file, or an address as an administrator; the present key is `REMEMBRANCER_SECRET_KEY`, or in the key file,
            which contains the new key afterwards.
        new: a text of 16 characters or more; by default one is generated for a store with a key file.

    Returns:
        The name of the file with the new key; `""` if the setting must be changed.

    Raises:
        InvalidInput: there is no such store, another key opens it, or the new one is missing or too short.
        StoreUnavailable: the database or the key file cannot be reached or written.
        NotAllowed: the role may not do this.
    """
    settings = await run_sync(lambda: load_settings(db=db))
    current = settings.secret_key.get_secret_value() if settings.secret_key else None
    if db == IN_MEMORY:
        raise InvalidInput(f"{IN_MEMORY} ends with its process, and so does its key; name a file")
    scheme, is_address, _ = db.partition("://")
    if is_address and scheme not in ("postgresql", "postgres"):
        raise no_store(scheme)
    if new is None and (current is not None or is_address):
        raise InvalidInput("the new key is missing: use --new-key-file FILE, - for standard input")
    fresh = None if new is None else load_secret(new, None)
    if is_address:
        if current is None:
            raise InvalidInput("set REMEMBRANCER_SECRET_KEY to the key that opens the store now")
        roles, opening = import_extra("postgres", "remembrancer.storage.postgres.roles"), load_secret(current, None)
        await run_sync(lambda: roles.rotate_key(db, opening=opening, new=fresh))
    else:
        await run_sync(lambda: rotate_key(settings.db, opening=current, new=fresh))
    return "" if current is not None else f"{settings.db}.key"


async def copy_store(
    source: str,
    target: str,
    *,
    progress: copying.Progress = copying.ignore_progress,
    is_written: bool = False,
    **settings: object,
) -> list[copying.ComparedTable]:
    """Copy a store into another one, which gets the same key.

    See `storage.copying`.

    Args:
        is_written: the source may be written during the copy; the target is as of the beginning.

    Raises:
        InvalidInput: there is no such source, a name is not that of a store, or both are the same database.
        Conflict: the target has another key or contains other data, or the source was written during the copy.
        StoreError: the target differs from the source.
    """
    if IN_MEMORY in (source, target):
        raise InvalidInput(f"{IN_MEMORY} ends with its process; name a file to copy from or to")
    from_settings = await run_sync(lambda: load_settings(**{**settings, "db": source}))
    # A store checks its key, its schema and its role when it is opened.
    async with open_store(from_settings, create=False) as source_store:
        analysed, known = await source_store.analyser(), await source_store.known_key()
    key = await run_sync(key_of, from_settings)
    to_settings = await run_sync(lambda: load_settings(**{**settings, "db": target, "secret_key": key.hex()}))
    target_key = await run_sync(known_key_of, to_settings)
    if target_key is not None and own_key(key, target_key) != own_key(key, known):
        raise Conflict("the target has another key than the source; name an empty database")
    # Opened once for its creation, and again after the copy: a refused copy leaves it as it was.
    async with open_store(to_settings, create=True, keep_key=True, known=known):
        pass
    async with open_tables(from_settings) as first, open_tables(to_settings) as second:
        compared = await copying.copy(first, second, progress=progress, is_written=is_written)
    async with open_store(to_settings, create=False, keep_key=True) as target_store:
        await target_store.set_analyser(analysed)
    return compared
