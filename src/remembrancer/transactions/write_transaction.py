"""Write transactions: the only code that writes to the store.

All writes go through `WriteTransaction`. It checks status transitions, legal holds and
rejections, updates the text index, and collects the entries of the audit log.
"""

from collections import Counter
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import TypeVar, assert_never

from remembrancer.errors import Conflict, NotAllowed
from remembrancer.guard.personal.find import ready
from remembrancer.storage.tx import Tx
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.transactions.documents import number_ranges, terms_in_index
from remembrancer.transactions.legal_holds import holds_on, refuse_if_on_hold
from remembrancer.transactions.redaction import masked_record
from remembrancer.transactions.rejections import claim_fingerprints, erased_name
from remembrancer.transactions.side_rows import (
    INVISIBLE_ROWS,
    ClearIndex,
    IndexUpdate,
    IndexUpdates,
    NewChunk,
    SideRow,
    TombstoneBatch,
    UseCounts,
    VectorUpdate,
)
from remembrancer.transactions.tombstones import tombstones_of
from remembrancer.types.archive import ArchivedLog, ImportState, RecordBundle, SessionBundle, SideRows, Tombstone
from remembrancer.types.audit import AuditEntry
from remembrancer.types.calls import Call, CallResult, ServedBlock
from remembrancer.types.details import Details, EpisodeDetails, FactDetails
from remembrancer.types.feedback import (
    FeedbackWeight,
    PersonVerdict,
    Rejection,
    RevokedRejections,
    ScoreParts,
    UnlinkedRejections,
    WeightChange,
    WithdrawnVerdicts,
)
from remembrancer.types.jobs import Finding, IdempotentRequest, MaintenanceRun
from remembrancer.types.lifecycle import Status, check_transition
from remembrancer.types.notes import Chunk, Log
from remembrancer.types.policy import (
    ErasedRuns,
    Erasure,
    LegalHold,
    RedactionPolicy,
    RemovedPolicy,
    RetentionPolicy,
    Transfer,
)
from remembrancer.types.record import Episode, Fact, Message, Observation, Record, kind_of
from remembrancer.types.results import Change, IdempotentWrite
from remembrancer.types.scope import Scope, most_restrictive
from remembrancer.types.session import Injection, Session

CREATED = "created"
UPDATED = "updated"
DELETED = "deleted"
ERASED = "erased"
EXPIRED = "expired"
RESTORED = "restored"
CLASSIFIED = "classified"
ARCHIVED = "archived"
# Ids that an audit entry of many records lists; the entry has their full count.
_MAX_IDS = 50
# A claim in one of these is not read. It returns to the others only with a text that no person has rejected.
_UNREAD = frozenset(set(Status) - {Status.ACTIVE, Status.RAW, Status.BUFFERED})

R = TypeVar("R", bound=Record)


@asynccontextmanager
async def write_transaction(tx: Tx, rules: Dependencies) -> AsyncGenerator["WriteTransaction", None]:
    """Yield the writer of a transaction.

    Write its audit entries when the block ends.
    """
    writer = WriteTransaction(tx, rules)
    yield writer
    await writer.drop_outdated_vectors()
    if writer.changes_reads:
        await tx.changes.add(at=writer.now)
    if entries := writer.entries():
        await tx.audit.add(entries)


@dataclass(slots=True)
class _State:
    """The changes of a transaction so far."""

    entries: list[AuditEntry] = field(default_factory=list[AuditEntry])
    read_entries: list[AuditEntry] = field(default_factory=list[AuditEntry])
    reason: str = ""
    changed: bool = False
    imported: bool = False
    erased: bool = False
    changes_reads: bool = False
    created: list[Record] = field(default_factory=list[Record])
    shared_before: list[Record] = field(default_factory=list[Record])
    tombstones: list[str] = field(default_factory=list[str])
    # Records whose class was raised, and whose dependents are raised next.
    raised: list[Record] = field(default_factory=list[Record])
    # Session and number of the messages whose vectors contain a changed message before them.
    outdated: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])
    holds: Sequence[LegalHold] | None = None


