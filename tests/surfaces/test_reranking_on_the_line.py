"""A reranker that the environment names serves the commands, and none of them fails with it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from remembrancer.cli.app import app
from tests.behaviour.judging import QUESTION, days_ago, number_of, served
from tests.endpoints import NEVER, Endpoint


@pytest.fixture(autouse=True)
def event_loop_is_not_blocked() -> None:
    """Commands import on their event loops what they need."""


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    with Endpoint(served("tei")).serving() as serving:
        monkeypatch.setenv("REMEMBRANCER_RERANKER", f"tei:{serving.address}")
        monkeypatch.setenv("REMEMBRANCER_RERANKER_SECONDS", "20")
        yield serving


@pytest.fixture
def db(tmp_path: Path, endpoint: Endpoint) -> Path:
    path = tmp_path / "m.db"
    for number in range(1, 4):
        at = days_ago(number).isoformat()
        run(
            path, "record", f"Ana has lived in the street number {number}.", "--session", "streets", "--occurred-at", at
        )
    return path


def run(db: Path, *arguments: str) -> Result:
    done = CliRunner().invoke(app, [*arguments, "--db", str(db), "--embedder", "none"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done


def recalled(db: Path, *options: str) -> tuple[list[int], dict[str, Any]]:
    found = json.loads(run(db, "recall", QUESTION, "--json", *options).stdout)
    return [number_of(hit["snippet"]) for hit in found["hits"]], found


def test_recall_and_explain_ask_the_reranker_unless_they_are_told_not_to(db: Path, endpoint: Endpoint) -> None:
    plain, _ = recalled(db, "--no-rerank")
    assert endpoint.asked == []
    numbers, found = recalled(db)
    assert numbers == [3, 2, 1]
    best = found["hits"][0]["id"]
    told = json.loads(run(db, "explain", QUESTION, best, "--json").stdout)
    assert (told["rank"], told["factors"]["rerank"]) == (1, 0.03)
    assert f"the reranker moved it from rank {plain.index(3) + 1} to 1" in told["reason"]
    told = json.loads(run(db, "explain", QUESTION, best, "--no-rerank", "--json").stdout)
    assert "rerank" not in told["factors"]
    assert "rerank 0.03" in run(db, "recall", QUESTION, "--factors").stdout
    stats = json.loads(run(db, "admin", "stats", "--json").stdout)
    assert stats["reranker"] == f"tei:{endpoint.address.removeprefix('http://')}"
    assert "rerank" in run(db, "admin", "costs").stdout


def test_an_endpoint_that_hangs_is_told_and_left_alone_by_the_commands_that_follow(
    db: Path, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REMEMBRANCER_RERANKER_SECONDS", "1")
    plain, _ = recalled(db, "--no-rerank")
    endpoint.told = [lambda _: NEVER] * 99
    notes = list[str]()
    while not notes or "not called until" not in notes[-1]:
        numbers, found = recalled(db)
        assert numbers == plain
        notes += [note for note in found["notes"] if note.startswith("not reranked: ")]
        assert 1 <= len(notes) < 9
    assert len(endpoint.asked) <= len(notes) - 1
    assert (
        "asked to rerank" in CliRunner().invoke(app, ["admin", "doctor", "--db", str(db), "--embedder", "none"]).output
    )
