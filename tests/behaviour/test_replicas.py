"""Reads on a streaming replica: it answers where it has every change, and is left out where it fails."""

import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from datetime import timedelta
from functools import partial
from typing import Any, LiteralString

import anyio
import psycopg
import pytest
from anyio.to_thread import run_sync

from remembrancer import Memory, NewMessage, Scope, open_memory
from remembrancer.errors import InvalidInput
from remembrancer.storage.postgres.connection import Raw
from remembrancer.storage.postgres.pool import ServerPool
from remembrancer.storage.postgres.replicas import Replicas
from remembrancer.storage.postgres.store import PostgresStore
from remembrancer.types.jobs import StoreFault
from remembrancer.types.replicas import ReplicaState, ReplicaStatus
from tests.databases import SECRET, Database, at, fresh
from tests.postgres_server import PostgresServer

from .requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]
ROUNDS = 15
SECONDS = 30.0


@pytest.fixture(scope="module")
def primary() -> Iterator[PostgresServer]:
    with PostgresServer() as server:
        yield server


@pytest.fixture
def replica(primary: PostgresServer, database_of: Database) -> Iterator[PostgresServer]:
    """A replica of the server of the database."""
    assert database_of
    with PostgresServer(primary=primary) as server:
        yield server


@pytest.fixture
def database_of(primary: PostgresServer) -> Iterator[Database]:
    with fresh(primary.url()) as database:
        yield database


@pytest.fixture
async def memory(database_of: Database, replica: PostgresServer) -> AsyncGenerator[Memory]:
    async with open_memory(
        database_of.serving_url,
        embedder="hash",
        background=False,
        secret_key=SECRET,
        replicas=[_on(database_of, replica)],
    ) as memory:
        await _until(memory, ReplicaStatus.READY)
        yield memory


def _on(database: Database, replica: PostgresServer) -> str:
    """The address of a database on a replica, as its serving role."""
    there = database.serving_url.rpartition("/")[2]
    return at(replica.url(), database=there, user="tester", password="tester")


async def _state(memory: Memory) -> ReplicaState:
    store = memory._engine.store  # pyright: ignore[reportPrivateUsage] -- no method of a memory returns it
    assert isinstance(store, PostgresStore)
    (state,) = await store.replicas()
    return state


async def _until(memory: Memory, status: ReplicaStatus, reason: str = "") -> ReplicaState:
    with anyio.fail_after(SECONDS):
        while True:
            state = await _state(memory)
            if state.status is status and re.search(reason, state.reason):
                return state
            await anyio.sleep(0.1)


async def _told(server: PostgresServer, statement: LiteralString) -> None:
    def run() -> None:
        with psycopg.connect(server.url(), autocommit=True) as connection:
            connection.execute(statement)

    await run_sync(run)


@requirement("replicas.fresh")
async def test_each_read_finds_what_was_written_before_it_and_replicas_answer(memory: Memory) -> None:
    other = memory.within(Scope(user="ben"))
    for number in range(ROUNDS):
        saved = await memory.save(f"Heron {number} stands at mill {number * 7}.")
        assert (await other.recall(f"Where does heron {number} stand?")).hits
        found = await memory.recall(f"At which mill does heron {number} stand?")
        assert saved.record.id in [hit.record.id for hit in found.hits]
        assert (await memory.list(limit=1)).records[0].id == saved.record.id
    state = await _state(memory)
    assert state.reads > state.missed


@requirement("replicas.fresh")
async def test_a_replica_answers_each_kind_of_read(memory: Memory) -> None:
    saved = await memory.save("The heron stands at the mill.")
    now, question = saved.record.recorded_at, "Where does the heron stand?"
    reads: dict[str, Callable[[], Awaitable[object]]] = {
        "recall": lambda: memory.recall(question),
        "explain": lambda: memory.explain(question, id=saved.record.id),
        "list": memory.list,
        **{mode: partial(memory.context, question=question, mode=mode) for mode in ("turn", "prompt", "search")},
        "brief": partial(memory.context, mode="brief"),
        "between": memory.timeline.between,
        "around": lambda: memory.timeline.around(saved.record.id),
        "diff": lambda: memory.timeline.diff(now - timedelta(days=1), now),
        "history": lambda: memory.timeline.history(saved.record.id),
    }
    await _answered(memory, memory)
    for name, read in reads.items():
        before = (await _state(memory)).reads
        await read()
        assert (await _state(memory)).reads > before, name


@requirement("replicas.left-out")
def test_the_replicas_that_are_least_behind_answer() -> None:
    replicas = Replicas.at(
        [f"postgresql://db{number}/memory" for number in range(4)],
        primary=ServerPool("postgresql://db/memory", size=1),
        size=1,
        statement_seconds=1,
    )
    for replica, lag in zip(replicas.all, (0.2, 5.0, 0.9, 0.0), strict=True):
        replica.lag_seconds = lag
        replica.set_status(ReplicaStatus.READY)
    replicas.all[3].set_status(ReplicaStatus.LAGGING)
    assert {replicas.choose() for _ in range(6)} == {replicas.all[0], replicas.all[2]}


