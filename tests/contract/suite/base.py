"""Helpers that the tests of several nouns use."""

from datetime import datetime
from typing import Any, ClassVar, LiteralString

import pytest

from remembrancer.storage.base import Store
from remembrancer.storage.documents import TextStatistics
from remembrancer.types.access import Caller
from remembrancer.types.filter import Filter
from remembrancer.types.index import Terms
from remembrancer.types.lifecycle import Status
from remembrancer.types.record import Record
from remembrancer.types.results import Change
from tests.factories import DAY, HOME, START, WORDS, ids_of, terms


class Contract:
    """Base of the tests of one noun; `store` is an empty store."""

    pytestmark: ClassVar[list[pytest.MarkDecorator]] = [pytest.mark.anyio]
    # More vectors than a store has to search exactly; a store that writes slowly sets fewer.
    many: ClassVar[int] = 17_000

    async def rows(self, store: Store, sql: LiteralString) -> list[tuple[Any, ...]]:
        """Return the rows of a SELECT, read without the store's own methods."""
        raise NotImplementedError

    async def _reword(self, store: Store, id: str, text: str, *, at: datetime = START + DAY) -> Record:
        async with store.begin(Caller(scope=HOME)) as tx:
            change = Change(text=text, hash=f"hash of {text}", reworded=True)
            return await tx.records.change(id, change, at=at, terms=terms(text))

    async def _delete(self, store: Store, id: str, *, at: datetime = START + DAY) -> Record:
        async with store.begin(Caller(scope=HOME)) as tx:
            return await tx.records.change(id, Change(status=Status.DELETED), at=at, terms=None)

    async def _row_counts(self, store: Store) -> dict[str, int]:
        """Return the number of rows of each table that contains a part of a record."""
        counted = await self.rows(
            store,
            """
            SELECT 'records', COUNT(*) FROM records
            UNION ALL SELECT 'versions', COUNT(*) FROM versions
            UNION ALL SELECT 'evidence', COUNT(*) FROM evidence
            UNION ALL SELECT 'keys', COUNT(*) FROM idempotency_keys
            UNION ALL SELECT 'postings', COUNT(*) FROM postings
            UNION ALL SELECT 'wordings', COUNT(*) FROM document_terms
            UNION ALL SELECT 'vectors', COUNT(*) FROM vectors
            """,
        )
        return {str(table): int(count) for table, count in counted}

    async def _assert_index(self, store: Store, expected: dict[str, Terms]) -> None:
        """Assert that the text index of `HOME` contains exactly these terms, by id of the record."""
        async with store.snapshot(Caller(scope=HOME)) as tx:
            statistics = await tx.text_index.statistics()
            ids = await ids_of(tx, (await tx.documents.matching(Filter())).tolist())
            shard = statistics[0].scope if statistics else 0
            frequencies = await tx.text_index.frequencies(WORDS)
            postings = await tx.text_index.postings([(shard, word) for word in WORDS])
        indexed = {
            word: {
                ids[document]: (count, length)
                for document, count, length in zip(
                    part.documents.tolist(), part.counts.tolist(), part.lengths.tolist(), strict=True
                )
            }
            for (_, word), part in postings.items()
        }
        by_word = {
            word: {id: (one.counts[word], one.length) for id, one in expected.items() if word in one.counts}
            for word in WORDS
        }
        assert indexed == {word: records for word, records in by_word.items() if records}
        assert frequencies == {(shard, word): len(records) for word, records in by_word.items() if records}
        lengths = [one.length for one in expected.values()]
        assert statistics == [
            TextStatistics(scope=shard, documents=len(lengths), mean_length=sum(lengths) / len(lengths))
        ]
        assert set(ids.values()) == set(expected)
