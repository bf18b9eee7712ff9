"""Vectors of documents, for new ones and after a change of model.

The model is called between two transactions, never inside one.
"""

import math
import random
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import cast

import anyio
import anyio.to_thread
import numpy as np
from numpy.typing import NDArray

from remembrancer.errors import (
    BadModelOutput,
    Conflict,
    ProviderUnavailable,
    RemembrancerError,
    StoreError,
    StoreUnavailable,
)
from remembrancer.llm.breaker import BreakerPermit, Breakers
from remembrancer.llm.embedder import Embedder
from remembrancer.search.external_index import ExternalIndexSync
from remembrancer.storage.base import Store
from remembrancer.storage.documents import Unembedded
from remembrancer.storage.tx import Tx
from remembrancer.transactions.dependencies import Clock
from remembrancer.transactions.documents import number_ranges, passages_of
from remembrancer.transactions.sealed_blocks import Sign
from remembrancer.transactions.side_rows import VectorUpdate
from remembrancer.transactions.unit_of_work import UnitsOfWork
from remembrancer.transactions.write_transaction import WriteTransaction
from remembrancer.types.access import Caller
from remembrancer.types.calls import CallPurpose
from remembrancer.types.index import Generation, Space, SpaceState
from remembrancer.types.jobs import Purpose, Thresholds
from remembrancer.types.record import Message, Record
from remembrancer.types.scope import Scope

BATCH_SIZE = 32
# A thread cannot be cancelled: a cancelled caller waits for the current batch.
_FIRST_BATCH = 4
_MAX_BATCH = 256
_SHORT_SECONDS = 0.2
_LONG_SECONDS = 0.6
# The time limit of a question that tries an embedder after failures.
_TRIAL_SECONDS = 120.0
# The longest wait for a locked store, to record the outcome of an embedder call.
_RECORDING_SECONDS = 1.0
Progress = Callable[[int], None]


