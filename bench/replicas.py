"""Reads of one's own writes on a streaming replica that is behind: found or not, and by whom answered.

    python -m bench.replicas [--saves 10000] [--delays 0 20 200] [--others]

Each save is followed by a recall at once. The replica applies each commit after a delay in milliseconds
(`recovery_min_apply_delay`). The last line has no replica.
"""

import argparse
import json
import statistics
import sys
from collections.abc import Sequence
from time import perf_counter
from typing import Any

import anyio
import psycopg

from bench.places import ROLE
from remembrancer import Memory, Scope, open_memory
from remembrancer.storage.postgres.roles import prepare
from remembrancer.types.replicas import ReplicaState, ReplicaStatus
from tests.databases import SECRET
from tests.postgres_server import PostgresServer

_DATABASE = "bench"
# Of the others, one is read after each save.
_OTHERS = 20


async def measure(url: str, replicas: Sequence[str], *, name: str, saves: int, others: bool) -> dict[str, Any]:
    """Save and recall; return what was found, the share of reads that replicas answered, and times.

    Args:
        name: of this measurement, for scopes that are its own.
        others: whether another scope is read after each save.
    """
    async with open_memory(url, embedder="hash", background=False, secret_key=SECRET, replicas=replicas) as root:
        for each in range(_OTHERS):
            await root.within(Scope(user=f"other-{each}")).save(f"Otter {each} swims in lake {each * 3}.")
        # They are looked at once a second.
        await anyio.sleep(2.5)
        assert all(state.status is ReplicaStatus.READY for state in await _states(root))
        memory, found, times, other_times = root.within(Scope(user=name)), 0, list[float](), list[float]()
        for number in range(saves):
            saved = await memory.save(f"Heron {number} stands at mill {number * 7} since {number % 97} days.")
            begun = perf_counter()
            hits = (await memory.recall(f"At which mill does heron {number} stand?", limit=10)).hits
            times.append(perf_counter() - begun)
            found += saved.record.id in [hit.record.id for hit in hits]
            if others:
                begun = perf_counter()
                await root.within(Scope(user=f"other-{number % _OTHERS}")).recall("Where does the otter swim?")
                other_times.append(perf_counter() - begun)
        states = await _states(root)
    answered, missed = sum(state.reads for state in states), sum(state.missed for state in states)
    return {
        "saves": saves,
        "found": found,
        "share of the replica": round(answered / max(1, answered + missed), 3),
        "recall p50 ms": _middle(times),
        **({"others p50 ms": _middle(other_times)} if others else {}),
    }


async def _states(memory: Memory) -> Sequence[ReplicaState]:
    return await memory._engine.store.replicas()  # pyright: ignore[reportPrivateUsage] -- no method of a memory returns it


def _middle(times: Sequence[float]) -> float:
    return round(statistics.median(times) * 1_000, 1)


def main() -> int:
    """Run and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.replicas", description="Reads of one's own writes.")
    parser.add_argument("--saves", type=int, default=10_000)
    parser.add_argument("--delays", type=int, nargs="*", default=[0, 20, 200], help="of the replica, in milliseconds")
    parser.add_argument("--others", action="store_true", help="read another scope after each save")
    arguments = parser.parse_args()
    with PostgresServer() as primary:
        with psycopg.connect(primary.url(), autocommit=True) as admin:
            admin.execute(f"CREATE DATABASE {_DATABASE}")
        prepare(primary.url(_DATABASE), role=ROLE, password=ROLE)
        url = primary.url(_DATABASE, user=ROLE, password=ROLE)
        for delay in [*arguments.delays, None]:
            settings = {} if delay is None else {"recovery_min_apply_delay": f"{delay}ms"}
            with PostgresServer(primary=primary, settings=settings) as replica:
                at = [] if delay is None else [replica.url(_DATABASE, user=ROLE, password=ROLE)]
                name = "none" if delay is None else f"behind {delay} ms"

                async def run(at: Sequence[str] = at, name: str = name) -> dict[str, Any]:
                    return await measure(url, at, name=name, saves=arguments.saves, others=arguments.others)

                print(json.dumps({"replica": name, **anyio.run(run)}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
