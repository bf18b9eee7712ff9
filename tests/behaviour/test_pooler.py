"""Memories behind a PgBouncer in transaction mode, with fewer connections to the server than callers."""

from collections.abc import Generator

import anyio
import pytest
from anyio.abc import TaskStatus

from remembrancer import Memory, NewObservation, Scope, open_memory
from remembrancer.open import run_worker
from remembrancer.storage.postgres.roles import prepare
from tests.databases import LOGIN, SECRET, Database
from tests.pgbouncer import pooled

from .requirements import requirement

pytestmark = pytest.mark.anyio
CALLERS = 12
ROUNDS = 8


@pytest.fixture
def through(database: Database) -> Generator[str]:
    """The address of a database through the pooler."""
    # What a database has of the serving role is not copied from its template.
    prepare(database.admin_url, role=LOGIN)
    with pooled(database.serving_url, connections=3) as pooler:
        yield pooler.url


@requirement("pooler.statements")
async def test_many_callers_share_few_sessions_of_the_server(through: str) -> None:
    async with open_memory(through, embedder="hash", background=False, secret_key=SECRET) as memory:

        async def call(number: int) -> None:
            own = memory.within(Scope(tenant=f"tenant-{number % 3}", user=f"user-{number}"))
            # More often than a statement is run before psycopg prepares it.
            for place in range(ROUNDS):
                saved = await own.save(f"Heron {number} stands at mill {place}.")
                found = await own.recall(f"At which mill does heron {number} stand?")
                assert saved.record.id in [hit.record.id for hit in found.hits]
                assert all(f"Heron {number} " in hit.record.text for hit in found.hits)

        async with anyio.create_task_group() as tasks:
            for number in range(CALLERS):
                tasks.start_soon(call, number)


@requirement("pooler.workers")
async def test_a_worker_finds_its_work_without_hints(through: str) -> None:
    async with open_memory(through, embedder="hash", background=False, secret_key=SECRET) as memory:
        await memory.observations.save_many([NewObservation(text=f"Heron number {place}.") for place in range(20)])

        async def work(*, task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED) -> None:
            task_status.started()
            await run_worker(through, embedder="hash", secret_key=SECRET, nightly=False, poll_seconds=1.0)

        with anyio.fail_after(30):
            async with anyio.create_task_group() as tasks:
                await tasks.start(work)
                while (await _missing(memory)) > 0:  # noqa: ASYNC110 -- nothing tells of the worker's progress
                    await anyio.sleep(0.1)
                tasks.cancel_scope.cancel()


async def _missing(memory: Memory) -> int:
    return (await memory.admin.stats()).unembedded
