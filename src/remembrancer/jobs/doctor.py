"""Checks of a store for faults, scope by scope, and repairs that need no decision by a person."""

from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence, Set
from dataclasses import dataclass
from datetime import datetime

from remembrancer.errors import StoreUnavailable
from remembrancer.search.external_index import ExternalIndexSync
from remembrancer.storage.base import Store
from remembrancer.storage.tx import Tx
from remembrancer.transactions.documents import terms_in_index
from remembrancer.transactions.sealed_blocks import Sign
from remembrancer.transactions.side_rows import ClearIndex, IndexUpdates
from remembrancer.transactions.unit_of_work import UnitOfWork, UnitsOfWork
from remembrancer.transactions.write_transaction import WriteTransaction
from remembrancer.types.index import SpaceState, Terms
from remembrancer.types.jobs import ACCEPTABLE, FAILED_STEPS, MOST_LISTED, REPAIRABLE, Finding, StoreFault
from remembrancer.types.policy import Erasure
from remembrancer.types.record import Record
from remembrancer.types.scope import Scope
from remembrancer.types.text import hash_of

_PAGE = 500
# Consecutive runs with a failed step that count as a fault.
_FAILED_NIGHTS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """A fault in one scope, and whether it was repaired.

    Args:
        scope: `None` for the whole store.
        advice: what a person can do if it was not repaired.
    """

    scope: Scope | None
    finding: Finding
    repaired: bool
    advice: str


ADVICE = {
    StoreFault.ORPHAN_VECTOR: "run `remembrancer admin doctor --repair` to remove the vectors of deleted documents",
    StoreFault.MISSING_INDEX_ROW: "run `remembrancer admin doctor --repair` or `remembrancer admin index rebuild`",
    StoreFault.ORPHAN_INDEX_ROW: "run `remembrancer admin doctor --repair` or `remembrancer admin index rebuild`",
    StoreFault.WRONG_HASH: "the text was changed outside of Remembrancer; restore a backup, or save it again",
    StoreFault.BROKEN_EVIDENCE: "a source is missing; check the memory and delete it if nothing else supports it",
    StoreFault.NUMBER_GAP: (
        "messages were removed outside of Remembrancer; restore a backup, or use `--accept-losses`"
    ),
    StoreFault.HALF_BUILT_GENERATION: (
        "`remembrancer admin index reembed` finishes it, `admin doctor --repair` drops it"
    ),
    StoreFault.MISSING_VECTOR: "run `remembrancer admin doctor --repair`, then `remembrancer admin index rebuild`",
    StoreFault.DAMAGED_POSTINGS: "run `remembrancer admin doctor --repair` or `remembrancer admin index rebuild`",
    StoreFault.DAMAGED_FILE: "restore a backup",
    StoreFault.FOREIGN_ANALYSER: "the text index was built by another version; run `remembrancer admin index rebuild`",
    StoreFault.FAILING_NIGHTS: "all other steps are done, and these are retried; see the log for the cause",
    StoreFault.FUTURE_NIGHT: "a clock was ahead; run `admin doctor --repair` so that these days get their run",
    StoreFault.FUTURE_TIME: "a clock was ahead; nothing is lost, and until then these memories count as new",
    StoreFault.DATABASE_AWAY: "its tenants are not checked, and cannot be read; see that its server runs",
    StoreFault.UNFINISHED_MOVE: (
        "it runs or was interrupted, and erasures do not reach what it has copied; run the same `tenants move` again,"
        " or `tenants cancel`"
    ),
    StoreFault.REPLICA_NOT_USED: "the primary answers in its place; it is used again when it is in order",
    StoreFault.MODEL_LEFT_ALONE: "check the model; it is called again at that time, or after `admin doctor --repair`",
    StoreFault.DAMAGED_TEXT: "restore a backup; `admin doctor --repair` replaces invalid characters by \ufffd",
    StoreFault.LOST_ROWS: "rows were removed outside of Remembrancer; restore a backup, or use `--accept-losses`",
    StoreFault.FOREIGN_ROWS: "rows were added outside of Remembrancer; check them, or keep them with `--accept-losses`",
    StoreFault.ORPHAN_ROWS: "the parents of these rows were removed outside of Remembrancer; restore a backup",
    StoreFault.BROKEN_CHAIN: (
        "the audit log was changed outside of Remembrancer; restore a backup, and find out by whom"
    ),
    StoreFault.UNFINISHED_ERASURE: "it runs or was interrupted; run the same `governance erasure erase` again",
    StoreFault.LAGGING_VECTOR_INDEX: (
        "check the vector index, then run `admin doctor --repair` or `admin index rebuild`"
    ),
}


