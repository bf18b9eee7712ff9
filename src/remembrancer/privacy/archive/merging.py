"""Taking an archive in: what is not here comes, of what is here the later wording stands, and neither loses anything.

What was erased here, or what people have said here is wrong, does not come back by it.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from anyio.to_thread import run_sync

from remembrancer.errors import InvalidInput, quoted
from remembrancer.guard.personal.find import find_personal
from remembrancer.guard.personal.values import texts_in
from remembrancer.privacy.archive.lines import Held
from remembrancer.transactions.holds import holds
from remembrancer.transactions.redactions import kept_out, redactions
from remembrancer.transactions.rejections import PUT_ASIDE, rejections, saying_rejected
from remembrancer.transactions.write import Writing, mark_of, mark_of_scope
from remembrancer.types.archive import Beside, Bundle, Clash, ClashReason, Noticed, Present, Row, Sitting
from remembrancer.types.classification import Classification, most_restrictive
from remembrancer.types.lifecycle import Status
from remembrancer.types.personal import Datum
from remembrancer.types.policy import LegalHold
from remembrancer.types.record import Fact, Message, Observation, Record, kind_of
from remembrancer.types.scope import Scope

BATCH: Final = 100
_MOST_CLASHES: Final = 1_000
_IMPORTED: Final = "imported"
_REPLACED: Final = "replaced"
_OF_TASKS: Final = ("task", "suggestion")
# The columns of a memory in which somebody says something.
_SAID: Final = frozenset(
    {"text", "title", "author", "speaker", "tags", "metadata", "details", "contact", "session", "topic_key"}
)


class Outcome:
    """What came of an archive so far.

    Attributes:
        refused: ids of what may not come back, and of what rests on it.
        redacted: those of them that hold what their scope does not store, or rest on it.
        waiting: what came and rests on a memory that was not there yet, by the id of that.
        loose: what was here before, and rests on such a memory now.
    """

    def __init__(self) -> None:
        self.created = self.updated = self.same = self.older = self.sessions = 0
        self.clashes: list[Clash] = []
        self.clashed: dict[str, int] = {}
        self.refused: set[str] = set()
        self.redacted: set[str] = set()
        self.waiting: dict[str, list[tuple[str, Scope]]] = {}
        self.loose: dict[Scope, set[str]] = {}

    def clash(self, record: Record, reason: ClashReason) -> None:
        """Say that a memory did not come as it stands in the archive."""
        self.clashed[reason.value] = self.clashed.get(reason.value, 0) + 1
        if len(self.clashes) < _MOST_CLASHES:
            self.clashes.append(Clash(id=record.id, scope=record.scope, kind=kind_of(record).value, reason=reason))


class Merging:
    """An archive's memories of one scope, as they are taken in.

    Args:
        writing: to which no classification is closed.
    """

    def __init__(self, writing: Writing, outcome: Outcome) -> None:
        self._writing = writing
        self._tx = writing.tx
        self._outcome = outcome
        self._batch: list[Bundle] = []
        self._logs: dict[str, Row] = {}
        self._here: dict[str, Row] = {}
        self._added: dict[str, tuple[int, int]] = {}
        self._renumbered: set[str] = set()
        self._said_in: set[str] = set()
        self._holds: Sequence[LegalHold] = ()
        self._unwanted: tuple[Datum, ...] = ()
        self._was_erased = False

    async def begin(self) -> None:
        """Look at what of the scope is here already."""
        self._here = {str(log["session"]): log for log in await self._tx.archives.logs()}
        self._holds = await self._tx.policies.visible(LegalHold)
        self._unwanted = kept_out(await redactions(self._tx))
        mark = mark_of_scope(self._tx.scope, sign=self._writing.rules.sign)
        self._was_erased = bool(await self._tx.archives.tombstones([mark]))

    async def add(self, held: Held) -> None:
        """Take in what one more line holds."""
        if isinstance(held, Bundle):
            self._batch.append(held)
            if len(self._batch) >= BATCH:
                await self.flush()
            return
        await self.flush()
        match held:
            case Sitting():
                if not await self._holds_unwanted(held.session):
                    await self._sit(held)
            case Noticed():
                self._logs[str(held.log["session"])] = held.log
            case Beside():
                rows = [await self._shown(row) for row in held.rows if self._may_come(str(row.get("session", "")))]
                await self._writing.note(*([replace(held, rows=rows)] if rows else []))

    async def end(self) -> None:
        """All of the scope has come."""
        await self.flush()
        for session, log in self._logs.items():
            if session not in self._here and self._may_come(session):
                await self._writing.note(Noticed(log=log))
        for session, (tokens, places) in self._added.items():
            here = self._here[session]
            changed = {"tokens": int(here["tokens"]) + tokens, "fresh": int(here["fresh"]) + tokens, "places": places}
            await self._writing.note(Noticed(log={**here, **changed}))

    def _may_come(self, session: str) -> bool:
        """Whether a session comes: of a scope that was erased, only one in which something was said that is new."""
        return not self._was_erased or session in self._said_in

    async def flush(self) -> None:
        """Take in the memories that wait."""
        batch, self._batch = self._batch, []
        if not batch:
            return
        archiving, sign = self._tx.archives, self._writing.rules.sign
        told = {bundle.id: archiving.record(bundle) for bundle in batch}
        present = await archiving.existing(list(told))
        buried = await archiving.tombstones([mark_of(id, sign=sign) for one in batch for id in (one.id, *one.evidence)])
        claims = [record for record in told.values() if record.status not in PUT_ASIDE]
        rejected = await saying_rejected(self._tx, claims, sign=sign)
        redacted = await run_sync(self._redacted, batch) if self._unwanted else set[str]()
        fresh: list[Bundle] = []
        newer: list[Bundle] = []
        for bundle in batch:
            record, here = told[bundle.id], present.get(bundle.id)
            gone = {id for id in (bundle.id, *bundle.evidence) if mark_of(id, sign=sign) in buried}
            gone |= self._outcome.refused.intersection(bundle.evidence)
            if here is None and bundle.id in redacted:
                self._refuse(record, ClashReason.REDACTED)
            elif here is None and gone:
                withheld = gone <= self._outcome.redacted
                self._refuse(record, ClashReason.REDACTED if withheld else ClashReason.ERASED)
            elif here is not None:
                left = [id for id in bundle.evidence if id not in gone]
                bundle = replace(bundle, evidence=left)
                refused = (
                    ClashReason.REJECTED
                    if bundle.id in rejected
                    else ClashReason.REDACTED
                    if bundle.id in redacted
                    else None
                )
                newer += self._later(record, bundle, here, refused=refused)
            elif bundle.id in rejected:
                self._refuse(record, ClashReason.REJECTED)
            else:
                fresh.append(bundle)
        fresh = await self._numbered(self._placed(fresh, told), told)
        await self._make_room(fresh, told)
        self._outcome.created += len(fresh)
        self._outcome.updated += len(newer)
        if fresh:
            await self._writing.take(fresh, action=_IMPORTED)
        if newer:
            await self._writing.take(newer, action=_REPLACED)
        await self._follow(fresh, newer, told)

    async def _holds_unwanted(self, row: Row, names: Collection[str] = ("id", "session")) -> bool:
        """Whether some of what a row says holds what the scope stores nowhere."""
        if not self._unwanted:
            return False
        texts = [text for name in names for text in texts_in(row.get(name))]
        return await run_sync(lambda: any(find_personal(text, self._unwanted) for text in texts))

    async def _shown(self, row: Row) -> Row:
        """A row beside memories without what an observer said of a task, where that holds what is stored nowhere."""
        blank = {name: "" for name in _OF_TASKS if row.get(name) and await self._holds_unwanted(row, (name,))}
        return {**row, **blank} if blank else row

    def _redacted(self, batch: Sequence[Bundle]) -> set[str]:
        """The ids of those that hold, or held before, what the scope stores nowhere. It may take long."""
        return {
            bundle.id
            for bundle in batch
            if any(
                find_personal(text, self._unwanted)
                for row in (bundle.record, *bundle.versions)
                for name, value in row.items()
                if name in _SAID
                for text in texts_in(value)
            )
        }

    def _refuse(self, record: Record, reason: ClashReason) -> None:
        self._outcome.refused.add(record.id)
        if reason is ClashReason.REDACTED:
            self._outcome.redacted.add(record.id)
        self._outcome.clash(record, reason)

    def _later(self, record: Record, bundle: Bundle, here: Present, *, refused: ClashReason | None) -> list[Bundle]:
        """The memory as it is to stand, where that is otherwise than here."""
        present = here.bundle
        if present is None:
            self._outcome.clash(record, ClashReason.ELSEWHERE)
            return []
        mine, theirs = present.record, bundle.record
        if _lasting(mine) == _lasting(theirs) and set(bundle.evidence) <= set(present.evidence):
            self._outcome.same += 1
            return []
        hashes = {str(row.get("hash")) for row in (theirs, *bundle.versions)}
        forked = mine["hash"] not in hashes and theirs.get("hash") not in here.hashes
        if forked:
            self._outcome.clash(record, ClashReason.DIFFERS)
        if _age(theirs) <= _age(mine):
            self._outcome.older += 0 if forked else 1
            return []
        if refused is not None:
            self._outcome.clash(record, refused)
            return []
        if record.status is Status.DELETED and self._is_held(record, present):
            self._outcome.clash(record, ClashReason.HELD)
            return []
        return [_joined(here, present, bundle)]

    def _is_held(self, record: Record, here: Bundle) -> bool:
        """Whether a legal hold is on a memory, by how it reads in the archive, here, or read before."""
        present = self._tx.archives.record(here)
        return any(holds(hold, record) or holds(hold, present, here) for hold in self._holds)

    def _placed(self, fresh: Sequence[Bundle], told: dict[str, Record]) -> list[Bundle]:
        """New memories, each with its place in the log that agents read."""
        found: list[Bundle] = []
        for bundle in fresh:
            record = told[bundle.id]
            log = self._log_of(record)
            if isinstance(record, Observation) and record.place is not None and log in self._here:
                tokens, places = self._added.get(log, (0, int(self._here[log]["places"])))
                place = max(record.place, places + 1)
                self._added[log] = (tokens + record.tokens, place)
                bundle = _with(bundle, place=place)
            found.append(bundle)
        return found

    def _log_of(self, record: Record) -> str:
        session = record.session or ""
        return session if session in self._logs else ""

    async def _numbered(self, fresh: Sequence[Bundle], told: dict[str, Record]) -> list[Bundle]:
        """New memories, each message with a number that no other has."""
        numbers: dict[str, list[int]] = {}
        for bundle in fresh:
            if isinstance(message := told[bundle.id], Message):
                numbers.setdefault(message.session or "", []).append(message.number)
        taken = {session: await self._tx.archives.used_numbers(session, those) for session, those in numbers.items()}
        found: list[Bundle] = []
        for bundle in fresh:
            record = told[bundle.id]
            session = record.session or ""
            if isinstance(record, Message) and record.number in taken[session]:
                number = await self._free_number(session, but=taken[session])
                taken[session].add(number)
                self._renumbered.add(session)
                self._said_in.add(session)
                self._outcome.clash(record, ClashReason.RENUMBERED)
                bundle = _with(bundle, number=number)
            elif isinstance(record, Message):
                taken[session].add(record.number)
                self._said_in.add(session)
            elif isinstance(record, Observation) and session in self._renumbered:
                # What it was drawn from has other numbers here; its evidence names it still.
                bundle = _with(bundle, first_message=None, last_message=None)
            found.append(bundle)
        return found

    async def _free_number(self, session: str, *, but: set[int]) -> int:
        if await self._tx.sessions.find(session) is None:
            raise InvalidInput(f"the archive has two messages of one number in session {quoted(session)}")
        while True:
            number = await self._writing.next_number(session)
            if number not in but | await self._tx.archives.used_numbers(session, [number]):
                return number

    async def _make_room(self, fresh: list[Bundle], told: dict[str, Record]) -> None:
        """Of two memories under one key let the later stand; the other one is covered by it."""
        for place, bundle in enumerate(fresh):
            record = told[bundle.id]
            if record.status is not Status.ACTIVE:
                continue
            for other in await self._under_key(record):
                self._outcome.clash(record, ClashReason.DIFFERS)
                if record.updated_at > other.updated_at:
                    await self._writing.move(other, _COVERED[type(record)])
                else:
                    fresh[place] = _with(bundle, status=_COVERED[type(record)].value)

    async def _under_key(self, record: Record) -> list[Record]:
        """What is here under the key of a memory that comes."""
        found: list[Record] = []
        if type(record) is Observation and record.topic_key:
            found += filter(None, [await self._tx.observations.by_topic(record.topic_key)])
        elif isinstance(record, Fact):
            found += await self._tx.facts.by_key(record.details.key)
        return [one for one in found if one.id != record.id and one.status is Status.ACTIVE]

    async def _follow(self, fresh: Sequence[Bundle], newer: Sequence[Bundle], told: dict[str, Record]) -> None:
        """What follows from what came: what people have rejected is not said again, and nothing rests on nothing."""
        sign, taken = self._writing.rules.sign, [*fresh, *newer]
        for bundle in taken:
            record = told[bundle.id]
            if isinstance(record, Observation) and record.status in PUT_ASIDE:
                await self._writing.note(*rejections(record, sign=sign))
        sources = sorted({source for bundle in taken for source in bundle.evidence})
        there = await self._tx.archives.existing(sources) if sources else {}
        for bundle in fresh:
            for source in bundle.evidence:
                if source not in there:
                    self._outcome.waiting.setdefault(source, []).append((bundle.id, self._tx.scope))
        if loose := {bundle.id for bundle in newer if not there.keys() >= set(bundle.evidence)}:
            self._outcome.loose.setdefault(self._tx.scope, set()).update(loose)

    async def _sit(self, sitting: Sitting) -> None:
        """A session; of one that is here already, what both sides know of it."""
        session = sitting.session
        mine = await self._tx.archives.session_bundle(str(session["id"]))
        if mine is not None:
            await self._writing.note(self._both(mine, sitting))
            return
        if not self._may_come(str(session["id"])):
            return
        self._outcome.sessions += 1
        is_open_and_unnamed = session.get("status") == "active" and not session.get("named")
        if is_open_and_unnamed and (await self._tx.sessions.unnamed()) is not None:
            closed = {**session, "status": "completed", "ended_at": session.get("last_activity_at")}
            sitting = replace(sitting, session=closed)
        await self._writing.note(sitting)

    def _both(self, mine: Sitting, theirs: Sitting) -> Sitting:
        one, other = mine.session, theirs.session
        later, _ = sorted((one, other), key=lambda row: str(row["last_activity_at"]), reverse=True)
        runs = [(chunk["first"], chunk["last"]) for chunk in mine.chunks]
        follows = [(chunk.get("first"), chunk.get("last")) for chunk in theirs.chunks][: len(runs)] == runs
        goes_on = follows and one["id"] not in self._renumbered and len(theirs.chunks) >= len(runs)
        told: dict[str, Any] = {
            **one,
            "status": later["status"],
            "ended_at": later.get("ended_at"),
            "named": one["named"] or other["named"],
            "started_at": min(str(one["started_at"]), str(other["started_at"])),
            "last_activity_at": later["last_activity_at"],
            "messages": one["messages"] if one["id"] in self._renumbered else max(one["messages"], other["messages"]),
            "observed": other["observed"] if goes_on else one["observed"],
        }
        return Sitting(
            session=told, chunks=theirs.chunks if goes_on else mine.chunks, recount=one["id"] in self._said_in
        )


_COVERED: Mapping[type[Record], Status] = {Observation: Status.MERGED, Fact: Status.RETIRED}
# What is counted by reading alone, and what is derived.
_PASSING = frozenset(
    {"usage_count", "last_accessed_at", "relevance", "standing", "decayed_on", "weight", "place", "number", "version"}
)


def _lasting(row: Row) -> Row:
    """What a memory says of itself, without what changes as it is read."""
    return {name: value for name, value in row.items() if name not in _PASSING}


def _age(row: Row) -> tuple[int, str]:
    return (int(row["revision"]), str(row["updated_at"]))


def _with(bundle: Bundle, **changed: object) -> Bundle:
    record = {name: value for name, value in {**bundle.record, **changed}.items() if value is not None}
    return replace(bundle, record=record)


def _joined(here: Present, mine: Bundle, theirs: Bundle) -> Bundle:
    """A memory as it stands in an archive, with all that this side knows of it beside."""
    now = {**here.now, "until": theirs.record["updated_at"]}
    said = {_state(row) for row in theirs.versions}
    both = [*theirs.versions, *(row for row in (*mine.versions, now) if _state(row) not in said)]
    versions = [{**row, "version": place} for place, row in enumerate(sorted(both, key=_since), 1)]
    classes = [Classification(one.record["classification"]) for one in (mine, theirs)]
    record = {
        **theirs.record,
        "classification": most_restrictive(classes).value,
        "usage_count": max(int(mine.record["usage_count"]), int(theirs.record["usage_count"])),
        "version": len(versions) + 1,
    }
    people = {str(row["person"]): row for row in mine.verdicts}
    for row in theirs.verdicts:
        known = people.get(str(row["person"]))
        people[str(row["person"])] = row if known is None or str(row["at"]) > str(known["at"]) else known
    return Bundle(
        record=record,
        evidence=sorted({*mine.evidence, *theirs.evidence}),
        versions=versions,
        verdicts=[people[name] for name in sorted(people)],
    )


def _state(row: Row) -> tuple[object, ...]:
    return (row["hash"], row["status"], row["since"])


def _since(row: Row) -> str:
    return str(row["since"])
