"""Failover under load: a primary with one synchronous replica is killed at random, and the replica promoted.

    python -m bench.failover [--kills 50] [--clients 8] [--nights 0] [--hang]

A service and a worker, each a process of its own, have the addresses of both servers. Clients save through REST and
count a save as acknowledged when its answer is 201. Everything else must be 503 with Retry-After. In every third round
the former primary comes back as a primary for a while, accepting commits alone; then it follows the new one. With
`--nights` so many scopes have a night that is due, so that kills meet nights: at the end each has ended, and each
memory was aged once. With `--hang` the primary is not killed at first: its processes stop, and its kernel goes on
confirming what is sent.
"""

import argparse
import json
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import anyio
import httpx2
import psycopg

from bench.places import ROLE
from remembrancer import NewMessage, Scope, open_memory
from remembrancer.storage.postgres.roles import prepare
from tests.databases import SECRET
from tests.postgres_server import PostgresServer

_DATABASE = "bench"
_ALONE = "ALTER SYSTEM SET synchronous_standby_names = ''"
_TOGETHER = "ALTER SYSTEM SET synchronous_standby_names = '*'"
_OF_A_NIGHT = 100
_ENDED_NIGHTS = """
    SELECT COUNT(*), COUNT(ended_at), COUNT(*) FILTER (WHERE (counts::json ->> 'tries')::int > 1),
        COUNT(*) FILTER (WHERE counts LIKE '%%failed%%')
    FROM remembrancer.maintenance_runs
    WHERE scope IN (SELECT scope FROM remembrancer.records GROUP BY scope HAVING COUNT(*) = %s)
"""
_OF_YESTERDAY = "UPDATE remembrancer.records SET recorded_at = recorded_at - interval '2 days'"
# All had the same importance, and the same age.
_AGED = """
    SELECT COUNT(*), MODE() WITHIN GROUP (ORDER BY importance), COUNT(DISTINCT importance), COUNT(decayed_on)
    FROM remembrancer.records WHERE text LIKE 'Otter %'
"""


@dataclass(slots=True)
class Load:
    """What clients have sent, and what was answered."""

    base: str
    acknowledged: set[str] = field(default_factory=set[str])
    answers: Counter[str] = field(default_factory=Counter[str])
    waits: list[float] = field(default_factory=list[float])
    last: float = 0.0
    stopped: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)
    threads: list[threading.Thread] = field(default_factory=list[threading.Thread])
    slowest: float = 0.0

    def run(self, client: int) -> None:
        """Save until stopped."""
        with httpx2.Client(base_url=self.base, timeout=60) as http:
            number = 0
            while not self.stopped.is_set():
                number += 1
                text = f"Heron {client} of {number} stands at mill {client * 1_000_003 + number}."
                begun = time.monotonic()
                try:
                    answer = http.post("/v1/observations", json={"text": text})
                    told = f"{answer.status_code}" + (" with Retry-After" if "retry-after" in answer.headers else "")
                except httpx2.HTTPError as error:
                    told, answer = type(error).__name__, None
                with self.lock:
                    self.slowest = max(self.slowest, time.monotonic() - begun)
                    self.answers[told] += 1
                    if answer is not None and answer.status_code == 201:
                        self.acknowledged.add(text)
                        now = time.monotonic()
                        if self.last:
                            self.waits.append(now - self.last)
                        self.last = now
                if told != "201":
                    time.sleep(0.2)

    @contextmanager
    def by(self, clients: int) -> Generator[None]:
        """Save from some clients at a time, until stopped."""
        self.threads = [threading.Thread(target=self.run, args=(number,), daemon=True) for number in range(clients)]
        for thread in self.threads:
            thread.start()
        try:
            yield
        finally:
            self.stop()

    def stop(self) -> None:
        """Stop all clients, after their answers."""
        self.stopped.set()
        for thread in self.threads:
            thread.join()


def tell(server: PostgresServer, *statements: str) -> None:
    """Run statements as the superuser."""
    with psycopg.connect(server.url(), autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())


def together(server: PostgresServer) -> None:
    """Wait for the replica of a server, and make its commits wait for it."""
    with psycopg.connect(server.url(), autocommit=True) as connection:
        while connection.execute("SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'").fetchone() is None:
            time.sleep(0.05)
    tell(server, _TOGETHER, "SELECT pg_reload_conf()")


def fail_over(primary: PostgresServer, replica: PostgresServer, load: Load, *, comes_back: bool, hangs: bool) -> float:
    """Kill the primary and promote the replica; return the seconds until the next save is acknowledged."""
    with primary.suspended() if hangs else nullcontext():
        if not hangs:
            primary.kill()
        time.sleep(random.uniform(0.0, 1.0))
        replica.promote()
        promoted = time.monotonic()
        # As Patroni does: without a replica the new primary commits alone.
        tell(replica, _ALONE, "SELECT pg_reload_conf()")
        deadline = promoted + 60
        while load.last <= promoted and time.monotonic() < deadline:
            time.sleep(0.01)
        recovered = load.last - promoted if load.last > promoted else float("inf")
        # Before it goes on.
        primary.kill()
    if comes_back:
        primary.start()
        tell(primary, _ALONE, "SELECT pg_reload_conf()")
        time.sleep(3)
    primary.follow(replica)
    together(replica)
    return recovered


