"""The wall between tenants, tried by raw SQL in the serving role: every table of the catalogue, every way across."""

import json
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, LiteralString

import anyio
import psycopg
import pytest
from psycopg import errors, sql

from remembrancer.storage.base import Store
from remembrancer.storage.postgres.store import PostgresStore
from remembrancer.types.access import Caller
from remembrancer.types.archive import Tombstone
from remembrancer.types.feedback import Rejection
from remembrancer.types.jobs import IdempotentRequest
from remembrancer.types.notes import Log
from remembrancer.types.policy import PersonalDataType, Redaction, RedactionPolicy
from remembrancer.types.results import Change, IdempotentWrite, Outcome
from remembrancer.types.scope import Scope
from tests.databases import SECRET, Database, as_admin, fresh
from tests.factories import (
    DAY,
    HOME,
    RIVAL,
    START,
    call,
    chunk,
    directions,
    embed,
    entry,
    injection,
    message,
    move,
    night,
    observation,
    reading,
    served,
    terms,
    verdict,
)
from tests.factories import session as new_session
from tests.rows import each_row

Raw = psycopg.Connection[tuple[Any, ...]]
TENANTS = (HOME.tenant, RIVAL.tenant)

# Tables of no tenant, with what they may have for columns: none of them has room for what people wrote.
WITHOUT_TENANT = {
    "migrations": ("which files were applied", {"number", "name", "sha256"}),
    "placements": (
        "in which of several databases a tenant is, and counts and hashes of what moved",
        {"tenant", "state", "database", "since", "receipt"},
    ),
    "store": ("a fingerprint of the store's key, and the analyser's version", {"only", "fingerprint", "analyser"}),
    "kinds": ("words, the same in every store", {"name"}),
    "statuses": ("words, the same in every store", {"name"}),
    "generations": (
        "which model the vectors are of",
        {"number", "name", "model_version", "dimension", "random_cosine", "random_spread", "state"},
    ),
    "leases": ("who does which work, by fingerprints", {"name", "holder", "until"}),
    "breakers": (
        "which models fail",
        {"model", "purpose", "failures", "opened", "failing", "since", "until", "change"},
    ),
    "access_keys": (
        "who may come in, read before a tenant is known: names of scopes, and a fingerprint of the secret",
        {"id", "tenant", "project", "agent", "user", "name", "clearance", "rights", "digest", "created_at"}
        | {"expires_at", "revoked_at", "last_seen_at", "tenants"},
    ),
    "jobs": (
        "how far work is, in numbers, and the class of the error that ended it",
        {"id", "tenant", "project", "agent", "user", "work", "state", "done", "counts", "failure", "message"}
        | {"cancelled", "started_at", "heartbeat_at", "ended_at"},
    ),
}
# What may be asked across tenants, and what is told of it.
DEFINER = {
    "tenants": "SETOF text",
    "due": "TABLE(tenant text, purpose text)",
    "start_generation": "bigint",
    "switch_generation": "boolean",
    "drop_generation": "void",
    "drop_vector_indexes": "void",
    "number_after": "void",
    "copy_generation": "void",
}


@pytest.fixture(scope="module")
def seeded(postgres_admin_url: str) -> Iterator[Database]:
    """Two tenants with a row in every table each; no test here leaves anything behind."""
    with fresh(postgres_admin_url) as database:
        anyio.run(_seed, database.serving_url)
        for scope in (HOME, RIVAL):
            with psycopg.connect(database.serving_url) as raw:
                raw.execute("SELECT set_config('remembrancer.tenant', %s, true)", (scope.tenant,))
                raw.execute(
                    "INSERT INTO remembrancer.logged_changes (tenant, name, key) VALUES (%s, 'records', '{}')",
                    (scope.tenant,),
                )
        yield database


async def _seed(url: str) -> None:
    async with PostgresStore.open(url, secret=SECRET) as store:
        for scope in (HOME, RIVAL):
            await _write_everything(store, scope)


