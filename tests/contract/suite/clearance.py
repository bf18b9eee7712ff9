"""The contract of a store: clearance."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace

import numpy as np

from remembrancer.storage.base import Store
from remembrancer.storage.tx import Tx
from remembrancer.types.access import Caller
from remembrancer.types.episode import Tier
from remembrancer.types.lifecycle import LIVE
from remembrancer.types.record import Record
from remembrancer.types.results import Change
from remembrancer.types.scope import Classification
from tests.contract.suite.base import Contract
from tests.factories import (
    DAY,
    EVERYTHING,
    HOME,
    RIVAL,
    SPACE,
    START,
    add,
    chunk,
    directions,
    episode,
    fact,
    learned,
    message,
    move,
    night,
    observation,
    procedure,
    session,
    signal,
    terms,
    verdict,
)
from tests.rows import every_row

LOW = Caller(scope=HOME, clearance=Classification.INTERNAL)
FULL = Caller(scope=HOME)
TOPIC = "the key"
# What each collection tells of records: a caller of a lower clearance is told nothing of those that are closed to it.
READS: Mapping[str, Callable[[Tx], Awaitable[object]]] = {
    "records.find": lambda tx: tx.records.find("claim"),
    "records.find_all": lambda tx: tx.records.find_all(["claim", "said", "done", "holds", "rule", "sign"]),
    "records.dependants": lambda tx: tx.records.dependents("said"),
    "records.counts": lambda tx: tx.records.counts(),
    "records.list": lambda tx: _listed(tx),
    "messages.by_number": lambda tx: tx.messages.by_number("s", 1, 9),
    "messages.lines": lambda tx: tx.messages.lines("s", [(1, 9)]),
    "observations.by_topic": lambda tx: tx.observations.by_topic(TOPIC),
    "observations.by_hash": lambda tx: tx.observations.by_hash("hash of basalt"),
    "observations.learned": lambda tx: tx.observations.patterns(tuple(LIVE)),
    "observations.in_log": lambda tx: tx.observations.in_log(None),
    "episodes.contacts": lambda tx: tx.episodes.contacts(Tier.RAW, until=START + DAY, at_least=1),
    "facts.by_key": lambda tx: tx.facts.by_key("contact/bertelli/tone"),
    "facts.in_status": lambda tx: tx.facts.in_status(tuple(LIVE)),
    "procedures.in_status": lambda tx: tx.procedures.in_status(tuple(LIVE)),
    "versions.at": lambda tx: tx.versions.at("claim", START),
    "wordings.passing": lambda tx: _passing(tx),
    "standings.find": lambda tx: tx.scores.find("claim"),
    "verdicts.of": lambda tx: tx.verdicts.of_record("claim"),
    "weights.of": lambda tx: tx.weights.changes("claim"),
    "texts.postings": lambda tx: _postings(tx),
}


async def _listed(tx: Tx) -> list[str]:
    return [record.id for record in (await tx.records.list(EVERYTHING, limit=99, cursor=None)).records]


async def _passing(tx: Tx) -> list[int]:
    return (await tx.documents.matching(EVERYTHING)).tolist()


async def _postings(tx: Tx) -> dict[tuple[int, str], list[int]]:
    shards = [found.scope for found in await tx.text_index.statistics()]
    found = await tx.text_index.postings([(shard, word) for shard in shards for word in ("basalt", "quartz")])
    return {place: postings.documents.tolist() for place, postings in found.items()}


def _closed(record: Record) -> Record:
    return replace(record, classification=Classification.CONFIDENTIAL)


async def _written(store: Store) -> list[int]:
    """One memory of each kind, and what is kept beside them, all of it confidential; their wordings."""
    said = message("said", text="basalt")
    claim = replace(
        learned("claim"), text="basalt", hash="hash of basalt", topic_key=TOPIC, evidence=("said",), place=1
    )
    bare = replace(observation("bare", text="basalt"))
    made = [said, claim, bare, episode("done"), signal("sign"), fact("holds"), procedure("rule")]
    async with store.begin(FULL) as tx:
        await tx.sessions.put(session("s"))
        await tx.sessions.reserve_numbers("s", 1, tokens=9)
        documents = await add(tx, *(_closed(record) for record in made))
        await tx.verdicts.put(verdict("claim"))
        await tx.weights.add(move("claim"))
        run = replace(chunk("s", 1, 1), classification=Classification.CONFIDENTIAL, task="basalt", suggestion="basalt")
        await tx.chunks.add(run)
        await tx.maintenance_runs.put(night())
    return documents


class ClearanceContract(Contract):
    async def test_closed_records_are_absent_below_their_clearance(self, store: Store) -> None:
        await _written(store)
        with every_row() as row:
            for name, read in READS.items():
                with row(name):
                    async with store.snapshot(LOW) as tx:
                        assert not await read(tx)
                    async with store.snapshot(FULL) as tx:
                        assert await read(tx)
                    # The engine sees everything, as do the consequences of a write.
                    async with store.begin(LOW) as tx:
                        assert await read(tx.engine())
                        assert not await read(tx)

    async def test_the_texts_of_a_chunk_are_blank_below_its_clearance(self, store: Store) -> None:
        await _written(store)
        told: list[tuple[str, str]] = []
        for caller in (LOW, FULL):
            async with store.snapshot(caller) as tx:
                (found,) = await tx.chunks.list("s")
                told.append((found.task, found.suggestion))
        assert told == [("", ""), ("basalt", "basalt")]

    async def test_vectors_of_closed_records_are_not_found(self, store: Store) -> None:
        documents = [document for document in await _written(store) if document]
        generation = (await store.serving_generation(SPACE)).number
        rows = directions(len(documents) + 1)
        async with store.begin(FULL) as tx:
            (seen,) = await add(tx, observation("seen", text="quartz"))
            pieces = {document: rows[[place]] for place, document in enumerate([*documents, seen])}
            await tx.vectors.add(pieces, generation=generation)
        for caller, expected in ((LOW, {seen}), (FULL, {*documents, seen})):
            async with store.snapshot(caller) as tx:
                near = await tx.vectors.nearest(rows[0], generation=generation, limit=99, among=None)
                assert set(near.documents.tolist()) == expected
                asked = np.array([*documents, seen], dtype=np.int64)
                cosines = await tx.vectors.cosines(rows[0], asked, generation=generation)
                assert {
                    document
                    for document, cosine in zip(asked.tolist(), cosines.best, strict=True)
                    if np.isfinite(cosine)
                } == expected

    async def test_a_closed_source_is_not_listed_as_evidence(self, store: Store) -> None:
        await _written(store)
        async with store.begin(FULL) as tx:
            await add(tx, replace(observation("open", text="chalk"), evidence=("said",)))
        for caller, expected in ((LOW, ()), (FULL, ("said",))):
            async with store.snapshot(caller) as tx:
                found = await tx.records.find("open")
                assert found is not None
                assert found.evidence == expected

    async def test_a_topic_key_of_a_closed_record_is_free(self, store: Store) -> None:
        await _written(store)
        async with store.begin(LOW) as tx:
            await add(tx, replace(observation("own", text="chalk", at=START + DAY), topic_key=TOPIC))
        for caller, expected in ((LOW, "own"), (FULL, "own")):
            async with store.snapshot(caller) as tx:
                found = await tx.observations.by_topic(TOPIC)
                assert found is not None
                assert found.id == expected

    async def test_a_record_that_becomes_closed_is_absent_in_the_past(self, store: Store) -> None:
        async with store.begin(FULL) as tx:
            await add(tx, observation("o", text="chalk"))
        async with store.begin(FULL) as tx:
            change = Change(classification=Classification.RESTRICTED, reworded=True)
            await tx.records.change("o", change, at=START + DAY, terms=terms("chalk"))
        async with store.snapshot(LOW) as tx:
            assert await tx.records.find("o") is None
            assert await tx.versions.at("o", START) is None
            assert await tx.versions.past(EVERYTHING, at=START) == []

    async def test_an_id_is_a_tenants_own(self, store: Store) -> None:
        for scope, text in ((HOME, "quartz"), (RIVAL, "basalt")):
            async with store.begin(Caller(scope=scope)) as tx:
                await add(tx, observation("same", scope=scope, text=text))
        async with store.begin(Caller(scope=RIVAL)) as tx:
            await tx.records.erase("same")
        async with store.snapshot(FULL) as tx:
            found = await tx.records.find("same")
            assert found is not None
            assert found.text == "quartz"
