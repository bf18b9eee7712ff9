"""Preparing a database, and who may open it: every refusal says what to do, and none has a password in it."""

import secrets
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import anyio
import anyio.to_thread
import psycopg
import pytest
from psycopg import sql

from remembrancer.errors import InvalidInput, NotAllowed, SchemaMismatch, StoreError, StoreUnavailable
from remembrancer.storage.migrations import Migration, migrations
from remembrancer.storage.postgres import roles
from remembrancer.storage.postgres.roles import prepare, rewrite
from remembrancer.storage.postgres.store import PostgresStore
from tests.databases import LOGIN, SECRET, Database, at, fresh
from tests.factories import HOME, observation, put
from tests.postgres_server import PostgresServer
from tests.rows import each_row

# Read before there is an event loop.
STEPS = migrations("remembrancer.storage.postgres")

PASSWORD = "swordfish-0451"
TOGETHER = 4


async def opened(url: str, secret: str | None = SECRET) -> None:
    async with PostgresStore.open(url, secret=secret) as store:
        await store.scopes()


@contextmanager
def role(database: Database, *options: str, member_of: str = "") -> Generator[str]:
    """Where another role connects, for as long as the block lasts."""
    name = f"role_{secrets.token_hex(4)}"
    with psycopg.connect(database.admin_url, autocommit=True) as admin:
        made = sql.SQL("CREATE ROLE {} LOGIN PASSWORD {} ").format(sql.Identifier(name), sql.Literal(PASSWORD))
        admin.execute(made + sql.SQL(" ").join(map(sql.SQL, options)))  # pyright: ignore[reportArgumentType]
        if member_of:
            admin.execute(sql.SQL("GRANT {} TO {}").format(sql.Identifier(member_of), sql.Identifier(name)))
        try:
            yield at(database.admin_url, database=urlsplit(database.admin_url).path[1:], user=name, password=PASSWORD)
        finally:
            admin.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(name)))


@pytest.fixture
def own(postgres_admin_url: str) -> Iterator[Database]:
    """A prepared database of the test's own, which it may spoil."""
    with fresh(postgres_admin_url) as found:
        yield found


# Opening


@pytest.mark.anyio
async def test_a_superuser_may_not_serve(database: Database) -> None:
    with pytest.raises(NotAllowed, match=r"'postgres' is a superuser.*`remembrancer init-db`"):
        await opened(database.admin_url)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("options", "member_of", "said"),
    [
        (("BYPASSRLS",), "remembrancer_serving", "has BYPASSRLS"),
        ((), "remembrancer_owner", "owns the tables"),
        (("NOINHERIT",), "remembrancer_owner", "owns the tables"),
        ((), "remembrancer_sweeping", "belongs to remembrancer_sweeping"),
    ],
)
async def test_a_role_that_could_step_over_the_wall_may_not_serve(
    database: Database, options: tuple[str, ...], member_of: str, said: str
) -> None:
    with role(database, *options, member_of=member_of) as url:
        with pytest.raises(NotAllowed, match=rf"{said}.*`remembrancer init-db`") as told:
            await opened(url)
        assert PASSWORD not in str(told.value)


@pytest.mark.anyio
async def test_a_role_without_any_rights_is_told_where_they_come_from(database: Database) -> None:
    with role(database) as url, pytest.raises((NotAllowed, StoreError), match="`remembrancer init-db`"):
        await opened(url)


@pytest.mark.anyio
async def test_a_database_that_was_not_prepared_says_how_to(database: Database, postgres_database: str) -> None:
    empty = at(database.serving_url, database=urlsplit(postgres_database).path[1:], user=LOGIN, password=LOGIN)
    with pytest.raises(SchemaMismatch, match="`remembrancer init-db`"):
        await opened(empty)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("statement", "said"),
    [
        (
            "DELETE FROM remembrancer_ops.migrations WHERE number ="
            " (SELECT MAX(number) FROM remembrancer_ops.migrations)",
            "lacks migration 00.*init-db",
        ),
        ("DELETE FROM remembrancer_ops.migrations WHERE number = 1", "no record of migration 0001.*restore a backup"),
        ("UPDATE remembrancer_ops.migrations SET sha256 = 'x' WHERE number = 1", "0001.*changed"),
        ("INSERT INTO remembrancer_ops.migrations VALUES (9999, 'x', 'x')", "9999.*upgrade"),
    ],
    ids=["older", "lossy", "altered", "newer"],
)
async def test_a_database_of_another_version_is_refused(own: Database, statement: Any, said: str) -> None:
    with psycopg.connect(own.admin_url) as admin:
        admin.execute(statement)
    with pytest.raises(SchemaMismatch, match=said):
        await opened(own.serving_url)


