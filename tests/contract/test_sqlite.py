"""The embedded store, in a file and in memory, keeps the contract."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any, LiteralString

import apsw
import pytest

from remembrancer.storage.base import Store
from remembrancer.storage.sqlite.store import SQLiteStore
from tests.contract.suite import StoreContract


class TestSQLiteInAFile(StoreContract):
    path: Path

    @pytest.fixture
    async def store(self, tmp_path: Path) -> AsyncGenerator[Store, None]:
        self.path = tmp_path / "m.db"
        async with SQLiteStore.open(self.path) as store:
            yield store

    async def rows(self, store: Store, sql: LiteralString) -> list[tuple[Any, ...]]:
        connection: Any = apsw.Connection(str(self.path), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            return connection.execute(sql).fetchall()
        finally:
            connection.close()


class TestSQLiteInMemory(StoreContract):
    @pytest.fixture
    async def store(self) -> AsyncGenerator[Store, None]:
        async with SQLiteStore.open(":memory:") as store:
            yield store

    async def rows(self, store: Store, sql: LiteralString) -> list[tuple[Any, ...]]:
        assert isinstance(store, SQLiteStore)
        # A database in memory has no other road to it.
        return store._writer.rows(sql)  # pyright: ignore[reportPrivateUsage]
