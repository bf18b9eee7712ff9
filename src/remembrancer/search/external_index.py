"""The synchronisation of an external vector index, which may lag or fail.

The index is called between transactions, never inside one, and the store confirms its results.
"""

import json
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeVar

import anyio
import anyio.to_thread
import numpy as np
from numpy.typing import NDArray

from remembrancer.errors import RemembrancerError, StoreError, StoreUnavailable
from remembrancer.search.candidates import CANDIDATES_PER_RETRIEVER
from remembrancer.search.nearest import OVERSAMPLING
from remembrancer.storage.base import Store, VectorIndex
from remembrancer.storage.documents import DocumentNumbers, DocumentVectors, Embedded
from remembrancer.transactions.dependencies import Clock
from remembrancer.transactions.write_transaction import WriteTransaction
from remembrancer.types.access import Caller
from remembrancer.types.index import Generation, SpaceState
from remembrancer.types.scope import Scope

T = TypeVar("T")
Rows = NDArray[np.float32]

ANSWER_SECONDS = 1.0
WRITE_SECONDS = 10.0
# An unavailable index is paused, or every question and every write would wait for the time-out.
PAUSE = timedelta(seconds=30)
_BATCH = 200
_THREADS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexLag:
    """The differences between the index and the store in one exact scope.

    Args:
        missing: documents that only the store has.
        left_over: documents that only the index has.
    """

    scope: Scope
    missing: tuple[int, ...]
    left_over: tuple[int, ...]


