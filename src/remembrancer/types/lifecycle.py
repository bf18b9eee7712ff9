"""Each status a memory can have, and the only transitions allowed."""

from collections.abc import Mapping
from datetime import timedelta
from enum import StrEnum

from remembrancer.errors import Conflict
from remembrancer.types.episode import Tier


class Status(StrEnum):
    """Where a memory stands. Only those that are live are recalled.

    `buffered` ones wait to be shown with the others of their chunk; `merged` and `retired` ones are covered by another;
    so are superseded episodes, by a compact record. `contradicted` episodes had an observation that a person rejected.
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
"""For so long a deleted memory can be restored; then it is gone for good, with the next night at the latest."""

LIVE = (Status.ACTIVE, Status.RAW)
"""Those that stand in the indexes: an episode is raw until a compact record covers it."""

EXPORTED = (*LIVE, Status.PAUSED)
"""Those that leave a store in an export: a person has paused a memory, and may resume it elsewhere."""

LIVE_IN: Mapping[Tier, Status] = {Tier.RAW: Status.RAW, Tier.WEEKLY: Status.ACTIVE, Tier.MONTHLY: Status.ACTIVE}

_REMOVED = frozenset({Status.DELETED})
TRANSITIONS: dict[Status, frozenset[Status]] = {
    Status.BUFFERED: frozenset({Status.ACTIVE, Status.REJECTED, Status.RETIRED}) | _REMOVED,
    Status.RAW: frozenset({Status.SUPERSEDED_RAW, Status.CONTRADICTED, Status.QUARANTINED}) | _REMOVED,
    Status.ACTIVE: frozenset(set(Status) - {Status.BUFFERED, Status.RAW, Status.SUPERSEDED_RAW, Status.ACTIVE}),
    Status.PAUSED: frozenset({Status.ACTIVE, Status.REJECTED, Status.DEMOTED, Status.RETIRED}) | _REMOVED,
    Status.MERGED: frozenset({Status.ACTIVE, Status.REJECTED}) | _REMOVED,
    Status.QUARANTINED: frozenset({Status.ACTIVE, Status.RAW, Status.REJECTED, Status.RETIRED}) | _REMOVED,
    # By `undo`, to where it stood.
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
    """Nothing, where a memory may go from one status to another.

    Raises:
        Conflict: it may not.
    """
    if after not in TRANSITIONS[before]:
        raise Conflict(f"a memory that is {before} cannot become {after}")
