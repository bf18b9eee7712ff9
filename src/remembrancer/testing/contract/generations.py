"""The contract of a store: generations."""

# ruff: noqa: D102 -- a test's name is its sentence; a transaction that is to raise is a whole block.

from dataclasses import replace

import pytest

from remembrancer.errors import Conflict
from remembrancer.storage.ports.store import Store
from remembrancer.testing.contract.base import Contract
from remembrancer.testing.contract.made import (
    HOME,
    OTHER_SPACE,
    SPACE,
    directions,
    embed,
    observation,
    put,
)
from remembrancer.types.caller import Caller
from remembrancer.types.space import Generation, SpaceState


class GenerationsContract(Contract):
    """See `remembrancer.testing.contract`: generations."""

    async def test_the_first_generation_serves_at_once_and_stays(self, store: Store) -> None:
        assert await store.generations() == []
        first = await store.serving_generation(SPACE)
        assert first == Generation(number=first.number, space=SPACE, state=SpaceState.ACTIVE)
        assert await store.serving_generation(OTHER_SPACE) == first
        assert await store.generations() == [first]

    async def test_a_generation_is_built_beside_the_one_that_serves_and_then_takes_over(self, store: Store) -> None:
        documents = await put(store, observation("a"), observation("b"), observation("late"))
        rows = directions(2)
        old = await store.serving_generation(SPACE)
        await embed(store, HOME, documents[:2], rows)
        new = await store.start_generation(OTHER_SPACE)
        assert new == Generation(number=new.number, space=OTHER_SPACE, state=SpaceState.BUILDING)
        assert await store.generations() == [old, new]
        async with store.begin(Caller(scope=HOME)) as tx:
            missing = await tx.vectors.missing(generation=new.number, limit=9)
            assert [item.document for item in missing] == documents
            for document, row in zip(documents, rows[::-1], strict=False):
                assert await tx.vectors.add({document: row[None, :]}, generation=new.number)
        async with store.snapshot(Caller(scope=HOME)) as tx:
            serving = await tx.vectors.nearest(rows[0], generation=old.number, limit=1, among=None)
            built = await tx.vectors.nearest(rows[0], generation=new.number, limit=1, among=None)
            assert (serving.documents.tolist(), built.documents.tolist()) == ([documents[0]], [documents[1]])
        await store.switch_generation(new.number)
        assert await store.generations() == [replace(new, state=SpaceState.ACTIVE)]
        assert (await self._row_counts(store))["vectors"] == 2
        async with store.snapshot(Caller(scope=HOME)) as tx:
            gone = await tx.vectors.nearest(rows[0], generation=old.number, limit=1, among=None)
            serves = await tx.vectors.nearest(rows[0], generation=new.number, limit=1, among=None)
            missing = await tx.vectors.missing(generation=new.number, limit=9)
            assert (gone.documents.tolist(), serves.documents.tolist()) == ([], [documents[1]])
            assert [item.document for item in missing] == documents[2:]
            assert await tx.upkeep.faults() == []

    async def test_a_generation_that_is_gone_cannot_take_over(self, store: Store) -> None:
        first = await store.serving_generation(SPACE)
        with pytest.raises(Conflict):
            await store.switch_generation(first.number + 1)
        assert await store.generations() == [first]

    async def test_a_half_built_generation_is_dropped_and_a_serving_one_is_not(self, store: Store) -> None:
        documents = await put(store, observation("a"))
        first = await store.serving_generation(SPACE)
        await embed(store, HOME, documents, directions(1))
        half = await store.start_generation(OTHER_SPACE)
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.vectors.add({documents[0]: directions(2)}, generation=half.number)
        await store.drop_generation(half.number)
        await store.drop_generation(first.number)
        assert await store.generations() == [first]
        assert (await self._row_counts(store))["vectors"] == 1
        assert (await store.start_generation(OTHER_SPACE)).number not in (first.number, half.number)
