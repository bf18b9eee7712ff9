"""The contract of a store: filters, order and pages."""

import base64
from dataclasses import replace

import numpy as np
import pytest

from remembrancer.errors import InvalidInput
from remembrancer.storage.base import Store
from remembrancer.types.access import Caller
from remembrancer.types.episode import Tier
from remembrancer.types.filter import Filter
from remembrancer.types.lifecycle import Status
from remembrancer.types.record import Kind, Record, Source
from remembrancer.types.results import Change, Page
from remembrancer.types.scope import Classification, Scope, Trust
from tests.contract.suite.base import Contract
from tests.factories import DAY, HOME, HOUSE, OUTSIDERS, START, episode, ids_of, message, observation, put, session
from tests.rows import each_row, every_row

# One record for each part of a filter; each differs from `plain` only in that part.
SAMPLES: tuple[Record, ...] = (
    observation("plain", at=START + 5 * DAY),
    message("said", at=START + 5 * DAY),
    replace(observation("typed", at=START + 5 * DAY), type="decision"),
    replace(observation("tagged", at=START + 5 * DAY), tags=("red", "blue")),
    replace(observation("half-tagged", at=START + 5 * DAY), tags=("red",)),
    replace(observation("of a session", at=START + 5 * DAY), session="t"),
    replace(observation("archived", at=START + 5 * DAY), status=Status.ARCHIVED),
    observation("early", at=START),
    observation("late", at=START + 9 * DAY),
    replace(observation("known late", at=START + 5 * DAY), recorded_at=START + 9 * DAY, updated_at=START + 9 * DAY),
    replace(observation("open", at=START + 5 * DAY), classification=Classification.PUBLIC),
    replace(observation("closed", at=START + 5 * DAY), classification=Classification.CONFIDENTIAL),
    replace(observation("sealed", at=START + 5 * DAY), classification=Classification.RESTRICTED),
    replace(observation("doubtful", at=START + 5 * DAY), trust=Trust.UNTRUSTED),
    replace(observation("weighty", at=START + 5 * DAY), importance=0.9),
    replace(observation("of another author", at=START + 5 * DAY), author="ada"),
    replace(observation("from a file", at=START + 5 * DAY), source=Source.IMPORT),
    replace(
        observation("described", at=START + 5 * DAY), metadata={"n": 1, "on": True, "path": "a.py", "in": {"n": 2}}
    ),
    replace(observation("described alike", at=START + 5 * DAY), metadata={"n": True, "on": 1, "path": ["a.py"]}),
    episode("done", at=START + 5 * DAY),
    episode("done for nobody", contact="", at=START + 5 * DAY),
    episode("week", contact="", tier=Tier.WEEKLY, at=START + 5 * DAY),
)
ACTIVE = frozenset(record.id for record in SAMPLES) - {"archived"}
RAW = frozenset({"done", "done for nobody"})
FILTERS: dict[str, tuple[Filter, frozenset[str]]] = {
    "nothing": (Filter(), ACTIVE),
    "one kind": (Filter(kinds=(Kind.MESSAGE,)), frozenset({"said"})),
    "both kinds": (Filter(kinds=tuple(Kind)), ACTIVE),
    "a type": (Filter(types=("decision", "pattern")), frozenset({"typed"})),
    "a tag": (Filter(tags=("red",)), frozenset({"tagged", "half-tagged"})),
    "two tags": (Filter(tags=("blue", "red")), frozenset({"tagged"})),
    "sessions": (Filter(sessions=("s", "t")), frozenset({"said", "of a session"})),
    "a status": (Filter(statuses=(Status.ARCHIVED,)), frozenset({"archived"})),
    "statuses": (Filter(statuses=(Status.ARCHIVED, Status.ACTIVE)), (ACTIVE | {"archived"}) - RAW),
    "since, inclusive": (Filter(since=START + 9 * DAY), frozenset({"late"})),
    "until, inclusive": (Filter(until=START), frozenset({"early"})),
    "a stretch": (Filter(since=START + DAY, until=START + 8 * DAY), ACTIVE - {"early", "late"}),
    "two classes": (
        Filter(classifications=(Classification.PUBLIC, Classification.INTERNAL)),
        ACTIVE - {"closed", "sealed"},
    ),
    "a class": (Filter(classifications=(Classification.PUBLIC,)), frozenset({"open"})),
    "trust": (Filter(minimum_trust=Trust.TRUSTED), ACTIVE - {"doubtful"}),
    "importance, inclusive": (Filter(minimum_importance=0.9), frozenset({"weighty"})),
    "an author": (Filter(authors=("ada", "nobody")), frozenset({"of another author"})),
    "a source": (Filter(sources=(Source.IMPORT, Source.DETECTOR)), frozenset({"from a file"})),
    "metadata: a text": (Filter(metadata={"path": "a.py"}), frozenset({"described"})),
    "metadata: a number": (Filter(metadata={"n": 1}), frozenset({"described"})),
    "metadata: a number, written otherwise": (Filter(metadata={"n": 1.0}), frozenset({"described"})),
    "metadata: a truth value": (Filter(metadata={"n": True}), frozenset({"described alike"})),
    "metadata: no number as text": (Filter(metadata={"n": "1"}), frozenset()),
    "metadata: only names at the top": (Filter(metadata={"in": 2}), frozenset()),
    "metadata: a name that is SQL": (Filter(metadata={"n' OR 1=1 --": 1}), frozenset()),
    "metadata: all of it": (Filter(metadata={"n": 1, "on": True, "path": "a.py"}), frozenset({"described"})),
    "metadata: one differs": (Filter(metadata={"n": 1, "on": False}), frozenset()),
    "a tier": (Filter(tiers=(Tier.RAW,)), RAW),
    "a contact": (Filter(contact="bertelli"), frozenset({"done"})),
    "no contact": (Filter(contact="", tiers=(Tier.RAW, Tier.WEEKLY)), frozenset({"done for nobody", "week"})),
    "several parts": (
        Filter(tags=("red",), since=START + DAY, types=("discovery",)),
        frozenset({"tagged", "half-tagged"}),
    ),
}