def no_progress(_count: int) -> None:
    """Report no progress."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardedEmbedder:
    """An embedder behind a circuit breaker, which pauses it after failures.

    Args:
        by_hand: whether a person started the call and sees its outcome; see `llm.breaker`.
    """

    embedder: Embedder
    breakers: Breakers
    by_hand: bool = False

    @property
    def space(self) -> Space:
        """The space of its vectors."""
        return self.embedder.space

    async def documents(self, texts: list[str]) -> NDArray[np.float32]:
        """Return the vectors of texts, computed off the event loop.

        Raises:
            ProviderUnavailable: the model failed, or is paused.
            BadModelOutput: the model did not return a finite row for each text.
        """
        return await self._call(self.embedder.documents, texts, None)

    async def queries(self, texts: list[str], *, limiter: anyio.CapacityLimiter) -> NDArray[np.float32]:
        """Return the vectors of questions, computed off the event loop.

        A cancelled call leaves its thread behind.

        Raises:
            ProviderUnavailable: the model failed, or is paused.
            BadModelOutput: the model did not return a finite row for each text.
        """
        return await self._call(self.embedder.queries, texts, limiter)

    async def _call(
        self,
        function: Callable[[list[str]], NDArray[np.float32]],
        texts: list[str],
        limiter: anyio.CapacityLimiter | None,
    ) -> NDArray[np.float32]:
        permit = await self._permit()
        try:
            rows = await encode_batches(function, texts, dimension=self.space.dimension, limiter=limiter)
        except (ProviderUnavailable, BadModelOutput) as error:
            await _record_outcome(self.breakers.record_failure(permit, error))
            raise
        except anyio.get_cancelled_exc_class():
            # A cancelled call is no failure: the next one may try again.
            with anyio.CancelScope(shield=True):
                await _record_outcome(self.breakers.release(permit))
            raise
        await _record_outcome(self.breakers.record_success(permit))
        return rows

    async def _permit(self) -> BreakerPermit:
        """Return a permit to call the model, even if the store cannot be written."""
        permit = BreakerPermit(model=self.space.name, purpose=CallPurpose.EMBED, known=None, trial=False)
        with anyio.move_on_after(_RECORDING_SECONDS), suppress(StoreError):
            permit = await self.breakers.permit(self.space.name, CallPurpose.EMBED, by_hand=self.by_hand)
        return permit


async def _record_outcome(recording: Coroutine[object, object, None]) -> None:
    """Record the outcome of a call, unless the store is locked.

    A question does not fail for that.
    """
    with anyio.move_on_after(_RECORDING_SECONDS), suppress(StoreError):
        await recording


def guard_embedder(embedder: Embedder, store: Store, clock: Clock, *, by_hand: bool = False) -> GuardedEmbedder:
    """Return an embedder behind the circuit breakers of a store."""
    breakers = Breakers(store, clock.now, random.random, trial_seconds=_TRIAL_SECONDS)
    return GuardedEmbedder(embedder=embedder, breakers=breakers, by_hand=by_hand)


async def unembedded_scopes(store: Store) -> list[Scope]:
    """Return the scopes of all tenants with documents without vectors."""
    limits = Thresholds(stale_before=datetime.min.replace(tzinfo=UTC))
    waiting = [due for due in await store.due(limits) if due.purpose is Purpose.EMBED]
    return [scope for due in waiting for scope in await store.waiting(due, limits)]


async def active_generation(store: Store, space: Space) -> Generation | None:
    """Return the active generation, created if there is none.

    It is `None` if the store's vectors are of another space.
    """
    serving = next((one for one in await store.generations() if one.state is SpaceState.ACTIVE), None)
    active = serving or await store.serving_generation(space)
    return active if same_space(active.space, space) else None


def same_space(one: Space, other: Space) -> bool:
    """Return True if vectors of the two spaces are comparable."""
    return (one.name, one.version, one.dimension) == (other.name, other.version, other.dimension)


async def embed_missing(
    store: Store,
    units: UnitsOfWork,
    embedder: GuardedEmbedder,
    *,
    scopes: list[Scope],
    progress: Progress = no_progress,
    limit: int | None = None,
    seconds: float = math.inf,
    index_sync: ExternalIndexSync | None = None,
) -> int:
    """Embed the documents without vectors in some scopes.

    Args:
        limit: the maximum number of passages; longer documents wait for the next round. `None` for no limit.
        seconds: stop after this time.
        mirror: the external index that also receives the vectors, if available.

    Returns:
        The number of embedded documents.

    Raises:
        ProviderUnavailable: the model failed; the vectors so far are stored.
        Conflict: the store's vectors are of another space.
    """
    generation = await active_generation(store, embedder.space)
    if generation is None:
        raise Conflict("the store's vectors were made by another embedder; run `remembrancer admin index reembed`")
    return await _fill(
        units,
        embedder,
        generation,
        scopes=scopes,
        progress=progress,
        limit=limit,
        index_sync=index_sync,
        until=anyio.current_time() + seconds,
    )


async def reembed(
    store: Store,
    units: UnitsOfWork,
    embedder: GuardedEmbedder,
    *,
    progress: Progress = no_progress,
    index_sync: ExternalIndexSync | None = None,
    seconds: float = math.inf,
) -> int:
    """Rebuild all vectors of the store next to the old ones, then switch.

    An interrupted call continues where it stopped; until the switch the old vectors are used.

    Args:
        seconds: the time after which the call stops, to be called again.

    Returns:
        The number of embedded documents.
    """
    generation = await _generation_to_build(store, embedder.space)
    total, until = 0, anyio.current_time() + seconds
    # Memories recorded meanwhile are found by the next round.
    while count := await _fill(
        units, embedder, generation, scopes=await store.scopes(), progress=progress, limit=None, until=until
    ):
        total += count
        if anyio.current_time() >= until:
            return total
    if generation.state is SpaceState.BUILDING:
        await store.switch_generation(generation.number)
    if index_sync is not None:
        # An unavailable index lags until `admin index rebuild`; the store's vectors are used without it.
        with suppress(StoreUnavailable):
            await index_sync.rebuild(no_progress)
    return total


async def missing_count(store: Store, embedder: Embedder) -> int:
    """Return the number of documents without vectors in the embedder's space."""
    active = next((one for one in await store.generations() if one.state is SpaceState.ACTIVE), None)
    generation = active if active and same_space(active.space, embedder.space) else None
    count = 0
    for scope in await store.scopes():
        count += await _missing_in(store, scope, generation.number if generation else -1)
    return count