class ExternalIndexSync:
    """The external index of one open store.

    Args:
        seconds: how long a question waits for the index.
    """

    def __init__(self, store: Store, index: VectorIndex, clock: Clock, *, seconds: float = ANSWER_SECONDS) -> None:
        self._store = store
        self._index = index
        self._clock = clock
        self._seconds = seconds
        # A separate limit, so that threads that hang in the index do not block the store.
        self._threads = anyio.CapacityLimiter(_THREADS)
        self._paused_until: datetime | None = None
        self._pending_removals: set[int] = set()

    async def nearest(
        self, scope: Scope, query: Rows, *, generation: Generation
    ) -> tuple[DocumentNumbers | None, tuple[str, ...]]:
        """Return the documents that the index finds, and notes.

        The documents are `None` if the index does not answer.
        """
        scopes = [self._fingerprint(visible) for visible in scope.visible()]
        limit = OVERSAMPLING * CANDIDATES_PER_RETRIEVER
        try:
            result = await self._call(
                lambda: self._index.nearest(query, scopes=scopes, generation=generation.number, limit=limit),
                seconds=self._seconds,
            )
        except StoreError as error:
            return None, (f"the store was searched instead of the vector index: {error}",)
        return result.documents, ()

    async def put(self, scope: Scope, pieces: Mapping[int, Rows], *, generation: Generation) -> bool:
        """Add documents with vectors to the index.

        Returns:
            `False` if the index was unavailable, so that it lags.
        """
        try:
            await self._put(scope, pieces, generation)
        except StoreError:
            return False
        await self.flush_removals()
        return True

    async def after_commit(self, done: WriteTransaction) -> None:
        """Remove what a committed transaction removed from the store's indexes."""
        if done.retired:
            await self.remove(done.retired)

    async def remove(self, documents: Iterable[int]) -> None:
        """Remove documents from the index, or later if it is unavailable."""
        self._pending_removals.update(documents)
        await self.flush_removals()

    async def flush_removals(self) -> None:
        """Remove the documents that could not be removed before."""
        pending = tuple(self._pending_removals)
        generation = await self._active() if pending else None
        if generation is None:
            return
        try:
            await self._write(lambda: self._index.remove(pending, generation=generation.number))
        except StoreError:
            return
        self._pending_removals.difference_update(pending)

    async def rebuild(self, progress: Callable[[int], None]) -> int:
        """Empty the index and fill it from the store's vectors.

        Returns:
            The number of documents in the index.

        Raises:
            StoreUnavailable: the index is unavailable; the documents so far stay.
        """
        # A person waits for the result, so end the pause.
        self._paused_until = None
        for number in await self._write(self._index.generations):
            await self._write(lambda number=number: self._index.drop(number))
        generation, count = await self._active(), 0
        if generation is None:
            return 0
        for scope in await self._store.scopes():
            async for page in self._pages(scope, generation.number):
                await self._put(scope, {item.document: item.passages for item in page}, generation)
                progress(len(page))
                count += len(page)
        self._pending_removals.clear()
        return count

    async def remove_orphans(self, scope: Scope) -> None:
        """Remove what the index has of a scope and the store no longer has.

        This covers all generations.

        Raises:
            StoreUnavailable: the index is unavailable; the call can be repeated.
        """
        # An erasure must not wait for the end of the pause.
        self._paused_until = None
        fingerprint = self._fingerprint(scope)
        for number in await self._write(self._index.generations):
            indexed = await self._write(lambda number=number: self._index.documents_of(fingerprint, generation=number))
            stored = {item.document async for page in self._pages(scope, number) for item in page}
            if orphans := sorted(set(indexed.tolist()) - stored):
                await self._write(lambda number=number, orphans=orphans: self._index.remove(orphans, generation=number))
        await self.flush_removals()

    async def lags(self) -> list[IndexLag]:
        """Return the scopes in which the index and the store differ.

        Raises:
            StoreUnavailable: the index is unavailable.
        """
        generation = await self._active()
        if generation is None:
            return []
        lags: list[IndexLag] = []
        for scope in await self._store.scopes():
            fingerprint = self._fingerprint(scope)
            indexed = await self._write(
                lambda fingerprint=fingerprint: self._index.documents_of(fingerprint, generation=generation.number)
            )
            stored = {item.document async for page in self._pages(scope, generation.number) for item in page}
            missing, left_over = stored - set(indexed.tolist()), set(indexed.tolist()) - stored
            if missing or left_over:
                lags.append(IndexLag(scope=scope, missing=tuple(sorted(missing)), left_over=tuple(sorted(left_over))))
        return lags

    async def repair(self, lag: IndexLag) -> None:
        """Add what is missing, remove what is left over.

        Raises:
            StoreUnavailable: the index is unavailable.
        """
        generation, missing = await self._active(), set(lag.missing)
        if generation is None:
            return
        async for page in self._pages(lag.scope, generation.number):
            pieces = {item.document: item.passages for item in page if item.document in missing}
            await self._put(lag.scope, pieces, generation)
        await self._write(lambda: self._index.remove(lag.left_over, generation=generation.number))

    async def _put(self, scope: Scope, pieces: Mapping[int, Rows], generation: Generation) -> None:
        fingerprint = self._fingerprint(scope)
        wordings = [
            DocumentVectors(document=document, scope=fingerprint, passages=rows) for document, rows in pieces.items()
        ]
        await self._write(lambda: self._index.put(wordings, generation=generation.number))
        # Documents that were retired meanwhile may have been removed before they were added.
        headers = await self._store.read(Caller.engine(scope), lambda tx: tx.documents.headers(list(pieces)))
        stored = set(headers.documents.tolist())
        if retired := [document for document in pieces if document not in stored]:
            await self._write(lambda: self._index.remove(retired, generation=generation.number))

    async def _pages(self, scope: Scope, generation: int) -> AsyncIterator[list[Embedded]]:
        after = 0
        while True:
            page = await self._store.read(
                Caller.engine(scope),
                lambda tx, after=after: tx.vectors.embedded(generation=generation, limit=_BATCH, after=after),
            )
            if not page:
                return
            yield page
            after = page[-1].document

    async def _active(self) -> Generation | None:
        return next((one for one in await self._store.generations() if one.state is SpaceState.ACTIVE), None)

    async def _write(self, work: Callable[[], T]) -> T:
        return await self._call(work, seconds=WRITE_SECONDS)

    async def _call(self, work: Callable[[], T], *, seconds: float) -> T:
        """Return the result of a request; an index that fails is paused.

        Raises:
            StoreUnavailable: it is unavailable or paused.
            StoreError: it rejected the request.
        """
        now = self._clock.now()
        if self._paused_until is not None and now < self._paused_until:
            raise StoreUnavailable("the vector index is paused after a time-out")
        try:
            with anyio.fail_after(seconds):
                return await anyio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=self._threads)
        except StoreUnavailable:
            self._paused_until = now + PAUSE
            raise
        except RemembrancerError:
            raise
        except TimeoutError as error:
            self._paused_until = now + PAUSE
            raise StoreUnavailable(f"the vector index did not answer within {seconds:g} s") from error
        except Exception as error:
            raise StoreError(f"the vector index failed: {type(error).__name__}") from error

    def _fingerprint(self, scope: Scope) -> str:
        names = [scope.tenant, scope.project, scope.agent, scope.user]
        return self._store.sign(f"scope of the vector index {json.dumps(names)}")
