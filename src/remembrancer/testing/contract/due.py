"""The contract of a store: work."""

# ruff: noqa: D102 -- a test's name is its sentence; a transaction that is to raise is a whole block.

from dataclasses import replace

from remembrancer.storage.ports.store import Store
from remembrancer.testing.contract.base import Contract
from remembrancer.testing.contract.made import (
    DAY,
    HOME,
    RIVAL,
    SPACE,
    START,
    STRANGER,
    chunk,
    directions,
    embed,
    night,
    observation,
    put,
    session,
)
from remembrancer.types.caller import Caller
from remembrancer.types.chunk import Log
from remembrancer.types.due import Due, Purpose, Thresholds
from remembrancer.types.fault import Fault, Finding


class DueContract(Contract):
    """See `remembrancer.testing.contract`: work."""

    async def test_what_is_due_is_told_by_tenant_and_purpose(self, store: Store) -> None:
        await store.serving_generation(SPACE)
        (document,) = await put(store, observation("o"))
        await put(store, observation("r", scope=RIVAL))
        async with store.begin(Caller(scope=STRANGER)) as tx:
            await tx.sessions.put(session("old", scope=STRANGER))
        async with store.begin(Caller(scope=RIVAL)) as tx:
            await tx.sessions.put(session("fresh", scope=RIVAL, at=START + 2 * DAY))
        embed_home, embed_rival = (Due(tenant=tenant, purpose=Purpose.EMBED) for tenant in ("acme", "rival"))
        stale = Due(tenant="acme", purpose=Purpose.STALE_SESSIONS)
        later = Thresholds(stale_before=START + DAY)
        assert await store.due(later) == [embed_home, stale, embed_rival]
        assert await store.waiting(embed_home, later) == [HOME]
        assert await store.waiting(replace(embed_home, tenant="nobody"), later) == []
        assert await store.waiting(stale, later) == [STRANGER]
        assert await store.waiting(replace(stale, tenant="rival"), later) == []
        await embed(store, HOME, [document], directions(1))
        assert await store.due(Thresholds(stale_before=START)) == [embed_rival]

    async def test_messages_behind_the_cursor_are_due_to_be_observed(self, store: Store) -> None:
        observe = Due(tenant="acme", purpose=Purpose.OBSERVE)
        async with store.begin(Caller(scope=HOME)) as tx:
            for id in "ab":
                await tx.sessions.put(session(id))
                await tx.sessions.take_numbers(id, 2, tokens=60)
        limits = Thresholds(stale_before=START, chunk_tokens=100)
        assert await store.due(limits) == await store.waiting(observe, limits) == []
        assert await store.due(replace(limits, by_scope=True)) == [observe]
        assert await store.waiting(observe, replace(limits, by_scope=True)) == [HOME]
        assert await store.due(replace(limits, chunk_tokens=60)) == [observe]
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.chunks.add(chunk("a", 1, 2, tokens=60))
        assert await store.due(replace(limits, by_scope=True)) == []
        assert await store.due(replace(limits, chunk_tokens=60)) == [observe]
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert [found.id for found in await tx.sessions.unobserved(tokens=1)] == ["b"]
            assert await tx.sessions.unobserved(tokens=61) == []

    async def test_a_night_that_was_run_for_a_later_day_is_none_of_an_earlier_one(self, store: Store) -> None:
        nightly, today = Due(tenant="acme", purpose=Purpose.NIGHTLY), START.date()
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.nights.put(replace(night(today + 365 * DAY), ended_at=START))
        limits = Thresholds(stale_before=START - DAY, night=today.isoformat())
        assert await store.due(limits) == [nightly]
        assert await store.waiting(nightly, limits) == [HOME]
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.nights.put(replace(night(today), ended_at=START))
        assert await store.due(limits) == await store.waiting(nightly, limits) == []

    async def test_what_a_clock_that_ran_ahead_has_written_is_found_and_its_nights_forgotten(
        self, store: Store
    ) -> None:
        year = 365 * DAY
        await put(store, observation("now"), replace(observation("then"), updated_at=START + year))
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.sessions.put(session("later", at=START + year))
            await tx.sessions.put(session("before"))
            for day in (START, START + DAY, START + year):
                await tx.nights.put(night(day.date()))
            nights, times = await tx.upkeep.ahead(START)
            assert nights == Finding(fault=Fault.FUTURE_NIGHT, where=((START + year).date().isoformat(),))
            assert times == Finding(fault=Fault.FUTURE_TIME, where=("later", "then"))
            await tx.upkeep.mend(nights)
            assert await tx.upkeep.ahead(START) == [times]
            assert await tx.nights.find((START + DAY).date())
            assert await tx.upkeep.ahead(START + year) == []

    async def test_a_log_that_has_grown_is_due_to_be_reflected_on(self, store: Store) -> None:
        reflect = Due(tenant="acme", purpose=Purpose.REFLECT)
        async with store.begin(Caller(scope=HOME)) as tx:
            assert await tx.logs.find("s") == Log(session="s")
            await tx.logs.put(Log(session="s", places=2, tokens=10, fresh=10))
            await tx.logs.put(Log(session="s", places=7, tokens=50, fresh=4))
        limits = Thresholds(stale_before=START, log_tokens=50, fresh_tokens=4)
        assert await store.due(limits) == [reflect]
        assert await store.waiting(reflect, limits) == [HOME]
        assert await store.due(replace(limits, fresh_tokens=5)) == []
        assert await store.due(replace(limits, log_tokens=51)) == []
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.logs.list(tokens=50, fresh=4) == [await tx.logs.find("s")]
            assert await tx.logs.list(tokens=50, fresh=5) == []
        async with store.snapshot(Caller(scope=STRANGER)) as tx:
            assert await tx.logs.find("s") == Log(session="s")
