"""Finding what is wrong with a store, scope by scope, and mending what can be mended without judgement."""

from collections import Counter
from collections.abc import AsyncIterator, Set
from dataclasses import dataclass
from datetime import datetime

from remembrancer.errors import StoreUnavailable
from remembrancer.search.external_index import Mirror
from remembrancer.storage.base import Store
from remembrancer.storage.tx import Tx
from remembrancer.transactions.documents import terms_in_index
from remembrancer.transactions.echo import Sign
from remembrancer.transactions.unit_of_work import Desk, Desks
from remembrancer.transactions.write import Reindexed, Unindexed, Writing
from remembrancer.types.characters import hash_of
from remembrancer.types.fault import ACCEPTABLE, MENDABLE, MOST_LISTED, Fault, Finding
from remembrancer.types.night import FAILED_STEPS
from remembrancer.types.policy import Erasure
from remembrancer.types.record import Record
from remembrancer.types.scope import Scope
from remembrancer.types.space import SpaceState
from remembrancer.types.terms import Terms

_BATCH = 500
# So many that fail one after the other are a fault.
_NIGHTS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """One fault in one scope, and whether it was mended.

    Args:
        scope: `None` for the store as a whole.
        advice: what a person can do about what was not mended.
    """

    scope: Scope | None
    finding: Finding
    mended: bool
    advice: str


ADVICE = {
    Fault.ORPHAN_VECTOR: "run `remembrancer doctor --mend` to remove the vectors of wordings that are gone",
    Fault.MISSING_INDEX_ROW: "run `remembrancer doctor --mend` or `remembrancer reindex`",
    Fault.ORPHAN_INDEX_ROW: "run `remembrancer doctor --mend` or `remembrancer reindex`",
    Fault.WRONG_HASH: "the text was changed outside of Remembrancer; restore a backup, or save it again",
    Fault.BROKEN_EVIDENCE: "a source is missing; look at the memory and delete it if nothing else supports it",
    Fault.NUMBER_GAP: "messages were removed outside of Remembrancer: restore a backup, or `--accept-losses`",
    Fault.HALF_BUILT_GENERATION: "run `remembrancer reembed` to finish it, or `doctor --mend` to drop it",
    Fault.MISSING_VECTOR: "run `remembrancer doctor --mend`, then `remembrancer reindex`",
    Fault.DAMAGED_POSTINGS: "run `remembrancer doctor --mend` or `remembrancer reindex`",
    Fault.DAMAGED_FILE: "restore a backup",
    Fault.FOREIGN_ANALYSER: "another version has made the words that memories are found by: run `remembrancer reindex`",
    Fault.FAILING_NIGHTS: "tried again and again: all else of the nights was done; look at the cause, and at the log",
    Fault.FUTURE_NIGHT: "a clock ran ahead; run `doctor --mend`, so that these nights are run when they come",
    Fault.FUTURE_TIME: "a clock ran ahead; nothing is lost, and until then these count as new",
    Fault.MODEL_LEFT_ALONE: "see that the model answers; it is tried again by then, or at once after `doctor --mend`",
    Fault.DAMAGED_TEXT: "restore a backup; `doctor --mend` puts \ufffd for what is no text; the rest is left out",
    Fault.LOST_ROWS: "removed outside of Remembrancer: restore a backup, or take it as it is with `--accept-losses`",
    Fault.FOREIGN_ROWS: "written outside of Remembrancer: look at them; `--accept-losses` takes them as they are",
    Fault.ORPHAN_ROWS: "what these rows belong to was removed outside of Remembrancer: restore a backup",
    Fault.BROKEN_CHAIN: "the audit log was changed outside of Remembrancer: restore a backup, and ask who did",
    Fault.UNFINISHED_ERASURE: "it goes on, or was broken off: run the same `remembrancer erasures erase` once more",
    Fault.LAGGING_VECTOR_INDEX: "see that the vector index is reached, then run `doctor --mend` or `reindex`",
}


REBUILT = frozenset({Fault.DAMAGED_POSTINGS, Fault.MISSING_INDEX_ROW})
"""What only building the text index anew mends."""


