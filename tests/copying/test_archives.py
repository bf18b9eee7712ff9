"""An archive holds a scope whole: it comes back line by line in either store, and what was done to it is noticed."""

import json
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remembrancer import InvalidInput, Memory, StoreError, open_memory
from remembrancer.privacy.archive.container import ArchiveEncryptor, ArchiveHeader, decrypt
from remembrancer.privacy.archive.lines import read_lines
from tests.copying.filling import SCOPES, drop_invented, fill
from tests.databases import SECRET, Database
from tests.rows import each_row

pytestmark = pytest.mark.anyio
PASSPHRASE = "correct horse battery"
TENANT = SCOPES[0].tenant
PAGE = Path(__file__).parents[2] / "docs/reference/archive.md"


def sealed(text: bytes, *, passphrase: str = PASSPHRASE, head: ArchiveHeader | None = None) -> bytes:
    """An archive of some text; a cheap one, and always the same."""
    made = head or ArchiveHeader(log2_n=4, p=1, chunk=1_024, salt=bytes(16))
    sealing = ArchiveEncryptor(made, passphrase)
    return b"".join([made.packed, *sealing.add(text), sealing.end()])


def reader(data: bytes) -> Callable[[int], bytes]:
    """What reads some bytes as a file is read."""

    def read(size: int) -> bytes:
        nonlocal data
        piece, data = data[:size], data[size:]
        return piece

    return read


def unsealed(data: bytes, passphrase: str = PASSPHRASE) -> bytes:
    """The text of an archive."""
    return b"".join(decrypt(reader(data), passphrase))


def lines_in(path: Path) -> list[str]:
    """The lines of an archive but its heading, in an order of their own."""
    return sorted(unsealed(path.read_bytes()).decode().splitlines()[1:])


# The container


@settings(deadline=None, max_examples=40)
@given(st.lists(st.binary(max_size=3_000), max_size=6))
def test_what_is_sealed_comes_back_to_the_byte(pieces: list[bytes]) -> None:
    head = ArchiveHeader(log2_n=4, p=1, chunk=1_024, salt=bytes(16))
    sealing = ArchiveEncryptor(head, PASSPHRASE)
    data = head.packed + b"".join(chunk for piece in pieces for chunk in sealing.add(piece)) + sealing.end()
    assert unsealed(data) == b"".join(pieces)


@each_row("size", [0, 1, 1_023, 1_024, 1_025, 2_048, 2_500])
def test_an_archive_that_is_cut_anywhere_does_not_open(size: int) -> None:
    data = sealed(b"x" * size)
    for length in range(len(data)):
        with pytest.raises(InvalidInput):
            unsealed(data[:length])
    with pytest.raises(InvalidInput):
        unsealed(data + b"x")


def test_an_archive_of_which_any_byte_was_changed_does_not_open() -> None:
    data = sealed(b'{"format"' + b"x" * 1_100)
    for place in range(len(data)):
        for change in (1, 0x80):
            spoilt = bytearray(data)
            spoilt[place] ^= change
            with pytest.raises(InvalidInput):
                unsealed(bytes(spoilt))


def test_chunks_that_change_places_do_not_open() -> None:
    data = sealed(b"a" * 1_024 + b"b" * 1_024 + b"c")
    head, one, two, rest = data[:32], data[32:1_072], data[1_072:2_112], data[2_112:]
    assert unsealed(head + one + two + rest)
    for other in (head + two + one + rest, head + one + rest, head + one + one + two + rest):
        with pytest.raises(InvalidInput):
            unsealed(other)


@each_row(
    "log2_n, r, p, chunk",
    [
        (31, 8, 1, 65_536),
        (63, 8, 1, 65_536),
        (15, 255, 255, 65_536),
        (15, 8, 255, 65_536),
        (15, 8, 3, 2**32 - 1),
        (15, 8, 3, 0),
        (0, 8, 3, 65_536),
    ],
)
def test_a_head_that_asks_for_more_than_it_may_is_not_believed(log2_n: int, r: int, p: int, chunk: int) -> None:
    data = struct.pack(">8sBBBBI16s", b"RMBARCHV", 1, log2_n, r, p, chunk, bytes(16)) + bytes(100)
    with pytest.raises(InvalidInput, match="out of range"):
        unsealed(data)


