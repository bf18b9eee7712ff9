"""Vectors for what has none yet, and for everything when the model changes: read, think, write.

The model is asked between two transactions, never within one.
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
from remembrancer.llm.breaker import Breakers, Leave
from remembrancer.llm.embedder import Embedder
from remembrancer.search.external_index import ExternalIndexSync
from remembrancer.storage.base import Store
from remembrancer.storage.documents import Unembedded
from remembrancer.storage.tx import Tx
from remembrancer.transactions.dependencies import Clock
from remembrancer.transactions.documents import number_ranges, passages_of
from remembrancer.transactions.sealed_blocks import Sign
from remembrancer.transactions.side_rows import DocumentVectors
from remembrancer.transactions.unit_of_work import UnitsOfWork
from remembrancer.transactions.write_transaction import WriteTransaction
from remembrancer.types.access import Caller
from remembrancer.types.calls import CallPurpose
from remembrancer.types.index import Generation, Space, SpaceState
from remembrancer.types.jobs import Purpose, Thresholds
from remembrancer.types.record import Message, Record
from remembrancer.types.scope import Scope

BATCH = 32
# A thread cannot be cancelled: what a model is given at once is what a caller who is cancelled waits for.
_FIRST_STEP = 4
_LONGEST_STEP = 256
_SHORT_SECONDS = 0.2
_LONG_SECONDS = 0.6
# So long one question that tries an embedder may take.
_TRIAL_SECONDS = 120.0
# So long a question waits at most for a store that another has locked, to write down how the embedder did.
_KEEPING_SECONDS = 1.0
Progress = Callable[[int], None]


def silent(_count: int) -> None:
    """No progress shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedEmbedder:
    """An embedder as it is asked: one that fails again and again is left alone for a while (see `model.breaker`).

    Args:
        by_hand: whether a person has it asked, who is told what becomes of it.
    """

    embedder: Embedder
    breakers: Breakers
    by_hand: bool = False

    @property
    def space(self) -> Space:
        """Which vectors it makes."""
        return self.embedder.space

    async def documents(self, texts: list[str]) -> NDArray[np.float32]:
        """The vectors of texts, made off the event loop.

        Raises:
            ProviderUnavailable: the model failed, in whatever way, or is left alone.
            BadModelOutput: it returned something else than a finite row for each text.
        """
        return await self._let(self.embedder.documents, texts, None)

    async def queries(self, texts: list[str], *, limiter: anyio.CapacityLimiter) -> NDArray[np.float32]:
        """The vectors of questions; given up at any time, it leaves its thread behind.

        Raises:
            ProviderUnavailable: the model failed, in whatever way, or is left alone.
            BadModelOutput: it returned something else than a finite row for each text.
        """
        return await self._let(self.embedder.queries, texts, limiter)

    async def _let(
        self,
        encode: Callable[[list[str]], NDArray[np.float32]],
        texts: list[str],
        limiter: anyio.CapacityLimiter | None,
    ) -> NDArray[np.float32]:
        leave = await self._leave()
        try:
            rows = await asked(encode, texts, dimension=self.space.dimension, limiter=limiter)
        except (ProviderUnavailable, BadModelOutput) as error:
            await _kept(self.breakers.failed(leave, error))
            raise
        except anyio.get_cancelled_exc_class():
            # Who gave it up was in a hurry: the next one may try it.
            with anyio.CancelScope(shield=True):
                await _kept(self.breakers.unused(leave))
            raise
        await _kept(self.breakers.worked(leave))
        return rows

    async def _leave(self) -> Leave:
        """Leave to ask the model, also where nothing can be written of that."""
        leave = Leave(model=self.space.name, purpose=CallPurpose.EMBED, known=None, trial=False)
        with anyio.move_on_after(_KEEPING_SECONDS), suppress(StoreError):
            leave = await self.breakers.leave(self.space.name, CallPurpose.EMBED, by_hand=self.by_hand)
        return leave


async def _kept(keeping: Coroutine[object, object, None]) -> None:
    """Write down how a model did, unless the store takes no writes now: a question does not fail for that."""
    with anyio.move_on_after(_KEEPING_SECONDS), suppress(StoreError):
        await keeping


def asked_embedder(embedder: Embedder, store: Store, clock: Clock, *, by_hand: bool = False) -> AskedEmbedder:
    """An embedder with the breakers of a store."""
    breakers = Breakers(store, clock.now, random.random, trial_seconds=_TRIAL_SECONDS)
    return AskedEmbedder(embedder=embedder, breakers=breakers, by_hand=by_hand)


async def unembedded_scopes(store: Store) -> list[Scope]:
    """The exact scopes of every tenant that hold a wording without vectors in the active generation."""
    limits = Thresholds(stale_before=datetime.min.replace(tzinfo=UTC))
    waiting = [due for due in await store.due(limits) if due.purpose is Purpose.EMBED]
    return [scope for due in waiting for scope in await store.waiting(due, limits)]


