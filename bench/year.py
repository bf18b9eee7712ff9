"""A year of many users, night after night, through the product: what is kept, what it counts, what it costs to keep.

    python -m bench.year [--users 50] [--days 365] [--seed 0] [--store sqlite|postgres] [--at FILE] [--part I/N]

Each user has some agents, each an exact scope; the lives are those of `bench.behaviour`. Every local day its episodes
and signals are recorded, and every night is run. Then it is looked at: no row is gone, what is superseded stands in no
index, the counts of each compact record are those of its sources, down to the last one, and each group comes back.

With `--at` the store stays, in a file or in a server's folder: a run that was interrupted goes on with the day after
its last night. With `--part 2/3` it lives the lives of every third user from the second on: several processes at one
file share the year.
"""

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager
from datetime import UTC, date, datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import Any

import anyio

from bench.behaviour.world import AGENTS
from bench.behaviour.year import FIRST, Planned, episodes, lives
from bench.places import SECRET, Place, kept, places
from remembrancer.adapters.clock import TimeOrderedIds
from remembrancer.ingest.admission import admit
from remembrancer.jobs.maintenance.runner import MaintenanceRunner
from remembrancer.learn.compact import records as compacting
from remembrancer.storage.base import Store
from remembrancer.storage.postgres.store import PostgresStore
from remembrancer.storage.sqlite.store import SQLiteStore
from remembrancer.storage.tx import Tx
from remembrancer.testing import FakeClock
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.transactions.draft import Draft
from remembrancer.transactions.unit_of_work import UnitOfWork
from remembrancer.transactions.write_transaction import WriteTransaction
from remembrancer.types.access import Caller
from remembrancer.types.details import EpisodeDetails, SignalDetails
from remembrancer.types.episode import EpisodeOutcome, Event, SignalType, Tier
from remembrancer.types.filter import Filter
from remembrancer.types.jobs import MaintenanceRun
from remembrancer.types.lifecycle import LIVE, Status
from remembrancer.types.record import Episode, Kind
from remembrancer.types.scope import Scope

PAGE = 1_000
# The hour, local and UTC here, at which a day's record is written, and that of its night.
EVENING, NIGHT = timedelta(hours=23, minutes=30), timedelta(days=1, hours=3)
_ALL = tuple(Status)


@asynccontextmanager
async def _opened(place: Place) -> AsyncGenerator[Store, None]:
    if place.admin:
        async with PostgresStore.open(place.db, secret=SECRET) as served:
            yield served
    else:
        async with SQLiteStore.open(Path(place.db)) as store:
            yield store


def _drafts(planned: Sequence[Planned]) -> list[Draft]:
    """What a door makes of what was done; the plan's id is the key, so that a day is recorded once."""
    return [
        Draft(
            text=one.text,
            occurred_at=one.at.replace(tzinfo=UTC) if one.at.tzinfo is None else one.at,
            key=one.id,
            details=EpisodeDetails(
                event=Event(one.event),
                outcome=EpisodeOutcome(one.outcome),
                entities=one.entities,
                attributes=one.attributes,
            )
            if one.outcome
            else SignalDetails(signal=SignalType(one.event), entities=one.entities, attributes=one.attributes),
        )
        for one in planned
    ]


def _days(seed: int, users: int, days: int, part: slice) -> Iterator[tuple[date, list[Planned]]]:
    planned = episodes(seed, users, days, part=part)
    for day, found in groupby(planned, key=lambda one: one.at.astimezone(UTC).date()):
        yield day, list(found)


