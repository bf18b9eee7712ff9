"""The background worker of an open store.

Nothing is lost when it does not run: what is due is derived from the store. Leases keep two processes from doing the
same work at the same time; doing it twice would change nothing.
"""

import logging
import math
import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from functools import partial

import anyio

from remembrancer.context.cache import ContextCache
from remembrancer.context.conversations import ConversationService
from remembrancer.errors import Conflict, ProviderError, RemembrancerError
from remembrancer.jobs.access_log import AccessLog
from remembrancer.jobs.background_tasks import run_in_background
from remembrancer.jobs.embeddings import EmbeddingService
from remembrancer.jobs.maintenance.runner import MaintenanceRunner
from remembrancer.learn.sessions import STALE_AFTER, Summed, close_stale
from remembrancer.learn.summaries import Summariser
from remembrancer.privacy.erasure import Eraser
from remembrancer.privacy.insights import InsightSharing
from remembrancer.search.embedding import Progress, no_progress
from remembrancer.storage.base import Store
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.transactions.unit_of_work import UnitsOfWork
from remembrancer.transactions.write_transaction import WriteTransaction
from remembrancer.types.jobs import DueWork, Purpose, Thresholds
from remembrancer.types.scope import Scope

POLL_SECONDS = 10.0
LEASE_SECONDS = 60.0
_HINT_INTERVAL = timedelta(seconds=1)
# A younger erasure may still be running in the process that started it.
_INTERRUPTED_AFTER = timedelta(hours=1)
# Seconds of making vectors before other work gets its turn, or a write ends: what waited before it is embedded as well.
_EMBED_SECONDS = 5.0
_LOG = logging.getLogger("remembrancer")


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkSummary:
    """Counts of background work.

    Args:
        embedded: documents that got vectors.
        closed: sessions that were closed because they were stale.
        observed: runs of messages that were observed.
        reflected: tokens that reflection saved in logs.
        nights: maintenance runs of scopes.
        failed_nights: maintenance runs in which a step failed.
        shared: insights that were offered to all agents of a project.
        unfinished: items that stopped for now so that others have their turn, and are due again.
    """

    embedded: int = 0
    closed: int = 0
    observed: int = 0
    reflected: int = 0
    nights: int = 0
    failed_nights: int = 0
    shared: int = 0
    unfinished: int = 0

    def __str__(self) -> str:
        counts = {
            "documents embedded": self.embedded,
            "sessions closed": self.closed,
            "runs of messages observed": self.observed,
            "tokens of logs saved": self.reflected,
            "insights shared": self.shared,
            "nightly runs": self.nights,
            "of them with a failed step": self.failed_nights,
        }
        return ", ".join(f"{label}: {count}" for label, count in counts.items() if count) or "nothing was due"

    def __add__(self, other: "WorkSummary") -> "WorkSummary":
        return WorkSummary(**{one.name: getattr(self, one.name) + getattr(other, one.name) for one in fields(self)})


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerOptions:
    """Options of a background worker.

    Args:
        seconds: maximum time between two polls.
        lease_seconds: time after which the work of a dead process is done by another.
        embed_on_write: whether a fast embedder makes vectors at the end of each write.
        maintenance: `None` if the nightly maintenance is off.
        sharing: `None` if insights are not shared between agents.
        summaries: summarises stale sessions before they are closed.
    """

    seconds: float = POLL_SECONDS
    lease_seconds: float = LEASE_SECONDS
    embed_on_write: bool = True
    maintenance: MaintenanceRunner | None = None
    sharing: InsightSharing | None = None
    summaries: Summariser | None = None


