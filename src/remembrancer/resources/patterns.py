"""Detected patterns, and the status of observations and facts."""

from collections.abc import Sequence
from datetime import datetime

from remembrancer.learn import patterns, pause
from remembrancer.resources.resource import Resource
from remembrancer.search import timeline
from remembrancer.types.lifecycle import Status
from remembrancer.types.record import Fact, Observation
from remembrancer.types.results import without_hash
from remembrancer.types.times import optional_utc

_ALL = (
    *(Status.ACTIVE, Status.PAUSED, Status.MERGED, Status.REJECTED),
    *(Status.DISMISSED, Status.RETIRED, Status.ARCHIVED),
)


class Patterns(Resource, path="patterns"):
    """The detected patterns of one scope. Reached as `memory.patterns`."""

    async def list(self, *, all: bool = False, as_of: datetime | None = None) -> Sequence[Observation]:
        """Return the active patterns in the order of their detection.

        Args:
            all: include paused, retired, rejected, dismissed, merged and archived ones.
            as_of: the patterns in their state at that time.
        """
        statuses = _ALL if all else (Status.ACTIVE,)
        when = optional_utc(as_of, what="as_of")
        records = await self._unit.read(lambda tx: timeline.learned_observations(tx, statuses, as_of=when))
        return [without_hash(one) for one in records]

    async def merge(self, into: str, other: str) -> Observation:
        """Merge the observation `other` into `into`; `other` is no longer recalled.

        Raises:
            NotFound: one of them does not exist in this scope.
            InvalidInput: both are the same, or one is not an observation.
            Conflict: one of them is not active.
        """
        async with self._unit.write() as writer:
            return await writer.as_seen(await patterns.merge(writer, into, other))

    async def pause(self, id: str) -> Observation | Fact:
        """Exclude an observation or a fact from recall and contexts until it is resumed.

        Raises:
            NotFound: there is no such memory in this scope.
            InvalidInput: it is neither an observation nor a fact.
            Conflict: it is not active.
        """
        return await self._move(id, Status.PAUSED)

    async def resume(self, id: str) -> Observation | Fact:
        """Make a paused or retired observation or fact active again.

        Raises:
            NotFound: there is no such memory in this scope.
            InvalidInput: it is neither an observation nor a fact.
            Conflict: it is neither paused nor retired, or another fact of the key is valid.
        """
        return await self._move(id, Status.ACTIVE)

    async def retire(self, id: str) -> Observation | Fact:
        """Retire an observation or a fact. It is kept, and not detected again.

        Raises:
            NotFound: there is no such memory in this scope.
            InvalidInput: it is neither an observation nor a fact.
            Conflict: its status does not allow it.
        """
        return await self._move(id, Status.RETIRED)

    async def _move(self, id: str, status: Status) -> Observation | Fact:
        async with self._unit.write() as writer:
            return await pause.put(writer, id, status)
