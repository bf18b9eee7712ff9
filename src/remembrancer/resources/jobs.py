"""Jobs: long work that a request starts without waiting for it."""

from collections.abc import Sequence
from dataclasses import replace

from remembrancer.errors import InvalidInput, NotFound
from remembrancer.ingest.importers.files import ChatFile
from remembrancer.jobs.long_jobs import JobFunction, ProgressCallback
from remembrancer.resources.maintenance import Maintenance
from remembrancer.resources.messages import Messages
from remembrancer.resources.resource import Resource
from remembrancer.resources.search_index import SearchIndex
from remembrancer.search.query import MAX_LIMIT
from remembrancer.types.access import Right
from remembrancer.types.arguments import member, within
from remembrancer.types.jobs import Job, JobState, JobWork

_RIGHTS = {JobWork.IMPORT: Right.WRITE, JobWork.NIGHTLY: Right.LEARN}


class Jobs(Resource, path="admin.jobs"):
    """The jobs of one scope. Reached as `memory.admin.jobs`."""

    async def start(self, work: str, *, file: ChatFile | None = None, skip_bad: bool = False) -> Job:
        """Start a job without waiting for its end. It ends with the process that opened this memory.

        Args:
            work: `import` (a file of chats), `nightly` (the maintenance of this scope) or, for the whole store, `embed`
                (make missing vectors), `reembed` (make all vectors again) or `reindex` (rebuild the text index).
            file: the file of chats, for an import.
            skip_bad: skip messages that cannot be imported, instead of refusing the file.

        Raises:
            InvalidInput: the work is unknown, or an import has no file.
            NotAllowed: the caller lacks the right for the work.
            Conflict: four jobs run in this process already.
        """
        chosen = member(JobWork, work, "work")
        self._need(chosen)
        function = self._function(chosen, file, skip_bad)
        return await self._engine.jobs.start(self._caller.scope, chosen, function)

    async def list(self, *, limit: int = 20) -> Sequence[Job]:
        """Return the jobs of this scope, latest first. They are deleted after 30 days.

        Args:
            limit: 1 to 1,000.
        """
        within(limit, 1, MAX_LIMIT, what="limit")
        jobs = await self._engine.store.jobs(self._caller.scope.tenant, limit=MAX_LIMIT)
        return [self._with_state(job) for job in jobs if self._caller.scope.contains(job.scope)][:limit]

    async def get(self, id: str) -> Job:
        """Return the state of a job.

        Raises:
            NotFound: no such job here.
        """
        job = await self._engine.store.job(self._caller.scope.tenant, id)
        if job is None or not self._caller.scope.contains(job.scope):
            raise NotFound("job", id)
        return self._with_state(job)

    async def cancel(self, id: str) -> Job:
        """Cancel a job. Its results so far are kept. A finished job is not changed.

        Raises:
            NotFound: no such job here.
            NotAllowed: the caller lacks the right for such work.
        """
        job = await self.get(id)
        self._need(job.work)
        if job.state is JobState.RUNNING:
            await self._engine.store.cancel_job(self._caller.scope.tenant, id)
        return await self.get(id)

    def _need(self, work: JobWork) -> None:
        if work in _RIGHTS:
            self._caller.need(_RIGHTS[work])
        else:
            self._caller.need_store()

    def _with_state(self, job: Job) -> Job:
        return replace(job, state=job.state_at(self._engine.rules.clock.now()))

    def _import(self, file: ChatFile | None, skip_bad: bool) -> JobFunction:
        if file is None:
            raise InvalidInput("an import needs a file of chats")
        engine, caller = self._opened, self._caller

        async def imports(progress: ProgressCallback) -> dict[str, int]:
            result = await Messages(engine, caller).import_file(file, skip_bad=skip_bad, progress=progress)
            return {
                "created": result.created,
                "deduped": result.deduped,
                "erased": result.erased,
                "unread": len(result.unread),
                "left_out": len(result.left_out),
            }

        return imports

    def _function(self, work: JobWork, file: ChatFile | None, skip_bad: bool) -> JobFunction:
        if work is JobWork.IMPORT:
            return self._import(file, skip_bad)
        engine, caller = self._opened, self._caller

        async def maintain(progress: ProgressCallback) -> dict[str, int]:
            run = await Maintenance(engine, caller).run(progress=lambda _scope, _step, count: progress(count))
            return dict(run.counts)

        async def embed(progress: ProgressCallback) -> dict[str, int]:
            return {"embedded": await SearchIndex(engine, caller).embed(progress=progress)}

        async def reembed(progress: ProgressCallback) -> dict[str, int]:
            return {"embedded": await SearchIndex(engine, caller).reembed(progress=progress)}

        async def reindex(progress: ProgressCallback) -> dict[str, int]:
            return {"indexed": await SearchIndex(engine, caller).rebuild(progress=progress)}

        functions: dict[JobWork, JobFunction] = {
            JobWork.NIGHTLY: maintain,
            JobWork.EMBED: embed,
            JobWork.REEMBED: reembed,
            JobWork.REINDEX: reindex,
        }
        return functions[work]
