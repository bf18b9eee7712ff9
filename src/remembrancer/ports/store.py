"""Where memories are kept. The scope belongs to the transaction: nothing outside it can be named in a call.

Two transactions: `snapshot` reads what the scope sees and writes nothing; `begin` reads the same and writes to the
exact scope alone. Rows, text index and vectors change together or not at all.
"""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from remembrancer.model.chunk import Chunk, Log
from remembrancer.model.classification import Classification, Trust
from remembrancer.model.details import Details
from remembrancer.model.episode import Tier
from remembrancer.model.injection import Injection
from remembrancer.model.lifecycle import LIVE, Status
from remembrancer.model.night import Night
from remembrancer.model.record import Episode, Fact, Kind, Metadata, Observation, Record
from remembrancer.model.saved import Outcome
from remembrancer.model.scope import Scope
from remembrancer.model.session import Session
from remembrancer.model.standing import Standing
from remembrancer.model.verdict import Move, Said, Verdict
from remembrancer.ports.embedder import Space
from remembrancer.ports.ledger import Blocks, Calls

T = TypeVar("T")
# More tokens than there will ever be, in what every database takes for a whole number.
NEVER = 2**62
Documents = NDArray[np.int64]
"""Numbers of indexed wordings, unique in a store. A record gets a fresh one whenever its wording changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """A wording as the text index keeps it: how often each term stands in it, and its length in terms."""

    counts: Mapping[str, int]
    length: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which memories are meant; every part that is given must hold. Dates are inclusive.

    Args:
        tags: all of them must be on the record.
        since, until: bounds of `occurred_at`, inclusive.
        known_by: only what the store knew at that time, in the wording that still stands.
        tiers: of episodes.
        contact: whom episodes concern first, as names are compared; `""` for nobody.
    """

    kinds: tuple[Kind, ...] = ()
    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    statuses: tuple[Status, ...] = LIVE
    since: datetime | None = None
    until: datetime | None = None
    clearance: Classification = Classification.RESTRICTED
    minimum_trust: Trust = Trust.UNTRUSTED
    minimum_importance: float = 0.0
    known_by: datetime | None = None
    tiers: tuple[Tier, ...] = ()
    contact: str | None = None

    def narrows(self) -> bool:
        """Whether it leaves out anything that stands in the indexes."""
        return self != Filter()


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A new state of a record; `None` leaves a part as it is.

    Args:
        evidence: sources that come to those it has.
        place: its place in the log.
        details: what its kind has beyond the others.
        reworded: whether the change counts as a revision of the wording.
    """

    text: str | None = None
    hash: str | None = None
    title: str | None = None
    type: str | None = None
    tags: tuple[str, ...] | None = None
    metadata: Metadata | None = None
    session: str | None = None
    importance: float | None = None
    classification: Classification | None = None
    trust: Trust | None = None
    status: Status | None = None
    echo: bool | None = None
    place: int | None = None
    details: Details | None = None
    evidence: tuple[str, ...] = ()
    reworded: bool = False

    @property
    def leaves_words(self) -> bool:
        """Whether what is found and embedded of the record stays as it reads."""
        return self.text is None and self.title is None and self.echo is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """How a record read during a stretch of time; `until` is `None` for the present wording."""

    record: Record
    since: datetime
    until: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Headers:
    """What ranking needs to know of records, without their texts: parallel columns. Times are seconds since 1970.

    Args:
        numbers: of messages in their session; 0 for what is no message.
        sessions, speakers, types: `""` where there is none.
        accessed: when last recalled; NaN for never.
        tiers: of episodes; `""` for what is none.
        weights: what feedback has made of each, in [0, 1].
    """

    documents: Documents
    ids: tuple[str, ...]
    kinds: tuple[Kind, ...]
    sessions: tuple[str, ...]
    numbers: NDArray[np.int64]
    speakers: tuple[str, ...]
    types: tuple[str, ...]
    occurred: NDArray[np.float64]
    updated: NDArray[np.float64]
    accessed: NDArray[np.float64]
    revisions: NDArray[np.float64]
    importance: NDArray[np.float32]
    tiers: tuple[str, ...]
    weights: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.ids)

    def __add__(self, other: "Headers") -> "Headers":
        return Headers(
            documents=np.concatenate([self.documents, other.documents]),
            ids=self.ids + other.ids,
            kinds=self.kinds + other.kinds,
            sessions=self.sessions + other.sessions,
            numbers=np.concatenate([self.numbers, other.numbers]),
            speakers=self.speakers + other.speakers,
            types=self.types + other.types,
            occurred=np.concatenate([self.occurred, other.occurred]),
            updated=np.concatenate([self.updated, other.updated]),
            accessed=np.concatenate([self.accessed, other.accessed]),
            revisions=np.concatenate([self.revisions, other.revisions]),
            importance=np.concatenate([self.importance, other.importance]),
            tiers=self.tiers + other.tiers,
            weights=np.concatenate([self.weights, other.weights]),
        )


_KINDS = {kind.value: kind for kind in Kind}
HeaderRow = tuple[int, str, str, str, int, str, str, float, float, float | None, int, float, str, float]


def headers_from(rows: Sequence[HeaderRow]) -> Headers:
    """The columns of rows in the order of `Headers`, times in seconds."""
    columns: list[list[Any]] = [list(column) for column in zip(*rows, strict=True)] or [[] for _ in range(14)]
    return Headers(
        documents=np.array(columns[0], dtype=np.int64),
        ids=tuple(columns[1]),
        kinds=tuple(_KINDS[kind] for kind in columns[2]),
        sessions=tuple(columns[3]),
        numbers=np.array(columns[4], dtype=np.int64),
        speakers=tuple(columns[5]),
        types=tuple(columns[6]),
        occurred=np.array(columns[7], dtype=np.float64),
        updated=np.array(columns[8], dtype=np.float64),
        accessed=np.array(columns[9], dtype=np.float64),
        revisions=np.array(columns[10], dtype=np.float64),
        importance=np.array(columns[11], dtype=np.float32),
        tiers=tuple(columns[12]),
        weights=np.array(columns[13], dtype=np.float32),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What an agent reads of a message, or of an observation in its log.

    Args:
        number, last: of the message; or of the first and the last message that an observation was drawn from, else 0.
        role, speaker: of a message, else `""`.
        priority: of an observation, 1 to 5, else 0.
        place: in the log; 0 for a message.
    """

    id: str
    kind: Kind
    session: str
    text: str
    occurred_at: datetime
    number: int
    last: int
    role: str
    speaker: str
    priority: int
    refers_to: str
    place: int


