"""A store whose days a test lets pass: what is done in it is learnt from, night by night."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random

import numpy as np

from remembrancer import Memory, Scope
from remembrancer.llm.language_model import LanguageModel
from remembrancer.storage.base import Store
from remembrancer.testing import FakeClock, HashEmbedder
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.types.access import Caller
from remembrancer.types.calls import CallPurpose
from remembrancer.types.filter import Filter
from remembrancer.types.jobs import MaintenanceRun
from remembrancer.types.lifecycle import Status
from remembrancer.types.new import NewEpisode
from remembrancer.types.record import Record
from tests.conversing import opened as opened_store
from tests.doubles import CountingIds
from tests.engine import engine_of

DAY = timedelta(days=1)
HOUR = timedelta(hours=1)
# A Monday, after the hour at which nights are run.
MONDAY = datetime(2026, 1, 5, 9, tzinfo=UTC)
ANA = Scope(tenant="acme", agent="mail", user="ana")
BEN = Scope(tenant="acme", agent="mail", user="ben")
CLERK = Scope(tenant="acme", agent="invoices", user="ana")


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    """Memories over one store, and the time in which they live."""

    store: Store
    memory: Memory
    clock: FakeClock
    ids: CountingIds
    embedder: HashEmbedder
    models: Sequence[LanguageModel] = ()

    def of(self, scope: Scope) -> Memory:
        """The memory of another scope."""
        return self.memory.within(scope)

    def beside(self, store: Store) -> "Life":
        """The same life, as another process lives it."""
        return life_over(store, clock=self.clock, ids=self.ids, models=self.models)

    async def nights(self, count: int, *, memory: Memory | None = None) -> MaintenanceRun:
        """The run of each of so many days, each at the hour at which it is; the last one."""
        night: MaintenanceRun | None = None
        for _ in range(count):
            self.clock.move(DAY)
            night = await (memory or self.memory).admin.maintenance.run()
        assert night is not None
        return night


def life_over(
    store: Store,
    *,
    clock: FakeClock | None = None,
    ids: CountingIds | None = None,
    models: Sequence[LanguageModel] = (),
) -> Life:
    """A life over an open store."""
    clock, ids = clock or FakeClock(MONDAY), ids or CountingIds()
    rules = Dependencies(clock=clock, ids=ids, sign=store.sign)
    embedder = HashEmbedder(64)
    asked = {CallPurpose.DETECT: models} if models else None
    memory = engine_of(store, rules, ANA, embedder=embedder, models=asked).memory
    return Life(store=store, memory=memory, clock=clock, ids=ids, embedder=embedder, models=models)


@asynccontextmanager
async def lived(db: str, *, models: Sequence[LanguageModel] = ()) -> AsyncGenerator[Life]:
    """A life over a file, or over a database of the tests."""
    async with opened_store(db) as store:
        yield life_over(store, models=models)


def done(
    summary: str,
    at: datetime,
    *,
    contact: str = "Bertelli",
    event: str = "action_completed",
    outcome: str | None = None,
    **attributes: str | int | float | bool,
) -> NewEpisode:
    """Something that was done."""
    return NewEpisode(
        summary=summary, event=event, outcome=outcome, contact=contact, attributes=attributes, occurred_at=at
    )


# What is done beside a habit, so that it stands out against something.
_NAMES = ("Bertelli", "Lara Moss", "Quinn", "Adler", "Tanaka")
_EVENTS = ("action_completed", "approval_approved", "approval_approved", "approval_modified", "exception_raised")
_BESIDE = (
    *("answered a question about delivery", "filed the contract in the archive", "confirmed the board meeting"),
    *("sent the price list", "looked up an address", "booked a room for the visit", "corrected the date"),
    *("renamed the shared folder", "asked for a missing form", "checked what is in stock", "moved a call"),
    *("translated the summary", "closed an old thread", "changed the currency", "prepared the agenda"),
)
_SEMICOLONS = (
    "removed semicolon from third paragraph",
    "deleted a semicolon in the opener",
    "took out the semicolon in line two",
    "stripped semicolons from the draft",
    "semicolon removed from the closing",
)


def beside(since: datetime, count: int = 60, *, days: int = 20, seed: int = 1) -> list[NewEpisode]:
    """Things done within some days that have nothing to do with each other."""
    chance = Random(seed)
    return [
        done(
            chance.choice(_BESIDE),
            since + timedelta(days=chance.randrange(days), minutes=chance.randrange(540)),
            contact=chance.choice(_NAMES),
            event=chance.choice(_EVENTS),
        )
        for _ in range(count)
    ]


def semicolons(since: datetime, count: int = 14, *, days: int = 20, seed: int = 2) -> list[NewEpisode]:
    """A habit: within some days semicolons are removed from drafts, whoever they are for."""
    chance = Random(seed)
    return [
        done(
            _SEMICOLONS[number % len(_SEMICOLONS)],
            since + number * days // count * DAY + timedelta(minutes=chance.randrange(540)),
            contact=chance.choice(_NAMES),
            event="user_correction",
            part="body",
        )
        for number in range(count)
    ]


async def everything(life: Life, scope: Scope = ANA) -> list[Record]:
    """All that a scope sees, in whatever status, oldest first."""
    found: list[Record] = []
    cursor: str | None = None
    async with life.store.snapshot(Caller(scope=scope)) as tx:
        while True:
            page = await tx.records.list(Filter(statuses=tuple(Status)), limit=500, cursor=cursor)
            found += page.records
            cursor = page.cursor
            if cursor is None:
                return found[::-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexed:
    """Ids of what stands in the indexes of a store."""

    words: frozenset[str]
    vectors: frozenset[str]


async def indexed(life: Life, scope: Scope = ANA) -> Indexed:
    """What a scope finds in the indexes."""
    generation = (await life.store.serving_generation(life.embedder.space)).number
    query = np.ones(life.embedder.space.dimension, dtype=np.float32) / np.sqrt(life.embedder.space.dimension)
    async with life.store.snapshot(Caller(scope=scope)) as tx:
        documents = await tx.documents.matching(Filter(statuses=tuple(Status)))
        near = await tx.vectors.nearest(query.astype(np.float32), generation=generation, limit=10_000, among=None)
        return Indexed(
            words=frozenset((await tx.documents.headers(documents.tolist())).ids),
            vectors=frozenset((await tx.documents.headers(near.documents.tolist())).ids),
        )
