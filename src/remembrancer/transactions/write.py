"""The one road for writes: nothing else in the product names a write of the store.

What comes in through a door, what an engine concludes and what follows from either is written here, so that transitions
are checked, the text index is told, and the audit log says what was done, whoever did it.
"""

from collections import Counter
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import TypeAlias, TypeVar, assert_never

import numpy as np
from numpy.typing import NDArray

from remembrancer.errors import Conflict, NotAllowed
from remembrancer.guard.personal.find import ready
from remembrancer.storage.tx import Tx
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.transactions.documents import runs_of, terms_in_index
from remembrancer.transactions.echo import Sign
from remembrancer.transactions.holds import held_by, refuse_held
from remembrancer.transactions.read_redaction import veiled_record
from remembrancer.transactions.rejections import name_of_erased, words_of
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
from remembrancer.types.index import Terms
from remembrancer.types.jobs import Finding, IdempotentRequest, MaintenanceRun
from remembrancer.types.lifecycle import Status, check_transition
from remembrancer.types.notes import Chunk, Log
from remembrancer.types.policy import (
    ErasedRuns,
    Erasure,
    LegalHold,
    Policy,
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
# Ids of an entry that tells of many; how many it were stands beside.
_IDS_NAMED = 50

# In which a claim is neither read nor waits to be: it may come back only with words that nobody has rejected.
_UNREAD = frozenset(set(Status) - {Status.ACTIVE, Status.RAW, Status.BUFFERED})

R = TypeVar("R", bound=Record)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewChunk:
    """A run that follows the last one of its session; a `Chunk` is one that is there, as it is to read."""

    chunk: Chunk


@dataclass(frozen=True, slots=True, kw_only=True)
class Uses:
    """How often memories were read, by id, the last time at some time."""

    of: Mapping[str, int]
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Pieces:
    """The vectors of wordings of the exact scope: of each `(pieces, dimension)` float32."""

    generation: int
    of: Mapping[int, NDArray[np.float32]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reindexed:
    """A record's wording as the text index is to have it; `None` for one that is not to be found.

    Args:
        fresh: under a new number, so that its vectors are dropped and made anew.
    """

    id: str
    terms: Terms | None
    fresh: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Buried:
    """What stands for records that are erased, by `mark_of`: no import brings them back."""

    marks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unindexed:
    """The text index of the exact scope is to be empty."""


Noted: TypeAlias = (
    Session | NewChunk | Chunk | Log | Injection | MaintenanceRun | PersonVerdict | WithdrawnVerdicts | WeightChange
    | ScoreParts | IdempotentWrite | Call | CallResult | ServedBlock | Rejection | RevokedRejections
    | UnlinkedRejections | ImportState | Tombstone | Uses | Pieces | Reindexed | Unindexed | Finding
    | IdempotentRequest | Policy | RemovedPolicy | Buried | SessionBundle | SideRows | ArchivedLog | FeedbackWeight
)  # fmt: skip
"""What is kept beside memories, each as it is to stand from now on."""

# Of which nothing that is read of memory tells; and of uses, which move a ranking by a hair, none waits.
_UNTOLD = (
    Injection, ServedBlock, Call, CallResult, IdempotentWrite, IdempotentRequest, ImportState, Tombstone, Uses, Buried,
    Erasure, ErasedRuns,
)  # fmt: skip


@asynccontextmanager
async def writing(tx: Tx, rules: Dependencies) -> AsyncGenerator["Writing", None]:
    """A block that writes in a transaction; at its end the audit log gets what was done in it."""
    made = Writing(tx, rules)
    yield made
    await made.renew_following()
    if made.retold:
        await tx.changes.add(at=made.now)
    if entries := made.entries():
        await tx.audit.add(entries)


@dataclass(slots=True)
class _State:
    """What was done so far."""

    deeds: list[AuditEntry] = field(default_factory=list[AuditEntry])
    changed: bool = False
    imported: bool = False
    retold: bool = False
    erased: bool = False
    reason: str = ""
    holds: Sequence[LegalHold] | None = None
    heard: list[AuditEntry] = field(default_factory=list[AuditEntry])
    made: list[Record] = field(default_factory=list[Record])
    raised: list[Record] = field(default_factory=list[Record])
    buried: list[str] = field(default_factory=list[str])
    left: list[Record] = field(default_factory=list[Record])
    outdated: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])


