"""How long an agent waits for its context, in a scope that has much to tell.

    python -m bench.context [--chats PATH] [--messages 10000] [--store sqlite|postgres] [--json]

A conversation of so many messages is recorded and observed without a model, until its log holds so many observations as
that gives; then contexts are asked for, each with a question of its own, one after the other. Vectors are generated, so
that the model's own time is apart. Each line stands beside a plain NumPy exact scan of as many vectors in the same run.
"""

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path

import anyio
import numpy as np

from bench.places import SECRET, Place, places
from bench.speed import DIMENSION, Clustered, chat_texts
from remembrancer.open import open_memory
from remembrancer.types.new import NewMessage
from remembrancer.types.record import Role

QUESTIONS = 60
SESSION = "long"
BATCH = 500


async def measure(place: Place, texts: Sequence[str], messages: int) -> dict[str, float]:
    """Fill a conversation, and ask for its context."""
    embedder = Clustered()
    async with open_memory(
        place.db,
        embedder=embedder,
        background=False,
        reflect_tokens=10_000_000,
        context_window=20_000_000,
        secret_key=SECRET if place.admin else None,
    ) as memory:
        roles = (Role.USER, Role.ASSISTANT)
        for begin in range(0, messages, BATCH):
            batch = [
                NewMessage(text=texts[number % len(texts)], role=roles[number % 2], session=SESSION)
                for number in range(begin, min(begin + BATCH, messages))
            ]
            await memory.messages.record_many(batch)
        await memory.sessions.observe_now(SESSION)
        await memory.upkeep.embed()
        place.analyse()
        held = await memory.upkeep.stats()
        await memory.context(SESSION, question="warm")
        times: list[float] = []
        for number in range(QUESTIONS):
            before = embedder.seconds
            started = time.perf_counter()
            await memory.context(SESSION, question=f"{number} {texts[number * 7 % len(texts)][:80]}", touch=False)
            times.append(1_000 * (time.perf_counter() - started - (embedder.seconds - before)))
    return {
        "messages": messages,
        "observations": held.records.get("observation/active", 0),
        "p50": round(float(np.percentile(times, 50)), 1),
        "p95": round(float(np.percentile(times, 95)), 1),
        "exact_scan": _scan(messages),
    }


def _scan(rows: int) -> float:
    vectors = np.random.default_rng(0).standard_normal((rows, DIMENSION), dtype=np.float32)
    times: list[float] = []
    for query in vectors[:40]:
        started = time.perf_counter()
        np.argpartition(-(vectors @ query), 10)
        times.append(1_000 * (time.perf_counter() - started))
    return round(float(np.percentile(times, 50)), 1)


def main() -> int:
    """Run and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.context")
    parser.add_argument("--chats", type=Path, help="the folder of the set RealMem, to take texts from")
    parser.add_argument("--messages", type=int, default=10_000)
    parser.add_argument("--store", choices=("sqlite", "postgres"), default="sqlite")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    texts = chat_texts(arguments.chats)
    with places(arguments.store) as stores:
        line = anyio.run(measure, next(stores), texts, arguments.messages)
    if arguments.json:
        print(json.dumps(line))
    else:
        print(", ".join(f"{name} {value}" for name, value in line.items()))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
