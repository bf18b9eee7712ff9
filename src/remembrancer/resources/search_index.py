"""The vectors and the text index of the whole store."""

from remembrancer.errors import Conflict, NotAllowed, ProviderError
from remembrancer.jobs import doctor
from remembrancer.resources.resource import Resource
from remembrancer.search import embedding
from remembrancer.search.embedding import Progress, no_progress
from remembrancer.transactions.unit_of_work import UnitOfWork
from remembrancer.types.access import FULL, Caller
from remembrancer.types.scope import Scope

_SOON_SECONDS = 0.5


class SearchIndex(Resource, path="admin.index"):
    """The vectors and the text index of the whole store. Reached as `memory.admin.index`."""

    @property
    def has_embedder(self) -> bool:
        """True if an embedder is configured."""
        return self._engine.embedder is not None

    async def embed(self, *, progress: Progress = no_progress) -> int:
        """Make all missing vectors, and return their number.

        Raises:
            InvalidInput: no embedder is configured.
            ProviderUnavailable: the embedder failed; finished vectors are kept.
            Conflict: the vectors of the store are from another embedder.
        """
        engine = self._engine
        self._caller.need_store()
        return await embedding.embed_missing(
            engine.store,
            self._of_engine,
            embedding.guard_embedder(engine.need_embedder(), engine.store, engine.rules.clock, by_hand=True),
            scopes=await embedding.unembedded_scopes(engine.store),
            progress=progress,
            index_sync=engine.worker.embeddings.index_sync,
        )

    async def embed_soon(self) -> int:
        """Make some missing vectors of this scope, for callers that close the memory soon. Errors are ignored."""
        try:
            return await self._engine.worker.embeddings.embed_missing(
                [self._unit.scope], most=embedding.BATCH_SIZE, seconds=_SOON_SECONDS
            )
        except ProviderError:
            return 0

    async def missing(self) -> int:
        """Return the number of texts in the store without a vector of the embedder."""
        self._caller.need_store()
        return await embedding.missing_count(self._engine.store, self._engine.need_embedder())

    async def reembed(self, *, progress: Progress = no_progress) -> int:
        """Make new vectors next to the old ones, switch to them, and return their number.

        Raises:
            InvalidInput: no embedder is configured.
        """
        self._engine.need_embedder()
        self._caller.need_store()
        count = await self._engine.worker.rebuild_vectors(progress=progress, by_hand=True)
        if count is None:
            raise Conflict("another process makes new vectors; wait for its end")
        return count

    async def rebuild(self, *, progress: Progress = no_progress, vectors: bool = True) -> int:
        """Rebuild the text index of the whole store, and return the number of its texts.

        Args:
            vectors: also rebuild an external vector index from the vectors of the store.

        Raises:
            NotAllowed: some memories of the store are closed to the caller.
            StoreUnavailable: the external vector index is unavailable; the text index is done.
        """
        need_whole_store(self._caller, "reindex")
        engine, total = self._engine, 0
        for scope in await engine.store.scopes():
            total += await doctor.rebuild_text_index(self._of_engine(scope), progress=progress)
        await engine.store.set_analyser(engine.analyser)
        if vectors and engine.worker.embeddings.index_sync is not None:
            await engine.worker.embeddings.index_sync.rebuild(progress)
        return total

    def _of_engine(self, scope: Scope) -> UnitOfWork:
        """Return the engine's own unit of work, as the index contains the whole store."""
        return self._unit.of(Caller.engine(scope))


def need_whole_store(caller: Caller, what: str) -> None:
    """Check that a caller may see the whole store.

    Raises:
        NotAllowed: it may not.
    """
    caller.need_store()
    if not caller.sees_all:
        raise NotAllowed(
            f"{what} reads the whole store and needs a caller with clearance {FULL.value!r}, and this one has"
            f" {caller.clearance.value!r}"
        )
