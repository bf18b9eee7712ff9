"""Rows of any store to values and back: a dialect says how it keeps a time, a truth, a list, and nothing else here.

A row holds times as `datetime`, truths as `bool`, lists of names as sequences of `str`, and metadata as a mapping.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from typing import Any, LiteralString

from remembrancer.model.change import Change, Version
from remembrancer.model.classification import Classification, Trust
from remembrancer.model.details import (
    details_to_json,
    episode_from,
    fact_from,
    learned_from,
    procedure_from,
    signal_from,
)
from remembrancer.model.filter import Filter
from remembrancer.model.lifecycle import Status
from remembrancer.model.line import Line
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
    details_of,
    kind_of,
    type_of,
)
from remembrancer.model.scope import Scope
from remembrancer.model.session import Session, SessionStatus
from remembrancer.model.space import Generation, Space, SpaceState
from remembrancer.stores.matching import cleared, passes, trusted_enough

Row = Sequence[Any]


def to_json(value: object) -> str:
    """Compact JSON with sorted keys."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def scope_of(row: Row) -> Scope:
    """A scope from its tenant, project, agent and user."""
    return Scope(tenant=row[0], project=row[1], agent=row[2], user=row[3])


def record_of(row: Row) -> Record:
    """A record from its scope's four names, then its columns in the order of the dialects' `RECORD_COLUMNS`."""
    shared: dict[str, Any] = {
        "id": row[4],
        "scope": scope_of(row),
        "session": row[6],
        "text": row[7],
        "hash": row[8],
        "author": row[9],
        "source": Source(row[10]),
        "tags": tuple(row[11]),
        "metadata": row[12],
        "occurred_at": row[13],
        "recorded_at": row[14],
        "updated_at": row[15],
        "revision": row[16],
        "status": Status(row[17]),
        "classification": Classification(row[18]),
        "trust": Trust(row[19]),
        "importance": row[20],
        "echo": row[21],
        "usage_count": row[22],
        "last_accessed_at": row[23],
        "evidence": tuple(sorted(row[31])),
    }
    kind = Kind(row[5])
    shared |= {"tokens": row[27] or 0, "tokenizer": row[32] or ""}
    if kind is Kind.MESSAGE:
        return Message(**shared, number=row[24], role=Role(row[25]), speaker=row[26])
    details = row[40]
    match kind:
        case Kind.EPISODE:
            return Episode(**_spoken(shared), details=episode_from(details))
        case Kind.SIGNAL:
            return Signal(**_spoken(shared), details=signal_from(details))
        case Kind.FACT:
            return Fact(**_spoken(shared), details=fact_from(details))
        case Kind.PROCEDURE:
            return Procedure(**_spoken(shared), details=procedure_from(details))
        case _:
            pass
    claim = Reflection if kind is Kind.REFLECTION else Observation
    return claim(
        **shared,
        type=row[28],
        title=row[29],
        topic_key=row[30],
        priority=row[33] or 0,
        refers_to=row[34] or "",
        first=row[35] or 0,
        last=row[36] or 0,
        place=row[37],
        engine=row[38] or "",
        model=row[39] or "",
        learned=None if details is None else learned_from(details),
    )


def _spoken(shared: dict[str, Any]) -> dict[str, Any]:
    """What those kinds have that nobody counts the tokens of."""
    return {name: value for name, value in shared.items() if name not in ("tokens", "tokenizer")}


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
        "type": type_of(record),
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
    }


def change_columns(change: Change) -> dict[str, object]:
    """The columns that a change sets, by name; `None` leaves one as it is. `reworded` is added to the revision."""
    return {
        "text": change.text,
        "hash": change.hash,
        "title": change.title,
        "type": change.type,
        "tags": None if change.tags is None else list(change.tags),
        "metadata": change.metadata,
        "session": change.session,
        "importance": change.importance,
        "classification": change.classification and change.classification.value,
        "trust": change.trust and change.trust.value,
        "status": change.status and change.status.value,
        "echo": change.echo,
        "place": change.place,
        "details": None if change.details is None else details_to_json(change.details),
        "reworded": int(change.reworded),
    }


def filter_columns(filter: Filter) -> dict[str, object]:
    """What a filter asks of each column, by name; `None` where it asks nothing."""
    return {
        "kinds": [kind.value for kind in filter.kinds] or None,
        "types": list(filter.types) or None,
        "tags": list(filter.tags) or None,
        "sessions": list(filter.sessions) or None,
        "statuses": [status.value for status in filter.statuses],
        "since": filter.since,
        "until": filter.until,
        "known_by": filter.known_by,
        "tiers": [tier.value for tier in filter.tiers] or None,
        "contact": filter.contact,
        "importance": filter.minimum_importance or None,
        "trust": _narrower([degree.value for degree in trusted_enough(filter.minimum_trust)], Trust),
        "classes": _narrower([name.value for name in cleared(filter.clearance)], Classification),
    }


def _narrower(names: list[str], all_of: type[StrEnum]) -> list[str] | None:
    return names if len(names) < len(all_of) else None


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
    )


def passing(columns: Mapping[str, object], conditions: Mapping[str, LiteralString]) -> LiteralString:
    """The conditions on the columns of which a filter asks anything, as `filter_columns` gives them."""
    return " AND ".join(conditions[name] for name, asked in columns.items() if asked is not None)


def earlier(record: Record, row: Row) -> Record:
    """A record as it once was, from the columns of the dialects' `_VERSION`."""
    former = replace(
        record,
        updated_at=row[1],
        session=row[3],
        text=row[4],
        hash=row[5],
        tags=tuple(row[6]),
        metadata=row[7],
        revision=row[8],
        status=Status(row[9]),
        classification=Classification(row[10]),
        trust=Trust(row[11]),
        importance=row[12],
    )
    return _in_detail(former, type=row[13], title=row[14], details=row[15])


def _in_detail(record: Record, *, type: str, title: str, details: Any) -> Record:
    match record:
        case Observation():
            learned = None if details is None else learned_from(details)
            return replace(record, type=type, title=title, learned=learned)
        case Episode():
            return replace(record, details=episode_from(details))
        case Fact():
            return replace(record, details=fact_from(details))
        case Procedure():
            return replace(record, details=procedure_from(details))
        case _:
            return record


def history(current: Iterable[Record], rows: Iterable[Row], *, known_to: datetime) -> list[Version]:
    """The versions that rows of the past tell of, with the present ones that stood by a time; oldest first."""
    holders = {record.id: record for record in current}
    past = [
        Version(record=earlier(holders[row[0]], row), since=row[1], until=row[2]) for row in rows if row[0] in holders
    ]
    present = [
        Version(record=record, since=record.updated_at, until=None)
        for record in holders.values()
        if record.updated_at <= known_to
    ]
    return sorted(past + present, key=lambda version: version.since)


def once(current: Iterable[Record], rows: Iterable[Row], filter: Filter) -> list[Record]:
    """The records as rows of the past tell of them, those that a filter lets through."""
    holders = {record.id: record for record in current}
    former = [earlier(holders[row[0]], row) for row in rows if row[0] in holders]
    return [record for record in former if passes(record, filter)]


def session_of(row: Row, scope: Scope) -> Session:
    """A session from the columns of the dialects' `SESSION_COLUMNS`."""
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
