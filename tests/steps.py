"""The steps of work on a store: in an order that a seed decides, or broken off at one."""

import random
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Generator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

import anyio
import anyio.lowlevel
import anyio.to_thread
import pytest

from remembrancer.storage.base import Store
from remembrancer.storage.tx import Tx
from remembrancer.types.access import Caller

T = TypeVar("T")
Begin = Callable[[Caller], AbstractAsyncContextManager[Tx]]


class BrokenOff(BaseException):
    """Stands for a process that ended here: nothing of ours may catch it."""


class Steps:
    """Counts the steps of a store, and breaks the work off at one of them.

    Args:
        at: at which step, from 1; 0 for none.
        after: whether that step is still done.
        cancel: whether the work is cancelled there, rather than failing.
    """

    def __init__(self, *, at: int = 0, after: bool = False, cancel: bool = False) -> None:
        self.count = 0
        self._at = at
        self._after = after
        self._scope = anyio.CancelScope() if cancel else None

    async def run(self, work: Callable[[], Awaitable[object]]) -> bool:
        """Do some work until it is done or broken off; whether it was done."""
        try:
            if self._scope is None:
                await work()
                return True
            with self._scope:
                await work()
            return not self._scope.cancelled_caught
        except BrokenOff:
            return False

    async def step(self, work: Callable[[], Awaitable[T]]) -> T:
        """One step."""
        self.count += 1
        if self.count != self._at:
            return await work()
        done = [await work()] if self._after else []
        if self._scope is None:
            raise BrokenOff
        self._scope.cancel()
        # Where cancellation is kept away, the step is done as well.
        await anyio.lowlevel.checkpoint()
        return done[0] if done else await work()


@contextmanager
def in_steps(steps: Steps, *, threads: bool = False) -> Generator[None]:
    """A block in which what a store does in threads is a step each time.

    Args:
        threads: whether it is still done in threads, as what waits for a server must be; else at once, which is quick.
    """
    in_thread = anyio.to_thread.run_sync

    async def run_sync(work: Callable[..., T], *arguments: object, **_: object) -> T:
        async def done() -> T:
            return await in_thread(work, *arguments) if threads else work(*arguments)

        return await steps.step(done)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(anyio.to_thread, "run_sync", run_sync)
        for module in ("learn.observer", "learn.reflector"):
            patch.setattr(f"remembrancer.{module}.run_sync", run_sync)
        yield


class Turns:
    """Lets one of several actors go on at a time, as a seed decides; each stops at every gate."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self._actor: ContextVar[int] = ContextVar("actor")
        self._waiting: dict[int, anyio.Event] = {}
        self._stopped = anyio.Event()

    async def gate(self) -> None:
        """Wait until it is this actor's turn; nothing for those who are none."""
        actor = self._actor.get(None)
        if actor is None:
            return
        self._waiting[actor] = turn = anyio.Event()
        self._stopped.set()
        await turn.wait()

    async def play(self, actors: Sequence[Callable[[], Coroutine[Any, Any, None]]]) -> None:
        """All actors, from their first gate to their end."""
        left = len(actors)

        async def act(number: int, actor: Callable[[], Coroutine[Any, Any, None]]) -> None:
            nonlocal left
            self._actor.set(number)
            await self.gate()
            try:
                await actor()
            finally:
                left -= 1
                self._stopped.set()

        async with anyio.create_task_group() as tasks:
            for number, actor in enumerate(actors):
                tasks.start_soon(act, number, actor)
            while left:
                while len(self._waiting) < left:
                    self._stopped = anyio.Event()
                    await self._stopped.wait()
                if left:
                    self._waiting.pop(self.chance.choice(sorted(self._waiting))).set()

    @contextmanager
    def gates(self, store: Store, *, within: bool) -> Generator[None]:
        """A block in which there is a gate before and behind every transaction of a store.

        Args:
            within: whether there are two within each snapshot as well: others write while it is open.
        """
        read = store.read

        async def gated(caller: Caller, work: Callable[[Tx], Coroutine[Any, Any, T]]) -> T:
            await self.gate()
            result = await read(caller, work)
            await self.gate()
            return result

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(store, "begin", self._around(store.begin, within=False))
            patch.setattr(store, "snapshot", self._around(store.snapshot, within=within))
            patch.setattr(store, "read", gated)
            yield

    def _around(self, begin: Begin, *, within: bool) -> Begin:
        @asynccontextmanager
        async def gated(caller: Caller) -> AsyncGenerator[Tx, None]:
            await self.gate()
            async with begin(caller) as tx:
                if within:
                    await self.gate()
                yield tx
                if within:
                    await self.gate()
            await self.gate()

        return gated
