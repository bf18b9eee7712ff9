import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw
import pytest

from remembrancer.errors import SchemaMismatch
from remembrancer.storage.migrations import UNRELEASED, Migration, migrations, pending
from remembrancer.storage.sqlite import file as sqlite
from remembrancer.storage.sqlite.store import SQLiteStore
from remembrancer.storage.tables import COLUMNS, StoreTable
from remembrancer.types.access import Caller
from remembrancer.types.calls import CallPurpose
from remembrancer.types.scope import Scope
from tests.factories import HOME, SETTLED, call, observation, put

pytestmark = pytest.mark.anyio
FIRST = Migration(number=1, name="0001_a.sql", sql="CREATE TABLE a (x)")
SECOND = Migration(number=2, name="0002_b.sql", sql="CREATE TABLE b (x)")
KNOWN = [FIRST, SECOND]
# Read before there is an event loop.
STEPS = migrations("remembrancer.storage.sqlite")


def changed(path: Path, sql: str) -> None:
    connection: Any = apsw.Connection(str(path))
    connection.execute(sql)
    connection.close()


def schema(path: Path) -> list[tuple[Any, ...]]:
    connection: Any = apsw.Connection(str(path))
    rows: list[tuple[Any, ...]] = connection.execute(
        "SELECT type, name, sql FROM sqlite_master ORDER BY 1, 2"
    ).fetchall()
    rows += connection.execute("SELECT * FROM migrations ORDER BY 1").fetchall()
    connection.close()
    return rows


def test_only_files_that_were_not_applied_are_pending_in_their_order() -> None:
    applied = {1: FIRST.sha256}
    assert pending(KNOWN, {}) == KNOWN
    assert pending(KNOWN, applied) == [SECOND]
    assert pending(KNOWN, {**applied, 2: SECOND.sha256}) == []


def test_a_file_that_changed_after_it_was_applied_is_refused_by_name() -> None:
    with pytest.raises(SchemaMismatch, match=r"0001_a\.sql"):
        pending(KNOWN, {1: "another hash"})


def test_a_file_that_is_missing_before_one_that_was_applied_is_not_applied_again() -> None:
    with pytest.raises(SchemaMismatch, match=r"migration 0001_a\.sql"):
        pending(KNOWN, {2: SECOND.sha256})


def test_a_database_that_is_newer_than_the_code_is_refused() -> None:
    with pytest.raises(SchemaMismatch, match="migration 3"):
        pending(KNOWN, {1: FIRST.sha256, 2: SECOND.sha256, 3: "new"})


@pytest.mark.parametrize("first", sorted(UNRELEASED))
def test_a_database_of_before_the_first_release_is_refused_with_what_to_do(first: str) -> None:
    with pytest.raises(SchemaMismatch, match=r"made before the first release.* begin a new one here"):
        pending(KNOWN, {1: first, 2: "whatever came then"})


def test_a_files_hash_is_that_of_its_bytes() -> None:
    assert FIRST.sha256 == hashlib.sha256(b"CREATE TABLE a (x)").hexdigest()


def test_the_files_of_a_store_are_numbered_from_one_without_gaps() -> None:
    found = migrations("remembrancer.storage.sqlite")
    assert [migration.number for migration in found] == list(range(1, len(found) + 1))
    assert all(migration.name.startswith(f"{migration.number:04}_") for migration in found)


async def test_a_table_that_is_made_anew_keeps_its_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "m.db"

    def before_ask(_: str) -> list[Migration]:
        return [step for step in STEPS if step.number < 11]

    async with SQLiteStore.open(tmp_path / "now.db") as store, store.begin(Caller(scope=HOME)) as tx:
        await tx.calls.add(call("a"))
        await tx.calls.settle(SETTLED)
        await tx.calls.add(call("b", project=None, reserved_cost=None))
        found = await tx.calls.list(limit=9)
    monkeypatch.setattr(sqlite, "migrations", before_ask)
    monkeypatch.setattr(sqlite, "COUNTED_TABLES", ())
    async with SQLiteStore.open(path):
        pass
    monkeypatch.undo()
    # As the code of then wrote them.
    names = COLUMNS[StoreTable.CALLS]
    told = ", ".join(column.name for column in names if column.name != "request")
    changed(
        path,
        f"ATTACH '{tmp_path}/now.db' AS now; INSERT INTO scopes SELECT * FROM now.scopes;"
        f"INSERT INTO calls ({told}) SELECT {told} FROM now.calls",
    )
    async with SQLiteStore.open(path) as store, store.begin(Caller(scope=HOME)) as tx:
        assert await tx.calls.list(limit=9) == found
        await tx.calls.add(replace(call("c"), purpose=CallPurpose.ASK))
        assert len(await tx.calls.list(limit=9)) == len(found) + 1 == 3


async def test_opening_again_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    async with SQLiteStore.open(path):
        pass
    before = schema(path)
    async with SQLiteStore.open(path):
        pass
    assert schema(path) == before


@pytest.mark.parametrize(
    "sql",
    ["INSERT INTO migrations VALUES (9999, '9999_later.sql', 'x')", "UPDATE migrations SET sha256 = 'x'"],
    ids=["newer", "altered"],
)
async def test_a_database_of_another_version_is_refused_and_left_as_it_was(tmp_path: Path, sql: str) -> None:
    path = tmp_path / "m.db"
    async with SQLiteStore.open(path) as store:
        await put(store, observation("o"))
    changed(path, sql)
    before = schema(path)
    with pytest.raises(SchemaMismatch):
        async with SQLiteStore.open(path):
            pass
    assert schema(path) == before


async def test_a_migration_that_fails_leaves_nothing_of_itself(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    # A file of ours to which no migration was applied yet; the last table that the first one makes is in its way.
    changed(path, "CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT, sha256 TEXT)")
    changed(path, "CREATE TABLE audit (x)")
    before = schema(path)
    with pytest.raises(Exception, match="audit"):
        async with SQLiteStore.open(path):
            pass
    assert schema(path) == before
    changed(path, "DROP TABLE audit")
    async with SQLiteStore.open(path) as store:
        await put(store, observation("o"))
        assert await store.scopes() == [HOME]
        assert Scope() not in await store.scopes()
