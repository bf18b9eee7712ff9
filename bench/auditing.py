"""What the audit of reads costs: `record` and `recall` with it and without it, in turn, within one run.

python -m bench.auditing [--n 2000] [--rounds 10] [--json]
"""

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import anyio

from remembrancer import Memory, open_memory


async def timed(work: Callable[[int], Awaitable[object]], times: int) -> float:
    """Microseconds that one of so many took, on average."""
    begun = time.perf_counter()
    for number in range(times):
        await work(number)
    return (time.perf_counter() - begun) / times * 1e6


async def measured(rows: int, rounds: int) -> dict[str, float]:
    """The ratio of each, and what it is of."""
    with tempfile.TemporaryDirectory() as folder:
        async with AsyncExitStack() as stack:
            memories: dict[bool, Memory] = {}
            for reads in (False, True):
                path = Path(folder) / f"{reads}.db"
                memories[reads] = await stack.enter_async_context(
                    open_memory(path, embedder="hash", background=False, audit_reads=reads)
                )
                for number in range(rows):
                    await memories[reads].record(f"line {number} on tea, coffee and herons", session="filled")
                await memories[reads].admin.index.embed()
            took: dict[tuple[str, bool], list[float]] = {}
            for number in range(rounds):
                for reads in (False, True) if number % 2 else (True, False):
                    memory = memories[reads]

                    async def record(place: int, memory: Memory = memory) -> None:
                        await memory.record(f"what was said {place}", session="talk")

                    async def recall(place: int, memory: Memory = memory) -> None:
                        await memory.recall(f"tea or herons {place}?", abstain=False)

                    took.setdefault(("record", reads), []).append(await timed(record, 100))
                    took.setdefault(("recall", reads), []).append(await timed(recall, 60))
            found: dict[str, float] = {}
            for name in ("record", "recall"):
                pairs = zip(took[name, True], took[name, False], strict=True)
                found[f"{name} ratio"] = round(statistics.median(on / off for on, off in pairs), 3)
                found[f"{name} us"] = round(statistics.median(took[name, True]), 1)
            return found


def main() -> None:
    """Print what was found."""
    parser = argparse.ArgumentParser(prog="python -m bench.auditing", description=__doc__)
    parser.add_argument("--n", type=int, default=2_000)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    found = anyio.run(measured, given.n, given.rounds)
    print(json.dumps(found) if given.json else "\n".join(f"{name}: {value}" for name, value in found.items()))


if __name__ == "__main__":
    main()
