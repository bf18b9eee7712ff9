"""Workers that are killed: nothing is lost, nothing done twice.

    python -m bench.workers [--seconds 60] [--workers 4] [--writers 2] [--json]

On one PostgreSQL database of its own: writers record in the scopes of several tenants and leave sessions behind that
are made to look a day old, workers make the vectors and close the sessions, and every few seconds one of the workers
is killed (-9) and another started. At the end all that is due must have been done, each thing once.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import anyio
import psycopg

from bench.places import ROLE, SECRET
from remembrancer.open import open_memory
from remembrancer.storage.postgres.roles import prepare
from remembrancer.types.jobs import NEVER
from remembrancer.types.scope import Scope
from tests.postgres_server import PostgresServer

TENANTS = 5
LEASE_SECONDS = 3.0
POLL_SECONDS = 1.0
KILLED_EVERY = 3.0
PATIENCE = 90.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What was written, what became of it, and what is wrong: each of the last five must be 0."""

    kills: int
    acknowledged: int
    sessions_closed: int
    seconds_to_drain: float
    lost: int
    without_vectors: int
    vectors_twice: int
    sessions_left: int
    sessions_closed_twice: int

    @property
    def holds(self) -> bool:
        """Whether nothing was lost or done twice."""
        wrong = (
            self.lost,
            self.without_vectors,
            self.vectors_twice,
            self.sessions_left,
            self.sessions_closed_twice,
        )
        return not any(wrong) and self.acknowledged > 0 and self.sessions_closed > 0


async def write(url: str, name: str, path: Path, seconds: float) -> None:
    """Record until the time is over; each id goes to a file once it was acknowledged."""
    chance = random.Random(name)
    until = time.monotonic() + seconds
    async with open_memory(url, embedder="none", background=False) as memory:
        with path.open("a", buffering=1) as acknowledged:
            number = 0
            while time.monotonic() < until:
                number += 1
                scope = Scope(tenant=f"tenant-{chance.randrange(TENANTS)}", user=f"user-{chance.randrange(3)}")
                saved = await memory.within(scope).record(
                    f"{name} says number {number}, which is {chance.random()}",
                    session=f"{name}-{number // 10}-{chance.randrange(2)}",
                    key=f"{name}-{number}",
                )
                acknowledged.write(saved.record.id + "\n")
                await anyio.sleep(chance.uniform(0, 0.02))


def run(*, seconds: float, workers: int, writers: int, admin_url: str, url: str, secret: str, folder: Path) -> Outcome:
    """Play it all on a prepared database, then count."""
    chance = random.Random(11)
    files = [folder / f"writer-{number}" for number in range(writers)]
    writing = [
        _start(secret, "-m", "bench.workers", "--write", str(file), "--url", url, "--seconds", str(seconds))
        for file in files
    ]
    working = [_worker(url, secret) for _ in range(workers)]
    kills, until = 0, time.monotonic() + seconds
    try:
        while time.monotonic() < until:
            time.sleep(min(KILLED_EVERY, max(0.1, until - time.monotonic())))
            _make_stale(admin_url)
            chosen = chance.randrange(workers)
            working[chosen].send_signal(signal.SIGKILL)
            working[chosen].wait()
            working[chosen] = _worker(url, secret)
            kills += 1
            print(f"{kills} workers killed", file=sys.stderr)
        for process in writing:
            if process.wait(60):
                raise RuntimeError("a writer failed; run it by hand to see why")
        _make_stale(admin_url, every=True)
        stopped = time.monotonic()
        while (_waiting(admin_url) or _has_no_vectors(admin_url)) and time.monotonic() < stopped + PATIENCE:
            time.sleep(0.3)
        drained = time.monotonic() - stopped
    finally:
        for process in [*writing, *working]:
            process.terminate()
        for process in [*writing, *working]:
            process.wait(30)
    ids = [line for file in files for line in file.read_text().split()]
    return _counted(admin_url, ids, kills, drained)


def _start(secret: str, *command: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, *command],
        env={**os.environ, "REMEMBRANCER_SECRET_KEY": secret},
        stdout=subprocess.DEVNULL,
    )


