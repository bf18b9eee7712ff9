"""Vectors in SQLite: half-precision blobs in the file, searched in memory, one matrix for each exact scope."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import groupby
from threading import Lock
from typing import Any, ClassVar, LiteralString, TypeVar

import numpy as np
from numpy.typing import NDArray

from remembrancer.storage.connection import SqlConnection
from remembrancer.storage.documents import DOCUMENT_BITS, DocumentNumbers, Embedded, Nearest
from remembrancer.storage.scoped_connection import ScopedConnection
from remembrancer.storage.sqlite.matrix import (
    EXACT_ROWS,
    LEAST_SCORED,
    CodedMatrix,
    Found,
    Matrix,
    Rows,
    best_by_document,
    codes_of,
    cosines_of,
    words_of,
)
from remembrancer.storage.values import to_json
from remembrancer.storage.vectors import Vectors

MATRIX_BYTES = 256 * 1024 * 1024
MEAN_ROWS = 4_096
"""The vectors of a generation from which its mean is computed, once there are so many."""
_PAGE = 50_000
# Rows that are scored for the best cosine alone, which needs not be exact.
_SCORED_FOR_ONE = 100
# Codes that one write adds for older vectors.
_CODED_AT_ONCE = 20_000
Result = TypeVar("Result")


class _Kept:
    """The matrix of a scope and generation; it is used by one thread at a time."""

    def __init__(self, dimension: int) -> None:
        self.lock = Lock()
        self.matrix: Matrix | CodedMatrix = Matrix(dimension)


class Matrices:
    """The matrices of a process; the least recently used are dropped when they need too much memory."""

    def __init__(self, limit: int = MATRIX_BYTES) -> None:
        self._kept: OrderedDict[tuple[int, int], _Kept] = OrderedDict()
        self._lock = Lock()
        self._limit = limit

    def use(self, place: tuple[int, int], dimension: int, work: Callable[[_Kept], Result]) -> Result:
        """Work with the matrix of a scope and generation; one thread at a time."""
        with self._lock:
            kept = self._kept.setdefault(place, _Kept(dimension))
            self._kept.move_to_end(place)
        with kept.lock:
            result = work(kept)
        with self._lock:
            while len(self._kept) > 1 and sum(one.matrix.bytes for one in self._kept.values()) > self._limit:
                self._kept.popitem(last=False)
        return result

    def clear(self) -> None:
        """Drop all matrices; the file has all vectors."""
        with self._lock:
            self._kept.clear()


class SQLiteVectors(Vectors):
    """Vectors in a file, searched in memory."""

    _EMBEDDED: ClassVar[LiteralString] = """
        SELECT wanted.document, vectors.vector FROM (
            SELECT document FROM records
            WHERE document > :after AND document < :end AND {plus}{own} AND EXISTS (
                SELECT 1 FROM vectors
                WHERE vectors.document = records.document AND vectors.generation = :generation
            )
            ORDER BY document LIMIT :limit
        ) AS wanted
        JOIN vectors ON vectors.document = wanted.document AND vectors.generation = :generation
        ORDER BY wanted.document, vectors.sequence
    """

    def __init__(self, connection: ScopedConnection, *, matrices: Matrices) -> None:
        super().__init__(connection)
        self._matrices = matrices

    def _nearest(
        self,
        query: Rows,
        generation: int,
        limit: int,
        among: DocumentNumbers | None,
        /,
        *,
        scored: int = LEAST_SCORED,
    ) -> Nearest:
        found = [
            self._search(scope, generation, query, limit=limit, among=among, scored=scored)
            for scope in self._connection.visible
        ]
        documents = np.concatenate([part[0] for part in found]) if found else np.empty(0, dtype=np.int64)
        cosines = np.concatenate([part[1] for part in found]) if found else np.empty(0, dtype=np.float32)
        return Nearest(documents=documents, cosines=cosines) if len(found) == 1 else _merged(documents, cosines, limit)

    def _best_cosines(self, queries: Rows, generation: int) -> list[float]:
        nearest = [self._nearest(query, generation, 1, None, scored=_SCORED_FOR_ONE) for query in queries]
        return [float(one.cosines[0]) for one in nearest if len(one.cosines)]

    def _search(
        self,
        scope: int,
        generation: int,
        query: Rows,
        *,
        limit: int,
        among: DocumentNumbers | None,
        scored: int,
    ) -> tuple[DocumentNumbers, Rows]:
        connection, here = self._connection.raw, None if among is None else _of_scope(among, scope)

        def work(kept: _Kept) -> Found:
            matrix = _caught_up(connection, kept, scope, generation, len(query))
            wanted = limit
            while True:
                if isinstance(matrix, Matrix):
                    documents, cosines = matrix.nearest(query, limit=wanted, among=here)
                    shown = self._seen(documents) & _existing(connection, documents, generation)
                else:
                    read = partial(_rows, connection, len(query))
                    documents, cosines = matrix.nearest(query, limit=wanted, among=here, read=read, scored=scored)
                    shown = self._seen(documents)
                if np.count_nonzero(shown) >= limit or len(documents) < wanted:
                    return documents[shown][:limit], cosines[shown][:limit]
                wanted *= 2

        return self._matrices.use((scope, generation), len(query), work)

    def _cosines(
        self, query: Rows, documents: DocumentNumbers, generation: int, /
    ) -> Mapping[int, tuple[float, float]]:
        found = [self._known(scope, generation, query, documents) for scope in self._connection.visible]
        return {document: (best, mean) for part in found for document, best, mean in part}

    def _known(
        self, scope: int, generation: int, query: Rows, documents: DocumentNumbers
    ) -> Iterable[tuple[int, float, float]]:
        connection, here = self._connection.raw, _of_scope(documents, scope)

        def work(kept: _Kept) -> tuple[DocumentNumbers, NDArray[Any]]:
            matrix = _caught_up(connection, kept, scope, generation, len(query))
            if isinstance(matrix, Matrix):
                return matrix.rows_of(here[_existing(connection, here, generation)])
            return _rows_of_documents(connection, len(query), here, generation)

        known, rows = self._matrices.use((scope, generation), len(query), work)
        found, best, mean = cosines_of(known, rows, query)
        seen = self._seen(found)
        return zip(found[seen].tolist(), best[seen].tolist(), mean[seen].tolist(), strict=True)

    def _seen(self, documents: DocumentNumbers) -> NDArray[np.bool_]:
        """Return a mask of the documents that the caller may see."""
        hidden = self._connection.hidden
        return ~np.isin(documents, hidden) if len(hidden) else np.ones(len(documents), dtype=np.bool_)

    def _add(self, pieces: Mapping[int, Rows], generation: int, /) -> set[int]:
        mean = _mean_for_writing(self._connection.raw, generation)
        return {document for document, rows in pieces.items() if self._add_document(document, rows, generation, mean)}

    def _add_document(self, document: int, vectors: Rows, generation: int, mean: Rows | None) -> bool:
        scope, raw = self._connection.writable(), self._connection.raw
        marked = raw.run(
            """
            UPDATE records
            SET generation = CASE
                WHEN :generation = (SELECT number FROM generations WHERE state = 'active') THEN :generation
                ELSE generation
            END
            WHERE document = :document AND scope = :scope
            """,
            {"generation": generation, "document": document, "scope": scope},
        )
        if not marked:
            return False
        raw.run("DELETE FROM vectors WHERE document = ? AND generation = ?", (document, generation))
        halves = vectors.astype(np.float16)
        codes = [None] * len(halves) if mean is None else [code.tobytes() for code in codes_of(halves, mean)]
        raw.run_many(
            "INSERT INTO vectors (scope, tenant, generation, document, vector, code) VALUES (?, ?, ?, ?, ?, ?)",
            [
                (scope, self._connection.scope.tenant, generation, document, row.tobytes(), code)
                for row, code in zip(halves, codes, strict=True)
            ],
        )
        return True

    def _unpacked(self, rows: Sequence[Sequence[Any]], /) -> list[Embedded]:
        return [
            Embedded(
                document=document,
                passages=np.array([np.frombuffer(row[1], dtype=np.float16) for row in pieces], dtype=np.float32),
            )
            for document, pieces in groupby(rows, key=lambda row: row[0])
        ]


def _caught_up(
    connection: SqlConnection, kept: _Kept, scope: int, generation: int, dimension: int
) -> Matrix | CodedMatrix:
    """Return the matrix with all that any process added since it was last used."""
    matrix, place = kept.matrix, (scope, generation, kept.matrix.last)
    if isinstance(matrix, CodedMatrix):
        # Codes before the generation had a mean are of another one.
        if not np.array_equal(matrix.mean, mean := _mean(connection, generation, dimension)):
            matrix = kept.matrix = CodedMatrix(mean)
    else:
        has_more = connection.value(
            """
            SELECT 1 FROM vectors INDEXED BY vectors_coded
            WHERE scope = ? AND generation = ? AND sequence > ? LIMIT 1 OFFSET ?
            """,
            (*place, EXACT_ROWS - len(matrix)),
        )
        if not has_more:
            _append_rows(connection, matrix, place, dimension)
            return matrix
        matrix = kept.matrix = CodedMatrix(_mean(connection, generation, dimension))
    while _append_codes(connection, matrix, (scope, generation, matrix.last), dimension):
        pass
    return matrix


def _append_rows(connection: SqlConnection, matrix: Matrix, place: tuple[int, int, int], dimension: int) -> None:
    rows = connection.rows(
        """
        SELECT sequence, document, vector FROM vectors INDEXED BY vectors_coded
        WHERE scope = ? AND generation = ? AND sequence > ? ORDER BY sequence
        """,
        place,
    )
    if rows:
        sequences, documents, blobs = zip(*rows, strict=True)
        matrix.append(_numbers(sequences), _numbers(documents), _vectors(blobs, dimension))


def _append_codes(connection: SqlConnection, matrix: CodedMatrix, place: tuple[int, int, int], dimension: int) -> bool:
    """Append a page of codes; return whether there may be more.

    The database joins the values of a page: that needs a fifth of the time of as many rows.
    """
    words = words_of(dimension)
    count, sequences, documents, codes = connection.only(
        """
        SELECT COUNT(*), group_concat(sequence), group_concat(document), CAST(group_concat(code, '') AS BLOB) FROM (
            SELECT sequence, document, COALESCE(code, zeroblob(?)) AS code FROM vectors INDEXED BY vectors_coded
            WHERE scope = ? AND generation = ? AND sequence > ? ORDER BY sequence LIMIT ?
        )
        """,
        (8 * words, *place, _PAGE),
    )
    if not count:
        return False
    numbers = np.fromstring(sequences, dtype=np.int64, sep=",")
    packed = np.frombuffer(codes, dtype=np.uint64).reshape(-1, words)
    bare = connection.rows(
        """
        SELECT sequence FROM vectors INDEXED BY vectors_coded
        WHERE scope = ? AND generation = ? AND sequence > ? AND sequence <= ? AND code IS NULL
        """,
        (*place, int(numbers[-1])),
    )
    if bare:
        packed, without = packed.copy(), np.isin(numbers, _numbers([row[0] for row in bare]))
        packed[without] = codes_of(_rows(connection, dimension, numbers[without])[1], matrix.mean)
    matrix.append(numbers, np.fromstring(documents, dtype=np.int64, sep=","), packed)
    return count == _PAGE


def _mean(connection: SqlConnection, generation: int, dimension: int) -> Rows:
    """Return the mean of a generation; zeros until it has one."""
    stored = connection.value("SELECT mean FROM generations WHERE number = ?", (generation,))
    return np.zeros(dimension, dtype=np.float32) if stored is None else np.frombuffer(stored, dtype=np.float32)


def _mean_for_writing(connection: SqlConnection, generation: int) -> Rows | None:
    """Return the mean of a generation, and add codes for older vectors; `None` while there are few vectors.

    The mean of the first vectors is kept, since codes of different means cannot be compared.
    """
    stored = connection.value("SELECT mean FROM generations WHERE number = ?", (generation,))
    without: LiteralString = (
        "FROM vectors INDEXED BY vectors_without_code WHERE generation = ? AND code IS NULL LIMIT ?"
    )
    if stored is None and connection.value("SELECT 1 " + without + " OFFSET ?", (generation, 1, MEAN_ROWS - 1)) is None:
        return None
    older = connection.rows("SELECT sequence, vector " + without, (generation, _CODED_AT_ONCE))
    rows = np.array([np.frombuffer(row[1], dtype=np.float16) for row in older])
    if stored is None:
        mean = rows[:MEAN_ROWS].astype(np.float32).mean(axis=0)
        connection.run("UPDATE generations SET mean = ? WHERE number = ?", (mean.tobytes(), generation))
    else:
        mean = np.frombuffer(stored, dtype=np.float32)
    if older:
        codes = [code.tobytes() for code in codes_of(rows, mean)]
        connection.run_many(
            "UPDATE vectors SET code = ? WHERE sequence = ?",
            [(code, row[0]) for code, row in zip(codes, older, strict=True)],
        )
    return mean


def _rows(
    connection: SqlConnection, dimension: int, sequences: NDArray[np.int64]
) -> tuple[DocumentNumbers, NDArray[np.float16]]:
    """Return the documents and vectors of those sequence numbers that exist, in their order."""
    rows = connection.rows(
        "SELECT vectors.document, vectors.vector FROM json_each(?) AS wanted"
        " CROSS JOIN vectors ON vectors.sequence = wanted.value",
        (to_json(sequences.tolist()),),
    )
    return _unpacked(rows, dimension)


def _rows_of_documents(
    connection: SqlConnection, dimension: int, documents: DocumentNumbers, generation: int
) -> tuple[DocumentNumbers, NDArray[np.float16]]:
    """Return the vectors of documents, each with its document."""
    rows = connection.rows(
        "SELECT vectors.document, vectors.vector FROM json_each(?) AS wanted"
        " CROSS JOIN vectors INDEXED BY vectors_by_document"
        " ON vectors.document = wanted.value AND vectors.generation = ?",
        (to_json(documents.tolist()), generation),
    )
    return _unpacked(rows, dimension)


def _unpacked(rows: Sequence[Sequence[Any]], dimension: int) -> tuple[DocumentNumbers, NDArray[np.float16]]:
    """Return documents and vectors from rows of both."""
    return _numbers([row[0] for row in rows]), _vectors([row[1] for row in rows], dimension)


def _numbers(values: Sequence[int]) -> NDArray[np.int64]:
    return np.fromiter(values, dtype=np.int64, count=len(values))


def _vectors(blobs: Sequence[bytes], dimension: int) -> NDArray[np.float16]:
    return np.frombuffer(b"".join(blobs), dtype=np.float16).reshape(-1, dimension)


def _existing(connection: SqlConnection, documents: DocumentNumbers, generation: int) -> NDArray[np.bool_]:
    """Return a mask of the documents that still have vectors: a matrix only grows."""
    rows = connection.rows(
        """
        SELECT wanted.value FROM json_each(?) AS wanted
        WHERE EXISTS (SELECT 1 FROM vectors WHERE vectors.document = wanted.value AND vectors.generation = ?)
        """,
        (to_json(documents.tolist()), generation),
    )
    existing = {row[0] for row in rows}
    return np.array([document in existing for document in documents.tolist()], dtype=bool)


def _of_scope(documents: DocumentNumbers, scope: int) -> DocumentNumbers:
    return documents[documents >> DOCUMENT_BITS == scope]


def _merged(documents: DocumentNumbers, cosines: Rows, limit: int) -> Nearest:
    best, scores = best_by_document(documents, cosines, limit)
    return Nearest(documents=best, cosines=scores)
