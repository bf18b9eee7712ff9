"""Deletion of many memories by a filter, and restoring all of them in one step."""

from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from remembrancer.errors import Conflict, InvalidInput, NotAllowed, NotFound
from remembrancer.learn import deletion
from remembrancer.learn.sessions import is_own_summary, is_summed_up, sum_up_again, sum_up_with
from remembrancer.storage.tx import Tx
from remembrancer.transactions.legal_holds import holds_on, refuse_if_on_hold
from remembrancer.transactions.ownership import iterate_records
from remembrancer.transactions.write_transaction import WriteTransaction
from remembrancer.types.filter import Filter
from remembrancer.types.lifecycle import Status
from remembrancer.types.policy import LegalHold
from remembrancer.types.record import Record

MAX_MEMORIES = 10_000
_MAX_IDS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Deletion:
    """The memories that one call deletes, or would delete.

    Args:
        count: memories that match the filter and are not under a legal hold.
        ids: of the 50 newest of these.
        derived: further memories that are deleted since they were derived from these only.
        on_hold: matching memories that a legal hold keeps.
        deleted_at: identifies the deletion for `restore_many`; `None` if nothing was deleted.
    """

    count: int
    ids: tuple[str, ...]
    derived: int
    on_hold: int
    deleted_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Restoration:
    """The memories of one deletion that were restored.

    Args:
        count: number of restored memories.
        refused: ids of those that stay deleted, because they were replaced or rejected.
    """

    count: int
    refused: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """The memories that match a filter and are under no legal hold, and those derived from them only."""

    records: list[Record]
    derived: list[Record]
    deletion: Deletion


async def plan_deletion(tx: Tx, filter: Filter) -> Deletion:
    """Return what `delete_many` would do to the memories of the exact scope.

    Raises:
        InvalidInput, NotAllowed: as `delete_many`.
    """
    return (await _plan(tx, filter)).deletion


async def delete_many(writer: WriteTransaction, filter: Filter) -> Deletion:
    """Delete the memories of the exact scope that match a filter, all with one time of deletion.

    Raises:
        InvalidInput: the filter matches every memory, or too many.
        NotAllowed: a legal hold is on a memory that was derived from these only.
    """
    plan = await _plan(writer.tx, filter)
    if not plan.records:
        return plan.deletion
    writer.now = await _deletion_time(writer, [*plan.records, *plan.derived])
    unsummed = set[str]()
    # Derived memories were recorded later and are deleted first, so that each memory changes once.
    for record in sorted(plan.records, key=lambda one: (one.recorded_at, one.id), reverse=True):
        # One may have been deleted with another.
        with suppress(NotFound):
            unsummed |= await deletion.delete(writer, record.id)
    await sum_up_again(writer, sorted(unsummed))
    return replace(plan.deletion, deleted_at=writer.now)


async def restore_many(writer: WriteTransaction, deleted_at: datetime) -> Restoration:
    """Restore the memories of the exact scope that were deleted at one time and are still deleted.

    Raises:
        NotFound: no memory was deleted at that time, or all of them were restored.
    """
    tx = writer.tx
    records = await tx.records.deleted_together(deleted_at)
    if not records:
        raise NotFound("deletion", deleted_at.isoformat())
    count, refused, sessions = 0, list[str](), dict[str | None, Record]()
    # A summary quotes the other memories of its session, so it is restored last.
    for record in sorted(records, key=lambda one: (is_own_summary(one), one.recorded_at, one.id)):
        current = await tx.records.find(record.id)
        if current is not None and current.status is Status.DELETED:
            if is_own_summary(current) and await is_summed_up(tx, current.session):
                continue
            try:
                await deletion.bring_back(writer, current)
            except (Conflict, NotAllowed):
                refused.append(record.id)
                continue
        count += 1
        sessions.setdefault(record.session, record)
    for record in sessions.values():
        await sum_up_with(writer, record)
    return Restoration(count=count, refused=tuple(refused))


async def _plan(tx: Tx, filter: Filter) -> _Plan:
    """Return the memories that match a filter, and what follows from their deletion."""
    if not filter.narrows():
        raise InvalidInput("every memory would be deleted; set at least one condition of the filter")
    matches = list[Record]()
    async for record in iterate_records(tx, filter):
        if record.status is not Status.DELETED:
            matches.append(record)
        if len(matches) > MAX_MEMORIES:
            raise InvalidInput(f"more than {MAX_MEMORIES:,} memories match this filter; narrow it")
    engine = tx.engine()
    holds = await engine.policies.visible(LegalHold)
    free = [one for one in matches if not (holds and await holds_on(engine, one, holds))]
    derived = await _derived_only(engine, free)
    for one in derived if holds else ():
        refuse_if_on_hold(f"memory {one.id!r}", await holds_on(engine, one, holds))
    # Memories that the caller may not see are not counted.
    visible = await tx.records.find_all([one.id for one in derived]) if derived else []
    planned = Deletion(
        count=len(free),
        ids=tuple(one.id for one in free[:_MAX_IDS]),
        derived=len(visible),
        on_hold=len(matches) - len(free),
    )
    return _Plan(records=free, derived=derived, deletion=planned)


async def _derived_only(tx: Tx, records: list[Record]) -> list[Record]:
    """Return the memories whose evidence consists of some records only, directly or not."""
    removed, derived, pending = {one.id for one in records}, list[Record](), list(records)
    while pending:
        for one in await deletion.drawn_from(tx, pending.pop().id):
            stays = one.status is Status.DELETED or await deletion.has_evidence(tx, one, without=removed)
            if one.id not in removed and not stays:
                removed.add(one.id)
                derived.append(one)
                pending.append(one)
    return derived


async def _deletion_time(writer: WriteTransaction, records: list[Record]) -> datetime:
    """Return a time after the last change of each memory that no other deletion of the scope has."""
    step = timedelta(microseconds=1)
    time = max(writer.now, max(one.updated_at for one in records) + step)
    while await writer.as_engine().tx.records.deleted_together(time):
        time += step
    return time
