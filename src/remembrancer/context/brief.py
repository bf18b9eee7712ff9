"""What is worth knowing at the start of a session: what was left open, what holds, what changed, what was decided."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, tzinfo
from enum import StrEnum
from functools import partial

from remembrancer.ingest.facts import valid_facts
from remembrancer.language import user_statements as statements
from remembrancer.language.user_statements import Stated, Statement
from remembrancer.learn import rules as procedures
from remembrancer.learn.sessions import is_own_summary, last_said
from remembrancer.search import recall
from remembrancer.search.query import Query
from remembrancer.storage.tx import Tx
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.transactions.rejections import without_rejected
from remembrancer.types.filter import Filter
from remembrancer.types.lifecycle import Status
from remembrancer.types.new import SUMMARY
from remembrancer.types.record import Fact, Kind, Message, Observation, Procedure, Record, type_of
from remembrancer.types.session import Session, SessionStatus

SUMMARIES_AT_START = 5
MEMORIES_AT_START = 10
# A brief tells as many as there is room for.
MEMORIES_IN_BRIEF = 40
# What may state something is looked at so far back; what was noted by words alone is passed over.
_STATED_LOOKED_AT = 600
_NOTES_PASSED_OVER = 400
# Of who somebody is and of what is open.
_PROFILES, _OPEN = 15, 10
# From here on an instruction is told before all else; the others where there is room.
_SURELY = 0.5
# One session may have several summaries, not all of which are told.
_SUMMARIES_READ = 4 * SUMMARIES_AT_START
# Some are the one that begins, or were opened and left without a word.
_USED_LAST = 10
# Of the facts that were set since: the latest.
_CHANGED = 10


class Topic(StrEnum):
    """What is told at the start of a session, in its order."""

    RULES = "Rules"
    PREFERENCES = "Instructions and preferences"
    PROFILE = "Profile"
    OPEN = "Open"
    CHANGED = "Changed since the last session began"
    DECISIONS = "Decisions"
    KNOWN = "Known"
    LAST = "Last session"
    SESSIONS = "Earlier sessions"


_OF_TYPE = {"decision": Topic.DECISIONS, "preference": Topic.PREFERENCES, "profile": Topic.PROFILE}
_STATED_UNDER = {
    Stated.PREFERENCE: Topic.PREFERENCES,
    Stated.PROFILE: Topic.PROFILE,
    Stated.OPEN: Topic.OPEN,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A line of a brief.

    Args:
        statement: what of the memory is told; all of it, where it is `None`.
    """

    topic: Topic
    record: Record
    statement: Statement | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Foremost:
    """What is worth knowing at the start of a session.

    Args:
        last: the session beside this one that was used last, where something was said in it.
        said: what a user said last in it; for a start of a session where nobody has ended it.
        rules: that are active, oldest first.
        stated: what people laid down, who they are and what is open, as far as it holds, oldest first.
        changed: facts that were set since the last session began, latest first.
        before: by the id of such a fact, what held before under its key.
        summaries: of earlier sessions, latest first.
        memories: those that stand highest, summaries apart.
    """

    last: Session | None = None
    said: Message | None = None
    rules: tuple[Procedure, ...] = ()
    stated: tuple[Statement, ...] = ()
    changed: tuple[Fact, ...] = ()
    before: Mapping[str, Fact] = field(default_factory=dict[str, Fact])
    summaries: tuple[Observation, ...] = ()
    memories: tuple[Record, ...] = ()

    @property
    def entries(self) -> list[Entry]:
        """All of it, in the order in which it is told."""
        found = [
            *(Entry(topic=Topic.RULES, record=rule) for rule in self.rules),
            *(Entry(topic=_STATED_UNDER[one.of], record=one.record, statement=one) for one in self.stated),
            *(Entry(topic=Topic.CHANGED, record=fact) for fact in self.changed),
            *(Entry(topic=self._topic(memory), record=memory) for memory in self.memories),
            *(Entry(topic=self._of_session(summary), record=summary) for summary in self.summaries),
        ]
        order = list(Topic)
        return sorted(found, key=lambda entry: order.index(entry.topic))

    @property
    def records(self) -> tuple[Record, ...]:
        """The memories of the entries, in their order."""
        return tuple(entry.record for entry in self.entries)

    @property
    def by_worth(self) -> list[int]:
        """The places of the entries, the best first: rules and what is stated, what is new, the rest in turn."""
        places: Counter[Topic] = Counter()
        worth = list[tuple[int, float]]()
        for entry in self.entries:
            worth.append((_rank(entry), _within(entry, places[entry.topic])))
            places[entry.topic] += 1
        return sorted(range(len(worth)), key=lambda place: (worth[place], place))

    def _of_session(self, summary: Observation) -> Topic:
        return Topic.LAST if self.last is not None and summary.session == self.last.id else Topic.SESSIONS

    def _topic(self, memory: Record) -> Topic:
        """What a memory is told under."""
        if self.last is not None and memory.revision > 1 and memory.updated_at >= self.last.started_at:
            return Topic.CHANGED
        return _OF_TYPE.get(type_of(memory) or "", Topic.KNOWN)