class Writing:
    """The writes of one transaction of one caller.

    Attributes:
        tx: what the caller may see; it is read directly, and written by the methods here alone.
        front: the same, also where `tx` is the engine's.
        now: one moment for all that is written.
    """

    def __init__(self, tx: Tx, rules: Dependencies) -> None:
        self.tx = tx
        self.rules = rules
        self.now = rules.clock.now()
        self._state = _State()
        # What whoever writes may see, and be told of.
        self.front = tx
        self.others = list[Writing]()

    def as_engine(self) -> "Writing":
        """The same, to which no classification is closed: for what follows from a write, of which nobody is told."""
        if self.tx.caller.sees_as_engine:
            return self
        behind = Writing(self.tx.engine(), self.rules)
        behind.now, behind._state, behind.front, behind.others = self.now, self._state, self.front, self.others
        return behind

    @asynccontextmanager
    async def at(self, scope: Scope) -> AsyncGenerator["Writing", None]:
        """A block that writes in the same transaction to another scope of the tenant; see `Tx.at`."""
        async with writing(await self.tx.at(replace(self.tx.caller, scope=scope)), self.rules) as other:
            other.now = self.now
            self.others.append(other)
            yield other

    async def as_seen(self, record: R) -> R:
        """A record as the caller sees it, who may have closed it to itself; what it rests on may be closed, too."""
        caller = self.tx.caller
        seen = record if caller.sees_all else await self.tx.records.find(record.id) or replace(record, evidence=())
        if caller.sees_personal_data:
            return _of_kind(record, seen)
        await ready(seen)
        return _of_kind(record, veiled_record(seen))

    async def add(self, records: Sequence[Record]) -> list[Record]:
        """Store new records of the exact scope; messages without a number get the next one of their session.

        Raises:
            NotAllowed: one of them says what a person has rejected.
        """
        await self._check_unrejected([word for record in records for word in words_of(record, sign=self.rules.sign)])
        made = await self._numbered(records)
        self._state.changed |= bool(made)
        self._state.retold |= bool(made)
        self._state.made += made
        await self.tx.records.add(made, [terms_in_index(record, sign=self.rules.sign) for record in made])
        for record in made:
            self._did(CREATED, kind_of(record).value, record.id)
        return made

    async def take(self, bundles: Sequence[RecordBundle], *, action: str) -> None:
        """Store memories of an archive as they are, in place of what the exact scope has under their ids.

        Raises:
            InvalidInput: one of them cannot be read.
        """
        told = [self.tx.archiving.record(bundle) for bundle in bundles]
        self._outdate_following(told)
        if self._is_shared:
            self._leave(*await self.tx.records.find_all([one.id for one in told]))
        self._state.imported |= bool(told)
        self._state.retold |= bool(told)
        await self.tx.archiving.put(bundles, [terms_in_index(one, sign=self.rules.sign) for one in told])
        kinds: dict[str, list[str]] = {}
        for one in told:
            kinds.setdefault(kind_of(one).value, []).append(one.id)
        for kind, ids in kinds.items():
            await self.did_to(action, kind, ids)

    async def next_number(self, session: str) -> int:
        """A fresh number for a message of an archive, in a session that is here."""
        return await self.tx.sessions.take_numbers(session, 1, tokens=0)

    async def let_go(self, ids: Sequence[str]) -> Mapping[str, int]:
        """Let memories of an archive rest on nothing that is not here; how many sources each has left."""
        return await self.tx.archiving.prune(ids)

    def _gather(self, entry: AuditEntry) -> None:
        """Say in the audit log what was done to many; one entry for all of a kind, however many calls that took."""
        deeds = self._state.deeds
        for place, deed in enumerate(deeds):
            if (deed.action, deed.kind, deed.record) == (entry.action, entry.kind, None):
                deeds[place] = replace(deed, count=deed.count + entry.count, records=_named(deed, entry))
                return
        deeds.append(replace(entry, records=entry.records[:_IDS_NAMED]))

    async def change(self, record: R, change: Change, *, action: str = UPDATED) -> R:
        """A record of the exact scope after a change; the former state is kept as a version.

        Raises:
            Conflict: it may not go from its status to that of the change, or it is of another kind by now.
            NotAllowed: it would say what a person has rejected.
        """
        if change.status is not None and change.status is not record.status:
            check_transition(record.status, change.status)
        if change.status is Status.DELETED:
            await self._check_unheld(record)
        reads = _as_changed(record, change)
        before = words_of(record, sign=self.rules.sign) if record.status not in _UNREAD else ()
        if reads.status not in _UNREAD:
            fresh = [word for word in words_of(reads, sign=self.rules.sign) if word not in before]
            await self._check_unrejected(fresh)
        terms = terms_in_index(reads, sign=self.rules.sign)
        self._state.changed = self._state.retold = True
        self._leave(record)
        if _reads_otherwise(record, change):
            self._outdate_following([record])
        changed = _of_kind(record, await self.tx.records.change(record.id, change, at=self.now, terms=terms))
        self._did(action, kind_of(record).value, record.id)
        if most_restrictive([record.classification, changed.classification]) is not record.classification:
            await self._raise_all_drawn(changed)
        if isinstance(changed, Message) and changed.session is not None:
            await self._retell_run(changed, same=(changed.status, changed.text) == (record.status, record.text))
        return await self.as_seen(changed)

    async def _raise_all_drawn(self, source: Record) -> None:
        """Close what rests on a memory, and what rests on that: one after the other, however long the chain."""
        self._state.raised.append(source)
        if len(self._state.raised) > 1:
            # Whoever began sees to it.
            return
        while self._state.raised:
            await self._raise_drawn(self._state.raised[0])
            self._state.raised.pop(0)

    async def _raise_drawn(self, source: Record) -> None:
        """Close what rests on a memory, in whatever scope, as far as that is closed now."""
        behind = self.as_engine()
        await behind._raise(await behind.tx.records.dependants(source.id), source)
        elsewhere = await behind.tx.records.dependants_elsewhere(source.id)
        for scope, found in groupby(elsewhere, itemgetter(0)):
            async with behind.at(scope) as other:
                other.because(self.reason)
                await other._raise([id for _, id in found], source)

    async def _retell_run(self, message: Message, *, same: bool) -> None:
        """Close what an observer said of the run that a message is in as far as that is; it goes with what was said."""
        behind = self.as_engine()
        run = await behind.tx.chunks.over(str(message.session), message.number)
        if run is None:
            return
        closed = replace(run, classification=most_restrictive([run.classification, message.classification]))
        told = closed if same else replace(closed, task="", suggestion="")
        if told != run:
            await behind.note(told)

    async def _raise(self, ids: Sequence[str], source: Record) -> None:
        """Close some of what rests on a memory, where it is of the exact scope."""
        for one in await self.tx.records.find_all(ids):
            highest = most_restrictive([one.classification, source.classification])
            if one.scope == self.tx.scope and highest is not one.classification:
                await self.change(one, Change(classification=highest), action=CLASSIFIED)

    async def move(self, record: R, status: Status, *, details: Details | None = None, action: str = "") -> R:
        """A record of the exact scope in another status: in the indexes where that is live, out of them where not.

        Args:
            details: what of it changes with that.
            action: what the audit log calls it; else the status says it.

        Raises:
            Conflict: it may not go there from where it stands.
        """
        # Also for the same status: to which nothing moves.
        check_transition(record.status, status)
        return await self.change(record, Change(status=status, details=details), action=action or status.value)

    async def set_aside(self, records: Sequence[Record], status: Status, *, at: datetime | None = None) -> None:
        """Many records of the exact scope in a status in which they are not found.

        Args:
            at: since when they are in it; now, if not given.

        Raises:
            Conflict: one of them may not go there from where it stands.
        """
        for record in records:
            check_transition(record.status, status)
        if records:
            self._state.retold = True
            self._leave(*records)
            self._outdate_following(records)
            await self.tx.records.set_aside([record.id for record in records], status, at=at or self.now)
        for record in records:
            self._did(status.value, kind_of(record).value, record.id)

    async def erase(self, record: Record) -> None:
        """Remove a record of the exact scope for good: versions, index rows, vectors and evidence with it.

        That a person has rejected it still stands, and no import brings back what one has brought.
        """
        await self._check_unheld(record)
        if isinstance(record, Observation):
            await self.note(UnlinkedRejections(record=record.id, name=name_of_erased(record.id, sign=self.rules.sign)))
        self._state.retold = self._state.erased = True
        self._leave(record)
        self._outdate_following([record])
        marks = await marks_of(self.tx, [record.id], sign=self.rules.sign)
        await self.tx.records.erase(record.id)
        self._state.buried += marks
        await self.note(*(Tombstone(mark=mark) for mark in marks))
        self._did(ERASED, kind_of(record).value, record.id)

    async def empty(self) -> Mapping[str, int]:
        """Remove all that is of the exact scope, and the scope with it; how many rows, by table.

        The scope's own log ends with it: that it was done is for another one's to say.
        """
        gone = await self.tx.erasing.all()
        self._state.erased = bool(gone)
        return gone

    def _outdate_following(self, records: Sequence[Record]) -> None:
        """Note that the message after each of these was embedded with what it no longer is."""
        self._state.outdated |= {
            (one.session, one.number + 1) for one in records if isinstance(one, Message) and one.session and one.number
        }

    async def renew_following(self) -> None:
        """Drop the vectors that rest on messages which this writing has changed; they are made anew later."""
        behind = self.as_engine()
        outdated = sorted(self._state.outdated)
        self._state.outdated.clear()
        for session, places in groupby(outdated, itemgetter(0)):
            for first, last in runs_of([number for _, number in places]):
                for message in await behind.tx.messages.by_number(session, first, last):
                    terms = terms_in_index(message, sign=self.rules.sign)
                    if terms is not None:
                        await behind.note(Reindexed(id=message.id, terms=terms, fresh=True))
                        self._state.changed = True

    async def forget_session(self, id: str) -> Mapping[str, int]:
        """Remove all that is kept of a session beside its memories, which are gone; how many rows, by table."""
        self._state.retold = self._state.erased = True
        return await self.tx.erasing.session(id)

    async def note(
        self, *noted: Noted, action: str = "", kind: str = "", id: str | None = None, count: int = 0
    ) -> None:
        """Store what is kept beside memories.

        Args:
            action: what the audit log calls it; without one, it says nothing of it.
            kind, id: of what it was done, for the audit log.
            count: how many that concerned; as many as were noted, if not given.

        Raises:
            Conflict: a new chunk does not follow the last one of its session.
        """
        self._state.retold |= any(not isinstance(one, _UNTOLD) for one in noted)
        for _, alike in groupby(noted, type):
            await self._note(list(alike))
        if action and (noted or count):
            self._did(action, kind, id, count or len(noted))

    async def did(self, action: str, kind: str, id: str) -> None:
        """Say in the audit log what was done to something that is no memory, and is kept elsewhere."""
        self._did(action, kind, id)

    async def did_to(self, action: str, kind: str, ids: Sequence[str]) -> None:
        """Say in the audit log what was done with memories that are as they were."""
        if ids:
            self._gather(
                AuditEntry(action=action, kind=kind, record=None, count=len(ids), records=tuple(ids), at=self.now)
            )

    def refused(self, kind: str, reasons: Mapping[str, int]) -> None:
        """Log in the audit log what was dropped of a model's answer, for each reason how much."""
        self._state.deeds += [
            AuditEntry(action="refused", kind=kind, record=None, count=count, at=self.now, reason=reason)
            for reason, count in reasons.items()
        ]

    def heard(self, entries: Sequence[AuditEntry]) -> None:
        """Say in the audit log who was told of what."""
        self._state.heard += entries

    def because(self, reason: str) -> None:
        """Say in the audit log why all of this is done."""
        self._state.reason = reason

    @property
    def reason(self) -> str:
        """Why all of this is done, for the audit log; `""` where nobody said."""
        return self._state.reason

    @property
    def buried(self) -> Sequence[str]:
        """What stands for each memory that was erased."""
        return self._state.buried

    @property
    def made(self) -> Sequence[Record]:
        """The records that came."""
        return self._state.made

    @property
    def left(self) -> Sequence[Record]:
        """The observations that users share, as they were before they were changed or erased."""
        return self._state.left

    @property
    def changed(self) -> bool:
        """Whether any record came or changed."""
        return self._state.changed

    @property
    def imported(self) -> bool:
        """Whether memories came in such numbers that their vectors may wait."""
        return self._state.imported

    @property
    def retold(self) -> bool:
        """Whether any memory or session reads differently since, for anybody."""
        return self._state.retold

    @property
    def erased(self) -> bool:
        """Whether any record is gone for good."""
        return self._state.erased

    @property
    def concerned(self) -> frozenset[str]:
        """The ids of the records to which anything was done."""
        return frozenset(deed.record for deed in self._state.deeds if deed.record)

    @property
    def retired(self) -> Sequence[int]:
        """The wordings that it took out of the indexes so far."""
        return self.tx.records.retired

    def entries(self) -> list[AuditEntry]:
        """What this writing did so far, for the audit log; one entry for many of a kind to which the same was done."""
        told: list[AuditEntry] = []
        for deed in self._state.deeds:
            last = told[-1] if told else None
            if last is not None and (last.action, last.kind, last.reason) == (deed.action, deed.kind, deed.reason):
                told[-1] = replace(last, record=None, count=last.count + deed.count, records=_named(last, deed))
            else:
                told.append(deed)
        told = [replace(one, reason=self._state.reason) for one in told] if self._state.reason else told
        return told + self._state.heard

    async def _note(self, alike: Sequence[Noted]) -> None:
        """Store what is all of one type; what comes in numbers at once."""
        tx = self.tx
        if standings := [one for one in alike if isinstance(one, ScoreParts)]:
            await tx.standings.put(standings)
        elif injections := [one for one in alike if isinstance(one, Injection)]:
            await tx.injections.add(injections)
        elif blocks := [one for one in alike if isinstance(one, ServedBlock)]:
            await tx.blocks.add(blocks)
        else:
            for one in alike:
                await self._note_one(one)

    async def _note_one(self, one: Noted) -> None:
        tx = self.tx
        match one:
            case ScoreParts() | Injection() | ServedBlock():
                await self._note([one])
            case Session():
                await tx.sessions.put(one)
            case NewChunk():
                await tx.chunks.add(one.chunk)
            case Chunk():
                await tx.chunks.put(one)
            case Log():
                await tx.logs.put(one)
            case MaintenanceRun():
                await tx.nights.put(one)
            case PersonVerdict():
                await tx.verdicts.put(one)
            case WithdrawnVerdicts():
                await tx.verdicts.withdraw(one.record, one.verdicts)
            case Rejection():
                await tx.rejections.add(one)
            case RevokedRejections():
                await tx.rejections.take_back(one)
            case UnlinkedRejections():
                await tx.rejections.disown(one)
            case WeightChange():
                await tx.weights.add(one)
            case IdempotentWrite():
                await tx.keys.add(one, at=self.now)
            case IdempotentRequest():
                await tx.requests.put(one)
            case ImportState():
                await tx.readings.put(one)
            case Tombstone():
                await tx.readings.bury(one)
            case Call():
                await tx.calls.add(one)
            case CallResult():
                await tx.calls.settle(one)
            case Uses():
                await tx.records.touch(one.of, at=one.at)
            case Pieces():
                await tx.vectors.add(one.of, generation=one.generation)
            case Reindexed():
                await tx.upkeep.index(one.id, one.terms, fresh=one.fresh)
            case Unindexed():
                await tx.upkeep.drop_index()
            case Finding():
                await tx.upkeep.mend(one)
            case FeedbackWeight():
                await tx.weights.start(one)
            case RedactionPolicy() | RetentionPolicy() | LegalHold() | Erasure() | ErasedRuns() | Transfer():
                await tx.policies.put(one)
            case SessionBundle():
                await tx.archiving.put_sitting(one)
            case SideRows():
                await tx.archiving.put_beside(one.table, one.rows)
            case ArchivedLog():
                await tx.archiving.put_log(one.log)
            case Buried():
                await tx.erasing.bury(one.marks)
            case RemovedPolicy():
                await tx.policies.drop(one)
            case _:
                assert_never(one)

    async def _check_unheld(self, record: Record) -> None:
        """Nothing, where no legal hold stands in the way of deleting a record.

        Raises:
            NotAllowed: one does.
        """
        if self._state.holds is None:
            self._state.holds = await self.tx.policies.seen(LegalHold)
        if self._state.holds:
            refuse_held(f"memory {record.id!r}", await held_by(self.as_engine().tx, record, self._state.holds))

    async def _check_unrejected(self, words: Sequence[str]) -> None:
        """Nothing, where no person has rejected what these words are the fingerprints of.

        Raises:
            NotAllowed: somebody has, in a scope that is seen from here; whoever asks, and whatever they may see.
        """
        for one in await self.tx.rejections.standing(words) if words else ():
            if await self.front.records.find(one.record) is None:
                raise NotAllowed("this was rejected here, by what is erased or closed to this caller; undo that first")
            raise NotAllowed(f"this says what memory {one.record!r} said, which was rejected; undo that first")

    async def _numbered(self, records: Sequence[Record]) -> list[Record]:
        """The records, each message with its number: they follow one another in their session."""
        waiting = [one for one in records if isinstance(one, Message) and not one.number]
        counts, tokens = Counter[str](), Counter[str]()
        for message in waiting:
            counts[message.session or ""] += 1
            tokens[message.session or ""] += message.tokens
        following = {
            session: await self.tx.sessions.take_numbers(session, count, tokens=tokens[session])
            for session, count in counts.items()
        }
        made: list[Record] = []
        for record in records:
            if isinstance(record, Message) and not record.number:
                made.append(replace(record, number=following[record.session or ""]))
                following[record.session or ""] += 1
            else:
                made.append(record)
        return made

    @property
    def _is_shared(self) -> bool:
        """Whether what is here may stand in other scopes, too: of all of a project, or of all users of its agent."""
        return self.tx.scope.project is not None and self.tx.scope.user is None

    def _leave(self, *records: Record) -> None:
        if self._is_shared:
            self._state.left += [one for one in records if isinstance(one, Observation)]

    def _did(self, action: str, kind: str, record: str | None, count: int = 1) -> None:
        self._state.deeds.append(AuditEntry(action=action, kind=kind, record=record, count=count, at=self.now))


