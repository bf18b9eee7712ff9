"""Transfers: what one project of a tenant lends to another, where an operator has granted it."""

from dataclasses import dataclass
from datetime import datetime

from remembrancer.types.record import Observation, Record

ENGINE = "transfer 1"
"""What an observation names as its engine that was transferred."""
MARK = "transferred_from"
"""Under which name its metadata says from which project."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transfer:
    """A policy of a project: what all of it sees is copied to another one, as far as it is open to all.

    Args:
        number: of this grant: what was transferred by another one is another copy.
        lender, reader: the projects.
        reason: why, for whoever meets it.
        revoked: whether its copies are to go; it stands until none is left.
    """

    number: str
    lender: str
    reader: str
    reason: str
    set_at: datetime
    revoked: bool = False

    @property
    def id(self) -> str:
        """The policy's name in its scope."""
        return f"transfer {self.reader}"


def transferred_from(record: Record) -> str | None:
    """The project that an observation was transferred from; `None` for one of its own."""
    if not isinstance(record, Observation) or record.engine != ENGINE:
        return None
    return str(record.metadata.get(MARK, ""))
