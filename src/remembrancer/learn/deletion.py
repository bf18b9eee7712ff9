"""Deletion of memories, which can be restored, and their erasure, which is permanent."""

from collections.abc import Set
from contextlib import suppress

from remembrancer.errors import Conflict, NotAllowed, NotFound
from remembrancer.learn import patterns as learned
from remembrancer.learn.compact import records as compacting
from remembrancer.learn.sessions import is_own_summary, is_summed_up, sum_up_with
from remembrancer.storage.tx import Tx
from remembrancer.transactions.ownership import dependents_of, find_records, get_own
from remembrancer.transactions.rejections import (
    CLAIMS,
    REJECTED_STATUSES,
    check_sources_not_rejected,
    whole_claim_fingerprints,
)
from remembrancer.transactions.write_transaction import DELETED, EXPIRED, RESTORED, WriteTransaction
from remembrancer.types.feedback import Rejection
from remembrancer.types.lifecycle import GRACE, Status
from remembrancer.types.new import SUMMARY
from remembrancer.types.record import Episode, Observation, Record, Rule, Signal
from remembrancer.types.results import Change
from remembrancer.types.text import hashes_of


async def delete(
    writer: WriteTransaction, id: str, *, erase: bool = False, revision: int | None = None
) -> frozenset[str]:
    """Hide a memory from every read; with `erase`, remove it permanently, with its versions and vectors.

    Derived records follow. Deletion removes those without other active evidence. Erasure removes all of them, except
    what was counted in at least three others and contains nothing of this one, and except what people wrote about that.
    A summary by the engine quotes its sources, and is removed with any of them.

    Returns:
        The sessions that lost their summary; `sessions.sum_up_again` writes a new one from what is left.

    Raises:
        NotFound: no such memory in this scope, or it is deleted already.
        NotAllowed: it belongs to a wider scope.
        RevisionConflict: its revision is not `revision`.
    """
    record = await get_own(writer.tx, id, revision=revision)
    if record.status is Status.DELETED and not erase:
        raise NotFound("memory", id)
    unsummed = set[str]()
    await _remove(writer.as_engine(), record, erase=erase, unsummed=unsummed)
    return frozenset(unsummed)


async def expire(writer: WriteTransaction, record: Record) -> None:
    """Hide a memory whose time is over; derived records have times of their own."""
    await writer.as_engine().move(record, Status.DELETED, action=EXPIRED)


async def purge(writer: WriteTransaction, record: Record) -> None:
    """Remove a deleted memory permanently after its grace period, with the records that quote it."""
    behind = writer.as_engine()
    await _forbid_conclusions(behind, record)
    if isinstance(record, Episode):
        await compacting.release(behind, record, kept=True)
    quoting = [one for one in await drawn_from(behind.tx, record.id) if _is_counter(one) or _was_summary(one)]
    await behind.erase(record)
    if not isinstance(record, Episode):
        for one in quoting:
            # A legal hold may be on what quotes it.
            with suppress(NotAllowed):
                await behind.erase(one)


async def _remove(writer: WriteTransaction, record: Record, *, erase: bool, unsummed: set[str]) -> None:
    """Remove a memory and its derived records; add the sessions that lost their summary to `unsummed`."""
    tx = writer.tx
    drawn = await drawn_from(tx, record.id)
    covers = await compacting.covering(tx, record, ever=erase) if isinstance(record, Episode) else []
    if erase:
        await _forbid_conclusions(writer, record)
        for cover in covers:
            await _uncover(writer, cover)
        if isinstance(record, Episode):
            await compacting.release(writer, record, kept=True)
        await writer.erase(record)
    else:
        await writer.move(record, Status.DELETED, action=DELETED)
        await compacting.retell(writer, covers)
    for conclusion in drawn:
        if erase:
            # A record may have been removed with another.
            left = await tx.records.find(conclusion.id)
            if isinstance(left, Observation) and await learned.is_valid_without(tx, left, record):
                await learned.lost(writer, left)
            elif left is not None and not (isinstance(record, Episode) and _is_counter(left)):
                unsummed |= _session_unsummed(left)
                await _remove(writer, left, erase=True, unsummed=unsummed)
        elif conclusion.status is not Status.DELETED and not await has_evidence(tx, conclusion):
            unsummed |= _session_unsummed(conclusion)
            await _remove(writer, conclusion, erase=False, unsummed=unsummed)


async def _forbid_conclusions(writer: WriteTransaction, record: Record) -> None:
    """Refuse people's conclusions from a rejected memory, since nothing will link them to it soon."""
    tx = writer.tx
    found: list[Record] = [record] if await tx.rejections.of_record(record.id) else []
    seen = {record.id}
    while found:
        resting = [one for source in found for one in await dependents_of(tx, source.id)]
        found = [one for one in resting if isinstance(one, CLAIMS) and one.scope == tx.scope and one.id not in seen]
        seen.update(one.id for one in found)
        words = {word for one in found for word in whole_claim_fingerprints(one, sign=writer.rules.sign)}
        await writer.put(*(Rejection(words=word, record=record.id) for word in sorted(words)))


async def _uncover(writer: WriteTransaction, cover: Episode) -> None:
    """Erase a compact record with erased contents; a later one covers its other episodes."""
    if await writer.tx.records.find(cover.id) is None:
        # It went with another one.
        return
    for above in await compacting.covering(writer.tx, cover, ever=True):
        await _uncover(writer, above)
    await compacting.release(writer, cover)
    await writer.erase(cover)


