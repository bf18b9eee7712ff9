"""The contract of a store: the text index."""

from collections import Counter

import numpy as np
import pytest

from remembrancer.storage.base import Store
from remembrancer.storage.documents import TextStatistics
from remembrancer.types.access import Caller
from remembrancer.types.index import Terms
from remembrancer.types.results import Change
from tests.contract.suite.base import Contract
from tests.factories import (
    DAY,
    HOME,
    SPACE,
    START,
    STRANGER,
    TEAM,
    WORDS,
    directions,
    embed,
    observation,
    portrait,
    put,
    terms,
)


class TextsContract(Contract):
    @pytest.mark.parametrize("seed", range(4))
    async def test_the_text_index_after_any_history_equals_a_fresh_one(self, store: Store, seed: int) -> None:
        chance = np.random.default_rng(seed)
        standing: dict[str, Terms | None] = {}

        def wording() -> Terms | None:
            words = chance.choice(WORDS, size=chance.integers(0, 6)).tolist()
            return Terms(counts=Counter(words), length=len(words) + 1) if words else None

        for step in range(12):
            async with store.begin(Caller(scope=HOME)) as tx:
                fresh = {f"o{step}.{index}": wording() for index in range(chance.integers(1, 4))}
                await tx.records.add([observation(id) for id in fresh], list(fresh.values()))
                standing |= fresh
                for id in chance.choice(sorted(standing), size=min(2, len(standing)), replace=False).tolist():
                    if chance.random() < 0.4:
                        await tx.records.erase(id)
                        del standing[id]
                    else:
                        standing[id] = wording()
                        await tx.records.change(id, Change(text="other"), at=START + DAY, terms=standing[id])
        await self._assert_index(store, {id: words for id, words in standing.items() if words is not None})

    async def test_a_term_is_found_in_each_of_thousands_of_documents(self, store: Store) -> None:
        documents = await put(store, *(observation(f"o{index:04}") for index in range(2_100)))
        async with store.begin(Caller(scope=HOME)) as tx:
            for index in (0, 1_023, 1_024, 2_099):
                await tx.records.erase(f"o{index:04}")
        left = [document for index, document in enumerate(documents) if index not in (0, 1_023, 1_024, 2_099)]
        async with store.snapshot(Caller(scope=HOME)) as tx:
            shard = (await tx.text_index.statistics())[0].scope
            found = (await tx.text_index.postings([(shard, "quartz")]))[shard, "quartz"]
            assert sorted(found.documents.tolist()) == left
            assert await tx.text_index.frequencies(["quartz"]) == {(shard, "quartz"): len(left)}
            assert await tx.text_index.statistics() == [
                TextStatistics(scope=shard, documents=len(left), mean_length=1.0),
            ]

    async def test_documents_of_another_scope_do_not_count_in_the_statistics(self, store: Store) -> None:
        await put(store, observation("mine", text="quartz basalt"))
        await store.serving_generation(SPACE)
        before = await portrait(store, HOME)
        await put(store, *(observation(f"o{index}", scope=STRANGER, text="quartz slate") for index in range(20)))
        assert await portrait(store, HOME) == before

    async def test_statistics_of_shared_documents_are_separate(self, store: Store) -> None:
        mine = (await put(store, observation("mine", text="quartz")))[0]
        ours = await put(store, *(observation(f"o{index}", scope=TEAM, text="quartz slate") for index in range(3)))
        async with store.snapshot(Caller(scope=HOME)) as tx:
            sizes = {shard.documents: shard for shard in await tx.text_index.statistics()}
            assert sizes == {
                1: TextStatistics(scope=sizes[1].scope, documents=1, mean_length=1.0),
                3: TextStatistics(scope=sizes[3].scope, documents=3, mean_length=2.0),
            }
            places = [(sizes[1].scope, "quartz"), (sizes[3].scope, "quartz"), (sizes[1].scope, "slate")]
            assert await tx.text_index.frequencies(["quartz"]) == {places[0]: 1, places[1]: 3}
            found = await tx.text_index.postings(places)
        assert {place: part.documents.tolist() for place, part in found.items()} == {places[0]: [mine], places[1]: ours}

    async def test_visible_terms_are_found_by_a_part(self, store: Store) -> None:
        await put(store, observation("mine", text="quartz quarry 黒猫"))
        await put(store, observation("ours", scope=TEAM, text="quartz marquee"))
        await put(store, observation("theirs", scope=STRANGER, text="quartzite"))
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert sorted({term for _, term in await tx.text_index.containing("qua")}) == ["quarry", "quartz"]
            assert sorted({term for _, term in await tx.text_index.containing("arquee")}) == ["marquee"]
            assert sorted({term for _, term in await tx.text_index.containing("猫")}) == ["黒猫"]
            assert len(await tx.text_index.containing("quartz")) == 2
            assert await tx.text_index.containing("%") == []
            assert await tx.text_index.containing("QUA") == []

    async def test_a_changed_tag_is_found_at_once_and_keeps_the_vectors(self, store: Store) -> None:
        (document,) = await put(store, observation("a", text="quartz"))
        generation = await embed(store, HOME, [document], directions(1))
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.records.change("a", Change(tags=("slate",)), at=START + DAY, terms=terms("quartz slate"))
            assert {word for _, word in await tx.text_index.frequencies(["quartz", "slate"])} == {"quartz", "slate"}
            near = await tx.vectors.nearest(directions(1)[0], generation=generation, limit=9, among=None)
            assert near.documents.tolist() == [document]
            assert await tx.upkeep.faults() == []

    async def test_a_dropped_index_is_rebuilt_unchanged(self, store: Store) -> None:
        documents = await put(store, observation("a", text="quartz basalt"), observation("b", text="slate"))
        await embed(store, HOME, documents, directions(2))
        before = await portrait(store, HOME)
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.upkeep.drop_index()
            assert await tx.text_index.statistics() == []
            for record, held in await tx.upkeep.indexed(after="", limit=9):
                assert held is None
                await tx.upkeep.index(record.id, terms(record.text))
        assert await portrait(store, HOME) == before
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.upkeep.faults() == []
            assert [held for _, held in await tx.upkeep.indexed(after="", limit=9)] == [
                terms("quartz basalt"),
                terms("slate"),
            ]
