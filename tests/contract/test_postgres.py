"""The store on a server keeps the contract, in the role that row-level security binds."""

from collections.abc import AsyncGenerator, Iterator
from typing import Any, ClassVar, LiteralString

import psycopg
import pytest
from anyio.to_thread import run_sync

from remembrancer.storage.base import Store
from remembrancer.storage.postgres.store import PostgresStore
from tests.contract.suite import StoreContract
from tests.databases import SECRET, Database, emptied, fresh


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


@pytest.fixture(scope="module")
def partitioned(postgres_admin_url: str) -> Iterator[Database]:
    with fresh(postgres_admin_url, partitions=3) as database:
        yield database


@pytest.mark.slow
class TestPartitioned(TestPostgres):
    """The same, in tables that are partitioned by tenant."""

    @pytest.fixture
    async def store(self, partitioned: Database) -> AsyncGenerator[Store, None]:
        await run_sync(emptied, partitioned)
        self.database = partitioned
        async with PostgresStore.open(partitioned.serving_url, secret=SECRET) as store:
            yield store
