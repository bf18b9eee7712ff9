"""Results: records in three sizes, pages, versions and saved records."""

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
    """Sizes of a memory in JSON."""

    COMPACT = "compact"
    FULL = "full"
    PUBLIC = "public"


@dataclass(frozen=True, slots=True, kw_only=True)
class Compact:
    """A compact memory of about 100 tokens, for lists and searches. `Memory.get` returns all fields.

    Args:
        type, title, topic_key, speaker: `None` if the kind does not have them.
        score: the score of a hit; otherwise `None`.
        snippet: the beginning of the text on one line.
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
    """Return the compact form of a memory."""
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
    """Return a record without its hash, which would reveal whether a guessed text is stored."""
    return replace(record, hash="")


def record_json(record: Record, size: str = Size.COMPACT) -> Mapping[str, Json]:
    """Return a memory as JSON.

    Args:
        size: `compact`: about 100 tokens; `full`: all fields; `public`: all fields but the hash.

    Raises:
        InvalidInput: the size is unknown.
    """
    return _IN_SIZE[member(Size, size, "size")](record)


def compact(record: Record, *, score: float | None = None) -> dict[str, Json]:
    """Return the compact form of a memory as JSON."""
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
    """Return all fields of a record as JSON."""
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
    """Return a scope as JSON."""
    return {name: getattr(scope, name) for name in ("tenant", *DIMENSIONS)}


def _of_its_kind(record: Record) -> dict[str, Json]:
    """Return the fields of single kinds that the compact form includes."""
    match record:
        case Episode():
            details = record.details
            return {
                "tier": details.tier.value,
                "contact": contact_as_written(details.entities) or None,
                **_counts(details.counts),
            }
        case Signal():
            return {"contact": contact_as_written(record.details.entities) or None}
        case Fact():
            details = record.details
            return {
                "key": details.key,
                "value": details.value,
                "valid_from": _time(details.valid_from),
                "valid_to": _time(details.valid_to) if details.valid_to else None,
            }
        case Rule():
            details = record.details
            return {"confirmations": details.confirmations, **({"reason": details.reason} if details.reason else {})}
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
    """Return the counts of a compact record as JSON."""
    if counts is None:
        return {}
    return {
        "interactions": counts.interactions,
        "approval_rate": counts.approval_rate,
        "exceptions": counts.exceptions,
    }


def _details(record: Record) -> dict[str, Json]:
    details = details_of(record)
    return {} if details is None else {"details": details_to_json(details)}


def _validity(record: Record) -> dict[str, Json]:
    ends = record.valid_until if isinstance(record, Observation) else None
    return {} if ends is None else {"valid_until": _time(ends)}


def _derivation(record: Observation) -> dict[str, Json]:
    """Return the engine of an observation, and the messages that it was derived from."""
    return {
        "engine": record.engine,
        "model": record.model or None,
        "priority": record.priority,
        "refers_to": record.refers_to or None,
        "messages": [record.first, record.last] if record.first else None,
        "tokens": record.tokens,
    }


def public(record: Record) -> Mapping[str, Json]:
    """Return all fields of a record but its hash, which would reveal whether a guessed text is stored."""
    return {name: value for name, value in full(record).items() if name != "hash"}


_IN_SIZE: Mapping[Size, Callable[[Record], Mapping[str, Json]]] = {
    Size.COMPACT: compact,
    Size.FULL: full,
    Size.PUBLIC: public,
}


def snippet(text: str) -> str:
    """Return the beginning of a text on one line, cut at a word."""
    line = " ".join(text.split())
    return line if len(line) <= SNIPPET_CHARACTERS else line[:SNIPPET_CHARACTERS].rsplit(" ", 1)[0] + " …"


def _time(when: datetime) -> str:
    return when.isoformat()


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page of records, newest first.

    Args:
        cursor: continues with the next page; `None` at the end.
    """

    records: tuple[Record, ...]
    cursor: str | None

    @property
    def compact(self) -> tuple[Compact, ...]:
        """The compact forms of the records."""
        return tuple(to_compact(record) for record in self.records)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextLine:
    """A message or note as a line of a context.

    Args:
        number, last: the number of a message; for a note, the numbers of its first and last message, or 0.
        role, speaker: of a message; otherwise `""`.
        priority: of a note, 1 to 5; otherwise 0.
        place: the position of a note in the log; 0 for a message.
        untrusted: whether it, or its evidence, is from a web page or a tool.
        personal: the types of personal data in it.
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
    """Outcomes of a write: a new record, a changed one, or an existing one."""

    CREATED = "created"
    UPDATED = "updated"
    DEDUPED = "deduped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved(Generic[SavedRecord]):
    """The result of a write: its outcome and the record."""

    outcome: Outcome
    record: SavedRecord

    @property
    def id(self) -> str:
        """The id of the record."""
        return self.record.id


@dataclass(frozen=True, slots=True, kw_only=True)
class IdempotentWrite:
    """An idempotency key with its request and result."""

    key: str
    request: str
    outcome: Outcome
    record: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A change of a record; `None` leaves a field unchanged.

    Args:
        author, source, occurred_at: of the new text.
        place: the position in the log.
        valid_until: a record that becomes active again after its end has no end by default.
        evidence: ids to add.
        reworded: whether the change makes a new revision.
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
        """True if the embedded text stays unchanged."""
        return (self.text, self.title, self.echo, self.occurred_at) == (None,) * 4

    @property
    def leaves_labels(self) -> bool:
        """True if the indexed but not embedded words stay unchanged: tags, metadata and episode details."""
        return self.tags is None and self.metadata is None and not isinstance(self.details, EpisodeDetails)


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A version of a record with its period; `until` is `None` for the current one."""

    record: Record
    since: datetime
    until: datetime | None
