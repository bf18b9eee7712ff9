"""What is private or secret reaches no table, no file and no log, whatever it came in with.

Every credential here is fake and put together at run time, so that no scanner takes this file for a leak.
"""

import base64
import hashlib
import json
import logging
import random
import re
import uuid
import zlib
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeAlias

import apsw
import numpy as np
import pytest
from numpy.typing import NDArray

from remembrancer import Changes, InvalidInput, NewMessage, NewObservation, SyncMemory
from remembrancer.ingest.importers.turns import Turn
from remembrancer.testing import HashEmbedder
from remembrancer.types.record import Json, Role
from tests.rows import every_row

LETTERS = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
PIECE = 12
STEP = 3


def body(name: str, length: int, letters: str = LETTERS) -> str:
    """Letters and digits that stand nowhere else; the same for the same name."""
    drawn = random.Random(name)
    return "".join(drawn.choice(letters) for _ in range(length - 2)) + letters[-1] + letters[0]


def pem(label: str) -> tuple[str, str]:
    """A private key on one line, as it stands in an environment variable, and the part that must not be kept."""
    inner = body(f"pem {label}", 96)
    mark = f"{label} PRIVATE " + "KEY-----"
    return f"-----BEGIN {mark}\\n{inner[:48]}\\n{inner[48:]}\\n-----END {mark}", inner


def jwt() -> str:
    header = base64.urlsafe_b64encode(b'{"alg":"HS256","typ":"JWT"}').decode().rstrip("=")
    claims = base64.urlsafe_b64encode(json.dumps({"sub": body("claims", 30)}).encode()).decode().rstrip("=")
    return f"{header}.{claims}.{body('signature', 43)}"


def secrets() -> dict[str, tuple[str, str]]:
    """By name: how a secret is met in a text, and the part of it that must not be kept."""
    upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
    found: dict[str, tuple[str, str]] = {}

    def add(name: str, prefix: str, length: int, around: str = "{}", letters: str = LETTERS) -> None:
        secret = prefix + body(name, length, letters)
        found[name] = around.format(secret), secret

    add("aws key id", "AK" + "IA", 16, letters=upper)
    add("aws secret key", "", 40, "aws_secret_access_key={}")
    add("gcp key id", "", 40, 'type: service_account, "private_key_id": "{}"', "0123456789abcdef")
    add("azure storage", "", 86, "AccountName=me;AccountKey={}==;EndpointSuffix=core")
    add("github classic", "gh" + "p_", 36)
    add("github fine-grained", "github" + "_pat_", 82)
    add("gitlab", "gl" + "pat-", 20)
    add("slack bot", "xo" + "xb-123456789012-", 24)
    add("slack webhook", "", 24, "https://hooks.slack.com/services/T0ABCDEF1/B0ABCDEF1/{}")
    add("stripe", "sk" + "_live_", 24)
    add("openai", "sk" + "-proj-", 48)
    add("anthropic", "sk" + "-ant-api03-", 80)
    add("npm", "npm" + "_", 36)
    add("pypi", "py" + "pi-Ag", 60)
    add("url password", "", 20, "https://ana:{}@git.example.test/a.git")
    add("dsn password", "", 20, "host=db user=app password={} dbname=shop")
    add("bearer header", "", 40, "Authorization: Bearer {}")
    add("env assignment", "", 24, "PAYMENT_API_KEY={}")
    found["jwt"] = jwt(), jwt()
    basic = base64.b64encode(f"ana:{body('basic', 18)}".encode()).decode()
    found["basic header"] = f"Authorization: Basic {basic}", basic
    for label in ("RSA", "EC", "OPENSSH"):
        found[f"{label} key"] = pem(label)
    return found


def private_regions() -> dict[str, tuple[str, str]]:
    """The same for regions marked private."""
    shapes = {
        "plain": "<private>{}</private>",
        "upper case": "<PRIVATE>{}</Private>",
        "attributes": "<private reason='x > y' since=\"2020\">{}</private>",
        "nested": "<private>a <private>b</private> {} </private>",
        "deeply nested": "<private>" * 30 + "{}" + "</private>" * 30 + " and on",
        "spaced": "< private >{}</ private >",
        "escaped": "&lt;private&gt;{}&lt;/private&gt;",
        "unclosed": "before <private>{}",
        "unclosed within closed": "<private>a <private>{}</private>",
        "unfinished": "before <private why={}",
    }
    return {
        name: (shape.replace("{}", hidden), hidden)
        for name, shape in shapes.items()
        if (hidden := body(f"private {name}", 40))
    }


HIDDEN = {**secrets(), **private_regions()}


