"""How long nightly runs take as episodes grow, how much memory they need, and what they do to those who read.

    python -m bench.nightly [--n 10000 100000] [--store sqlite|postgres] [--json]

A year of episodes is recorded, so many in each scope, and then the first night runs over all of them: everything that a
year of nights would do, at once. Each size is a process of its own, so that its peak of memory is its own. Beside the
run another process asks questions, before it and during it.
"""

import argparse
import json
import multiprocessing
import random
import resource
import statistics
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from multiprocessing.synchronize import Event
from typing import Any

import anyio
import anyio.to_thread

from bench.places import SECRET, Place, places
from remembrancer import RecallRequest
from remembrancer.memory import Memory
from remembrancer.open import open_memory
from remembrancer.types.jobs import MaintenanceStep
from remembrancer.types.new import NewEpisode
from remembrancer.types.scope import Scope

EACH = 5_000
BATCH = 500
CONTACTS = 40
YEAR = timedelta(days=365)
VERBS = ("sent", "shortened", "moved", "booked", "drafted", "filed")
THINGS = ("the order", "an invoice", "the reply", "a sample list", "the offer", "a reminder")
WAYS = ("today", "again", "in short", "by hand", "at once", "with a note")
EVENTS = (
    *["approval_approved"] * 6,
    "approval_modified",
    "approval_rejected",
    "action_completed",
    "exception_raised",
)
QUESTIONS = 40
PAUSE = 0.05


def _opened(place: Place) -> Any:
    return open_memory(
        place.db, embedder="none", background=False, agent="email", secret_key=SECRET if place.admin else None
    )


def year_of(chance: random.Random, count: int) -> list[NewEpisode]:
    """So many episodes, evenly over the last year."""
    start = datetime.now(UTC) - YEAR
    return [
        NewEpisode(
            summary=f"{chance.choice(VERBS)} {chance.choice(THINGS)} {chance.choice(WAYS)}",
            event=chance.choice(EVENTS),
            contact=f"contact {chance.randrange(CONTACTS)}",
            attributes={"amount": chance.randrange(5_000)},
            occurred_at=start + YEAR * number / count,
        )
        for number in range(count)
    ]


async def _fill(place: Place, n: int) -> list[Scope]:
    scopes = [Scope(agent="email", user=f"user {number}") for number in range(-(-n // EACH))]
    chance = random.Random(7)
    async with _opened(place) as memory:
        for number, scope in enumerate(scopes):
            episodes = year_of(chance, min(EACH, n - number * EACH))
            one: Memory = memory.within(scope)
            for at in range(0, len(episodes), BATCH):
                await one.episodes.record_many(episodes[at : at + BATCH])
            print(f"\rrecorded {min(n, (number + 1) * EACH):,} of {n:,}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return scopes


async def _run(place: Place, n: int, started: Event, ended: Event) -> dict[str, Any]:
    scopes = await _fill(place, n)
    place.analyse()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_024
    steps: dict[str, float] = {}
    at = time.perf_counter()

    def told(_scope: Scope, step: MaintenanceStep, _done: int) -> None:
        nonlocal at
        now = time.perf_counter()
        steps[step.value] = steps.get(step.value, 0.0) + now - at
        at = now

    async with _opened(place) as memory:
        started.set()
        await anyio.sleep(QUESTIONS * PAUSE * 2)
        begun = at = time.perf_counter()
        counts: dict[str, int] = {}
        for number, scope in enumerate(scopes, 1):
            night = await memory.within(scope).admin.maintenance.run(progress=told)
            for name, count in night.counts.items():
                counts[name] = counts.get(name, 0) + count
            print(f"\rnight of {number:,} of {len(scopes):,} scopes", end="", file=sys.stderr, flush=True)
        seconds = time.perf_counter() - begun
        ended.set()
        begun = time.perf_counter()
        for scope in scopes:
            await memory.within(scope).admin.maintenance.run()
        again = time.perf_counter() - begun
    print(file=sys.stderr)
    return {
        "episodes": n,
        "scopes": len(scopes),
        "seconds": round(seconds, 1),
        "again": round(again, 2),
        "milliseconds each": round(1_000 * seconds / n, 3),
        "MiB before": round(before),
        "MiB at most": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_024),
        "steps": {name: round(spent, 1) for name, spent in steps.items()},
        "counts": counts,
    }


def _size(place: Place, n: int, started: Event, ended: Event, found: Any) -> None:
    found.put(anyio.run(_run, place, n, started, ended))


async def _ask(place: Place, started: Event, ended: Event) -> dict[str, float]:
    """The 95th percentile of a recall's milliseconds, alone and beside the run."""
    await anyio.to_thread.run_sync(started.wait)
    async with _opened(place) as memory:
        reader = memory.within(Scope(agent="email", user="user 0"))
        await reader.recall(RecallRequest(question="the order", record_access=False))
        alone = [await _timed(reader, number) for number in range(QUESTIONS)]
        await anyio.sleep(QUESTIONS * PAUSE)
        beside: list[float] = []
        while not ended.is_set():
            beside.append(await _timed(reader, len(beside)))
    return {"recall p95 alone": _p95(alone), "recall p95 beside": _p95(beside), "recalls beside": float(len(beside))}


async def _timed(memory: Memory, number: int) -> float:
    await anyio.sleep(PAUSE)
    began = time.perf_counter()
    await memory.recall(
        RecallRequest(question=f"{VERBS[number % len(VERBS)]} {THINGS[number % len(THINGS)]}", record_access=False)
    )
    return 1_000 * (time.perf_counter() - began)


def _p95(times: Sequence[float]) -> float:
    return round(statistics.quantiles(times, n=20)[-1], 1) if len(times) > 1 else float("nan")


def measured(place: Place, n: int) -> dict[str, Any]:
    """One size, in a process of its own, with a reader beside it."""
    context = multiprocessing.get_context("spawn")
    started, ended, found = context.Event(), context.Event(), context.Queue()
    process = context.Process(target=_size, args=(place, n, started, ended, found))
    process.start()
    try:
        asked = anyio.run(_ask, place, started, ended)
        return {**found.get(), **asked}
    finally:
        process.join()


def main() -> None:
    """Print a line for each size, and how the time grows."""
    parser = argparse.ArgumentParser(prog="python -m bench.nightly", description="Nights over many episodes.")
    parser.add_argument("--n", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--store", choices=("sqlite", "postgres"), default="sqlite")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    found: list[dict[str, Any]] = []
    with places(arguments.store) as stores:
        for n in arguments.n:
            found.append(measured(next(stores), n))
            if not arguments.json:
                print(json.dumps(found[-1]))
    for one, more in pairwise(found):
        grown = more["seconds"] / one["seconds"]
        more["times the episodes"] = round(more["episodes"] / one["episodes"], 1)
        more["times the seconds"] = round(grown, 2)
        if not arguments.json:
            print(f"{more['times the episodes']} times the episodes took {grown:.2f} times as long")
    if arguments.json:
        print(json.dumps(found))


if __name__ == "__main__":
    main()
