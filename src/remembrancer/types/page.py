"""Some records of many."""

from dataclasses import dataclass

from remembrancer.types.forms import Compact, in_short
from remembrancer.types.record import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Some records, newest first, and where to go on; `None` at the end."""

    records: tuple[Record, ...]
    cursor: str | None

    @property
    def compact(self) -> tuple[Compact, ...]:
        """The same in short, about 100 tokens each."""
        return tuple(in_short(record) for record in self.records)
