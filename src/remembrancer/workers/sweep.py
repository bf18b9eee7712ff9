"""What is done in the background of an open memory: vectors that are missing, and noting what was read.

Nothing here is lost by not being done: missing vectors are derived from the store, and uses are counts.
"""

from collections import Counter, OrderedDict
from contextlib import suppress
from datetime import datetime

import anyio
import numpy as np
from numpy.typing import NDArray

from remembrancer.errors import RemembrancerError
from remembrancer.model.scope import Scope
from remembrancer.ports.clock import Clock
from remembrancer.ports.embedder import Embedder
from remembrancer.ports.geometry import unit
from remembrancer.ports.store import AuditEntry, Store
from remembrancer.retrieval.passages import passages
from remembrancer.workers import embedding
from remembrancer.workers.mirror import Mirror

EVERY_SECONDS = 10.0
CACHED_QUESTIONS = 1_024


class Sweep:
    """The background of one open store: shared by every scope's `Memory` over it.

    Args:
        mirror: the outside vector index, where there is one.
    """

    def __init__(
        self, store: Store, embedder: Embedder | None, clock: Clock, *, door: str, mirror: Mirror | None = None
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._clock = clock
        self._door = door
        self.mirror = mirror
        self._reads: dict[Scope, tuple[Counter[str], datetime]] = {}
        self._questions: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._awake = anyio.Event()
        self.scrub_due = False

    def wake(self) -> None:
        """Something was written; a hint, the clock is the guarantee."""
        self._awake.set()

    def note_read(self, scope: Scope, ids: list[str]) -> None:
        """Remember that these were recalled, to be counted in a batch."""
        uses, _ = self._reads.get(scope, (Counter[str](), None))
        uses.update(ids)
        self._reads[scope] = (uses, self._clock.now())

    async def run(self) -> None:
        """Sweep until cancelled; a failure is met with the next round."""
        while True:
            # Where the store or the model is away, what is due stays due.
            with suppress(RemembrancerError):
                await self.once()
            with anyio.move_on_after(EVERY_SECONDS):
                await self._awake.wait()
            self._awake = anyio.Event()

    async def once(self) -> None:
        """One round: count the reads, make the missing vectors."""
        await self.flush()
        if self.scrub_due:
            self.scrub_due = not await self._store.scrub()
        if self.mirror is not None:
            await self.mirror.settle()
        if self._embedder is not None:
            await self.embed(await self._store.unembedded_scopes())

    async def flush(self) -> None:
        """Write down what was read since the last time."""
        reads, self._reads = self._reads, {}
        for scope, (uses, at) in reads.items():
            await self._count(scope, uses, at)

    async def embed(self, scopes: list[Scope], *, most: int | None = None) -> int:
        """Make missing vectors in some scopes; 0 where the store's vectors are of another space."""
        if self._embedder is None or await embedding.active_generation(self._store, self._embedder.space) is None:
            return 0
        return await embedding.embed_missing(self._store, self._embedder, scopes=scopes, most=most, mirror=self.mirror)

    async def question(self, text: str) -> NDArray[np.float32] | None:
        """The vector of a question, from the cache where it was asked before; `None` without an embedder.

        Raises:
            ProviderUnavailable: the model failed.
        """
        if self._embedder is None or not text.strip():
            return None
        if text not in self._questions:
            # A model's time grows with the square of a text's length: a long question is the mean of its pieces.
            rows = await embedding.asked(self._embedder.queries, passages(text))
            self._questions[text] = unit(rows.mean(axis=0, keepdims=True))[0]
        self._questions.move_to_end(text)
        while len(self._questions) > CACHED_QUESTIONS:
            self._questions.popitem(last=False)
        return self._questions[text]

    async def _count(self, scope: Scope, uses: Counter[str], at: datetime) -> None:
        entry = AuditEntry(action="recalled", kind="memory", record=None, count=uses.total(), door=self._door, at=at)
        async with self._store.begin(scope) as tx:
            await tx.records.touch(dict(uses), at=at)
            await tx.audit.add([entry])
