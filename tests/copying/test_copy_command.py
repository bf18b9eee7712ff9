"""`remembrancer admin copy` as a user meets it."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from remembrancer import SyncMemory
from remembrancer.assembly import administration
from remembrancer.cli.app import app
from tests.databases import Database


@pytest.fixture
def source(tmp_path: Path) -> Path:
    with SyncMemory(str(tmp_path / "from.db"), embedder="none") as memory:
        memory.save("The door is red")
    return tmp_path / "from.db"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["admin", "copy", *map(str, arguments)])


def test_a_copy_says_what_both_sides_hold(source: Path, tmp_path: Path) -> None:
    ran = run(source, tmp_path / "to.db", "--json")
    assert ran.exit_code == 0, ran.output
    tables = {table["table"]: table for table in json.loads(ran.stdout)["tables"]}
    assert (tables["records"]["rows"], tables["records"]["copied"]) == (1, 1)
    assert {len(table["sha256"]) for table in tables.values()} == {64}

    again = run(source, tmp_path / "to.db")
    assert again.exit_code == 0
    assert f"records                    1 rows  SHA-256 {tables['records']['sha256']}\n" in again.stdout
    assert again.stdout.endswith("0 rows copied; both sides are the same\n")
    with SyncMemory(str(tmp_path / "to.db"), embedder="none") as memory:
        assert memory.recall("door").hits


def test_a_copy_on_a_server_names_its_key(source: Path, database: Database) -> None:
    ran = run(source, database.serving_url)
    assert ran.exit_code == 0, ran.output
    assert ran.stdout.endswith(f"set REMEMBRANCER_SECRET_KEY to the content of {source}.key\n")


def test_a_refusal_is_one_line_and_shows_no_password(source: Path) -> None:
    ran = run(source, "postgresql://ana:hunter2@127.0.0.1:1/none")
    assert (ran.exit_code, ran.stdout, ran.stderr.count("\n")) == (6, "", 1)
    assert "hunter2" not in ran.stderr


def test_an_interruption_says_how_to_go_on(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(administration, "copy_store", interrupted)
    ran = run(source, tmp_path / "to.db")
    assert (ran.exit_code, ran.stderr) == (
        130,
        "remembrancer: interrupted; what was copied is kept, run it again to go on\n",
    )
