"""How records read before."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from remembrancer.types.change import Version
from remembrancer.types.filter import Filter
from remembrancer.types.lifecycle import Status
from remembrancer.types.record import Record


class Versions(Protocol):
    """Every state that a record had."""

    async def at(self, id: str, at: datetime) -> Record | None:
        """The record as it was known at a time, in the status it then had, or `None`."""
        ...

    async def of(self, id: str) -> list[Version]:
        """Every version of a record, oldest first, the present one last; none of a record that is not here."""
        ...

    async def between(self, *, known_from: datetime, known_to: datetime) -> list[Version]:
        """Every version that stood at some time in a stretch and began or ended in it; oldest first."""
        ...

    async def past(self, filter: Filter, *, at: datetime) -> list[Record]:
        """Records in a wording that stood at a time and no longer does."""
        ...

    async def status_before(self, id: str, *, apart_from: Sequence[Status] = ()) -> Status:
        """The last status that a record of the exact scope had before its last change, some of them not counted."""
        ...