REBUILT = frozenset({StoreFault.DAMAGED_POSTINGS, StoreFault.MISSING_INDEX_ROW})
"""The faults that only a rebuild of the text index repairs."""


async def diagnose(
    store: Store, units: UnitsOfWork, *, analyser: str, repair: bool, accept_losses: bool = False
) -> list[Diagnosis]:
    """Return every fault of the store, repaired if `repair` is set and it can be.

    Args:
        analyser: the text analyser of this process.
        accept_losses: whether rows removed or added outside of Remembrancer are accepted.
    """
    damage = await store.damage()
    if damage:
        return [_diagnosis(None, Finding(fault=StoreFault.DAMAGED_FILE, where=tuple(damage)), repaired=False)]
    diagnoses = await _store_faults(store, repair=repair)
    diagnoses += [item async for item in _half_built_generations(store, repair=repair)]
    built_by = await store.analyser()
    if is_foreign := built_by not in ("", analyser):
        diagnoses.append(
            _diagnosis(None, Finding(fault=StoreFault.FOREIGN_ANALYSER, where=(built_by,)), repaired=repair)
        )
    repairable: set[StoreFault] = set()
    if repair:
        repairable |= REPAIRABLE | REBUILT
    if accept_losses:
        repairable |= ACCEPTABLE
    tenants: set[str] = set()
    for scope in await store.scopes():
        if scope.tenant not in tenants:
            tenants.add(scope.tenant)
            diagnoses += await _broken_chain(units(scope))
            diagnoses += await _unfinished_erasures(units(Scope(tenant=scope.tenant)))
        diagnoses += await _scope_faults(units(scope), repairable=repairable)
        diagnoses += await _failing_nights(units(scope))
    if repair and is_foreign:
        # Each document that the other analyser had indexed differently was reported as a missing row, and reindexed.
        await store.set_analyser(analyser)
    return diagnoses


async def index_lags(index_sync: ExternalIndexSync, *, repair: bool) -> list[Diagnosis]:
    """Return the differences between the external vector index and the store, or that it is unreachable."""
    diagnoses: list[Diagnosis] = []
    try:
        for lag in await index_sync.lags():
            if repair:
                await index_sync.repair(lag)
            where = tuple(str(document) for document in (*lag.missing, *lag.left_over))
            finding = Finding(fault=StoreFault.LAGGING_VECTOR_INDEX, where=where)
            diagnoses.append(_diagnosis(lag.scope, finding, repaired=repair))
    except StoreUnavailable as error:
        finding = Finding(fault=StoreFault.LAGGING_VECTOR_INDEX, where=(str(error),))
        diagnoses.append(_diagnosis(None, finding, repaired=False))
    return diagnoses


async def future_entries(store: Store, units: UnitsOfWork, *, now: datetime, repair: bool) -> list[Diagnosis]:
    """Return entries written by a clock that was ahead; a repair deletes runs of future days."""
    diagnoses: list[Diagnosis] = []
    for scope in await store.scopes():
        for finding in await units(scope).read(lambda tx: tx.upkeep.ahead(now)):
            if repaired := repair and finding.fault in REPAIRABLE:
                async with units(scope).write() as writer:
                    await _repair(writer, finding)
            diagnoses.append(_diagnosis(scope, finding, repaired=repaired))
    return diagnoses


