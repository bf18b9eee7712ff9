"""Retention at night: what is due is deleted, and what is over its grace is removed for good."""

from remembrancer.governance.retaining import due, over, retain_some
from remembrancer.governance.writing import Writing
from remembrancer.ports.tx import Tx
from remembrancer.workers.nights.stage import Counted, Stage


async def retain(stage: Stage) -> None:
    """Do it some at a time: what is broken off goes on with the next night, for what is due stays due."""

    async def work(writing: Writing) -> Counted:
        done = await retain_some(writing)
        counts = {"expired": done.expired, "purged": done.purged}
        return Counted(counts=counts, done=not any(counts.values()))

    now = stage.night.started_at

    async def waits(tx: Tx) -> bool:
        return bool(await due(tx, now=now, limit=1) or await over(tx, now=now, limit=1))

    if await stage.read(waits):
        while not (await stage.write(work)).done:
            pass
