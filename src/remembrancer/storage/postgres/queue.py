"""A queue of due work on the store's own database, by procrastinate, in a schema of its own.

It contains tenants and purposes. A job of a worker that died is deleted: its work is still due.
"""

import asyncio  # noqa: TID251 -- jobs are its tasks
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence, Set
from contextlib import asynccontextmanager, suppress
from typing import Any

import anyio
from procrastinate import App, PsycopgConnector, exceptions, jobs

from remembrancer.errors import RemembrancerError, StoreUnavailable
from remembrancer.storage.base import Store
from remembrancer.storage.postgres.connection import CONNECT_SECONDS, NOTICED
from remembrancer.storage.postgres.primary import Primary, connected
from remembrancer.storage.postgres.roles import QUEUE
from remembrancer.storage.threads import in_thread
from remembrancer.types.jobs import DueWork, Purpose

# It logs a database that is away with a trace for each of its tasks; the caller logs that once.
logging.getLogger("procrastinate").addHandler(logging.NullHandler())
_GRACE_SECONDS = 10.0


class PostgresQueue:
    """A queue on the database of the store; see `Queue`.

    Args:
        store: the source of hints.
        seconds: between two searches for due work.
        stalled_seconds: after so long without a heartbeat a worker counts as dead.
    """

    def __init__(self, url: str, store: Store, *, seconds: float, stalled_seconds: float) -> None:
        self._url = url
        self._store = store
        self._seconds = seconds
        self._stalled_seconds = stalled_seconds

    async def run(
        self, *, due: Callable[[], Awaitable[list[DueWork]]], do: Callable[[DueWork], Awaitable[bool]], concurrency: int
    ) -> None:
        """Enqueue due work, once, and do the work of all workers, until cancelled."""
        url = await in_thread(lambda: Primary(self._url).address())
        is_pooled = await in_thread(lambda: _is_pooled(url))
        app = self._app(url, concurrency, is_pooled=is_pooled)
        running = set[asyncio.Task[Any]]()
        # When what failed is tried again, at the earliest: hints of writers come more often.
        paused: dict[DueWork, float] = {}

        async def enqueue(items: Sequence[DueWork]) -> None:
            for item in items:
                if anyio.current_time() < paused.get(item, 0.0):
                    continue
                job = do_one.configure(queueing_lock=f"{item.purpose} {item.tenant}")
                with suppress(exceptions.AlreadyEnqueued):
                    await job.defer_async(tenant=item.tenant, purpose=item.purpose.value)

        # A failed job is not tried again: its work is due, so that it is enqueued again.
        @app.task(name="do")
        async def do_one(tenant: str, purpose: str) -> None:
            if task := asyncio.current_task():
                running.add(task)
                task.add_done_callback(running.discard)
            item = DueWork(tenant=tenant, purpose=Purpose(purpose))
            try:
                is_unfinished = await do(item)
            except RemembrancerError:
                paused[item] = anyio.current_time() + self._seconds
                raise
            if is_unfinished:
                await enqueue([item])

        async def search() -> None:
            # Its connections wait forever for a server that hangs.
            with anyio.fail_after(CONNECT_SECONDS):
                await self._forget_stalled(app)
            await enqueue(await due())

        try:
            async with app.open_async(), _cancelled_at_end(running), anyio.create_task_group() as tasks:
                tasks.start_soon(self._search_often, search)
                await app.run_worker_async(
                    concurrency=concurrency,
                    install_signal_handlers=False,
                    delete_jobs="always",
                    fetch_job_polling_interval=self._seconds,
                    listen_notify=not is_pooled,
                    update_heartbeat_interval=self._stalled_seconds / 3,
                    stalled_worker_timeout=self._stalled_seconds,
                    shutdown_graceful_timeout=_GRACE_SECONDS,
                )
                # It ends by itself where its connections die: the listener for hints would wait forever.
                tasks.cancel_scope.cancel()
        except (exceptions.ConnectorException, ExceptionGroup) as error:
            if not _is_away(error):
                raise
            raise StoreUnavailable("the queue on the database cannot be reached; try again") from error
        raise StoreUnavailable("the queue on the database broke off; try again")

    def _app(self, url: str, concurrency: int, *, is_pooled: bool) -> App:
        # A pooler accepts no options; the serving role has this path by default.
        options = {"prepare_threshold": None} if is_pooled else {"options": f"-c search_path={QUEUE}"}
        connector = PsycopgConnector(conninfo=url, min_size=1, max_size=concurrency + 4, kwargs=NOTICED | options)
        return App(connector=connector)

    async def _search_often(self, search: Callable[[], Awaitable[None]]) -> None:
        while True:
            # Where the database is away, the next round finds what is due.
            with suppress(RemembrancerError, exceptions.ConnectorException):
                await search()
                await self._store.wait_for_hint(self._seconds)
                continue
            await anyio.sleep(self._seconds)

    async def _forget_stalled(self, app: App) -> None:
        stalled: Any = await app.job_manager.get_stalled_jobs(seconds_since_heartbeat=self._stalled_seconds)
        for job in stalled:
            await app.job_manager.finish_job(job, status=jobs.Status.FAILED, delete_job=True)


@asynccontextmanager
async def _cancelled_at_end(running: Set["asyncio.Task[Any]"]) -> AsyncGenerator[None]:
    """Cancel at the end of a block the jobs that a worker has left behind, whose connections died."""
    try:
        yield
    finally:
        left = tuple(running)
        for task in left:
            task.cancel()
        with anyio.CancelScope(shield=True):
            await asyncio.gather(*left, return_exceptions=True)


def _is_pooled(url: str) -> bool:
    with connected(url) as raw:
        return raw.prepare_threshold is None


def _is_away(error: BaseException) -> bool:
    """Return True if an error means only that the database is away."""
    inner: Any = getattr(error, "exceptions", None)
    return (
        isinstance(error, exceptions.ConnectorException | TimeoutError) if inner is None else all(map(_is_away, inner))
    )
