"""Administration: numbers, costs, and the health of the whole store."""

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
from remembrancer.storage.tx import Tx
from remembrancer.transactions.unit_of_work import UnitOfWork
from remembrancer.types.access import Caller
from remembrancer.types.scope import Scope

_ALL_SESSIONS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """Numbers of the memories that a scope sees.

    Args:
        records: by `kind/status`.
        unembedded: wordings of the whole store without vectors; 0 without an embedder, or for callers who may not
            operate the store.
        embedder: name and version of the vectors in use, or `""`.
        reranker: the reranker, as `provider:name`, or `""`.
        bytes: size of the store on disk; 0 for callers who may not operate it.
        audit_entries: entries of this exact scope; `None` for callers to whom any memory is closed.
    """

    records: Mapping[str, int]
    sessions: int
    unembedded: int
    embedder: str
    reranker: str
    bytes: int
    audit_entries: int | None


class Admin(Resource, path="admin"):
    """The administration of one scope, and of the whole store. Reached as `memory.admin`."""

    keys = SubResource(Keys)
    jobs = SubResource(Jobs)
    maintenance = SubResource(Maintenance)
    index = SubResource(SearchIndex)

    async def stats(self) -> Stats:
        """Return the numbers of the scope."""
        engine = self._engine

        async def work(tx: Tx) -> tuple[dict[str, int], int, int]:
            return await tx.records.counts(), len(await tx.sessions.list(limit=_ALL_SESSIONS)), await tx.audit.count()

        counts, sessions, audited = await self._unit.read(work)
        operates = self._caller.operates_store
        generation = next((found for found in await engine.store.generations() if found.state == "active"), None)
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
        )

    async def costs(self, *, days: int = 30) -> Costs:
        """Return the costs of language models on each of the last days, the latest first, and the state of the budgets.

        And the tokens that contexts saved against whole conversations, by agent and by session of this exact scope.
        A project or an agent that the scope leaves blank means all of the tenant's. A caller with an access key of a
        project sees the budgets of that project alone.

        Args:
            days: 1 to 366, with today.

        Raises:
            NotAllowed: the access key is of one user, and costs are of all.
        """
        return await costs(self._engine, self._caller, days=days)

    async def flush(self) -> None:
        """Write the record of recent reads now; otherwise it is written in the background."""
        await self._engine.worker.access_log.flush()

    async def doctor(self, *, repair: bool = False, accept_losses: bool = False) -> Sequence[Diagnosis]:
        """Check the whole store, and return its faults; with `repair`, repair those that need no judgement.

        Args:
            accept_losses: accept rows that another program removed or added, so that they are not reported again.

        Raises:
            NotAllowed: some memories of the store are closed to the caller.
        """
        need_whole_store(self._caller, "doctor")
        engine = self._engine
        found = await doctor.diagnose(
            engine.store, self._of_engine, analyser=engine.analyser, repair=repair, accept_losses=accept_losses
        )
        now = engine.rules.clock.now()
        found += await doctor.future_entries(engine.store, self._of_engine, now=now, repair=repair)
        found += await doctor.open_breakers(engine.store, now=now, repair=repair)
        index_sync = engine.worker.embeddings.index_sync
        return found if index_sync is None else found + await doctor.index_lags(index_sync, repair=repair)

    def _of_engine(self, scope: Scope) -> UnitOfWork:
        """Return the engine's own unit of work: administration concerns the whole store."""
        return self._unit.of(Caller.engine(scope))
