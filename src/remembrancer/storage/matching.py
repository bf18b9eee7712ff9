"""A filter over a record in hand: for states that have passed, which no table's columns hold any more."""

from collections.abc import Mapping

from remembrancer.types.characters import same_name, same_value
from remembrancer.types.classification import Trust
from remembrancer.types.filter import Filter
from remembrancer.types.record import Episode, Json, Record, Scalar, kind_of, type_of


def passes(record: Record, filter: Filter) -> bool:
    """Whether a filter lets the record through; `known_by` is for the caller."""
    return (
        (not filter.kinds or kind_of(record) in filter.kinds)
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
    """Whether a name is in metadata with the value that a filter asks for; a truth value equals no number."""
    return any(
        same_value(value) == asked and isinstance(value, bool) == isinstance(asked, bool)
        for key, value in metadata.items()
        if same_name(key) == name
    )


def trusted_enough(minimum: Trust) -> list[Trust]:
    """The degrees of trust from one up."""
    degrees = list(Trust)
    return degrees[degrees.index(minimum) :]
