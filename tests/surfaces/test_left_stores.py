"""Stores that were copied, linked, or left: what reads never fills them, and what is refused names its cause."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from remembrancer import StoreError, SyncMemory
from remembrancer.cli.app import app
from remembrancer.storage.sqlite.connection import SQLiteConnection
from remembrancer.types.filter import Filter
from tests.serving import started, stopped

TEXT = "Vectors are kept in half precision"
READING = (["list"], ["recall", "vectors"], ["admin", "doctor"], ["admin", "stats"], ["export"], ["sessions", "list"])
AT_THE_END = """
import sys, threading
from remembrancer import SyncMemory
memory = SyncMemory(sys.argv[1], embedder="none")
def work():
    threading.main_thread().join()
    for number in range(20):
        memory.record(f"message {number}", session="talk")
threading.Thread(target=work).start()
"""


def test_a_header_without_tables_is_refused_by_what_reads_and_stays_as_it_is(tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    SQLiteConnection(str(copy)).close()
    before = copy.read_bytes()
    assert len(before) == 4096
    for command in READING:
        done = CliRunner().invoke(app, [*command, "--db", str(copy), "--embedder", "none"])
        assert done.exit_code == 8, (command, done.output)
        assert "without its journal" in done.output
    with pytest.raises(StoreError, match="without its journal"), SyncMemory(str(copy), create=False):
        pass
    assert copy.read_bytes() == before
    assert not copy.with_name("copy.db.key").exists()


def test_a_link_to_a_store_opens_it(tmp_path: Path) -> None:
    path, link = tmp_path / "m.db", tmp_path / "link.db"
    with SyncMemory(str(path), embedder="none") as memory:
        memory.save(TEXT)
    link.symlink_to(path)
    done = CliRunner().invoke(app, ["recall", "vectors", "--db", str(link), "--embedder", "none"])
    assert TEXT in done.output


def test_a_backup_that_cannot_be_written_names_the_folder_and_the_cause(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with SyncMemory(str(path), embedder="none") as memory:
        memory.save(TEXT)
    done = CliRunner().invoke(app, ["backup", "make", "/proc/backup.db", "--db", str(path)])
    assert done.exit_code == 6, done.output
    assert "the folder '/proc' cannot be written to: " in done.output


@pytest.mark.slow
def test_a_service_that_is_stopped_by_sigterm_ends_with_0(tmp_path: Path) -> None:
    service = started(str(tmp_path / "m.db"), tmp_path / "log")
    assert stopped(service) == 0


@pytest.mark.slow
def test_a_thread_that_writes_when_the_main_thread_ends_is_waited_for(tmp_path: Path) -> None:
    path = str(tmp_path / "m.db")
    subprocess.run([sys.executable, "-c", AT_THE_END, path], check=True, timeout=60)
    with SyncMemory(path, embedder="none") as memory:
        assert len(memory.list(Filter(kinds=["message"]), limit=50).records) == 20
