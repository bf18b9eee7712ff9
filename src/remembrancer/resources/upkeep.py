"""The door to upkeep: the numbers of a scope, what it cost, and keeping the whole store well."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from remembrancer.errors import Conflict, NotAllowed, ProviderError
from remembrancer.jobs import doctor
from remembrancer.jobs.doctor import Diagnosis
from remembrancer.llm.budget import Costs
from remembrancer.resources.resource import Door
from remembrancer.search import embedding
from remembrancer.search.embedding import Progress, silent
from remembrancer.storage.ports.tx import Tx
from remembrancer.transactions.unit_of_work import Desk
from remembrancer.types.arguments import checked, within
from remembrancer.types.caller import FULL, Caller
from remembrancer.types.scope import Scope

MOST_DAYS = 366
_ALL_SESSIONS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """What a scope sees, in numbers.

    Args:
        records: how many, by `kind/status`.
        unembedded: wordings of the whole store that have no vectors yet; 0 without an embedder, or for who may not
            operate the store.
        embedder: name and version of the vectors that serve, or `""`.
        reranker: what is asked to judge anew what is recalled, as `provider:name`, or `""`.
        bytes: size of the store on disk; 0 for who may not operate it.
        audit_entries: how often something was done in this exact scope; `None` for whom anything is closed.
    """

    records: Mapping[str, int]
    sessions: int
    unembedded: int
    embedder: str
    reranker: str
    bytes: int
    audit_entries: int | None


@checked
class Upkeep(Door):
    """Keeping one scope, and the whole store, well. Reached as `memory.upkeep`."""

    @property
    def has_embedder(self) -> bool:
        """Whether vectors can be made at all."""
        return self._engine.embedder is not None

    async def stats(self) -> Stats:
        """The scope in numbers."""
        engine = self._engine

        async def work(tx: Tx) -> tuple[dict[str, int], int, int]:
            return await tx.records.counts(), len(await tx.sessions.list(limit=_ALL_SESSIONS)), await tx.audit.count()

        counts, sessions, audited = await self._desk.read(work)
        operates = self._caller.keeps_store
        generation = next((found for found in await engine.store.generations() if found.state == "active"), None)
        return Stats(
            records=counts,
            sessions=sessions,
            unembedded=await embedding.missing_count(engine.store, engine.embedder)
            if engine.embedder and operates
            else 0,
            embedder=f"{generation.space.name} {generation.space.version}" if generation else "",
            reranker=engine.reranking.name if engine.reranking else "",
            bytes=await engine.store.size() if operates else 0,
            audit_entries=audited if self._caller.sees_all else None,
        )

    async def costs(self, *, days: int = 30) -> Costs:
        """What language models cost on each of the last days, the latest first, and how the budgets stand.

        And what contexts spared against sending whole conversations, by agent and by session of this exact scope.
        A project or an agent that the scope leaves blank means all of the tenant's.

        Who came with an access key sees the budgets of the key's project alone, where it has one.

        Args:
            days: 1 to 366, today among them.

        Raises:
            NotAllowed: the access key is of one user, and costs are of all.
        """
        within(days, 1, MOST_DAYS, what="days")
        wall = self._caller.wall
        if wall is not None and wall.user is not None:
            raise NotAllowed("costs are of whole projects and agents; it takes an access key without a user")
        await self._engine.sweep.access_log.flush()
        found = await self._engine.models.costs(self._caller.scope, days=days)
        if wall is None or (wall.project is None and wall.agent is None):
            return found
        return replace(
            found, budgets=tuple(one for one in found.budgets if one.project and one.project == wall.project)
        )

    async def flush(self) -> None:
        """Write down at once which memories were read; else it is done in the background."""
        await self._engine.sweep.access_log.flush()

    async def embed(self, *, progress: Progress = silent) -> int:
        """Make every vector that is missing; how many wordings got theirs.

        Raises:
            InvalidInput: there is no embedder.
            ProviderUnavailable: the model failed; what was done stays.
            Conflict: the store's vectors are of another embedder.
        """
        engine = self._engine
        self._caller.need_store()
        return await embedding.embed_missing(
            engine.store,
            self._of_engine,
            embedding.asked_embedder(engine.need_embedder(), engine.store, engine.rules.clock, by_hand=True),
            scopes=await embedding.unembedded_scopes(engine.store),
            progress=progress,
            mirror=engine.sweep.embeddings.mirror,
        )

    async def embed_soon(self) -> int:
        """Make a few missing vectors of this scope, for callers that close the memory soon; never fails a write."""
        try:
            return await self._engine.sweep.embeddings.embed_missing([self._desk.scope], most=embedding.BATCH)
        except ProviderError:
            return 0

    async def unembedded(self) -> int:
        """How many wordings of the store have no vectors in the embedder's space."""
        self._caller.need_store()
        return await embedding.missing_count(self._engine.store, self._engine.need_embedder())

    async def reembed(self, *, progress: Progress = silent) -> int:
        """Build all vectors anew beside the old ones, then switch over; how many were made.

        Raises:
            InvalidInput: there is no embedder.
        """
        self._engine.need_embedder()
        self._caller.need_store()
        made = await self._engine.sweep.rebuild_vectors(progress=progress, by_hand=True)
        if made is None:
            raise Conflict("another process is making the vectors anew; wait for it")
        return made

    async def reindex(self, *, progress: Progress = silent, vectors: bool = True) -> int:
        """Build the text index of the whole store anew, scope by scope; how many wordings it has.

        Args:
            vectors: whether an outside vector index is built anew too, from the vectors that the store has.

        Raises:
            NotAllowed: something in the store is closed to the caller.
            StoreUnavailable: the outside vector index is away; the text index is done.
        """
        self._need_all("reindex")
        engine, total = self._engine, 0
        for scope in await engine.store.scopes():
            count = await doctor.rebuild_text_index(self._of_engine(scope))
            progress(count)
            total += count
        await engine.store.analysed_by(engine.analyser)
        if vectors and engine.sweep.embeddings.mirror is not None:
            await engine.sweep.embeddings.mirror.rebuild(progress)
        return total

    async def doctor(self, *, mend: bool = False, accept_losses: bool = False) -> Sequence[Diagnosis]:
        """What is wrong with the whole store; with `mend`, what can be mended without judgement is.

        Args:
            accept_losses: whether rows that another program removed or added are taken as they are, so that the next
                look is silent about them.

        Raises:
            NotAllowed: something in the store is closed to the caller.
        """
        self._need_all("doctor")
        engine = self._engine
        found = await doctor.diagnose(
            engine.store, self._of_engine, analyser=engine.analyser, repair=mend, accept_losses=accept_losses
        )
        now = engine.rules.clock.now()
        found += await doctor.future_entries(engine.store, self._of_engine, now=now, repair=mend)
        found += await doctor.open_breakers(engine.store, now=now, repair=mend)
        mirror = engine.sweep.embeddings.mirror
        return found if mirror is None else found + await doctor.index_lags(mirror, repair=mend)

    def _need_all(self, what: str) -> None:
        """Refuse what looks at the whole store to who may not see all."""
        self._caller.need_store()
        if not self._caller.sees_all:
            raise NotAllowed(
                f"{what} looks at all that the store holds; it takes a caller with clearance {FULL.value!r}, which"
                f" this one, with {self._caller.clearance.value!r}, has not"
            )

    def _of_engine(self, scope: Scope) -> Desk:
        """The engine's own desk: upkeep is done for the whole store."""
        return self._desk.of(Caller.engine(scope))
