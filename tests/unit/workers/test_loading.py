"""What takes long to load is loaded before a transaction, for which other writers wait."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from remembrancer import Scope
from remembrancer.storage.sqlite.store import SQLiteStore
from remembrancer.testing import FakeClock
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.types.text import Estimate, Tokens
from tests.doubles import CountingIds, WatchedStore
from tests.engine import engine_of

pytestmark = pytest.mark.anyio


class SlowToLoad(Estimate):
    """Counts as an estimate does; whether a transaction was open is kept for each count."""

    def __init__(self, watched: WatchedStore) -> None:
        self._watched = watched
        self.amid = list[bool]()

    def count(self, text: str) -> Tokens:
        return self.counts([text])[0]

    def counts(self, texts: Sequence[str]) -> list[Tokens]:
        self.amid.append(self._watched.is_open)
        return super().counts(texts)


async def test_tokens_are_first_counted_before_a_transaction_begins(tmp_path: Path) -> None:
    async with SQLiteStore.open(tmp_path / "m.db") as store:
        watched = WatchedStore(store)
        tokens = SlowToLoad(watched)
        rules = Dependencies(clock=FakeClock(), ids=CountingIds(), sign=store.sign, tokens=tokens)
        memory = engine_of(store, rules, Scope(user="ana")).memory
        await memory.save("Ana drinks tea")
        assert tokens.amid == []
        await memory.record("I drink tea")
        await memory.record("I drink tea")
    assert tokens.amid == [False, True, True]
