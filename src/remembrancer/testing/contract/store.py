"""The contract of a store: the store."""

# ruff: noqa: D102 -- a test's name is its sentence; a transaction that is to raise is a whole block.

from remembrancer.model.caller import Caller
from remembrancer.ports.store import Store
from remembrancer.testing.contract.base import Contract
from remembrancer.testing.contract.made import (
    HOME,
    SPACE,
    observation,
    put,
    write_everything,
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

    async def test_a_store_takes_room(self, store: Store) -> None:
        before = await store.size()
        await put(store, *(observation(f"o{index}", text="quartz " * 200) for index in range(200)))
        assert 0 < before < await store.size()
