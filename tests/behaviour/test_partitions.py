"""Tables that are partitioned by tenant: all rows are carried over, and each partition has its walls."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import anyio
import psycopg
import pytest
from psycopg import sql

from remembrancer import Memory, NewMessage, Scope, open_memory
from remembrancer.assembly.administration import copy_store, init_database
from remembrancer.errors import InvalidInput, StoreUnavailable
from remembrancer.storage.migrations import Migration, migrations
from remembrancer.storage.postgres import partitions, roles
from remembrancer.storage.postgres.connection import PostgresConnection, Raw, Row
from remembrancer.testing import HashEmbedder
from tests.copying.filling import fill
from tests.databases import LOGIN, SECRET, Database, fresh
from tests.learning import Life

from .requirements import requirement
from .test_closed_memories import METHODS, SESSION, TOPIC, Closed, answer, arguments

pytestmark = pytest.mark.anyio
# What a table has besides its rows, without what is of single partitions.
OF_TABLES = """
    SELECT c.relname, c.relrowsecurity, c.relforcerowsecurity,
        (SELECT array_agg(item::text ORDER BY item::text) FROM unnest(c.relacl) AS item)::text,
        (SELECT array_agg(attname || ' ' || atttypid::regtype || ' ' || attnotnull || attidentity::text
            || attstorage::text || COALESCE(attacl::text, '') ORDER BY attname)
            FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0),
        (SELECT array_agg(indexrelid::regclass || ' ' || replace(pg_get_indexdef(indexrelid), ' ONLY ', ' ') ORDER BY 1)
            FROM pg_index WHERE indrelid = c.oid),
        (SELECT array_agg(pg_get_triggerdef(t.oid) ORDER BY tgname) FROM pg_trigger AS t
            WHERE tgrelid = c.oid AND NOT tgisinternal),
        (SELECT array_agg(p::text ORDER BY p::text) FROM pg_policies AS p
            WHERE schemaname = 'remembrancer' AND tablename = c.relname),
        (SELECT array_agg(pg_get_constraintdef(k.oid) ORDER BY conname) FROM pg_constraint AS k
            WHERE conrelid = c.oid AND contype IN ('p', 'u', 'c'))
    FROM pg_class AS c WHERE relnamespace = 'remembrancer'::regnamespace AND relkind IN ('r', 'p') ORDER BY 1
"""
# What all partitions of a table have in common, and the table itself where it has no partitions.
OF_PARTITIONS = """
    SELECT DISTINCT c.relname, c.relrowsecurity, c.relforcerowsecurity, c.reloptions::text,
        (SELECT array_agg(item::text ORDER BY item::text) FROM unnest(c.relacl) AS item)::text,
        (SELECT array_agg(p.policyname || p.roles::text || p.qual || COALESCE(p.with_check, '') ORDER BY policyname)
            FROM pg_policies AS p WHERE schemaname = nspname AND tablename = c.relname)::text,
        (SELECT array_agg(tgname ORDER BY tgname) FROM pg_trigger WHERE tgrelid = c.oid AND NOT tgisinternal)::text,
        (SELECT array_agg(replace(pg_get_constraintdef(k.oid), nspname || '.', 'remembrancer.') ORDER BY conname)
            FROM pg_constraint AS k WHERE conrelid = c.oid AND contype = 'f')::text
    FROM pg_class AS c JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE nspname ~ '^remembrancer(_p[0-9]+)?$' AND relkind = 'r' ORDER BY 1
"""

# The tables of each partition.
PARTS = """
    SELECT nspname, array_agg(relname::text ORDER BY relname)
    FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE nspname ~ '^remembrancer' AND relkind = 'r' GROUP BY nspname
"""
# The migrations of the first version with partitions.
FIRST_PARTITIONED = 22


@pytest.fixture
def own(postgres_admin_url: str) -> Iterator[Database]:
    """A database of the test's own, since its schemas change."""
    with fresh(postgres_admin_url) as database:
        yield database


