"""What every cache promises, by the memory of a process and by a real Redis; and what each has of its own."""

import hashlib
import hmac
from collections.abc import AsyncGenerator, Generator
from pathlib import Path

import anyio
import pytest

from remembrancer.adapters.memory_cache import ProcessCache
from remembrancer.adapters.redis import RedisCache
from remembrancer.errors import InvalidInput
from remembrancer.transactions.dependencies import Cache
from tests.redis_server import RedisServer, serving

pytestmark = pytest.mark.anyio


def sign(text: str) -> str:
    return hmac.new(b"ours", text.encode(), hashlib.sha256).hexdigest()


def other_sign(text: str) -> str:
    return hmac.new(b"another's", text.encode(), hashlib.sha256).hexdigest()


@pytest.fixture(scope="module")
def redis() -> Generator[RedisServer]:
    with serving() as server:
        yield server


@pytest.fixture(params=["process", "redis"])
async def cache(request: pytest.FixtureRequest) -> AsyncGenerator[Cache]:
    made: Cache
    if request.param == "redis":
        server: RedisServer = request.getfixturevalue("redis")
        made = RedisCache(server.url, sign=sign)
        await made.drop("")
    else:
        made = ProcessCache(1_000)
    yield made
    await made.close()


async def test_a_value_is_found_until_its_time_is_over(cache: Cache) -> None:
    assert await cache.get("a") is None
    await cache.put("a", b"\x00one\xff", seconds=60)
    await cache.put("b", b"two", seconds=0.05)
    await cache.put("a", b"\x00other\xff", seconds=60)
    assert await cache.get("a") == b"\x00other\xff"
    await anyio.sleep(0.1)
    assert await cache.get("b") is None
    assert await cache.get("a") == b"\x00other\xff"


async def test_what_begins_with_a_prefix_is_dropped_and_nothing_else(cache: Cache) -> None:
    for key in ("a:1", "a:2", "ab:1", "b:1"):
        await cache.put(key, b"value", seconds=60)
    assert await cache.drop("a:")
    assert [await cache.get(key) for key in ("a:1", "a:2", "ab:1", "b:1")] == [None, None, b"value", b"value"]


async def test_the_least_lately_used_makes_room_and_what_is_too_large_is_not_kept() -> None:
    cache = ProcessCache(100)
    for key in "abc":
        await cache.put(key, b"x" * 30, seconds=60)
    assert await cache.get("a") is not None
    await cache.put("d", b"x" * 30, seconds=60)
    assert [await cache.get(key) is not None for key in "abcd"] == [True, False, True, True]
    await cache.put("d", b"x" * 200, seconds=60)
    assert await cache.get("d") is None
    assert cache.size == 62
    await cache.close()
    assert cache.size == 0


async def test_stores_with_other_keys_share_nothing_in_a_redis(redis: RedisServer) -> None:
    ours, theirs = RedisCache(redis.url, sign=sign), RedisCache(redis.url, sign=other_sign)
    await ours.put("a", b"ours", seconds=60)
    assert await theirs.get("a") is None
    await theirs.drop("")
    assert await ours.get("a") == b"ours"


async def test_what_another_hand_has_put_into_a_redis_is_not_believed(redis: RedisServer) -> None:
    cache = RedisCache(redis.url, sign=sign)
    await cache.put("a", b"true", seconds=60)
    await cache.put("b", b"also true", seconds=60)
    with redis.opened() as beside:
        here, there = (next(beside.scan_iter(match=f"*:{key}")) for key in "ab")
        sealed = beside.get(here)
        for forged in (b"", b"short", sealed[:-1] + b"!", beside.get(there)):
            beside.set(here, forged)
            assert await cache.get("a") is None
        beside.set(here, sealed)
    assert await cache.get("a") == b"true"


async def test_a_redis_that_is_away_costs_no_answer_and_comes_back(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("remembrancer.adapters.redis._RETRY_SECONDS", 0.1)
    with serving() as server:
        cache = RedisCache(server.url, sign=sign)
        await cache.put("a", b"one", seconds=60)
        server.kill()
        for _ in range(3):
            assert await cache.get("a") is None
            await cache.put("a", b"two", seconds=60)
        assert not await cache.drop("a")
        server.start()
        await anyio.sleep(0.15)
        await cache.put("a", b"three", seconds=60)
        assert await cache.get("a") == b"three"
    told = [one.getMessage() for one in caplog.records]
    assert told == ["Redis is unavailable, and nothing is cached: ConnectionError", "Redis is available again"]


async def test_an_address_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="redis_url"):
        RedisCache("localhost:6379", sign=sign)
    away = RedisCache(f"unix://{tmp_path}/nothing", sign=sign)
    assert await away.get("a") is None
