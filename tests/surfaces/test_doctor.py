"""`doctor` and the completion of shells: what a person sees of an installation."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from remembrancer import SyncMemory
from remembrancer.cli.app import app
from remembrancer.client.hook_spool import spool, spool_of


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME", "REMEMBRANCER_DB"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


def found(*words: str) -> dict[str, dict[str, str]]:
    return {check["name"]: check for check in json.loads(run("doctor", "--json", *words).stdout)}


def test_an_installation_without_anything_is_sound(home: Path) -> None:
    done = run("doctor")
    assert done.exit_code == 0, done.output
    assert "remembrancer.db does not exist" in done.stdout
    assert "none; `remembrancer install AGENT`" in done.stdout
    assert list(home.iterdir()) == []


def test_agents_and_their_spool_are_known(home: Path) -> None:
    run("install", "codex", "--yes")
    assert found()["coding agents"]["found"] == "codex"
    folder = spool_of(str(home / ".remembrancer" / "memory.db"))
    spool(folder, "one", {"end": False})
    assert found()["spool"]["advice"] == ""
    (file,) = folder.glob("*.json")
    os.utime(file, (1_000_000_000, 1_000_000_000))
    (folder / "helper.log").write_text("starting\nremembrancer: the database is locked\n")
    assert found()["spool"]["advice"] == "remembrancer: the database is locked"
    assert run("doctor").exit_code == 11
    (home / ".codex" / "config.toml").write_text("no = toml = at all")
    assert "is no TOML" in found()["codex"]["advice"]


def test_a_database_is_opened(home: Path) -> None:
    with SyncMemory(home / "m.db", embedder="none") as memory:
        memory.save("The keel is oak")
    assert "m.db, 1 memory" in found("--db", str(home / "m.db"))["database"]["found"]
    (home / "broken.db").write_text("nonsense " * 100)
    for name in ("broken.db", "missing.db"):
        done = run("doctor", "--db", str(home / name))
        assert (done.exit_code, "! database" in done.stdout) == (11, True), done.output


@pytest.mark.parametrize(
    ("typed", "wanted"), [("remembrancer rec", {"recall", "record"}), ("remembrancer admin do", {"doctor"})]
)
def test_a_shell_completes_commands(typed: str, wanted: set[str]) -> None:
    asked = {
        **os.environ,
        "COMP_WORDS": typed,
        "COMP_CWORD": str(typed.count(" ")),
        "_REMEMBRANCER_COMPLETE": "bash_complete",
    }
    program = Path(sys.executable).with_name("remembrancer")
    printed = subprocess.run([program], env=asked, capture_output=True, text=True, check=True).stdout
    assert {line.partition(",")[2] for line in printed.splitlines()} == wanted
