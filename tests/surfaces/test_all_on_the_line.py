"""What the library says and reads of a memory, on the command line: labels, versions, sizes, topic keys, injecting."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from remembrancer.cli.app import app
from tests.surfaces.test_command_line import Line

KEY = "infra/store"
DESCRIBED = (
    *("--metadata", json.dumps({"path": "a.py"}), "--importance", "0.8", "--classification", "confidential"),
    *("--author", "scribe", "--occurred-at", "2026-01-02"),
)


@pytest.fixture
def line(tmp_path: Path) -> Line:
    return Line(tmp_path)


@pytest.mark.parametrize("command", ["save", "record", "edit"])
def test_a_memory_is_described_on_the_command_line(line: Line, command: str) -> None:
    target = line.json("save", "We keep them in a box")["id"] if command == "edit" else "We keep vectors in pgvector"
    told = line.json("get", line.json(command, target, "--tag", "Storage", *DESCRIBED)["id"])
    assert {name: told[name] for name in ("metadata", "importance", "classification", "author", "tags")} == {
        "metadata": {"path": "a.py"},
        "importance": 0.8,
        "classification": "confidential",
        "author": "scribe",
        "tags": ["Storage"],
    }
    assert told["occurred_at"].startswith("2026-01-02")


@pytest.mark.parametrize("given", ["[1]", "{", "x", "1"])
def test_metadata_that_is_no_object_is_refused(line: Line, given: str) -> None:
    ran = line.run("save", "x", "--metadata", given)
    assert (ran.exit_code, "--metadata" in ran.stderr) == (2, True)


def test_a_topic_key_names_a_memory_and_its_history(line: Line) -> None:
    line.json("save", "In pgvector", "--topic-key", KEY, "--author", "ana")
    line.json("save", "In a file", "--topic-key", KEY, "--author", "bob")
    versions = line.json("timeline", "history", "--topic-key", KEY)
    assert [(one["record"]["text"], one["record"]["author"]) for one in versions] == [
        ("In pgvector", "ana"),
        ("In a file", "bob"),
    ]
    assert "bob, user: In a file" in line.run("timeline", "history", versions[0]["record"]["id"]).stdout
    assert line.json("get", "--topic-key", KEY)["text"] == "In a file"
    line.json("delete", "--topic-key", KEY)
    assert line.run("get", "--topic-key", KEY).exit_code == 3
    assert line.run("delete").exit_code == 2


def test_a_memory_is_shown_in_three_sizes(line: Line) -> None:
    id = line.json("save", "We keep vectors in pgvector")["id"]
    sizes = {size: line.json("get", id, "--size", size) for size in ("compact", "full", "public")}
    assert ["hash" in told for told in sizes.values()] == [False, True, False]
    assert ["text" in told for told in sizes.values()] == [False, True, True]
    for found in (
        line.json("list", "--size", "public")["records"],
        line.json("recall", "pgvec", "--size", "public")["hits"],
    ):
        assert [(one["text"], "hash" in one) for one in found] == [("We keep vectors in pgvector", False)]
    assert "text" not in line.json("list")["records"][0]


def test_memories_are_put_before_an_agent_and_told_of(line: Line) -> None:
    id = line.json("save", "We keep vectors in pgvector")["id"]
    small = line.json("remind", "vectors", "--tokens", "20")
    assert (small["text"], len(small["dropped"])) == ("", 1)
    for command in (("brief",), ("inject", "Where are vectors kept?"), ("remind", "vectors")):
        told = line.json(*command, "--session", "talk")
        assert (told["ids"], "pgvector" in told["text"]) == ([id], True)
        assert told["text"] in line.run(*command).stdout
    assert {one["mode"] for one in line.json("sessions", "injections", "talk")} == {"brief", "prompt", "recall"}
    line.json("sessions", "set-outcome", "talk", "rejected")
    assert [one["session"] for one in line.json("scores", "history", id)] == ["talk"]
    assert line.json("scores", "get", id)["id"] == id


def test_an_episode_is_listed_without_naming_its_status(line: Line) -> None:
    given = ("sent a mail", "--contact", "Bertelli", "--classification", "restricted", "--db", str(line.db))
    CliRunner().invoke(app, ["episodes", "record", *given, "--embedder", "none"], catch_exceptions=False)
    (found,) = line.json("list", "--kind", "episode")["records"]
    assert line.json("get", found["id"])["classification"] == "restricted"
    assert line.json("list", "--kind", "episode", "--clearance", "internal")["records"] == []


def test_trust_and_source_are_said(line: Line) -> None:
    page = line.json("save", "Herons nest in April", "--trust", "untrusted", "--source", "tool")
    said = line.json("record", "Herons nest in May", "--trust", "untrusted", "--source", "auto-capture")
    told = [line.json("get", one["id"]) for one in (page, said)]
    assert [(one["trust"], one["source"]) for one in told] == [("untrusted", "tool"), ("untrusted", "auto-capture")]
    edited = line.json("edit", page["id"], "--title", "Herons", "--source", "observer")
    assert line.json("get", edited["id"])["source"] == "observer"
    where = ("--db", str(line.db), "--embedder", "none", "--json")
    fact = ("facts", "set", "birds", "herons", "--source", "tool")
    deed = (
        "episodes",
        "record",
        "counted herons",
        "--metadata",
        '{"seen": 3}',
        "--importance",
        "0.9",
        "--source",
        "tool",
    )
    made = [json.loads(CliRunner().invoke(app, [*command, *where]).stdout)["id"] for command in (fact, deed)]
    said_so, episode = (line.json("get", id) for id in made)
    assert said_so["source"] == "tool"
    assert (episode["metadata"], episode["importance"], episode["source"]) == ({"seen": 3}, 0.9, "tool")


def test_reading_is_narrowed(line: Line) -> None:
    line.json("save", "Herons nest in April", "--classification", "restricted", "--importance", "0.9")
    line.json("save", "Herons nest in trees", "--trust", "untrusted", "--importance", "0.1")

    def found(*options: str) -> list[str]:
        return [one["snippet"] for one in line.json("recall", "herons", *options)["hits"]]

    for option in (
        ("--classification", "restricted"),
        ("--minimum-trust", "trusted"),
        ("--minimum-importance", "0.5"),
        ("--minimum-importance", "0.5", "--retriever", "lexical"),
    ):
        assert found(*option) == ["Herons nest in April"]
    (listed,) = line.json("list", "--classification", "restricted")["records"]
    assert listed["snippet"] == "Herons nest in April"
    assert found("--retriever", "semantic") == []
    line.json("save", "Storks came by", "--occurred-at", "2026-03-02")
    assert "Storks came by" in str(line.json("recall", "what came by yesterday", "--now", "2026-03-03T12:00"))
    assert line.run("recall", "herons", "--retriever", "leg").exit_code == 2


def test_what_is_told_is_bounded_and_leaves_no_trace(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMEMBRANCER_INJECT_PROMPT_SECONDS", "30")
    id = line.json("save", "We keep vectors in pgvector")["id"]
    for command in (("brief",), ("inject", "Where are vectors kept?"), ("remind", "vectors")):
        assert line.json(*command, "--session", "talk", "--no-record-access", "--tokens", "500")["ids"] == [id]
    line.json("sessions", "start", "talk", "--no-record-access", "--max-tokens", "500")
    assert line.json("sessions", "injections", "talk") == []
    context = ("context", "--task", "vectors", "--working", "Step 3 of 4", "--work-type", "chore")
    told = line.json(*context, "--slot", "recalled=0", "--slot", "working_memory=300")
    assert "Step 3 of 4" in told["text"]
    assert (told["report"]["caps"]["recalled"], told["report"]["caps"]["working_memory"]) == (0, 300)
    assert line.run(*context, "--slot", "recalled").exit_code == 2
    assert line.json("notes", "failed", "--limit", "5") == []


def test_the_same_input_of_a_chat_is_recorded_once(line: Line) -> None:
    for _ in range(2):
        line.run("chat", "talk", "--key", "morning", given="Good morning\nand good night\n")
    assert len(line.json("list", "--session", "talk")["records"]) == 2
