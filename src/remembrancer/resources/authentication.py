"""The authentication of requests to a service, and responses to repeated requests."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo
from typing import Generic, TypeVar

from anyio.to_thread import run_sync

from remembrancer.errors import Conflict, NotAllowed, StoreError, StoreUnavailable
from remembrancer.privacy import access_keys
from remembrancer.resources.engine import Engine
from remembrancer.types.access import Caller, Right
from remembrancer.types.arguments import member
from remembrancer.types.jobs import RESPONSE_LIFETIME, IdempotentRequest
from remembrancer.types.scope import Classification, Scope, check_name

M = TypeVar("M")


class Authenticator(Generic[M]):
    """The authentication of requests of a service: `memory.authenticator`. It has no routes.

    Args:
        memory_of: returns the memory of an authenticated caller.
    """

    def __init__(self, engine: Engine, caller: Caller, memory_of: Callable[[Caller], M]) -> None:
        self._opened = engine
        self._caller = caller
        self.memory_of = memory_of

    @property
    def _engine(self) -> Engine:
        return self._opened.check_process()

    @property
    def is_durable(self) -> bool:
        """True if the store outlives this process."""
        return self._engine.store.is_durable

    @property
    def maintenance_is_healthy(self) -> bool:
        """True if the last maintenance run of every scope in this process succeeded."""
        return not self._engine.nightly.failing_scopes

    async def ready(self) -> dict[str, bool]:
        """Return the availability of the store, its databases and replicas, the models and the maintenance."""
        store, nights = self._engine.store, self.maintenance_is_healthy
        try:
            breakers = await store.breakers()
        except StoreError:
            return {"store": False, "databases": True, "replicas": True, "models": True, "nights": nights}
        models = not any(one.is_open(self._engine.rules.clock.now()) for one in breakers)
        states = await store.replicas()
        replicas = all(one.is_in_order for one in states) and (not states or any(one.is_asked for one in states))
        databases = all(one.answers for one in await store.databases())
        return {"store": True, "databases": databases, "replicas": replicas, "models": models, "nights": nights}

    async def warm_up(self) -> None:
        """Load what the first write would wait for: the tables of the tokenizer."""
        await run_sync(self._engine.rules.tokens.count, "")

    async def measure_replicas(self) -> None:
        """Update the metrics of the replicas."""
        self._engine.rules.meter.replicated(await self._engine.store.replicas())

    async def measure_due_work(self) -> None:
        """Update the metrics of due work, for a service without background work."""
        with suppress(StoreError):
            await self._engine.worker.due()

    async def needs_keys(self) -> bool:
        """Return True if an access key was ever created; requests then need one."""
        return await self._engine.access_keys.has_keys(self._engine.store)

    async def authenticate(self, token: str, *, origin: str, tenant: str | None = None) -> Caller:
        """Return the caller of an access key.

        Args:
            origin: the entry point, for the audit log.
            tenant: a tenant that the access key opens; by default its own.

        Raises:
            Unauthenticated: the key is not valid; the message does not reveal the reason.
            NotFound: the key does not open that tenant.
            NotAllowed: the key has more rights or a higher clearance than the caller of this memory.
        """
        return self._limited(
            await self._engine.access_keys.authenticate(
                self._engine.unit_of_work(self._caller), token, origin=origin, tenant=tenant
            )
        )

    async def start_session(self, token: str, *, lifetime: timedelta) -> str:
        """Return a session of a browser for an access key, which it does not contain.

        Raises:
            Unauthenticated: the key is not valid.
        """
        until = self._engine.rules.clock.now() + lifetime
        return await self._engine.access_keys.start_session(self._engine.unit_of_work(self._caller), token, until=until)

    async def resume_session(self, session: str, *, origin: str, tenant: str | None = None) -> Caller:
        """Return the caller of a session; see `authenticate`.

        Raises:
            Unauthenticated: the session is over, or its access key was revoked, rotated or has expired.
            NotFound: the key does not open that tenant.
        """
        return self._limited(
            await self._engine.access_keys.resume_session(
                self._engine.unit_of_work(self._caller), session, origin=origin, tenant=tenant
            )
        )

    def sign(self, text: str) -> str:
        """Return a keyed hash of a text, hex, which only this store can make."""
        return self._engine.store.sign(text)

    def now(self) -> datetime:
        """Return the current time."""
        return self._engine.rules.clock.now()

    def zone(self, tenant: str) -> tzinfo:
        """Return the time zone of a tenant."""
        return self._engine.nightly.zone(tenant)

    def _limited(self, caller: Caller) -> Caller:
        """Return an authenticated caller, after a check that it may no more than this memory.

        Raises:
            NotAllowed: it has more rights or a higher clearance.
        """
        self._caller.within(self._caller.scope, clearance=caller.clearance)
        if not caller.rights <= self._caller.rights:
            raise NotAllowed("the access key has more rights than the memory of this service")
        return caller

    def anonymous_caller(self, scope: Scope, *, origin: str) -> Caller:
        """Return the caller of a request without an access key: that of this memory, in another scope."""
        return replace(self._caller.within(scope), origin=origin)

    def narrow(self, caller: Caller, scope: Scope, *, clearance: str | None = None) -> Caller:
        """Return a caller in a narrower scope; unset dimensions stay unchanged.

        Raises:
            NotFound: the scope is not within the caller's.
            NotAllowed: the clearance is above the caller's.
        """
        level = None if clearance is None else member(Classification, clearance, "clearance")
        return caller.within(access_keys.narrow_scope(caller.scope, scope), clearance=level)

    def masked(self, caller: Caller, *, reveal: bool) -> Caller:
        """Return a caller with masked personal data, or with unmasked data if `reveal` is set.

        Raises:
            NotAllowed: the caller lacks the right `reveal`.
        """
        if reveal:
            caller.need(Right.REVEAL)
        return replace(caller, masked=not reveal)

    async def begin(self, caller: Caller, key: str, request: str, *, runs_for: timedelta) -> IdempotentRequest | None:
        """Return the stored response to a repeated request; `None` for a new one.

        Args:
            key: the idempotency key; it is stored as a keyed hash.
            request: the whole request as a string; it is stored as a keyed hash.
            runs_for: the maximum duration; after it the request may run again.

        Raises:
            Conflict: the key was used for another request.
            StoreUnavailable: the first request still runs.
        """
        engine, new = self._engine, self._request(caller, key, request)
        async with engine.unit_of_work(caller).write() as writer:
            stored = await writer.tx.requests.find(new.key)
            if stored is not None and stored.request != new.request:
                raise Conflict("this idempotency key was used for another request; use a new key")
            if stored is not None and stored.status:
                return stored
            if stored is not None and stored.runs(engine.rules.clock.now(), runs_for):
                raise StoreUnavailable("the request with this idempotency key still runs; send it again later")
            await writer.put(new)
        return None

    async def store_response(self, caller: Caller, key: str, request: str, *, status: int, body: str) -> None:
        """Store a response for a day. A status of 0 deletes the request, which may then be sent again."""
        stored = self._request(caller, key, request, status=status, body=body)
        if not status:
            stored = replace(stored, at=stored.at - RESPONSE_LIFETIME)
        async with self._engine.unit_of_work(caller).write() as writer:
            await writer.put(stored)

    def _request(self, caller: Caller, key: str, request: str, *, status: int = 0, body: str = "") -> IdempotentRequest:
        engine = self._engine
        check_name(key, what="Idempotency-Key")
        return IdempotentRequest(
            # Only a caller with the same rights and clearance gets the stored response.
            key=engine.store.sign(f"{caller.actor} {caller.clearance} {sorted(caller.rights)} {caller.masked} {key}"),
            request=engine.store.sign(request),
            status=status,
            body=body,
            at=engine.rules.clock.now(),
        )
