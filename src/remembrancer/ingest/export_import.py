"""Import of our own exports.

Each memory is stored as it was, in the importing scope, once.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from itertools import islice
from typing import Any, Final

from anyio.to_thread import run_sync

from remembrancer.errors import InvalidInput, NotAllowed
from remembrancer.ingest.file_import import ImportedFile
from remembrancer.ingest.importers.chat import JsonEntry
from remembrancer.ingest.importers.exports import read_memories
from remembrancer.ingest.importers.files import ChatFile
from remembrancer.ingest.importers.foreign import Form
from remembrancer.ingest.importers.reader import Gap, Reader
from remembrancer.ingest.memory_import import records_of
from remembrancer.ingest.readmission import check_readmission, readmit
from remembrancer.ingest.turn_import import BATCH, batches, derived_id, id_time, put_sessions
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
_MAX_COUNT: Final = 2**53
# Evidence precedes the memories that it supports.
_ORDER: Final = {kind: place for place, kind in enumerate(
    (Kind.MESSAGE, Kind.EPISODE, Kind.OBSERVATION, Kind.REFLECTION, Kind.FACT, Kind.PROCEDURE, Kind.SIGNAL)
)}  # fmt: skip
_Load = Callable[[Mapping[str, Any]], Record]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """A memory of an export, with its ratings and its place."""

    where: str
    record: Record
    judged: Judgement

    @property
    def order(self) -> tuple[int, int, str, datetime, str]:
        """The sort key of the import.

        Messages are sorted by number, other memories by the time of their record. Wider scopes come last: of two
        messages with one number the nearer one keeps it.
        """
        record = self.record
        number = f"{record.session}\0{record.number:016}" if isinstance(record, Message) else ""
        return _ORDER[kind_of(record)], -sum(record.scope.nearness), number, record.recorded_at, record.id


async def import_export(
    unit: UnitOfWork,
    file: ChatFile,
    form: ExportFormat | Form,
    *,
    load: _Load,
    skip_bad: bool,
    progress: Callable[[int], None],
) -> ImportedFile:
    """Import the new memories of an export of ours, or of another program.

    The whole file is read and checked before the first write.

    Args:
        load: makes a memory from its JSON.
        skip_bad: skip invalid entries instead of refusing the file.
        progress: is called with the number of memories of each batch.

    Raises:
        InvalidInput: an entry is invalid; nothing was imported.
        NotAllowed: an entry may not be written by the caller, or its session records nothing.
    """
    reader = Reader(file.title, skip_bad=skip_bad, zone=file.zone)
    policies = await unit.read(effective_redactions)
    entries = records_of(unit, file, reader, form) if isinstance(form, Form) else read_memories(file, form, reader)
    lines = await _read(unit, entries, reader, load, policies)
    if any(_needs_learn(line) for line in lines):
        unit.caller.need(Right.LEARN)
    await unit.read(lambda tx: _check_sessions(tx, lines))
    total = ImportedFile()
    for one, own in _by_scope(unit, lines, form):
        run = _ImportRun(one, reader, await _new_ids(one, own), _shadowed(own))
        for batch in batches(sorted(own, key=lambda line: line.order), BATCH):
            await run.add(batch)
            progress(len(batch))
        await run.drop_missing_evidence()
        total += run.result
    return replace(total, unread=tuple(reader.unread), left_out=tuple(reader.left_out))


def _by_scope(
    unit: UnitOfWork, lines: Sequence[_Line], form: ExportFormat | Form
) -> list[tuple[UnitOfWork, Sequence[_Line]]]:
    """Return the memories of each scope that stores some, with its unit of work.

    An export of ours is restored in one scope; memories of other programs belong to their users.
    """
    if not isinstance(form, Form):
        return [(unit, lines)]
    by_scope: dict[Scope, list[_Line]] = {}
    for line in lines:
        own = Scope(tenant=unit.scope.tenant, **{name: getattr(line.record.scope, name) for name in DIMENSIONS})
        by_scope.setdefault(own, []).append(line)
    return [
        (unit if scope == unit.scope else unit.of(unit.caller.within(scope)), own) for scope, own in by_scope.items()
    ]


def _needs_learn(line: _Line) -> bool:
    record = line.record
    is_learned = isinstance(record, Observation) and record.learned is not None
    is_moved = record.status is Status.PAUSED or line.judged != Judgement()
    return is_learned or is_moved or isinstance(record, Rule | Reflection)


async def _read(
    unit: UnitOfWork,
    entries: Iterator[JsonEntry],
    reader: Reader,
    load: _Load,
    policies: Mapping[PersonalDataType, Redaction],
) -> list[_Line]:
    lines = dict[str, _Line]()

    def read() -> bool:
        batch = list(islice(entries, _READ_AT_ONCE))
        for entry in batch:
            try:
                record = load(entry.value)
                _check(record)
                judged = _judged(entry.value)
                check_readmission(record, unit.rules, policies)
            except (InvalidInput, NotAllowed) as error:
                reader.skip(entry.where, str(error))
            else:
                lines[record.id] = _Line(where=entry.where, record=record, judged=judged)
        return bool(batch)

    while await run_sync(read):
        pass
    return list(lines.values())


def _check(record: Record) -> None:
    """Check the field types and the status of an exported record.

    Raises:
        InvalidInput: a field is of another type, or the status is another one.
    """
    check_fields(record)
    # The value of a fact may be any JSON; its key and its times are checked with the draft.
    if not isinstance(record, Fact) and (details := details_of(record)) is not None:
        check_fields(details)
    if isinstance(record, Episode | Signal):
        for entity in record.details.entities:
            check_fields(entity)
    if isinstance(record, Episode) and record.details.counts is not None:
        check_fields(record.details.counts)
    if record.status not in EXPORTED:
        raise InvalidInput(f"its status is {record.status.value}; exports contain only live and paused memories")
    within(record.revision, 1, _MAX_COUNT, what="revision")
    within(record.usage_count, 0, _MAX_COUNT, what="usage_count")
    if isinstance(record, Message):
        within(record.number, 1, _MAX_COUNT, what="number")


def _judged(value: Mapping[str, Any]) -> Judgement:
    """Return the ratings by people in the JSON of a memory.

    Raises:
        InvalidInput: one is of another type, or out of range.
    """
    judged = Judgement(**{one.name: value[one.name] for one in fields(Judgement) if one.name in value})
    check_fields(judged)
    within(judged.boost, 0, 1, what="boost")
    if judged.rating is not None:
        within(judged.rating, 0, 1, what="rating")
    return judged


async def _check_sessions(tx: Tx, lines: Sequence[_Line]) -> None:
    """Check that all sessions of the memories record.

    Raises:
        NotAllowed: one does not.
    """
    for id in dict.fromkeys(line.record.session for line in lines if line.record.session):
        session = await tx.sessions.find(id)
        if session is not None and not session.record:
            raise NotAllowed(f"session {id!r} was started with record=False; nothing was imported")


async def _new_ids(unit: UnitOfWork, lines: Sequence[_Line]) -> dict[str, str]:
    """Return the new id of each memory.

    It is the own one, or a derived one if another scope of the tenant uses it.
    """
    scope, sign = unit.scope, unit.rules.sign
    parts = (scope.tenant, *(getattr(scope, dimension) for dimension in DIMENSIONS))

    async def read(tx: Tx, batch: Sequence[_Line]) -> dict[str, str]:
        times = {line.record.id: line.record.occurred_at for line in batch}
        own = await tx.records.hashes(list(times))
        in_use = await tx.archives.existing([id for id in times if id not in own])
        return {
            id: derived_id(id_time(at), sign(f"export {parts!r} {id}")) if id in in_use else id
            for id, at in times.items()
        }

    ids: dict[str, str] = {}
    for batch in batches(lines, BATCH):
        ids |= await unit.read(lambda tx, batch=batch: read(tx, batch))
    return ids


def _shadowed(lines: Sequence[_Line]) -> set[str]:
    """Return the ids of memories that a nearer scope overrides.

    Paused memories override nothing. The importing scope can store only one of two claims under one key.
    """
    nearest = dict[tuple[str, str], Record]()
    live = (line.record for line in lines if line.record.status is not Status.PAUSED)
    ordered = sorted(live, key=lambda one: (one.scope.nearness, one.updated_at))
    for record in ordered:
        if key := _key(record):
            nearest[key] = record
    facts = [record for record in ordered if isinstance(record, Fact)]
    overridden = {
        fact.id
        for place, fact in enumerate(facts)
        if any(other.scope != fact.scope and _conflicts(fact, other) for other in facts[place + 1 :])
    }
    return overridden | {one.id for one in ordered if (key := _key(one)) and nearest[key].scope != one.scope}


def _key(record: Record) -> tuple[str, str] | None:
    """Return the key under which a scope stores one claim only, or `None`."""
    if type(record) is not Observation or record.type == SUMMARY:
        return None
    if record.topic_key is not None:
        return "topic", record.topic_key
    return None if record.engine or record.learned else ("text", hash_of(same_text(record.text)))


def _conflicts(one: Fact, other: Fact) -> bool:
    return one.details.key == other.details.key and one.details.overlaps(other.details)


class _ImportRun:
    """One import of an export, batch by batch.

    Args:
        new_ids: the id here of each memory, by its id in the file.
        shadowed: ids in the file of memories that are not imported.
    """

    def __init__(self, unit: UnitOfWork, reader: Reader, new_ids: Mapping[str, str], shadowed: Collection[str]) -> None:
        self.result = ImportedFile()
        self._unit = unit
        self._reader = reader
        self._new_ids = new_ids
        self._in_file = frozenset(new_ids.values())
        self._shadowed = shadowed
        self._erased = set[str]()
        self._rejected = set[str]()
        self._renumbered = set[tuple[Scope, str | None]]()
        self._evidence_counts = dict[str, int]()

    async def add(self, lines: Sequence[_Line]) -> None:
        """Import the memories of a batch that do not exist here and are allowed."""
        async with self._unit.write() as writer:
            existing = await writer.tx.records.hashes([self._new_ids[line.record.id] for line in lines])
            fresh = [line for line in lines if self._new_ids[line.record.id] not in existing]
            deduped = len(existing)
            allowed = await self._allowed(writer.tx, fresh)
            records = await readmit(writer, [await self._with_known_evidence(writer.tx, one) for one in allowed])
            self._count_differences(allowed, records)
            repeating = await find_rejected_claims(writer.tx, records, sign=self._unit.rules.sign)
            for record in records:
                if record.id in repeating or not self._rejected.isdisjoint(record.evidence):
                    self._rejected.add(record.id)
                    self._reader.count(Gap.REJECTED, record.id)
            stored = list[Record]()
            for record in (one for one in records if one.id not in self._rejected):
                other = await _counterpart(writer.tx, record)
                is_same = other is not None and same_text(other.text) == same_text(record.text)
                is_older = record.status is Status.PAUSED or (other and other.updated_at >= record.updated_at)
                if other is not None and (is_older or is_same):
                    deduped += is_same
                    if not is_same:
                        self._reader.count(Gap.KEY, record.id)
                    continue
                if other is not None:
                    await writer.move(other, _REPLACED[type(other)])
                stored.append(record)
            await self._write(writer, stored, {self._new_ids[line.record.id]: line.record.scope for line in fresh})
            await self._rate(writer, stored, {self._new_ids[line.record.id]: line.judged for line in fresh})
            self._evidence_counts |= {one.id: len(one.evidence) for one in stored if one.evidence}
        kinds = Counter(self.result.kinds) + Counter(kind_of(one).value for one in stored)
        self.result = replace(
            self.result,
            created=self.result.created + len(stored),
            deduped=self.result.deduped + deduped,
            erased=len(self._erased),
            kinds=dict(kinds),
        )

    async def drop_missing_evidence(self) -> None:
        """Remove evidence links to memories that were not imported."""
        for batch in batches(self._evidence_counts, BATCH):
            async with self._unit.write() as writer:
                left = await writer.drop_missing_evidence(batch)
            for id in batch:
                for _ in range(self._evidence_counts[id] - left[id]):
                    self._reader.count(Gap.EVIDENCE, id)

    async def _allowed(self, tx: Tx, lines: Sequence[_Line]) -> list[Record]:
        """Return the memories that may be imported, with their new ids.

        Erased, transferred and overridden ones may not.
        """
        sign, scope = self._unit.rules.sign, self._unit.scope
        allowed = list[Record]()
        marks: dict[str, set[str]] = {}
        for line in lines:
            one = line.record
            of_text = (tombstone_of_text(scope, hash, one.occurred_at, sign=sign) for hash in hashes_of(one.text))
            ids = (one.id, self._new_ids[one.id], *one.evidence)
            marks[one.id] = {*(tombstone_of_id(id, sign=sign) for id in ids), *of_text}
        erased = await tx.imports.tombstones(sorted({mark for some in marks.values() for mark in some if mark}))
        for line in lines:
            record = line.record
            if not erased.isdisjoint(marks[record.id]) or not self._erased.isdisjoint(record.evidence):
                self._erased.add(record.id)
            elif transferred_from(record) is not None:
                self._reader.count(Gap.TRANSFERRED, line.where)
            elif record.id in self._shadowed:
                self._reader.count(Gap.KEY, line.where)
            else:
                evidence = tuple(sorted({self._new_ids.get(id, id) for id in record.evidence}))
                allowed.append(replace(record, id=self._new_ids[record.id], evidence=evidence))
        return allowed

    async def _with_known_evidence(self, tx: Tx, record: Record) -> Record:
        """Return a memory without evidence that is not imported or stored."""
        outside = [id for id in record.evidence if id not in self._in_file]
        stored = {one.id: one for one in await tx.records.find_all(outside)} if outside else {}
        self._rejected |= {one.id for one in stored.values() if one.status in REJECTED_STATUSES}
        known = tuple(id for id in record.evidence if id in self._in_file or id in stored)
        for _ in range(len(record.evidence) - len(known)):
            self._reader.count(Gap.EVIDENCE, record.id)
        return replace(record, evidence=known)

    def _count_differences(self, exported: Sequence[Record], readmitted: Sequence[Record]) -> None:
        """Count the memories that are stored otherwise than the file has them."""
        for old, new in zip(exported, readmitted, strict=True):
            if any(getattr(old.scope, name) != getattr(new.scope, name) for name in DIMENSIONS):
                self._reader.count(Gap.SCOPE, new.id)
            if old.classification is not new.classification:
                self._reader.count(Gap.CLASS, new.id)
            if (old.text, old.tags, old.metadata, old.status) != (new.text, new.tags, new.metadata, new.status):
                self._reader.count(Gap.CHANGED, new.id)

    async def _write(self, writer: WriteTransaction, records: Sequence[Record], scopes: Mapping[str, Scope]) -> None:
        """Store memories; a message keeps its number unless it is in use.

        Args:
            scopes: the exported scope of each, by its id here.
        """
        if not records:
            # Without a row, not even the name of the scope is stored.
            return
        messages = [one for one in records if isinstance(one, Message)]
        await put_sessions(writer, messages)
        numbers: dict[str, list[int]] = {}
        for one in messages:
            numbers.setdefault(one.session or "", []).append(one.number)
        used = {id: await writer.tx.archives.used_numbers(id, of_session) for id, of_session in numbers.items()}
        numbered, unnumbered = list[Record](), list[Record]()
        for one in messages:
            session = one.session or ""
            if one.number in used[session]:
                self._renumbered.add((scopes[one.id], one.session))
                self._reader.count(Gap.NUMBER, one.id)
                unnumbered.append(replace(one, number=0))
            else:
                used[session].add(one.number)
                numbered.append(one)
        await writer.add(numbered)
        for id in numbers:
            if (bundle := await writer.tx.archives.session_bundle(id)) is not None:
                await writer.put(replace(bundle, recount=True))
        others = [self._with_valid_range(one, scopes[one.id]) for one in records if not isinstance(one, Message)]
        await writer.add([*unnumbered, *others])

    async def _rate(
        self, writer: WriteTransaction, records: Sequence[Record], ratings: Mapping[str, Judgement]
    ) -> None:
        """Store the ratings by people, by the ids of memories here."""
        for one in records:
            if (rating := ratings[one.id].values) and (score := await writer.tx.scores.find(one.id)) is not None:
                await writer.put(replace(score, **rating))  # pyright: ignore[reportArgumentType] -- by their names

    def _with_valid_range(self, record: Record, scope: Scope) -> Record:
        """Return a claim without its range of messages if they were renumbered.

        Its evidence still names them.
        """
        if isinstance(record, Observation) and record.first and (scope, record.session) in self._renumbered:
            return replace(record, first=0, last=0)
        return record


_REPLACED: Final[Mapping[type[Record], Status]] = {Observation: Status.MERGED, Fact: Status.RETIRED}


async def _counterpart(tx: Tx, record: Record) -> Record | None:
    """Return the active memory with the same key or text, or `None`."""
    if isinstance(record, Fact):
        if record.status is Status.PAUSED:
            return None
        under_key = await tx.facts.by_key(record.details.key)
        return next((one for one in under_key if one.status is Status.ACTIVE and _conflicts(one, record)), None)
    key = _key(record)
    if key is None:
        return None
    name, value = key
    if name == "topic":
        other = await tx.observations.by_topic(value)
    else:
        other = await tx.observations.by_hash(*hashes_of(record.text))
    return other if other is not None and other.status is Status.ACTIVE else None