async def diagnose(
    store: Store, desk: Desks, *, analyser: str, mend: bool, accept_losses: bool = False
) -> list[Diagnosis]:
    """Every fault of the store; with `mend`, those that can be are mended.

    Args:
        analyser: the one by which words are looked for here.
        accept_losses: whether rows that are gone, or were added, by another hand are taken as they are.
    """
    damage = await store.damage()
    if damage:
        return [_diagnosis(None, Finding(fault=Fault.DAMAGED_FILE, where=tuple(damage)), mended=False)]
    found = await _whole(store, mend=mend)
    found += [item async for item in _generations(store, mend=mend)]
    made_by = await store.analyser()
    if foreign := made_by not in ("", analyser):
        found.append(_diagnosis(None, Finding(fault=Fault.FOREIGN_ANALYSER, where=(made_by,)), mended=mend))
    mendable: set[Fault] = set()
    if mend:
        mendable |= MENDABLE | REBUILT
    if accept_losses:
        mendable |= ACCEPTABLE
    tenants: set[str] = set()
    for scope in await store.scopes():
        if scope.tenant not in tenants:
            tenants.add(scope.tenant)
            found += await _chain(desk(scope))
            found += await _unfinished(desk(Scope(tenant=scope.tenant)))
        found += await _scope(desk(scope), mendable=mendable)
        found += await _failing_nights(desk(scope))
    if mend and foreign:
        # Every wording that it made otherwise was missing a row above.
        await store.set_analyser(analyser)
    return found


async def lags(mirror: Mirror, *, mend: bool) -> list[Diagnosis]:
    """Where the outside vector index has not just what the store has; or that it is away, which `mend` cannot help."""
    found: list[Diagnosis] = []
    try:
        for lag in await mirror.lags():
            if mend:
                await mirror.mend(lag)
            where = tuple(str(document) for document in (*lag.missing, *lag.left_over))
            found.append(_diagnosis(lag.scope, Finding(fault=Fault.LAGGING_VECTOR_INDEX, where=where), mended=mend))
    except StoreUnavailable as error:
        found.append(_diagnosis(None, Finding(fault=Fault.LAGGING_VECTOR_INDEX, where=(str(error),)), mended=False))
    return found


async def ahead(store: Store, desk: Desks, *, now: datetime, mend: bool) -> list[Diagnosis]:
    """What a clock that ran ahead has written, scope by scope; with `mend`, nights that are to come are forgotten."""
    found: list[Diagnosis] = []
    for scope in await store.scopes():
        for finding in await desk(scope).read(lambda tx: tx.upkeep.ahead(now)):
            if mends := mend and finding.fault in MENDABLE:
                async with desk(scope).write() as writing:
                    await _mend(writing, finding)
            found.append(_diagnosis(scope, finding, mended=mends))
    return found


async def left_alone(store: Store, *, now: datetime, mend: bool) -> list[Diagnosis]:
    """Models that have failed again and again and are left alone; with `mend`, they are asked again at once."""
    found = [one for one in await store.breakers() if one.is_open(now)]
    for breaker in found if mend else ():
        await store.drop_breaker(breaker.model, breaker.purpose)
    where = tuple(map(str, found))
    return [_diagnosis(None, Finding(fault=Fault.MODEL_LEFT_ALONE, where=where), mended=mend)] if found else []


async def reindex(desk: Desk) -> int:
    """Build the text index of one exact scope anew; how many wordings it has then."""
    async with desk.write() as writing:
        return await _rebuild(writing)


async def _rebuild(writing: Writing) -> int:
    await writing.note(Unindexed())
    count = 0
    async for record, _ in _records(writing.tx):
        terms = terms_in_index(record, sign=writing.rules.sign)
        await writing.note(Reindexed(id=record.id, terms=terms))
        count += terms is not None
    return count


async def _whole(store: Store, *, mend: bool) -> list[Diagnosis]:
    """What is wrong whatever the scope."""
    found = left = await store.faults()
    if mend and found:
        await store.repair()
        left = await store.faults()
    return [_diagnosis(None, finding, mended=finding not in left) for finding in found]


async def _chain(desk: Desk) -> list[Diagnosis]:
    """Where the audit log of a scope's tenant was changed."""
    broken = await desk.read(lambda tx: tx.audit.broken_entries())
    where = tuple(f"entry {number}" for number in broken)
    return [_diagnosis(None, Finding(fault=Fault.BROKEN_CHAIN, where=where), mended=False)] if where else []


