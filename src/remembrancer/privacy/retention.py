"""Retention: which memories are due to be deleted, and which deleted ones are over their grace."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence, Set
from dataclasses import dataclass
from datetime import datetime, timedelta

from remembrancer.learn import deletion as removal
from remembrancer.storage.tx import Tx
from remembrancer.transactions.holds import held_by
from remembrancer.transactions.write import Writing
from remembrancer.types.classification import Classification
from remembrancer.types.lifecycle import GRACE
from remembrancer.types.policy import LegalHold, RetentionPolicy
from remembrancer.types.record import Kind, Record

AT_ONCE = 200
_Place = tuple[datetime, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """A memory whose time is over, by the policy that has the shortest."""

    record: Record
    policy: RetentionPolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class Retained:
    """What retention has done.

    Args:
        expired: how many memories were deleted, to be restored for thirty days.
        purged: how many deleted ones were removed for good.
        held: how many a legal hold keeps whose time is over, or whose grace is; counted by a dry run alone.
    """

    expired: int = 0
    purged: int = 0
    held: int = 0

    def __add__(self, other: "Retained") -> "Retained":
        return Retained(
            expired=self.expired + other.expired, purged=self.purged + other.purged, held=self.held + other.held
        )

    def __bool__(self) -> bool:
        return bool(self.expired or self.purged)


async def counted(tx: Tx, *, now: datetime, limit: int) -> Retained:
    """How many memories of the exact scope are due, over their grace, and kept from either by a legal hold."""
    kept = await tx.policies.visible(LegalHold)
    expiring = [one.record for one in await due(tx, now=now, limit=limit, passing=True)]
    ending = await over(tx, now=now, limit=limit, passing=True)
    free = [[one for one in some if not await held_by(tx, one, kept)] for some in (expiring, ending)]
    expired, purged = map(len, free)
    return Retained(expired=expired, purged=purged, held=len(expiring) + len(ending) - expired - purged)


async def due(tx: Tx, *, now: datetime, limit: int, passing: bool = False) -> list[Due]:
    """The memories of the exact scope that are to be deleted, each once, but for those that a legal hold is on.

    Args:
        passing: whether those, too.
    """
    held = [] if passing else await tx.policies.visible(LegalHold)
    found: dict[str, Due] = {}
    for policy in sorted(await tx.policies.visible(RetentionPolicy), key=lambda one: (one.keep_days, one.name)):
        async for record in _expired(tx, policy, now):
            if record.id not in found and not await held_by(tx, record, held):
                found[record.id] = Due(record=record, policy=policy)
            if len(found) == limit:
                return list(found.values())
    return list(found.values())


async def over(tx: Tx, *, now: datetime, limit: int, passing: bool = False) -> list[Record]:
    """The deleted memories of the exact scope whose grace is over, but for those that a legal hold is on.

    Args:
        passing: whether those, too.
    """
    held = [] if passing else await tx.policies.visible(LegalHold)
    found: list[Record] = []
    async for record in deleted(tx, before=now - GRACE):
        if not await held_by(tx, record, held):
            found.append(record)
        if len(found) == limit:
            break
    return found


async def deleted(tx: Tx, *, before: datetime) -> AsyncGenerator[Record, None]:
    """The memories of the exact scope that were deleted by then, the first deleted first."""
    async for record in _pages(
        lambda after: tx.records.deleted(before=before, after=after, limit=AT_ONCE), lambda one: one.updated_at
    ):
        yield record


async def retain_some(writing: Writing, *, among: Set[str] | None = None, limit: int = AT_ONCE) -> Retained:
    """Delete what is due, and remove what is over its grace: of each some; nothing is left where it did nothing.

    Args:
        among: ids of those that alone it is done to.
    """
    behind = writing.as_engine()
    expiring = [one.record for one in await due(behind.tx, now=writing.now, limit=limit)]
    expiring = [record for record in expiring if among is None or record.id in among]
    for record in expiring:
        await removal.expire(writing, record)
    ended = await over(behind.tx, now=writing.now, limit=limit)
    ended = [record for record in ended if among is None or record.id in among]
    for record in ended:
        # One may have gone with another.
        if await behind.tx.records.find(record.id) is not None:
            await removal.purge(writing, record)
    return Retained(expired=len(expiring), purged=len(ended))


async def _expired(tx: Tx, policy: RetentionPolicy, now: datetime) -> AsyncGenerator[Record, None]:
    before = now - timedelta(days=policy.keep_days)
    async for record in _pages(
        lambda after: tx.records.expired(
            before=before,
            kinds=policy.kinds or tuple(Kind),
            classifications=policy.classifications or tuple(Classification),
            after=after,
            limit=AT_ONCE,
        ),
        lambda one: one.recorded_at,
    ):
        yield record


async def _pages(
    page: Callable[[_Place | None], Awaitable[Sequence[Record]]], at: Callable[[Record], datetime]
) -> AsyncGenerator[Record, None]:
    after: _Place | None = None
    while found := await page(after):
        for record in found:
            yield record
        after = at(found[-1]), found[-1].id
        if len(found) < AT_ONCE:
            return
