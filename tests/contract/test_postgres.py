"""The store on a server keeps the contract, in the role that row-level security binds."""

from collections.abc import AsyncGenerator
from typing import Any, ClassVar, LiteralString

import psycopg
import pytest

from remembrancer.storage.base import Store
from remembrancer.storage.postgres.store import PostgresStore
from tests.contract.suite import StoreContract
from tests.databases import SECRET, Database


class TestPostgres(StoreContract):
    # The index of vectors takes its time over each.
    many: ClassVar[int] = 1_000
    database: Database

    @pytest.fixture
    async def store(self, database: Database) -> AsyncGenerator[Store, None]:
        self.database = database
        async with PostgresStore.open(database.serving_url, secret=SECRET) as store:
            yield store

    async def rows(self, store: Store, sql: LiteralString) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.database.admin_url) as connection:
            connection.execute("SET search_path TO remembrancer, remembrancer_ops")
            return connection.execute(sql).fetchall()
