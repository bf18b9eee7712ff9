"""What is particular to a store in a file: opening, closing, its key, and what the database itself refuses."""

import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Barrier
from typing import Any

import anyio
import anyio.lowlevel
import apsw
import pytest
from anyio.to_thread import run_sync

from remembrancer.errors import InvalidInput, StoreError, StoreUnavailable
from remembrancer.storage.sqlite.connection import SQLiteConnection
from remembrancer.storage.sqlite.store import SQLiteStore
from remembrancer.types.access import Caller
from remembrancer.types.filter import Filter
from remembrancer.types.results import Change
from tests.factories import DAY, HOME, START, directions, embed, entry, observation, put, terms

pytestmark = pytest.mark.anyio
OPENERS = 4
UNLIKELY = "xyzzyplugh"
GIVEN = "correct horse battery"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "m.db"


def raw(path: Path) -> Any:
    """The database by another road."""
    return apsw.Connection(str(path))


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def put_bytes(path: Path, content: bytes) -> None:
    path.write_bytes(content)


async def test_a_folder_is_not_a_database(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="is a folder"):
        async with SQLiteStore.open(tmp_path):
            pass
    assert names(tmp_path) == []


async def test_a_missing_folder_is_named_and_not_made(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="missing"):
        async with SQLiteStore.open(tmp_path / "missing" / "m.db"):
            pass
    assert names(tmp_path) == []


@pytest.mark.parametrize("content", [b"hello", b"# Notes\n" * 2_000], ids=["short", "long"])
async def test_a_file_that_is_no_database_is_refused_and_left_as_it_was(path: Path, content: bytes) -> None:
    put_bytes(path, content)
    with pytest.raises(StoreError, match="not a SQLite database"):
        async with SQLiteStore.open(path):
            pass
    assert contents(path.parent) == {"m.db": content}
    assert names(path.parent) == ["m.db"]


async def test_writing_where_one_may_only_read_says_so(path: Path) -> None:
    async with SQLiteStore.open(path):
        connection = await anyio.to_thread.run_sync(lambda: SQLiteConnection(str(path), read_only=True))
        with pytest.raises(StoreError, match="may only be read"):
            connection.run("DELETE FROM records")
        connection.close()


async def test_a_row_that_must_be_there_and_is_not_is_an_error_of_the_store(path: Path) -> None:
    async with SQLiteStore.open(path):
        connection = await anyio.to_thread.run_sync(lambda: SQLiteConnection(str(path), read_only=True))
        assert connection.only("SELECT 1, 2") == (1, 2)
        with pytest.raises(StoreError, match="lacks a row"):
            connection.only("SELECT id FROM records")
        connection.close()


async def test_a_closed_store_leaves_one_whole_file_and_its_key(path: Path) -> None:
    async with SQLiteStore.open(path) as store:
        await put(store, observation("o"))
        async with store.snapshot(Caller(scope=HOME)) as tx:
            await tx.records.find("o")
    assert names(path.parent) == ["m.db", "m.db.key"]
    async with SQLiteStore.open(path) as store, store.snapshot(Caller(scope=HOME)) as tx:
        assert await tx.records.find("o") == observation("o")


async def test_a_store_that_an_error_ends_lets_go_of_its_file_too(path: Path) -> None:
    with pytest.raises(ZeroDivisionError):  # noqa: PT012 -- the error comes from within the block
        async with SQLiteStore.open(path) as store:
            await put(store, observation("o"))
            async with store.snapshot(Caller(scope=HOME)) as tx:
                await tx.records.find("o")
            raise ZeroDivisionError
    assert names(path.parent) == ["m.db", "m.db.key"]


async def test_a_store_keeps_its_key_and_another_has_another(tmp_path: Path) -> None:
    signs: list[str] = []
    for name, secret in (("a", None), ("a", None), ("b", None), ("c", GIVEN), ("c", GIVEN)):
        async with SQLiteStore.open(tmp_path / name, secret=secret) as store:
            signs.append(store.sign("quartz"))
    assert (signs[0], signs[3]) == (signs[1], signs[4])
    assert len(set(signs)) == 3


async def test_a_store_without_its_key_file_says_what_to_restore_and_makes_no_other(path: Path) -> None:
    async with SQLiteStore.open(path) as store:
        sign = store.sign("quartz")
    kept = path.with_name("m.db.key").rename(path.with_name("kept"))
    with pytest.raises(StoreError, match=r"m\.db\.key' is missing; restore it"):
        async with SQLiteStore.open(path):
            pass
    assert names(path.parent) == ["kept", "m.db"]
    kept.rename(path.with_name("m.db.key"))
    async with SQLiteStore.open(path) as store:
        assert store.sign("quartz") == sign


