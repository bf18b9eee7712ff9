"""Long jobs: work that continues after the request that started it, with progress and cancellation."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta

import anyio

from remembrancer.errors import Conflict, RemembrancerError, StoreError
from remembrancer.storage.base import Store
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.types.jobs import Job, JobState, JobWork
from remembrancer.types.scope import Scope

ProgressCallback = Callable[[int], None]
"""A callback that receives the number of items done since the last call."""
JobFunction = Callable[[ProgressCallback], Awaitable[Mapping[str, int]]]
"""The work of a job; it returns counts by name."""

MAX_RUNNING_JOBS = 4
_HEARTBEAT_SECONDS = 1.0
_LOG = logging.getLogger("remembrancer")
_RETENTION = timedelta(days=30)


@dataclass(slots=True)
class _RunningJob:
    """A job and its progress."""

    job: Job

    def add(self, count: int) -> None:
        """Count items that are done."""
        self.job = replace(self.job, done=self.job.done + count)


class JobRunner:
    """The long jobs that one process runs on an open store."""

    def __init__(self, store: Store, rules: Dependencies) -> None:
        self._store = store
        self._rules = rules
        self._queue: list[tuple[_RunningJob, JobFunction]] = []
        self._wake = anyio.Event()
        self._running = 0

    async def run(self) -> None:
        """Run queued jobs until cancelled."""
        async with anyio.create_task_group() as tasks:
            while True:
                self._wake = anyio.Event()
                while self._queue:
                    tasks.start_soon(self._run_job, *self._queue.pop())
                await self._wake.wait()

    async def start(self, scope: Scope, work: JobWork, function: JobFunction) -> Job:
        """Start a job and return without waiting for it.

        Raises:
            Conflict: this process runs the maximum number of jobs.
        """
        if self._running >= MAX_RUNNING_JOBS:
            raise Conflict(f"{MAX_RUNNING_JOBS} jobs are running in this process; wait until one ends")
        now = self._rules.clock.now()
        job = Job(id=self._rules.ids.new(), scope=scope, work=work, started_at=now, heartbeat_at=now)
        await self._store.forget_jobs(scope.tenant, before=now - _RETENTION)
        await self._store.put_job(job)
        self._running += 1
        self._queue.append((_RunningJob(job), function))
        self._wake.set()
        return job

    async def _run_job(self, running: _RunningJob, function: JobFunction) -> None:
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._send_heartbeats, running, tasks.cancel_scope)
                counts = await function(running.add)
                running.job = replace(running.job, state=JobState.DONE, counts=counts)
                tasks.cancel_scope.cancel()
        except* RemembrancerError as errors:
            error = errors.exceptions[0]
            running.job = replace(running.job, state=JobState.FAILED, failure=type(error).__name__, message=str(error))
        except* Exception as errors:
            # Raised here it would stop all other background work of the memory.
            error = errors.exceptions[0]
            name = type(error).__name__
            _LOG.error("a job failed with an unexpected error: %s", name, exc_info=error)
            running.job = replace(
                running.job, state=JobState.FAILED, failure=name, message="unexpected error; see the log"
            )
        finally:
            self._running -= 1
            if running.job.state is JobState.RUNNING:
                running.job = replace(running.job, state=JobState.CANCELLED, message="completed work is kept")
            now = self._rules.clock.now()
            # Without this last write the job is reported as lost after a while.
            with anyio.CancelScope(shield=True), suppress(StoreError):
                await self._store.put_job(replace(running.job, heartbeat_at=now, ended_at=now))

    async def _send_heartbeats(self, running: _RunningJob, cancel_scope: anyio.CancelScope) -> None:
        """Write the progress every second, and cancel the job when a caller has requested it."""
        while True:
            await anyio.sleep(_HEARTBEAT_SECONDS)
            running.job = replace(running.job, heartbeat_at=self._rules.clock.now())
            await self._store.put_job(running.job)
            stored = await self._store.job(running.job.scope.tenant, running.job.id)
            if stored is None or stored.cancelled:
                cancel_scope.cancel()
