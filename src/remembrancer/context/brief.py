"""The brief at the start of a session: open points, facts and decisions."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, tzinfo
from enum import StrEnum
from functools import partial

from remembrancer.ingest.facts import valid_facts
from remembrancer.language import user_statements as statements
from remembrancer.language.user_statements import Stated, UserStatement
from remembrancer.learn import rules as procedures
from remembrancer.learn.sessions import is_own_summary, last_user_message
from remembrancer.search import recall
from remembrancer.search.query import Query
from remembrancer.storage.tx import Tx
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.transactions.rejections import without_rejected
from remembrancer.types.filter import Filter
from remembrancer.types.lifecycle import Status
from remembrancer.types.new import SUMMARY
from remembrancer.types.record import Fact, Kind, Message, Observation, Record, Rule, type_of
from remembrancer.types.session import Session, SessionStatus

MAX_SUMMARIES = 5
DEFAULT_MEMORIES = 10
# A brief contains as many as fit, up to this number.
MAX_MEMORIES = 40
# The most memories that are read for statements, and the spare ones for those that are then skipped.
_STATEMENTS_READ = 600
_SPARE_MEMORIES = 400
# The most statements of each kind.
_MAX_PROFILES, _MAX_OPEN = 15, 10
# An instruction with this confidence comes before all else; the others if they fit.
_CONFIDENT = 0.5
# One session may have several summaries, not all of which are shown.
_SUMMARIES_READ = 4 * MAX_SUMMARIES
# The latest sessions may be the one that begins, or empty.
_SESSIONS_READ = 10
# The most facts that changed since the last session, the latest first.
_MAX_CHANGED = 10


class Topic(StrEnum):
    """The sections of a brief, in their order."""

    RULES = "Rules"
    PREFERENCES = "Instructions and preferences"
    PROFILE = "Profile"
    OPEN = "Open"
    CHANGED = "Changed since the last session began"
    DECISIONS = "Decisions"
    KNOWN = "Known"
    LAST = "Last session"
    SESSIONS = "Earlier sessions"


_TOPIC_OF_TYPE = {"decision": Topic.DECISIONS, "preference": Topic.PREFERENCES, "profile": Topic.PROFILE}
_TOPIC_OF_STATEMENT = {
    Stated.PREFERENCE: Topic.PREFERENCES,
    Stated.PROFILE: Topic.PROFILE,
    Stated.OPEN: Topic.OPEN,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BriefEntry:
    """A line of a brief.

    Args:
        statement: the statement of the memory that is shown; `None` shows the whole memory.
    """

    topic: Topic
    record: Record
    statement: UserStatement | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BriefContents:
    """The contents of a brief at the start of a session.

    Args:
        last: the last session before this one with any message.
        last_message: the last message of a user in it, if the session was not ended.
        rules: the active rules, oldest first.
        stated: instructions, profile and open points that are still valid, oldest first.
        changed: facts that were set since the last session began, latest first.
        before: the former fact under the same key, by the id of the new one.
        summaries: summaries of earlier sessions, latest first.
        memories: the observations that rank highest, without summaries.
    """

    last: Session | None = None
    last_message: Message | None = None
    rules: tuple[Rule, ...] = ()
    stated: tuple[UserStatement, ...] = ()
    changed: tuple[Fact, ...] = ()
    before: Mapping[str, Fact] = field(default_factory=dict[str, Fact])
    summaries: tuple[Observation, ...] = ()
    memories: tuple[Record, ...] = ()

    @property
    def entries(self) -> list[BriefEntry]:
        """The entries of the brief, in its order."""
        entries = [
            *(BriefEntry(topic=Topic.RULES, record=rule) for rule in self.rules),
            *(BriefEntry(topic=_TOPIC_OF_STATEMENT[one.of], record=one.record, statement=one) for one in self.stated),
            *(BriefEntry(topic=Topic.CHANGED, record=fact) for fact in self.changed),
            *(BriefEntry(topic=self._topic(memory), record=memory) for memory in self.memories),
            *(BriefEntry(topic=self._summary_topic(summary), record=summary) for summary in self.summaries),
        ]
        order = list(Topic)
        return sorted(entries, key=lambda entry: order.index(entry.topic))

    @property
    def records(self) -> tuple[Record, ...]:
        """The memories of the entries, in their order."""
        return tuple(entry.record for entry in self.entries)

    @property
    def by_priority(self) -> list[int]:
        """The indices of the entries, the most important first."""
        counts: Counter[Topic] = Counter()
        keys = list[tuple[int, float]]()
        for entry in self.entries:
            keys.append((_rank(entry), _order_in_rank(entry, counts[entry.topic])))
            counts[entry.topic] += 1
        return sorted(range(len(keys)), key=lambda place: (keys[place], place))

    def _summary_topic(self, summary: Observation) -> Topic:
        return Topic.LAST if self.last is not None and summary.session == self.last.id else Topic.SESSIONS

    def _topic(self, memory: Record) -> Topic:
        """Return the section of a memory."""
        if self.last is not None and memory.revision > 1 and memory.updated_at >= self.last.started_at:
            return Topic.CHANGED
        return _TOPIC_OF_TYPE.get(type_of(memory) or "", Topic.KNOWN)


def _rank(entry: BriefEntry) -> int:
    """Return the rank of an entry; 0 is the most important."""
    match entry.topic:
        case Topic.RULES:
            return 0
        case Topic.PREFERENCES if entry.statement is not None and entry.statement.worth >= _CONFIDENT:
            return 1
        case Topic.PROFILE | Topic.OPEN if entry.statement is not None:
            return 2
        case Topic.CHANGED | Topic.LAST:
            return 3
        case Topic.PREFERENCES if entry.statement is not None:
            return 4
        case _:
            return 5


def _order_in_rank(entry: BriefEntry, place: int) -> float:
    """Return the order of an entry within its rank.

    Statements are ordered by confidence; memories and summaries alternate.
    """
    return -entry.statement.worth if entry.statement is not None else float(place)


async def load_brief(
    tx: Tx, query: Query, rules: Dependencies, *, session: str | None, zone: tzinfo | None = None
) -> BriefContents:
    """Return the contents of a brief.

    Args:
        query: asks for the observations that rank highest.
        session: the session that begins, if known.
        zone: the time zone of the user, for a brief in full: messages are then read for statements, and notes and
            summaries of the rule-based observer are left out.
    """
    summaries = await without_rejected(tx, await _summaries(tx), sign=rules.sign)
    unrejected_only = partial(without_rejected, tx, sign=rules.sign) if await tx.rejections.exist() else None
    last = await _last_session(tx, excluded=session)
    if zone is None:
        stated = list[UserStatement]()
        memories = await recall.top_observations(tx, query, excluded_types=(SUMMARY,), allowed=unrejected_only)
    else:
        sources = await recall.load_statements(tx, limit=_STATEMENTS_READ, allowed=unrejected_only)
        stated = _select_statements(statements.valid_statements(sources, now=query.now, zone=zone))
        source_ids = {record.id for record in sources}

        async def other_memories(records: Sequence[Record]) -> Sequence[Record]:
            """Return the records not read for statements, and not rule-based."""
            others = [one for one in records if one.id not in source_ids and not _is_rule_based(one)]
            return others if unrejected_only is None else await unrejected_only(others)

        memories = await recall.top_observations(
            tx, query, excluded_types=(SUMMARY,), allowed=other_memories, spare=_SPARE_MEMORIES
        )
        summaries = [one for one in summaries if not is_own_summary(one) or one.metadata.get("model")]
    changed, before = await _changed_facts(tx, query.now, rules, since=last.started_at) if last else ((), {})
    is_open = last is not None and last.status is SessionStatus.ACTIVE
    return BriefContents(
        last=last,
        last_message=await last_user_message(tx, last) if last is not None and (is_open or zone) else None,
        rules=tuple(await without_rejected(tx, await procedures.active(tx), sign=rules.sign)),
        stated=tuple(stated),
        changed=changed,
        before=before,
        summaries=tuple(summaries),
        memories=_without_duplicates(memories),
    )


def _is_rule_based(record: Record) -> bool:
    return isinstance(record, Observation) and bool(record.engine) and not record.model


def _select_statements(stated: Sequence[UserStatement]) -> list[UserStatement]:
    """Return all instructions, the newest profile and the next open points."""
    by_kind = {kind: [one for one in stated if one.of is kind] for kind in Stated}
    by_due_date = sorted(
        by_kind[Stated.OPEN], key=lambda one: (one.due or date.max, -one.record.occurred_at.timestamp())
    )
    return [*by_kind[Stated.PREFERENCE], *by_kind[Stated.PROFILE][-_MAX_PROFILES:], *by_due_date[:_MAX_OPEN]]


def _without_duplicates(memories: Sequence[Record]) -> tuple[Record, ...]:
    """Return memories without verbatim repetitions of an earlier one."""
    by_text: dict[str, Record] = {}
    for memory in memories:
        by_text.setdefault(" ".join(memory.text.casefold().split()), memory)
    return tuple(by_text.values())


async def _last_session(tx: Tx, *, excluded: str | None) -> Session | None:
    """Return the last session of the exact scope with any message."""
    sessions = await tx.sessions.list(limit=_SESSIONS_READ)
    return next((one for one in sessions if one.id != excluded and one.messages), None)


async def _changed_facts(
    tx: Tx, now: datetime, rules: Dependencies, *, since: datetime
) -> tuple[tuple[Fact, ...], dict[str, Fact]]:
    """Return valid facts set since a time, and the facts they replaced."""
    new = [fact for fact in await valid_facts(tx, now) if fact.recorded_at >= since]
    new = await without_rejected(tx, sorted(new, key=lambda fact: fact.recorded_at, reverse=True), sign=rules.sign)
    before: dict[str, Fact] = {}
    for fact in new[:_MAX_CHANGED]:
        active = [one for one in await tx.facts.by_key(fact.details.key) if one.status is Status.ACTIVE]
        earlier = [one for one in active if one.details.valid_from < fact.details.valid_from]
        if former := await without_rejected(tx, earlier, sign=rules.sign):
            before[fact.id] = max(former, key=lambda one: one.details.valid_from)
    return tuple(new[:_MAX_CHANGED]), before


async def _summaries(tx: Tx) -> tuple[Observation, ...]:
    """Return the latest summaries of visible sessions, without overlaps.

    A summary that a caller wrote covers the whole session so far; one of the engine covers what came after the one
    before.
    """
    page = await tx.records.list(
        Filter(kinds=(Kind.OBSERVATION,), types=(SUMMARY,)), limit=_SUMMARIES_READ, cursor=None
    )
    summaries, complete = list[Observation](), set[tuple[object, str]]()
    for record in page.records:
        session = (record.scope, record.session or record.id)
        if isinstance(record, Observation) and session not in complete:
            summaries.append(record)
            if not is_own_summary(record):
                complete.add(session)
    return tuple(summaries)[:MAX_SUMMARIES]
