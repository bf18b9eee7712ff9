"""The service under load, from other processes: how long answers take, what is lost, what it grows by.

    python -m bench.serving [--callers 200] [--seconds 60] [--processes 2] [--mix MIX] [--wait 2] [--embedder NAME]
        [--kill] [--pooler 20] [--json]

Mixed writes, recalls and contexts on PostgreSQL, beside an endpoint of the same service that does nothing. `--mix` says
how many of each, as `recall=6,record=3,context=1`, and `--wait` for how many seconds a caller waits after an answer.
Every write bears a key of its own; at the end the database is asked, by another road, for each that was acknowledged.
`--kill` ends the service by SIGKILL amid the load, and starts it again. `--pooler` puts a PgBouncer in transaction mode
with so many connections to the server before the database.
"""

import argparse
import json
import multiprocessing
import os
import random
import re
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import httpx2
import numpy as np
import psutil
import psycopg

from bench.places import postmaster, processor_seconds
from remembrancer import Client, RemembrancerError
from tests.databases import SECRET, fresh
from tests.pgbouncer import pooled
from tests.postgres_server import shared
from tests.serving import Running, started, stopped, wait_for

WORDS = ("heron", "otter", "bridge", "harbour", "tower", "wren", "badger", "mill", "orchard", "ferry")
TENANT = "load"
SENDERS = 2
_WARMING = 8
MIX = {"record": 30, "save": 10, "recall": 35, "context": 15, "empty": 10}


@dataclass(slots=True)
class Load:
    """What one process of callers saw."""

    written: list[str] = field(default_factory=list[str])
    milliseconds: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    errors: Counter[str] = field(default_factory=Counter[str])


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """What callers do.

    Args:
        seconds: for how long.
        mix: how many calls of each kind.
        wait: seconds between an answer and the next request.
        tenant: whose calls they are.
    """

    url: str
    seconds: float
    mix: Mapping[str, int]
    wait: float
    retries: int
    tenant: str = TENANT


async def _caller(calls: Calls, number: int, load: Load) -> None:
    chance = random.Random(number)
    until = time.monotonic() + calls.seconds
    # Callers that wait do not begin in step.
    await anyio.sleep(chance.random() * calls.wait)
    async with Client(calls.url, tenant=calls.tenant, user=f"u{number % 20}", retries=calls.retries) as memory:
        while time.monotonic() < until:
            what = chance.choices(list(calls.mix), list(calls.mix.values()))[0]
            text = f"the {chance.choice(WORDS)} {number} saw the {chance.choice(WORDS)} {chance.random():.9f}"
            began = time.monotonic()
            try:
                match what:
                    case "record":
                        load.written.append((await memory.record(text, session=f"s{number}")).id)
                    case "save":
                        load.written.append((await memory.save(text)).id)
                    case "recall":
                        await memory.recall(f"Who saw the {chance.choice(WORDS)}?", limit=5)
                    case "context":
                        await memory.context(f"s{number}", question=f"Who saw the {chance.choice(WORDS)}?")
                    case _:
                        await memory.transport.http.get("/health")
            except (RemembrancerError, httpx2.TransportError) as error:
                load.errors[f"{what}: {type(error).__name__}: {error}"[:120]] += 1
                continue
            load.milliseconds.setdefault(what, []).append((time.monotonic() - began) * 1_000)
            await anyio.sleep(calls.wait)


async def warm_up(url: str, processes: int) -> None:
    """Have every process load what its first requests load, on connections of their own, in another tenant."""
    for number in range(_WARMING * processes):
        async with Client(url, tenant="warming", user=f"u{number}") as memory:
            await memory.record("the heron saw the mill", session="s")
            await memory.save(f"the heron saw the mill {number}")
            await memory.recall("Who saw the mill?", limit=5)
            await memory.context("s", question="Who saw the mill?")


def send(calls: Calls, first: int, callers: int, folder: str) -> None:
    """One process of callers; what it saw is written to a file."""
    load = Load()

    async def run() -> None:
        async with anyio.create_task_group() as tasks:
            for number in range(first, first + callers):
                tasks.start_soon(_caller, calls, number, load)

    began = time.process_time()
    anyio.run(run)
    seen = {
        "written": load.written,
        "milliseconds": load.milliseconds,
        "errors": dict(load.errors),
        "processor": time.process_time() - began,
    }
    (Path(folder) / f"{first}.json").write_text(json.dumps(seen), encoding="utf-8")


def _resident(running: Running) -> int:
    """Bytes that the service's processes hold."""
    parent = psutil.Process(running.process.pid)
    return sum(one.memory_info().rss for one in (parent, *parent.children(recursive=True)))


def _cached(running: Running) -> dict[str, int]:
    """How many contexts were found in the cache, and how many not, by the service's own metric."""
    told = httpx2.get(f"{running.url}/metrics").text
    found = re.findall(r'remembrancer_context_cache_total\{result="(\w+)"\} (\d+)', told)
    return {result: int(count) for result, count in found}


def _killed(running: Running) -> None:
    for child in psutil.Process(running.process.pid).children(recursive=True):
        os.kill(child.pid, signal.SIGKILL)
    stopped(running, kill=True)


