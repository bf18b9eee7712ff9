"""A store over several databases: each tenant is in one of them.

Each database refuses a tenant that is in another one and names that one, so the places that are known here may be out
of date: the main database is asked first, and a refusal leads on. What belongs to no tenant is in the main database:
access keys, jobs, leases and the states of models.
"""

import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from datetime import datetime
from time import monotonic
from typing import Any, TypeVar

import anyio

from remembrancer.errors import Conflict, InvalidInput, RemembrancerError, StoreError, StoreUnavailable
from remembrancer.storage.postgres.connection import TenantElsewhere
from remembrancer.storage.postgres.replicas import WATCH_SECONDS
from remembrancer.storage.postgres.store import PlacementRow, PostgresStore
from remembrancer.storage.tx import Tx
from remembrancer.types.access import AccessKey, Caller
from remembrancer.types.calls import Breaker, CallPurpose
from remembrancer.types.index import Generation, Space
from remembrancer.types.jobs import DueWork, Finding, Job, Lease, Thresholds
from remembrancer.types.placements import MAIN, DatabaseState, Placement
from remembrancer.types.replicas import ReplicaState
from remembrancer.types.scope import Scope

_LOG = logging.getLogger(__name__)
_MAX_KNOWN = 100_000
# How long a tenant is followed from database to database. A move needs milliseconds between two of them.
_FOLLOWED_SECONDS = 10.0
_PAUSE_SECONDS = 0.05
_AWAY_SECONDS = 2.0
_ADMITTED_SECONDS = 0.5
T = TypeVar("T")
Opening = Callable[[str | None], AbstractAsyncContextManager[PostgresStore]]
"""Opens a database. One that is new adopts the keys of the record that it is called with."""


