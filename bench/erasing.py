"""Erasing one of many: how long it takes, what is left, whether others' stands, and what a reader waits meanwhile.

    python -m bench.erasing [--n 200000] [--kills 30] [--store file|server] [--beside] [--json]

A store of `n` memories of twenty people is made: messages in sessions, observations with evidence and earlier wordings,
facts, episodes of every tier, rules, verdicts, rejections, injections, runs that no model could observe, calls, nights,
two generations of vectors, and what rests on hers in a wider scope. One is erased. Then every byte of the file and of
what lies beside it is searched for her ids, her name and a word that only her texts have; with a server the dump of the
database, and the files of its tables and indexes once an administrator has had them written anew. What is of the others
is compared row by row, and the erasure of a copy is killed (-9) at `kills` moments and gone on with. Nothing of it
knows how an erasure works but by what it answers.

`--beside` has Redis keep contexts and Qdrant vectors, in a small store: both are searched, too.
"""

import argparse
import hashlib
import json
import mmap
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import anyio
import apsw
import numpy as np
import psycopg
from psycopg import sql
from qdrant_client import QdrantClient

from remembrancer import Memory, NewMessage, NewObservation, RecallRequest, Scope, check_receipt, open_memory
from remembrancer.storage.postgres.roles import prepare
from remembrancer.storage.sqlite.store import SQLiteStore
from remembrancer.types.access import Caller
from remembrancer.types.record import Kind
from tests.copying.filling import add_behaviour, add_calls, add_chunks, add_generation
from tests.databases import LOGIN, at
from tests.deleting import delete_or_erase
from tests.factories import call, observation
from tests.postgres_server import PostgresServer, program
from tests.redis_server import serving

PEOPLE = 20
WORD = "zyzzyva"
HER = "ana-ruiz-4711"
AGENT = "mail"
BATCH = 1_000
BESIDE_ROWS = 1_000
ERASE = (
    sys.executable,
    "-m",
    "remembrancer",
    "governance",
    "erasure",
    "erase",
    "user",
    HER,
    "--reason",
    "asked",
    "--yes",
    "--json",
)
# What counts rows or says how far work is, and what the erasure itself is kept in, is no memory of anybody.
OF_NOBODY = frozenset({"store", "counters", "tombstones", "audit", "policies", "leases", "scopes", "sqlite_sequence"})
OF_NOBODY_TOO = frozenset({"jobs", "breakers", "migrations", "kinds", "statuses", "calls", "changes"})
_ID = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_PASSWORD = "erasing"


# A store to erase from


