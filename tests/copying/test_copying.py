"""A copy holds the same rows, goes on after an interruption, and refuses what it would spoil."""

import os
import shutil
import signal
import stat
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import apsw
import psycopg
import pytest

from remembrancer import Conflict, InvalidInput, RemembrancerError, StoreError, open_memory
from remembrancer.assembly.administration import copy_store
from remembrancer.storage import copying
from remembrancer.storage.copying import ComparedTable, CopyStage, Tables
from remembrancer.storage.postgres.store import PostgresStore
from remembrancer.storage.sqlite.connection import SQLiteConnection
from remembrancer.storage.sqlite.store import SQLiteStore
from remembrancer.storage.sqlite.tables import SQLiteTables
from remembrancer.storage.tables import Row, StoreTable
from remembrancer.types.access import Caller
from tests.copying.filling import SCOPES, fill, held
from tests.databases import Database, fresh

pytestmark = pytest.mark.anyio
PATIENCE = 60.0

# Copies in small pages, and waits to be killed after so many of them.
SLOW = """
import sys, time
import anyio
from remembrancer.assembly.administration import copy_store
from remembrancer.storage import copying

copying.PAGE = 3
left = int(sys.argv[3])

def told(stage, rows, of):
    global left
    if stage is copying.CopyStage.COPIED and rows:
        left -= 1
        if not left:
            print("waiting", flush=True)
            time.sleep(600)

anyio.run(lambda: copy_store(sys.argv[1], sys.argv[2], progress=told))
print("done", flush=True)
"""


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("filled") / "from.db"
    anyio.run(fill, path)
    return path


@pytest.fixture
def source(filled: Path, tmp_path: Path) -> Path:
    for name in ("from.db", "from.db.key"):
        shutil.copy2(filled.with_name(name), tmp_path / name)
    return tmp_path / "from.db"


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "to.db"


@pytest.fixture
def another(postgres_admin_url: str) -> Iterator[Database]:
    with fresh(postgres_admin_url) as made:
        yield made


def key(path: Path) -> str:
    return path.with_name(f"{path.name}.key").read_text()


def rows_in(database: Database) -> dict[str, int]:
    """How many rows each table of a server's database has."""
    with psycopg.connect(database.admin_url) as admin:
        names = admin.execute(
            "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname LIKE 'remembrancer%'"
        ).fetchall()
        counted: Any = admin.execute
        return {name: counted(f"SELECT COUNT(*) FROM {name}").fetchone()[0] for (name,) in names}


def plain(tables: list[ComparedTable]) -> dict[str, tuple[int, str]]:
    return {table.table: (table.rows, table.sha256) for table in tables}


def once(stage: CopyStage, work: Callable[[], object], *, last: bool = False) -> copying.Progress:
    """Does something after the first rows of a stage, or after its last."""
    done: list[int] = []

    def told(now: CopyStage, rows: int, of: int) -> None:
        if now is stage and rows:
            done.append(rows)
            if sum(done) == of if last else len(done) == 1:
                work()

    return told


@pytest.mark.parametrize("seed", [2, pytest.param(3, marks=pytest.mark.slow)])
async def test_there_and_back_again_every_row_is_the_same(
    tmp_path: Path, target: Path, database: Database, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copying, "PAGE", 7)
    source = tmp_path / "from.db"
    await fill(source, seed=seed)
    there = await copy_store(str(source), database.serving_url)
    back = await copy_store(database.serving_url, str(target), secret_key=key(source))
    assert plain(there) == plain(back)
    assert held(target) == held(source)
    assert all(table.rows for table in there)
    assert [table.copied for table in there] == [table.rows for table in there]


