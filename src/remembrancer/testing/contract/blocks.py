"""The contract of a store: savings."""

# ruff: noqa: D102 -- a test's name is its sentence; a transaction that is to raise is a whole block.

from dataclasses import replace

from remembrancer.storage.ports.store import Store
from remembrancer.testing.contract.base import Contract
from remembrancer.testing.contract.made import (
    DAY,
    HOME,
    HOUSE,
    RIVAL,
    START,
    STRANGER,
    served,
)
from remembrancer.types.caller import Caller
from remembrancer.types.savings import Expense, Saving
from remembrancer.types.scope import Scope


class BlocksContract(Contract):
    """See `remembrancer.testing.contract`: savings."""

    async def test_what_blocks_spared_is_told_by_session_of_the_exact_scope(self, store: Store) -> None:
        blocks = [served("a"), served("b", at=START + DAY, price=None), served("c", session="t", at=START + 2 * DAY)]
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.blocks.add(blocks)
            await tx.blocks.add(blocks[:1])
        async with store.snapshot(Caller(scope=HOME)) as tx:
            last, first = await tx.blocks.by_session(since=START, limit=9)
            assert (last.session, last.blocks, last.saving) == ("t", 1, blocks[2].cost)
            assert (first.session, first.blocks, first.unpriced, first.known) == ("s", 2, 1, True)
            assert first.saving == Saving(
                served=Expense(tokens=20, prefix=10, uncached=20, cached=16),
                whole=Expense(tokens=200, prefix=100, uncached=200, cached=150),
            )
            assert await tx.blocks.by_session(since=START, limit=1) == [last]
            _, later = await tx.blocks.by_session(since=START + DAY, limit=9)
            assert (later.session, later.blocks, later.unpriced, later.known) == ("s", 1, 1, False)
        async with store.snapshot(Caller(scope=STRANGER)) as tx:
            assert await tx.blocks.by_session(since=START, limit=9) == []

    async def test_what_blocks_spared_is_told_by_agent_of_the_tenant(self, store: Store) -> None:
        other = Scope(tenant=HOUSE.tenant, project="gemini")
        for place, scope in enumerate((HOME, replace(HOME, user="bob"), other, RIVAL)):
            async with store.begin(Caller(scope=scope)) as tx:
                await tx.blocks.add([served(f"{place}")])
        async with store.snapshot(Caller(scope=HOUSE)) as tx:
            found = await tx.blocks.by_agent(since=START)
            by = {(one.project, one.agent, one.session): one.blocks for one in found}
            assert by == {(HOME.project, HOME.agent, None): 2, ("gemini", None, None): 1}
            assert [one.project for one in found] == sorted(one.project or "" for one in found)
            assert [one.blocks for one in await tx.blocks.by_agent(since=START, project="gemini")] == [1]
            assert [one.blocks for one in await tx.blocks.by_agent(since=START, agent=HOME.agent)] == [2]
            assert await tx.blocks.by_agent(since=START + DAY) == []
