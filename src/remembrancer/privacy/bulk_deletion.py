"""Deleting many memories by a filter, and restoring all of them in one step."""

from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from remembrancer.errors import Conflict, InvalidInput, NotAllowed, NotFound
from remembrancer.learn import deletion as removal
from remembrancer.learn.sessions import is_own_summary, is_summed_up, sum_up_again, sum_up_with
from remembrancer.storage.tx import Tx
from remembrancer.transactions.holds import held_by, refuse_held
from remembrancer.transactions.ownership import every
from remembrancer.transactions.write import Writing
from remembrancer.types.filter import Filter
from remembrancer.types.lifecycle import Status
from remembrancer.types.policy import LegalHold
from remembrancer.types.record import Record

MOST_AT_ONCE = 10_000
_IDS_NAMED = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Deletion:
    """The memories that one call deletes, or would delete.

    Args:
        count: how many memories the filter names, without those under a legal hold.
        ids: of the newest of these, 50 at most.
        along: how many more are deleted with them, because they were drawn from them alone.
        held: how many a legal hold keeps.
        deleted_at: names the deletion for `restore_many`; `None` where nothing was deleted.
    """

    count: int
    ids: tuple[str, ...]
    along: int
    held: int
    deleted_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Restoration:
    """The memories of one deletion that were restored.

    Args:
        count: how many memories were restored.
        refused: ids of those that stay deleted, because another memory has their place, or a person has rejected them.
    """

    count: int
    refused: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Planned:
    """The memories that a filter names and no legal hold keeps, and those that are deleted with them."""

    records: list[Record]
    along: list[Record]
    deletion: Deletion


async def plan_deletion(tx: Tx, filter: Filter) -> Deletion:
    """Return what `delete_many` would do to the memories of the exact scope; nothing is done.

    Raises:
        InvalidInput, NotAllowed: as `delete_many`.
    """
    return (await _planned(tx, filter)).deletion


async def delete_many(writing: Writing, filter: Filter) -> Deletion:
    """Delete the memories of the exact scope that a filter names, at one moment.

    Raises:
        InvalidInput: the filter names every memory, or too many.
        NotAllowed: a legal hold is on a memory that was drawn from these alone.
    """
    planned = await _planned(writing.tx, filter)
    if not planned.records:
        return planned.deletion
    writing.now = await _moment(writing, [*planned.records, *planned.along])
    unsummed = set[str]()
    # What was drawn from others was recorded after them, and goes first: so each changes once.
    for record in sorted(planned.records, key=lambda one: (one.recorded_at, one.id), reverse=True):
        # One may have been deleted with another.
        with suppress(NotFound):
            unsummed |= await removal.delete(writing, record.id)
    await sum_up_again(writing, sorted(unsummed))
    return replace(planned.deletion, deleted_at=writing.now)


async def restore_many(writing: Writing, deleted_at: datetime) -> Restoration:
    """Restore the memories of the exact scope that were deleted at one moment and are still deleted.

    Raises:
        NotFound: no memory here was deleted at that moment, or all of them were restored.
    """
    tx = writing.tx
    found = await tx.records.deleted_together(deleted_at)
    if not found:
        raise NotFound("deletion", deleted_at.isoformat())
    count, refused, sessions = 0, list[str](), dict[str | None, Record]()
    # A summary quotes all that it rests on, so it comes last.
    for record in sorted(found, key=lambda one: (is_own_summary(one), one.recorded_at, one.id)):
        left = await tx.records.find(record.id)
        if left is not None and left.status is Status.DELETED:
            if is_own_summary(left) and await is_summed_up(tx, left.session):
                continue
            try:
                await removal.bring_back(writing, left)
            except (Conflict, NotAllowed):
                refused.append(record.id)
                continue
        count += 1
        sessions.setdefault(record.session, record)
    for record in sessions.values():
        await sum_up_with(writing, record)
    return Restoration(count=count, refused=tuple(refused))


async def _planned(tx: Tx, filter: Filter) -> _Planned:
    """Return the memories that a filter names, and what follows from their deletion."""
    if not filter.narrows():
        raise InvalidInput("no filter is given, and every memory would be deleted; name at least one")
    found = list[Record]()
    async for record in every(tx, filter):
        if record.status is not Status.DELETED:
            found.append(record)
        if len(found) > MOST_AT_ONCE:
            raise InvalidInput(f"more than {MOST_AT_ONCE:,} memories pass this filter; narrow it")
    behind = tx.engine()
    kept = await behind.policies.visible(LegalHold)
    free = [one for one in found if not (kept and await held_by(behind, one, kept))]
    along = await _drawn_from_alone(behind, free)
    for one in along if kept else ():
        refuse_held(f"memory {one.id!r}", await held_by(behind, one, kept))
    # What is closed to the caller is not counted.
    seen = await tx.records.find_all([one.id for one in along]) if along else []
    deletion = Deletion(
        count=len(free),
        ids=tuple(one.id for one in free[:_IDS_NAMED]),
        along=len(seen),
        held=len(found) - len(free),
    )
    return _Planned(records=free, along=along, deletion=deletion)


async def _drawn_from_alone(tx: Tx, records: list[Record]) -> list[Record]:
    """Return the conclusions that rest on nothing else once some memories are deleted."""
    gone, along, waiting = {one.id for one in records}, list[Record](), list(records)
    while waiting:
        for one in await removal.drawn_from(tx, waiting.pop().id):
            is_kept = one.status is Status.DELETED or await removal.stands(tx, one, without=gone)
            if one.id not in gone and not is_kept:
                gone.add(one.id)
                along.append(one)
                waiting.append(one)
    return along


async def _moment(writing: Writing, records: list[Record]) -> datetime:
    """Return a moment for a deletion: after the last change of each memory, and of no other deletion here."""
    step = timedelta(microseconds=1)
    moment = max(writing.now, max(one.updated_at for one in records) + step)
    while await writing.as_engine().tx.records.deleted_together(moment):
        moment += step
    return moment