async def _missing_in(store: Store, scope: Scope, generation: int) -> int:
    async def work(tx: Tx) -> int:
        count = after = 0
        while page := await tx.vectors.missing(generation=generation, limit=1_000, after=after):
            count, after = count + len(page), page[-1].document
        return count

    return await store.read(Caller.engine(scope), work)


async def needs_reembedding(store: Store, space: Space) -> bool:
    """Return True if vectors have to be rebuilt.

    The store's vectors are of another space, or another generation is unfinished.
    """
    generations = await store.generations()
    other = any(one.state is SpaceState.ACTIVE and not same_space(one.space, space) for one in generations)
    return other or _unfinished(generations, space) is not None


def _unfinished(generations: Sequence[Generation], space: Space) -> Generation | None:
    """Return the unfinished generation of a space."""
    building = (one for one in generations if one.state is SpaceState.BUILDING and same_space(one.space, space))
    return next(building, None)


async def _generation_to_build(store: Store, space: Space) -> Generation:
    """Return the unfinished generation of this space, or a new one."""
    generations = await store.generations()
    if unfinished := _unfinished(generations, space):
        return unfinished
    for generation in generations:
        if generation.state is SpaceState.BUILDING:
            await store.drop_generation(generation.number)
    return await store.start_generation(space)


async def _fill(
    units: UnitsOfWork,
    embedder: GuardedEmbedder,
    generation: Generation,
    *,
    scopes: list[Scope],
    progress: Progress,
    limit: int | None,
    index_sync: ExternalIndexSync | None = None,
    until: float = math.inf,
) -> int:
    count, size = 0, _FIRST_BATCH
    for scope in scopes:
        after = 0
        while (limit is None or count < limit) and (not count or anyio.current_time() < until):
            page, previous = await units(scope).read(
                lambda tx, after=after: _missing(tx, generation=generation.number, after=after)
            )
            if not page:
                break
            after = page[-1].document
            passages = _PassageCache(
                records=[item.record for item in page], previous=previous, sign=units(scope).rules.sign
            )
            remaining: list[Unembedded] = page if limit is None else passages.within(page, limit - count)
            while remaining and (not count or anyio.current_time() < until):
                # A long document is written at once, so that an interruption loses little.
                group = passages.within(remaining, size) or remaining[:1]
                added, seconds = await _embed(units, embedder, generation, scope, group, passages, progress, index_sync)
                count += added
                size = min(BATCH_SIZE, next_batch_size(size, seconds))
                remaining = [item for item in remaining if item not in group]
            if limit is not None:
                break
    return count


async def _missing(tx: Tx, *, generation: int, after: int) -> tuple[list[Unembedded], dict[str, Message]]:
    """Return documents without vectors, and the message before each message."""
    page = await tx.vectors.missing(generation=generation, limit=BATCH_SIZE, after=after)
    messages = [item.record for item in page if isinstance(item.record, Message) and item.record.number > 1]
    numbers: dict[str, list[int]] = {}
    for message in messages:
        numbers.setdefault(message.session or "", []).append(message.number - 1)
    messages_by_key: dict[tuple[str, int], Message] = {}
    for session, previous_numbers in numbers.items():
        for first, last in number_ranges(previous_numbers):
            messages_by_key |= {(session, one.number): one for one in await tx.messages.by_number(session, first, last)}
    keys = {message.id: (message.session or "", message.number - 1) for message in messages}
    return page, {id: messages_by_key[key] for id, key in keys.items() if key in messages_by_key}


class _PassageCache:
    """The passages of some records, computed once.

    Args:
        previous: the message before each message, by its id.
    """

    def __init__(self, records: Sequence[Record], previous: Mapping[str, Message], sign: Sign) -> None:
        self._passages = {record.id: passages_of(record, previous.get(record.id), sign=sign) for record in records}

    def passages(self, record: Record) -> list[str]:
        """Return the passages of one of the records."""
        return self._passages[record.id]

    def within(self, page: Sequence[Unembedded], limit: int) -> list[Unembedded]:
        """Return the documents that fit into a number of passages.

        Longer ones are skipped.
        """
        fitting: list[Unembedded] = []
        for item in page:
            count = len(self.passages(item.record))
            if count <= limit:
                limit -= count
                fitting.append(item)
        return fitting