class ManyDatabases:
    """A store over several databases; see `Store`. Open it with `ManyDatabases.open`."""

    def __init__(self, stack: AsyncExitStack, main: PostgresStore, others: Mapping[str, Opening]) -> None:
        self._stack = stack
        self._main = main
        self._others = others
        self._opened: dict[str, PostgresStore] = {MAIN: main}
        self._opening = {name: anyio.Lock() for name in others}
        self._places: dict[str, str] = {}
        # When to try again those that did not open, and the reasons.
        self._away: dict[str, tuple[float, str]] = {}

    @classmethod
    @asynccontextmanager
    async def open(cls, main: Opening, others: Mapping[str, Opening]) -> AsyncGenerator["ManyDatabases", None]:
        """Open the main database. The others are opened when they are first needed: one may be away.

        Raises:
            As `PostgresStore.open`.
        """
        async with AsyncExitStack() as stack:
            yield cls(stack, await stack.enter_async_context(main(None)), others)

    @property
    def is_durable(self) -> bool:
        return True

    def begin(self, caller: Caller, *, streaming: bool = False) -> AbstractAsyncContextManager[Tx]:
        return self._opened_at(caller.scope.tenant, lambda store: store.begin(caller, streaming=streaming))

    def snapshot(self, caller: Caller, *, streaming: bool = False) -> AbstractAsyncContextManager[Tx]:
        return self._opened_at(caller.scope.tenant, lambda store: store.snapshot(caller, streaming=streaming))

    async def read(self, caller: Caller, work: Callable[[Tx], Coroutine[Any, Any, T]]) -> T:
        return await self._at(caller.scope.tenant, lambda store: store.read(caller, work))

    async def write(self, caller: Caller, work: Callable[[Tx], Coroutine[Any, Any, T]]) -> T:
        return await self._at(caller.scope.tenant, lambda store: store.write(caller, work))

    async def scopes(self, tenant: str | None = None) -> list[Scope]:
        if tenant is not None:
            return await self._at(tenant, lambda store: store.scopes(tenant))
        noted = await self._noted()
        placed = [one.tenant for one in await self._placements(noted) if one.database in noted]
        return [scope for one in placed for scope in await self.scopes(one)]

    async def visible_scopes(self, scope: Scope) -> list[Scope]:
        return await self._at(scope.tenant, lambda store: store.visible_scopes(scope))

    async def tenants(self) -> list[str]:
        return [one.tenant for one in await self.placements()]

    async def due(self, limits: Thresholds) -> list[DueWork]:
        found = await self._of_reachable(lambda store: store.due(limits))
        return sorted({one for due in found.values() for one in due}, key=lambda one: (one.tenant, one.purpose))

    async def waiting(self, due: DueWork, limits: Thresholds) -> list[Scope]:
        return await self._at(due.tenant, lambda store: store.waiting(due, limits))

    async def lease(self, name: str, *, holder: str, seconds: float) -> bool:
        return await self._main.lease(name, holder=holder, seconds=seconds)

    async def leases(self) -> list[Lease]:
        return await self._main.leases()

    async def release(self, name: str, *, holder: str) -> None:
        await self._main.release(name, holder=holder)

    async def breakers(self) -> list[Breaker]:
        return await self._main.breakers()

    async def put_breaker(self, breaker: Breaker) -> bool:
        return await self._main.put_breaker(breaker)

    async def drop_breaker(self, model: str, purpose: CallPurpose) -> None:
        await self._main.drop_breaker(model, purpose)

    async def access_keys(self, tenant: str) -> list[AccessKey]:
        return await self._main.access_keys(tenant)

    async def access_key(self, id: str) -> AccessKey | None:
        return await self._main.access_key(id)

    async def has_access_keys(self) -> bool:
        return await self._main.has_access_keys()

    async def put_access_key(self, key: AccessKey) -> None:
        await self._main.put_access_key(key)

    async def touch_access_key(self, id: str, at: datetime) -> None:
        await self._main.touch_access_key(id, at)

    async def jobs(self, tenant: str, *, limit: int) -> list[Job]:
        return await self._main.jobs(tenant, limit=limit)

    async def job(self, tenant: str, id: str) -> Job | None:
        return await self._main.job(tenant, id)

    async def put_job(self, job: Job) -> None:
        await self._main.put_job(job)

    async def cancel_job(self, tenant: str, id: str) -> None:
        await self._main.cancel_job(tenant, id)

    async def forget_jobs(self, tenant: str, *, before: datetime) -> None:
        await self._main.forget_jobs(tenant, before=before)

    async def replicas(self, *, look: bool = False) -> list[ReplicaState]:
        return [state for store in self._opened.values() for state in await store.replicas(look=look)]

    async def databases(self) -> list[DatabaseState]:
        states: list[DatabaseState] = []
        for name in (MAIN, *self._others):
            try:
                await (await self._database(name)).ping()
                states.append(DatabaseState(name=name))
            except StoreError as error:
                states.append(DatabaseState(name=name, reason=str(error)))
        if states[0].answers:
            states += [one for one in await self._main.databases() if one.name not in self._others]
        return states

    async def placements(self) -> list[Placement]:
        """Return the databases of all tenants, by tenant.

        Of a database that does not answer, the tenants are those that the main one has recorded.
        """
        return await self._placements(await self._noted())

    async def left_over(self, tenant: str) -> list[str]:
        found = await self._of_reachable(lambda store: store.placed(tenant))
        return [
            name for name in (MAIN, *self._others) if name not in found or any(row.has_left_over for row in found[name])
        ]

    async def former(self, tenant: str, database: str) -> str:
        """Return the database that a tenant has left last for another one.

        Raises:
            InvalidInput: it was never moved there.
        """
        left = [
            (row.is_emptied, name == MAIN, name)
            for name, rows in (await self._noted()).items()
            if (row := rows.get(tenant))
            and row.state == "left"
            and row.database == database
            # It was only placed elsewhere, or a move to there was cancelled.
            and (row.is_emptied or row.has_rows)
        ]
        if not left:
            raise InvalidInput(f"the tenant {tenant!r} is in {database!r}; nothing is to be moved")
        # A move that was killed first. The main database notes the moves between the others as well.
        return min(left)[2]

    async def opened(self, name: str) -> None:
        """Check that a database can be opened.

        Raises:
            StoreUnavailable: it does not answer.
            Conflict: it has another key, or other vectors.
        """
        await self._database(name)

    async def hint(self) -> None:
        await self._main.hint()

    async def wait_for_hint(self, seconds: float) -> None:
        await self._main.wait_for_hint(seconds)

    async def generations(self) -> list[Generation]:
        return await self._main.generations()

    async def serving_generation(self, space: Space) -> Generation:
        return await self._everywhere(await self._main.serving_generation(space))

    async def start_generation(self, space: Space) -> Generation:
        return await self._everywhere(await self._main.start_generation(space))

    async def switch_generation(self, number: int) -> None:
        # The main one last: until then it names the former one, and the switch is repeated.
        for name in reversed((MAIN, *self._others)):
            await (await self._database(name)).switch_generation(number)

    async def drop_generation(self, number: int) -> None:
        for name in (MAIN, *self._others):
            await (await self._database(name)).drop_generation(number)

    async def scrub(self) -> bool:
        return await self._main.scrub()

    async def tend(self) -> None:
        tended = set[str]()
        async with anyio.create_task_group() as tasks:
            while True:
                for name in self._opened.keys() - tended:
                    tended.add(name)
                    tasks.start_soon(self._opened[name].tend)
                await anyio.sleep(WATCH_SECONDS)

    async def compact(self) -> bool:
        return await self._main.compact()

    async def forget(self, scope: Scope, *, at: datetime) -> None:
        await self._main.forget(scope, at=at)

    async def damage(self) -> list[str]:
        return await self._main.damage()

    async def faults(self) -> list[Finding]:
        return await self._main.faults()

    async def repair(self) -> None:
        await self._main.repair()

    async def size(self) -> int:
        return sum((await self._of_reachable(lambda store: store.size())).values())

    async def analyser(self) -> str:
        return await self._main.analyser()

    async def set_analyser(self, analyser: str) -> None:
        for name in (MAIN, *self._others):
            await (await self._database(name)).set_analyser(analyser)

    async def known_key(self) -> str:
        return await self._main.known_key()

    def sign(self, text: str) -> str:
        return self._main.sign(text)

    @asynccontextmanager
    async def _opened_at(
        self, tenant: str, transaction: Callable[[PostgresStore], AbstractAsyncContextManager[Tx]]
    ) -> AsyncGenerator[Tx, None]:
        """Open a transaction in the database of a tenant."""
        async with AsyncExitStack() as stack:
            yield await self._at(tenant, lambda store: stack.enter_async_context(transaction(store)))

    async def _at(self, tenant: str, work: Callable[[PostgresStore], Awaitable[T]]) -> T:
        """Return the result of work in the database of a tenant, which is followed to where it has moved."""
        name, end = self._places.get(tenant, MAIN), monotonic() + _FOLLOWED_SECONDS
        left, hops = "", 0
        while True:
            try:
                store = await self._database(name)
                return await work(store)
            except (StoreUnavailable, InvalidInput):
                # It may have moved from there since.
                self._places.pop(tenant, None)
                raise
            except TenantElsewhere as elsewhere:
                if monotonic() > end:
                    raise StoreUnavailable(f"the tenant is moving to the database {name!r}; try again") from elsewhere
                if elsewhere.has_left:
                    left, name = name, elsewhere.database
                elif elsewhere.database == left:
                    # The mover admits it within milliseconds, unless it was killed between the two.
                    await anyio.sleep(_ADMITTED_SECONDS)
                    store = await self._database(name)
                    await store.admit(tenant, coming_from=left)
                else:
                    left, name = "", elsewhere.database
                hops += 1
                # The first steps are to where it is; then it is moving.
                await anyio.sleep(_PAUSE_SECONDS if hops > 1 else 0)
            if len(self._places) >= _MAX_KNOWN:
                self._places.clear()
            self._places[tenant] = name

    async def _database(self, name: str) -> PostgresStore:
        """Return a database, which is opened at its first use.

        Raises:
            InvalidInput: the settings name no such database.
            StoreUnavailable: it does not answer.
            Conflict: it was made with another key.
        """
        if store := self._opened.get(name):
            return store
        if name not in self._others:
            raise InvalidInput(
                f"a tenant is in the database {name!r}, which REMEMBRANCER_DATABASES does not name; add its address"
            )
        async with self._opening[name]:
            if name not in self._opened:
                self._opened[name] = await self._open(name)
        return self._opened[name]

    async def _open(self, name: str) -> PostgresStore:
        until, reason = self._away.get(name, (0.0, ""))
        if monotonic() < until:
            raise StoreUnavailable(reason)
        try:
            async with AsyncExitStack() as stack:
                store = await stack.enter_async_context(self._others[name](await self._main.known_key()))
                if store.sign("") != self._main.sign(""):
                    raise Conflict(
                        f"the database {name!r} was made with another key than the main one; name an empty database"
                    )
                await store.adopt_generations(await self._main.generations())
                if not await store.analyser():
                    await store.set_analyser(await self._main.analyser())
                self._stack.push_async_exit(stack.pop_all())
                return store
        except RemembrancerError as error:
            if not isinstance(error, StoreUnavailable):
                raise StoreError(f"the database {name!r} cannot be used: {error}") from error
            reason = f"the database {name!r} cannot be opened: {error}"
            self._away[name] = monotonic() + _AWAY_SECONDS, reason
            raise StoreUnavailable(reason) from error

    async def _everywhere(self, generation: Generation) -> Generation:
        """Create a generation of the main database in all others, under its number."""
        for name in self._others:
            await (await self._database(name)).adopt_generations(await self._main.generations())
        return generation

    async def _noted(self) -> Mapping[str, Mapping[str, PlacementRow]]:
        """Return what the databases that answer have recorded, by database and tenant."""
        found = await self._of_reachable(lambda store: store.placed())
        return {name: {row.tenant: row for row in rows} for name, rows in found.items()}

    async def _placements(self, noted: Mapping[str, Mapping[str, PlacementRow]]) -> list[Placement]:
        # Copies of an abandoned move are found, too, where the tenant was erased since.
        left_over = {tenant for rows in noted.values() for tenant, row in rows.items() if row.has_left_over}
        return [_followed(tenant, noted) for tenant in sorted({*await self._main.tenants(), *noted[MAIN], *left_over})]

    async def _of_reachable(self, work: Callable[[PostgresStore], Awaitable[T]]) -> dict[str, T]:
        """Return the results of work in the databases that answer, by name; the main one must.

        The others are logged.
        """
        results = {MAIN: await work(self._main)}
        for name in self._others:
            try:
                results[name] = await work(await self._database(name))
            except StoreError as error:
                _LOG.warning("%s; what is asked of all databases is without it", error)
        return results


def _followed(tenant: str, noted: Mapping[str, Mapping[str, PlacementRow]]) -> Placement:
    """Return the database of a tenant, followed from the main one by what the databases have recorded.

    Args:
        noted: by database and tenant.
    """

    def row_of(name: str) -> PlacementRow | None:
        return noted.get(name, {}).get(tenant)

    name, since = MAIN, None
    # No more steps than there are databases.
    for _ in noted:
        row = row_of(name)
        if row is None or row.state == "copying":
            break
        there = row_of(row.database)
        if row.state == "arriving" and there is not None and (there.state, there.database) == ("left", name):
            # The move was killed before the tenant was admitted here.
            break
        name, since = row.database, row.since
    row = row_of(name)
    moving_to = row.database if row is not None and row.state == "copying" else ""
    left_over = tuple(one for one in noted if one != name and (row := row_of(one)) and row.has_left_over)
    return Placement(tenant=tenant, database=name, since=since, moving_to=moving_to, left_over=left_over)
