"""Observations, and bulk deletion."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from remembrancer.errors import InvalidInput
from remembrancer.ingest.admission import admit
from remembrancer.privacy import bulk_deletion
from remembrancer.privacy.bulk_deletion import Deletion, Restoration
from remembrancer.resources.resource import Resource
from remembrancer.resources.retrieval import Retrieval
from remembrancer.transactions.draft import Draft, draft_from
from remembrancer.types.arguments import check_fields, member
from remembrancer.types.filter import Filter
from remembrancer.types.new import NewObservation, check_custom_type, check_type
from remembrancer.types.record import Layer, Observation
from remembrancer.types.results import Saved
from remembrancer.types.times import utc


class Observations(Resource, path="observations"):
    """The observations of one scope. Reached as `memory.observations`."""

    async def save_many(self, observations: Sequence[NewObservation]) -> list[Saved[Observation]]:
        """Save several observations in one transaction; see `Memory.save`.

        Raises:
            InvalidInput: one of them is not valid; nothing is saved.
            NotFound: an evidence id does not exist.
            NotAllowed: one of them was rejected by a person.
        """
        drafts = [self._draft(new) for new in observations]
        saved = await self._save(drafts, lambda writer: admit(writer, drafts))
        return [
            Saved(outcome=item.outcome, record=item.record) for item in saved if isinstance(item.record, Observation)
        ]

    async def delete_many(self, filter: Filter, *, dry_run: bool = False) -> Deletion:
        """Delete the memories of this exact scope that match a filter, at most 10,000, in one transaction.

        `restore_many` restores them. Memories derived from them alone are deleted too. Memories under a legal hold are
        not deleted.

        Args:
            dry_run: only count and list them.

        Raises:
            InvalidInput: the filter has no condition, or too many memories match it.
            NotAllowed: a memory derived from them alone is under a legal hold; nothing is deleted.
        """
        await Retrieval(self._engine, self._caller).check_types(filter)
        if dry_run:
            return await self._unit.read(lambda tx: bulk_deletion.plan_deletion(tx, filter))
        async with self._unit.write() as writer:
            return await bulk_deletion.delete_many(writer, filter)

    async def restore_many(self, deleted_at: datetime) -> Restoration:
        """Restore the memories of this exact scope that one call of `delete_many` deleted, within 30 days.

        Args:
            deleted_at: from the result of `delete_many`.

        Raises:
            NotFound: no memory was deleted at that time, or all were restored.
        """
        when = utc(deleted_at, what="deleted_at")
        async with self._unit.write() as writer:
            return await bulk_deletion.restore_many(writer, when)

    def _draft(self, new: NewObservation) -> Draft:
        check_fields(new)
        layer = Layer.SEMANTIC if new.layer is None else member(Layer, new.layer, "layer")
        if layer is Layer.EPISODIC:
            raise InvalidInput(
                "layer 'episodic' is for messages: use record(); an observation is semantic or reflective"
            )
        return replace(
            draft_from(new, new.text, trust=new.trust, classification=new.classification),
            type=self._type(new),
            custom_type=new.custom_type is not None,
            insight=layer is Layer.REFLECTIVE,
            title=new.title,
            topic_key=new.topic_key,
            evidence=new.evidence,
            valid_until=new.valid_until,
        )

    def _type(self, new: NewObservation) -> str | None:
        """Return the checked type of an observation.

        Raises:
            InvalidInput: the type is unknown or reserved, or `type` and `custom_type` are both set.
        """
        if new.type is not None and new.custom_type is not None:
            raise InvalidInput("use type or custom_type, not both")
        if new.custom_type is not None:
            return check_custom_type(new.custom_type)
        return None if new.type is None else check_type(new.type, self._engine.rules.types)
