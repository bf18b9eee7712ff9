"""Retention: memories to delete by policy, and deleted ones to remove after their grace period."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence, Set
from dataclasses import dataclass
from datetime import datetime, timedelta

from remembrancer.learn import deletion
from remembrancer.storage.tx import Tx
from remembrancer.transactions.legal_holds import holds_on
from remembrancer.transactions.write_transaction import WriteTransaction
from remembrancer.types.lifecycle import GRACE
from remembrancer.types.policy import LegalHold, RetentionPolicy
from remembrancer.types.record import Kind, Record
from remembrancer.types.scope import Classification

BATCH = 200
_Position = tuple[datetime, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class DueRecord:
    """A memory to delete, with the shortest policy that applies to it."""

    record: Record
    policy: RetentionPolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class Retained:
    """The result of applying retention policies.

    Args:
        expired: memories that were deleted; they can be restored for 30 days.
        purged: deleted memories that were removed permanently.
        on_hold: due memories that a legal hold keeps; counted by a dry run only.
    """

    expired: int = 0
    purged: int = 0
    on_hold: int = 0

    def __add__(self, other: "Retained") -> "Retained":
        return Retained(
            expired=self.expired + other.expired,
            purged=self.purged + other.purged,
            on_hold=self.on_hold + other.on_hold,
        )

    def __bool__(self) -> bool:
        return bool(self.expired or self.purged)


async def count_due(tx: Tx, *, now: datetime, limit: int) -> Retained:
    """Count the memories of the exact scope to delete, to remove, and kept by a legal hold."""
    holds = await tx.policies.visible(LegalHold)
    expiring = [one.record for one in await due_records(tx, now=now, limit=limit, include_on_hold=True)]
    ending = await purgeable_records(tx, now=now, limit=limit, include_on_hold=True)
    free = [[one for one in some if not await holds_on(tx, one, holds)] for some in (expiring, ending)]
    expired, purged = map(len, free)
    return Retained(expired=expired, purged=purged, on_hold=len(expiring) + len(ending) - expired - purged)


async def due_records(tx: Tx, *, now: datetime, limit: int, include_on_hold: bool = False) -> list[DueRecord]:
    """Return the memories of the exact scope to delete, each once, without those under a legal hold by default."""
    holds = [] if include_on_hold else await tx.policies.visible(LegalHold)
    due: dict[str, DueRecord] = {}
    for policy in sorted(await tx.policies.visible(RetentionPolicy), key=lambda one: (one.keep_days, one.name)):
        async for record in _expired(tx, policy, now):
            if record.id not in due and not await holds_on(tx, record, holds):
                due[record.id] = DueRecord(record=record, policy=policy)
            if len(due) == limit:
                return list(due.values())
    return list(due.values())


async def purgeable_records(tx: Tx, *, now: datetime, limit: int, include_on_hold: bool = False) -> list[Record]:
    """Return the deleted memories of the exact scope whose grace period is over; see `due_records`."""
    holds = [] if include_on_hold else await tx.policies.visible(LegalHold)
    records: list[Record] = []
    async for record in deleted_records(tx, before=now - GRACE):
        if not await holds_on(tx, record, holds):
            records.append(record)
        if len(records) == limit:
            break
    return records


async def deleted_records(tx: Tx, *, before: datetime) -> AsyncGenerator[Record, None]:
    """Iterate over the memories of the exact scope that were deleted before a time, oldest deletion first."""
    async for record in _pages(
        lambda after: tx.records.deleted(before=before, after=after, limit=BATCH), lambda one: one.updated_at
    ):
        yield record


async def apply_retention(writer: WriteTransaction, *, only: Set[str] | None = None, limit: int = BATCH) -> Retained:
    """Delete and remove a batch of due memories; nothing is left to do when the result is empty.

    Args:
        only: ids of the memories to consider; `None` for all.
    """
    engine = writer.as_engine()
    expiring = [one.record for one in await due_records(engine.tx, now=writer.now, limit=limit)]
    expiring = [record for record in expiring if only is None or record.id in only]
    for record in expiring:
        await deletion.expire(writer, record)
    purgeable = await purgeable_records(engine.tx, now=writer.now, limit=limit)
    purgeable = [record for record in purgeable if only is None or record.id in only]
    for record in purgeable:
        # One may have been removed with another.
        if await engine.tx.records.find(record.id) is not None:
            await deletion.purge(writer, record)
    return Retained(expired=len(expiring), purged=len(purgeable))


async def _expired(tx: Tx, policy: RetentionPolicy, now: datetime) -> AsyncGenerator[Record, None]:
    before = now - timedelta(days=policy.keep_days)
    async for record in _pages(
        lambda after: tx.records.expired(
            before=before,
            kinds=policy.kinds or tuple(Kind),
            classifications=policy.classifications or tuple(Classification),
            after=after,
            limit=BATCH,
        ),
        lambda one: one.recorded_at,
    ):
        yield record


async def _pages(
    read_page: Callable[[_Position | None], Awaitable[Sequence[Record]]], time_of: Callable[[Record], datetime]
) -> AsyncGenerator[Record, None]:
    after: _Position | None = None
    while page := await read_page(after):
        for record in page:
            yield record
        after = time_of(page[-1]), page[-1].id
        if len(page) < BATCH:
            return