@pytest.mark.anyio
@pytest.mark.parametrize(
    "change",
    [
        {"password": PASSWORD},
        {"database": "no_such_database", "password": LOGIN},
        {"user": "no_such_role", "password": PASSWORD},
        {"host": "127.0.0.1:1", "password": PASSWORD},
    ],
    ids=["password", "database", "role", "host"],
)
async def test_what_cannot_be_reached_says_so_without_the_password(database: Database, change: dict[str, str]) -> None:
    parts = urlsplit(database.serving_url)
    host = change.get("host", parts.netloc.rpartition("@")[2])
    name = change.get("database", parts.path[1:])
    url = f"postgresql://{change.get('user', LOGIN)}:{change['password']}@{host}/{name}"
    with pytest.raises(StoreUnavailable) as told:
        await opened(url)
    assert PASSWORD not in str(told.value)


@pytest.mark.anyio
@each_row(
    "url",
    [
        "postgresql://tester:mack@erel@127.0.0.1:1/db",
        "postgresql://tester:mack/erel@127.0.0.1:1/db",
        "postgresql://tester:mack:erel@127.0.0.1:1/db",
        "postgresql://tester:mack%erel@127.0.0.1:1/db",
        "postgresql://tester:mack erel@127.0.0.1:1/db",
        "postgresql://tester:mack?erel@127.0.0.1:1/db",
        "postgresql://tester:mack#erel@127.0.0.1:1/db",
    ],
)
async def test_a_password_that_was_not_escaped_is_not_told_either(url: str) -> None:
    with pytest.raises((InvalidInput, StoreUnavailable)) as told:
        await opened(url)
    assert "mack" not in str(told.value)
    assert "erel" not in str(told.value)
    with pytest.raises((InvalidInput, StoreUnavailable)) as told:
        await anyio.to_thread.run_sync(partial(prepare, url, role=LOGIN))
    assert "mack" not in str(told.value)
    assert "erel" not in str(told.value)


# The key


@pytest.mark.anyio
@pytest.mark.parametrize("secret", [None, "", "short"])
async def test_a_missing_or_short_key_is_refused_before_anything_is_done(
    database: Database, secret: str | None
) -> None:
    with pytest.raises(InvalidInput, match="secret key"):
        await opened(database.serving_url, secret)
    with psycopg.connect(database.admin_url) as admin:
        assert admin.execute("SELECT * FROM remembrancer_ops.store").fetchall() == []


@pytest.mark.anyio
async def test_a_store_opens_with_the_key_it_was_made_with_and_no_other(database: Database) -> None:
    async with PostgresStore.open(database.serving_url, secret=SECRET) as store:
        await put(store, observation("o"))
        signed = store.sign("quartz")
    with pytest.raises(InvalidInput, match="not the one that this store was made with") as told:
        await opened(database.serving_url, "another key of these tests")
    assert "another key of these tests" not in str(told.value)
    async with PostgresStore.open(database.serving_url, secret=SECRET) as store:
        assert store.sign("quartz") == signed
        assert await store.scopes() == [HOME]


# Preparing


def test_preparing_again_changes_nothing(postgres_database: str) -> None:
    first = prepare(postgres_database, role=LOGIN, password=LOGIN)
    assert first.applied[0] == "0001_initial.sql"
    before = catalogue(postgres_database)
    assert prepare(postgres_database, role=LOGIN).applied == ()
    assert catalogue(postgres_database) == before


def test_several_that_prepare_at_once_take_turns(postgres_database: str) -> None:
    with ThreadPoolExecutor(TOGETHER) as threads:
        starts = [threads.submit(prepare, postgres_database, role=LOGIN, password=LOGIN) for _ in range(TOGETHER)]
        done = [start.result() for start in starts]
    assert sorted(bool(found.applied) for found in done) == [False] * (TOGETHER - 1) + [True]


