"""Observations of the detector, and the state of observations and facts."""

from collections.abc import Sequence
from datetime import datetime

from remembrancer.learn import patterns as learned
from remembrancer.learn import pause as pausing
from remembrancer.resources.resource import Resource
from remembrancer.search import timeline as looking
from remembrancer.types.lifecycle import Status
from remembrancer.types.record import Fact, Observation
from remembrancer.types.results import without_hash
from remembrancer.types.times import optional_utc

_KEPT = (
    *(Status.ACTIVE, Status.PAUSED, Status.MERGED, Status.REJECTED),
    *(Status.DISMISSED, Status.RETIRED, Status.ARCHIVED),
)


class Patterns(Resource, path="patterns"):
    """Patterns that the detector has observed in one scope. Reached as `memory.patterns`."""

    async def list(self, *, all: bool = False, as_of: datetime | None = None) -> Sequence[Observation]:
        """Return the active patterns, in the order in which they were detected.

        Args:
            all: with those that were paused, retired, rejected, dismissed, merged and archived.
            as_of: the patterns of that time, as they then read.
        """
        statuses = _KEPT if all else (Status.ACTIVE,)
        known = optional_utc(as_of, what="as_of")
        found = await self._unit.read(lambda tx: looking.learned_observations(tx, statuses, as_of=known))
        return [without_hash(one) for one in found]

    async def merge(self, into: str, other: str) -> Observation:
        """Merge the evidence of an observation into another one; the first is then out of recall.

        Raises:
            NotFound: one of them does not exist in this scope.
            InvalidInput: both are the same, or one is not an observation.
            Conflict: one of them is not active.
        """
        async with self._unit.write() as writer:
            return await writer.as_seen(await learned.merge(writer, into, other))

    async def pause(self, id: str) -> Observation | Fact:
        """Exclude an observation or a fact from every recall and context until it is resumed.

        Raises:
            NotFound: there is no such memory in this scope.
            InvalidInput: it is neither an observation nor a fact.
            Conflict: it is not active.
        """
        return await self._move(id, Status.PAUSED)

    async def resume(self, id: str) -> Observation | Fact:
        """Make an observation or a fact active again that was paused or retired.

        Raises:
            NotFound: there is no such memory in this scope.
            InvalidInput: it is neither an observation nor a fact.
            Conflict: it is neither paused nor retired, or another fact is valid in its place.
        """
        return await self._move(id, Status.ACTIVE)

    async def retire(self, id: str) -> Observation | Fact:
        """Retire an observation or a fact; it is kept, and not detected again.

        Raises:
            NotFound: there is no such memory in this scope.
            InvalidInput: it is neither an observation nor a fact.
            Conflict: its status does not allow it.
        """
        return await self._move(id, Status.RETIRED)

    async def _move(self, id: str, status: Status) -> Observation | Fact:
        async with self._unit.write() as writer:
            return await pausing.put(writer, id, status)
