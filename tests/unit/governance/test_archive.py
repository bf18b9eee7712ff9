"""What is put aside is out of recall, and comes back."""

from datetime import timedelta

import pytest

from remembrancer import Conflict, Scope
from remembrancer.storage.sqlite.store import SQLiteStore
from remembrancer.testing import FakeClock
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.types.lifecycle import Status
from tests.doubles import CountingIds
from tests.engine import engine_of


@pytest.mark.anyio
async def test_what_has_faded_is_archived_and_can_be_restored_and_what_is_pinned_stays() -> None:
    clock = FakeClock()
    async with SQLiteStore.open(":memory:") as store:
        rules = Dependencies(clock=clock, ids=CountingIds(), sign=store.sign)
        memory = engine_of(store, rules, Scope(tenant="a")).memory
        pinned = (await memory.save("The otter hunts at dusk", importance=0.05)).record
        faded = (await memory.save("The heron nests in April", importance=0.05)).record
        await memory.scores.pin(pinned.id)
        assert "archived" not in (await memory.admin.maintenance.run()).counts

        clock.move(timedelta(days=91))
        assert (await memory.admin.maintenance.run()).counts["archived"] == 1

        assert (await memory.get(faded.id)).status is Status.ARCHIVED
        assert (await memory.get(pinned.id)).importance == 0.05
        assert [hit.record.id for hit in (await memory.recall("heron otter", abstain=False)).hits] == [pinned.id]
        await memory.restore(faded.id)
        assert faded.id in [hit.record.id for hit in (await memory.recall("heron", abstain=False)).hits]
        with pytest.raises(Conflict, match="neither deleted nor archived"):
            await memory.restore(faded.id)
