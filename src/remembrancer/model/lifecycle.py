"""Each status a memory can have, and the only transitions allowed."""

from enum import StrEnum

from remembrancer.errors import Conflict


class Status(StrEnum):
    """Where a memory stands. Only `active` ones are recalled."""

    ACTIVE = "active"
    QUARANTINED = "quarantined"
    REJECTED = "rejected"
    ARCHIVED = "archived"
    DELETED = "soft-deleted"


TRANSITIONS: dict[Status, frozenset[Status]] = {
    Status.ACTIVE: frozenset({Status.QUARANTINED, Status.REJECTED, Status.ARCHIVED, Status.DELETED}),
    Status.QUARANTINED: frozenset({Status.ACTIVE, Status.REJECTED, Status.DELETED}),
    Status.REJECTED: frozenset({Status.ACTIVE, Status.DELETED}),
    Status.ARCHIVED: frozenset({Status.ACTIVE, Status.DELETED}),
    Status.DELETED: frozenset({Status.ACTIVE, Status.QUARANTINED, Status.REJECTED, Status.ARCHIVED}),
}


def check_transition(before: Status, after: Status) -> None:
    """Nothing, where a memory may go from one status to another.

    Raises:
        Conflict: it may not.
    """
    if after not in TRANSITIONS[before]:
        raise Conflict(f"a memory that is {before} cannot become {after}")