async def _failing_nights(desk: Desk) -> list[Diagnosis]:
    """What failed in the last night of a scope: however often it was tried, or in each of the last three."""

    async def work(tx: Tx) -> tuple[str, ...]:
        last = night = await tx.maintenance_runs.latest()
        if last is not None and last.failures and last.ended_at is not None:
            return last.failures
        for _ in range(_NIGHTS):
            if night is None or FAILED_STEPS not in night.counts:
                return ()
            night = await tx.maintenance_runs.latest(before=night.day)
        return last.failures if last else ()

    where = await desk.read(work)
    return [_diagnosis(desk.scope, Finding(fault=Fault.FAILING_NIGHTS, where=where), mended=False)] if where else []


async def _unfinished(desk: Desk) -> list[Diagnosis]:
    """The erasures of a tenant that have no receipt yet."""
    kept = await desk.read(lambda tx: tx.policies.exact(Erasure))
    where = tuple(one.number for one in kept if one.receipt is None)
    return [_diagnosis(desk.scope, Finding(fault=Fault.UNFINISHED_ERASURE, where=where), mended=False)] if where else []


async def _generations(store: Store, *, mend: bool) -> AsyncIterator[Diagnosis]:
    for generation in await store.generations():
        if generation.state is SpaceState.BUILDING:
            if mend:
                await store.drop_generation(generation.number)
            finding = Finding(fault=Fault.HALF_BUILT_GENERATION, where=(str(generation.number),))
            yield _diagnosis(None, finding, mended=mend)


async def _scope(desk: Desk, *, mendable: Set[Fault]) -> list[Diagnosis]:
    sign, scope = desk.rules.sign, desk.scope
    if not mendable:
        return [_diagnosis(scope, finding, mended=False) for finding in await desk.read(lambda tx: _faults(tx, sign))]
    async with desk.write() as writing:
        found = await _faults(writing.tx, sign)
        listed = [finding for finding in found if finding.fault in mendable]
        while listed:
            for finding in listed:
                await _mend(writing, finding)
            # What is many is listed in parts.
            parts = {finding.fault for finding in listed if len(finding.where) >= MOST_LISTED}
            left = await writing.tx.upkeep.faults() if parts else []
            listed = [finding for finding in left if finding.fault in parts and finding not in listed]
            found += listed
    return [_diagnosis(scope, finding, mended=finding.fault in mendable) for finding in found]


async def _faults(tx: Tx, sign: Sign) -> list[Finding]:
    gone = await tx.audit.missing_entries()
    entries = [Finding(fault=Fault.LOST_ROWS, where=(f"audit {gone}",))] if gone else []
    return await tx.upkeep.faults() + entries + await _texts(tx, sign)


async def _texts(tx: Tx, sign: Sign) -> list[Finding]:
    """What only reading every text tells: wrong hashes, and index rows that are missing or say something else."""
    hashes: list[str] = []
    index: list[str] = []
    counts: Counter[str] = Counter()
    stored = Counter(await tx.upkeep.posting_counts())
    async for record, held in _records(tx):
        if hash_of(record.text) != record.hash:
            hashes.append(record.id)
        terms = terms_in_index(record, sign=sign)
        counts.update(terms.counts.keys() if terms else ())
        if held != terms:
            index.append(record.id)
    named = ((Fault.WRONG_HASH, hashes), (Fault.MISSING_INDEX_ROW, index))
    found = [Finding(fault=fault, where=tuple(ids)) for fault, ids in named if ids]
    wrong = sum((counts - stored).values()) + sum((stored - counts).values())
    if wrong and not index:
        return [*found, Finding(fault=Fault.DAMAGED_POSTINGS, where=(f"{wrong} entries",))]
    return found


async def _records(tx: Tx) -> AsyncIterator[tuple[Record, Terms | None]]:
    after = ""
    while found := await tx.upkeep.indexed(after=after, limit=_BATCH):
        for item in found:
            yield item
        after = found[-1][0].id


async def _mend(writing: Writing, finding: Finding) -> None:
    """Mend a fault, or take it as it is."""
    if finding.fault in REBUILT:
        # Without its row nobody knows which postings a wording had: only building all of them anew is sure to be right.
        await _rebuild(writing)
    else:
        action = "mended" if finding.fault in MENDABLE else "accepted"
        await writing.note(finding, action=action, kind=finding.fault.value, count=len(finding.where))


def _diagnosis(scope: Scope | None, finding: Finding, *, mended: bool) -> Diagnosis:
    return Diagnosis(scope=scope, finding=finding, mended=mended, advice="" if mended else ADVICE[finding.fault])
