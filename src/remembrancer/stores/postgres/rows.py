"""How PostgreSQL keeps what `stores.values` tells of."""

from collections.abc import Mapping
from typing import Any, LiteralString

import numpy as np
from numpy.typing import NDArray

from remembrancer.stores.values import to_json

RECORD_COLUMNS: LiteralString = """
    scopes.tenant, scopes.project, scopes.agent, scopes."user",
    records.id, records.kind, records.session, records.text, records.hash, records.author, records.source,
    records.tags, records.metadata, records.occurred_at, records.recorded_at, records.updated_at,
    records.revision, records.status, records.classification, records.trust, records.importance, records.echo,
    records.usage_count, records.last_accessed_at, records.number, records.role, records.speaker, records.tokens,
    records.type, records.title, records.topic_key,
    ARRAY(SELECT source FROM evidence WHERE evidence.id = records.id) AS sources,
    records.tokenizer, records.priority, records.refers_to, records.first_message, records.last_message, records.place,
    records.engine, records.model, records.details
"""
SESSION_COLUMNS: LiteralString = (
    "id, status, named, record, messages, started_at, last_activity_at, ended_at, tokens, observed, observed_tokens"
)


def stored(columns: Mapping[str, object]) -> dict[str, object]:
    """Values by name as PostgreSQL takes them: metadata as JSON, the rest as it is."""
    told = {name: columns[name] for name in ("metadata", "details")}
    return {**columns, **{name: None if value is None else to_json(value) for name, value in told.items()}}


def as_halfvec(vector: NDArray[np.floating[Any]]) -> str:
    """A vector as pgvector reads it, rounded no further than half precision is."""
    return "[" + ",".join(["%.6g"] * len(vector)) % tuple(vector.tolist()) + "]"
