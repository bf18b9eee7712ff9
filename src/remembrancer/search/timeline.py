"""Memories over time: neighbours, ranges of dates, and differences.

Records that are deleted now are left out of the past too, until restored.
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

DEFAULT_NEIGHBOURS = 5
# For a time in the past, this many neighbours are read, since some were added or moved later.
MAX_NEIGHBOURS = 1_000
_ACTIVE = (Status.ACTIVE,)
_NOT_DELETED = tuple(status for status in Status if status is not Status.DELETED)


T = TypeVar("T", bound=Record)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineWindow:
    """A record with its neighbours in the session, oldest first.

    Args:
        before: the records before it.
        record: the record.
        after: the records after it.
    """

    before: tuple[Record, ...]
    record: Record
    after: tuple[Record, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedRecord:
    """A record as it read at the earlier and at the later time."""

    before: Record
    after: Record


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineDiff:
    """The differences between two times, each list in order of id.

    Args:
        learnt: records that were new at the later time.
        changed: records that read differently.
        retired: records that were no longer active.
    """

    learnt: tuple[Record, ...]
    changed: tuple[ChangedRecord, ...]
    retired: tuple[Record, ...]


async def around(tx: Tx, id: str, *, before: int, after: int, as_of: datetime | None) -> TimelineWindow:
    """Return a record and its neighbours in time.

    Raises:
        NotFound: there is no such memory, or it was not known then.
    """
    record = await tx.records.find(id)
    if record is None or record.status is Status.DELETED:
        raise NotFound("memory", id)
    if as_of is None:
        earlier, later = await _neighbours(tx, record, before=before, after=after, statuses=LIVE)
        return TimelineWindow(before=tuple(earlier), record=record, after=tuple(later))
    versions = await _versions_at(tx, [record], as_of)
    if not versions:
        raise NotFound("memory", id)
    neighbours = sorted(await _neighbours_at(tx, versions[0], as_of), key=_position)
    position = _position(versions[0])
    return TimelineWindow(
        before=tuple([one for one in neighbours if _position(one) < position][-before:] if before else ()),
        record=versions[0],
        after=tuple([one for one in neighbours if _position(one) > position][:after]),
    )


async def _neighbours_at(tx: Tx, record: Record, at: datetime) -> list[Record]:
    """Return the records of a record's session at a time.

    Args:
        record: the record as it read then; it and its neighbours may be in another session since.
    """
    if record.session is None:
        return []
    earlier, later = await _neighbours(tx, record, before=MAX_NEIGHBOURS, after=MAX_NEIGHBOURS, statuses=_NOT_DELETED)
    former = await former_versions(tx, Filter(sessions=(record.session,)), at)
    by_id = {one.id: one for one in (*await _versions_at(tx, [*earlier, *later], at), *former)}
    return [
        one
        for one in by_id.values()
        if one.id != record.id and one.session == record.session and one.scope == record.scope
    ]


def _position(record: Record) -> tuple[datetime, int, str]:
    """Return the position of a record in its session."""
    return record.occurred_at, getattr(record, "number", 0), record.id


async def _neighbours(
    tx: Tx, record: Record, *, before: int, after: int, statuses: tuple[Status, ...]
) -> tuple[list[Record], list[Record]]:
    if record.session is None:
        return [], []
    return await tx.records.around(record, before=before, after=after, statuses=statuses)


async def between(
    tx: Tx, since: datetime | None, until: datetime | None, *, limit: int, cursor: str | None, as_of: datetime | None
) -> Page:
    """Return messages and facts between two dates, newest first.

    Args:
        as_of: returns them as they read then.
    """
    return await list_records(tx, Filter(since=since, until=until), limit=limit, cursor=cursor, as_of=as_of)


async def list_records(tx: Tx, filter: Filter, *, limit: int, cursor: str | None, as_of: datetime | None) -> Page:
    """Return the records that match a filter, newest first.

    Args:
        as_of: returns them as they read then.
    """
    if as_of is None:
        return await tx.records.list(filter, limit=limit, cursor=cursor)
    former = await former_versions(tx, filter, as_of)
    return await tx.records.list(replace(filter, known_by=as_of), limit=limit, cursor=cursor, extra=former)


async def diff(tx: Tx, earlier: datetime, later: datetime, *, limit: int | None = None) -> TimelineDiff:
    """Return the differences between what was known at two times.

    Args:
        limit: the maximum of states that are compared, the latest; `None` for all.

    Raises:
        InvalidInput: the second time is before the first.
    """
    if later < earlier:
        raise InvalidInput("the second time is before the first; exchange them")
    versions = await tx.versions.between(known_from=earlier, known_to=later, limit=limit)
    ids = await not_deleted(tx, {version.record.id for version in versions})
    before = {id: record for id in ids if (record := _version_at(versions, id, earlier))}
    after = {id: record for id in ids if (record := _version_at(versions, id, later))}
    return TimelineDiff(
        learnt=tuple(after[id] for id in ids if id in after and id not in before),
        changed=tuple(
            ChangedRecord(before=before[id], after=after[id])
            for id in ids
            if id in before and id in after and before[id].updated_at != after[id].updated_at
        ),
        retired=tuple(before[id] for id in ids if id in before and id not in after),
    )


async def history(tx: Tx, id: str) -> list[Version]:
    """Return the versions of a record, oldest first.

    Raises:
        NotFound: there is no such memory.
    """
    if not await not_deleted(tx, [id]):
        raise NotFound("memory", id)
    return await tx.versions.of(id)


async def not_deleted(tx: Tx, ids: Iterable[str]) -> list[str]:
    """Return the ids of the records that are not deleted now, in order."""
    records = await tx.records.find_all(list(ids))
    return sorted(record.id for record in records if record.status is not Status.DELETED)


async def records_at(tx: Tx, kind: type[T], live: Sequence[T], filter: Filter, at: datetime | None) -> list[T]:
    """Return the records of a kind that match a filter, as of a time.

    Args:
        live: all matching records now, which are the result without a time.
    """
    if at is None:
        return list(live)
    former = [record for record in await former_versions(tx, filter, at) if isinstance(record, kind)]
    return [*(record for record in live if record.updated_at <= at), *former]


async def facts(tx: Tx, *, as_of: datetime | None) -> list[Fact]:
    """Return the facts that are active, or were at a time."""
    filter = Filter(kinds=(Kind.FACT,), statuses=_ACTIVE)
    return await records_at(tx, Fact, await tx.facts.in_status(_ACTIVE), filter, as_of)


async def procedures(tx: Tx, statuses: tuple[Status, ...], *, as_of: datetime | None) -> list[Rule]:
    """Return the procedures in some statuses, oldest first.

    Args:
        as_of: returns those at that time.
    """
    filter = Filter(kinds=(Kind.PROCEDURE,), statuses=statuses)
    records = await records_at(tx, Rule, await tx.procedures.in_status(statuses), filter, as_of)
    return sorted(records, key=_age)


async def learned_observations(tx: Tx, statuses: tuple[Status, ...], *, as_of: datetime | None) -> list[Observation]:
    """Return the detector's observations of the exact scope, by id.

    Args:
        as_of: returns those at that time.
    """
    filter = Filter(kinds=(Kind.OBSERVATION,), statuses=statuses)
    records = await records_at(tx, Observation, await tx.observations.patterns(statuses), filter, as_of)
    return sorted((one for one in records if one.learned is not None and one.scope == tx.scope), key=lambda one: one.id)


def _age(record: Record) -> tuple[datetime, str]:
    return record.recorded_at, record.id


async def former_versions(tx: Tx, filter: Filter, at: datetime) -> list[Record]:
    """Return former versions that match a filter and were active at a time.

    Records that are deleted now are left out.
    """
    versions = await tx.versions.past(filter, at=at)
    ids = set(await not_deleted(tx, {record.id for record in versions}))
    return [record for record in versions if record.id in ids]


def _version_at(versions: list[Version], id: str, at: datetime) -> Record | None:
    """Return a record as it was at a time; `None` if it was not active."""
    for version in versions:
        was_current = version.since <= at and (version.until is None or at < version.until)
        if version.record.id == id and was_current:
            return version.record if version.record.status in LIVE else None
    return None


async def _versions_at(tx: Tx, records: list[Record] | tuple[Record, ...], at: datetime) -> list[Record]:
    """Return records as they were at a time, without inactive ones."""
    versions = [record if record.updated_at <= at else await tx.versions.at(record.id, at) for record in records]
    return [version for version in versions if version is not None and version.status in LIVE]
