"""Retention at night: what is due is deleted, and what is over its grace is removed for good."""

from remembrancer.governance.retaining import due, over, retain_some
from remembrancer.governance.writing import Writing
from remembrancer.ports.tx import Tx
from remembrancer.workers.nights.stage import Counted, Stage

RETAINED: tuple[str, str] = ("expired", "purged")
"""As what a night counts what it has deleted, and what it has removed for good."""


async def retain(stage: Stage) -> None:
    """Do it some at a time: what is broken off goes on with the next night, for what is due stays due."""

    async def work(writing: Writing) -> Counted:
        done = await retain_some(writing)
        counts = dict(zip(RETAINED, (done.expired, done.purged), strict=True))
        return Counted(counts=counts, done=not any(counts.values()))

    now = stage.night.started_at

    async def waits(tx: Tx) -> bool:
        return bool(await due(tx, now=now, limit=1) or await over(tx, now=now, limit=1))

    if await stage.read(waits):
        while not (await stage.write(work)).done:
            pass
