"""A cache of contexts and question vectors, per caller and store state."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from remembrancer.context.report import Context
from remembrancer.transactions.dependencies import Cache, Clock
from remembrancer.transactions.sealed_blocks import Sign
from remembrancer.types.access import Caller
from remembrancer.types.session import Ranks

_LOG = logging.getLogger(__name__)
# A question's vector only changes with the model.
VECTOR_SECONDS = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CachedContext:
    """A context in the cache.

    Args:
        shown: ids of the recalled memories that it includes.
        ranks: their ranks, by id.
        records_access: whether a request with `record_access` records the reading.
        at: the time when it was built.
    """

    context: Context
    shown: tuple[str, ...]
    ranks: Mapping[str, Ranks]
    records_access: bool
    at: datetime


class ContextCodec(Protocol):
    """The encoding of contexts as bytes."""

    def pack(self, cached: CachedContext, /) -> bytes:
        """Return a context as bytes."""
        ...

    def unpack(self, packed: bytes, /) -> CachedContext:
        """Return the context of these bytes.

        Raises:
            ValueError: the bytes are not a packed context.
        """
        ...


class ContextCache:
    """The cached contexts and question vectors of one open store.

    A key names the caller, what it may see, the request and the state of all that it sees: after a write the state
    differs, and no other caller has the same key.

    Args:
        cache: the storage.
        packing: the encoding of the contexts.
        sign: a keyed hash: the cache contains no name and no question.
        kind: what else the answers depend on, such as the settings.
        seconds: how long a context is cached; 0 disables the cache.
    """

    def __init__(
        self, cache: Cache, packing: ContextCodec, sign: Sign, clock: Clock, *, kind: str, seconds: float
    ) -> None:
        self._cache = cache
        self._packing = packing
        self._sign = sign
        self._clock = clock
        self._kind = kind
        self._seconds = seconds

    @property
    def keeps_contexts(self) -> bool:
        """True if contexts are cached at all."""
        return self._seconds > 0

    def key(self, caller: Caller, *request: Any) -> str:
        """Return the key of an answer, from all that the answer depends on.

        The caller is part of the key: a faster answer must not reveal that somebody else sent the same request.
        """
        parts = (self._kind, caller.scope, caller.clearance, caller.sees_personal_data, caller.actor, request)
        return f"{self._prefix(caller.scope.tenant)}{self._sign(repr(parts))}"

    async def get_context(self, key: str) -> CachedContext | None:
        """Return the context under a key; `None` if absent or too old."""
        packed = await self._cache.get(key)
        if packed is None:
            return None
        try:
            cached = self._packing.unpack(packed)
        except ValueError as error:
            _LOG.debug("cached context cannot be read and is rebuilt", exc_info=error)
            return None
        age = self._clock.now() - cached.at
        return cached if timedelta(0) <= age < timedelta(seconds=self._seconds) else None

    async def put_context(self, key: str, cached: CachedContext) -> None:
        """Store a context under a key."""
        await self._cache.put(key, self._packing.pack(cached), seconds=self._seconds)

    async def get_vector(self, key: str) -> NDArray[np.float32] | None:
        """Return the vector of a question under a key; `None` if absent."""
        packed = await self._cache.get(key)
        return None if packed is None else np.frombuffer(packed, dtype="<f4").astype(np.float32)

    async def put_vector(self, key: str, vector: NDArray[np.float32]) -> None:
        """Store the vector of a question under a key."""
        await self._cache.put(key, vector.astype("<f4").tobytes(), seconds=VECTOR_SECONDS)

    async def drop_tenant(self, tenant: str) -> None:
        """Delete all cached values of a tenant, after an erasure."""
        if not await self._cache.drop(self._prefix(tenant)):
            _LOG.warning("cache unavailable: entries of an erased tenant expire within %g seconds", VECTOR_SECONDS)

    def _prefix(self, tenant: str) -> str:
        return f"{self._sign(f'cache of {tenant}')[:16]}:"
