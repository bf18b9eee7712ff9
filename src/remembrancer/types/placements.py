"""Tenants in several databases."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

MAIN = "main"
"""The name of the database of the setting `db`, in which tenants are that were never placed elsewhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseState:
    """One of several databases.

    Args:
        reason: why it does not answer; empty if it does.
    """

    name: str
    reason: str = ""

    @property
    def answers(self) -> bool:
        """True if it answers."""
        return not self.reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """The database of a tenant.

    Args:
        since: when it was placed there or moved there; `None` for one that has always been in the main database.
        moving_to: the database that it is moving to, or `""`. The move runs or was interrupted.
        left_over: other databases that have rows of it, from a move that runs or was interrupted.
    """

    tenant: str
    database: str
    since: datetime | None = None
    moving_to: str = ""
    left_over: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MovedTable:
    """The rows of a table that were moved.

    Args:
        sha256: of the MD5 digests of the rows, sorted.
    """

    rows: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveReceipt:
    """Proof of a move: what was deleted in the former database.

    Args:
        former, database: names of databases.
        tables: what the former one contained at the cut-over, by name of the table.
        is_compared: whether both databases were compared as of the cut-over; False after an interruption between the
            cut-over and the comparison. What was copied before is compared in any case.
        kept: the tables whose rows stay in the former database too, since rows are only added there.
        waited_seconds: how long writes waited; `None` if that is unknown after an interruption.
        signature: of the above, by the key of the store.
    """

    tenant: str
    former: str
    database: str
    at: datetime
    tables: Mapping[str, MovedTable]
    is_compared: bool
    waited_seconds: float | None
    signature: str
    kept: Sequence[str] = ()
