"""The codes of vectors: when they are made, and that a search by them finds what an exact one finds."""

from pathlib import Path

import numpy as np
import pytest

from remembrancer.storage.sqlite import vectors
from remembrancer.storage.sqlite.connection import SQLiteConnection
from remembrancer.storage.sqlite.store import SQLiteStore
from remembrancer.types.access import Caller
from tests.factories import HOME, SPACE, directions, embed, observation, put

pytestmark = pytest.mark.anyio


def codes(path: Path) -> tuple[int, int]:
    """The numbers of vectors with a code and without one."""
    connection = SQLiteConnection(str(path), read_only=True)
    row = connection.only("SELECT COUNT(code), COUNT(*) - COUNT(code) FROM vectors")
    connection.close()
    return row[0], row[1]


async def test_a_scope_is_searched_the_same_with_codes_and_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "EXACT_ROWS", 8)
    monkeypatch.setattr(vectors, "MEAN_ROWS", 16)
    monkeypatch.setattr(vectors, "_CODED_AT_ONCE", 10)
    monkeypatch.setattr(vectors, "_PAGE", 7)
    path, rows, seen = tmp_path / "m.db", directions(60), [(5, 0, 5), (5, 0, 10), (8, 0, 18), (20, 30, 8), (22, 60, 0)]
    documents: list[int] = []
    async with SQLiteStore.open(path) as store, SQLiteStore.open(path) as other:
        generation = (await store.serving_generation(SPACE)).number
        for count, coded, bare in seen:
            start = len(documents)
            new = await put(store, *(observation(f"o{start + place}") for place in range(count)))
            await embed(store, HOME, new, rows[start : start + count])
            documents += new
            assert codes(path) == (coded, bare)
            query = directions(1, seed=start + 2)[0]
            exact = np.argsort(-(rows[: len(documents)] @ query), kind="stable")[:6]
            for reader in (store, other):
                async with reader.snapshot(Caller(scope=HOME)) as tx:
                    near = await tx.vectors.nearest(query, generation=generation, limit=6, among=None)
                    few = np.array(documents[::3])
                    among = await tx.vectors.nearest(query, generation=generation, limit=99, among=few)
                    cosines = await tx.vectors.cosines(query, few, generation=generation)
                assert near.documents.tolist() == [documents[place] for place in exact]
                assert sorted(among.documents.tolist()) == few.tolist()
                assert cosines.best == pytest.approx((rows[: len(documents)] @ query)[::3], abs=0.002)
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.records.erase("o3")
        async with other.snapshot(Caller(scope=HOME)) as tx:
            near = await tx.vectors.nearest(rows[3], generation=generation, limit=60, among=None)
        assert documents[3] not in near.documents.tolist()
        assert len(near.documents) == 59