async def _embed(
    units: UnitsOfWork,
    embedder: GuardedEmbedder,
    generation: Generation,
    scope: Scope,
    group: list[Unembedded],
    cache: _PassageCache,
    progress: Progress,
    index_sync: ExternalIndexSync | None,
) -> tuple[int, float]:
    """Embed documents of a scope; return the number of vectors, and the seconds that the embedder needed."""
    passages_of_group = [cache.passages(item.record) for item in group]
    began = anyio.current_time()
    rows = await embedder.documents([text for passages in passages_of_group for text in passages])
    seconds = anyio.current_time() - began
    parts = np.split(rows, np.cumsum([len(passages) for passages in passages_of_group])[:-1])
    rows_by_document = {item.document: part for item, part in zip(group, parts, strict=True)}

    async def write(writer: WriteTransaction) -> dict[int, NDArray[np.float32]]:
        # Documents that were retired meanwhile get no vectors.
        stored = (await writer.tx.documents.headers(list(rows_by_document))).documents.tolist()
        added = {document: rows_by_document[document] for document in stored}
        await writer.put(VectorUpdate(generation=generation.number, vectors=added))
        return added

    added = await units(scope).write_in_thread(write)
    if index_sync is not None:
        await index_sync.put(scope, added, generation=generation)
    progress(len(group))
    return len(added), seconds


async def encode_batches(
    function: Callable[[list[str]], NDArray[np.float32]],
    texts: list[str],
    *,
    dimension: int,
    limiter: anyio.CapacityLimiter | None = None,
) -> NDArray[np.float32]:
    """Return the vectors of texts, in batches of a part of a second each.

    Args:
        limiter: limits threads that a cancelled call leaves behind; without one, the call is waited for.

    Raises:
        ProviderUnavailable: the model failed.
        BadModelOutput: the model did not return a finite row for each text.
    """
    rows: list[NDArray[np.float32]] = []
    batch, index = _FIRST_BATCH, 0
    while index < len(texts) or not rows:
        began = anyio.current_time()
        texts_of_batch = texts[index : index + batch]
        rows.append(
            _check_rows(await _encode_in_thread(function, texts_of_batch, limiter), len(texts_of_batch), dimension)
        )
        index += batch
        batch = next_batch_size(batch, anyio.current_time() - began)
    return np.concatenate(rows)


def next_batch_size(size: int, seconds: float) -> int:
    """Return the size of the next batch, from the time of the last one."""
    if seconds < _SHORT_SECONDS:
        return min(_MAX_BATCH, 2 * size)
    return max(1, size // 2) if seconds > _LONG_SECONDS else size


def _check_rows(rows: object, count: int, dimension: int) -> NDArray[np.float32]:
    """Return the output of an embedder if it is valid.

    Raises:
        BadModelOutput: it is not.
    """
    if not isinstance(rows, np.ndarray):
        raise BadModelOutput(f"the embedder returned {type(rows).__name__} instead of an array")
    array = cast(NDArray[np.float32], rows)
    if array.shape != (count, dimension):
        raise BadModelOutput(f"the embedder returned an array of {array.shape} instead of {(count, dimension)}")
    if array.dtype.kind != "f" or not np.isfinite(array).all():
        raise BadModelOutput("the embedder returned numbers that are not finite")
    return array.astype(np.float32, copy=False)


async def _encode_in_thread(
    encode: Callable[[list[str]], NDArray[np.float32]], texts: list[str], limiter: anyio.CapacityLimiter | None
) -> object:
    """Return the output of an embedder, called in a thread.

    Errors of its own are translated.
    """
    try:
        return await anyio.to_thread.run_sync(encode, texts, abandon_on_cancel=limiter is not None, limiter=limiter)
    except RemembrancerError:
        raise
    except Exception as error:
        raise ProviderUnavailable(f"the embedder failed: {type(error).__name__}") from error
