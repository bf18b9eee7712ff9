"""Permanent erasure of a subject: a plan, the removal step by step, a scan for remains, and a signed receipt.

The progress of an erasure is stored in the scope of its tenant: when it is killed, the same call continues it.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import datetime

import anyio
from anyio.to_thread import run_sync

from remembrancer.context.cache import ContextCache
from remembrancer.errors import NotFound, StoreUnavailable
from remembrancer.learn import deletion
from remembrancer.learn.sessions import is_own_summary, sum_up_again
from remembrancer.privacy.insights import withdraw_offers_from
from remembrancer.privacy.receipts import as_json, fingerprint, from_json, receipt_of, scope_fingerprint
from remembrancer.privacy.remains import RemainsScanner, encode_runs
from remembrancer.privacy.subjects import (
    exports_of,
    memory_ids,
    mentions_of,
    scope_holds,
    scopes_of_subject,
    similar_names,
    with_derived,
)
from remembrancer.privacy.transfers import project_scope, update_copies
from remembrancer.search.external_index import ExternalIndexSync
from remembrancer.storage.base import Store
from remembrancer.storage.tx import Tx
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.transactions.legal_holds import refuse_if_on_hold
from remembrancer.transactions.side_rows import TombstoneBatch
from remembrancer.transactions.tombstones import tombstone_of_scope, tombstones_of
from remembrancer.transactions.unit_of_work import UnitOfWork
from remembrancer.transactions.write_transaction import ERASED, WriteTransaction
from remembrancer.types.erasure import NOT_ERASED, ErasurePlan, ExternalCopy, Mention, Receipt, Subject
from remembrancer.types.policy import ErasedRuns, Erasure, LegalHold, RemovedPolicy, Transfer
from remembrancer.types.scope import Scope

_COMPACT_TRIES = 5
_RETRY_SECONDS = 0.5
_IN_DATABASE = (
    "the database {!r}, which has rows of an unfinished move of the tenant, or does not answer: see"
    " `remembrancer tenants list`, and finish the move or cancel it"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Eraser:
    """The erasures requested by one caller.

    Args:
        mirror: the external vector index, if there is one; an erasure waits until it has deleted its vectors.
        unit_at: returns a unit of work at a scope, on behalf of the caller.
        unit: the caller's own, whose scope limits what is erased.
    """

    store: Store
    rules: Dependencies
    cache: ContextCache
    index_sync: ExternalIndexSync | None
    unit_at: Callable[[Scope], UnitOfWork]
    unit: UnitOfWork

    async def plan(self, subject: Subject, name: str, memories: Sequence[str]) -> ErasurePlan:
        """Return what an erasure would remove, and the legal holds that prevent it.

        Raises:
            NotFound: the subject is unknown in this scope.
        """
        if subject in (Subject.SESSION, Subject.MEMORIES):
            return await self._plan_memories(subject, name, memories)
        targets = await self._targets(subject, name)
        unfinished = await self._unfinished(fingerprint(subject, name, within=self.unit.scope, sign=self.rules.sign))
        if not targets and unfinished is None:
            raise await self._not_found(subject, name)
        rows: dict[str, int] = {}
        elsewhere: list[str] = []
        kinds = dict[str, str]()
        for target in targets:
            unit = self.unit_at(target)
            kinds |= await unit.read(lambda tx: tx.erasure.kinds())
            rows = _sum(rows, await unit.read(lambda tx: tx.erasure.row_counts()))
            dependents = await unit.read(lambda tx: tx.erasure.cross_scope_dependents())
            elsewhere += [id for scope, id in dependents if scope not in targets]
        return ErasurePlan(
            subject=subject,
            name=name,
            scopes=targets,
            rows=rows,
            kinds=_count(kinds),
            begun_at=None if unfinished is None else unfinished.set_at,
            elsewhere=tuple(dict.fromkeys(elsewhere)),
            legal_holds=tuple(hold.name for hold in await self._holds(targets)),
            handed_out=await self._exports(targets, set(kinds)),
            beyond=await self._beyond(),
        )

    async def _plan_memories(self, subject: Subject, name: str, memories: Sequence[str]) -> ErasurePlan:
        """Return what an erasure of a session or of memories would remove, with their derivations."""
        scope = self.unit.scope
        unfinished = await self._unfinished(fingerprint(subject, name, within=scope, sign=self.rules.sign))
        try:
            ids = await self.unit.read(lambda tx: memory_ids(tx, subject, name, memories))
        except NotFound:
            if unfinished is None:
                raise
            ids = []
        own = set(ids)
        kinds, holds = await self.unit_at(scope).read(lambda tx: with_derived(tx, ids))
        visible = {record.id for record in await self.unit.read(lambda tx: tx.records.find_all(list(kinds)))}
        return ErasurePlan(
            subject=subject,
            name=name,
            scopes=[scope],
            rows={"records": len(kinds)},
            kinds=_count(kinds),
            begun_at=None if unfinished is None else unfinished.set_at,
            drawn=tuple(id for id in kinds if id not in own and id in visible),
            legal_holds=holds,
            handed_out=await self._exports([scope], set(kinds)),
            beyond=await self._beyond(),
        )

    async def erase(self, subject: Subject, name: str, memories: Sequence[str], *, reason: str) -> Receipt:
        """Erase a subject permanently, scan for remains, and return a signed receipt.

        Raises:
            NotAllowed: a legal hold is on a part of it.
            NotFound: the subject is unknown in this scope.
        """
        if subject in (Subject.SESSION, Subject.MEMORIES):
            erasure = await self._erase_memories(subject, name, memories, reason)
        else:
            erasure = await self._start(subject, name, reason)
            if erasure.receipt is not None:
                return from_json(erasure.receipt)
            erasure = await self._empty_scopes(erasure)
        return await self._finish(erasure, subject, reason)

    async def finish_interrupted(self, *, started_before: datetime) -> int:
        """Continue the tenant's erasures without a receipt and return the number that were finished.

        One that a legal hold prevents waits. That of a whole tenant waits, too: its receipt is not stored, so a caller
        has to ask for it.
        """
        erasures = await self._root().read(lambda tx: tx.policies.exact(Erasure))
        unfinished = [one for one in erasures if one.receipt is None and one.set_at < started_before]
        count = 0
        for erasure in unfinished:
            subject = Subject(erasure.subject)
            if subject is not Subject.TENANT and not await self._holds(erasure.targets):
                await self._finish(await self._empty_scopes(erasure), subject, "it was interrupted")
                count += 1
        return count

    async def _exports(self, targets: Sequence[Scope], ids: Set[str]) -> list[ExternalCopy]:
        return await self._root().read(lambda tx: exports_of(tx, targets, ids))

    async def _beyond(self) -> Sequence[str]:
        """Return the copies that are not erased, with the action for each."""
        return (
            *NOT_ERASED,
            *(_IN_DATABASE.format(name) for name in await self.store.left_over(self.unit.scope.tenant)),
        )

    async def find_mentions(self, person: str, *, limit: int) -> list[Mention]:
        """Return the memories of the caller's scope, and of those within it, that mention a person."""
        mentions: list[Mention] = []
        for scope in sorted(await self.unit.scopes(), key=str):
            if left := limit - len(mentions):
                unit = self.unit.of(replace(self.unit.caller, scope=scope))
                mentions += await unit.read(lambda tx, left=left: mentions_of(tx, person, limit=left))
        return mentions

    async def _targets(self, subject: Subject, name: str) -> list[Scope]:
        return scopes_of_subject(subject, name, await self.unit.scopes(), within=self.unit.scope)

    async def _not_found(self, subject: Subject, name: str) -> NotFound:
        scopes = await self.unit.scopes()
        return NotFound(subject.value, name, near=await run_sync(similar_names, subject, name, scopes))

    async def fingerprints(self, subject: Subject, name: str) -> set[str]:
        """Return the fingerprints that receipts have of a subject, for every scope that may have requested them."""
        scopes = await self.store.scopes(self.unit.scope.tenant)

        def compute() -> set[str]:
            requesting = {wide for scope in (*scopes, self.unit.scope) for wide in scope.visible()}
            return {fingerprint(subject, name, within=scope, sign=self.rules.sign) for scope in requesting}

        return await run_sync(compute)

    async def _holds(self, targets: Sequence[Scope]) -> list[LegalHold]:
        holds: dict[str, LegalHold] = {}
        for target in targets:
            holds |= {hold.id: hold for hold in await self.unit_at(target).read(scope_holds)}
        return list(holds.values())

    async def _start(self, subject: Subject, name: str, reason: str) -> Erasure:
        """Return the unfinished erasure of a subject, a new one, or one that another process has just finished."""
        owner = fingerprint(subject, name, within=self.unit.scope, sign=self.rules.sign)
        earlier = await self._root().read(lambda tx: _erasures_of(tx, owner))
        targets = await self._targets(subject, name)
        if holds := await self._holds(targets):
            async with self._root().write() as writer:
                writer.set_reason(reason)
                await writer.audit("refused", "erasure", f"held by {', '.join(hold.name for hold in holds)}")
            refuse_if_on_hold(f"{subject} {name!r}", holds)
        if not targets and all(one.receipt is not None for one in earlier):
            if subject is Subject.TENANT:
                # No progress of a tenant's erasure is stored at the end: it may have been interrupted here.
                await self._rewrite_store()
            raise await self._not_found(subject, name)
        finished = {one.number for one in earlier if one.receipt is not None}
        async with self._root().write() as writer:
            # Another process may have started or finished it since.
            since = [one for one in await _erasures_of(writer.tx, owner) if one.number not in finished]
            if since and since[0].receipt is not None:
                return since[0]
            erasure = since[0] if since else self._new(subject, owner)
            # Scopes written since the start are included. The root scope has the progress, and is erased last.
            last = [self._root().scope] if subject is Subject.TENANT else []
            erasure = replace(erasure, targets=[*dict.fromkeys([*erasure.targets, *targets, *last])])
            writer.set_reason(reason)
            await writer.put(erasure, action="begun", kind="erasure", id=erasure.number)
        return erasure

    async def _empty_scopes(self, erasure: Erasure) -> Erasure:
        """Empty all scopes of an erasure, and store the progress after each."""
        root = self._root().scope
        while erasure.targets:
            target, *left = erasure.targets
            unit = self.unit_at(target)
            for scope, id in await unit.read(lambda tx: tx.erasure.cross_scope_dependents()):
                await self._erase_dependent(scope, id)
            rows = await unit.read(lambda tx: tx.erasure.row_counts())
            if target != root and rows:
                erasure = await self._store_marks(erasure, unit, rows)
            await self._revoke_grants(target)
            await self._withdraw_offers(target)
            async with self.unit_at(target).write() as writer:
                removed = await writer.erase_scope() or erasure.counted
            await self._delete_grants_to(target)
            await self._release_vectors(target)
            await self.store.forget(target, at=self.rules.clock.now())
            erasure = replace(
                erasure,
                targets=left,
                rows=_sum(erasure.rows, removed),
                scopes=erasure.scopes + bool(removed),
                counted={},
            )
            # Nothing of a tenant is stored, not even its erasure.
            if target != root:
                async with self._root().write() as writer:
                    if await _receipt_of_other_process(writer.tx, erasure) is None:
                        await writer.put(erasure)
        return erasure

    async def _store_marks(self, erasure: Erasure, unit: UnitOfWork, rows: Mapping[str, int]) -> Erasure:
        """Store the marks and runs of a scope before it is emptied, with the number of its rows."""
        # The marks of earlier erasures are stored in the scope itself, and would be lost with it.
        earlier = await unit.read(lambda tx: tx.erasure.tombstones())
        # The count survives a kill between here and the removal.
        erasure = replace(erasure, counted=rows)
        marks = await unit.read(lambda tx: tombstones_of(tx, sign=self.rules.sign))
        runs = await self._runs(erasure, await unit.read(lambda tx: tx.erasure.texts()))
        async with self._root().write() as writer:
            scope_mark = tombstone_of_scope(unit.scope, sign=self.rules.sign)
            await writer.put(TombstoneBatch(marks=(*marks, *sorted(earlier), scope_mark)))
            if await _receipt_of_other_process(writer.tx, erasure) is None:
                await writer.put(*runs, erasure)
        return erasure

    async def _revoke_grants(self, target: Scope) -> None:
        """Erase the copies that other projects have of a scope's memories; copies under a legal hold are archived."""
        for grant in await self.unit_at(target).read(lambda tx: tx.policies.exact(Transfer)):
            async with self.unit_at(target).write() as writer:
                await writer.put(replace(grant, revoked=True))
        await update_copies(self.unit_at(target))

    async def _withdraw_offers(self, target: Scope) -> None:
        """Erase the offers to a project that were made from insights of a scope."""
        if target.project is not None and target.agent is not None and target.user is None:
            ids = await self.unit_at(target).read(lambda tx: tx.erasure.kinds())
            async with self.unit_at(project_scope(target.tenant, target.project)).write() as writer:
                await withdraw_offers_from(writer, set(ids))

    async def _delete_grants_to(self, target: Scope) -> None:
        """Delete the grants of other projects to one that was erased; its own were deleted with it."""
        for grant in await self._root().read(lambda tx: tx.policies.below(Transfer)):
            if target == project_scope(target.tenant, grant.reader):
                async with self.unit_at(project_scope(target.tenant, grant.lender)).write() as writer:
                    await writer.put(RemovedPolicy(id=grant.id), action="revoked", kind="transfer")

    async def _erase_dependent(self, scope: Scope, id: str) -> None:
        """Erase a memory of another scope with erased evidence; it is derived again if other evidence supports it."""
        async with self.unit_at(scope).write() as writer:
            if await writer.tx.records.find(id) is not None:
                await deletion.delete(writer, id, erase=True)

    async def _erase_memories(self, subject: Subject, name: str, memories: Sequence[str], reason: str) -> Erasure:
        """Erase a session or memories of the caller's exact scope, and return the erasure without its receipt."""
        owner = fingerprint(subject, name, within=self.unit.scope, sign=self.rules.sign)
        unfinished = await self._unfinished(owner)
        async with self.unit.write() as writer:
            writer.set_reason(reason)
            try:
                ids = await memory_ids(writer.tx, subject, name, memories)
            except NotFound:
                if unfinished is None:
                    raise
                return unfinished
            erasure = unfinished or self._new(subject, owner)
            runs = await self._runs(erasure, await writer.tx.erasure.texts(ids))
            removed, unsummed = await _remove_memories(writer, subject, name, ids)
            await sum_up_again(writer, sorted(unsummed))
            erasure = replace(erasure, rows=_sum(erasure.rows, removed))
            async with AsyncExitStack() as stack:
                is_root = writer.tx.scope == self._root().scope
                root = writer if is_root else await stack.enter_async_context(writer.at(self._root().scope))
                if await _receipt_of_other_process(root.tx, erasure):
                    # That receipt covers what was removed before: this removal gets its own.
                    new = self._new(subject, owner)
                    runs = [replace(one, number=new.number) for one in runs]
                    erasure = replace(new, rows=removed)
                await root.put(TombstoneBatch(marks=tuple(writer.tombstones)), *runs, erasure)
        return erasure

    async def _runs(self, erasure: Erasure, texts: Sequence[tuple[str, int]]) -> list[ErasedRuns]:
        """Return the word runs of texts that are erased, by which the scan finds remains."""
        encoded = await run_sync(lambda: encode_runs(texts, sign=self.rules.sign))
        now, new = self.rules.clock.now(), self.rules.ids.new
        return [ErasedRuns(number=erasure.number, part=new(), runs=runs, set_at=now) for runs in encoded]

    def _new(self, subject: Subject, owner: str) -> Erasure:
        return Erasure(
            number=self.rules.ids.new(),
            subject=subject.value,
            name=owner,
            targets=(),
            rows={},
            scopes=0,
            set_at=self.rules.clock.now(),
            asked=scope_fingerprint(self.unit.scope, sign=self.rules.sign),
        )

    async def _unfinished(self, owner: str) -> Erasure | None:
        """Return the erasure of a subject that has no receipt yet."""
        erasures = await self._root().read(lambda tx: _erasures_of(tx, owner))
        return next((one for one in erasures if one.receipt is None), None)

    async def _finish(self, erasure: Erasure, subject: Subject, reason: str) -> Receipt:
        """Scan for remains, rewrite the store, and return the receipt."""
        sign, root = self.rules.sign, self._root()
        await self.cache.drop_tenant(root.scope.tenant)
        await self._release_vectors(self.unit.scope)
        runs = await root.read(lambda tx: _runs_of(tx, erasure))
        marks = await root.read(lambda tx: tx.erasure.tombstones())
        scanner = await run_sync(lambda: RemainsScanner(marks, [one.runs for one in runs], sign=sign))

        async def scan(tx: Tx) -> int:
            count = await tx.erasure.scan(scanner.scan)
            if scanner.has_found_words():
                await tx.erasure.scan(scanner.scan_others)
            return count

        looked = await root.read(scan)
        remains = await run_sync(scanner.count)
        receipt = receipt_of(
            erasure,
            looked=looked,
            found=remains,
            beyond=await self._beyond(),
            at=self.rules.clock.now(),
            sign=sign,
        )
        # The erasure stays unfinished until no page has a byte of it: a kill before that comes here again.
        await self._rewrite_store()
        if subject is not Subject.TENANT:
            async with root.write() as writer:
                # Another process may have stored the same runs again.
                await writer.put(*(RemovedPolicy(id=one.id) for one in await _runs_of(writer.tx, erasure)))
                if other := await _receipt_of_other_process(writer.tx, erasure):
                    return other
                writer.set_reason(reason)
                finished = replace(erasure, targets=(), receipt=as_json(receipt))
                await writer.put(finished, action=ERASED, kind=subject.value, id=erasure.number)
        return receipt

    async def _release_vectors(self, scope: Scope) -> None:
        """Delete from the external index, if there is one, what the store no longer has."""
        if self.index_sync is None:
            return
        try:
            await self.index_sync.remove_orphans(scope)
        except StoreUnavailable as error:
            raise StoreUnavailable(
                f"{error}; its vectors of erased memories are not deleted: run the same erasure again to continue"
            ) from error

    async def _rewrite_store(self) -> None:
        """Rewrite the store so that none of its pages contains deleted data.

        Raises:
            StoreUnavailable: another process uses the store without a pause.
        """
        is_compact = False
        for _ in range(_COMPACT_TRIES):
            is_compact = is_compact or await self.store.compact()
            # The journal must not contain deleted data either when a receipt is signed.
            if is_compact and await self.store.scrub():
                return
            await anyio.sleep(_RETRY_SECONDS)
        raise StoreUnavailable(
            "the memories are erased, but deleted pages remain since another process uses the store without a pause;"
            " run the same erasure again to continue"
        )

    def _root(self) -> UnitOfWork:
        return self.unit_at(Scope(tenant=self.unit.scope.tenant))


