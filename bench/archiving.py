"""Archives: how long one takes, how much memory, and how large it is beside the plainest way to keep the same.

    python -m bench.archiving [--megabytes 1024] [--json]

A file of that much text is made, as messages of sixteen kilobytes. The commands `create`, `check` and `import` of
`governance archives` run on it, each a process of its own, whose peak memory the system tells; an archive of nothing is
the floor. Beside it stands what a person would do without any of this: a copy of the file,
sealed by the command `openssl`.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import anyio

from remembrancer import NewMessage, open_memory

TEXT = "the heron nests under the bridge and sleeps on the roof of the harbour office at night " * 188
BATCH = 200
PASSPHRASE = "correct horse battery"
MAKE = ("governance", "archives", "create")


async def fill(path: Path, megabytes: int) -> int:
    """A file of so much text; how many messages that are."""
    wanted, made = megabytes * 2**20 // len(TEXT), 0
    async with open_memory(path, embedder="none", background=False) as memory:
        while made < wanted:
            count = min(BATCH, wanted - made)
            await memory.messages.record_many(
                [NewMessage(text=f"{made + place} {TEXT}", role="user", session=f"s{made}") for place in range(count)]
            )
            made += count
            print(f"\r{made} of {wanted} messages", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return made


def ran(*words: str) -> dict[str, Any]:
    """What a command took: seconds, and MiB at its peak."""
    begun = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "remembrancer", *words],
        env={**os.environ, "REMEMBRANCER_PASSPHRASE": PASSPHRASE, "REMEMBRANCER_EMBEDDER": "none"},
        stdout=subprocess.DEVNULL,
    )
    peak = 0
    # What the system tells at the end counts what this process had when it forked, too.
    while process.poll() is None:
        peak = max(peak, high_water(process.pid))
        time.sleep(0.02)
    if process.returncode:
        raise SystemExit(f"{' '.join(words)} ended with {process.returncode}")
    return {"seconds": round(time.monotonic() - begun, 2), "peak_mib": round(peak / 1024, 1)}


def high_water(pid: int) -> int:
    """KiB that a process has had in memory at most, as Linux tells it."""
    try:
        told = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in told if line.startswith("VmHWM")), 0)


def measured(folder: Path, megabytes: int) -> dict[str, Any]:
    """All figures."""
    db, empty, file = folder / "m.db", folder / "empty.db", folder / "m.archive"
    anyio.run(fill, empty, 0)
    anyio.run(_one, empty)
    floor = ran(*MAKE, str(folder / "empty.archive"), "--db", str(empty))
    messages = anyio.run(fill, db, megabytes)
    told: dict[str, Any] = {"messages": messages, "megabytes": megabytes, "floor": floor}
    told["make"] = ran(*MAKE, str(file), "--db", str(db))
    told["check"] = ran("governance", "archives", "check", str(file), "--db", str(db))
    told["take"] = ran(
        "governance", "archives", "import", str(file), "--reason", "bench", "--db", str(folder / "to.db")
    )
    told["again"] = ran(
        "governance", "archives", "import", str(file), "--reason", "bench", "--db", str(folder / "to.db")
    )
    told["archive_bytes"], told["store_bytes"] = file.stat().st_size, db.stat().st_size
    if shutil.which("openssl"):
        begun = time.monotonic()
        subprocess.run(
            ["openssl", "enc", "-aes-256-ctr", "-pbkdf2", "-k", PASSPHRASE, "-in", str(db), "-out", str(folder / "x")],
            check=True,
        )
        told["openssl_seconds"] = round(time.monotonic() - begun, 2)
    return told


async def _one(path: Path) -> None:
    async with open_memory(path, embedder="none", background=False) as memory:
        await memory.save("one")


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--megabytes", type=int, default=1024)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        told = measured(Path(folder), given.megabytes)
    if given.json:
        print(json.dumps(told))
        return
    print(f"{told['messages']:,} messages, {told['megabytes']:,} MiB of text; MiB at the peak, and seconds")
    for name in ("floor", "make", "check", "take", "again"):
        print(f"  {name:<6} {told[name]['peak_mib']:>8} MiB {told[name]['seconds']:>8} s")
    print(f"  the archive has {told['archive_bytes']:,} bytes, the store {told['store_bytes']:,}")
    if "openssl_seconds" in told:
        print(f"  openssl seals a copy of the store in {told['openssl_seconds']} s")


if __name__ == "__main__":
    main()
