"""How memories stand after a night: importance decays, and what is over a cap, unread or faded is archived."""

from dataclasses import replace
from datetime import date, datetime, timedelta

from remembrancer.governance.archive import archive
from remembrancer.governance.writing import Writing
from remembrancer.model.record import Kind
from remembrancer.model.standing import RELEVANCE_HALF_LIFE_DAYS, Standing, days_unread, decayed, standing
from remembrancer.ports.tx import Tx
from remembrancer.workers.nights.stage import Counted, Keeping, Stage

ROWS_AT_ONCE = 2_000


async def stand(stage: Stage) -> None:
    """Work out the standing of what is live anew, some at a time.

    What is not live stays as it is: were it live again, the nights that it missed would be counted.
    """
    page: list[Standing] = []

    async def work(writing: Writing) -> Counted:
        # Read where it is written: what a person pins meanwhile stays pinned, and what another worker did is done.
        after = (page[-1].occurred_at, page[-1].id) if page else None
        page[:] = await writing.tx.standings.page(after=after, limit=ROWS_AT_ONCE)
        stands = [after_night(one, stage.night.day, writing.now, stage.keeping) for one in page]
        changed = [new for one, new in zip(page, stands, strict=True) if new != one]
        await writing.note(*changed)
        if len(page) == ROWS_AT_ONCE:
            return Counted(counts={"decayed": len(changed)}, done=False)
        archived = await archive(writing, await _to_archive(writing.tx, writing.now, stage.keeping))
        return Counted(counts={"decayed": len(changed), "archived": archived})

    while not (await stage.write(work)).done:
        pass


def after_night(one: Standing, day: date, now: datetime, keeping: Keeping) -> Standing:
    """A memory after the nights since it was last looked at; the same where this one was counted."""
    if one.decayed_on is not None and one.decayed_on >= day:
        return one
    nights = 1 if one.decayed_on is None else (day - one.decayed_on).days
    importance, relevance, unread = one.importance, one.relevance, days_unread(one, now)
    for night in range(nights - 1, -1, -1):
        relevance *= 0.5 ** (1 / RELEVANCE_HALF_LIFE_DAYS)
        if not one.pinned:
            days = max(0.0, unread - night)
            importance = decayed(importance, rate=keeping.decay, days_unread=days, by_access=keeping.by_access)
    stands = standing(one, now, relevance=relevance)
    return replace(one, importance=importance, relevance=relevance, decayed_on=day, standing=stands)


async def _to_archive(tx: Tx, now: datetime, keeping: Keeping) -> list[str]:
    """What is over a cap, unread or faded."""
    over = [
        *await tx.standings.beyond(Kind.OBSERVATION, keep=keeping.observations),
        *await tx.standings.beyond(Kind.REFLECTION, keep=keeping.reflections),
        *await tx.standings.unread(before=now - timedelta(days=keeping.unread_days)),
        *await tx.standings.faded(below=keeping.faded, before=now - timedelta(days=keeping.faded_days)),
    ]
    return list(dict.fromkeys(over))
