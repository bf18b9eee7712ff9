"""The tests that every outside vector index passes: subclass `VectorIndexContract` with an `index` fixture."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from remembrancer.storage.base import VectorIndex
from remembrancer.storage.documents import DocumentVectors
from tests.factories import DIMENSION, directions

Rows = NDArray[np.float32]

HOME, STRANGER = "11" * 32, "22" * 32
GENERATION = 3
# Document numbers need more than 32 bits.
FIRST = 7 << 32
ROUNDING = 1e-4


def wordings(rows: Rows, *, scope: str = HOME, first: int = FIRST) -> list[DocumentVectors]:
    """Return a document of one piece per row."""
    return [
        DocumentVectors(document=first + place, scope=scope, passages=row[None, :]) for place, row in enumerate(rows)
    ]


class VectorIndexContract:
    def near(self, index: VectorIndex, query: Rows, limit: int, *, scopes: Sequence[str] = (HOME,)) -> list[int]:
        found = index.nearest(query, scopes=scopes, generation=GENERATION, limit=limit)
        assert len(found.documents) == len(found.cosines)
        return found.documents.tolist()

    def test_the_nearest_documents_are_ordered_by_cosine(self, index: VectorIndex) -> None:
        rows, query = directions(30), directions(1, seed=2)[0]
        index.put(wordings(rows), generation=GENERATION)
        found = index.nearest(query, scopes=[HOME], generation=GENERATION, limit=12)
        order = np.argsort(-(rows @ query))[:12]
        assert found.documents.tolist() == (FIRST + order).tolist()
        assert found.cosines.tolist() == pytest.approx((rows @ query)[order].tolist(), abs=ROUNDING)

    def test_a_document_counts_once_with_its_best_piece(self, index: VectorIndex) -> None:
        rows, query = directions(5), directions(1, seed=2)[0]
        many = query + 0.05 * directions(40, seed=3)
        many = (many / np.linalg.norm(many, axis=1, keepdims=True)).astype(np.float32)
        long = DocumentVectors(document=FIRST + 99, scope=HOME, passages=many)
        index.put([*wordings(rows), long], generation=GENERATION)
        found = index.nearest(query, scopes=[HOME], generation=GENERATION, limit=4)
        assert found.documents.tolist() == [FIRST + 99, *(FIRST + np.argsort(-(rows @ query))[:3]).tolist()]
        assert float(found.cosines[0]) == pytest.approx(float((many @ query).max()), abs=ROUNDING)

    def test_only_the_named_scopes_are_searched(self, index: VectorIndex) -> None:
        rows = directions(4)
        index.put(wordings(rows[:2]), generation=GENERATION)
        index.put(wordings(rows[2:], scope=STRANGER, first=FIRST + 2), generation=GENERATION)
        assert sorted(self.near(index, rows[2], 9)) == [FIRST, FIRST + 1]
        assert self.near(index, rows[2], 9, scopes=[STRANGER])[0] == FIRST + 2
        assert len(self.near(index, rows[2], 9, scopes=[HOME, STRANGER])) == 4
        assert self.near(index, rows[2], 9, scopes=["33" * 32]) == []

    def test_a_document_that_is_stored_again_replaces_the_former(self, index: VectorIndex) -> None:
        rows = directions(3)
        index.put([DocumentVectors(document=FIRST, scope=HOME, passages=rows[:2])], generation=GENERATION)
        index.put([DocumentVectors(document=FIRST, scope=HOME, passages=rows[2:])], generation=GENERATION)
        found = index.nearest(rows[0], scopes=[HOME], generation=GENERATION, limit=9)
        assert found.documents.tolist() == [FIRST]
        assert found.cosines.tolist() == pytest.approx([float(rows[0] @ rows[2])], abs=ROUNDING)

    def test_a_removed_document_is_not_found(self, index: VectorIndex) -> None:
        rows = directions(6)
        index.put(wordings(rows), generation=GENERATION)
        index.remove([FIRST + 1, FIRST + 4, 12_345], generation=GENERATION)
        index.remove([], generation=GENERATION)
        assert sorted(self.near(index, rows[1], 9)) == [FIRST, FIRST + 2, FIRST + 3, FIRST + 5]

    def test_it_lists_the_documents_of_a_scope(self, index: VectorIndex) -> None:
        long = DocumentVectors(document=FIRST + 7, scope=HOME, passages=directions(3, seed=2))
        index.put([long, *wordings(directions(3))], generation=GENERATION)
        index.put(wordings(directions(1), scope=STRANGER, first=FIRST + 9), generation=GENERATION)
        assert index.documents_of(HOME, generation=GENERATION).tolist() == [FIRST, FIRST + 1, FIRST + 2, FIRST + 7]
        assert index.documents_of(STRANGER, generation=GENERATION).tolist() == [FIRST + 9]
        assert index.documents_of("33" * 32, generation=GENERATION).tolist() == []

    def test_generations_are_separate(self, index: VectorIndex) -> None:
        wide = directions(2, dimension=2 * DIMENSION)
        index.put(wordings(directions(1)), generation=GENERATION)
        index.put(wordings(wide, first=FIRST + 5), generation=GENERATION + 10)
        assert index.generations() == [GENERATION, GENERATION + 10]
        found = index.nearest(wide[1], scopes=[HOME], generation=GENERATION + 10, limit=1)
        assert found.documents.tolist() == [FIRST + 6]
        index.drop(GENERATION + 10)
        assert index.generations() == [GENERATION]
        assert index.documents_of(HOME, generation=GENERATION + 10).tolist() == []
        assert self.near(index, directions(1)[0], 9) == [FIRST]
        index.put(wordings(directions(1)), generation=GENERATION + 10)
        assert index.documents_of(HOME, generation=GENERATION + 10).tolist() == [FIRST]

    def test_an_absent_generation_is_empty(self, index: VectorIndex) -> None:
        index.remove([FIRST], generation=GENERATION)
        index.drop(GENERATION)
        index.put([], generation=GENERATION)
        assert index.generations() == []
        assert self.near(index, directions(1)[0], 9) == []
        assert index.documents_of(HOME, generation=GENERATION).tolist() == []

    def test_it_can_be_closed_twice(self, index: VectorIndex) -> None:
        index.put(wordings(directions(1)), generation=GENERATION)
        index.close()
        index.close()
