"""A leading tilde is the home of the user wherever a path is taken: no shell expands it within an option."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from remembrancer import ChatFile, SyncMemory
from remembrancer.cli.app import app
from tests.policy.sources import modules

CHAT = '{"role": "user", "content": "hello", "session": "a"}\n'


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    found = tmp_path / "home"
    found.mkdir()
    monkeypatch.setenv("HOME", str(found))
    monkeypatch.chdir(tmp_path)
    return found


def test_commands_expand_it_in_every_path(home: Path, tmp_path: Path) -> None:
    (home / "chat.jsonl").write_text(CHAT)
    (home / "pass").write_text("correct horse battery\n")
    (home / "settings.yaml").write_text("embedder: none\n")
    env = {"REMEMBRANCER_CONFIG": "~/settings.yaml"}
    sealed = ("--passphrase-file", "~/pass", "--db", "~/m.db")
    for words, made in (
        (("import", "~/chat.jsonl", "--db", "~/m.db"), "m.db"),
        (("export", "-o", "~/export.jsonl", "--db", "~/m.db"), "export.jsonl"),
        (("governance", "archives", "create", "~/m.archive", *sealed), "m.archive"),
        (("governance", "archives", "check", "~/m.archive", *sealed), "m.archive"),
        (("governance", "archives", "import", "~/m.archive", "--reason", "to share", *sealed), "m.archive"),
        (("backup", "make", "~/backup.db", "--db", "~/m.db"), "backup.db.key"),
        (("backup", "restore", "~/backup.db", "--db", "~/back.db"), "back.db.key"),
        (("admin", "copy", "~/m.db", "~/copy.db"), "copy.db.key"),
        (("governance", "audit", "checkpoint", "--db", "~/m.db"), "m.db"),
        (("admin", "rotate-secret", "~/copy.db"), "copy.db.key"),
    ):
        done = CliRunner().invoke(app, list(words), env=env)
        assert done.exit_code == 0, (words, done.output)
        assert (home / made).exists(), words
    assert [path.name for path in tmp_path.iterdir()] == ["home"]


def test_the_library_expands_it_too(home: Path, tmp_path: Path) -> None:
    (home / "chat.jsonl").write_text(CHAT)
    with SyncMemory("~/m.db", embedder="none", background=False) as memory:
        assert memory.messages.import_file(ChatFile.at("~/chat.jsonl")).created == 1
        memory.governance.archives.create("~/m.archive", passphrase="correct horse battery")
        assert memory.governance.archives.check("~/m.archive", passphrase="correct horse battery").memories == {
            "message": 1
        }
        taken = memory.governance.archives.import_archive(
            "~/m.archive", passphrase="correct horse battery", reason="again"
        )
        assert taken.same == 1
    assert [path.name for path in tmp_path.iterdir()] == ["home"]


def test_no_command_takes_a_path_by_another_type() -> None:
    paths = {place for place, module in modules().items() if {"click.Path", "click.File"} & module.names}
    assert paths == {"cli/paths.py"}
