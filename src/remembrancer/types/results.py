"""Results: records in their sizes, pages, versions, and what a save returned."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Generic, TypeVar

from remembrancer.types.arguments import member
from remembrancer.types.details import Details, EpisodeDetails, details_to_json
from remembrancer.types.episode import Counts, contact_as_written
from remembrancer.types.lifecycle import Status
from remembrancer.types.policy import PersonalDataType
from remembrancer.types.record import (
    Episode,
    Fact,
    Json,
    Kind,
    Message,
    Metadata,
    Observation,
    Record,
    Rule,
    Signal,
    Source,
    details_of,
    kind_of,
    layer_of,
    speaker_of,
    title_of,
    type_of,
)
from remembrancer.types.scope import DIMENSIONS, Classification, Scope, Trust

SNIPPET_CHARACTERS = 200
R = TypeVar("R", bound=Record)


class Size(StrEnum):
    """How much of a memory is told."""

    COMPACT = "compact"
    FULL = "full"
    PUBLIC = "public"


@dataclass(frozen=True, slots=True, kw_only=True)
class Compact:
    """A memory in short, about 100 tokens: what lists and searches show. `Memory.get` has the rest of it.

    Args:
        scope: whose it is: a list over all scopes has that of many.
        type, title, topic_key, speaker: `None` where there is none.
        score: of a hit; else `None`.
        snippet: how its text begins, on one line.
    """

    id: str
    scope: Scope
    kind: Kind
    type: str | None
    title: str | None
    topic_key: str | None
    speaker: str | None
    session: str | None
    score: float | None
    snippet: str
    occurred_at: datetime
    updated_at: datetime


def to_compact(record: Record, *, score: float | None = None) -> Compact:
    """A memory in short."""
    return Compact(
        id=record.id,
        scope=record.scope,
        kind=kind_of(record),
        type=type_of(record),
        title=title_of(record) or None,
        topic_key=record.topic_key if isinstance(record, Observation) else None,
        speaker=speaker_of(record) or None,
        session=record.session,
        score=score,
        snippet=snippet(record.text),
        occurred_at=record.occurred_at,
        updated_at=record.updated_at,
    )


def without_hash(record: R) -> R:
    """A record as lists and searches hand it over: its hash would tell whether a guessed text is held."""
    return replace(record, hash="")


def record_json(record: Record, size: str = Size.COMPACT) -> Mapping[str, Json]:
    """A memory as JSON, in one of three sizes.

    Args:
        size: `compact`, about 100 tokens; `full`, all that is held; `public`, the same without the hash.

    Raises:
        InvalidInput: there is no such size.
    """
    return _IN_SIZE[member(Size, size, "size")](record)


def compact(record: Record, *, score: float | None = None) -> dict[str, Json]:
    """About 100 tokens: what lists and searches show. The reader asks for the rest one by one."""
    short = to_compact(record, score=score)
    return {
        "id": short.id,
        "kind": short.kind.value,
        "type": short.type,
        "title": short.title,
        "topic_key": short.topic_key,
        "speaker": short.speaker,
        "session": short.session,
        "score": short.score,
        "snippet": short.snippet,
        "occurred_at": _time(short.occurred_at),
        "updated_at": _time(short.updated_at),
        **_of_its_kind(record),
    }


def full(record: Record) -> dict[str, Json]:
    """Everything that is held of a record."""
    return {
        **compact(record),
        "layer": layer_of(record).value,
        "text": record.text,
        **({"hash": record.hash} if record.hash else {}),
        "scope": scope_form(record.scope),
        "author": record.author,
        "source": record.source.value,
        "tags": list(record.tags),
        "metadata": record.metadata,
        "recorded_at": _time(record.recorded_at),
        "revision": record.revision,
        "status": record.status.value,
        "classification": record.classification.value,
        "trust": record.trust.value,
        "importance": record.importance,
        "weight": round(record.weight, 6),
        "echo": record.echo,
        "usage_count": record.usage_count,
        "last_accessed_at": _time(record.last_accessed_at) if record.last_accessed_at else None,
        "evidence": list(record.evidence),
        "number": record.number if isinstance(record, Message) else None,
        "role": record.role.value if isinstance(record, Message) else None,
        "tokens": record.tokens if isinstance(record, Message) else None,
        **_validity(record),
        **(_derivation(record) if isinstance(record, Observation) and record.engine else {}),
        **_details(record),
    }


def scope_form(scope: Scope) -> dict[str, Json]:
    """A scope as JSON has it."""
    return {name: getattr(scope, name) for name in ("tenant", *DIMENSIONS)}


def _of_its_kind(record: Record) -> dict[str, Json]:
    """What a list shows of some kinds alone."""
    match record:
        case Episode():
            told = record.details
            return {
                "tier": told.tier.value,
                "contact": contact_as_written(told.entities) or None,
                **_counts(told.counts),
            }
        case Signal():
            return {"contact": contact_as_written(record.details.entities) or None}
        case Fact():
            told = record.details
            return {
                "key": told.key,
                "value": told.value,
                "valid_from": _time(told.valid_from),
                "valid_to": _time(told.valid_to) if told.valid_to else None,
            }
        case Rule():
            told = record.details
            return {"confirmations": told.confirmations, **({"reason": told.reason} if told.reason else {})}
        case Observation() if record.learned is not None:
            learned = record.learned
            return {
                "category": learned.category.value,
                "confidence": learned.confidence.value,
                "occurrences": learned.occurrences,
                "consistency": round(learned.consistency, 4),
            }
        case _:
            return {}


def _counts(counts: Counts | None) -> dict[str, Json]:
    """What a compact record stands for."""
    if counts is None:
        return {}
    return {
        "interactions": counts.interactions,
        "approval_rate": counts.approval_rate,
        "exceptions": counts.exceptions,
    }


def _details(record: Record) -> dict[str, Json]:
    """All that its kind has beyond the others."""
    details = details_of(record)
    return {} if details is None else {"details": details_to_json(details)}


def _validity(record: Record) -> dict[str, Json]:
    """Until when an observation is valid, where an end is known."""
    ends = record.valid_until if isinstance(record, Observation) else None
    return {} if ends is None else {"valid_until": _time(ends)}


def _derivation(record: Observation) -> dict[str, Json]:
    """What an engine says of its observation, and from which messages it drew it."""
    return {
        "engine": record.engine,
        "model": record.model or None,
        "priority": record.priority,
        "refers_to": record.refers_to or None,
        "messages": [record.first, record.last] if record.first else None,
        "tokens": record.tokens,
    }


def public(record: Record) -> Mapping[str, Json]:
    """The full form without the hash, which would tell whether a guessed text is held."""
    return {name: value for name, value in full(record).items() if name != "hash"}


_IN_SIZE: Mapping[Size, Callable[[Record], Mapping[str, Json]]] = {
    Size.COMPACT: compact,
    Size.FULL: full,
    Size.PUBLIC: public,
}


def snippet(text: str) -> str:
    """The beginning of a text on one line, cut at a word."""
    line = " ".join(text.split())
    return line if len(line) <= SNIPPET_CHARACTERS else line[:SNIPPET_CHARACTERS].rsplit(" ", 1)[0] + " …"


def _time(when: datetime) -> str:
    return when.isoformat()


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Some records, newest first, and where to go on; `None` at the end."""

    records: tuple[Record, ...]
    cursor: str | None

    @property
    def compact(self) -> tuple[Compact, ...]:
        """The same in short, about 100 tokens each."""
        return tuple(to_compact(record) for record in self.records)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextLine:
    """What an agent reads of a message, or of an observation in its log.

    Args:
        number, last: of the message; or of the first and the last message that an observation was drawn from, else 0.
        role, speaker: of a message, else `""`.
        priority: of an observation, 1 to 5, else 0.
        place: in the log; 0 for a message.
        untrusted: whether a page or a tool said it, or what it was concluded from.
        personal: the kinds of personal data that it is told to hold.
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
    untrusted: bool = False
    personal: tuple[PersonalDataType, ...] = ()


SavedRecord = TypeVar("SavedRecord", bound=Record, covariant=True)


class Outcome(StrEnum):
    """Whether a write made a record, changed one, or found it already there."""

    CREATED = "created"
    UPDATED = "updated"
    DEDUPED = "deduped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved(Generic[SavedRecord]):
    """A write's outcome and the record as it now stands."""

    outcome: Outcome
    record: SavedRecord

    @property
    def id(self) -> str:
        """The id of the record."""
        return self.record.id


