"""The contract of a store: filters, order, pages."""

# ruff: noqa: D102 -- a test's name is its sentence; a transaction that is to raise is a whole block.

import base64
from dataclasses import replace

import numpy as np
import pytest

from remembrancer.errors import InvalidInput
from remembrancer.storage.ports.store import Store
from remembrancer.testing.contract.base import Contract
from remembrancer.testing.contract.made import (
    ACTIVE,
    DAY,
    FILTERS,
    HOME,
    HOUSE,
    OUTSIDERS,
    SAMPLES,
    START,
    ids_of,
    observation,
    put,
    session,
)
from remembrancer.types.caller import Caller
from remembrancer.types.change import Change
from remembrancer.types.classification import Classification
from remembrancer.types.filter import Filter
from remembrancer.types.page import Page
from remembrancer.types.record import Record
from remembrancer.types.scope import Scope


class ListsContract(Contract):
    """See `remembrancer.testing.contract`: filters, order, pages."""

    @pytest.mark.parametrize(("filter", "expected"), FILTERS.values(), ids=FILTERS.keys())
    async def test_a_filter_lets_through_what_it_says_wherever_it_is_asked(
        self, store: Store, filter: Filter, expected: frozenset[str]
    ) -> None:
        await put(store, *SAMPLES)
        now = START + 20 * DAY
        async with store.begin(Caller(scope=HOME)) as tx:
            listed = await tx.records.list(filter, limit=100, cursor=None)
            indexed = await ids_of(tx, (await tx.wordings.passing(filter)).tolist())
            for record in SAMPLES:
                await tx.records.change(record.id, Change(text="chalk", reworded=True), at=now, terms=None)
            past = await tx.versions.past(filter, at=START + 15 * DAY)
        assert {record.id for record in listed.records} == expected
        assert set(indexed.values()) == expected - {"archived"}
        assert sorted(past, key=lambda record: record.id) == sorted(listed.records, key=lambda record: record.id)

    async def test_a_filter_by_knowledge_keeps_what_was_known_and_still_stands(self, store: Store) -> None:
        await put(store, *SAMPLES)
        filter = Filter(known_by=START + 5 * DAY)
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.records.change("plain", Change(title="x", reworded=True), at=START + 6 * DAY, terms=None)
            page = await tx.records.list(filter, limit=100, cursor=None)
        assert {record.id for record in page.records} == ACTIVE - {"late", "known late", "plain"}

    async def test_documents_may_be_limited_to_the_newest(self, store: Store) -> None:
        documents = await put(store, *(observation(f"o{day}", at=START + day * DAY) for day in (3, 1, 4, 2)))
        async with store.snapshot(Caller(scope=HOME)) as tx:
            newest = await tx.wordings.passing(Filter(), limit=2)
            assert newest.dtype == np.int64
            assert newest.tolist() == [documents[0], documents[2]]

    @pytest.mark.parametrize("limit", [1, 4, 23, 50])
    async def test_pages_visit_each_record_once_newest_first(self, store: Store, limit: int) -> None:
        # Only three times among them, so that most pages end between two records of the same time.
        records = [observation(f"o{index:02}", at=START + index % 3 * DAY) for index in range(23)]
        await put(store, *records)
        seen: list[Record] = []
        cursor: str | None = None
        while True:
            async with store.snapshot(Caller(scope=HOME)) as tx:
                page = await tx.records.list(Filter(), limit=limit, cursor=cursor)
            seen += page.records
            cursor = page.cursor
            if cursor is None:
                break
            assert len(page.records) == limit
            # What comes in while someone is paging does not move what they have yet to see.
            await put(store, observation(f"new {len(seen)}", at=START + 9 * DAY))
        assert seen == sorted(records, key=lambda record: (record.occurred_at, record.id), reverse=True)

    @pytest.mark.parametrize("limit", [1, 2, 5, 30])
    async def test_what_is_listed_beside_stands_in_its_place_of_the_pages(self, store: Store, limit: int) -> None:
        # Of seven, three are not stored; every two have the same time.
        records = [observation(f"o{index}", at=START + index // 2 * DAY) for index in range(7)]
        await put(store, *(record for record in records if record not in records[1::2]))
        seen: list[Record] = []
        cursor: str | None = None
        while not seen or cursor:
            async with store.snapshot(Caller(scope=HOME)) as tx:
                page = await tx.records.list(Filter(), limit=limit, cursor=cursor, beside=records[1::2])
            seen += page.records
            cursor = page.cursor
            assert len(page.records) == limit or cursor is None
        assert seen == records[::-1]

    async def test_an_empty_store_has_one_empty_page(self, store: Store) -> None:
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.records.list(Filter(), limit=5, cursor=None) == Page(records=(), cursor=None)

    @pytest.mark.parametrize("plain", [None, "no colon", "soon:o1", "9" * 40 + ":o1"])
    async def test_a_cursor_that_no_page_gave_is_the_callers_mistake(self, store: Store, plain: str | None) -> None:
        cursor = "?" if plain is None else base64.urlsafe_b64encode(plain.encode()).decode()
        async with store.snapshot(Caller(scope=HOME)) as tx:
            with pytest.raises(InvalidInput):
                await tx.records.list(Filter(), limit=5, cursor=cursor)

    async def test_a_caller_of_all_scopes_reads_its_own_and_those_under_it(self, store: Store) -> None:
        scopes = [HOME, *OUTSIDERS.values()]
        records = [observation(f"o{index}", scope=scope, text=f"of {index}") for index, scope in enumerate(scopes)]
        for index, record in enumerate(records):
            await put(store, record)
            async with store.begin(Caller(scope=record.scope)) as tx:
                await tx.sessions.put(session(f"s{index}", scope=record.scope))
        at = START + 3 * DAY
        for reader in (HOUSE, Scope(tenant="acme", user="ada"), HOME, Scope(tenant="nobody")):
            expected = [record for record in records if reader.holds(record.scope)]
            async with store.snapshot(Caller(scope=reader, all_scopes=True)) as tx:
                listed = (await tx.records.list(Filter(), limit=100, cursor=None)).records
                sessions = await tx.sessions.list(limit=100)
                found = [await tx.records.find(record.id) for record in records]
                versions = [await tx.versions.at(record.id, at) for record in records]
            assert sorted(listed, key=lambda record: record.id) == expected
            assert [one for one in found if one] == [one for one in versions if one] == expected
            assert {(one.id, one.scope) for one in sessions} == {
                (f"s{index}", record.scope) for index, record in enumerate(records) if record in expected
            }

    async def test_the_pages_of_all_scopes_end_at_the_clearance(self, store: Store) -> None:
        scopes = [scope for scope in (HOME, *OUTSIDERS.values()) if HOUSE.holds(scope)]
        made = [observation(f"o{index}", scope=scopes[index % len(scopes)]) for index in range(20)]
        for record in (*made, replace(observation("secret"), classification=Classification.CONFIDENTIAL)):
            await put(store, record)
        caller = Caller(scope=HOUSE, clearance=Classification.INTERNAL, all_scopes=True)
        seen: list[Record] = []
        cursor: str | None = None
        while not seen or cursor:
            async with store.snapshot(caller) as tx:
                page = await tx.records.list(Filter(), limit=3, cursor=cursor)
            seen += page.records
            cursor = page.cursor
        assert seen == sorted(made, key=lambda record: record.id, reverse=True)
