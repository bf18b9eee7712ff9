"""Every table and column of both databases is copied, or on a list with the reason why not."""

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import psycopg
import pytest

from remembrancer import SyncMemory
from remembrancer.storage.tables import COLUMNS, StoreTable
from tests.databases import Database

NOT_COPIED = {
    "migrations": "says which files were applied to this database",
    "store": "is written when the target is opened with the source's key, and compared",
    "kinds": "words that the code writes",
    "statuses": "words that the code writes",
    "leases": "says who works on this database now",
    "counters": "count what arrives as it arrives",
    "jobs": "says what is at work on this database",
    "requests": "are answered once within a day, where they were sent",
    "breakers": "says which models fail those who work on this database now",
}
NOT_COPIED_FROM_A_SERVER = {
    **NOT_COPIED,
    "placements": "says which tenants are in other databases",
    "logged_changes": "says what changed here while a tenant was copied",
}
# Columns that are computed from others, in the database that needs them.
DERIVED = {("vectors", "code"), ("vectors", "indexed"), ("generations", "mean")}

Columns = dict[str, set[str]]


@pytest.fixture
def in_file(tmp_path: Path) -> Columns:
    path = tmp_path / "m.db"
    with SyncMemory(str(path), embedder="none", background=False) as memory:
        memory.save("so that the file is there")
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
        loosely: Any = connection
        return by_table(
            loosely.execute(
                "SELECT t.name, c.name FROM pragma_table_list AS t JOIN pragma_table_info(t.name) AS c"
                " WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'"
            )
        )


@pytest.fixture
def on_server(database: Database) -> Columns:
    with psycopg.connect(database.admin_url) as admin:
        # What the queue keeps in its schema is derived from what is due.
        return by_table(
            admin.execute(
                "SELECT table_name, column_name FROM information_schema.columns"
                " WHERE table_schema IN ('remembrancer', 'remembrancer_ops')"
            )
        )


def by_table(rows: Any) -> Columns:
    found: Columns = {}
    for table, column in rows:
        found.setdefault(table, set()).add(column)
    return found


def copied() -> Columns:
    return {table.value: {column.name.strip('"') for column in columns} for table, columns in COLUMNS.items()}


def without(found: Mapping[str, set[str]], not_copied: Mapping[str, str]) -> Columns:
    assert set(not_copied) <= set(found)
    return {
        table: {column for column in columns if (table, column) not in DERIVED}
        for table, columns in found.items()
        if table not in not_copied
    }


def test_every_table_has_its_columns_listed() -> None:
    assert list(COLUMNS) == list(StoreTable)


def test_every_column_of_a_file_is_copied(in_file: Columns) -> None:
    assert without(in_file, NOT_COPIED) == copied()


def test_every_column_on_a_server_is_copied(on_server: Columns) -> None:
    assert without(on_server, NOT_COPIED_FROM_A_SERVER) == copied()


def test_every_schema_on_a_server_is_known(database: Database) -> None:
    with psycopg.connect(database.admin_url) as admin:
        rows = admin.execute(
            "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'remembrancer%' ORDER BY nspname"
        ).fetchall()
    assert [name for (name,) in rows] == ["remembrancer", "remembrancer_ops", "remembrancer_queue"]
