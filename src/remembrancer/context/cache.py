"""Contexts and vectors of questions that were made a moment ago, for whoever asks the same before anything changed."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from remembrancer.context.report import Context
from remembrancer.transactions.cache import Cache
from remembrancer.transactions.clock import Clock
from remembrancer.transactions.echo import Sign
from remembrancer.types.access import Caller
from remembrancer.types.session import Ranks

_LOG = logging.getLogger(__name__)
# The vector of a question is the same for as long as the model is.
VECTOR_SECONDS = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A context as it was made.

    Args:
        told: ids of the memories that were recalled for it and stand in it.
        ranks: how they ranked, by id.
        leaves: whether its reading leaves a trace where it is asked to.
        at: when it was made.
    """

    context: Context
    told: tuple[str, ...]
    ranks: Mapping[str, Ranks]
    leaves: bool
    at: datetime


class Packing(Protocol):
    """Makes bytes of contexts for a cache."""

    def pack(self, made: Made) -> bytes:
        """A context as bytes."""
        ...

    def unpack(self, packed: bytes) -> Made:
        """The context that these bytes are.

        Raises:
            ValueError: they are none.
        """
        ...


class Caching:
    """What is kept of the answers of one open store, and for whom.

    A key names the caller, what it may see, what was asked and the state of all that it sees: what was written since is
    in another state, and no other caller comes by the same key.

    Args:
        cache: where.
        packing: how contexts are kept there.
        sign: a keyed fingerprint: a cache holds no name and no question.
        kind: what the answers depend on beside that, such as the settings.
        seconds: for how long a context is kept; 0 for not at all.
    """

    def __init__(self, cache: Cache, packing: Packing, sign: Sign, clock: Clock, *, kind: str, seconds: float) -> None:
        self._cache = cache
        self._packing = packing
        self._sign = sign
        self._clock = clock
        self._kind = kind
        self._seconds = seconds

    @property
    def keeps_contexts(self) -> bool:
        """Whether contexts are kept at all."""
        return self._seconds > 0

    def key(self, caller: Caller, *asked: Any) -> str:
        """Under what the answer to a caller is kept, by all that it depends on.

        A wait that is shorter where somebody else has asked would tell that somebody has: the caller is part of it.
        """
        told = (self._kind, caller.scope, caller.clearance, caller.sees_personal_data, caller.actor, asked)
        return f"{self._of(caller.scope.tenant)}{self._sign(repr(told))}"

    async def context(self, key: str) -> Made | None:
        """The context that is kept under a key, if it was made not long ago."""
        packed = await self._cache.get(key)
        if packed is None:
            return None
        try:
            made = self._packing.unpack(packed)
        except ValueError as error:
            _LOG.debug("what the cache holds cannot be read, and is made anew", exc_info=error)
            return None
        age = self._clock.now() - made.at
        return made if timedelta(0) <= age < timedelta(seconds=self._seconds) else None

    async def keep_context(self, key: str, made: Made) -> None:
        """Keep a context under a key."""
        await self._cache.put(key, self._packing.pack(made), seconds=self._seconds)

    async def vector(self, key: str) -> NDArray[np.float32] | None:
        """The vector of a question that is kept under a key."""
        found = await self._cache.get(key)
        return None if found is None else np.frombuffer(found, dtype="<f4").astype(np.float32)

    async def keep_vector(self, key: str, vector: NDArray[np.float32]) -> None:
        """Keep the vector of a question under a key."""
        await self._cache.put(key, vector.astype("<f4").tobytes(), seconds=VECTOR_SECONDS)

    async def forget(self, tenant: str) -> None:
        """Let go of all that is kept for a tenant, of which something was erased."""
        if not await self._cache.drop(self._of(tenant)):
            _LOG.warning(
                "the cache cannot be reached; what it holds of a tenant ends within %g seconds", VECTOR_SECONDS
            )

    def _of(self, tenant: str) -> str:
        return f"{self._sign(f'cache of {tenant}')[:16]}:"
