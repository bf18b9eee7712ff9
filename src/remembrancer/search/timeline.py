"""Looking along time: what stood around a record, what was said between two dates, what changed between two.

What is deleted now is out of the past, too, until it is restored.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar

from remembrancer.errors import InvalidInput, NotFound
from remembrancer.storage.tx import Tx
from remembrancer.types.filter import Filter
from remembrancer.types.lifecycle import LIVE, Status
from remembrancer.types.record import Fact, Kind, Observation, Record, Rule
from remembrancer.types.results import Page, Version

AROUND = 5
# Going back in time, neighbours that have come or gone since are among those that are looked at.
LOOKED_AT = 1_000
_ACTIVE = (Status.ACTIVE,)
_NOT_DELETED = tuple(status for status in Status if status is not Status.DELETED)


T = TypeVar("T", bound=Record)


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """A record with what came before and after it in its session, oldest first."""

    before: tuple[Record, ...]
    record: Record
    after: tuple[Record, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """A record as it read at the earlier and at the later time."""

    before: Record
    after: Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    """What became known, read differently, or was given up between two times; each in order of id."""

    learnt: tuple[Record, ...]
    changed: tuple[Changed, ...]
    retired: tuple[Record, ...]


async def around(tx: Tx, id: str, *, before: int, after: int, as_of: datetime | None) -> Around:
    """A record and its neighbours in time.

    Raises:
        NotFound: no such memory here, or it was not known then.
    """
    record = await tx.records.find(id)
    if record is None or record.status is Status.DELETED:
        raise NotFound("memory", id)
    if as_of is None:
        earlier, later = await _beside(tx, record, before=before, after=after, statuses=LIVE)
        return Around(before=tuple(earlier), record=record, after=tuple(later))
    then = await _then(tx, [record], as_of)
    if not then:
        raise NotFound("memory", id)
    beside = sorted(await _beside_then(tx, then[0], as_of), key=_place)
    at = _place(then[0])
    return Around(
        before=tuple([one for one in beside if _place(one) < at][-before:] if before else ()),
        record=then[0],
        after=tuple([one for one in beside if _place(one) > at][:after]),
    )


async def _beside_then(tx: Tx, record: Record, at: datetime) -> list[Record]:
    """What stood in a record's session at a time, the record itself apart.

    Args:
        record: as it read then; it, and what stood beside it, may be in another session since.
    """
    if record.session is None:
        return []
    earlier, later = await _beside(tx, record, before=LOOKED_AT, after=LOOKED_AT, statuses=_NOT_DELETED)
    left = await no_longer(tx, Filter(sessions=(record.session,)), at)
    found = {one.id: one for one in (*await _then(tx, [*earlier, *later], at), *left)}
    return [
        one
        for one in found.values()
        if one.id != record.id and one.session == record.session and one.scope == record.scope
    ]


def _place(record: Record) -> tuple[datetime, int, str]:
    """Where a record stands in its session."""
    return record.occurred_at, getattr(record, "number", 0), record.id


async def _beside(
    tx: Tx, record: Record, *, before: int, after: int, statuses: tuple[Status, ...]
) -> tuple[list[Record], list[Record]]:
    if record.session is None:
        return [], []
    return await tx.records.around(record, before=before, after=after, statuses=statuses)


async def between(
    tx: Tx, since: datetime | None, until: datetime | None, *, limit: int, cursor: str | None, as_of: datetime | None
) -> Page:
    """What was said and claimed between two dates, newest first; as it read at `as_of`, where that is given."""
    return await listed(tx, Filter(since=since, until=until), limit=limit, cursor=cursor, as_of=as_of)


async def listed(tx: Tx, filter: Filter, *, limit: int, cursor: str | None, as_of: datetime | None) -> Page:
    """What a filter lets through, newest first; as it read at `as_of`, where that is given."""
    if as_of is None:
        return await tx.records.list(filter, limit=limit, cursor=cursor)
    left = await no_longer(tx, filter, as_of)
    return await tx.records.list(replace(filter, known_by=as_of), limit=limit, cursor=cursor, beside=left)


async def diff(tx: Tx, earlier: datetime, later: datetime) -> Diff:
    """What changed between two times of knowing.

    Raises:
        InvalidInput: the second time lies before the first.
    """
    if later < earlier:
        raise InvalidInput("the second time lies before the first; exchange them")
    versions = await tx.versions.between(known_from=earlier, known_to=later)
    ids = await not_deleted(tx, {version.record.id for version in versions})
    before = {id: record for id in ids if (record := _standing(versions, id, earlier))}
    after = {id: record for id in ids if (record := _standing(versions, id, later))}
    return Diff(
        learnt=tuple(after[id] for id in ids if id in after and id not in before),
        changed=tuple(
            Changed(before=before[id], after=after[id])
            for id in ids
            if id in before and id in after and before[id].updated_at != after[id].updated_at
        ),
        retired=tuple(before[id] for id in ids if id in before and id not in after),
    )


async def history(tx: Tx, id: str) -> list[Version]:
    """How a record has read, oldest first, as it reads now last.

    Raises:
        NotFound: no such memory here.
    """
    if not await not_deleted(tx, [id]):
        raise NotFound("memory", id)
    return await tx.versions.of(id)


async def not_deleted(tx: Tx, ids: Iterable[str]) -> list[str]:
    """Those of some records that are not deleted now, in order."""
    found = await tx.records.find_all(list(ids))
    return sorted(record.id for record in found if record.status is not Status.DELETED)


async def stood(tx: Tx, kind: type[T], live: Sequence[T], filter: Filter, at: datetime | None) -> list[T]:
    """What a filter lets through of a kind, as it was served at a time.

    Args:
        live: all of it that is served now, which is the answer where no time is given.
    """
    if at is None:
        return list(live)
    left = [record for record in await no_longer(tx, filter, at) if isinstance(record, kind)]
    return [*(record for record in live if record.updated_at <= at), *left]


async def facts(tx: Tx, *, as_of: datetime | None) -> list[Fact]:
    """The facts that are active, or were at a time."""
    which = Filter(kinds=(Kind.FACT,), statuses=_ACTIVE)
    return await stood(tx, Fact, await tx.facts.in_status(_ACTIVE), which, as_of)


async def procedures(tx: Tx, statuses: tuple[Status, ...], *, as_of: datetime | None) -> list[Rule]:
    """The procedures in some statuses, now or at a time, oldest first."""
    which = Filter(kinds=(Kind.PROCEDURE,), statuses=statuses)
    found = await stood(tx, Rule, await tx.procedures.in_status(statuses), which, as_of)
    return sorted(found, key=_age)


async def learned(tx: Tx, statuses: tuple[Status, ...], *, as_of: datetime | None) -> list[Observation]:
    """What the detector has observed in the exact scope, or had by a time, by id."""
    which = Filter(kinds=(Kind.OBSERVATION,), statuses=statuses)
    found = await stood(tx, Observation, await tx.observations.learned(statuses), which, as_of)
    return sorted((one for one in found if one.learned is not None and one.scope == tx.scope), key=lambda one: one.id)


def _age(record: Record) -> tuple[datetime, str]:
    return record.recorded_at, record.id


async def no_longer(tx: Tx, filter: Filter, at: datetime) -> list[Record]:
    """What a filter lets through in a wording that stood at a time and no longer does; what is deleted now apart."""
    gone = await tx.versions.past(filter, at=at)
    there = set(await not_deleted(tx, {record.id for record in gone}))
    return [record for record in gone if record.id in there]


def _standing(versions: list[Version], id: str, at: datetime) -> Record | None:
    """A record as it was served at a time; `None` where it was not."""
    for version in versions:
        stood = version.since <= at and (version.until is None or at < version.until)
        if version.record.id == id and stood:
            return version.record if version.record.status in LIVE else None
    return None


async def _then(tx: Tx, records: list[Record] | tuple[Record, ...], at: datetime) -> list[Record]:
    """Records as they were served at a time; those unknown or not active then are left out."""
    versions = [record if record.updated_at <= at else await tx.versions.at(record.id, at) for record in records]
    return [version for version in versions if version is not None and version.status in LIVE]
