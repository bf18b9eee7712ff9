"""Where it is kept how memories stand."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from remembrancer.types.record import Kind
from remembrancer.types.standing import Judged, Standing


class Standings(Protocol):
    """How memories of the exact scope stand."""

    async def find(self, id: str) -> Standing | None:
        """How a memory stands, or `None`."""
        ...

    async def judged(self, ids: Sequence[str]) -> Mapping[str, Judged]:
        """What people have set for those of these memories that the caller sees, by id; without those with nothing."""
        ...

    async def page(self, *, after: tuple[datetime, str] | None, limit: int) -> list[Standing]:
        """Memories whose importance decays, oldest first.

        Args:
            after: when the last one of the page before occurred, and its id; `None` begins.
        """
        ...

    async def put(self, standings: Sequence[Standing]) -> None:
        """Store how memories stand from now on; that is no change of their wording."""
        ...

    async def beyond(self, kind: Kind, *, keep: int) -> list[str]:
        """Ids of what engines of ours wrote and nobody has pinned, beyond the `keep` of the highest standing."""
        ...

    async def unread(self, *, before: datetime) -> list[str]:
        """Ids of what engines of ours wrote and nobody has pinned, that nobody has read since a time."""
        ...

    async def faded(self, *, below: float, before: datetime) -> list[str]:
        """Ids of active observations and reflections of little importance, recorded before a time and not pinned."""
        ...
