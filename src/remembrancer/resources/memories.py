"""Changes of single memories, verdicts on them, and their evidence."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from remembrancer.errors import InvalidInput, NotFound
from remembrancer.ingest.admission import revise
from remembrancer.ingest.draft_cleaning import clean_name
from remembrancer.learn import deletion as removal
from remembrancer.learn import feedback as verdicts
from remembrancer.learn import sessions
from remembrancer.resources.resource import UseCase
from remembrancer.resources.retrieval import Retrieval
from remembrancer.storage.tx import Tx
from remembrancer.transactions.draft import Draft
from remembrancer.transactions.ownership import get_own
from remembrancer.transactions.write_transaction import WriteTransaction
from remembrancer.types.arguments import check_fields, member
from remembrancer.types.feedback import Feedback, PersonVerdict
from remembrancer.types.lifecycle import Status
from remembrancer.types.new import Changes, check_type
from remembrancer.types.record import Kind, Observation, Record, Source, kind_of
from remembrancer.types.results import Saved
from remembrancer.types.scope import Classification, check_name

# Why `edit` does not change the wording of other kinds.
_UNCHANGING = {
    Kind.MESSAGE: "a message, which never changes; delete it and record another",
    Kind.REFLECTION: "a reflection, which an engine made; delete it, and the engine makes another",
    Kind.EPISODE: "an episode, which never changes; delete it and record another",
    Kind.SIGNAL: "a signal, which never changes; delete it and record another",
    Kind.FACT: "a fact; set another value with `facts set`",
    Kind.PROCEDURE: "a rule; change it with `rules edit`",
}
_DEEPEST = 8
SOMEBODY = "somebody"
_Verdict: TypeAlias = Callable[[WriteTransaction, str, str], Awaitable[Observation | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A memory with its evidence, down to the messages and episodes that it was derived from.

    Args:
        verdicts: those of people.
        sources: those that exist, each once in the whole chain.
        missing: ids of sources that were erased, or that this scope may not see.
    """

    record: Record
    verdicts: tuple[PersonVerdict, ...]
    sources: tuple["Evidence", ...]
    missing: tuple[str, ...] = ()


class Memories(UseCase):
    """Work on single memories of one scope."""

    async def edit(self, id: str, changes: Changes, *, revision: int | None) -> Saved[Observation]:
        """Change an observation; see `Memory.edit`."""
        check_fields(changes)
        text, named = changes.text, changes.classification
        draft = Draft(
            text=text or "",
            title=changes.title,
            type=None if changes.type is None else check_type(changes.type, self._engine.rules.types),
            tags=changes.tags,
            metadata=changes.metadata or {},
            importance=changes.importance,
            classification=None if named is None else member(Classification, named, "classification"),
            author=changes.author,
            source=member(Source, changes.source, "source"),
            occurred_at=changes.occurred_at,
            valid_until=changes.valid_until,
        )

        async def edited(writer: WriteTransaction) -> Saved[Observation]:
            record = await get_own(writer.tx, id, revision=revision)
            if record.status is Status.DELETED:
                raise NotFound("memory", id)
            if not isinstance(record, Observation) or kind_of(record) in _UNCHANGING:
                raise InvalidInput(f"memory {id!r} is {_UNCHANGING[kind_of(record)]}")
            worded = replace(draft, text=record.text if text is None else text, trust=record.trust)
            return await revise(writer, record, worded)

        return await self._save([draft], edited)

    async def delete(self, id: str | None, *, topic_key: str | None, revision: int | None) -> None:
        """Delete a memory of any kind; see `Memory.delete`."""
        id = await Retrieval(self._engine, self._caller).named(id, topic_key)
        async with self._unit.write() as writer:
            unsummed = await removal.delete(writer, id, revision=revision)
            await sessions.sum_up_again(writer, sorted(unsummed))

    async def restore(self, id: str) -> Record:
        """Restore a memory; see `Memory.restore`."""
        async with self._unit.write() as writer:
            return await writer.as_seen(await removal.restore(writer, id))

    async def feedback(self, id: str, verdict: str, *, person: str) -> Observation | None:
        """Record a verdict; see `Memory.feedback`."""
        chosen, name = member(Feedback, verdict, "verdict"), self._person(person)
        async with self._unit.write() as writer:
            changed = await self._verdicts[chosen](writer, id, name)
            return None if changed is None else await writer.as_seen(changed)

    @property
    def _verdicts(self) -> Mapping[Feedback, _Verdict]:
        room = self._engine.rule_budget(self._caller.scope)
        return {
            Feedback.RIGHT: lambda writer, id, person: verdicts.right(writer, id, person, room),
            Feedback.WRONG: verdicts.wrong,
            Feedback.DISMISS: verdicts.dismiss,
            Feedback.UNDO: lambda writer, id, _: verdicts.undo(writer, id),
        }

    def _person(self, person: str) -> str:
        """Return the name of a person as it is stored; private names are replaced by a fingerprint."""
        name = person or self._caller.actor or self._caller.scope.user or SOMEBODY
        return clean_name(check_name(name, what="person"), self._unit.rules)

    async def evidence(self, id: str) -> Evidence:
        """Return the evidence of a memory; see `Memory.evidence`."""

        async def work(tx: Tx) -> Evidence:
            record = await tx.records.find(id)
            if record is None or record.status is Status.DELETED:
                raise NotFound("memory", id)
            return await _evidence(tx, record, {record.id}, _DEEPEST)

        return await self._unit.read(work)


async def _evidence(tx: Tx, record: Record, seen: set[str], deep: int) -> Evidence:
    sources: list[Evidence] = []
    missing: list[str] = []
    for id in record.evidence:
        if id in seen or not deep:
            continue
        seen.add(id)
        source = await tx.records.find(id)
        if source is None or source.status is Status.DELETED:
            missing.append(id)
        else:
            sources.append(await _evidence(tx, source, seen, deep - 1))
    found = await tx.verdicts.of_record(record.id) if record.scope == tx.scope else []
    return Evidence(record=record, verdicts=tuple(found), sources=tuple(sources), missing=tuple(missing))
