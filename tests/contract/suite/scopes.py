"""The contract of a store: visibility between scopes."""

from contextlib import suppress
from dataclasses import replace

import anyio
import numpy as np
import pytest

from remembrancer.errors import NotFound
from remembrancer.storage.base import Store
from remembrancer.storage.tx import Tx
from remembrancer.types.access import Caller
from remembrancer.types.filter import Filter
from remembrancer.types.jobs import Finding, StoreFault
from remembrancer.types.lifecycle import Status
from remembrancer.types.record import Message, Observation
from remembrancer.types.results import Change, IdempotentWrite, Outcome
from remembrancer.types.scope import Scope
from tests.contract.suite.base import Contract
from tests.factories import (
    BLANKS,
    DAY,
    EVERYTHING,
    HOME,
    HOUSE,
    OUTSIDERS,
    PATIENCE,
    SPACE,
    START,
    STRANGER,
    TEAM,
    WORDS,
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
from tests.rows import every_row


class ScopesContract(Contract):
    async def test_another_scopes_records_read_as_absent_everywhere(self, store: Store) -> None:
        said = message("m", text="basalt")
        claim = replace(observation("o"), evidence=("m",), topic_key="stone", session="s")
        plain = observation("p", text="granite")
        await put(store, said, claim, plain)
        await self._reword(store, "o", "quartz marble", at=START + 2 * DAY)
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.sessions.put(session("s"))
            await tx.keys.add(IdempotentWrite(key="k", request="r", outcome=Outcome.CREATED, record="o"), at=START)
            documents = (await tx.documents.matching(EVERYTHING)).tolist()
            shard = (await tx.text_index.statistics())[0].scope
        generation = await embed(store, HOME, documents, directions(len(documents)))
        with every_row() as row:
            for name, outsider in OUTSIDERS.items():
                with row(name):
                    async with store.snapshot(Caller(scope=outsider)) as tx:
                        reads = await _reads(tx, said, plain, documents, generation=generation, shard=shard)
                        assert {name: value for name, value in reads.items() if value} == {}

    async def test_another_scopes_records_cannot_be_changed(self, store: Store) -> None:
        generation = (await store.serving_generation(SPACE)).number
        async with store.begin(Caller(scope=HOME)) as tx:
            await write_everything(tx)
            document = int((await tx.documents.matching(EVERYTHING))[0])
        before = await portrait(store, HOME)
        with every_row() as row:
            for name, outsider in OUTSIDERS.items():
                with row(name):
                    async with store.begin(Caller(scope=outsider)) as tx:
                        with pytest.raises(NotFound):
                            await tx.records.change("o", Change(text="chalk"), at=START + 9 * DAY, terms=terms("chalk"))
                        with pytest.raises(NotFound):
                            await tx.records.erase("o")
                        await tx.records.record_access({"o": 1, "m": 1}, at=START + 9 * DAY)
                        assert not await tx.vectors.add({document: directions(1, seed=2)}, generation=generation)
                        with suppress(NotFound):
                            await tx.upkeep.index("o", terms("chalk"))
                        for fault in StoreFault:
                            where = (str(document),) if fault.startswith("orphan") else ("o", "m")
                            await tx.upkeep.repair(Finding(fault=fault, where=where))
                        await tx.upkeep.drop_index()
                    assert await portrait(store, HOME) == before

    async def test_indexing_an_unknown_record_stores_nothing(self, store: Store) -> None:
        await put(store, observation("o"))
        before = await portrait(store, STRANGER)
        async with store.begin(Caller(scope=STRANGER)) as tx:
            with suppress(NotFound):
                await tx.upkeep.index("o", terms("chalk"))
        async with store.snapshot(Caller(scope=STRANGER)) as tx:
            assert await tx.upkeep.faults() == []
        assert await portrait(store, STRANGER) == before

    async def test_a_narrower_reader_sees_what_wider_scopes_share(self, store: Store) -> None:
        for index, scope in enumerate(HOME.visible()):
            await put(store, observation(f"o{index}", scope=scope))
        for index, scope in enumerate(OUTSIDERS.values()):
            if scope not in HOME.visible():
                await put(store, observation(f"hidden {index}", scope=scope))
        shared = [observation(f"o{index}", scope=scope) for index, scope in enumerate(HOME.visible())]
        for reader in HOME.visible():
            async with store.snapshot(Caller(scope=reader)) as tx:
                page = await tx.records.list(Filter(), limit=100, cursor=None)
            seen = {record.id: record for record in page.records}
            assert seen == {record.id: record for record in shared if reader.sees(record.scope)}

    async def test_a_reader_that_leaves_a_dimension_blank_sees_only_blank_rows_there(self, store: Store) -> None:
        await put(store, observation("mine", scope=HOME))
        await put(store, observation("team", scope=TEAM))
        await put(store, observation("house", scope=HOUSE))
        seen: dict[Scope, list[str]] = {}
        for reader in (HOME, TEAM, HOUSE, Scope(tenant="acme", user="ada"), Scope(tenant="rival")):
            async with store.snapshot(Caller(scope=reader)) as tx:
                page = await tx.records.list(Filter(), limit=9, cursor=None)
                seen[reader] = sorted(record.id for record in page.records)
        assert seen == {
            HOME: ["house", "mine", "team"],
            TEAM: ["house", "team"],
            HOUSE: ["house"],
            Scope(tenant="acme", user="ada"): ["house"],
            Scope(tenant="rival"): [],
        }

    async def test_a_shared_record_is_read_only_in_a_narrower_scope(self, store: Store) -> None:
        shared = observation("o", scope=TEAM)
        document = (await put(store, shared))[0]
        generation = await embed(store, TEAM, [document], directions(1))
        await put(store, replace(observation("mine", text="basalt"), evidence=("o",)))
        async with store.begin(Caller(scope=HOME)) as tx:
            near = await tx.vectors.nearest(directions(1)[0], generation=generation, limit=9, among=None)
            assert near.documents.tolist() == [document]
            assert await tx.records.dependents("o") == ["mine"]
            assert sorted((await tx.text_index.frequencies(["quartz", "basalt"])).values()) == [1, 1]
            assert await tx.records.hashes(["o"]) == {}
            with pytest.raises(NotFound):
                await tx.records.change("o", Change(title="x"), at=START, terms=None)
            with pytest.raises(NotFound):
                await tx.records.erase("o")
            await tx.records.record_access({"o": 1}, at=START + DAY)
        async with store.snapshot(Caller(scope=TEAM)) as tx:
            assert await tx.records.find("o") == replace(shared, usage_count=1, last_accessed_at=START + DAY)
            assert await tx.records.dependents("o") == []

    @pytest.mark.parametrize("scope", BLANKS, ids=str)
    async def test_a_scope_is_stored_once(self, store: Store, scope: Scope) -> None:
        for id in "abc":
            await put(store, observation(id, scope=scope))
        assert await store.scopes() == [scope]
        async with store.snapshot(Caller(scope=scope)) as tx:
            assert [shard.documents for shard in await tx.text_index.statistics()] == [3]

    async def test_concurrent_writers_create_a_new_scope_once(self, store: Store) -> None:
        with anyio.fail_after(PATIENCE):
            async with anyio.create_task_group() as tasks:
                for id in "abcdef":
                    tasks.start_soon(put, store, observation(id, scope=TEAM))
        assert await store.scopes() == [TEAM]

    async def test_reading_a_scope_does_not_create_it(self, store: Store) -> None:
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert tx.scope == HOME
            await tx.records.find("o")
        async with store.begin(Caller(scope=STRANGER)) as tx:
            await tx.records.find("o")
            await tx.records.list(Filter(), limit=1, cursor=None)
        assert await store.scopes() == []


async def _reads(
    tx: Tx, said: Message, plain: Observation, documents: list[int], *, generation: int, shard: int
) -> dict[str, object]:
    """Return what each read of a transaction finds."""
    query, everything = directions(1)[0], np.array(documents)
    near = await tx.vectors.nearest(query, generation=generation, limit=9, among=None)
    near_among = await tx.vectors.nearest(query, generation=generation, limit=9, among=everything)
    cosines = await tx.vectors.cosines(query, everything, generation=generation)
    return {
        "find": await tx.records.find("o"),
        "version_at, now": await tx.versions.at("o", START + 3 * DAY),
        "version_at, then": await tx.versions.at("o", START + DAY),
        "find_many": await tx.documents.records(documents),
        "existing": await tx.records.hashes(["o", "m"]),
        "by_topic": await tx.observations.by_topic("stone"),
        "by_hash": await tx.observations.by_hash(plain.hash),
        "by_number": await tx.messages.by_number("s", 1, 9),
        "around": [*(await tx.records.around(said, before=9, after=9, statuses=(Status.ACTIVE,)))[0]],
        "after": [*(await tx.records.around(said, before=9, after=9, statuses=(Status.ACTIVE,)))[1]],
        "documents": (await tx.documents.matching(EVERYTHING)).tolist(),
        "headers": await tx.documents.headers(documents),
        "beside": await tx.documents.messages_at([("s", 1)]),
        "versions": await tx.versions.between(known_from=START - DAY, known_to=START + 9 * DAY),
        "past": await tx.versions.past(EVERYTHING, at=START + DAY),
        "dependants": await tx.records.dependents("m"),
        "counts": await tx.records.counts(),
        "list": (await tx.records.list(EVERYTHING, limit=9, cursor=None)).records,
        "statistics": await tx.text_index.statistics(),
        "frequencies": await tx.text_index.frequencies(WORDS),
        "postings": await tx.text_index.postings([(shard, word) for word in WORDS]),
        "nearest": near.documents.tolist(),
        "nearest among": near_among.documents.tolist(),
        "cosines": np.flatnonzero(~np.isnan(cosines.best)).tolist(),
        "missing": await tx.vectors.missing(generation=generation, limit=9),
        "session": await tx.sessions.find("s"),
        "sessions": await tx.sessions.list(limit=9),
        "stale": await tx.sessions.stale(before=START + 99 * DAY),
        "key": await tx.keys.find("k"),
        "faults": await tx.upkeep.faults(),
        "indexed": await tx.upkeep.indexed(after="", limit=9),
    }
