"""The contract of a store: injections."""

# ruff: noqa: D102 -- a test's name is its sentence; a transaction that is to raise is a whole block.

from dataclasses import replace

from remembrancer.storage.ports.store import Store
from remembrancer.testing.contract.base import Contract
from remembrancer.testing.contract.made import (
    DAY,
    HOME,
    START,
    STRANGER,
    injection,
    message,
    put,
)
from remembrancer.types.caller import Caller


class InjectionsContract(Contract):
    """See `remembrancer.testing.contract`: injections."""

    async def test_what_was_put_before_an_agent_is_told_by_session(self, store: Store) -> None:
        first, later = injection("b", "a"), injection("c", at=START + DAY, shown=False)
        elsewhere = injection("d", session="other")
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.injections.add([first, later, elsewhere])
            await tx.injections.add([first])
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.injections.list("s", limit=9) == [later, first]
            assert await tx.injections.list("s", limit=2) == [later, replace(first, records=("b",))]
            assert await tx.injections.list("other", limit=9) == [elsewhere]
        async with store.snapshot(Caller(scope=STRANGER)) as tx:
            assert await tx.injections.list("s", limit=9) == []

    async def test_an_erased_memory_was_put_before_nobody(self, store: Store) -> None:
        await put(store, message("m"), message("n", number=2))
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.injections.add([injection("m", "n")])
            await tx.records.erase("m")
            assert [one.records for one in await tx.injections.list("s", limit=9)] == [("n",)]
