"""How SQLite keeps what `stores.values` tells of."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import LiteralString, cast

from remembrancer.model.record import Metadata, Record
from remembrancer.model.scope import Scope
from remembrancer.model.session import Session
from remembrancer.stores.moments import from_micros, to_micros
from remembrancer.stores.sqlite.connection import Row
from remembrancer.stores.values import record_of, session_of, to_json


def maybe_micros(when: datetime | None) -> int | None:
    """As `to_micros`; `None` stays `None`."""
    return None if when is None else to_micros(when)


def maybe_from_micros(micros: int | None) -> datetime | None:
    """As `from_micros`; `None` stays `None`."""
    return None if micros is None else from_micros(micros)


RECORD_COLUMNS: LiteralString = """
    scopes.tenant, scopes.project, scopes.agent, scopes.user,
    records.id, records.kind, records.session, records.text, records.hash, records.author, records.source,
    records.tags, records.metadata, records.occurred_at, records.recorded_at, records.updated_at,
    records.revision, records.status, records.classification, records.trust, records.importance, records.echo,
    records.usage_count, records.last_accessed_at, records.number, records.role, records.speaker, records.tokens,
    records.type, records.title, records.topic_key,
    (SELECT json_group_array(source) FROM evidence WHERE evidence.id = records.id) AS sources,
    records.tokenizer, records.priority, records.refers_to, records.first_message, records.last_message, records.place,
    records.engine, records.model, records.details
"""


def record_from(row: Row) -> Record:
    """A record from `RECORD_COLUMNS`."""
    return record_of(
        (
            *row[:11],
            _strings(row[11]),
            _metadata(row[12]),
            from_micros(row[13]),
            from_micros(row[14]),
            from_micros(row[15]),
            *row[16:21],
            bool(row[21]),
            row[22],
            maybe_from_micros(row[23]),
            *row[24:31],
            _strings(row[31]),
            *row[32:40],
            _maybe_metadata(row[40]),
        )
    )


VERSION_COLUMNS: LiteralString = """
    versions.id, versions.since, versions.until, versions.session, versions.text, versions.hash, versions.tags,
    versions.metadata, versions.revision, versions.status, versions.classification, versions.trust,
    versions.importance, versions.type, versions.title, versions.details
"""


def version_from(row: Row) -> Row:
    """The values of `VERSION_COLUMNS`."""
    return (
        row[0],
        from_micros(row[1]),
        from_micros(row[2]),
        *row[3:6],
        _strings(row[6]),
        _metadata(row[7]),
        *row[8:15],
        _maybe_metadata(row[15]),
    )


def _strings(text: str) -> tuple[str, ...]:
    return () if text == "[]" else tuple(json.loads(text))


def _metadata(text: str) -> Metadata:
    return {} if text == "{}" else json.loads(text)


def _maybe_metadata(text: str | None) -> Metadata | None:
    return None if text is None else _metadata(text)


def stored(columns: Mapping[str, object]) -> dict[str, object]:
    """Values by name as SQLite keeps them: microseconds, 0 and 1, JSON."""
    return {name: _stored(value) for name, value in columns.items()}


def _stored(value: object) -> object:
    match value:
        case datetime():
            return to_micros(value)
        case bool():
            return int(value)
        case list() | dict():
            return to_json(cast(object, value))
        case _:
            return value


SESSION_COLUMNS: LiteralString = (
    "id, status, named, record, messages, started_at, last_activity_at, ended_at, tokens, observed, observed_tokens"
)


def session_from(row: Row, scope: Scope) -> Session:
    """A session from `SESSION_COLUMNS`."""
    times = (from_micros(row[5]), from_micros(row[6]), maybe_from_micros(row[7]))
    return session_of((*row[:2], bool(row[2]), bool(row[3]), row[4], *times, *row[8:]), scope)
