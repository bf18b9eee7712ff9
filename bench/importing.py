"""How many messages a second an import without vectors takes in, and where the time of a message goes.

    python -m bench.importing CHATS... [--store sqlite|postgres] [--rounds 3] [--json]

CHATS are folders of JSONL files, such as `python -m bench.readers` writes. Each round imports all of them into a new
store. Times are of the processor (user and system), so that a busy machine changes them little; the time of a server
is not in them, and stands beside. Stages are timed in a round of their own, since timing costs, too: each has its own
time without that of the stages within it, and `other` is what no stage has.
"""

import argparse
import importlib
import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import wraps
from pathlib import Path
from threading import local
from typing import Any, Final
from unittest.mock import patch

import anyio

from bench.places import Place, places, postmaster, processor_seconds
from remembrancer.ingest.file_import import run_sync
from remembrancer.ingest.importers.files import ChatFile, chat_files
from remembrancer.language import analysis, spelling

# The functions of each stage, by module and name, where they are looked up when they are called.
STAGES: Final[dict[str, tuple[tuple[str, str], ...]]] = {
    "fingerprints and ids": (
        ("ingest.file_import", "_signed"), ("ingest.file_import", "_id"), ("ingest.turn_import", "tombstone_of_id"),
        ("ingest.turn_import", "tombstone_of_text"),
    ),
    "checks": (
        ("ingest.file_import", "draft_of_turn"), ("ingest.file_import", "checked_draft"),
        ("ingest.admission", "checked_draft"),
    ),
    "private regions": (("guard.redact", "strip_private"), ("ingest.file_import", "Regions.take")),
    "secrets": (("guard.redact", "find_secrets"), ("guard.redact", "find_under")),
    "personal data": (("ingest.draft_cleaning", "find_personal"),),
    "classification": (("ingest.draft_cleaning", "class_of_texts"), ("ingest.derived_fields", "classified")),
    "drafts and records": (("ingest.draft_cleaning", "_cleaned"), ("ingest.admission", "_message")),
    "index terms": (("transactions.write_transaction", "terms_in_index"),),
    "stems": (("language.analysis", "stem"),),
    "tokens": (("llm.providers.tokenizer", "Encoding.counts"),),
    "pack postings": (("storage.sqlite.indexes", "SQLiteIndex.add"), ("storage.postgres.indexes", "PostgresIndex.add")),
    "columns of records": (("storage.records", "record_columns"),),
    "statements": (
        ("storage.sqlite.connection", "Connection.rows"), ("storage.sqlite.connection", "Connection.run_many"),
        ("storage.postgres.connection", "Connection.rows"), ("storage.postgres.connection", "Connection.run"),
        ("storage.postgres.connection", "Connection.run_many"),
    ),
}  # fmt: skip
READING: Final = "read, parse and place"
OTHER: Final = "other"


class Stopwatch:
    """Seconds of the processor by stage, of all threads."""

    def __init__(self) -> None:
        self.seconds = defaultdict[str, float](float)
        self.calls = Counter[str]()
        self._here = local()

    def timed(self, stage: str, work: Callable[..., Any]) -> Callable[..., Any]:
        """A function whose own time is that of a stage."""

        @wraps(work)
        def done(*args: Any, **named: Any) -> Any:
            inner: list[float] = self._here.__dict__.setdefault("inner", [])
            inner.append(0.0)
            started = time.thread_time()
            try:
                return work(*args, **named)
            finally:
                took = time.thread_time() - started
                self.seconds[stage] += took - inner.pop()
                self.calls[stage] += 1
                if inner:
                    inner[-1] += took

        return done

    def watch(self) -> ExitStack:
        """A block in which all stages are timed."""

        async def reading(work: Callable[..., Any], *args: Any) -> Any:
            return await run_sync(self.timed(READING, work), *args)

        block = ExitStack()
        block.enter_context(patch("remembrancer.ingest.file_import.run_sync", reading))
        for stage, functions in STAGES.items():
            for module, name in functions:
                *owners, last = name.split(".")
                owner: Any = importlib.import_module(f"remembrancer.{module}")
                for each in owners:
                    owner = getattr(owner, each)
                block.enter_context(patch.object(owner, last, self.timed(stage, getattr(owner, last))))
        return block


async def imported(place: Place, files: Sequence[Path]) -> tuple[int, float, float]:
    """How many messages were created, and seconds: of the processor, and of the clock."""
    async with place.open(None) as memory:
        clock, started, count = time.perf_counter(), time.process_time(), 0
        for file in files:
            count += (await memory.messages.import_file(ChatFile.at(file))).created
        return count, time.process_time() - started, time.perf_counter() - clock


def forget() -> None:
    """Forget the words of the round before: new chats have new ones."""
    for kept in (analysis.stem_of, spelling.bare, spelling.folded):
        kept.cache_clear()


def of_server(place: Place) -> float:
    """Seconds of the processor that the server of a store has taken so far; 0 where there is none."""
    return processor_seconds(postmaster(place.admin)) if place.admin else 0.0


def measure(stores: Iterator[Place], files: Sequence[Path], rounds: int) -> dict[str, Any]:
    """The best of some rounds, and the stages of one more."""
    # The first has all that is loaded once.
    anyio.run(imported, next(stores), files)
    runs: list[tuple[float, float, float]] = []
    count = 0
    for _ in range(rounds):
        forget()
        place = next(stores)
        before = of_server(place)
        count, seconds, clock = anyio.run(imported, place, files)
        runs.append((seconds, of_server(place) - before, clock))
    forget()
    watch = Stopwatch()
    with watch.watch():
        _, watched, _ = anyio.run(imported, next(stores), files)
    own, server, clock = min(runs)
    stages = {stage: watch.seconds[stage] for stage in (READING, *STAGES)}
    stages[OTHER] = watched - sum(stages.values())
    return {
        "messages": count,
        "bytes": round(sum(file.stat().st_size for file in files) / count),
        "per_second": round(count / own),
        "per_second_by_the_clock": round(count / clock),
        "us": round(1e6 * own / count, 1),
        "us_of_server": round(1e6 * server / count, 1),
        "us_while_timed": round(1e6 * watched / count, 1),
        "stages": {stage: round(1e6 * seconds / count, 1) for stage, seconds in stages.items()},
        "calls": {stage: round(watch.calls[stage] / count, 2) for stage in stages},
    }


def main() -> int:
    """Run and print."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.importing", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("chats", type=Path, nargs="+")
    parser.add_argument("--store", choices=("sqlite", "postgres"), default="sqlite")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    files = [file for folder in arguments.chats for file in chat_files(folder)]
    with places(arguments.store) as stores:
        found = measure(stores, files, arguments.rounds)
    if arguments.json:
        print(json.dumps(found))
        return 0
    for name, value in found.items():
        if not isinstance(value, dict):
            print(f"{name:24} {value}")
    for stage, value in found["stages"].items():
        print(f"  {stage:22} {value:8.1f} us {found['calls'][stage]:8.2f} calls a message")
    return 0


if __name__ == "__main__":
    sys.exit(main())
