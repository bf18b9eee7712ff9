"""Access keys of the service: created, shown once, checked, and refused with one message for every reason."""

import hmac
import math
import secrets
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from time import monotonic

from remembrancer.errors import InvalidInput, NotFound, RemembrancerError, StoreUnavailable, Unauthenticated
from remembrancer.storage.base import Store
from remembrancer.transactions.names import check_stored_name
from remembrancer.transactions.unit_of_work import UnitOfWork
from remembrancer.types.access import EVERY_RIGHT, AccessKey, Caller, CreatedKey, Right
from remembrancer.types.arguments import member
from remembrancer.types.audit import AuditFilter
from remembrancer.types.new import NewKey
from remembrancer.types.scope import DIMENSIONS, Scope, check_name

_PREFIX = "rmb"
_ID_BYTES, _SECRET_BYTES = 9, 32
_MAX_TOKEN_LENGTH = 200
_MAX_TENANTS = 100
# A revoked key is refused after this time.
CACHE_TIME = timedelta(seconds=1)
_LOG_INTERVAL = timedelta(minutes=1)
_MAX_CACHED = 10_000
_UNAUTHENTICATED = "missing or invalid access key; send one as `Authorization: Bearer rmb_…` or `X-API-Key`"

_SESSION_OVER = "the session is over; sign in again"


async def create_key(unit: UnitOfWork, new: NewKey) -> CreatedKey:
    """Create an access key for the caller's scope, with the caller's clearance and at most the caller's rights.

    Raises:
        InvalidInput: the name contains a private region or a secret, a right is unknown, there is none, the days are
            not above 0, or there are too many tenants.
        NotAllowed: the caller lacks a right, or names further tenants without being an operator of the store.
    """
    caller = unit.caller
    caller.need(Right.OPERATE)
    rights = {member(Right, right, "right") for right in new.rights}
    if not rights:
        raise InvalidInput(f"an access key needs at least one right of {', '.join(Right)}")
    for right in sorted(rights):
        caller.need(right)
    now = unit.rules.clock.now()
    if new.days is not None and not 0 < new.days <= 36_500:
        raise InvalidInput("days must be above 0 and at most 36,500")
    tenants = tuple(caller.in_tenant(tenant).scope.tenant for tenant in dict.fromkeys(new.tenants))
    if len(tenants) > _MAX_TENANTS:
        raise InvalidInput(f"an access key has at most {_MAX_TENANTS} further tenants, not {len(tenants)}")
    name = check_name(new.name, what="name")
    # It is the actor of what callers with the key write.
    check_stored_name(name, unit.rules.secrets, what="name")
    secret = secrets.token_urlsafe(_SECRET_BYTES)
    key = AccessKey(
        id=secrets.token_hex(_ID_BYTES),
        name=name,
        scope=caller.scope,
        clearance=caller.clearance,
        rights=tuple(right for right in Right if right in rights),
        digest=_digest(unit.store, secret),
        created_at=now,
        expires_at=None if new.days is None else now + timedelta(days=new.days),
        tenants=tuple(tenant for tenant in tenants if tenant != caller.scope.tenant),
    )
    await _log_action(unit, key, "created")
    await unit.store.put_access_key(key)
    return CreatedKey(key=replace(key, digest=""), token=f"{_PREFIX}_{key.id}_{secret}")


async def rotate_key(unit: UnitOfWork, id: str) -> CreatedKey:
    """Replace the secret of an access key; the old one is no longer valid.

    Raises:
        NotFound: no such access key within the caller's scope.
        InvalidInput: the key is revoked or expired.
    """
    key = await get_key(unit, id)
    if not key.opens(unit.rules.clock.now()):
        raise InvalidInput(f"access key {id!r} is revoked or expired; create another one")
    secret = secrets.token_urlsafe(_SECRET_BYTES)
    await _log_action(unit, key, "rotated")
    await unit.store.put_access_key(replace(key, digest=_digest(unit.store, secret)))
    return CreatedKey(key=replace(key, digest=""), token=f"{_PREFIX}_{key.id}_{secret}")


async def revoke_key(unit: UnitOfWork, id: str) -> AccessKey:
    """Revoke an access key; a revoked one is returned unchanged.

    Raises:
        NotFound: no such access key within the caller's scope.
        StoreUnavailable: the key is revoked, but the audit log of one of its tenants lacks that; revoke it again.
    """
    key = await get_key(unit, id)
    if key.revoked_at is None:
        key = replace(key, revoked_at=unit.rules.clock.now())
        # First of all: the audit log of a tenant may be out of reach.
        await unit.store.put_access_key(key)
    missing: dict[str, RemembrancerError] = {}
    for scope in key.scopes:
        try:
            await _log_in_tenant(unit, scope.tenant, key, "revoked", once=True)
        except RemembrancerError as error:
            missing[scope.tenant] = error
    if missing:
        raise StoreUnavailable(
            f"access key {id!r} is revoked, but the audit log of {', '.join(missing)} lacks that; revoke it again:"
            f" {next(iter(missing.values()))}"
        )
    return replace(key, digest="")


