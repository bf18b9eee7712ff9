"""Vectors of one exact scope in memory: the rows while they are few; beyond, packed signs that choose what is scored.

Measured at 1,000,000 rows of 384: signs of all rows compared in 6 ms, 64 MB; a scan of the rows 150 ms and 1.5 GB.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from remembrancer.storage.documents import DocumentNumbers, places_of_best

EXACT_ROWS = 16_384
LEAST_SCORED = 600
"""The rows that are scored for an answer, or twice its limit."""
_SCORED_A_RESULT = 2
# For each row that is scored, so many are compared with the numbers of the query, not only with their signs; at most
# so many in all.
_COMPARED_A_SCORED = 6
_MOST_COMPARED = 32_768
# Where too many of them are deleted, so many times as many are scored.
_MORE_SCORED = 4
# So many rows are compared at a time, that what is computed of them stays in the processor's cache.
_ROWS_AT_A_TIME = 32_768
_BITS_OF_BYTES = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.float32)
# The differences of three words of 64 signs fit a byte.
_WORDS_A_BYTE = 3

Rows = NDArray[np.float32]
HalfRows = NDArray[np.float16]
Places = NDArray[np.intp]
Codes = NDArray[np.uint64]
"""Packed signs: `(rows, words)`, one bit for each dimension."""
Found = tuple[DocumentNumbers, Rows]
"""Parallel arrays of documents and cosines."""
Read = Callable[[NDArray[np.int64]], tuple[DocumentNumbers, HalfRows]]
"""Returns the documents and rows of those sequence numbers that still exist."""


def words_of(dimension: int) -> int:
    """Return the number of words of a code."""
    return (dimension + 63) // 64


def codes_of(rows: NDArray[Any], mean: Rows) -> Codes:
    """Return the signs of the differences of rows from a mean.

    Vectors of one encoder share a direction; signs are most informative after it is subtracted.
    """
    bits = np.packbits(rows > mean, axis=1)
    padded = np.zeros((len(rows), 8 * words_of(len(mean))), dtype=np.uint8)
    padded[:, : bits.shape[1]] = bits
    return padded.view(np.uint64)


class _Growing:
    """Rows that only grow; the caller checks if the document of a row still exists."""

    def __init__(self) -> None:
        self.last = 0
        self._count = 0
        self._documents = np.empty(0, dtype=np.int64)
        self._is_sorted = True
        self._order: Places | None = None

    def __len__(self) -> int:
        return self._count

    def _append(self, sequences: NDArray[np.int64], documents: DocumentNumbers) -> int:
        """Append documents; return their first place."""
        start = self._count
        before = self._documents[start - 1 : start]
        self._is_sorted &= bool(np.all(np.diff(np.concatenate([before, documents])) >= 0))
        self._documents = _extended(self._documents, start, documents)
        self.last, self._count, self._order = int(sequences[-1]), start + len(documents), None
        return start

    def places(self, documents: DocumentNumbers) -> Places:
        """Return the places of the rows of documents, which may have several each."""
        here, wanted = self._documents[: self._count], np.unique(documents)
        if self._order is None and not self._is_sorted:
            self._order = np.argsort(here, kind="stable")
        first = np.searchsorted(here, wanted, "left", sorter=self._order)
        sizes = np.searchsorted(here, wanted, "right", sorter=self._order) - first
        starts = np.repeat(first - np.cumsum(sizes) + sizes, sizes)
        found = starts + np.arange(len(starts))
        return found if self._order is None else self._order[found]


class Matrix(_Growing):
    """All rows in single precision.

    Args:
        dimension: of the vectors.
    """

    def __init__(self, dimension: int) -> None:
        super().__init__()
        self._rows: Rows = np.empty((0, dimension), dtype=np.float32)

    @property
    def bytes(self) -> int:
        """Allocated memory."""
        return self._documents.nbytes + self._rows.nbytes

    def append(self, sequences: NDArray[np.int64], documents: DocumentNumbers, rows: HalfRows) -> None:
        """Append rows, in the order of their sequence numbers."""
        self._rows = _extended(self._rows, self._append(sequences, documents), rows)

    def nearest(self, query: Rows, *, limit: int, among: DocumentNumbers | None) -> Found:
        """Return the best documents by cosine of their best row, best first, with those cosines."""
        kept: Any = slice(self._count) if among is None else self.places(among)
        return best_by_document(self._documents[kept], self._rows[kept] @ query, limit)

    def rows_of(self, documents: DocumentNumbers) -> tuple[DocumentNumbers, Rows]:
        """Return the rows of documents, each with its document."""
        places = self.places(documents)
        return self._documents[places], self._rows[places]


class CodedMatrix(_Growing):
    """The codes of all rows, which are read where they are scored.

    Args:
        mean: what was subtracted from the rows for the codes.
    """

    def __init__(self, mean: Rows) -> None:
        super().__init__()
        self.mean = mean
        self._sequences = np.empty(0, dtype=np.int64)
        # For each 64 dimensions the signs of all rows, so that distances add up along memory.
        self._signs = [np.empty(0, dtype=np.uint64) for _ in range(words_of(len(mean)))]

    @property
    def bytes(self) -> int:
        """Allocated memory."""
        return self._documents.nbytes + self._sequences.nbytes + sum(signs.nbytes for signs in self._signs)

    def append(self, sequences: NDArray[np.int64], documents: DocumentNumbers, codes: Codes) -> None:
        """Append the codes of rows, in the order of their sequence numbers."""
        start = self._append(sequences, documents)
        self._sequences = _extended(self._sequences, start, sequences)
        self._signs = [_extended(signs, start, new) for signs, new in zip(self._signs, codes.T, strict=True)]

    def nearest(
        self, query: Rows, *, limit: int, among: DocumentNumbers | None, read: Read, scored: int = LEAST_SCORED
    ) -> Found:
        """Return the best documents by cosine of their best row, best first, with those cosines.

        Args:
            scored: the rows that are scored, or twice the limit: those whose signs agree most with the query. More
                are, where too many of these do not exist any more.
        """
        places = None if among is None else self.places(among)
        keep, count = max(limit * _SCORED_A_RESULT, scored), self._count if places is None else len(places)
        while True:
            most = max(keep, min(keep * _COMPARED_A_SCORED, _MOST_COMPARED))
            compared = self._least_different(query, most, places)
            documents, rows = read(self._sequences[self._most_similar(query, keep, compared)])
            found = best_by_document(documents, rows.astype(np.float32) @ query, limit)
            if len(found[0]) == limit or keep >= count:
                return found
            keep *= _MORE_SCORED

    def _least_different(self, query: Rows, keep: int, places: Places | None) -> Places:
        """Return the places of the rows whose signs differ least from the query's: `keep` of them, and ties."""
        count = self._count if places is None else len(places)
        if keep >= count:
            return np.arange(count) if places is None else places
        wanted = codes_of(query[None, :], self.mean)[0]
        differing = np.empty(count, dtype=np.uint16)
        for start in range(0, count, _ROWS_AT_A_TIME):
            part = slice(start, min(count, start + _ROWS_AT_A_TIME))
            differing[part] = self._differences(wanted, part if places is None else places[part])
        chosen = places_of_best(np.invert(differing), keep)
        return chosen if places is None else places[chosen]

    def _most_similar(self, query: Rows, keep: int, places: Places) -> Places:
        """Return those `keep` of the rows whose signs have the largest product with the query, and ties.

        The query keeps its numbers: a sign of a large one counts more. That orders rows far better than the number of
        different signs, and needs a hundred times as long.
        """
        if keep >= len(places) or keep >= _MOST_COMPARED:
            return places
        codes = np.stack([signs[places] for signs in self._signs], axis=1).view(np.uint8)
        numbers = np.zeros(8 * codes.shape[1], dtype=np.float32)
        numbers[: len(query)] = query
        # For each byte of a code, the products of its 256 values.
        products = _BITS_OF_BYTES @ numbers.reshape(-1, 8).T
        similar = products[codes, np.arange(codes.shape[1])].sum(axis=1)
        return places[places_of_best(similar, keep)]

    def _differences(self, wanted: Codes, part: Any) -> NDArray[np.uint16]:
        """Return the number of signs in which each row of a part differs from a code."""
        counts = [
            np.bitwise_count(np.bitwise_xor(signs[part], word)) for signs, word in zip(self._signs, wanted, strict=True)
        ]
        found = np.zeros(len(counts[0]), dtype=np.uint16)
        for first in range(0, len(counts), _WORDS_A_BYTE):
            few = counts[first]
            for other in counts[first + 1 : first + _WORDS_A_BYTE]:
                np.add(few, other, out=few)
            found += few
        return found


