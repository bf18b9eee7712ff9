"""Vectors of memories and of questions, made with the embedder of one open store."""

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import anyio
import anyio.to_thread
import numpy as np
from numpy.typing import NDArray

from remembrancer.context.cache import ContextCache
from remembrancer.errors import ProviderError
from remembrancer.language.passages import passages
from remembrancer.llm.embedder import Embedder
from remembrancer.llm.geometry import unit
from remembrancer.search import embedding
from remembrancer.search.background import PROBES, BackgroundCache
from remembrancer.search.embedding import GuardedEmbedder, Progress, no_progress
from remembrancer.search.external_index import ExternalIndexSync
from remembrancer.storage.base import Store
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.transactions.unit_of_work import UnitsOfWork
from remembrancer.types.access import Caller
from remembrancer.types.index import Space
from remembrancer.types.scope import Scope

# An embedder that hangs must not use every thread.
_MAX_CONCURRENT_QUESTIONS = 8
# Of so many passages at each end of a long question the mean is its vector.
_END_PASSAGES = 4


class EmbeddingService:
    """The vectors of one open store.

    Args:
        cache: keeps the vectors of recent questions.
        embedder: `None` if the store is searched by words only.
        mirror: the external vector index, if there is one.
        earlier_embedder: returns the embedder of a space that the store was filled in before, `None` if unavailable.
    """

    def __init__(
        self,
        store: Store,
        units: UnitsOfWork,
        rules: Dependencies,
        cache: ContextCache,
        embedder: Embedder | None,
        *,
        index_sync: ExternalIndexSync | None = None,
        earlier_embedder: Callable[[Space], Embedder | None] = lambda _: None,
    ) -> None:
        self._store = store
        self._units = units
        self._rules = rules
        self._cache = cache
        self._earlier_embedder = earlier_embedder
        self._current = None if embedder is None else embedding.guard_embedder(embedder, store, rules.clock)
        self._earlier: dict[Space, GuardedEmbedder | None] = {}
        self._probes: dict[Space, NDArray[np.float32]] = {}
        self._limiter = anyio.CapacityLimiter(_MAX_CONCURRENT_QUESTIONS)
        self.embedder = embedder
        self.index_sync = index_sync
        self.backgrounds = BackgroundCache()

    async def is_outdated(self) -> bool:
        """Return True if the vectors of the store have to be rebuilt for the embedder."""
        return self.embedder is not None and await embedding.needs_reembedding(self._store, self.embedder.space)

    async def embed_missing(self, scopes: list[Scope], *, most: int | None = None, seconds: float = math.inf) -> int:
        """Make missing vectors in some scopes and return their number.

        Returns 0 if the vectors of the store are of another space.

        Args:
            most: the maximum number of passages.
            seconds: stop after this time.
        """
        if self._current is None or await embedding.active_generation(self._store, self._current.space) is None:
            return 0
        return await embedding.embed_missing(
            self._store,
            self._units,
            self._current,
            scopes=scopes,
            limit=most,
            seconds=seconds,
            index_sync=self.index_sync,
        )

    async def rebuild(
        self, *, progress: Progress = no_progress, by_hand: bool = False, seconds: float = math.inf
    ) -> int | None:
        """Rebuild the vectors of the whole store, or continue; return their number, `None` without an embedder.

        Args:
            by_hand: whether a person has started it and sees the result.
            seconds: stop for now after this time.
        """
        if self._current is None:
            return None
        embedder = replace(self._current, by_hand=by_hand)
        return await embedding.reembed(
            self._store, self._units, embedder, progress=progress, index_sync=self.index_sync, seconds=seconds
        )

    async def embedder_for(self, space: Space) -> GuardedEmbedder | None:
        """Return the embedder of a space: the current one, or the one that filled the store before it."""
        if self._current is not None and embedding.same_space(self._current.space, space):
            return self._current
        if space not in self._earlier:
            with suppress(ProviderError):
                earlier = await anyio.to_thread.run_sync(self._earlier_embedder, space)
                self._earlier[space] = (
                    embedding.guard_embedder(earlier, self._store, self._rules.clock) if earlier else None
                )
        return self._earlier.get(space)

    async def probe_vectors(self, embedder: GuardedEmbedder) -> NDArray[np.float32] | None:
        """Return the vectors that measure the background of a scope, `None` if the embedder fails."""
        if embedder.space not in self._probes:
            with suppress(ProviderError):
                self._probes[embedder.space] = await embedder.queries(list(PROBES), limiter=self._limiter)
        return self._probes.get(embedder.space)

    async def question_vector(self, caller: Caller, text: str, embedder: GuardedEmbedder) -> NDArray[np.float32] | None:
        """Return the vector of a question, from the cache if possible; `None` for blank text.

        It can be cancelled at any time, even if the embedder blocks.

        Raises:
            ProviderUnavailable: the model failed, or its breaker is open.
        """
        if not text.strip():
            return None
        key = self._cache.key(caller, "vector", embedder.space, text)
        cached = await self._cache.get_vector(key)
        if cached is not None:
            return cached
        # A model's time grows with the square of the length: the vector of a long question is the mean of its passages.
        # A request is at the beginning or the end of a long message, so only passages of these are embedded.
        pieces = passages(text)
        if len(pieces) > 2 * _END_PASSAGES:
            pieces = [*pieces[:_END_PASSAGES], *pieces[-_END_PASSAGES:]]
        rows = await embedder.queries(pieces, limiter=self._limiter)
        vector = unit(rows.mean(axis=0, keepdims=True))[0]
        await self._cache.put_vector(key, vector)
        return vector