class WriteTransaction:
    """The writes of one transaction of one caller.

    Attributes:
        tx: for reads, with the visibility of the caller; only the methods here write through it.
        caller_tx: the same, even if `tx` is the engine's.
        now: the time of all writes of the transaction.
        nested: the writers of other scopes in the same transaction.
    """

    def __init__(self, tx: Tx, rules: Dependencies) -> None:
        self.tx = tx
        self.rules = rules
        self.now = rules.clock.now()
        self.caller_tx = tx
        self.nested = list[WriteTransaction]()
        self._state = _State()

    def as_engine(self) -> "WriteTransaction":
        """Return a writer with the visibility of the engine.

        It is for effects of a write that the caller never sees.
        """
        if self.tx.caller.sees_as_engine:
            return self
        engine = WriteTransaction(self.tx.engine(), self.rules)
        engine.now, engine._state, engine.caller_tx, engine.nested = self.now, self._state, self.caller_tx, self.nested
        return engine

    @asynccontextmanager
    async def at(self, scope: Scope) -> AsyncGenerator["WriteTransaction", None]:
        """Yield a writer of another scope of the tenant, in the same transaction.

        See `Tx.at`.
        """
        async with write_transaction(await self.tx.at(replace(self.tx.caller, scope=scope)), self.rules) as other:
            other.now = self.now
            self.nested.append(other)
            yield other

    async def as_seen(self, record: R) -> R:
        """Return a record as its caller reads it.

        The caller may have just closed it to itself.
        """
        caller = self.tx.caller
        visible = record if caller.sees_all else await self.tx.records.find(record.id) or replace(record, evidence=())
        if caller.sees_personal_data:
            return _of_same_kind(record, visible)
        await ready(visible)
        return _of_same_kind(record, masked_record(visible))

    async def add(self, records: Sequence[Record]) -> list[Record]:
        """Store new records of the exact scope.

        Messages without a number get the next one of their session.

        Raises:
            NotAllowed: one of them repeats what a person has rejected.
        """
        sign = self.rules.sign
        # Most scopes have no rejections, and a fingerprint costs more than the question.
        if await self.tx.rejections.exist():
            claims = [print for record in records for print in claim_fingerprints(record, sign=sign)]
            await self._check_not_rejected(claims)
        created = await self._numbered(records)
        self._state.changed |= bool(created)
        self._state.changes_reads |= bool(created)
        self._state.created += created
        await self.tx.records.add(created, [terms_in_index(record, sign=sign) for record in created])
        for record in created:
            self._audit(CREATED, kind_of(record).value, record.id)
        return created

    async def import_bundles(self, bundles: Sequence[RecordBundle], *, action: str) -> None:
        """Store memories of an archive as they are.

        Those of the exact scope with the same ids are replaced.

        Raises:
            InvalidInput: one of them cannot be read.
        """
        records = [self.tx.archives.record(bundle) for bundle in bundles]
        self._outdate_following(records)
        if self._is_shared:
            self._note_shared(*await self.tx.records.find_all([record.id for record in records]))
        self._state.imported |= bool(records)
        self._state.changes_reads |= bool(records)
        await self.tx.archives.put(bundles, [terms_in_index(record, sign=self.rules.sign) for record in records])
        ids_by_kind: dict[str, list[str]] = {}
        for record in records:
            ids_by_kind.setdefault(kind_of(record).value, []).append(record.id)
        for kind, ids in ids_by_kind.items():
            await self.audit_many(action, kind, ids)

    async def next_number(self, session: str) -> int:
        """Return a new number for a message of an archive, in an existing session."""
        return await self.tx.sessions.reserve_numbers(session, 1, tokens=0)

    async def drop_missing_evidence(self, ids: Sequence[str]) -> Mapping[str, int]:
        """Remove evidence links to records that are not in this store.

        Return the number of sources left by id.
        """
        return await self.tx.archives.drop_dangling_evidence(ids)

    async def change(self, record: R, change: Change, *, action: str = UPDATED) -> R:
        """Change a record of the exact scope and return it.

        Its former state is stored as a version.

        Raises:
            Conflict: its status does not allow the change, or it is of another kind by now.
            NotAllowed: it would repeat what a person has rejected.
        """
        sign = self.rules.sign
        if change.status is not None and change.status is not record.status:
            check_transition(record.status, change.status)
        if change.status is Status.DELETED:
            await self._check_not_on_hold(record)
        after = _as_changed(record, change)
        before = claim_fingerprints(record, sign=sign) if record.status not in _UNREAD else ()
        if after.status not in _UNREAD:
            await self._check_not_rejected([one for one in claim_fingerprints(after, sign=sign) if one not in before])
        terms = terms_in_index(after, sign=sign)
        self._state.changed = self._state.changes_reads = True
        self._note_shared(record)
        if _changes_following_vectors(record, change):
            self._outdate_following([record])
        changed = _of_same_kind(record, await self.tx.records.change(record.id, change, at=self.now, terms=terms))
        self._audit(action, kind_of(record).value, record.id)
        if most_restrictive([record.classification, changed.classification]) is not record.classification:
            await self._raise_dependents(changed)
        if isinstance(changed, Message) and changed.session is not None:
            is_same = (changed.status, changed.text) == (record.status, record.text)
            await self._update_chunk_of(changed, is_same=is_same)
        return await self.as_seen(changed)

    async def move(self, record: R, status: Status, *, details: Details | None = None, action: str = "") -> R:
        """Change the status of a record of the exact scope.

        The indexes contain it while its status is live.

        Args:
            details: changed with the status.
            action: the name in the audit log; by default the status.

        Raises:
            Conflict: its present status does not allow that.
        """
        # A move to the present status is refused, too.
        check_transition(record.status, status)
        return await self.change(record, Change(status=status, details=details), action=action or status.value)

    async def set_aside(self, records: Sequence[Record], status: Status, *, at: datetime | None = None) -> None:
        """WeightChange many records to a status that recall does not find.

        Args:
            at: the time of the change; now by default.

        Raises:
            Conflict: the present status of one of them does not allow that.
        """
        for record in records:
            check_transition(record.status, status)
        if records:
            self._state.changes_reads = True
            self._note_shared(*records)
            self._outdate_following(records)
            await self.tx.records.set_aside([record.id for record in records], status, at=at or self.now)
        for record in records:
            self._audit(status.value, kind_of(record).value, record.id)

    async def erase(self, record: Record) -> None:
        """Permanently remove a record of the exact scope.

        Its versions, index entries, vectors and evidence links are removed, too. Its rejection by a person remains in
        force, and a tombstone blocks its import.
        """
        await self._check_not_on_hold(record)
        if isinstance(record, Observation):
            await self.put(UnlinkedRejections(record=record.id, name=erased_name(record.id, sign=self.rules.sign)))
        self._state.changes_reads = self._state.erased = True
        self._note_shared(record)
        self._outdate_following([record])
        marks = await tombstones_of(self.tx, [record.id], sign=self.rules.sign)
        await self.tx.records.erase(record.id)
        self._state.tombstones += marks
        await self.put(*(Tombstone(mark=mark) for mark in marks))
        self._audit(ERASED, kind_of(record).value, record.id)

    async def erase_scope(self) -> Mapping[str, int]:
        """Permanently remove the exact scope with all its data.

        Return the number of rows by table. Its audit log is removed, too: the entry for the erasure belongs in another
        scope.
        """
        removed = await self.tx.erasure.erase_all()
        self._state.erased = bool(removed)
        return removed

    async def erase_session(self, id: str) -> Mapping[str, int]:
        """Remove the side rows of a session whose memories are erased.

        Return the number of rows by table.
        """
        self._state.changes_reads = self._state.erased = True
        return await self.tx.erasure.erase_session(id)

    async def drop_outdated_vectors(self) -> None:
        """Drop the vectors of messages that contain a changed message before them.

        They are embedded again later.
        """
        engine = self.as_engine()
        outdated = sorted(self._state.outdated)
        self._state.outdated.clear()
        for session, places in groupby(outdated, itemgetter(0)):
            for first, last in number_ranges([number for _, number in places]):
                for message in await engine.tx.messages.by_number(session, first, last):
                    terms = terms_in_index(message, sign=self.rules.sign)
                    if terms is not None:
                        await engine.put(IndexUpdate(id=message.id, terms=terms, fresh=True))
                        self._state.changed = True

    async def put(
        self, *rows: SideRow, action: str = "", kind: str = "", id: str | None = None, count: int = 0
    ) -> None:
        """Insert or update side rows.

        Args:
            action: the name in the audit log; without one there is no entry.
            kind, id: what the action concerned, for the audit log.
            count: how many it concerned; by default the number of rows.

        Raises:
            Conflict: a new chunk does not follow the last one of its session.
        """
        self._state.changes_reads |= any(not isinstance(row, INVISIBLE_ROWS) for row in rows)
        for _, of_one_type in groupby(rows, type):
            await self._put_all(list(of_one_type))
        if action and (rows or count):
            self._audit(action, kind, id, count or len(rows))

    async def audit(self, action: str, kind: str, id: str) -> None:
        """Add an audit entry for an action on something that is no memory."""
        self._audit(action, kind, id)

    async def audit_many(self, action: str, kind: str, ids: Sequence[str]) -> None:
        """Add an audit entry for an action on many memories.

        All calls for one action and kind share it.
        """
        if not ids:
            return
        entry = AuditEntry(action=action, kind=kind, record=None, count=len(ids), records=tuple(ids), at=self.now)
        entries = self._state.entries
        for place, other in enumerate(entries):
            if (other.action, other.kind, other.record) == (action, kind, None):
                entries[place] = replace(other, count=other.count + entry.count, records=_first_ids(other, entry))
                return
        entries.append(replace(entry, records=entry.records[:_MAX_IDS]))

    def audit_dropped(self, kind: str, reasons: Mapping[str, int]) -> None:
        """Add an audit entry for each reason why answers were dropped.

        The answers are those of models.
        """
        self._state.entries += [
            AuditEntry(action="refused", kind=kind, record=None, count=count, at=self.now, reason=reason)
            for reason, count in reasons.items()
        ]

    def audit_reads(self, entries: Sequence[AuditEntry]) -> None:
        """Add audit entries for disclosures."""
        self._state.read_entries += entries

    def set_reason(self, reason: str) -> None:
        """Set the reason that all audit entries of this transaction name."""
        self._state.reason = reason

    @property
    def reason(self) -> str:
        """The reason for the audit log, or `""`."""
        return self._state.reason

    @property
    def tombstones(self) -> Sequence[str]:
        """The tombstones of the records that were erased."""
        return self._state.tombstones

    @property
    def created(self) -> Sequence[Record]:
        """The records that were created."""
        return self._state.created

    @property
    def shared_before(self) -> Sequence[Record]:
        """The shared observations as they were before the transaction."""
        return self._state.shared_before

    @property
    def changed(self) -> bool:
        """True if a record was created or changed."""
        return self._state.changed

    @property
    def imported(self) -> bool:
        """True if memories of an archive were stored.

        Their vectors may come later.
        """
        return self._state.imported

    @property
    def changes_reads(self) -> bool:
        """True if a read of memories may return something else than before."""
        return self._state.changes_reads

    @property
    def erased(self) -> bool:
        """True if a record was permanently removed."""
        return self._state.erased

    @property
    def record_ids(self) -> frozenset[str]:
        """The ids of the records that were written."""
        return frozenset(entry.record for entry in self._state.entries if entry.record)

    @property
    def retired(self) -> Sequence[int]:
        """The numbers of the documents that left the indexes."""
        return self.tx.records.retired

    def entries(self) -> list[AuditEntry]:
        """Return the audit entries so far.

        Consecutive ones with the same action and kind are merged.
        """
        merged: list[AuditEntry] = []
        for entry in self._state.entries:
            last = merged[-1] if merged else None
            if last is not None and (last.action, last.kind, last.reason) == (entry.action, entry.kind, entry.reason):
                count = last.count + entry.count
                merged[-1] = replace(last, record=None, count=count, records=_first_ids(last, entry))
            else:
                merged.append(entry)
        merged = [replace(entry, reason=self._state.reason) for entry in merged] if self._state.reason else merged
        return merged + self._state.read_entries

    async def _raise_dependents(self, source: Record) -> None:
        """Raise the class of all that derives from a memory."""
        self._state.raised.append(source)
        if len(self._state.raised) > 1:
            # The outermost call works through the list.
            return
        while self._state.raised:
            await self._raise_direct_dependents(self._state.raised[0])
            self._state.raised.pop(0)

    async def _raise_direct_dependents(self, source: Record) -> None:
        engine = self.as_engine()
        await engine._raise(await engine.tx.records.dependents(source.id), source)
        elsewhere = await engine.tx.records.cross_scope_dependents(source.id)
        for scope, pairs in groupby(elsewhere, itemgetter(0)):
            async with engine.at(scope) as other:
                other.set_reason(self.reason)
                await other._raise([id for _, id in pairs], source)

    async def _raise(self, ids: Sequence[str], source: Record) -> None:
        """Raise the class of records of the exact scope to that of a source."""
        for record in await self.tx.records.find_all(ids):
            highest = most_restrictive([record.classification, source.classification])
            if record.scope == self.tx.scope and highest is not record.classification:
                await self.change(record, Change(classification=highest), action=CLASSIFIED)

    async def _update_chunk_of(self, message: Message, *, is_same: bool) -> None:
        """Raise the class of the chunk that contains a message.

        Clear its task if the message has changed.
        """
        engine = self.as_engine()
        chunk = await engine.tx.chunks.containing(str(message.session), message.number)
        if chunk is None:
            return
        updated = replace(chunk, classification=most_restrictive([chunk.classification, message.classification]))
        if not is_same:
            updated = replace(updated, task="", suggestion="")
        if updated != chunk:
            await engine.put(updated)

    def _outdate_following(self, records: Sequence[Record]) -> None:
        """Mark the message after each of these as embedded with an outdated text."""
        self._state.outdated |= {
            (one.session, one.number + 1) for one in records if isinstance(one, Message) and one.session and one.number
        }

    async def _put_all(self, rows: Sequence[SideRow]) -> None:
        """Store rows of one type.

        Those that come in large numbers are stored together.
        """
        tx = self.tx
        if standings := [row for row in rows if isinstance(row, ScoreParts)]:
            await tx.scores.put(standings)
        elif injections := [row for row in rows if isinstance(row, Injection)]:
            await tx.injections.add(injections)
        elif blocks := [row for row in rows if isinstance(row, ServedBlock)]:
            await tx.blocks.add(blocks)
        else:
            for row in rows:
                await self._put_one(row)

    async def _put_one(self, row: SideRow) -> None:
        tx = self.tx
        match row:
            case ScoreParts() | Injection() | ServedBlock():
                await self._put_all([row])
            case Session():
                await tx.sessions.put(row)
            case NewChunk():
                await tx.chunks.add(row.chunk)
            case Chunk():
                await tx.chunks.put(row)
            case Log():
                await tx.logs.put(row)
            case MaintenanceRun():
                await tx.maintenance_runs.put(row)
            case PersonVerdict():
                await tx.verdicts.put(row)
            case WithdrawnVerdicts():
                await tx.verdicts.withdraw(row.record, row.verdicts)
            case Rejection():
                await tx.rejections.add(row)
            case RevokedRejections():
                await tx.rejections.revoke(row)
            case UnlinkedRejections():
                await tx.rejections.unlink_record(row)
            case WeightChange():
                await tx.weights.add(row)
            case IdempotentWrite():
                await tx.keys.add(row, at=self.now)
            case IdempotentRequest():
                await tx.requests.put(row)
            case ImportState():
                await tx.imports.put(row)
            case Tombstone():
                await tx.imports.add_tombstone(row)
            case Call():
                await tx.calls.add(row)
            case CallResult():
                await tx.calls.settle(row)
            case UseCounts():
                await tx.records.record_access(row.counts, at=row.at)
            case VectorUpdate():
                await tx.vectors.add(row.vectors, generation=row.generation)
            case IndexUpdate():
                await tx.upkeep.index(row.id, row.terms, fresh=row.fresh)
            case IndexUpdates():
                await tx.upkeep.index_many(row.terms)
            case ClearIndex():
                await tx.upkeep.drop_index()
            case Finding():
                await tx.upkeep.repair(row)
            case FeedbackWeight():
                await tx.weights.set(row)
            case RedactionPolicy() | RetentionPolicy() | LegalHold() | Erasure() | ErasedRuns() | Transfer():
                await tx.policies.put(row)
            case SessionBundle():
                await tx.archives.put_session(row)
            case SideRows():
                await tx.archives.put_side_rows(row.table, row.rows)
            case ArchivedLog():
                await tx.archives.put_log(row.log)
            case TombstoneBatch():
                await tx.erasure.add_tombstones(row.marks)
            case RemovedPolicy():
                await tx.policies.drop(row)
            case _:
                assert_never(row)

    async def _check_not_on_hold(self, record: Record) -> None:
        """Check that no legal hold prevents the deletion of a record.

        Raises:
            NotAllowed: one does.
        """
        if self._state.holds is None:
            self._state.holds = await self.tx.policies.visible(LegalHold)
        if self._state.holds:
            on_record = await holds_on(self.as_engine().tx, record, self._state.holds)
            refuse_if_on_hold(f"memory {record.id!r}", on_record)

    async def _check_not_rejected(self, fingerprints: Sequence[str]) -> None:
        """Check that no visible scope has rejected one of the fingerprints.

        Raises:
            NotAllowed: somebody has, even if the caller may not see the rejected memory.
        """
        for rejection in await self.tx.rejections.matching(fingerprints) if fingerprints else ():
            if await self.caller_tx.records.find(rejection.record) is None:
                raise NotAllowed(
                    "this repeats a rejected memory that is erased or closed to this caller; undo that first"
                )
            raise NotAllowed(f"this repeats memory {rejection.record!r}, which was rejected; undo that first")

    async def _numbered(self, records: Sequence[Record]) -> list[Record]:
        """Return records with numbers for the messages that have none."""
        unnumbered = [one for one in records if isinstance(one, Message) and not one.number]
        counts, tokens = Counter[str](), Counter[str]()
        for message in unnumbered:
            counts[message.session or ""] += 1
            tokens[message.session or ""] += message.tokens
        next_numbers = {
            session: await self.tx.sessions.reserve_numbers(session, count, tokens=tokens[session])
            for session, count in counts.items()
        }
        numbered: list[Record] = []
        for record in records:
            if isinstance(record, Message) and not record.number:
                numbered.append(replace(record, number=next_numbers[record.session or ""]))
                next_numbers[record.session or ""] += 1
            else:
                numbered.append(record)
        return numbered

    @property
    def _is_shared(self) -> bool:
        """True if other scopes may have copies of its observations.

        That is the scope of a project or of an agent.
        """
        return self.tx.scope.project is not None and self.tx.scope.user is None

    def _note_shared(self, *records: Record) -> None:
        if self._is_shared:
            self._state.shared_before += [one for one in records if isinstance(one, Observation)]

    def _audit(self, action: str, kind: str, record: str | None, count: int = 1) -> None:
        self._state.entries.append(AuditEntry(action=action, kind=kind, record=record, count=count, at=self.now))


