"""Changes and deletion of single memories, feedback, and evidence."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from remembrancer.errors import InvalidInput, NotFound
from remembrancer.ingest.admission import revise
from remembrancer.ingest.draft_cleaning import clean_name
from remembrancer.learn import deletion, feedback, sessions
from remembrancer.resources.resource import UseCase
from remembrancer.resources.retrieval import Retrieval
from remembrancer.storage.tx import Tx
from remembrancer.transactions.draft import Draft
from remembrancer.transactions.ownership import dependents_of, get_own
from remembrancer.transactions.write_transaction import WriteTransaction
from remembrancer.types.arguments import check_fields, member
from remembrancer.types.feedback import Feedback, PersonVerdict
from remembrancer.types.lifecycle import Status
from remembrancer.types.new import Changes, check_type
from remembrancer.types.record import Kind, Observation, Record, Source, kind_of
from remembrancer.types.results import Saved, without_hash
from remembrancer.types.scope import Classification, check_name

# Kinds that `edit` refuses, with the reason.
_NOT_EDITABLE = {
    Kind.MESSAGE: "a message and cannot be edited; delete it and record another one",
    Kind.REFLECTION: "a reflection and cannot be edited; delete it, and the engine writes another one",
    Kind.EPISODE: "an episode and cannot be edited; delete it and record another one",
    Kind.SIGNAL: "a signal and cannot be edited; delete it and record another one",
    Kind.FACT: "a fact; set another value with `facts set`",
    Kind.PROCEDURE: "a rule; change it with `rules edit`",
}
_MAX_DEPTH = 8
SOMEBODY = "somebody"
_Verdict: TypeAlias = Callable[[WriteTransaction, str, str], Awaitable[Observation | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A memory with its evidence, down to messages and episodes.

    Args:
        verdicts: the verdicts of people.
        sources: the evidence; each memory occurs once in the whole tree.
        missing: ids of evidence that was erased or is not visible.
    """

    record: Record
    verdicts: tuple[PersonVerdict, ...]
    sources: tuple["Evidence", ...]
    missing: tuple[str, ...] = ()


class Memories(UseCase):
    """Operations on single memories of one scope."""

    async def edit(self, id: str, changes: Changes, *, revision: int | None) -> Saved[Observation]:
        """Change an observation; see `Memory.edit`."""
        check_fields(changes)
        text, level = changes.text, changes.classification
        draft = Draft(
            text=text or "",
            title=changes.title,
            type=None if changes.type is None else check_type(changes.type, self._engine.rules.types),
            tags=changes.tags,
            metadata=changes.metadata or {},
            importance=changes.importance,
            classification=None if level is None else member(Classification, level, "classification"),
            author=changes.author,
            source=member(Source, changes.source, "source"),
            occurred_at=changes.occurred_at,
            valid_until=changes.valid_until,
        )

        async def edited(writer: WriteTransaction) -> Saved[Observation]:
            record = await get_own(writer.tx, id, revision=revision)
            if record.status is Status.DELETED:
                raise NotFound("memory", id)
            if not isinstance(record, Observation) or kind_of(record) in _NOT_EDITABLE:
                raise InvalidInput(f"memory {id!r} is {_NOT_EDITABLE[kind_of(record)]}")
            complete = replace(draft, text=record.text if text is None else text, trust=record.trust)
            return await revise(writer, record, complete)

        return await self._save([draft], edited)

    async def delete(self, id: str | None, *, topic_key: str | None, revision: int | None) -> None:
        """Delete a memory of any kind; see `Memory.delete`."""
        record_id = await Retrieval(self._engine, self._caller).resolve_id(id, topic_key)
        async with self._unit.write() as writer:
            unsummed = await deletion.delete(writer, record_id, revision=revision)
            await sessions.sum_up_again(writer, sorted(unsummed))

    async def restore(self, id: str) -> Record:
        """Restore a memory; see `Memory.restore`."""
        async with self._unit.write() as writer:
            return await writer.as_seen(await deletion.restore(writer, id))

    async def feedback(self, id: str, verdict: str, *, person: str) -> Observation | None:
        """Record a verdict; see `Memory.feedback`."""
        chosen, name = member(Feedback, verdict, "verdict"), self._person(person)
        async with self._unit.write() as writer:
            changed = await self._verdicts[chosen](writer, id, name)
            return None if changed is None else await writer.as_seen(changed)

    @property
    def _verdicts(self) -> Mapping[Feedback, _Verdict]:
        budget = self._engine.rule_budget(self._caller.scope)
        return {
            Feedback.RIGHT: lambda writer, id, person: feedback.right(writer, id, person, budget),
            Feedback.WRONG: feedback.wrong,
            Feedback.DISMISS: feedback.dismiss,
            Feedback.UNDO: lambda writer, id, _: feedback.undo(writer, id),
        }

    def _person(self, person: str) -> str:
        """Return the stored name of a person; a name with secrets or private data is replaced by a hash."""
        name = person or self._caller.actor or self._caller.scope.user or SOMEBODY
        return clean_name(check_name(name, what="person"), self._unit.rules)

    async def dependents(self, id: str) -> Sequence[Record]:
        """Return the memories that were derived from a memory; see `Memory.dependents`."""

        async def work(tx: Tx) -> Sequence[Record]:
            record = await tx.records.find(id)
            if record is None or record.status is Status.DELETED:
                raise NotFound("memory", id)
            return [one for one in await dependents_of(tx, id) if one.status is not Status.DELETED]

        return [without_hash(one) for one in await self._unit.read(work)]

    async def evidence(self, id: str) -> Evidence:
        """Return the evidence of a memory; see `Memory.evidence`."""

        async def work(tx: Tx) -> Evidence:
            record = await tx.records.find(id)
            if record is None or record.status is Status.DELETED:
                raise NotFound("memory", id)
            return await _evidence(tx, record, {record.id}, _MAX_DEPTH)

        return await self._unit.read(work)


async def _evidence(tx: Tx, record: Record, seen: set[str], depth: int) -> Evidence:
    sources: list[Evidence] = []
    missing: list[str] = []
    for id in record.evidence:
        if id in seen or not depth:
            continue
        seen.add(id)
        source = await tx.records.find(id)
        if source is None or source.status is Status.DELETED:
            missing.append(id)
        else:
            sources.append(await _evidence(tx, source, seen, depth - 1))
    verdicts = await tx.verdicts.of_record(record.id) if record.scope == tx.scope else []
    return Evidence(record=record, verdicts=tuple(verdicts), sources=tuple(sources), missing=tuple(missing))