async def active_generation(store: Store, space: Space) -> Generation | None:
    """The generation that serves, made where there is none; `None` where the store's vectors are of another space."""
    found = next((found for found in await store.generations() if found.state is SpaceState.ACTIVE), None)
    active = found or await store.serving_generation(space)
    return active if same_space(active.space, space) else None


def same_space(one: Space, other: Space) -> bool:
    """Whether vectors of the two may be compared."""
    return (one.name, one.version, one.dimension) == (other.name, other.version, other.dimension)


async def embed_missing(
    store: Store,
    units: UnitsOfWork,
    embedder: AskedEmbedder,
    *,
    scopes: list[Scope],
    progress: Progress = silent,
    most: int | None = None,
    index_sync: ExternalIndexSync | None = None,
) -> int:
    """Make the vectors that are missing in some scopes; how many wordings got theirs.

    Args:
        most: passages, for who has no time: what is longer waits for the next round; `None` goes on to the end.
        mirror: the outside index that gets them too, where it can be reached.

    Raises:
        ProviderUnavailable: the model failed; what was done so far stays.
        Conflict: the store's vectors are of another space.
    """
    generation = await active_generation(store, embedder.space)
    if generation is None:
        raise Conflict("the store's vectors were made by another embedder; run `remembrancer admin index reembed`")
    return await _fill(units, embedder, generation, scopes=scopes, progress=progress, most=most, index_sync=index_sync)


async def reembed(
    store: Store,
    units: UnitsOfWork,
    embedder: AskedEmbedder,
    *,
    progress: Progress = silent,
    index_sync: ExternalIndexSync | None = None,
    seconds: float = math.inf,
) -> int:
    """Build the vectors of the whole store anew beside the old ones, then switch over; how many were made.

    Interrupted, it goes on where it was; until the switch the old vectors serve.

    Args:
        seconds: after so long it stops for now, and is to be called again.
    """
    generation = await _building(store, embedder.space)
    made, until = 0, anyio.current_time() + seconds
    # What is recorded while this runs is found by the next round.
    while more := await _fill(
        units, embedder, generation, scopes=await store.scopes(), progress=progress, most=None, until=until
    ):
        made += more
        if anyio.current_time() >= until:
            return made
    if generation.state is SpaceState.BUILDING:
        await store.switch_generation(generation.number)
    if index_sync is not None:
        # An index that is away lags until `admin index rebuild`; the vectors serve without it.
        with suppress(StoreUnavailable):
            await index_sync.rebuild(silent)
    return made


async def missing_count(store: Store, embedder: Embedder) -> int:
    """How many wordings of the store have no vectors in the embedder's space."""
    serving = next((found for found in await store.generations() if found.state is SpaceState.ACTIVE), None)
    generation = serving if serving and same_space(serving.space, embedder.space) else None
    count = 0
    for scope in await store.scopes():
        count += await _missing_in(store, scope, generation.number if generation else -1)
    return count


async def _missing_in(store: Store, scope: Scope, generation: int) -> int:
    async def work(tx: Tx) -> int:
        count = after = 0
        while found := await tx.vectors.missing(generation=generation, limit=1_000, after=after):
            count, after = count + len(found), found[-1].document
        return count

    return await store.read(Caller.engine(scope), work)


async def outdated(store: Store, space: Space) -> bool:
    """Whether vectors are to be made anew: the store's are of another space, or another generation is half-built."""
    known = await store.generations()
    other = any(one.state is SpaceState.ACTIVE and not same_space(one.space, space) for one in known)
    return other or _half_built(known, space) is not None


def _half_built(known: Sequence[Generation], space: Space) -> Generation | None:
    """The generation of a space that is being built, or was left half-built."""
    building = (one for one in known if one.state is SpaceState.BUILDING and same_space(one.space, space))
    return next(building, None)


async def _building(store: Store, space: Space) -> Generation:
    """The generation to build: a half-built one of this space, else a fresh one beside the one that serves."""
    known = await store.generations()
    if found := _half_built(known, space):
        return found
    for generation in known:
        if generation.state is SpaceState.BUILDING:
            await store.drop_generation(generation.number)
    return await store.start_generation(space)


async def _fill(
    units: UnitsOfWork,
    embedder: AskedEmbedder,
    generation: Generation,
    *,
    scopes: list[Scope],
    progress: Progress,
    most: int | None,
    index_sync: ExternalIndexSync | None = None,
    until: float = math.inf,
) -> int:
    made = 0
    for scope in scopes:
        after = 0
        while (most is None or made < most) and (not made or anyio.current_time() < until):
            found, before = await units(scope).read(
                lambda tx, after=after: _missing(tx, generation=generation.number, after=after)
            )
            if not found:
                break
            after = found[-1].document
            worded = _Worded(of=[item.record for item in found], before=before, sign=units(scope).rules.sign)
            waiting: list[Unembedded] = found if most is None else worded.within(found, most - made)
            while waiting:
                # What is long is written at once, so that who is broken off has lost little.
                group = worded.within(waiting, BATCH) or waiting[:1]
                made += await _embed(units, embedder, generation, scope, group, worded, progress, index_sync)
                waiting = [item for item in waiting if item not in group]
            if most is not None:
                break
    return made


