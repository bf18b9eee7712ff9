"""Several processes that write at once, each with a store of its own: nobody waits for ever, and all is in order."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from itertools import pairwise

import anyio
import psycopg
import pytest

from remembrancer.storage.audit import FIRST
from remembrancer.storage.postgres.store import PostgresStore
from remembrancer.types.access import Caller
from remembrancer.types.filter import Filter
from remembrancer.types.record import Message
from remembrancer.types.results import Change
from tests.databases import SECRET, Database
from tests.factories import (
    DAY,
    HOME,
    HOUSE,
    RIVAL,
    START,
    STRANGER,
    TEAM,
    directions,
    embed,
    entry,
    message,
    observation,
    put,
    session,
    terms,
)

pytestmark = pytest.mark.anyio
PATIENCE = 30.0
ROUNDS = 12
# Long enough for a statement to be waiting for a lock.
SENT = 0.3


@asynccontextmanager
async def two(database: Database) -> AsyncGenerator[tuple[PostgresStore, PostgresStore]]:
    async with (
        PostgresStore.open(database.serving_url, secret=SECRET, pool_size=5) as one,
        PostgresStore.open(database.serving_url, secret=SECRET, pool_size=5) as other,
    ):
        yield one, other


def chain(database: Database, tenant: str) -> list[tuple[str, str]]:
    """What each audit row of a tenant names as the one before it, and its own hash."""
    with psycopg.connect(database.admin_url) as admin:
        return admin.execute(
            "SELECT previous, hash FROM remembrancer.audit WHERE tenant = %s ORDER BY sequence", (tenant,)
        ).fetchall()


async def test_two_stores_that_write_at_once_leave_no_gap_and_no_fork(database: Database) -> None:
    scopes = (HOME, STRANGER, TEAM, RIVAL)
    async with two(database) as stores:
        for scope in scopes:
            async with stores[0].begin(Caller(scope=scope)) as tx:
                await tx.sessions.put(session("s", scope=scope))

        async def say(store: PostgresStore, index: int) -> None:
            scope = scopes[index % len(scopes)]
            async with store.begin(Caller(scope=scope)) as tx:
                first = await tx.sessions.reserve_numbers("s", 2, tokens=0)
                said = [message(f"{scope}.{first + step}", scope=scope, number=first + step) for step in (0, 1)]
                await tx.records.add(said, [terms(item.text) for item in said])
                await tx.audit.add([entry(item.id) for item in said])

        with anyio.fail_after(PATIENCE):
            async with anyio.create_task_group() as tasks:
                for index in range(ROUNDS * len(scopes)):
                    for store in stores:
                        tasks.start_soon(say, store, index)
        for scope in scopes:
            async with stores[1].snapshot(Caller(scope=scope)) as tx:
                found = await tx.messages.by_number("s", 1, 1_000)
                assert [record.number for record in found if isinstance(record, Message)] == list(
                    range(1, 4 * ROUNDS + 1)
                )
                assert await tx.audit.count() == 4 * ROUNDS
                assert await tx.upkeep.faults() == []
    for tenant, count in (("acme", 12 * ROUNDS), ("rival", 4 * ROUNDS)):
        rows = chain(database, tenant)
        assert len(rows) == count
        assert rows[0][0] == FIRST
        assert all(later[0] == earlier[1] for earlier, later in pairwise(rows))


@pytest.mark.parametrize("order", [("a", "b"), ("b", "a")])
async def test_counting_uses_does_not_stand_in_the_way_of_who_writes_the_wider_scope(
    database: Database, order: tuple[str, str]
) -> None:
    async with two(database) as (reader, writer):
        await put(writer, observation("a", scope=TEAM), observation("b", scope=TEAM))
        counting, changed = anyio.Event(), anyio.Event()

        async def count() -> None:
            await changed.wait()
            async with reader.begin(Caller(scope=HOME)) as tx:
                counting.set()
                await tx.records.record_access(dict.fromkeys(order, 1), at=START + DAY)

        async def change() -> None:
            async with writer.begin(Caller(scope=TEAM)) as tx:
                for id in ("b", "a"):
                    await tx.records.change(
                        id, Change(title="New", reworded=True), at=START + DAY, terms=terms("quartz")
                    )
                    changed.set()
                    await counting.wait()
                    await anyio.sleep(SENT)

        with anyio.fail_after(PATIENCE):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(change)
                tasks.start_soon(count)
        async with reader.snapshot(Caller(scope=HOME)) as tx:
            page = await tx.records.list(Filter(), limit=9, cursor=None)
        assert [(record.usage_count, record.revision) for record in page.records] == [(1, 2), (1, 2)]


async def test_many_who_count_and_write_in_overlapping_scopes_all_get_through(database: Database) -> None:
    ids = {scope: [f"{place}{index}" for index in range(6)] for place, scope in (("t", TEAM), ("h", HOUSE))}
    async with two(database) as stores:
        for scope, names in ids.items():
            documents = await put(stores[0], *(observation(name, scope=scope) for name in names))
            await embed(stores[0], scope, documents, directions(len(documents)))

        async def count(index: int) -> None:
            uses = dict.fromkeys((ids[TEAM] + ids[HOUSE])[:: 1 if index % 2 else -1], 1)
            async with stores[index % 2].begin(Caller(scope=(HOME, STRANGER)[index // 2 % 2])) as tx:
                await tx.records.record_access(uses, at=START + DAY)
                await tx.audit.add([entry()])

        async def write(index: int) -> None:
            scope = (TEAM, HOUSE)[index % 2]
            async with stores[index // 2 % 2].begin(Caller(scope=scope)) as tx:
                for id in ids[scope][:: 1 if index % 4 else -1]:
                    await tx.audit.add([entry(id)])
                    await tx.records.change(id, Change(importance=index / 100), at=START + DAY, terms=terms("quartz"))

        with anyio.fail_after(PATIENCE):
            async with anyio.create_task_group() as tasks:
                for index in range(ROUNDS):
                    tasks.start_soon(count, index)
                    tasks.start_soon(write, index)
        async with stores[0].snapshot(Caller(scope=HOME)) as tx:
            found = [await tx.records.find(id) for names in ids.values() for id in names]
    assert {record.usage_count for record in found if record is not None} == {ROUNDS}
    rows = chain(database, HOME.tenant)
    assert all(later[0] == earlier[1] for earlier, later in pairwise(rows))
    assert len(rows) == ROUNDS * 7


async def test_writers_of_a_scope_that_wait_leave_the_connections_to_others(database: Database) -> None:
    async def read() -> None:
        await store.read(Caller(scope=STRANGER), lambda tx: tx.changes.mark())

    async def write(name: str) -> None:
        await put(store, observation(name))

    async with PostgresStore.open(database.serving_url, secret=SECRET, pool_size=2) as store:
        with anyio.fail_after(PATIENCE):
            async with anyio.create_task_group() as writers, store.begin(Caller(scope=HOME)):
                for name in ("a", "b", "c"):
                    writers.start_soon(write, name)
                await anyio.wait_all_tasks_blocked()
                await read()
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert {one.id for one in (await tx.records.list(Filter(), limit=9, cursor=None)).records} == set("abc")
