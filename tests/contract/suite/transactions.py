"""The contract of a store: transactions and snapshots."""

# ruff: noqa: PT012 -- a transaction that is to raise is a whole block

from contextlib import suppress
from dataclasses import replace

import anyio
import anyio.lowlevel
import pytest

from remembrancer.errors import RemembrancerError
from remembrancer.storage.base import Store
from remembrancer.storage.documents import TextStatistics
from remembrancer.storage.tx import Tx
from remembrancer.types.access import Caller
from remembrancer.types.filter import Filter
from remembrancer.types.record import Kind, Message
from remembrancer.types.results import Change, IdempotentWrite, Outcome, Version
from tests.contract.suite.base import Contract
from tests.factories import (
    DAY,
    HOME,
    PATIENCE,
    ROUNDING,
    SPACE,
    START,
    STRANGER,
    Portrait,
    SpiltError,
    add,
    directions,
    embed,
    message,
    observation,
    portrait,
    put,
    session,
    terms,
    write_everything,
)


class TransactionsContract(Contract):
    async def test_a_committed_transaction_is_stored_whole(self, store: Store) -> None:
        generation = await store.serving_generation(SPACE)
        async with store.begin(Caller(scope=HOME)) as tx:
            await write_everything(tx)
            document = int((await tx.documents.matching(Filter(kinds=(Kind.MESSAGE,))))[0])
        after = await portrait(store, HOME)
        said = replace(message("m", text="basalt"), usage_count=2, last_accessed_at=START + DAY)
        claim = replace(
            observation("o", text="granite"),
            title="About quartz marble",
            hash="hash of quartz marble",
            evidence=("m",),
            topic_key="stone",
            revision=2,
            updated_at=START + DAY,
        )
        earlier = replace(claim, text="quartz marble", revision=1, updated_at=START)
        shard = after.statistics[0].scope
        claimed = after.unembedded[0]
        assert generation.number == 1
        assert after == Portrait(
            records=(claim, said),
            counts={"message/active": 1, "observation/active": 1},
            versions=after.versions,
            sessions=[replace(session("s"), messages=1, tokens=7)],
            statistics=[TextStatistics(scope=shard, documents=2, mean_length=1.0)],
            frequencies={(shard, "basalt"): 1, (shard, "granite"): 1},
            postings={(shard, "basalt"): [(document, 1.0, 1.0)], (shard, "granite"): [(claimed, 1.0, 1.0)]},
            near=after.near,
            unembedded=[claimed],
            key=IdempotentWrite(key="k", request="r", outcome=Outcome.CREATED, record="o"),
            audited=2,
        )
        assert after.near == [(document, pytest.approx(1.0, abs=ROUNDING))]
        assert sorted(after.versions, key=lambda version: (version.since, version.record.id)) == [
            Version(record=said, since=START, until=None),
            Version(record=earlier, since=START, until=START + DAY),
            Version(record=claim, since=START + DAY, until=None),
        ]

    async def test_a_transaction_that_raises_leaves_nothing(self, store: Store) -> None:
        await put(store, observation("standing", text="slate"))
        before = await portrait(store, HOME)
        with pytest.raises(SpiltError):
            async with store.begin(Caller(scope=HOME)) as tx:
                await write_everything(tx)
                raise SpiltError
        assert await portrait(store, HOME) == before
        # Nothing of it is in the way of doing it again.
        async with store.begin(Caller(scope=HOME)) as tx:
            await write_everything(tx)
        assert (await portrait(store, HOME)).sessions[0].messages == 1

    async def test_a_write_in_one_call_is_stored_whole_or_not_at_all(self, store: Store) -> None:
        async def spilt(tx: Tx) -> None:
            await write_everything(tx)
            raise SpiltError

        async def waiting(tx: Tx) -> None:
            await write_everything(tx)
            await anyio.lowlevel.checkpoint()

        async def whole(tx: Tx) -> str:
            # Of a wider scope, too.
            await (await tx.at(Caller(scope=HOME))).records.list(Filter(), limit=9, cursor=None)
            await write_everything(tx)
            return tx.scope.tenant

        await put(store, observation("standing", text="slate"))
        before = await portrait(store, HOME)
        for work in (spilt, waiting):
            with pytest.raises((SpiltError, RemembrancerError, RuntimeError)):
                await store.write(Caller(scope=HOME), work)
            assert await portrait(store, HOME) == before
        assert await store.write(Caller(scope=HOME), whole) == HOME.tenant
        assert (await portrait(store, HOME)).sessions[0].messages == 1

    async def test_a_rollback_in_a_new_scope_leaves_no_scope(self, store: Store) -> None:
        await store.serving_generation(SPACE)
        with pytest.raises(SpiltError):
            async with store.begin(Caller(scope=HOME)) as tx:
                await write_everything(tx)
                raise SpiltError
        assert await store.scopes() == []

    async def test_changes_and_erasures_roll_back_too(self, store: Store) -> None:
        documents = await put(store, observation("a", text="quartz"), observation("b", text="basalt"))
        await embed(store, HOME, documents, directions(2))
        before = await portrait(store, HOME)
        with pytest.raises(SpiltError):
            async with store.begin(Caller(scope=HOME)) as tx:
                await tx.records.change("a", Change(text="chalk"), at=START + DAY, terms=terms("chalk"))
                await tx.records.erase("b")
                raise SpiltError
        assert await portrait(store, HOME) == before

    async def test_a_cancelled_transaction_leaves_nothing_and_frees_the_store(self, store: Store) -> None:
        with anyio.CancelScope() as cancelled:
            async with store.begin(Caller(scope=HOME)) as tx:
                await add(tx, observation("a"))
                cancelled.cancel()
                await anyio.lowlevel.checkpoint()
        with anyio.fail_after(PATIENCE):
            await put(store, observation("b"))
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert (await tx.records.list(Filter(), limit=9, cursor=None)).records == (observation("b"),)

    async def test_a_failed_statement_rolls_back_the_whole_transaction(self, store: Store) -> None:
        with pytest.raises(RemembrancerError):
            await put(store, observation("a"), observation("b"), observation("a"))
        await put(store, observation("c"))
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert (await tx.records.list(Filter(), limit=9, cursor=None)).records == (observation("c"),)

    async def test_a_transaction_reads_what_it_has_written(self, store: Store) -> None:
        generation = (await store.serving_generation(SPACE)).number
        async with store.begin(Caller(scope=HOME)) as tx:
            document = (await add(tx, observation("a")))[0]
            await tx.vectors.add({document: directions(1)}, generation=generation)
            near = await tx.vectors.nearest(directions(1)[0], generation=generation, limit=1, among=None)
            assert await tx.records.find("a") == observation("a")
            assert list((await tx.text_index.frequencies(["quartz"])).values()) == [1]
            assert near.documents.tolist() == [document]

    async def test_a_snapshot_cannot_write(self, store: Store) -> None:
        await put(store, observation("a"))
        before = await portrait(store, HOME)
        with pytest.raises(RemembrancerError):
            async with store.snapshot(Caller(scope=HOME)) as tx:
                await tx.records.change("a", Change(title="x"), at=START + DAY, terms=None)
        with pytest.raises(RemembrancerError):
            async with store.snapshot(Caller(scope=STRANGER)) as tx:
                await tx.records.add([observation("b", scope=STRANGER)], [None])
        assert await portrait(store, HOME) == before
        assert await store.scopes() == [HOME]
        await put(store, observation("c"))

    async def test_a_snapshot_reads_one_moment_while_others_write(self, store: Store) -> None:
        await put(store, observation("a"))
        done = anyio.Event()

        async def write() -> None:
            await put(store, observation("b"))
            done.set()

        with anyio.fail_after(PATIENCE):
            async with anyio.create_task_group() as tasks, store.snapshot(Caller(scope=HOME)) as tx:
                tasks.start_soon(write)
                # A store with one connection makes the writer wait for the reader, which is as good.
                with anyio.move_on_after(0.2):
                    await done.wait()
                assert await tx.records.find("b") is None
                assert [shard.documents for shard in await tx.text_index.statistics()] == [1]
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.records.find("b") == observation("b")

    async def test_message_numbers_have_no_gaps_under_concurrent_writes(self, store: Store) -> None:
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.sessions.put(session("s"))

        async def say(index: int) -> None:
            with suppress(SpiltError):
                async with store.begin(Caller(scope=HOME)) as tx:
                    first = await tx.sessions.reserve_numbers("s", 2, tokens=0)
                    await add(tx, *(message(f"m{index}.{step}", number=first + step) for step in (0, 1)))
                    if index % 4 == 0:
                        raise SpiltError

        with anyio.fail_after(PATIENCE):
            async with anyio.create_task_group() as tasks:
                for index in range(20):
                    tasks.start_soon(say, index)
        async with store.snapshot(Caller(scope=HOME)) as tx:
            found = await tx.messages.by_number("s", 1, 100)
            known = await tx.sessions.find("s")
        assert [record.number for record in found if isinstance(record, Message)] == list(range(1, 31))
        assert known == replace(session("s"), messages=30)

    async def test_many_concurrent_readers_and_writers_all_succeed(self, store: Store) -> None:
        async def read() -> None:
            async with store.snapshot(Caller(scope=HOME)) as tx:
                page = await tx.records.list(Filter(), limit=99, cursor=None)
                statistics = await tx.text_index.statistics()
            assert len(page.records) == sum(shard.documents for shard in statistics)

        with anyio.fail_after(PATIENCE):
            async with anyio.create_task_group() as tasks:
                for index in range(12):
                    tasks.start_soon(put, store, observation(f"o{index}"))
                    tasks.start_soon(read)
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.records.counts() == {"observation/active": 12}
