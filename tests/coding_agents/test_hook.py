"""The hook of a coding agent: what it prints, what is recorded, and that nothing stops the agent."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.hooks import Session, end_helpers, session_of
from remembrancer import Filter, Message, Scope, SyncMemory
from remembrancer.cli.project import project_of
from remembrancer.client.hook_spool import spool, spool_of, spooled
from tests.coding_agents_help import help_now

HOOK = [sys.executable, "-m", "remembrancer", "hook"]
# A lock is of a process, so that another one has it.
LOCK = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN EXCLUSIVE")
print("locked", flush=True)
sys.stdin.read()
"""
SECRET = "ghp_" + "R4nd0mT0kenR4nd0mT0kenR4nd0mT0ken99"


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "data" / "memory.db"
    yield path
    end_helpers(path)


@pytest.fixture
def session(tmp_path: Path, db: Path) -> Session:
    return session_of(tmp_path, db)


def hook(agent: str, db: Path, event: Any, *options: str) -> subprocess.CompletedProcess[str]:
    typed = event if isinstance(event, str) else json.dumps(event)
    return subprocess.run(
        [*HOOK, agent, "--db", str(db), *options], input=typed, capture_output=True, text=True, check=False, timeout=60
    )


def recorded(db: Path, scope: Scope) -> list[Message]:
    with SyncMemory(db, embedder="none", background=False) as memory:
        page = memory.within(scope).list(Filter(), limit=1_000)
        return [one for one in reversed(page.records) if isinstance(one, Message)]


def waiting(db: Path) -> int:
    return len(list(spooled(spool_of(str(db)))))


def entry(session: Session, *, end: bool = False, transcript: str | None = None) -> dict[str, Any]:
    return {
        "agent": "claude-code",
        "scope": {"project": project_of(session.repository), "user": None},
        "session": f"chat/{session.id}",
        "transcript": str(session.log) if transcript is None else transcript,
        "messages": [],
        "end": end,
    }


def given(session: Session, event: str, **fields: Any) -> dict[str, str]:
    """What a hook gives; a busy machine may need more than one event, since no hook waits for long."""
    for _ in range(8):
        if printed := session.hook(event, **fields):
            return json.loads(printed)["hookSpecificOutput"]
    raise AssertionError(f"{event} was given nothing")


@pytest.mark.timeout(110)
def test_an_agent_is_given_what_another_session_recorded(session: Session, db: Path, tmp_path: Path) -> None:
    """Real hooks, a real helper: the first session says it, the second one is told."""
    assert session.hook("SessionStart", source="startup") == ""
    session.turn(1, "For packages I prefer pnpm over npm.")
    for _ in range(2):
        session.hook("Stop", stop_hook_active=False)
    # The session's own messages are in the window of the agent.
    assert session.hook("UserPromptSubmit", prompt="Install the packages with npm") == ""
    session.hook("SessionEnd", reason="other")
    deadline = time.monotonic() + 40
    while waiting(db) and time.monotonic() < deadline:
        time.sleep(0.1)
    later = session_of(tmp_path, db)
    brief = given(later, "SessionStart", source="startup")
    assert brief["hookEventName"] == "SessionStart"
    assert "pnpm" in brief["additionalContext"]
    found = given(later, "UserPromptSubmit", prompt="Install the packages with npm")
    assert "prefer pnpm over npm" in found["additionalContext"]
    assert (session.failures, later.failures) == ([], [])
    # Another repository of the same name knows nothing of it.
    other = session_of(tmp_path / "elsewhere", db)
    assert other.hook("UserPromptSubmit", prompt="Install the packages with npm") == ""
    assert [one.role for one in recorded(db, Scope(project=project_of(session.repository)))] == [
        "user",
        "assistant",
        "tool",
        "assistant",
    ]


def test_a_session_is_recorded_once_though_hooks_run_twice(session: Session, db: Path) -> None:
    folder, scope = spool_of(str(db)), Scope(project=project_of(session.repository))
    for number in range(3):
        session.turn(number, f"Do step {number}")
        for _ in range(2):
            spool(folder, "turn", entry(session))
            help_now(db)
    spool(folder, "turn", entry(session))
    for _ in range(2):
        spool(folder, "end", entry(session, end=True))
        help_now(db)
    assert waiting(db) == 0
    said = [(one.role, one.text) for one in recorded(db, scope)]
    assert len(said) == len(set(said)) == 12
    with SyncMemory(db, embedder="none", background=False) as memory:
        assert [one.status for one in memory.within(scope).sessions.list()] == ["completed"]


def test_secrets_are_masked(session: Session, db: Path) -> None:
    session.turn(1, f"Use the token {SECRET} to push.")
    spool(spool_of(str(db)), "turn", entry(session))
    help_now(db)
    texts = [one.text for one in recorded(db, Scope(project=project_of(session.repository)))]
    assert any("[SECRET" in text for text in texts)
    assert SECRET.encode() not in db.read_bytes()


