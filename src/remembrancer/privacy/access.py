"""Who comes in through the service: access keys are made, shown once, checked, and refused alike whatever is wrong."""

import hmac
import math
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from time import monotonic

from remembrancer.errors import InvalidInput, NotFound, Unauthenticated
from remembrancer.storage.base import Store
from remembrancer.transactions.unit_of_work import Desk
from remembrancer.types.access import EVERY_RIGHT, USUAL_RIGHTS, AccessKey, MadeKey, Right
from remembrancer.types.caller import Caller
from remembrancer.types.choice import member
from remembrancer.types.scope import DIMENSIONS, Scope, check_name

_MARK = "rmb"
_ID_BYTES, _SECRET_BYTES = 9, 32
_LONGEST = 200
_MOST_TENANTS = 100
# A revoked key opens nothing after so long; and so often at most it is written down when a key was used or refused.
KNOWN_FOR = timedelta(seconds=1)
_WRITTEN_EVERY = timedelta(minutes=1)
_MOST_KNOWN = 10_000
_REFUSED = "no access key, or one that opens nothing; show one as `Authorization: Bearer rmb_…` or `X-API-Key`"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewKey:
    """What an access key is to be.

    Args:
        days: after which it expires; `None` for one that never does.
        tenants: further tenants that it opens.
    """

    name: str
    rights: Sequence[str] = USUAL_RIGHTS
    days: float | None = None
    tenants: Sequence[str] = ()


async def make(desk: Desk, new: NewKey) -> MadeKey:
    """Make an access key for the caller's scope, with the caller's clearance and no right that the caller lacks.

    Raises:
        InvalidInput: a right is none, there is none at all, the days are not above 0, or there are too many tenants.
        NotAllowed: the caller lacks a right, or names further tenants and does not keep the store.
    """
    caller = desk.caller
    caller.need(Right.OPERATE)
    asked = {member(Right, right, "right") for right in new.rights}
    if not asked:
        raise InvalidInput(f"an access key needs a right; there are {', '.join(Right)}")
    for right in sorted(asked):
        caller.need(right)
    now = desk.rules.clock.now()
    if new.days is not None and not 0 < new.days <= 36_500:
        raise InvalidInput("days must be above 0 and at most 36,500")
    tenants = tuple(caller.in_tenant(tenant).scope.tenant for tenant in dict.fromkeys(new.tenants))
    if len(tenants) > _MOST_TENANTS:
        raise InvalidInput(f"an access key opens at most {_MOST_TENANTS} further tenants; {len(tenants)} are named")
    secret = secrets.token_urlsafe(_SECRET_BYTES)
    key = AccessKey(
        id=secrets.token_hex(_ID_BYTES),
        name=check_name(new.name, what="name"),
        scope=caller.scope,
        clearance=caller.clearance,
        rights=tuple(right for right in Right if right in asked),
        digest=_digest(desk.store, secret),
        made_at=now,
        expires_at=None if new.days is None else now + timedelta(days=new.days),
        tenants=tuple(tenant for tenant in tenants if tenant != caller.scope.tenant),
    )
    await _log(desk, key, "created")
    await desk.store.put_access_key(key)
    return MadeKey(key=replace(key, digest=""), token=f"{_MARK}_{key.id}_{secret}")


async def rotate(desk: Desk, id: str) -> MadeKey:
    """Give an access key a new secret; the old one opens nothing any more.

    Raises:
        NotFound: no such access key within the caller's scope.
    """
    key = await own(desk, id)
    if not key.opens(desk.rules.clock.now()):
        raise InvalidInput(f"access key {id!r} is revoked or expired; make another one")
    secret = secrets.token_urlsafe(_SECRET_BYTES)
    await _log(desk, key, "rotated")
    await desk.store.put_access_key(replace(key, digest=_digest(desk.store, secret)))
    return MadeKey(key=replace(key, digest=""), token=f"{_MARK}_{key.id}_{secret}")


async def revoke(desk: Desk, id: str) -> AccessKey:
    """Let an access key open nothing from now on; revoked again, it stays as it was.

    Raises:
        NotFound: no such access key within the caller's scope.
    """
    key = await own(desk, id)
    if key.revoked_at is None:
        key = replace(key, revoked_at=desk.rules.clock.now())
        await _log(desk, key, "revoked")
        await desk.store.put_access_key(key)
    return replace(key, digest="")


async def listed(desk: Desk) -> list[AccessKey]:
    """The access keys that open the caller's scope or one within it, the oldest first.

    The other tenants of a key are shown to a caller who keeps the store, and to no one else.
    """
    found = await desk.store.access_keys(desk.scope.tenant)
    keys = [replace(key, digest="") for key in found if _is_within(desk.scope, key)]
    if desk.caller.keeps_store:
        return keys
    return [replace(key, scope=replace(key.scope, tenant=desk.scope.tenant), tenants=()) for key in keys]


