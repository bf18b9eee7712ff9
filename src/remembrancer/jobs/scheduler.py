"""What is done in the background of an open memory, or by workers of their own.

Nothing here is lost by not being done: what is due is derived from the store, and uses are counts. Leases keep two
processes from the same work at the same time; doing it twice would change nothing.
"""

import logging
import math
import secrets
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import TypeVar

import anyio
import anyio.to_thread
import numpy as np
from numpy.typing import NDArray

from remembrancer.context.cache import Caching
from remembrancer.context.conversations import Distilling
from remembrancer.errors import Conflict, ProviderError, RemembrancerError, StoreError
from remembrancer.jobs.background_tasks import beside
from remembrancer.jobs.maintenance.run import Nightly
from remembrancer.language.passages import passages
from remembrancer.learn.sessions import STALE_AFTER, Summed, close_stale
from remembrancer.learn.summaries import Summariser
from remembrancer.llm.embedder import Embedder
from remembrancer.privacy.erasure import Erasing
from remembrancer.privacy.sharing import Sharing
from remembrancer.search import embedding
from remembrancer.search.background import PROBES, Backgrounds
from remembrancer.search.embedding import Progress, silent
from remembrancer.search.external_index import Mirror
from remembrancer.storage.ports.geometry import unit
from remembrancer.storage.ports.store import Store
from remembrancer.transactions.access_log import Heard, entries_of
from remembrancer.transactions.dependencies import Rules
from remembrancer.transactions.unit_of_work import Desks
from remembrancer.transactions.write import Uses, Writing
from remembrancer.types.caller import Caller
from remembrancer.types.due import Due, Purpose, Thresholds
from remembrancer.types.injection import Injection
from remembrancer.types.savings import Served
from remembrancer.types.scope import Scope
from remembrancer.types.space import Space

