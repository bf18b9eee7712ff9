"""What is worth knowing at the start of a session: what was left open, what holds, what changed, what was decided."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import partial

from remembrancer.governance import procedures
from remembrancer.governance.facts import holding
from remembrancer.governance.rejection import unrejected
from remembrancer.governance.rules import Rules
from remembrancer.governance.sessions import is_own_summary, last_said
from remembrancer.model.filter import Filter
from remembrancer.model.lifecycle import Status
from remembrancer.model.observation_types import SUMMARY
from remembrancer.model.record import Fact, Kind, Message, Observation, Procedure, Record, type_of
from remembrancer.model.session import Session, SessionStatus
from remembrancer.ports.tx import Tx
from remembrancer.retrieval import recall
from remembrancer.retrieval.query import Query

SUMMARIES_AT_START = 5
MEMORIES_AT_START = 10
# A brief tells as many as there is room for.
MEMORIES_IN_BRIEF = 40
STANDING_IN_BRIEF = 40
# One session may have several summaries, not all of which are told.
_SUMMARIES_READ = 4 * SUMMARIES_AT_START
# Some are the one that begins, or were opened and left without a word.
_USED_LAST = 10
# Of the facts that were set since: the latest.
_CHANGED = 10


class Topic(StrEnum):
    """What is told at the start of a session, in its order."""

    RULES = "Rules"
    PREFERENCES = "Instructions, preferences and profile"
    CHANGED = "Changed since the last session began"
    DECISIONS = "Decisions"
    KNOWN = "Known"
    SESSIONS = "Earlier sessions"


_OF_TYPE = {"decision": Topic.DECISIONS, "preference": Topic.PREFERENCES}


@dataclass(frozen=True, slots=True, kw_only=True)
class Foremost:
    """What is worth knowing at the start of a session.

    Args:
        last: the session beside this one that was used last, where something was said in it.
        said: what a user said last in it, where nobody has ended it.
        rules: that are active, oldest first.
        changed: facts that were set since the last session began, latest first.
        before: by the id of such a fact, what held before under its key.
        summaries: of earlier sessions, latest first.
        memories: what states a preference or a standing instruction, latest first, then those that stand highest,
            summaries apart.
        standing: how many of these state such a thing.
    """

    last: Session | None = None
    said: Message | None = None
    rules: tuple[Procedure, ...] = ()
    changed: tuple[Fact, ...] = ()
    before: Mapping[str, Fact] = field(default_factory=dict[str, Fact])
    summaries: tuple[Observation, ...] = ()
    memories: tuple[Record, ...] = ()
    standing: int = 0

    @property
    def told(self) -> list[tuple[Topic, Record]]:
        """All of it, in the order in which it is told."""
        of_memories = [(self._topic(memory, place), memory) for place, memory in enumerate(self.memories)]
        found = [
            *((Topic.RULES, rule) for rule in self.rules),
            *((Topic.CHANGED, fact) for fact in self.changed),
            *of_memories,
            *((Topic.SESSIONS, summary) for summary in self.summaries),
        ]
        order = list(Topic)
        return sorted(found, key=lambda pair: order.index(pair[0]))

    @property
    def records(self) -> tuple[Record, ...]:
        """The same without what it is told under."""
        return tuple(record for _, record in self.told)

    @property
    def by_worth(self) -> list[int]:
        """The places of `records`, those first that are told first: rules, what stands, changes, the rest in turn."""
        worth = {
            record.id: (0, place)
            for place, record in enumerate((*self.rules, *self.memories[: self.standing], *self.changed))
        }
        worth |= {summary.id: (1, 2 * place) for place, summary in enumerate(self.summaries)}
        worth |= {memory.id: (1, place // 2 * 2 + 1) for place, memory in enumerate(self.memories[self.standing :])}
        records = self.records
        return sorted(range(len(records)), key=lambda place: (worth[records[place].id], place))

    def _topic(self, memory: Record, place: int) -> Topic:
        """What a memory is told under."""
        if place < self.standing:
            return Topic.PREFERENCES
        if self.last is not None and memory.revision > 1 and memory.updated_at >= self.last.started_at:
            return Topic.CHANGED
        return _OF_TYPE.get(type_of(memory) or "", Topic.KNOWN)


async def foremost(tx: Tx, query: Query, rules: Rules, *, session: str | None, standing: int = 0) -> Foremost:
    """What is worth knowing at the start of a session.

    Args:
        query: asks for the memories that stand highest.
        session: the one that begins, where it is known.
        standing: how many preferences and standing instructions come before those, at most.
    """
    summaries = await unrejected(tx, await _summaries(tx), sign=rules.sign)
    left = partial(unrejected, tx, sign=rules.sign) if await tx.rejections.stand() else None
    stated = _each_once(await recall.standing(tx, limit=standing, sayable=left)) if standing else ()
    memories = _each_once([*stated, *await recall.foremost(tx, query, apart=(SUMMARY,), sayable=left)])
    last = await _last(tx, beside=session)
    changed, before = await _changed(tx, query.now, rules, since=last.started_at) if last else ((), {})
    is_open = last is not None and last.status is SessionStatus.ACTIVE
    return Foremost(
        last=last,
        said=await last_said(tx, last) if last is not None and is_open else None,
        rules=tuple(await unrejected(tx, await procedures.active(tx), sign=rules.sign)),
        changed=changed,
        before=before,
        summaries=tuple(summaries),
        memories=memories,
        standing=len(stated),
    )


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


async def _changed(tx: Tx, now: datetime, rules: Rules, *, since: datetime) -> tuple[tuple[Fact, ...], dict[str, Fact]]:
    """The facts that were set since a time and hold, and what held before under their keys."""
    new = [fact for fact in await holding(tx, now) if fact.recorded_at >= since]
    new = await unrejected(tx, sorted(new, key=lambda fact: fact.recorded_at, reverse=True), sign=rules.sign)
    before: dict[str, Fact] = {}
    for fact in new[:_CHANGED]:
        known = [one for one in await tx.facts.by_key(fact.details.key) if one.status is Status.ACTIVE]
        earlier = [one for one in known if one.details.valid_from < fact.details.valid_from]
        if standing := await unrejected(tx, earlier, sign=rules.sign):
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