def main() -> int:
    """Run and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.failover", description="Failover under load.")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--nights", type=int, default=0, help="scopes with a night that is due")
    parser.add_argument("--hang", action="store_true", help="stop the processes of the primary instead of killing it")
    arguments = parser.parse_args()
    random.seed(7)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        primary = stack.enter_context(PostgresServer())
        with psycopg.connect(primary.url(), autocommit=True) as admin:
            admin.execute(f"CREATE DATABASE {_DATABASE}")
        prepare(primary.url(_DATABASE), role=ROLE, password=ROLE)
        own = f"postgresql://{ROLE}:{ROLE}@127.0.0.1:{primary.port}/{_DATABASE}"
        anyio.run(_fill, own, arguments.nights)
        with psycopg.connect(primary.url(_DATABASE), autocommit=True) as admin:
            admin.execute(_OF_YESTERDAY)
        replica = stack.enter_context(PostgresServer(primary=primary))
        together(primary)
        hosts = f"127.0.0.1:{primary.port},127.0.0.1:{replica.port}"
        url = f"postgresql://{ROLE}:{ROLE}@{hosts}/{_DATABASE}"
        load = Load(base=f"http://127.0.0.1:{serve(stack, settings_of(url, folder), folder)}")
        stack.enter_context(load.by(arguments.clients))
        recovered: list[float] = []
        for kill in range(arguments.kills):
            time.sleep(random.uniform(0.5, 3.0))
            recovered.append(fail_over(primary, replica, load, comes_back=kill % 3 == 2, hangs=arguments.hang))
            primary, replica = replica, primary
            print(
                f"kill {kill + 1}: next save after {recovered[-1]:.2f} s, {len(load.acknowledged)} acknowledged",
                file=sys.stderr,
                flush=True,
            )
        load.stop()
        print(json.dumps({**_result(primary, load, recovered), **_nights(primary, arguments.nights)}))
    return 0


async def _fill(url: str, scopes: int) -> None:
    """Record messages of the day before, in scopes whose nights are due."""
    at = datetime.now(UTC) - timedelta(days=1)
    async with open_memory(url, embedder="none", background=False, nightly=False, secret_key=SECRET) as memory:
        for number in range(scopes):
            own = memory.within(Scope(tenant=f"tenant-{number % 5}", user=f"user-{number}"))
            await own.messages.record_many(
                [
                    NewMessage(text=f"Otter {one} of {number} swims to pond {one}.", session="s", occurred_at=at)
                    for one in range(_OF_A_NIGHT)
                ]
            )


def _nights(primary: PostgresServer, scopes: int) -> dict[str, Any]:
    """Wait until the nights have ended; return how many did, and how many memories were aged."""
    if not scopes:
        return {}
    row: Any = None
    with psycopg.connect(primary.url(_DATABASE), autocommit=True) as connection:
        for _ in range(600):
            row = connection.execute(_ENDED_NIGHTS, (_OF_A_NIGHT,)).fetchone()
            if row[1] >= scopes:
                break
            time.sleep(1)
        aged: Any = connection.execute(_AGED).fetchone()
    names = (
        *("nights of scopes", "ended", "tried again", "with failures"),
        *("memories", "importance", "different importances", "aged"),
    )
    return dict(zip(names, (*row, *aged), strict=True))


def _result(primary: PostgresServer, load: Load, recovered: Sequence[float]) -> dict[str, Any]:
    left = -1
    with psycopg.connect(primary.url(_DATABASE)) as connection:
        rows = connection.execute("SELECT text FROM remembrancer.records").fetchall()
        stored = {row[0] for row in rows}
        # The worker embeds what the service has saved.
        for _ in range(120):
            row: Any = connection.execute(
                "SELECT COUNT(*) FROM remembrancer.records WHERE document IS NOT NULL AND generation IS NULL"
            ).fetchone()
            connection.rollback()
            left = row[0]
            if not left:
                break
            time.sleep(1)
    return {
        "kills": len(recovered),
        "acknowledged": len(load.acknowledged),
        "lost": len(load.acknowledged - stored),
        "answers": dict(load.answers),
        "next save after promotion, longest s": round(max(recovered), 2),
        "longest time without an acknowledged save, s": round(max(load.waits), 2),
        "without a vector": left,
    }


def settings_of(url: str, folder: Path) -> dict[str, str]:
    """Return the environment of a process."""
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": str(folder),
        "REMEMBRANCER_DB": url,
        "REMEMBRANCER_SECRET_KEY": SECRET,
        "REMEMBRANCER_EMBEDDER": "hash",
        "REMEMBRANCER_POLL_SECONDS": "1",
    }


def serve(stack: ExitStack, environment: Mapping[str, str], folder: Path) -> int:
    """Start a service and a worker; return the port of the service."""
    # Not of the seed: two runs at once would meet.
    port = random.SystemRandom().randrange(12_000, 19_000)
    command = [sys.executable, "-m", "remembrancer"]
    for name, arguments in (("serve", ["--port", str(port), "--no-background"]), ("worker", [])):
        log = stack.enter_context((folder / f"{name}.log").open("wb"))
        process = subprocess.Popen([*command, name, *arguments], env=environment, stdout=log, stderr=log)
        stack.callback(_end, process)
    for _ in range(300):
        with suppress(httpx2.HTTPError):
            if httpx2.get(f"http://127.0.0.1:{port}/ready").status_code == 200:
                return port
        time.sleep(0.1)
    raise RuntimeError((folder / "serve.log").read_text()[-2_000:])


def _end(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(15)
    except subprocess.TimeoutExpired:
        process.kill()


if __name__ == "__main__":
    sys.exit(main())