def told(rows: list[tuple[Any, ...]]) -> set[str]:
    """Each thing of each table in a line of its own."""
    found: set[str] = set()
    for name, *parts in rows:
        for part in parts:
            found |= {f"{name} {one}" for one in part} if isinstance(part, list) else {f"{name} {part}"}  # pyright: ignore[reportUnknownVariableType] -- of the server
    return found


def asked(database: Database, statement: Any) -> list[tuple[Any, ...]]:
    return rows_of(database.admin_url, statement)


def rows_of(url: str, statement: Any) -> list[tuple[Any, ...]]:
    with psycopg.connect(url) as connection:
        return connection.execute(statement).fetchall()


def first_partitioned(package: str) -> list[Migration]:
    return list(migrations(package))[:FIRST_PARTITIONED]


@requirement("partitions.rows")
async def test_all_rows_are_carried_over_and_all_that_a_table_has(
    own: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "m.db"
    await fill(source)
    monkeypatch.setenv("REMEMBRANCER_SECRET_KEY", (tmp_path / "m.db.key").read_text().strip())
    copied = {table.table: table.sha256 for table in await copy_store(str(source), own.serving_url)}
    tables, parts = told(asked(own, OF_TABLES)), told(asked(own, OF_PARTITIONS))
    for number, count in enumerate((3, 2)):
        assert (await init_database(own.admin_url, role=LOGIN, partitions=count)).partitions == count
        assert (count, told(asked(own, OF_TABLES)) ^ tables) == (count, set())
        assert (count, told(asked(own, OF_PARTITIONS)) ^ parts) == (count, set())
        back = await copy_store(own.serving_url, str(tmp_path / f"{number}.db"))
        assert (count, {table.table: table.sha256 for table in back}) == (count, copied)
    # Without a number, they stay as they are.
    assert (await init_database(own.admin_url, role=LOGIN)).partitions == 2
    assert asked(own, "SELECT nspname FROM pg_namespace WHERE nspname ~ '_(old|p)[0-9_]*$' ORDER BY 1") == [
        ("remembrancer_p0",),
        ("remembrancer_p1",),
    ]
    async with open_memory(own.serving_url, embedder="none", background=False) as memory:
        saved = await memory.within(Scope(tenant="another", user="ana")).save("The heron stands at the mill.")
    rows = asked(own, sql.SQL("SELECT COUNT(*) FROM remembrancer.records WHERE id = {}").format(saved.record.id))
    assert rows == [(1,)]


@requirement("partitions.rows")
def test_an_upgrade_reaches_the_partitions(
    postgres_database: str, postgres_admin_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The migrations after the first version with partitions change each partition, and not the table alone."""
    with monkeypatch.context() as patch:
        patch.setattr(roles, "migrations", first_partitioned)
        roles.prepare(postgres_database, role=LOGIN, partitions=2)
    roles.prepare(postgres_database, role=LOGIN)
    with fresh(postgres_admin_url, partitions=2) as new:
        for shape in (OF_TABLES, OF_PARTITIONS, PARTS):
            assert told(rows_of(postgres_database, shape)) ^ told(asked(new, shape)) == set()


@requirement("partitions.rows")
async def test_a_store_is_copied_into_partitions(
    own: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(tmp_path / "m.db")
    monkeypatch.setenv("REMEMBRANCER_SECRET_KEY", (tmp_path / "m.db.key").read_text().strip())
    await init_database(own.admin_url, role=LOGIN, partitions=3)
    copied = await copy_store(str(tmp_path / "m.db"), own.serving_url)
    assert sum(table.rows for table in copied) > 100
    async with open_memory(own.serving_url, embedder="none", background=False) as memory:
        for _ in range(3):
            await memory.within(Scope(tenant="acme", project="apollo", user="bob")).save(
                "The heron stands at the mill."
            )
        # The file has one, too.
        assert [one.finding.fault.value for one in await memory.admin.doctor()] == ["half-built-generation"]


@requirement("partitions.rows")
async def test_partitioning_that_is_killed_changes_nothing(own: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_memory(own.serving_url, embedder="none", background=False, secret_key=SECRET) as memory:
        await memory.save("The heron stands at the mill.")
        before = asked(own, OF_TABLES)

        def broken(raw: Raw, statement: str) -> None:
            if statement.startswith("DROP SCHEMA"):
                statement = "SELECT pg_terminate_backend(pg_backend_pid())"
            run(raw, statement)

        run = partitions._run  # pyright: ignore[reportPrivateUsage] -- killed at its last steps
        monkeypatch.setattr(partitions, "_run", broken)
        with pytest.raises(StoreUnavailable):
            await init_database(own.admin_url, role=LOGIN, partitions=3)
        monkeypatch.undo()
        assert asked(own, OF_TABLES) == before
        # What has the store open goes on, before and after.
        assert [hit.record.text for hit in (await memory.recall("heron")).hits] == ["The heron stands at the mill."]
        await init_database(own.admin_url, role=LOGIN, partitions=3)
        assert [hit.record.text for hit in (await memory.recall("heron")).hits] == ["The heron stands at the mill."]
        await memory.save("The otter swims.")
        with pytest.raises(InvalidInput, match="1 to 256"):
            await init_database(own.admin_url, role=LOGIN, partitions=257)


@requirement("partitions.rows")
async def test_what_is_written_meanwhile_is_in_the_partitions(own: Database) -> None:
    async with open_memory(own.serving_url, embedder="none", background=False, secret_key=SECRET) as memory:
        saved: list[str] = []

        async def save(writer: int) -> None:
            for number in range(100_000):
                scope = Scope(tenant=f"tenant-{writer}", user=f"user-{number}")
                saved.append((await memory.within(scope).save(f"Heron {writer} stands at mill {number}.")).record.id)

        async with anyio.create_task_group() as tasks:
            for writer in range(4):
                tasks.start_soon(save, writer)
            await init_database(own.admin_url, role=LOGIN, partitions=3)
            known = len(saved)
            with anyio.fail_after(20):
                while True:
                    # Until they have written in the partitions.
                    if len(saved) > known + 20:
                        break
                    await anyio.sleep(0.05)
            tasks.cancel_scope.cancel()
    stored = {id for (id,) in asked(own, "SELECT id FROM remembrancer.records")}
    assert set(saved) <= stored


@requirement("partitions.walls")
async def test_a_partition_shows_a_tenant_its_own_rows_alone_by_its_own_name(own: Database) -> None:
    await init_database(own.admin_url, role=LOGIN, partitions=1)
    async with open_memory(own.serving_url, embedder="none", background=False, secret_key=SECRET) as memory:
        for tenant in ("acme", "globex"):
            await memory.within(Scope(tenant=tenant)).save(f"The heron of {tenant}.")
    with psycopg.connect(own.serving_url) as connection:
        statement = "SELECT text FROM remembrancer_p0.records"
        assert connection.execute(statement).fetchall() == []
        connection.execute("SELECT set_config('remembrancer.tenant', 'acme', true)")
        assert connection.execute(statement).fetchall() == [("The heron of acme.",)]
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("UPDATE remembrancer_p0.records SET tenant = 'globex'")


OPERATIONS: Mapping[str, Callable[[Memory], Awaitable[object]]] = {
    "save": lambda memory: memory.save("Ana prefers window seats.", type="preference"),
    "record": lambda memory: memory.record(NewMessage(text="Which seat?", session="work")),
    "record_many": lambda memory: memory.messages.record_many(
        [NewMessage(text=f"Turn {n} of a talk.") for n in range(5)]
    ),
    "recall": lambda memory: memory.recall("Which seat does Ana prefer?"),
    "context": lambda memory: memory.context(question="Which seat does Ana prefer?"),
    "brief": lambda memory: memory.context(mode="brief"),
    "list": lambda memory: memory.list(limit=20),
    "timeline": lambda memory: memory.timeline.between(limit=20),
    "graph": lambda memory: memory.graph.entities("ana"),
    "sessions": lambda memory: memory.sessions.list(),
    "facts": lambda memory: memory.facts.set("seat", "window"),
    "night": lambda memory: memory.admin.maintenance.run(),
    "erasure": lambda memory: memory.within(Scope(tenant="acme")).governance.erasure.erase(
        user="ana", reason="asked for"
    ),
}
# They ask for all tenants.
OF_THE_STORE = {"admin.stats", "admin.doctor", "admin.index.missing", "admin.index.reembed", "admin.index.rebuild"}


@requirement("partitions.rows")
async def test_statements_of_a_tenant_read_its_partition_alone(
    own: Database, monkeypatch: pytest.MonkeyPatch, life: Life
) -> None:
    await init_database(own.admin_url, role=LOGIN, partitions=4)
    read: dict[str, int] = {}
    places: set[str] = set()

    def note(name: str) -> None:
        print(f"{name}: {', '.join(f'{schema} {count} times' for schema, count in sorted(read.items()))}")
        places.update(schema for schema in read if schema not in {"remembrancer_ops", "pg_catalog"})
        assert len(places) <= 1, name
        read.clear()

    def explained(run: Callable[..., Any]) -> Callable[..., Any]:
        def with_plan(self: PostgresConnection, statement: Any, values: Any = (), **options: Any) -> Any:
            # Of many sets of values the first one stands for all.
            first: Any = values[0] if run.__name__ == "run_many" and values else values
            for schema in schemas(plan_of(self, statement, first)):
                read[schema] = read.get(schema, 0) + 1
            return run(self, statement, values, **options)

        return with_plan

    monkeypatch.setattr(PostgresConnection, "rows", explained(PostgresConnection.rows))
    monkeypatch.setattr(PostgresConnection, "run", explained(PostgresConnection.run))
    monkeypatch.setattr(PostgresConnection, "run_many", explained(PostgresConnection.run_many))
    async with open_memory(own.serving_url, embedder=HashEmbedder(), background=False, secret_key=SECRET) as memory:
        await memory.within(Scope(tenant="globex")).save("Bob prefers trains.")
        read.clear()
        ana = memory.within(Scope(tenant="acme", user="ana"))
        for name, operation in OPERATIONS.items():
            await operation(ana)
            note(name)
        for method in sorted(METHODS.keys() - OF_THE_STORE):
            saved = await ana.save(f"The heron nests near {method}.", topic_key=TOPIC, session=SESSION)
            closed = Closed(memory=ana, ids={}, beside=saved.record.id, life=life)
            await answer(ana, method, arguments(method, closed, saved.record.id))
            note(method)
    assert places


def plan_of(connection: PostgresConnection, statement: Any, values: Any) -> list[Row]:
    """The plan of a statement; empty for one that has none."""
    words = statement.as_string(None) if isinstance(statement, sql.Composable) else statement
    if words.split(maxsplit=1)[0].upper() not in {"SELECT", "WITH", "INSERT", "UPDATE", "DELETE"}:
        return []
    with connection._raw.cursor() as cursor:  # pyright: ignore[reportPrivateUsage]
        return cursor.execute(f"EXPLAIN (VERBOSE, FORMAT JSON) {words}".encode(), values, prepare=False).fetchall()


def schemas(plan: Any) -> Iterator[str]:
    """The schema of each table in a plan."""
    if isinstance(plan, dict):
        node = cast(dict[str, Any], plan)
        if "Relation Name" in node:
            yield node["Schema"]
        plan = list(node.values())
    if isinstance(plan, list | tuple):
        for one in cast(Sequence[Any], plan):
            yield from schemas(one)