def test_preparing_tries_again_where_another_database_changes_the_same_role(postgres_database: str) -> None:
    prepare(postgres_database, role=LOGIN, password=LOGIN)
    other = at(postgres_database, database="postgres")
    set_password = sql.SQL("ALTER ROLE {} PASSWORD {}").format(sql.Identifier(LOGIN), sql.Literal(LOGIN))
    with psycopg.connect(other, autocommit=True) as admin, ThreadPoolExecutor(1) as threads:
        with admin.transaction():
            admin.execute(set_password)
            prepared = threads.submit(prepare, postgres_database, role=LOGIN, password=LOGIN)
            wait_for_lock(admin, urlsplit(postgres_database).path[1:])
        assert not prepared.result().made_role


def wait_for_lock(admin: psycopg.Connection, database: str) -> None:
    """Wait until a connection to a database waits for another one."""
    waiting = "SELECT 1 FROM pg_stat_activity WHERE datname = %s AND wait_event_type = 'Lock'"
    while admin.execute(waiting, (database,)).fetchone() is None:
        admin.execute("SELECT pg_stat_clear_snapshot(), pg_sleep(0.01)")


@pytest.mark.parametrize("name", ["remembrancer_owner", "remembrancer_serving", "remembrancer_sweeping", ""])
def test_a_role_of_ours_is_not_the_one_to_serve_as(postgres_database: str, name: str) -> None:
    with pytest.raises(InvalidInput, match="name another"):
        prepare(postgres_database, role=name)


@pytest.mark.parametrize("option", ["SUPERUSER", "BYPASSRLS"])
def test_a_role_that_nothing_binds_is_not_made_the_one_to_serve_as(database: Database, option: str) -> None:
    with role(database, option) as url, pytest.raises(NotAllowed, match="row-level security"):
        prepare(database.admin_url, role=urlsplit(url).username or "")


def test_a_role_without_powers_may_not_prepare(database: Database) -> None:
    with pytest.raises(NotAllowed, match="connect as an administrator"):
        prepare(database.serving_url, role=LOGIN)


def test_an_administrator_who_is_no_superuser_may_prepare_a_database_of_its_own() -> None:
    # On a server of its own: elsewhere another administrator has made the roles, which this one then may not hand out.
    with PostgresServer(shared_buffers="16MB", max_connections=20) as server:
        with psycopg.connect(server.url(), autocommit=True) as admin:
            admin.execute(sql.SQL("CREATE ROLE keeper LOGIN CREATEROLE PASSWORD {}").format(sql.Literal(PASSWORD)))
            admin.execute("CREATE DATABASE kept OWNER keeper TEMPLATE template0")
        with psycopg.connect(server.url("kept"), autocommit=True) as admin:
            admin.execute("CREATE EXTENSION vector")
        url = server.url("kept", user="keeper", password=PASSWORD)
        for _ in range(2):
            prepare(url, role=LOGIN, password=PASSWORD)
        with psycopg.connect(server.url("kept", user=LOGIN, password=PASSWORD)) as serving:
            assert serving.execute("SELECT * FROM remembrancer_ops.tenants()").fetchall() == []
        assert rewrite(url) > 0


def catalogue(url: str) -> list[tuple[Any, ...]]:
    """Whatever is in our schemas and who may do what with it, as the server's own notes have it."""
    with psycopg.connect(url) as admin:
        return admin.execute(
            """
            SELECT relname, relkind, relowner, relacl::text, xmin::text FROM pg_class
            WHERE relnamespace::regnamespace::text LIKE 'remembrancer%'
            UNION ALL
            SELECT proname, prokind, proowner, proacl::text, xmin::text FROM pg_proc
            WHERE pronamespace::regnamespace::text LIKE 'remembrancer%'
            UNION ALL
            SELECT polname, polcmd, 0, polroles::text, xmin::text FROM pg_policy
            ORDER BY 1, 2, 5
            """
        ).fetchall()


# Writing anew


def _files(url: str) -> dict[str, int]:
    """The file of every table of ours, and of what the server knows of their columns."""
    with psycopg.connect(url) as admin:
        return dict(
            admin.execute(
                "SELECT oid::regclass::text, pg_relation_filenode(oid) FROM pg_class WHERE relkind = 'r'"
                " AND (relnamespace::regnamespace::text LIKE 'remembrancer%' OR relname = 'pg_statistic')"
            ).fetchall()
        )


def test_every_table_is_written_into_another_file_and_what_is_known_of_columns_too(own: Database) -> None:
    before = _files(own.admin_url)
    assert rewrite(own.admin_url) == len(before) - 1
    after = _files(own.admin_url)
    assert set(after) == set(before)
    assert [name for name, file in after.items() if before[name] == file] == []


