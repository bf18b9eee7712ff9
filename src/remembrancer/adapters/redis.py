"""A cache in Redis that several processes share. Its content may be lost at any time."""

import logging
import time
from collections.abc import Callable
from typing import Any, TypeVar, cast

from anyio.to_thread import run_sync
from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from remembrancer.errors import InvalidInput

T = TypeVar("T")
_LOG = logging.getLogger(__name__)
# Beyond this, computing a value is faster than waiting for it.
_TIMEOUT_SECONDS = 0.25
# Pause after a failure of Redis.
_RETRY_SECONDS = 5.0
_PAGE = 1_000
_SIGNATURE_LENGTH = 64
_VERSION = "v1"


class RedisCache:
    """A cache in Redis.

    A value is used only with a signature of this store, since other clients of the Redis could otherwise write text
    into the prompt of an agent.

    Args:
        url: `redis://…`, `rediss://…` or `unix://…`.
        sign: returns a keyed hash of 64 hex digits.
    """

    def __init__(self, url: str, *, sign: Callable[[str], str]) -> None:
        self._redis = _connection(url)
        self._sign = sign
        self._store = sign("cache")[:16]
        self._retry_at = 0.0

    async def get(self, key: str) -> bytes | None:
        """Return the value of a key, `None` if it is missing, not signed by this store, or Redis is unavailable."""
        name = self._name(key)
        signed = await self._call(lambda: cast(object, self._redis.get(name)))
        # With `decode_responses` in its URL, Redis returns texts, which have no signature of this store.
        if not isinstance(signed, bytes):
            return None
        value = signed[_SIGNATURE_LENGTH:]
        return value if signed[:_SIGNATURE_LENGTH] == self._signature(name, value) else None

    async def put(self, key: str, value: bytes, *, seconds: float) -> None:
        """Store a value for at most `seconds`, unless Redis is unavailable."""
        name = self._name(key)
        signed = self._signature(name, value) + value
        await self._call(lambda: self._redis.set(name, signed, px=max(1, round(seconds * 1_000))))

    async def drop(self, prefix: str) -> bool:
        """Remove every value whose key has a prefix; return False if Redis is unavailable."""
        return await self._call(lambda: self._delete(self._name(prefix)), retry_now=True) is not None

    async def close(self) -> None:
        """Close the connections to Redis."""
        await run_sync(self._redis.close)

    def _delete(self, prefix: str) -> bool:
        redis: Any = self._redis  # redis' own types are partly unknown
        names: list[bytes] = list(redis.scan_iter(match=f"{prefix}*", count=_PAGE))
        for first in range(0, len(names), _PAGE):
            redis.unlink(*names[first : first + _PAGE])
        return True

    async def _call(self, call: Callable[[], T], *, retry_now: bool = False) -> T | None:
        """Return the answer of Redis, `None` if it is unavailable.

        Args:
            retry_now: whether to call it also during the pause after a failure.
        """
        if time.monotonic() < self._retry_at and not retry_now:
            return None
        try:
            answer = await run_sync(call)
        except Exception as error:
            # Also errors that are not of Redis: the peer may speak another protocol.
            if not self._retry_at:
                _LOG.warning("Redis is unavailable, and nothing is cached: %s", type(error).__name__)
            self._retry_at = time.monotonic() + _RETRY_SECONDS
            return None
        if self._retry_at:
            _LOG.warning("Redis is available again")
        self._retry_at = 0.0
        return answer

    def _name(self, key: str) -> str:
        return f"remembrancer:{_VERSION}:{self._store}:{key}"

    def _signature(self, name: str, value: bytes) -> bytes:
        return self._sign(f"{name} {value.decode('latin-1')}").encode()


def _connection(url: str) -> Redis:
    """Return a client of Redis with short time-outs; it does not connect yet.

    Raises:
        InvalidInput: the URL is invalid.
    """
    client: Any = Redis
    try:
        return client.from_url(
            url,
            socket_timeout=_TIMEOUT_SECONDS,
            socket_connect_timeout=_TIMEOUT_SECONDS,
            retry=Retry(NoBackoff(), 0),
        )
    except (ValueError, TypeError) as error:
        raise InvalidInput("redis_url is not a valid URL; an example is redis://:PASSWORD@HOST:6379/0") from error
