"""The import of an archive: new memories are added, and of those that exist the later version wins; no version is lost.

Memories that were erased or rejected in this store are not imported again.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from anyio.to_thread import run_sync

from remembrancer.errors import InvalidInput, quoted
from remembrancer.guard.personal.find import find_personal
from remembrancer.guard.personal.texts import texts_in
from remembrancer.privacy.archive.lines import ArchiveItem
from remembrancer.transactions.legal_holds import is_on_hold
from remembrancer.transactions.redaction import effective_redactions, excluded_data
from remembrancer.transactions.rejections import REJECTED_STATUSES, find_rejected_claims, rejections_of
from remembrancer.transactions.tombstones import tombstone_of_id, tombstone_of_scope
from remembrancer.transactions.write_transaction import WriteTransaction
from remembrancer.types.archive import (
    ArchivedLog,
    ArchiveRow,
    ConflictReason,
    ExistingRecord,
    ImportConflict,
    RecordBundle,
    SessionBundle,
    SideRows,
)
from remembrancer.types.lifecycle import Status
from remembrancer.types.policy import LegalHold, PersonalDataType
from remembrancer.types.record import Fact, Message, Observation, Record, kind_of
from remembrancer.types.scope import Classification, Scope, most_restrictive

BATCH: Final = 100
_MAX_CLASHES: Final = 1_000
_IMPORTED: Final = "imported"
_REPLACED: Final = "replaced"
_TASK_COLUMNS: Final = ("task", "suggestion")
# The columns of a memory with free text.
_TEXT_COLUMNS: Final = frozenset(
    {"text", "title", "author", "speaker", "tags", "metadata", "details", "contact", "session", "topic_key"}
)


class ImportTally:
    """The results of an import so far.

    Attributes:
        refused: ids of memories that must not be imported, and of those derived from them.
        redacted: those of them that contain data that their scope does not store, or are derived from one.
        pending: imported memories by the id of evidence that has not been imported yet.
        incomplete: memories, by scope, that existed before and have missing evidence now.
    """

    def __init__(self) -> None:
        self.created = self.updated = self.same = self.older = self.sessions = 0
        self.conflicts: list[ImportConflict] = []
        self.conflict_counts: dict[str, int] = {}
        self.refused: set[str] = set()
        self.redacted: set[str] = set()
        self.pending: dict[str, list[tuple[str, Scope]]] = {}
        self.incomplete: dict[Scope, set[str]] = {}

    def clash(self, record: Record, reason: ConflictReason) -> None:
        """Record that a memory was not imported as it is in the archive."""
        self.conflict_counts[reason.value] = self.conflict_counts.get(reason.value, 0) + 1
        if len(self.conflicts) < _MAX_CLASHES:
            self.conflicts.append(
                ImportConflict(id=record.id, scope=record.scope, kind=kind_of(record).value, reason=reason)
            )

    def refuse(self, record: Record, reason: ConflictReason) -> None:
        """Record that a memory must not be imported."""
        self.refused.add(record.id)
        if reason is ConflictReason.REDACTED:
            self.redacted.add(record.id)
        self.clash(record, reason)


class ScopeImporter:
    """The import of the memories of one scope.

    Args:
        writer: the engine's, to which every classification is visible.
    """

    def __init__(self, writer: WriteTransaction, tally: ImportTally) -> None:
        self._writer = writer
        self._tx = writer.tx
        self._tally = tally
        self._batch: list[RecordBundle] = []
        self._extended: list[RecordBundle] = []
        self._logs: dict[str, ArchiveRow] = {}
        self._own_logs: dict[str, ArchiveRow] = {}
        self._log_growth: dict[str, tuple[int, int]] = {}
        self._renumbered: set[str] = set()
        self._sessions_with_news: set[str] = set()
        self._holds: Sequence[LegalHold] = ()
        self._forbidden: tuple[PersonalDataType, ...] = ()
        self._was_erased = False

    async def begin(self) -> None:
        """Read the state of the scope in this store."""
        self._own_logs = {str(log["session"]): log for log in await self._tx.archives.logs()}
        self._holds = await self._tx.policies.visible(LegalHold)
        self._forbidden = excluded_data(await effective_redactions(self._tx))
        mark = tombstone_of_scope(self._tx.scope, sign=self._writer.rules.sign)
        self._was_erased = bool(await self._tx.archives.tombstones([mark]))

    async def add(self, item: ArchiveItem) -> None:
        """Import an item."""
        if isinstance(item, RecordBundle):
            self._batch.append(item)
            if len(self._batch) >= BATCH:
                await self.flush()
            return
        await self.flush()
        match item:
            case SessionBundle():
                if not await self._has_forbidden(item.session):
                    await self._import_session(item)
            case ArchivedLog():
                self._logs[str(item.log["session"])] = item.log
            case SideRows():
                rows = [
                    await self._without_forbidden(row)
                    for row in item.rows
                    if self._may_import(str(row.get("session", "")))
                ]
                await self._writer.put(*([replace(item, rows=rows)] if rows else []))

    async def end(self) -> None:
        """Finish the import of the scope."""
        await self.flush()
        for session, log in self._logs.items():
            if session not in self._own_logs and self._may_import(session):
                await self._writer.put(ArchivedLog(log=log))
        for session, (tokens, places) in self._log_growth.items():
            own = self._own_logs[session]
            changed = {"tokens": int(own["tokens"]) + tokens, "fresh": int(own["fresh"]) + tokens, "places": places}
            await self._writer.put(ArchivedLog(log={**own, **changed}))

    def _may_import(self, session: str) -> bool:
        """Return True if a session is imported: in an erased scope, only one with new messages."""
        return not self._was_erased or session in self._sessions_with_news

    async def flush(self) -> None:
        """Import the memories of the batch."""
        batch, self._batch = self._batch, []
        if not batch:
            return
        archiving, sign = self._tx.archives, self._writer.rules.sign
        records = {bundle.id: archiving.record(bundle) for bundle in batch}
        existing = await archiving.existing(list(records))
        buried = await archiving.tombstones(
            [tombstone_of_id(id, sign=sign) for one in batch for id in (one.id, *one.evidence)]
        )
        claims = [record for record in records.values() if record.status not in REJECTED_STATUSES]
        rejected = await find_rejected_claims(self._tx, claims, sign=sign)
        redacted = await run_sync(self._redacted, batch) if self._forbidden else set[str]()
        fresh: list[RecordBundle] = []
        newer: list[RecordBundle] = []
        for bundle in batch:
            record, stored = records[bundle.id], existing.get(bundle.id)
            erased = {id for id in (bundle.id, *bundle.evidence) if tombstone_of_id(id, sign=sign) in buried}
            erased |= self._tally.refused.intersection(bundle.evidence)
            if stored is None and bundle.id in redacted:
                self._tally.refuse(record, ConflictReason.REDACTED)
            elif stored is None and erased:
                is_redacted = erased <= self._tally.redacted
                self._tally.refuse(record, ConflictReason.REDACTED if is_redacted else ConflictReason.ERASED)
            elif stored is not None:
                bundle = replace(bundle, evidence=[id for id in bundle.evidence if id not in erased])
                refused = (
                    ConflictReason.REJECTED
                    if bundle.id in rejected
                    else ConflictReason.REDACTED
                    if bundle.id in redacted
                    else None
                )
                newer += self._update(record, bundle, stored, refused=refused)
            elif bundle.id in rejected:
                self._tally.refuse(record, ConflictReason.REJECTED)
            else:
                fresh.append(bundle)
        if self._extended:
            # Before keys are resolved, which changes the status of stored memories.
            await self._writer.import_bundles(self._extended, action=_REPLACED)
            self._extended = []
        fresh = await self._with_numbers(self._with_places(fresh, records), records)
        await self._resolve_keys(fresh, records)
        self._tally.created += len(fresh)
        self._tally.updated += len(newer)
        if fresh:
            await self._writer.import_bundles(fresh, action=_IMPORTED)
        if newer:
            await self._writer.import_bundles(newer, action=_REPLACED)
        await self._check_evidence(fresh, newer, records)

    async def _has_forbidden(self, row: ArchiveRow, names: Collection[str] = ("id", "session")) -> bool:
        """Return True if some columns contain personal data that the scope does not store."""
        if not self._forbidden:
            return False
        texts = [text for name in names for text in texts_in(row.get(name))]
        return await run_sync(lambda: any(find_personal(text, self._forbidden) for text in texts))

    async def _without_forbidden(self, row: ArchiveRow) -> ArchiveRow:
        """Return a row without task and suggestion if they contain data that the scope does not store."""
        blank = {name: "" for name in _TASK_COLUMNS if row.get(name) and await self._has_forbidden(row, (name,))}
        return {**row, **blank} if blank else row

    def _redacted(self, batch: Sequence[RecordBundle]) -> set[str]:
        """Return the ids of memories with a version that contains data that the scope does not store. Slow."""
        return {
            bundle.id
            for bundle in batch
            if any(
                find_personal(text, self._forbidden)
                for row in (bundle.record, *bundle.versions)
                for name, value in row.items()
                if name in _TEXT_COLUMNS
                for text in texts_in(value)
            )
        }

    def _update(
        self, record: Record, bundle: RecordBundle, stored: ExistingRecord, *, refused: ConflictReason | None
    ) -> list[RecordBundle]:
        """Return the memory to write in place of the stored one, empty if that one stays."""
        own = stored.bundle
        if own is None:
            self._tally.clash(record, ConflictReason.ELSEWHERE)
            return []
        mine, theirs = own.record, bundle.record
        lost = self._lost(own, bundle) if refused is None else []
        if _content(mine) == _content(theirs) and set(bundle.evidence) <= set(own.evidence):
            self._tally.same += 1
            self._add_versions(own, lost)
            return []
        hashes = {str(row.get("hash")) for row in (theirs, *bundle.versions)}
        forked = mine["hash"] not in hashes and theirs.get("hash") not in stored.hashes
        if forked:
            self._tally.clash(record, ConflictReason.DIFFERS)
        if _age(theirs) <= _age(mine):
            self._tally.older += 0 if forked else 1
            # The change there is kept as a version here.
            self._add_versions(own, lost)
            return []
        if refused is not None:
            self._tally.clash(record, refused)
            return []
        if record.status is Status.DELETED and self._is_on_hold(record, own):
            self._tally.clash(record, ConflictReason.LEGAL_HOLD)
            return []
        return [_merge(stored, own, bundle)]

    def _add_versions(self, own: RecordBundle, rows: Sequence[ArchiveRow]) -> None:
        """Add versions to a stored memory, whose current state stays."""
        if rows:
            versions = sorted([*own.versions, *rows], key=_since)
            numbered = [{**row, "version": place} for place, row in enumerate(versions, 1)]
            record = {**own.record, "version": len(numbered) + 1}
            self._extended.append(replace(own, record=record, versions=numbered))

    def _lost(self, own: RecordBundle, theirs: RecordBundle) -> list[ArchiveRow]:
        """Return the states of a memory in the archive that this store does not have, as rows of versions."""
        current = self._tx.archives.as_version(theirs.record)
        states = {_state(row) for row in own.versions} | {_state(self._tx.archives.as_version(own.record))}
        rows = [*theirs.versions, {**current, "until": own.record["updated_at"]}]
        return [row for row in rows if _state(row) not in states]

    def _is_on_hold(self, record: Record, stored: RecordBundle) -> bool:
        """Return True if a legal hold applies to a memory in the archive, in this store, or an earlier version."""
        own = self._tx.archives.record(stored)
        return any(is_on_hold(hold, record) or is_on_hold(hold, own, stored) for hold in self._holds)

    def _with_places(self, fresh: Sequence[RecordBundle], records: dict[str, Record]) -> list[RecordBundle]:
        """Return new memories with their places in the logs of this store."""
        bundles: list[RecordBundle] = []
        for bundle in fresh:
            record = records[bundle.id]
            log = self._log_of(record)
            if isinstance(record, Observation) and record.place is not None and log in self._own_logs:
                tokens, places = self._log_growth.get(log, (0, int(self._own_logs[log]["places"])))
                place = max(record.place, places + 1)
                self._log_growth[log] = (tokens + record.tokens, place)
                bundle = _with(bundle, place=place)
            bundles.append(bundle)
        return bundles

    def _log_of(self, record: Record) -> str:
        session = record.session or ""
        return session if session in self._logs else ""

    async def _with_numbers(self, fresh: Sequence[RecordBundle], records: dict[str, Record]) -> list[RecordBundle]:
        """Return new memories with free numbers for their messages."""
        numbers: dict[str, list[int]] = {}
        for bundle in fresh:
            if isinstance(message := records[bundle.id], Message):
                numbers.setdefault(message.session or "", []).append(message.number)
        used = {session: await self._tx.archives.used_numbers(session, some) for session, some in numbers.items()}
        bundles: list[RecordBundle] = []
        for bundle in fresh:
            record = records[bundle.id]
            session = record.session or ""
            if isinstance(record, Message) and record.number in used[session]:
                number = await self._free_number(session, used=used[session])
                used[session].add(number)
                self._renumbered.add(session)
                self._sessions_with_news.add(session)
                self._tally.clash(record, ConflictReason.RENUMBERED)
                bundle = _with(bundle, number=number)
            elif isinstance(record, Message):
                used[session].add(record.number)
                self._sessions_with_news.add(session)
            elif isinstance(record, Observation) and session in self._renumbered:
                # The numbers of its messages differ in this store; its evidence still has their ids.
                bundle = _with(bundle, first_message=None, last_message=None)
            bundles.append(bundle)
        return bundles

    async def _free_number(self, session: str, *, used: set[int]) -> int:
        if await self._tx.sessions.find(session) is None:
            raise InvalidInput(f"two messages of session {quoted(session)} in the archive have the same number")
        while True:
            number = await self._writer.next_number(session)
            if number not in used | await self._tx.archives.used_numbers(session, [number]):
                return number

    async def _resolve_keys(self, fresh: list[RecordBundle], records: dict[str, Record]) -> None:
        """Keep the later one active of two memories with one key; the other is replaced by it."""
        for place, bundle in enumerate(fresh):
            record = records[bundle.id]
            if record.status is not Status.ACTIVE:
                continue
            for other in await self._with_same_key(record):
                self._tally.clash(record, ConflictReason.DIFFERS)
                if record.updated_at > other.updated_at:
                    await self._writer.move(other, _REPLACED_STATUS[type(record)])
                else:
                    fresh[place] = _with(bundle, status=_REPLACED_STATUS[type(record)].value)

    async def _with_same_key(self, record: Record) -> list[Record]:
        """Return the active memories of this store with the key of an imported one."""
        others: list[Record] = []
        if type(record) is Observation and record.topic_key:
            others += filter(None, [await self._tx.observations.by_topic(record.topic_key)])
        elif isinstance(record, Fact):
            others += await self._tx.facts.by_key(record.details.key)
        return [one for one in others if one.id != record.id and one.status is Status.ACTIVE]

    async def _check_evidence(
        self, fresh: Sequence[RecordBundle], newer: Sequence[RecordBundle], records: dict[str, Record]
    ) -> None:
        """Store the rejections that were imported, and note the memories with missing evidence."""
        sign, imported = self._writer.rules.sign, [*fresh, *newer]
        for bundle in imported:
            record = records[bundle.id]
            if isinstance(record, Observation) and record.status in REJECTED_STATUSES:
                await self._writer.put(*rejections_of(record, sign=sign))
        evidence = sorted({id for bundle in imported for id in bundle.evidence})
        existing = await self._tx.archives.existing(evidence) if evidence else {}
        for bundle in fresh:
            for id in bundle.evidence:
                if id not in existing:
                    self._tally.pending.setdefault(id, []).append((bundle.id, self._tx.scope))
        if incomplete := {bundle.id for bundle in newer if not existing.keys() >= set(bundle.evidence)}:
            self._tally.incomplete.setdefault(self._tx.scope, set()).update(incomplete)

    async def _import_session(self, imported: SessionBundle) -> None:
        """Import a session, merged with the stored one if there is one."""
        session = imported.session
        stored = await self._tx.archives.session_bundle(str(session["id"]))
        if stored is not None:
            await self._writer.put(self._merge_sessions(stored, imported))
            return
        if not self._may_import(str(session["id"])):
            return
        self._tally.sessions += 1
        is_open_and_unnamed = session.get("status") == "active" and not session.get("named")
        if is_open_and_unnamed and (await self._tx.sessions.unnamed()) is not None:
            closed = {**session, "status": "completed", "ended_at": session.get("last_activity_at")}
            imported = replace(imported, session=closed)
        await self._writer.put(imported)

    def _merge_sessions(self, stored: SessionBundle, imported: SessionBundle) -> SessionBundle:
        mine, theirs = stored.session, imported.session
        later, _ = sorted((mine, theirs), key=lambda row: str(row["last_activity_at"]), reverse=True)
        runs = [(chunk["first"], chunk["last"]) for chunk in stored.chunks]
        has_same_start = [(chunk.get("first"), chunk.get("last")) for chunk in imported.chunks][: len(runs)] == runs
        is_renumbered = mine["id"] in self._renumbered
        continues = has_same_start and not is_renumbered and len(imported.chunks) >= len(runs)
        session: dict[str, Any] = {
            **mine,
            "status": later["status"],
            "ended_at": later.get("ended_at"),
            "named": mine["named"] or theirs["named"],
            "started_at": min(str(mine["started_at"]), str(theirs["started_at"])),
            "last_activity_at": later["last_activity_at"],
            "messages": mine["messages"] if is_renumbered else max(mine["messages"], theirs["messages"]),
            "observed": theirs["observed"] if continues else mine["observed"],
        }
        chunks = imported.chunks if continues else stored.chunks
        return SessionBundle(session=session, chunks=chunks, recount=mine["id"] in self._sessions_with_news)


_REPLACED_STATUS: Mapping[type[Record], Status] = {Observation: Status.MERGED, Fact: Status.RETIRED}
# Columns that reading changes, or that are derived.
_VOLATILE = frozenset(
    {"usage_count", "last_accessed_at", "relevance", "standing", "decayed_on", "weight", "place", "number", "version"}
)


def _content(row: ArchiveRow) -> ArchiveRow:
    """Return the columns of a memory that reading does not change."""
    return {name: value for name, value in row.items() if name not in _VOLATILE}


def _age(row: ArchiveRow) -> tuple[int, str, bool, str]:
    """Return the sort key of two states of a memory; two stores order them alike, also at one time.

    The resolution of a key changes the status, and not the time.
    """
    is_closed = row["status"] != Status.ACTIVE.value
    return (int(row["revision"]), str(row["updated_at"]), is_closed, str(row.get("hash")))


def _with(bundle: RecordBundle, **changed: object) -> RecordBundle:
    record = {name: value for name, value in {**bundle.record, **changed}.items() if value is not None}
    return replace(bundle, record=record)


def _merge(stored: ExistingRecord, mine: RecordBundle, theirs: RecordBundle) -> RecordBundle:
    """Return a memory of an archive with the versions, evidence and verdicts of both sides."""
    current = {**stored.now, "until": theirs.record["updated_at"]}
    states = {_state(row) for row in theirs.versions}
    both = [*theirs.versions, *(row for row in (*mine.versions, current) if _state(row) not in states)]
    versions = [{**row, "version": place} for place, row in enumerate(sorted(both, key=_since), 1)]
    classes = [Classification(one.record["classification"]) for one in (mine, theirs)]
    record = {
        **theirs.record,
        "classification": most_restrictive(classes).value,
        "usage_count": max(int(mine.record["usage_count"]), int(theirs.record["usage_count"])),
        "version": len(versions) + 1,
    }
    by_person = {str(row["person"]): row for row in mine.verdicts}
    for row in theirs.verdicts:
        own = by_person.get(str(row["person"]))
        by_person[str(row["person"])] = row if own is None or str(row["at"]) > str(own["at"]) else own
    return RecordBundle(
        record=record,
        evidence=sorted({*mine.evidence, *theirs.evidence}),
        versions=versions,
        verdicts=[by_person[name] for name in sorted(by_person)],
    )


def _state(row: ArchiveRow) -> tuple[object, ...]:
    return (row["hash"], row["status"], row["since"])


def _since(row: ArchiveRow) -> str:
    return str(row["since"])