async def _write_everything(store: Store, scope: Scope) -> None:
    said = message(f"m.{scope.tenant}", scope=scope)
    claim = replace(observation(f"o.{scope.tenant}", scope=scope), evidence=(said.id,))
    async with store.begin(Caller(scope=scope)) as tx:
        await tx.sessions.put(new_session("s", scope=scope))
        await tx.sessions.reserve_numbers("s", 1, tokens=0)
        documents = await tx.records.add([said, claim], [terms("quartz"), terms("basalt")])
        await tx.records.change(claim.id, Change(text="slate", reworded=True), at=START + DAY, terms=terms("slate"))
        await tx.keys.add(IdempotentWrite(key="k", request="r", outcome=Outcome.CREATED, record=said.id), at=START)
        await tx.calls.add(call(f"c.{scope.tenant}"))
        await tx.chunks.add(chunk("s", 1, 1))
        await tx.logs.put(Log(session="s", places=1))
        await tx.injections.add([injection(said.id)])
        await tx.maintenance_runs.put(night())
        await tx.verdicts.put(verdict(claim.id))
        await tx.rejections.add(Rejection(words="words", record=claim.id))
        await tx.imports.put(reading())
        await tx.imports.add_tombstone(Tombstone(mark="mark"))
        await tx.weights.add(move(claim.id))
        await tx.requests.put(IdempotentRequest(key="k", request="r", at=START))
        await tx.policies.put(RedactionPolicy(data_type=PersonalDataType.CARD, redaction=Redaction.MASK, set_at=START))
        await tx.blocks.add([served(f"b.{scope.tenant}")])
        await tx.audit.add([entry(said.id)])
    await embed(store, scope, documents[:1], directions(1))


@contextmanager
def serving(database: Database, tenant: str | None = None) -> Generator[Raw]:
    """A transaction of the serving role by another road than the store; rolled back."""
    with psycopg.connect(database.serving_url, autocommit=True) as raw, raw.transaction(force_rollback=True):
        raw.execute("SET search_path TO remembrancer, remembrancer_ops, public")
        if tenant is not None:
            raw.execute("SELECT set_config('remembrancer.tenant', %s, true)", (tenant,))
        yield raw


@contextmanager
def refused(raw: Raw, match: str = "permission denied|must be owner") -> Generator[None]:
    """A block whose statement the role may not run; the transaction goes on."""
    with pytest.raises(errors.InsufficientPrivilege, match=match), raw.transaction():
        yield


def tables(database: Database, schema: str) -> list[str]:
    """Whatever holds rows: tables, with partitions, and views of either kind."""
    rows = as_admin(
        database,
        "SELECT relname FROM pg_class WHERE relnamespace = %s::regnamespace AND relkind = ANY('{r,p,v,m,f}')"
        " ORDER BY relname",
        schema,
    )
    return [row[0] for row in rows]


def count(raw: Raw, table: str, tenant: str | None = None) -> int:
    everything = sql.SQL("SELECT COUNT(*) FROM {}").format(sql.Identifier(table))
    where = sql.SQL("") if tenant is None else sql.SQL(" WHERE tenant = {}").format(sql.Literal(tenant))
    row = raw.execute(everything + where).fetchone()
    assert row is not None
    return row[0]


# The catalogue


def test_every_table_with_content_is_behind_row_level_security(seeded: Database) -> None:
    found = as_admin(
        seeded,
        """
        SELECT relname, relkind::text, relrowsecurity, relforcerowsecurity, pg_get_userbyid(relowner),
            (SELECT COUNT(*) FROM pg_policies WHERE schemaname = 'remembrancer' AND tablename = relname
                AND policyname = 'own_tenant' AND permissive = 'PERMISSIVE' AND roles = '{public}' AND cmd = 'ALL'
                AND qual = '(tenant = tenant())' AND with_check = qual),
            (SELECT COUNT(*) FROM pg_policies WHERE schemaname = 'remembrancer' AND tablename = relname
                AND policyname <> 'own_tenant' AND roles <> '{remembrancer_sweeping}'),
            EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = pg_class.oid AND attname = 'tenant' AND attnotnull)
        FROM pg_class
        WHERE relnamespace = 'remembrancer'::regnamespace AND relkind = ANY('{r,p,v,m,f}')
        """,
    )
    assert found
    assert {row[0]: row[1:] for row in found} == {
        row[0]: ("r", True, True, "remembrancer_owner", 1, 0, True) for row in found
    }


def test_what_belongs_to_no_tenant_has_no_room_for_content(seeded: Database) -> None:
    columns: dict[str, set[str]] = {}
    for table, column in as_admin(
        seeded, "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'remembrancer_ops'"
    ):
        columns.setdefault(table, set()).add(column)
    assert columns == {table: names for table, (_, names) in WITHOUT_TENANT.items()}


def test_no_table_of_ours_is_in_another_schema(seeded: Database) -> None:
    # The queue's own tables hold tenants and purposes; what is put into them is tested with the queue.
    found = as_admin(
        seeded,
        """
        SELECT nspname || '.' || relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE relkind = ANY('{r,p,v,m,f}')
            AND nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast', 'remembrancer', 'remembrancer_ops')
            AND NOT (nspname = 'remembrancer_queue' AND relname LIKE 'procrastinate%%')
        """,
    )
    assert found == []


