from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from remembrancer.storage.documents import DocumentNumbers, places_of_best
from remembrancer.storage.sqlite import matrix
from remembrancer.storage.sqlite.matrix import (
    EXACT_ROWS,
    CodedMatrix,
    Found,
    HalfRows,
    Matrix,
    Rows,
    best_by_document,
    codes_of,
    cosines_of,
)
from tests.factories import directions

DIMENSION = 136  # not a multiple of the 64 bits that signs are packed in
MANY = EXACT_ROWS + 300
GATHERED = directions(20, seed=1, dimension=DIMENSION)[np.arange(MANY) % 20] + 0.8 * directions(
    MANY, seed=2, dimension=DIMENSION
)
ROWS: Rows = (GATHERED / np.linalg.norm(GATHERED, axis=1, keepdims=True)).astype(np.float32)
HALF_ROWS = ROWS.astype(np.float16)
MEAN: Rows = ROWS[:4_096].mean(axis=0)


def read(sequences: NDArray[np.int64]) -> tuple[DocumentNumbers, HalfRows]:
    """The documents and rows of sequence numbers, which begin at 1, two rows to a document."""
    return (sequences - 1) // 2, HALF_ROWS[sequences - 1]


def filled(count: int, *, at_once: int = 1_000) -> Callable[..., Found]:
    """The search of a matrix with two rows to a document, in several helpings: exact if there are few."""
    matrix, coded = Matrix(DIMENSION), CodedMatrix(MEAN)
    for start in range(0, count, at_once):
        places = np.arange(start, min(start + at_once, count))
        if count <= EXACT_ROWS:
            matrix.append(places + 1, places // 2, HALF_ROWS[places])
        else:
            coded.append(places + 1, places // 2, codes_of(HALF_ROWS[places], MEAN))
    if count <= EXACT_ROWS:
        return matrix.nearest

    def nearest(query: Rows, *, limit: int, among: DocumentNumbers | None) -> Found:
        return coded.nearest(query, limit=limit, among=among, read=read)

    return nearest


def exact(query: Rows, count: int) -> Rows:
    return (HALF_ROWS[:count].astype(np.float32) @ query).reshape(-1, 2).max(axis=1)


@pytest.mark.parametrize("count", [2, 500, EXACT_ROWS])
def test_few_rows_are_searched_exactly(count: int) -> None:
    query = ROWS[1]
    documents, cosines = filled(count)(query, limit=5, among=None)
    best = np.argsort(-exact(query, count), kind="stable")[:5]
    assert documents.tolist() == best.tolist()
    assert cosines == pytest.approx(exact(query, count)[best], abs=1e-5)


def test_many_rows_are_found_by_signs_and_scored_exactly() -> None:
    nearest, hits = filled(MANY), 0
    for query in ROWS[::400]:
        documents, cosines = nearest(query, limit=10, among=None)
        scores = exact(query, MANY)
        assert cosines == pytest.approx(scores[documents], abs=1e-5)
        assert documents[0] == np.argmax(scores)
        hits += len(set(documents.tolist()) & set(np.argsort(-scores)[:10].tolist()))
    assert hits >= 0.99 * 10 * len(ROWS[::400])


def test_the_numbers_of_the_query_choose_the_rows_that_are_read() -> None:
    coded, places, hits, read_rows = CodedMatrix(MEAN), np.arange(MANY), {1: 0, 6: 0}, list[int]()
    coded.append(places + 1, places // 2, codes_of(HALF_ROWS, MEAN))

    def counted(sequences: NDArray[np.int64]) -> tuple[DocumentNumbers, HalfRows]:
        read_rows.append(len(sequences))
        return read(sequences)

    for query in ROWS[::400]:
        best = set(np.argsort(-exact(query, MANY))[:10].tolist())
        for compared in hits:
            with pytest.MonkeyPatch.context() as patched:
                patched.setattr(matrix, "_COMPARED_A_SCORED", compared)
                documents, _ = coded.nearest(query, limit=10, among=None, read=counted, scored=200)
            hits[compared] += len(best.intersection(documents.tolist()))
    assert hits[6] > 1.05 * hits[1]
    assert set(read_rows[1::2]) == {200}


@pytest.mark.parametrize("count", [500, MANY])
def test_only_wordings_asked_about_are_answered_with(count: int) -> None:
    among = np.array([3, 40, 41, 10_000_000])
    documents, _ = filled(count)(ROWS[0], limit=9, among=among)
    assert documents.tolist() == [int(d) for d in among[:3][np.argsort(-exact(ROWS[0], count)[among[:3]])]]


def test_as_many_are_found_where_the_nearest_of_many_do_not_exist_any_more() -> None:
    coded, places, query = CodedMatrix(MEAN), np.arange(MANY), ROWS[1]
    coded.append(places + 1, places // 2, codes_of(HALF_ROWS, MEAN))
    existing = np.argsort(-(HALF_ROWS.astype(np.float32) @ query))[-300:] + 1

    def read_existing(sequences: NDArray[np.int64]) -> tuple[DocumentNumbers, HalfRows]:
        return read(sequences[np.isin(sequences, existing)])

    documents, _ = coded.nearest(query, limit=10, among=None, read=read_existing)
    assert len(documents) == 10
    few, _ = coded.nearest(query, limit=1_000, among=None, read=read_existing)
    assert sorted(few.tolist()) == sorted({int(sequence - 1) // 2 for sequence in existing})


def test_an_empty_matrix_has_nothing_near() -> None:
    for documents, cosines in (
        Matrix(DIMENSION).nearest(ROWS[0], limit=5, among=None),
        CodedMatrix(MEAN).nearest(ROWS[0], limit=5, among=None, read=read),
    ):
        assert (documents.tolist(), cosines.tolist()) == ([], [])


def test_it_grows_to_the_same_whatever_the_helpings() -> None:
    answers = [
        filled(MANY, at_once=at_once)(ROWS[9], limit=5, among=None)[0].tolist() for at_once in (700, EXACT_ROWS, MANY)
    ]
    assert answers == [answers[0]] * 3


@pytest.mark.parametrize("is_sorted", [True, False])
def test_the_cosines_of_a_few_wordings_are_those_of_their_best_rows(is_sorted: bool) -> None:
    matrix, places = Matrix(DIMENSION), np.arange(500)
    order = places if is_sorted else places[::-1]
    matrix.append(places + 1, order // 2, HALF_ROWS[order])
    documents, rows = matrix.rows_of(np.array([200, 3, 90, 3, 10_000_000]))
    known, best, mean = cosines_of(documents, rows, ROWS[7])
    assert known.tolist() == [3, 90, 200]
    assert best == pytest.approx(exact(ROWS[7], 500)[known], abs=1e-5)
    assert np.all(mean <= best + 1e-6)


def test_codes_need_a_tenth_of_the_memory_of_rows() -> None:
    coded, places = CodedMatrix(MEAN), np.arange(MANY)
    coded.append(places + 1, places // 2, codes_of(HALF_ROWS, MEAN))
    assert (coded.last, len(coded)) == (MANY, MANY)
    assert coded.bytes < ROWS.nbytes / 8


def test_taking_in_one_row_at_a_time_mostly_copies_nothing() -> None:
    coded, places = CodedMatrix(MEAN), np.arange(MANY)
    coded.append(places + 1, places // 2, codes_of(HALF_ROWS, MEAN))
    sizes = set[int]()
    for place in range(200):
        code = codes_of(HALF_ROWS[place : place + 1], MEAN)
        coded.append(np.array([MANY + place + 1]), np.array([MANY + place]), code)
        sizes.add(coded.bytes)
    assert len(sizes) <= 2


def test_the_best_row_of_each_document_counts_and_ties_go_by_number() -> None:
    documents = np.array([5, 3, 5, 4, 3])
    scores = np.array([0.1, 0.5, 0.9, 0.5, 0.2], dtype=np.float32)
    best, kept = best_by_document(documents, scores, 9)
    assert best.tolist() == [5, 3, 4]
    assert kept == pytest.approx([0.9, 0.5, 0.5])
    assert best_by_document(documents, scores, 1)[0].tolist() == [5]


def test_what_lies_in_room_left_over_is_never_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    def littered(shape: tuple[int, ...], dtype: Any = float) -> NDArray[Any]:
        return np.full(shape, 1e30 if np.issubdtype(dtype, np.floating) and dtype != np.float16 else 1, dtype=dtype)

    monkeypatch.setattr(np, "empty", littered)
    documents, _ = filled(MANY)(ROWS[1], limit=1, among=None)
    assert documents.tolist() == [np.argmax(exact(ROWS[1], MANY))]


@pytest.mark.parametrize("count", [0, 1, 20, 255, 256, 5_000, 70_001])
@pytest.mark.parametrize("limit", [1, 20, 300])
def test_the_places_of_the_best_are_those_of_a_whole_partition(count: int, limit: int) -> None:
    scores = np.random.default_rng(count).integers(0, 1_000, count).astype(np.uint16)
    least = np.sort(scores)[-limit] if count > limit else 0
    assert places_of_best(scores, limit).tolist() == np.flatnonzero(scores >= least).tolist()