def test_a_log_that_is_being_written_is_recorded_to_its_last_whole_line(session: Session, db: Path) -> None:
    session.turn(1, "Do the first step")
    whole = session.log.read_text()
    session.log.write_text(whole + '{"type":"user","message":{"role":"user","content":"cut o')
    spool(spool_of(str(db)), "turn", entry(session))
    help_now(db)
    session.log.write_text(whole)
    session.turn(2, "Do the second step")
    spool(spool_of(str(db)), "turn", entry(session))
    help_now(db)
    texts = [one.text for one in recorded(db, Scope(project=project_of(session.repository)))]
    assert [text for text in texts if text.startswith("Do the")] == ["Do the first step", "Do the second step"]


@pytest.mark.parametrize(
    "content", ['{"scope": {}}', "[]", "no json", '{"agent": "x", "scope": {"project": "", "user": null}}']
)
def test_an_entry_that_cannot_be_recorded_does_not_hold_up_the_others(
    content: str, session: Session, db: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = spool_of(str(db))
    session.turn(1, "Do the first step")
    spool(folder, "missing", entry(session, transcript="/no/such/log.jsonl"))
    (folder / "0.json").write_text(content)
    spool(folder, "turn", entry(session))
    help_now(db)
    assert waiting(db) == 0
    assert len(recorded(db, Scope(project=project_of(session.repository)))) == 4
    assert sum("not recorded" in one.message for one in caplog.records) == 2


@pytest.mark.slow
def test_what_a_locked_store_refuses_is_recorded_later(
    session: Session, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.turn(1, "Do the first step")
    spool(spool_of(str(db)), "turn", entry(session))
    with SyncMemory(db, embedder="none"):
        pass
    monkeypatch.setenv("REMEMBRANCER_BUSY_TIMEOUT", "0.3")
    with subprocess.Popen(
        [sys.executable, "-c", LOCK, str(db)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        other.stdout.readline()
        help_now(db)
        assert waiting(db) == 1
        other.communicate()
    help_now(db)
    assert waiting(db) == 0
    assert len(recorded(db, Scope(project=project_of(session.repository)))) == 4


@pytest.mark.slow
def test_a_killed_helper_loses_nothing(session: Session, db: Path) -> None:
    for number in range(200):
        session.turn(number, f"Do step {number}")
    for wait in (0.5, 1.5, 2.0, 2.5):
        spool(spool_of(str(db)), "turn", entry(session))
        helper = subprocess.Popen([sys.executable, "-m", "remembrancer", "hook-helper", "--db", str(db)])
        time.sleep(wait)
        helper.send_signal(signal.SIGKILL)
        helper.wait()
    help_now(db)
    assert waiting(db) == 0
    assert len(recorded(db, Scope(project=project_of(session.repository)))) == 800


def test_a_helper_ends_when_no_hook_comes(db: Path, session: Session) -> None:
    session.turn(1, "Do the first step")
    spool(spool_of(str(db)), "turn", entry(session))
    command = [sys.executable, "-m", "remembrancer", "hook-helper", "--db", str(db), "--idle", "1"]
    subprocess.run(command, check=True, timeout=40, env={**os.environ, "REMEMBRANCER_EMBEDDER": "none"})
    assert waiting(db) == 0
    assert not Path(f"{db}.sock").exists()


def test_messages_of_events_are_recorded_once(db: Path, tmp_path: Path) -> None:
    (tmp_path / "apollo" / ".git").mkdir(parents=True)
    given = {"conversation_id": "c1", "generation_id": "g1", "workspace_roots": [str(tmp_path / "apollo")]}
    folder = spool_of(str(db))
    folder.mkdir(parents=True)
    # A helper was started just now, so that none is started here.
    (folder / "helper.log").touch()
    for _ in range(2):
        asked = hook("cursor", db, {**given, "hook_event_name": "beforeSubmitPrompt", "prompt": "Add a retry"})
        assert (asked.returncode, json.loads(asked.stdout)) == (0, {"continue": True})
        said = hook("cursor", db, {**given, "hook_event_name": "afterAgentResponse", "text": "Added"})
        assert (said.returncode, said.stdout) == (0, "")
    assert waiting(db) == 2
    help_now(db)
    scope = Scope(project=project_of(tmp_path / "apollo"))
    assert [(one.role, one.text, one.session) for one in recorded(db, scope)] == [
        ("user", "Add a retry", "chat/c1"),
        ("assistant", "Added", "chat/c1"),
    ]


@pytest.mark.parametrize("typed", ["", "no json", "[1]", "{}", '{"hook_event_name": "Stop"}', "[" * 9_000])
def test_wrong_input_does_not_stop_the_agent(typed: str, db: Path) -> None:
    done = hook("claude-code", db, typed)
    assert (done.returncode, done.stdout) == (0, "")
    assert not db.parent.exists()


def test_a_fault_is_an_error_with_strict(db: Path, tmp_path: Path) -> None:
    assert hook("claude-code", db, "no json", "--strict").returncode == 2
    (tmp_path / "data").write_text("a file where the folder should be")
    event = {"session_id": "3f", "hook_event_name": "SessionEnd", "cwd": str(tmp_path)}
    failed = hook("claude-code", db, event)
    assert (failed.returncode, failed.stdout) == (0, "")
    assert failed.stderr.startswith("remembrancer: ")
    assert len(failed.stderr.splitlines()) == 1


def test_hooks_may_be_switched_off(session: Session, db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMEMBRANCER_HOOKS", "off")
    session.turn(1, "Do the first step")
    assert session.hook("SessionEnd", reason="other") == ""
    assert not db.parent.exists()