async def test_a_store_does_not_open_with_the_key_file_of_another(tmp_path: Path) -> None:
    for name in ("a", "b"):
        async with SQLiteStore.open(tmp_path / name):
            pass
    (tmp_path / "b.key").replace(tmp_path / "a.key")
    before = contents(tmp_path)
    with pytest.raises(StoreError, match=r"a\.key' is another store's; restore"):
        async with SQLiteStore.open(tmp_path / "a"):
            pass
    assert contents(tmp_path) == before


@pytest.mark.parametrize(("made_with", "opened_with"), [(None, GIVEN), (GIVEN, GIVEN + "!")])
async def test_a_store_does_not_open_with_a_given_key_that_is_not_its_own(
    path: Path, made_with: str | None, opened_with: str
) -> None:
    async with SQLiteStore.open(path, secret=made_with):
        pass
    with pytest.raises(InvalidInput, match="not the one that this store was made with") as refusal:
        async with SQLiteStore.open(path, secret=opened_with):
            pass
    assert GIVEN not in str(refusal.value)


async def test_a_store_that_was_made_with_a_given_key_does_not_open_without_it(path: Path) -> None:
    async with SQLiteStore.open(path, secret=GIVEN):
        pass
    with pytest.raises(StoreError, match="REMEMBRANCER_SECRET_KEY"):
        async with SQLiteStore.open(path):
            pass
    assert names(path.parent) == ["m.db"]


@pytest.mark.parametrize("there", [False, True], ids=["missing", "empty"])
async def test_a_store_that_is_not_to_be_made_is_not(path: Path, there: bool) -> None:
    if there:
        put_bytes(path, b"")
    before = contents(path.parent)
    with pytest.raises(InvalidInput, match=r"no database '.*m\.db'; correct its name"):
        async with SQLiteStore.open(path, create=False):
            pass
    assert contents(path.parent) == before
    async with SQLiteStore.open(path) as store:
        await put(store, observation("o"))
    async with SQLiteStore.open(path, create=False) as store, store.snapshot(Caller(scope=HOME)) as tx:
        assert await tx.records.find("o") == observation("o")


async def test_a_device_is_not_a_database() -> None:
    with pytest.raises(InvalidInput, match="'/dev/null' is no file; name one"):
        async with SQLiteStore.open(os.devnull):
            pass
    assert "null.key" not in names(Path(os.devnull).parent)


async def test_many_who_open_a_new_file_at_once_all_get_in(path: Path) -> None:
    together = Barrier(OPENERS)

    async def write(index: int) -> str:
        together.wait(5)
        async with SQLiteStore.open(path) as store:
            await put(store, observation(f"o{index}"))
            return store.sign("quartz")

    def work() -> set[str]:
        with ThreadPoolExecutor(OPENERS) as threads:
            return set(threads.map(partial(anyio.run, write), range(OPENERS)))

    signs = await anyio.to_thread.run_sync(work)
    async with SQLiteStore.open(path) as store, store.snapshot(Caller(scope=HOME)) as tx:
        assert signs == {store.sign("quartz")}
        assert await tx.records.counts() == {"observation/active": OPENERS}
        assert await store.scopes() == [HOME]


async def test_erased_text_is_in_no_byte_of_the_closed_file(path: Path) -> None:
    async with SQLiteStore.open(path) as store:
        await put(store, observation("stays", text="quartz"))
        document = (await put(store, observation("o", text=f"{UNLIKELY} and quartz")))[0]
        await embed(store, HOME, [document], directions(1))
        async with store.begin(Caller(scope=HOME)) as tx:
            change = Change(text=f"{UNLIKELY} again", title=UNLIKELY)
            await tx.records.change("o", change, at=START + DAY, terms=terms(f"{UNLIKELY} again"))
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.records.erase("o")
    found = {name: UNLIKELY.encode() in content for name, content in contents(path.parent).items()}
    assert found == {"m.db": False, "m.db.key": False}


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE audit SET action = 'nothing'",
        "UPDATE audit SET hash = hash WHERE sequence = 1",
        "DELETE FROM audit",
        "DELETE FROM audit WHERE sequence = 1",
    ],
)
async def test_the_database_itself_refuses_to_change_the_audit_log(path: Path, sql: str) -> None:
    async with SQLiteStore.open(path) as store, store.begin(Caller(scope=HOME)) as tx:
        await tx.audit.add([entry("a"), entry("b")])
    connection = raw(path)
    before = connection.execute("SELECT * FROM audit").fetchall()
    with pytest.raises(apsw.ConstraintError, match="append-only"):
        connection.execute(sql)
    assert connection.execute("SELECT * FROM audit").fetchall() == before
    connection.close()


