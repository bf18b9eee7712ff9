"""`inject`, `brief` and `remind` are answered by a process that has the file open, where there is one."""

import json
import os
import stat
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest

from remembrancer import SyncMemory
from remembrancer.client.local_socket import ask, socket_path
from tests.serving import Running, serving, started, stopped

COMMAND = [sys.executable, "-m", "remembrancer"]
QUESTION = "Where are vectors kept?"
# A machine with much else to do finds nothing in a tenth of a second.
PATIENT = {"REMEMBRANCER_INJECT_PROMPT_SECONDS": "5"}


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return filled(tmp_path / "m.db")


def filled(path: Path) -> Path:
    with SyncMemory(str(path), user="ana", embedder="none") as memory:
        memory.save("Vectors are kept in half precision")
    return path


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that a service has open, for all tests of a process."""
    return filled(tmp_path_factory.mktemp("served") / "m.db")


@pytest.fixture(scope="module")
def running(served: Path) -> Generator[Running]:
    with serving(str(served), served.with_name("log"), env=PATIENT) as service:
        yield service


def injected(db: Path, *options: str, way: str = "inject") -> dict[str, object]:
    asked = [] if way == "brief" else [QUESTION]
    line = [*COMMAND, way, *asked, "--db", str(db), "--user", "ana", "--embedder", "none", "--json", *options]
    done = subprocess.run(line, capture_output=True, text=True, check=True, env={**os.environ, **PATIENT})
    return json.loads(done.stdout)


@pytest.mark.usefixtures("running")
def test_a_service_answers_for_a_file_that_the_command_cannot_open(served: Path) -> None:
    opened = {way: injected(served, way=way)["ids"] for way in ("inject", "remind", "brief")}
    key, away = served.with_name("m.db.key"), served.with_name("away")
    key.rename(away)
    try:
        for way, records in opened.items():
            assert injected(served, way=way)["ids"] == records != [], way
    finally:
        away.rename(key)


def test_only_the_owner_reaches_the_socket_which_goes_with_the_service(db: Path, tmp_path: Path) -> None:
    path = Path(socket_path(str(db)) or "")
    with serving(str(db), tmp_path / "log"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert not path.exists()


@pytest.mark.slow
def test_what_a_killed_service_left_is_passed_by_and_replaced(db: Path, tmp_path: Path) -> None:
    stopped(started(str(db), tmp_path / "log"), kill=True)
    path = socket_path(str(db)) or ""
    assert Path(path).exists()
    assert injected(db)["ids"] != []
    with serving(str(db), tmp_path / "log"):
        assert ask(path, request(), seconds=20) is not None


@pytest.mark.slow
@pytest.mark.usefixtures("running")
def test_a_second_service_leaves_the_first_its_socket(served: Path, tmp_path: Path) -> None:
    with serving(str(served), tmp_path / "second"):
        pass
    assert ask(socket_path(str(served)) or "", request(), seconds=20) is not None


@pytest.mark.usefixtures("running")
def test_what_cannot_be_answered_there_is_declined(served: Path) -> None:
    path = socket_path(str(served)) or ""
    declined: tuple[dict[str, object], ...] = (
        {"embedder": "wordllama"},
        {"values": {"mode": "erase", "question": QUESTION}},
        {"values": {"mode": "prompt", "question": QUESTION, "tokens": 0}},
        {"values": {"mode": "prompt", "no": 1}},
        {"scope": {"planet": "earth"}},
        {"clearance": "royal"},
    )
    for given in declined:
        assert ask(path, {**request(), **given}, seconds=20) is None, given
        assert ask(path, request(), seconds=20) is not None, given


def test_a_service_with_a_clearance_answers_nobody_above_it(db: Path, tmp_path: Path) -> None:
    with serving(str(db), tmp_path / "log", "--clearance", "public"):
        assert ask(socket_path(str(db)) or "", request(), seconds=20) is None
        assert injected(db)["ids"] != []


def test_a_database_that_is_no_file_and_a_path_too_long_have_no_socket(tmp_path: Path) -> None:
    assert socket_path("postgresql://host/m") is None
    assert socket_path(":memory:") is None
    assert socket_path(str(tmp_path / ("d" * 120) / "m.db")) is None


def request() -> dict[str, object]:
    """What the command asks."""
    return {
        "values": {"mode": "prompt", "question": QUESTION},
        "scope": {"tenant": "local", "project": None, "agent": None, "user": "ana"},
        "clearance": "restricted",
        "actor": os.environ.get("USER", ""),
        "embedder": "none",
    }