def test_both_tenants_have_a_row_in_every_table(seeded: Database) -> None:
    with psycopg.connect(seeded.admin_url) as raw:
        raw.execute("SET search_path TO remembrancer")
        empty = [
            (table, tenant)
            for table in tables(seeded, "remembrancer")
            for tenant in TENANTS
            if not count(raw, table, tenant)
        ]
    assert empty == []


# Rows


@pytest.mark.parametrize("tenant", [None, "", "nobody"], ids=["unset", "blank", "unknown"])
def test_without_a_tenant_nothing_is_seen(seeded: Database, tenant: str | None) -> None:
    with serving(seeded, tenant) as raw:
        assert {table: count(raw, table) for table in tables(seeded, "remembrancer")} == dict.fromkeys(
            tables(seeded, "remembrancer"), 0
        )


@pytest.mark.parametrize(("mine", "theirs"), [TENANTS, TENANTS[::-1]])
def test_a_tenant_sees_its_own_rows_alone(seeded: Database, mine: str, theirs: str) -> None:
    with serving(seeded, mine) as raw:
        for table in tables(seeded, "remembrancer"):
            assert count(raw, table, theirs) == 0, table
            assert count(raw, table) == count(raw, table, mine) > 0, table


@pytest.mark.parametrize(("mine", "theirs"), [(*TENANTS,), (None, TENANTS[0]), ("", TENANTS[0])])
def test_a_row_of_another_tenant_is_not_made(seeded: Database, mine: str | None, theirs: str) -> None:
    with serving(seeded, mine) as raw:
        for table in tables(seeded, "remembrancer"):
            values = as_admin(
                seeded, "SELECT row_to_json(found) FROM remembrancer." + _quoted(table) + " AS found LIMIT 1"
            )[0][0]
            values["tenant"] = theirs
            with refused(raw, match="row-level security"):
                raw.execute(
                    sql.SQL(
                        "INSERT INTO {table} OVERRIDING SYSTEM VALUE"
                        " SELECT * FROM json_populate_record(NULL::{table}, {values}::json)"
                    ).format(table=sql.Identifier("remembrancer", table), values=sql.Literal(json.dumps(values)))
                )


def test_a_row_of_another_tenant_is_not_changed_and_not_taken_over(seeded: Database) -> None:
    mine, theirs = TENANTS
    with serving(seeded, mine) as raw:
        for table in tables(seeded, "remembrancer"):
            named = sql.Identifier("remembrancer", table)
            take = sql.SQL("UPDATE {} SET tenant = {} WHERE tenant = {}")
            if table == "audit":
                with refused(raw, match="permission denied"):
                    raw.execute(take.format(named, mine, theirs))
                continue
            assert raw.execute(take.format(named, mine, theirs)).rowcount == 0, table
            with refused(raw, match="row-level security"):
                raw.execute(take.format(named, theirs, mine))


def test_a_row_of_another_tenant_is_not_deleted(seeded: Database) -> None:
    mine, theirs = TENANTS
    with serving(seeded, mine) as raw:
        for table in tables(seeded, "remembrancer"):
            delete = sql.SQL("DELETE FROM {} WHERE tenant = {}").format(
                sql.Identifier("remembrancer", table), sql.Literal(theirs)
            )
            if table == "audit":
                with refused(raw, match="permission denied"):
                    raw.execute(delete)
                continue
            assert raw.execute(delete).rowcount == 0, table
            with refused(raw):
                raw.execute(sql.SQL("TRUNCATE {} CASCADE").format(sql.Identifier("remembrancer", table)))
    with psycopg.connect(seeded.admin_url) as raw:
        raw.execute("SET search_path TO remembrancer")
        assert all(count(raw, table, theirs) for table in tables(seeded, "remembrancer"))


def test_a_row_in_the_way_of_another_tenants_is_not_written_over(seeded: Database) -> None:
    mine, theirs = TENANTS
    place = as_admin(seeded, "SELECT scope, term, block FROM postings WHERE tenant = %s LIMIT 1", theirs)[0]
    with serving(seeded, mine) as raw, refused(raw, match="row-level security"):
        raw.execute(
            "INSERT INTO postings (scope, tenant, term, block, count, entries) VALUES (%s, %s, %s, %s, 1, '')"
            " ON CONFLICT (scope, term, block, tenant) DO UPDATE SET entries = excluded.entries",
            (place[0], theirs, *place[1:]),
        )


