"""The contract of a store: chunks of a conversation and its log."""

# ruff: noqa: PT012 -- a transaction that is to raise is a whole block

from dataclasses import replace

import pytest

from remembrancer.errors import Conflict
from remembrancer.storage.base import Store
from remembrancer.types.access import Caller
from remembrancer.types.lifecycle import Status
from remembrancer.types.notes import ChunkState
from remembrancer.types.record import Observation
from remembrancer.types.results import Change
from tests.contract.suite.base import Contract
from tests.factories import DAY, HOME, START, STRANGER, add, chunk, observation, put, reflection, session, terms


class ChunksContract(Contract):
    async def test_a_chunk_moves_the_cursor_or_is_refused(self, store: Store) -> None:
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.sessions.put(session("s"))
            await tx.sessions.reserve_numbers("s", 9, tokens=90)
            await tx.chunks.add(chunk("s", 1, 4, tokens=40))
            await tx.chunks.add(chunk("s", 5, 6, tokens=20))
            moved = await tx.sessions.find("s")
        assert moved is not None
        assert (moved.observed, moved.observed_tokens, moved.tokens) == (6, 60, 90)
        for first, last in ((1, 4), (6, 8), (8, 9), (7, 10)):
            with pytest.raises(Conflict):
                async with store.begin(Caller(scope=HOME)) as tx:
                    await tx.chunks.add(chunk("s", first, last))
        with pytest.raises(Conflict):
            async with store.begin(Caller(scope=STRANGER)) as tx:
                await tx.sessions.put(session("s", scope=STRANGER))
                await tx.chunks.add(chunk("s", 7, 8))
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.chunks.list("s") == [chunk("s", 1, 4, tokens=40), chunk("s", 5, 6, tokens=20)]
            assert await tx.sessions.find("s") == moved
        async with store.snapshot(Caller(scope=STRANGER)) as tx:
            assert await tx.chunks.list(None) == []

    async def test_a_chunk_changes_its_state_and_keeps_its_messages(self, store: Store) -> None:
        kept = chunk("s", 1, 4, tokens=40)
        shown = replace(
            kept,
            state=ChunkState.ACTIVE,
            noted=5,
            place=3,
            task="to build",
            suggestion="ask",
            engine="observer 2",
            model="openai:small",
            failure="it rambled",
            tries=4,
            activated_at=START + DAY,
        )
        async with store.begin(Caller(scope=HOME)) as tx:
            for id in "rs":
                await tx.sessions.put(session(id))
                await tx.sessions.reserve_numbers(id, 4, tokens=40)
                await tx.chunks.add(replace(kept, session=id))
            await tx.chunks.put(shown)
            await tx.chunks.put(replace(shown, first=2, task="nothing stands here"))
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.chunks.find("s", 1) == shown
            assert await tx.chunks.find("s", 2) is None
            assert await tx.chunks.list(None) == [replace(kept, session="r"), shown]
            assert await tx.chunks.failed(limit=9) == [shown]
            assert await tx.chunks.failed(limit=0) == []

    async def test_the_log_lists_active_observations_with_a_place(self, store: Store) -> None:
        told = [
            replace(observation("late", text="b"), place=2, first=3, last=4, priority=5, refers_to="2026-05", tokens=7),
            replace(observation("early", text="a"), place=1, first=1, last=2, tokenizer="estimate-1", engine="e 1"),
            replace(observation("elsewhere", text="c"), place=3, session="other", model="openai:small"),
            replace(observation("waits", text="d"), status=Status.BUFFERED, first=2, last=9),
            replace(observation("retired", text="e"), status=Status.RETIRED, place=4),
            observation("saved", text="f"),
            reflection("insight", place=5, evidence=("early", "late")),
        ]
        ours = [record if record.session else replace(record, session="s") for record in told]
        async with store.begin(Caller(scope=HOME)) as tx:
            await add(tx, *ours)
            found = {
                "session": await tx.observations.in_log("s"),
                "scope": await tx.observations.in_log(None),
                "noted": await tx.observations.notes("s", 1, 2),
                "lines": [line.id for line in await tx.observations.log_lines("s")],
                "mark": await tx.observations.log_mark("s"),
                "mark of none": await tx.observations.log_mark("nowhere"),
                "all": {record.id: await tx.records.find(record.id) for record in ours},
            }
        by_id = {record.id: record for record in ours}
        assert found["session"] == [by_id["early"], by_id["late"], by_id["insight"]]
        assert found["scope"] == [by_id["early"], by_id["late"], by_id["elsewhere"], by_id["insight"]]
        assert found["noted"] == [by_id["early"], by_id["waits"]]
        assert found["all"] == by_id
        assert found["lines"] == ["early", "late", "insight"]
        assert (found["mark"], found["mark of none"]) == ((3, START), (0, None))
        async with store.snapshot(Caller(scope=STRANGER)) as tx:
            assert await tx.observations.in_log(None) == []

    async def test_an_activated_observation_has_a_place_and_is_indexed(self, store: Store) -> None:
        await put(store, replace(observation("o", text="quartz"), status=Status.BUFFERED, session="s"))
        async with store.begin(Caller(scope=HOME)) as tx:
            assert await tx.text_index.frequencies(["quartz"]) == {}
            shown = await tx.records.change(
                "o", Change(status=Status.ACTIVE, place=4), at=START + DAY, terms=terms("quartz")
            )
            assert shown == await tx.records.find("o")
            assert isinstance(shown, Observation)
            assert (shown.place, shown.status) == (4, Status.ACTIVE)
            assert list((await tx.text_index.frequencies(["quartz"])).values()) == [1]