def _of_same_kind(record: R, stored: Record) -> R:
    """Return the stored state of a record.

    Raises:
        Conflict: it is of another kind.
    """
    if not isinstance(stored, type(record)):
        raise Conflict(f"memory {record.id!r} is of another kind now; read it again")
    return stored


def _changes_following_vectors(record: Record, change: Change) -> bool:
    """Return True if a change concerns what the next message is embedded with."""
    return (
        change.text is not None
        or (change.status is not None and change.status is not record.status)
        or change.echo is not None
        or change.trust is not None
        or change.classification is not None
        or change.session is not None
    )


def _first_ids(one: AuditEntry, other: AuditEntry) -> tuple[str, ...]:
    """Return the first distinct ids that two entries name."""
    ids = [id for entry in (one, other) for id in (*entry.records, *filter(None, [entry.record]))]
    return tuple(dict.fromkeys(ids))[:_MAX_IDS]


def _as_changed(record: Record, change: Change) -> Record:
    """Return the record as it will be indexed after a change."""
    changed = replace(
        record,
        text=record.text if change.text is None else change.text,
        status=change.status or record.status,
        echo=record.echo if change.echo is None else change.echo,
        occurred_at=change.occurred_at or record.occurred_at,
        tags=record.tags if change.tags is None else change.tags,
        metadata=record.metadata if change.metadata is None else change.metadata,
        source=change.source or record.source,
        trust=change.trust or record.trust,
    )
    if isinstance(changed, Observation):
        return replace(
            changed, title=changed.title if change.title is None else change.title, type=change.type or changed.type
        )
    if isinstance(changed, Fact) and isinstance(change.details, FactDetails):
        return replace(changed, details=change.details)
    if isinstance(changed, Episode) and isinstance(change.details, EpisodeDetails):
        return replace(changed, details=change.details)
    return changed