class ListsContract(Contract):
    async def test_a_filter_selects_the_same_records_in_every_query(self, store: Store) -> None:
        await put(store, *SAMPLES)
        filters = {name: filter for name, (filter, _) in FILTERS.items()}
        now, before = START + 20 * DAY, START + 15 * DAY
        async with store.begin(Caller(scope=HOME)) as tx:
            pages = {name: await tx.records.list(filter, limit=100, cursor=None) for name, filter in filters.items()}
            documents = {name: (await tx.documents.matching(filter)).tolist() for name, filter in filters.items()}
            indexed = {name: await ids_of(tx, found) for name, found in documents.items()}
            for record in SAMPLES:
                await tx.records.change(record.id, Change(text="chalk", reworded=True), at=now, terms=None)
            past = {name: await tx.versions.past(filter, at=before) for name, filter in filters.items()}
        with every_row() as row:
            for name, (_, expected) in FILTERS.items():
                with row(name):
                    assert {record.id for record in pages[name].records} == expected
                    assert set(indexed[name].values()) == expected - {"archived"}
                    assert sorted(past[name], key=_id) == sorted(pages[name].records, key=_id)

    async def test_a_filter_by_time_of_knowledge_keeps_records_known_then_and_valid_now(self, store: Store) -> None:
        await put(store, *SAMPLES)
        filter = Filter(known_by=START + 5 * DAY)
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.records.change("plain", Change(title="x", reworded=True), at=START + 6 * DAY, terms=None)
            page = await tx.records.list(filter, limit=100, cursor=None)
        assert {record.id for record in page.records} == ACTIVE - {"late", "known late", "plain"}

    async def test_documents_may_be_limited_to_the_newest(self, store: Store) -> None:
        documents = await put(store, *(observation(f"o{day}", at=START + day * DAY) for day in (3, 1, 4, 2)))
        async with store.snapshot(Caller(scope=HOME)) as tx:
            newest = await tx.documents.matching(Filter(), limit=2)
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
    async def test_records_of_an_extra_list_appear_in_their_place_in_the_pages(self, store: Store, limit: int) -> None:
        # Of seven, three are not stored; every two have the same time.
        records = [observation(f"o{index}", at=START + index // 2 * DAY) for index in range(7)]
        await put(store, *(record for record in records if record not in records[1::2]))
        seen: list[Record] = []
        cursor: str | None = None
        while not seen or cursor:
            async with store.snapshot(Caller(scope=HOME)) as tx:
                page = await tx.records.list(Filter(), limit=limit, cursor=cursor, extra=records[1::2])
            seen += page.records
            cursor = page.cursor
            assert len(page.records) == limit or cursor is None
        assert seen == records[::-1]

    async def test_an_empty_store_has_one_empty_page(self, store: Store) -> None:
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.records.list(Filter(), limit=5, cursor=None) == Page(records=(), cursor=None)

    @each_row("plain", [None, "no colon", "soon:o1", "9" * 40 + ":o1"])
    async def test_an_unknown_cursor_is_invalid_input(self, store: Store, plain: str | None) -> None:
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
            expected = [record for record in records if reader.contains(record.scope)]
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
        scopes = [scope for scope in (HOME, *OUTSIDERS.values()) if HOUSE.contains(scope)]
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

    async def test_records_are_counted_by_kind_and_status(self, store: Store) -> None:
        await put(store, *SAMPLES)
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.records.counts() == {
                "message/active": 1,
                "observation/active": len(SAMPLES) - 5,
                "episode/raw": 2,
                "episode/active": 1,
                "observation/archived": 1,
            }


def _id(record: Record) -> str:
    return record.id