def _worker(url: str, secret: str) -> "subprocess.Popen[bytes]":
    script = (
        "import anyio; from functools import partial; from remembrancer.open import run_worker;"
        f" anyio.run(partial(run_worker, {url!r}, embedder='hash', concurrency=2,"
        f" poll_seconds={POLL_SECONDS}, lease_seconds={LEASE_SECONDS}))"
    )
    return _start(secret, "-c", script)


def _make_stale(url: str, *, every: bool = False) -> None:
    """Make sessions look as if nobody had used them for two days: some, or all."""
    with psycopg.connect(url) as admin:
        admin.execute(
            "UPDATE remembrancer.sessions SET last_activity_at = last_activity_at - interval '2 days'"
            " WHERE status = 'active' AND last_activity_at > now() - interval '1 day'"
            + ("" if every else " AND hashtext(id) % 3 = 0")
        )


def _waiting(url: str) -> bool:
    with psycopg.connect(url) as admin:
        row = admin.execute(
            """
            SELECT COUNT(*)
            FROM remembrancer_ops.due(now() - interval '1 day', %(never)s, false, %(never)s, %(never)s, '')
            """,
            {"never": NEVER},
        ).fetchone()
    return row is not None and row[0] > 0


def _has_no_vectors(url: str) -> bool:
    """Return True before the first worker has named its embedder: until then, nothing is due for embedding."""
    with psycopg.connect(url) as admin:
        return admin.execute("SELECT 1 FROM remembrancer_ops.generations").fetchone() is None


def _counted(url: str, ids: Sequence[str], kills: int, drained: float) -> Outcome:
    with psycopg.connect(url) as admin:

        def number(statement: str, *values: object) -> int:
            row = admin.execute(statement.encode(), values).fetchone()
            return int(row[0]) if row else 0

        admin.execute("SET search_path TO remembrancer, remembrancer_ops, public")
        return Outcome(
            kills=kills,
            acknowledged=len(ids),
            sessions_closed=number("SELECT COUNT(*) FROM sessions WHERE status = 'completed'"),
            seconds_to_drain=round(drained, 1),
            lost=len(ids) - number("SELECT COUNT(*) FROM records WHERE id = ANY(%s)", list(ids)),
            without_vectors=number(
                "SELECT COUNT(*) FROM records WHERE document IS NOT NULL AND NOT EXISTS"
                " (SELECT 1 FROM vectors WHERE vectors.document = records.document)"
            ),
            # Each of these texts is short enough for one vector.
            vectors_twice=number(
                "SELECT COUNT(*) FROM (SELECT 1 FROM vectors JOIN records USING (document)"
                " WHERE kind = 'message' GROUP BY document, vectors.generation HAVING COUNT(*) > 1) AS twice"
            ),
            sessions_left=number("SELECT COUNT(*) FROM sessions WHERE status = 'active'"),
            # A session that was written to after it was closed is closed again, with another summary of its own time.
            sessions_closed_twice=number(
                "SELECT COUNT(*) FROM (SELECT 1 FROM records WHERE type = 'summary'"
                " GROUP BY scope, session HAVING COUNT(*) > 1) AS twice"
            ),
        )


def main() -> int:
    """Run and print; 1 when something was lost or done twice."""
    parser = argparse.ArgumentParser(prog="python -m bench.workers")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--writers", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--write", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--url", default="", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.write:
        anyio.run(write, arguments.url, arguments.write.name, arguments.write, arguments.seconds)
        return 0
    with PostgresServer() as server, tempfile.TemporaryDirectory() as folder:
        prepare(server.url(), role=ROLE, password=ROLE)
        outcome = run(
            seconds=arguments.seconds,
            workers=arguments.workers,
            writers=arguments.writers,
            admin_url=server.url(),
            url=server.url(user=ROLE, password=ROLE),
            secret=SECRET,
            folder=Path(folder),
        )
    found = {**asdict(outcome), "holds": outcome.holds}
    print(json.dumps(found) if arguments.json else "\n".join(f"{name} {value}" for name, value in found.items()))
    return int(not outcome.holds)


if __name__ == "__main__":
    sys.exit(main())
