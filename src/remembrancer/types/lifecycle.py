"""The statuses of a memory, and the transitions between them."""

from collections.abc import Mapping
from datetime import timedelta
from enum import StrEnum

from remembrancer.errors import Conflict
from remembrancer.types.episode import Tier


class Status(StrEnum):
    """The status of a memory. Only `active` and `raw` memories are recalled.

    A `buffered` note is activated with its chunk. `merged` and `retired` memories are covered by another memory, and
    superseded episodes by a compact record. A person rejected an observation that was derived from a `contradicted`
    episode.
    """

    BUFFERED = "buffered"
    RAW = "raw"
    ACTIVE = "active"
    PAUSED = "paused"
    MERGED = "merged"
    QUARANTINED = "quarantined"
    REJECTED = "rejected"
    DEMOTED = "demoted"
    DISMISSED = "dismissed"
    CONTRADICTED = "contradicted"
    SUPERSEDED_RAW = "superseded_raw"
    SUPERSEDED_WEEKLY = "superseded_tier1"
    RETIRED = "retired"
    ARCHIVED = "archived"
    DELETED = "soft-deleted"


GRACE = timedelta(days=30)
"""The time in which a deleted memory can be restored. The next nightly run after it removes the memory permanently."""

LIVE = (Status.ACTIVE, Status.RAW)
"""Statuses of indexed memories. An episode is `raw` until a compact record covers it."""

EXPORTED = (*LIVE, Status.PAUSED)
"""Statuses of exported memories. A paused memory can be resumed in another store."""

LIVE_IN: Mapping[Tier, Status] = {Tier.RAW: Status.RAW, Tier.WEEKLY: Status.ACTIVE, Tier.MONTHLY: Status.ACTIVE}

_REMOVED = frozenset({Status.DELETED})
TRANSITIONS: dict[Status, frozenset[Status]] = {
    Status.BUFFERED: frozenset({Status.ACTIVE, Status.REJECTED, Status.RETIRED}) | _REMOVED,
    Status.RAW: frozenset({Status.SUPERSEDED_RAW, Status.CONTRADICTED, Status.QUARANTINED}) | _REMOVED,
    Status.ACTIVE: frozenset(set(Status) - {Status.BUFFERED, Status.RAW, Status.SUPERSEDED_RAW, Status.ACTIVE}),
    Status.PAUSED: frozenset({Status.ACTIVE, Status.REJECTED, Status.DEMOTED, Status.RETIRED}) | _REMOVED,
    Status.MERGED: frozenset({Status.ACTIVE, Status.REJECTED}) | _REMOVED,
    Status.QUARANTINED: frozenset({Status.ACTIVE, Status.RAW, Status.REJECTED, Status.RETIRED}) | _REMOVED,
    # `undo` restores the earlier status.
    Status.REJECTED: frozenset(
        {Status.BUFFERED, Status.ACTIVE, Status.PAUSED, Status.MERGED, Status.QUARANTINED, Status.RETIRED}
        | {Status.DISMISSED}
    )
    | _REMOVED,
    Status.DEMOTED: frozenset({Status.ACTIVE, Status.PAUSED, Status.RETIRED}) | _REMOVED,
    Status.DISMISSED: frozenset({Status.ACTIVE, Status.PAUSED, Status.QUARANTINED, Status.REJECTED}) | _REMOVED,
    Status.CONTRADICTED: frozenset({Status.RAW, Status.ACTIVE, Status.SUPERSEDED_RAW, Status.SUPERSEDED_WEEKLY})
    | _REMOVED,
    Status.SUPERSEDED_RAW: frozenset({Status.RAW, Status.CONTRADICTED}) | _REMOVED,
    Status.SUPERSEDED_WEEKLY: frozenset({Status.ACTIVE, Status.CONTRADICTED, Status.RETIRED}) | _REMOVED,
    Status.RETIRED: frozenset({Status.BUFFERED, Status.ACTIVE, Status.REJECTED, Status.SUPERSEDED_WEEKLY}) | _REMOVED,
    Status.ARCHIVED: frozenset({Status.ACTIVE, Status.REJECTED}) | _REMOVED,
    Status.DELETED: frozenset(set(Status) - _REMOVED),
}


def check_transition(before: Status, after: Status) -> None:
    """Check that a memory may change from one status to another.

    Raises:
        Conflict: the transition is not allowed.
    """
    if after not in TRANSITIONS[before]:
        raise Conflict(f"a memory that is {before} cannot become {after}")
