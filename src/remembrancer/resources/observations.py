"""The door to observations and to every memory by its id: saving, changing, taking away, and back."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from remembrancer.errors import InvalidInput, NotFound
from remembrancer.ingest.admit import admit, revise
from remembrancer.learn import deletion as removal
from remembrancer.learn import sessions
from remembrancer.privacy import bulk_deletion as deleting
from remembrancer.privacy.bulk_deletion import Deletion, Restoration
from remembrancer.resources.recall import Question, Recalling
from remembrancer.resources.resource import Door
from remembrancer.transactions.draft import Draft, drafted, utc
from remembrancer.transactions.ownership import own
from remembrancer.transactions.write import Writing
from remembrancer.types.arguments import checked
from remembrancer.types.choice import member
from remembrancer.types.classification import Classification
from remembrancer.types.layer import Layer
from remembrancer.types.lifecycle import Status
from remembrancer.types.new import NewObservation
from remembrancer.types.observation_types import check_custom_type, check_type
from remembrancer.types.record import Kind, Metadata, Observation, Record, Scalar, Source, kind_of
from remembrancer.types.saved import Saved

# Why the wording of what is no observation is not changed by `edit`.
_UNCHANGING = {
    Kind.MESSAGE: "a message, which never changes; delete it and record another",
    Kind.REFLECTION: "a reflection, which an engine made; delete it, and it is made anew",
    Kind.EPISODE: "an episode, which never changes; delete it and record another",
    Kind.SIGNAL: "a signal, which never changes; delete it and record another",
    Kind.FACT: "a fact; set what holds with `facts set`",
    Kind.PROCEDURE: "a procedure; change it with `procedures edit`",
}


@checked
class Observations(Door):
    """What was claimed in one scope. Reached as `memory.observations`."""

    async def save_many(self, observations: Sequence[NewObservation]) -> list[Saved[Observation]]:
        """Save several claims in one transaction: all of them, or none; see `Memory.save`.

        Raises:
            InvalidInput: one of them is not allowed; nothing is saved.
            NotFound: a piece of evidence is not here.
            NotAllowed: one equals a memory that was rejected.
        """
        drafts = [self._draft(new) for new in observations]
        saved = await self._save(drafts, lambda writing: admit(writing, drafts))
        return [
            Saved(outcome=item.outcome, record=item.record) for item in saved if isinstance(item.record, Observation)
        ]

    async def edit(
        self,
        id: str,
        *,
        text: str | None = None,
        title: str | None = None,
        type: str | None = None,
        tags: Sequence[str] | None = None,
        metadata: Metadata | None = None,
        importance: float | None = None,
        classification: str | None = None,
        author: str = "",
        source: str = "tool",
        occurred_at: datetime | None = None,
        valid_until: datetime | None = None,
        revision: int | None = None,
    ) -> Saved[Observation]:
        """Change an observation of this scope; see `Memory.edit`.

        Raises:
            NotFound: no such memory here.
            NotAllowed: it belongs to a wider scope.
            InvalidInput: it is a message, whose wording never changes, or the new wording is not allowed.
            Conflict: another memory has that text already.
            Outdated: it is at another revision than `revision`, where that is given.
        """
        draft = Draft(
            text=text or "",
            title=title,
            type=None if type is None else check_type(type, self._engine.rules.types),
            tags=tags,
            metadata=metadata or {},
            importance=importance,
            classification=None if classification is None else member(Classification, classification, "classification"),
            author=author,
            source=member(Source, source, "source"),
            occurred_at=occurred_at,
            valid_until=valid_until,
        )

        async def edited(writing: Writing) -> Saved[Observation]:
            record = await own(writing.tx, id, revision=revision)
            if record.status is Status.DELETED:
                raise NotFound("memory", id)
            if not isinstance(record, Observation) or kind_of(record) in _UNCHANGING:
                raise InvalidInput(f"memory {id!r} is {_UNCHANGING[kind_of(record)]}")
            worded = replace(draft, text=record.text if text is None else text, trust=record.trust)
            return await revise(writing, record, worded)

        return await self._save([draft], edited)

    async def delete(self, id: str, *, erase: bool = False, revision: int | None = None) -> None:
        """Take a memory of any kind out of every read at once; see `Memory.delete`.

        Raises:
            NotFound: no such memory here.
            NotAllowed: it belongs to a wider scope.
            Outdated: it is at another revision than `revision`, where that is given.
        """
        async with self._desk.write() as writing:
            unsummed = await removal.delete(writing, id, erase=erase, revision=revision)
            await sessions.sum_up_again(writing, sorted(unsummed))
        if erase:
            await self._engine.scrub()

    async def restore(self, id: str) -> Record:
        """Bring a deleted memory back as it was, or an archived one into recall again.

        Raises:
            NotFound: no such memory here.
            Conflict: it is neither deleted nor archived, or its topic key is taken.
        """
        async with self._desk.write() as writing:
            return await writing.as_seen(await removal.restore(writing, id))

    async def delete_many(
        self,
        *,
        kinds: Sequence[str] = (),
        types: Sequence[str] = (),
        layers: Sequence[str] = (),
        tags: Sequence[str] = (),
        sessions: Sequence[str] = (),
        statuses: Sequence[str] = (),
        classifications: Sequence[str] = (),
        authors: Sequence[str] = (),
        sources: Sequence[str] = (),
        metadata: Mapping[str, Scalar] | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        dry: bool = False,
    ) -> Deletion:
        """Delete the memories of this exact scope that pass every filter, in one transaction, 10,000 at most.

        `restore_many` brings all of them back. What was drawn from them alone is deleted with them, and what a legal
        hold is on is kept.

        Args:
            statuses: `active` and, of episodes, `raw`, if none is named.
            metadata: as for `Memory.recall`.
            dry: only count and name them.

        Raises:
            InvalidInput: no filter is given, too many memories pass it, or a value is out of its range.
            NotAllowed: a legal hold is on a memory that was drawn from these alone; nothing is deleted.
        """
        asked = Question(
            text="",
            kinds=kinds,
            types=types,
            layers=layers,
            tags=tags,
            sessions=sessions,
            classifications=classifications,
            authors=authors,
            sources=sources,
            metadata=metadata,
            since=since,
            until=until,
        )
        filter = await Recalling(self._engine, self._caller).filter(asked, statuses=statuses)
        if dry:
            return await self._desk.read(lambda tx: deleting.plan_deletion(tx, filter))
        async with self._desk.write() as writing:
            return await deleting.delete_many(writing, filter)

    async def restore_many(self, deleted_at: datetime) -> Restoration:
        """Restore all memories of this exact scope that one `delete_many` has deleted, within thirty days.

        Args:
            deleted_at: as `delete_many` returned it.

        Raises:
            NotFound: no memory here was deleted at that moment, or all of them were restored.
        """
        when = utc(deleted_at, what="deleted_at")
        async with self._desk.write() as writing:
            return await deleting.restore_many(writing, when)

    def _draft(self, new: NewObservation) -> Draft:
        layer = Layer.SEMANTIC if new.layer is None else member(Layer, new.layer, "layer")
        if layer is Layer.EPISODIC:
            raise InvalidInput(
                "layer 'episodic' is that of messages: use record(); an observation is semantic or reflective"
            )
        return replace(
            drafted(new, new.text, trust=new.trust, classification=new.classification),
            type=self._type(new),
            custom_type=new.custom_type is not None,
            insight=layer is Layer.REFLECTIVE,
            title=new.title,
            topic_key=new.topic_key,
            evidence=new.evidence,
            valid_until=new.valid_until,
        )

    def _type(self, new: NewObservation) -> str | None:
        """The type of an observation, as its caller names it.

        Raises:
            InvalidInput: the deployment does not have it, a custom one is reserved, or both are given.
        """
        if new.type is not None and new.custom_type is not None:
            raise InvalidInput("give type or custom_type, not both")
        if new.custom_type is not None:
            return check_custom_type(new.custom_type)
        return None if new.type is None else check_type(new.type, self._engine.rules.types)
