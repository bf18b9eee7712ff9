"""Hooks: what an agent runs for each prompt reads standard input, and never costs the agent its prompt."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from remembrancer import SyncMemory
from remembrancer.cli.app import app
from remembrancer.cli.hooks import HOOKS

QUESTION = "Where are vectors kept?"
KEPT = "half precision"


@pytest.fixture
def db(tmp_path: Path) -> str:
    path = tmp_path / "m.db"
    with SyncMemory(str(path), embedder="none") as memory:
        memory.save("Vectors are kept in half precision")
    return str(path)


def run(db: str, *words: str, typed: bytes | str = b"") -> Result:
    return CliRunner().invoke(HOOKS, [*words, "--db", db, "--embedder", "none"], input=typed)


@pytest.mark.parametrize("way", ["inject", "remind"])
def test_a_hook_reads_standard_input_as_text_or_as_the_json_of_an_agent(db: str, way: str) -> None:
    hook = {"session_id": "talk", "hook_event_name": "UserPromptSubmit", "prompt": QUESTION, "cwd": "/"}
    for words, typed in (
        ((QUESTION,), ""),
        (("-",), QUESTION),
        ((), QUESTION + "\r\n"),
        ((), json.dumps(hook)),
        (("-",), json.dumps(hook)),
        ((), b"\xff\xfe " + QUESTION.encode()),
    ):
        done = run(db, way, *words, typed=typed)
        assert (done.exit_code, KEPT in done.stdout) == (0, True), (words, typed, done.output)
    with SyncMemory(db, embedder="none") as memory:
        assert memory.sessions.injections("talk")


def test_a_brief_reads_its_session_from_the_json_of_an_agent(db: str) -> None:
    assert KEPT in run(db, "brief", "-", typed='{"session_id": "talk"}').stdout
    with SyncMemory(db, embedder="none") as memory:
        assert memory.sessions.injections("talk")


def test_a_brief_names_an_option_that_it_does_not_have(db: str) -> None:
    done = run(db, "brief", "--no-such")
    assert (done.exit_code, KEPT in done.stdout) == (0, True), done.output
    assert "ignored --no-such" in done.stderr
    strict = run(db, "brief", "--no-such", "--strict")
    assert (strict.exit_code, strict.stdout) == (2, ""), strict.output
    assert "--no-such" in strict.stderr


@pytest.mark.parametrize("way", ["brief", "inject", "remind"])
def test_the_short_help_of_a_hook_is_shorter_than_the_full_one(way: str) -> None:
    # In processes of their own: within a run of many tests the output of a runner was empty at times.
    command = [sys.executable, "-m", "remembrancer", way]
    short, full = (subprocess.check_output([*command, option], text=True) for option in ("-h", "--help"))
    assert "--tokens" in short
    assert "--help prints this help in full." in short
    assert "--help prints this help in full." not in full
    assert len(short.splitlines()) < len(full.splitlines())


@pytest.mark.parametrize("before", ["- ", "-", "--", "--limit of vectors: ", "-h ", "--no-such ", "-x=1 "])
def test_a_prompt_may_begin_with_a_dash(db: str, before: str) -> None:
    done = run(db, "inject", before + QUESTION)
    assert (done.exit_code, KEPT in done.stdout) == (0, True), done.output


def test_a_hook_that_cannot_answer_prints_nothing_and_ends_with_0(db: str, tmp_path: Path) -> None:
    absent, no_store = str(tmp_path / "absent.db"), tmp_path / "notes.txt"
    no_store.write_text("no store of ours")
    refused = [
        (absent, ["inject", QUESTION]),
        (absent, ["brief"]),
        (str(no_store), ["inject", QUESTION]),
        (db, ["inject", QUESTION, "--tokens", "many"]),
        (db, ["inject", QUESTION, "--tokens", "0"]),
        (db, ["inject", QUESTION, "--tokens"]),
        (db, ["inject", QUESTION, "--clearance", "none"]),
        (db, ["inject", QUESTION, "--user", "\u200b"]),
        (db, ["inject", "half a pair \ud800"]),
        (db, ["inject"]),
        (db, ["inject", "-"]),
        (db, ["remind", "--limit", "-5", QUESTION]),
    ]
    for commands in (HOOKS, app):
        for path, words in refused:
            done = CliRunner().invoke(commands, [*words[:1], "--db", path, *words[1:]], input="")
            assert (done.exit_code, done.stdout) == (0, ""), (words, done.output)
    assert not Path(absent).exists()
    assert CliRunner().invoke(HOOKS, ["inject", QUESTION, "--strict", "--db", absent]).exit_code == 2
