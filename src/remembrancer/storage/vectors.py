"""Vectors next to the rows: what both databases do alike with them."""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, LiteralString

import numpy as np
from numpy.typing import NDArray

from remembrancer.storage.documents import Cosines, DocumentNumbers, Embedded, Nearest, Unembedded, document_number
from remembrancer.storage.record_rows import RECORD_COLUMNS, RecordReader
from remembrancer.storage.values import undamaged

Rows = NDArray[np.float32]
_MISSING: LiteralString = f"""
    SELECT {RECORD_COLUMNS}, records.document FROM records JOIN scopes ON scopes.id = records.scope
    WHERE records.document > :after AND records.document < :end AND {{plus}}{{own}} AND NOT EXISTS (
        SELECT 1 FROM vectors
        WHERE vectors.document = records.document AND vectors.generation = :generation
            AND vectors.document > :after AND vectors.document < :end
    )
    ORDER BY records.document LIMIT :limit
"""
# Of the active generation they are in an index, so that the others are not read. The vector is that of a scalar
# subquery, since PostgreSQL read all vectors of the scope for a join.
_UNEMBEDDED: LiteralString = f"""
    SELECT {RECORD_COLUMNS}, records.document
    FROM records{{by_unembedded}} JOIN scopes ON scopes.id = records.scope
    WHERE {{own}} AND records.document > :after AND records.document < :end
        AND records.document IS NOT NULL AND records.generation IS NULL AND (
            SELECT vectors.document FROM vectors
            WHERE vectors.document = records.document AND vectors.generation = :generation LIMIT 1
        ) IS NULL
    ORDER BY records.document LIMIT :limit
"""
_IS_ACTIVE: LiteralString = "SELECT 1 FROM generations WHERE number = :generation AND state = 'active'"
_UNKNOWN = (math.nan, math.nan)


class Vectors(RecordReader, ABC):
    """Vectors of visible documents."""

    _EMBEDDED: ClassVar[LiteralString]

    async def nearest(self, query: Rows, *, generation: int, limit: int, among: DocumentNumbers | None) -> Nearest:
        """Return the documents nearest to a unit vector, by the best passage of each.

        Args:
            among: only these, if not `None`.
        """
        return await self._connection.in_thread(lambda: self._nearest(query, generation, limit, among))

    @abstractmethod
    def _nearest(self, query: Rows, generation: int, limit: int, among: DocumentNumbers | None, /) -> Nearest: ...

    async def best_cosines(self, queries: Rows, *, generation: int) -> list[float]:
        """Return the best cosine of a visible document to each of some unit vectors; empty without vectors."""
        return await self._connection.in_thread(lambda: self._best_cosines(queries, generation))

    def _best_cosines(self, queries: Rows, generation: int) -> list[float]:
        nearest = [self._nearest(query, generation, 1, None) for query in queries]
        return [float(one.cosines[0]) for one in nearest if len(one.cosines)]

    async def cosines(self, query: Rows, documents: DocumentNumbers, *, generation: int) -> Cosines:
        """Return the cosines of each document, in order."""
        found = await self._connection.in_thread(lambda: self._cosines(query, documents, generation))
        values = np.array([found.get(document, _UNKNOWN) for document in documents.tolist()], dtype=np.float32)
        best, mean = values.reshape(-1, 2).T
        return Cosines(best=best, mean=mean)

    @abstractmethod
    def _cosines(
        self, query: Rows, documents: DocumentNumbers, generation: int, /
    ) -> Mapping[int, tuple[float, float]]:
        """Return the best cosine and the mean of each visible document that has vectors. Blocking."""

    async def add(self, pieces: Mapping[int, Rows], *, generation: int) -> set[int]:
        """Store the vectors of documents of the exact scope; return those documents that still exist."""
        return await self._connection.in_thread(lambda: self._add(pieces, generation))

    @abstractmethod
    def _add(self, pieces: Mapping[int, Rows], generation: int, /) -> set[int]: ...

    async def missing(self, *, generation: int, limit: int, after: int = 0) -> list[Unembedded]:
        """Return indexed records of the exact scope without vectors, in the order of their numbers."""
        values = {"generation": generation, "limit": limit, **self._within(after)}

        def read() -> list[Any]:
            is_active = self._connection.value(_IS_ACTIVE, values)
            return self._connection.rows(_UNEMBEDDED if is_active else _MISSING, values)

        rows = await self._connection.in_thread(read)
        return undamaged(rows, lambda row: Unembedded(document=row[-1], record=self._record(row)))

    async def embedded(self, *, generation: int, limit: int, after: int = 0) -> list[Embedded]:
        """Return documents of the exact scope with their vectors, in the order of their numbers."""
        values = {"generation": generation, "limit": limit, **self._within(after)}
        return self._unpacked(await self._connection.ask(self._EMBEDDED, values))

    @abstractmethod
    def _unpacked(self, rows: Sequence[Sequence[Any]], /) -> list[Embedded]:
        """Return the documents of the rows of `_EMBEDDED`."""

    def _within(self, after: int) -> dict[str, object]:
        """Return the bounds of the exact scope's document numbers, after one of them."""
        exact = self._connection.exact
        return {"after": max(after, document_number(exact, 0)), "end": document_number(exact + 1, 0)}
