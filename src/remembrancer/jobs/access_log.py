"""The buffer of what was read: use counts, disclosures, injections and served blocks.

No answer waits for these writes and none fails because of them. They are written in batches, and retried.
"""

import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TypeVar

import anyio

from remembrancer.errors import InvalidInput, RemembrancerError
from remembrancer.storage.base import Store
from remembrancer.transactions.access_log import Disclosure, audit_entries
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.transactions.names import check_names
from remembrancer.transactions.side_rows import UseCounts
from remembrancer.transactions.unit_of_work import UnitsOfWork
from remembrancer.transactions.write_transaction import WriteTransaction
from remembrancer.types.access import Caller
from remembrancer.types.calls import ServedBlock
from remembrancer.types.policy import Erasure
from remembrancer.types.scope import Scope
from remembrancer.types.session import Injection

RETRY_SECONDS = 10.0
# Seconds between two batches: other processes see what was read within a second.
_BATCH_SECONDS = 0.5
# The tenants whose entries are written at the same time: one whose database is away delays the others less.
_TENANTS_AT_ONCE = 4
# Seconds for which closing a memory waits for the last batch.
_CLOSE_SECONDS = 5.0
_LOG = logging.getLogger("remembrancer")
T = TypeVar("T", Disclosure, Injection, ServedBlock, UseCounts)