def traces(secret: str) -> set[str]:
    """What would give a secret away, folded: pieces of it, of its reverse, and of its base64."""
    encoded = {base64.b64encode(secret.encode()).decode(), base64.urlsafe_b64encode(secret.encode()).decode()}
    found: set[str] = set()
    for text in (secret, *encoded, secret.encode().hex()):
        found |= {text[start : start + PIECE].casefold() for start in range(0, len(text) - PIECE + 1, STEP)}
    return {piece for piece in found if not any(common in piece for common in ("private", "begin", "eyjhbgci"))}


LONG_RUN = re.compile(rf"[\w.+/=-]{{{PIECE},}}", re.ASCII)
TRACES = {name: traces(secret) for name, (_, secret) in HIDDEN.items()}


class Witness(HashEmbedder):
    """An embedder that keeps what it was shown, folded."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def documents(self, texts: list[str]) -> NDArray[np.float32]:
        """As its parent."""
        self.seen += [text.casefold() for text in texts]
        return super().documents(texts)


class Disk:
    """A memory on a file, and everything that it leaves there and in the log."""

    def __init__(self, memory: SyncMemory, path: Path, log: pytest.LogCaptureFixture) -> None:
        self.memory = memory
        self._path = path
        self._log = log

    def everything(self) -> dict[str, str]:
        """Folded text by where it was found: tables, files, log."""
        found = {f"file {file.name}": file.read_bytes().decode("latin-1") for file in self._files()}
        with closing(apsw.Connection(str(self._path), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
            loosely: Any = connection  # apsw's own types are of a Python newer than ours
            tables = [row[0] for row in loosely.execute("SELECT name FROM pragma_table_list WHERE type = 'table'")]
            for table in tables:
                rows = loosely.execute(f'SELECT * FROM "{table}"')
                found[f"table {table}"] = "\n".join(_shown(value) for row in rows for value in row)
        # A piece is unbroken, so only long runs can hold one; and a log of pages repeats most of them.
        return {place: "\n".join({*LONG_RUN.findall(text.casefold())}) for place, text in found.items()} | {
            "log": self._log.text.casefold()
        }

    def leaks(self) -> list[tuple[str, str]]:
        """Name of a secret and where a trace of it stands; empty when nothing leaked."""
        places = self.everything()
        return [
            (name, place)
            for place, text in places.items()
            for name, pieces in TRACES.items()
            if any(piece in text for piece in pieces)
        ]

    def _files(self) -> list[Path]:
        files = sorted(self._path.parent.glob(f"{self._path.name}*"))
        assert [file.name for file in files] == ["m.db", "m.db-shm", "m.db-wal", "m.db.key"]
        return files


def _shown(value: object) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


@contextmanager
def opened(folder: Path, log: pytest.LogCaptureFixture) -> Generator[Disk]:
    folder.mkdir(exist_ok=True)
    log.set_level(logging.DEBUG)
    path = folder / "m.db"
    with SyncMemory(str(path), embedder="none", background=False) as memory:
        yield Disk(memory, path, log)


@pytest.fixture
def disk(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> Iterator[Disk]:
    with opened(tmp_path, caplog) as disk:
        yield disk


Write: TypeAlias = Callable[[SyncMemory, str], object]
Given: TypeAlias = Callable[[str], dict[str, Any]]


def number_of(held: str) -> int:
    """Tells the writes of one test apart without giving away what they hold."""
    return zlib.crc32(held.encode())


def in_record(part: str) -> Write:
    given: dict[str, Given] = {
        "text": lambda held: {"text": held},
        "tags": lambda held: {"tags": ["a", held]},
        "metadata value": lambda held: {"metadata": {"note": {"deep": [held, 1]}}},
        "metadata key": lambda held: {"metadata": {held: {held: "a"}}},
        "speaker": lambda held: {"speaker": held},
        "author": lambda held: {"author": held},
        "session": lambda held: {"session": held},
        "key": lambda held: {"key": held},
    }

    def write(memory: SyncMemory, held: str) -> None:
        arguments: dict[str, Any] = {"text": "wombat", "session": "s", **given[part](held)}
        memory.record(NewMessage(**arguments))

    return write


def in_record_many(part: str) -> Write:
    made: dict[str, Callable[[str], NewMessage]] = {
        "text": lambda held: NewMessage(text=held, role=Role.USER, session="s"),
        "tags": lambda held: NewMessage(text="wombat", role=Role.USER, session="s", tags=[held]),
        "metadata": lambda held: NewMessage(text="wombat", role=Role.USER, session="s", metadata={held: [held]}),
        "speaker": lambda held: NewMessage(text="wombat", role=Role.USER, session="s", speaker=held),
        "author": lambda held: NewMessage(text="wombat", role=Role.USER, session="s", author=held),
        "session": lambda held: NewMessage(text="wombat", role=Role.USER, session=held),
    }
    return lambda memory, held: memory.messages.record_many(
        [NewMessage(text="a", role=Role.USER, session="s"), made[part](held)]
    )


def in_save(part: str) -> Write:
    given: dict[str, Given] = {
        "text": lambda held: {"text": f"wombat {held}"},
        "title": lambda held: {"title": held},
        "tags": lambda held: {"tags": [held]},
        "metadata value": lambda held: {"metadata": {"note": held}},
        "metadata key": lambda held: {"metadata": {held: "a"}},
        "author": lambda held: {"author": held},
        "topic key": lambda held: {"topic_key": held},
        "session": lambda held: {"session": held},
        "key": lambda held: {"text": "wombat", "key": held},
    }

    def write(memory: SyncMemory, held: str) -> None:
        arguments: dict[str, Any] = {"text": f"wombat {number_of(held)}", **given[part](held)}
        memory.save(NewObservation(**arguments))

    return write


def in_edit(part: str) -> Write:
    given: dict[str, Given] = {
        "text": lambda held: {"text": f"wombat {held}"},
        "title": lambda held: {"title": held},
        "tags": lambda held: {"tags": [held]},
        "metadata": lambda held: {"metadata": {held: held}},
    }

    def write(memory: SyncMemory, held: str) -> None:
        saved = memory.save(f"wombat {number_of(held)}")
        memory.edit(saved.record.id, Changes(**given[part](held)))
        memory.edit(saved.record.id, f"once more {saved.record.id}")

    return write


def in_import(part: str) -> Write:
    def write(memory: SyncMemory, held: str) -> None:
        parts: dict[str, Any] = {
            "conversation": f"chat/{number_of(held)}",
            "session": "1",
            "position": 0,
            "role": "user",
            "text": "wombat",
            "metadata": {},
        }
        parts[part] = {held: held} if part == "metadata" else held
        memory.messages.import_turns([Turn(**parts)])

    return write


def in_summary(part: str) -> Write:
    def write(memory: SyncMemory, held: str) -> None:
        memory.sessions.start("s")
        parts: dict[str, Any] = {"text": "wombat", part: held}
        memory.sessions.summarise("s", **parts)

    return write


WRITES: dict[str, Write] = {
    **{
        f"record, {part}": in_record(part)
        for part in ("text", "tags", "metadata value", "metadata key", "speaker", "author", "session", "key")
    },
    **{
        f"record_many, {part}": in_record_many(part)
        for part in ("text", "tags", "metadata", "speaker", "author", "session")
    },
    **{
        f"save, {part}": in_save(part)
        for part in (
            "text",
            "title",
            "tags",
            "metadata value",
            "metadata key",
            "author",
            "topic key",
            "session",
            "key",
        )
    },
    **{f"edit, {part}": in_edit(part) for part in ("text", "title", "tags", "metadata")},
    **{
        f"import_turns, {part}": in_import(part)
        for part in ("text", "speaker", "session", "conversation", "reference", "metadata")
    },
    **{f"summarise, {part}": in_summary(part) for part in ("text", "title")},
}


@pytest.mark.parametrize("apart", [25, pytest.param(1, marks=pytest.mark.slow)])
def test_nothing_hidden_in_any_part_of_a_write_reaches_the_disk_or_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, apart: int
) -> None:
    with every_row() as row:
        for place, (name, write) in enumerate(WRITES.items()):
            with row(name), opened(tmp_path / name, caplog) as disk:
                # Of every so many, another one for each way.
                for held, _ in list(HIDDEN.values())[place % apart :: apart]:
                    with suppress(InvalidInput):  # what is not stored cannot leak
                        write(disk.memory, held)
                assert disk.leaks() == []


def test_a_hidden_part_leaves_a_mark_and_the_words_around_it(disk: Disk) -> None:
    with every_row() as row:
        for name, (held, _) in HIDDEN.items():
            text = disk.memory.record(f"before {held}", session="s").record.text
            with row(name):
                assert text.startswith("before ")
                assert "[SECRET:" in text or "[REDACTED]" in text
    assert disk.leaks() == []


def test_a_private_key_over_several_lines_reaches_no_disk(disk: Disk) -> None:
    for label in ("RSA", "EC", "OPENSSH"):
        held, _ = pem(label)
        disk.memory.record("wombat " + held.replace("\\n", "\n"), session="s", metadata={"key": held})
    assert disk.leaks() == []


def test_a_service_account_as_a_file_and_as_metadata_reaches_no_disk(disk: Disk) -> None:
    account: dict[str, Json] = {
        "type": "service_account",
        "project_id": "shop",
        "private_key_id": secrets()["gcp key id"][1],
        "private_key": pem("RSA")[0].replace("\\n", "\n"),
        "client_email": "a@shop.iam.test",
    }
    disk.memory.record("wombat " + json.dumps(account, indent=2), session="s")
    disk.memory.save(NewObservation(text="wombat", metadata={"account": account}))
    assert disk.leaks() == []


def test_a_session_that_is_named_by_a_secret_is_started_summarised_and_ended_without_keeping_it(disk: Disk) -> None:
    for held, _ in HIDDEN.values():
        with suppress(InvalidInput):  # what is not stored cannot leak
            id = disk.memory.sessions.start(held).session.id
            disk.memory.record("wombat", session=id)
            disk.memory.sessions.summarise(id, "they spoke of wombats")
            disk.memory.sessions.end(id)
    assert disk.leaks() == []


def test_a_session_is_the_same_one_whether_it_is_started_or_recorded_in_by_its_secret_name(disk: Disk) -> None:
    held = HIDDEN["github classic"][0]
    disk.memory.sessions.start(held)
    disk.memory.record("wombat", session=held)
    disk.memory.sessions.summarise(held, "they spoke of wombats")
    assert len(disk.memory.sessions.list()) == 1


@pytest.mark.parametrize("part", ["speaker", "session", "conversation"])
def test_a_secret_that_an_import_cuts_in_two_leaves_no_half(disk: Disk, part: str) -> None:
    for name in ("github classic", "openai", "npm", "jwt"):
        for room in (20, 40, 60):
            in_import(part)(disk.memory, "w " * ((200 - room) // 2) + HIDDEN[name][0])
    assert disk.leaks() == []


def test_a_secret_that_the_making_of_a_title_would_cut_leaves_no_half(disk: Disk) -> None:
    for held, _ in HIDDEN.values():
        disk.memory.save("w " * 30 + held)
    assert disk.leaks() == []


def test_a_question_with_a_secret_leaves_no_trace(disk: Disk) -> None:
    saved = disk.memory.save("the wombat digs").record
    for held, _ in HIDDEN.values():
        disk.memory.recall(f"wombat {held}")
        disk.memory.explain(f"wombat {held}", saved.id)
    disk.memory.admin.flush()
    assert disk.leaks() == []


def test_the_vectors_of_what_is_hidden_are_of_the_marks_alone(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "m.db"
    embedder = Witness()
    with SyncMemory(str(path), embedder=embedder, background=False) as memory:
        for held, _ in HIDDEN.values():
            memory.record(f"wombat {held}", session="s")
        assert len(embedder.seen) >= len(HIDDEN)
        assert not any(piece in text for text in embedder.seen for pieces in TRACES.values() for piece in pieces)
        assert Disk(memory, path, caplog).leaks() == []


def test_a_refused_secret_leaves_no_trace(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    path = tmp_path / "m.db"
    with SyncMemory(str(path), embedder="hash", background=False, secrets="refuse") as memory:
        disk = Disk(memory, path, caplog)
        memory.record("wombat", session="s")
        for held, hidden in secrets().values():
            with pytest.raises(PermissionError) as refusal:
                memory.save(f"wombat {held}")
            assert not any(piece in str(refusal.value).casefold() for piece in traces(hidden))
        assert disk.leaks() == []


def test_of_a_thousand_ids_and_hashes_none_is_masked(disk: Disk) -> None:
    drawn = random.Random(20)
    shapes = ("{}", "commit {}", "see {} for more", "id={}", "https://git.example.test/c/{}", '{{"id": "{}"}}')
    made: list[Callable[[bytes], str]] = [
        lambda seed: str(uuid.UUID(bytes=seed, version=4)),
        lambda seed: hashlib.sha1(seed).hexdigest(),
        lambda seed: hashlib.sha256(seed).hexdigest(),
    ]
    texts = [
        shapes[number % len(shapes)].format(made[number % len(made)](drawn.randbytes(16))) for number in range(1_000)
    ]
    for start in range(0, 1_000, 250):
        batch = [
            NewMessage(text=text, role=Role.TOOL, session="s", tags=[text], metadata={"ref": text})
            for text in texts[start : start + 250]
        ]
        saved = disk.memory.messages.record_many(batch)
        assert [
            (item.record.text, item.record.tags, item.record.metadata)
            for item, text in zip(saved, texts[start : start + 250], strict=True)
            if (item.record.text, item.record.tags, item.record.metadata) != (text, (text,), {"ref": text})
        ] == []