def test_a_row_of_ones_own_is_not_put_into_another_tenants_scope(seeded: Database) -> None:
    mine, theirs = TENANTS
    (scope,) = as_admin(seeded, "SELECT id FROM scopes WHERE tenant = %s LIMIT 1", theirs)[0]
    with serving(seeded, mine) as raw, pytest.raises(errors.ForeignKeyViolation), raw.transaction():
        raw.execute(
            "INSERT INTO sessions (scope, tenant, id, status, named, record, messages, started_at, last_activity_at)"
            " VALUES (%s, %s, 'theirs', 'active', true, true, 0, now(), now())",
            (scope, mine),
        )


def test_a_tenant_set_for_one_transaction_is_gone_in_the_next(seeded: Database) -> None:
    with psycopg.connect(seeded.serving_url, autocommit=True) as raw:
        with raw.transaction():
            raw.execute("SELECT set_config('remembrancer.tenant', %s, true)", (TENANTS[0],))
            assert count_of_records(raw) > 0
        # Once it was set, the setting reads as empty and not as missing.
        assert raw.execute("SELECT current_setting('remembrancer.tenant', true)").fetchone() == ("",)
        assert count_of_records(raw) == 0
        with pytest.raises(errors.InsufficientPrivilege):
            raw.execute("INSERT INTO remembrancer.scopes VALUES (DEFAULT, '', NULL, NULL, NULL, 0, 0, 0, '')")


def count_of_records(raw: Raw) -> int:
    row = raw.execute("SELECT COUNT(*) FROM remembrancer.records").fetchone()
    assert row is not None
    return row[0]


@pytest.mark.anyio
async def test_a_connection_that_served_one_tenant_shows_nothing_of_it_to_the_next(seeded: Database) -> None:
    async with PostgresStore.open(seeded.serving_url, secret=SECRET, pool_size=1) as store:
        for scope in (HOME, RIVAL, HOME):
            async with store.snapshot(Caller(scope=scope)) as tx:
                assert await tx.records.find(f"m.{scope.tenant}") is not None
                other = RIVAL if scope == HOME else HOME
                assert await tx.records.find(f"m.{other.tenant}") is None
        async with store.snapshot(Caller(scope=Scope(tenant="nobody"))) as tx:
            assert await tx.records.counts() == {}


def test_row_security_cannot_be_turned_off(seeded: Database) -> None:
    with serving(seeded) as raw, refused(raw, match="row-level security"):
        raw.execute("SET LOCAL row_security = off")
        raw.execute("SELECT * FROM records")


# What the serving role may not be or do


@pytest.mark.parametrize("role", ["remembrancer_owner", "remembrancer_sweeping", "postgres"])
def test_the_serving_role_cannot_become_another(seeded: Database, role: str) -> None:
    with serving(seeded) as raw, refused(raw, match="permission denied to set role"):
        raw.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(role)))


@each_row(
    "statement",
    [
        "CREATE TABLE remembrancer.mine (x text)",
        "CREATE TABLE remembrancer_ops.mine (x text)",
        "CREATE TABLE remembrancer_queue.mine (x text)",
        "CREATE TABLE public.mine (x text)",
        "CREATE SCHEMA mine",
        "CREATE FUNCTION public.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
        "CREATE INDEX mine ON remembrancer.records (text)",
        "CREATE POLICY mine ON remembrancer.records USING (true)",
        "DROP POLICY own_tenant ON remembrancer.records",
        "ALTER TABLE remembrancer.records NO FORCE ROW LEVEL SECURITY",
        "ALTER TABLE remembrancer.records DISABLE ROW LEVEL SECURITY",
        "ALTER TABLE remembrancer.audit DISABLE TRIGGER ALL",
        "ALTER FUNCTION remembrancer_ops.tenant() RENAME TO other",
        "DROP TABLE remembrancer.records",
        "UPDATE remembrancer_ops.migrations SET sha256 = ''",
        "UPDATE remembrancer_ops.store SET fingerprint = ''",
        "DELETE FROM remembrancer_ops.store",
        "INSERT INTO remembrancer_ops.generations OVERRIDING SYSTEM VALUE SELECT * FROM remembrancer_ops.generations",
        "SELECT remembrancer_ops.drop_vector_indexes()",
        "SET session_replication_role = replica",
    ],
)
def test_the_serving_role_cannot_change_how_it_is_bound(seeded: Database, statement: LiteralString) -> None:
    with serving(seeded, TENANTS[0]) as raw, refused(raw):
        raw.execute(statement)


