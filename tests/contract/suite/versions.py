"""The contract of a store: changes and the past."""

from dataclasses import replace
from datetime import timedelta

import numpy as np

from remembrancer.storage.base import Store
from remembrancer.types.access import Caller
from remembrancer.types.filter import Filter
from remembrancer.types.lifecycle import Status
from remembrancer.types.results import Change, Version
from remembrancer.types.scope import Classification, Trust
from tests.contract.suite.base import Contract
from tests.factories import DAY, HOME, START, directions, embed, ids_of, message, observation, put


class VersionsContract(Contract):
    async def test_a_change_alters_only_the_fields_that_it_names(self, store: Store) -> None:
        before = replace(observation("o"), tags=("a",), metadata={"k": 1}, topic_key="stone", usage_count=3)
        await put(store, before)
        change = Change(
            text="basalt",
            hash="hash of basalt",
            title="New",
            type="decision",
            tags=(),
            metadata={},
            session="t",
            importance=0.0,
            classification=Classification.RESTRICTED,
            trust=Trust.UNTRUSTED,
            status=Status.ARCHIVED,
            reworded=True,
        )
        after = replace(
            before,
            text="basalt",
            hash="hash of basalt",
            title="New",
            type="decision",
            tags=(),
            metadata={},
            session="t",
            importance=0.0,
            classification=Classification.RESTRICTED,
            trust=Trust.UNTRUSTED,
            status=Status.ARCHIVED,
            revision=2,
            updated_at=START + DAY,
        )
        async with store.begin(Caller(scope=HOME)) as tx:
            assert await tx.records.change("o", change, at=START + DAY, terms=None) == after
        same = replace(after, updated_at=START + 2 * DAY)
        async with store.begin(Caller(scope=HOME)) as tx:
            assert await tx.records.change("o", Change(), at=START + 2 * DAY, terms=None) == same
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.records.find("o") == same

    async def test_a_record_reads_as_it_was_known_at_any_time(self, store: Store) -> None:
        first = replace(observation("o", text="quartz"), evidence=("m",))
        await put(store, message("m"), first)
        second = await self._reword(store, "o", "basalt", at=START + 2 * DAY)
        third = await self._delete(store, "o", at=START + 4 * DAY)
        tick = timedelta(microseconds=1)
        times = [START - tick, START, START + 2 * DAY - tick, START + 2 * DAY, START + 3 * DAY, START + 4 * DAY]
        async with store.snapshot(Caller(scope=HOME)) as tx:
            known = [await tx.versions.at("o", time) for time in times]
        assert known == [None, first, first, second, second, third]

    async def test_changes_at_one_moment_each_keep_their_version(self, store: Store) -> None:
        await put(store, observation("o"))
        texts = ("basalt", "chalk", "flint")
        changed = [await self._reword(store, "o", text, at=START) for text in texts]
        known = [observation("o"), *changed]
        assert [record.updated_at for record in known] == sorted({record.updated_at for record in known})
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert [await tx.versions.at("o", record.updated_at) for record in known] == known

    async def test_versions_in_a_range_are_listed_oldest_first(self, store: Store) -> None:
        first = observation("a", at=START)
        await put(store, first)
        second = await self._reword(store, "a", "basalt", at=START + 2 * DAY)
        between = observation("b", at=START + 1.5 * DAY)
        await put(store, between)
        third = await self._reword(store, "a", "chalk", at=START + 4 * DAY)
        await put(store, observation("after", at=START + 9 * DAY))
        async with store.snapshot(Caller(scope=HOME)) as tx:
            found = await tx.versions.between(known_from=START + DAY, known_to=START + 5 * DAY)
        assert found == [
            Version(record=first, since=START, until=START + 2 * DAY),
            Version(record=between, since=START + 1.5 * DAY, until=None),
            Version(record=second, since=START + 2 * DAY, until=START + 4 * DAY),
            Version(record=third, since=START + 4 * DAY, until=None),
        ]

    async def test_a_version_that_neither_begins_nor_ends_in_a_range_is_not_listed(self, store: Store) -> None:
        await put(store, observation("a", at=START))
        await self._reword(store, "a", "basalt", at=START + 9 * DAY)
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.versions.between(known_from=START + 3 * DAY, known_to=START + 5 * DAY) == []

    async def test_the_past_lists_texts_that_were_valid_then_and_are_not_now(self, store: Store) -> None:
        stands, first = observation("stands"), observation("o", text="quartz")
        await put(store, stands, first)
        second = await self._reword(store, "o", "basalt", at=START + 2 * DAY)
        await self._reword(store, "o", "chalk", at=START + 4 * DAY)
        async with store.snapshot(Caller(scope=HOME)) as tx:
            times = (START - DAY, START, START + 2 * DAY, START + 4 * DAY)
            assert [await tx.versions.past(Filter(), at=time) for time in times] == [[], [first], [second], []]

    async def test_a_changed_text_is_found_only_by_its_new_words(self, store: Store) -> None:
        old = (await put(store, observation("o", text="quartz marble")))[0]
        generation = await embed(store, HOME, [old], directions(1))
        await self._reword(store, "o", "basalt marble")
        async with store.snapshot(Caller(scope=HOME)) as tx:
            shard = (await tx.text_index.statistics())[0].scope
            assert await tx.text_index.frequencies(["quartz", "basalt", "marble"]) == {
                (shard, "basalt"): 1,
                (shard, "marble"): 1,
            }
            missing = await tx.vectors.missing(generation=generation, limit=9)
            assert [item.record.text for item in missing] == ["basalt marble"]
            new = missing[0].document
            assert new != old
            assert await ids_of(tx, [old, new]) == {new: "o"}
            cosines = await tx.vectors.cosines(directions(1)[0], np.array([old, new]), generation=generation)
            assert np.isnan(cosines.best).all()
