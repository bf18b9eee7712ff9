"""Rows of any store to values and back: a dialect says how it keeps a time, a truth, a list, and nothing else here.

A row holds times as `datetime`, truths as `bool`, lists of names as sequences of `str`, and metadata as a mapping.
"""

import json
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, LiteralString, TypeVar

from remembrancer.errors import StoreError
from remembrancer.storage.columns import KEPT, RECORD, columns
from remembrancer.storage.matching import passes, trusted_enough
from remembrancer.types.change import Change, Version
from remembrancer.types.characters import hash_of, same_text
from remembrancer.types.classification import Classification, Trust
from remembrancer.types.details import details_to_json, learned_from
from remembrancer.types.filter import Filter
from remembrancer.types.lifecycle import Status
from remembrancer.types.line import Line
from remembrancer.types.personal import data_held
from remembrancer.types.record import (
    DETAILED,
    Episode,
    Fact,
    Kind,
    Message,
    Observation,
    Record,
    Reflection,
    Role,
    Source,
    details_of,
    kind_of,
    type_of,
)
from remembrancer.types.scope import Scope
from remembrancer.types.session import Session, SessionStatus
from remembrancer.types.space import Generation, Space, SpaceState

DAMAGED = "\ufffd"
"""What stands in a text for bytes that are none."""
Row = Sequence[Any]
R = TypeVar("R")
T = TypeVar("T")
_LOG = logging.getLogger("remembrancer")
# Whether it was said that something is left out: the background asks the same every few seconds.
_warned: set[bool] = set()


def undamaged(rows: Iterable[R], make: Callable[[R], T]) -> list[T]:
    """Return the value of each row, without the rows that a disk has damaged, which have none."""
    made: list[T] = []
    for row in rows:
        try:
            made.append(make(row))
        except (StoreError, ValueError, LookupError, TypeError) as error:
            # Not the error's message, which may quote what is in the row.
            _LOG.debug("a row is damaged: %s in %s", type(error).__name__, make.__qualname__)
            if not _warned:
                _warned.add(True)
                _LOG.warning("rows that are damaged are left out: run `remembrancer admin doctor`")
    return made


def to_json(value: object) -> str:
    """Compact JSON with sorted keys."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def scope_of(row: Row) -> Scope:
    """A scope from its tenant, project, agent and user."""
    return Scope(tenant=row[0], project=row[1], agent=row[2], user=row[3])


def scope_columns(scope: Scope) -> dict[str, object]:
    """A scope's four names."""
    return {"tenant": scope.tenant, "project": scope.project, "agent": scope.agent, "user": scope.user}


RECORD_READ = columns("tenant project agent user sources:tags weight") + RECORD
"""What a record is read from: its scope's four names, its evidence, its weight, then what it says of itself."""
_RECORD_NAMES = tuple(column.name for column in RECORD_READ)
VERSION_READ = columns("id since:moment until:moment") + KEPT
"""What a version is read from."""
_VERSION_NAMES = tuple(column.name for column in VERSION_READ)


def record_of(row: Row) -> Record:
    """A record from the values of `RECORD_READ`."""
    held = dict(zip(_RECORD_NAMES, row, strict=True))
    kind, details = Kind(held["kind"]), held["details"]
    shared: dict[str, Any] = {
        "id": held["id"],
        "scope": scope_of(row),
        "session": held["session"],
        "text": held["text"],
        "hash": held["hash"],
        "author": held["author"],
        "source": Source(held["source"]),
        "tags": tuple(held["tags"]),
        "metadata": held["metadata"],
        "occurred_at": held["occurred_at"],
        "recorded_at": held["recorded_at"],
        "updated_at": held["updated_at"],
        "revision": held["revision"],
        "status": Status(held["status"]),
        "classification": Classification(held["classification"]),
        "trust": Trust(held["trust"]),
        "importance": held["importance"],
        "echo": held["echo"],
        "usage_count": held["usage_count"],
        "last_accessed_at": held["last_accessed_at"],
        "weight": held["weight"],
        "evidence": tuple(sorted(held["sources"])),
    }
    if form := DETAILED.get(kind):
        return form.record(**shared, details=form.told(details))
    shared |= {"tokens": held["tokens"] or 0, "tokenizer": held["tokenizer"] or ""}
    if kind is Kind.MESSAGE:
        return Message(**shared, number=held["number"], role=Role(held["role"]), speaker=held["speaker"])
    claim = Reflection if kind is Kind.REFLECTION else Observation
    return claim(
        **shared,
        type=held["type"],
        title=held["title"],
        topic_key=held["topic_key"],
        priority=held["priority"] or 0,
        refers_to=held["refers_to"] or "",
        first=held["first_message"] or 0,
        last=held["last_message"] or 0,
        place=held["place"],
        engine=held["engine"] or "",
        model=held["model"] or "",
        learned=None if details is None else learned_from(details),
        valid_until=held["valid_until"],
    )


