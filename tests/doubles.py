"""Doubles of what only the engine's own tests replace: ids, and a store and a model that are watched together."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from contextvars import ContextVar
from typing import Any

from remembrancer.llm.language_model import Completion, Prompt
from remembrancer.storage.base import Store
from remembrancer.storage.tx import Tx
from remembrancer.testing import ScriptedModel
from remembrancer.testing.language_model import ScriptedAnswer
from remembrancer.types.access import Caller
from remembrancer.types.scope import Scope

Begin = Callable[..., AbstractAsyncContextManager[Tx]]


class CountingIds:
    """UUIDs that count up from the number after `after`."""

    def __init__(self, after: int = 0) -> None:
        self._last = after

    def new(self) -> str:
        self._last += 1
        return f"00000000-0000-7000-8000-{self._last:012d}"


class WatchedStore:
    """A counter of the transactions that a store begins from now on, and of those that the current task has open.

    Args:
        store: its `begin`, `snapshot` and `write` are replaced; a `read` runs whole in a thread and cannot ask a model.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self.begun = 0
        self._open: ContextVar[int] = ContextVar("open", default=0)
        for name in ("begin", "snapshot"):
            setattr(store, name, self._watch_block(getattr(store, name)))
        setattr(store, "write", self._watch_write(store.write))  # noqa: B010 -- a Store has no such variable

    @property
    def is_open(self) -> bool:
        """True within a transaction."""
        return self._open.get() > 0

    def _watch_block(self, begin: Begin) -> Begin:
        @asynccontextmanager
        async def watched(scope: Scope, **options: Any) -> AsyncGenerator[Tx, None]:
            async with begin(scope, **options) as tx:
                with self._counted():
                    yield tx

        return watched

    def _watch_write(self, write: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def watched(caller: Caller, work: Callable[[Tx], Awaitable[Any]]) -> Any:
            async def counted(tx: Tx) -> Any:
                with self._counted():
                    return await work(tx)

            return await write(caller, counted)

        return watched

    @contextmanager
    def _counted(self) -> Generator[None, None, None]:
        self.begun += 1
        token = self._open.set(self._open.get() + 1)
        try:
            yield
        finally:
            self._open.reset(token)


class WatchedModel(ScriptedModel):
    """A scripted model that fails the test when it is asked while a transaction of `watched` is open."""

    def __init__(
        self,
        script: Iterable[ScriptedAnswer] | Callable[[Prompt], ScriptedAnswer],
        *,
        watched: WatchedStore | None,
        **options: Any,
    ) -> None:
        super().__init__(script, **options)
        self._watched = watched

    def assert_no_transaction(self) -> None:
        assert not (self._watched and self._watched.is_open), "a model was asked while a transaction was open"

    async def complete(self, prompt: Prompt, **options: Any) -> Completion:
        self.assert_no_transaction()
        return await super().complete(prompt, **options)