def line_from(row: Sequence[Any]) -> Line:
    """A line from its values in their order, the kind as its name."""
    return Line(
        id=row[0],
        kind=_KINDS[row[1]],
        session=row[2],
        text=row[3],
        occurred_at=row[4],
        number=row[5],
        last=row[6],
        role=row[7],
        speaker=row[8],
        priority=row[9],
        refers_to=row[10],
        place=row[11],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TextStatistics:
    """The text index of one exact scope: how many wordings, and their mean length in terms."""

    shard: int
    documents: int
    mean_length: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Postings:
    """Where a term stands in one shard: parallel arrays of wording, occurrences, and the wording's length."""

    documents: Documents
    counts: NDArray[np.float32]
    lengths: NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Nearest:
    """Wordings near a vector, best first: parallel arrays of wording and cosine."""

    documents: Documents
    cosines: NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unembedded:
    """A record whose wording has no vectors yet in some space."""

    document: int
    record: Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """A wording with the vectors that it has in some generation: `(pieces, dimension)` float32."""

    document: int
    pieces: NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """What an idempotency key stands for: the request it came with, and what that did."""

    request: str
    outcome: Outcome
    record: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """Something that was done; it never holds text, nor a name in clear but the tenant's, the wall it stands behind.

    Args:
        record: the id concerned, or `None` for something done to many; stored as an HMAC.
        count: how many records it concerned.
    """

    action: str
    kind: str
    record: str | None
    count: int
    door: str
    at: datetime


class SpaceState(StrEnum):
    """Whether a generation of vectors is being built, or serves."""

    BUILDING = "building"
    ACTIVE = "active"


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """A set of vectors of one space in a store."""

    number: int
    space: Space
    state: SpaceState


class Purpose(StrEnum):
    """What background work is for."""

    EMBED = "embed"
    STALE_SESSIONS = "stale-sessions"
    REEMBED = "reembed"
    OBSERVE = "observe"
    REFLECT = "reflect"
    NIGHTLY = "nightly"


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """Work that a tenant has waiting, or the whole store (tenant `""`), derived from what is stored."""

    tenant: str
    purpose: Purpose


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """From when on something is due.

    Args:
        stale_before: sessions without activity since then are over.
        chunk_tokens: so many tokens of messages wait to be observed.
        by_scope: whether they count over all sessions of an exact scope, or in one.
        log_tokens: so many tokens stand in a log, and it is reflected on,
        fresh_tokens: where so many of them came since the last time.
        night: the local day, as ISO text, whose nightly run is to be done; `""` for none.
    """

    stale_before: datetime
    chunk_tokens: int = NEVER
    by_scope: bool = False
    log_tokens: int = NEVER
    fresh_tokens: int = NEVER
    night: str = ""


class Fault(StrEnum):
    """What may be wrong with a store."""

    ORPHAN_VECTOR = "orphan-vector"
    MISSING_INDEX_ROW = "missing-index-row"
    ORPHAN_INDEX_ROW = "orphan-index-row"
    WRONG_HASH = "wrong-hash"
    BROKEN_EVIDENCE = "broken-evidence"
    NUMBER_GAP = "number-gap"
    HALF_BUILT_GENERATION = "half-built-generation"
    MISSING_VECTOR = "missing-vector"
    DAMAGED_POSTINGS = "damaged-postings"
    DAMAGED_FILE = "damaged-file"
    LAGGING_VECTOR_INDEX = "lagging-vector-index"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One fault and where it is: ids of records, or document numbers as text; never content."""

    fault: Fault
    where: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Some records, newest first, and where to go on; `None` at the end."""

    records: tuple[Record, ...]
    cursor: str | None


class Sessions(Protocol):
    """Sessions of the exact scope."""

    async def find(self, id: str) -> Session | None:
        """The session, or `None`."""
        ...

    async def unnamed(self) -> Session | None:
        """The scope's one active session that nobody named, or `None`."""
        ...

    async def put(self, session: Session) -> None:
        """Store a session as it now stands, its count of messages apart: new, or over the old one."""
        ...

    async def take_numbers(self, id: str, count: int, *, tokens: int) -> int:
        """The first of `count` fresh message numbers, which nobody else will get.

        Args:
            tokens: of all those messages; the session counts them.
        """
        ...

    async def unobserved(self, *, tokens: int) -> list[Session]:
        """Those that have so many tokens or more behind their cursor, the one that waits longest first."""
        ...

    async def stale(self, *, before: datetime) -> list[Session]:
        """Active ones without activity since a time."""
        ...

    async def list(self, *, limit: int) -> list[Session]:
        """The latest active first."""
        ...


class Chunks(Protocol):
    """Runs of messages of the exact scope that an observer came by."""

    async def add(self, chunk: Chunk) -> None:
        """Store the run that follows the last one of its session, and move the session's cursor to its end.

        Raises:
            Conflict: it does not begin where the cursor stands.
        """
        ...

    async def put(self, chunk: Chunk) -> None:
        """Store a run as it now stands, over itself; its messages stay."""
        ...

    async def find(self, session: str, first: int) -> Chunk | None:
        """The run that begins with a message, or `None`."""
        ...

    async def failed(self, *, limit: int) -> list[Chunk]:
        """Those that a model could not observe, the latest first."""
        ...

    async def list(self, session: str | None) -> list[Chunk]:
        """Those of a session, or of every one, by session and number."""
        ...


class Logs(Protocol):
    """What an agent reads of its past, in numbers, in the exact scope."""

    async def find(self, session: str) -> Log:
        """The log of a session, or of the whole scope under `""`; one with nothing in it where there is none."""
        ...

    async def put(self, log: Log) -> None:
        """Store a log as it now stands."""
        ...

    async def list(self, *, tokens: int, fresh: int) -> list[Log]:
        """Those that have so many tokens, and so many fresh ones."""
        ...


class Injections(Protocol):
    """What was put before agents in the exact scope."""

    async def add(self, injections: Sequence[Injection]) -> None:
        """Write what was put before an agent; once, however often it is told."""
        ...

    async def list(self, session: str, *, limit: int) -> Sequence[Injection]:
        """What was put before an agent in a session, the latest first; so many memories at most."""
        ...


class Nights(Protocol):
    """Nightly runs of the exact scope."""

    async def find(self, day: date) -> Night | None:
        """The run for a day, or `None`."""
        ...

    async def latest(self, *, before: date | None = None) -> Night | None:
        """The run for the latest day, or for the latest before a day; `None` where there is none."""
        ...

    async def deeds_since(self, at: datetime, *, until: datetime) -> bool:
        """Whether an episode or a signal from before `until` has occurred, come or changed since a time."""
        ...

    async def put(self, night: Night) -> None:
        """Store a run as it now stands."""
        ...


class Verdicts(Protocol):
    """What people have said of memories of the exact scope."""

    async def of(self, record: str) -> list[Said]:
        """What was said of a memory, the earliest first."""
        ...

    async def put(self, said: Said) -> None:
        """Store the last word of a person on a memory."""
        ...

    async def withdraw(self, record: str, verdicts: Sequence[Verdict]) -> None:
        """Forget what was said of a memory in these words."""
        ...


class Weights(Protocol):
    """How outcomes of sessions have moved the weights of memories of the exact scope."""

    async def add(self, move: Move) -> None:
        """Note that a weight was moved, and move it."""
        ...

    async def of(self, record: str) -> list[Move]:
        """The moves of a memory, the earliest first."""
        ...

    async def within(self, session: str) -> list[Move]:
        """The moves by the outcome of a session."""
        ...


class Standings(Protocol):
    """How memories of the exact scope stand."""

    async def find(self, id: str) -> Standing | None:
        """How a memory stands, or `None`."""
        ...

    async def page(self, *, after: tuple[datetime, str] | None, limit: int) -> list[Standing]:
        """Those whose importance decays, oldest first.

        Args:
            after: when the last one of the page before occurred, and its id; `None` begins.
        """
        ...

    async def decay(self, standings: Sequence[Standing]) -> None:
        """Store what a night has made of importance, relevance and standing; that is no change of their wording."""
        ...

    async def put(self, standing: Standing) -> None:
        """Store what people say of a memory: its rating, its boost, and whether it is pinned."""
        ...

    async def beyond(self, kind: Kind, *, keep: int) -> list[str]:
        """Ids of what engines of ours wrote and nobody has pinned, beyond the `keep` of the highest standing."""
        ...

    async def unread(self, *, before: datetime) -> list[str]:
        """Ids of what engines of ours wrote and nobody has pinned, that nobody has read since a time."""
        ...

    async def faded(self, *, below: float, before: datetime) -> list[str]:
        """Ids of active observations and reflections of little importance, recorded before a time and not pinned."""
        ...


class Records(Protocol):
    """Memories that the scope sees; written only to the exact scope."""

    @property
    def retired(self) -> Sequence[int]:
        """The wordings that this transaction has taken out of the indexes so far."""
        ...

    async def add(self, records: Sequence[Record], terms: Sequence[Terms | None]) -> list[int]:
        """Store new records with their evidence and index rows; one document number each (0: not indexed)."""
        ...

    async def find(self, id: str) -> Record | None:
        """The record with its evidence, in any status, or `None`."""
        ...

    async def find_many(self, documents: Sequence[int]) -> dict[int, Record]:
        """The records of these wordings, those that stand."""
        ...

    async def existing(self, ids: Sequence[str]) -> dict[str, str]:
        """Hash by id, for those of the ids that are in the exact scope."""
        ...

    async def by_topic(self, topic_key: str) -> Record | None:
        """The observation under this key in the exact scope that is not deleted, or `None`."""
        ...

    async def by_hash(self, hash: str) -> Record | None:
        """The observation without a key in the exact scope with this hash that is not deleted, or `None`."""
        ...

    async def by_number(self, session: str, first: int, last: int) -> list[Record]:
        """Messages of a session of the exact scope, by their numbers, both inclusive; oldest first."""
        ...

    async def in_log(self, session: str | None) -> list[Observation]:
        """The active observations and reflections of the exact scope that have a place, in its order.

        Args:
            session: only of this one, where given.
        """
        ...

    async def log_lines(self, session: str | None) -> list[Line]:
        """As `in_log`, what an agent reads of it."""
        ...

    async def log_mark(self, session: str | None) -> tuple[int, datetime | None]:
        """How many stand in the log, and when one of them last changed: the same as long as the log is."""
        ...

    async def message_lines(self, session: str, spans: Sequence[tuple[int, int]]) -> list[Line]:
        """The active messages of a session of the exact scope within spans of numbers, in order.

        Args:
            spans: first and last number of each, both inclusive, in order and apart.
        """
        ...

    async def noted(self, session: str, first: int, last: int) -> list[Observation]:
        """What an observer drew from messages of a session of the exact scope, in any status, in their order.

        Args:
            first, last: bounds of the first message that an observation was drawn from, inclusive.
        """
        ...

    async def contacts(
        self, tier: Tier, *, until: datetime, at_least: int, changed_since: datetime | None = None
    ) -> list[str]:
        """Contacts of the exact scope with so many live episodes of a tier until a time, exclusive; sorted.

        Args:
            changed_since: only those of whose episodes one came or changed since.
        """
        ...

    async def with_contact(
        self, contact: str, tier: Tier, *, until: datetime, after: tuple[datetime, str] | None, limit: int
    ) -> list[Episode]:
        """Live episodes of a tier with a contact of the exact scope until a time, exclusive; oldest first.

        Args:
            after: when the last one of the page before occurred, and its id; `None` begins.
        """
        ...

    async def latest_episodes(self, contact: str | None, *, limit: int) -> list[Episode]:
        """Live episodes that the scope sees, the latest first.

        Args:
            contact: whom they concern first, as names are compared; `None` for anybody.
        """
        ...

    async def by_rule(self, kind: Kind, statuses: Sequence[Status]) -> list[Record]:
        """All facts, procedures or signals that the scope sees in these statuses, oldest first."""
        ...

    async def by_key(self, key: str) -> list[Fact]:
        """Every fact of the exact scope under a key that is not deleted, by when it was recorded."""
        ...

    async def learned(self, statuses: Sequence[Status]) -> list[Observation]:
        """What the detector observed in the exact scope, in these statuses, by when it was recorded."""
        ...

    async def change(self, id: str, change: Change, *, at: datetime, terms: Terms | None) -> Record:
        """The record of the exact scope after a change; the former state is kept as a version.

        Args:
            terms: how the wording stands in the text index; `None` takes it out. Another wording has no vectors yet;
                where the change leaves the words of what is found, it keeps the ones it has.

        Raises:
            NotFound: no such record in the exact scope.
        """
        ...

    async def find_all(self, ids: Sequence[str]) -> list[Record]:
        """Those of these records that are here, in any status, by their ids."""
        ...

    async def set_aside(self, ids: Sequence[str], status: Status, *, at: datetime) -> None:
        """Records of the exact scope in a status in which they are not found; the former state is kept as a version."""
        ...

    async def status_before(self, id: str, *, apart_from: Sequence[Status] = ()) -> Status:
        """The last status that a record of the exact scope had before its last change, some of them not counted."""
        ...

    async def erase(self, id: str) -> None:
        """Remove a record of the exact scope for good: versions, index rows, vectors and evidence with it."""
        ...

    async def around(
        self, record: Record, *, before: int, after: int, statuses: Sequence[Status]
    ) -> tuple[list[Record], list[Record]]:
        """What came before and after a record in its session by `occurred_at`, oldest first."""
        ...

    async def documents(self, filter: Filter, *, limit: int = 0) -> Documents:
        """The indexed wordings that a filter lets through; the newest `limit` of them, where it is not 0."""
        ...

    async def headers(self, documents: Sequence[int]) -> Headers:
        """What ranking needs of these wordings; those that no longer stand are left out."""
        ...

    async def beside(self, places: Sequence[tuple[str, int]]) -> Headers:
        """The indexed messages at these (session, number) places."""
        ...

    async def touch(self, uses: Mapping[str, int], *, at: datetime) -> None:
        """Count uses by id, wherever the scope sees it."""
        ...

    async def version_at(self, id: str, at: datetime) -> Record | None:
        """The record as it was known at a time, in the status it then had, or `None`."""
        ...

    async def versions(self, *, known_from: datetime, known_to: datetime) -> list[Version]:
        """Every version that stood at some time in a stretch and began or ended in it; oldest first."""
        ...

    async def past(self, filter: Filter, *, at: datetime) -> list[Record]:
        """Records in a wording that stood at a time and no longer does."""
        ...

    async def dependants(self, id: str) -> list[str]:
        """Ids of the records whose evidence includes this one."""
        ...

    async def counts(self) -> dict[str, int]:
        """How many records there are by `kind/status`, in what the scope sees."""
        ...

    async def list(self, filter: Filter, *, limit: int, cursor: str | None) -> Page:
        """Newest first by `occurred_at`, then id."""
        ...


class Texts(Protocol):
    """The text index of what the scope sees, by shard: a shard is one exact scope."""

    async def statistics(self) -> list[TextStatistics]:
        """Each shard's size."""
        ...

    async def frequencies(self, terms: Sequence[str]) -> dict[tuple[int, str], int]:
        """In how many wordings each term stands, by shard and term."""
        ...

    async def postings(self, wanted: Sequence[tuple[int, str]]) -> dict[tuple[int, str], Postings]:
        """Where terms stand, by shard and term."""
        ...


class Vectors(Protocol):
    """Vectors of what the scope sees."""

    async def nearest(
        self, query: NDArray[np.float32], *, generation: int, limit: int, among: Documents | None
    ) -> Nearest:
        """The wordings nearest to a unit vector, a wording counting as its best piece.

        Args:
            among: only these, where given.
        """
        ...

    async def cosines(
        self, query: NDArray[np.float32], documents: Documents, *, generation: int
    ) -> NDArray[np.float32]:
        """The cosine of each wording's best piece, in order; NaN where it has no vectors."""
        ...

    async def add(self, pieces: Mapping[int, NDArray[np.float32]], *, generation: int) -> set[int]:
        """Store the pieces of wordings of the exact scope; those of the wordings that still stood."""
        ...

    async def missing(self, *, generation: int, limit: int, after: int = 0) -> list[Unembedded]:
        """Indexed records of the exact scope without vectors, in the order of their numbers."""
        ...

    async def embedded(self, *, generation: int, limit: int, after: int = 0) -> list[Embedded]:
        """Wordings of the exact scope with their vectors, in the order of their numbers."""
        ...


class Keys(Protocol):
    """Idempotency keys of the exact scope."""

    async def find(self, key: str) -> Remembered | None:
        """What a key stands for, or `None`."""
        ...

    async def add(self, key: str, remembered: Remembered, *, at: datetime) -> None:
        """Remember what a key stood for."""
        ...


class Audit(Protocol):
    """The record of who did what; append-only and chained by hash."""

    async def add(self, entries: Sequence[AuditEntry]) -> None:
        """Append entries in order."""
        ...

    async def count(self) -> int:
        """How many entries the exact scope has."""
        ...


class Upkeep(Protocol):
    """Looking for faults in the exact scope, and mending them."""

    async def faults(self) -> list[Finding]:
        """What is wrong in the exact scope, hashes and terms apart."""
        ...

    async def indexed(self, *, after: str, limit: int) -> list[tuple[Record, Terms | None]]:
        """Records by id, each with what the text index holds for it."""
        ...

    async def posting_counts(self) -> dict[str, int]:
        """In how many wordings of the exact scope each term stands, as the postings have it."""
        ...

    async def reindex(self, id: str, terms: Terms | None) -> None:
        """Put a record into the text index anew, or take it out."""
        ...

    async def drop_index(self) -> None:
        """Empty the text index of the exact scope."""
        ...

    async def mend(self, finding: Finding) -> bool:
        """Mend a fault that needs no judgement; `False` where it does."""
        ...


class Tx(Protocol):
    """One transaction in one scope."""

    @property
    def scope(self) -> Scope:
        """The exact scope: what it sees is readable, it alone is writable."""
        ...

    @property
    def sessions(self) -> Sessions:
        """Conversations and runs."""
        ...

    @property
    def chunks(self) -> Chunks:
        """Runs of messages that were observed."""
        ...

    @property
    def logs(self) -> Logs:
        """What an agent reads of its past, in numbers."""
        ...

    @property
    def injections(self) -> Injections:
        """What was put before agents."""
        ...

    @property
    def nights(self) -> Nights:
        """Nightly runs."""
        ...

    @property
    def verdicts(self) -> Verdicts:
        """What people have said."""
        ...

    @property
    def standings(self) -> Standings:
        """How memories stand."""
        ...

    @property
    def weights(self) -> Weights:
        """What outcomes of sessions have done."""
        ...

    @property
    def records(self) -> Records:
        """Memories."""
        ...

    @property
    def texts(self) -> Texts:
        """The text index."""
        ...

    @property
    def vectors(self) -> Vectors:
        """The vectors."""
        ...

    @property
    def keys(self) -> Keys:
        """Idempotency keys."""
        ...

    @property
    def calls(self) -> Calls:
        """The ledger of model calls."""
        ...

    @property
    def blocks(self) -> Blocks:
        """What served blocks spared."""
        ...

    @property
    def audit(self) -> Audit:
        """The audit log."""
        ...

    @property
    def upkeep(self) -> Upkeep:
        """Faults."""
        ...


class Store(Protocol):
    """A database of memories."""

    def begin(self, scope: Scope) -> AbstractAsyncContextManager[Tx]:
        """Open a transaction that reads what `scope` sees and writes to it alone.

        Commits when the block ends, rolls back when it raises.

        Raises:
            StoreUnavailable: the store is busy for too long, full, or gone.
        """
        ...

    def snapshot(self, scope: Scope) -> AbstractAsyncContextManager[Tx]:
        """Open a transaction that reads what `scope` sees, as of one moment, and cannot write."""
        ...

    async def read(self, scope: Scope, work: Callable[[Tx], Coroutine[Any, Any, T]]) -> T:
        """What a piece of work makes of a snapshot.

        The work may await nothing but the transaction's own methods: a store may run it whole off the event loop,
        which spares a question a dozen changes of thread.
        """
        ...

    async def scopes(self) -> list[Scope]:
        """Every exact scope that holds anything; for upkeep, never for callers."""
        ...

    async def due(self, limits: Limits) -> list[Due]:
        """What every tenant has waiting, by tenant and purpose."""
        ...

    async def waiting(self, due: Due, limits: Limits) -> list[Scope]:
        """A tenant's exact scopes that have something of a purpose waiting; for upkeep.

        Args:
            due: of a tenant; rebuilding all vectors is nobody's.
        """
        ...

    async def lease(self, name: str, *, holder: str, seconds: float) -> bool:
        """Take or renew a lease by the database's clock; `False` while another holder's has not run out.

        Args:
            name: of the work; a fingerprint, for anybody who reads the store may see it.
        """
        ...

    async def release(self, name: str, *, holder: str) -> None:
        """Give a lease back before it runs out."""
        ...

    async def hint(self) -> None:
        """Tell other processes that something is due. It may be lost: looking from time to time is the guarantee."""
        ...

    async def hinted(self, seconds: float) -> None:
        """Wait for a hint of another process, for so long at most."""
        ...

    async def generations(self) -> list[Generation]:
        """The generations of vectors, oldest first."""
        ...

    async def serving_generation(self, space: Space) -> Generation:
        """The active generation; in a store without any, one of this space is made and active at once."""
        ...

    async def start_generation(self, space: Space) -> Generation:
        """Begin a generation beside the one that serves."""
        ...

    async def switch_generation(self, number: int) -> None:
        """Make a generation the active one and remove the others with their vectors."""
        ...

    async def drop_generation(self, number: int) -> None:
        """Remove a generation that is not active, with its vectors."""
        ...

    async def scrub(self) -> bool:
        """Remove what was erased from journals too; `False` where another process still reads them."""
        ...

    async def damage(self) -> list[str]:
        """What the database itself finds wrong with its file; empty for a sound one."""
        ...

    async def size(self) -> int:
        """Bytes on disk, or in memory."""
        ...

    def sign(self, text: str) -> str:
        """A keyed fingerprint of a text, hex, which only this store can make."""
        ...
