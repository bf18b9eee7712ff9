"""The graph in a large store: the time of each query.

    python -m bench.graph [--memories 10000,100000] [--store sqlite|postgres] [--runs 30]

The notes name people, firms, towns and projects of a made-up world; each person has some relations, and many memories
that only name them. For each number: filling, then p50 and p95 of each query in milliseconds; and of recall with and
without links, in turns.
"""

import argparse
import random
import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from typing import Any, Final

import anyio

from bench.places import STORES, Place, places
from remembrancer import Memory, NewObservation, RecallRequest
from remembrancer.search.query import Retriever

_LONG_AGO: Final = datetime(2000, 1, 1, tzinfo=UTC)
_BATCH: Final = 1_000
_WITHOUT: Final = tuple(one.value for one in Retriever if one is not Retriever.LINKED)
_SYLLABLES: Final = ("ba", "do", "fi", "gu", "ka", "le", "mi", "no", "pa", "ro", "sa", "te", "vu", "za")
_FILLER: Final = (
    "called about the offer and wants it by Friday", "sent the draft of the plan", "asked for a room with a window",
    "is ill this week and will call back", "has read the report and agrees", "wants the invoice again",
)  # fmt: skip


class World:
    """People, firms, towns and projects; the same for the same number."""

    def __init__(self, memories: int) -> None:
        chance = random.Random(memories)

        def word(syllables: int = 3) -> str:
            return "".join(chance.choices(_SYLLABLES, k=syllables)).title()

        people, others = max(20, memories // 100), max(5, memories // 1_000)
        self.people = list(dict.fromkeys(f"{word()} {word(6)}" for _ in range(people)))
        self.firms = [f"{word()} {kind}" for _ in range(others) for kind in ("Works", "Bank")]
        self.towns = [f"{word()}ville" for _ in range(others)]
        self._chance = chance

    def notes(self, count: int) -> Sequence[str]:
        """Return the texts of the memories."""
        chance, people = self._chance, self.people
        texts = [
            text
            for place, one in enumerate(people)
            for text in (
                f"{one} works at {chance.choice(self.firms)}.",
                f"{one} lives in {chance.choice(self.towns)}.",
                f"{one} reports to {people[place // 2]}.",
            )
        ]
        while len(texts) < count:
            names = chance.sample(people, chance.randint(1, 2))
            texts.append(f"{' and '.join(names)}: {chance.choice(_FILLER)}, number {len(texts)}.")
        chance.shuffle(texts)
        return texts[:count]


async def fill(memory: Memory, world: World, count: int) -> None:
    """Save the notes of a world."""
    texts = world.notes(count)
    for start in range(0, count, _BATCH):
        await memory.observations.save_many([NewObservation(text=text) for text in texts[start : start + _BATCH]])


async def filled_store(place: Place, count: int) -> None:
    """Fill a store with the notes of a world."""
    async with place.open(None) as memory:
        await fill(memory, World(count), count)


async def measure(place: Place, count: int, runs: int) -> None:
    """Fill a store and print the times of the queries."""
    world = World(count)
    async with place.open(None) as memory:
        began = time.perf_counter()
        await fill(memory, world, count)
        place.analyse()
        print(f"{count:,}: filled in {time.perf_counter() - began:.1f} s", flush=True)
        chance = random.Random(1)
        asked = chance.sample(world.people, min(runs, len(world.people)))
        queries: dict[str, Callable[[Memory, str], Awaitable[Any]]] = {
            "entities, by a part": lambda memory, name: memory.graph.entities(name[:4]),
            "entities, all": lambda memory, _: memory.graph.entities(),
            "entity": lambda memory, name: memory.graph.entity(name),
            "entity, by surname": lambda memory, name: memory.graph.entity(name.split()[1]),
            "entity of many memories": lambda memory, _: memory.graph.entity(world.firms[0]),
            "neighbours, depth 1": lambda memory, name: memory.graph.neighbours(name, depth=1),
            "neighbours, depth 2": lambda memory, name: memory.graph.neighbours(name, depth=2),
            "neighbours, depth 5, 200": lambda memory, name: memory.graph.neighbours(name, depth=5, limit=200),
            "shortest path, depth 3": lambda memory, name: memory.graph.shortest_path(name, world.people[0]),
            "changes": lambda memory, name: memory.graph.changes(name, _LONG_AGO),
            "relations, 100": lambda memory, _: memory.graph.relations(limit=100),
        }
        for title, query in queries.items():
            times: list[float] = []
            await query(memory, asked[0])
            for name in asked:
                began = time.perf_counter()
                await query(memory, name)
                times.append(1_000 * (time.perf_counter() - began))
                if sum(times) > 20_000:
                    break
            p95 = sorted(times)[int(0.95 * (len(times) - 1))]
            print(f"  {title}: p50 {statistics.median(times):.1f}, p95 {p95:.1f} ms ({len(times)} runs)", flush=True)
        both: dict[str, list[float]] = {"without links": [], "with links": []}
        for name in asked * 2:
            for title, retrievers in (("without links", _WITHOUT), ("with links", ())):
                began = time.perf_counter()
                await memory.recall(_question(name, retrievers))
                both[title].append(1_000 * (time.perf_counter() - began))
        medians = {title: statistics.median(times[len(asked) :]) for title, times in both.items()}
        print(f"  recall: {', '.join(f'{title} p50 {median:.1f} ms' for title, median in medians.items())}", flush=True)


def _question(name: str, retrievers: Sequence[str]) -> RecallRequest:
    return RecallRequest(question=f"What does {name} want by Friday?", retrievers=retrievers, record_access=False)


def main() -> None:
    """Measure the sizes that the arguments name."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", default="10000")
    parser.add_argument("--store", choices=STORES, default="sqlite")
    parser.add_argument("--runs", type=int, default=30)
    arguments = parser.parse_args()
    with places(arguments.store) as found:
        for count in map(int, arguments.memories.split(",")):
            anyio.run(measure, next(found), count, arguments.runs)


if __name__ == "__main__":
    main()