def measure(
    *,
    callers: int,
    seconds: float,
    processes: int,
    kill: bool,
    mix: Mapping[str, int] = MIX,
    wait: float = 0.0,
    embedder: str = "none",
    pooler: int = 0,
) -> dict[str, object]:
    """One run over a database of its own."""
    with ExitStack() as stack:
        name = stack.enter_context(tempfile.TemporaryDirectory())
        database = stack.enter_context(fresh(stack.enter_context(shared(Path(name)))))
        folder, address = Path(name), database.serving_url
        if pooler:
            address = stack.enter_context(pooled(address, connections=pooler)).url
        env = {
            "REMEMBRANCER_SECRET_KEY": SECRET,
            "REMEMBRANCER_SERVICE_RATE": "1000000",
            "REMEMBRANCER_NIGHTLY": "false",
            "REMEMBRANCER_POOL_SIZE": "16",
        }
        options = ("--processes", str(processes), "--quiet", "--embedder", embedder)
        running = started(address, folder / "log", *options, env=env)
        try:
            before = _resident(running)
            per = callers // SENDERS
            calls = Calls(
                url=running.url,
                seconds=seconds,
                mix=mix,
                wait=wait,
                retries=12 if kill else 4,
            )
            senders = [
                multiprocessing.get_context("spawn").Process(target=send, args=(calls, index * per, per, name))
                for index in range(SENDERS)
            ]
            anyio.run(warm_up, running.url, processes)
            taken = {"service": psutil.Process(running.process.pid), "database": postmaster(database.admin_url)}
            spent = {name: -processor_seconds(of) for name, of in taken.items()}
            for sender in senders:
                sender.start()
            middle = 0
            if kill:
                time.sleep(seconds / 2)
                _killed(running)
                port = int(running.url.rpartition(":")[2])
                running = started(address, folder / "log", *options, env=env, port=port)
            else:
                time.sleep(seconds / 2)
                middle = _resident(running)
            for sender in senders:
                sender.join()
            # A service that was killed took its figures along.
            ended = {} if kill else {name: spent[name] + processor_seconds(of) for name, of in taken.items()}
            wait_for(running)
            after = _resident(running)
            files = [folder / f"{index * per}.json" for index in range(SENDERS)]
            loads = [json.loads(file.read_text(encoding="utf-8")) for file in files]
            ended["callers"] = sum(load["processor"] for load in loads)
            told = _told(loads, database.admin_url)
            return {
                **told,
                "requests a second": round(told["requests"] / seconds, 1),
                "processor ms a request": {
                    name: round(1_000 * took / told["requests"], 2) for name, took in ended.items()
                },
                "context cache": _cached(running),
                "megabytes": [round(size / 2**20) for size in (before, middle, after)],
                "unexpected": running.text().count("unexpected"),
            }
        finally:
            stopped(running, kill=True)


def _told(loads: Sequence[Any], admin_url: str) -> dict[str, Any]:
    written: list[str] = [id for load in loads for id in load["written"]]
    with psycopg.connect(admin_url) as admin:
        rows = admin.execute("SELECT id, text FROM remembrancer.records WHERE tenant = %s", (TENANT,)).fetchall()
    held, texts = {row[0] for row in rows}, Counter(row[1] for row in rows)
    times: dict[str, list[float]] = {}
    errors: Counter[str] = Counter()
    for load in loads:
        errors.update(load["errors"])
        for what, found in load["milliseconds"].items():
            times.setdefault(what, []).extend(found)
    return {
        "requests": sum(map(len, times.values())),
        "acknowledged": len(written),
        "lost": len(set(written) - held),
        "doubled": sum(count > 1 for count in texts.values()),
        "not acknowledged and held": len(held) - len(set(written)),
        "errors": dict(errors.most_common(5)),
        "p50 / p99 ms": {what: _percentiles(times[what]) for what in sorted(times)},
    }


def _percentiles(found: Sequence[float]) -> list[float]:
    return [round(float(np.percentile(found, percent)), 1) for percent in (50, 99)]


def _mix(said: str) -> dict[str, int]:
    """How many calls of each kind, as `recall=6,record=3`."""
    mix = {what: int(many) for what, many in (part.split("=") for part in said.split(","))}
    if not mix.keys() <= MIX.keys():
        raise argparse.ArgumentTypeError(f"the calls are {', '.join(MIX)}")
    return mix


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--callers", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--mix", type=_mix, default=MIX, help="as recall=6,record=3,context=1")
    parser.add_argument("--wait", type=float, default=0.0, help="seconds from an answer to the next request")
    parser.add_argument("--embedder", default="none")
    parser.add_argument("--kill", action="store_true")
    parser.add_argument("--pooler", type=int, default=0, help="connections of a PgBouncer to the server")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    found = measure(
        callers=given.callers,
        seconds=given.seconds,
        processes=given.processes,
        kill=given.kill,
        mix=given.mix,
        wait=given.wait,
        embedder=given.embedder,
        pooler=given.pooler,
    )
    if given.json:
        print(json.dumps(found))
        return
    for name, value in found.items():
        print(f"{name}: {value}")


if __name__ == "__main__":
    main()