async def list_keys(unit: UnitOfWork) -> list[AccessKey]:
    """Return the access keys of the caller's scope and of those within it, oldest first.

    Only an operator of the store sees the other tenants of a key.
    """
    keys = await unit.store.access_keys(unit.scope.tenant)
    keys = [replace(key, digest="") for key in keys if _is_within(unit.scope, key)]
    if unit.caller.operates_store:
        return keys
    return [replace(key, scope=replace(key.scope, tenant=unit.scope.tenant), tenants=()) for key in keys]


async def get_key(unit: UnitOfWork, id: str) -> AccessKey:
    """Return an access key within the caller's scope, for a caller who may change it.

    Raises:
        NotFound: no such access key within the caller's scope.
        NotAllowed: the caller lacks `operate`, a right or the clearance of the key; or the key has several tenants and
            the caller is no operator of the store.
    """
    unit.caller.need(Right.OPERATE)
    key = await unit.store.access_key(id)
    if key is None or not _is_within(unit.scope, key):
        raise NotFound("access key", id)
    if key.tenants:
        unit.caller.need_store()
    for right in key.rights:
        unit.caller.need(right)
    unit.caller.in_tenant(key.scope.tenant).within(key.scope, clearance=key.clearance)
    return key


def _is_within(scope: Scope, key: AccessKey) -> bool:
    """Return True if an access key is valid for a scope or one within it."""
    return any(scope.contains(one) for one in key.scopes)


async def _log_action(unit: UnitOfWork, key: AccessKey, action: str) -> None:
    """Write to the audit log of each tenant of an access key."""
    for scope in key.scopes:
        await _log_in_tenant(unit, scope.tenant, key, action)


async def _log_in_tenant(unit: UnitOfWork, tenant: str, key: AccessKey, action: str, *, once: bool = False) -> None:
    async with unit.of(unit.caller.in_tenant(tenant)).write() as writer:
        if not once or not await writer.tx.audit.entries(AuditFilter(action=action, memory=key.id), limit=1):
            await writer.audit(action, "access key", key.id)


def narrow_scope(limit: Scope, request: Scope) -> Scope:
    """Return the scope of a request within a limit; dimensions that it does not name are those of the limit.

    Raises:
        NotFound: it names something outside of the limit, which is reported as absent.
    """
    if request.tenant != limit.tenant:
        raise NotFound("tenant", request.tenant)
    for dimension in DIMENSIONS:
        name, allowed = getattr(request, dimension), getattr(limit, dimension)
        if allowed is not None and name not in (None, allowed):
            raise NotFound(dimension, name)
    names = {dimension: getattr(request, dimension) or getattr(limit, dimension) for dimension in DIMENSIONS}
    return replace(limit, **names)