@pytest.mark.parametrize("statement", ["UPDATE audit SET hash = ''", "DELETE FROM audit", "TRUNCATE audit"])
def test_the_audit_log_is_append_only(seeded: Database, statement: LiteralString) -> None:
    with serving(seeded, TENANTS[0]) as raw, refused(raw):
        raw.execute(statement)
    with psycopg.connect(seeded.admin_url) as raw:
        raw.execute("SET search_path TO remembrancer")
        with pytest.raises(errors.RaiseException, match="append-only"):
            raw.execute(statement)


# What crosses tenants


def test_functions_that_cross_tenants_tell_what_is_listed_and_no_more(seeded: Database) -> None:
    found = as_admin(
        seeded,
        """
        SELECT proname, pg_get_function_result(oid), pg_get_userbyid(proowner) FROM pg_proc
        WHERE prosecdef AND pronamespace::regnamespace::text LIKE 'remembrancer%%' ORDER BY proname
        """,
    )
    assert {row[0]: row[1] for row in found} == DEFINER
    assert {row[2] for row in found} <= {"remembrancer_owner", "remembrancer_sweeping"}


def test_functions_that_cross_tenants_are_not_everybodys(seeded: Database) -> None:
    found = as_admin(
        seeded,
        """
        SELECT proname, has_function_privilege('public', oid, 'EXECUTE') FROM pg_proc
        WHERE prosecdef AND pronamespace::regnamespace::text LIKE 'remembrancer%%'
        """,
    )
    assert [row[0] for row in found if row[1]] == []


def test_functions_that_cross_tenants_look_for_tables_among_the_callers_last(seeded: Database) -> None:
    # Temporary tables come first where a search path does not name them, and anybody may make those.
    found = as_admin(
        seeded,
        """
        SELECT proname, proconfig FROM pg_proc
        WHERE prosecdef AND pronamespace::regnamespace::text LIKE 'remembrancer%%'
        """,
    )
    unsafe = [name for name, settings in found if not any(_ends_in_temporary(item) for item in settings or ())]
    assert unsafe == []


def _ends_in_temporary(setting: str) -> bool:
    return setting.startswith("search_path=") and setting.endswith(", pg_temp")


def test_a_callers_temporary_table_does_not_lend_it_the_owners_powers(seeded: Database) -> None:
    with serving(seeded, TENANTS[0]) as raw:
        raw.execute("CREATE TEMPORARY TABLE generations (LIKE remembrancer_ops.generations INCLUDING IDENTITY)")
        raw.execute("ALTER TABLE generations ALTER number RESTART WITH 100")
        raw.execute(
            """
            CREATE FUNCTION pg_temp.seize() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                ALTER TABLE remembrancer.records DISABLE ROW LEVEL SECURITY;
                RETURN NEW;
            END
            $$
            """
        )
        raw.execute("CREATE TRIGGER seize BEFORE INSERT ON generations FOR EACH ROW EXECUTE FUNCTION pg_temp.seize()")
        raw.execute("GRANT ALL ON generations TO PUBLIC")
        raw.execute("SELECT start_generation('a', 'b', 3, 0, 0, 'building')")
        assert raw.execute("SELECT COUNT(*) FROM pg_temp.generations").fetchone() == (0,)
        bound = raw.execute("SELECT relrowsecurity FROM pg_class WHERE oid = 'remembrancer.records'::regclass")
        assert bound.fetchone() == (True,)


def test_the_sweep_is_told_tenants_and_purposes_alone(seeded: Database) -> None:
    with serving(seeded) as raw:
        assert raw.execute("SELECT * FROM tenants()").fetchall() == [(tenant,) for tenant in sorted(TENANTS)]
        due = raw.execute("SELECT * FROM due('infinity', 1, false, 1, 1, '9')").fetchall()
        assert due == [
            (tenant, purpose) for tenant in sorted(TENANTS) for purpose in ("embed", "nightly", "stale-sessions")
        ]


def test_the_sweeping_role_may_read_no_content(seeded: Database) -> None:
    found = as_admin(
        seeded,
        """
        SELECT table_name, column_name FROM information_schema.columns
        WHERE table_schema = 'remembrancer' AND has_column_privilege(
            'remembrancer_sweeping', format('remembrancer.%%I', table_name)::regclass, column_name, 'SELECT'
        )
        """,
    )
    assert {row[1] for row in found} == {
        "tenant", "document", "generation", "status", "last_activity_at", "scope", "tokens", "observed_tokens", "fresh",
        "id", "day", "ended_at",
    }  # fmt: skip


def _quoted(table: str) -> LiteralString:
    assert table.isidentifier()
    return f'"{table}"'  # pyright: ignore[reportReturnType] -- a name from the catalogue
