"""The contract of a store: due work and leases."""

from dataclasses import replace

import anyio

from remembrancer.storage.base import Store
from remembrancer.types.access import Caller
from remembrancer.types.jobs import DueWork, Finding, Purpose, StoreFault, Thresholds
from remembrancer.types.notes import Log
from tests.contract.suite.base import Contract
from tests.factories import (
    DAY,
    HOME,
    PATIENCE,
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


class DueContract(Contract):
    async def test_due_work_is_listed_by_tenant_and_purpose(self, store: Store) -> None:
        await store.serving_generation(SPACE)
        (document,) = await put(store, observation("o"))
        await put(store, observation("r", scope=RIVAL))
        async with store.begin(Caller(scope=STRANGER)) as tx:
            await tx.sessions.put(session("old", scope=STRANGER))
        async with store.begin(Caller(scope=RIVAL)) as tx:
            await tx.sessions.put(session("fresh", scope=RIVAL, at=START + 2 * DAY))
        embed_home, embed_rival = (DueWork(tenant=tenant, purpose=Purpose.EMBED) for tenant in ("acme", "rival"))
        stale = DueWork(tenant="acme", purpose=Purpose.STALE_SESSIONS)
        later = Thresholds(stale_before=START + DAY)
        assert await store.due(later) == [embed_home, stale, embed_rival]
        assert await store.waiting(embed_home, later) == [HOME]
        assert await store.waiting(replace(embed_home, tenant="nobody"), later) == []
        assert await store.waiting(stale, later) == [STRANGER]
        assert await store.waiting(replace(stale, tenant="rival"), later) == []
        await embed(store, HOME, [document], directions(1))
        assert await store.due(Thresholds(stale_before=START)) == [embed_rival]

    async def test_messages_after_the_cursor_are_due_for_observation(self, store: Store) -> None:
        observe = DueWork(tenant="acme", purpose=Purpose.OBSERVE)
        async with store.begin(Caller(scope=HOME)) as tx:
            for id in "ab":
                await tx.sessions.put(session(id))
                await tx.sessions.reserve_numbers(id, 2, tokens=60)
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

    async def test_a_night_of_a_later_day_does_not_count_for_an_earlier_day(self, store: Store) -> None:
        nightly, today = DueWork(tenant="acme", purpose=Purpose.NIGHTLY), START.date()
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.maintenance_runs.put(replace(night(today + 365 * DAY), ended_at=START))
        limits = Thresholds(stale_before=START - DAY, night=today.isoformat())
        assert await store.due(limits) == [nightly]
        assert await store.waiting(nightly, limits) == [HOME]
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.maintenance_runs.put(replace(night(today), ended_at=START))
        assert await store.due(limits) == await store.waiting(nightly, limits) == []

    async def test_rows_from_a_clock_that_ran_ahead_are_found_and_their_nights_deleted(self, store: Store) -> None:
        year = 365 * DAY
        await put(store, observation("now"), replace(observation("then"), updated_at=START + year))
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.sessions.put(session("later", at=START + year))
            await tx.sessions.put(session("before"))
            for day in (START, START + DAY, START + year):
                await tx.maintenance_runs.put(night(day.date()))
            nights, times = await tx.upkeep.ahead(START)
            assert nights == Finding(fault=StoreFault.FUTURE_NIGHT, where=((START + year).date().isoformat(),))
            assert times == Finding(fault=StoreFault.FUTURE_TIME, where=("later", "then"))
            await tx.upkeep.repair(nights)
            assert await tx.upkeep.ahead(START) == [times]
            assert await tx.maintenance_runs.find((START + DAY).date())
            assert await tx.upkeep.ahead(START + year) == []

    async def test_a_log_that_has_grown_is_due_for_reflection(self, store: Store) -> None:
        reflect = DueWork(tenant="acme", purpose=Purpose.REFLECT)
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

    async def test_a_lease_has_one_owner_at_a_time(self, store: Store) -> None:
        assert await store.lease("work", holder="first", seconds=60)
        assert not await store.lease("work", holder="second", seconds=60)
        assert await store.lease("other work", holder="second", seconds=60)
        assert await store.lease("work", holder="first", seconds=60)
        await store.release("work", holder="second")
        assert not await store.lease("work", holder="second", seconds=60)
        await store.release("work", holder="first")
        assert await store.lease("work", holder="second", seconds=60)

    async def test_a_lease_from_a_clock_that_ran_ahead_blocks_nobody(self, store: Store) -> None:
        assert await store.lease("work", holder="ahead", seconds=365 * 86_400.0)
        assert await store.lease("work", holder="now", seconds=60)
        assert not await store.lease("work", holder="ahead", seconds=60)

    async def test_a_lease_expires(self, store: Store) -> None:
        assert await store.lease("work", holder="dead", seconds=0.01)
        await anyio.sleep(0.05)
        assert await store.lease("work", holder="heir", seconds=60)
        assert not await store.lease("work", holder="dead", seconds=60)

    async def test_one_of_many_concurrent_callers_gets_a_lease(self, store: Store) -> None:
        taken: list[str] = []

        async def want(holder: str) -> None:
            if await store.lease("work", holder=holder, seconds=60):
                taken.append(holder)

        async with anyio.create_task_group() as tasks:
            for number in range(8):
                tasks.start_soon(want, f"holder {number}")
        assert len(taken) == 1

    async def test_waiting_for_a_hint_ends(self, store: Store) -> None:
        with anyio.fail_after(PATIENCE):
            await store.hint()
            await store.wait_for_hint(0.05)