async def test_a_copy_reads_as_its_source_in_every_scope(source: Path, database: Database) -> None:
    await copy_store(str(source), database.serving_url)
    async with (
        SQLiteStore.open(source) as here,
        PostgresStore.open(database.serving_url, secret=key(source)) as there,
    ):
        assert await there.generations() == await here.generations()
        assert sorted(map(str, await there.scopes())) == sorted(map(str, await here.scopes()))
        for scope in SCOPES:
            async with here.snapshot(Caller(scope=scope)) as one, there.snapshot(Caller(scope=scope)) as other:
                assert await one.records.counts() == await other.records.counts()
                assert await one.text_index.statistics() == await other.text_index.statistics()
                assert await one.audit.count() == await other.audit.count()
                assert await one.sessions.list(limit=100) == await other.sessions.list(limit=100)


async def test_what_is_written_to_a_copy_is_numbered_behind_what_was_copied(source: Path, database: Database) -> None:
    await copy_store(str(source), database.serving_url)
    async with open_memory(
        database.serving_url, secret_key=key(source), embedder="hash", background=False, user="new"
    ) as memory:
        for scope in (*SCOPES, memory.scope):
            saved = await memory.within(scope).save("a stone of another kind")
            assert saved.record.id in [hit.record.id for hit in (await memory.within(scope).recall("stone")).hits]
        assert [found.finding.fault for found in await memory.admin.doctor()] == ["half-built-generation"]


async def test_a_new_file_keeps_the_key_for_its_owner_alone(source: Path, target: Path) -> None:
    await copy_store(str(source), str(target))
    assert key(target) == key(source)
    assert stat.S_IMODE(target.with_name("to.db.key").stat().st_mode) == 0o600
    async with open_memory(target, embedder="none", create=False) as memory:
        assert (await memory.admin.stats()).bytes > 0


async def test_a_store_made_with_a_passphrase_is_copied_with_it(tmp_path: Path, target: Path) -> None:
    source, passphrase = tmp_path / "from.db", "correct horse battery"
    async with open_memory(source, embedder="none", secret_key=passphrase) as memory:
        await memory.save("quartz")
    await copy_store(str(source), str(target), secret_key=passphrase)
    for given in (passphrase, key(target), None):
        async with open_memory(target, embedder="none", secret_key=given) as memory:
            assert (await memory.recall("quartz")).hits


@pytest.mark.slow
@pytest.mark.parametrize("to", ["a file", pytest.param("a server", marks=pytest.mark.slow)])
async def test_killed_again_and_again_a_copy_goes_on_where_it_was(
    source: Path, target: Path, database: Database, to: str
) -> None:
    where = str(target) if to == "a file" else database.serving_url
    for pages in (2, 11):
        await killed(str(source), where, pages)
    done = await copy_store(str(source), where)
    assert 0 < sum(table.copied for table in done) < sum(table.rows for table in done)
    whole = await copy_store(str(source), where)
    assert plain(whole) == plain(done)
    assert {table.copied for table in whole} == {0}
    if to == "a file":
        assert held(target) == held(source)


async def killed(source: str, target: str, pages: int) -> None:
    """A copy in another process, killed after it has written so many pages."""
    async with await anyio.open_process([sys.executable, "-c", SLOW, source, target, str(pages)], stderr=None) as child:
        assert child.stdout is not None
        with anyio.fail_after(PATIENCE):
            assert (await child.stdout.receive()).strip() == b"waiting"
        os.kill(child.pid, signal.SIGKILL)
        await child.wait()


async def test_cancelled_at_any_page_a_copy_goes_on(
    source: Path, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copying, "PAGE", 5)
    with anyio.CancelScope() as run:
        await copy_store(str(source), str(target), progress=once(CopyStage.COPIED, run.cancel))
    assert run.cancelled_caught
    await copy_store(str(source), str(target))
    assert held(target) == held(source)


