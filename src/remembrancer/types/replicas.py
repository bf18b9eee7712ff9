"""Read replicas of a store."""

from dataclasses import dataclass
from enum import StrEnum


class ReplicaStatus(StrEnum):
    """The condition of a replica; only a ready one is asked.

    One that was promoted is the primary: it is not asked as a replica, and that is no fault.
    """

    READY = "ready"
    PRIMARY = "primary"
    LAGGING = "lagging"
    UNREACHABLE = "unreachable"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicaState:
    """A read replica, as this process sees it.

    Args:
        name: its host and port.
        lag_seconds: the age of the oldest change that it lacks, to about a second; `None` if unknown.
        reason: the reason if it is not asked; otherwise empty.
        reads: the number of reads that it answered for this process.
        missed: the number of reads that the primary answered, since the replica lacked a change of their scopes.
    """

    name: str
    status: ReplicaStatus
    lag_seconds: float | None
    reason: str
    reads: int
    missed: int

    @property
    def is_asked(self) -> bool:
        """True if it answers reads."""
        return self.status is ReplicaStatus.READY

    @property
    def is_in_order(self) -> bool:
        """True if it is asked, or is the primary now."""
        return self.is_asked or self.status is ReplicaStatus.PRIMARY
