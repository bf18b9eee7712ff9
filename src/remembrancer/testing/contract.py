"""What every store must do, whatever keeps it: subclass `StoreContract` and give it a `store` fixture.

    class TestMyStore(StoreContract):
        @pytest.fixture
        async def store(self, tmp_path: Path) -> AsyncGenerator[Store, None]:
            async with MyStore.open(tmp_path / "m.db") as store:
                yield store

Tests run through anyio's pytest plugin; an `anyio_backend` fixture of yours says on which event loop.
"""

# ruff: noqa: D102, PT012 -- a test's name is its sentence; a transaction that is to raise is a whole block.

import base64
import math
from collections import Counter
from collections.abc import Awaitable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import Any, ClassVar, LiteralString

import anyio
import numpy as np
import pytest
from numpy.typing import NDArray

from remembrancer.errors import Conflict, InvalidInput, NotFound, RemembrancerError
from remembrancer.model.audit import AuditEntry
from remembrancer.model.call import Call, CallOutcome, CallPurpose, Settlement, Spent, Total, Usage
from remembrancer.model.caller import Caller
from remembrancer.model.change import Change, Version
from remembrancer.model.chunk import Chunk, ChunkState, Log
from remembrancer.model.classification import Classification, Trust
from remembrancer.model.details import (
    EpisodeDetails,
    FactCategory,
    FactDetails,
    Learned,
    ProcedureDetails,
    SignalDetails,
)
from remembrancer.model.due import Due, Limits, Purpose
from remembrancer.model.episode import Counts, Entity, EpisodeOutcome, Event, SignalType, Tier
from remembrancer.model.fault import Fault, Finding
from remembrancer.model.filter import Filter
from remembrancer.model.injection import Injection, Ranks, Way
from remembrancer.model.lifecycle import LIVE, Status
from remembrancer.model.night import Night, Step
from remembrancer.model.page import Page
from remembrancer.model.pattern import Category
from remembrancer.model.record import (
    Episode,
    Fact,
    Kind,
    Message,
    Observation,
    Procedure,
    Record,
    Reflection,
    Role,
    Signal,
    Source,
)
from remembrancer.model.saved import Outcome, Remembered
from remembrancer.model.savings import Expense, Saving, Sent, Served, saving
from remembrancer.model.scope import Scope
from remembrancer.model.session import Session, SessionStatus
from remembrancer.model.space import Generation, Space, SpaceState
from remembrancer.model.terms import Terms
from remembrancer.model.verdict import Move, Said, SessionOutcome, Verdict
from remembrancer.ports.store import Store
from remembrancer.ports.texts import TextStatistics
from remembrancer.ports.tx import Tx
from remembrancer.ports.wordings import Headers

DAY = timedelta(days=1)
START = datetime(2026, 1, 1, tzinfo=UTC)
PATIENCE = 5.0

HOME = Scope(tenant="acme", project="apollo", agent="scribe", user="ada")
STRANGER = Scope(tenant="acme", project="apollo", agent="scribe", user="bob")
RIVAL = Scope(tenant="rival", project="apollo", agent="scribe", user="ada")
TEAM = Scope(tenant="acme", project="apollo")
HOUSE = Scope(tenant="acme")
OUTSIDERS = {
    "another user": STRANGER,
    "another agent": replace(HOME, agent="clerk"),
    "another project": replace(HOME, project="gemini"),
    "another tenant": RIVAL,
    "no user": replace(HOME, user=None),
    "the whole tenant": HOUSE,
}
BLANKS = (
    HOUSE,
    TEAM,
    Scope(tenant="acme", agent="scribe"),
    Scope(tenant="acme", user="ada"),
    Scope(tenant="acme", project="apollo", user="ada"),
    HOME,
)

DIMENSION = 32
SPACE = Space(name="contract", version="1", dimension=DIMENSION, random_cosine=0.0, random_spread=0.18)
OTHER_SPACE = replace(SPACE, name="contract-next", version="2")
ROUNDING = 2e-3
# As wide as a small model's vectors.
WIDE = 128
PIECES = 20

EVERYTHING = Filter(statuses=tuple(Status))
WORDS = ("quartz", "basalt", "granite", "marble", "slate", "chalk", "flint", "shale")


class _Spilt(Exception):
    """Raised within a transaction to have it rolled back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Portrait:
    """All that a scope reads of a store, in values that compare."""

    records: tuple[Record, ...]
    counts: dict[str, int]
    versions: list[Version]
    sessions: list[Session]
    statistics: list[TextStatistics]
    frequencies: dict[tuple[int, str], int]
    postings: dict[tuple[int, str], list[tuple[int, float, float]]]
    near: list[tuple[int, float]]
    unembedded: list[int]
    key: Remembered | None
    audited: int


def terms(text: str) -> Terms:
    """How a text stands in the index of these tests: by its words."""
    words = text.casefold().split()
    return Terms(counts=Counter(words), length=len(words))


def message(id: str, *, scope: Scope = HOME, number: int = 1, at: datetime = START, text: str = "quartz") -> Message:
    """A message of session `s`, known since it was said."""
    return Message(
        id=id,
        scope=scope,
        session="s",
        text=text,
        hash=f"hash of {text}",
        author="",
        source=Source.TOOL,
        occurred_at=at,
        recorded_at=at,
        updated_at=at,
        number=number,
        role=Role.USER,
    )


def observation(id: str, *, scope: Scope = HOME, at: datetime = START, text: str = "quartz") -> Observation:
    """An observation outside of any session, known since it was made."""
    return Observation(
        id=id,
        scope=scope,
        session=None,
        text=text,
        hash=f"hash of {text}",
        author="",
        source=Source.TOOL,
        occurred_at=at,
        recorded_at=at,
        updated_at=at,
        type="discovery",
        title=f"About {text}",
    )


def reflection(id: str, *, place: int, evidence: tuple[str, ...]) -> Reflection:
    """An insight of a session, shown at a place."""
    return Reflection(
        id=id,
        scope=HOME,
        session="s",
        text=f"insight {id}",
        hash=f"hash of {id}",
        author="",
        source=Source.OBSERVER,
        occurred_at=START,
        recorded_at=START,
        updated_at=START,
        evidence=evidence,
        type="pattern",
        title=id,
        place=place,
    )


def chunk(session: str, first: int, last: int, *, tokens: int = 10) -> Chunk:
    """A run of messages that waits to be shown as what was noted of it."""
    return Chunk(
        session=session,
        first=first,
        last=last,
        state=ChunkState.BUFFERED,
        tokens=tokens,
        noted=0,
        engine="observer 1",
        observed_at=START,
    )


def injection(*records: str, session: str = "s", at: datetime = START, shown: bool = True) -> Injection:
    """Memories that were put before an agent; a question found the first of them."""
    told = f"injection of {' '.join(records)}"
    ranks = {records[0]: Ranks(weighted=3, unweighted=1)}
    return Injection(id=told, session=session, way=Way.RECALL, shown=shown, at=at, records=records, ranks=ranks)


def night(day: date | None = None, *, step: Step | None = None, **counts: int) -> Night:
    """A nightly run that has begun, or has come up to a step."""
    return Night(day=day or START.date(), step=step, counts=counts, started_at=START)


def verdict(record: str, *, person: str = "ana", says: Verdict = Verdict.RIGHT, at: datetime = START) -> Said:
    """What a person says of a memory."""
    return Said(record=record, person=person, verdict=says, at=at)


def move(record: str, *, session: str = "s", after: float = 0.85, at: datetime = START) -> Move:
    """A weight that a rejected session has moved."""
    return Move(
        session=session, record=record, outcome=SessionOutcome.REJECTED, alpha=0.15, before=1.0, after=after, at=at
    )


def episode(
    id: str, *, contact: str = "Bertelli", at: datetime = START, tier: Tier = Tier.RAW, scope: Scope = HOME
) -> Episode:
    """Something done, or a record of several such things."""
    compact = tier is not Tier.RAW
    details = EpisodeDetails(
        event=Event.COMPACT if compact else Event.APPROVAL_MODIFIED,
        outcome=EpisodeOutcome.DONE if compact else EpisodeOutcome.MODIFIED,
        entities=(Entity(type="contact", name=contact),) if contact else (),
        attributes={} if compact else {"part": "opener", "amount": 12.5, "sent": True},
        tier=tier,
        counts=Counts(interactions=5, outcomes={"modified": 5}) if compact else None,
        begins=START.date() if compact else None,
        ends=START.date() if compact else None,
    )
    return Episode(
        **_common(id, "shortened the opener", scope, at),
        status=Status.ACTIVE if compact else Status.RAW,
        details=details,
    )


def signal(id: str, *, at: datetime = START, scope: Scope = HOME) -> Signal:
    """A correction that somebody made."""
    details = SignalDetails(signal=SignalType.CORRECTION, attributes={"did": "archived", "changed_to": "flagged"})
    return Signal(**_common(id, "flagged instead of archived", scope, at), details=details)


def fact(id: str, key: str = "contact/bertelli/tone", *, value: str = "formal", scope: Scope = HOME) -> Fact:
    """A statement under a key, valid from the start on."""
    details = FactDetails(category=FactCategory.CONTACT, key=key, value=value, valid_from=START)
    return Fact(**_common(id, f"tone: {value}", scope, START), details=details)


def procedure(id: str, *, scope: Scope = HOME) -> Procedure:
    """A rule that two people have confirmed."""
    return Procedure(**_common(id, "Never use semicolons.", scope, START), details=ProcedureDetails(confirmations=2))


def learned(id: str, *, scope: Scope = HOME) -> Observation:
    """An observation of the detector."""
    details = Learned(
        key="semicolon",
        category=Category.WRITING_STYLE,
        evidence="in 8 of 9 drafts",
        occurrences=8,
        held=8,
        against=1,
        rule="Never use semicolons.",
        counted_on=START.date(),
    )
    return replace(observation(id, scope=scope), learned=details)


def _common(id: str, text: str, scope: Scope, at: datetime) -> dict[str, Any]:
    return {
        "id": id,
        "scope": scope,
        "session": None,
        "text": text,
        "hash": f"hash of {text}",
        "author": "",
        "source": Source.TOOL,
        "occurred_at": at,
        "recorded_at": at,
        "updated_at": at,
    }


def served(id: str, *, session: str = "s", at: datetime = START, tokens: int = 10, price: int | None = 2) -> Served:
    """A block that stood in for a conversation ten times as long, half of both cached, which costs half."""
    block, whole = Sent(tokens=tokens, prefix=tokens // 2), Sent(tokens=10 * tokens, prefix=5 * tokens)
    cost = None if price is None else saving([block], [whole], lambda all, cached: price * (all - cached // 2))
    return Served(id=id, session=session, at=at, block=block, whole=whole, cost=cost)


def session(id: str, *, scope: Scope = HOME, at: datetime = START) -> Session:
    """An active session that the caller named."""
    return Session(
        id=id,
        scope=scope,
        status=SessionStatus.ACTIVE,
        named=True,
        record=True,
        messages=0,
        started_at=at,
        last_activity_at=at,
    )


def entry(record: str | None = None) -> AuditEntry:
    """Something that was done to a record."""
    return AuditEntry(action="created", kind="observation", record=record, count=1, at=START)


def call(id: str, *, at: datetime = START, project: str | None = "apollo", reserved_cost: int | None = 900) -> Call:
    """A model is about to be asked to observe."""
    return Call(
        id=id,
        project=project,
        agent="scribe",
        session="s",
        purpose=CallPurpose.OBSERVE,
        model="openai:gpt-5-nano",
        prompt_version="observe-1",
        started_at=at,
        reserved_tokens=700,
        reserved_cost=reserved_cost,
    )


SETTLED = Settlement(
    call="a", outcome=CallOutcome.OK, milliseconds=1_234, usage=Usage(prompt=500, cached=200, answer=60), cost=77
)


def directions(count: int, *, seed: int = 1, dimension: int = DIMENSION) -> NDArray[np.float32]:
    """Return `(count, dimension)` float32, rows of length one, alike for the same seed."""
    rows = np.random.default_rng(seed).normal(size=(count, dimension)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


async def put(store: Store, *records: Record) -> list[int]:
    """Write records of one scope, those that are active into the index; their document numbers."""
    async with store.begin(Caller(scope=records[0].scope)) as tx:
        return await _add(tx, *records)


async def embed(store: Store, scope: Scope, documents: Sequence[int], rows: NDArray[np.float32]) -> int:
    """Give each wording one row in the generation that serves; that generation's number."""
    generation = (await store.serving_generation(SPACE)).number
    async with store.begin(Caller(scope=scope)) as tx:
        pieces = {document: row[None, :] for document, row in zip(documents, rows, strict=True)}
        assert await tx.vectors.add(pieces, generation=generation) == set(pieces)
    return generation