async def restore(writer: WriteTransaction, id: str) -> Record:
    """Restore a deleted memory to its earlier status, or make an archived one active.

    Raises:
        NotFound: no such memory in this scope.
        Conflict: it is neither, or another has replaced it since.
    """
    record = await get_own(writer.tx, id)
    restored = await bring_back(writer, record)
    if record.status is Status.DELETED:
        await sum_up_with(writer, record)
    return restored


async def bring_back(writer: WriteTransaction, record: Record) -> Record:
    """Restore a memory as `restore` does, without rebuilding the summary of its session.

    Raises:
        Conflict: it is neither deleted nor archived, or another has replaced it since.
    """
    id = record.id
    if record.status is Status.DELETED and record.updated_at + GRACE < writer.now:
        raise Conflict(f"memory {id!r} was deleted more than {GRACE.days} days ago, and can be restored no longer")
    if record.status is Status.DELETED and is_own_summary(record) and not await has_evidence(writer.tx, record):
        raise Conflict(f"memory {id!r} is a summary that quotes what is deleted; restore that first")
    if record.status is Status.DELETED and isinstance(record, Observation):
        other = await _replacement(writer.tx, record)
        if other is not None:
            place = f"the topic key {record.topic_key!r}" if record.topic_key else "the same text"
            raise Conflict(f"memory {other.id!r} has {place} now; delete that one first")
    return await _brought_back(writer.as_engine(), record)


async def _brought_back(writer: WriteTransaction, record: Record) -> Record:
    tx = writer.tx
    if record.status is Status.ARCHIVED:
        return await writer.move(record, Status.ACTIVE, action=RESTORED)
    if record.status is not Status.DELETED:
        raise Conflict(
            f"memory {record.id!r} is neither deleted nor archived, but {record.status};"
            " to return to an earlier wording, edit it"
        )
    before = await _before(writer, record)
    if isinstance(record, CLAIMS) and before in (Status.ACTIVE, Status.BUFFERED):
        await check_sources_not_rejected(tx, await find_records(tx, record.evidence), sign=writer.rules.sign)
    if isinstance(record, Episode):
        before = await compacting.settled(tx, record, before)
    result = await writer.change(record, await back_to(tx, record, before), action=RESTORED)
    if isinstance(result, Episode):
        await compacting.retell(writer, await compacting.covering(tx, result))
    for conclusion in await drawn_from(tx, record.id):
        replacement = await _replacement(tx, conclusion) if isinstance(conclusion, Observation) else None
        if is_own_summary(conclusion) and await is_summed_up(tx, conclusion.session):
            continue
        if conclusion.status is Status.DELETED and not replacement and await has_evidence(tx, conclusion):
            # What a person has rejected besides stays away.
            with suppress(NotAllowed):
                await _brought_back(writer, conclusion)
    return result


async def _before(writer: WriteTransaction, record: Record) -> Status:
    """Return the earlier status of a deleted memory, unless that was a rejection undone since."""
    versions = writer.tx.versions
    before = await versions.status_before(record.id, apart_from=(Status.DELETED,))
    if before not in REJECTED_STATUSES or await writer.tx.rejections.of_record(record.id):
        return before
    return await versions.status_before(record.id, apart_from=(*REJECTED_STATUSES, Status.DELETED))


async def back_to(tx: Tx, record: Record, status: Status) -> Change:
    """Return the change that restores a status; a note whose messages are replaced by notes is shown."""
    if status is Status.BUFFERED and isinstance(record, Observation) and (place := await _shown_at(tx, record)):
        return Change(status=Status.ACTIVE, place=place)
    return Change(status=status)


async def _shown_at(tx: Tx, note: Observation) -> int | None:
    """Return the position of a restored note in the log: after the notes of the same chunk."""
    chunks = await tx.chunks.list(note.session) if note.session else []
    return next((chunk.place for chunk in chunks if chunk.first <= note.first <= chunk.last), None)


async def drawn_from(tx: Tx, id: str) -> list[Record]:
    """Return the conclusions from a memory in the exact scope: the engine's, rules and counter-signals."""
    return [
        item
        for item in await dependents_of(tx, id)
        if item.scope == tx.scope
        and (
            isinstance(item, Rule | Signal) or (isinstance(item, Observation) and (item.engine or is_own_summary(item)))
        )
    ]


def _session_unsummed(record: Record) -> set[str]:
    """Return the session that loses its summary with this record, if it is an active one of the engine."""
    was_current = is_own_summary(record) and record.status is Status.ACTIVE
    return {record.session} if was_current and record.session else set()


def _was_summary(record: Record) -> bool:
    """Return True for a summary of the engine that was deleted with a source."""
    return is_own_summary(record) and record.status is Status.DELETED


def _is_counter(record: Record) -> bool:
    """Return True for the counter-signal of a "wrong", which is removed with its observation."""
    return isinstance(record, Signal) and record.details.is_counter


async def has_evidence(tx: Tx, conclusion: Record, *, without: Set[str] = frozenset()) -> bool:
    """Return True if any of a conclusion's evidence is not deleted; all of it, for a summary that quotes.

    Args:
        without: ids of evidence that counts as deleted.
    """
    sources = await find_records(tx, conclusion.evidence)
    present = [source.status is not Status.DELETED and source.id not in without for source in sources]
    return all(present) if is_own_summary(conclusion) else any(present)


async def _replacement(tx: Tx, record: Observation) -> Record | None:
    """Return the record saved since under the same topic key, or with the same text if it has none."""
    if record.type == SUMMARY:
        return None
    if record.topic_key is not None:
        return await tx.observations.by_topic(record.topic_key)
    return await tx.observations.by_hash(record.hash, *hashes_of(record.text))