async def fill(path: Path, rows: int) -> None:
    """A file of so many memories, of every kind."""
    chance = random.Random(0)
    async with open_memory(path, embedder="hash", background=False, embed_on_write=False) as memory:
        await memory.save("what all share")
        for person in range(PEOPLE):
            name = HER if person == 7 else f"person-{person}"
            await lived(memory.within(Scope(agent=AGENT, user=name)), name, rows // PEOPLE, chance)
        await memory.admin.index.embed()
    await add_generation(path)
    await add_chunks(path)
    await add_calls(path)
    await add_behaviour(path)
    await add_wider(path)


async def lived(own: Memory, name: str, rows: int, chance: random.Random) -> None:
    """So many memories of one person, and what people and agents do with them."""
    word, ids = WORD if name == HER else "quartz", list[str]()
    while len(ids) < rows - 200:
        size = min(BATCH, rows - len(ids))
        if not ids or chance.random() < 0.7:
            said = [
                NewMessage(text=f"{name} keeps {word} {chance.random():.9f} in a box", session=f"{name} {len(ids)}")
                for _ in range(size)
            ]
            ids += [one.record.id for one in await own.messages.record_many(said)]
        else:
            claims = [
                NewObservation(
                    text=f"{name} likes {word} {chance.random():.9f}", evidence=[chance.choice(ids)] if ids else []
                )
                for _ in range(size)
            ]
            ids += [one.record.id for one in await own.observations.save_many(claims)]
    for number in range(50):
        for value in ("before", "now"):
            await own.facts.set(f"profile.{word}-{number}", f"{word} {value} {number}")
        await own.episodes.record(f"sent {word} {number}", contact=name)
        claim = (await own.save(f"{name} first said {word} {number}")).record.id
        if number % 3 == 0:
            await own.edit(claim, f"{name} then said {word} {number}")
        elif number % 3 == 1:
            await own.feedback(claim, "wrong", person=name)
        else:
            await delete_or_erase(own, claim, erase=number % 2 == 0)
    await own.rules.add(f"Put {word} into a box.")
    await own.context(f"{name} 0", question=f"where is the {word} kept?", mode="search")
    await own.admin.keys.create(f"{name}'s agent")
    await own.sessions.end(f"{name} 0")


async def add_wider(path: Path) -> None:
    """What was concluded from hers, and from hers and another's, in the scope of the agent; and a call for her."""
    her, other = Scope(agent=AGENT, user=HER), Scope(agent=AGENT, user="person-3")
    async with SQLiteStore.open(path) as store:
        sources = [
            await store.read(
                Caller.engine(scope), lambda tx: tx.archives.bundles(Kind.MESSAGE, "", after=None, limit=1)
            )
            for scope in (her, other)
        ]
        (hers,), (others,) = ([str(one.record["id"]) for one in found] for found in sources)
        async with store.begin(Caller.engine(Scope(agent=AGENT))) as tx:
            made = [
                replace(observation(f"users of {WORD} {number}", scope=Scope(agent=AGENT)), evidence=basis, engine="e")
                for number, basis in enumerate([(hers,), (hers, others)])
            ]
            await tx.records.add(made, [None, None])
        async with store.begin(Caller.engine(her)) as tx:
            await tx.calls.add(replace(call("a call for her"), session=f"{HER} 0"))


# The two kinds of store


@dataclass(frozen=True, slots=True)
class File:
    """A file, with its key beside it."""

    path: Path

    @property
    def address(self) -> str:
        """Where to open it."""
        return str(self.path)

    def rows(self, statement: str) -> Iterator[Sequence[Any]]:
        """What a statement finds, as who sees everything."""
        with closing(apsw.Connection(str(self.path))) as connection:
            loosely: Any = connection
            yield from loosely.execute(statement)

    def tables(self) -> Mapping[str, Sequence[str]]:
        """The columns of each table."""
        names = [row[0] for row in self.rows("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        return {name: [row[1] for row in self.rows(f"PRAGMA table_info('{name}')")] for name in names}

    def pieces(self) -> Iterator[tuple[str, bytes | mmap.mmap]]:
        """All bytes in which anything may be left, by the name of what holds them."""
        yield from _of_files(file for file in self.path.parent.iterdir() if file.is_file())

    @contextmanager
    def copied(self) -> Generator["File"]:
        """A copy, for as long as a block lasts."""
        with tempfile.TemporaryDirectory(dir=self.path.parent.parent) as folder:
            copy = Path(folder) / "m.db"
            for suffix in ("", ".key"):
                shutil.copyfile(f"{self.path}{suffix}", f"{copy}{suffix}")
            yield File(copy)

    def size(self) -> int:
        """Bytes."""
        return self.path.stat().st_size

    def rewrite(self) -> None:
        """An erasure has done it."""


@dataclass(frozen=True, slots=True)
class Server:
    """A database of a server of its own, whose files are `data`."""

    server: PostgresServer
    data: Path
    name: str = "erasing"

    @property
    def address(self) -> str:
        """Where to open it."""
        return at(self._admin, database=self.name, user=LOGIN, password=_PASSWORD)

    @property
    def _admin(self) -> str:
        return self.server.url(self.name)

    def rows(self, statement: str) -> Iterator[Sequence[Any]]:
        """What a statement finds, as who sees everything."""
        with psycopg.connect(self._admin) as connection:
            connection.execute("SET search_path TO remembrancer, remembrancer_ops, public")
            yield from connection.execute(statement.encode()).fetchall()

    def tables(self) -> Mapping[str, Sequence[str]]:
        """The columns of each table."""
        found: dict[str, list[str]] = {}
        for table, column in self.rows(
            "SELECT table_name, column_name FROM information_schema.columns"
            " WHERE table_schema = 'remembrancer' ORDER BY table_name, ordinal_position"
        ):
            found.setdefault(table, []).append(column)
        return found

    def pieces(self) -> Iterator[tuple[str, bytes | mmap.mmap]]:
        """All bytes in which anything may be left, by the name of what holds them."""
        dump = [program("pg_dump"), "--no-owner", self._admin]
        yield "dump", subprocess.run(dump, capture_output=True, check=True).stdout
        (number,) = next(self.rows(f"SELECT oid FROM pg_database WHERE datname = '{self.name}'"))
        self.server.stop()
        yield from _of_files(file for file in (self.data / "base" / str(number)).iterdir() if file.is_file())
        self.server.start()

    def journal(self) -> Iterator[tuple[str, bytes | mmap.mmap]]:
        """What the server writes ahead."""
        yield from _of_files(file for file in (self.data / "pg_wal").iterdir() if file.is_file())

    @contextmanager
    def copied(self) -> Generator["Server"]:
        """A copy, for as long as a block lasts."""
        copy = replace(self, name=f"{self.name}_copy")
        here, there = sql.Identifier(self.name), sql.Identifier(copy.name)
        self._do(sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY FILE_COPY").format(there, here))
        try:
            yield copy
        finally:
            self._do(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(there))

    def _do(self, statement: sql.Composed) -> None:
        # By a connection of its own: the server is stopped in between.
        with psycopg.connect(self.server.url(), autocommit=True) as admin:
            admin.execute(statement)

    def size(self) -> int:
        """Bytes."""
        return int(next(self.rows(f"SELECT pg_database_size('{self.name}')"))[0])

    def rewrite(self) -> None:
        """As an administrator would."""
        _ran("governance", "erasure", "compact", self._admin)


Stored: TypeAlias = File | Server


@contextmanager
def stored(kind: str, home: Path, rows: int) -> Generator[Stored]:
    """A filled store of a kind, and the key that it has in the environment."""
    # A server runs under an account of its own.
    home.chmod(0o755)
    folder = home / "store"
    folder.mkdir()
    file = File(folder / "m.db")
    anyio.run(fill, file.path, rows)
    if kind == "file":
        yield file
        return
    os.environ["REMEMBRANCER_SECRET_KEY"] = Path(f"{file.path}.key").read_text(encoding="utf-8").strip()
    with PostgresServer(home / "server", durable=True, settings={"max_wal_size": "256MB"}) as server:
        with psycopg.connect(server.url(), autocommit=True) as admin:
            admin.execute("CREATE DATABASE erasing")
        (data,) = {found.parent for found in home.rglob("PG_VERSION") if (found.parent / "base").is_dir()}
        database = Server(server, data)
        prepare(server.url(database.name), role=LOGIN, password=_PASSWORD)
        _ran("admin", "copy", str(file.path), database.address)
        shutil.rmtree(folder)
        yield database


# What is asked of it


def ids_of_hers(store: Stored) -> set[bytes]:
    """The ids of all that is hers."""
    found = store.rows(
        f"SELECT records.id FROM records JOIN scopes ON scopes.id = records.scope WHERE scopes.\"user\" = '{HER}'"
    )
    return {str(row[0]).encode() for row in found}


def of_others(store: Stored) -> dict[str, str]:
    """A hash of all rows of each table that are not hers, nor rest on hers."""
    scopes = [row[0] for row in store.rows(f"SELECT id FROM scopes WHERE \"user\" = '{HER}'")] or [-1]
    found: dict[str, str] = {}
    for name, columns in store.tables().items():
        if name in OF_NOBODY | OF_NOBODY_TOO or "scope" not in columns:
            continue
        of = set(columns)
        told = hashlib.sha256()
        shown = ", ".join(f'"{column}"' for column in columns)
        # What is of the agent's scope rests on hers.
        wider = f"SELECT id FROM scopes WHERE agent = '{AGENT}' AND \"user\" IS NULL"
        which = f"scope <> {scopes[0]} AND scope NOT IN ({wider})"
        lines = sorted(repr(row) for row in store.rows(f"SELECT {shown} FROM {name} WHERE {which}"))
        for line in lines:
            told.update(line.encode())
        found[name] = f"{len(lines)} {told.hexdigest()} {len(of)}"
    return found


def left(pieces: Iterable[tuple[str, bytes | mmap.mmap]], ids: set[bytes]) -> list[str]:
    """What of hers stands in any of some bytes."""
    found: set[str] = set()
    for name, held in pieces:
        found |= {f"{word} in {name}" for word in (WORD, HER) if held.find(word.encode()) >= 0}
        found |= {f"id {one.group().decode()} in {name}" for one in _ID.finditer(held) if one.group() in ids}
    return sorted(found)


def _of_files(files: Iterable[Path]) -> Iterator[tuple[str, bytes | mmap.mmap]]:
    for file in sorted(files):
        if not file.stat().st_size:
            continue
        with file.open("rb") as opened, closing(mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)) as held:
            yield file.name, held


async def asked(address: str, seconds: float, until: anyio.Event | None = None) -> list[float]:
    """How long each recall of another took, in milliseconds."""
    took: list[float] = []
    async with open_memory(address, embedder="hash", background=False) as memory:
        own = memory.within(Scope(agent=AGENT, user="person-3"))
        await own.recall(RecallRequest(question="quartz in a box", abstain=False, record_access=False))
        end = time.perf_counter() + seconds
        while (time.perf_counter() < end) if until is None else not until.is_set():
            begun = time.perf_counter()
            await own.recall(RecallRequest(question="who keeps quartz in a box?", abstain=False, record_access=False))
            took.append((time.perf_counter() - begun) * 1e3)
    return took


def _ran(*arguments: str) -> str:
    command = [sys.executable, "-m", "remembrancer", *arguments]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise RuntimeError(ran.stderr)
    return ran.stdout


def erased(address: str, **settings: str) -> dict[str, Any]:
    """The receipt of erasing her."""
    command = [*ERASE, "--db", address]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, env=_environment(**settings))
    if ran.returncode:
        raise RuntimeError(ran.stderr)
    return json.loads(ran.stdout)


def killed(store: Stored, moments: int, seconds: float, ids: set[bytes], others: Mapping[str, str]) -> int:
    """How often of so many an erasure was killed and was done whole by the same command; each on a copy."""
    chance, sound = random.Random(1), 0
    for number in range(moments):
        with store.copied() as copy:
            nothing = subprocess.DEVNULL
            command = [*ERASE, "--db", copy.address]
            work = subprocess.Popen(command, stdout=nothing, stderr=nothing, env=_environment())
            # Each has its own part of the time that it takes.
            time.sleep(0.2 + (number + chance.random()) / moments * seconds * 1.05)
            work.send_signal(signal.SIGKILL)
            work.wait()
            try:
                erased(copy.address)
            except RuntimeError as error:
                if "no user" not in str(error):
                    raise
            pieces = copy.pieces() if isinstance(copy, File) else _dumped(copy)
            wrong = left(pieces, ids) + [name for name, told in of_others(copy).items() if others.get(name) != told]
            sound += not wrong
            print(f"killed {number + 1} of {moments}: {wrong or 'whole'}", file=sys.stderr)
    return sound


def _dumped(copy: Server) -> Iterator[tuple[str, bytes | mmap.mmap]]:
    """Its dump alone: a server is not stopped for each of many copies."""
    for piece in copy.pieces():
        yield piece
        return


def _environment(**settings: str) -> dict[str, str]:
    return {**os.environ, "REMEMBRANCER_EMBEDDER": "none", **settings}


async def meanwhile(address: str) -> tuple[dict[str, Any], list[float], float]:
    """The receipt of erasing her, how long recalls of another took while that went on, and how long that took."""
    done, told = anyio.Event(), list[dict[str, Any]]()
    took: list[float] = []
    begun = time.perf_counter()

    async def erase() -> None:
        told.append(await anyio.to_thread.run_sync(erased, address))
        done.set()

    async def ask() -> None:
        took.extend(await asked(address, 0, done))

    async with anyio.create_task_group() as group:
        group.start_soon(erase)
        group.start_soon(ask)
    return told[0], took, time.perf_counter() - begun


def measured(kind: str, rows: int, kills: int) -> dict[str, Any]:
    """All of it."""
    with tempfile.TemporaryDirectory(prefix="erasing-") as name, stored(kind, Path(name), rows) as store:
        ids, size, before = ids_of_hers(store), store.size(), of_others(store)
        there = len(left(store.pieces(), ids))
        quiet = anyio.run(asked, store.address, 8.0)
        with store.copied() if kills else ExitStack() as kept:
            receipt, busy, seconds = anyio.run(meanwhile, store.address)
            begun = time.perf_counter()
            store.rewrite()
            rewriting = time.perf_counter() - begun
            wrong = json.dumps(receipt).replace(str(receipt["looked"]), str(receipt["looked"] + 1), 1)
            found = {
                "store": kind,
                "rows": rows,
                "hers": len(ids),
                "megabytes": round(size / 1e6, 1),
                "seconds": round(seconds, 1),
                "seconds to write anew": round(rewriting, 1),
                "receipt rows": receipt["rows"],
                "looked": receipt["looked"],
                "found": receipt["found"],
                "ids and words before": there,
                "left": left(store.pieces(), ids)[:20],
                "others differ in": [name for name, told in of_others(store).items() if before.get(name) != told],
                "receipt": check_receipt(receipt) or "sound",
                "receipt changed": check_receipt(json.loads(wrong)),
                "recall p95 before": round(float(np.percentile(quiet, 95)), 2),
                "recall p95 meanwhile": round(float(np.percentile(busy, 95)), 2),
                "recalls meanwhile": len(busy),
            }
            if isinstance(store, Server):
                found["left in the journal"] = len(left(store.journal(), ids))
            if isinstance(kept, File | Server):
                sound = killed(kept, kills, seconds, ids, before)
                found["killed"], found["killed and whole"] = kills, sound
            return found


# What is kept beside


def beside() -> dict[str, Any]:
    """A small store whose contexts are kept in Redis and whose vectors are in Qdrant, too: what is left in them."""
    with tempfile.TemporaryDirectory(prefix="beside-") as home, serving() as redis:
        folder, index = Path(home) / "store", str(Path(home) / "index")
        folder.mkdir()
        path = folder / "m.db"
        settings = {"REMEMBRANCER_REDIS_URL": redis.url, "REMEMBRANCER_QDRANT_URL": index}
        anyio.run(_kept_beside, path, redis.url, index)
        ids = ids_of_hers(File(path))
        cached, points = redis.text(), _points(index)
        receipt = erased(str(path), **{**settings, "REMEMBRANCER_EMBEDDER": "hash"})
        kept = {int(row[0]) for row in File(path).rows("SELECT DISTINCT document FROM vectors")}
        return {
            "hers": len(ids),
            "found": receipt["found"],
            "in Redis before": len(left([("redis", cached)], ids)),
            "in Redis after": left([("redis", redis.text())], ids),
            "bytes of Redis": [len(cached), len(redis.text())],
            "points of Qdrant": [len(points), len(_points(index))],
            "points of what is gone": len(_points(index) - kept),
            "left in the file": left(File(path).pieces(), ids),
        }


async def _kept_beside(path: Path, redis: str, index: str) -> None:
    async with open_memory(path, embedder="hash", background=False, redis_url=redis, qdrant_url=index) as memory:
        for name in (HER, "person-3"):
            own = memory.within(Scope(agent=AGENT, user=name))
            word = WORD if name == HER else "quartz"
            for number in range(BESIDE_ROWS // 10):
                await own.save(f"{name} keeps {word} {number} in a box")
            await own.record(f"where is the {word}?", session="today")
            await own.context("today", question=f"where does {name} keep the {word}?")
            await own.recall(f"where does {name} keep the {word}?")


def _points(index: str) -> set[int]:
    """The numbers of all wordings that Qdrant has, of any generation."""
    with closing(QdrantClient(path=index)) as client:
        found: set[int] = set()
        for one in client.get_collections().collections:
            points, _ = client.scroll(one.name, limit=100_000)
            found |= {int((point.payload or {})["document"]) for point in points}
        return found


def main() -> None:
    """Print what was found."""
    parser = argparse.ArgumentParser(prog="python -m bench.erasing", description=__doc__)
    parser.add_argument("--n", type=int, default=200_000)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--store", choices=["file", "server"], default="file")
    parser.add_argument("--beside", action="store_true")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    found = beside() if given.beside else measured(given.store, given.n, given.kills)
    print(json.dumps(found) if given.json else "\n".join(f"{name}: {value}" for name, value in found.items()))


if __name__ == "__main__":
    main()
