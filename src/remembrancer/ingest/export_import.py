"""Import of our own exports: each memory as it was, in the importing scope, once."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from itertools import islice
from typing import Any, Final

from anyio.to_thread import run_sync

from remembrancer.errors import InvalidInput, NotAllowed
from remembrancer.ingest.admission import check_readmission, readmit
from remembrancer.ingest.file_import import ImportedFile
from remembrancer.ingest.importers.exports import memories
from remembrancer.ingest.importers.files import ChatFile
from remembrancer.ingest.importers.reader import Gap, Reader
from remembrancer.ingest.turn_import import BATCH, batches, made_id, millis, note_sessions
from remembrancer.storage.tx import Tx
from remembrancer.transactions.redaction import effective_redactions
from remembrancer.transactions.rejections import REJECTED_STATUSES, find_rejected_claims
from remembrancer.transactions.tombstones import tombstone_of_id, tombstone_of_text
from remembrancer.transactions.unit_of_work import UnitOfWork
from remembrancer.transactions.write_transaction import WriteTransaction
from remembrancer.types.access import Right
from remembrancer.types.archive import ExportFormat
from remembrancer.types.arguments import check_fields, within
from remembrancer.types.feedback import Judgement
from remembrancer.types.lifecycle import EXPORTED, Status
from remembrancer.types.new import SUMMARY
from remembrancer.types.policy import PersonalDataType, Redaction, transferred_from
from remembrancer.types.record import (
    Episode,
    Fact,
    Kind,
    Message,
    Observation,
    Record,
    Reflection,
    Rule,
    Signal,
    details_of,
    kind_of,
)
from remembrancer.types.scope import DIMENSIONS, Scope
from remembrancer.types.text import hash_of, hashes_of, same_text

_READ_AT_ONCE: Final = 500
_MOST: Final = 2**53
# What memories rest on comes before them.
_ORDER: Final = {kind: place for place, kind in enumerate(
    (Kind.MESSAGE, Kind.EPISODE, Kind.OBSERVATION, Kind.REFLECTION, Kind.FACT, Kind.PROCEDURE, Kind.SIGNAL)
)}  # fmt: skip
_Load = Callable[[Mapping[str, Any]], Record]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """A memory of an export, what people have set for it, and its place."""

    where: str
    record: Record
    judged: Judgement

    @property
    def order(self) -> tuple[int, int, str, datetime, str]:
        """Where it comes among the others: messages in the order of their numbers, the rest as they became known.

        Those of wider scopes come last: of two messages under one number the nearer keeps it.
        """
        one = self.record
        number = f"{one.session}\0{one.number:016}" if isinstance(one, Message) else ""
        return _ORDER[kind_of(one)], -sum(one.scope.nearness), number, one.recorded_at, one.id


async def import_export(
    unit: UnitOfWork,
    file: ChatFile,
    form: ExportFormat,
    *,
    load: _Load,
    skip_bad: bool,
    progress: Callable[[int], None],
) -> ImportedFile:
    """Import what is new of an export.

    All of it is read and checked before any of it is written.

    Args:
        load: makes a memory of what JSON tells of it.
        skip_bad: leave out what cannot be taken, instead of refusing the file.
        progress: is called with the number of memories each time some were dealt with.

    Raises:
        InvalidInput: it holds something that cannot be taken; nothing of it was imported.
        NotAllowed: it holds what the caller may not write, or a session that records nothing.
    """
    reader = Reader(file.title, skip_bad=skip_bad)
    policies = await unit.read(effective_redactions)
    lines = await _read(unit, file, form, reader, load, policies)
    if any(_needs_learn(line) for line in lines):
        unit.caller.need(Right.LEARN)
    await unit.read(lambda tx: _check_sessions(tx, lines))
    importing = _Importing(unit, reader, await _names(unit, lines), _shadowed(lines))
    for piece in batches(sorted(lines, key=lambda line: line.order), BATCH):
        await importing.add(piece)
        progress(len(piece))
    await importing.end()
    return replace(importing.done, unread=tuple(reader.unread), left_out=tuple(reader.left_out))


def _needs_learn(line: _Line) -> bool:
    record = line.record
    is_learned = isinstance(record, Observation) and record.learned is not None
    is_moved = record.status is Status.PAUSED or line.judged != Judgement()
    return is_learned or is_moved or isinstance(record, Rule | Reflection)


async def _read(
    unit: UnitOfWork,
    file: ChatFile,
    form: ExportFormat,
    reader: Reader,
    load: _Load,
    policies: Mapping[PersonalDataType, Redaction],
) -> list[_Line]:
    entries, lines = memories(file, form, reader), dict[str, _Line]()

    def read() -> bool:
        some = list(islice(entries, _READ_AT_ONCE))
        for entry in some:
            try:
                record = load(entry.value)
                _check(record)
                judged = _judged(entry.value)
                check_readmission(record, unit.rules, policies)
            except (InvalidInput, NotAllowed) as error:
                reader.leave_out(entry.where, str(error))
            else:
                lines[record.id] = _Line(where=entry.where, record=record, judged=judged)
        return bool(some)

    while await run_sync(read):
        pass
    return list(lines.values())


def _check(record: Record) -> None:
    """Nothing, where all that a record of an export says is of its type, and it is live or paused.

    Raises:
        InvalidInput: it is not.
    """
    check_fields(record)
    # Of a fact the value may be anything; its key and its times are looked at with the rest.
    if not isinstance(record, Fact) and (details := details_of(record)) is not None:
        check_fields(details)
    if isinstance(record, Episode | Signal):
        for entity in record.details.entities:
            check_fields(entity)
    if isinstance(record, Episode) and record.details.counts is not None:
        check_fields(record.details.counts)
    if record.status not in EXPORTED:
        raise InvalidInput(f"its status is {record.status.value}, and exports hold what is live or paused")
    within(record.revision, 1, _MOST, what="revision")
    within(record.usage_count, 0, _MOST, what="usage_count")
    if isinstance(record, Message):
        within(record.number, 1, _MOST, what="number")


def _judged(told: Mapping[str, Any]) -> Judgement:
    """What people have set for a memory of an export.

    Raises:
        InvalidInput: it is of another type, or out of its bounds.
    """
    judged = Judgement(**{one.name: told[one.name] for one in fields(Judgement) if one.name in told})
    check_fields(judged)
    within(judged.boost, 0, 1, what="boost")
    if judged.rating is not None:
        within(judged.rating, 0, 1, what="rating")
    return judged


async def _check_sessions(tx: Tx, lines: Sequence[_Line]) -> None:
    """Nothing, where every session of some memories records.

    Raises:
        NotAllowed: one does not.
    """
    for id in dict.fromkeys(line.record.session for line in lines if line.record.session):
        session = await tx.sessions.find(id)
        if session is not None and not session.record:
            raise NotAllowed(f"session {id!r} was started with record=False; nothing was imported")


async def _names(unit: UnitOfWork, lines: Sequence[_Line]) -> dict[str, str]:
    """The id that each memory has here: its own, or another where another scope of the tenant has one of that id."""
    scope, sign = unit.scope, unit.rules.sign
    parts = (scope.tenant, *(getattr(scope, dimension) for dimension in DIMENSIONS))

    async def look(tx: Tx, some: Sequence[_Line]) -> dict[str, str]:
        at = {line.record.id: line.record.occurred_at for line in some}
        own = await tx.records.hashes(list(at))
        taken = await tx.archives.existing([id for id in at if id not in own])
        return {id: made_id(millis(at[id]), sign(f"export {parts!r} {id}")) if id in taken else id for id in at}

    found: dict[str, str] = {}
    for some in batches(lines, BATCH):
        found |= await unit.read(lambda tx, some=some: look(tx, some))
    return found


def _shadowed(lines: Sequence[_Line]) -> set[str]:
    """The ids of memories that a nearer scope says otherwise in the same file: of two under one key one can stay.

    What is paused says nothing.
    """
    nearest = dict[tuple[str, str], Record]()
    live = (line.record for line in lines if line.record.status is not Status.PAUSED)
    ordered = sorted(live, key=lambda one: (one.scope.nearness, one.updated_at))
    for record in ordered:
        if key := _key(record):
            nearest[key] = record
    facts = [record for record in ordered if isinstance(record, Fact)]
    beaten = {
        fact.id
        for place, fact in enumerate(facts)
        if any(other.scope != fact.scope and _clash(fact, other) for other in facts[place + 1 :])
    }
    return beaten | {record.id for record in ordered if (key := _key(record)) and nearest[key].scope != record.scope}


def _key(record: Record) -> tuple[str, str] | None:
    """By what a claim is one with another of the same scope, or `None`."""
    if type(record) is not Observation or record.type == SUMMARY:
        return None
    if record.topic_key is not None:
        return "topic", record.topic_key
    return None if record.engine or record.learned else ("text", hash_of(same_text(record.text)))


def _clash(one: Fact, other: Fact) -> bool:
    return one.details.key == other.details.key and one.details.overlaps(other.details)


class _Importing:
    """An export, as it is imported piece by piece.

    Args:
        names: the id that each memory has here.
        shadowed: ids, as the file has them, of what is not to come.
    """

    def __init__(self, unit: UnitOfWork, reader: Reader, names: Mapping[str, str], shadowed: Collection[str]) -> None:
        self.done = ImportedFile()
        self._unit = unit
        self._reader = reader
        self._names = names
        self._given = frozenset(names.values())
        self._shadowed = shadowed
        self._erased = set[str]()
        self._rejected = set[str]()
        self._renumbered = set[tuple[Scope, str | None]]()
        self._resting = dict[str, int]()

    async def add(self, lines: Sequence[_Line]) -> None:
        """Write those of some memories that are not here, and may come."""
        async with self._unit.write() as writer:
            known = await writer.tx.records.hashes([self._names[line.record.id] for line in lines])
            fresh = [line for line in lines if self._names[line.record.id] not in known]
            deduped = len(known)
            named = await self._allowed(writer.tx, fresh)
            made = await readmit(writer, [await self._resting_on(writer.tx, record) for record in named])
            self._compare(named, made)
            rejected = await find_rejected_claims(writer.tx, made, sign=self._unit.rules.sign)
            for record in made:
                if record.id in rejected or not self._rejected.isdisjoint(record.evidence):
                    self._rejected.add(record.id)
                    self._reader.note(Gap.REJECTED, record.id)
            placed = list[Record]()
            for record in (one for one in made if one.id not in self._rejected):
                other = await _under(writer.tx, record)
                is_same = other is not None and same_text(other.text) == same_text(record.text)
                is_below = record.status is Status.PAUSED or (other and other.updated_at >= record.updated_at)
                if other is not None and (is_below or is_same):
                    deduped += is_same
                    if not is_same:
                        self._reader.note(Gap.KEY, record.id)
                    continue
                if other is not None:
                    await writer.move(other, _COVERED[type(other)])
                placed.append(record)
            await self._write(writer, placed, {self._names[line.record.id]: line.record.scope for line in fresh})
            await self._judge(writer, placed, {self._names[line.record.id]: line.judged for line in fresh})
            self._resting |= {one.id: len(one.evidence) for one in placed if one.evidence}
        counted = Counter(self.done.kinds) + Counter(kind_of(one).value for one in placed)
        self.done = replace(
            self.done,
            created=self.done.created + len(placed),
            deduped=self.done.deduped + deduped,
            erased=len(self._erased),
            kinds=dict(counted),
        )

    async def end(self) -> None:
        """Let nothing rest on what did not come."""
        for some in batches(self._resting, BATCH):
            async with self._unit.write() as writer:
                left = await writer.drop_missing_evidence(some)
            for id in some:
                for _ in range(self._resting[id] - left[id]):
                    self._reader.note(Gap.EVIDENCE, id)

    async def _allowed(self, tx: Tx, lines: Sequence[_Line]) -> list[Record]:
        """Those of some memories that were not erased here, and are the file's own to give."""
        sign, scope = self._unit.rules.sign, self._unit.scope
        found = list[Record]()
        marks: dict[str, set[str]] = {}
        for line in lines:
            one = line.record
            words = (tombstone_of_text(scope, hash, one.occurred_at, sign=sign) for hash in hashes_of(one.text))
            marks[one.id] = {
                *(tombstone_of_id(id, sign=sign) for id in (one.id, self._names[one.id], *one.evidence)),
                *words,
            }
        buried = await tx.imports.tombstones(sorted({mark for some in marks.values() for mark in some if mark}))
        for line in lines:
            record = line.record
            if not buried.isdisjoint(marks[record.id]) or not self._erased.isdisjoint(record.evidence):
                self._erased.add(record.id)
            elif transferred_from(record) is not None:
                self._reader.note(Gap.LENT, line.where)
            elif record.id in self._shadowed:
                self._reader.note(Gap.KEY, line.where)
            else:
                evidence = tuple(sorted({self._names.get(id, id) for id in record.evidence}))
                found.append(replace(record, id=self._names[record.id], evidence=evidence))
        return found

    async def _resting_on(self, tx: Tx, record: Record) -> Record:
        """A memory without the evidence that is neither in the file nor here."""
        outside = [id for id in record.evidence if id not in self._given]
        here = {one.id: one for one in await tx.records.find_all(outside)} if outside else {}
        self._rejected |= {one.id for one in here.values() if one.status in REJECTED_STATUSES}
        kept = tuple(id for id in record.evidence if id in self._given or id in here)
        for _ in range(len(record.evidence) - len(kept)):
            self._reader.note(Gap.EVIDENCE, record.id)
        return replace(record, evidence=kept)

    def _compare(self, before: Sequence[Record], made: Sequence[Record]) -> None:
        """Count what is not stored as it stands in the file."""
        for old, new in zip(before, made, strict=True):
            if any(getattr(old.scope, name) != getattr(new.scope, name) for name in DIMENSIONS):
                self._reader.note(Gap.SCOPE, new.id)
            if old.classification is not new.classification:
                self._reader.note(Gap.CLASS, new.id)
            if (old.text, old.tags, old.metadata, old.status) != (new.text, new.tags, new.metadata, new.status):
                self._reader.note(Gap.CHANGED, new.id)

    async def _write(self, writer: WriteTransaction, records: Sequence[Record], of: Mapping[str, Scope]) -> None:
        """Store memories, each message under its number, where no other has that.

        Args:
            of: the scope that each had, by its id here.
        """
        if not records:
            # Not even the name of the scope is kept.
            return
        messages = [one for one in records if isinstance(one, Message)]
        await note_sessions(writer, messages)
        numbers: dict[str, list[int]] = {}
        for one in messages:
            numbers.setdefault(one.session or "", []).append(one.number)
        taken = {id: await writer.tx.archives.used_numbers(id, those) for id, those in numbers.items()}
        numbered, later = list[Record](), list[Record]()
        for one in messages:
            session = one.session or ""
            if one.number in taken[session]:
                self._renumbered.add((of[one.id], one.session))
                self._reader.note(Gap.NUMBER, one.id)
                later.append(replace(one, number=0))
            else:
                taken[session].add(one.number)
                numbered.append(one)
        await writer.add(numbered)
        for id in numbers:
            if (sitting := await writer.tx.archives.session_bundle(id)) is not None:
                await writer.put(replace(sitting, recount=True))
        others = [self._apart(one, of[one.id]) for one in records if not isinstance(one, Message)]
        await writer.add([*later, *others])

    async def _judge(self, writer: WriteTransaction, records: Sequence[Record], of: Mapping[str, Judgement]) -> None:
        """Set for memories what people had set for them, by their ids here."""
        for one in records:
            if (told := of[one.id].values) and (standing := await writer.tx.scores.find(one.id)) is not None:
                await writer.put(replace(standing, **told))  # pyright: ignore[reportArgumentType] -- by their names

    def _apart(self, record: Record, of: Scope) -> Record:
        """A claim without the numbers of messages, where those have others here; its evidence names them still."""
        if isinstance(record, Observation) and record.first and (of, record.session) in self._renumbered:
            return replace(record, first=0, last=0)
        return record


_COVERED: Final[Mapping[type[Record], Status]] = {Observation: Status.MERGED, Fact: Status.RETIRED}


async def _under(tx: Tx, record: Record) -> Record | None:
    """What is here in the place of a memory that comes: under its key, or with its words."""
    if isinstance(record, Fact):
        if record.status is Status.PAUSED:
            return None
        known = await tx.facts.by_key(record.details.key)
        alike = (one for one in known if one.status is Status.ACTIVE and _clash(one, record))
        return next(alike, None)
    key = _key(record)
    if key is None:
        return None
    name, value = key
    if name == "topic":
        found = await tx.observations.by_topic(value)
    else:
        found = await tx.observations.by_hash(*hashes_of(record.text))
    return found if found is not None and found.status is Status.ACTIVE else None