def test_the_passphrase_is_told_to_be_another_and_a_later_version_to_be_one() -> None:
    with pytest.raises(InvalidInput, match="the passphrase is wrong"):
        unsealed(sealed(b"text"), "correct horse batterY")
    with pytest.raises(InvalidInput, match="version 2"):
        unsealed(b"RMBARCHV\x02" + bytes(60))
    with pytest.raises(InvalidInput, match="not an archive"):
        unsealed(b"SQLite format 3\0" + bytes(60))
    with pytest.raises(InvalidInput, match="8 characters"):
        sealed(b"text", passphrase="short")


def vectors() -> list[dict[str, Any]]:
    """The vectors that the page of the format shows."""
    blocks = PAGE.read_text(encoding="utf-8").split("```json\n")[1:]
    return [json.loads(block.split("```")[0]) for block in blocks]


@pytest.mark.parametrize("vector", vectors(), ids=lambda vector: vector["name"])
def test_the_vectors_of_the_format_hold(vector: dict[str, Any]) -> None:
    text = vector["text"].encode() * vector.get("times", 1)
    head = ArchiveHeader(
        log2_n=vector["log2_n"], r=vector["r"], p=vector["p"], chunk=vector["chunk"], salt=bytes.fromhex(vector["salt"])
    )
    data = sealed(text, passphrase=vector["passphrase"], head=head)
    assert data.hex() == vector["archive"]
    assert unsealed(bytes.fromhex(vector["archive"]), vector["passphrase"]) == text


@each_row(
    "text",
    [
        b"",
        b"[]",
        b"null\n",
        b"\xff\xfe\n",
        b"[" * 200_000,
        b'{"format":"another"}\n',
        b'{"format":"remembrancer archive","version":2,"made_at":"","scopes":[]}\n',
        b'{"format":"remembrancer archive","version":1,"made_at":"2026-01-01T00:00:00+00:00","scopes":[]}\n',
        b'{"format":"remembrancer archive","version":1,"made_at":"2026-01-01T00:00:00","scopes":[{}]}\n',
        b'{"format":"remembrancer archive","version":1,"made_at":"2026-01-01T00:00:00+00:00","scopes":[{},{}]}\n',
        b'{"format":"remembrancer archive","version":1,"made_at":"2026-01-01T00:00:00+00:00","scopes":[{"user":7}]}\n',
    ],
)
def test_a_text_that_is_no_archive_is_refused_in_words(text: bytes) -> None:
    with pytest.raises(InvalidInput):
        list(read_lines([text], tenant=TENANT))


@each_row(
    "line",
    [
        b"{}",
        b'{"scope":1,"log":{"session":""}}',
        b'{"scope":true,"log":{"session":""}}',
        b'{"scope":0,"memory":{"id":7,"kind":"message"}}',
        b'{"scope":0,"memory":{"id":"a","kind":"message"},"evidence":"b"}',
        b'{"scope":0,"table":"audit","rows":[]}',
        b'{"end":{"memories":{},"sessions":1}}',
        b'{"end":{"memories":{},"sessions":0}}\n{"scope":0,"log":{"session":""}}',
        b"",
    ],
)
def test_a_line_that_says_nothing_known_is_refused(line: bytes) -> None:
    heading = b'{"format":"remembrancer archive","version":1,"made_at":"2026-01-01T00:00:00+00:00","scopes":[{}]}\n'
    with pytest.raises(InvalidInput):
        list(read_lines([heading + line], tenant=TENANT))


