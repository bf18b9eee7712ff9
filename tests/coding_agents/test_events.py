"""What the hooks of coding agents pass, the project of a folder, and the spool between a hook and the store."""

import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from remembrancer.cli.coding_agents.events import CLAUDE_CODE, CODEX, CURSOR, OPENCODE, Step, event_of
from remembrancer.cli.project import project_of, repository_root
from remembrancer.client.hook_spool import remove, spool, spooled

LOG = "/home/ana/.claude/projects/-work-apollo/3f.jsonl"


@pytest.mark.parametrize(
    ("name", "step"),
    [
        ("SessionStart", Step.START),
        ("UserPromptSubmit", Step.PROMPT),
        ("PreCompact", Step.RECORD),
        ("Stop", Step.RECORD),
        ("SessionEnd", Step.END),
    ],
)
@pytest.mark.parametrize("agent", [CLAUDE_CODE, CODEX])
def test_claude_code_and_codex_name_events_alike(agent: str, name: str, step: Step) -> None:
    event = event_of(
        agent, {"session_id": "3f", "hook_event_name": name, "transcript_path": LOG, "cwd": "/work/apollo"}
    )
    assert event is not None
    assert (event.step, event.session, event.folder, event.transcript) == (step, "3f", "/work/apollo", LOG)
    assert event.messages == ()


@pytest.mark.parametrize("name", ["PreToolUse", "", "SomethingNew", None, 7])
def test_an_event_that_is_not_ours_is_left_alone(name: object) -> None:
    assert event_of(CLAUDE_CODE, {"session_id": "3f", "hook_event_name": name}) is None
    assert event_of(CLAUDE_CODE, {"hook_event_name": "Stop"}) is None


def test_without_a_log_the_messages_of_the_events_are_what_is_known() -> None:
    turn = {"session_id": "3f", "turn_id": "t1", "transcript_path": None, "cwd": "/"}
    asked = event_of(CODEX, {**turn, "hook_event_name": "UserPromptSubmit", "prompt": "Add a retry"})
    done = event_of(CODEX, {**turn, "hook_event_name": "Stop", "last_assistant_message": "Added"})
    assert asked is not None
    assert done is not None
    assert [(one["role"], one["text"]) for one in (*asked.messages, *done.messages)] == [
        ("user", "Add a retry"),
        ("assistant", "Added"),
    ]
    again = event_of(CODEX, {**turn, "hook_event_name": "Stop", "last_assistant_message": "Added"})
    assert again is not None
    assert again.messages[0]["key"] == done.messages[0]["key"]


def test_cursor_has_names_of_its_own() -> None:
    given: dict[str, Any] = {
        "conversation_id": "c1",
        "generation_id": "g1",
        "workspace_roots": ["/work/apollo"],
        "transcript_path": "/tmp/c1.jsonl",
    }
    asked = event_of(CURSOR, {**given, "hook_event_name": "beforeSubmitPrompt", "prompt": "Add a retry"})
    said = event_of(CURSOR, {**given, "hook_event_name": "afterAgentResponse", "text": "Added"})
    assert asked is not None
    assert said is not None
    assert (asked.step, asked.session, asked.folder) == (Step.PROMPT, "c1", "/work/apollo")
    assert (said.step, said.transcript, said.messages[0]["role"]) == (Step.RECORD, "", "assistant")


def test_the_plugin_of_opencode_lists_messages() -> None:
    messages = [
        {"role": "user", "text": "Add a retry", "key": "msg_1", "at": "2026-11-01T10:00:00Z"},
        {"role": "assistant", "text": " ", "key": "msg_2"},
        {"role": "assistant", "text": "no key"},
        "no message",
    ]
    event = event_of(OPENCODE, {"session_id": "s", "hook_event_name": "Stop", "cwd": "/", "messages": messages})
    assert event is not None
    assert [(one["text"], one["at"]) for one in event.messages] == [("Add a retry", "2026-11-01T10:00:00Z")]


def git(folder: Path, *words: str) -> None:
    subprocess.run(
        ["git", "-c", "user.name=ana", "-c", "user.email=ana@example.com", *words],
        cwd=folder,
        check=True,
        capture_output=True,
        env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull},
    )


def test_a_project_is_the_repository_around_a_folder(tmp_path: Path) -> None:
    first, second, lone = tmp_path / "a" / "apollo", tmp_path / "b" / "apollo", tmp_path / "notes"
    for repository in (first, second):
        (repository / "src" / "deep").mkdir(parents=True)
        git(repository, "init", "-q")
    lone.mkdir()
    git(first, "commit", "-q", "--allow-empty", "-m", "begin")
    git(first, "worktree", "add", "-q", str(tmp_path / "apollo-fix"))
    assert repository_root(first / "src" / "deep") == first
    assert project_of(first / "src") == project_of(first) == project_of(tmp_path / "apollo-fix")
    assert project_of(first).startswith("apollo-")
    assert project_of(second) != project_of(first)
    assert repository_root(lone) == lone
    assert project_of(Path("/")).startswith("root-")


def test_a_submodule_is_a_project_of_its_own(tmp_path: Path) -> None:
    inner, outer = tmp_path / "inner", tmp_path / "outer"
    for repository in (inner, outer):
        repository.mkdir()
        git(repository, "init", "-q")
        git(repository, "commit", "-q", "--allow-empty", "-m", "begin")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "part")
    assert repository_root(outer / "part") == outer / "part"


def test_an_entry_of_a_spool_is_one_file(tmp_path: Path) -> None:
    folder = tmp_path / "m.db.hooks"
    assert list(spooled(folder)) == []
    spool(folder, "first", {"end": False})
    spool(folder, "first", {"end": False})
    spool(folder, "second", {"end": True})
    entries = list(spooled(folder))
    assert [content for _, content in entries] == [b'{"end": false}', b'{"end": true}']
    assert (folder.stat().st_mode & 0o777, entries[0][0].stat().st_mode & 0o777) == (0o700, 0o600)
    # A hook replaces one while it is recorded: it stays.
    spool(folder, "first", {"end": True})
    for path, content in entries:
        remove(path, content)
    assert [content for _, content in spooled(folder)] == [b'{"end": true}']


def test_what_a_killed_hook_left_is_removed_after_an_hour(tmp_path: Path) -> None:
    tmp_path.joinpath("half.7.new").write_text('{"en')
    assert list(spooled(tmp_path)) == []
    assert list(tmp_path.iterdir())
    past = time.time() - 3_700
    os.utime(tmp_path / "half.7.new", (past, past))
    assert list(spooled(tmp_path)) == []
    assert not list(tmp_path.iterdir())