EVERY_SECONDS = 10.0
LEASE_SECONDS = 60.0
_HINTS_APART = timedelta(seconds=1)
# Whoever asked for an erasure may still be at it.
_BROKEN_OFF_AFTER = timedelta(hours=1)
# Seconds; what is read meanwhile is written together.
_NOTED_APART = 0.5
# Seconds for which who closes a memory waits to have its reading written down.
_END_SECONDS = 5.0
# So long vectors are made anew at a stretch.
_REEMBEDDING_SECONDS = 5.0
# Questions that an embedder has at a time: one that hangs is not to take every thread there is.
_QUESTIONS_AT_A_TIME = 8
_LOG = logging.getLogger("remembrancer")
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What some background work came to.

    Args:
        embedded: wordings that got vectors.
        closed: sessions that nobody had ended.
        observed: runs of messages that were observed.
        reflected: tokens that logs have fewer.
        nights: nightly runs of scopes.
        failed_nights: those of them in which a step failed.
        shared: insights that were offered to all agents of a project.
    """

    embedded: int = 0
    closed: int = 0
    observed: int = 0
    reflected: int = 0
    nights: int = 0
    failed_nights: int = 0
    shared: int = 0

    def __str__(self) -> str:
        return (
            f"{self.embedded} wordings got vectors, {self.closed} sessions closed, {self.observed} runs of messages"
            f" observed, {self.reflected} tokens of logs spared"
            f"{f', {self.shared} insights shared' if self.shared else ''}"
            f"{f', {self.nights} nightly runs' if self.nights else ''}"
            f"{f', {self.failed_nights} of them with a step that failed' if self.failed_nights else ''}"
        )

    def __add__(self, other: "Done") -> "Done":
        return Done(
            embedded=self.embedded + other.embedded,
            closed=self.closed + other.closed,
            observed=self.observed + other.observed,
            reflected=self.reflected + other.reflected,
            nights=self.nights + other.nights,
            failed_nights=self.failed_nights + other.failed_nights,
            shared=self.shared + other.shared,
        )


class Sweep:
    """The background of one open store: shared by every scope's `Memory` over it.

    Args:
        seconds: between two looks at what is due; at least so often everything is looked for.
        lease_seconds: how long work stays with a process that has died.
        embed_on_write: whether a fast embedder makes the vectors of what is written at once.
        caching: the vectors of questions that were asked a moment ago, and what else is to be let go of when something
            is erased.
        mirror: the outside vector index, where there is one.
        priced: says what blocks would have cost.
        nightly: what is done at night, where it is.
        sharing: offers what agents have in common, where that is wanted.
        summarising: says what sessions came to that nobody has ended, where a model is asked.
        hearing: whether the audit log says who was told of which memories.
        earlier: makes the embedder of a space that the store was filled in before; `None` where it is not to be had.
    """

    def __init__(
        self,
        store: Store,
        desk: Desks,
        embedder: Embedder | None,
        rules: Rules,
        distilling: Distilling,
        caching: Caching,
        *,
        seconds: float = EVERY_SECONDS,
        lease_seconds: float = LEASE_SECONDS,
        embed_on_write: bool = True,
        mirror: Mirror | None = None,
        priced: Callable[[list[Served]], Awaitable[list[Served]]] | None = None,
        nightly: Nightly | None = None,
        sharing: Sharing | None = None,
        summarising: Summariser | None = None,
        hearing: bool = True,
        earlier: Callable[[Space], Embedder | None] = lambda _: None,
    ) -> None:
        self._store = store
        self._desk = desk
        self._embed_on_write = embed_on_write
        self._embedder = embedder
        self._asked = None if embedder is None else embedding.asked_embedder(embedder, store, rules.clock)
        self._rules = rules
        self._distilling = distilling
        self._caching = caching
        self._seconds = seconds
        self._lease_seconds = lease_seconds
        self.mirror = mirror
        self.nightly = nightly
        self._summarising = summarising
        self._holder = secrets.token_hex(8)
        self._noted = anyio.Event()
        self._flushing = anyio.Lock()
        self._earlier = earlier
        self._askers: dict[Space, embedding.AskedEmbedder | None] = {}
        self._probes: dict[Space, NDArray[np.float32]] = {}
        self.backgrounds = Backgrounds()
        self._questioners = anyio.CapacityLimiter(_QUESTIONS_AT_A_TIME)
        self._priced = priced
        self._sharing = sharing
        self._hearing = hearing
        self._heard: dict[Scope, list[Heard]] = {}
        self._injected: dict[Scope, list[Injection]] = {}
        self._served: dict[Scope, list[Served]] = {}
        self._reads: dict[Scope, tuple[Counter[str], datetime]] = {}
        self._awake = anyio.Event()
        self._running = False
        self._unwritten: tuple[Exception, float] | None = None
        self._hinted_at: datetime | None = None
        self.scrub_due = False

    async def wake(self) -> None:
        """Something was written; a hint, the clock is the guarantee."""
        self._awake.set()
        now = self._rules.clock.now()
        if not self._running and (self._hinted_at is None or now - self._hinted_at >= _HINTS_APART):
            self._hinted_at = now
            with suppress(RemembrancerError):
                await self._store.hint()

    async def follow(self, done: Writing) -> None:
        """What follows a caller's write: what it took out leaves index and caches, what came gets its vectors.

        A fast embedder makes them at once, a slow one in the background.
        """
        if self.mirror is not None:
            await self.mirror.follow(done)
        if done.erased:
            await self._caching.forget(done.tx.scope.tenant)
        if not done.changed:
            if done.imported:
                await self.wake()
            return
        if self._embedder is not None and self._embedder.fast and self._embed_on_write:
            try:
                await self.embed([done.tx.scope])
            except ProviderError:
                await self.wake()
        else:
            await self.wake()

    def note_read(self, scope: Scope, ids: list[str]) -> None:
        """Remember that these were recalled, to be counted in a batch."""
        uses, _ = self._reads.get(scope, (Counter[str](), None))
        uses.update(ids)
        self._reads[scope] = (uses, self._rules.clock.now())
        self._noted.set()

    def note_heard(self, caller: Caller, by: str, ids: Sequence[str]) -> None:
        """Remember that a caller was told of memories, for the audit log; to be written down in a batch."""
        if self._hearing:
            heard = Heard(caller=caller, by=by, ids=tuple(ids), at=self._rules.clock.now())
            self._heard.setdefault(caller.scope, []).append(heard)
            self._noted.set()

    def note_injected(self, scope: Scope, injection: Injection) -> None:
        """Remember what was put before an agent, to be written down in a batch."""
        if injection.records:
            self._injected.setdefault(scope, []).append(injection)
            self._noted.set()

    def note_served(self, scope: Scope, served: Served) -> None:
        """Remember how long a block was that was served, to be written down in a batch."""
        self._served.setdefault(scope, []).append(served)
        self._rules.meter.served(scope, served)
        self._noted.set()

    async def noting(self) -> None:
        """Write down what is read and served as it comes, until cancelled: others are to know of it within a second.

        No answer waits for that, and none fails with it; what cannot be written is tried again.
        """
        while True:
            await self._noted.wait()
            self._noted = anyio.Event()
            pause = _NOTED_APART
            try:
                # What was begun is written to its end, or it would be counted twice.
                with anyio.CancelScope(shield=True):
                    await self.flush()
                self._unwritten = None
            except Exception as error:
                self._unwritten = error, anyio.current_time()
                pause = self._seconds
                self._noted.set()
                _LOG.debug("what was read could not be written down, and is tried again", exc_info=error)
            await anyio.sleep(pause)

    async def end(self) -> None:
        """Write down what is left; what cannot be written is lost, and said: no reader's answer fails with it."""
        try:
            if self._unwritten and anyio.current_time() - self._unwritten[1] < _NOTED_APART:
                raise self._unwritten[0]
            with anyio.fail_after(_END_SECONDS):
                await self.flush()
        except (StoreError, TimeoutError) as error:
            told = str(error) or "the database is busy"
            _LOG.warning("what was read last is not counted: %s", told)

    async def run(self) -> None:
        """Sweep until cancelled; a failure is met with the next round, and logged when it is another than before."""
        self._running = True
        failure = ""
        try:
            while True:
                # Where the store or the model is away, what is due stays due; a fault of ours closes nobody's memory.
                try:
                    await self.once()
                    failure = ""
                except Exception as error:
                    told = str(error) if isinstance(error, RemembrancerError) else type(error).__name__
                    if told != failure:
                        failure = told
                        _LOG.warning("background work failed, and is tried again: %s", failure)
                        _LOG.debug("background work failed", exc_info=error)
                with anyio.move_on_after(self._seconds):
                    await self._awake.wait()
                self._awake = anyio.Event()
        finally:
            self._running = False

    async def once(self) -> Done:
        """One round: count the reads, do all that is due."""
        await self.flush()
        if self.scrub_due:
            self.scrub_due = not await self._store.scrub()
        if self.mirror is not None:
            await self.mirror.settle()
        done, failures = Done(), list[RemembrancerError]()
        for due in await self.due():
            try:
                done += await self.do(due)
            except RemembrancerError as error:
                failures.append(error)
        if failures:
            raise failures[0]
        return done

    async def due(self) -> list[Due]:
        """What every tenant has waiting that can be done here."""
        waiting = await self._store.due(self._limits())
        if self._embedder is None:
            waiting = [due for due in waiting if due.purpose is not Purpose.EMBED]
        elif await embedding.outdated(self._store, self._embedder.space):
            waiting = [*waiting, Due(tenant="", purpose=Purpose.REEMBED)]
        self._rules.meter.waiting(waiting)
        return waiting

    async def do(self, due: Due) -> Done:
        """Do what a tenant has waiting, apart from what another process has a lease on."""
        began, failed = anyio.current_time(), True
        try:
            done = await self._do(due)
            failed = False
            return done
        finally:
            self._rules.meter.worked(due.purpose, seconds=anyio.current_time() - began, failed=failed)

    async def _do(self, due: Due) -> Done:
        match due.purpose:
            case Purpose.EMBED:
                return Done(embedded=await self._embed_waiting(due))
            case Purpose.STALE_SESSIONS:
                return Done(closed=await self._close_stale(due))
            case Purpose.OBSERVE:
                return Done(observed=await self._distil(due, self._distilling.ahead))
            case Purpose.REFLECT:
                scopes = await self._store.waiting(due, self._limits())
                reflected = await self._distil(due, self._distilling.reflect)
                return Done(reflected=reflected, shared=await self.share(scopes))
            case Purpose.NIGHTLY:
                failed: list[Scope] = []
                nights = await self._distil(due, partial(self._night, failed=failed))
                return Done(nights=nights, failed_nights=len(failed))
            case Purpose.REEMBED:
                made = await self.reembed(seconds=_REEMBEDDING_SECONDS)
                if made:
                    # What else is due comes in between.
                    self._awake.set()
                return Done(embedded=made or 0)

    async def _night(self, scope: Scope, *, failed: list[Scope]) -> int:
        if self.nightly is None or not await self.nightly.due(scope):
            return 0
        # Where another process is at it, it is done all the same.
        with suppress(Conflict):
            night = await self.nightly.run(scope)
            failed += [scope] if night.failures else []
        if scope == Scope(tenant=scope.tenant):
            erasing = Erasing(
                store=self._store,
                rules=self._rules,
                caching=self._caching,
                mirror=self.mirror,
                at=self._desk,
                desk=self._desk(scope),
            )
            await erasing.end_broken_off(begun_before=self._rules.clock.now() - _BROKEN_OFF_AFTER)
        # What was over its grace leaves the journal, too.
        self.scrub_due = True
        return 1

    def _limits(self) -> Thresholds:
        window = self._distilling.least()
        return Thresholds(
            stale_before=self._rules.clock.now() - STALE_AFTER,
            chunk_tokens=window.chunk_tokens,
            by_scope=window.by_scope,
            log_tokens=window.observations,
            fresh_tokens=window.fresh_tokens,
            night=self.nightly.latest().isoformat() if self.nightly else "",
        )

    async def reembed(
        self, *, progress: Progress = silent, by_hand: bool = False, seconds: float = math.inf
    ) -> int | None:
        """Build the vectors of the whole store anew, or go on with it; `None` where another process is at it.

        Args:
            by_hand: whether a person wants it, who is told what becomes of it.
            seconds: after so long it stops for now.
        """
        if self._asked is None:
            return None
        asked = replace(self._asked, by_hand=by_hand)
        async with self._leased("reembed") as held:
            if not held:
                return None
            return await embedding.reembed(
                self._store, self._desk, asked, progress=progress, mirror=self.mirror, seconds=seconds
            )

    async def _embed_waiting(self, due: Due) -> int:
        made = 0
        for scope in await self._store.waiting(due, self._limits()):
            async with self._leased(f"embed {scope}") as held:
                made += await self.embed([scope]) if held else 0
        return made

    async def _distil(self, due: Due, work: Callable[[Scope], Awaitable[int]]) -> int:
        """Do some work in each scope that waits for it; where it fails in one, the others are done all the same.

        Raises:
            RemembrancerError: it failed somewhere; what was done elsewhere stays.
        """
        done, failures = 0, list[tuple[Scope, Exception]]()
        for scope in await self._store.waiting(due, self._limits()):
            try:
                async with self._leased(f"{due.purpose} {scope}") as held:
                    done += await work(scope) if held else 0
            except Exception as error:
                # Also a fault of ours: what one scope holds is not to stop the work of all.
                failures.append((scope, error))
        for scope, error in failures:
            if isinstance(error, RemembrancerError):
                raise error
            raise RemembrancerError(
                f"{due.purpose} failed in {len(failures)} scopes, first in {scope}: {type(error).__name__}"
            ) from error
        return done

    async def share(self, scopes: Sequence[Scope]) -> int:
        """Offer what agents have in common to the projects of some scopes; how many insights were offered."""
        if self._sharing is None:
            return 0
        shared = 0
        for project in dict.fromkeys(Scope(tenant=scope.tenant, project=scope.project) for scope in scopes):
            async with self._leased(f"share {project}") as held:
                shared += await self._sharing.share(project) if held else 0
        return shared

    async def _close_stale(self, due: Due) -> int:
        closed = 0
        for scope in await self._store.waiting(due, self._limits()):
            summed = await self._summed(scope)
            async with self._desk(scope).write() as writing:
                stale = await close_stale(writing, summed=summed)
            for session in stale:
                await self._distilling.ended(scope, session)
            closed += len(stale)
        return closed

    async def _summed(self, scope: Scope) -> dict[str, Summed]:
        """What a model says that the sessions of a scope came to which nobody has ended."""
        if self._summarising is None:
            return {}
        before = self._limits().stale_before
        found = await self._desk(scope).read(lambda tx: tx.sessions.stale(before=before))
        told = {session.id: await self._summarising.of(scope, session.id) for session in found}
        return {id: one for id, one in told.items() if one is not None}

    @asynccontextmanager
    async def _leased(self, work: str) -> AsyncGenerator[bool, None]:
        """A block in which nobody else does the work, renewed while it lasts; whether it was to be had."""
        name = self._store.sign(work)
        if not await self._store.lease(name, holder=self._holder, seconds=self._lease_seconds):
            yield False
            return
        self._rules.meter.leased(1)
        try:
            async with beside(partial(self._renewing, name)):
                yield True
        finally:
            self._rules.meter.leased(-1)
            with anyio.CancelScope(shield=True), suppress(RemembrancerError):
                await self._store.release(name, holder=self._holder)

    async def _renewing(self, name: str) -> None:
        while True:
            await anyio.sleep(self._lease_seconds / 3)
            with suppress(RemembrancerError):
                await self._store.lease(name, holder=self._holder, seconds=self._lease_seconds)

    async def flush(self) -> None:
        """Write down what was read since the last time; where the store is away, the next time takes it along."""
        # Who comes second waits until what the first one took is written.
        async with self._flushing:
            await _drained(self._heard, self._write_heard)
            await _drained(self._injected, self._write_injected)
            await _drained(self._served, self._write_served)
            for scope in list(self._reads):
                uses, at = self._reads.pop(scope)
                try:
                    await self._count(scope, uses, at)
                except BaseException:
                    uses.update(self._reads.get(scope, (Counter[str](), at))[0])
                    self._reads[scope] = (uses, at)
                    raise

    async def _write_heard(self, scope: Scope, heard: list[Heard]) -> None:
        by_caller: dict[tuple[str, str], list[Heard]] = {}
        for one in heard:
            by_caller.setdefault((one.caller.actor, one.caller.door), []).append(one)
        # Who only looks makes no scope: what was told is a wider one's, or one's beneath.
        there = await self._store.scopes()
        kept = next((one for one in scope.visible() if one in there), scope if any(one.ids for one in heard) else None)
        if kept is None:
            return
        for alike in by_caller.values():
            async with self._desk(kept).on_behalf(alike[0].caller).write() as writing:
                writing.heard(entries_of(alike))
            # Where the next one cannot be written, these are not written again.
            heard[:] = [one for one in heard if one not in alike]

    async def _write_injected(self, scope: Scope, injections: list[Injection]) -> None:
        async with self._desk(scope).write() as writing:
            ids = {id for injection in injections for id in injection.records}
            # What was erased meanwhile is named by nothing any more.
            there = await writing.tx.records.staying(sorted(ids))
            kept = (replace(one, records=tuple(id for id in one.records if id in there)) for one in injections)
            await writing.note(*(one for one in kept if one.records))

    async def _write_served(self, scope: Scope, served: list[Served]) -> None:
        blocks = await self._priced(served) if self._priced else served
        async with self._desk(scope).write() as writing:
            await writing.note(*blocks)

    async def embed(self, scopes: list[Scope], *, most: int | None = None) -> int:
        """Make missing vectors in some scopes; 0 where the store's vectors are of another space."""
        if self._asked is None or await embedding.active_generation(self._store, self._asked.space) is None:
            return 0
        return await embedding.embed_missing(
            self._store, self._desk, self._asked, scopes=scopes, most=most, mirror=self.mirror
        )

    async def asker(self, space: Space) -> embedding.AskedEmbedder | None:
        """What makes the vectors of a space: the embedder, or the one that filled the store before it was chosen."""
        if self._asked is not None and embedding.same_space(self._asked.space, space):
            return self._asked
        if space not in self._askers:
            with suppress(ProviderError):
                earlier = await anyio.to_thread.run_sync(self._earlier, space)
                self._askers[space] = (
                    embedding.asked_embedder(earlier, self._store, self._rules.clock) if earlier else None
                )
        return self._askers.get(space)

    async def probes(self, asker: embedding.AskedEmbedder) -> NDArray[np.float32] | None:
        """The vectors of the questions that measure the background of a scope; `None` where none can be made."""
        if asker.space not in self._probes:
            with suppress(ProviderError):
                self._probes[asker.space] = await asker.queries(list(PROBES), limiter=self._questioners)
        return self._probes.get(asker.space)

    async def question(self, caller: Caller, text: str, asker: embedding.AskedEmbedder) -> NDArray[np.float32] | None:
        """The vector of a question, from the cache where the caller asked it before; `None` for a blank one.

        It may be given up at any time, also where the embedder blocks.

        Raises:
            ProviderUnavailable: the model failed, or is left alone since it fails again and again.
        """
        if not text.strip():
            return None
        key = self._caching.key(caller, "vector", asker.space, text)
        found = await self._caching.vector(key)
        if found is not None:
            return found
        # A model's time grows with the square of a text's length: a long question is the mean of its pieces.
        rows = await asker.queries(passages(text), limiter=self._questioners)
        vector = unit(rows.mean(axis=0, keepdims=True))[0]
        await self._caching.keep_vector(key, vector)
        return vector

    async def _count(self, scope: Scope, uses: Counter[str], at: datetime) -> None:
        async with self._desk(scope).write() as writing:
            await writing.note(Uses(of=dict(uses), at=at))


async def _drained(waiting: dict[Scope, list[T]], write: Callable[[Scope, list[T]], Awaitable[None]]) -> None:
    """Write down what waits, scope by scope; what cannot be written waits on, in its order."""
    for scope in list(waiting):
        batch = waiting.pop(scope)
        try:
            await write(scope, batch)
        except BaseException:
            waiting[scope] = batch + waiting.get(scope, [])
            raise