async def open_breakers(store: Store, *, now: datetime, repair: bool) -> list[Diagnosis]:
    """Return the models that are not called because they failed repeatedly; a repair closes their breakers."""
    breakers = [one for one in await store.breakers() if one.is_open(now)]
    if not breakers:
        return []
    for breaker in breakers if repair else ():
        await store.drop_breaker(breaker.model, breaker.purpose)
    finding = Finding(fault=StoreFault.MODEL_LEFT_ALONE, where=tuple(map(str, breakers)))
    return [_diagnosis(None, finding, repaired=repair)]


async def unused_replicas(store: Store) -> list[Diagnosis]:
    """Return the replicas that are not asked, with the reasons."""
    unused = [one for one in await store.replicas(look=True) if not one.is_in_order]
    return _found(StoreFault.REPLICA_NOT_USED, [f"{one.name} ({one.status}: {one.reason})" for one in unused])


async def databases_away(store: Store) -> list[Diagnosis]:
    """Return those of several databases that do not answer, with the reasons; their tenants are not checked."""
    away = [f"{one.name} ({one.reason})" for one in await store.databases() if not one.answers]
    return _found(StoreFault.DATABASE_AWAY, away)


async def unfinished_moves(store: Store) -> list[Diagnosis]:
    """Return the moves of tenants between databases that have not ended."""
    moves = [
        f"{one.tenant} in {one.database} (moving: {', '.join(sorted({*one.left_over, one.moving_to} - {''}))})"
        for one in await store.placements()
        if one.moving_to or one.left_over
    ]
    return _found(StoreFault.UNFINISHED_MOVE, moves)


async def rebuild_text_index(unit: UnitOfWork, *, progress: Callable[[int], None] = lambda _: None) -> int:
    """Rebuild the text index of one exact scope and return the number of documents in it.

    Args:
        progress: receives the number of documents since the last call.
    """
    async with unit.write() as writer:
        return await _rebuild(writer, progress)


async def _rebuild(writer: WriteTransaction, progress: Callable[[int], None] = lambda _: None) -> int:
    await writer.put(ClearIndex())
    count = 0
    async for page in _indexed_pages(writer.tx):
        terms = {record.id: terms_in_index(record, sign=writer.rules.sign) for record, _ in page}
        await writer.put(IndexUpdates(terms=terms))
        found = sum(one is not None for one in terms.values())
        progress(found)
        count += found
    return count


async def _store_faults(store: Store, *, repair: bool) -> list[Diagnosis]:
    """Return the faults that belong to no scope."""
    faults = left = await store.faults()
    if repair and faults:
        await store.repair()
        left = await store.faults()
    return [_diagnosis(None, finding, repaired=finding not in left) for finding in faults]


async def _broken_chain(unit: UnitOfWork) -> list[Diagnosis]:
    """Return the entries at which the audit log of a tenant was changed."""
    broken = await unit.read(lambda tx: tx.audit.broken_entries())
    return _found(StoreFault.BROKEN_CHAIN, [f"entry {number}" for number in broken])


async def _failing_nights(unit: UnitOfWork) -> list[Diagnosis]:
    """Return the failures of the last run of a scope, if it used all its tries or is the third in a row to fail."""

    async def work(tx: Tx) -> tuple[str, ...]:
        last = night = await tx.maintenance_runs.latest()
        if last is not None and last.failures and last.ended_at is not None:
            return last.failures
        for _ in range(_FAILED_NIGHTS):
            if night is None or FAILED_STEPS not in night.counts:
                return ()
            night = await tx.maintenance_runs.latest(before=night.day)
        return last.failures if last else ()

    return _found(StoreFault.FAILING_NIGHTS, await unit.read(work), scope=unit.scope)


async def _unfinished_erasures(unit: UnitOfWork) -> list[Diagnosis]:
    """Return the erasures of a tenant that have no receipt yet."""
    erasures = await unit.read(lambda tx: tx.policies.exact(Erasure))
    where = [one.number for one in erasures if one.receipt is None]
    return _found(StoreFault.UNFINISHED_ERASURE, where, scope=unit.scope)


