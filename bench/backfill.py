"""The names and relations of a store are indexed again in another process that is killed, and compared by hash.

    python -m bench.backfill [--memories 100000] [--kills 10] [--keep FILE]

The hash is of every name, relation and alias term with its documents. First the rebuild runs once without a kill;
then it is killed at random times, and run to its end.
"""

import argparse
import hashlib
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

import anyio

from bench.graph import filled_store
from bench.places import Place
from remembrancer.storage.sqlite.connection import SQLiteConnection

_TERMS: Final = "SELECT scope, term, block, count FROM postings WHERE term LIKE '§%' ORDER BY scope, term, block"


def terms_hash(path: Path) -> str:
    """Return the hash of the terms of names and relations in a store, with their documents."""
    connection = SQLiteConnection(str(path), read_only=True)
    found = hashlib.sha256()
    for row in connection.rows(
        "SELECT document, terms FROM document_terms ORDER BY document",
    ):
        found.update(repr((row[0], [one for one in row[1].split(" ") if one.startswith("§")])).encode())
    for row in connection.rows(_TERMS):
        found.update(repr(tuple(row)).encode())
    connection.close()
    return found.hexdigest()


def rebuild(path: Path, *, after: float | None = None) -> float:
    """Rebuild the index in another process, and kill it after a time; return the seconds.

    Raises:
        CalledProcessError: it failed.
    """
    began = time.perf_counter()
    command = [
        sys.executable,
        "-m",
        "remembrancer",
        "admin",
        "index",
        "rebuild",
        "--embedder",
        "none",
        "--db",
        str(path),
    ]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        status = process.wait(after)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return time.perf_counter() - began
    if status:
        raise subprocess.CalledProcessError(status, command)
    return time.perf_counter() - began


def run(path: Path, memories: int, kills: int) -> None:
    """Print the time of a rebuild, and whether one that was killed is equal."""
    if not path.exists():
        anyio.run(filled_store, Place(db=str(path)), memories)
    before = terms_hash(path)
    seconds = rebuild(path)
    print(f"{memories:,} memories: rebuilt in {seconds:.1f} s; equal: {terms_hash(path) == before}", flush=True)
    chance = random.Random(0)
    for number in range(kills):
        lived = rebuild(path, after=seconds * chance.uniform(0.05, 0.9))
        print(f"  kill {number + 1}: after {lived:.1f} s; equal so far: {terms_hash(path) == before}", flush=True)
    rebuild(path)
    print(f"run again: equal: {terms_hash(path) == before}", flush=True)


def main() -> None:
    """Run with the arguments."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--keep", type=Path, help="a store that is filled if it does not exist")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run(arguments.keep or Path(folder) / "m.db", arguments.memories, arguments.kills)


if __name__ == "__main__":
    main()
