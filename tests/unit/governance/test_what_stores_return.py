"""What a store returns is checked: what is closed, of another kind, or lacks a part stops nothing else."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from remembrancer import Conflict, NotAllowed, Scope
from remembrancer.ingest.admission import admit, admit_one, hash_of, revise
from remembrancer.learn import patterns as learned
from remembrancer.learn.compact.records import retell
from remembrancer.storage.base import Store
from remembrancer.storage.sqlite.store import SQLiteStore
from remembrancer.testing import FakeClock
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.transactions.documents import terms_in_index
from remembrancer.transactions.draft import Draft
from remembrancer.transactions.write_transaction import WriteTransaction
from remembrancer.types.access import Caller
from remembrancer.types.details import EpisodeDetails
from remembrancer.types.episode import EpisodeOutcome, Event, Tier
from remembrancer.types.lifecycle import Status
from remembrancer.types.record import Episode, Observation, Role, Signal
from remembrancer.types.results import Change
from remembrancer.types.scope import Classification
from tests.doubles import CountingIds
from tests.factories import episode, observation

pytestmark = pytest.mark.anyio

HOME = Scope(tenant="acme")
ID = "019cadcb-2e60-8331-b061-787f6a94bf24"
OTHER = "019cadcb-2e60-8331-b061-787f6a94bf25"
DONE = EpisodeDetails(event=Event.ACTION_COMPLETED, outcome=EpisodeOutcome.DONE)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    async with SQLiteStore.open(tmp_path / "m.db") as store:
        yield store


@pytest.fixture
def rules(store: Store) -> Dependencies:
    return Dependencies(clock=FakeClock(datetime(2026, 1, 5, tzinfo=UTC)), ids=CountingIds(), sign=store.sign)


async def test_an_id_that_is_closed_to_its_caller_is_refused(store: Store, rules: Dependencies) -> None:
    draft = Draft(id=ID, text="The code is 4711", role=Role.USER)
    async with store.begin(Caller.engine(HOME)) as tx:
        await admit(WriteTransaction(tx, rules), [replace(draft, classification=Classification.RESTRICTED)])
    async with store.begin(Caller(scope=HOME, clearance=Classification.INTERNAL)) as tx:
        with pytest.raises(NotAllowed, match="closed to this caller"):
            await admit(WriteTransaction(tx, rules), [draft])


async def test_an_id_of_another_kind_is_refused(store: Store, rules: Dependencies) -> None:
    async with store.begin(Caller.engine(HOME)) as tx:
        writer = WriteTransaction(tx, rules)
        await admit(writer, [Draft(id=ID, text="Sent a mail", role=Role.USER)])
        with pytest.raises(Conflict, match=f"'{ID}' is a message already"):
            await admit_one(writer, Draft(id=ID, text="Sent a mail", details=DONE), Episode)
        assert (await admit_one(writer, Draft(id=OTHER, text="Sent a mail", details=DONE), Episode)).record.id == OTHER


async def test_a_record_that_became_another_kind_is_not_changed_as_the_one_it_was(
    store: Store, rules: Dependencies
) -> None:
    async with store.begin(Caller.engine(HOME)) as tx:
        writer = WriteTransaction(tx, rules)
        (saved,) = await admit(writer, [Draft(id=OTHER, text="Sent a mail", details=DONE)])
        was = observation(OTHER, scope=HOME)
        with pytest.raises(Conflict, match="another kind"):
            await writer.change(was, Change(importance=0.9))
        with pytest.raises(Conflict, match="another kind"):
            await revise(writer, was, Draft(text="Sent two mails"))
        assert isinstance(saved.record, Episode)


async def test_a_compact_record_that_has_lost_its_days_is_told_anew_by_those_of_its_sources(
    store: Store, rules: Dependencies
) -> None:
    async with store.begin(Caller.engine(HOME)) as tx:
        writer = WriteTransaction(tx, rules)
        sources = await admit(writer, [Draft(text=f"Sent mail {number}", details=DONE) for number in range(2)])
        week = episode("week", tier=Tier.WEEKLY, scope=HOME)
        week = replace(
            week,
            evidence=tuple(saved.record.id for saved in sources),
            details=replace(week.details, begins=None, ends=None),
        )
        await tx.records.add([week], [terms_in_index(week, sign=rules.sign)])
        (told,) = await retell(writer, [week])
    assert {saved.record.status for saved in sources} == {Status.RAW}
    assert (told.details.begins, told.details.ends) == (rules.clock.now().date(), rules.clock.now().date())
    assert told.hash == hash_of(told.text)
    assert "2 interactions" in told.text


async def test_what_the_detector_has_not_counted_is_neither_grown_nor_counted_less(
    store: Store, rules: Dependencies
) -> None:
    async with store.begin(Caller.engine(HOME)) as tx:
        writer = WriteTransaction(tx, rules)
        saved = await admit_one(writer, Draft(text="Mails are short"), Observation)
        assert await learned.lost(writer, saved.record) == saved.record


async def test_a_signal_that_is_told_again_under_its_key_is_the_same(store: Store, rules: Dependencies) -> None:
    async with store.begin(Caller.engine(HOME)) as tx:
        writer = WriteTransaction(tx, rules)
        draft = Draft(text="Ana likes it short", key="k", details=DONE)
        first = await admit_one(writer, draft, Episode)
        assert (await admit_one(writer, draft, Episode)).record.id == first.record.id
        with pytest.raises(Conflict, match="use another key"):
            await admit_one(writer, draft, Signal)