# From store to store


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with something of everything, and its archive beside it."""
    path = tmp_path_factory.mktemp("filled") / "from.db"

    async def make() -> None:
        await fill(path, seed=3)
        drop_invented(path)
        async with opening(path) as memory:
            await memory.governance.archives.create(path.with_suffix(".archive"), passphrase=PASSPHRASE)

    anyio.run(make)
    return path


def opening(db: Path | str, **beside: Any) -> Any:
    """The memory of the tenant in a store."""
    return open_memory(db, embedder="none", background=False, tenant=TENANT, **beside)


@pytest.fixture(params=["sqlite", "postgres"])
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """An empty store of either kind."""
    if request.param == "sqlite":
        return opening(tmp_path / "to.db")
    database: Database = request.getfixturevalue("database")
    return opening(database.serving_url, secret_key=SECRET)


async def test_what_an_archive_brings_into_an_empty_store_is_the_same_line_by_line(
    filled: Path, empty: Any, tmp_path: Path
) -> None:
    archive = filled.with_suffix(".archive")
    async with empty as memory:
        taken = await memory.governance.archives.import_archive(archive, passphrase=PASSPHRASE, reason="moved")
        assert (taken.created, dict(taken.conflict_counts)) == (sum(taken.archive.memories.values()), {})
        await memory.governance.archives.create(tmp_path / "again", passphrase=PASSPHRASE)
        assert await memory.admin.doctor() == []
        once_more = await memory.governance.archives.import_archive(archive, passphrase=PASSPHRASE, reason="again")
        assert (once_more.created, once_more.updated, once_more.same) == (0, 0, taken.created)
        await memory.governance.archives.create(tmp_path / "third", passphrase=PASSPHRASE)
        assert (await memory.recall("quartz basalt granite", abstain=False)).hits
    assert lines_in(tmp_path / "again") == lines_in(archive)
    assert lines_in(tmp_path / "third") == lines_in(archive)


async def test_what_does_not_open_leaves_the_store_as_it_was(filled: Path, tmp_path: Path) -> None:
    whole = filled.with_suffix(".archive").read_bytes()
    spoilt = tmp_path / "spoilt"
    async with opening(tmp_path / "to.db") as memory:
        await memory.save("It stays")
        before = await held_by(memory)
        for data in (b"", whole[:20], whole[:-1], whole[: len(whole) // 2], whole + b"x"):
            spoilt.write_bytes(data)
            with pytest.raises(InvalidInput):
                await memory.governance.archives.import_archive(spoilt, passphrase=PASSPHRASE, reason="to see")
        with pytest.raises(InvalidInput, match="passphrase is wrong"):
            await memory.governance.archives.import_archive(
                filled.with_suffix(".archive"), passphrase="another one", reason="to see"
            )
        with pytest.raises(InvalidInput, match="is not a file"):
            await memory.governance.archives.import_archive(tmp_path / "none", passphrase=PASSPHRASE, reason="to see")
        assert await held_by(memory) == before


async def held_by(memory: Memory) -> str:
    """What a tenant has, in numbers and in words."""
    return repr([(await memory.admin.stats()).records, await memory.list(limit=1_000)])


def rewritten(path: Path, to: Path, change: Callable[[list[dict[str, Any]]], None]) -> Path:
    """An archive that somebody who has the passphrase has changed."""
    lines = [json.loads(line) for line in unsealed(path.read_bytes()).splitlines()]
    change(lines)
    to.write_bytes(sealed(b"".join(json.dumps(line).encode() + b"\n" for line in lines)))
    return to


def _first(lines: list[dict[str, Any]], name: str) -> dict[str, Any]:
    return next(line[name] for line in lines if name in line)


@each_row(
    "name, column, value",
    [
        ("memory", "unheard_of", 1),
        ("memory", "status", "unheard-of"),
        ("memory", "kind", "unheard-of"),
        ("memory", "occurred_at", "yesterday"),
        ("memory", "occurred_at", 7),
        ("memory", "text", ["a"]),
        ("memory", "tags", "a"),
        ("memory", "tags", [1]),
        ("memory", "metadata", "a"),
        ("memory", "revision", 2**70),
        ("memory", "echo", 1),
        ("memory", "hash", None),
        ("session", "messages", "many"),
        ("session", "started_at", None),
        ("log", "places", {}),
    ],
)
async def test_what_somebody_wrote_into_an_archive_is_refused_and_nothing_taken(
    filled: Path, tmp_path: Path, name: str, column: str, value: object
) -> None:
    def change(lines: list[dict[str, Any]]) -> None:
        _first(lines, name)[column] = value

    wrong = rewritten(filled.with_suffix(".archive"), tmp_path / "wrong", change)
    async with opening(tmp_path / "to.db") as memory:
        with pytest.raises((InvalidInput, StoreError)):
            await memory.governance.archives.import_archive(wrong, passphrase=PASSPHRASE, reason="to see")
        assert not (await memory.list(limit=10)).records
        assert not await memory.sessions.list()


def test_a_large_archive_takes_little_memory(tmp_path: Path) -> None:
    """A process that reads 64 MiB of chunks stays far below that."""
    script = """
import resource, sys
from remembrancer.privacy.archive.container import ArchiveHeader, ArchiveEncryptor, decrypt
path = sys.argv[1]
head = ArchiveHeader(salt=bytes(16))
sealing = ArchiveEncryptor(head, "correct horse battery")
with open(path, "wb") as file:
    file.write(head.packed)
    for _ in range(1024):
        for chunk in sealing.add(bytes(65536)):
            file.write(chunk)
    file.write(sealing.end())
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
with open(path, "rb") as file:
    size = sum(len(piece) for piece in decrypt(file.read, "correct horse battery"))
print(size, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    told = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "large")], capture_output=True, check=True, text=True
    ).stdout.split()
    assert int(told[0]) == 64 * 2**20
    assert int(told[1]) < 16 * 2**10
