"""Two stores, one schema: the same tables, columns and indexes, and nothing that the oldest PostgreSQL lacks."""

import hashlib
import re
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import anyio
import apsw
import psycopg
import pytest

import remembrancer
from remembrancer.storage import migrations as numbered
from remembrancer.storage.migrations import Migration
from remembrancer.storage.postgres import roles
from remembrancer.storage.postgres.roles import prepare
from remembrancer.storage.sqlite import file as sqlite
from remembrancer.storage.sqlite.connection import SQLiteConnection
from remembrancer.storage.sqlite.store import SQLiteStore
from tests.databases import LOGIN, Database
from tests.policy.new_schema import FILE, schema
from tests.rows import each_row

STORES = Path(remembrancer.__file__).parent / "storage"
MIGRATIONS = STORES / "postgres/migrations"
Columns = dict[str, dict[str, bool]]
Indexes = dict[str, tuple[str, bool, bool, tuple[str, ...]]]

# An applied migration never changes: write another one. Recorded when a migration is released.
RELEASED = {
    "0001_initial.sql": "ae375ddfeea0697a1678c33f727f1d95ccb6d5719e1d8bd7e8c6aa39f9234fde",
    "0002_versions_say_who.sql": "42bec68a973413db3a733562fe239f29332565442357c0e04672dafcd6d74a61",
    "0003_rejections.sql": "6b2d16ff237fd1463846bcc4d731dfb244dcc87a4943f5c46ccfc47152e2ea5f",
    "0004_memories_at_start.sql": "78830f9a4581e7528b321ade9ab06f373f05ba99316f2f23125424cad7cef683",
    "0005_breakers.sql": "cb57398b422bcc5a2704dde453bf94a885961c5812d5ad980c4c26866e9eef69",
    "0006_nights_of_their_day.sql": "097b9604eaa96a3c501ea148136ea00852e77fd8c0ecac2fb3a7ac047eaff0ac",
    "0007_notes_called_wrong.sql": "44c6e57205c0a3e089b549292aeffb33d2acbe605b1c39cc249a9f8bef1aa92c",
    "0008_readings.sql": "baee4ac7cb7928b42fcd061dd81f9e93246b958ebb23c549a7356f4b76e94ef7",
    "0009_keys_before_the_rest.sql": "59c27ad5bbedd506dafde823a184b855560d02682b06f23e38641739d5a180b8",
    "0010_tallies.sql": "a66933b515404ac56c2f7223495e257ec23a3327c4e896466270e3db8816a8fe",
    "0011_ask.sql": "084fb83634d55dbd105599d78b96ba29bfdb81fe9a4fc100c8464f3472e6967d",
    "0012_newest_at_start.sql": "074cde2b4e5569a6e25c24583070814f5f65a194303a0c92e0cb72c83f1fea3e",
    "0013_service.sql": "e41145355c4e4fa1421a53ecc78dd5d460d2da0f7ff36fc08eb8ee3fad9a66e8",
    "0014_answering.sql": "5b6be8fdc73af4a4cda57cc783bd412c83af600358a5ab1f31cdddc2cc3499bf",
    "0015_one_form_of_names.sql": "d73ad480b807f907d9a0e2dfbade813605a926b5afe96af37c908a4e43c53f1c",
    "0016_keys_of_several_tenants.sql": "6a55a3dc57e26f4e568379089ada957f249c73b24d60c97d8d4f9ecf8fc5d12b",
    "0017_valid_until.sql": "5c54589dad40e8a720266664913284cad230db6e9fa1a1752fc9f4618d85cee6",
    "0018_names.sql": "9e78727f326e331d9a3af721c228a0e285518e50466a49b63bc336957aa837f1",
    "0019_latest_of_a_tenant.sql": "34c09b01058aa866770e2a3fcee65446883a22b40eda8d3c0f39d049c1631d02",
    "0020_large_scopes.sql": "e8321386ee1f8fb3ecdd1970fb7899b45c18710cac001fde3fbf559b900533a6",
    "0021_keys_with_tenants.sql": "21ab91962e36b98853b9495d8bb911c7130a8ddd5215c8fae47f4fe2ec6cefd0",
    "0022_placements.sql": "0ece484f1b3f95ddb5367416d00ea1d9bbd7fb5eea3815bc78843195ee6f7cfe",
}

