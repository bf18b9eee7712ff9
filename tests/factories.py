"""Scopes, times, records and their side rows, each made by one call, and helpers that store and read them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from remembrancer.storage.base import Store
from remembrancer.storage.documents import TextStatistics
from remembrancer.storage.tx import Tx
from remembrancer.types.access import Caller
from remembrancer.types.archive import ImportState
from remembrancer.types.audit import AuditEntry
from remembrancer.types.calls import (
    Breaker,
    Call,
    CallOutcome,
    CallPurpose,
    CallResult,
    FailureKind,
    SentPrompt,
    ServedBlock,
    Usage,
    saving,
)
from remembrancer.types.details import (
    EpisodeDetails,
    FactCategory,
    FactDetails,
    PatternDetails,
    RuleDetails,
    SignalDetails,
)
from remembrancer.types.episode import Counts, Entity, EpisodeOutcome, Event, SignalType, Tier
from remembrancer.types.feedback import PersonVerdict, SessionOutcome, Verdict, WeightChange
from remembrancer.types.filter import Filter
from remembrancer.types.index import Space, Terms
from remembrancer.types.jobs import MaintenanceRun, MaintenanceStep
from remembrancer.types.lifecycle import LIVE, Status
from remembrancer.types.notes import Chunk, ChunkState
from remembrancer.types.pattern import Category
from remembrancer.types.record import (
    Episode,
    Fact,
    Message,
    Observation,
    Record,
    Reflection,
    Role,
    Rule,
    Signal,
    Source,
)
from remembrancer.types.results import Change, IdempotentWrite, Outcome, Version
from remembrancer.types.scope import Scope
from remembrancer.types.session import Injection, InjectionMode, Ranks, Session, SessionStatus

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
# The width of a small model's vectors.
WIDE = 128
PIECES = 20

EVERYTHING = Filter(statuses=tuple(Status))
WORDS = ("quartz", "basalt", "granite", "marble", "slate", "chalk", "flint", "shale")


class SpiltError(Exception):
    """Raised in a transaction to roll it back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Portrait:
    """Everything that a scope reads from a store, in comparable values."""

    records: tuple[Record, ...]
    counts: dict[str, int]
    versions: list[Version]
    sessions: list[Session]
    statistics: list[TextStatistics]
    frequencies: dict[tuple[int, str], int]
    postings: dict[tuple[int, str], list[tuple[int, float, float]]]
    near: list[tuple[int, float]]
    unembedded: list[int]
    key: IdempotentWrite | None
    audited: int


def terms(text: str) -> Terms:
    """Return the index terms of a text: its words."""
    words = text.casefold().split()
    return Terms(counts=Counter(words), length=len(words))


def message(id: str, *, scope: Scope = HOME, number: int = 1, at: datetime = START, text: str = "quartz") -> Message:
    """A message of session `s`."""
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
    """An observation without a session."""
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
    """An active reflection of session `s`."""
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
    """A buffered run of messages."""
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
    """An injection of records, the first found by a query."""
    told = f"injection of {' '.join(records)}"
    ranks = {records[0]: Ranks(weighted=3, unweighted=1)}
    return Injection(
        id=told, session=session, mode=InjectionMode.RECALL, shown=shown, at=at, records=records, ranks=ranks
    )


def night(day: date | None = None, *, step: MaintenanceStep | None = None, **counts: int) -> MaintenanceRun:
    """A nightly run that has begun, or has reached a step."""
    return MaintenanceRun(day=day or START.date(), step=step, counts=counts, started_at=START)


def verdict(record: str, *, person: str = "ana", says: Verdict = Verdict.RIGHT, at: datetime = START) -> PersonVerdict:
    """The verdict of a person on a record."""
    return PersonVerdict(record=record, person=person, verdict=says, at=at)


def reading(session: str = "s", *, place: str = "here", digest: str = "all of it", messages: int = 3) -> ImportState:
    """An imported conversation."""
    return ImportState(source=place, session=session, first_message="hello", digest=digest, messages=messages)


def move(record: str, *, session: str = "s", after: float = 0.85, at: datetime = START) -> WeightChange:
    """A change of weight by a rejected session."""
    return WeightChange(
        session=session, record=record, outcome=SessionOutcome.REJECTED, alpha=0.15, before=1.0, after=after, at=at
    )


def episode(
    id: str, *, contact: str = "Bertelli", at: datetime = START, tier: Tier = Tier.RAW, scope: Scope = HOME
) -> Episode:
    """An episode, compacted unless its tier is raw."""
    compact = tier is not Tier.RAW
    details = EpisodeDetails(
        event=Event.COMPACT if compact else Event.APPROVAL_MODIFIED,
        outcome=EpisodeOutcome.DONE if compact else EpisodeOutcome.MODIFIED,
        entities=(Entity(type="contact", name=contact),) if contact else (),
        attributes={} if compact else {"part": "opener", "amount": 12.5, "sent": True},
        tier=tier,
        counts=Counts(interactions=5, outcomes={"modified": 5}, asked=5) if compact else None,
        begins=START.date() if compact else None,
        ends=START.date() if compact else None,
    )
    return Episode(
        **_common(id, "shortened the opener", scope, at),
        status=Status.ACTIVE if compact else Status.RAW,
        details=details,
    )


def signal(id: str, *, at: datetime = START, scope: Scope = HOME) -> Signal:
    """A correction by a user."""
    details = SignalDetails(signal=SignalType.CORRECTION, attributes={"did": "archived", "changed_to": "flagged"})
    return Signal(**_common(id, "flagged instead of archived", scope, at), details=details)


