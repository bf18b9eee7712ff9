"""A primary that is gone and the replica that is promoted: what is open continues there, without the former primary."""

from collections.abc import AsyncGenerator, Iterator
from contextlib import ExitStack, asynccontextmanager, closing
from typing import Any

import anyio
import psycopg
import pytest
from anyio.to_thread import run_sync
from psycopg import sql

from remembrancer import Memory, open_memory
from remembrancer.errors import StoreUnavailable
from remembrancer.storage.postgres.connection import Raw
from remembrancer.storage.postgres.primary import connected
from remembrancer.storage.postgres.roles import prepare
from tests.databases import LOGIN, SECRET
from tests.pgbouncer import pooled
from tests.postgres_server import PostgresServer

from .requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(180)]
SECONDS = 20.0
PASSWORD = "tester"
OPENING: dict[str, Any] = {"embedder": "none", "background": False, "secret_key": SECRET}


@pytest.fixture
def servers() -> Iterator[tuple[PostgresServer, PostgresServer]]:
    """A primary with a prepared database, and its replica."""
    with ExitStack() as stack:
        primary = stack.enter_context(PostgresServer())
        prepare(primary.url(), role=LOGIN, password=PASSWORD)
        yield primary, stack.enter_context(PostgresServer(primary=primary))


def address(*servers: PostgresServer) -> str:
    hosts = ",".join(f"127.0.0.1:{server.port}" for server in servers)
    return f"postgresql://{LOGIN}:{PASSWORD}@{hosts}/postgres"


async def saved(memory: Memory, text: str) -> None:
    """Save, again and again until the store answers."""
    with anyio.fail_after(SECONDS):
        while True:
            try:
                await memory.save(text)
            except StoreUnavailable:
                await anyio.sleep(0.1)
            else:
                return


@asynccontextmanager
async def replicated(url: str, replica: PostgresServer) -> AsyncGenerator[Memory]:
    """A memory with one text, which a replica has as well."""
    async with open_memory(url, **OPENING) as memory:
        await saved(memory, "The heron stands at the mill.")
        await run_sync(wait_for, replica, "The heron stands at the mill.")
        yield memory


def rows(server: PostgresServer) -> set[str]:
    with psycopg.connect(server.url()) as connection:
        found: list[tuple[Any, ...]] = connection.execute("SELECT text FROM remembrancer.records").fetchall()
    return {row[0] for row in found}


@requirement("failover.continues")
async def test_an_open_memory_continues_on_the_promoted_replica_and_refuses_the_former_primary(
    servers: tuple[PostgresServer, PostgresServer],
) -> None:
    former, promoted = servers
    async with replicated(address(former, promoted), promoted) as memory:
        await run_sync(former.kill)
        with pytest.raises(StoreUnavailable):
            await memory.save("The otter swims.")
        await run_sync(promoted.promote)
        await saved(memory, "The badger sleeps.")
        # It comes back as it was, and accepts writes.
        await run_sync(former.start)
        await saved(memory, "The wren sings.")
        async with open_memory(address(former, promoted), **OPENING) as another:
            await saved(another, "The crane dances.")
        # So do tools that connect on their own, such as a move of a tenant.
        with closing(await run_sync(connected, address(former, promoted))) as raw:
            assert raw.info.port == promoted.port
            assert raw.info.get_parameters()["tcp_user_timeout"] == "60000"
    there = await run_sync(rows, promoted)
    assert {"The badger sleeps.", "The wren sings.", "The crane dances."} <= there
    assert await run_sync(rows, former) == {"The heron stands at the mill."}


@pytest.mark.slow
@requirement("failover.continues")
async def test_a_primary_that_still_answers_is_left_when_another_was_promoted(
    servers: tuple[PostgresServer, PostgresServer],
) -> None:
    former, promoted = servers
    async with replicated(address(former, promoted), promoted) as memory:
        await run_sync(promoted.promote)
        # The other servers are asked every few seconds.
        await anyio.sleep(7)
        await saved(memory, "The badger sleeps.")
    assert "The badger sleeps." in await run_sync(rows, promoted)
    assert "The badger sleeps." not in await run_sync(rows, former)


@requirement("failover.hangs")
async def test_a_primary_that_hangs_is_left_for_the_promoted_one(
    servers: tuple[PostgresServer, PostgresServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Raw, "silent_seconds", 0.5)
    former, promoted = servers
    async with replicated(address(former, promoted) + "?connect_timeout=2", promoted) as memory:
        with former.suspended():
            with pytest.raises(StoreUnavailable, match="does not answer"):
                await memory.save("The otter swims.")
            await run_sync(promoted.promote)
            await saved(memory, "The badger sleeps.")
    assert "The badger sleeps." in await run_sync(rows, promoted)


@pytest.mark.slow
@requirement("failover.hangs")
async def test_who_waits_for_a_primary_that_hangs_continues_when_another_was_promoted(
    servers: tuple[PostgresServer, PostgresServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Raw, "silent_seconds", 1e9)
    former, promoted = servers
    async with replicated(address(former, promoted), promoted) as memory:
        with former.suspended():
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(saved, memory, "The badger sleeps.")
                await run_sync(promoted.promote)
    assert "The badger sleeps." in await run_sync(rows, promoted)
    assert "The badger sleeps." not in await run_sync(rows, former)


@pytest.mark.slow
@requirement("failover.pooler")
@pytest.mark.parametrize("hangs", [False, True])
async def test_an_open_memory_continues_behind_a_pooler_that_points_to_the_promoted_replica(
    servers: tuple[PostgresServer, PostgresServer], hangs: bool
) -> None:
    former, promoted = servers
    with ExitStack() as stack:
        pooler = stack.enter_context(pooled(address(former), connections=3, query_timeout=3))
        async with replicated(pooler.url, promoted) as memory:
            if hangs:
                stack.enter_context(former.suspended())
            else:
                await run_sync(former.kill)
            with anyio.fail_after(SECONDS), pytest.raises(StoreUnavailable):
                await memory.save("The otter swims.")
            await run_sync(promoted.promote)
            await run_sync(pooler.point_to, address(promoted))
            await saved(memory, "The badger sleeps.")
    assert "The badger sleeps." in await run_sync(rows, promoted)


@requirement("failover.confirmed")
async def test_a_write_that_no_synchronous_replica_confirmed_is_not_acknowledged() -> None:
    server = PostgresServer()
    await run_sync(server.start)
    try:
        await run_sync(lambda: prepare(server.url(), role=LOGIN, password=PASSWORD))
        async with open_memory(address(server), **OPENING, statement_timeout=2.0) as memory:
            await memory.save("The otter swims.")
            await run_sync(wait_for_replica, server, "*")
            with pytest.raises(StoreUnavailable, match="not confirmed"):
                await memory.save("The heron stands at the mill.")
            await run_sync(wait_for_replica, server, "")
            assert (await memory.save("The wren sings.")).outcome == "created"
    finally:
        await run_sync(server.close)


def wait_for_replica(server: PostgresServer, names: str) -> None:
    """Make the commits of a server wait for replicas of these names; there are none."""
    with psycopg.connect(server.url(), autocommit=True) as connection:
        connection.execute(sql.SQL("ALTER SYSTEM SET synchronous_standby_names = {}").format(sql.Literal(names)))
        connection.execute("SELECT pg_reload_conf()")


def wait_for(server: PostgresServer, text: str) -> None:
    """Wait until a replica has a memory."""
    while text not in rows(server):
        pass
