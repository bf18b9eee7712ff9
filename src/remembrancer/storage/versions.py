"""Former states of records."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import LiteralString

from remembrancer.storage.dialect import Values
from remembrancer.storage.filters import passes
from remembrancer.storage.record_rows import RecordReader
from remembrancer.storage.tables import KEPT, columns, names
from remembrancer.storage.values import Row, undamaged
from remembrancer.types.details import learned_from
from remembrancer.types.filter import Filter
from remembrancer.types.lifecycle import Status
from remembrancer.types.record import (
    DETAILED,
    Observation,
    Record,
    Source,
    kind_of,
)
from remembrancer.types.results import Version
from remembrancer.types.scope import Classification, Trust

VERSION_READ = columns("id since:moment until:moment") + KEPT
"""What a version is read from."""
_VERSION_NAMES = tuple(column.name for column in VERSION_READ)


def earlier(record: Record, row: Row) -> Record:
    """Return a former state of a record, from the values of `VERSION_READ`."""
    values = dict(zip(_VERSION_NAMES, row, strict=True))
    former = replace(
        record,
        updated_at=values["since"],
        session=values["session"],
        text=values["text"],
        hash=values["hash"],
        author=values["author"],
        source=Source(values["source"]),
        occurred_at=values["occurred_at"],
        tags=tuple(values["tags"]),
        metadata=values["metadata"],
        revision=values["revision"],
        status=Status(values["status"]),
        classification=Classification(values["classification"]),
        trust=Trust(values["trust"]),
        importance=values["importance"],
    )
    details = values["details"]
    if isinstance(former, Observation):
        learned = None if details is None else learned_from(details)
        return replace(
            former, type=values["type"], title=values["title"], learned=learned, valid_until=values["valid_until"]
        )
    if form := DETAILED.get(kind_of(former)):
        return replace(former, details=form.load(details))
    return former


def history(current: Iterable[Record], rows: Iterable[Row], *, known_to: datetime) -> list[Version]:
    """Return versions from rows of former states and from the present records known by a time; oldest first."""
    holders = {record.id: record for record in current}

    def version(row: Row) -> Version:
        return Version(record=earlier(holders[row[0]], row), since=row[1], until=row[2])

    past = undamaged((row for row in rows if row[0] in holders), version)
    present = [
        Version(record=record, since=record.updated_at, until=None)
        for record in holders.values()
        if record.updated_at <= known_to
    ]
    return sorted(past + present, key=lambda version: version.since)


def once(current: Iterable[Record], rows: Iterable[Row], filter: Filter) -> list[Record]:
    """Return the former states of records, from rows, that match a filter."""
    holders = {record.id: record for record in current}
    former = undamaged((row for row in rows if row[0] in holders), lambda row: earlier(holders[row[0]], row))
    return [record for record in former if passes(record, filter)]


_SELECT: LiteralString = f"SELECT {names(VERSION_READ, before='versions.')} FROM versions WHERE "


class SqlVersions(RecordReader):
    """All states of records."""

    async def at(self, id: str, at: datetime) -> Record | None:
        """Return the record as it was known at a time, in its status then, or `None`."""
        found = await self._many("WHERE records.id = :id AND {plus}{seen}", {"id": id})
        record = next(iter(found), None)
        if record is None or record.updated_at <= at:
            return record
        rows = await self._rows(
            "versions.id = :id AND {versions_seen} AND versions.since <= :at AND :at < versions.until",
            {"id": id, "at": at},
        )
        return next(iter(undamaged(rows, lambda row: earlier(record, row))), None)

    async def of(self, id: str) -> list[Version]:
        """Return every version of a visible record, oldest first, the present one last."""
        found = await self._many("WHERE records.id = :id AND {plus}{seen}", {"id": id})
        rows = await self._rows("versions.id = :id AND {versions_seen} ORDER BY versions.version", {"id": id})
        return [version for record in found for version in history([record], rows, known_to=record.updated_at)]

    async def between(self, *, known_from: datetime, known_to: datetime, limit: int | None = None) -> list[Version]:
        """Return every version that began or ended within a period; oldest first.

        Args:
            limit: only of the records with so many of the latest states that began within it; `None` for all.
        """
        values: dict[str, object] = {"start": known_from, "end": known_to}
        among: LiteralString = ""
        if limit is None:
            current = await self._many("WHERE records.updated_at > :start AND {seen}", values)
        else:
            values["ids"] = await self._changed_last(values, limit)
            among = " AND versions.id = ANY(:ids)"
            current = await self._many("WHERE records.id = ANY(:ids) AND {plus}{seen}", values)
        rows = await self._rows(
            "{versions_seen} AND versions.until > :start AND versions.since <= :end"
            " AND (versions.since > :start OR versions.until <= :end)" + among + " ORDER BY versions.until",
            values,
        )
        return history(current, rows, known_to=known_to)

    async def _changed_last(self, period: Values, limit: int) -> list[str]:
        """Return the ids of the records of the latest states that began within a period."""
        began: LiteralString = "records.updated_at > :start AND records.updated_at <= :end"
        current = await self._latest(began, "records.updated_at DESC", period, limit=limit)
        former = await self._connection.ask(
            "SELECT versions.id, versions.since FROM versions WHERE {versions_seen}"
            " AND versions.since > :start AND versions.since <= :end ORDER BY versions.since DESC LIMIT :limit",
            {**period, "limit": limit},
        )
        moment = self._connection.dialect.moment
        states = [(record.updated_at, record.id) for record in current] + [(moment(row[1]), row[0]) for row in former]
        return sorted({id for _, id in sorted(states)[-limit:]})

    async def past(self, filter: Filter, *, at: datetime) -> list[Record]:
        """Return records in a former state that was the valid one at a time."""
        rows = await self._rows("{versions_seen} AND versions.since <= :at AND :at < versions.until", {"at": at})
        current = await self._many("WHERE records.id = ANY(:ids) AND {plus}{seen}", {"ids": [row[0] for row in rows]})
        return once(current, rows, filter)

    async def status_before(self, id: str, *, apart_from: Sequence[Status] = ()) -> Status:
        """Return the last status of a record of the exact scope before its last change, some of them left out."""
        rows = await self._connection.ask(
            "SELECT status FROM versions WHERE id = :id AND scope = :scope"
            " AND status <> ALL(:apart::text[]) ORDER BY version DESC LIMIT 1",
            {"id": id, "apart": [status.value for status in apart_from]},
        )
        return Status(rows[0][0]) if rows else Status.ACTIVE

    async def _rows(self, which: LiteralString, values: Values) -> list[list[object]]:
        read = self._connection.dialect.reader(VERSION_READ)
        return undamaged(await self._connection.ask(_SELECT + which, values), read)