async def test_every_row_holds_the_scope_and_tenant_that_wrote_it(path: Path) -> None:
    async with SQLiteStore.open(path) as store:
        await put(store, observation("o", text="quartz"))
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.audit.add([entry("o")])
    connection = raw(path)
    tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    without = ("migrations", "store", "generations", "leases", "breakers", "kinds", "statuses", "sqlite_sequence")
    named = [table for table in tables if table not in without]
    for table in named:
        tenants = {row[0] for row in connection.execute(f"SELECT tenant FROM {table}")}
        assert tenants <= {"acme"}, table
    connection.close()


async def test_a_store_in_memory_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with SQLiteStore.open(":memory:") as store:
        await put(store, observation("o"))
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert (await tx.records.list(Filter(), limit=2, cursor=None)).records == (observation("o"),)
    async with SQLiteStore.open(":memory:") as store:
        assert await store.scopes() == []
    assert names(tmp_path) == []


def copied_alone(path: Path, name: str) -> Path:
    """A copy of the main file as it is, without its journal."""
    copy = path.with_name(name)
    copy.write_bytes(path.read_bytes())
    path.with_name(f"{name}.key").write_bytes(path.with_name(f"{path.name}.key").read_bytes())
    return copy


async def found(path: Path) -> list[str]:
    async with SQLiteStore.open(path, create=False) as store, store.snapshot(Caller(scope=HOME)) as tx:
        return sorted(one.id for one in (await tx.records.list(Filter(), limit=9, cursor=None)).records)


async def test_a_checkpoint_brings_what_was_written_to_the_main_file_while_others_read_and_write(path: Path) -> None:
    async with SQLiteStore.open(path) as store, SQLiteStore.open(path) as other:
        await put(store, observation("a"))
        before = await run_sync(copied_alone, path, "before.db")
        async with other.begin(Caller(scope=HOME)) as tx:
            await tx.records.counts()
            with anyio.fail_after(5):
                await store.checkpoint()
        copy = await run_sync(copied_alone, path, "copy.db")
        written = await run_sync(lambda: path.stat().st_mtime_ns)
        # Nothing was written since: there is nothing to do.
        await store.checkpoint()
        assert await run_sync(lambda: path.stat().st_mtime_ns) == written
    assert (await found(before), await found(copy)) == ([], ["a"])


async def test_a_checkpoint_that_a_reader_keeps_from_its_end_is_done_later(path: Path) -> None:
    async with SQLiteStore.open(path) as store, SQLiteStore.open(path) as other:
        async with other.snapshot(Caller(scope=HOME)) as tx:
            await tx.records.counts()
            await put(store, observation("a"))
            await store.checkpoint()
        await store.checkpoint()
        copy = await run_sync(copied_alone, path, "copy.db")
    assert await found(copy) == ["a"]


async def test_a_store_that_closes_leaves_all_in_the_main_file_while_another_process_has_it_open(path: Path) -> None:
    async with SQLiteStore.open(path):
        async with SQLiteStore.open(path) as store:
            await put(store, observation("a"))
        copy = await run_sync(copied_alone, path, "copy.db")
    assert await found(copy) == ["a"]


async def test_the_header_of_a_store_without_its_journal_is_refused_and_not_filled(path: Path) -> None:
    def header() -> bytes:
        with suppress(FileNotFoundError):
            path.unlink()
        connection = raw(path)
        connection.execute("PRAGMA journal_mode = WAL").fetchall()
        connection.close()
        return path.read_bytes()

    before = await run_sync(header)
    assert len(before) == 4_096
    for create in (True, False):
        with pytest.raises(StoreError, match="without its journal"):
            async with SQLiteStore.open(path, create=create):
                pass
    assert await run_sync(contents, path.parent) == {path.name: before}


async def test_what_was_erased_is_not_scrubbed_while_somebody_reads_and_nobody_waits_long_for_that(path: Path) -> None:
    async with SQLiteStore.open(path) as store, SQLiteStore.open(path) as other:
        await put(store, observation("a"))
        async with other.snapshot(Caller(scope=HOME)) as tx:
            await tx.records.counts()
            await put(store, observation("b"))
            with anyio.fail_after(5):
                assert not await store.scrub()
                await anyio.lowlevel.checkpoint()
        assert await store.scrub()
