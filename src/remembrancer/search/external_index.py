"""An outside vector index kept behind the store. It may lag and may be away: nothing that matters rests on it.

It is asked between transactions, never within one, and what it finds is confirmed by the store.
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
from remembrancer.search.candidates import CANDIDATES_AN_ARM
from remembrancer.search.nearest import ASKED_OUTSIDE
from remembrancer.storage.base import Store, VectorIndex
from remembrancer.storage.documents import Documents, Embedded, Wording
from remembrancer.transactions.dependencies import Clock
from remembrancer.transactions.write_transaction import WriteTransaction
from remembrancer.types.access import Caller
from remembrancer.types.index import Generation, SpaceState
from remembrancer.types.scope import Scope

T = TypeVar("T")
Rows = NDArray[np.float32]

ANSWER_SECONDS = 1.0
WRITE_SECONDS = 10.0
# An index that is away would else cost every question and every write its whole patience.
LEFT_ALONE = timedelta(seconds=30)
_BATCH = 200
_THREADS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexLag:
    """What the index lacks of one exact scope, and what it holds that is gone."""

    scope: Scope
    missing: tuple[int, ...]
    left_over: tuple[int, ...]


class ExternalIndexSync:
    """The outside index of one open store.

    Args:
        seconds: how long a question waits for the index.
    """

    def __init__(self, store: Store, index: VectorIndex, clock: Clock, *, seconds: float = ANSWER_SECONDS) -> None:
        self._store = store
        self._index = index
        self._clock = clock
        self._seconds = seconds
        # Threads that hang in the index are none of those that the store needs.
        self._threads = anyio.CapacityLimiter(_THREADS)
        self._left_alone_until: datetime | None = None
        self._owed: set[int] = set()

    async def nearest(
        self, scope: Scope, query: Rows, *, generation: Generation
    ) -> tuple[Documents | None, tuple[str, ...]]:
        """The wordings that the index finds for a question, and what is to be said where it does not answer."""
        scopes = [self._fingerprint(visible) for visible in scope.visible()]
        limit = ASKED_OUTSIDE * CANDIDATES_AN_ARM
        try:
            found = await self._ask(
                lambda: self._index.nearest(query, scopes=scopes, generation=generation.number, limit=limit),
                seconds=self._seconds,
            )
        except StoreError as error:
            return None, (f"the store searched itself: {error}",)
        return found.documents, ()

    async def put(self, scope: Scope, pieces: Mapping[int, Rows], *, generation: Generation) -> bool:
        """Bring wordings of an exact scope that have vectors now; `False` where the index was away and lags."""
        try:
            await self._put(scope, pieces, generation)
        except StoreError:
            return False
        await self.settle()
        return True

    async def after_commit(self, done: WriteTransaction) -> None:
        """Take out what a committed transaction took out of the indexes."""
        if done.retired:
            await self.forget(done.retired)

    async def forget(self, documents: Iterable[int]) -> None:
        """Take wordings out that are gone from the store; where the index is away, as soon as it is back."""
        self._owed.update(documents)
        await self.settle()

    async def settle(self) -> None:
        """Take out what could not be taken out before."""
        owed = tuple(self._owed)
        generation = await self._active() if owed else None
        if generation is None:
            return
        try:
            await self._write(lambda: self._index.remove(owed, generation=generation.number))
        except StoreError:
            return
        self._owed.difference_update(owed)

    async def rebuild(self, progress: Callable[[int], None]) -> int:
        """Empty the index and fill it from the store's vectors; how many wordings it has then.

        Raises:
            StoreUnavailable: the index is away; what was done so far stays.
        """
        # Who asks for it wants to know now whether the index is back.
        self._left_alone_until = None
        for number in await self._write(self._index.generations):
            await self._write(lambda number=number: self._index.drop(number))
        generation, count = await self._active(), 0
        if generation is None:
            return 0
        for scope in await self._store.scopes():
            async for page in self._pages(scope, generation.number):
                await self._put(scope, {item.document: item.pieces for item in page}, generation)
                progress(len(page))
                count += len(page)
        self._owed.clear()
        return count

    async def release(self, scope: Scope) -> None:
        """Take out what the index holds of an exact scope, of any generation, and the store has no more.

        Raises:
            StoreUnavailable: the index is away; nothing is lost by doing it again.
        """
        # What is to be erased is not to wait for the next try.
        self._left_alone_until = None
        name = self._fingerprint(scope)
        for number in await self._write(self._index.generations):
            held = await self._write(lambda number=number: self._index.held(name, generation=number))
            stored = {item.document async for page in self._pages(scope, number) for item in page}
            if gone := sorted(set(held.tolist()) - stored):
                await self._write(lambda number=number, gone=gone: self._index.remove(gone, generation=number))
        await self.settle()

    async def lags(self) -> list[IndexLag]:
        """Every scope of which the index has not just what the store has.

        Raises:
            StoreUnavailable: the index is away.
        """
        generation = await self._active()
        if generation is None:
            return []
        found: list[IndexLag] = []
        for scope in await self._store.scopes():
            name = self._fingerprint(scope)
            held = await self._write(lambda name=name: self._index.held(name, generation=generation.number))
            stored = {item.document async for page in self._pages(scope, generation.number) for item in page}
            missing, left_over = stored - set(held.tolist()), set(held.tolist()) - stored
            if missing or left_over:
                found.append(IndexLag(scope=scope, missing=tuple(sorted(missing)), left_over=tuple(sorted(left_over))))
        return found

    async def repair(self, lag: IndexLag) -> None:
        """Bring what is missing, take out what is left over.

        Raises:
            StoreUnavailable: the index is away.
        """
        generation, missing = await self._active(), set(lag.missing)
        if generation is None:
            return
        async for page in self._pages(lag.scope, generation.number):
            wanted = {item.document: item.pieces for item in page if item.document in missing}
            await self._put(lag.scope, wanted, generation)
        await self._write(lambda: self._index.remove(lag.left_over, generation=generation.number))

    async def _put(self, scope: Scope, pieces: Mapping[int, Rows], generation: Generation) -> None:
        name = self._fingerprint(scope)
        wordings = [Wording(document=document, scope=name, pieces=rows) for document, rows in pieces.items()]
        await self._write(lambda: self._index.put(wordings, generation=generation.number))
        # What was retired in the meantime may have been taken out before it came in.
        headers = await self._store.read(Caller.engine(scope), lambda tx: tx.wordings.headers(list(pieces)))
        standing = set(headers.documents.tolist())
        if gone := [document for document in pieces if document not in standing]:
            await self._write(lambda: self._index.remove(gone, generation=generation.number))

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
        return next((found for found in await self._store.generations() if found.state is SpaceState.ACTIVE), None)

    async def _write(self, work: Callable[[], T]) -> T:
        return await self._ask(work, seconds=WRITE_SECONDS)

    async def _ask(self, work: Callable[[], T], *, seconds: float) -> T:
        """What the index makes of a request; it is left alone for a while where it does not answer.

        Raises:
            StoreUnavailable: it is away, or was a moment ago.
            StoreError: it refuses.
        """
        now = self._clock.now()
        if self._left_alone_until is not None and now < self._left_alone_until:
            raise StoreUnavailable("the vector index did not answer a moment ago")
        try:
            with anyio.fail_after(seconds):
                return await anyio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=self._threads)
        except StoreUnavailable:
            self._left_alone_until = now + LEFT_ALONE
            raise
        except RemembrancerError:
            raise
        except TimeoutError as error:
            self._left_alone_until = now + LEFT_ALONE
            raise StoreUnavailable(f"the vector index did not answer within {seconds:g} s") from error
        except Exception as error:
            raise StoreError(f"the vector index failed: {type(error).__name__}") from error

    def _fingerprint(self, scope: Scope) -> str:
        names = [scope.tenant, scope.project, scope.agent, scope.user]
        return self._store.sign(f"scope of the vector index {json.dumps(names)}")
