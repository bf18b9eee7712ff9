"""The contract of a store: records and their erasure."""

import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from remembrancer.errors import NotFound, RemembrancerError
from remembrancer.storage.base import Store
from remembrancer.storage.documents import Headers
from remembrancer.storage.erasure import ScannedRow
from remembrancer.types.access import Caller
from remembrancer.types.filter import Filter
from remembrancer.types.lifecycle import Status
from remembrancer.types.record import Kind, Message, Observation, Role, Source
from remembrancer.types.results import Change, IdempotentWrite, Outcome
from remembrancer.types.scope import Classification, Trust
from tests.contract.suite.base import Contract
from tests.factories import (
    DAY,
    HOME,
    SPACE,
    START,
    STRANGER,
    add,
    directions,
    ids_of,
    message,
    observation,
    portrait,
    put,
    terms,
)


class RecordsContract(Contract):
    async def test_a_message_reads_back_with_every_field(self, store: Store) -> None:
        source = observation("source")
        whole = Message(
            id="m",
            scope=HOME,
            session="sitting",
            text="Ünïcödé, \U0001f9e0 and 'quotes'\n\x01 end",
            hash="h",
            author="scribe-3",
            source=Source.AUTO_CAPTURE,
            tags=("b", "a"),
            metadata={"n": 1, "x": 0.5, "deep": {"list": [True, None, "é"]}},
            occurred_at=START + timedelta(microseconds=1),
            recorded_at=START + timedelta(microseconds=2),
            updated_at=START + timedelta(microseconds=3),
            revision=4,
            status=Status.QUARANTINED,
            classification=Classification.CONFIDENTIAL,
            trust=Trust.UNTRUSTED,
            importance=0.125,
            echo=True,
            usage_count=7,
            last_accessed_at=START + timedelta(microseconds=5),
            evidence=("source",),
            number=6,
            role=Role.TOOL,
            speaker="grep",
            tokens=11,
        )
        await put(store, source, whole)
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.records.find("m") == whole

    async def test_an_observation_reads_back_with_every_field(self, store: Store) -> None:
        whole = Observation(
            id="o",
            scope=HOME,
            session="sitting",
            text="quartz",
            hash="h",
            author="observer",
            source=Source.OBSERVER,
            tags=("z",),
            metadata={"k": "v"},
            occurred_at=datetime(1969, 7, 20, 20, 17, 40, 123456, tzinfo=UTC),
            recorded_at=START,
            updated_at=START,
            revision=2,
            status=Status.ARCHIVED,
            classification=Classification.PUBLIC,
            trust=Trust.TRUSTED,
            importance=1.0,
            usage_count=1,
            last_accessed_at=START,
            evidence=("a", "b"),
            type="decision",
            title="A title",
            topic_key="stone/quartz",
        )
        await put(store, observation("a"), observation("b"), whole)
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.records.find("o") == whole

    async def test_an_id_that_was_never_used_reads_as_absent(self, store: Store) -> None:
        async with store.begin(Caller(scope=HOME)) as tx:
            assert await tx.records.find("nobody") is None
            assert await tx.versions.at("nobody", START) is None
            with pytest.raises(NotFound):
                await tx.records.change("nobody", Change(title="x"), at=START, terms=None)
            with pytest.raises(NotFound):
                await tx.records.erase("nobody")

    async def test_a_record_without_terms_is_stored_and_not_indexed(self, store: Store) -> None:
        async with store.begin(Caller(scope=HOME)) as tx:
            documents = await tx.records.add(
                [observation("a"), observation("b"), observation("c")], [terms("quartz"), None, terms("basalt")]
            )
        assert documents[1] == 0
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.records.find("b") == observation("b")
            assert await ids_of(tx, documents) == {documents[0]: "a", documents[2]: "c"}
            assert (await tx.documents.matching(Filter())).tolist() == sorted([documents[0], documents[2]])

    async def test_records_are_found_by_document_number(self, store: Store) -> None:
        first, second = await put(store, observation("a"), message("m"))
        async with store.snapshot(Caller(scope=HOME)) as tx:
            found = await tx.documents.records([second, first, second + 1_000, 0])
            assert found == {first: observation("a"), second: message("m")}
            assert await tx.documents.records([]) == {}

    async def test_headers_contain_the_fields_for_ranking(self, store: Store) -> None:
        said = replace(message("m", at=START + DAY), speaker="Ada", importance=0.25)
        claim = replace(observation("o"), topic_key="stone", revision=3, last_accessed_at=START + DAY, session="t")
        documents = await put(store, said, claim)
        async with store.snapshot(Caller(scope=HOME)) as tx:
            found = await tx.documents.headers(documents)
        start, next_day = START.timestamp(), (START + DAY).timestamp()
        expected = {
            "m": (documents[0], Kind.MESSAGE, "s", 1, "Ada", "", next_day, next_day, None, 1.0, 0.25),
            "o": (documents[1], Kind.OBSERVATION, "t", 0, "", "discovery", start, start, next_day, 3.0, 0.5),
        }
        assert {id: _header(found, place) for place, id in enumerate(found.ids)} == expected

    async def test_messages_are_found_by_number_and_by_place(self, store: Store) -> None:
        said = [message(f"m{number}", number=number, at=START + number * DAY) for number in range(1, 6)]
        await put(store, *reversed(said))
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.messages.by_number("s", 2, 4) == said[1:4]
            assert await tx.messages.by_number("t", 1, 9) == []
            beside = await tx.documents.messages_at([("s", 1), ("s", 5), ("s", 6), ("t", 1)])
            assert sorted(beside.ids) == ["m1", "m5"]

    async def test_records_around_a_record_are_listed_oldest_first(self, store: Store) -> None:
        said = [message(f"m{number}", number=number, at=START + number // 3 * DAY) for number in range(1, 8)]
        elsewhere = replace(message("x", number=9), session="t")
        await put(store, *said, elsewhere)
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.records.around(said[3], before=2, after=2, statuses=(Status.ACTIVE,)) == (
                said[1:3],
                said[4:6],
            )
            assert await tx.records.around(said[0], before=2, after=1, statuses=(Status.ACTIVE,)) == ([], said[1:2])
            assert await tx.records.around(said[6], before=0, after=3, statuses=(Status.ACTIVE,)) == ([], [])

    async def test_hashes_and_ids_are_looked_up_in_the_exact_scope(self, store: Store) -> None:
        plain = observation("a", text="quartz")
        keyed = replace(observation("b", text="basalt"), topic_key="stone")
        summary = replace(observation("c", text="chalk"), type="summary")
        await put(store, plain, keyed, summary, replace(message("m", text="flint"), session="t"))
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.records.hashes(["a", "m", "nobody"]) == {"a": plain.hash, "m": "hash of flint"}
            assert await tx.observations.by_hash(plain.hash) == plain
            hashes = (keyed.hash, summary.hash, "hash of flint", "none")
            assert [await tx.observations.by_hash(hash) for hash in hashes] == [None] * 4
        await self._delete(store, "a")
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.observations.by_hash(plain.hash) is None

    async def test_a_topic_key_finds_the_observation_under_it_that_is_not_deleted(self, store: Store) -> None:
        first, second = (replace(observation(id), topic_key="stone") for id in "ab")
        await put(store, first)
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.observations.by_topic("stone") == first
        await self._delete(store, "a")
        await put(store, second)
        await put(store, replace(first, id="theirs", scope=STRANGER))
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.observations.by_topic("stone") == second
            assert await tx.observations.by_topic("wood") is None

    async def test_two_messages_of_a_session_cannot_have_one_number(self, store: Store) -> None:
        await put(store, message("a", number=1))
        with pytest.raises(RemembrancerError):
            await put(store, message("b", number=1))
        await put(store, message("c", number=1, scope=STRANGER))

    async def test_dependants_of_a_record_are_listed(self, store: Store) -> None:
        claims = [replace(observation(id), evidence=("m",)) for id in ("y", "x")]
        await put(store, message("m"), *claims)
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.records.dependents("m") == ["x", "y"]
            assert await tx.records.dependents("x") == []

    async def test_uses_are_counted_and_change_nothing_else(self, store: Store) -> None:
        documents = await put(store, observation("a"), observation("b"))
        for uses in ({"a": 2, "b": 1, "nobody": 5}, {"a": 3}):
            async with store.begin(Caller(scope=HOME)) as tx:
                await tx.records.record_access(uses, at=START + len(uses) * DAY)
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.documents.records(documents) == {
                documents[0]: replace(observation("a"), usage_count=5, last_accessed_at=START + DAY),
                documents[1]: replace(observation("b"), usage_count=1, last_accessed_at=START + 3 * DAY),
            }

    async def test_erasure_leaves_no_row_anywhere(self, store: Store) -> None:
        await put(store, observation("other", text="slate quartz"))
        generation = (await store.serving_generation(SPACE)).number
        before, rows = await portrait(store, HOME), await self._row_counts(store)
        claim = replace(observation("o", text="quartz basalt"), evidence=("other",))
        on_it = replace(observation("on it", scope=replace(HOME, agent=None)), evidence=("o",))
        async with store.begin(Caller(scope=HOME)) as tx:
            documents = await add(tx, claim)
            await tx.vectors.add({documents[0]: directions(3)}, generation=generation)
            await tx.keys.add(IdempotentWrite(key="k", request="r", outcome=Outcome.CREATED, record="o"), at=START)
        await self._reword(store, "o", "marble quartz")
        async with store.begin(Caller(scope=HOME)) as tx:
            missing = await tx.vectors.missing(generation=generation, limit=9)
            await tx.vectors.add({missing[-1].document: directions(3)}, generation=generation)
        await put(store, on_it)
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.records.erase("o")
            assert await tx.records.find("o") is None
            assert await tx.versions.at("o", START) is None
            assert await tx.records.dependents("o") == []
            with pytest.raises(NotFound):
                await tx.records.erase("o")
        async with store.begin(Caller(scope=on_it.scope)) as tx:
            assert await tx.records.find("on it") == replace(on_it, evidence=())
            await tx.records.erase("on it")
        assert await self._row_counts(store) == rows
        assert await portrait(store, HOME) == before

    async def test_an_erased_id_and_topic_key_may_be_used_again(self, store: Store) -> None:
        record = replace(observation("o"), topic_key="stone")
        await put(store, record)
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.records.erase("o")
        await put(store, record)
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.observations.by_topic("stone") == record

    async def test_imported_texts_are_distinguished_from_derived_texts(self, store: Store) -> None:
        said = message("m", text="slate quartz")
        drawn = replace(observation("o", text="marble basalt"), source=Source.OBSERVER)
        await put(store, said, drawn)
        await put(store, message("else", text="gneiss", scope=replace(HOME, agent=None)))
        await self._reword(store, "m", "granite quartz")
        shown: list[ScannedRow] = []
        async with store.snapshot(Caller(scope=HOME)) as tx:
            found = sorted(await tx.erasure.texts(["m", "o", "else"]))
            assert await tx.erasure.texts([]) == []
            looked = await tx.erasure.scan(shown.extend)
        assert looked == len(shown)
        start, later = (int(at.timestamp() * 1_000_000) for at in (START, START + DAY))
        assert found == [("granite quartz", start), ("slate quartz", start)]
        by_text = {text: (row.is_written, row.at) for row in shown for text in row.texts}
        told = {text: by_text[text] for text in ("granite quartz", "slate quartz", "marble basalt", "gneiss")}
        assert told == {
            "granite quartz": (True, later),
            "slate quartz": (True, start),
            "marble basalt": (False, start),
            "gneiss": (True, start),
        }


def _header(found: Headers, place: int) -> tuple[object, ...]:
    """One row of the columns, ids apart."""
    accessed = float(found.accessed[place])
    return (
        int(found.documents[place]),
        found.kinds[place],
        found.sessions[place],
        int(found.numbers[place]),
        found.speakers[place],
        found.types[place],
        float(found.occurred[place]),
        float(found.updated[place]),
        None if math.isnan(accessed) else accessed,
        float(found.revisions[place]),
        float(found.importance[place]),
    )
