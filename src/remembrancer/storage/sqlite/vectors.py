"""Vectors in SQLite: half-precision blobs in the file, searched in memory, one matrix for each exact scope."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from threading import Lock
from typing import Any, ClassVar, LiteralString, TypeVar

import numpy as np
from numpy.typing import NDArray

from remembrancer.storage.connection import SqlConnection
from remembrancer.storage.documents import DOCUMENT_BITS, DocumentNumbers, Embedded, Nearest
from remembrancer.storage.scoped_connection import ScopedConnection
from remembrancer.storage.sqlite.matrix import Matrix, Rows, best_by_document
from remembrancer.storage.values import to_json
from remembrancer.storage.vectors import Vectors

MATRIX_BYTES = 256 * 1024 * 1024
Result = TypeVar("Result")


class Matrices:
    """The matrices of a process; the least recently used are dropped when they need too much memory."""

    def __init__(self, limit: int = MATRIX_BYTES) -> None:
        self._kept: OrderedDict[tuple[int, int], Matrix] = OrderedDict()
        self._lock = Lock()
        self._limit = limit

    def use(self, place: tuple[int, int], dimension: int, work: Callable[[Matrix], Result]) -> Result:
        """Work with the matrix of a scope and generation; one thread at a time."""
        with self._lock:
            matrix = self._kept.setdefault(place, Matrix(dimension))
            self._kept.move_to_end(place)
            result = work(matrix)
            while len(self._kept) > 1 and sum(kept.bytes for kept in self._kept.values()) > self._limit:
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

    def _nearest(self, query: Rows, generation: int, limit: int, among: DocumentNumbers | None, /) -> Nearest:
        found = [self._search(scope, generation, query, limit=limit, among=among) for scope in self._connection.visible]
        documents = np.concatenate([part[0] for part in found]) if found else np.empty(0, dtype=np.int64)
        cosines = np.concatenate([part[1] for part in found]) if found else np.empty(0, dtype=np.float32)
        return Nearest(documents=documents, cosines=cosines) if len(found) == 1 else _merged(documents, cosines, limit)

    def _search(
        self, scope: int, generation: int, query: Rows, *, limit: int, among: DocumentNumbers | None
    ) -> tuple[DocumentNumbers, Rows]:
        connection, here = self._connection.raw, None if among is None else _of_scope(among, scope)

        def work(matrix: Matrix) -> tuple[DocumentNumbers, Rows]:
            _catch_up(connection, matrix, scope, generation, len(query))
            wanted = limit
            while True:
                documents, cosines = matrix.nearest(query, limit=wanted, among=here)
                kept = _existing(connection, documents, generation) & self._seen(documents)
                if np.count_nonzero(kept) >= limit or len(documents) < wanted:
                    return documents[kept][:limit], cosines[kept][:limit]
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

        def work(matrix: Matrix) -> tuple[DocumentNumbers, Rows, Rows]:
            _catch_up(connection, matrix, scope, generation, len(query))
            found, best, mean = matrix.cosines(query, here)
            kept = _existing(connection, found, generation) & self._seen(found)
            return found[kept], best[kept], mean[kept]

        found, best, mean = self._matrices.use((scope, generation), len(query), work)
        return zip(found.tolist(), best.tolist(), mean.tolist(), strict=True)

    def _seen(self, documents: DocumentNumbers) -> NDArray[np.bool_]:
        """Return a mask of the documents that the caller may see."""
        hidden = self._connection.hidden
        return ~np.isin(documents, hidden) if len(hidden) else np.ones(len(documents), dtype=np.bool_)

    def _add(self, pieces: Mapping[int, Rows], generation: int, /) -> set[int]:
        return {document for document, rows in pieces.items() if self._add_document(document, rows, generation)}

    def _add_document(self, document: int, vectors: Rows, generation: int) -> bool:
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
        raw.run_many(
            "INSERT INTO vectors (scope, tenant, generation, document, vector) VALUES (?, ?, ?, ?, ?)",
            [
                (scope, self._connection.scope.tenant, generation, document, row.astype(np.float16).tobytes())
                for row in vectors
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


def _catch_up(connection: SqlConnection, matrix: Matrix, scope: int, generation: int, dimension: int) -> None:
    """Read the vectors that any process added since the matrix was last used."""
    rows = connection.rows(
        """
        SELECT sequence, document, vector FROM vectors INDEXED BY vectors_by_scope
        WHERE scope = ? AND generation = ? AND sequence > ? ORDER BY sequence
        """,
        (scope, generation, matrix.last),
    )
    if rows:
        matrix.append(
            np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows)),
            np.fromiter((row[1] for row in rows), dtype=np.int64, count=len(rows)),
            np.frombuffer(b"".join(row[2] for row in rows), dtype=np.float16).reshape(-1, dimension),
        )


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