# Indexes that one store has and the other does without.
SQLITE_ALONE = {
    "vectors_coded": "has all that a large scope is searched by, without its vectors",
    "vectors_without_code": "finds the vectors that were stored before there was a mean",
}
SQLITE_COLUMNS_ALONE = {
    ("store", "last_scope"): "keeps the number of a scope that is gone from another; identities are given once anyway",
    ("vectors", "code"): "is for the search in memory; pgvector has an index of its own",
    ("generations", "mean"): "is what codes are made with",
}
POSTGRES_COLUMNS_ALONE = {("vectors", "indexed"): "tells what is in pgvector's index, which a file does not have"}
POSTGRES_TABLES_ALONE = {
    "placements": "says in which of several databases a tenant is; a file is one",
    "logged_changes": "is written while a tenant is copied to another database",
}
# Their last column, which the keys of partitioned tables have.
WITH_TENANT = ("records_by_number", "sessions_unnamed")
POSTGRES_ALONE = {
    "vectors_by_scope": "in a file the index with the codes begins with the same columns",
    "logged_changes_by_name": "is of a table that a file does not have",
}

# What came after PostgreSQL 15, as it would stand in a statement.
TOO_NEW = {
    16: [
        r"\bANY_VALUE\s*\(",
        r"\bJSON_ARRAY(AGG)?\s*\(",
        r"\bJSON_OBJECT(AGG)?\s*\([^)]*:",
        r"\bIS\s+(NOT\s+)?JSON\b",
        r"\bGENERIC_PLAN\b",
        r"\bSTORAGE\s+(PLAIN|EXTERNAL|EXTENDED|MAIN|DEFAULT)\s*[,)]",
        r"\bSYSTEM_USER\b",
        r"\b0x[0-9a-f]+\b|\b\d+_\d+\b",
        r"\bWITH\s+(INHERIT|SET)\s+(TRUE|FALSE|OPTION)\b",
        r"pg_has_role\([^)]*'SET'",
        r"\barray_(shuffle|sample)\s*\(",
        r"\bdate_(add|subtract)\s*\(",
        r"\bpg_input_is_valid\b",
    ],
    17: [
        r"\bMERGE\b[^;]*\bRETURNING\b",
        r"\bMERGE\b[^;]*\bNOT\s+MATCHED\s+BY\b",
        r"\bJSON_(TABLE|EXISTS|VALUE|QUERY|SCALAR|SERIALIZE)\s*\(",
        r"\bto_(bin|oct)\s*\(",
        r"\buuid_extract_\w+",
        r"\bunicode_assigned\b",
        r"\bxmltext\b",
        r"\bpg_basetype\b",
        r"\bPG_C_UTF8\b",
        r"\btransaction_timeout\b",
        r"\bMAINTAIN\b",
        r"\bON_ERROR\b",
    ],
    18: [
        r"\buuidv[47]\b",
        r"\bRETURNING\s+WITH\b",
        r"\b(RETURNING|,)\s+(old|new)\.",
        r"\bVIRTUAL\b",
        r"\bWITHOUT\s+OVERLAPS\b",
        r"\bNOT\s+ENFORCED\b",
        r"\bcasefold\s*\(",
        r"\barray_(sort|reverse)\s*\(",
        r"\bcrc32c?\s*\(",
        r"\breverse\s*\(\s*\w+::bytea",
    ],
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A new SQLite store."""
    path = tmp_path / "m.db"
    _open(path)
    return path


def _open(path: Path) -> None:
    async def opening() -> None:
        async with SQLiteStore.open(path):
            pass

    anyio.run(opening)


def of_file(path: Path, sql: str, *values: object) -> list[tuple[Any, ...]]:
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
        loosely: Any = connection
        return list(loosely.execute(sql, values))


def of_server(url: str, sql: Any, *values: object) -> list[tuple[Any, ...]]:
    with psycopg.connect(url) as connection:
        return connection.execute(sql, values or None).fetchall()


# One schema


def sqlite_columns(path: Path) -> Columns:
    rows = of_file(
        path,
        """
        SELECT t.name, c.name, c."notnull" = 0 AND c.pk = 0
        FROM pragma_table_list AS t, pragma_table_info(t.name) AS c
        WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' ORDER BY 1, c.cid
        """,
    )
    return _nested(rows)


def postgres_columns(url: str) -> Columns:
    rows = of_server(
        url,
        """
        SELECT table_name, column_name, is_nullable = 'YES' FROM information_schema.columns
        WHERE table_schema IN ('remembrancer', 'remembrancer_ops') ORDER BY 1, ordinal_position
        """,
    )
    return _nested(rows)


def _nested(rows: list[tuple[Any, ...]]) -> Columns:
    found: Columns = {}
    for table, column, nullable in rows:
        found.setdefault(table, {})[column] = bool(nullable)
    return found


def sqlite_indexes(path: Path) -> Indexes:
    """Table, uniqueness, partiality and columns of each index that has a name of ours; an expression reads as ''."""
    rows = of_file(
        path,
        """
        SELECT i.name, t.name, i."unique", i.partial, c.seqno, COALESCE(c.name, '')
        FROM pragma_table_list AS t, pragma_index_list(t.name) AS i, pragma_index_info(i.name) AS c
        WHERE i.name NOT LIKE 'sqlite_%' ORDER BY i.name, c.seqno
        """,
    )
    return _gathered(rows)


def postgres_indexes(url: str) -> Indexes:
    rows = of_server(
        url,
        """
        SELECT i.relname, t.relname, indisunique, indpred IS NOT NULL, place, COALESCE(attname, '')
        FROM pg_index
        JOIN pg_class AS i ON i.oid = indexrelid
        JOIN pg_class AS t ON t.oid = indrelid
        CROSS JOIN unnest(indkey::int[]) WITH ORDINALITY AS keys (number, place)
        LEFT JOIN pg_attribute ON attrelid = indrelid AND attnum = number AND number > 0
        WHERE t.relnamespace::regnamespace::text IN ('remembrancer', 'remembrancer_ops')
            AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u'))
        ORDER BY 1, place
        """,
    )
    return _gathered(rows)


def _gathered(rows: list[tuple[Any, ...]]) -> Indexes:
    found: Indexes = {}
    for name, table, unique, partial, _, column in rows:
        before = found[name][3] if name in found else ()
        found[name] = (table, bool(unique), bool(partial), (*before, column))
    return found


def test_both_stores_have_the_same_tables_with_the_same_columns(file: Path, database: Database) -> None:
    ours, theirs = sqlite_columns(file), postgres_columns(database.admin_url)
    for table, column in SQLITE_COLUMNS_ALONE:
        assert column not in theirs[table]
        del ours[table][column]
    for table, column in POSTGRES_COLUMNS_ALONE:
        assert column not in ours[table]
        del theirs[table][column]
    for table in POSTGRES_TABLES_ALONE:
        assert table not in ours
        del theirs[table]
    assert ours == theirs


def test_both_stores_have_the_same_indexes_under_the_same_names(file: Path, database: Database) -> None:
    ours, theirs = sqlite_indexes(file), postgres_indexes(database.admin_url)
    for name in WITH_TENANT:
        table, is_unique, is_partial, columns = ours[name]
        ours[name] = (table, is_unique, is_partial, (*columns, "tenant"))
    assert set(ours) - set(theirs) == set(SQLITE_ALONE)
    assert set(theirs) - set(ours) == set(POSTGRES_ALONE)
    shared = set(ours) & set(theirs)
    assert {name: ours[name] for name in shared} == {name: theirs[name] for name in shared}


def test_both_stores_allow_the_same_words_in_a_column(file: Path, database: Database) -> None:
    choices = re.compile(r"CHECK \((\w+) IN \(([^)]*)\)\)")
    ours = {
        (table, column, frozenset(re.findall(r"'([^']*)'", words)))
        for table, sql in of_file(file, "SELECT name, sql FROM sqlite_master WHERE type = 'table'")
        for column, words in choices.findall(sql)
        if "'" in words
    }
    theirs = {
        (table.split(".")[-1], columns[0], frozenset(re.findall(r"'([^']*)'::text", text)))
        for table, columns, text in of_server(
            database.admin_url,
            """
            SELECT conrelid::regclass::text, array_agg(attname::text), pg_get_constraintdef(pg_constraint.oid)
            FROM pg_constraint JOIN pg_attribute ON attrelid = conrelid AND attnum = ANY(conkey)
            WHERE contype = 'c' AND connamespace::regnamespace::text LIKE 'remembrancer%'
                AND connamespace <> 'remembrancer_queue'::regnamespace
            GROUP BY pg_constraint.oid HAVING COUNT(*) = 1
            """,
        )
        if "ANY" in text and "'" in text and table.split(".")[-1] not in POSTGRES_TABLES_ALONE
    }
    assert ours == theirs != set()


# Migrations


def test_a_released_migration_has_not_changed() -> None:
    found = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in MIGRATIONS.glob("*.sql")}
    assert found == RELEASED


def test_the_tables_of_a_new_file_are_current() -> None:
    assert FILE.read_text(encoding="utf-8") == schema(), "run python -m tests.policy.new_schema"


def test_a_file_that_was_upgraded_step_by_step_is_like_a_new_one(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "old.db"
    steps = numbered.migrations("remembrancer.storage.sqlite")
    for known in _one_by_one(steps, sqlite, monkeypatch):
        # What counts rows knows the tables of today.
        monkeypatch.setattr(sqlite, "count_rows", _count_nothing)
        _open(path)
        rows = of_file(path, "SELECT COUNT(*) FROM migrations")
        assert rows == [(len(known),)]
    listed = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY 1, 2"
    assert of_file(path, listed) == of_file(file, listed)


def test_a_database_that_was_upgraded_step_by_step_is_like_a_new_one(
    database: Database, postgres_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = numbered.migrations("remembrancer.storage.postgres")
    applied = [prepare(postgres_database, role=LOGIN).applied for _ in _one_by_one(steps, roles, monkeypatch)]
    assert applied == [(step.name,) for step in steps]
    for part, statement in CATALOGUE.items():
        assert (part, of_server(postgres_database, statement)) == (part, of_server(database.admin_url, statement))


def _count_nothing(_: SQLiteConnection) -> None:
    pass


def _one_by_one(
    steps: list[Migration], module: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> Iterator[list[Migration]]:
    """The steps known at each time since the first, as the store then knew them."""
    for count in range(1, len(steps) + 1):
        known = steps[:count]
        monkeypatch.setattr(module, "migrations", _knowing(known))
        yield known
    monkeypatch.undo()


def _knowing(known: list[Migration]) -> Callable[[str], list[Migration]]:
    return lambda _: known


# Whatever makes up a database of ours, told without the numbers that the server gives.
CATALOGUE: dict[str, Any] = {
    "columns": """
        SELECT attrelid::regclass::text, attname, format_type(atttypid, atttypmod), attnotnull, attidentity,
            attstorage, attcollation::regcollation::text, attacl::text, pg_get_expr(adbin, adrelid)
        FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid LEFT JOIN pg_attrdef ON adrelid = attrelid
            AND adnum = attnum
        WHERE relnamespace::regnamespace::text LIKE 'remembrancer%' AND attnum > 0 AND NOT attisdropped
        ORDER BY 1, attnum
    """,
    "tables": """
        SELECT oid::regclass::text, relkind, relowner::regrole::text, relrowsecurity, relforcerowsecurity,
            relreplident, reloptions::text,
            (SELECT array_agg(item::text ORDER BY item::text) FROM unnest(relacl) AS item)::text
        FROM pg_class WHERE relnamespace::regnamespace::text LIKE 'remembrancer%' ORDER BY 1
    """,
    "constraints": """
        SELECT conrelid::regclass::text, pg_get_constraintdef(oid), convalidated FROM pg_constraint
        WHERE connamespace::regnamespace::text LIKE 'remembrancer%' ORDER BY 1, 2
    """,
    "indexes": """
        SELECT schemaname, indexname, indexdef FROM pg_indexes WHERE schemaname LIKE 'remembrancer%' ORDER BY 1, 2
    """,
    "functions": """
        SELECT pronamespace::regnamespace::text, proname, pg_get_functiondef(oid), proowner::regrole::text,
            (SELECT array_agg(item::text ORDER BY item::text) FROM unnest(proacl) AS item)::text
        FROM pg_proc WHERE pronamespace::regnamespace::text LIKE 'remembrancer%' AND prokind = 'f' ORDER BY 1, 2, 3
    """,
    "policies": "SELECT * FROM pg_policies WHERE schemaname LIKE 'remembrancer%' ORDER BY 1, 2, 3",
    "triggers": """
        SELECT tgrelid::regclass::text, tgname, pg_get_triggerdef(pg_trigger.oid), tgenabled FROM pg_trigger
        JOIN pg_class ON pg_class.oid = tgrelid
        WHERE relnamespace::regnamespace::text LIKE 'remembrancer%' AND NOT tgisinternal ORDER BY 1, 2
    """,
    "schemas": """
        SELECT nspname, nspowner::regrole::text,
            (SELECT array_agg(item::text ORDER BY item::text) FROM unnest(nspacl) AS item)::text
        FROM pg_namespace WHERE nspname LIKE 'remembrancer%' ORDER BY 1
    """,
}


# The oldest server


@cache
def statements() -> dict[str, str]:
    """All SQL of the store on a server, without comments."""
    files = [*MIGRATIONS.glob("*.sql"), *(STORES / "postgres").glob("*.py")]
    return {file.name: re.sub(r"--[^\n]*|#[^\n]*", "", file.read_text()) for file in sorted(files)}


@each_row("version, syntax", [(version, syntax) for version, found in TOO_NEW.items() for syntax in found])
def test_nothing_is_asked_of_a_server_that_the_oldest_cannot(version: int, syntax: str) -> None:
    assert version > roles.OLDEST_SERVER
    pattern = re.compile(syntax, 0 if r"\d+_" in syntax else re.IGNORECASE)
    scope = {name: text for name, text in statements().items() if r"\d+_" not in syntax or name.endswith(".sql")}
    assert {name: found[0] for name, text in scope.items() if (found := pattern.search(text))} == {}
