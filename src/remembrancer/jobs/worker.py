"""Background work as a process of its own: what is due in a whole store, carried to workers by a queue."""

import signal
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial

import anyio

from remembrancer.errors import RemembrancerError, StoreUnavailable
from remembrancer.jobs.background_tasks import beside
from remembrancer.jobs.scheduler import Done, Sweep
from remembrancer.storage.base import Queue
from remembrancer.types.due import Due

Told = Callable[[str], None]
_AWAY_SECONDS = 5.0


class InProcessQueue:
    """A queue for a store in a file, one piece after the other.

    Args:
        seconds: between two looks at what is due.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    async def run(
        self, *, due: Callable[[], Awaitable[list[Due]]], do: Callable[[Due], Awaitable[None]], concurrency: int
    ) -> None:
        """Do what is due, and look again, until cancelled."""
        while True:
            # What fails is still due in the next round.
            with suppress(RemembrancerError):
                for item in await due():
                    with suppress(RemembrancerError):
                        await do(item)
            await anyio.sleep(self._seconds)


async def work(sweep: Sweep, queue: Queue | None, *, concurrency: int, progress: Told) -> Done:
    """Work until SIGTERM or SIGINT, or, without a queue, do what is due now; what it all came to.

    A piece that is under way when the signal comes is given up: what is written stays, the rest is due again.
    """
    total = Done()

    async def do(item: Due) -> None:
        nonlocal total
        try:
            done = await sweep.do(item)
        except RemembrancerError as error:
            progress(f"{item.purpose} for {item.tenant or 'the store'} failed: {error}")
            raise
        total += done
        if done != Done():
            progress(f"{item.purpose} for {item.tenant or 'the store'}: {done}")

    if queue is None:
        failures: list[RemembrancerError] = []
        for item in await sweep.due():
            try:
                await do(item)
            except RemembrancerError as error:
                failures.append(error)
        if failures:
            raise failures[0]
        return total
    with anyio.CancelScope() as scope:
        async with beside(partial(_cancel_on_signal, scope)):
            await _running(partial(queue.run, due=sweep.due, do=do, concurrency=concurrency), progress)
    return total


async def _running(run: Callable[[], Awaitable[None]], progress: Told) -> None:
    """Run the queue until cancelled, also where its database goes away and comes back."""
    was_away = False
    while True:
        began = anyio.current_time()
        with suppress(StoreUnavailable):
            await run()
            return
        # Once for each time that it was away: it was there if the queue ran for a while.
        if not was_away or anyio.current_time() - began > 2 * _AWAY_SECONDS:
            progress(f"the database is away; it is looked for every {_AWAY_SECONDS:g} seconds")
        was_away = True
        await anyio.sleep(_AWAY_SECONDS)


async def _cancel_on_signal(scope: anyio.CancelScope) -> None:
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for _ in signals:
            scope.cancel()
            return
