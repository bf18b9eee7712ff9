"""In partitioned tables, no statement of an operation reads or writes another partition than its tenant's."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from remembrancer.storage.postgres.connection import PostgresConnection, Raw
from remembrancer.storage.postgres.pool import ServerPool
from tests.databases import SECRET, Database, fresh

from .conftest import served
from .test_examples import answers, sample

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(180)]
PARTITIONS = 4
# What the transaction has scanned and changed, by schema; and not more of what came before it.
TOUCHED = """
    SELECT current_setting('remembrancer.tenant'), split_part(current_setting('search_path'), ',', 1),
        pg_stat_force_next_flush(),
        array(
            SELECT DISTINCT schemaname || '.' || relname FROM pg_stat_xact_all_tables
            WHERE schemaname ~ '^remembrancer(_p[0-9]+)?$'
                AND COALESCE(seq_scan, 0) + COALESCE(idx_scan, 0) + n_tup_ins + n_tup_upd + n_tup_del > 0
        )
"""


@pytest.fixture
def partitioned(postgres_admin_url: str) -> Iterator[Database]:
    with fresh(postgres_admin_url, partitions=PARTITIONS) as database:
        yield database


async def test_each_operation_touches_the_partition_of_its_tenant_alone(
    partitioned: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    touched: list[tuple[str, str]] = []
    others: list[str] = []

    def look(raw: Raw) -> None:
        if raw.info.transaction_status is not psycopg.pq.TransactionStatus.INTRANS:
            return
        row: Any = raw.execute(TOUCHED).fetchone()
        tenant, own, _, tables = row
        if tenant:
            touched.extend((tenant, table) for table in tables)
            others.extend(f"{tenant} in {own}: {table}" for table in tables if not table.startswith(f"{own}."))

    def commit(self: PostgresConnection) -> None:
        look(self._raw)  # pyright: ignore[reportPrivateUsage] -- before the transaction ends
        committing(self)

    def release(self: ServerPool, raw: Raw) -> None:
        look(raw)
        releasing(self, raw)

    committing, releasing = PostgresConnection.commit, ServerPool.release
    monkeypatch.setattr(PostgresConnection, "commit", commit)
    monkeypatch.setattr(ServerPool, "release", release)
    # Of two partitions.
    for tenant in ("acme", "globex"):
        async with served(partitioned.serving_url, {"secret_key": SECRET, "tenant": tenant}) as house:
            ids = await sample(house.memory)
            token = await house.key("examples", rights=["read", "write", "learn", "govern", "operate"])
            async with house.guest(token) as guest:
                # Of the whole store is told to tenant `local` alone.
                answered = [(name, due, got.status_code) async for name, due, got in answers(guest, ids)]
            assert [one for one in answered if one[2] not in (one[1], 403)] == []
            assert len([one for one in answered if one[2] == 403]) < 10
    assert sorted(set(others)) == []
    schemas = {tenant: {table.split(".")[0] for who, table in touched if who == tenant} for tenant, _ in touched}
    assert {tenant: len(found) for tenant, found in schemas.items()} == {"acme": 1, "globex": 1}
    assert schemas["acme"] != schemas["globex"]
    assert len({table for _, table in touched}) > 30
