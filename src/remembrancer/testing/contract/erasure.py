"""The contract of a store: erasure."""

# ruff: noqa: D102 -- a test's name is its sentence; a transaction that is to raise is a whole block.

from dataclasses import replace

import pytest

from remembrancer.errors import NotFound
from remembrancer.storage.ports.erasing import Row
from remembrancer.storage.ports.store import Store
from remembrancer.testing.contract.base import Contract
from remembrancer.testing.contract.made import (
    DAY,
    HOME,
    SPACE,
    START,
    add,
    directions,
    message,
    observation,
    portrait,
    put,
)
from remembrancer.types.caller import Caller
from remembrancer.types.record import Source
from remembrancer.types.saved import Outcome, Remembered


class ErasureContract(Contract):
    """See `remembrancer.testing.contract`: erasure."""

    async def test_erasure_leaves_no_row_anywhere(self, store: Store) -> None:
        await put(store, observation("other", text="slate quartz"))
        generation = (await store.serving_generation(SPACE)).number
        before, rows = await portrait(store, HOME), await self._row_counts(store)
        claim = replace(observation("o", text="quartz basalt"), evidence=("other",))
        on_it = replace(observation("on it", scope=replace(HOME, agent=None)), evidence=("o",))
        async with store.begin(Caller(scope=HOME)) as tx:
            documents = await add(tx, claim)
            await tx.vectors.add({documents[0]: directions(3)}, generation=generation)
            await tx.keys.add(Remembered(key="k", request="r", outcome=Outcome.CREATED, record="o"), at=START)
        await self._reword(store, "o", "marble quartz")
        async with store.begin(Caller(scope=HOME)) as tx:
            missing = await tx.vectors.missing(generation=generation, limit=9)
            await tx.vectors.add({missing[-1].document: directions(3)}, generation=generation)
        await put(store, on_it)
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.records.erase("o")
            assert await tx.records.find("o") is None
            assert await tx.versions.at("o", START) is None
            assert await tx.records.dependants("o") == []
            with pytest.raises(NotFound):
                await tx.records.erase("o")
        async with store.begin(Caller(scope=on_it.scope)) as tx:
            assert await tx.records.find("on it") == replace(on_it, evidence=())
            await tx.records.erase("on it")
        assert await self._row_counts(store) == rows
        assert await portrait(store, HOME) == before

    async def test_an_erased_id_and_topic_key_may_be_used_again(self, store: Store) -> None:
        record = replace(observation("o"), topic_key="stone")
        await put(store, record)
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.records.erase("o")
        await put(store, record)
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.observations.by_topic("stone") == record

    async def test_what_was_brought_in_is_told_apart_from_what_was_concluded(self, store: Store) -> None:
        said = message("m", text="slate quartz")
        drawn = replace(observation("o", text="marble basalt"), source=Source.OBSERVER)
        await put(store, said, drawn)
        await put(store, message("else", text="gneiss", scope=replace(HOME, agent=None)))
        await self._reword(store, "m", "granite quartz")
        shown: list[Row] = []
        async with store.snapshot(Caller(scope=HOME)) as tx:
            found = sorted(await tx.erasing.told(["m", "o", "else"]))
            assert await tx.erasing.told([]) == []
            looked = await tx.erasing.look(shown.extend)
        assert looked == len(shown)
        start, later = (int(at.timestamp() * 1_000_000) for at in (START, START + DAY))
        assert found == [("granite quartz", start), ("slate quartz", start)]
        by_text = {text: (row.is_said, row.at) for row in shown for text in row.texts}
        told = {text: by_text[text] for text in ("granite quartz", "slate quartz", "marble basalt", "gneiss")}
        assert told == {
            "granite quartz": (True, later),
            "slate quartz": (True, start),
            "marble basalt": (False, start),
            "gneiss": (True, start),
        }
