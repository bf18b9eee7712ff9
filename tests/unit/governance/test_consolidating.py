"""Observations that say the same become one, however many there are."""

from collections.abc import AsyncIterator, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from remembrancer import Scope
from remembrancer.ingest.admission import admit
from remembrancer.learn import patterns as learned
from remembrancer.learn import pause as pausing
from remembrancer.storage.base import Store
from remembrancer.storage.sqlite.store import SQLiteStore
from remembrancer.testing import FakeClock
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.transactions.draft import Draft
from remembrancer.transactions.write_transaction import WriteTransaction
from remembrancer.types.access import Caller
from remembrancer.types.details import EpisodeDetails
from remembrancer.types.episode import EpisodeOutcome, Event
from remembrancer.types.jobs import MaintenanceRun, MaintenanceStep
from remembrancer.types.lifecycle import Status
from remembrancer.types.pattern import Category, Pattern
from tests.doubles import CountingIds

pytestmark = pytest.mark.anyio

DONE = EpisodeDetails(event=Event.ACTION_COMPLETED, outcome=EpisodeOutcome.DONE)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    async with SQLiteStore.open(tmp_path / "m.db") as store:
        yield store


async def take(writer: WriteTransaction, key: str, cited: Sequence[str]) -> None:
    """Observe that mails are short, in words that differ by key."""
    quote = f"Ana prefers short mails{'.' * (ord(key) - ord('a'))}"
    pattern = Pattern(key=key, category=Category.WRITING_STYLE, quote=quote, evidence="counted", episodes=tuple(cited))
    await learned.take(writer, [pattern], engine="counting 1", day=date(2026, 1, 5))


async def mails(writer: WriteTransaction) -> list[str]:
    """Twelve mails that were sent."""
    done = await admit(writer, [Draft(text=f"sent mail {number}", details=DONE) for number in range(12)])
    return [saved.record.id for saved in done]


async def test_three_that_say_the_same_become_one_with_all_their_evidence(store: Store) -> None:
    rules = Dependencies(clock=FakeClock(datetime(2026, 1, 5, tzinfo=UTC)), ids=CountingIds(), sign=store.sign)
    async with store.begin(Caller(scope=Scope())) as tx:
        writer = WriteTransaction(tx, rules)
        ids = await mails(writer)
        for key, cited in (("a", ids[:6]), ("b", ids[4:9]), ("c", ids[8:])):
            await take(writer, key, cited)
        assert len(await tx.observations.patterns((Status.ACTIVE,))) == 3
        assert await learned.consolidate(writer) == 2
        (one,) = await tx.observations.patterns((Status.ACTIVE,))
    assert one.learned is not None
    assert (sorted(one.evidence), one.learned.occurrences) == (sorted(ids), 12)


async def test_two_that_stood_before_the_last_night_are_compared_only_with_what_came_or_changed(store: Store) -> None:
    clock = FakeClock(datetime(2026, 1, 5, tzinfo=UTC))
    rules = Dependencies(clock=clock, ids=CountingIds(), sign=store.sign)
    async with store.begin(Caller(scope=Scope())) as tx:
        writer = WriteTransaction(tx, rules)
        ids = await mails(writer)
        for key, cited in (("a", ids[:6]), ("b", ids[4:9])):
            await take(writer, key, cited)
        clock.move(timedelta(hours=1))
        before = MaintenanceRun(
            day=date(2026, 1, 5), step=MaintenanceStep.SCORES, started_at=clock.now(), ended_at=clock.now()
        )
        clock.move(timedelta(hours=1))
        assert await learned.consolidate(writer, before=before) == 0
        (one, _) = await tx.observations.patterns((Status.ACTIVE,))
        await pausing.put(WriteTransaction(tx, rules), one.id, Status.PAUSED)
        await pausing.put(WriteTransaction(tx, rules), one.id, Status.ACTIVE)
        assert await learned.consolidate(writer, before=before) == 1
        await take(writer, "c", ids[8:])
        assert await learned.consolidate(writer, before=before) == 1
