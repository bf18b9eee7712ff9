"""The scores of memories: importance, rating, boost, pin, and the weight from feedback."""

from collections.abc import Sequence
from dataclasses import replace

from remembrancer.errors import NotFound
from remembrancer.resources.resource import Resource
from remembrancer.storage.tx import Tx
from remembrancer.transactions.ownership import get_own
from remembrancer.types.arguments import within
from remembrancer.types.feedback import ScoreParts, WeightChange
from remembrancer.types.lifecycle import Status
from remembrancer.types.record import Record, kind_of


class Scores(Resource, path="scores"):
    """The scores of the memories of one scope. Reached as `memory.scores`."""

    async def get(self, id: str) -> ScoreParts:
        """Return the score of a memory and its parts.

        Raises:
            NotFound: there is no such memory in this exact scope.
        """

        async def work(tx: Tx) -> ScoreParts | None:
            await _existing(tx, id)
            return await _score(tx, id)

        score = await self._unit.read(work)
        if score is None:
            raise NotFound("memory", id)
        return score

    async def history(self, id: str) -> Sequence[WeightChange]:
        """Return the changes of a memory's feedback weight by outcomes of sessions, earliest first.

        Raises:
            NotFound: there is no such memory in this scope.
        """

        async def work(tx: Tx) -> Sequence[WeightChange]:
            await _existing(tx, id)
            return await tx.weights.changes(id)

        return await self._unit.read(work)

    async def rate(self, id: str, rating: float) -> ScoreParts:
        """Set the rating of a memory, from 0 to 1.

        Raises:
            NotFound: there is no such memory in this scope.
        """
        within(rating, 0, 1, what="rating")
        return await self._set(id, "rated", rating=rating)

    async def boost(self, id: str, boost: float) -> ScoreParts:
        """Set the boost of a memory's score, from 0 to 1.

        Raises:
            NotFound: there is no such memory in this scope.
        """
        within(boost, 0, 1, what="boost")
        return await self._set(id, "boosted", boost=boost)

    async def pin(self, id: str) -> ScoreParts:
        """Pin a memory, so that its importance does not decay and it is not archived.

        Raises:
            NotFound: there is no such memory in this scope.
        """
        return await self._set(id, "pinned", pinned=True)

    async def unpin(self, id: str) -> ScoreParts:
        """Unpin a memory, so that its importance decays again.

        Raises:
            NotFound: there is no such memory in this scope.
        """
        return await self._set(id, "unpinned", pinned=False)

    async def _set(self, id: str, action: str, **factors: float | bool) -> ScoreParts:
        async with self._unit.write() as writer:
            record = await get_own(writer.tx, id)
            current = await _score(writer.tx, id)
            if current is None or record.status is Status.DELETED:
                raise NotFound("memory", id)
            changed = replace(current, **factors)  # pyright: ignore[reportArgumentType] -- factors by their names
            await writer.put(changed, action=action, kind=kind_of(record).value, id=id)
        return changed


async def _score(tx: Tx, id: str) -> ScoreParts | None:
    """Return the score of a memory of the exact scope, with the changes of its weight."""
    parts = await tx.scores.find(id)
    return parts and replace(parts, changes=tuple(await tx.weights.changes(id)))


async def _existing(tx: Tx, id: str) -> Record:
    """Return a memory that is not deleted.

    Raises:
        NotFound: there is no such memory.
    """
    record = await tx.records.find(id)
    if record is None or record.status is Status.DELETED:
        raise NotFound("memory", id)
    return record
