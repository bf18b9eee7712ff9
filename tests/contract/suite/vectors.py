"""The contract of a store: vectors and their generations."""

# ruff: noqa: PT012 -- a transaction that is to raise is a whole block

from dataclasses import replace

import numpy as np
import pytest

from remembrancer.errors import Conflict
from remembrancer.storage.base import Store
from remembrancer.types.access import Caller
from remembrancer.types.filter import Filter
from remembrancer.types.index import Generation, SpaceState
from remembrancer.types.results import Change
from tests.contract.suite.base import Contract
from tests.factories import (
    DAY,
    HOME,
    OTHER_SPACE,
    PIECES,
    ROUNDING,
    SPACE,
    START,
    STRANGER,
    TEAM,
    WIDE,
    SpiltError,
    directions,
    embed,
    observation,
    put,
    terms,
)


class VectorsContract(Contract):
    async def test_a_document_is_the_nearest_to_its_own_vector(self, store: Store) -> None:
        documents = await put(store, *(observation(f"o{index}") for index in range(20)))
        rows = directions(20)
        generation = await embed(store, HOME, documents, rows)
        async with store.snapshot(Caller(scope=HOME)) as tx:
            found = [await tx.vectors.nearest(row, generation=generation, limit=1, among=None) for row in rows]
        assert [near.documents.tolist() for near in found] == [[document] for document in documents]
        assert [float(near.cosines[0]) for near in found] == pytest.approx([1.0] * 20, abs=ROUNDING)

    async def test_the_nearest_documents_are_ordered_by_cosine(self, store: Store) -> None:
        documents = await put(store, *(observation(f"o{index}") for index in range(30)))
        rows, query = directions(30), directions(1, seed=2)[0]
        generation = await embed(store, HOME, documents, rows)
        async with store.snapshot(Caller(scope=HOME)) as tx:
            near = await tx.vectors.nearest(query, generation=generation, limit=12, among=None)
        exact = dict(zip(documents, (rows @ query).tolist(), strict=True))
        assert (near.documents.dtype, near.cosines.dtype) == (np.int64, np.float32)
        assert near.documents.tolist() == sorted(documents, key=lambda document: -exact[document])[:12]
        assert near.cosines.tolist() == sorted(near.cosines.tolist(), reverse=True)
        assert near.cosines == pytest.approx([exact[document] for document in near.documents.tolist()], abs=ROUNDING)

    async def test_a_document_has_the_best_and_the_mean_cosine_of_its_pieces(self, store: Store) -> None:
        documents = await put(store, observation("a"), observation("b"), observation("bare"))
        rows, query = directions(7), directions(1, seed=2)[0]
        generation = (await store.serving_generation(SPACE)).number
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.vectors.add({documents[0]: rows[:4]}, generation=generation)
            await tx.vectors.add({documents[1]: rows[4:]}, generation=generation)
        best = [float((rows[:4] @ query).max()), float((rows[4:] @ query).max())]
        mean = [float((rows[:4] @ query).mean()), float((rows[4:] @ query).mean())]
        asked = np.array([documents[2], documents[1], documents[0]])
        async with store.snapshot(Caller(scope=HOME)) as tx:
            near = await tx.vectors.nearest(query, generation=generation, limit=9, among=None)
            cosines = await tx.vectors.cosines(query, asked, generation=generation)
        assert sorted(near.documents.tolist()) == documents[:2]
        assert dict(zip(near.documents.tolist(), near.cosines.tolist(), strict=True)) == pytest.approx(
            dict(zip(documents[:2], best, strict=True)), abs=ROUNDING
        )
        assert (cosines.best.dtype, cosines.mean.dtype) == (np.float32, np.float32)
        assert cosines.best == pytest.approx([np.nan, best[1], best[0]], abs=ROUNDING, nan_ok=True)
        assert cosines.mean == pytest.approx([np.nan, mean[1], mean[0]], abs=ROUNDING, nan_ok=True)

    async def test_each_of_several_questions_has_the_cosine_of_the_nearest_document(self, store: Store) -> None:
        generation = (await store.serving_generation(SPACE)).number
        queries, rows = directions(3, seed=2), directions(7)
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.vectors.best_cosines(queries, generation=generation) == []
        documents = await put(store, *(observation(f"o{index}") for index in range(7)))
        await embed(store, HOME, documents, rows)
        async with store.snapshot(Caller(scope=HOME)) as tx:
            best = await tx.vectors.best_cosines(queries, generation=generation)
        assert best == pytest.approx((queries @ rows.T).max(axis=1).tolist(), abs=ROUNDING)

    async def test_cosines_are_computed_without_a_search(self, store: Store) -> None:
        documents = await put(store, observation("a"))
        generation = await embed(store, HOME, documents, directions(1))
        async with store.snapshot(Caller(scope=HOME)) as tx:
            cosines = await tx.vectors.cosines(directions(1)[0], np.array(documents), generation=generation)
            none = await tx.vectors.cosines(directions(1)[0], np.empty(0, dtype=np.int64), generation=generation)
        assert cosines.best == pytest.approx([1.0], abs=ROUNDING)
        assert (none.best.tolist(), none.mean.tolist()) == ([], [])

    async def test_the_nearest_are_limited_to_the_given_documents(self, store: Store) -> None:
        documents = await put(store, *(observation(f"o{index}") for index in range(9)))
        shared = await put(store, observation("shared", scope=TEAM))
        rows = directions(10)
        generation = await embed(store, HOME, documents, rows[:9])
        await embed(store, TEAM, shared, rows[9:])
        async with store.snapshot(Caller(scope=HOME)) as tx:
            found = {
                among: (
                    await tx.vectors.nearest(
                        rows[0], generation=generation, limit=9, among=np.array(among, dtype=np.int64)
                    )
                ).documents.tolist()
                for among in ((), (documents[4],), (documents[2], shared[0]), tuple(documents[1:]))
            }
        assert {among: sorted(near) for among, near in found.items()} == {among: sorted(among) for among in found}

    async def test_a_document_is_missing_until_it_has_vectors(self, store: Store) -> None:
        documents = await put(store, *(observation(f"o{index}") for index in range(5)))
        await put(store, observation("theirs", scope=STRANGER))
        generation = (await store.serving_generation(SPACE)).number

        async def missing(limit: int = 9, after: int = 0) -> list[int]:
            async with store.snapshot(Caller(scope=HOME)) as tx:
                found = await tx.vectors.missing(generation=generation, limit=limit, after=after)
            assert [item.record for item in found] == [
                observation(f"o{documents.index(item.document)}") for item in found
            ]
            return [item.document for item in found]

        assert await missing() == documents
        assert await missing(limit=2) == documents[:2]
        assert await missing(after=documents[2]) == documents[3:]
        async with store.begin(Caller(scope=HOME)) as tx:
            for document in (documents[1], documents[4]):
                assert await tx.vectors.add({document: directions(2)}, generation=generation)
        assert await missing() == [documents[0], documents[2], documents[3]]

    async def test_vectors_survive_a_change_that_keeps_the_words(self, store: Store) -> None:
        documents = await put(store, observation("a", text="quartz"))
        generation = await embed(store, HOME, documents, directions(1))
        for step, change in enumerate((Change(importance=0.9, tags=("t",)), Change(text="basalt"))):
            async with store.begin(Caller(scope=HOME)) as tx:
                await tx.records.change("a", change, at=START + (step + 1) * DAY, terms=terms(change.text or "quartz"))
                near = await tx.vectors.nearest(directions(1)[0], generation=generation, limit=9, among=None)
                assert near.documents.tolist() == (documents if change.leaves_words else [])
                kept = (await tx.documents.matching(Filter())).tolist() == documents
                assert kept is change.leaves_words
                frequencies = await tx.text_index.frequencies(["quartz", "basalt"])
                assert [word for _, word in frequencies] == ["quartz" if kept else "basalt"]

    async def test_new_vectors_of_a_document_replace_the_old(self, store: Store) -> None:
        document = (await put(store, observation("o")))[0]
        rows = directions(2)
        generation = await embed(store, HOME, [document], rows[:1])
        async with store.begin(Caller(scope=HOME)) as tx:
            assert await tx.vectors.add({document: rows[1:]}, generation=generation)
            near = await tx.vectors.nearest(rows[0], generation=generation, limit=9, among=None)
        assert near.documents.tolist() == [document]
        assert near.cosines.tolist() == pytest.approx([float(rows[0] @ rows[1])], abs=ROUNDING)

    async def test_vectors_are_listed_by_document_in_pages(self, store: Store) -> None:
        documents = await put(store, *(observation(f"o{index}") for index in range(4)))
        theirs = await put(store, observation("theirs", scope=STRANGER))
        rows = directions(5)
        generation = await embed(store, HOME, documents[:3], rows[:3])
        await embed(store, STRANGER, theirs, rows[3:4])
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.vectors.add({documents[1]: rows[3:5]}, generation=generation)
        async with store.snapshot(Caller(scope=HOME)) as tx:
            first = await tx.vectors.embedded(generation=generation, limit=2)
            rest = await tx.vectors.embedded(generation=generation, limit=2, after=first[-1].document)
            none = await tx.vectors.embedded(generation=generation + 1, limit=9)
        assert [item.document for item in (*first, *rest)] == documents[:3]
        assert np.allclose(first[0].passages, rows[:1], atol=ROUNDING)
        assert np.allclose(np.sort(first[1].passages, axis=0), np.sort(rows[3:5], axis=0), atol=ROUNDING)
        assert none == []

    async def test_a_transaction_reports_the_documents_that_it_retired(self, store: Store) -> None:
        documents = await put(store, observation("changed"), observation("erased"), observation("stands"))
        async with store.begin(Caller(scope=HOME)) as tx:
            assert list(tx.records.retired) == []
            await tx.records.change("changed", Change(text="basalt"), at=START + DAY, terms=None)
            await tx.records.erase("erased")
        assert list(tx.records.retired) == documents[:2]

    async def test_a_retired_document_accepts_no_vectors(self, store: Store) -> None:
        documents = await put(store, observation("changed"), observation("erased"))
        generation = (await store.serving_generation(SPACE)).number
        await self._reword(store, "changed", "basalt")
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.records.erase("erased")
            for document in (*documents, 12_345):
                assert not await tx.vectors.add({document: directions(1)}, generation=generation)
        assert (await self._row_counts(store))["vectors"] == 0

    async def test_a_retired_document_is_not_among_the_nearest(self, store: Store) -> None:
        documents = await put(store, observation("changed"), observation("erased"), observation("stands"))
        rows = directions(3)
        generation = await embed(store, HOME, documents, rows)
        query = rows[0] + rows[1]
        query /= np.linalg.norm(query)
        async with store.snapshot(Caller(scope=HOME)) as tx:
            before = await tx.vectors.nearest(query, generation=generation, limit=2, among=None)
        assert sorted(before.documents.tolist()) == documents[:2]
        await self._reword(store, "changed", "basalt")
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.records.erase("erased")
        async with store.snapshot(Caller(scope=HOME)) as tx:
            after = await tx.vectors.nearest(query, generation=generation, limit=2, among=None)
            cosines = await tx.vectors.cosines(query, np.array(documents), generation=generation)
        assert after.documents.tolist() == [documents[2]]
        assert np.isnan(cosines.best).tolist() == [True, True, False]

    async def test_rolled_back_vectors_are_not_found(self, store: Store) -> None:
        documents = await put(store, observation("a"), observation("b"))
        rows = directions(2)
        generation = (await store.serving_generation(SPACE)).number
        with pytest.raises(SpiltError):
            async with store.begin(Caller(scope=HOME)) as tx:
                await tx.vectors.add({documents[0]: rows[:1]}, generation=generation)
                await tx.vectors.nearest(rows[0], generation=generation, limit=1, among=None)
                raise SpiltError
        await embed(store, HOME, documents[1:], rows[1:])
        async with store.snapshot(Caller(scope=HOME)) as tx:
            near = await tx.vectors.nearest(rows[0], generation=generation, limit=9, among=None)
        assert near.documents.tolist() == documents[1:]

    async def test_the_nearest_of_many_have_a_recall_of_99_percent(self, store: Store) -> None:
        count = self.many // PIECES
        documents = np.array(await put(store, *(observation(f"o{index}") for index in range(count))))
        # Texts gather around subjects; directions without any structure would be nothing like them.
        near_what = directions(60, seed=3, dimension=WIDE)[np.random.default_rng(4).integers(0, 60, size=self.many)]
        rows = near_what + 0.7 * directions(self.many, seed=5, dimension=WIDE)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        generation = (await store.serving_generation(replace(SPACE, dimension=WIDE))).number
        async with store.begin(Caller(scope=HOME)) as tx:
            pieces = dict(zip(documents.tolist(), np.split(rows, count), strict=True))
            assert await tx.vectors.add(pieces, generation=generation) == set(pieces)
        asked = rows[::count]
        queries = asked + 0.3 * directions(len(asked), seed=6, dimension=WIDE)
        queries /= np.linalg.norm(queries, axis=1, keepdims=True)
        exact = (queries @ rows.T).reshape(len(queries), count, PIECES).max(axis=2)
        best = documents[np.argsort(-exact, axis=1)[:, :10]]
        some = documents[::3]
        async with store.snapshot(Caller(scope=HOME)) as tx:
            found = [
                (await tx.vectors.nearest(query, generation=generation, limit=10, among=None)).documents
                for query in queries
            ]
            among = await tx.vectors.nearest(queries[0], generation=generation, limit=10, among=some)
            cosines = await tx.vectors.cosines(queries[0], some, generation=generation)
        hits = [len(set(ours.tolist()) & set(true.tolist())) for ours, true in zip(found, best, strict=True)]
        assert sum(hits) >= 0.99 * 10 * len(queries)
        assert cosines.best == pytest.approx(exact[0, ::3], abs=ROUNDING)
        assert set(among.documents.tolist()) <= set(some.tolist())
        assert among.cosines == pytest.approx(np.sort(exact[0, ::3])[::-1][:10], abs=ROUNDING)

    async def test_the_first_generation_serves_at_once_and_stays(self, store: Store) -> None:
        assert await store.generations() == []
        first = await store.serving_generation(SPACE)
        assert first == Generation(number=first.number, space=SPACE, state=SpaceState.ACTIVE)
        assert await store.serving_generation(OTHER_SPACE) == first
        assert await store.generations() == [first]

    async def test_a_generation_is_built_while_another_serves_and_then_replaces_it(self, store: Store) -> None:
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

    async def test_an_absent_generation_cannot_serve(self, store: Store) -> None:
        first = await store.serving_generation(SPACE)
        with pytest.raises(Conflict):
            await store.switch_generation(first.number + 1)
        assert await store.generations() == [first]

    async def test_only_a_generation_that_does_not_serve_is_dropped(self, store: Store) -> None:
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
