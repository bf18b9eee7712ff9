"""A process that does the background work of a whole store, through a queue."""

import signal
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial

import anyio

from remembrancer.errors import RemembrancerError, StoreUnavailable
from remembrancer.jobs.background_tasks import run_in_background
from remembrancer.jobs.background_worker import BackgroundWorker, WorkSummary
from remembrancer.storage.base import Queue
from remembrancer.types.jobs import DueWork

MessageCallback = Callable[[str], None]
"""A callback that receives a line for the log of the process."""
_RETRY_SECONDS = 5.0


class InProcessQueue:
    """A queue for a store in a file: one item after the other.

    Args:
        seconds: pause between two polls.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    async def run(
        self, *, due: Callable[[], Awaitable[list[DueWork]]], do: Callable[[DueWork], Awaitable[bool]], concurrency: int
    ) -> None:
        """Poll and do what is due until cancelled."""
        while True:
            is_unfinished = False
            # Failed items are due again in the next round.
            with suppress(RemembrancerError):
                for item in await due():
                    with suppress(RemembrancerError):
                        is_unfinished |= await do(item)
            await anyio.sleep(0 if is_unfinished else self._seconds)


async def run_worker(
    worker: BackgroundWorker, queue: Queue | None, *, concurrency: int, report: MessageCallback
) -> WorkSummary:
    """Work until SIGTERM or SIGINT, or do once what is due if `queue` is `None`.

    A signal cancels the current item: written results stay, the rest is due again.

    Returns:
        The sum of all work done.
    """
    total = WorkSummary()

    async def do(item: DueWork) -> bool:
        nonlocal total
        subject = f"{item.purpose} for {item.tenant or 'the store'}"
        try:
            done = await worker.do(item)
        except RemembrancerError as error:
            report(f"{subject} failed: {error}")
            raise
        total += done
        if done != WorkSummary():
            report(f"{subject}: {done}")
        return done.unfinished > 0

    if queue is None:
        failures: list[RemembrancerError] = []
        for item in await worker.due():
            try:
                while await do(item):
                    pass
            except RemembrancerError as error:
                failures.append(error)
        if failures:
            raise failures[0]
        return total
    with anyio.CancelScope() as scope:
        async with run_in_background(partial(_cancel_on_signal, scope)):
            await _run_with_retries(partial(queue.run, due=worker.due, do=do, concurrency=concurrency), report)
    return total


async def _run_with_retries(run: Callable[[], Awaitable[None]], report: MessageCallback) -> None:
    """Run the queue until cancelled, and restart it when its database is available again."""
    was_unavailable = False
    while True:
        started = anyio.current_time()
        with suppress(StoreUnavailable):
            await run()
            return
        # Report an outage once: a queue that ran for a while had its database back.
        if not was_unavailable or anyio.current_time() - started > 2 * _RETRY_SECONDS:
            report(f"the database is unavailable; retrying every {_RETRY_SECONDS:g} seconds")
        was_unavailable = True
        await anyio.sleep(_RETRY_SECONDS)


async def _cancel_on_signal(scope: anyio.CancelScope) -> None:
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for _ in signals:
            scope.cancel()
            return
