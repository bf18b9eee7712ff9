"""The three sizes in which a record is told: compact in lists, full to its owner, public to the world outside."""

from collections.abc import Mapping
from datetime import datetime

from remembrancer.model.record import Json, Message, Observation, Record, kind_of, speaker_of, title_of
from remembrancer.model.scope import DIMENSIONS

SNIPPET_CHARACTERS = 200


def compact(record: Record, *, score: float | None = None) -> dict[str, Json]:
    """About 100 tokens: what lists and searches show. The reader asks for the rest one by one."""
    return {
        "id": record.id,
        "kind": kind_of(record).value,
        "type": record.type if isinstance(record, Observation) else None,
        "title": title_of(record) or None,
        "topic_key": record.topic_key if isinstance(record, Observation) else None,
        "speaker": speaker_of(record) or None,
        "session": record.session,
        "score": score,
        "snippet": snippet(record.text),
        "occurred_at": _time(record.occurred_at),
        "updated_at": _time(record.updated_at),
    }


def full(record: Record) -> dict[str, Json]:
    """Everything that is held of a record."""
    return {
        **compact(record),
        "text": record.text,
        "hash": record.hash,
        "scope": {name: getattr(record.scope, name) for name in ("tenant", *DIMENSIONS)},
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
        "echo": record.echo,
        "usage_count": record.usage_count,
        "last_accessed_at": _time(record.last_accessed_at) if record.last_accessed_at else None,
        "evidence": list(record.evidence),
        "number": record.number if isinstance(record, Message) else None,
        "role": record.role.value if isinstance(record, Message) else None,
        "tokens": record.tokens if isinstance(record, Message) else None,
        **(_derivation(record) if isinstance(record, Observation) and record.engine else {}),
    }


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


def snippet(text: str) -> str:
    """The beginning of a text on one line, cut at a word."""
    line = " ".join(text.split())
    return line if len(line) <= SNIPPET_CHARACTERS else line[:SNIPPET_CHARACTERS].rsplit(" ", 1)[0] + " …"


def _time(when: datetime) -> str:
    return when.isoformat()