async def own(desk: Desk, id: str) -> AccessKey:
    """An access key within the caller's scope, for one who may change it.

    Raises:
        NotFound: there is none.
        NotAllowed: the caller may not keep keys, lacks a right or the clearance that the key has, or the key opens
            several tenants and the caller does not keep the store.
    """
    desk.caller.need(Right.OPERATE)
    key = await desk.store.access_key(id)
    if key is None or not _is_within(desk.scope, key):
        raise NotFound("access key", id)
    if key.tenants:
        desk.caller.need_store()
    for right in key.rights:
        desk.caller.need(right)
    desk.caller.in_tenant(key.scope.tenant).within(key.scope, clearance=key.clearance)
    return key


def _is_within(scope: Scope, key: AccessKey) -> bool:
    """Return True if an access key opens a scope or one within it."""
    return any(scope.holds(one) for one in key.scopes)


async def _log(desk: Desk, key: AccessKey, action: str) -> None:
    """Write to the audit log of each tenant that an access key opens."""
    for scope in key.scopes:
        async with desk.of(desk.caller.in_tenant(scope.tenant)).write() as writing:
            await writing.did(action, "access key", key.id)


def narrowed(wall: Scope, asked: Scope) -> Scope:
    """A wall with what a request names beside; what it does not name stays.

    Raises:
        NotFound: it names something beyond the wall, which reads as absent.
    """
    if asked.tenant != wall.tenant:
        raise NotFound("tenant", asked.tenant)
    for dimension in DIMENSIONS:
        named, own = getattr(asked, dimension), getattr(wall, dimension)
        if own is not None and named not in (None, own):
            raise NotFound(dimension, named)
    beside = {dimension: getattr(asked, dimension) or getattr(wall, dimension) for dimension in DIMENSIONS}
    return replace(wall, **beside)


class Doorkeeper:
    """Checks the access keys of requests to one open store; what it knows of a key is a second old at most."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[datetime, AccessKey | None]] = {}
        self._written: dict[tuple[str, str, str], datetime] = {}
        self._has_keys = False
        self._looked = -math.inf

    async def has_keys(self, store: Store) -> bool:
        """Whether the store has ever had an access key; of one that another process made, within a second."""
        if not self._has_keys and monotonic() - self._looked >= KNOWN_FOR.total_seconds():
            self._has_keys = await store.has_access_keys()
            self._looked = monotonic()
        return self._has_keys

    def note_made(self) -> None:
        """Remember that this process made an access key: the store has one from now on."""
        self._has_keys = True

    async def caller(self, desk: Desk, token: str, *, door: str, tenant: str | None) -> Caller:
        """The caller whom an access key lets in.

        Args:
            tenant: one of those that the access key opens; its own, if not given.

        Raises:
            Unauthenticated: it opens nothing; the message is the same whatever is wrong with it.
            NotFound: it does not open that tenant, which reads as absent.
        """
        now = desk.rules.clock.now()
        mark, id, secret = _parts(token)
        key = await self._key(desk.store, id, now)
        fits = _fits(desk.store, key, secret)
        if not fits and now != self._known[id][0]:
            # It may have been made, or rotated, since it was looked up.
            del self._known[id]
            key = await self._key(desk.store, id, now)
            fits = _fits(desk.store, key, secret)
        if key is None or mark != _MARK or not fits or not key.opens(now):
            if key is not None:
                await self._write(desk, key, key.scope, "refused", now)
            raise Unauthenticated(_REFUSED)
        scope = key.scope if tenant is None else Scope(tenant=tenant)
        scope = next((one for one in key.scopes if one.tenant == scope.tenant), None)
        if scope is None:
            await self._write(desk, key, key.scope, "refused", now)
            raise NotFound("tenant", tenant or "")
        if await self._write(desk, key, scope, "used", now):
            await desk.store.touch_access_key(key.id, now)
        return Caller(
            scope=scope,
            clearance=key.clearance,
            actor=key.name,
            door=door,
            rights=frozenset(key.rights) & EVERY_RIGHT,
            wall=scope,
        )

    async def _key(self, store: Store, id: str, now: datetime) -> AccessKey | None:
        known = self._known.get(id)
        if known is not None and now - known[0] < KNOWN_FOR:
            return known[1]
        found = await store.access_key(id)
        if len(self._known) >= _MOST_KNOWN:
            self._known.clear()
        self._known[id] = now, found
        return found

    async def _write(self, desk: Desk, key: AccessKey, scope: Scope, action: str, now: datetime) -> bool:
        """Write down that a key was used or refused at a scope, once a minute at most; whether that was done."""
        last = self._written.get((key.id, scope.tenant, action))
        if last is not None and now - last < _WRITTEN_EVERY:
            return False
        if len(self._written) >= _MOST_KNOWN:
            self._written.clear()
        self._written[key.id, scope.tenant, action] = now
        async with desk.of(Caller.engine(scope)).write() as writing:
            await writing.did(action, "access key", key.id)
        return True


def _parts(token: str) -> tuple[str, str, str]:
    """The mark, the id and the secret of a token; blank where it has none."""
    mark, _, rest = token[:_LONGEST].partition("_")
    id, _, secret = rest.partition("_")
    return mark, id, secret


def _fits(store: Store, key: AccessKey | None, secret: str) -> bool:
    """Whether a secret is that of a key; compared also where there is none, so that it takes as long."""
    return hmac.compare_digest(_digest(store, secret), key.digest if key else _digest(store, "")) and key is not None


def _digest(store: Store, secret: str) -> str:
    return store.sign(f"access key {secret}")