class BackgroundWorker:
    """The background work of one open store, shared by the memories of all scopes.

    Args:
        cache: is cleared of a tenant when something of it is erased.

    Attributes:
        scrub_due: whether the journals of the store still contain deleted data.
    """

    def __init__(
        self,
        store: Store,
        units: UnitsOfWork,
        rules: Dependencies,
        *,
        conversations: ConversationService,
        cache: ContextCache,
        embeddings: EmbeddingService,
        access_log: AccessLog,
        options: WorkerOptions | None = None,
    ) -> None:
        self._store = store
        self._units = units
        self._rules = rules
        self._conversations = conversations
        self._cache = cache
        self._options = options or WorkerOptions()
        self._holder = secrets.token_hex(8)
        self._wake = anyio.Event()
        self._running = False
        self._last_hint: datetime | None = None
        self.embeddings = embeddings
        self.access_log = access_log
        self.scrub_due = False

    @property
    def is_running(self) -> bool:
        """True if this process does background work."""
        return self._running

    async def wake(self) -> None:
        """Start the next round now; only a hint, since the worker polls anyway."""
        self._wake.set()
        now = self._rules.clock.now()
        if not self._running and (self._last_hint is None or now - self._last_hint >= _HINT_INTERVAL):
            self._last_hint = now
            with suppress(RemembrancerError):
                await self._store.hint()

    async def after_write(self, done: WriteTransaction) -> None:
        """Update index and caches after a committed write, and embed what was written.

        A fast embedder makes the vectors at once, a slow one in the background.
        """
        embeddings = self.embeddings
        if embeddings.index_sync is not None:
            await embeddings.index_sync.after_commit(done)
        if done.erased:
            await self._cache.drop_tenant(done.tx.scope.tenant)
        if not done.changed:
            if done.imported:
                await self.wake()
            return
        if embeddings.embedder is not None and embeddings.embedder.fast and self._options.embed_on_write:
            end = anyio.current_time() + _EMBED_SECONDS
            try:
                await embeddings.embed_missing([done.tx.scope], seconds=_EMBED_SECONDS)
            except ProviderError:
                await self.wake()
            if anyio.current_time() > end:
                await self.wake()
        else:
            await self.wake()

    async def run(self) -> None:
        """Work until cancelled; a failure is logged once and retried in the next round."""
        self._running = True
        failure = ""
        try:
            while True:
                # What failed stays due, and a bug here must not close the memory of a caller.
                try:
                    await self.run_once()
                    failure = ""
                except Exception as error:
                    message = str(error) if isinstance(error, RemembrancerError) else type(error).__name__
                    if message != failure:
                        failure = message
                        _LOG.warning("background work failed, retrying: %s", failure)
                        _LOG.debug("background work failed", exc_info=error)
                with anyio.move_on_after(self._options.seconds):
                    await self._wake.wait()
                self._wake = anyio.Event()
        finally:
            self._running = False

    async def run_once(self) -> WorkSummary:
        """Run one round: write the access log and do all that is due."""
        total, failures = WorkSummary(), list[RemembrancerError]()
        try:
            await self.access_log.flush()
        except RemembrancerError as error:
            failures.append(error)
        if self.scrub_due:
            self.scrub_due = not await self._store.scrub()
        if self.embeddings.index_sync is not None:
            await self.embeddings.index_sync.flush_removals()
        for due in await self.due():
            try:
                total += await self.do(due)
            except RemembrancerError as error:
                failures.append(error)
        if failures:
            raise failures[0]
        return total

    async def due(self) -> list[DueWork]:
        """Return the due work of every tenant that this process can do."""
        waiting = await self._store.due(self._thresholds())
        if self.embeddings.embedder is None:
            waiting = [due for due in waiting if due.purpose is not Purpose.EMBED]
        elif await self.embeddings.is_outdated():
            waiting = [*waiting, DueWork(tenant="", purpose=Purpose.REEMBED)]
        self._rules.meter.waiting(waiting)
        return waiting

    async def do(self, due: DueWork) -> WorkSummary:
        """Do one item of due work, except what another process has leased."""
        started, failed = anyio.current_time(), True
        try:
            done = await self._do(due)
            failed = False
            if done.unfinished:
                self._wake.set()
            return done
        finally:
            self._rules.meter.worked(due.purpose, seconds=anyio.current_time() - started, failed=failed)

    async def _do(self, due: DueWork) -> WorkSummary:
        match due.purpose:
            case Purpose.EMBED:
                return await self._embed(due)
            case Purpose.STALE_SESSIONS:
                return WorkSummary(closed=await self._close_stale(due))
            case Purpose.OBSERVE:
                return WorkSummary(observed=await self._for_each_scope(due, self._conversations.observe_waiting))
            case Purpose.REFLECT:
                scopes = await self._store.waiting(due, self._thresholds())
                reflected = await self._for_each_scope(due, self._conversations.reflect)
                return WorkSummary(reflected=reflected, shared=await self.share_insights(scopes))
            case Purpose.NIGHTLY:
                failed: list[Scope] = []
                nights = await self._for_each_scope(due, partial(self._maintain, failed=failed))
                return WorkSummary(nights=nights, failed_nights=len(failed))
            case Purpose.REEMBED:
                # Another search may have enqueued it once more before the last part was done.
                if not await self.embeddings.is_outdated():
                    return WorkSummary()
                rebuilt = await self.rebuild_vectors(seconds=_EMBED_SECONDS) or 0
                is_left = rebuilt and await self.embeddings.is_outdated()
                return WorkSummary(embedded=rebuilt, unfinished=1 if is_left else 0)

    async def _maintain(self, scope: Scope, *, failed: list[Scope]) -> int:
        maintenance = self._options.maintenance
        if maintenance is None or not await maintenance.is_due(scope):
            return 0
        # A run in another process counts as done.
        with suppress(Conflict):
            night = await maintenance.run(scope)
            failed += [scope] if night.failures else []
        if scope == Scope(tenant=scope.tenant):
            eraser = Eraser(
                store=self._store,
                rules=self._rules,
                cache=self._cache,
                index_sync=self.embeddings.index_sync,
                unit_at=self._units,
                unit=self._units(scope),
            )
            await eraser.finish_interrupted(started_before=self._rules.clock.now() - _INTERRUPTED_AFTER)
        # Memories that were removed at the end of their grace period leave the journal, too.
        self.scrub_due = True
        return 1

    def _thresholds(self) -> Thresholds:
        window = self._conversations.least()
        maintenance = self._options.maintenance
        return Thresholds(
            stale_before=self._rules.clock.now() - STALE_AFTER,
            chunk_tokens=window.chunk_tokens,
            by_scope=window.by_scope,
            log_tokens=window.observations,
            fresh_tokens=window.fresh_tokens,
            night=maintenance.latest_due_day().isoformat() if maintenance else "",
        )

    async def rebuild_vectors(
        self, *, progress: Progress = no_progress, by_hand: bool = False, seconds: float = math.inf
    ) -> int | None:
        """Rebuild the vectors of the whole store, or continue; return `None` if another process does it.

        Args:
            by_hand: whether a person has started it and sees the result.
            seconds: stop for now after this time.
        """
        if self.embeddings.embedder is None:
            return None
        async with self._lease("reembed") as acquired:
            if not acquired:
                return None
            return await self.embeddings.rebuild(progress=progress, by_hand=by_hand, seconds=seconds)

    async def _embed(self, due: DueWork) -> WorkSummary:
        count, end = 0, anyio.current_time() + _EMBED_SECONDS
        for scope in await self._store.waiting(due, self._thresholds()):
            async with self._lease(f"embed {scope}") as acquired:
                if acquired:
                    count += await self.embeddings.embed_missing([scope], seconds=end - anyio.current_time())
            if anyio.current_time() > end:
                # Without progress the rest is of others, or fails.
                return WorkSummary(embedded=count, unfinished=1 if count else 0)
        return WorkSummary(embedded=count)

    async def _for_each_scope(self, due: DueWork, work: Callable[[Scope], Awaitable[int]]) -> int:
        """Do work in each scope for which it is due and return the sum; a failure in one scope stops no other.

        Raises:
            RemembrancerError: it failed in some scope; the results of the others stay.
        """
        total, failures = 0, list[tuple[Scope, Exception]]()
        for scope in await self._store.waiting(due, self._thresholds()):
            try:
                async with self._lease(f"{due.purpose} {scope}") as acquired:
                    total += await work(scope) if acquired else 0
            except Exception as error:
                # Also an unexpected one: the data of one scope must not stop the work of all.
                failures.append((scope, error))
        for scope, error in failures:
            if isinstance(error, RemembrancerError):
                raise error
            raise RemembrancerError(
                f"{due.purpose} failed in {len(failures)} scopes, first in {scope}: {type(error).__name__}"
            ) from error
        return total

    async def share_insights(self, scopes: Sequence[Scope]) -> int:
        """Offer the insights that agents have in common to the projects of some scopes; return their number."""
        sharing = self._options.sharing
        if sharing is None:
            return 0
        shared = 0
        for project in dict.fromkeys(Scope(tenant=scope.tenant, project=scope.project) for scope in scopes):
            async with self._lease(f"share {project}") as acquired:
                shared += await sharing.share(project) if acquired else 0
        return shared

    async def _close_stale(self, due: DueWork) -> int:
        closed = 0
        for scope in await self._store.waiting(due, self._thresholds()):
            summaries = await self._summarise_stale(scope)
            async with self._units(scope).write() as writer:
                stale = await close_stale(writer, summed=summaries)
            for session in stale:
                await self._conversations.observe_ended(scope, session)
            closed += len(stale)
        return closed

    async def _summarise_stale(self, scope: Scope) -> dict[str, Summed]:
        """Return a model's summaries of the stale sessions of a scope."""
        summaries = self._options.summaries
        if summaries is None:
            return {}
        before = self._thresholds().stale_before
        sessions = await self._units(scope).read(lambda tx: tx.sessions.stale(before=before))
        by_session = {session.id: await summaries.of(scope, session.id) for session in sessions}
        return {id: summary for id, summary in by_session.items() if summary is not None}

    @asynccontextmanager
    async def _lease(self, work: str) -> AsyncGenerator[bool, None]:
        """Lease some work for a block and renew the lease while it runs; yield False if another process has it."""
        name = self._store.sign(work)
        if not await self._store.lease(name, holder=self._holder, seconds=self._options.lease_seconds):
            yield False
            return
        self._rules.meter.leased(1)
        try:
            async with run_in_background(partial(self._renew_lease, name)):
                yield True
        finally:
            self._rules.meter.leased(-1)
            with anyio.CancelScope(shield=True), suppress(RemembrancerError):
                await self._store.release(name, holder=self._holder)

    async def _renew_lease(self, name: str) -> None:
        while True:
            await anyio.sleep(self._options.lease_seconds / 3)
            with suppress(RemembrancerError):
                await self._store.lease(name, holder=self._holder, seconds=self._options.lease_seconds)
