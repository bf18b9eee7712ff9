"""How memories stand after a night: importance decays, and what is over a cap, unread or faded is archived."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta, tzinfo
from typing import TypeAlias

from remembrancer.jobs.maintenance.stage import Counted, Keeping, Stage
from remembrancer.storage.tx import Tx
from remembrancer.transactions.expiry import archive
from remembrancer.transactions.write import Writing
from remembrancer.types.night import begins
from remembrancer.types.record import Kind
from remembrancer.types.standing import RELEVANCE_HALF_LIFE_DAYS, Standing, days_unread, decayed, standing

ROWS_AT_ONCE = 2_000
Place: TypeAlias = tuple[datetime, str]


async def stand(stage: Stage) -> None:
    """Work out the standing of what is live anew, some at a time.

    What is not live stays as it is: were it live again, the nights that it missed would be counted.
    """
    last: Place | None = None

    async def page(tx: Tx) -> list[Place]:
        return [(one.occurred_at, one.id) for one in await tx.scores.page(after=last, limit=ROWS_AT_ONCE)]

    async def work(writing: Writing, some: Sequence[tuple[Place | None, Place]]) -> Counted:
        # Read where it is written: what a person pins meanwhile stays pinned, and what another worker did is done.
        found = await writing.tx.scores.page(after=some[0][0], limit=len(some))
        stands = [after_night(one, stage.night.day, writing.now, stage.keeping, zone=stage.zone) for one in found]
        changed = [new for one, new in zip(found, stands, strict=True) if new != one]
        await writing.note(*changed)
        return Counted(counts={"decayed": len(changed)}, done=False)

    while places := await stage.read(page):
        await stage.each(list(zip([last, *places], places, strict=False)), work)
        last = places[-1]

    async def put_aside(writing: Writing, ids: Sequence[str]) -> Counted:
        wanted = set(await _to_archive(writing.tx, writing.now, stage.keeping))
        return Counted(counts={"archived": await archive(writing, [id for id in ids if id in wanted])})

    await stage.each(await stage.read(lambda tx: _to_archive(tx, stage.night.started_at, stage.keeping)), put_aside)


def after_night(one: Standing, day: date, now: datetime, keeping: Keeping, *, zone: tzinfo) -> Standing:
    """A memory after the nights since it was last looked at; the same where this one was counted.

    What came after the moment of the night has not lived through it. What has decayed up to a later day, because the
    clock ran ahead, has lost what it would lose until then, and stands as it stands now.
    """
    if one.decayed_on == day:
        return one
    importance, relevance, unread = one.importance, one.relevance, days_unread(one, now)
    nights = _nights(one, day, zone)
    for night in range(nights - 1, -1, -1):
        relevance *= 0.5 ** (1 / RELEVANCE_HALF_LIFE_DAYS)
        if not one.pinned:
            days = max(0.0, unread - night)
            importance = decayed(importance, rate=keeping.decay, days_unread=days, by_access=keeping.by_access)
    stands = standing(one, now, relevance=relevance)
    decayed_on = day if one.decayed_on is None else max(day, one.decayed_on)
    return replace(one, importance=importance, relevance=relevance, decayed_on=decayed_on, standing=stands)


def _nights(one: Standing, day: date, zone: tzinfo) -> int:
    """How many nights a memory has lived through since it was last looked at, up to the one of a day."""
    if one.decayed_on is not None:
        return max(0, (day - one.decayed_on).days)
    return 1 if one.recorded_at < begins(day, zone) else 0


async def _to_archive(tx: Tx, now: datetime, keeping: Keeping) -> list[str]:
    """What is over a cap, unread or faded."""
    over = [
        *await tx.scores.surplus(Kind.OBSERVATION, keep=keeping.observations),
        *await tx.scores.surplus(Kind.REFLECTION, keep=keeping.reflections),
        *await tx.scores.unread(before=now - timedelta(days=keeping.unread_days)),
        *await tx.scores.faded(below=keeping.faded, before=now - timedelta(days=keeping.faded_days)),
    ]
    return list(dict.fromkeys(over))
