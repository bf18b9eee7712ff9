"""A pytest plugin: in the place of LangGraph's stores stands `RemembrancerStore`. See `bench.langgraph_store`."""

import os
import sys
import tempfile
from collections.abc import AsyncGenerator, Generator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from remembrancer import SyncMemory
from remembrancer.integrations.langgraph import RemembrancerStore
from remembrancer.llm.geometry import unit
from remembrancer.types.index import Space
from tests import databases

SERVER = "BENCH_LANGGRAPH_SERVER"


class _Embeddings:
    """The embedder of a test of LangGraph as one of ours."""

    fast = True

    def __init__(self, index: Any) -> None:
        from langgraph.store.base import ensure_embeddings

        self._embeddings = ensure_embeddings(index["embed"])
        self.space = Space(
            name="langgraph", version="1", dimension=index["dims"], random_cosine=0.0, random_spread=0.15
        )

    def documents(self, texts: list[str]) -> NDArray[np.float32]:
        rows = np.array(self._embeddings.embed_documents(texts), dtype=np.float32)
        return unit(rows.reshape(len(texts), self.space.dimension))

    def queries(self, texts: list[str]) -> NDArray[np.float32]:
        return self.documents(texts)

    def close(self) -> None:
        """Do nothing."""


class _Cursor:
    """A cursor that accepts the one statement that is no part of a check: their migrations are run twice."""

    def execute(self, statement: str, *_: object) -> None:
        assert statement == "DROP TABLE IF EXISTS store_migrations", "this test reads the tables of their store"


class _AsyncCursor(_Cursor):
    async def execute(self, statement: str, *_: object) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        super().execute(statement)


class Shim(RemembrancerStore):
    """The store, with the constructors of LangGraph's own."""

    MIGRATIONS: tuple[str, ...] = ()

    def __init__(self, *_: Any, index: Any = None, ttl: Any = None, **__: Any) -> None:
        self._stack = ExitStack()
        options: Any = {"embedder": _Embeddings(index) if index else "none"}
        if server := os.environ.get(SERVER):
            database = self._stack.enter_context(databases.fresh(server))
            address, options["secret_key"] = database.serving_url, databases.SECRET
        else:
            folder = self._stack.enter_context(tempfile.TemporaryDirectory())
            address = str(Path(folder, "store.db"))
        memory = self._stack.enter_context(SyncMemory(address, **options))
        configured: dict[str, Any] = index or {}
        fields = configured.get("fields") or configured.get("text_fields") or ("$",)
        super().__init__(memory, fields=fields, ttl=ttl)
        self.index_config = index

    @classmethod
    @contextmanager
    def from_conn_string(cls, *_: Any, **options: Any) -> "Generator[Shim]":
        store = cls(**options)
        try:
            yield store
        finally:
            store.close()

    @contextmanager
    def _cursor(self) -> Generator[_Cursor]:
        yield _Cursor()

    def close(self) -> None:
        self.stop_ttl_sweeper()
        self._stack.close()


class AsyncShim(Shim):
    """The same with asynchronous constructors."""

    @classmethod
    @asynccontextmanager
    async def from_conn_string(cls, *_: Any, **options: Any) -> "AsyncGenerator[AsyncShim]":  # pyright: ignore[reportIncompatibleMethodOverride]
        store = cls(**options)
        try:
            yield store
        finally:
            store.close()

    @asynccontextmanager
    async def _cursor(self) -> AsyncGenerator[_AsyncCursor]:  # pyright: ignore[reportIncompatibleMethodOverride]
        yield _AsyncCursor()

    async def setup(self) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Do nothing."""

    async def start_ttl_sweeper(self, sweep_interval_minutes: float | None = None) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        super().start_ttl_sweeper(sweep_interval_minutes)

    async def stop_ttl_sweeper(self) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        super().stop_ttl_sweeper()

    def close(self) -> None:
        RemembrancerStore.stop_ttl_sweeper(self)
        self._stack.close()


class _Internals(ModuleType):
    """A module whose other names, the internals of the original, are `None`."""

    def __getattr__(self, name: str) -> None:
        if name.startswith("__"):
            raise AttributeError(name)


def _replace(name: str, **names: object) -> None:
    module = _Internals(name)
    module.__dict__.update(names, __path__=[])
    sys.modules[name] = module


for package, shims in {
    "langgraph.store.memory": {"InMemoryStore": Shim},
    "langgraph.store.sqlite": {"SqliteStore": Shim, "AsyncSqliteStore": AsyncShim},
    "langgraph.store.postgres": {"PostgresStore": Shim, "AsyncPostgresStore": AsyncShim},
}.items():
    for module in (package, f"{package}.base", f"{package}.aio"):
        _replace(module, **shims)
