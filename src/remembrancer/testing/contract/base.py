"""What the tests of every noun have in common."""

from datetime import datetime
from typing import Any, ClassVar, LiteralString

import pytest

from remembrancer.storage.ports.store import Store
from remembrancer.storage.ports.texts import TextStatistics
from remembrancer.testing.contract.made import (
    DAY,
    HOME,
    START,
    WORDS,
    ids_of,
    terms,
)
from remembrancer.types.caller import Caller
from remembrancer.types.change import Change
from remembrancer.types.filter import Filter
from remembrancer.types.lifecycle import Status
from remembrancer.types.record import Record
from remembrancer.types.terms import Terms


class Contract:
    """What the tests of every noun have in common; `store` is an empty one."""

    pytestmark: ClassVar[list[pytest.MarkDecorator]] = [pytest.mark.anyio]
    # More vectors than a store need keep exact in memory; fewer will do where each takes long to store.
    many: ClassVar[int] = 17_000

    async def rows(self, store: Store, sql: LiteralString) -> list[tuple[Any, ...]]:
        """What a SELECT finds in the database, asked by another road than the store's own methods."""
        raise NotImplementedError

    async def _reword(self, store: Store, id: str, text: str, *, at: datetime = START + DAY) -> Record:
        async with store.begin(Caller(scope=HOME)) as tx:
            change = Change(text=text, hash=f"hash of {text}", reworded=True)
            return await tx.records.change(id, change, at=at, terms=terms(text))

    async def _delete(self, store: Store, id: str, *, at: datetime = START + DAY) -> Record:
        async with store.begin(Caller(scope=HOME)) as tx:
            return await tx.records.change(id, Change(status=Status.DELETED), at=at, terms=None)

    async def _row_counts(self, store: Store) -> dict[str, int]:
        """How many rows the tables have that hold anything of a record."""
        counted = await self.rows(
            store,
            """
            SELECT 'records', COUNT(*) FROM records
            UNION ALL SELECT 'versions', COUNT(*) FROM versions
            UNION ALL SELECT 'evidence', COUNT(*) FROM evidence
            UNION ALL SELECT 'keys', COUNT(*) FROM keys
            UNION ALL SELECT 'postings', COUNT(*) FROM postings
            UNION ALL SELECT 'wordings', COUNT(*) FROM wordings
            UNION ALL SELECT 'vectors', COUNT(*) FROM vectors
            """,
        )
        return {str(table): int(count) for table, count in counted}

    async def _assert_index(self, store: Store, standing: dict[str, Terms]) -> None:
        """That the index of `HOME` holds these wordings and nothing else, by id."""
        async with store.snapshot(Caller(scope=HOME)) as tx:
            statistics = await tx.texts.statistics()
            ids = await ids_of(tx, (await tx.wordings.passing(Filter())).tolist())
            shard = statistics[0].shard if statistics else 0
            frequencies = await tx.texts.frequencies(WORDS)
            postings = await tx.texts.postings([(shard, word) for word in WORDS])
        found = {
            word: {
                ids[document]: (count, length)
                for document, count, length in zip(
                    part.documents.tolist(), part.counts.tolist(), part.lengths.tolist(), strict=True
                )
            }
            for (_, word), part in postings.items()
        }
        expected = {
            word: {id: (held.counts[word], held.length) for id, held in standing.items() if word in held.counts}
            for word in WORDS
        }
        assert found == {word: places for word, places in expected.items() if places}
        assert frequencies == {(shard, word): len(places) for word, places in expected.items() if places}
        lengths = [held.length for held in standing.values()]
        assert statistics == [
            TextStatistics(shard=shard, documents=len(lengths), mean_length=sum(lengths) / len(lengths))
        ]
        assert set(ids.values()) == set(standing)
