"""Erasing one of many: how long it takes, what is left, whether others' stands, and what a reader waits meanwhile.

    python -m bench.erasing [--n 200000] [--kills 30] [--json]

A file of `n` memories of twenty people is made: messages in sessions, observations with evidence, facts, episodes and
rules. One is erased. Then every byte of the file and of what lies beside it is searched for her ids, her name and a
word that only her texts have; what is of the others is compared row by row; and the erasure of a copy is killed (-9) at
`kills` moments and gone on with. Nothing of it knows how an erasure works but by what it answers.
"""

import argparse
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import anyio
import apsw
import numpy as np

from remembrancer import Memory, NewMessage, NewObservation, Scope, check_receipt, open_memory

PEOPLE = 20
WORD = "zyzzyva"
HER = "ana-ruiz-4711"
BATCH = 1_000
ERASE = (sys.executable, "-m", "remembrancer", "erasures", "erase", "user", HER, "--reason", "asked", "--yes", "--json")
# What counts rows or says how far work is, and what the erasure itself is kept in, is no memory of anybody.
OF_NOBODY = frozenset({"store", "tallies", "tombstones", "audit", "policies", "leases", "scopes", "sqlite_sequence"})
OF_NOBODY_TOO = frozenset({"jobs", "breakers", "migrations", "kinds", "statuses", "calls"})


