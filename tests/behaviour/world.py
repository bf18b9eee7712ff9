"""A memory over a file, whose clock and ids a test decides."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import apsw

from remembrancer import Embedder, Memory, RecallRequest, RecallResult, Scope
from remembrancer.guard.redact import SecretPolicy
from remembrancer.jobs.background_worker import BackgroundWorker
from remembrancer.search.external_index import ExternalIndexSync
from remembrancer.storage.base import VectorIndex
from remembrancer.storage.sqlite.store import SQLiteStore
from remembrancer.testing import FakeClock
from remembrancer.transactions.dependencies import Dependencies
from tests.doubles import CountingIds
from tests.engine import engine_of

ALICE = Scope(tenant="acme", project="apollo", user="alice")
BOB = Scope(tenant="acme", project="apollo", user="bob")
PROJECT = Scope(tenant="acme", project="apollo")
TENANT = Scope(tenant="acme")
STRANGER = Scope(tenant="globex", project="apollo", user="alice")

PATIENCE = 20.0
SECOND = timedelta(seconds=1)
DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """A memory with all that a test may want to reach behind it."""

    memory: Memory
    store: SQLiteStore
    clock: FakeClock
    ids: CountingIds
    path: Path
    worker: BackgroundWorker

    def of(self, scope: Scope) -> Memory:
        """The memory of another scope."""
        return self.memory.within(scope)

    def inject(self, sql: str, *values: object) -> None:
        """Change the file behind the product's back."""
        with closing(self._beside()) as connection:
            for statement in sql.split(";"):
                connection.execute(statement, values)

    def read(self, sql: str, *values: object) -> list[tuple[object, ...]]:
        """Look at the file by another road than the product's."""
        with closing(self._beside()) as connection:
            return connection.execute(sql, values).fetchall()

    def _beside(self) -> Any:
        # Of the product's own library: another one in this process would give up its locks on the file.
        return apsw.Connection(str(self.path))


@asynccontextmanager
async def opened(
    path: Path,
    *,
    embedder: Embedder | None,
    clock: FakeClock | None = None,
    ids: CountingIds | None = None,
    secrets: SecretPolicy = SecretPolicy.MASK,
    index: VectorIndex | None = None,
) -> AsyncGenerator[World, None]:
    """A world over a file; opened again with the clock and the ids of the last one, it goes on."""
    clock, ids = clock or FakeClock(), ids or CountingIds()
    async with SQLiteStore.open(path) as store:
        rules = Dependencies(clock=clock, ids=ids, sign=store.sign, secrets=secrets)
        index_sync = ExternalIndexSync(store, index, clock, seconds=PATIENCE) if index else None
        engine = engine_of(store, rules, ALICE, embedder=embedder, index_sync=index_sync)
        yield World(memory=engine.memory, store=store, clock=clock, ids=ids, path=path, worker=engine.worker)


def texts(recalled: RecallResult) -> list[str]:
    """The texts of the hits, best first."""
    return [hit.record.text for hit in recalled.hits]


def ids(recalled: RecallResult) -> list[str]:
    """The ids of the hits, best first."""
    return [hit.record.id for hit in recalled.hits]


async def holding(memory: Memory, word: str) -> set[str]:
    """Ids of the records that a recall of a word finds and that hold it."""
    recalled = await memory.recall(RecallRequest(question=word, limit=1000, record_access=False))
    return {hit.record.id for hit in (*recalled.hits, *recalled.nearest) if word in hit.record.text}
