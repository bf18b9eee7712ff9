"""What a write did."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

from remembrancer.types.record import Record

R = TypeVar("R", bound=Record, covariant=True)


class Outcome(StrEnum):
    """Whether a write made a record, changed one, or found it already there."""

    CREATED = "created"
    UPDATED = "updated"
    DEDUPED = "deduped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved(Generic[R]):
    """A write's outcome and the record as it now stands."""

    outcome: Outcome
    record: R

    @property
    def id(self) -> str:
        """The id of the record."""
        return self.record.id


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """What an idempotency key stands for: the request it came with, and what that did."""

    key: str
    request: str
    outcome: Outcome
    record: str