def _of_kind(record: R, found: Record) -> R:
    """What a store has of a record now.

    Raises:
        Conflict: it is of another kind.
    """
    if not isinstance(found, type(record)):
        raise Conflict(f"memory {record.id!r} is of another kind now; read it again")
    return found


def _reads_otherwise(record: Record, change: Change) -> bool:
    """Return whether a change touches what the message after a message is embedded with."""
    return (
        change.text is not None
        or (change.status is not None and change.status is not record.status)
        or change.echo is not None
        or change.trust is not None
        or change.classification is not None
        or change.session is not None
    )


def _named(one: AuditEntry, other: AuditEntry) -> tuple[str, ...]:
    """The first of the ids that two entries name."""
    ids = [id for entry in (one, other) for id in (*entry.records, *filter(None, [entry.record]))]
    return tuple(dict.fromkeys(ids))[:_IDS_NAMED]


async def marks_of(tx: Tx, ids: Sequence[str] | None = None, *, sign: Sign) -> list[str]:
    """What stands for memories of the exact scope once they are erased: for their ids, and for all their words.

    Args:
        ids: of which; of all, where none are given.
    """
    named = [mark_of(id, sign=sign) for id in (await tx.erasing.kinds() if ids is None else ids)]
    said = await tx.erasing.said(ids)
    return named + [mark for hash, at in said if (mark := mark_of_words(tx.scope, hash, at, sign=sign))]


