"""The engine: a store, its models and its services."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from typing import Any
from zoneinfo import ZoneInfo

import anyio
from anyio.to_thread import run_sync

from remembrancer.adapters.clock import SystemClock, TimeOrderedIds
from remembrancer.adapters.memory_cache import ProcessCache
from remembrancer.assembly.models import open_models
from remembrancer.assembly.stores import import_extra, open_store
from remembrancer.context.builder import ContextBuilder
from remembrancer.context.cache import ContextCache
from remembrancer.context.conversations import ConversationService
from remembrancer.context.slots import Slots
from remembrancer.guard.redact import SecretPolicy
from remembrancer.jobs.access_log import AccessLog
from remembrancer.jobs.background_worker import BackgroundWorker, WorkerOptions
from remembrancer.jobs.embeddings import EmbeddingService
from remembrancer.jobs.long_jobs import JobRunner
from remembrancer.jobs.maintenance.context import AgingPolicy
from remembrancer.jobs.maintenance.runner import MaintenanceRunner
from remembrancer.language.analysis import analyser
from remembrancer.learn.observer import Observer
from remembrancer.learn.reflector import Reflector
from remembrancer.learn.rules import Room
from remembrancer.learn.summaries import Summariser
from remembrancer.llm.embedder import Embedder
from remembrancer.llm.language_model import LanguageModel
from remembrancer.llm.models import Models
from remembrancer.llm.providers import local
from remembrancer.llm.providers.tokenizer import tokenizer_named
from remembrancer.privacy.insights import BEFORE_COMMIT, InsightSharing
from remembrancer.resources import context_codec
from remembrancer.resources.engine import Engine
from remembrancer.resources.json_values import dump, load
from remembrancer.search.external_index import ExternalIndexSync
from remembrancer.settings import Settings
from remembrancer.storage.base import Store
from remembrancer.transactions.dependencies import UNMETERED, Cache, Dependencies, Meter
from remembrancer.transactions.unit_of_work import UnitOfWork, UnitsOfWork, ignore_commit
from remembrancer.types.access import Caller
from remembrancer.types.budget import Window
from remembrancer.types.new import with_types
from remembrancer.types.record import Record
from remembrancer.types.scope import Scope
from remembrancer.types.session import InjectionSettings


@asynccontextmanager
async def open_engine(
    settings: Settings,
    windows: "AgentWindows",
    embedder: Embedder | None,
    model: LanguageModel | None,
    create: bool,
    *,
    meter: Meter = UNMETERED,
) -> AsyncGenerator[Engine, None]:
    """Open the store of the settings, with its services."""
    own_version = await run_sync(version, "remembrancer")
    async with open_store(settings, create) as store:
        rules = make_dependencies(
            settings, store, (await run_sync(telemetry)).SpanMeter(meter) if settings.spans else meter
        )
        analysed = await run_sync(analyser)
        if not await store.analyser():
            await store.set_analyser(analysed)
        async with _cache(settings, store) as cache, _index_sync(settings, store, rules) as index_sync:
            units = make_units(store, rules, index_sync)
            async with open_models(settings, units, rules, model) as models:
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
                            retry_seconds=settings.poll_seconds,
                        ),
                        options=WorkerOptions(
                            seconds=settings.poll_seconds,
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


def make_dependencies(settings: Settings, store: Store, meter: Meter = UNMETERED) -> Dependencies:
    """Return the dependencies of transactions."""
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


def make_units(store: Store, rules: Dependencies, index_sync: ExternalIndexSync | None) -> UnitsOfWork:
    """Return the engine's own units of work.

    Documents that their writes retire leave the external index, too.
    """
    after_commit = ignore_commit if index_sync is None else index_sync.after_commit
    return lambda scope: UnitOfWork(store=store, rules=rules, caller=Caller.engine(scope), after_commit=after_commit)


class AgentWindows:
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
    settings: Settings, windows: AgentWindows, units: UnitsOfWork, rules: Dependencies, models: Models
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
    settings: Settings, windows: AgentWindows, units: UnitsOfWork, rules: Dependencies, models: Models
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
async def _cache(settings: Settings, store: Store) -> AsyncGenerator[Cache, None]:
    """Open the cache: the Redis of the settings, else one in this process."""
    if settings.redis_url:
        redis = await run_sync(import_extra, "redis", "remembrancer.adapters.redis")
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
    qdrant = await run_sync(import_extra, "qdrant", "remembrancer.storage.qdrant")
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


def telemetry() -> Any:
    """Import the adapter of OpenTelemetry.

    Raises:
        StoreError: the extra `telemetry` is not installed.
    """
    return import_extra("telemetry", "remembrancer.adapters.telemetry")