async def portrait(store: Store, scope: Scope) -> Portrait:
    """All that a scope reads of a store."""
    generation = (await store.serving_generation(SPACE)).number
    async with store.snapshot(Caller(scope=scope)) as tx:
        statistics = await tx.texts.statistics()
        places = [(shard.shard, word) for shard in statistics for word in WORDS]
        found = await tx.texts.postings(places)
        near = await tx.vectors.nearest(directions(1)[0], generation=generation, limit=100, among=None)
        return Portrait(
            records=(await tx.records.list(EVERYTHING, limit=100, cursor=None)).records,
            counts=await tx.records.counts(),
            versions=await tx.versions.between(known_from=START - DAY, known_to=START + 1000 * DAY),
            sessions=await tx.sessions.list(limit=100),
            statistics=sorted(statistics, key=lambda shard: shard.shard),
            frequencies=await tx.texts.frequencies(WORDS),
            postings={
                place: sorted(zip(part.documents.tolist(), part.counts.tolist(), part.lengths.tolist(), strict=True))
                for place, part in found.items()
            },
            near=list(zip(near.documents.tolist(), near.cosines.tolist(), strict=True)),
            unembedded=[item.document for item in await tx.vectors.missing(generation=generation, limit=100)],
            key=await tx.keys.find("k"),
            audited=await tx.audit.count(),
        )


async def _add(tx: Tx, *records: Record) -> list[int]:
    indexed = [terms(record.text) if record.status in LIVE else None for record in records]
    return await tx.records.add(records, indexed)


async def _write_everything(tx: Tx) -> None:
    """One of each thing that can be written."""
    await tx.sessions.put(session("s", scope=tx.scope))
    first = await tx.sessions.take_numbers("s", 1, tokens=7)
    said = message("m", scope=tx.scope, number=first, text="basalt")
    claim = replace(observation("o", scope=tx.scope, text="quartz marble"), evidence=("m",), topic_key="stone")
    documents = await _add(tx, said, claim)
    await tx.records.change("o", Change(text="granite", reworded=True), at=START + DAY, terms=terms("granite"))
    await tx.records.touch({"m": 2}, at=START + DAY)
    await tx.keys.add(Remembered(key="k", request="r", outcome=Outcome.CREATED, record="o"), at=START)
    await tx.audit.add([entry("o"), entry()])
    generation = 1
    assert await tx.vectors.add({documents[0]: directions(1)}, generation=generation)


async def _ids(tx: Tx, documents: Sequence[int]) -> dict[int, str]:
    found = await tx.wordings.headers(documents)
    return dict(zip(found.documents.tolist(), found.ids, strict=True))


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


# One record to each part of a filter, each unlike `plain` in that part alone.
_SAMPLES: tuple[Record, ...] = (
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
    episode("done", at=START + 5 * DAY),
    episode("done for nobody", contact="", at=START + 5 * DAY),
    episode("week", contact="", tier=Tier.WEEKLY, at=START + 5 * DAY),
)
_ACTIVE = frozenset(record.id for record in _SAMPLES) - {"archived"}
_RAW = frozenset({"done", "done for nobody"})
_FILTERS: dict[str, tuple[Filter, frozenset[str]]] = {
    "nothing": (Filter(), _ACTIVE),
    "one kind": (Filter(kinds=(Kind.MESSAGE,)), frozenset({"said"})),
    "both kinds": (Filter(kinds=tuple(Kind)), _ACTIVE),
    "a type": (Filter(types=("decision", "pattern")), frozenset({"typed"})),
    "a tag": (Filter(tags=("red",)), frozenset({"tagged", "half-tagged"})),
    "two tags": (Filter(tags=("blue", "red")), frozenset({"tagged"})),
    "sessions": (Filter(sessions=("s", "t")), frozenset({"said", "of a session"})),
    "a status": (Filter(statuses=(Status.ARCHIVED,)), frozenset({"archived"})),
    "statuses": (Filter(statuses=(Status.ARCHIVED, Status.ACTIVE)), (_ACTIVE | {"archived"}) - _RAW),
    "since, inclusive": (Filter(since=START + 9 * DAY), frozenset({"late"})),
    "until, inclusive": (Filter(until=START), frozenset({"early"})),
    "a stretch": (Filter(since=START + DAY, until=START + 8 * DAY), _ACTIVE - {"early", "late"}),
    "two classes": (
        Filter(classifications=(Classification.PUBLIC, Classification.INTERNAL)),
        _ACTIVE - {"closed", "sealed"},
    ),
    "a class": (Filter(classifications=(Classification.PUBLIC,)), frozenset({"open"})),
    "trust": (Filter(minimum_trust=Trust.TRUSTED), _ACTIVE - {"doubtful"}),
    "importance, inclusive": (Filter(minimum_importance=0.9), frozenset({"weighty"})),
    "a tier": (Filter(tiers=(Tier.RAW,)), _RAW),
    "a contact": (Filter(contact="bertelli"), frozenset({"done"})),
    "no contact": (Filter(contact="", tiers=(Tier.RAW, Tier.WEEKLY)), frozenset({"done for nobody", "week"})),
    "several parts": (
        Filter(tags=("red",), since=START + DAY, types=("discovery",)),
        frozenset({"tagged", "half-tagged"}),
    ),
}


