"""A language model that says what it is told to, and a watch that no transaction is open while it thinks."""

import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from contextvars import ContextVar
from typing import Any

import anyio

from remembrancer.errors import ProviderUnavailable
from remembrancer.llm.language_model import Answer, Prompt
from remembrancer.storage.ports.store import Store
from remembrancer.storage.ports.tx import Tx
from remembrancer.types.call import Usage
from remembrancer.types.caller import Caller
from remembrancer.types.scope import Scope
from remembrancer.types.tokens import estimate

Said = str | Mapping[str, Any] | Exception
Begin = Callable[..., AbstractAsyncContextManager[Tx]]


class WatchedStore:
    """Watches the transactions of a store from now on; those that a task began, and what it was begun by.

    Args:
        store: whose `begin`, `snapshot` and `write` are watched; what a `read` does whole in a thread can ask no model.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self.begun = 0
        self._open: ContextVar[int] = ContextVar("open", default=0)
        for name in ("begin", "snapshot"):
            setattr(store, name, self._watching(getattr(store, name)))
        setattr(store, "write", self._watching_whole(store.write))  # noqa: B010 -- it is no variable of a Store

    @property
    def is_open(self) -> bool:
        """Whether whoever asks stands within a transaction."""
        return self._open.get() > 0

    def _watching(self, begin: Begin) -> Begin:
        @asynccontextmanager
        async def watched(scope: Scope, **said: Any) -> AsyncGenerator[Tx, None]:
            async with begin(scope, **said) as tx:
                with self._counted():
                    yield tx

        return watched

    def _watching_whole(self, write: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
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


class ScriptedModel:
    """Answers from a list, or as a function says, and keeps what it was asked.

    Args:
        script: an answer for each time it is asked, in order: a text, what becomes its JSON, or an error to raise; or
            what makes one of the prompt.
        name: as `provider:name`.
        usage: what each call took; else its length is estimated.
        delay: seconds that it thinks; where that is more than it is given, it is not available.
        watched: a store of which no transaction may be open while it thinks.

    Raises:
        AssertionError: it was asked more often than it was told, or while a transaction was open.
    """

    def __init__(
        self,
        script: Iterable[Said] | Callable[[Prompt], Said],
        *,
        name: str = "scripted:model",
        usage: Usage | None = None,
        delay: float = 0.0,
        watched: WatchedStore | None = None,
    ) -> None:
        self.name = name
        self.asked: list[Prompt] = []
        self.schemas: list[Mapping[str, Any] | None] = []
        self._said = script if callable(script) else None
        self._left = [] if callable(script) else list(script)
        self._usage = usage
        self._delay = delay
        self._watched = watched

    @property
    def left(self) -> int:
        """Answers that nobody has asked for yet."""
        return len(self._left)

    async def complete(
        self, prompt: Prompt, *, schema: Mapping[str, Any] | None, max_tokens: int, seconds: float, temperature: float
    ) -> Answer:
        """The next answer."""
        self.asked.append(prompt)
        self.schemas.append(schema)
        assert not (self._watched and self._watched.is_open), "a model was asked while a transaction was open"
        said = self._next(prompt)
        await anyio.sleep(min(self._delay, seconds))
        if self._delay > seconds:
            raise ProviderUnavailable(f"the model {self.name!r} did not answer within {seconds:g} s", charged=True)
        if isinstance(said, Exception):
            raise said
        text = said if isinstance(said, str) else json.dumps(said)
        length = Usage(prompt=estimate(prompt.system + prompt.text), cached=0, answer=estimate(text))
        return Answer(text=text, usage=self._usage or length, model=self.name)

    def _next(self, prompt: Prompt) -> Said:
        if self._said is not None:
            return self._said(prompt)
        assert self._left, f"the model was asked {len(self.asked)} times, and was told less"
        return self._left.pop(0)
