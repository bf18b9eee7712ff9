"""The command line where something around it is amiss: what it is given, what it prints to, and its surroundings."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import click
import pytest

from bench.line import Ended, run_line
from remembrancer.cli.group import redacted_refusals

COMMAND = [sys.executable, "-m", "remembrancer"]
LONG = "x" * 120_000
CUT = "x" * 39 + "…"
SECRET = "S3CRET"
INPUTS = {"save": ["save", "-"], "record": ["record", "-"], "import": ["import", "-"], "chat": ["chat"]}


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "m.db"


@pytest.fixture(autouse=True)
def event_loop_is_not_blocked() -> None:
    """Commands are run in forks, which import on their event loops what they need."""


def run(db: Path, *arguments: str, **circumstances: object) -> Ended:
    return run_line([*arguments, "--db", str(db), "--embedder", "none"], **circumstances)  # pyright: ignore[reportArgumentType] -- named as there


@pytest.mark.parametrize("arguments", INPUTS.values(), ids=INPUTS.keys())
@pytest.mark.parametrize(
    ("given", "told"), [(None, "standard input is closed"), (b"\xff\xfe", "standard input is not text in utf-8")]
)
def test_an_input_that_is_closed_or_no_text_is_refused_in_a_line(
    db: Path, arguments: Sequence[str], given: bytes | None, told: str
) -> None:
    if arguments[0] == "import" and given is not None:
        told = "standard input, line 1: is not UTF-8"
    ended = run(db, *arguments, given=given)
    assert (ended.code, ended.stderr.splitlines()[-1][: len("remembrancer: ") + len(told)]) == (
        2,
        f"remembrancer: {told}",
    )


@pytest.mark.parametrize("command", ["save", "record"])
def test_an_empty_input_is_refused_and_makes_nothing(db: Path, command: str) -> None:
    ended = run(db, command, "-", given=b" \n\n")
    assert (ended.code, ended.stderr, db.exists()) == (2, "remembrancer: standard input is empty\n", False)


def test_the_indentation_of_what_is_recorded_is_kept(db: Path) -> None:
    text = "  if x:\n      y()\n"
    told = json.loads(run(db, "record", "-", "--json", given=text.encode()).stdout)
    shown = json.loads(run(db, "get", told["id"], "--json").stdout)
    assert shown["text"] == text.removesuffix("\n")


def test_an_encoding_without_the_character_prints_another_one(db: Path) -> None:
    run(db, "save", "Grüße aus 日本")
    ended = run(db, "list", encoding="latin-1")
    assert (ended.code, ended.stderr) == (0, "")
    assert json.loads(run(db, "list", "--json", encoding="latin-1").stdout)["records"][0]["snippet"] == "Grüße aus 日本"


@pytest.mark.parametrize(
    "shells",
    [('"$@" 2>&-',), pytest.param(('"$@" <&-', '"$@" >&-', '"$@" 2>&-', '"$@" | head -0'), marks=pytest.mark.slow)],
    ids=["one stream", "all"],
)
def test_the_real_command_meets_closed_streams_and_encodings_without_a_traceback(
    db: Path, shells: Sequence[str]
) -> None:
    at = ["--db", str(db), "--embedder", "none"]
    run(db, "save", "日本")
    environment = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    for shell in shells:
        ran = subprocess.run(
            ["bash", "-c", shell, "-", *COMMAND, "list", *at], capture_output=True, env=environment, check=False
        )
        assert (ran.returncode, ran.stderr) == (0, b""), shell
    full = subprocess.run(
        ["bash", "-c", '"$@" >/dev/full', "-", *COMMAND, "list", *at], capture_output=True, check=False
    )
    assert (full.returncode, full.stderr) == (1, b"remembrancer: No space left on device\n")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SLOTS", "{"),
        ("SLOTS", "[1]"),
        ("PRICES", "x"),
        ("PRICES", '{"a": 1}'),
        ("TIME_ZONES", "{'a': 1}"),
        ("OBSERVATION_TYPES", "\udcff"),
        ("POOL_SIZE", "x"),
        ("BUDGET_DAY_MONEY", "x"),
        ("TIME_ZONE", "Mars"),
        ("CLEARANCE", "x"),
    ],
)
def test_a_setting_that_is_none_is_named_with_its_variable(db: Path, name: str, value: str) -> None:
    ended = run(db, "list", environment={f"REMEMBRANCER_{name}": value})
    assert (ended.code, ended.stderr.count("\n")) == (2, 1)
    assert f"REMEMBRANCER_{name}" in ended.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        [LONG],
        ["list", "--limit", LONG],
        ["list", f"--limit={LONG}"],
        ["list", f"--{LONG}"],
        ["list", "--clearance", LONG],
        ["list", "--since", LONG],
        ["list", LONG],
        ["facts", LONG],
        ["list", "--db", LONG],
        ["import", LONG],
        ["get", LONG],
        ["save", "x", "--type", LONG],
        ["save", "x", "--occurred-at", LONG],
        ["context", "--history", LONG],
    ],
    ids=lambda arguments: " ".join(part[:12] for part in arguments),
)
def test_a_long_argument_is_not_repeated(db: Path, arguments: Sequence[str]) -> None:
    run(db, "save", "x")
    ended = run_line([*arguments], environment={"REMEMBRANCER_DB": str(db), "REMEMBRANCER_EMBEDDER": "none"})
    assert ended.code in (1, 2, 3)
    assert len(ended.stderr) < 1_000
    assert "x" * 41 not in ended.stderr


@pytest.mark.parametrize("text", ["password=e", "my password = a and more", "password=stone"])
def test_what_is_no_address_leaves_the_words_of_an_error_as_they_are(db: Path, text: str) -> None:
    ended = run(db, "save", text, "--type", "nonsense")
    assert ended.code == 2
    assert "unknown observation type 'nonsense'; use one of" in ended.stderr


def test_a_long_argument_is_looked_through_at_once(db: Path) -> None:
    started = time.process_time()
    with suppress(click.UsageError), redacted_refusals((f"postgres{'a' * 100_000}", "password=" * 10_000)):
        raise click.UsageError("no")
    assert time.process_time() - started < 0.5


def test_a_closed_standard_output_is_no_traceback(db: Path) -> None:
    run(db, "record", "hello", "--session", "s")
    command = [sys.executable, "-m", "remembrancer", "context", "s", "--db", str(db), "--embedder", "none"]
    ended = subprocess.run(["sh", "-c", '"$@" >&-', "sh", *command], capture_output=True, text=True, check=False)
    assert (ended.returncode, "Traceback" in ended.stderr) == (0, False), ended.stderr


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://me:{0}@[bad/db",
        "postgres//me:{0}@host/db",
        "postgresql:/me:{0}@host/db",
        "postgresql:me:{0}@host",
        "mysql://me:{0}@host/db",
        "postgresql://me:{0}@127.0.0.1:99999999/db",
        "postgresql://me:{0}@127.0.0.1:port/db",
        "host=127.0.0.1 port=1 password={0}",
    ],
)
def test_no_error_tells_the_password_of_an_address(db: Path, address: str) -> None:
    run(db, "save", "x")
    given = address.format(SECRET)
    key = {"REMEMBRANCER_SECRET_KEY": "a key of sixteen characters"}
    for arguments in (
        ["admin", "copy", str(db), given],
        ["admin", "copy", given, str(db)],
        ["list", "--db", given],
        ["init-db", given],
        ["init-db", "x", given],
        ["list", given],
    ):
        ended = run_line(
            arguments,
            environment=key if "--db" in arguments or (given in arguments[1:3] and arguments[0] != "init-db") else {},
        )
        assert ended.code in (2, 6), ended.stderr
        assert SECRET not in ended.stderr


@pytest.mark.parametrize("content", [b"\xff\xfe", b"", b"\n", b"a\0b\n"])
def test_a_password_file_that_holds_no_text_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "password"
    file.write_bytes(content)
    ended = run_line(["init-db", "postgresql://127.0.0.1:1/x", "--password-file", str(file)])
    assert (ended.code, ended.stderr.count("\n")) == (2, 1)
    assert "--password-file" in ended.stderr


def unusable(folder: Path) -> Iterator[tuple[str, str, int]]:
    (folder / "loop").symlink_to("loop")
    (folder / "text.db").write_text("no database at all, and long enough to have a header" * 3)
    yield str(folder), "is a folder", 2
    yield str(folder / "loop"), "Too many levels of symbolic links", 2
    yield str(folder / ("y" * 300)), "File name too long", 2
    yield str(folder / "text.db"), "not a SQLite database", 8
    yield str(folder / "text.db" / "m.db"), "does not exist", 6
    yield str(folder / "none" / "m.db"), "does not exist", 6


def test_what_can_be_no_database_is_told_in_a_line(tmp_path: Path) -> None:
    for path, told, code in unusable(tmp_path):
        ended = run(Path(path), "save", "x")
        assert (ended.code, ended.stderr.count("\n")) == (code, 1), ended.stderr
        assert told in ended.stderr


@pytest.mark.parametrize("after", [0.02, 0.05, 0.1, 0.3, 0.6])
def test_an_interrupt_while_the_command_starts_ends_it_in_a_line(db: Path, after: float) -> None:
    program = f"""
