"""Indexed documents, found by filters, numbers and places. Databases differ in the indexes that a statement names."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, LiteralString

import numpy as np

from remembrancer.storage.dialect import Values
from remembrancer.storage.documents import DocumentNumbers, Headers, headers_from
from remembrancer.storage.filters import filter_columns, passing
from remembrancer.storage.record_rows import RecordReader
from remembrancer.storage.values import undamaged
from remembrancer.types.filter import Filter
from remembrancer.types.record import Record


class IndexedDocuments(RecordReader, ABC):
    """Indexed documents that the caller may see, by their numbers."""

    _UPDATED_LAST: ClassVar[LiteralString]
    _OFTEN_UPDATED: ClassVar[LiteralString]
    _HEADERS: ClassVar[LiteralString]
    _NEWEST: ClassVar[LiteralString]
    _RECORDS: ClassVar[LiteralString]

    async def matching(self, filter: Filter, *, limit: int = 0) -> DocumentNumbers:
        """Return the documents that match a filter; the newest `limit` of them, unless it is 0."""
        asked = filter_columns(filter)
        rows = await self._connection.ask(
            "SELECT records.document FROM records"
            + self._index_for(filter, limit)
            + " WHERE records.document IS NOT NULL AND "
            + ("{plus}{seen} AND " if filter.ids else "{seen} AND ")
            + passing(asked)
            + (" ORDER BY records.occurred_at DESC LIMIT :limit" if limit else ""),
            {**asked, "limit": limit},
            replan=True,
        )
        return _sorted(rows)

    @abstractmethod
    def _index_for(self, filter: Filter, limit: int, /) -> LiteralString:
        """Return the clause that names the index for a filter; empty where the planner chooses well."""

    async def updated_last(self, *, apart: Sequence[str], revisions: int, limit: int) -> DocumentNumbers:
        """Return active observations: the `limit` last updated of each type and count of revisions.

        Args:
            apart: types to leave out.
            revisions: counts from this one up are one group.
        """
        asked = {"apart": list(apart), "few": list(range(1, revisions)), "many": revisions, "limit": limit}
        rows = [
            *await self._connection.ask(self._UPDATED_LAST, asked),
            *await self._connection.ask(self._OFTEN_UPDATED, asked),
        ]
        return _sorted(rows)

    async def headers(self, documents: Sequence[int]) -> Headers:
        """Return the headers of documents; removed ones are left out."""
        rows: Any = await self._connection.ask(self._HEADERS, {"wanted": np.array(documents, dtype=np.int64)})
        return headers_from(rows)

    async def newest(self, documents: DocumentNumbers, *, limit: int) -> list[int]:
        """Return those of some documents that happened last, the newest first; removed ones are left out."""
        rows = await self._connection.ask(self._NEWEST, {"wanted": documents, "limit": limit})
        return [row[0] for row in rows]

    async def messages_at(self, places: Sequence[tuple[str, int]]) -> Headers:
        """Return the headers of indexed messages at (session, number) places."""
        rows: Any = await self._connection.ask(*self._at(places))
        return headers_from(rows)

    @abstractmethod
    def _at(self, places: Sequence[tuple[str, int]], /) -> tuple[LiteralString, Values]:
        """Return the statement for headers of messages at (session, number) places, with its values."""

    async def records(self, documents: Sequence[int]) -> dict[int, Record]:
        """Return the records of documents that still exist, by number."""
        rows = await self._connection.ask(self._RECORDS, {"documents": np.array(documents, dtype=np.int64)})
        return dict(undamaged(rows, lambda row: (row[-1], self._record(row))))


def _sorted(rows: Sequence[Sequence[Any]]) -> DocumentNumbers:
    return np.sort(np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows)))
