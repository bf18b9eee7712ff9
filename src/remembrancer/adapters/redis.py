"""Redis, where one is configured: a cache that processes share. It may be lost at any time."""

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
# An answer that takes longer than this would have been made meanwhile.
_PATIENCE_SECONDS = 0.25
# So long a Redis that failed is left alone.
_AWAY_SECONDS = 5.0
_PAGE = 1_000
_MARK = 64
_VERSION = "v1"


class RedisCache:
    """A cache in a Redis that several processes use; see `ports.cache.Cache`.

    Whoever may write to that Redis could put words into an agent's prompt: a value counts only with the mark of this
    store's key.

    Args:
        url: `redis://…`, `rediss://…` or `unix://…`.
        sign: a keyed fingerprint, 64 hex digits.
    """

    def __init__(self, url: str, *, sign: Callable[[str], str]) -> None:
        self._redis = _connection(url)
        self._sign = sign
        self._store = sign("cache")[:16]
        self._away_until = 0.0

    async def get(self, key: str) -> bytes | None:
        """The value of a key; `None` where there is none, where it is not ours, or where Redis is away."""
        name = self._name(key)
        sealed = await self._asked(lambda: cast(object, self._redis.get(name)))
        # An address may ask for texts in place of bytes: then nothing here is ours.
        if not isinstance(sealed, bytes):
            return None
        value = sealed[_MARK:]
        return value if sealed[:_MARK] == self._mark(name, value) else None

    async def put(self, key: str, value: bytes, *, seconds: float) -> None:
        """Keep a value for so long at most; where Redis is away, it is not kept."""
        name = self._name(key)
        sealed = self._mark(name, value) + value
        await self._asked(lambda: self._redis.set(name, sealed, px=max(1, round(seconds * 1_000))))

    async def drop(self, prefix: str) -> bool:
        """Let go of every value whose key begins so; `False` where Redis is away: they end by themselves then."""
        return await self._asked(lambda: self._dropped(self._name(prefix)), anyhow=True) is not None

    async def close(self) -> None:
        """Close the connections to Redis."""
        await run_sync(self._redis.close)

    def _dropped(self, beginning: str) -> bool:
        redis: Any = self._redis  # redis' own types are partly unknown
        names: list[bytes] = list(redis.scan_iter(match=f"{beginning}*", count=_PAGE))
        for first in range(0, len(names), _PAGE):
            redis.unlink(*names[first : first + _PAGE])
        return True

    async def _asked(self, ask: Callable[[], T], *, anyhow: bool = False) -> T | None:
        """What Redis answers; `None` while it is away.

        Args:
            anyhow: whether it is asked also if it was away a moment ago.
        """
        if time.monotonic() < self._away_until and not anyhow:
            return None
        try:
            answer = await run_sync(ask)
        except Exception as error:
            # Also what its client does not call an error of Redis: a peer that speaks otherwise is as good as none.
            if not self._away_until:
                _LOG.warning("Redis is away, and answers are made anew: %s", type(error).__name__)
            self._away_until = time.monotonic() + _AWAY_SECONDS
            return None
        if self._away_until:
            _LOG.warning("Redis is back")
        self._away_until = 0.0
        return answer

    def _name(self, key: str) -> str:
        return f"remembrancer:{_VERSION}:{self._store}:{key}"

    def _mark(self, name: str, value: bytes) -> bytes:
        return self._sign(f"{name} {value.decode('latin-1')}").encode()


def _connection(url: str) -> Redis:
    """A connection to Redis that gives up soon; nothing is asked of it yet.

    Raises:
        InvalidInput: that is no address of a Redis.
    """
    made: Any = Redis
    try:
        return made.from_url(
            url,
            socket_timeout=_PATIENCE_SECONDS,
            socket_connect_timeout=_PATIENCE_SECONDS,
            retry=Retry(NoBackoff(), 0),
        )
    except (ValueError, TypeError) as error:
        raise InvalidInput("redis_url is no address; one reads redis://:PASSWORD@HOST:6379/0") from error