class AccessLog:
    """A buffer of what callers read from one open store.

    Args:
        audit_reads: whether the audit log records which memories were disclosed to whom.
        priced: adds to served blocks what the full conversations would have cost.
        retry_seconds: pause after a batch that could not be written.
    """

    def __init__(
        self,
        store: Store,
        units: UnitsOfWork,
        rules: Dependencies,
        *,
        audit_reads: bool = True,
        priced: Callable[[list[ServedBlock]], Awaitable[list[ServedBlock]]] | None = None,
        retry_seconds: float = RETRY_SECONDS,
    ) -> None:
        self._store = store
        self._units = units
        self._rules = rules
        self._audit_reads = audit_reads
        self._priced = priced
        self._retry_seconds = retry_seconds
        self._has_entries = anyio.Event()
        self._locks: dict[str, anyio.Lock] = {}
        self._disclosures: dict[Scope, list[Disclosure]] = {}
        self._injections: dict[Scope, list[Injection]] = {}
        self._served: dict[Scope, list[ServedBlock]] = {}
        self._reads: dict[Scope, list[UseCounts]] = {}
        self._last_failure: tuple[Exception, float] | None = None

    def log_read(self, scope: Scope, ids: list[str]) -> None:
        """Count a use of each of some memories."""
        self._reads.setdefault(scope, []).append(UseCounts(counts=Counter(ids), at=self._rules.clock.now()))
        self._has_entries.set()

    def log_disclosure(self, caller: Caller, method: str, ids: Sequence[str]) -> None:
        """Record for the audit log that a method disclosed memories to a caller."""
        if self._audit_reads:
            disclosure = Disclosure(caller=caller, method=method, ids=tuple(ids), at=self._rules.clock.now())
            self._disclosures.setdefault(caller.scope, []).append(disclosure)
            self._has_entries.set()

    def log_injection(self, scope: Scope, injection: Injection) -> None:
        """Record which memories were inserted into an agent's prompt."""
        if injection.records:
            self._injections.setdefault(scope, []).append(injection)
            self._has_entries.set()

    def log_served(self, scope: Scope, served: ServedBlock) -> None:
        """Record the length of a context that was served."""
        self._served.setdefault(scope, []).append(served)
        self._rules.meter.served(scope, served)
        self._has_entries.set()

    async def run(self) -> None:
        """Write batches until cancelled."""
        while True:
            await self._has_entries.wait()
            self._has_entries = anyio.Event()
            pause = _BATCH_SECONDS
            try:
                # A batch that was cancelled halfway would be counted twice.
                with anyio.CancelScope(shield=True):
                    await self.flush()
                self._last_failure = None
            except Exception as error:
                self._last_failure = error, anyio.current_time()
                pause = self._retry_seconds
                self._has_entries.set()
                _LOG.debug("the access log could not be written, retrying", exc_info=error)
            await anyio.sleep(pause)

    async def close(self) -> None:
        """Write the last batch; on failure, log a warning and drop it."""
        try:
            if self._last_failure and anyio.current_time() - self._last_failure[1] < _BATCH_SECONDS:
                raise self._last_failure[0]
            with anyio.fail_after(_CLOSE_SECONDS):
                await self.flush()
        except (RemembrancerError, TimeoutError) as error:
            _LOG.warning("the last reads are not counted: %s", str(error) or "the database is busy")

    async def flush(self, tenant: str | None = None) -> None:
        """Write buffered entries; those that cannot be written stay in the buffer, and stop those of no other tenant.

        Args:
            tenant: whose entries are written; by default those of all.
        """
        scopes = {tenant: list[Scope]()} if tenant is not None else {name: list[Scope]() for name in self._locks}
        for scope in {*self._disclosures, *self._injections, *self._served, *self._reads}:
            if tenant in (None, scope.tenant):
                scopes.setdefault(scope.tenant, []).append(scope)
        failures: list[Exception] = []
        limit = anyio.Semaphore(_TENANTS_AT_ONCE)

        async def flush_tenant(name: str) -> None:
            # A second caller returns only when the batch of the first one is written.
            lock = self._locks.setdefault(name, anyio.Lock())
            async with lock, limit:
                try:
                    await self._flush(scopes[name])
                except Exception as error:
                    failures.append(error)
            if not lock.statistics().tasks_waiting:
                self._locks.pop(name, None)

        async with anyio.create_task_group() as tasks:
            for name in scopes:
                tasks.start_soon(flush_tenant, name)
        if failures:
            raise failures[0]

    async def _flush(self, scopes: Sequence[Scope]) -> None:
        """Write the entries of scopes, until one fails."""
        for scope in scopes:
            existing = await self._store.visible_scopes(scope)
            if scope not in existing:
                await self._forget_erased(scope)
            await _drain(self._disclosures, scope, partial(self._write_disclosures, existing))
            await _drain(self._injections, scope, partial(self._write_injections, existing))
            await _drain(self._served, scope, partial(self._write_served, existing))
            await _drain(self._reads, scope, partial(self._write_uses, existing))

    async def _forget_erased(self, scope: Scope) -> None:
        """Drop the entries of a scope that was erased since, by any process: nothing may bring its name back."""
        erasures = await self._units(Scope(tenant=scope.tenant)).read(lambda tx: tx.policies.exact(Erasure))
        last = max((one.set_at for one in erasures), default=None)
        if last is not None:
            _drop(self._disclosures, scope, until=last)
            _drop(self._injections, scope, until=last)
            _drop(self._served, scope, until=last)
            _drop(self._reads, scope, until=last)

    async def _write_disclosures(self, existing: Sequence[Scope], scope: Scope, disclosures: list[Disclosure]) -> None:
        by_caller: dict[tuple[str, str], list[Disclosure]] = {}
        for one in disclosures:
            by_caller.setdefault((one.caller.actor, one.caller.origin), []).append(one)
        # Reading creates no scope: the entry goes to the nearest scope that exists, or to one with disclosed memories.
        default = scope if any(one.ids for one in disclosures) else None
        target = next((one for one in scope.visible() if one in existing), default)
        if target is None:
            return
        for group in by_caller.values():
            target, caller = self._stored(target, group[0].caller)
            async with self._units(target).on_behalf(caller).write() as writer:
                if not _is_erased(writer, existing):
                    writer.audit_reads(audit_entries(group))
            # If the next group fails, this one is not written again.
            disclosures[:] = [one for one in disclosures if one not in group]

    def _stored(self, target: Scope, caller: Caller) -> tuple[Scope, Caller]:
        """Return a scope and a caller with names that can be stored; a reader may have others."""
        unnamed = replace(caller, actor="")
        for one in (caller, unnamed):
            with suppress(InvalidInput):
                check_names(replace(one, scope=target), self._rules.secrets)
                return target, one
        return Scope(tenant=target.tenant), unnamed

    async def _write_injections(self, existing: Sequence[Scope], scope: Scope, injections: list[Injection]) -> None:
        async with self._units(scope).write() as writer:
            if _is_erased(writer, existing):
                return
            ids = {id for injection in injections for id in injection.records}
            # Memories that were erased since are left out.
            left = await writer.tx.records.lock_existing(sorted(ids))
            entries = (replace(one, records=tuple(id for id in one.records if id in left)) for one in injections)
            await writer.put(*(one for one in entries if one.records))

    async def _write_served(self, existing: Sequence[Scope], scope: Scope, served: list[ServedBlock]) -> None:
        blocks = await self._priced(served) if self._priced else served
        async with self._units(scope).write() as writer:
            if not _is_erased(writer, existing):
                await writer.put(*blocks)

    async def _write_uses(self, existing: Sequence[Scope], scope: Scope, reads: list[UseCounts]) -> None:
        counts = sum((Counter(one.counts) for one in reads), Counter[str]())
        async with self._units(scope).write() as writer:
            if not _is_erased(writer, existing):
                await writer.put(UseCounts(counts=counts, at=reads[-1].at))


def _is_erased(writer: WriteTransaction, existing: Sequence[Scope]) -> bool:
    """Return True if the scope of a transaction was erased since some scopes were read that existed."""
    return writer.tx.scope in existing and not writer.tx.exists


def _drop(buffer: dict[Scope, list[T]], scope: Scope, *, until: datetime) -> None:
    """Drop the entries of a scope up to a time."""
    if later := [one for one in buffer.pop(scope, []) if one.at > until]:
        buffer[scope] = later


async def _drain(
    buffer: dict[Scope, list[T]], scope: Scope, write: Callable[[Scope, list[T]], Awaitable[None]]
) -> None:
    """Write the entries of a scope; those that cannot be written stay, in their order."""
    batch = buffer.pop(scope, [])
    try:
        if batch:
            await write(scope, batch)
    except InvalidInput as error:
        # A reader may have names that are never stored.
        _LOG.warning("some reads are not counted: %s", error)
    except BaseException:
        buffer[scope] = batch + buffer.get(scope, [])
        raise