def record_columns(record: Record) -> dict[str, object]:
    """A record's columns by name, scope and index apart."""
    message = record if isinstance(record, Message) else None
    observation = record if isinstance(record, Observation) else None
    episode = record if isinstance(record, Episode) else None
    fact = record if isinstance(record, Fact) else None
    details = details_of(record)
    return {
        "id": record.id,
        "kind": kind_of(record).value,
        "session": record.session,
        "text": record.text,
        "hash": record.hash,
        "identity": _identity(record.text),
        "author": record.author,
        "source": record.source.value,
        "tags": list(record.tags),
        "metadata": record.metadata,
        "occurred_at": record.occurred_at,
        "recorded_at": record.recorded_at,
        "updated_at": record.updated_at,
        "revision": record.revision,
        "status": record.status.value,
        "classification": record.classification.value,
        "trust": record.trust.value,
        "importance": record.importance,
        "echo": record.echo,
        "usage_count": record.usage_count,
        "last_accessed_at": record.last_accessed_at,
        "number": message.number if message else None,
        "role": message.role.value if message else None,
        "speaker": message.speaker if message else None,
        "tokens": message.tokens if message else observation and observation.tokens,
        "tokenizer": (message.tokenizer if message else observation and observation.tokenizer) or None,
        "type": None if isinstance(record, Message) else type_of(record),
        "title": observation.title if observation else None,
        "topic_key": observation.topic_key if observation else fact and fact.details.key,
        "priority": (observation.priority or None) if observation else None,
        "refers_to": (observation.refers_to or None) if observation else None,
        "first_message": (observation.first or None) if observation else None,
        "last_message": (observation.last or None) if observation else None,
        "place": observation.place if observation else None,
        "engine": (observation.engine or None) if observation else None,
        "model": (observation.model or None) if observation else None,
        "details": None if details is None else details_to_json(details),
        "tier": episode and episode.details.tier.value,
        "contact": episode and episode.details.contact,
        "valid_until": observation and observation.valid_until,
    }


def _identity(text: str) -> str | None:
    """The hash of the form in which a text is compared, where that is not how it reads."""
    same = same_text(text)
    return None if same == text else hash_of(same)


def change_columns(change: Change) -> dict[str, object]:
    """The columns that a change sets, by name; `None` leaves one as it is. `reworded` is added to the revision."""
    return {
        "text": change.text,
        "hash": change.hash,
        "identity": None if change.text is None else _identity(change.text),
        "title": change.title,
        "type": change.type,
        "tags": None if change.tags is None else list(change.tags),
        "metadata": change.metadata,
        "session": change.session,
        "author": change.author,
        "source": change.source and change.source.value,
        "occurred_at": change.occurred_at,
        "importance": change.importance,
        "classification": change.classification and change.classification.value,
        "trust": change.trust and change.trust.value,
        "status": change.status and change.status.value,
        "echo": change.echo,
        "place": change.place,
        "details": None if change.details is None else details_to_json(change.details),
        "valid_until": change.valid_until,
        "reworded": int(change.reworded),
    }


def filter_columns(filter: Filter) -> dict[str, object]:
    """What a filter asks of each column, by name; `None` where it asks nothing."""
    return {
        "kinds": list(map(str, filter.kinds)) or None,
        "types": list(filter.types) or None,
        "tags": list(filter.tags) or None,
        "sessions": list(filter.sessions) or None,
        "statuses": list(map(str, filter.statuses)),
        "since": filter.since,
        "until": filter.until,
        "known_by": filter.known_by,
        "tiers": list(map(str, filter.tiers)) or None,
        "contact": filter.contact,
        "importance": filter.minimum_importance or None,
        "trust": [degree.value for degree in trusted_enough(Trust(filter.minimum_trust))]
        if filter.minimum_trust != Trust.UNTRUSTED
        else None,
        "classes": list(map(str, filter.classifications)) or None,
        "authors": list(filter.authors) or None,
        "sources": list(map(str, filter.sources)) or None,
        "metadata": dict(filter.metadata) or None,
    }