def cosines_of(documents: DocumentNumbers, rows: NDArray[Any], query: Rows) -> tuple[DocumentNumbers, Rows, Rows]:
    """Return each document once, ascending, with the best cosine of its rows, and the mean."""
    scores = rows.astype(np.float32, copy=False) @ query
    known, place, count = np.unique(documents, return_inverse=True, return_counts=True)
    best = np.full(len(known), -np.inf, dtype=np.float32)
    np.maximum.at(best, place, scores)
    return known, best, (np.bincount(place, weights=scores, minlength=len(known)) / count).astype(np.float32)


def _extended(kept: NDArray[Any], count: int, fresh: NDArray[Any]) -> NDArray[Any]:
    """Return the first `count` rows and the fresh ones, with spare room so that most additions copy nothing."""
    end = count + len(fresh)
    if end > len(kept):
        roomier = np.empty((end + end // 2, *kept.shape[1:]), dtype=kept.dtype)
        roomier[:count] = kept[:count]
        kept = roomier
    kept[count:end] = fresh
    return kept


def best_by_document(documents: DocumentNumbers, scores: Rows, limit: int) -> tuple[DocumentNumbers, Rows]:
    """Return the best score of each document, best first; ties by document."""
    order = np.lexsort((documents, -scores))
    _, first = np.unique(documents[order], return_index=True)
    kept = order[np.sort(first)][:limit]
    return documents[kept], scores[kept].astype(np.float32)
