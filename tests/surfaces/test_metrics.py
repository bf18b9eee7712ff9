"""The numbers of a service and a worker, as a real Prometheus reads them; the alerts and the dashboard over them."""

import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx2
import psutil
import pytest
import yaml

from remembrancer import SyncClient
from tests.databases import SECRET, Database
from tests.serving import Running, free_port, serving, soon

pytestmark = pytest.mark.timeout(110)
DEPLOY = Path(__file__).parents[2] / "deploy"
TOKEN = "watcher"
PATIENCE_SECONDS = 90.0
# Filled by what the test does; the others tell of models, which there are none of here.
EMPTY_WITHOUT_MODELS = {"Calls", "How long models take", "Tokens of models", "Dollars spared in the last day"} | {
    "Dollars in the last day, by purpose",
    "Calls at an unknown price",
}


def dashboard() -> ModuleType:
    spec = importlib.util.spec_from_file_location("dashboard", DEPLOY / "dashboard.py")
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    sys.modules["dashboard"] = found
    spec.loader.exec_module(found)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Prometheus:
    """A Prometheus that runs."""

    http: httpx2.Client

    def asked(self, expression: str) -> list[dict[str, Any]]:
        """What an expression comes to now."""
        answer = self.http.get("/api/v1/query", params={"query": expression})
        assert answer.status_code == 200, (expression, answer.text)
        return answer.json()["data"]["result"]

    def value(self, expression: str) -> float:
        """Its one number; 0 for none."""
        return sum(float(one["value"][1]) for one in self.asked(expression))


@contextmanager
def watching(folder: Path, service: str, worker: str) -> Generator[Prometheus]:
    """A Prometheus that scrapes every second, with the rules that we ship."""
    program = shutil.which("prometheus")
    assert program is not None, "this test needs prometheus: on Debian, apt-get install prometheus"
    jobs = [
        {
            "job_name": "remembrancer",
            "static_configs": [{"targets": [service.removeprefix("http://")]}],
            "authorization": {"credentials": TOKEN},
        },
        {"job_name": "remembrancer-worker", "static_configs": [{"targets": [worker]}]},
    ]
    written = folder / "prometheus.yaml"
    shutil.copy(DEPLOY / "prometheus.rules.yaml", folder / "rules.yaml")
    told = {
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
        "rule_files": ["rules.yaml"],
        "scrape_configs": jobs,
    }
    written.write_text(yaml.safe_dump(told))
    checked = subprocess.run(["promtool", "check", "config", written], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    port = free_port()
    with (folder / "prometheus.log").open("wb") as log:
        process = subprocess.Popen(
            [
                program,
                f"--config.file={written}",
                f"--storage.tsdb.path={folder / 'data'}",
                f"--web.listen-address=127.0.0.1:{port}",
            ],
            stdout=log,
            stderr=log,
        )
    try:
        with httpx2.Client(base_url=f"http://127.0.0.1:{port}", timeout=10.0) as http:
            yield Prometheus(http=http)
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def worker(database: Database, tmp_path: Path) -> Generator[str]:
    """A worker that embeds; where it tells its numbers."""
    port = free_port()
    command = [sys.executable, "-m", "remembrancer", "worker", "--db", database.serving_url, "--embedder", "hash"]
    env = {**os.environ, "REMEMBRANCER_SECRET_KEY": SECRET, "REMEMBRANCER_POLL_SECONDS": "1"}
    with (tmp_path / "worker.log").open("wb") as log:
        process = subprocess.Popen([*command, "--metrics-port", str(port)], stdout=log, stderr=log, env=env)
    yield f"127.0.0.1:{port}"
    process.kill()
    process.wait()


@pytest.fixture
def service(database: Database, tmp_path: Path) -> Generator[Running]:
    env = {"REMEMBRANCER_SECRET_KEY": SECRET, "REMEMBRANCER_SERVICE_METRICS_TOKEN": TOKEN}
    options = ["--processes", "2", "--no-background"]
    with serving(database.serving_url, tmp_path / "service.log", *options, env=env) as running:
        yield running


@pytest.mark.slow
def test_a_prometheus_reads_every_number_of_all_processes_and_the_dashboard_shows_them(
    service: Running, worker: str, tmp_path: Path
) -> None:
    with watching(tmp_path, service.url, worker) as prometheus:
        with SyncClient(service.url, agent="clerk", user="ana") as memory:
            key = memory.admin.keys.create("agent", rights=["read", "write"]).token
        with httpx2.Client(base_url=service.url) as bare:
            assert bare.get("/metrics").status_code == 404
        with SyncClient(service.url, key=key) as memory:
            for number in range(30):
                if number == 15:
                    # A rate takes two looks at a number.
                    soon(
                        lambda: prometheus.value('remembrancer_requests_total{route="save"}') == 15,
                        patience=PATIENCE_SECONDS,
                    )
                memory.save(f"The gateway listens at port {number}.")
                memory.record("Which port is it?", session="s")
                memory.recall("gateway port")
                memory.context("s")
        soon(lambda: prometheus.value('up{job=~"remembrancer.*"}') == 2, patience=PATIENCE_SECONDS)
        saved = 'remembrancer_requests_total{route="save",status="201"}'
        soon(lambda: prometheus.value(saved) == 30, patience=PATIENCE_SECONDS)
        soon(
            lambda: prometheus.value('remembrancer_records_total{agent="clerk",kind="observation"}') == 30,
            patience=PATIENCE_SECONDS,
        )
        soon(
            lambda: prometheus.value('remembrancer_work_seconds_count{purpose="embed"}') >= 1, patience=PATIENCE_SECONDS
        )
        soon(lambda: prometheus.value("remembrancer:compression:ratio") > 0, patience=PATIENCE_SECONDS)
        # Also without a worker it is told that work waits, by a service that leaves it to workers.
        soon(lambda: bool(prometheus.asked('remembrancer_work_waiting{job="remembrancer"}')), patience=PATIENCE_SECONDS)
        rules = prometheus.http.get("/api/v1/rules").json()["data"]["groups"]
        assert [rule["health"] for group in rules for rule in group["rules"]] == ["ok"] * 7
        # What a process of several has counted outlives it.
        killed = psutil.Process(service.process.pid).children()[-1]
        killed.send_signal(signal.SIGKILL)
        time.sleep(2.5)
        assert prometheus.value(saved) == 30
        empty = {
            panel.title
            for row in dashboard().ROWS.values()
            for panel in row
            if not [line for line, _ in panel.lines if prometheus.asked(_filled_in(line))]
        }
    assert empty <= EMPTY_WITHOUT_MODELS
    assert "ana" not in httpx2.get(f"{service.url}/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).text


def test_the_file_of_the_dashboard_is_that_which_its_code_makes() -> None:
    made = dashboard()
    assert made.TARGET.read_text(encoding="utf-8") == made.text()
    panels = json.loads(made.text())["panels"]
    places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in panels]
    assert len(set(places)) == len(places)
    assert all(panel["gridPos"]["x"] + panel["gridPos"]["w"] <= 24 for panel in panels)


def _filled_in(expression: str) -> str:
    return expression.replace("$__rate_interval", "1m").replace("$tenant", ".*").replace("$agent", ".*")
