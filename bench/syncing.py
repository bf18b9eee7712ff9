"""Two machines that exchange their memories through a folder: changes on both sides, conflicts, and kills.

    python -m bench.syncing [--changes 1000] [--kills 10]

Both begin with the same memories. Each then makes its own changes: messages, saves, edits of memories that both have,
deletions, verdicts and facts. `remembrancer sync` runs on each in turn, killed at some moments. At the end both must
have the same memories, by a hash of their contents and of their earlier texts.
"""

import argparse
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from remembrancer import Changes, Filter, Scope, SyncMemory

_PASSPHRASE = {"REMEMBRANCER_PASSPHRASE": "correct horse battery"}
_SHARED = 200
_SCOPES = (Scope(), Scope(user="ana"), Scope(agent="harold"), Scope(agent="codie", user="ana"), Scope(project="apollo"))
# What both stores must have alike; not what reading changes, nor what is counted in each.
_RECORDS = (
    "SELECT id, kind, session, text, role, type, title, topic_key, status, revision, occurred_at, updated_at, tags,"
    " metadata FROM records ORDER BY id"
)
_VERSIONS = "SELECT id, text, status, since FROM versions ORDER BY id, since, text"


def main() -> None:
    """Run the exchange, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--changes", type=int, default=1_000)
    parser.add_argument("--kills", type=int, default=10)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        print(json.dumps(exchanged(Path(place), options.changes, options.kills), indent=1))


def exchanged(place: Path, changes: int, kills: int) -> dict[str, Any]:
    """Return the result of an exchange."""
    left, right, folder = place / "left" / "m.db", place / "right" / "m.db", place / "shared"
    for db in (left, right):
        db.parent.mkdir()
    _begin(left)
    for db in (left, right):
        _sync(db, folder)
    made = {db.parent.name: _change(db, changes, seed) for seed, db in enumerate((left, right))}
    killed = _killed(left, right, folder, kills)
    started = time.perf_counter()
    printed = [_sync(db, folder) for db in (left, right, left, right)]
    seconds = time.perf_counter() - started
    again = _sync(left, folder)
    hashes = {
        db.parent.name: {"records": _hash(db, _RECORDS), "versions": _hash(db, _VERSIONS)} for db in (left, right)
    }
    return {
        "changes": made,
        "killed": killed,
        "conflicts": printed[0]["conflicts"],
        "exchanges": [
            {name: one[name] for name in ("read", "created", "updated", "older", "same", "written")} for one in printed
        ],
        "seconds of four exchanges": round(seconds, 1),
        "a fifth": {name: again[name] for name in ("read", "created", "updated", "written")},
        "memories": {db.parent.name: _count(db) for db in (left, right)},
        "hashes": hashes,
        "alike": hashes["left"] == hashes["right"],
        "files": sorted(str(path.relative_to(folder).name) for path in folder.rglob("*.archive")),
    }


def _begin(db: Path) -> None:
    with SyncMemory(db, embedder="none", background=False) as memory:
        for number in range(_SHARED):
            own = memory.within(_SCOPES[number % len(_SCOPES)])
            own.save(
                f"Shared claim number {number} about the boat", topic_key=f"topic {number}" if number % 4 == 0 else None
            )
            own.record(f"Message number {number} of the common talk", session="common")


def _change(db: Path, changes: int, seed: int) -> dict[str, int]:
    """Make changes at random; return their number by kind."""
    chance, made = random.Random(seed), Counter[str]()
    side = db.parent.name
    with SyncMemory(db, embedder="none", background=False) as memory:
        scopes = [memory.within(scope) for scope in _SCOPES]
        ids = [
            [one.id for one in own.list(Filter(kinds=("observation",)), limit=1_000).records if one.scope == scope]
            for own, scope in zip(scopes, _SCOPES, strict=True)
        ]
        for number in range(changes):
            place = chance.randrange(len(scopes))
            own = scopes[place]
            match chance.choice(("message", "message", "save", "topic", "edit", "edit", "delete", "verdict", "fact")):
                case "message":
                    own.record(f"{side} says {number}", session=chance.choice(("common", f"own {side}")))
                    made["message"] += 1
                case "save":
                    own.save(f"{side} claims {number} of the boat")
                    made["save"] += 1
                case "topic":
                    own.save(f"{side} thinks {number}", topic_key=f"topic {4 * chance.randrange(_SHARED // 4)}")
                    made["topic"] += 1
                case "edit" if ids[place]:
                    own.edit(chance.choice(ids[place]), Changes(text=f"{side} corrects it: {number}"))
                    made["edit"] += 1
                case "delete" if len(ids[place]) > 1:
                    own.delete(ids[place].pop(chance.randrange(len(ids[place]))))
                    made["delete"] += 1
                case "verdict" if ids[place]:
                    own.feedback(chance.choice(ids[place]), "right")
                    made["verdict"] += 1
                case _:
                    own.facts.set(f"boat.colour_{chance.randrange(20)}", f"{side} {number}")
                    made["fact"] += 1
    return dict(made)


def _line(db: Path, folder: Path) -> list[str]:
    return [sys.executable, "-m", "remembrancer", "sync", str(folder), "--db", str(db), "--embedder", "none", "--json"]


def _sync(db: Path, folder: Path) -> dict[str, Any]:
    done = subprocess.run(
        _line(db, folder), capture_output=True, text=True, check=False, env={**os.environ, **_PASSPHRASE}
    )
    assert done.returncode == 0, done.stderr + done.stdout
    return json.loads(done.stdout)


def _killed(left: Path, right: Path, folder: Path, kills: int) -> int:
    """Start exchanges and kill them at growing moments; return how many were alive then."""
    alive = 0
    for number in range(kills):
        db = (left, right)[number % 2]
        process = subprocess.Popen(
            _line(db, folder), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, **_PASSPHRASE}
        )
        time.sleep(0.6 + 0.35 * number)
        alive += process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.wait()
    return alive


def _rows(db: Path, query: str) -> list[tuple[Any, ...]]:
    import apsw

    connection = apsw.Connection(str(db), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return list(connection.execute(query))  # pyright: ignore[reportUnknownMemberType] -- apsw's stubs
    finally:
        connection.close()


def _hash(db: Path, query: str) -> str:
    return hashlib.sha256(json.dumps(_rows(db, query), default=repr).encode()).hexdigest()[:16]


def _count(db: Path) -> dict[str, int]:
    return dict(_rows(db, "SELECT kind || '/' || status, count(*) FROM records GROUP BY 1 ORDER BY 1"))


if __name__ == "__main__":
    main()
