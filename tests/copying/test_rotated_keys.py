"""Another key opens a store from now on: what was signed and marked stands, and the former one opens nothing."""

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from anyio.to_thread import run_sync
from click.testing import CliRunner

from remembrancer import InvalidInput, Memory, NotAllowed, Scope, StoreError, open_memory
from remembrancer.assembly.administration import backup_store, copy_store, rotate_secret
from remembrancer.cli.app import app
from remembrancer.storage.sqlite import file as sqlite_file
from remembrancer.storage.sqlite.connection import SQLiteConnection
from remembrancer.types.audit import Checkpoint
from remembrancer.types.erasure import Receipt
from tests.databases import Database

pytestmark = pytest.mark.anyio
OLD, NEW = "correct horse battery", "staple 7 staple 7 staple"
SETTING = "REMEMBRANCER_SECRET_KEY"


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """What only a store's own key can answer for."""

    saved: str
    receipt: Receipt
    checkpoint: Checkpoint


async def lived(memory: Memory) -> Before:
    await memory.within(Scope(user="ana")).record("Ana keeps a zyzzyva")
    saved = (await memory.save("Herons nest under the bridge")).record
    await memory.feedback(saved.id, "wrong", person="Ben")
    receipt = await memory.governance.erasure.erase(user="ana", reason="she asked for it")
    return Before(saved=saved.id, receipt=receipt, checkpoint=await memory.governance.audit.checkpoint())


async def stands(memory: Memory, before: Before) -> None:
    verified = await memory.governance.audit.verify(before.checkpoint)
    assert (verified.broken, verified.lost) == ((), 0)
    assert [one.hash for one in await memory.governance.erasure.receipts(subject="user", name="ana")] == [
        before.receipt.hash
    ]
    with pytest.raises(NotAllowed, match="rejected"):
        await memory.save("Herons nest under the bridge")
    assert before.saved in {row.record for row in await memory.governance.audit.list(limit=100)}
    # What is signed from now on is signed by the same key.
    assert (await memory.governance.audit.checkpoint()).key == before.receipt.key


async def test_a_file_gets_another_key_and_stands_as_it_was(tmp_path: Path) -> None:
    path, file = tmp_path / "m.db", tmp_path / "m.db.key"
    async with open_memory(path) as memory:
        before = await lived(memory)
        first = file.read_text()
        assert await rotate_secret(str(path)) == str(file)
        # Who has it open goes on.
        await stands(memory, before)
    assert file.read_text() != first
    assert file.stat().st_mode & 0o777 == 0o600
    assert not (tmp_path / "m.db.key.next").exists()
    async with open_memory(path) as memory:
        await stands(memory, before)
    await rotate_secret(str(path), new=NEW)
    async with open_memory(path, secret_key=NEW) as memory:
        await stands(memory, before)
    file.write_text(first)
    with pytest.raises(StoreError, match="another store's"):
        async with open_memory(path):
            pass


async def test_a_database_gets_another_key_by_its_administrator(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_memory(database.serving_url, secret_key=OLD) as memory:
        before = await lived(memory)
    monkeypatch.setenv(SETTING, OLD)
    with pytest.raises(NotAllowed, match="administrator"):
        await rotate_secret(database.serving_url, new=NEW)
    assert await rotate_secret(database.admin_url, new=NEW) == ""
    async with open_memory(database.serving_url, secret_key=NEW) as memory:
        await stands(memory, before)
    for attempt in (
        lambda: open_memory(database.serving_url, secret_key=OLD).__aenter__(),
        lambda: rotate_secret(database.admin_url, new="another one altogether"),
    ):
        with pytest.raises(InvalidInput, match="not the one"):
            await attempt()


async def test_copies_and_backups_are_opened_by_the_new_key(tmp_path: Path, database: Database) -> None:
    path = tmp_path / "m.db"
    async with open_memory(path) as memory:
        before = await lived(memory)
    await rotate_secret(str(path))
    key = (tmp_path / "m.db.key").read_text()
    await copy_store(str(path), str(tmp_path / "copy.db"))
    await copy_store(str(path), database.serving_url)
    await copy_store(database.serving_url, str(tmp_path / "back.db"), secret_key=key)
    await backup_store(str(path), str(tmp_path / "backup.db"))
    for name in ("copy.db", "back.db", "backup.db"):
        async with open_memory(tmp_path / name) as memory:
            await stands(memory, before)
    async with open_memory(database.serving_url, secret_key=key) as memory:
        await stands(memory, before)


@pytest.mark.parametrize("at", ["before it is known", "once it is known"])
async def test_killed_at_any_step_one_of_both_keys_opens_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    path = tmp_path / "m.db"
    async with open_memory(path) as memory:
        before = await lived(memory)

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(sqlite_file, "known_by" if at == "before it is known" else "adopt_secret", killed)
        with pytest.raises(KeyboardInterrupt):
            await run_sync(lambda: sqlite_file.rotate_key(str(path), opening=None, new=None))
    for _ in range(2):
        async with open_memory(path) as memory:
            await stands(memory, before)
        await rotate_secret(str(path))


async def test_what_is_wrong_is_said_and_nothing_is_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "m.db"
    async with open_memory(path, secret_key=OLD) as memory:
        before = await lived(memory)
    for setting, new, told in (
        ("not the key of this", NEW, "not the one"),
        (OLD, None, "--new-key-file"),
        (OLD, "short", "5 characters"),
    ):
        monkeypatch.setenv(SETTING, setting)
        with pytest.raises(InvalidInput, match=told):
            await rotate_secret(str(path), new=new)
    with pytest.raises(InvalidInput, match="there is no database"):
        await rotate_secret(str(tmp_path / "none.db"), new=NEW)
    assert not (tmp_path / "none.db").exists()
    with pytest.raises(InvalidInput, match="no store for mysql://"):
        await rotate_secret("mysql://host/name")
    with closing(SQLiteConnection(str(tmp_path / "other.db"))) as other:
        other.run("CREATE TABLE a (b)")
    with pytest.raises(InvalidInput, match="contains no memories"):
        await rotate_secret(str(tmp_path / "other.db"), new=NEW)
    async with open_memory(path, secret_key=OLD) as memory:
        await stands(memory, before)


def test_on_the_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, new = str(tmp_path / "m.db"), tmp_path / "new"
    runner = CliRunner()

    def run(*arguments: str) -> tuple[int, str]:
        ran = runner.invoke(app, [*arguments])
        return ran.exit_code, ran.output

    assert run("save", "The door is red", "--db", path, "--embedder", "none")[0] == 0
    assert run("admin", "rotate-secret", path) == (0, f"the new key opens the store; it is in {path}.key\n")
    monkeypatch.setenv(SETTING, (tmp_path / "m.db.key").read_text())
    new.write_text("\n")
    assert run("admin", "rotate-secret", path, "--new-key-file", str(new))[0] == 2
    new.write_text(NEW + "\n")
    code, told = run("admin", "rotate-secret", path, "--new-key-file", str(new))
    assert (code, "set REMEMBRANCER_SECRET_KEY to it" in told, NEW in told) == (0, True, False)
    assert run("list", "--db", path)[0] == 2
    monkeypatch.setenv(SETTING, NEW)
    assert "The door is red" in run("list", "--db", path)[1]
