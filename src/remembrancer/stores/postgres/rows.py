"""Rows to values and back: one function per noun, both ways."""

import json
from typing import Any, LiteralString

from remembrancer.model.classification import Classification, Trust
from remembrancer.model.lifecycle import Status
from remembrancer.model.record import Kind, Message, Observation, Record, Role, Source, kind_of
from remembrancer.model.scope import Scope
from remembrancer.model.session import Session, SessionStatus
from remembrancer.stores.postgres.connection import Row

RECORD_COLUMNS: LiteralString = """
    scopes.tenant, scopes.project, scopes.agent, scopes."user",
    records.id, records.kind, records.session, records.text, records.hash, records.author, records.source,
    records.tags, records.metadata, records.occurred_at, records.recorded_at, records.updated_at,
    records.revision, records.status, records.classification, records.trust, records.importance, records.echo,
    records.usage_count, records.last_accessed_at, records.number, records.role, records.speaker, records.tokens,
    records.type, records.title, records.topic_key,
    ARRAY(SELECT source FROM evidence WHERE evidence.id = records.id ORDER BY source) AS sources
"""


def to_json(value: object) -> str:
    """Compact JSON with sorted keys."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def record_from(row: Row) -> Record:
    """A record from `RECORD_COLUMNS`."""
    shared: dict[str, Any] = {
        "id": row[4],
        "scope": Scope(tenant=row[0], project=row[1], agent=row[2], user=row[3]),
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
        "evidence": tuple(row[31]),
    }
    if Kind(row[5]) is Kind.MESSAGE:
        return Message(**shared, number=row[24], role=Role(row[25]), speaker=row[26], tokens=row[27])
    return Observation(**shared, type=row[28], title=row[29], topic_key=row[30])


def record_values(record: Record) -> dict[str, object]:
    """A record's columns by name, scope and index apart."""
    message = record if isinstance(record, Message) else None
    observation = record if isinstance(record, Observation) else None
    return {
        "id": record.id,
        "kind": kind_of(record).value,
        "session": record.session,
        "text": record.text,
        "hash": record.hash,
        "author": record.author,
        "source": record.source.value,
        "tags": list(record.tags),
        "metadata": to_json(record.metadata),
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
        "tokens": message.tokens if message else None,
        "type": observation.type if observation else None,
        "title": observation.title if observation else None,
        "topic_key": observation.topic_key if observation else None,
    }


SESSION_COLUMNS: LiteralString = "id, status, named, record, messages, started_at, last_activity_at, ended_at"


def session_from(row: Row, scope: Scope) -> Session:
    """A session from `SESSION_COLUMNS`."""
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
    )
