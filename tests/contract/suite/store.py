"""The contract of a store: the store as a whole: faults, fingerprints, breakers, size."""

from dataclasses import replace

from remembrancer.storage.base import Store
from remembrancer.types.access import Caller
from remembrancer.types.calls import CallPurpose
from tests.contract.suite.base import Contract
from tests.factories import BREAKER, DAY, HOME, SPACE, START, observation, put, write_everything


class WholeStoreContract(Contract):
    async def test_a_store_in_use_has_no_faults(self, store: Store) -> None:
        await store.serving_generation(SPACE)
        async with store.begin(Caller(scope=HOME)) as tx:
            await write_everything(tx)
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.upkeep.faults() == []

    async def test_a_fingerprint_is_stable_and_differs_between_texts(self, store: Store) -> None:
        assert store.sign("quartz") == store.sign("quartz")
        assert store.sign("quartz") != store.sign("basalt")
        assert bytes.fromhex(store.sign("quartz"))

    async def test_a_breaker_is_stored_and_deleted(self, store: Store) -> None:
        assert await store.breakers() == []
        assert await store.put_breaker(BREAKER)
        opened = replace(BREAKER, until=START + DAY, opened=1, failures=3, change=2)
        other = replace(BREAKER, purpose=CallPurpose.ANSWER)
        assert await store.put_breaker(opened)
        assert await store.put_breaker(other)
        assert await store.breakers() == [other, opened]
        await store.drop_breaker(BREAKER.model, CallPurpose.OBSERVE)
        await store.drop_breaker(BREAKER.model, CallPurpose.OBSERVE)
        assert await store.breakers() == [other]

    async def test_one_of_two_concurrent_changes_of_a_breaker_succeeds(self, store: Store) -> None:
        assert await store.put_breaker(BREAKER)
        assert not await store.put_breaker(replace(BREAKER, failures=9))
        assert await store.put_breaker(replace(BREAKER, failures=2, change=2))
        assert not await store.put_breaker(replace(BREAKER, failures=7, change=2))
        assert [one.failures for one in await store.breakers()] == [2]

    async def test_a_store_reports_its_size(self, store: Store) -> None:
        before = await store.size()
        await put(store, *(observation(f"o{index}", text="quartz " * 200) for index in range(200)))
        assert 0 < before < await store.size()
