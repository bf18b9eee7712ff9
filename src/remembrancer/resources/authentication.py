"""Where requests from outside come in: whom an access key lets in, where a caller goes, what was answered before."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Generic, TypeVar

from remembrancer.errors import Conflict, NotAllowed, StoreError, StoreUnavailable
from remembrancer.privacy import access_keys
from remembrancer.resources.engine import Engine
from remembrancer.types.access import Caller, Right
from remembrancer.types.arguments import member
from remembrancer.types.jobs import KEPT_FOR, Requested
from remembrancer.types.scope import Classification, Scope, check_name

M = TypeVar("M")


class Authenticator(Generic[M]):
    """The authentication of requests of a service: `memory.authenticator`. It has no routes.

    Args:
        memory_of: the memory of a caller who was let in.
    """

    def __init__(self, engine: Engine, caller: Caller, memory_of: Callable[[Caller], M]) -> None:
        self._opened = engine
        self._caller = caller
        self.memory_of = memory_of

    @property
    def _engine(self) -> Engine:
        return self._opened.here()

    @property
    def is_durable(self) -> bool:
        """Whether what the store holds outlives this process."""
        return self._engine.store.is_durable

    @property
    def nights(self) -> bool:
        """Whether nothing failed in the last night of any scope that this process has run."""
        return not self._engine.nightly.failing_scopes

    async def ready(self) -> dict[str, bool]:
        """Whether each part is well: the store, every model that was asked of late, and the nights run here."""
        store = self._engine.store
        try:
            breakers = await store.breakers()
        except StoreError:
            return {"store": False, "models": True, "nights": self.nights}
        models = not any(one.is_open(self._engine.rules.clock.now()) for one in breakers)
        return {"store": True, "models": models, "nights": self.nights}

    async def look_for_work(self) -> None:
        """Tell the meter what work waits in the store, for a service that leaves it to workers."""
        with suppress(StoreError):
            await self._engine.worker.due()

    async def needs_keys(self) -> bool:
        """Whether an access key was ever made in this store: then nobody comes in without one."""
        return await self._engine.access_keys.has_keys(self._engine.store)

    async def admit(self, token: str, *, origin: str, tenant: str | None = None) -> Caller:
        """Return the caller of an access key.

        Args:
            origin: its entry point, for the audit log.
            tenant: one of those that the access key opens; its own, if not given.

        Raises:
            Unauthenticated: it opens nothing; the message is the same whatever is wrong with it.
            NotFound: it does not open that tenant, which reads as absent.
            NotAllowed: the key may see or do more than this memory's caller.
        """
        caller = await self._engine.access_keys.authenticate(
            self._engine.unit_of_work(self._caller), token, origin=origin, tenant=tenant
        )
        self._caller.within(self._caller.scope, clearance=caller.clearance)
        if not caller.rights <= self._caller.rights:
            raise NotAllowed("that access key may do more than the memory that is served")
        return caller

    def anybody(self, scope: Scope, *, origin: str) -> Caller:
        """Return the caller where no key is needed: this memory's own, in a scope of the same store."""
        return replace(self._caller.within(scope), origin=origin)

    def narrowed(self, caller: Caller, scope: Scope, *, clearance: str | None = None) -> Caller:
        """Return a caller in a narrower scope; a blank dimension stays as it is.

        Raises:
            NotFound: the scope is not within the caller's, and reads as absent.
            NotAllowed: the clearance is above the caller's.
        """
        asked = None if clearance is None else member(Classification, clearance, "clearance")
        return caller.within(access_keys.narrow_scope(caller.scope, scope), clearance=asked)

    def masked(self, caller: Caller, *, reveal: bool) -> Caller:
        """Return a caller to whom personal data is masked, unless it asks to see it.

        Raises:
            NotAllowed: it asks without the right `reveal`.
        """
        if reveal:
            caller.need(Right.REVEAL)
        return replace(caller, masked=not reveal)

    async def begin(self, caller: Caller, key: str, request: str, *, runs_for: timedelta) -> Requested | None:
        """Return the answer to a request that was sent before; `None` for a new one.

        Args:
            key: the idempotency key; it is kept as a fingerprint.
            request: all that was asked, as a text; it is kept as a fingerprint.
            runs_for: for which it may take; then its process has died, and it may be done again.

        Raises:
            Conflict: the key came with something else.
            StoreUnavailable: what it came with is at work still.
        """
        engine, fresh = self._engine, self._requested(caller, key, request)
        async with engine.unit_of_work(caller).write() as writer:
            found = await writer.tx.requests.find(fresh.key)
            if found is not None and found.request != fresh.request:
                raise Conflict("this idempotency key came with another request; use a new key for new work")
            if found is not None and found.status:
                return found
            if found is not None and found.runs(engine.rules.clock.now(), runs_for):
                raise StoreUnavailable("the request with this idempotency key is at work; send it again in a moment")
            await writer.put(fresh)
        return None

    async def answered(self, caller: Caller, key: str, request: str, *, status: int, body: str) -> None:
        """Keep what a request was answered, for a day; with a status of 0 it is forgotten, and may be sent again."""
        done = self._requested(caller, key, request, status=status, body=body)
        if not status:
            done = replace(done, at=done.at - KEPT_FOR)
        async with self._engine.unit_of_work(caller).write() as writer:
            await writer.put(done)

    def _requested(self, caller: Caller, key: str, request: str, *, status: int = 0, body: str = "") -> Requested:
        engine = self._engine
        check_name(key, what="Idempotency-Key")
        return Requested(
            # An answer is given again to whoever may see as much, and to nobody else.
            key=engine.store.sign(f"{caller.actor} {caller.clearance} {sorted(caller.rights)} {caller.masked} {key}"),
            request=engine.store.sign(request),
            status=status,
            body=body,
            at=engine.rules.clock.now(),
        )