def _rank(entry: Entry) -> int:
    """In which turn an entry is told."""
    match entry.topic:
        case Topic.RULES:
            return 0
        case Topic.PREFERENCES if entry.statement is not None and entry.statement.worth >= _SURELY:
            return 1
        case Topic.PROFILE | Topic.OPEN if entry.statement is not None:
            return 2
        case Topic.CHANGED | Topic.LAST:
            return 3
        case Topic.PREFERENCES if entry.statement is not None:
            return 4
        case _:
            return 5


def _within(entry: Entry, place: int) -> float:
    """An entry's place within its turn: what is surest first, else by their order, memories and summaries in turn."""
    return -entry.statement.worth if entry.statement is not None else float(place)


async def foremost(
    tx: Tx, query: Query, rules: Dependencies, *, session: str | None, zone: tzinfo | None = None
) -> Foremost:
    """What is worth knowing at the start of a session.

    Args:
        query: asks for the memories that stand highest.
        session: the one that begins, where it is known.
        zone: given for a brief: where the people are whose days it tells of. Then what people said is read for what
            holds of it, and neither notes nor summaries that were made by words alone are told.
    """
    summaries = await without_rejected(tx, await _summaries(tx), sign=rules.sign)
    left = partial(without_rejected, tx, sign=rules.sign) if await tx.rejections.stand() else None
    last = await _last(tx, beside=session)
    if zone is None:
        stated = list[Statement]()
        memories = await recall.foremost(tx, query, apart=(SUMMARY,), sayable=left)
    else:
        found = await recall.stated(tx, limit=_STATED_LOOKED_AT, sayable=left)
        stated = _told_of(statements.standing(found, now=query.now, zone=zone))
        known = {record.id for record in found}

        async def beside(some: Sequence[Record]) -> Sequence[Record]:
            """Those that nobody read for what they state, and that were not noted by words alone."""
            others = [one for one in some if one.id not in known and not _noted_by_words(one)]
            return others if left is None else await left(others)

        memories = await recall.foremost(tx, query, apart=(SUMMARY,), sayable=beside, spare=_NOTES_PASSED_OVER)
        summaries = [one for one in summaries if not is_own_summary(one) or one.metadata.get("model")]
    changed, before = await _changed(tx, query.now, rules, since=last.started_at) if last else ((), {})
    is_open = last is not None and last.status is SessionStatus.ACTIVE
    return Foremost(
        last=last,
        said=await last_said(tx, last) if last is not None and (is_open or zone) else None,
        rules=tuple(await without_rejected(tx, await procedures.active(tx), sign=rules.sign)),
        stated=tuple(stated),
        changed=changed,
        before=before,
        summaries=tuple(summaries),
        memories=_each_once(memories),
    )


def _noted_by_words(record: Record) -> bool:
    return isinstance(record, Observation) and bool(record.engine) and not record.model


def _told_of(stated: Sequence[Statement]) -> list[Statement]:
    """What is told of statements: all instructions, the newest of who somebody is, and what is open soonest."""
    of = {kind: [one for one in stated if one.of is kind] for kind in Stated}
    soonest = sorted(of[Stated.OPEN], key=lambda one: (one.due or date.max, -one.record.occurred_at.timestamp()))
    return [*of[Stated.PREFERENCE], *of[Stated.PROFILE][-_PROFILES:], *soonest[:_OPEN]]


def _each_once(memories: Sequence[Record]) -> tuple[Record, ...]:
    """Memories without those that say word for word what one before them says."""
    found: dict[str, Record] = {}
    for memory in memories:
        found.setdefault(" ".join(memory.text.casefold().split()), memory)
    return tuple(found.values())


async def _last(tx: Tx, *, beside: str | None) -> Session | None:
    """The session of the exact scope that was used last, where something was said in it."""
    used = await tx.sessions.list(limit=_USED_LAST)
    return next((one for one in used if one.id != beside and one.messages), None)


async def _changed(
    tx: Tx, now: datetime, rules: Dependencies, *, since: datetime
) -> tuple[tuple[Fact, ...], dict[str, Fact]]:
    """The facts that were set since a time and hold, and what held before under their keys."""
    new = [fact for fact in await valid_facts(tx, now) if fact.recorded_at >= since]
    new = await without_rejected(tx, sorted(new, key=lambda fact: fact.recorded_at, reverse=True), sign=rules.sign)
    before: dict[str, Fact] = {}
    for fact in new[:_CHANGED]:
        known = [one for one in await tx.facts.by_key(fact.details.key) if one.status is Status.ACTIVE]
        earlier = [one for one in known if one.details.valid_from < fact.details.valid_from]
        if standing := await without_rejected(tx, earlier, sign=rules.sign):
            before[fact.id] = max(standing, key=lambda one: one.details.valid_from)
    return tuple(new[:_CHANGED]), before


async def _summaries(tx: Tx) -> tuple[Observation, ...]:
    """The latest summaries of the sessions that the scope sees, each of something else.

    One that somebody wrote is of the whole session so far; one of our own is of what came after the one before it.
    """
    page = await tx.records.list(
        Filter(kinds=(Kind.OBSERVATION,), types=(SUMMARY,)), limit=_SUMMARIES_READ, cursor=None
    )
    found, whole = list[Observation](), set[tuple[object, str]]()
    for record in page.records:
        session = (record.scope, record.session or record.id)
        if isinstance(record, Observation) and session not in whole:
            found.append(record)
            if not is_own_summary(record):
                whole.add(session)
    return tuple(found)[:SUMMARIES_AT_START]