async def test_a_target_with_something_else_in_it_is_left_as_it_is(source: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    await copy_store(str(source), str(other))
    async with open_memory(other, embedder="hash", tenant="acme") as memory:
        await memory.save("one stone more")
    before = held(other)
    with pytest.raises(Conflict, match="nothing was changed: name an empty database"):
        await copy_store(str(source), str(other))
    assert held(other) == before


async def test_who_made_the_words_is_copied_with_them_and_not_into_what_is_refused(
    source: Path, tmp_path: Path
) -> None:
    other, new = tmp_path / "other.db", tmp_path / "new.db"
    await copy_store(str(source), str(other))
    async with open_memory(other, embedder="hash", tenant="acme") as memory:
        await memory.save("one stone more")
    with closing(SQLiteConnection(str(source))) as connection:
        connection.run("UPDATE store SET analyser = 'of old'")
    with pytest.raises(Conflict, match="nothing was changed"):
        await copy_store(str(source), str(other))
    await copy_store(str(source), str(new))
    assert [analyser_of(file) == "of old" for file in (other, new)] == [False, True]


def analyser_of(file: Path) -> str:
    with closing(SQLiteConnection(str(file))) as connection:
        return str(connection.value("SELECT analyser FROM store"))


async def test_a_target_with_other_tenants_in_it_is_left_as_it_is(source: Path, database: Database) -> None:
    async with open_memory(
        database.serving_url, secret_key=key(source), tenant="stranger", embedder="none", background=False
    ) as memory:
        await memory.save("quartz")
    before = rows_in(database)
    with pytest.raises(Conflict, match="scopes differ"):
        await copy_store(str(source), database.serving_url)
    assert rows_in(database) == before


async def test_a_source_written_between_two_runs_is_not_mixed_with_what_it_was(source: Path, target: Path) -> None:
    with anyio.CancelScope() as run:
        await copy_store(str(source), str(target), progress=once(CopyStage.COPIED, run.cancel))
    async with open_memory(source, embedder="none") as memory:
        await memory.within(SCOPES[0]).save("one stone more")
    before = held(target)
    with pytest.raises(Conflict, match="nor the beginning of a copy of this source as it now stands"):
        await copy_store(str(source), str(target))
    assert held(target) == before


class Meddled:
    """Tables into which something else is done before the first row is written."""

    def __init__(self, tables: Tables, first: Callable[[], Awaitable[None]]) -> None:
        self._tables = tables
        self._first: Callable[[], Awaitable[None]] | None = first
        self.identity = tables.identity
        self.snapshot = tables.snapshot

    async def write(self, table: StoreTable, tenant: str, rows: Sequence[Row]) -> None:
        if self._first is not None:
            first, self._first = self._first, None
            await first()
        await self._tables.write(table, tenant, rows)


async def test_a_source_written_meanwhile_is_told_and_the_copy_is_whole(source: Path, target: Path) -> None:
    before = held(source)

    async def write() -> None:
        async with open_memory(source, embedder="none", background=False) as memory:
            for scope in (SCOPES[0], replace(SCOPES[0], user="new"), replace(SCOPES[0], tenant="new")):
                await memory.within(scope).record("one stone more", session="monday")

    async with SQLiteStore.open(source), SQLiteStore.open(target):
        pass
    async with SQLiteTables.open(str(source)) as first, SQLiteTables.open(str(target)) as second:
        with pytest.raises(Conflict, match=r"written while it was copied \(.*records: \d+ rows \w+, not \d+ rows"):
            await copying.copy(first, Meddled(second, write))
    del before["store"]
    assert {name: rows for name, rows in held(target).items() if name in before} == before


async def test_a_target_written_meanwhile_is_told(source: Path, target: Path) -> None:
    def write() -> None:
        with closing(apsw.Connection(str(target))) as connection:
            loosely: Any = connection
            loosely.execute("UPDATE records SET usage_count = usage_count + 1")

    with pytest.raises(StoreError, match=r"the target differs from what was copied \(records: (\d+) rows \w+, not \1 "):
        await copy_store(str(source), str(target), progress=once(CopyStage.COPIED, write, last=True))


async def test_a_database_is_not_copied_into_itself(source: Path, database: Database, tmp_path: Path) -> None:
    (tmp_path / "alias.db").symlink_to(source)
    (tmp_path / "alias.db.key").symlink_to(f"{source}.key")
    for alias in (source, tmp_path / "alias.db"):
        with pytest.raises(InvalidInput, match="same database"):
            await copy_store(str(source), str(alias))
    with pytest.raises(InvalidInput, match="same database"):
        await copy_store(
            database.serving_url, f"{database.serving_url}?application_name=alias", secret_key="correct horse battery"
        )


async def test_a_target_with_another_key_is_refused(source: Path, target: Path, database: Database) -> None:
    async with PostgresStore.open(database.serving_url, secret="correct horse battery"):
        pass
    async with SQLiteStore.open(target):
        pass
    for other in (database.serving_url, str(target)):
        with pytest.raises(Conflict, match="has another key than the source; name an empty database"):
            await copy_store(str(source), other)


async def test_a_key_file_of_another_store_is_not_overwritten(source: Path, target: Path) -> None:
    foreign = target.with_name("to.db.key")
    foreign.write_text("0" * 64)
    with pytest.raises(StoreError, match="is another store's; move it away"):
        await copy_store(str(source), str(target))
    assert foreign.read_text() == "0" * 64


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        ("missing.db", "to.db", "there is no database"),
        ("from.db", "mysql://host/name", "no store for mysql:// addresses"),
        ("mysql://host/name", "to.db", "no store for mysql:// addresses"),
        ("from.db", ":memory:", ":memory: ends with its process"),
        ("from.db", "missing/to.db", "does not exist; make it first"),
        ("from.db", ".", "is a folder; name a file in it"),
        ("from.db", "", "is empty; name a file"),
    ],
)
async def test_what_is_no_store_is_refused(
    source: Path, one: str, other: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(source.parent)
    before = sorted(source.parent.iterdir())
    with pytest.raises(RemembrancerError, match=told):
        await copy_store(one, other)
    assert sorted(source.parent.iterdir()) == before


async def test_a_missing_extra_is_told(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    for module in [name for name in sys.modules if name.startswith("remembrancer.storage.postgres")]:
        monkeypatch.delitem(sys.modules, module)
    with pytest.raises(StoreError, match="needs the extra 'postgres'"):
        await copy_store(str(source), "postgresql://host/name")


async def test_a_server_is_copied_into_another(source: Path, database: Database, another: Database) -> None:
    await copy_store(str(source), database.serving_url)
    done = await copy_store(database.serving_url, another.serving_url, secret_key=key(source))
    assert rows_in(another) == rows_in(database)
    assert sum(table.copied for table in done) == sum(table.rows for table in done)


async def test_the_serving_role_sees_one_tenant_of_a_copy_at_a_time(source: Path, database: Database) -> None:
    await copy_store(str(source), database.serving_url)
    with psycopg.connect(database.serving_url) as serving:
        assert serving.execute("SELECT COUNT(*) FROM remembrancer.records").fetchone() == (0,)
        serving.execute("SELECT set_config('remembrancer.tenant', 'rival', true)")
        assert serving.execute("SELECT DISTINCT tenant FROM remembrancer.records").fetchall() == [("rival",)]


@pytest.mark.parametrize("call", ["number_after('keys', 9)", "number_after('pg_class', 9)", "number_after(NULL, 9)"])
async def test_the_serving_role_moves_no_other_counter(database: Database, call: str) -> None:
    with psycopg.connect(database.serving_url) as serving:
        asked: Any = serving.execute
        with pytest.raises(psycopg.errors.RaiseException):
            asked(f"SELECT remembrancer_ops.{call}")


async def test_a_counter_never_goes_back(source: Path, database: Database) -> None:
    await copy_store(str(source), database.serving_url)
    with psycopg.connect(database.serving_url) as serving:
        serving.execute("SELECT remembrancer_ops.number_after('audit', 1)")
    with psycopg.connect(database.admin_url) as admin:
        last = admin.execute("SELECT last_value FROM remembrancer.audit_sequence_seq").fetchone()
        assert last == admin.execute("SELECT MAX(sequence) FROM remembrancer.audit").fetchone()