async def fill(path: Path, rows: int) -> list[str]:
    """A file of so many memories; the ids of those that are hers."""
    chance, ids = random.Random(0), list[str]()
    async with open_memory(path, embedder="hash", background=False, embed_on_write=False) as memory:
        await memory.save("what all share")
        for person in range(PEOPLE):
            name = HER if person == 7 else f"person-{person}"
            own = memory.within(Scope(agent="mail", user=name))
            ids += await lived(own, name, rows // PEOPLE, chance) if name == HER else []
            if name != HER:
                await lived(own, name, rows // PEOPLE, chance)
        await memory.upkeep.embed()
    return ids


async def lived(own: Memory, name: str, rows: int, chance: random.Random) -> list[str]:
    """So many memories of one person; their ids."""
    word, ids = WORD if name == HER else "quartz", list[str]()
    while len(ids) < rows - 200:
        size = min(BATCH, rows - len(ids))
        if chance.random() < 0.7:
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
        ids.append((await own.facts.set(f"profile.{word}-{number}", f"{word} {number}")).record.id)
        ids.append((await own.episodes.record(f"sent {word} {number}", contact=name)).record.id)
    return ids


def of_others(path: Path) -> dict[str, str]:
    """A hash of all rows of each table that are not hers."""
    found: dict[str, str] = {}
    with closing(apsw.Connection(str(path))) as connection:
        loosely: Any = connection
        hers = [row[0] for row in loosely.execute("SELECT id FROM scopes WHERE user = ?", (HER,))] or [-1]
        names = [row[0] for row in loosely.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        for name in names:
            columns = [row[1] for row in loosely.execute(f"PRAGMA table_info('{name}')")]
            if name in OF_NOBODY | OF_NOBODY_TOO or "scope" not in columns:
                continue
            told = hashlib.sha256()
            order = ", ".join(f'"{column}"' for column in columns)
            for row in loosely.execute(f"SELECT * FROM {name} WHERE scope <> ? ORDER BY {order}", (hers[0],)):
                told.update(repr(row).encode())
            found[name] = told.hexdigest()
    return found


def left(folder: Path, words: Sequence[str]) -> list[str]:
    """Which of some words stand in any file of a folder."""
    whole = b"".join(file.read_bytes() for file in sorted(folder.iterdir()) if file.is_file())
    return [word for word in words if word.encode() in whole]


async def asked(path: Path, seconds: float, until: anyio.Event | None = None) -> list[float]:
    """How long each recall of another took, in milliseconds."""
    took: list[float] = []
    async with open_memory(path, embedder="hash", background=False) as memory:
        own = memory.within(Scope(agent="mail", user="person-3"))
        await own.recall("quartz in a box", abstain=False, touch=False)
        end = time.perf_counter() + seconds
        while (time.perf_counter() < end) if until is None else not until.is_set():
            begun = time.perf_counter()
            await own.recall("who keeps quartz in a box?", abstain=False, touch=False)
            took.append((time.perf_counter() - begun) * 1e3)
    return took


def erased(path: Path) -> dict[str, Any]:
    """The receipt of erasing her."""
    ran = subprocess.run([*ERASE, "--db", str(path)], capture_output=True, text=True, check=False, env=_environment())
    if ran.returncode:
        raise RuntimeError(ran.stderr)
    return json.loads(ran.stdout)


def killed(path: Path, moments: int, seconds: float) -> int:
    """How often of so many an erasure was killed and was done whole by the same command; each on a copy."""
    chance, sound = random.Random(1), 0
    for _ in range(moments):
        with tempfile.TemporaryDirectory(dir=path.parent.parent) as folder:
            copy = Path(folder) / "m.db"
            for suffix in ("", ".key"):
                shutil.copyfile(f"{path}{suffix}", f"{copy}{suffix}")
            nothing = subprocess.DEVNULL
            work = subprocess.Popen([*ERASE, "--db", str(copy)], stdout=nothing, stderr=nothing, env=_environment())
            time.sleep(chance.uniform(0.2, seconds * 1.05))
            work.send_signal(signal.SIGKILL)
            work.wait()
            try:
                erased(copy)
            except RuntimeError as error:
                if "no user" not in str(error):
                    raise
            sound += not left(Path(folder), [WORD, HER])
    return sound


def _environment() -> dict[str, str]:
    return {**os.environ, "REMEMBRANCER_EMBEDDER": "none"}


async def meanwhile(path: Path) -> tuple[dict[str, Any], list[float], float]:
    """The receipt of erasing her, how long recalls of another took while that went on, and how long that took."""
    done, told = anyio.Event(), list[dict[str, Any]]()
    took: list[float] = []
    begun = time.perf_counter()

    async def erase() -> None:
        told.append(await anyio.to_thread.run_sync(erased, path))
        done.set()

    async def ask() -> None:
        took.extend(await asked(path, 0, done))

    async with anyio.create_task_group() as group:
        group.start_soon(erase)
        group.start_soon(ask)
    return told[0], took, time.perf_counter() - begun


def measured(rows: int, kills: int) -> dict[str, Any]:
    """All of it."""
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "store"
        folder.mkdir()
        path = folder / "m.db"
        ids = anyio.run(fill, path, rows)
        size = path.stat().st_size
        before = of_others(path)
        kept = Path(home) / "kept"
        shutil.copytree(folder, kept)
        quiet = anyio.run(asked, path, 8.0)
        receipt, busy, seconds = anyio.run(meanwhile, path)
        sample = random.Random(2).sample(ids, min(400, len(ids)))
        wrong = json.dumps(receipt).replace(str(receipt["looked"]), str(receipt["looked"] + 1), 1)
        found = {
            "rows": rows,
            "hers": len(ids),
            "megabytes": round(size / 1e6, 1),
            "seconds": round(seconds, 1),
            "receipt rows": receipt["rows"],
            "looked": receipt["looked"],
            "found": receipt["found"],
            "left": left(folder, [WORD, HER, *sample]),
            "others differ in": [name for name, told in of_others(path).items() if before.get(name) != told],
            "receipt": check_receipt(receipt) or "sound",
            "receipt changed": check_receipt(json.loads(wrong)),
            "recall p95 before": round(float(np.percentile(quiet, 95)), 2),
            "recall p95 meanwhile": round(float(np.percentile(busy, 95)), 2),
            "recalls meanwhile": len(busy),
        }
        if kills:
            found["killed"], found["killed and whole"] = kills, killed(kept / "m.db", kills, seconds)
        return found


def main() -> None:
    """Print what was found."""
    parser = argparse.ArgumentParser(prog="python -m bench.erasing", description=__doc__)
    parser.add_argument("--n", type=int, default=200_000)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    found = measured(given.n, given.kills)
    print(json.dumps(found) if given.json else "\n".join(f"{name}: {value}" for name, value in found.items()))


if __name__ == "__main__":
    main()