async def _missing(tx: Tx, *, generation: int, after: int) -> tuple[list[Unembedded], dict[str, Message]]:
    """Some wordings without vectors, and by id of each message the one before it in its session."""
    found = await tx.vectors.missing(generation=generation, limit=BATCH, after=after)
    messages = [item.record for item in found if isinstance(item.record, Message) and item.record.number > 1]
    numbers: dict[str, list[int]] = {}
    for message in messages:
        numbers.setdefault(message.session or "", []).append(message.number - 1)
    known: dict[tuple[str, int], Message] = {}
    for session, wanted in numbers.items():
        for first, last in number_ranges(wanted):
            known |= {(session, one.number): one for one in await tx.messages.by_number(session, first, last)}
    places = {message.id: (message.session or "", message.number - 1) for message in messages}
    return found, {id: known[place] for id, place in places.items() if place in known}


class _Worded:
    """The passages of some records, worded once.

    Args:
        before: by id of a message, the one before it in its session.
    """

    def __init__(self, of: Sequence[Record], before: Mapping[str, Message], sign: Sign) -> None:
        self._passages = {record.id: passages_of(record, before.get(record.id), sign=sign) for record in of}

    def of(self, record: Record) -> list[str]:
        """The passages of one of the records."""
        return self._passages[record.id]

    def within(self, found: Sequence[Unembedded], most: int) -> list[Unembedded]:
        """The wordings that have so few passages together, in their order; those that are too long are left out."""
        fitting: list[Unembedded] = []
        for item in found:
            count = len(self.of(item.record))
            if count <= most:
                most -= count
                fitting.append(item)
        return fitting


async def _embed(
    units: UnitsOfWork,
    embedder: AskedEmbedder,
    generation: Generation,
    scope: Scope,
    found: list[Unembedded],
    worded: _Worded,
    progress: Progress,
    index_sync: ExternalIndexSync | None,
) -> int:
    pieces = [worded.of(item.record) for item in found]
    rows = await embedder.documents([piece for group in pieces for piece in group])
    parts = np.split(rows, np.cumsum([len(group) for group in pieces])[:-1])
    made = {item.document: part for item, part in zip(found, parts, strict=True)}

    async def written(writer: WriteTransaction) -> dict[int, NDArray[np.float32]]:
        # What was retired in the meantime gets none.
        standing = (await writer.tx.wordings.headers(list(made))).documents.tolist()
        added = {document: made[document] for document in standing}
        await writer.put(DocumentVectors(generation=generation.number, vectors=added))
        return added

    added = await units(scope).write_in_thread(written)
    if index_sync is not None:
        await index_sync.put(scope, added, generation=generation)
    progress(len(found))
    return len(added)


async def asked(
    encode: Callable[[list[str]], NDArray[np.float32]],
    texts: list[str],
    *,
    dimension: int,
    limiter: anyio.CapacityLimiter | None = None,
) -> NDArray[np.float32]:
    """What an embedder makes of texts, some at a time: who is cancelled waits for a part of a second, not for all.

    Args:
        limiter: of threads that may be left behind where nobody waits any more; without one, the call is waited for.

    Raises:
        ProviderUnavailable: the model failed, in whatever way.
        BadModelOutput: it returned something else than a finite row for each text.
    """
    rows: list[NDArray[np.float32]] = []
    step, at = _FIRST_STEP, 0
    while at < len(texts) or not rows:
        began = anyio.current_time()
        some = texts[at : at + step]
        rows.append(_whole(await _encoded(encode, some, limiter), len(some), dimension))
        at += step
        step = paced(step, anyio.current_time() - began)
    return np.concatenate(rows)


def paced(step: int, seconds: float) -> int:
    """How many texts a model is given next, after it took so long for the last ones: more where it is quick."""
    if seconds < _SHORT_SECONDS:
        return min(_LONGEST_STEP, 2 * step)
    return max(1, step // 2) if seconds > _LONG_SECONDS else step


def _whole(rows: object, count: int, dimension: int) -> NDArray[np.float32]:
    """What an embedder returned, where it is what it has to be."""
    if not isinstance(rows, np.ndarray):
        raise BadModelOutput(f"the embedder returned {type(rows).__name__} instead of an array")
    array = cast(NDArray[np.float32], rows)
    if array.shape != (count, dimension):
        raise BadModelOutput(f"the embedder returned an array of {array.shape} instead of {(count, dimension)}")
    if array.dtype.kind != "f" or not np.isfinite(array).all():
        raise BadModelOutput("the embedder returned something else than finite numbers")
    return array.astype(np.float32, copy=False)


async def _encoded(
    encode: Callable[[list[str]], NDArray[np.float32]], texts: list[str], limiter: anyio.CapacityLimiter | None
) -> object:
    """What an embedder makes of texts; a failure of its own kind becomes one of ours."""
    try:
        return await anyio.to_thread.run_sync(encode, texts, abandon_on_cancel=limiter is not None, limiter=limiter)
    except RemembrancerError:
        raise
    except Exception as error:
        raise ProviderUnavailable(f"the embedder failed: {type(error).__name__}") from error