class AccessKeyCache:
    """The access keys of recent requests to one open store; an entry is used for a second."""

    def __init__(self) -> None:
        self._keys: dict[str, tuple[datetime, AccessKey | None]] = {}
        self._logged: dict[tuple[str, str, str], datetime] = {}
        self._has_keys = False
        self._checked_at = -math.inf

    async def has_keys(self, store: Store) -> bool:
        """Return True if the store has ever had an access key; the answer is a second old at most."""
        if not self._has_keys and monotonic() - self._checked_at >= CACHE_TIME.total_seconds():
            self._has_keys = await store.has_access_keys()
            self._checked_at = monotonic()
        return self._has_keys

    def key_created(self) -> None:
        """Remember that this process has created an access key."""
        self._has_keys = True

    async def authenticate(self, unit: UnitOfWork, token: str, *, origin: str, tenant: str | None) -> Caller:
        """Return the caller of a token.

        Args:
            tenant: one of the tenants of the access key; the first one by default.

        Raises:
            Unauthenticated: the token is invalid; the message is the same for every reason.
            NotFound: the access key has no such tenant, which is reported as absent.
        """
        key = await self._authentic(unit, token)
        return await self._caller(unit, key, origin=origin, tenant=tenant)

    async def start_session(self, unit: UnitOfWork, token: str, *, until: datetime) -> str:
        """Return a session of a browser, which replaces a token until a time, or until the key is changed.

        Raises:
            Unauthenticated: the token is invalid.
        """
        key = await self._authentic(unit, token)
        return _session(unit.store, key, f"{key.id}.{until.timestamp():.0f}.{secrets.token_hex(_ID_BYTES)}")

    async def resume_session(self, unit: UnitOfWork, session: str, *, origin: str, tenant: str | None) -> Caller:
        """Return the caller of a session; see `authenticate`.

        Raises:
            Unauthenticated: the session is over or invalid, or its key was revoked, rotated or has expired.
            NotFound: the access key has no such tenant.
        """
        now, body = unit.rules.clock.now(), session[:_MAX_TOKEN_LENGTH].rpartition(".")[0]
        id, until, _ = body.split(".") if body.count(".") == 2 else ("", "0", "")
        key = await self._matching(
            unit, id, lambda key: hmac.compare_digest(_session(unit.store, key, body).encode(), session.encode())
        )
        if key is None or not until.isdecimal() or now.timestamp() >= int(until):
            raise Unauthenticated(_SESSION_OVER)
        return await self._caller(unit, key, origin=origin, tenant=tenant)

    async def _authentic(self, unit: UnitOfWork, token: str) -> AccessKey:
        """Return the access key of a token.

        Raises:
            Unauthenticated: the token is invalid.
        """
        prefix, id, secret = _parts(token)
        key = await self._matching(unit, id, lambda key: _matches(unit.store, key, secret))
        if key is None or prefix != _PREFIX:
            raise Unauthenticated(_UNAUTHENTICATED)
        return key

    async def _matching(self, unit: UnitOfWork, id: str, matches: Callable[[AccessKey], bool]) -> AccessKey | None:
        """Return the open access key of an id for which a check is true, or `None`; a refusal is logged."""
        now = unit.rules.clock.now()
        key = await self._key(unit.store, id, now)
        is_match = key is not None and matches(key)
        if not is_match and now != self._keys[id][0]:
            # It may have been created or rotated since it was cached.
            del self._keys[id]
            key = await self._key(unit.store, id, now)
            is_match = key is not None and matches(key)
        if key is not None and is_match and key.opens(now):
            return key
        if key is None:
            # An unknown id is refused in the same time as a known one.
            _digest(unit.store, "")
        else:
            await self._log_use(unit, key, key.scope, "refused", now)
        return None

    async def _caller(self, unit: UnitOfWork, key: AccessKey, *, origin: str, tenant: str | None) -> Caller:
        """Return the caller of an access key in one of its tenants."""
        now = unit.rules.clock.now()
        scope = key.scope if tenant is None else Scope(tenant=tenant)
        scope = next((one for one in key.scopes if one.tenant == scope.tenant), None)
        if scope is None:
            await self._log_use(unit, key, key.scope, "refused", now)
            raise NotFound("tenant", tenant or "")
        if await self._log_use(unit, key, scope, "used", now):
            await unit.store.touch_access_key(key.id, now)
        return Caller(
            scope=scope,
            clearance=key.clearance,
            actor=key.name,
            origin=origin,
            rights=frozenset(key.rights) & EVERY_RIGHT,
            wall=scope,
        )

    async def _key(self, store: Store, id: str, now: datetime) -> AccessKey | None:
        cached = self._keys.get(id)
        if cached is not None and now - cached[0] < CACHE_TIME:
            return cached[1]
        key = await store.access_key(id)
        if len(self._keys) >= _MAX_CACHED:
            self._keys.clear()
        self._keys[id] = now, key
        return key

    async def _log_use(self, unit: UnitOfWork, key: AccessKey, scope: Scope, action: str, now: datetime) -> bool:
        """Log that a key was used or refused at a scope, at most once a minute; return True if it was logged."""
        last = self._logged.get((key.id, scope.tenant, action))
        if last is not None and now - last < _LOG_INTERVAL:
            return False
        if len(self._logged) >= _MAX_CACHED:
            self._logged.clear()
        self._logged[key.id, scope.tenant, action] = now
        async with unit.of(Caller.engine(scope)).write() as writer:
            await writer.audit(action, "access key", key.id)
        return True


def _parts(token: str) -> tuple[str, str, str]:
    """Return the prefix, the id and the secret of a token, blank where missing."""
    prefix, _, rest = token[:_MAX_TOKEN_LENGTH].partition("_")
    id, _, secret = rest.partition("_")
    return prefix, id, secret


def _matches(store: Store, key: AccessKey, secret: str) -> bool:
    """Return True if a secret is that of a key."""
    return hmac.compare_digest(_digest(store, secret), key.digest)


def _session(store: Store, key: AccessKey, body: str) -> str:
    """Return a session with its signature, which changes with the secret of the key."""
    return f"{body}.{store.sign(f'console session {body} {key.digest}')}"


def _digest(store: Store, secret: str) -> str:
    return store.sign(f"access key {secret}")
