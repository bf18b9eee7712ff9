"""An open store with all that works on it, put together by hand, as a test wants it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC
from functools import partial

from remembrancer import Embedder, Memory, Scope
from remembrancer.adapters.memory_cache import ProcessCache
from remembrancer.context.builder import Remembering
from remembrancer.context.cache import Caching
from remembrancer.context.conversations import Distilling
from remembrancer.context.slots import Slots
from remembrancer.jobs.access_log import AccessLog
from remembrancer.jobs.background_worker import BackgroundWorker
from remembrancer.jobs.embeddings import EmbeddingService
from remembrancer.jobs.long_jobs import JobRunner
from remembrancer.jobs.maintenance.runner import MaintenanceRunner
from remembrancer.language.analysis import analyser
from remembrancer.learn.observer import Observing
from remembrancer.learn.reflector import Reflecting
from remembrancer.learn.summaries import Summarising
from remembrancer.llm.call import Asking, Models
from remembrancer.llm.language_model import LanguageModel
from remembrancer.privacy.insights import BEFORE_COMMIT
from remembrancer.resources import context_codec
from remembrancer.resources.engine import Engine as OpenEngine
from remembrancer.resources.json_values import dump, load
from remembrancer.search.external_index import Mirror
from remembrancer.storage.base import Store
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.transactions.unit_of_work import Desk, Desks, unfollowed
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
    conversations: Distilling
    worker: BackgroundWorker


def desks_of(store: Store, rules: Dependencies, mirror: Mirror | None = None) -> Desks:
    """The engine's own desks over a store."""
    follow = unfollowed if mirror is None else mirror.follow
    rules = replace(rules, before_commit=BEFORE_COMMIT)
    return lambda scope: Desk(store=store, rules=rules, caller=Caller.engine(scope), follow=follow)


def engine_of(
    store: Store,
    rules: Dependencies,
    scope: Scope,
    *,
    window: Window | None = None,
    embedder: Embedder | None = None,
    models: Mapping[CallPurpose, Sequence[LanguageModel]] | None = None,
    mirror: Mirror | None = None,
    context_window: int = WINDOW_TOKENS,
    observing: type[Observing] = Observing,
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
    desks = desks_of(store, rules, mirror)
    asked = Models(desks, models or {}, rules, asking=Asking(retries=0, sleep=at_once))
    conversations = Distilling(
        desks,
        observing(desks, rules, zone=UTC, window=of_any, models=asked),
        Reflecting(desks, rules, zone=UTC, window=of_any, models=asked),
        window=of_any,
        least=lambda: thresholds,
    )
    caching = caching_of(store, rules)
    worker = BackgroundWorker(
        store,
        desks,
        rules,
        conversations=conversations,
        cache=caching,
        embeddings=EmbeddingService(store, desks, rules, caching, embedder, mirror=mirror),
        access_log=AccessLog(store, desks, rules),
    )
    open_one = OpenEngine(
        jobs=JobRunner(store, rules),
        context_cache=caching,
        store=store,
        rules=rules,
        worker=worker,
        models=asked,
        conversations=conversations,
        summariser=Summarising(desks, asked, zone=UTC),
        nightly=MaintenanceRunner(desks, rules, zone=UTC, models=asked),
        context_builder=Remembering(desks, rules, UTC, lambda _: thresholds.by_scope),
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


def caching_of(store: Store, rules: Dependencies) -> Caching:
    """What keeps answers of a store in this process, as an open memory does."""
    return Caching(ProcessCache(2**22), context_codec, store.sign, rules.clock, kind="tests", seconds=60)