async def simulated(place: Place, *, seed: int, users: int, days: int, part: slice) -> dict[str, Any]:
    """Live through the year, and look at what is left of it."""
    own = {life.world.scope(agent) for life in lives(seed, users, days)[part] for agent in AGENTS}
    clock, began, recorded = FakeClock(datetime.combine(FIRST, datetime.min.time(), UTC)), time.perf_counter(), 0
    async with _opened(place) as store:
        rules = Dependencies(clock=clock, ids=TimeOrderedIds(), sign=store.sign)
        nightly = MaintenanceRunner(
            lambda scope: UnitOfWork(store=store, rules=rules, caller=Caller.engine(scope)), rules, zone=UTC
        )
        counts: Counter[str] = Counter()
        scopes = own.intersection(await store.scopes())
        done = await _latest(store, scopes)
        for day, planned in _days(seed, users, days, part):
            recorded += len(planned)
            scopes |= {one.scope for one in planned}
            if done is not None and day < done:
                continue
            await _lived(store, rules, clock, day, planned)
            clock.move(datetime.combine(day, datetime.min.time(), UTC) + NIGHT - clock.now())
            for night in await _nights(nightly, sorted(scopes, key=str), at_once=2 if place.admin else 1):
                counts.update(night.counts)
            _tell(day, recorded, began)
        print(file=sys.stderr)
        lived = time.perf_counter() - began
        looked = await _looked(store, sorted(scopes, key=str))
        looked["rows missing"] = recorded - looked.pop("raw rows")
        back = await _restored(store, sorted(scopes, key=str), rules)
    return {
        "users": users,
        "days": days,
        "scopes": len(scopes),
        "recorded": recorded,
        "seconds": round(lived),
        "nights": dict(counts),
        **looked,
        **back,
        "holds": not any((looked["rows missing"], looked["indexed though superseded"], looked["wrong counts"]))
        and not back["groups that stayed away"],
    }


async def _nights(nightly: MaintenanceRunner, scopes: Sequence[Scope], *, at_once: int) -> list[MaintenanceRun]:
    """The night of each scope, so many at a time as a store has use for."""
    found: list[MaintenanceRun] = []
    limiter = anyio.CapacityLimiter(at_once)

    async def run(scope: Scope) -> None:
        async with limiter:
            found.append(await nightly.run(scope))

    async with anyio.create_task_group() as tasks:
        for scope in scopes:
            tasks.start_soon(run, scope)
    return found


async def _latest(store: Store, scopes: Iterable[Scope]) -> date | None:
    """The day of the last night that was run, in a store that is there already; that day was not lived yet."""
    latest: date | None = None
    for scope in scopes:
        async with store.snapshot(Caller(scope=scope)) as tx:
            night = await tx.maintenance_runs.latest()
        if night is not None:
            latest = night.day if latest is None else max(latest, night.day)
    return latest


async def _lived(store: Store, rules: Dependencies, clock: FakeClock, day: date, planned: Sequence[Planned]) -> None:
    clock.move(datetime.combine(day, datetime.min.time(), UTC) + EVENING - clock.now())
    by_scope = sorted(planned, key=lambda one: str(one.scope))
    for scope, found in groupby(by_scope, key=lambda one: one.scope):
        async with store.begin(Caller(scope=scope)) as tx:
            await admit(WriteTransaction(tx, rules), _drafts(list(found)))


def _tell(day: date, recorded: int, began: float) -> None:
    spent = time.perf_counter() - began
    print(f"\r{day}: {recorded:,} recorded, {spent:,.0f} s", end="", file=sys.stderr, flush=True)


async def _all(tx: Tx, statuses: Sequence[Status] = _ALL) -> AsyncGenerator[Episode, None]:
    cursor: str | None = None
    while True:
        wanted = Filter(kinds=(Kind.EPISODE,), statuses=tuple(statuses))
        page = await tx.records.list(wanted, limit=PAGE, cursor=cursor)
        for record in page.records:
            assert isinstance(record, Episode)
            yield record
        cursor = page.cursor
        if cursor is None:
            return