@requirement("replicas.left-out")
@pytest.mark.parametrize(
    ("login", "status", "reason"),
    [
        # Row-level security binds no superuser.
        ({}, ReplicaStatus.WRONG, "it reads as the role 'postgres'.*name 'tester'"),
        ({"user": "tester", "password": "wrong"}, ReplicaStatus.UNREACHABLE, "password authentication failed"),
    ],
)
async def test_a_replica_is_not_read_by_another_role(
    database_of: Database, replica: PostgresServer, login: dict[str, str], status: ReplicaStatus, reason: str
) -> None:
    address = at(replica.url(), database=database_of.serving_url.rpartition("/")[2], **login)
    async with open_memory(
        database_of.serving_url, embedder="none", background=False, secret_key=SECRET, replicas=[address]
    ) as memory:
        await _until(memory, status, reason)
        await memory.list()
        assert (await _state(memory)).reads == 0


@requirement("replicas.fresh")
async def test_nothing_withdrawn_comes_back_from_a_replica_that_is_behind(
    memory: Memory, replica: PostgresServer, database_of: Database
) -> None:
    ana = memory.within(Scope(user="ana"))
    texts = ("The heron stands at the mill.", "The otter swims.", "The badger sleeps.")
    wrong, deleted, erased = [(await ana.save(text)).record.id for text in texts]
    # Another process, without replicas.
    async with open_memory(database_of.serving_url, embedder="hash", background=False, secret_key=SECRET) as there:
        operator, of_ana = there, there.within(Scope(user="ana"))
        while (await _state(memory)).reads == 0:
            await ana.list()
        await _told(replica, "SELECT pg_wal_replay_pause()")
        withdrawals: list[tuple[str, Callable[[], Any]]] = [
            (wrong, lambda: of_ana.feedback(wrong, "wrong")),
            (deleted, lambda: of_ana.delete(deleted)),
            (erased, lambda: operator.governance.erasure.erase(user="ana", reason="she asked for it")),
        ]
        for id, withdraw in withdrawals:
            await withdraw()
            assert id not in [record.id for record in (await ana.list()).records]
            assert id not in [hit.record.id for hit in (await ana.recall("heron otter badger")).hits]
        await of_ana.record(NewMessage(text="The wren sings.", session="a session"))
        assert "The wren sings." in [record.text for record in (await ana.list()).records]
        assert (await _state(memory)).missed > 0
        await _told(replica, "SELECT pg_wal_replay_resume()")
        await _answered(memory, ana)
        assert [record.text for record in (await ana.list()).records] == ["The wren sings."]


async def _answered(memory: Memory, ana: Memory) -> None:
    """Read until the replica answers."""
    before = (await _state(memory)).reads
    with anyio.fail_after(SECONDS):
        while (await _state(memory)).reads == before:
            await ana.list()


@requirement("replicas.left-out")
async def test_a_replica_that_fails_is_left_out_and_used_again(memory: Memory, replica: PostgresServer) -> None:
    saved = await memory.save("The heron stands at the mill.")
    await run_sync(replica.kill)
    assert [hit.record.id for hit in (await memory.recall("heron")).hits] == [saved.record.id]
    await _until(memory, ReplicaStatus.UNREACHABLE)
    (diagnosis,) = await memory.admin.doctor()
    assert diagnosis.finding.fault is StoreFault.REPLICA_NOT_USED
    assert (await memory.authenticator.ready())["replicas"] is False
    await run_sync(replica.start)
    await _until(memory, ReplicaStatus.READY)
    await _answered(memory, memory)
    assert await memory.admin.doctor() == []
    assert (await memory.authenticator.ready())["replicas"] is True
    await run_sync(replica.promote)
    assert "promoted" in (await _until(memory, ReplicaStatus.WRONG)).reason
    assert [hit.record.id for hit in (await memory.recall("heron")).hits] == [saved.record.id]


@requirement("replicas.left-out")
async def test_a_replica_that_hangs_is_left_out_and_used_again(
    memory: Memory, replica: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Raw, "silent_seconds", 0.5)
    saved = await memory.save("The heron stands at the mill.")
    with replica.suspended():
        for _ in range(3):
            assert [hit.record.id for hit in (await memory.recall("heron")).hits] == [saved.record.id]
        await _until(memory, ReplicaStatus.UNREACHABLE)
    await _until(memory, ReplicaStatus.READY)
    await _answered(memory, memory)


@requirement("replicas.left-out")
async def test_another_database_is_no_replica(
    memory: Memory, database_of: Database, postgres_admin_url: str, primary: PostgresServer
) -> None:
    other = at(postgres_admin_url, database="postgres")
    async with open_memory(
        database_of.serving_url, embedder="none", background=False, secret_key=SECRET, replicas=[other]
    ) as wrong:
        assert "no copy" in (await _until(wrong, ReplicaStatus.WRONG)).reason
    async with open_memory(
        database_of.serving_url, embedder="none", background=False, secret_key=SECRET, replicas=[primary.url()]
    ) as own:
        assert (await _until(own, ReplicaStatus.PRIMARY)).is_in_order
        assert (await own.authenticator.ready())["replicas"] is False
    for refused, match in (([other, other], "twice"), (["postgresql://a:p@ss@h/d"], "REMEMBRANCER_REPLICAS")):
        with pytest.raises(InvalidInput, match=match):
            async with open_memory(database_of.serving_url, secret_key=SECRET, replicas=refused):
                pass
    with pytest.raises(InvalidInput, match="PostgreSQL"):
        async with open_memory(":memory:", replicas=[other]):
            pass
