"""A PostgreSQL that goes and comes back under a service and a worker: the right status, and all goes on by itself."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import httpx2
import psycopg
import pytest
from anyio.to_thread import run_sync

from remembrancer.errors import StoreUnavailable
from remembrancer.storage.postgres.roles import prepare
from remembrancer.storage.postgres.store import PostgresStore
from tests.databases import SECRET, at
from tests.postgres_server import PostgresServer
from tests.serving import Running, serving, soon


@pytest.fixture(scope="module")
def server() -> Generator[PostgresServer]:
    with PostgresServer(shared_buffers="16MB", max_connections=60) as found:
        prepare(found.url(), role="app", password="app", fresh_password="")
        yield found


@pytest.fixture
def db(server: PostgresServer) -> str:
    server.start()
    return at(server.url(), database="postgres", user="app", password="app")


def connected(running: Running) -> httpx2.Client:
    return httpx2.Client(base_url=running.url, timeout=40.0, headers={"X-Tenant-ID": "away"})


@pytest.mark.slow
def test_the_service_says_that_its_database_is_away_and_goes_on_when_it_is_back(
    server: PostgresServer, db: str, tmp_path: Path
) -> None:
    env = {"REMEMBRANCER_SECRET_KEY": SECRET, "REMEMBRANCER_SERVICE_METRICS_TOKEN": "watcher"}
    with serving(db, tmp_path / "log", env=env) as running, connected(running) as http:
        assert http.post("/v1/observations", json={"text": "The gateway listens at 8077."}).status_code == 201
        server.stop("immediate")
        said = {
            http.post("/v1/observations", json={"text": "Lost?"}, headers={"Idempotency-Key": "once"}).status_code,
            http.post("/v1/recall", json={"question": "gateway"}).status_code,
            http.post("/v1/context", json={}).status_code,
            http.get("/ready").status_code,
        }
        refused = http.post("/v1/recall", json={"question": "gateway"})
        assert said == {503}
        assert http.get("/health").status_code == 200
        assert http.get("/metrics").status_code == 404
        with_token = http.get("/metrics", headers={"Authorization": "Bearer watcher"})
        # Nobody was let in, so no route was reached.
        assert 'remembrancer_requests_total{origin="rest",route="none",status="503"}' in with_token.text
        assert refused.headers["content-type"] == "application/problem+json"
        assert refused.json()["code"] == "store-unavailable"
        assert "app" not in refused.json()["detail"].split()
        server.start()
        soon(lambda: http.get("/ready").status_code == 200)
        again = http.post("/v1/observations", json={"text": "Lost?"}, headers={"Idempotency-Key": "once"})
        assert again.status_code == 201
        texts = [one["text"] for one in http.get("/v1/memories").json()["records"]]
        assert sorted(texts) == ["Lost?", "The gateway listens at 8077."]
    for line in running.text().splitlines()[1:]:
        assert json.loads(line)["level"] in {"info", "warning"}, line


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_a_worker_says_each_time_that_its_database_is_away_and_goes_on_when_it_is_back(
    server: PostgresServer, db: str, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    command = [sys.executable, "-m", "remembrancer", "worker", "--db", db, "--embedder", "hash"]
    env = {**os.environ, "REMEMBRANCER_SECRET_KEY": SECRET}
    with log.open("wb") as out:
        worker = subprocess.Popen(command, stdout=out, stderr=out, env=env)
    try:
        time.sleep(4)
        for times, stop in enumerate((lambda: server.stop("fast"), server.kill), start=1):
            stop()
            soon(lambda times=times: log.read_text().count("database is unavailable") == times)
            time.sleep(2)
            server.start()
            saved = ["save", f"The heron stands {times} times.", "--db", db, "--embedder", "none"]
            subprocess.run([sys.executable, "-m", "remembrancer", *saved], env=env, check=True, capture_output=True)
            soon(lambda times=times: log.read_text().count("documents embedded: 1") >= times)
            # Longer than it looks again after an outage.
            time.sleep(11)
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(20) == 0
    finally:
        worker.kill()
    assert "Traceback" not in log.read_text()
    assert log.read_text().count("database is unavailable") == 2


@pytest.mark.slow
def test_many_callers_are_told_soon_that_the_database_is_away(server: PostgresServer, db: str, tmp_path: Path) -> None:
    env = {"REMEMBRANCER_SECRET_KEY": SECRET}

    def ask(_: int) -> tuple[int, float]:
        began = time.monotonic()
        with connected(running) as http:
            status = http.post("/v1/recall", json={"question": "gateway"}).status_code
        return status, time.monotonic() - began

    with serving(db, tmp_path / "log", env=env) as running, ThreadPoolExecutor(60) as callers:
        assert {status for status, _ in callers.map(ask, range(60))} == {200}
        server.stop("immediate")
        first, then = list(callers.map(ask, range(60))), list(callers.map(ask, range(60)))
        assert {status for status, _ in [*first, *then]} == {503}
        assert max(seconds for _, seconds in first) < 15
        assert max(seconds for _, seconds in then) < 6
        server.start()
        soon(lambda: ask(0)[0] == 200)


@pytest.mark.slow
@pytest.mark.anyio
async def test_a_listener_that_is_cut_off_gives_its_connection_back(server: PostgresServer, db: str) -> None:
    def cut_off() -> None:
        with psycopg.connect(server.url(), autocommit=True) as admin:
            admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app'")

    async with PostgresStore.open(db, secret=SECRET, pool_size=2) as store:
        for _ in range(6):
            await store.wait_for_hint(0.05)
            await run_sync(cut_off)
            with suppress(StoreUnavailable):
                await store.wait_for_hint(0.05)
        assert await store.scopes() is not None
