"""Stores of ten thousand to ten million memories: what each operation costs as they grow, and what gives way first.

    python -m bench.scale [--store sqlite|postgres] [--shape one|many] [--sizes 10000 100000 1000000] [--tenants 100]
                          [--keep FOLDER] [--chats PATH] [--index-last] [--json]

`one` is one growing scope; `many` is scopes of 1,000 memories each, as many as make up the size, spread over some
tenants. A store is filled by `record_many`, vectors are added behind, and then another process asks it, so that the
first recall and the memory are those of a process that has just opened the store. Vectors are generated, as in
`bench.speed`; with `--index-last` PostgreSQL's index of them is built when all are there, as the documentation advises
for a large import. The last lines are slopes on a log-log line: 0 where an operation does not grow, 1 where it grows
with the store. With `--keep` a run that was stopped goes on where it was.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Any, Final

import anyio
import numpy as np
import psutil
import psycopg
from numpy.typing import NDArray

from bench.places import SECRET, Place, kept, postmaster
from bench.speed import Clustered, chat_texts
from remembrancer import Memory, NewMessage, RecallRequest, Scope
from remembrancer.storage.postgres.store import PostgresStore
from remembrancer.storage.sqlite.connection import SQLiteConnection
from remembrancer.storage.sqlite.store import SQLiteStore
from remembrancer.types.access import Caller

SIZES: Final = (10_000, 100_000, 1_000_000)
SHAPES: Final = ("one", "many")
OF_A_SCOPE: Final = 1_000
_BATCH: Final = 1_000
_TURNS: Final = 20
_VICTIMS: Final = 3
# The scopes of which a process asks.
_ASKED: Final = 20
_EXACT: Final = 20
_NIGHT_SECONDS: Final = 600.0
_PAGE: Final = 50_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is measured: a shape in a store, at growing sizes.

    Args:
        runs: of each operation.
        erased: the memories of a user who is erased.
    """

    store: str
    shape: str
    sizes: Sequence[int]
    tenants: int
    chats: str
    partitions: int | None = None
    index_last: bool = False
    runs: int = 60
    erased: int = OF_A_SCOPE

    @property
    def name(self) -> str:
        """Name of its files."""
        kinds = [str(self.partitions)] if self.partitions else []
        kinds += ["index-last"] if self.index_last else []
        return "-".join([self.store, self.shape, str(self.tenants), *kinds])

    def scope(self, number: int) -> Scope:
        """Return a scope by its number; of the shape `one` all are in one tenant."""
        return Scope(tenant=f"tenant-{number % self.tenants}", user=f"user-{number}")

    def scopes(self, memories: int) -> list[Scope]:
        """Return the scopes of a size."""
        count = 1 if self.shape == "one" else max(1, memories // OF_A_SCOPE)
        return [self.scope(number) for number in range(count)]


@dataclass(slots=True)
class State:
    """How far a run is: memories that are filled, by number of scope, and the lines so far."""

    filled: dict[str, int] = field(default_factory=dict[str, int])
    seconds: dict[str, float] = field(default_factory=dict[str, float])
    lines: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    @classmethod
    def read(cls, path: Path) -> "State":
        """Return the state of a file, or a new one."""
        return cls(**json.loads(path.read_text())) if path.exists() else cls()

    def write(self, path: Path) -> None:
        """Write it so that a killed run finds the old or the new one."""
        beside = path.with_suffix(".new")
        beside.write_text(json.dumps(asdict(self)))
        beside.replace(path)


async def fill(place: Place, plan: Plan, memories: int, state: State, path: Path) -> None:
    """Fill a store up to a size, then make the vectors that are missing."""
    embedder, texts = Clustered(), chat_texts(Path(plan.chats) if plan.chats else None)
    scopes = plan.scopes(memories)
    share = memories // len(scopes)
    async with place.open(embedder) as memory:
        for number, scope in enumerate(scopes):
            done = state.filled.get(str(number), 0)
            own = memory.within(scope)
            source = islice(cycle(texts), done % len(texts), None)
            while done < share:
                batch = [
                    NewMessage(text=text, session=f"session-{(done + at) // _TURNS}")
                    for at, text in enumerate(islice(source, min(_BATCH, share - done)))
                ]
                began = time.perf_counter()
                await own.messages.record_many(batch)
                done += len(batch)
                state.filled[str(number)] = done
                state.seconds["fill"] = state.seconds.get("fill", 0.0) + time.perf_counter() - began
                if plan.shape == "one" or number % 100 == 99:
                    state.write(path)
                    _tell(f"{plan.store} {plan.shape}: {sum(state.filled.values()):,} of {memories:,} memories")
        if plan.index_last:
            # The first vectors create the index.
            await memory.within(scopes[0]).admin.index.embed_soon()
            _drop_index(place)
        began, spent = time.perf_counter(), embedder.seconds
        await memory.admin.index.embed()
        more = time.perf_counter() - began - (embedder.seconds - spent)
        state.seconds["embed"] = state.seconds.get("embed", 0.0) + more
        if plan.index_last:
            state.seconds["index"] = _build_index(place)
    place.analyse()
    state.write(path)


def _drop_index(place: Place) -> None:
    with psycopg.connect(place.admin) as owner:
        owner.execute("DROP INDEX IF EXISTS remembrancer.vectors_near_1")


def _build_index(place: Place) -> float:
    """Build the index of vectors; return the seconds."""
    began = time.perf_counter()
    with psycopg.connect(place.admin) as owner:
        owner.execute("SET maintenance_work_mem = '2GB'")
        owner.execute(
            "SELECT remembrancer_ops.create_vector_index(number, dimension) FROM remembrancer_ops.generations"
        )
    return time.perf_counter() - began


async def ask(place: Place, plan: Plan, memories: int) -> dict[str, Any]:
    """Return what each operation costs in a store of a size, in milliseconds."""
    embedder, texts = Clustered(), chat_texts(Path(plan.chats) if plan.chats else None)
    chance = np.random.default_rng(memories)
    scopes = plan.scopes(memories)
    found: dict[str, Any] = {"memories": memories, "scopes": len(scopes)}
    async with place.open(embedder) as memory:
        drawn: list[int] = chance.permutation(len(scopes))[:_ASKED].tolist()
        some = [memory.within(scopes[number]) for number in drawn]

        def within() -> Memory:
            return some[int(chance.integers(len(some)))]

        def question() -> str:
            words = texts[int(chance.integers(len(texts)))].split()
            places: list[int] = sorted(chance.choice(len(words), min(7, len(words)), replace=False).tolist())
            return " ".join(words[at] for at in places) + "?"

        def request() -> RecallRequest:
            asked = question()
            vector = embedder.queries([asked])[0]
            return RecallRequest(question=asked, vector=vector, space=embedder.space, record_access=False)

        found["first recall"] = await _timed(within().recall, request())
        # A process reads the vectors of a scope at its first recall.
        first = [await _timed(one.recall, request()) for one in some]
        found["first recall of a scope p50"] = round(float(np.median(first)), 2)
        operations: dict[str, Callable[[], Awaitable[Any]]] = {
            "recall": lambda: within().recall(request()),
            "save": lambda: within().record(NewMessage(text=question(), session="a session of now")),
            "context": lambda: within().context(question=question()),
            "brief": lambda: within().context(mode="brief"),
            "list": lambda: within().list(limit=20),
        }
        for name, operation in operations.items():
            times = [await _timed(operation) for _ in range(plan.runs)][plan.runs // 6 :]
            for percent in (50, 95, 99):
                found[f"{name} p{percent}"] = round(float(np.percentile(times, percent)), 2)
        found["memory MiB"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
        if place.admin:
            found["server MiB"] = _server_mib(place.admin)
        erasing: list[float] = []
        for number in range(_VICTIMS):
            tenant, user = scopes[0].tenant, f"victim-{memories}-{number}"
            victim = memory.within(Scope(tenant=tenant, user=user))
            await victim.messages.record_many([NewMessage(text=text) for text in texts[: plan.erased]])
            erasures = memory.within(Scope(tenant=tenant)).governance.erasure
            erasing.append(await _timed(partial(erasures.erase, user=user, reason="bench")))
        found[f"erasure of {plan.erased:,}"] = round(float(np.median(erasing)))
        _forget_nights(place)
        with anyio.move_on_after(_NIGHT_SECONDS):
            found["night"] = await _timed(memory.within(scopes[-1]).admin.maintenance.run)
    found |= await _exact_nearest(place, scopes[0], embedder)
    return found


async def _timed(work: Callable[..., Awaitable[Any]], *arguments: Any) -> float:
    began = time.perf_counter()
    await work(*arguments)
    return round(1_000 * (time.perf_counter() - began), 2)


async def _exact_nearest(place: Place, scope: Scope, embedder: Clustered) -> dict[str, float]:
    """Return the share of the exact ten nearest of a scope that the index finds, and the time of both."""
    queries = embedder.queries([""] * _EXACT)
    store = PostgresStore.open(place.db, secret=SECRET) if place.admin else SQLiteStore.open(place.db)
    ours, times = list[set[int]](), list[float]()
    async with store as opened, opened.snapshot(Caller(scope=scope)) as tx:
        exact = [one.scope for one in await tx.text_index.statistics()]
        for query in queries:
            began = time.perf_counter()
            nearest = await tx.vectors.nearest(query, generation=1, limit=80, among=None)
            times.append(1_000 * (time.perf_counter() - began))
            ours.append(set(nearest.documents[:10].tolist()))
    best: list[dict[int, float]] = [{} for _ in queries]
    scanned = 0.0
    for documents, rows in _vectors(place, exact):
        began = time.perf_counter()
        scores = rows @ queries.T
        scanned += time.perf_counter() - began
        for query, kept_best in enumerate(best):
            top = np.argpartition(-scores[:, query], min(10, len(scores) - 1))[:10]
            kept_best |= dict(zip(documents[top].tolist(), scores[top, query].tolist(), strict=True))
    shares = [
        len(found & set(sorted(scores, key=lambda one: -scores[one])[:10])) / 10
        for found, scores in zip(ours, best, strict=True)
    ]
    return {
        "nearest p50": round(float(np.median(times)), 2),
        "exact scan": round(1_000 * scanned / _EXACT, 2),
        "of the exact ten": round(float(np.mean(shares)), 3),
    }


def _vectors(place: Place, scopes: Sequence[int]) -> Any:
    """Yield the vectors of scopes in pages, straight from the database: documents and float32 rows."""
    if place.admin:
        with psycopg.connect(place.admin) as connection, connection.cursor("vectors", binary=True) as cursor:
            cursor.itersize = _PAGE
            cursor.execute(
                "SELECT document, halfvec_send(vector) FROM remembrancer.vectors WHERE scope = ANY(%s)", (list(scopes),)
            )
            while page := cursor.fetchmany(_PAGE):
                yield _page([(row[0], row[1][4:]) for row in page], ">f2")
        return
    connection = SQLiteConnection(place.db, read_only=True)
    for scope in scopes:
        after = 0
        while page := connection.rows(
            "SELECT document, vector, sequence FROM vectors WHERE scope = ? AND generation = 1 AND sequence > ?"
            " ORDER BY sequence LIMIT ?",
            (scope, after, _PAGE),
        ):
            after = page[-1][2]
            yield _page(page, "<f2")
    connection.close()


def _page(rows: Sequence[Sequence[Any]], kind: str) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    vectors = np.frombuffer(b"".join(row[1] for row in rows), dtype=kind).reshape(len(rows), -1)
    return np.array([row[0] for row in rows], dtype=np.int64), vectors.astype(np.float32)


def _forget_nights(place: Place) -> None:
    """Delete the runs of today's night, so that it runs again at the next size."""
    if place.admin:
        with psycopg.connect(place.admin) as admin:
            admin.execute("DELETE FROM remembrancer.maintenance_runs")
            admin.execute("UPDATE remembrancer.records SET decayed_on = NULL WHERE decayed_on IS NOT NULL")
        return
    connection = SQLiteConnection(place.db)
    connection.run("DELETE FROM maintenance_runs")
    connection.run("UPDATE records SET decayed_on = NULL WHERE decayed_on IS NOT NULL")
    connection.close()


def _server_mib(admin: str) -> int:
    """Return the memory of a server and its processes, what they share counted once."""
    server, found = postmaster(admin), 0
    for one in (server, *server.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            found += one.memory_full_info().pss
    return round(found / 2**20)


def _sizes(place: Place) -> dict[str, int]:
    """Return the MiB on disk of each table with its indexes, the largest first, and of the whole."""
    if not place.admin:
        return {"file": round(sum(one.stat().st_size for one in Path(place.db).parent.glob("*.db*")) / 2**20)}
    with psycopg.connect(place.admin) as connection:
        rows = connection.execute(
            "SELECT relname, SUM(pg_table_size(pg_class.oid)), SUM(pg_indexes_size(pg_class.oid))"
            " FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace"
            " WHERE relkind = 'r' AND nspname ~ '^remembrancer(_p[0-9]+)?$' GROUP BY 1 ORDER BY 2 DESC"
        ).fetchall()
    sizes = {
        f"{name} {part}": round(size / 2**20)
        for name, *two in rows
        for part, size in zip(("rows", "indexes"), two, strict=True)
    }
    return {name: size for name, size in sorted(sizes.items(), key=lambda one: -one[1]) if size}


def _written(place: Place) -> int:
    """Return the bytes of journal that a server has written so far."""
    if not place.admin:
        return 0
    with psycopg.connect(place.admin) as connection:
        row = connection.execute("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint").fetchone()
    return row[0] if row else 0


def slopes(lines: Sequence[dict[str, Any]]) -> dict[str, float]:
    """Return the slope of each figure over the number of memories, on a log-log line, by least squares."""
    found: dict[str, float] = {}
    for name in lines[0] if len(lines) > 1 else ():
        points = [(line["memories"], line[name]) for line in lines if isinstance(line.get(name), int | float)]
        if name != "memories" and len(points) > 1 and all(value > 0 for _, value in points):
            sizes, values = np.log([size for size, _ in points]), np.log([value for _, value in points])
            found[name] = round(float(np.polyfit(sizes, values, 1)[0]), 2)
    return found


def run(plan: Plan, folder: Path) -> State:
    """Measure each size that is left."""
    path = folder / f"{plan.name}.json"
    state = State.read(path)
    with kept(plan.store, folder / f"{plan.name}.db", partitions=plan.partitions) as place:
        for memories in plan.sizes:
            if any(line["memories"] == memories for line in state.lines):
                continue
            written, before, spent = _written(place), sum(state.filled.values()), dict(state.seconds)
            anyio.run(fill, place, plan, memories, state, path)
            line = _in_another_process(place, plan, memories)
            # A run that goes on behind the filling has no rates of it.
            if added := sum(state.filled.values()) - before:
                line["filled a second"] = round(added / (state.seconds["fill"] - spent.get("fill", 0.0)))
                line["vectors a second"] = round(added / (state.seconds["embed"] - spent.get("embed", 0.0)))
                line |= {"index built, s": round(state.seconds["index"])} if plan.index_last else {}
                line["journal a memory"] = round((_written(place) - written) / added)
            state.lines.append({**line, "MiB": _sizes(place)})
            state.write(path)
            _tell(json.dumps(state.lines[-1]))
    return state


def _in_another_process(place: Place, plan: Plan, memories: int) -> dict[str, Any]:
    given = json.dumps({"place": asdict(place), "plan": asdict(plan), "memories": memories})
    ran = subprocess.run(
        [sys.executable, "-m", "bench.scale", "--ask", given], stdout=subprocess.PIPE, text=True, check=True
    )
    return json.loads(ran.stdout)


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def main() -> int:
    """Run and print."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.scale", description="What each operation costs as stores grow."
    )
    parser.add_argument("--store", choices=("sqlite", "postgres"), default="sqlite")
    parser.add_argument("--shape", choices=SHAPES, default="one")
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--tenants", type=int, default=1)
    parser.add_argument("--partitions", type=int, help="of the tables on PostgreSQL, by tenant")
    parser.add_argument("--keep", type=Path, help="where the store and what was measured stay")
    parser.add_argument("--index-last", action="store_true", help="build the index of vectors of PostgreSQL at the end")
    parser.add_argument("--chats", default="", help="the folder of the set RealMem, to take texts from")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--ask", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.ask:
        given = json.loads(arguments.ask)
        print(json.dumps(anyio.run(ask, Place(**given["place"]), Plan(**given["plan"]), given["memories"])))
        return 0
    plan = Plan(
        store=arguments.store,
        shape=arguments.shape,
        sizes=sorted(arguments.sizes),
        tenants=arguments.tenants,
        chats=arguments.chats,
        partitions=arguments.partitions,
        index_last=arguments.index_last,
    )
    if plan.index_last and plan.store != "postgres":
        parser.error("--index-last is for --store postgres")
    with tempfile.TemporaryDirectory() as folder:
        where = arguments.keep or Path(folder)
        where.mkdir(parents=True, exist_ok=True)
        # A server that another account runs has its data there.
        where.chmod(0o755)
        state = run(plan, where)
    found = slopes(state.lines)
    if arguments.json:
        print(json.dumps({"lines": state.lines, "slopes": found}))
        return 0
    for name in state.lines[0]:
        values = [str(line.get(name, "-")) for line in state.lines if name != "MiB"]
        if values:
            print(f"{name:20} {'  '.join(f'{value:>10}' for value in values)}  {found.get(name, ''):>6}")
    for line in state.lines:
        print(f"MiB at {line['memories']:,}: {', '.join(f'{name} {size}' for name, size in line['MiB'].items())}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