async def _half_built_generations(store: Store, *, repair: bool) -> AsyncIterator[Diagnosis]:
    for generation in await store.generations():
        if generation.state is SpaceState.BUILDING:
            if repair:
                await store.drop_generation(generation.number)
            finding = Finding(fault=StoreFault.HALF_BUILT_GENERATION, where=(str(generation.number),))
            yield _diagnosis(None, finding, repaired=repair)


async def _scope_faults(unit: UnitOfWork, *, repairable: Set[StoreFault]) -> list[Diagnosis]:
    sign, scope = unit.rules.sign, unit.scope
    if not repairable:
        return [_diagnosis(scope, finding, repaired=False) for finding in await unit.read(lambda tx: _faults(tx, sign))]
    async with unit.write() as writer:
        faults = await _faults(writer.tx, sign)
        pending = [finding for finding in faults if finding.fault in repairable]
        while pending:
            for finding in pending:
                await _repair(writer, finding)
            # A finding lists a limited number of places; the rest is found after these are repaired.
            full = {finding.fault for finding in pending if len(finding.where) >= MOST_LISTED}
            left = await writer.tx.upkeep.faults() if full else []
            pending = [finding for finding in left if finding.fault in full and finding not in pending]
            faults += pending
    return [_diagnosis(scope, finding, repaired=finding.fault in repairable) for finding in faults]


async def _faults(tx: Tx, sign: Sign) -> list[Finding]:
    lost = await tx.audit.missing_entries()
    entries = [Finding(fault=StoreFault.LOST_ROWS, where=(f"audit {lost}",))] if lost else []
    return await tx.upkeep.faults() + entries + await _text_faults(tx, sign)


async def _text_faults(tx: Tx, sign: Sign) -> list[Finding]:
    """Return the faults that only reading every text reveals: wrong hashes, and wrong or missing index rows."""
    wrong_hashes: list[str] = []
    wrong_rows: list[str] = []
    counts: Counter[str] = Counter()
    stored = Counter(await tx.upkeep.posting_counts())
    async for record, indexed in (one async for page in _indexed_pages(tx) for one in page):
        if hash_of(record.text) != record.hash:
            wrong_hashes.append(record.id)
        terms = terms_in_index(record, sign=sign)
        counts.update(terms.counts.keys() if terms else ())
        if indexed != terms:
            wrong_rows.append(record.id)
    ids_by_fault = ((StoreFault.WRONG_HASH, wrong_hashes), (StoreFault.MISSING_INDEX_ROW, wrong_rows))
    findings = [Finding(fault=fault, where=tuple(ids)) for fault, ids in ids_by_fault if ids]
    wrong = sum((counts - stored).values()) + sum((stored - counts).values())
    if wrong and not wrong_rows:
        return [*findings, Finding(fault=StoreFault.DAMAGED_POSTINGS, where=(f"{wrong} entries",))]
    return findings


async def _indexed_pages(tx: Tx) -> AsyncIterator[Sequence[tuple[Record, Terms | None]]]:
    after = ""
    while page := await tx.upkeep.indexed(after=after, limit=_PAGE):
        yield page
        after = page[-1][0].id


async def _repair(writer: WriteTransaction, finding: Finding) -> None:
    """Repair a fault, or accept it."""
    if finding.fault in REBUILT:
        # Without its row, the postings of a document are unknown: only a rebuild is certain to be right.
        await _rebuild(writer)
    else:
        action = "mended" if finding.fault in REPAIRABLE else "accepted"
        await writer.put(finding, action=action, kind=finding.fault.value, count=len(finding.where))


def _found(fault: StoreFault, where: Sequence[str], *, scope: Scope | None = None) -> list[Diagnosis]:
    """Return the diagnosis of a fault that is not repaired, if there is a place of it."""
    return [_diagnosis(scope, Finding(fault=fault, where=tuple(where)), repaired=False)] if where else []


def _diagnosis(scope: Scope | None, finding: Finding, *, repaired: bool) -> Diagnosis:
    advice = "" if repaired else ADVICE[finding.fault]
    return Diagnosis(scope=scope, finding=finding, repaired=repaired, advice=advice)