@dataclass(frozen=True, slots=True, kw_only=True)
class IdempotentWrite:
    """What an idempotency key stands for: the request it came with, and what that did."""

    key: str
    request: str
    outcome: Outcome
    record: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A new state of a record; `None` leaves a part as it is.

    Args:
        evidence: sources that come to those it has.
        place: its place in the log.
        details: what its kind has beyond the others.
        author, source, occurred_at: who says what it says from now on, where that came from, and when it was said.
        valid_until: until when it is valid; what becomes active after its end has no end, if none is given.
        reworded: whether the change counts as a revision of the wording.
    """

    text: str | None = None
    hash: str | None = None
    title: str | None = None
    type: str | None = None
    tags: tuple[str, ...] | None = None
    metadata: Metadata | None = None
    session: str | None = None
    author: str | None = None
    source: Source | None = None
    occurred_at: datetime | None = None
    importance: float | None = None
    classification: Classification | None = None
    trust: Trust | None = None
    status: Status | None = None
    echo: bool | None = None
    place: int | None = None
    details: Details | None = None
    valid_until: datetime | None = None
    evidence: tuple[str, ...] = ()
    reworded: bool = False

    @property
    def leaves_words(self) -> bool:
        """Whether what is embedded of the record stays as it reads."""
        return (self.text, self.title, self.echo, self.occurred_at) == (None,) * 4

    @property
    def leaves_labels(self) -> bool:
        """Whether what the record is found by beside its words, and not embedded, stays as it is."""
        return self.tags is None and self.metadata is None and not isinstance(self.details, EpisodeDetails)


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """How a record read during a stretch of time; `until` is `None` for the present wording."""

    record: Record
    since: datetime
    until: datetime | None