async def _looked(store: Store, scopes: Sequence[Scope]) -> dict[str, Any]:
    """What every scope holds, held against what it should."""
    raw = signals = indexed = wrong = 0
    stands: Counter[str] = Counter()
    covers: Counter[Tier] = Counter()
    for scope in scopes:
        async with store.snapshot(Caller(scope=scope)) as tx:
            found = {record.id: record async for record in _all(tx)}
            for record in found.values():
                stands[f"{record.details.tier}/{record.status}"] += 1
                if record.details.tier is Tier.RAW:
                    raw += 1
                elif record.status not in (Status.RETIRED, Status.DELETED):
                    wrong += _miscounted(record, found)
                    covers[record.details.tier] += record.details.counts.interactions if record.details.counts else 0
            numbers = await tx.documents.matching(Filter(kinds=(Kind.EPISODE,), statuses=_ALL))
            held = await tx.documents.records(numbers.tolist())
            indexed += sum(record.status not in LIVE for record in held.values())
            signals += sum(count for name, count in (await tx.records.counts()).items() if name.startswith("signal/"))
    weekly = sum(count for name, count in stands.items() if name.startswith("weekly/"))
    monthly = sum(count for name, count in stands.items() if name.startswith("monthly/"))
    return {
        "raw rows": raw + signals,
        "stands": dict(sorted(stands.items())),
        "indexed though superseded": indexed,
        "wrong counts": wrong,
        "raw to a weekly record": round(covers[Tier.WEEKLY] / weekly, 1) if weekly else None,
        "raw to a monthly record": round(covers[Tier.MONTHLY] / monthly, 1) if monthly else None,
    }


def _miscounted(record: Episode, found: dict[str, Episode]) -> bool:
    """Whether a compact record's counts differ from those of its raw sources, counted here by another road."""
    outcomes = Counter(one.details.outcome.value for one in _below(record, found))
    counts = record.details.counts
    return counts is None or counts.interactions != outcomes.total() or dict(counts.outcomes) != dict(outcomes)


def _below(record: Episode, found: dict[str, Episode]) -> list[Episode]:
    if record.details.tier is Tier.RAW:
        return [] if record.status in (Status.CONTRADICTED, Status.DELETED) else [record]
    return [one for id in record.evidence for one in _below(found[id], found)]


async def _restored(store: Store, scopes: Sequence[Scope], rules: Dependencies) -> dict[str, int]:
    """Every group taken back, months before weeks: all that was recorded is raw again."""
    restored = away = 0
    for scope in scopes:
        for tier in (Tier.MONTHLY, Tier.WEEKLY):
            async with store.snapshot(Caller(scope=scope)) as tx:
                ids = [one.id async for one in _all(tx, (Status.ACTIVE,)) if one.details.tier is tier]
            for id in ids:
                async with store.begin(Caller(scope=scope)) as tx:
                    restored += len(await compacting.restore(WriteTransaction(tx, rules), id))
        async with store.snapshot(Caller(scope=scope)) as tx:
            left = [one async for one in _all(tx) if one.details.tier is Tier.RAW]
        away += sum(one.status is not Status.RAW for one in left)
    return {"restored": restored, "groups that stayed away": away}


def _part(given: str) -> slice:
    number, of = map(int, given.split("/"))
    if not 1 <= number <= of:
        raise ValueError(given)
    return slice(number - 1, None, of)


def main() -> None:
    """Print what was found."""
    parser = argparse.ArgumentParser(prog="python -m bench.year", description="A year, night after night.")
    parser.add_argument("--users", type=int, default=50)
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--store", choices=("sqlite", "postgres"), default="sqlite")
    parser.add_argument("--at", type=Path, help="a file, or a server's folder, that stays to go on with")
    parser.add_argument("--part", type=_part, default=slice(None), help="of the users: the second of three is 2/3")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with ExitStack() as open_:
        at = given.at and open_.enter_context(kept(given.store, given.at))
        place = at or next(open_.enter_context(places(given.store)))
        found = anyio.run(
            lambda: simulated(place, seed=given.seed, users=given.users, days=given.days, part=given.part)
        )
    print(json.dumps(found, indent=None if given.json else 1))
    sys.exit(0 if found["holds"] else 1)


if __name__ == "__main__":
    main()
