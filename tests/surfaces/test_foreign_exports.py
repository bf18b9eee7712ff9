"""Exports in the forms of other programs: what they have, and that our own import reads them again."""

import json
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner, Result
from psycopg.types.json import Jsonb

from remembrancer import NewObservation, Scope, SyncMemory
from remembrancer.cli.app import app
from remembrancer.integrations.langgraph import RemembrancerStore
from remembrancer.integrations.mem0 import Mem0Memory


@pytest.fixture
def db(tmp_path: Path) -> str:
    path = tmp_path / "m.db"
    with SyncMemory(path, embedder="none", background=False) as memory:
        claim = NewObservation(
            text="The keel is oak.\n\nIt lasts.", type="decision", tags=["wood"], metadata={"by": "ana"}
        )
        memory.save(claim)
        memory.within(Scope(agent="codie", user="ana")).save("Ana prefers red sails", type="preference")
        memory.record("Hello", session="talk")
    return str(path)


def run(db: str, *words: str) -> Result:
    return CliRunner().invoke(app, [*words, "--db", db, "--embedder", "none"])


def test_mem0(db: str, tmp_path: Path) -> None:
    found = json.loads(run(db, "export", "--form", "mem0", "--all-scopes").stdout)["results"]
    assert {(one["memory"], one["user_id"], one["agent_id"]) for one in found} == {
        ("The keel is oak.\n\nIt lasts.", None, None),
        ("Ana prefers red sails", "ana", "codie"),
    }
    assert [one["metadata"] for one in found if one["user_id"] is None] == [{"by": "ana"}]
    file, other = tmp_path / "mem0.json", str(tmp_path / "other.db")
    out = run(db, "export", "--form", "mem0", "--all-scopes", "-o", str(file))
    assert (out.exit_code, out.stderr) == (0, "1 memory left out: the form has no messages, episodes and rules\n")
    assert "2 memories imported" in run(other, "import", str(file)).stdout
    assert "0 messages imported, 2 were there already" in run(other, "import", str(file)).stdout


def test_langgraph(db: str) -> None:
    rows = [json.loads(line) for line in run(db, "export", "--form", "langgraph", "--all-scopes").stdout.splitlines()]
    assert {row["prefix"] for row in rows} == {"observation", "observation.codie.ana"}
    assert {row["value"]["content"] for row in rows} == {"The keel is oak.\n\nIt lasts.", "Ana prefers red sails"}


def test_what_the_store_of_langgraph_and_the_face_of_mem0_keep_goes_out_and_comes_back(tmp_path: Path) -> None:
    db, other = str(tmp_path / "m.db"), str(tmp_path / "other.db")
    value, told = {"content": "likes tea", "n": 3}, {"topic": "drinks"}
    with SyncMemory(db, embedder="none", background=False) as memory:
        RemembrancerStore(memory).put(("memories", "ana"), "k1", value)
        Mem0Memory(memory).add("I like oak", user_id="ana", run_id="r1", metadata=told, infer=False)
    for form in ("langgraph", "mem0"):
        file = tmp_path / f"{form}.json"
        assert run(db, "export", "--form", form, "--all-scopes", "-o", str(file)).exit_code == 0
        assert run(other, "import", str(file)).exit_code == 0
    rows = [json.loads(line) for line in (tmp_path / "langgraph.json").read_text().splitlines()]
    assert ("memories.ana", "k1", value) in [(row["prefix"], row["key"], row["value"]) for row in rows]
    with SyncMemory(other, embedder="none", background=False) as memory:
        found = RemembrancerStore(memory).get(("memories", "ana"), "k1")
        assert found is not None
        assert found.value == value
        (item,) = Mem0Memory(memory).get_all(filters={"user_id": "ana", "run_id": "r1"})["results"]
        assert (item["memory"], item["metadata"]) == ("I like oak", told)


def test_a_folder_of_notes(db: str, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    assert run(db, "export", "--form", "notes", "--all-scopes", "-o", str(folder)).exit_code == 0
    notes = {path.relative_to(folder).parent.as_posix(): path.read_text() for path in folder.rglob("*.md")}
    assert set(notes) == {".", "codie/ana"}
    assert "type: decision" in notes["."]
    assert "tags: [wood]" in notes["."]
    again = run(db, "export", "--form", "notes", "--all-scopes", "-o", str(folder))
    assert (again.exit_code, "exists; name an empty folder" in again.stderr) == (2, True)
    other = str(tmp_path / "other.db")
    assert "2 memories imported" in run(other, "import", str(folder)).stdout
    assert "The keel is oak." in run(other, "recall", "keel oak").stdout


def test_a_folder_needs_a_name_and_memvid_its_package(db: str, tmp_path: Path) -> None:
    for form in ("notes", "mv2"):
        assert "name it with --output" in run(db, "export", "--form", form).stderr
    missing = run(db, "export", "--form", "mv2", "-o", str(tmp_path / "mv2"))
    assert missing.exit_code != 0
    assert "remembrancer[memvid]" in missing.stderr


def test_tables_of_langgraph_and_mem0_in_postgresql(postgres_database: str, tmp_path: Path) -> None:
    db = str(tmp_path / "m.db")
    empty = run(db, "import", postgres_database)
    assert (empty.exit_code, "has no table of LangGraph (store) or of Mem0" in empty.stderr) == (2, True)
    with psycopg.connect(postgres_database) as connection:
        connection.execute("CREATE TABLE store (prefix text, key text, value jsonb, updated_at timestamptz)")
        for key, text in (("k1", "Prefers oak"), ("k2", "Prefers red sails")):
            item = ("memories.ana", key, Jsonb({"content": text}), "2026-01-01T10:00:00Z")
            connection.execute("INSERT INTO store VALUES (%s, %s, %s, %s)", item)
        connection.execute("CREATE TABLE mem0 (id uuid, vector real[], payload jsonb)")
        for text in ("Ana rows", "Ana swims"):
            payload = Jsonb({"data": text, "user_id": "ana", "created_at": "2026-01-01T10:00:00Z"})
            connection.execute("INSERT INTO mem0 VALUES (gen_random_uuid(), '{1}', %s)", (payload,))
    assert "4 memories imported" in run(db, "import", postgres_database).stdout
    again = run(db, "import", postgres_database)
    assert (again.exit_code, "0 messages imported, 4 were there already" in again.stdout) == (0, True)
    wrong = run(db, "import", "https://example.org/chat.json")
    assert (wrong.exit_code, "https:// cannot be imported" in wrong.stderr) == (2, True)
