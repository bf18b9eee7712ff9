"""An open store with all that works on it, put together by hand, as a test wants it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC
from functools import partial

from remembrancer import Embedder, Memory, Scope
from remembrancer.adapters.memory_cache import ProcessCache
from remembrancer.context.builder import ContextBuilder
from remembrancer.context.cache import ContextCache
from remembrancer.context.conversations import ConversationService
from remembrancer.context.slots import Slots
from remembrancer.jobs.access_log import AccessLog
from remembrancer.jobs.background_worker import BackgroundWorker
from remembrancer.jobs.embeddings import EmbeddingService
from remembrancer.jobs.long_jobs import JobRunner
from remembrancer.jobs.maintenance.runner import MaintenanceRunner
from remembrancer.language.analysis import analyser
from remembrancer.learn.observer import Observer
from remembrancer.learn.reflector import Reflector
from remembrancer.learn.summaries import Summariser
from remembrancer.llm.call import CallSettings
from remembrancer.llm.language_model import LanguageModel
from remembrancer.llm.models import Models
from remembrancer.privacy.insights import BEFORE_COMMIT
from remembrancer.resources import context_codec
from remembrancer.resources.engine import Engine as OpenEngine
from remembrancer.resources.json_values import dump, load
from remembrancer.search.external_index import ExternalIndexSync
from remembrancer.storage.base import Store
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.transactions.unit_of_work import UnitOfWork, UnitsOfWork, ignore_commit
from remembrancer.types.access import Caller
from remembrancer.types.budget import WINDOW_TOKENS, Window
from remembrancer.types.calls import CallPurpose
from remembrancer.types.record import Record
from remembrancer.types.session import START_TOKENS, InjectionSettings

# Found on the disk, which no event loop is to wait for.
_ANALYSER = analyser()


async def at_once(_seconds: float) -> None:
    """Wait for nothing between two tries."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """What works on an open store; a second one over the same store is another process."""

    memory: Memory
    conversations: ConversationService
    worker: BackgroundWorker


def desks_of(store: Store, rules: Dependencies, index_sync: ExternalIndexSync | None = None) -> UnitsOfWork:
    """Return the engine's own units of work over a store."""
    follow = ignore_commit if index_sync is None else index_sync.after_commit
    rules = replace(rules, before_commit=BEFORE_COMMIT)
    return lambda scope: UnitOfWork(store=store, rules=rules, caller=Caller.engine(scope), after_commit=follow)


def engine_of(
    store: Store,
    rules: Dependencies,
    scope: Scope,
    *,
    window: Window | None = None,
    embedder: Embedder | None = None,
    models: Mapping[CallPurpose, Sequence[LanguageModel]] | None = None,
    index_sync: ExternalIndexSync | None = None,
    context_window: int = WINDOW_TOKENS,
    observing: type[Observer] = Observer,
    caller: Caller | None = None,
) -> Engine:
    """An engine over a store.

    Args:
        window: the thresholds; those of the product where none are given.
        caller: whose memory it is; one to whom all of the scope is open, where none is given.
    """
    thresholds = window or Window()

    def of_any(_: Scope) -> Window:
        return thresholds

    rules = replace(rules, before_commit=BEFORE_COMMIT)
    units = desks_of(store, rules, index_sync)
    asked = Models(units, models or {}, rules, settings=CallSettings(retries=0, sleep=at_once))
    conversations = ConversationService(
        units,
        observing(units, rules, zone=UTC, window=of_any, models=asked),
        Reflector(units, rules, zone=UTC, window=of_any, models=asked),
        window=of_any,
        least=lambda: thresholds,
    )
    caching = caching_of(store, rules)
    worker = BackgroundWorker(
        store,
        units,
        rules,
        conversations=conversations,
        cache=caching,
        embeddings=EmbeddingService(store, units, rules, caching, embedder, index_sync=index_sync),
        access_log=AccessLog(store, units, rules),
    )
    open_one = OpenEngine(
        jobs=JobRunner(store, rules),
        context_cache=caching,
        store=store,
        rules=rules,
        worker=worker,
        models=asked,
        conversations=conversations,
        summariser=Summariser(units, asked, zone=UTC),
        nightly=MaintenanceRunner(units, rules, zone=UTC, models=asked),
        context_builder=ContextBuilder(units, rules, UTC, lambda _: thresholds.by_scope),
        injection=InjectionSettings(),
        embedder=embedder,
        analyser=_ANALYSER,
        window=context_window,
        start_tokens=START_TOKENS,
        slots=lambda _: Slots(),
        zone=UTC,
        dump=dump,
        load=partial(load, Record),
    )
    return Engine(memory=Memory(open_one, caller or Caller(scope=scope)), conversations=conversations, worker=worker)


def caching_of(store: Store, rules: Dependencies) -> ContextCache:
    """What keeps answers of a store in this process, as an open memory does."""
    return ContextCache(ProcessCache(2**22), context_codec, store.sign, rules.clock, kind="tests", seconds=60)
