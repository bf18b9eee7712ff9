"""The contract of a store: the store."""

# ruff: noqa: D102 -- a test's name is its sentence; a transaction that is to raise is a whole block.

from dataclasses import replace

from remembrancer.storage.ports.store import Store
from remembrancer.testing.contract.base import Contract
from remembrancer.testing.contract.made import (
    DAY,
    HOME,
    SPACE,
    START,
    observation,
    put,
    write_everything,
)
from remembrancer.types.breaker import Breaker, Failing
from remembrancer.types.call import CallPurpose
from remembrancer.types.caller import Caller

BREAKER = Breaker(
    model="openai:gpt-5-nano",
    purpose=CallPurpose.OBSERVE,
    failures=1,
    opened=0,
    failing=Failing.AWAY,
    since=START,
    until=None,
)


class WholeStoreContract(Contract):
    """See `remembrancer.testing.contract`: the store."""

    async def test_a_store_that_was_only_used_has_no_faults(self, store: Store) -> None:
        await store.serving_generation(SPACE)
        async with store.begin(Caller(scope=HOME)) as tx:
            await write_everything(tx)
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.upkeep.faults() == []

    async def test_a_fingerprint_is_steady_and_unlike_that_of_another_text(self, store: Store) -> None:
        assert store.sign("quartz") == store.sign("quartz")
        assert store.sign("quartz") != store.sign("basalt")
        assert bytes.fromhex(store.sign("quartz"))

    async def test_a_breaker_is_kept_as_it_was_put_and_forgotten(self, store: Store) -> None:
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

    async def test_of_two_who_change_a_breaker_at_once_one_does(self, store: Store) -> None:
        assert await store.put_breaker(BREAKER)
        assert not await store.put_breaker(replace(BREAKER, failures=9))
        assert await store.put_breaker(replace(BREAKER, failures=2, change=2))
        assert not await store.put_breaker(replace(BREAKER, failures=7, change=2))
        assert [one.failures for one in await store.breakers()] == [2]

    async def test_a_store_takes_room(self, store: Store) -> None:
        before = await store.size()
        await put(store, *(observation(f"o{index}", text="quartz " * 200) for index in range(200)))
        assert 0 < before < await store.size()
