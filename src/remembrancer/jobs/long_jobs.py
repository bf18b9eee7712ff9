"""Jobs at work: long work that goes on beside the requests that began it, says how far it is, and can be ended."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta

import anyio

from remembrancer.errors import Conflict, RemembrancerError, StoreError
from remembrancer.storage.base import Store
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.types.job import Job, JobState, JobWork
from remembrancer.types.scope import Scope

Progress = Callable[[int], None]
Piece = Callable[[Progress], Awaitable[Mapping[str, int]]]

MOST_AT_ONCE = 4
_BEAT_SECONDS = 1.0
_LOG = logging.getLogger("remembrancer")
_KEPT_FOR = timedelta(days=30)


@dataclass(slots=True)
class _Pulse:
    """How far one job is."""

    job: Job

    def more(self, count: int) -> None:
        """So much more is done."""
        self.job = replace(self.job, done=self.job.done + count)


class Jobs:
    """The jobs of one open store, in this process."""

    def __init__(self, store: Store, rules: Dependencies) -> None:
        self._store = store
        self._rules = rules
        self._begun: list[tuple[_Pulse, Piece]] = []
        self._awake = anyio.Event()
        self._running = 0

    async def run(self) -> None:
        """Do what is begun, until cancelled."""
        async with anyio.create_task_group() as tasks:
            while True:
                self._awake = anyio.Event()
                while self._begun:
                    tasks.start_soon(self._work, *self._begun.pop())
                await self._awake.wait()

    async def begin(self, scope: Scope, work: JobWork, piece: Piece) -> Job:
        """Begin a job; it goes on when this returns.

        Raises:
            Conflict: so many run in this process that another has to wait.
        """
        if self._running >= MOST_AT_ONCE:
            raise Conflict(f"{MOST_AT_ONCE} jobs run here already; wait until one has ended")
        now = self._rules.clock.now()
        job = Job(id=self._rules.ids.new(), scope=scope, work=work, started_at=now, beat_at=now)
        await self._store.forget_jobs(scope.tenant, before=now - _KEPT_FOR)
        await self._store.put_job(job)
        self._running += 1
        self._begun.append((_Pulse(job), piece))
        self._awake.set()
        return job

    async def _work(self, pulse: _Pulse, piece: Piece) -> None:
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._beat, pulse, tasks.cancel_scope)
                counts = await piece(pulse.more)
                pulse.job = replace(pulse.job, state=JobState.DONE, counts=counts)
                tasks.cancel_scope.cancel()
        except* RemembrancerError as errors:
            error = errors.exceptions[0]
            pulse.job = replace(pulse.job, state=JobState.FAILED, failure=type(error).__name__, told=str(error))
        except* Exception as errors:
            # Raised here it would end all that the memory does beside.
            error = errors.exceptions[0]
            _LOG.error("a job broke off: %s", type(error).__name__, exc_info=error)
            pulse.job = replace(pulse.job, state=JobState.FAILED, failure=type(error).__name__, told="it broke off")
        finally:
            self._running -= 1
            if pulse.job.state is JobState.RUNNING:
                pulse.job = replace(pulse.job, state=JobState.CANCELLED, told="what was done until then is kept")
            now = self._rules.clock.now()
            # Where that cannot be written, the job is told as lost after a while.
            with anyio.CancelScope(shield=True), suppress(StoreError):
                await self._store.put_job(replace(pulse.job, beat_at=now, ended_at=now))

    async def _beat(self, pulse: _Pulse, scope: anyio.CancelScope) -> None:
        """Say from time to time how far it is, until somebody asks for its end."""
        while True:
            await anyio.sleep(_BEAT_SECONDS)
            pulse.job = replace(pulse.job, beat_at=self._rules.clock.now())
            await self._store.put_job(pulse.job)
            kept = await self._store.job(pulse.job.scope.tenant, pulse.job.id)
            if kept is None or kept.cancelled:
                scope.cancel()