def fact(id: str, key: str = "contact/bertelli/tone", *, value: str = "formal", scope: Scope = HOME) -> Fact:
    """A fact under a key, valid from `START`."""
    details = FactDetails(category=FactCategory.CONTACT, key=key, value=value, valid_from=START)
    return Fact(**_common(id, f"tone: {value}", scope, START), details=details)


def procedure(id: str, *, scope: Scope = HOME) -> Rule:
    """A rule with two confirmations."""
    return Rule(**_common(id, "Never use semicolons.", scope, START), details=RuleDetails(confirmations=2))


def learned(id: str, *, scope: Scope = HOME) -> Observation:
    """An observation of the detector."""
    details = PatternDetails(
        key="semicolon",
        category=Category.WRITING_STYLE,
        evidence="in 8 of 9 drafts",
        occurrences=8,
        supporting=8,
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


def served(
    id: str, *, session: str = "s", at: datetime = START, tokens: int = 10, price: int | None = 2
) -> ServedBlock:
    """A block in place of a conversation ten times as long; half of both is cached, at half the price."""
    block, whole = SentPrompt(tokens=tokens, prefix=tokens // 2), SentPrompt(tokens=10 * tokens, prefix=5 * tokens)
    cost = None if price is None else saving([block], [whole], lambda all, cached: price * (all - cached // 2))
    return ServedBlock(id=id, session=session, at=at, block=block, whole=whole, cost=cost)


def session(id: str, *, scope: Scope = HOME, at: datetime = START) -> Session:
    """An active, named session."""
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
    """An audit entry on a record."""
    return AuditEntry(action="created", kind="observation", record=record, count=1, at=START)


def call(id: str, *, at: datetime = START, project: str | None = "apollo", reserved_cost: int | None = 900) -> Call:
    """A reserved model call."""
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


BREAKER = Breaker(
    model="openai:gpt-5-nano",
    purpose=CallPurpose.OBSERVE,
    failures=1,
    opened=0,
    failing=FailureKind.AWAY,
    since=START,
    until=None,
)

SETTLED = CallResult(
    call="a", outcome=CallOutcome.OK, milliseconds=1_234, usage=Usage(prompt=500, cached=200, answer=60), cost=77
)


def directions(count: int, *, seed: int = 1, dimension: int = DIMENSION) -> NDArray[np.float32]:
    """Return `(count, dimension)` float32, unit-length rows, equal for equal seeds."""
    rows = np.random.default_rng(seed).normal(size=(count, dimension)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


async def put(store: Store, *records: Record) -> list[int]:
    """Store records of one scope, index the live ones, and return their document numbers."""
    async with store.begin(Caller(scope=records[0].scope)) as tx:
        return await add(tx, *records)


async def embed(store: Store, scope: Scope, documents: Sequence[int], rows: NDArray[np.float32]) -> int:
    """Store one vector per document in the serving generation and return its number."""
    generation = (await store.serving_generation(SPACE)).number
    async with store.begin(Caller(scope=scope)) as tx:
        pieces = {document: row[None, :] for document, row in zip(documents, rows, strict=True)}
        assert await tx.vectors.add(pieces, generation=generation) == set(pieces)
    return generation


async def portrait(store: Store, scope: Scope) -> Portrait:
    """Return everything that a scope reads from a store."""
    generation = (await store.serving_generation(SPACE)).number
    async with store.snapshot(Caller(scope=scope)) as tx:
        statistics = await tx.text_index.statistics()
        places = [(shard.scope, word) for shard in statistics for word in WORDS]
        found = await tx.text_index.postings(places)
        near = await tx.vectors.nearest(directions(1)[0], generation=generation, limit=100, among=None)
        return Portrait(
            records=(await tx.records.list(EVERYTHING, limit=100, cursor=None)).records,
            counts=await tx.records.counts(),
            versions=await tx.versions.between(known_from=START - DAY, known_to=START + 1000 * DAY),
            sessions=await tx.sessions.list(limit=100),
            statistics=sorted(statistics, key=lambda shard: shard.scope),
            frequencies=await tx.text_index.frequencies(WORDS),
            postings={
                place: sorted(zip(part.documents.tolist(), part.counts.tolist(), part.lengths.tolist(), strict=True))
                for place, part in found.items()
            },
            near=list(zip(near.documents.tolist(), near.cosines.tolist(), strict=True)),
            unembedded=[item.document for item in await tx.vectors.missing(generation=generation, limit=100)],
            key=await tx.keys.find("k"),
            audited=await tx.audit.count(),
        )


async def add(tx: Tx, *records: Record) -> list[int]:
    """Store records, index the live ones, and return their document numbers."""
    indexed = [terms(record.text) if record.status in LIVE else None for record in records]
    return await tx.records.add(records, indexed)


async def write_everything(tx: Tx) -> None:
    """Write one row of each kind."""
    await tx.sessions.put(session("s", scope=tx.scope))
    first = await tx.sessions.reserve_numbers("s", 1, tokens=7)
    said = message("m", scope=tx.scope, number=first, text="basalt")
    claim = replace(observation("o", scope=tx.scope, text="quartz marble"), evidence=("m",), topic_key="stone")
    documents = await add(tx, said, claim)
    await tx.records.change("o", Change(text="granite", reworded=True), at=START + DAY, terms=terms("granite"))
    await tx.records.record_access({"m": 2}, at=START + DAY)
    await tx.keys.add(IdempotentWrite(key="k", request="r", outcome=Outcome.CREATED, record="o"), at=START)
    await tx.audit.add([entry("o"), entry()])
    generation = 1
    assert await tx.vectors.add({documents[0]: directions(1)}, generation=generation)


async def ids_of(tx: Tx, documents: Sequence[int]) -> dict[int, str]:
    """Return the record ids of documents."""
    found = await tx.documents.headers(documents)
    return dict(zip(found.documents.tolist(), found.ids, strict=True))
