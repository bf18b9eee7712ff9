"""Administration: statistics, costs, and the health of the whole store."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from remembrancer.jobs import doctor
from remembrancer.jobs.doctor import Diagnosis
from remembrancer.llm.budget import Costs
from remembrancer.resources.costs import costs
from remembrancer.resources.jobs import Jobs
from remembrancer.resources.keys import Keys
from remembrancer.resources.maintenance import Maintenance
from remembrancer.resources.resource import Resource, SubResource
from remembrancer.resources.search_index import SearchIndex, need_whole_store
from remembrancer.search import embedding
from remembrancer.search.query import MAX_LIMIT
from remembrancer.storage.tx import Tx
from remembrancer.transactions.unit_of_work import UnitOfWork
from remembrancer.types.access import Caller, Right
from remembrancer.types.arguments import within
from remembrancer.types.calls import Breaker
from remembrancer.types.jobs import DueWork, Lease
from remembrancer.types.scope import Scope

_ALL_SESSIONS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """Statistics of the memories that a scope sees.

    Args:
        records: the number of records by `kind/status`.
        sessions: the number of sessions.
        unembedded: the number of texts in the store without a vector; 0 without an embedder, or for callers who may
            not operate the store.
        embedder: the name and version of the vectors in use, or `""`.
        reranker: the reranker as `provider:name`, or `""`.
        bytes: the size of the store on disk; 0 for callers who may not operate it.
        audit_entries: the number of audit entries of this exact scope; `None` for callers with a lower clearance.
        away: the databases that did not answer, so that nothing of theirs is counted; empty for callers who may not
            operate the store.
    """

    records: Mapping[str, int]
    sessions: int
    unembedded: int
    embedder: str
    reranker: str
    bytes: int
    audit_entries: int | None
    away: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BackgroundState:
    """The state of background work.

    Args:
        works: whether this process does background work; if not, a worker has to.
        due: the due work by tenant and purpose; the tenant is `""` for work on the whole store.
        leases: the work in progress in any process; empty for callers who may not operate the store.
        breakers: the models that have failed since their last success.
        failing: the scopes whose last maintenance run in this process failed.
        away: the databases that did not answer, whose due work is missing; empty for callers who may not operate the
            store.
    """

    works: bool
    due: Sequence[DueWork]
    leases: Sequence[Lease]
    breakers: Sequence[Breaker]
    failing: Sequence[Scope]
    away: Sequence[str] = ()


class Admin(Resource, path="admin"):
    """The administration of one scope, and of the whole store. Reached as `memory.admin`."""

    keys = SubResource(Keys)
    jobs = SubResource(Jobs)
    maintenance = SubResource(Maintenance)
    index = SubResource(SearchIndex)

    async def stats(self) -> Stats:
        """Return statistics of the scope."""
        engine = self._engine

        async def work(tx: Tx) -> tuple[dict[str, int], int, int]:
            return await tx.records.counts(), len(await tx.sessions.list(limit=_ALL_SESSIONS)), await tx.audit.count()

        counts, sessions, audited = await self._unit.read(work)
        operates = self._caller.operates_store
        generation = next((one for one in await engine.store.generations() if one.state == "active"), None)
        return Stats(
            records=counts,
            sessions=sessions,
            unembedded=await embedding.missing_count(engine.store, engine.embedder)
            if engine.embedder and operates
            else 0,
            embedder=f"{generation.space.name} {generation.space.version}" if generation else "",
            reranker=engine.reranker.name if engine.reranker else "",
            bytes=await engine.store.size() if operates else 0,
            audit_entries=audited if self._caller.sees_all else None,
            away=await self._away(),
        )

    async def scopes(self, *, part: str = "", limit: int = 100) -> Sequence[Scope]:
        """Return this scope and the scopes under it that have memories, oldest first.

        Args:
            part: only scopes whose project, agent or user contains this text, without regard to case.
            limit: 1 to 1,000.

        Raises:
            NotAllowed: the caller is no operator.
        """
        self._caller.need(Right.OPERATE)
        within(limit, 1, MAX_LIMIT, what="limit")
        return await self._unit.read(lambda tx: tx.records.scopes(part=part, limit=limit))

    async def tenants(self) -> Sequence[str]:
        """Return the tenants of the store that have memories, by name.

        Of several databases, those of one that does not answer are included if they were placed or moved there.

        Raises:
            NotAllowed: the caller does not operate the store.
        """
        self._caller.need_store()
        return await self._engine.store.tenants()

    async def costs(self, *, days: int = 30) -> Costs:
        """Return the daily costs of language models, latest first, with budgets and savings.

        Savings are the tokens that contexts saved compared with whole histories, by agent and session. Without a
        project or an agent in the scope, the costs of all of them are included. An access key of a project shows only
        the budgets of that project.

        Args:
            days: 1 to 366, with today.

        Raises:
            NotAllowed: the access key is of one user; costs are per project and agent.
        """
        return await costs(self._engine, self._caller, days=days)

    async def background(self) -> BackgroundState:
        """Return the state of background work: due work, work in progress, failing models and failing maintenance.

        For a caller who may not operate the store, only what concerns its tenant.

        Raises:
            NotAllowed: the caller is no operator.
        """
        self._caller.need(Right.OPERATE)
        engine, tenant = self._engine, self._caller.scope.tenant
        operates = self._caller.operates_store
        return BackgroundState(
            works=engine.worker.is_running,
            due=[one for one in await engine.worker.due() if operates or one.tenant == tenant],
            leases=await engine.store.leases() if operates else [],
            breakers=await engine.store.breakers(),
            failing=[one for one in engine.nightly.failing_scopes if operates or one.tenant == tenant],
            away=await self._away(),
        )

    async def _away(self) -> list[str]:
        """Return the names of the databases that do not answer, for a caller who may operate the store."""
        if not self._caller.operates_store:
            return []
        return [one.name for one in await self._engine.store.databases() if not one.answers]

    async def flush(self) -> None:
        """Write buffered entries of recent reads now, instead of in the background."""
        await self._engine.worker.access_log.flush(self._caller.scope.tenant)

    async def doctor(self, *, repair: bool = False, accept_losses: bool = False) -> Sequence[Diagnosis]:
        """Check the whole store, and return its faults.

        Args:
            repair: repair faults that can be repaired automatically.
            accept_losses: accept rows that another program removed or added, so that they are not reported again.

        Raises:
            NotAllowed: some memories of the store are closed to the caller.
        """
        need_whole_store(self._caller, "doctor")
        engine = self._engine
        diagnoses = await doctor.diagnose(
            engine.store, self._of_engine, analyser=engine.analyser, repair=repair, accept_losses=accept_losses
        )
        now = engine.rules.clock.now()
        diagnoses += await doctor.future_entries(engine.store, self._of_engine, now=now, repair=repair)
        diagnoses += await doctor.open_breakers(engine.store, now=now, repair=repair)
        diagnoses += await doctor.unused_replicas(engine.store)
        diagnoses += await doctor.databases_away(engine.store)
        diagnoses += await doctor.unfinished_moves(engine.store)
        index_sync = engine.worker.embeddings.index_sync
        return diagnoses if index_sync is None else diagnoses + await doctor.index_lags(index_sync, repair=repair)

    def _of_engine(self, scope: Scope) -> UnitOfWork:
        """Return the engine's own unit of work, as administration concerns the whole store."""
        return self._unit.of(Caller.engine(scope))
