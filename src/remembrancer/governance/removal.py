"""Taking a memory away, and back: deleting means soft, erasing means gone."""

from dataclasses import replace

from remembrancer.errors import Conflict, NotAllowed, NotFound
from remembrancer.governance.admit import Rules
from remembrancer.governance.wording import terms_in_index
from remembrancer.model.lifecycle import Status, check_transition
from remembrancer.model.observation_types import SUMMARY
from remembrancer.model.record import Observation, Record, kind_of
from remembrancer.ports.store import AuditEntry, Change, Tx


async def delete(tx: Tx, id: str, rules: Rules, *, erase: bool = False) -> None:
    """Take a memory out of every read at once; with `erase`, for good, its wordings, indexes and vectors too.

    What an engine drew from it goes with it: on deletion what rests on nothing else that stands, on erasure all of it.

    Raises:
        NotFound: no such memory here, or it is deleted already.
        NotAllowed: it belongs to a wider scope.
    """
    record = await own(tx, id)
    if record.status is Status.DELETED and not erase:
        raise NotFound("memory", id)
    drawn = await _drawn_from(tx, record)
    if erase:
        await tx.records.erase(id)
    else:
        check_transition(record.status, Status.DELETED)
        await tx.records.change(id, Change(status=Status.DELETED), at=rules.clock.now(), terms=None)
    await _audit(tx, record, rules, action="erased" if erase else "deleted")
    for conclusion in drawn:
        if erase:
            # One may have gone with another.
            if await tx.records.find(conclusion.id):
                await delete(tx, conclusion.id, rules, erase=True)
        elif conclusion.status is not Status.DELETED and not await _rests_on_anything(tx, conclusion):
            await delete(tx, conclusion.id, rules)


async def restore(tx: Tx, id: str, rules: Rules) -> Record:
    """A deleted memory as it was before.

    Raises:
        NotFound: no such memory here.
        Conflict: it is not deleted, or another has taken its place since.
    """
    record = await own(tx, id)
    if record.status is not Status.DELETED:
        raise Conflict(f"memory {id!r} is not deleted, but {record.status}")
    if isinstance(record, Observation) and (other := await _taken(tx, record)):
        place = f"the topic key {record.topic_key!r}" if record.topic_key else "the same text"
        raise Conflict(f"memory {other.id!r} has {place} now; delete that one first")
    before = await tx.records.status_before(id)
    change = Change(status=before)
    if before is Status.BUFFERED and isinstance(record, Observation) and (place := await _shown_at(tx, record)):
        change = Change(status=Status.ACTIVE, place=place)
    terms = terms_in_index(replace(record, status=change.status or before), sign=rules.sign)
    result = await tx.records.change(id, change, at=rules.clock.now(), terms=terms)
    await _audit(tx, result, rules, action="restored")
    for conclusion in await _drawn_from(tx, record):
        if conclusion.status is Status.DELETED and not await _taken(tx, conclusion):
            await restore(tx, conclusion.id, rules)
    return result


async def _shown_at(tx: Tx, note: Observation) -> int | None:
    """Where a note belongs in the log whose messages have given way while it was deleted: behind those beside it."""
    chunks = await tx.chunks.list(note.session) if note.session else []
    return next((chunk.place for chunk in chunks if chunk.first <= note.first <= chunk.last), None)


async def _drawn_from(tx: Tx, record: Record) -> list[Observation]:
    """What an engine concluded from a memory, in the exact scope."""
    found = [await tx.records.find(id) for id in await tx.records.dependants(record.id)]
    return [item for item in found if isinstance(item, Observation) and item.engine and item.scope == tx.scope]


async def _rests_on_anything(tx: Tx, conclusion: Record) -> bool:
    """Whether any of its evidence still stands."""
    found = [await tx.records.find(id) for id in conclusion.evidence]
    return any(source is not None and source.status is not Status.DELETED for source in found)


async def _taken(tx: Tx, record: Observation) -> Record | None:
    """What was saved since under the same topic key, or with the same text where there is none."""
    if record.type == SUMMARY:
        return None
    if record.topic_key is not None:
        return await tx.records.by_topic(record.topic_key)
    return await tx.records.by_hash(record.hash)


async def own(tx: Tx, id: str) -> Record:
    """A record that may be changed from here.

    Raises:
        NotFound: it is not here.
        NotAllowed: it is seen from here, but belongs to a wider scope.
    """
    record = await tx.records.find(id)
    if record is None:
        raise NotFound("memory", id)
    if record.scope != tx.scope:
        raise NotAllowed(f"memory {id!r} is shared by a wider scope; open that scope to change it")
    return record


async def _audit(tx: Tx, record: Record, rules: Rules, *, action: str) -> None:
    entry = AuditEntry(
        action=action, kind=kind_of(record).value, record=record.id, count=1, door=rules.door, at=rules.clock.now()
    )
    await tx.audit.add([entry])
