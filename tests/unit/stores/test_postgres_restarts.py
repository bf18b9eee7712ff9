"""A server that goes away and comes back while it is written to: nothing that was acknowledged is missing."""

import os
from collections.abc import Generator

import anyio
import anyio.to_thread
import psycopg
import pytest
from psycopg import sql

from remembrancer import Memory, NewObservation, Scope, StoreUnavailable, open_memory
from remembrancer.storage.postgres.roles import prepare
from remembrancer.storage.postgres.store import PostgresStore
from remembrancer.types.access import Caller
from tests.databases import LOGIN, SECRET
from tests.factories import HOME, observation, put
from tests.postgres_server import PostgresServer, Stop

pytestmark = pytest.mark.anyio
WRITERS = 4
SOAK = os.environ.get("REMEMBRANCER_SOAK") == "1"
PATIENCE = 600.0 if SOAK else 60.0
# How often the server goes away while it is written to.
TIMES = 10 if SOAK else 1
PASSWORD = "tester"
# Seconds that the server runs before it is stopped, and that it is away.
RUNNING = 0.5
AWAY = 0.3
# What each writer saves once it is back.
AFTERWARDS = 3


@pytest.fixture(scope="module")
def server() -> Generator[PostgresServer]:
    with PostgresServer(shared_buffers="16MB", max_connections=50) as found:
        prepare(found.url(), role=LOGIN, password=PASSWORD)
        yield found


@pytest.fixture
def url(server: PostgresServer) -> str:
    """Where to serve from, in a database of the test's own."""
    server.start()
    with psycopg.connect(server.url("template1"), autocommit=True) as admin:
        name = f"test_{admin.info.backend_pid}"
        admin.execute(sql.SQL("CREATE DATABASE {} TEMPLATE postgres").format(sql.Identifier(name)))
    return server.url(name, user=LOGIN, password=PASSWORD)


async def aside(server: PostgresServer, stop: Stop | None) -> None:
    """Stop the server, by a kill where no other way is named, and start it again."""
    await anyio.to_thread.run_sync(server.kill if stop is None else lambda: server.stop(stop))
    await anyio.sleep(AWAY)
    await anyio.to_thread.run_sync(server.start)


async def ids(memory: Memory) -> list[str]:
    """Every memory of a scope."""
    page = await memory.list(limit=500)
    found = [record.id for record in page.records]
    while page.cursor:
        page = await memory.list(limit=500, cursor=page.cursor)
        found += [record.id for record in page.records]
    return found


@pytest.mark.parametrize("stop", ["fast", "immediate", None], ids=["stopped", "crashed", "killed"])
async def test_writers_lose_nothing_that_was_acknowledged(server: PostgresServer, url: str, stop: Stop | None) -> None:
    acknowledged: dict[str, str] = {}
    back = anyio.Event()

    async def write(memory: Memory, writer: int) -> None:
        """Save one thing after the other, each until it is acknowledged, under one key."""
        step = since = 0
        while since < AFTERWARDS:
            text, key = f"The heron saw w{writer} go by for the {step}th time", f"{writer}.{step}"
            try:
                saved = await memory.save(NewObservation(text=text, key=key))
            except StoreUnavailable:
                await anyio.sleep(0.05)
                continue
            acknowledged[key] = saved.record.id
            step += 1
            since += back.is_set()

    with anyio.fail_after(PATIENCE):
        async with open_memory(url, secret_key=SECRET, embedder="none", background=False, tenant="acme") as memory:
            async with anyio.create_task_group() as tasks:
                for writer in range(WRITERS):
                    scope = Scope(tenant="acme", user=f"u{writer % 2}")
                    tasks.start_soon(write, memory.within(scope), writer)
                for _ in range(TIMES):
                    await anyio.sleep(RUNNING)
                    await aside(server, stop)
                back.set()
            kept = [id for user in ("u0", "u1") for id in await ids(memory.within(Scope(tenant="acme", user=user)))]
            assert await memory.admin.doctor() == []
    # One memory for each key, also where the answer to the first attempt was lost.
    assert len(set(acknowledged.values())) == len(acknowledged)
    assert sorted(acknowledged.values()) == sorted(kept)


async def test_a_store_that_waited_out_a_restart_goes_on_at_once(server: PostgresServer, url: str) -> None:
    async with PostgresStore.open(url, secret=SECRET, pool_size=4) as store:
        async with anyio.create_task_group() as tasks:
            for index in range(4):
                tasks.start_soon(put, store, observation(f"o{index}"))
        await anyio.to_thread.run_sync(server.restart)
        await put(store, observation("after"))
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.records.counts() == {"observation/active": 5}


async def test_a_transaction_that_the_server_ends_leaves_nothing_and_says_so(server: PostgresServer, url: str) -> None:
    async with PostgresStore.open(url, secret=SECRET, pool_size=2) as store:
        await put(store, observation("a"))
        with pytest.raises(StoreUnavailable):  # noqa: PT012 -- the error comes from within the block
            async with store.begin(Caller(scope=HOME)) as tx:
                await tx.records.add([observation("b")], [None])
                await anyio.to_thread.run_sync(server.restart)
                await tx.records.find("b")
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.records.counts() == {"observation/active": 1}
