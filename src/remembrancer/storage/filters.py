"""Filters of records: as conditions of SQL, and over a record in memory."""

from collections.abc import Mapping
from typing import LiteralString

from remembrancer.types.filter import Filter
from remembrancer.types.record import (
    Episode,
    Json,
    Record,
    Scalar,
    kind_of,
    type_of,
)
from remembrancer.types.scope import Trust
from remembrancer.types.text import same_name, same_value


def filter_columns(filter: Filter) -> dict[str, object]:
    """Return the conditions of a filter by name; `None` where it has none."""
    return {
        "ids": list(filter.ids) or None,
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


_PASSES: Mapping[str, LiteralString] = {
    "ids": "records.id = ANY(:ids)",
    "kinds": "records.kind = ANY(:kinds)",
    "types": "(records.type = ANY(:types) OR (records.kind = 'message' AND {named_type} = ANY(:types)))",
    "tags": "{tags}",
    "sessions": "records.session = ANY(:sessions)",
    "statuses": "records.status = ANY(:statuses)",
    "since": "records.occurred_at >= :since",
    "until": "records.occurred_at <= :until",
    # Read in the order of the list, and not by the time of the change, which most records pass.
    "known_by": "{plus}records.updated_at <= :known_by",
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
    """Return the SQL of the conditions that `filter_columns` returned."""
    return " AND ".join(_PASSES[name] for name, asked in columns.items() if asked is not None)


def passes(record: Record, filter: Filter) -> bool:
    """Return True if a record matches a filter, apart from `known_by`."""
    return (
        (not filter.ids or record.id in filter.ids)
        and (not filter.kinds or kind_of(record) in filter.kinds)
        and (not filter.types or type_of(record) in filter.types)
        and (not filter.sessions or record.session in filter.sessions)
        and set(filter.tags) <= set(record.tags)
        and record.status in filter.statuses
        and (filter.since is None or record.occurred_at >= filter.since)
        and (filter.until is None or record.occurred_at <= filter.until)
        and (not filter.tiers or (isinstance(record, Episode) and record.details.tier in filter.tiers))
        and (filter.contact is None or (isinstance(record, Episode) and record.details.contact == filter.contact))
        and record.importance >= filter.minimum_importance
        and record.trust in trusted_enough(Trust(filter.minimum_trust))
        and (not filter.authors or same_name(record.author) in filter.authors)
        and (not filter.sources or record.source in filter.sources)
        and all(_is_among(record.metadata, name, value) for name, value in filter.metadata.items())
        and (not filter.classifications or record.classification in filter.classifications)
    )


def _is_among(metadata: Mapping[str, Json], name: str, asked: Scalar) -> bool:
    """Return True if metadata has a name with this value; a truth value equals no number."""
    return any(
        same_value(value) == asked and isinstance(value, bool) == isinstance(asked, bool)
        for key, value in metadata.items()
        if same_name(key) == name
    )


def trusted_enough(minimum: Trust) -> list[Trust]:
    """Return the degrees of trust from one up."""
    degrees = list(Trust)
    return degrees[degrees.index(minimum) :]
