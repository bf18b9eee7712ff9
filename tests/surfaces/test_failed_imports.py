"""An import that fails leaves nothing behind; one that brings nothing, neither."""

import json
from contextlib import ExitStack
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from remembrancer import InvalidInput, SyncMemory
from remembrancer.cli.app import app

GOOD = json.dumps({"role": "user", "content": "hello"})


def command(*words: str) -> Result:
    return CliRunner().invoke(app, list(words), env={"REMEMBRANCER_EMBEDDER": "none"})


@pytest.mark.parametrize(
    ("text", "options", "code", "said"),
    [
        (f"{GOOD}\n{{broken\n", (), 2, "line 2"),
        (f"{GOOD}\n[3]", (), 2, "line 2"),
        ("{broken\n", ("--skip-bad",), 2, "line 1"),
        ("", (), 2, "no messages"),
        ("[3]\n[4]", ("--skip-bad",), 11, "line 2"),
        (
            json.dumps({"role": "user"}) + "\n" + json.dumps({"role": "tool"}),
            (),
            2,
            "no-message (2), such as fields role",
        ),
        ("# Memories of tenant local\n", (), 2, "Markdown"),
    ],
)
def test_a_failed_import_leaves_no_database_and_no_key(
    tmp_path: Path, text: str, options: tuple[str, ...], code: int, said: str
) -> None:
    file, db = tmp_path / "chat.jsonl", tmp_path / "m.db"
    file.write_text(text)
    done = command("import", str(file), "--db", str(db), *options)
    assert (done.exit_code, said in done.output) == (code, True), done.output
    assert [path.name for path in tmp_path.iterdir()] == ["chat.jsonl"]


def test_a_failed_import_leaves_what_was_there(tmp_path: Path) -> None:
    file, db = tmp_path / "chat.jsonl", tmp_path / "m.db"
    file.write_text("{broken\n")
    with SyncMemory(db, embedder="none", background=False):
        pass
    assert command("import", str(file), "--db", str(db)).exit_code == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["chat.jsonl", "m.db", "m.db.key"]


def test_a_store_that_another_has_open_stays(tmp_path: Path) -> None:
    db = tmp_path / "m.db"
    with ExitStack() as stack:
        others: list[SyncMemory] = []

        def fail() -> None:
            with SyncMemory(db, embedder="none", background=False) as memory:
                others.append(stack.enter_context(SyncMemory(db, embedder="none", background=False)))
                memory.record("")

        with pytest.raises(InvalidInput):
            fail()
        others[0].record("hello")
    with SyncMemory(db, embedder="none", background=False, create=False) as memory:
        assert len(memory.list().records) == 1