import os, signal, sys, threading
from remembrancer.__main__ import main
sys.argv = ["remembrancer", "save", "x", "--db", {str(db)!r}, "--embedder", "none"]
threading.Timer({after}, os.kill, (os.getpid(), signal.SIGINT)).start()
main()
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=False)
    if ran.returncode == 0 and after > 0.1:
        # On a fast machine it was done before.
        assert not ran.stderr
        assert "x" in run(db, "list").stdout
        return
    assert (ran.returncode, ran.stderr.count("\n")) == (130, 1), ran.stderr
    assert ran.stderr.startswith("remembrancer: interrupted")


def test_a_prompt_finds_what_is_known_in_a_process_of_its_own(db: Path) -> None:
    run(db, "save", "The heron likes carp more than tench")
    # The limit is that of looking: what is loaded first does not count.
    ran = subprocess.run(
        [*COMMAND, "inject", "What does the heron like, carp or tench?", "--db", str(db), "--embedder", "wordllama"],
        capture_output=True,
        text=True,
        env={**os.environ, "REMEMBRANCER_INJECT_PROMPT_SECONDS": "0.25"},
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert "carp more than tench" in ran.stdout, ran.stderr


@pytest.mark.parametrize(
    ("writers", "fresh"),
    [(2, True), pytest.param(20, True, marks=pytest.mark.slow), pytest.param(20, False, marks=pytest.mark.slow)],
)
def test_commands_that_write_at_once_write_one_after_the_other(db: Path, writers: int, fresh: bool) -> None:
    if not fresh:
        run(db, "save", "first")
    given = {**os.environ, "REMEMBRANCER_DB": str(db), "REMEMBRANCER_EMBEDDER": "none"}
    running = [
        subprocess.Popen([*COMMAND, "record", f"message {number}"], env=given, stdout=subprocess.PIPE)
        for number in range(writers)
    ]
    assert [process.wait(90) for process in running] == [0] * writers
    for process in running:
        assert process.stdout is not None
        process.stdout.close()
    assert run(db, "list", "--json").stdout.count('"kind": "message"') == writers


def test_a_service_that_may_not_be_open_leaves_no_file(db: Path) -> None:
    ended = run(db, "serve", "--host", "0.0.0.0")
    assert (ended.code, list(db.parent.iterdir())) == (2, [])
    assert "keys create" in ended.stderr
