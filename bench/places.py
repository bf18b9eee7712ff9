"""New stores for the benches: in memory, in files, or in databases on a PostgreSQL server of the run's own."""

import tempfile
from collections.abc import Generator, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager, suppress
from dataclasses import dataclass
from itertools import count, repeat
from pathlib import Path

import numpy as np
import psutil
import psycopg
from numpy.typing import NDArray
from psycopg import sql

from remembrancer.llm.embedder import Embedder
from remembrancer.memory import Memory
from remembrancer.open import open_memory
from remembrancer.storage.postgres.roles import prepare
from remembrancer.storage.sqlite.connection import SQLiteConnection
from tests.postgres_server import PostgresServer

SECRET = "a key for one run of the bench"
ROLE = "bench"
STORES = ("memory", "sqlite", "postgres")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a store of the run is: a file, or a database and the road of its superuser."""

    db: str
    admin: str = ""

    def open(self, embedder: Embedder | None) -> AbstractAsyncContextManager[Memory]:
        """Its memory."""
        secret = SECRET if self.admin else None
        return open_memory(self.db, embedder=embedder or "none", background=False, secret_key=secret)

    def vectors(self) -> dict[int, NDArray[np.float32]]:
        """Every wording's last vector, straight from the database."""
        if self.admin:
            with psycopg.connect(self.admin) as connection:
                found = connection.execute("SELECT document, vector::text FROM remembrancer.vectors").fetchall()
            return {row[0]: np.array(row[1][1:-1].split(","), dtype=np.float32) for row in found}
        connection = SQLiteConnection(self.db, read_only=True)
        found = connection.rows("SELECT document, vector FROM vectors")
        connection.close()
        return {row[0]: np.frombuffer(row[1], dtype=np.float16).astype(np.float32) for row in found}

    def analyse(self) -> None:
        """Let a server look at what it has, as it would by itself in time."""
        if self.admin:
            with psycopg.connect(self.admin, autocommit=True) as connection:
                connection.execute("VACUUM ANALYZE")


IN_MEMORY = Place(db=":memory:")


def processor_seconds(of: psutil.Process) -> float:
    """What a process and its children have taken so far; what children took that ended is in it."""
    found = 0.0
    for one in (of, *of.children(recursive=True)):
        times = one.cpu_times()
        found += times.user + times.system + times.children_user + times.children_system
    return found


def postmaster(admin: str) -> psutil.Process:
    """The process of a PostgreSQL server that begins all its others; by the road of its superuser."""
    with psycopg.connect(admin) as connection:
        found = psutil.Process(connection.info.backend_pid).parent()
    assert found is not None
    return found


@contextmanager
def places(store: str) -> Generator[Iterator[Place], None, None]:
    """New stores, one after the other, for as long as the block lasts.

    Args:
        store: one of `STORES`.
    """
    match store:
        case "memory":
            yield repeat(IN_MEMORY)
        case "sqlite":
            with tempfile.TemporaryDirectory() as folder:
                yield (Place(db=str(Path(folder) / f"{number}.db")) for number in count())
        case _:
            with PostgresServer() as server:
                yield (_database(server, f"bench_{number}") for number in count())


@contextmanager
def kept(store: str, at: Path, *, partitions: int | None = None) -> Generator[Place, None, None]:
    """The store of a run that goes on where it was interrupted: a file, or a folder with a server's data.

    Args:
        partitions: of the tables on a server.
    """
    if store == "sqlite":
        yield Place(db=str(at))
        return
    with PostgresServer(at) as server:
        yield _database(server, "bench", partitions)


def _database(server: PostgresServer, name: str, partitions: int | None = None) -> Place:
    with psycopg.connect(server.url(), autocommit=True) as admin, suppress(psycopg.errors.DuplicateDatabase):
        admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    prepare(server.url(name), role=ROLE, password=ROLE, partitions=partitions)
    return Place(db=server.url(name, user=ROLE, password=ROLE), admin=server.url(name))