async def _erasures_of(tx: Tx, owner: str) -> list[Erasure]:
    """Return the erasures of a subject, unfinished ones first."""
    erasures = [one for one in await tx.policies.exact(Erasure) if one.name == owner]
    return sorted(erasures, key=lambda one: one.receipt is not None)


async def _runs_of(tx: Tx, erasure: Erasure) -> list[ErasedRuns]:
    return [one for one in await tx.policies.exact(ErasedRuns) if one.number == erasure.number]


async def _receipt_of_other_process(tx: Tx, erasure: Erasure) -> Receipt | None:
    """Return the receipt that another process has stored of the same erasure: each has one."""
    erasures = await tx.policies.exact(Erasure)
    return next((from_json(one.receipt) for one in erasures if one.number == erasure.number and one.receipt), None)


async def _remove_memories(
    writer: WriteTransaction, subject: Subject, name: str, ids: Sequence[str]
) -> tuple[dict[str, int], set[str]]:
    """Remove memories and their derivations; return the removed rows by table, and sessions without a summary now."""
    before = await writer.tx.erasure.row_counts()
    unsummed = set[str]()
    records = await writer.tx.records.find_all(ids)
    summarised = {record.session for record in records if is_own_summary(record)}
    for id in ids:
        # One may have been removed with another.
        if await writer.tx.records.find(id) is not None:
            unsummed |= await deletion.delete(writer, id, erase=True)
    if subject is Subject.SESSION:
        await writer.erase_session(name)
    # The messages after the removed ones were embedded with them: their vectors count as removed.
    await writer.drop_outdated_vectors()
    after = await writer.tx.erasure.row_counts()
    removed = {table: count - after.get(table, 0) for table, count in before.items()}
    # A caller who erases a summary wants no new one.
    unsummed -= summarised
    return {table: count for table, count in removed.items() if count > 0}, unsummed


def _count(kinds: Mapping[str, str]) -> dict[str, int]:
    return dict(sorted(Counter(kinds.values()).items()))


def _sum(counts: Mapping[str, int], more: Mapping[str, int]) -> dict[str, int]:
    """Return the sums of two counts by name."""
    return {name: counts.get(name, 0) + more.get(name, 0) for name in sorted({*counts, *more})}
