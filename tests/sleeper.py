"""A process that runs a night of one scope, and kills itself at one of its steps."""

from dataclasses import dataclass
from datetime import datetime
from multiprocessing.synchronize import Barrier

import anyio
import anyio.to_thread

from remembrancer import Conflict, Scope
from remembrancer.testing import FakeClock
from tests.conversing import opened
from tests.doubles import CountingIds
from tests.learning import Life, life_over
from tests.talker import PATIENCE, mortal

# No two processes of one database may make the same ids.
_IDS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Sleeper:
    """One of those who run a night.

    Args:
        db: a file, or the address of a database.
        now: when.
        number: of this process among all of the test.
        at: the step to die at, from 1; 0 for none.
    """

    db: str
    scope: Scope
    now: datetime
    number: int
    at: int = 0


def sleep(sleeper: Sleeper, together: Barrier) -> None:
    """Be a process that runs a night."""
    anyio.run(_sleep, sleeper, together)


async def _sleep(sleeper: Sleeper, together: Barrier) -> None:
    async with opened(sleeper.db) as store:
        life = life_over(store, clock=FakeClock(sleeper.now), ids=CountingIds(sleeper.number * _IDS))
        await anyio.to_thread.run_sync(together.wait, PATIENCE)
        with mortal(sleeper.at):
            await to_the_end(life, sleeper.scope)


async def to_the_end(life: Life, scope: Scope) -> None:
    """A night, begun again for as long as another worker is at it."""
    while True:
        try:
            await life.of(scope).admin.maintenance.run()
        except Conflict:
            await anyio.lowlevel.checkpoint()
        else:
            return
