"""Each status a memory can have, and the only transitions allowed."""

from enum import StrEnum

from remembrancer.errors import Conflict


class Status(StrEnum):
    """Where a memory stands. Only `active` ones are recalled.

    `buffered` ones wait to be shown with the others of their chunk; `merged` and `retired` ones are covered by another.
    """

    BUFFERED = "buffered"
    ACTIVE = "active"
    MERGED = "merged"
    QUARANTINED = "quarantined"
    REJECTED = "rejected"
    DISMISSED = "dismissed"
    RETIRED = "retired"
    ARCHIVED = "archived"
    DELETED = "soft-deleted"


TRANSITIONS: dict[Status, frozenset[Status]] = {
    Status.BUFFERED: frozenset({Status.ACTIVE, Status.REJECTED, Status.RETIRED, Status.DELETED}),
    Status.ACTIVE: frozenset(set(Status) - {Status.BUFFERED, Status.ACTIVE}),
    Status.MERGED: frozenset({Status.ACTIVE, Status.DELETED}),
    Status.QUARANTINED: frozenset({Status.ACTIVE, Status.REJECTED, Status.RETIRED, Status.DELETED}),
    Status.REJECTED: frozenset({Status.ACTIVE, Status.DELETED}),
    Status.DISMISSED: frozenset({Status.ACTIVE, Status.REJECTED, Status.DELETED}),
    Status.RETIRED: frozenset({Status.ACTIVE, Status.REJECTED, Status.DELETED}),
    Status.ARCHIVED: frozenset({Status.ACTIVE, Status.REJECTED, Status.DELETED}),
    Status.DELETED: frozenset(set(Status) - {Status.DELETED}),
}


def check_transition(before: Status, after: Status) -> None:
    """Nothing, where a memory may go from one status to another.

    Raises:
        Conflict: it may not.
    """
    if after not in TRANSITIONS[before]:
        raise Conflict(f"a memory that is {before} cannot become {after}")
