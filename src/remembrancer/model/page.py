"""Some records of many."""

from dataclasses import dataclass

from remembrancer.model.record import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Some records, newest first, and where to go on; `None` at the end."""

    records: tuple[Record, ...]
    cursor: str | None