def test_a_role_without_powers_may_not_write_anew(database: Database) -> None:
    with role(database) as url, pytest.raises(NotAllowed, match="connect as an administrator"):
        rewrite(url)
    with pytest.raises(NotAllowed, match="connect as an administrator"):
        rewrite(database.serving_url)


def test_a_database_that_was_not_prepared_is_not_written_anew(postgres_database: str) -> None:
    with pytest.raises(InvalidInput, match="not prepared by remembrancer init-db"):
        rewrite(postgres_database)
    with pytest.raises(InvalidInput):
        rewrite("m.db")


@pytest.mark.anyio
async def test_an_upgrade_composes_the_names_that_are_stored(own: Database) -> None:
    async with PostgresStore.open(own.serving_url, secret=SECRET) as store:
        await put(store, replace(observation("kept"), topic_key="Zoë", tags=("Zoë",)))
    old = """
        UPDATE remembrancer.scopes SET "user" = normalize('Zoë', NFD);
        UPDATE remembrancer.records SET topic_key = normalize(topic_key, NFD), tags = ARRAY[normalize('Zoë', NFD)];
        DROP INDEX remembrancer.records_by_hash;
        ALTER TABLE remembrancer.records DROP COLUMN identity;
        CREATE INDEX records_by_hash ON remembrancer.records (scope, hash);
        SET search_path TO remembrancer, remembrancer_ops, public;
    """
    statement = (
        'SELECT "user", topic_key, tags, relforcerowsecurity FROM remembrancer.scopes'
        " JOIN remembrancer.records ON records.scope = scopes.id, pg_class WHERE relname = 'records'"
    )

    def upgraded() -> list[Any]:
        with psycopg.connect(own.admin_url) as admin:
            admin.execute(old)
            admin.execute(next(step.sql.encode() for step in STEPS if step.number == 15))
        with psycopg.connect(own.admin_url) as admin:
            return admin.execute(statement).fetchall()

    rows = await anyio.to_thread.run_sync(upgraded)
    assert rows == [("Zoë", "Zoë", ["Zoë"], True)]


def before_names(_package: str) -> list[Migration]:
    return [step for step in STEPS if step.number < 18]


def test_an_upgrade_renames_what_is_stored(postgres_database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(roles, "migrations", before_names)
        prepare(postgres_database, role=LOGIN)
    scope = "1, 'local'"
    rows = f"""
        SET search_path TO remembrancer, remembrancer_ops, public;
        INSERT INTO scopes (id, tenant, last_document, documents, words, audit_key)
        OVERRIDING SYSTEM VALUE VALUES ({scope}, 0, 0, 0, '');
        INSERT INTO nights (scope, tenant, day, step, counts, started_at)
        VALUES ({scope}, '2026-11-28', 'standing', '{{}}', now());
        INSERT INTO tallies (scope, tenant, name, count) VALUES ({scope}, 'nights', 7), ({scope}, 'sessions', 3);
        INSERT INTO chunks (scope, tenant, session, first, last, state, tokens, noted, classification, task, suggestion,
            engine, model, failure, tries, observed_at)
        VALUES ({scope}, 's', 1, 2, 'held', 9, 3, 'internal', '', '', '', '', '', 0, now());
        INSERT INTO policies (scope, tenant, id, kind, details, set_at)
        VALUES ({scope}, 'redaction email', 'redaction', '{{"datum": "email", "redaction": "mask"}}', now());
    """
    found = """
        SELECT step, state, details ->> 'data_type', (SELECT string_agg(name, ' ' ORDER BY name) FROM counters)
        FROM maintenance_runs, chunks, policies
    """
    with psycopg.connect(postgres_database) as admin:
        admin.execute(rows.encode())
    prepare(postgres_database, role=LOGIN)
    with psycopg.connect(postgres_database) as admin:
        admin.execute("SET search_path TO remembrancer, remembrancer_ops, public")
        assert admin.execute(found.encode()).fetchall() == [
            ("scores", "in-review", "email", "maintenance_runs sessions")
        ]
        forced = admin.execute(
            "SELECT bool_and(relforcerowsecurity) FROM pg_class WHERE relname IN ('chunks', 'records')"
        )
        assert forced.fetchone() == (True,)
