"""A tenant moves between two servers under load, and the process of the move is killed at ten points each time.

    python -m bench.moving [--memories 2000] [--clients 8] [--kills 10]

A service and a worker, each a process of its own, have both databases in their settings. Clients save through REST and
count a save as acknowledged when its answer is 201. `remembrancer tenants move` is a process that is killed after a
part of the time that a move needs, once for each tenth; then it is run to its end, in the other direction the next
time.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from bench.failover import Load, serve, settings_of
from bench.places import ROLE
from remembrancer import NewObservation, SyncMemory
from remembrancer.storage.postgres.connection import READ
from remembrancer.storage.postgres.moving import Side
from remembrancer.storage.postgres.primary import connected
from remembrancer.storage.postgres.roles import prepare
from tests.databases import SECRET
from tests.postgres_server import PostgresServer

_TENANT = "local"
_BATCH = 200


def move(environment: Mapping[str, str], target: str, *, kill_after: float | None = None) -> dict[str, Any]:
    """Move the tenant; return the receipt, or an empty mapping if the process was killed first."""
    command = [sys.executable, "-m", "remembrancer", "tenants", "move", _TENANT, "--to", target, "--json"]
    process = subprocess.Popen(command, env=dict(environment), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        out, error = process.communicate(timeout=kill_after)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return {}
    if process.returncode:
        raise RuntimeError(error.decode())
    return json.loads(out)


def stored(url: str) -> tuple[set[str], int]:
    """Return the texts of the tenant in a database, and the number of its rows in all tables but the audit log."""
    with connected(url) as raw:
        side = Side("", raw, _TENANT)
        with side.transaction(READ):
            texts = {row[0] for row in side.rows("SELECT text FROM records")}
            digests = side.digests(side.tables())
    return texts, sum(one.rows for name, one in digests.items() if name != "audit")


def main() -> int:
    """Run and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.moving", description="Moves under load, killed.")
    parser.add_argument("--memories", type=int, default=2_000)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--kills", type=int, default=10)
    arguments = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        servers = {name: stack.enter_context(PostgresServer()) for name in ("main", "east")}
        for server in servers.values():
            prepare(server.url(), role=ROLE, password=ROLE)
        urls = {name: server.url(user=ROLE, password=ROLE) for name, server in servers.items()}
        with SyncMemory(urls["main"], secret_key=SECRET, embedder="hash", background=False) as memory:
            for begin in range(0, arguments.memories, _BATCH):
                numbers = range(begin, min(begin + _BATCH, arguments.memories))
                memory.observations.save_many(
                    [NewObservation(text=f"Otter {one} swims in river {one}.") for one in numbers]
                )
        environment = {
            **settings_of(urls["main"], folder),
            "REMEMBRANCER_DATABASES": json.dumps({"east": urls["east"]}),
        }
        load = Load(base=f"http://127.0.0.1:{serve(stack, environment, folder)}")
        stack.enter_context(load.by(arguments.clients))
        begun = time.monotonic()
        receipts = [move(environment, "east")]
        needed = time.monotonic() - begun
        ended_before, target = 0, "east"
        for kill in range(arguments.kills):
            target = ("main", "east")[kill % 2]
            killed = move(environment, target, kill_after=needed * (kill + 0.5) / arguments.kills)
            ended_before += bool(killed)
            receipts.append(move(environment, target))
            print(
                f"killed at {(kill + 0.5) / arguments.kills:.0%}, moved to {target}:"
                f" writes waited {receipts[-1]['waited_seconds']} s, {len(load.acknowledged)} acknowledged",
                file=sys.stderr,
                flush=True,
            )
        load.stop()
        here, there = urls[target], urls["east" if target == "main" else "main"]
        texts, rows = stored(here)
        _, left = stored(there)
        print(
            json.dumps(
                {
                    "moves": len(receipts),
                    "killed": arguments.kills - ended_before,
                    "memories": len(texts),
                    "acknowledged": len(load.acknowledged),
                    "lost": len(load.acknowledged - texts),
                    "answers": dict(load.answers),
                    "compared as of the cut-over": sum(one["is_compared"] for one in receipts),
                    "rows": rows,
                    "rows left in the former database": left,
                    "writes waited, longest s": max(one["waited_seconds"] or 0 for one in receipts),
                    "slowest save s": round(load.slowest, 2),
                    "a move s": round(needed, 1),
                }
            )
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
