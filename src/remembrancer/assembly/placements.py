"""Tenants in several databases: where each is, and its move to another one."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, cast

from anyio import get_cancelled_exc_class
from anyio.to_thread import run_sync

from remembrancer.assembly.administration import audit_command
from remembrancer.assembly.engine import make_dependencies, make_units
from remembrancer.assembly.stores import import_extra, open_store
from remembrancer.errors import Conflict, InvalidInput, NotFound
from remembrancer.settings import Settings, load_settings
from remembrancer.types.placements import MAIN, DatabaseState, MoveReceipt, Placement
from remembrancer.types.scope import Scope

if TYPE_CHECKING:
    from remembrancer.storage.postgres.databases import ManyDatabases
    from remembrancer.storage.postgres.moving import MoveProgress

_MOVED = "moved"


async def tenant_placements(**settings: object) -> tuple[list[Placement], list[DatabaseState]]:
    """Return the database of each tenant, and the state of each database.

    Raises:
        InvalidInput: the settings name one database only.
        StoreUnavailable: the main database does not answer.
    """
    async with _opened(await _settings(settings)) as store:
        return await store.placements(), await store.databases()


async def place_tenant(tenant: str, database: str, **settings: object) -> None:
    """Decide the database of a tenant that has no memories yet.

    Raises:
        InvalidInput: the settings name no such database, or the name of the tenant is not allowed.
        Conflict: the tenant has memories, or is in another database.
        StoreUnavailable: a database does not answer.
    """
    loaded = await _settings(settings)
    _check(loaded, database)
    if database == MAIN:
        raise InvalidInput(f"a tenant is in {MAIN!r} unless it is placed elsewhere; name another database")
    Scope(tenant=tenant)
    async with _opened(loaded) as store:
        if tenant not in await store.tenants():
            # Opened, so that a wrong address or key is found now.
            await store.opened(database)
    moving = import_extra("postgres", "remembrancer.storage.postgres.moving")
    await run_sync(moving.place, _addresses(loaded), tenant, database)


async def move_tenant(
    tenant: str, database: str, *, progress: "MoveProgress | None" = None, **settings: object
) -> MoveReceipt:
    """Move a tenant to another database while it is in use, or finish a move that was killed.

    See `storage.postgres.moving`.

    Args:
        progress: is called with a stage and a number of further rows.

    Returns:
        The receipt; that of the last move if the tenant is in the database already.

    Raises:
        InvalidInput: the settings name no such database.
        NotFound: there is no such tenant.
        Conflict: the databases differ in version, key or vectors, another process moves the tenant, or its writes last
            too long.
        StoreError: what was copied differs.
        StoreUnavailable: a database does not answer.
    """
    loaded = await _settings(settings)
    _check(loaded, database)
    moving = import_extra("postgres", "remembrancer.storage.postgres.moving")
    async with _opened(loaded) as store:
        source = (await _placed(store, tenant)).database
        if source == database:
            source = await store.former(tenant, database)
        await store.opened(database)
        one = moving.Move(_addresses(loaded), tenant, source=source, target=database)

        def move() -> tuple[MoveReceipt, bool]:
            with one:
                return one.run(progress or _ignore, sign=store.sign)

        try:
            receipt, is_new = await run_sync(move, abandon_on_cancel=True)
        except get_cancelled_exc_class():
            one.stop()
            raise
        if is_new:
            units = make_units(store, make_dependencies(loaded, store), None)
            await audit_command(units, tenant, _MOVED, "tenant", actor=loaded.actor)
        return receipt


async def cancel_move(tenant: str, *, is_target_lost: bool = False, **settings: object) -> tuple[Placement, int]:
    """Abandon the move of a tenant that was interrupted before the tenant had left its database.

    Args:
        is_target_lost: the other database will not answer again; nothing is deleted there.

    Returns:
        Where the tenant stays, and the number of rows that were deleted in the other database.

    Raises:
        NotFound: there is no such tenant.
        Conflict: the move runs, or the tenant has left.
        InvalidInput: it is not moving.
        StoreUnavailable: a database does not answer.
    """
    loaded = await _settings(settings)
    moving = import_extra("postgres", "remembrancer.storage.postgres.moving")
    async with _opened(loaded) as store:
        placed = await _placed(store, tenant)
        other = placed.moving_to or next(iter(placed.left_over), "")
        if not other or (is_target_lost and not placed.moving_to):
            raise InvalidInput(f"the tenant {tenant!r} is in {placed.database!r} and is not moving")
        if not is_target_lost:
            _check(loaded, other)

        def cancel() -> int:
            if is_target_lost:
                address = _addresses(loaded)[placed.database]
                moving.forget_target(address, tenant, source=placed.database, target=other)
                return 0
            with moving.Move(_addresses(loaded), tenant, source=placed.database, target=other) as one:
                return one.cancel()

        try:
            return placed, await run_sync(cancel)
        except Conflict as error:
            if placed.moving_to:
                raise
            raise Conflict(
                f"the tenant {tenant!r} has left {other!r} already; finish the move with"
                f" `remembrancer tenants move {tenant} --to {placed.database}`"
            ) from error


async def _placed(store: "ManyDatabases", tenant: str) -> Placement:
    """Return the database of a tenant.

    Raises:
        NotFound: there is no such tenant.
    """
    placed = next((one for one in await store.placements() if one.tenant == tenant), None)
    if placed is None:
        raise NotFound("tenant", tenant)
    return placed


def _addresses(settings: Settings) -> Mapping[str, str]:
    """Return the addresses of all databases by name."""
    return {MAIN: settings.db} | {name: address.get_secret_value() for name, address in settings.databases.items()}


async def _settings(settings: Mapping[str, object]) -> Settings:
    loaded = await run_sync(partial(load_settings, **dict(settings)))
    if not loaded.databases:
        raise InvalidInput(
            'there is one database; name the others, such as REMEMBRANCER_DATABASES=\'{"east": "postgresql://..."}\','
            " the same for all processes"
        )
    return loaded


@asynccontextmanager
async def _opened(settings: Settings) -> "AsyncGenerator[ManyDatabases, None]":
    async with open_store(settings, create=False) as store:
        # The settings name several.
        yield cast("ManyDatabases", store)


def _check(settings: Settings, database: str) -> None:
    names = (MAIN, *settings.databases)
    if database not in names:
        raise InvalidInput(f"there is no database {database!r}; it is one of {', '.join(names)}")


def _ignore(_stage: object, _rows: int) -> None:
    """Ignore progress."""
