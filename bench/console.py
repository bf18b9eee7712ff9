"""The pages of the console over stores of several sizes: the time and the weight of each, next to a list of REST.

    python -m bench.console [--n 1000 100000 1000000] [--store FILE ...] [--only SUBSTRING] [--json]

Each store is filled with messages of 40-turn sessions of 20 users and one observation for every ten messages; one
user has half of all. A file of `--store` is used as it is. `first` is the first request after the service has started,
`p50` the median of five more; `over_list` is that over the median of `GET /v1/memories?limit=50` of the same service.
"""

import argparse
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio
import httpx2

from remembrancer import Memory, NewMessage, NewObservation, Scope, open_memory
from tests.serving import serving

USERS = 20
TURNS = 40
SESSIONS_A_BATCH = 20
TIMES = 5
WORDS = (
    *("flight", "oslo", "early", "morning", "budget", "invoice", "client", "meeting", "coffee", "report", "draft"),
    *("letter", "deploy", "branch", "review", "garden", "kitchen", "train", "berlin", "vienna", "python", "database"),
    *("index", "memory", "agent", "answer", "question", "monday", "friday", "holiday", "doctor", "school", "music"),
    *("guitar", "piano", "running", "marathon", "recipe", "pasta", "cheese", "wine", "window", "seat", "aisle"),
    *("hotel", "booking", "passport", "visa", "insurance", "bank", "transfer", "painter", "office", "harbour"),
)
PAGES: Mapping[str, str] = {
    "home": "",
    "home of a user": "/?user={user}",
    "search": "/search?q=which+flight+to+oslo&user={user}",
    "conversations": "/conversations",
    "conversation": "/conversation?session={session}&at=user%3D{user}",
    "memories": "/memories",
    "memories of a user": "/memories?user={user}",
    "memories of a kind": "/memories?kinds=observation",
    "memories as of a date": "/memories?as_of={now}",
    "a filter without matches": "/memories?tags=none",
    "a memory": "/memories/{id}?at=user%3D{user}",
    "habits": "/learning?user={user}",
    "rules": "/learning?part=rules&user={user}",
    "records": "/learning?part=records&user={user}",
    "nights": "/learning?part=nights&user={user}",
    "timeline": "/timeline",
    "entities": "/graph",
    "difference": "/diff",
    "ask": "/ask?q=which+flight+to+oslo&user={user}",
    "operations": "/operations",
    "operations, counted": "/operations?count=1",
    "costs": "/costs",
    "governance": "/governance",
    "governance, counted": "/governance?count=1",
    "retention": "/governance/retention",
    "erasure": "/governance/erasure",
    "audit": "/governance/audit",
    "keys": "/governance/keys",
    "scopes": "/scopes",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFigures:
    """One page; times in milliseconds, the weight in KiB without the style and the script, which are loaded once."""

    page: str
    first: float
    p50: float
    over_list: float
    kib: float


async def fill(path: str, count: int) -> None:
    """Fill a store with about so many memories."""
    chance, start = random.Random(1), datetime(2024, 1, 1, tzinfo=UTC)
    async with open_memory(path, embedder="none", background=False) as memory:
        done = batch = 0
        while done < count:
            user = 0 if batch % 2 else 1 + batch // 2 % (USERS - 1)
            done += await _batch(memory.within(Scope(user=f"user-{user}")), chance, start, batch, count - done)
            batch += 1
            if sys.stderr.isatty():
                print(f"\r{done:,} of {count:,}", end="", file=sys.stderr)


async def _batch(memory: Memory, chance: random.Random, start: datetime, batch: int, most: int) -> int:
    def text() -> str:
        return " ".join(chance.choices(WORDS, k=chance.randint(6, 30)))

    messages = [
        NewMessage(
            text=text(),
            role="assistant" if turn % 2 else "user",
            session=f"s-{batch}-{number}",
            occurred_at=start + timedelta(minutes=7 * batch, seconds=60 * number + turn),
        )
        for number in range(SESSIONS_A_BATCH)
        for turn in range(TURNS)
    ][:most]
    claims = [
        NewObservation(text=f"{text()} {batch} {number}", occurred_at=start + timedelta(minutes=7 * batch))
        for number in range(len(messages) // 10)
    ]
    await memory.messages.record_many(messages)
    await memory.observations.save_many(claims)
    return len(messages) + len(claims)


def measured(path: str, only: str) -> list[PageFigures]:
    """Return the figures of every page over a store."""
    with _service(path) as http:
        newest = http.get("/v1/memories", params={"limit": 1, "user": "user-0"}).json()["records"]
        user = "user-0" if newest else "user-1"
        newest = newest or http.get("/v1/memories", params={"limit": 1, "user": user}).json()["records"]
        session = http.get("/v1/sessions", params={"limit": 1, "user": user}).json()[0]["id"]
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M")
        names = {"user": user, "session": session, "id": newest[0]["id"], "now": now}
        listed = [_timed(http, f"/v1/memories?limit=50&user={user}")[0] for _ in range(TIMES)]
        base = statistics.median(listed)
        found: list[PageFigures] = []
        for page, address in PAGES.items():
            if only in page:
                found.append(_page(http, page, f"/console{address.format(**names)}", base))
        return found


def _page(http: httpx2.Client, page: str, address: str, base: float) -> PageFigures:
    first, size = _timed(http, address)
    again = statistics.median(_timed(http, address)[0] for _ in range(TIMES))
    return PageFigures(
        page=page,
        first=round(1e3 * first, 1),
        p50=round(1e3 * again, 1),
        over_list=round(again / base, 1),
        kib=round(size / 1024, 1),
    )


def _timed(http: httpx2.Client, address: str) -> tuple[float, int]:
    started = time.perf_counter()
    answer = http.get(address)
    seconds = time.perf_counter() - started
    assert answer.status_code == 200, (address, answer.status_code)
    return seconds, len(answer.content)


@contextmanager
def _service(path: str) -> Generator[httpx2.Client]:
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(path, Path(folder) / "log", "--no-background", "--quiet") as running,
        httpx2.Client(base_url=running.url, timeout=120.0) as http,
    ):
        yield http


def figures(sizes: Sequence[int], stores: Sequence[str], only: str) -> dict[str, list[PageFigures]]:
    """Return the figures of every page, by store."""
    found: dict[str, list[PageFigures]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            path = str(Path(folder) / f"{size}.db")
            anyio.run(fill, path, size)
            found[f"{size:,}"] = measured(path, only)
    for path in stores:
        found[Path(path).name] = measured(path, only)
    return found


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m bench.console")
    parser.add_argument("--n", type=int, nargs="*", default=[1_000])
    parser.add_argument("--store", nargs="*", default=[])
    parser.add_argument("--only", default="")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    found = figures(arguments.n, arguments.store, arguments.only)
    if arguments.json:
        print(json.dumps({name: [asdict(one) for one in rows] for name, rows in found.items()}, indent=1))
        return
    for name, rows in found.items():
        print(f"\n{name} memories: page, first ms, p50 ms, over REST list, KiB")
        for one in rows:
            print(f"{one.page:<26}{one.first:>10,.1f}{one.p50:>10,.1f}{one.over_list:>8.1f}{one.kib:>8.1f}")


if __name__ == "__main__":
    main()
