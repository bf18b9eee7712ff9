"""A store that another process has locked, or that may only be read: what can be read is read."""

import ctypes
import json
import os
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest

from bench.line import Ended, run_line

READING: dict[str, list[str]] = {
    "recall": ["recall", "tea"],
    "list": ["list"],
    "get": ["get", "--topic-key", "tea"],
    "context": ["context", "monday"],
    "history": ["timeline", "history", "--topic-key", "tea"],
    "stats": ["admin", "stats"],
}
UNCOUNTED = "note: the last reads are not counted: "


@pytest.fixture(autouse=True)
def event_loop_is_not_blocked() -> None:
    """Commands are run in forks, which import on their event loops what they need."""


def as_owner() -> None:
    """Give up what lets root write to everything."""
    if os.geteuid() == 0:
        nothing = struct.pack("6I", *[0] * 6)
        assert ctypes.CDLL(None).capset(struct.pack("Ii", 0x20080522, 0), nothing) == 0


def run(db: Path, *arguments: str, before: Callable[[], None] = as_owner) -> Ended:
    return run_line([*arguments, "--db", str(db), "--embedder", "none"], before=before)


def impatient() -> None:
    """Wait for a locked store as an owner does who is in a hurry."""
    as_owner()
    os.environ["REMEMBRANCER_BUSY_TIMEOUT"] = "0.3"


MODES = (
    pytest.param((0o400, 0o700), id="file", marks=pytest.mark.slow),
    pytest.param((0o600, 0o500), id="folder", marks=pytest.mark.slow),
    pytest.param((0o400, 0o500), id="both"),
)


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "folder"
    folder.mkdir()
    path = folder / "m.db"
    assert run(path, "save", "Ana drinks tea", "--topic-key", "tea").code == 0
    assert run(path, "record", "Tea is at five", "--session", "monday").code == 0
    yield path
    folder.chmod(0o700)


@pytest.mark.parametrize("arguments", READING.values(), ids=READING.keys())
@pytest.mark.parametrize("modes", MODES)
def test_a_store_that_may_only_be_read_is_read(db: Path, arguments: list[str], modes: tuple[int, int]) -> None:
    before = run(db, *arguments).stdout
    db.chmod(modes[0])
    db.parent.chmod(modes[1])
    ended = run(db, *arguments)
    assert (ended.code, ended.stdout) == (0, before), ended.stderr
    assert all(line.startswith("note: ") for line in ended.stderr.splitlines()), ended.stderr


@pytest.mark.parametrize("modes", MODES)
def test_what_would_write_there_is_refused_in_a_line(db: Path, modes: tuple[int, int]) -> None:
    db.chmod(modes[0])
    db.parent.chmod(modes[1])
    ended = run(db, "save", "x")
    assert (ended.code in (6, 8), ended.stderr.count("\n")) == (True, 1), ended.stderr


@pytest.mark.parametrize("arguments", READING.values(), ids=READING.keys())
def test_a_store_that_is_locked_is_read_and_the_reading_not_counted(db: Path, arguments: list[str]) -> None:
    with closing(apsw.Connection(str(db))) as other:
        loosely: Any = other
        loosely.execute("BEGIN IMMEDIATE")
        ended = run(db, *arguments, before=impatient)
    assert (ended.code, bool(ended.stdout)) == (0, True), ended.stderr
    if arguments[0] in ("recall", "context"):
        assert UNCOUNTED in ended.stderr


def test_a_write_to_a_locked_store_is_given_up_soon(db: Path) -> None:
    with closing(apsw.Connection(str(db))) as other:
        loosely: Any = other
        loosely.execute("BEGIN IMMEDIATE")
        ended = run(db, "save", "x", before=impatient)
    assert (ended.code, ended.stderr.count("\n")) == (6, 1)
    assert "the database is busy" in ended.stderr
    assert ended.seconds < 15


def test_an_interrupt_ends_the_wait_for_a_locked_store_at_once(db: Path) -> None:
    program = f"""
import anyio
from remembrancer import open_memory
async def main():
    async with open_memory({str(db)!r}, embedder="none") as memory:
        print("open", flush=True)
        await memory.save("x")
anyio.run(main)
"""
    with closing(apsw.Connection(str(db))) as other:
        loosely: Any = other
        loosely.execute("BEGIN IMMEDIATE")
        process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        began = time.monotonic()
        process.communicate(timeout=20)
        assert time.monotonic() - began < 5
    assert json.loads(run(db, "list", "--json").stdout)["records"]