def mark_of(id: str, *, sign: Sign) -> str:
    """What stands for a memory once it is erased, and names it to nobody."""
    return sign(f"erased {id}")


def mark_of_words(scope: Scope, hash: str, at: datetime, *, sign: Sign) -> str:
    """What stands for what was said at some second, once that is erased: also under another id.

    Of a user it stands for every agent and project that user may be with; of what is no user's, for its scope alone.
    `""` for what has a day alone: others may have said the same on it.
    """
    if not int(at.timestamp()) % 86_400:
        return ""
    whose = f"user {scope.user!r}" if scope.user is not None else f"{scope.project!r} {scope.agent!r}"
    return mark_of(f"words of {whose} {hash} {int(at.timestamp())}", sign=sign)


def mark_of_scope(scope: Scope, *, sign: Sign) -> str:
    """What stands for a scope that was erased whole: what is left of it in an archive does not come by itself."""
    return mark_of(f"scope {scope.project!r} {scope.agent!r} {scope.user!r}", sign=sign)


def _as_changed(record: Record, change: Change) -> Record:
    """How a record will read, for its index row."""
    reads = replace(
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
    if isinstance(reads, Observation):
        return replace(
            reads, title=reads.title if change.title is None else change.title, type=change.type or reads.type
        )
    if isinstance(reads, Fact) and isinstance(change.details, FactDetails):
        return replace(reads, details=change.details)
    if isinstance(reads, Episode) and isinstance(change.details, EpisodeDetails):
        return replace(reads, details=change.details)
    return reads
