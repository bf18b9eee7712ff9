"""Where nightly runs are kept."""

from datetime import date, datetime
from typing import Protocol

from remembrancer.types.night import Night


class Nights(Protocol):
    """Nightly runs of the exact scope."""

    async def find(self, day: date) -> Night | None:
        """The night of a day, or `None`."""
        ...

    async def latest(self, *, before: date | None = None) -> Night | None:
        """The night of the latest day, or of the latest before a day; `None` where there is none."""
        ...

    async def deeds_since(self, at: datetime, *, until: datetime) -> bool:
        """Whether an episode or a signal from before `until` has occurred, come or changed since a time."""
        ...

    async def put(self, night: Night) -> None:
        """Store a night as it now stands."""
        ...