class StoreContract:
    """The tests that every store passes; `store` is an empty one."""

    pytestmark: ClassVar[list[pytest.MarkDecorator]] = [pytest.mark.anyio]
    # More vectors than a store need keep exact in memory; fewer will do where each takes long to store.
    many: ClassVar[int] = 17_000

    async def rows(self, store: Store, sql: LiteralString) -> list[tuple[Any, ...]]:
        """What a SELECT finds in the database, asked by another road than the store's own methods."""
        raise NotImplementedError

    # Records

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

    async def test_a_wording_without_terms_is_kept_and_not_indexed(self, store: Store) -> None:
        async with store.begin(Caller(scope=HOME)) as tx:
            documents = await tx.records.add(
                [observation("a"), observation("b"), observation("c")], [terms("quartz"), None, terms("basalt")]
            )
        assert documents[1] == 0
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.records.find("b") == observation("b")
            assert await _ids(tx, documents) == {documents[0]: "a", documents[2]: "c"}
            assert (await tx.wordings.passing(Filter())).tolist() == sorted([documents[0], documents[2]])

    async def test_records_are_found_by_the_number_of_their_wording(self, store: Store) -> None:
        first, second = await put(store, observation("a"), message("m"))
        async with store.snapshot(Caller(scope=HOME)) as tx:
            found = await tx.wordings.records([second, first, second + 1_000, 0])
            assert found == {first: observation("a"), second: message("m")}
            assert await tx.wordings.records([]) == {}

    async def test_headers_say_what_ranking_needs(self, store: Store) -> None:
        said = replace(message("m", at=START + DAY), speaker="Ada", importance=0.25)
        claim = replace(observation("o"), topic_key="stone", revision=3, last_accessed_at=START + DAY, session="t")
        documents = await put(store, said, claim)
        async with store.snapshot(Caller(scope=HOME)) as tx:
            found = await tx.wordings.headers(documents)
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
            beside = await tx.wordings.beside([("s", 1), ("s", 5), ("s", 6), ("t", 1)])
            assert sorted(beside.ids) == ["m1", "m5"]

    async def test_what_came_around_a_record_is_told_oldest_first(self, store: Store) -> None:
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
            assert await tx.records.existing(["a", "m", "nobody"]) == {"a": plain.hash, "m": "hash of flint"}
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

    async def test_what_rests_on_a_record_is_known(self, store: Store) -> None:
        claims = [replace(observation(id), evidence=("m",)) for id in ("y", "x")]
        await put(store, message("m"), *claims)
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.records.dependants("m") == ["x", "y"]
            assert await tx.records.dependants("x") == []

    async def test_uses_are_counted_and_change_nothing_else(self, store: Store) -> None:
        documents = await put(store, observation("a"), observation("b"))
        for uses in ({"a": 2, "b": 1, "nobody": 5}, {"a": 3}):
            async with store.begin(Caller(scope=HOME)) as tx:
                await tx.records.touch(uses, at=START + len(uses) * DAY)
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.wordings.records(documents) == {
                documents[0]: replace(observation("a"), usage_count=5, last_accessed_at=START + DAY),
                documents[1]: replace(observation("b"), usage_count=1, last_accessed_at=START + 3 * DAY),
            }

    async def test_records_are_counted_by_kind_and_status(self, store: Store) -> None:
        await put(store, *_SAMPLES)
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.records.counts() == {
                "message/active": 1,
                "observation/active": len(_SAMPLES) - 5,
                "episode/raw": 2,
                "episode/active": 1,
                "observation/archived": 1,
            }

    # Filters, order, pages

    @pytest.mark.parametrize(("filter", "expected"), _FILTERS.values(), ids=_FILTERS.keys())
    async def test_a_filter_lets_through_what_it_says_wherever_it_is_asked(
        self, store: Store, filter: Filter, expected: frozenset[str]
    ) -> None:
        await put(store, *_SAMPLES)
        now = START + 20 * DAY
        async with store.begin(Caller(scope=HOME)) as tx:
            listed = await tx.records.list(filter, limit=100, cursor=None)
            indexed = await _ids(tx, (await tx.wordings.passing(filter)).tolist())
            for record in _SAMPLES:
                await tx.records.change(record.id, Change(text="chalk", reworded=True), at=now, terms=None)
            past = await tx.versions.past(filter, at=START + 15 * DAY)
        assert {record.id for record in listed.records} == expected
        assert set(indexed.values()) == expected - {"archived"}
        assert sorted(past, key=lambda record: record.id) == sorted(listed.records, key=lambda record: record.id)

    async def test_a_filter_by_knowledge_keeps_what_was_known_and_still_stands(self, store: Store) -> None:
        await put(store, *_SAMPLES)
        filter = Filter(known_by=START + 5 * DAY)
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.records.change("plain", Change(title="x", reworded=True), at=START + 6 * DAY, terms=None)
            page = await tx.records.list(filter, limit=100, cursor=None)
        assert {record.id for record in page.records} == _ACTIVE - {"late", "known late", "plain"}

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

    async def test_an_empty_store_has_one_empty_page(self, store: Store) -> None:
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.records.list(Filter(), limit=5, cursor=None) == Page(records=(), cursor=None)

    @pytest.mark.parametrize("plain", [None, "no colon", "soon:o1", "9" * 40 + ":o1"])
    async def test_a_cursor_that_no_page_gave_is_the_callers_mistake(self, store: Store, plain: str | None) -> None:
        cursor = "?" if plain is None else base64.urlsafe_b64encode(plain.encode()).decode()
        async with store.snapshot(Caller(scope=HOME)) as tx:
            with pytest.raises(InvalidInput):
                await tx.records.list(Filter(), limit=5, cursor=cursor)

    # Change and time

    async def test_a_change_alters_what_it_names_and_keeps_the_rest(self, store: Store) -> None:
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

    async def test_versions_of_a_stretch_are_told_oldest_first(self, store: Store) -> None:
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

    async def test_a_version_that_neither_began_nor_ended_in_a_stretch_is_not_among_its_versions(
        self, store: Store
    ) -> None:
        await put(store, observation("a", at=START))
        await self._reword(store, "a", "basalt", at=START + 9 * DAY)
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.versions.between(known_from=START + 3 * DAY, known_to=START + 5 * DAY) == []

    async def test_the_past_holds_wordings_that_stood_then_and_no_longer_do(self, store: Store) -> None:
        stands, first = observation("stands"), observation("o", text="quartz")
        await put(store, stands, first)
        second = await self._reword(store, "o", "basalt", at=START + 2 * DAY)
        await self._reword(store, "o", "chalk", at=START + 4 * DAY)
        async with store.snapshot(Caller(scope=HOME)) as tx:
            times = (START - DAY, START, START + 2 * DAY, START + 4 * DAY)
            assert [await tx.versions.past(Filter(), at=time) for time in times] == [[], [first], [second], []]

    async def test_a_changed_wording_is_found_by_its_new_words_alone(self, store: Store) -> None:
        old = (await put(store, observation("o", text="quartz marble")))[0]
        generation = await embed(store, HOME, [old], directions(1))
        await self._reword(store, "o", "basalt marble")
        async with store.snapshot(Caller(scope=HOME)) as tx:
            shard = (await tx.texts.statistics())[0].shard
            assert await tx.texts.frequencies(["quartz", "basalt", "marble"]) == {
                (shard, "basalt"): 1,
                (shard, "marble"): 1,
            }
            missing = await tx.vectors.missing(generation=generation, limit=9)
            assert [item.record.text for item in missing] == ["basalt marble"]
            new = missing[0].document
            assert new != old
            assert await _ids(tx, [old, new]) == {new: "o"}
            cosines = await tx.vectors.cosines(directions(1)[0], np.array([old, new]), generation=generation)
            assert np.isnan(cosines).all()

    # The ledger

    async def test_a_call_reads_back_reserved_and_settled(self, store: Store) -> None:
        before = replace(call("b", reserved_cost=None), project=None, agent=None, session=None)
        async with store.begin(Caller(scope=HOUSE)) as tx:
            assert await tx.calls.add(call("a", at=START + DAY)) is True
            assert await tx.calls.add(before) is True
        async with store.snapshot(Caller(scope=HOUSE)) as tx:
            assert await tx.calls.list(limit=9) == [call("a", at=START + DAY), before]
            assert await tx.calls.list(limit=1) == [call("a", at=START + DAY)]
        async with store.begin(Caller(scope=HOUSE)) as tx:
            await tx.calls.settle(SETTLED)
            await tx.calls.settle(replace(SETTLED, call="nobody"))
        settled = replace(
            call("a", at=START + DAY), outcome=CallOutcome.OK, milliseconds=1_234, usage=SETTLED.usage, cost=77
        )
        async with store.snapshot(Caller(scope=HOUSE)) as tx:
            assert await tx.calls.list(limit=9) == [settled, before]
        sql = "SELECT tenant, id, provider, model, cost FROM calls ORDER BY id"
        assert await self.rows(store, sql) == [
            ("acme", "a", "openai", "gpt-5-nano", 77),
            ("acme", "b", "openai", "gpt-5-nano", None),
        ]

    async def test_a_call_is_written_and_settled_once(self, store: Store) -> None:
        async with store.begin(Caller(scope=HOUSE)) as tx:
            await tx.calls.add(call("a"))
            assert await tx.calls.add(replace(call("a"), model="openai:other")) is False
            await tx.calls.settle(SETTLED)
            await tx.calls.settle(replace(SETTLED, outcome=CallOutcome.UNAVAILABLE, cost=9))
            (found,) = await tx.calls.list(limit=9)
        assert (found.model, found.outcome, found.cost) == ("openai:gpt-5-nano", CallOutcome.OK, 77)

    async def test_what_is_not_settled_counts_as_the_most_that_it_can_be(self, store: Store) -> None:
        async with store.begin(Caller(scope=HOUSE)) as tx:
            assert await tx.calls.spent(since=START) == Spent(tokens=0, cost=0, unpriced=0)
            await tx.calls.add(call("old", at=START - DAY))
            await tx.calls.add(call("running"))
            await tx.calls.add(call("done"))
            await tx.calls.add(call("unknown", reserved_cost=None))
            await tx.calls.add(call("lost", project="gemini"))
            await tx.calls.add(call("failed", project=None))
            await tx.calls.settle(replace(SETTLED, call="done"))
            await tx.calls.settle(replace(SETTLED, call="unknown", cost=None))
            lost = Settlement(call="lost", outcome=CallOutcome.UNAVAILABLE, milliseconds=9, usage=None, cost=None)
            await tx.calls.settle(lost)
            await tx.calls.settle(replace(lost, call="failed", usage=Usage(prompt=0, cached=0, answer=0), cost=0))
            assert await tx.calls.spent(since=START) == Spent(tokens=2 * 700 + 2 * 560, cost=2 * 900 + 77, unpriced=1)
            assert await tx.calls.spent(since=START, project="gemini") == Spent(tokens=700, cost=900, unpriced=0)
            assert await tx.calls.spent(since=START, project="none") == Spent(tokens=0, cost=0, unpriced=0)

    async def test_calls_add_up_by_what_they_were_for(self, store: Store) -> None:
        refused = Settlement(
            call="", outcome=CallOutcome.REFUSED, milliseconds=0, usage=Usage(prompt=0, cached=0, answer=0), cost=0
        )
        async with store.begin(Caller(scope=HOUSE)) as tx:
            for place, (at, ended) in enumerate(
                [
                    (START - DAY, SETTLED),
                    (START, SETTLED),
                    (START, replace(SETTLED, outcome=CallOutcome.BAD_OUTPUT)),
                    (START, refused),
                    (START + DAY, SETTLED),
                ]
            ):
                await tx.calls.add(call(str(place), at=at))
                await tx.calls.settle(replace(ended, call=str(place)))
            await tx.calls.add(replace(call("other"), purpose=CallPurpose.ANSWER, agent=None, reserved_cost=None))
            await tx.calls.add(call("nobody's", project=None))
        observed = Total(
            purpose=CallPurpose.OBSERVE,
            model="openai:gpt-5-nano",
            project="apollo",
            agent="scribe",
            calls=2,
            refused=1,
            failed=1,
            prompt_tokens=1_000,
            cached_tokens=400,
            answer_tokens=120,
            cost=154,
            unpriced=0,
            milliseconds=2_468,
        )
        nothing = replace(
            observed, calls=1, refused=0, failed=0, prompt_tokens=0, cached_tokens=0, answer_tokens=0, milliseconds=0
        )
        answered = replace(nothing, purpose=CallPurpose.ANSWER, agent=None, cost=0, unpriced=1)
        async with store.snapshot(Caller(scope=HOUSE)) as tx:
            totals = partial(tx.calls.totals, since=START, until=START + DAY)
            assert await totals() == [answered, replace(nothing, project=None, cost=900), observed]
            assert await totals(project="apollo") == [answered, observed]
            assert await totals(project="apollo", agent="scribe") == [observed]
            assert await totals(agent="clerk") == []

    @pytest.mark.parametrize("outsider", [*set(OUTSIDERS) - {"the whole tenant"}])
    async def test_a_ledger_is_its_exact_scopes_alone(self, store: Store, outsider: str) -> None:
        async with store.begin(Caller(scope=HOUSE)) as tx:
            await tx.calls.add(call("a"))
        async with store.begin(Caller(scope=OUTSIDERS[outsider])) as tx:
            assert await tx.calls.list(limit=9) == []
            assert (await tx.calls.spent(since=START)).cost == 0
            assert await tx.calls.totals(since=START, until=START + DAY) == []
            await tx.calls.settle(SETTLED)
            assert await tx.calls.add(call("a")) is True
        async with store.snapshot(Caller(scope=HOUSE)) as tx:
            assert [found.outcome for found in await tx.calls.list(limit=9)] == [CallOutcome.RESERVED]

    # Scopes

    @pytest.mark.parametrize("outsider", OUTSIDERS.values(), ids=OUTSIDERS.keys())
    async def test_another_scopes_records_read_as_absent_everywhere(self, store: Store, outsider: Scope) -> None:
        said = message("m", text="basalt")
        claim = replace(observation("o"), evidence=("m",), topic_key="stone", session="s")
        plain = observation("p", text="granite")
        await put(store, said, claim, plain)
        await self._reword(store, "o", "quartz marble", at=START + 2 * DAY)
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.sessions.put(session("s"))
            await tx.keys.add(Remembered(key="k", request="r", outcome=Outcome.CREATED, record="o"), at=START)
            documents = (await tx.wordings.passing(EVERYTHING)).tolist()
            shard = (await tx.texts.statistics())[0].shard
        generation = await embed(store, HOME, documents, directions(len(documents)))
        query, everything = directions(1)[0], np.array(documents)
        async with store.snapshot(Caller(scope=outsider)) as tx:
            near = await tx.vectors.nearest(query, generation=generation, limit=9, among=None)
            near_among = await tx.vectors.nearest(query, generation=generation, limit=9, among=everything)
            cosines = await tx.vectors.cosines(query, everything, generation=generation)
            reads: dict[str, object] = {
                "find": await tx.records.find("o"),
                "version_at, now": await tx.versions.at("o", START + 3 * DAY),
                "version_at, then": await tx.versions.at("o", START + DAY),
                "find_many": await tx.wordings.records(documents),
                "existing": await tx.records.existing(["o", "m"]),
                "by_topic": await tx.observations.by_topic("stone"),
                "by_hash": await tx.observations.by_hash(plain.hash),
                "by_number": await tx.messages.by_number("s", 1, 9),
                "around": [*(await tx.records.around(said, before=9, after=9, statuses=(Status.ACTIVE,)))[0]],
                "after": [*(await tx.records.around(said, before=9, after=9, statuses=(Status.ACTIVE,)))[1]],
                "documents": (await tx.wordings.passing(EVERYTHING)).tolist(),
                "headers": await tx.wordings.headers(documents),
                "beside": await tx.wordings.beside([("s", 1)]),
                "versions": await tx.versions.between(known_from=START - DAY, known_to=START + 9 * DAY),
                "past": await tx.versions.past(EVERYTHING, at=START + DAY),
                "dependants": await tx.records.dependants("m"),
                "counts": await tx.records.counts(),
                "list": (await tx.records.list(EVERYTHING, limit=9, cursor=None)).records,
                "statistics": await tx.texts.statistics(),
                "frequencies": await tx.texts.frequencies(WORDS),
                "postings": await tx.texts.postings([(shard, word) for word in WORDS]),
                "nearest": near.documents.tolist(),
                "nearest among": near_among.documents.tolist(),
                "cosines": np.flatnonzero(~np.isnan(cosines)).tolist(),
                "missing": await tx.vectors.missing(generation=generation, limit=9),
                "session": await tx.sessions.find("s"),
                "sessions": await tx.sessions.list(limit=9),
                "stale": await tx.sessions.stale(before=START + 99 * DAY),
                "key": await tx.keys.find("k"),
                "faults": await tx.upkeep.faults(),
                "indexed": await tx.upkeep.indexed(after="", limit=9),
            }
        assert {name: value for name, value in reads.items() if value} == {}

    @pytest.mark.parametrize("outsider", OUTSIDERS.values(), ids=OUTSIDERS.keys())
    async def test_another_scopes_records_cannot_be_changed(self, store: Store, outsider: Scope) -> None:
        generation = (await store.serving_generation(SPACE)).number
        async with store.begin(Caller(scope=HOME)) as tx:
            await _write_everything(tx)
            document = int((await tx.wordings.passing(EVERYTHING))[0])
        before = await portrait(store, HOME)
        async with store.begin(Caller(scope=outsider)) as tx:
            with pytest.raises(NotFound):
                await tx.records.change("o", Change(text="chalk"), at=START + 9 * DAY, terms=terms("chalk"))
            with pytest.raises(NotFound):
                await tx.records.erase("o")
            await tx.records.touch({"o": 1, "m": 1}, at=START + 9 * DAY)
            assert not await tx.vectors.add({document: directions(1, seed=2)}, generation=generation)
            with suppress(NotFound):
                await tx.upkeep.index("o", terms("chalk"))
            for fault in Fault:
                where = (str(document),) if fault.startswith("orphan") else ("o", "m")
                await tx.upkeep.mend(Finding(fault=fault, where=where))
            await tx.upkeep.drop_index()
        assert await portrait(store, HOME) == before

    async def test_putting_an_unknown_record_into_the_index_leaves_nothing_there(self, store: Store) -> None:
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

    async def test_a_shared_record_is_read_used_and_not_changed_from_a_narrower_scope(self, store: Store) -> None:
        shared = observation("o", scope=TEAM)
        document = (await put(store, shared))[0]
        generation = await embed(store, TEAM, [document], directions(1))
        await put(store, replace(observation("mine", text="basalt"), evidence=("o",)))
        async with store.begin(Caller(scope=HOME)) as tx:
            near = await tx.vectors.nearest(directions(1)[0], generation=generation, limit=9, among=None)
            assert near.documents.tolist() == [document]
            assert await tx.records.dependants("o") == ["mine"]
            assert sorted((await tx.texts.frequencies(["quartz", "basalt"])).values()) == [1, 1]
            assert await tx.records.existing(["o"]) == {}
            with pytest.raises(NotFound):
                await tx.records.change("o", Change(title="x"), at=START, terms=None)
            with pytest.raises(NotFound):
                await tx.records.erase("o")
            await tx.records.touch({"o": 1}, at=START + DAY)
        async with store.snapshot(Caller(scope=TEAM)) as tx:
            assert await tx.records.find("o") == replace(shared, usage_count=1, last_accessed_at=START + DAY)
            assert await tx.records.dependants("o") == []

    @pytest.mark.parametrize("scope", BLANKS, ids=str)
    async def test_one_scope_stays_one_however_often_it_is_written(self, store: Store, scope: Scope) -> None:
        for id in "abc":
            await put(store, observation(id, scope=scope))
        assert await store.scopes() == [scope]
        async with store.snapshot(Caller(scope=scope)) as tx:
            assert [shard.documents for shard in await tx.texts.statistics()] == [3]

    async def test_writers_that_meet_a_new_scope_at_once_make_it_once(self, store: Store) -> None:
        with anyio.fail_after(PATIENCE):
            async with anyio.create_task_group() as tasks:
                for id in "abcdef":
                    tasks.start_soon(put, store, observation(id, scope=TEAM))
        assert await store.scopes() == [TEAM]

    async def test_reading_a_scope_does_not_make_it(self, store: Store) -> None:
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert tx.scope == HOME
            await tx.records.find("o")
        async with store.begin(Caller(scope=STRANGER)) as tx:
            await tx.records.find("o")
            await tx.records.list(Filter(), limit=1, cursor=None)
        assert await store.scopes() == []

    # Transactions

    async def test_a_transaction_that_ends_well_leaves_all_of_it(self, store: Store) -> None:
        generation = await store.serving_generation(SPACE)
        async with store.begin(Caller(scope=HOME)) as tx:
            await _write_everything(tx)
            document = int((await tx.wordings.passing(Filter(kinds=(Kind.MESSAGE,))))[0])
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
        shard = after.statistics[0].shard
        claimed = after.unembedded[0]
        assert generation.number == 1
        assert after == Portrait(
            records=(claim, said),
            counts={"message/active": 1, "observation/active": 1},
            versions=after.versions,
            sessions=[replace(session("s"), messages=1, tokens=7)],
            statistics=[TextStatistics(shard=shard, documents=2, mean_length=1.0)],
            frequencies={(shard, "basalt"): 1, (shard, "granite"): 1},
            postings={(shard, "basalt"): [(document, 1.0, 1.0)], (shard, "granite"): [(claimed, 1.0, 1.0)]},
            near=after.near,
            unembedded=[claimed],
            key=Remembered(key="k", request="r", outcome=Outcome.CREATED, record="o"),
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
        with pytest.raises(_Spilt):
            async with store.begin(Caller(scope=HOME)) as tx:
                await _write_everything(tx)
                raise _Spilt
        assert await portrait(store, HOME) == before
        # Nothing of it is in the way of doing it again.
        async with store.begin(Caller(scope=HOME)) as tx:
            await _write_everything(tx)
        assert (await portrait(store, HOME)).sessions[0].messages == 1

    async def test_a_rollback_in_a_new_scope_leaves_no_scope(self, store: Store) -> None:
        await store.serving_generation(SPACE)
        with pytest.raises(_Spilt):
            async with store.begin(Caller(scope=HOME)) as tx:
                await _write_everything(tx)
                raise _Spilt
        assert await store.scopes() == []

    async def test_changes_and_erasures_roll_back_too(self, store: Store) -> None:
        documents = await put(store, observation("a", text="quartz"), observation("b", text="basalt"))
        await embed(store, HOME, documents, directions(2))
        before = await portrait(store, HOME)
        with pytest.raises(_Spilt):
            async with store.begin(Caller(scope=HOME)) as tx:
                await tx.records.change("a", Change(text="chalk"), at=START + DAY, terms=terms("chalk"))
                await tx.records.erase("b")
                raise _Spilt
        assert await portrait(store, HOME) == before

    async def test_a_transaction_that_is_cancelled_leaves_nothing_and_frees_the_store(self, store: Store) -> None:
        with anyio.CancelScope() as cancelled:
            async with store.begin(Caller(scope=HOME)) as tx:
                await _add(tx, observation("a"))
                cancelled.cancel()
                await anyio.lowlevel.checkpoint()
        with anyio.fail_after(PATIENCE):
            await put(store, observation("b"))
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert (await tx.records.list(Filter(), limit=9, cursor=None)).records == (observation("b"),)

    async def test_a_failed_statement_takes_the_whole_transaction_with_it(self, store: Store) -> None:
        with pytest.raises(RemembrancerError):
            await put(store, observation("a"), observation("b"), observation("a"))
        await put(store, observation("c"))
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert (await tx.records.list(Filter(), limit=9, cursor=None)).records == (observation("c"),)

    async def test_a_transaction_reads_what_it_has_written(self, store: Store) -> None:
        generation = (await store.serving_generation(SPACE)).number
        async with store.begin(Caller(scope=HOME)) as tx:
            document = (await _add(tx, observation("a")))[0]
            await tx.vectors.add({document: directions(1)}, generation=generation)
            near = await tx.vectors.nearest(directions(1)[0], generation=generation, limit=1, among=None)
            assert await tx.records.find("a") == observation("a")
            assert list((await tx.texts.frequencies(["quartz"])).values()) == [1]
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
                assert [shard.documents for shard in await tx.texts.statistics()] == [1]
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.records.find("b") == observation("b")

    async def test_message_numbers_have_no_gaps_whoever_writes_at_once(self, store: Store) -> None:
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.sessions.put(session("s"))

        async def say(index: int) -> None:
            with suppress(_Spilt):
                async with store.begin(Caller(scope=HOME)) as tx:
                    first = await tx.sessions.take_numbers("s", 2, tokens=0)
                    await _add(tx, *(message(f"m{index}.{step}", number=first + step) for step in (0, 1)))
                    if index % 4 == 0:
                        raise _Spilt

        with anyio.fail_after(PATIENCE):
            async with anyio.create_task_group() as tasks:
                for index in range(20):
                    tasks.start_soon(say, index)
        async with store.snapshot(Caller(scope=HOME)) as tx:
            found = await tx.messages.by_number("s", 1, 100)
            known = await tx.sessions.find("s")
        assert [record.number for record in found if isinstance(record, Message)] == list(range(1, 31))
        assert known == replace(session("s"), messages=30)

    async def test_many_readers_and_writers_at_once_all_get_through(self, store: Store) -> None:
        async def read() -> None:
            async with store.snapshot(Caller(scope=HOME)) as tx:
                page = await tx.records.list(Filter(), limit=99, cursor=None)
                statistics = await tx.texts.statistics()
            assert len(page.records) == sum(shard.documents for shard in statistics)

        with anyio.fail_after(PATIENCE):
            async with anyio.create_task_group() as tasks:
                for index in range(12):
                    tasks.start_soon(put, store, observation(f"o{index}"))
                    tasks.start_soon(read)
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.records.counts() == {"observation/active": 12}

    # Erasure

    async def test_erasure_leaves_no_row_anywhere(self, store: Store) -> None:
        await put(store, observation("other", text="slate quartz"))
        generation = (await store.serving_generation(SPACE)).number
        before, rows = await portrait(store, HOME), await self._row_counts(store)
        claim = replace(observation("o", text="quartz basalt"), evidence=("other",))
        on_it = replace(observation("on it", scope=replace(HOME, agent=None)), evidence=("o",))
        async with store.begin(Caller(scope=HOME)) as tx:
            documents = await _add(tx, claim)
            await tx.vectors.add({documents[0]: directions(3)}, generation=generation)
            await tx.keys.add(Remembered(key="k", request="r", outcome=Outcome.CREATED, record="o"), at=START)
        await self._reword(store, "o", "marble quartz")
        async with store.begin(Caller(scope=HOME)) as tx:
            missing = await tx.vectors.missing(generation=generation, limit=9)
            await tx.vectors.add({missing[-1].document: directions(3)}, generation=generation)
        await put(store, on_it)
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.records.erase("o")
            assert await tx.records.find("o") is None
            assert await tx.versions.at("o", START) is None
            assert await tx.records.dependants("o") == []
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

    # Text index

    @pytest.mark.parametrize("seed", range(4))
    async def test_the_text_index_says_of_any_history_what_a_fresh_one_would(self, store: Store, seed: int) -> None:
        chance = np.random.default_rng(seed)
        standing: dict[str, Terms | None] = {}

        def wording() -> Terms | None:
            words = chance.choice(WORDS, size=chance.integers(0, 6)).tolist()
            return Terms(counts=Counter(words), length=len(words) + 1) if words else None

        for step in range(12):
            async with store.begin(Caller(scope=HOME)) as tx:
                fresh = {f"o{step}.{index}": wording() for index in range(chance.integers(1, 4))}
                await tx.records.add([observation(id) for id in fresh], list(fresh.values()))
                standing |= fresh
                for id in chance.choice(sorted(standing), size=min(2, len(standing)), replace=False).tolist():
                    if chance.random() < 0.4:
                        await tx.records.erase(id)
                        del standing[id]
                    else:
                        standing[id] = wording()
                        await tx.records.change(id, Change(text="other"), at=START + DAY, terms=standing[id])
        await self._assert_index(store, {id: words for id, words in standing.items() if words is not None})

    async def test_a_term_is_found_in_each_of_thousands_of_wordings(self, store: Store) -> None:
        documents = await put(store, *(observation(f"o{index:04}") for index in range(2_100)))
        async with store.begin(Caller(scope=HOME)) as tx:
            for index in (0, 1_023, 1_024, 2_099):
                await tx.records.erase(f"o{index:04}")
        left = [document for index, document in enumerate(documents) if index not in (0, 1_023, 1_024, 2_099)]
        async with store.snapshot(Caller(scope=HOME)) as tx:
            shard = (await tx.texts.statistics())[0].shard
            found = (await tx.texts.postings([(shard, "quartz")]))[shard, "quartz"]
            assert sorted(found.documents.tolist()) == left
            assert await tx.texts.frequencies(["quartz"]) == {(shard, "quartz"): len(left)}
            assert await tx.texts.statistics() == [
                TextStatistics(shard=shard, documents=len(left), mean_length=1.0),
            ]

    async def test_another_scopes_wordings_do_not_show_in_the_statistics(self, store: Store) -> None:
        await put(store, observation("mine", text="quartz basalt"))
        await store.serving_generation(SPACE)
        before = await portrait(store, HOME)
        await put(store, *(observation(f"o{index}", scope=STRANGER, text="quartz slate") for index in range(20)))
        assert await portrait(store, HOME) == before

    async def test_shared_wordings_are_told_by_shard(self, store: Store) -> None:
        mine = (await put(store, observation("mine", text="quartz")))[0]
        ours = await put(store, *(observation(f"o{index}", scope=TEAM, text="quartz slate") for index in range(3)))
        async with store.snapshot(Caller(scope=HOME)) as tx:
            sizes = {shard.documents: shard for shard in await tx.texts.statistics()}
            assert sizes == {
                1: TextStatistics(shard=sizes[1].shard, documents=1, mean_length=1.0),
                3: TextStatistics(shard=sizes[3].shard, documents=3, mean_length=2.0),
            }
            places = [(sizes[1].shard, "quartz"), (sizes[3].shard, "quartz"), (sizes[1].shard, "slate")]
            assert await tx.texts.frequencies(["quartz"]) == {places[0]: 1, places[1]: 3}
            found = await tx.texts.postings(places)
        assert {place: part.documents.tolist() for place, part in found.items()} == {places[0]: [mine], places[1]: ours}

    async def test_an_index_that_was_dropped_can_be_built_again_as_it_was(self, store: Store) -> None:
        documents = await put(store, observation("a", text="quartz basalt"), observation("b", text="slate"))
        await embed(store, HOME, documents, directions(2))
        before = await portrait(store, HOME)
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.upkeep.drop_index()
            assert await tx.texts.statistics() == []
            for record, held in await tx.upkeep.indexed(after="", limit=9):
                assert held is None
                await tx.upkeep.index(record.id, terms(record.text))
        assert await portrait(store, HOME) == before
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.upkeep.faults() == []
            assert [held for _, held in await tx.upkeep.indexed(after="", limit=9)] == [
                terms("quartz basalt"),
                terms("slate"),
            ]

    # Vectors

    async def test_the_nearest_to_a_wordings_vector_is_that_wording(self, store: Store) -> None:
        documents = await put(store, *(observation(f"o{index}") for index in range(20)))
        rows = directions(20)
        generation = await embed(store, HOME, documents, rows)
        async with store.snapshot(Caller(scope=HOME)) as tx:
            found = [await tx.vectors.nearest(row, generation=generation, limit=1, among=None) for row in rows]
        assert [near.documents.tolist() for near in found] == [[document] for document in documents]
        assert [float(near.cosines[0]) for near in found] == pytest.approx([1.0] * 20, abs=ROUNDING)

    async def test_near_wordings_come_in_the_order_of_their_cosine(self, store: Store) -> None:
        documents = await put(store, *(observation(f"o{index}") for index in range(30)))
        rows, query = directions(30), directions(1, seed=2)[0]
        generation = await embed(store, HOME, documents, rows)
        async with store.snapshot(Caller(scope=HOME)) as tx:
            near = await tx.vectors.nearest(query, generation=generation, limit=12, among=None)
        exact = dict(zip(documents, (rows @ query).tolist(), strict=True))
        assert (near.documents.dtype, near.cosines.dtype) == (np.int64, np.float32)
        assert near.documents.tolist() == sorted(documents, key=lambda document: -exact[document])[:12]
        assert near.cosines.tolist() == sorted(near.cosines.tolist(), reverse=True)
        assert near.cosines == pytest.approx([exact[document] for document in near.documents.tolist()], abs=ROUNDING)

    async def test_the_cosine_of_a_wording_is_that_of_its_best_piece(self, store: Store) -> None:
        documents = await put(store, observation("a"), observation("b"), observation("bare"))
        rows, query = directions(7), directions(1, seed=2)[0]
        generation = (await store.serving_generation(SPACE)).number
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.vectors.add({documents[0]: rows[:4]}, generation=generation)
            await tx.vectors.add({documents[1]: rows[4:]}, generation=generation)
        best = [float((rows[:4] @ query).max()), float((rows[4:] @ query).max())]
        asked = np.array([documents[2], documents[1], documents[0]])
        async with store.snapshot(Caller(scope=HOME)) as tx:
            near = await tx.vectors.nearest(query, generation=generation, limit=9, among=None)
            cosines = await tx.vectors.cosines(query, asked, generation=generation)
        assert sorted(near.documents.tolist()) == documents[:2]
        assert dict(zip(near.documents.tolist(), near.cosines.tolist(), strict=True)) == pytest.approx(
            dict(zip(documents[:2], best, strict=True)), abs=ROUNDING
        )
        assert cosines.dtype == np.float32
        assert cosines == pytest.approx([np.nan, best[1], best[0]], abs=ROUNDING, nan_ok=True)

    async def test_cosines_are_told_to_a_reader_who_searched_for_nothing(self, store: Store) -> None:
        documents = await put(store, observation("a"))
        generation = await embed(store, HOME, documents, directions(1))
        async with store.snapshot(Caller(scope=HOME)) as tx:
            cosines = await tx.vectors.cosines(directions(1)[0], np.array(documents), generation=generation)
            none = await tx.vectors.cosines(directions(1)[0], np.empty(0, dtype=np.int64), generation=generation)
        assert cosines == pytest.approx([1.0], abs=ROUNDING)
        assert none.tolist() == []

    async def test_only_the_wordings_that_were_asked_about_are_near(self, store: Store) -> None:
        documents = await put(store, *(observation(f"o{index}") for index in range(9)))
        shared = await put(store, observation("shared", scope=TEAM))
        rows = directions(10)
        generation = await embed(store, HOME, documents, rows[:9])
        await embed(store, TEAM, shared, rows[9:])
        async with store.snapshot(Caller(scope=HOME)) as tx:
            found = {
                among: (
                    await tx.vectors.nearest(
                        rows[0], generation=generation, limit=9, among=np.array(among, dtype=np.int64)
                    )
                ).documents.tolist()
                for among in ((), (documents[4],), (documents[2], shared[0]), tuple(documents[1:]))
            }
        assert {among: sorted(near) for among, near in found.items()} == {among: sorted(among) for among in found}

    async def test_a_wording_waits_for_its_vectors_until_it_has_them(self, store: Store) -> None:
        documents = await put(store, *(observation(f"o{index}") for index in range(5)))
        await put(store, observation("theirs", scope=STRANGER))
        generation = (await store.serving_generation(SPACE)).number

        async def missing(limit: int = 9, after: int = 0) -> list[int]:
            async with store.snapshot(Caller(scope=HOME)) as tx:
                found = await tx.vectors.missing(generation=generation, limit=limit, after=after)
            assert [item.record for item in found] == [
                observation(f"o{documents.index(item.document)}") for item in found
            ]
            return [item.document for item in found]

        assert await missing() == documents
        assert await missing(limit=2) == documents[:2]
        assert await missing(after=documents[2]) == documents[3:]
        async with store.begin(Caller(scope=HOME)) as tx:
            for document in (documents[1], documents[4]):
                assert await tx.vectors.add({document: directions(2)}, generation=generation)
        assert await missing() == [documents[0], documents[2], documents[3]]

    async def test_a_change_that_leaves_the_words_leaves_their_vectors(self, store: Store) -> None:
        documents = await put(store, observation("a", text="quartz"))
        generation = await embed(store, HOME, documents, directions(1))
        for step, change in enumerate((Change(importance=0.9, tags=("t",)), Change(text="basalt"))):
            async with store.begin(Caller(scope=HOME)) as tx:
                await tx.records.change("a", change, at=START + (step + 1) * DAY, terms=terms(change.text or "quartz"))
                near = await tx.vectors.nearest(directions(1)[0], generation=generation, limit=9, among=None)
                assert near.documents.tolist() == (documents if change.leaves_words else [])
                kept = (await tx.wordings.passing(Filter())).tolist() == documents
                assert kept is change.leaves_words
                frequencies = await tx.texts.frequencies(["quartz", "basalt"])
                assert [word for _, word in frequencies] == ["quartz" if kept else "basalt"]

    async def test_vectors_of_a_wording_replace_the_ones_before(self, store: Store) -> None:
        document = (await put(store, observation("o")))[0]
        rows = directions(2)
        generation = await embed(store, HOME, [document], rows[:1])
        async with store.begin(Caller(scope=HOME)) as tx:
            assert await tx.vectors.add({document: rows[1:]}, generation=generation)
            near = await tx.vectors.nearest(rows[0], generation=generation, limit=9, among=None)
        assert near.documents.tolist() == [document]
        assert near.cosines.tolist() == pytest.approx([float(rows[0] @ rows[1])], abs=ROUNDING)

    async def test_vectors_are_given_back_by_wording_in_pages(self, store: Store) -> None:
        documents = await put(store, *(observation(f"o{index}") for index in range(4)))
        theirs = await put(store, observation("theirs", scope=STRANGER))
        rows = directions(5)
        generation = await embed(store, HOME, documents[:3], rows[:3])
        await embed(store, STRANGER, theirs, rows[3:4])
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.vectors.add({documents[1]: rows[3:5]}, generation=generation)
        async with store.snapshot(Caller(scope=HOME)) as tx:
            first = await tx.vectors.embedded(generation=generation, limit=2)
            rest = await tx.vectors.embedded(generation=generation, limit=2, after=first[-1].document)
            none = await tx.vectors.embedded(generation=generation + 1, limit=9)
        assert [item.document for item in (*first, *rest)] == documents[:3]
        assert np.allclose(first[0].pieces, rows[:1], atol=ROUNDING)
        assert np.allclose(np.sort(first[1].pieces, axis=0), np.sort(rows[3:5], axis=0), atol=ROUNDING)
        assert none == []

    async def test_a_transaction_tells_which_wordings_it_retired(self, store: Store) -> None:
        documents = await put(store, observation("changed"), observation("erased"), observation("stands"))
        async with store.begin(Caller(scope=HOME)) as tx:
            assert list(tx.records.retired) == []
            await tx.records.change("changed", Change(text="basalt"), at=START + DAY, terms=None)
            await tx.records.erase("erased")
        assert list(tx.records.retired) == documents[:2]

    async def test_a_wording_that_is_gone_takes_no_vectors(self, store: Store) -> None:
        documents = await put(store, observation("changed"), observation("erased"))
        generation = (await store.serving_generation(SPACE)).number
        await self._reword(store, "changed", "basalt")
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.records.erase("erased")
            for document in (*documents, 12_345):
                assert not await tx.vectors.add({document: directions(1)}, generation=generation)
        assert (await self._row_counts(store))["vectors"] == 0

    async def test_a_wording_that_is_gone_takes_no_place_among_the_nearest(self, store: Store) -> None:
        documents = await put(store, observation("changed"), observation("erased"), observation("stands"))
        rows = directions(3)
        generation = await embed(store, HOME, documents, rows)
        query = rows[0] + rows[1]
        query /= np.linalg.norm(query)
        async with store.snapshot(Caller(scope=HOME)) as tx:
            before = await tx.vectors.nearest(query, generation=generation, limit=2, among=None)
        assert sorted(before.documents.tolist()) == documents[:2]
        await self._reword(store, "changed", "basalt")
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.records.erase("erased")
        async with store.snapshot(Caller(scope=HOME)) as tx:
            after = await tx.vectors.nearest(query, generation=generation, limit=2, among=None)
            cosines = await tx.vectors.cosines(query, np.array(documents), generation=generation)
        assert after.documents.tolist() == [documents[2]]
        assert np.isnan(cosines).tolist() == [True, True, False]

    async def test_vectors_that_were_rolled_back_are_never_near(self, store: Store) -> None:
        documents = await put(store, observation("a"), observation("b"))
        rows = directions(2)
        generation = (await store.serving_generation(SPACE)).number
        with pytest.raises(_Spilt):
            async with store.begin(Caller(scope=HOME)) as tx:
                await tx.vectors.add({documents[0]: rows[:1]}, generation=generation)
                await tx.vectors.nearest(rows[0], generation=generation, limit=1, among=None)
                raise _Spilt
        await embed(store, HOME, documents[1:], rows[1:])
        async with store.snapshot(Caller(scope=HOME)) as tx:
            near = await tx.vectors.nearest(rows[0], generation=generation, limit=9, among=None)
        assert near.documents.tolist() == documents[1:]

    async def test_the_nearest_of_very_many_are_nearly_always_the_true_ones(self, store: Store) -> None:
        count = self.many // PIECES
        documents = np.array(await put(store, *(observation(f"o{index}") for index in range(count))))
        # Texts gather around subjects; directions without any structure would be nothing like them.
        near_what = directions(60, seed=3, dimension=WIDE)[np.random.default_rng(4).integers(0, 60, size=self.many)]
        rows = near_what + 0.7 * directions(self.many, seed=5, dimension=WIDE)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        generation = (await store.serving_generation(replace(SPACE, dimension=WIDE))).number
        async with store.begin(Caller(scope=HOME)) as tx:
            pieces = dict(zip(documents.tolist(), np.split(rows, count), strict=True))
            assert await tx.vectors.add(pieces, generation=generation) == set(pieces)
        asked = rows[::count]
        queries = asked + 0.3 * directions(len(asked), seed=6, dimension=WIDE)
        queries /= np.linalg.norm(queries, axis=1, keepdims=True)
        exact = (queries @ rows.T).reshape(len(queries), count, PIECES).max(axis=2)
        best = documents[np.argsort(-exact, axis=1)[:, :10]]
        some = documents[::3]
        async with store.snapshot(Caller(scope=HOME)) as tx:
            found = [
                (await tx.vectors.nearest(query, generation=generation, limit=10, among=None)).documents
                for query in queries
            ]
            among = await tx.vectors.nearest(queries[0], generation=generation, limit=10, among=some)
            cosines = await tx.vectors.cosines(queries[0], some, generation=generation)
        hits = [len(set(ours.tolist()) & set(true.tolist())) for ours, true in zip(found, best, strict=True)]
        assert sum(hits) >= 0.99 * 10 * len(queries)
        assert cosines == pytest.approx(exact[0, ::3], abs=ROUNDING)
        assert set(among.documents.tolist()) <= set(some.tolist())
        assert among.cosines == pytest.approx(np.sort(exact[0, ::3])[::-1][:10], abs=ROUNDING)

    # Generations

    async def test_the_first_generation_serves_at_once_and_stays(self, store: Store) -> None:
        assert await store.generations() == []
        first = await store.serving_generation(SPACE)
        assert first == Generation(number=first.number, space=SPACE, state=SpaceState.ACTIVE)
        assert await store.serving_generation(OTHER_SPACE) == first
        assert await store.generations() == [first]

    async def test_a_generation_is_built_beside_the_one_that_serves_and_then_takes_over(self, store: Store) -> None:
        documents = await put(store, observation("a"), observation("b"), observation("late"))
        rows = directions(2)
        old = await store.serving_generation(SPACE)
        await embed(store, HOME, documents[:2], rows)
        new = await store.start_generation(OTHER_SPACE)
        assert new == Generation(number=new.number, space=OTHER_SPACE, state=SpaceState.BUILDING)
        assert await store.generations() == [old, new]
        async with store.begin(Caller(scope=HOME)) as tx:
            missing = await tx.vectors.missing(generation=new.number, limit=9)
            assert [item.document for item in missing] == documents
            for document, row in zip(documents, rows[::-1], strict=False):
                assert await tx.vectors.add({document: row[None, :]}, generation=new.number)
        async with store.snapshot(Caller(scope=HOME)) as tx:
            serving = await tx.vectors.nearest(rows[0], generation=old.number, limit=1, among=None)
            built = await tx.vectors.nearest(rows[0], generation=new.number, limit=1, among=None)
            assert (serving.documents.tolist(), built.documents.tolist()) == ([documents[0]], [documents[1]])
        await store.switch_generation(new.number)
        assert await store.generations() == [replace(new, state=SpaceState.ACTIVE)]
        assert (await self._row_counts(store))["vectors"] == 2
        async with store.snapshot(Caller(scope=HOME)) as tx:
            gone = await tx.vectors.nearest(rows[0], generation=old.number, limit=1, among=None)
            serves = await tx.vectors.nearest(rows[0], generation=new.number, limit=1, among=None)
            missing = await tx.vectors.missing(generation=new.number, limit=9)
            assert (gone.documents.tolist(), serves.documents.tolist()) == ([], [documents[1]])
            assert [item.document for item in missing] == documents[2:]
            assert await tx.upkeep.faults() == []

    async def test_a_generation_that_is_gone_cannot_take_over(self, store: Store) -> None:
        first = await store.serving_generation(SPACE)
        with pytest.raises(Conflict):
            await store.switch_generation(first.number + 1)
        assert await store.generations() == [first]

    async def test_a_half_built_generation_is_dropped_and_a_serving_one_is_not(self, store: Store) -> None:
        documents = await put(store, observation("a"))
        first = await store.serving_generation(SPACE)
        await embed(store, HOME, documents, directions(1))
        half = await store.start_generation(OTHER_SPACE)
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.vectors.add({documents[0]: directions(2)}, generation=half.number)
        await store.drop_generation(half.number)
        await store.drop_generation(first.number)
        assert await store.generations() == [first]
        assert (await self._row_counts(store))["vectors"] == 1
        assert (await store.start_generation(OTHER_SPACE)).number not in (first.number, half.number)

    # Keys, audit, sessions

    async def test_an_idempotency_key_is_remembered_in_its_own_scope(self, store: Store) -> None:
        first = Remembered(key="k", request="r1", outcome=Outcome.CREATED, record="a")
        second = Remembered(key="k", request="r2", outcome=Outcome.UPDATED, record="b")
        for scope, remembered in ((HOME, first), (TEAM, second)):
            async with store.begin(Caller(scope=scope)) as tx:
                await tx.keys.add(remembered, at=START)
        found: list[Remembered | None] = []
        for scope in (HOME, TEAM, STRANGER):
            async with store.snapshot(Caller(scope=scope)) as tx:
                found.append(await tx.keys.find("k"))
        assert found == [first, second, None]
        with pytest.raises(RemembrancerError):
            async with store.begin(Caller(scope=HOME)) as tx:
                await tx.keys.add(second, at=START)

    async def test_audit_entries_are_counted_for_the_exact_scope(self, store: Store) -> None:
        for scope, entries in ((HOME, [entry("a"), entry("b")]), (STRANGER, [entry()]), (RIVAL, [entry("a")])):
            async with store.begin(Caller(scope=scope)) as tx:
                await tx.audit.add(entries)
        counted: dict[Scope, int] = {}
        for scope in (HOME, HOUSE, STRANGER, RIVAL, Scope(tenant="nobody")):
            async with store.snapshot(Caller(scope=scope)) as tx:
                counted[scope] = await tx.audit.count()
        assert counted == {HOME: 2, HOUSE: 0, STRANGER: 1, RIVAL: 1, Scope(tenant="nobody"): 0}

    async def test_each_audit_row_names_the_hash_of_the_one_before_it(self, store: Store) -> None:
        for scope in (HOME, RIVAL, STRANGER, HOME):
            async with store.begin(Caller(scope=scope)) as tx:
                await tx.audit.add([entry("a"), entry(None)])
        rows = await self.rows(store, "SELECT tenant, previous, hash FROM audit ORDER BY sequence")
        for tenant, count in (("acme", 6), ("rival", 2)):
            chain = [(previous, hash) for row, previous, hash in rows if row == tenant]
            hashes = [hash for _, hash in chain]
            assert len(set(hashes)) == count
            assert [previous for previous, _ in chain] == ["0" * 64, *hashes[:-1]]

    async def test_the_audit_log_names_nothing_in_clear_but_the_tenant(self, store: Store) -> None:
        scope = Scope(tenant="acme", project="projectname", agent="agentname", user="username")
        async with store.begin(Caller(scope=scope)) as tx:
            await tx.audit.add([entry("recordname")])
        async with store.begin(Caller(scope=replace(scope, user=None))) as tx:
            await tx.audit.add([entry("recordname")])
        rows = await self.rows(store, "SELECT * FROM audit")
        marks = await self.rows(store, "SELECT subject, record FROM audit")
        assert not [name for name in ("projectname", "agentname", "username", "recordname") if name in str(rows)]
        # The same record under another scope's key reads otherwise: entries cannot be joined across subjects.
        assert len({mark for row in marks for mark in row}) == 4

    async def test_a_session_reads_back_as_it_was_put(self, store: Store) -> None:
        first = replace(session("s"), named=False, record=False)
        ended = replace(
            first,
            status=SessionStatus.COMPLETED,
            last_activity_at=START + DAY,
            ended_at=START + DAY,
            record=True,
        )
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.sessions.put(first)
            assert await tx.sessions.find("s") == first
            assert await tx.sessions.unnamed() == first
            assert await tx.sessions.take_numbers("s", 3, tokens=30) == 1
            assert await tx.sessions.take_numbers("s", 1, tokens=5) == 4
            # The count is the store's own: putting a session cannot take numbers back.
            await tx.sessions.put(replace(ended, messages=1))
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.sessions.find("s") == replace(ended, messages=4, tokens=35)
            assert await tx.sessions.unnamed() is None

    async def test_a_scope_has_one_active_session_that_nobody_named(self, store: Store) -> None:
        first, second = (replace(session(id), named=False) for id in "ab")
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.sessions.put(session("named"))
            assert await tx.sessions.unnamed() is None
            await tx.sessions.put(first)
        with pytest.raises(RemembrancerError):
            async with store.begin(Caller(scope=HOME)) as tx:
                await tx.sessions.put(second)
        async with store.begin(Caller(scope=STRANGER)) as tx:
            await tx.sessions.put(replace(second, scope=STRANGER))
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.sessions.unnamed() == first

    async def test_sessions_are_listed_latest_active_first(self, store: Store) -> None:
        active = {"b": 2, "a": 2, "old": 0, "new": 5}
        async with store.begin(Caller(scope=HOME)) as tx:
            for id, days in active.items():
                await tx.sessions.put(session(id, at=START + days * DAY))
            await tx.sessions.put(replace(session("over"), status=SessionStatus.COMPLETED, ended_at=START))
        async with store.snapshot(Caller(scope=HOME)) as tx:
            listed = await tx.sessions.list(limit=3)
            stale = await tx.sessions.stale(before=START + 2 * DAY)
            none = await tx.sessions.stale(before=START)
        assert listed == [session(id, at=START + active[id] * DAY) for id in ("new", "a", "b")]
        assert stale == [session("old")]
        assert none == []

    # Work

    async def test_what_is_due_is_told_by_tenant_and_purpose(self, store: Store) -> None:
        await store.serving_generation(SPACE)
        (document,) = await put(store, observation("o"))
        await put(store, observation("r", scope=RIVAL))
        async with store.begin(Caller(scope=STRANGER)) as tx:
            await tx.sessions.put(session("old", scope=STRANGER))
        async with store.begin(Caller(scope=RIVAL)) as tx:
            await tx.sessions.put(session("fresh", scope=RIVAL, at=START + 2 * DAY))
        embed_home, embed_rival = (Due(tenant=tenant, purpose=Purpose.EMBED) for tenant in ("acme", "rival"))
        stale = Due(tenant="acme", purpose=Purpose.STALE_SESSIONS)
        later = Limits(stale_before=START + DAY)
        assert await store.due(later) == [embed_home, stale, embed_rival]
        assert await store.waiting(embed_home, later) == [HOME]
        assert await store.waiting(replace(embed_home, tenant="nobody"), later) == []
        assert await store.waiting(stale, later) == [STRANGER]
        assert await store.waiting(replace(stale, tenant="rival"), later) == []
        await embed(store, HOME, [document], directions(1))
        assert await store.due(Limits(stale_before=START)) == [embed_rival]

    async def test_messages_behind_the_cursor_are_due_to_be_observed(self, store: Store) -> None:
        observe = Due(tenant="acme", purpose=Purpose.OBSERVE)
        async with store.begin(Caller(scope=HOME)) as tx:
            for id in "ab":
                await tx.sessions.put(session(id))
                await tx.sessions.take_numbers(id, 2, tokens=60)
        limits = Limits(stale_before=START, chunk_tokens=100)
        assert await store.due(limits) == await store.waiting(observe, limits) == []
        assert await store.due(replace(limits, by_scope=True)) == [observe]
        assert await store.waiting(observe, replace(limits, by_scope=True)) == [HOME]
        assert await store.due(replace(limits, chunk_tokens=60)) == [observe]
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.chunks.add(chunk("a", 1, 2, tokens=60))
        assert await store.due(replace(limits, by_scope=True)) == []
        assert await store.due(replace(limits, chunk_tokens=60)) == [observe]
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert [found.id for found in await tx.sessions.unobserved(tokens=1)] == ["b"]
            assert await tx.sessions.unobserved(tokens=61) == []

    async def test_a_log_that_has_grown_is_due_to_be_reflected_on(self, store: Store) -> None:
        reflect = Due(tenant="acme", purpose=Purpose.REFLECT)
        async with store.begin(Caller(scope=HOME)) as tx:
            assert await tx.logs.find("s") == Log(session="s")
            await tx.logs.put(Log(session="s", places=2, tokens=10, fresh=10))
            await tx.logs.put(Log(session="s", places=7, tokens=50, fresh=4))
        limits = Limits(stale_before=START, log_tokens=50, fresh_tokens=4)
        assert await store.due(limits) == [reflect]
        assert await store.waiting(reflect, limits) == [HOME]
        assert await store.due(replace(limits, fresh_tokens=5)) == []
        assert await store.due(replace(limits, log_tokens=51)) == []
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.logs.list(tokens=50, fresh=4) == [await tx.logs.find("s")]
            assert await tx.logs.list(tokens=50, fresh=5) == []
        async with store.snapshot(Caller(scope=STRANGER)) as tx:
            assert await tx.logs.find("s") == Log(session="s")

    # Injections

    async def test_what_was_put_before_an_agent_is_told_by_session(self, store: Store) -> None:
        first, later = injection("b", "a"), injection("c", at=START + DAY, shown=False)
        elsewhere = injection("d", session="other")
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.injections.add([first, later, elsewhere])
            await tx.injections.add([first])
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.injections.list("s", limit=9) == [later, first]
            assert await tx.injections.list("s", limit=2) == [later, replace(first, records=("b",))]
            assert await tx.injections.list("other", limit=9) == [elsewhere]
        async with store.snapshot(Caller(scope=STRANGER)) as tx:
            assert await tx.injections.list("s", limit=9) == []

    async def test_an_erased_memory_was_put_before_nobody(self, store: Store) -> None:
        await put(store, message("m"), message("n", number=2))
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.injections.add([injection("m", "n")])
            await tx.records.erase("m")
            assert [one.records for one in await tx.injections.list("s", limit=9)] == [("n",)]

    # Learning

    async def test_what_is_done_and_what_holds_reads_back_with_every_detail(self, store: Store) -> None:
        covers = replace(episode("week", tier=Tier.WEEKLY), evidence=("raw",))
        records: list[Record] = [
            episode("raw"), covers, episode("nobody", contact=""), signal("s"), fact("f"), procedure("p"), learned("l"),
        ]  # fmt: skip
        await put(store, *records)
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert [await tx.records.find(record.id) for record in records] == records

    async def test_details_are_kept_by_version(self, store: Store) -> None:
        before = fact("f")
        await put(store, before)
        details = replace(before.details, value={"to": ["all", 1, None]}, valid_to=START + 9 * DAY)
        async with store.begin(Caller(scope=HOME)) as tx:
            changed = await tx.records.change("f", Change(details=details), at=START + 2 * DAY, terms=None)
            assert isinstance(changed, Fact)
            assert changed.details == details
            assert await tx.versions.at("f", START + DAY) == before
            assert await tx.versions.at("f", START + 3 * DAY) == changed

    async def test_episodes_are_told_by_contact_tier_and_time(self, store: Store) -> None:
        raw = [episode(f"r{number}", at=START + number * DAY) for number in range(4)]
        month = episode("m", tier=Tier.MONTHLY, at=START + 9 * DAY)
        await put(store, *raw, month, episode("q", contact="Quinn"), episode("n", contact=""))
        until = START + 3 * DAY
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.episodes.contacts(Tier.RAW, until=until, at_least=1) == ["", "bertelli", "quinn"]
            assert await tx.episodes.contacts(Tier.RAW, until=until, at_least=2) == ["bertelli"]
            assert await tx.episodes.contacts(Tier.WEEKLY, until=until, at_least=1) == []

            async def changed(days: int) -> list[str]:
                return await tx.episodes.contacts(Tier.RAW, until=until, at_least=1, changed_since=START + days * DAY)

            assert [await changed(days) for days in (0, 1, 3)] == [["", "bertelli", "quinn"], ["bertelli"], []]

            async def page(after: tuple[datetime, str] | None, limit: int) -> list[Episode]:
                return await tx.episodes.with_contact("bertelli", Tier.RAW, until=until, after=after, limit=limit)

            assert await page(None, 9) == raw[:3]
            assert await page((raw[0].occurred_at, "r0"), 1) == raw[1:2]
            assert await tx.episodes.latest("bertelli", limit=2) == [month, raw[3]]
            assert len(await tx.episodes.latest(None, limit=99)) == 7

    async def test_what_is_read_in_full_is_told_by_key_and_status(self, store: Store) -> None:
        first, second, other = fact("a"), fact("b", value="warm"), fact("c", key="else")
        rule, seen = procedure("p"), learned("l")
        await put(store, first, second, other, rule, seen, observation("o"))
        async with store.begin(Caller(scope=HOME)) as tx:
            assert await tx.facts.by_key("contact/bertelli/tone") == [first, second]
            assert await tx.facts.in_status((Status.ACTIVE,)) == [first, second, other]
            assert await tx.observations.learned((Status.ACTIVE,)) == [seen]
            await tx.records.change("l", Change(status=Status.REJECTED), at=START + DAY, terms=None)
            await tx.records.change("p", Change(status=Status.PAUSED), at=START + DAY, terms=None)
            assert await tx.observations.learned((Status.ACTIVE,)) == []
            assert [one.id for one in await tx.observations.learned((Status.REJECTED,))] == ["l"]
            assert await tx.procedures.in_status((Status.ACTIVE,)) == []
            assert [one.id for one in await tx.procedures.in_status((Status.PAUSED,))] == ["p"]

    async def test_the_status_before_is_told_without_those_that_do_not_count(self, store: Store) -> None:
        await put(store, learned("l"))
        async with store.begin(Caller(scope=HOME)) as tx:
            assert await tx.versions.status_before("l") is Status.ACTIVE
            for status in (Status.REJECTED, Status.DELETED, Status.REJECTED):
                await tx.records.change("l", Change(status=status), at=START + DAY, terms=None)
            assert await tx.versions.status_before("l") is Status.DELETED
            put_aside = (Status.REJECTED, Status.DELETED)
            assert await tx.versions.status_before("l", apart_from=put_aside) is Status.ACTIVE

    async def test_what_leaves_its_status_leaves_the_indexes(self, store: Store) -> None:
        (document,) = await put(store, learned("l"))
        generation = await embed(store, HOME, [document], directions(1))
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.records.change("l", Change(status=Status.REJECTED), at=START + DAY, terms=None)
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert (await tx.wordings.passing(EVERYTHING)).tolist() == []
            near = await tx.vectors.nearest(directions(1)[0], generation=generation, limit=9, among=None)
            assert near.documents.tolist() == []

    async def test_what_is_of_little_importance_fades_though_nothing_of_it_is_found(self, store: Store) -> None:
        records = [replace(observation(id), importance=share) for id, share in (("a", 0.05), ("b", 0.5), ("c", 0.01))]
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.records.add(records, [None, None, terms("quartz")])
            stands = await tx.standings.find("c")
            assert stands is not None
            await tx.standings.put([replace(stands, pinned=True)])
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.standings.faded(below=0.1, before=START + DAY) == ["a"]
            assert await tx.standings.faded(below=0.6, before=START) == []
            assert await tx.standings.faded(below=0.6, before=START + DAY) == ["a", "b"]

    async def test_nights_verdicts_and_moves_read_back_and_go_with_their_record(self, store: Store) -> None:
        await put(store, learned("l"))
        begun, done = night(), replace(night(step=Step.DETECT, observed=2), notes=("a note",))
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.nights.put(begun)
            await tx.nights.put(done)
            await tx.verdicts.put(verdict("l"))
            await tx.verdicts.put(verdict("l", says=Verdict.WRONG, at=START + DAY))
            await tx.verdicts.put(verdict("l", person="ben"))
            await tx.weights.add(move("l"))
        async with store.begin(Caller(scope=HOME)) as tx:
            assert await tx.nights.find(START.date()) == done == await tx.nights.latest()
            assert await tx.verdicts.of("l") == [
                verdict("l", person="ben"), verdict("l", says=Verdict.WRONG, at=START + DAY),
            ]  # fmt: skip
            await tx.verdicts.withdraw("l", (Verdict.WRONG,))
            assert await tx.verdicts.of("l") == [verdict("l", person="ben")]
            assert await tx.weights.of("l") == [move("l")] == await tx.weights.within("s")
            await tx.records.erase("l")
            assert [await tx.verdicts.of("l"), await tx.weights.of("l")] == [[], []]

    async def test_the_night_before_a_day_is_the_last_one_that_began_before_it(self, store: Store) -> None:
        first, second = night(), replace(night(), day=START.date() + 2 * DAY)
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.nights.put(first)
            await tx.nights.put(second)
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.nights.latest() == second
            assert await tx.nights.latest(before=second.day) == first
            assert await tx.nights.latest(before=first.day) is None

    async def test_deeds_since_a_time_are_those_that_came_occurred_or_changed(self, store: Store) -> None:
        def since(tx: Tx, days: int) -> Awaitable[bool]:
            return tx.nights.deeds_since(START + days * DAY, until=START + 99 * DAY)

        await put(store, replace(fact("f"), updated_at=START + 9 * DAY), episode("e"))
        async with store.begin(Caller(scope=HOME)) as tx:
            assert [await since(tx, days) for days in (-1, 1)] == [True, False]
            await tx.records.change("e", Change(status=Status.SUPERSEDED_RAW), at=START + 2 * DAY, terms=None)
            assert [await since(tx, days) for days in (1, 3)] == [True, False]
        await put(store, replace(signal("s"), occurred_at=START + 4 * DAY))
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert [await since(tx, days) for days in (3, 5)] == [True, False]
            assert not await tx.nights.deeds_since(START + 3 * DAY, until=START + 4 * DAY)

    @pytest.mark.parametrize("outsider", OUTSIDERS.values(), ids=OUTSIDERS.keys())
    async def test_what_another_scope_has_learnt_reads_as_absent(self, store: Store, outsider: Scope) -> None:
        await put(store, episode("e"), fact("f"), procedure("p"), learned("l"), signal("s"))
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.nights.put(night())
            await tx.verdicts.put(verdict("l"))
            await tx.weights.add(move("l"))
        async with store.snapshot(Caller(scope=outsider)) as tx:
            reads: dict[str, object] = {
                "contacts": await tx.episodes.contacts(Tier.RAW, until=START + 9 * DAY, at_least=1),
                "with_contact": await tx.episodes.with_contact(
                    "bertelli", Tier.RAW, until=START + 9 * DAY, after=None, limit=9
                ),
                "latest_episodes": await tx.episodes.latest(None, limit=9),
                "facts": await tx.facts.in_status(tuple(Status)),
                "procedures": await tx.procedures.in_status(tuple(Status)),
                "by_key": await tx.facts.by_key("contact/bertelli/tone"),
                "learned": await tx.observations.learned(tuple(Status)),
                "night": await tx.nights.latest(),
                "deeds": await tx.nights.deeds_since(START - DAY, until=START + 99 * DAY),
                "verdicts": await tx.verdicts.of("l"),
                "weights": [*await tx.weights.of("l"), *await tx.weights.within("s")],
                "standing": await tx.standings.find("l"),
                "standings": await tx.standings.page(after=None, limit=9),
            }
        assert {name: value for name, value in reads.items() if value} == {}

    # Savings

    async def test_what_blocks_spared_is_told_by_session_of_the_exact_scope(self, store: Store) -> None:
        blocks = [served("a"), served("b", at=START + DAY, price=None), served("c", session="t", at=START + 2 * DAY)]
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.blocks.add(blocks)
            await tx.blocks.add(blocks[:1])
        async with store.snapshot(Caller(scope=HOME)) as tx:
            last, first = await tx.blocks.by_session(since=START, limit=9)
            assert (last.session, last.blocks, last.saving) == ("t", 1, blocks[2].cost)
            assert (first.session, first.blocks, first.unpriced, first.known) == ("s", 2, 1, True)
            assert first.saving == Saving(
                served=Expense(tokens=20, prefix=10, uncached=20, cached=16),
                whole=Expense(tokens=200, prefix=100, uncached=200, cached=150),
            )
            assert await tx.blocks.by_session(since=START, limit=1) == [last]
            _, later = await tx.blocks.by_session(since=START + DAY, limit=9)
            assert (later.session, later.blocks, later.unpriced, later.known) == ("s", 1, 1, False)
        async with store.snapshot(Caller(scope=STRANGER)) as tx:
            assert await tx.blocks.by_session(since=START, limit=9) == []

    async def test_what_blocks_spared_is_told_by_agent_of_the_tenant(self, store: Store) -> None:
        other = Scope(tenant=HOUSE.tenant, project="gemini")
        for place, scope in enumerate((HOME, replace(HOME, user="bob"), other, RIVAL)):
            async with store.begin(Caller(scope=scope)) as tx:
                await tx.blocks.add([served(f"{place}")])
        async with store.snapshot(Caller(scope=HOUSE)) as tx:
            found = await tx.blocks.by_agent(since=START)
            by = {(one.project, one.agent, one.session): one.blocks for one in found}
            assert by == {(HOME.project, HOME.agent, None): 2, ("gemini", None, None): 1}
            assert [one.project for one in found] == sorted(one.project or "" for one in found)
            assert [one.blocks for one in await tx.blocks.by_agent(since=START, project="gemini")] == [1]
            assert [one.blocks for one in await tx.blocks.by_agent(since=START, agent=HOME.agent)] == [2]
            assert await tx.blocks.by_agent(since=START + DAY) == []

    # Observing

    async def test_a_chunk_moves_the_cursor_or_is_refused(self, store: Store) -> None:
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.sessions.put(session("s"))
            await tx.sessions.take_numbers("s", 9, tokens=90)
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
                await tx.sessions.take_numbers(id, 4, tokens=40)
                await tx.chunks.add(replace(kept, session=id))
            await tx.chunks.put(shown)
            await tx.chunks.put(replace(shown, first=2, task="nothing stands here"))
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.chunks.find("s", 1) == shown
            assert await tx.chunks.find("s", 2) is None
            assert await tx.chunks.list(None) == [replace(kept, session="r"), shown]
            assert await tx.chunks.failed(limit=9) == [shown]
            assert await tx.chunks.failed(limit=0) == []

    async def test_the_log_holds_what_is_active_and_has_a_place(self, store: Store) -> None:
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
            await _add(tx, *ours)
            found = {
                "session": await tx.observations.in_log("s"),
                "scope": await tx.observations.in_log(None),
                "noted": await tx.observations.noted("s", 1, 2),
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

    async def test_an_observation_takes_its_place_when_it_is_shown(self, store: Store) -> None:
        await put(store, replace(observation("o", text="quartz"), status=Status.BUFFERED, session="s"))
        async with store.begin(Caller(scope=HOME)) as tx:
            assert await tx.texts.frequencies(["quartz"]) == {}
            shown = await tx.records.change(
                "o", Change(status=Status.ACTIVE, place=4), at=START + DAY, terms=terms("quartz")
            )
            assert shown == await tx.records.find("o")
            assert isinstance(shown, Observation)
            assert (shown.place, shown.status) == (4, Status.ACTIVE)
            assert list((await tx.texts.frequencies(["quartz"])).values()) == [1]

    async def test_one_holder_at_a_time_has_a_lease(self, store: Store) -> None:
        assert await store.lease("work", holder="first", seconds=60)
        assert not await store.lease("work", holder="second", seconds=60)
        assert await store.lease("other work", holder="second", seconds=60)
        assert await store.lease("work", holder="first", seconds=60)
        await store.release("work", holder="second")
        assert not await store.lease("work", holder="second", seconds=60)
        await store.release("work", holder="first")
        assert await store.lease("work", holder="second", seconds=60)

    async def test_a_lease_runs_out(self, store: Store) -> None:
        assert await store.lease("work", holder="dead", seconds=0.01)
        await anyio.sleep(0.05)
        assert await store.lease("work", holder="heir", seconds=60)
        assert not await store.lease("work", holder="dead", seconds=60)

    async def test_of_many_that_want_a_lease_one_gets_it(self, store: Store) -> None:
        taken: list[str] = []

        async def want(holder: str) -> None:
            if await store.lease("work", holder=holder, seconds=60):
                taken.append(holder)

        async with anyio.create_task_group() as tasks:
            for number in range(8):
                tasks.start_soon(want, f"holder {number}")
        assert len(taken) == 1

    async def test_waiting_for_a_hint_ends(self, store: Store) -> None:
        with anyio.fail_after(PATIENCE):
            await store.hint()
            await store.hinted(0.05)

    # The store

    async def test_a_store_that_was_only_used_has_no_faults(self, store: Store) -> None:
        await store.serving_generation(SPACE)
        async with store.begin(Caller(scope=HOME)) as tx:
            await _write_everything(tx)
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.upkeep.faults() == []

    async def test_a_fingerprint_is_steady_and_unlike_that_of_another_text(self, store: Store) -> None:
        assert store.sign("quartz") == store.sign("quartz")
        assert store.sign("quartz") != store.sign("basalt")
        assert bytes.fromhex(store.sign("quartz"))

    async def test_a_store_takes_room(self, store: Store) -> None:
        before = await store.size()
        await put(store, *(observation(f"o{index}", text="quartz " * 200) for index in range(200)))
        assert 0 < before < await store.size()

    async def _reword(self, store: Store, id: str, text: str, *, at: datetime = START + DAY) -> Record:
        async with store.begin(Caller(scope=HOME)) as tx:
            change = Change(text=text, hash=f"hash of {text}", reworded=True)
            return await tx.records.change(id, change, at=at, terms=terms(text))

    async def _delete(self, store: Store, id: str, *, at: datetime = START + DAY) -> Record:
        async with store.begin(Caller(scope=HOME)) as tx:
            return await tx.records.change(id, Change(status=Status.DELETED), at=at, terms=None)

    async def _row_counts(self, store: Store) -> dict[str, int]:
        """How many rows the tables have that hold anything of a record."""
        counted = await self.rows(
            store,
            """
            SELECT 'records', COUNT(*) FROM records
            UNION ALL SELECT 'versions', COUNT(*) FROM versions
            UNION ALL SELECT 'evidence', COUNT(*) FROM evidence
            UNION ALL SELECT 'keys', COUNT(*) FROM keys
            UNION ALL SELECT 'postings', COUNT(*) FROM postings
            UNION ALL SELECT 'wordings', COUNT(*) FROM wordings
            UNION ALL SELECT 'vectors', COUNT(*) FROM vectors
            """,
        )
        return {str(table): int(count) for table, count in counted}

    async def _assert_index(self, store: Store, standing: dict[str, Terms]) -> None:
        """That the index of `HOME` holds these wordings and nothing else, by id."""
        async with store.snapshot(Caller(scope=HOME)) as tx:
            statistics = await tx.texts.statistics()
            ids = await _ids(tx, (await tx.wordings.passing(Filter())).tolist())
            shard = statistics[0].shard if statistics else 0
            frequencies = await tx.texts.frequencies(WORDS)
            postings = await tx.texts.postings([(shard, word) for word in WORDS])
        found = {
            word: {
                ids[document]: (count, length)
                for document, count, length in zip(
                    part.documents.tolist(), part.counts.tolist(), part.lengths.tolist(), strict=True
                )
            }
            for (_, word), part in postings.items()
        }
        expected = {
            word: {id: (held.counts[word], held.length) for id, held in standing.items() if word in held.counts}
            for word in WORDS
        }
        assert found == {word: places for word, places in expected.items() if places}
        assert frequencies == {(shard, word): len(places) for word, places in expected.items() if places}
        lengths = [held.length for held in standing.values()]
        assert statistics == [
            TextStatistics(shard=shard, documents=len(lengths), mean_length=sum(lengths) / len(lengths))
        ]
        assert set(ids.values()) == set(standing)