def line_of(row: Row) -> Line:
    """A line from its values in their order."""
    return Line(
        id=row[0],
        kind=Kind(row[1]),
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
        untrusted=row[12] == Trust.UNTRUSTED,
        personal=data_held(json.loads(row[13])) if row[13] else (),
    )


_PASSES: Mapping[str, LiteralString] = {
    "kinds": "records.kind = ANY(:kinds)",
    "types": "(records.type = ANY(:types) OR (records.kind = 'message' AND {named_type} = ANY(:types)))",
    "tags": "{tags}",
    "sessions": "records.session = ANY(:sessions)",
    "statuses": "records.status = ANY(:statuses)",
    "since": "records.occurred_at >= :since",
    "until": "records.occurred_at <= :until",
    "known_by": "records.updated_at <= :known_by",
    "tiers": "records.tier = ANY(:tiers)",
    "contact": "records.contact = :contact",
    "importance": "records.importance >= :importance",
    "trust": "records.trust = ANY(:trust)",
    "classes": "records.classification = ANY(:classes)",
    "authors": "{nfc}(records.author) = ANY(:authors)",
    "sources": "records.source = ANY(:sources)",
    "metadata": "{metadata}",
}


def passing(columns: Mapping[str, object]) -> LiteralString:
    """The conditions on the columns of which a filter asks anything, as `filter_columns` gives them."""
    return " AND ".join(_PASSES[name] for name, asked in columns.items() if asked is not None)


def earlier(record: Record, row: Row) -> Record:
    """A record as it once was, from the values of `VERSION_READ`."""
    held = dict(zip(_VERSION_NAMES, row, strict=True))
    former = replace(
        record,
        updated_at=held["since"],
        session=held["session"],
        text=held["text"],
        hash=held["hash"],
        author=held["author"],
        source=Source(held["source"]),
        occurred_at=held["occurred_at"],
        tags=tuple(held["tags"]),
        metadata=held["metadata"],
        revision=held["revision"],
        status=Status(held["status"]),
        classification=Classification(held["classification"]),
        trust=Trust(held["trust"]),
        importance=held["importance"],
    )
    details = held["details"]
    if isinstance(former, Observation):
        learned = None if details is None else learned_from(details)
        return replace(former, type=held["type"], title=held["title"], learned=learned, valid_until=held["valid_until"])
    if form := DETAILED.get(kind_of(former)):
        return replace(former, details=form.told(details))
    return former


def history(current: Iterable[Record], rows: Iterable[Row], *, known_to: datetime) -> list[Version]:
    """The versions that rows of the past tell of, with the present ones that stood by a time; oldest first."""
    holders = {record.id: record for record in current}

    def version(row: Row) -> Version:
        return Version(record=earlier(holders[row[0]], row), since=row[1], until=row[2])

    past = undamaged((row for row in rows if row[0] in holders), version)
    present = [
        Version(record=record, since=record.updated_at, until=None)
        for record in holders.values()
        if record.updated_at <= known_to
    ]
    return sorted(past + present, key=lambda version: version.since)


def once(current: Iterable[Record], rows: Iterable[Row], filter: Filter) -> list[Record]:
    """The records as rows of the past tell of them, those that a filter lets through."""
    holders = {record.id: record for record in current}
    former = undamaged((row for row in rows if row[0] in holders), lambda row: earlier(holders[row[0]], row))
    return [record for record in former if passes(record, filter)]


def session_of(row: Row, scope: Scope) -> Session:
    """A session from the values of `SESSION`."""
    return Session(
        id=row[0],
        scope=scope,
        status=SessionStatus(row[1]),
        named=row[2],
        record=row[3],
        messages=row[4],
        started_at=row[5],
        last_activity_at=row[6],
        ended_at=row[7],
        tokens=row[8],
        observed=row[9],
        observed_tokens=row[10],
    )


def generation_of(row: Row) -> Generation:
    """A generation from its number, the five columns of its space, and its state."""
    return Generation(
        number=row[0],
        space=Space(name=row[1], version=row[2], dimension=row[3], random_cosine=row[4], random_spread=row[5]),
        state=SpaceState(row[6]),
    )
