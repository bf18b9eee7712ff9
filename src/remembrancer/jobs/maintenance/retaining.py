"""Retention at night: what is due is deleted, and what is over its grace is removed for good."""

from collections.abc import Sequence

from remembrancer.jobs.maintenance.stage import Counted, Stage
from remembrancer.privacy.retention import AT_ONCE, due, over, retain_some
from remembrancer.storage.tx import Tx
from remembrancer.transactions.write import Writing

RETAINED: tuple[str, str] = ("expired", "purged")
"""As what a night counts what it has deleted, and what it has removed for good."""


async def retain(stage: Stage) -> None:
    """Do it some at a time: what is broken off, or fails, goes on with the next night, for what is due stays due."""
    now = stage.night.started_at
    tried, stuck = set[str](), set[str]()

    async def waiting(tx: Tx) -> list[str]:
        limit = 2 * AT_ONCE + len(stuck)
        found = [one.record.id for one in await due(tx, now=now, limit=limit)]
        found += [record.id for record in await over(tx, now=now, limit=limit)]
        stuck.update(tried.intersection(found))
        return [id for id in found if id not in stuck][:AT_ONCE]

    async def work(writing: Writing, ids: Sequence[str]) -> Counted:
        done = await retain_some(writing, among=frozenset(ids), limit=2 * AT_ONCE + len(stuck))
        return Counted(counts=dict(zip(RETAINED, (done.expired, done.purged), strict=True)), done=False)

    while ids := await stage.read(waiting):
        tried.clear()
        tried.update(ids)
        await stage.each(ids, work)
